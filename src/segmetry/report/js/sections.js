// @ts-check
// The pages of the report and the views on them, from top to bottom.

import { mountAtlas } from "./views/atlas.js";
import { mountBudget } from "./views/budget.js";
import { hasClassMaps, mountClassMaps } from "./views/class_maps.js";
import { mountClasses } from "./views/class_table.js";
import { hasConfidence, mountConfidence } from "./views/confidence.js";
import { mountCurves } from "./views/curves.js";
import { mountDisagree } from "./views/two_rules.js";
import { mountFacts } from "./views/run_facts.js";
import { mountGallery } from "./views/gallery.js";
import { mountMetrics } from "./views/metric_table.js";
import { mountAcross, mountRanking } from "./views/ranking.js";
import { mountRuns } from "./views/run_comparison.js";
import { mountScatter } from "./views/scatter.js";
import { isAboutSegments } from "./scoring/headline.js";
import { hasSubsets, mountSubsets } from "./views/subsets.js";
import { mountSensitivity } from "./views/sensitivity.js";
import { hasClassDifferences, mountClassDifferences } from "./views/overview/class_differences.js";
import { mountOverview } from "./views/overview/first_screen.js";
import { mountVerdict } from "./views/verdict.js";
import { mountVersus } from "./views/overview/versus.js";

/** @typedef {import("./data/model.js").Model} Model */
/** @typedef {{ id: string, page: string, heading: string,
 *   mount: (element: HTMLElement, model: Model, store: import("./store.js").Store) => void,
 *   wanted: (model: Model) => boolean, obeysFilter: boolean }} View
 * the section and its heading; whether a run has data for it; whether it shows the items that pass the filter or all */

/** Id, name, where there is one the number beside the name, and why a page may have nothing to show.
 * @type {[string, string, (model: Model, state: import("./store.js").State) => number | null, string][]} */
export const PAGES = [
  ["overview", "Overview", () => null, ""],
  ["items", "Items", (model, { selected }) => selected?.size ?? model.nItems, ""],
  ["classes", "Classes", (model) => model.classNames?.length ?? null,
    "There are no classes in this run, or only one."],
  ["errors", "Errors", ({ data }) => (data.errors.problem === null ? data.errors.n : null), ""],
  ["thresholds", "Thresholds", () => null,
    "Nothing here is accepted by a threshold: the score does not depend on an IoU."],
  ["compare", "Compare", (model) => model.runs.length,
    "One run. segmetry report FIRST.segm SECOND.segm compares several."],
  ["trust", "Trust", () => null,
    "The score does not depend on how segments are matched; the checks are on the first page."],
  ["metrics", "All metrics", (model) => model.data.keys.length, ""],
  ["method", "Method", () => null, ""],
];

const always = () => true;
const hasClasses = (/** @type {Model} */ model) => (model.classNames?.length ?? 0) > 1;
const hasSegmentClasses = (/** @type {Model} */ model) => hasClasses(model) && model.data.agrees_by === null;
const isMoved = (/** @type {Model} */ model) => model.data.sensitivity !== null;
const hasSeveral = (/** @type {Model} */ model) => model.comparison !== null;
const isRankedByMetrics = (/** @type {Model} */ model) => Boolean(model.comparison?.across);

/** @type {[string, string, string, View["mount"], View["wanted"], boolean][]} */
const ROWS = [
  ["overview", "first-screen", "Overview", mountOverview, always, true],
  ["items", "gallery", "Items, worst first", mountGallery, always, true],
  ["items", "subsets", "Parts of the data set", mountSubsets, hasSubsets, false],
  ["items", "scatter", "Precision and recall by item", mountScatter, isAboutSegments, true],
  ["classes", "classes", "Scores by class", mountClasses, hasSegmentClasses, true],
  ["classes", "class-maps", "Classes by their elements", mountClassMaps, hasClassMaps, true],
  ["errors", "atlas", "Every error, the costliest first", mountAtlas, always, true],
  ["errors", "budget", "Error analysis: gain if fixed", mountBudget, isAboutSegments, false],
  ["thresholds", "confidence-view", "Which detections to keep", mountConfidence, hasConfidence, false],
  ["thresholds", "curves", "Scores by IoU threshold", mountCurves, isAboutSegments, true],
  ["compare", "runs", "Comparison of runs", mountRuns, hasSeveral, false],
  ["compare", "versus", "Two runs, item by item", mountVersus, hasSeveral, true],
  ["compare", "class-difference", "Differences by class", mountClassDifferences, hasClassDifferences, false],
  ["compare", "across", "Ranks by every metric", mountAcross, isRankedByMetrics, false],
  ["compare", "ranking", "Ranking under different rules", mountRanking, hasSeveral, false],
  ["trust", "verdict", "Scores under each rule and in each average", mountVerdict, isAboutSegments, true],
  ["trust", "sensitivity", "Change of scores when boundaries move by one pixel", mountSensitivity, isMoved, false],
  ["trust", "disagree", "What the two rules θ⁺ and θ& disagree about", mountDisagree, isAboutSegments, true],
  ["metrics", "metrics", "All metrics", mountMetrics, always, false],
  ["method", "method", "Method", mountFacts, always, false],
];

/** @type {View[]} */
export const VIEWS = ROWS.map(([page, id, heading, mount, wanted, obeysFilter]) => {
  return { id, page, heading, mount, wanted, obeysFilter };
});

// @ts-check
// The views from top to bottom: the section each is mounted on, and whether a run has data for it.

import { mountBudget } from "./views/budget.js";
import { mountClasses } from "./views/class_table.js";
import { mountCurves } from "./views/curves.js";
import { mountDisagree } from "./views/two_rules.js";
import { mountGallery } from "./views/gallery.js";
import { mountItem } from "./views/item_view.js";
import { hasLines, mountLinear } from "./views/line_view.js";
import { mountMetrics } from "./views/metric_table.js";
import { mountRanking } from "./views/ranking.js";
import { mountRuns } from "./views/run_comparison.js";
import { mountScatter } from "./views/scatter.js";
import { canMove, mountSensitivity } from "./views/sensitivity.js";
import { mountVerdict } from "./views/verdict.js";

/** @typedef {{ id: string, mount: (element: HTMLElement, model: import("./data/model.js").Model,
 *   store: import("./store.js").Store) => void, wanted: (model: import("./data/model.js").Model) => boolean }} View */

/** @type {View[]} */
export const VIEWS = [
  { id: "verdict", mount: mountVerdict, wanted: () => true },
  { id: "curves", mount: mountCurves, wanted: () => true },
  { id: "scatter", mount: mountScatter, wanted: () => true },
  { id: "classes", mount: mountClasses, wanted: () => true },
  { id: "budget", mount: mountBudget, wanted: () => true },
  { id: "sensitivity", mount: mountSensitivity, wanted: canMove },
  { id: "disagree", mount: mountDisagree, wanted: () => true },
  { id: "gallery", mount: mountGallery, wanted: () => true },
  { id: "item", mount: mountItem, wanted: () => true },
  { id: "linear", mount: mountLinear, wanted: hasLines },
  { id: "runs", mount: mountRuns, wanted: (model) => model.comparison !== null },
  { id: "ranking", mount: mountRanking, wanted: (model) => model.comparison !== null },
  { id: "metrics", mount: mountMetrics, wanted: () => true },
];

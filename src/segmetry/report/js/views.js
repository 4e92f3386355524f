// @ts-check
// The views from top to bottom: the section each is mounted on, and whether a run has anything to show there.

import { mountBudget } from "./budget.js";
import { mountClasses } from "./classes.js";
import { mountCurves } from "./curves.js";
import { mountDisagree } from "./disagree.js";
import { mountGallery } from "./gallery.js";
import { mountItem } from "./item.js";
import { hasLines, mountLinear } from "./linear.js";
import { mountMetrics } from "./metrics.js";
import { mountRanking } from "./ranking.js";
import { mountRuns } from "./runs.js";
import { mountScatter } from "./scatter.js";
import { canMove, mountSensitivity } from "./sensitivity.js";
import { mountVerdict } from "./verdict.js";

/** @typedef {{ id: string, mount: (element: HTMLElement, model: import("./model.js").Model,
 *   store: import("./store.js").Store) => void, wanted: (model: import("./model.js").Model) => boolean }} View */

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

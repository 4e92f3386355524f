// @ts-check
// View 10: every metric of the run with its declaration, as Python computed it; and all of it as JSON.

import { copy, el, refill, tableHead } from "../drawing/dom.js";
import { AVERAGES, averagesOf } from "../scoring/averages.js";
import { score, show } from "../scoring/exact.js";
import { explanation } from "../drawing/metric_explanation.js";
import { summarise } from "../scoring/summary.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {Record<string, import("../data/page_data.js").AggregatedData>} Stored scores of a rule by metric */

const DIRECTION = { higher: "higher", lower: "lower", neither: "" };

/** @param {HTMLElement} element
 * @param {Model} model
 * @param {import("../store.js").Store} store */
export function mountMetrics(element, model, store) {
  const table = el("table", { id: "metric-table" });
  const said = el("output", { class: "note" });
  const button = el("button", { type: "button", id: "copy-json", onclick: async () => {
    await copy(JSON.stringify(documentOf(model, store), null, 2));
    refill(said, "copied");
  } }, "copy as JSON");
  element.append(el("p", {}, button, " ", said), el("div", { class: "scroll" }, table));
  const left = model.data.left_out;
  if (left.length) {
    const text = `Cannot be computed without the inputs under these settings: ${left.join(", ")}`;
    element.append(el("p", { class: "note" }, text));
  }
  const draw = () => refill(table, head(model, store), ...families(model, store));
  draw();
  store.subscribe((_, changed) => {
    if (changed.has("rule")) draw();
  });
}

/** The rules of the columns: those Python has computed everything for, and the live one.
 * @param {Model} model
 * @param {import("../store.js").Store} store
 * @returns {{ name: string, label: string, stored: Stored }[]} */
function columns(model, store) {
  const { rule } = store.get();
  const stored = Object.entries(model.data.summaries).map(([name, scores]) => ({
    name,
    label: model.rules.find((rule) => rule.name === name)?.label ?? name,
    stored: scores,
  }));
  if (stored.some((column) => column.name === rule.name)) return stored;
  return [...stored, { name: rule.name, label: rule.label, stored: live(model, rule) }];
}

/** The scores of a rule that the page itself computes.
 * @param {Model} model
 * @param {import("../scoring/rules.js").Rule} rule
 * @returns {Stored} */
function live(model, rule) {
  const { whole } = summarise(model, rule);
  const plain = (/** @type {import("../scoring/scores.js").Score} */ score) => ({
    value: Number.isNaN(score.value) ? null : score.value,
    ...(score.undefined ? { reason: score.undefined } : {}),
  });
  return Object.fromEntries(
    Object.keys(whole.by_item).map((key) => {
      const byClass = whole.by_class === null ? null : plain(whole.by_class[key]);
      const [mean, total] = [whole.by_item[key], whole.pooled[key]];
      const scores = { by_item: plain(mean), n: mean.denominator ?? 0, by_class: byClass, pooled: plain(total) };
      return [key, scores];
    }),
  );
}

/** @param {Model} model
 * @param {import("../store.js").Store} store */
function head(model, store) {
  const rules = columns(model, store);
  const averages = averagesOf(model).map((average) => AVERAGES[average]);
  const headings = rules.flatMap(({ label }) => [...averages.map((average) => `${average}, ${label}`), "items used"]);
  return tableHead(["metric", "better", ...headings]);
}

/** @param {Model} model
 * @param {import("../store.js").Store} store */
function families(model, store) {
  const rules = columns(model, store);
  const known = model.metrics.filter((metric) => rules.some((rule) => rule.stored[metric.key]));
  const names = [...new Set(known.map((metric) => metric.family))];
  const width = 2 + (averagesOf(model).length + 1) * rules.length;
  return names.map((family) =>
    el(
      "tbody",
      {},
      el("tr", { class: "family" }, el("th", { colspan: width, scope: "rowgroup" }, family)),
      known
        .filter((metric) => metric.family === family)
        .flatMap((metric) => metricRows(model, metric, rules, averagesOf(model))),
    ),
  );
}

/** A row, and below it the declaration, which a click on the key opens.
 * @param {Model} model
 * @param {import("../data/page_data.js").MetricData} metric
 * @param {{ name: string, label: string, stored: Stored }[]} rules
 * @param {import("../scoring/averages.js").Average[]} averages */
function metricRows(model, metric, rules, averages) {
  const width = 2 + (averages.length + 1) * rules.length;
  const below = el("tr", { class: "below", hidden: true }, el("td", { colspan: width }));
  const facts = { type: "button", class: "link", title: metric.summary, "aria-expanded": "false" };
  const button = el("button", facts, el("code", {}, metric.key));
  button.addEventListener("click", () => {
    below.hidden = !below.hidden;
    button.setAttribute("aria-expanded", String(!below.hidden));
    if (!below.hidden) refill(/** @type {Element} */ (below.firstChild), explanation(metric));
  });
  const cells = rules.flatMap((rule) => {
    const summary = rule.stored[metric.key];
    if (!summary) return [...averages.map(() => el("td")), el("td")];
    const cells = averages.map((average) => {
      const found = summary[average];
      const isCount = metric.is_count && (average !== "by_item" || Number.isInteger(found?.value));
      const facts = { "data-rule": rule.name, "data-aggregate": average, title: found?.reason };
      const value = el("span", facts, found === null ? "" : write(metric, found.value, isCount));
      return el("td", {}, value, ends(model, rule.name, metric, average));
    });
    return [...cells, el("td", { class: "note" }, summary.n)];
  });
  const heading = el("th", { scope: "row" }, button);
  return [el("tr", { "data-metric": metric.key }, heading, el("td", {}, DIRECTION[metric.better]), cells), below];
}

/** The interval of a score below its value, where Python has computed one.
 * @param {Model} model
 * @param {string} rule
 * @param {import("../data/page_data.js").MetricData} metric
 * @param {import("../scoring/averages.js").Average} average
 * @returns {HTMLElement | null} */
function ends(model, rule, metric, average) {
  const interval = model.data.intervals?.by_rule[rule]?.scores[metric.key]?.[average];
  return interval
    ? el("span", { class: "ends" }, `${write(metric, interval.low)} to ${write(metric, interval.high)}`)
    : null;
}

/** A value of a metric: of a share in the unit of scores.
 * @param {import("../data/page_data.js").MetricData} metric
 * @param {number | null} value
 * @param {boolean} isCount
 * @returns {string} */
function write(metric, value, isCount = false) {
  const isShare = metric.bounds.every((bound) => bound !== null && Math.abs(bound) <= 1);
  return isShare && !metric.is_count ? score(value) : show(value, isCount);
}

/** Everything the table shows, as plain data.
 * @param {Model} model
 * @param {import("../store.js").Store} store */
function documentOf(model, store) {
  return {
    run: model.run,
    settings: model.settings,
    scores: Object.fromEntries(columns(model, store).map((rule) => [rule.name, rule.stored])),
    intervals: model.data.intervals ?? null,
  };
}

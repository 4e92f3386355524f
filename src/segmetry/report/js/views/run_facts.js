// @ts-check
// Method: inputs, policy, fingerprints, and how the numbers are computed.

import { el, refill, svg, tableCells } from "../drawing/dom.js";
import { explanation } from "../drawing/metric_explanation.js";

const RULES = [
  ["IoU > 0.5 (θ⁺)", "s > m + p: the rule of published panoptic numbers"],
  ["majority overlap (θ&)", "s > m and s > p: more than half of both segments is shared; the weakest one-to-one rule"],
];

/** @param {string} unit */
const pairsText = (unit) =>
  `A pair of segments shares s ${unit}; m ${unit} of the true segment are missed and p of the predicted one are ` +
  "spurious. A rule decides which pairs match:";

/** @param {HTMLElement} element
 * @param {import("../data/model.js").Model} model */
export function mountFacts(element, model) {
  const { run, settings } = model;
  const facts = [
    ["protocol", settings.protocol],
    ["numbers", run.numbers],
    ["policy", `${settings.policy.name}: ${settings.policy.summary}`],
    ["classes", settings.classes === "match" ? "a pair must agree in class where segments carry classes" : "ignored"],
    ["undefined", undefinedWords(settings)],
    ["overlapping segments", settings.resolve],
    ["truth", run.true],
    ["prediction", run.pred],
    ["read as", Object.entries(settings.reading).map(([name, value]) => `${name}=${value}`).join(", ")],
    ["segments", `${run.true_segments} true, ${run.pred_segments} predicted, ${run.overlap_rows} overlaps`],
    ["content", run.content],
    ["computed by", `segmetry ${run.segmetry}`],
  ];
  refill(
    element,
    el(
      "dl",
      { class: "facts" },
      facts
        .filter(([, value]) => value)
        .flatMap(([name, value]) => [el("dt", {}, name), el("dd", { dir: "auto" }, value)]),
    ),
    paths(run),
    inputs(run),
    how(model),
  );
}

/** @param {import("../data/page_data.js").SettingsData} settings */
function undefinedWords(settings) {
  if (settings.undefined !== null) return `0/0 counts as ${settings.undefined}`;
  const { undefined: instead } = settings.policy;
  const over = instead === null ? "" : `; counted as ${instead} in means over classes`;
  return `0/0 is undefined and left out of means${over}`;
}

/** From the number of each neighbour of the protocol to that of the run, one decision at a time.
 * @param {import("../data/page_data.js").Provenance} run */
function paths(run) {
  if (run.paths.length === 0) return null;
  /** @param {import("../data/page_data.js").PathBar} bar */
  const drawn = ({ start, stop }) =>
    svg(
      "svg",
      { viewBox: "0 0 202 12", width: 202, height: 12, "aria-hidden": "true" },
      svg("rect", {
        x: 200 * Math.min(start, stop),
        y: 1,
        width: Math.max(2, 200 * Math.abs(stop - start)),
        height: 10,
        fill: stop < start ? "var(--under)" : "var(--over)",
      }),
    );
  return el(
    "details",
    { id: "paths" },
    el("summary", {}, "Why do other programs give other numbers?"),
    run.paths.map((path) =>
      el(
        "div",
        { class: "scroll" },
        el("p", { class: "note" }, `From ${path.theirs} (${path.program}) to this run, one decision at a time`),
        el(
          "table",
          {},
          el("tbody", {}, path.bars.map((bar) =>
            el("tr", {}, tableCells([bar.name, bar.number, bar.share, drawn(bar)])))),
        ),
      ),
    ),
  );
}

/** @param {import("../data/page_data.js").Provenance} run */
function inputs(run) {
  if (run.n_inputs === 0) return null;
  const rows = run.inputs.map((input) =>
    el("tr", {}, tableCells([input.side, el("bdi", { class: "name" }, input.name), el("code", {}, input.sha256)])),
  );
  const more = run.n_inputs - run.inputs.length;
  return el(
    "details",
    { id: "fingerprints" },
    el("summary", {}, `Fingerprints of ${run.n_inputs} input files`),
    el("div", { class: "scroll" }, el("table", {}, el("tbody", {}, rows))),
    more > 0 ? el("p", { class: "note" }, `and ${more} more in the run file`) : null,
  );
}

/** @param {import("../data/model.js").Model} model */
function how(model) {
  const shown = model.metrics.filter((metric) => ["pq", "sq", "rq", "npq"].includes(metric.key));
  const bootstrap = model.data.intervals;
  return el(
    "details",
    { id: "how" },
    el("summary", {}, "How was this computed?"),
    el("p", {}, pairsText(model.unit)),
    el("dl", { class: "facts" }, RULES.flatMap(([name, words]) => [el("dt", {}, name), el("dd", {}, words)])),
    el(
      "p",
      {},
      "By item: the score of every item, then the mean over the items in which it is defined. ",
      model.classNames === null ? "" : "By class: all segments of each class, then the mean over the classes. ",
      "Pooled: all segments of all items together. Decisions compare integers; sums are exactly rounded.",
    ),
    bootstrap
      ? el("p", {}, `Intervals: ${bootstrap.words}`)
      : null,
    shown.map((metric) =>
      el("section", { class: "how" }, el("h3", {}, metric.key.toUpperCase()), explanation(metric)),
    ),
  );
}

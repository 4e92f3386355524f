// @ts-check
// One error, zoomed: what it is, what it costs, its link and its picture; 1, 2 and 3 say whether it is one. The
// address
// #error=… opens it.

import { chosen, errorsAgainst, errorsOf, onlyOf, points } from "../data/errors.js";
import { judge, VERDICTS, verdictsOf } from "../data/verdicts.js";
import { saveAs } from "../copying/contact_sheet.js";
import { otherRun } from "../views/atlas_tiles.js";
import { copy, el, refill } from "../drawing/dom.js";
import { errorColour } from "../drawing/error_colours.js";
import { drawError } from "../drawing/error_picture.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").Store} Store */

const SIDE = 620;

/** @param {Model[]} models
 * @param {Store} store */
export function mountErrorDialog(models, store) {
  const canvas = /** @type {HTMLCanvasElement} */ (el("canvas", { role: "img", "aria-label": "the error" }));
  const side = el("div", { class: "error-side" });
  const dialog = /** @type {HTMLDialogElement} */ (
    el("dialog", { id: "error", "aria-labelledby": "error-name", tabindex: -1 }, canvas, side)
  );
  document.body.append(dialog);
  /** @type {HTMLElement | null} */
  let opener = null;
  const draw = async () => {
    const state = store.get();
    const model = models[state.run];
    const errors = state.error === null ? [] : (errorsAgainst(model, state.against) ?? errorsOf(model));
    const error = errors.find(({ address, owner }) => address === state.error && owner === model);
    if (!error) {
      if (dialog.open) dialog.close();
      if (state.error !== null) store.set({ error: null });
      const tile = /** @type {HTMLElement | null} */ (document.querySelector(".error-tile[tabindex='0']"));
      (opener?.isConnected ? opener : tile)?.focus({ preventScroll: true });
      return;
    }
    if (!dialog.open) {
      opener = /** @type {HTMLElement | null} */ (document.activeElement);
      dialog.showModal();
      dialog.focus();
    }
    const verdicts = verdictsOf(model);
    const list = chosen(model, errors, { ...onlyOf(state.only), verdict: undefined }, state.selected, () => null);
    const at = list.indexOf(error);
    const go = (/** @type {number} */ by) => {
      const next = list[at + by];
      if (next) store.set({ run: models.indexOf(next.owner), error: next.address });
    };
    const say = (/** @type {import("../data/verdicts.js").Verdict} */ verdict, /** @type {boolean} */ andMove) => {
      judge(model, error.address, verdict);
      store.set({ judged: store.get().judged + 1 });
      if (andMove && verdicts.has(error.address) && list[at + 1]) go(1);
      else draw();
    };
    dialog.onkeydown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const verdict = VERDICTS.find(([key]) => key === event.key)?.[1];
      const by = { j: 1, k: -1, ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!verdict && !by && event.key !== "p") return;
      event.preventDefault();
      event.stopPropagation();
      if (verdict) say(verdict, true);
      else if (by) go(by);
      else {
        store.set({ inColour: !store.get().inColour });
        draw();
      }
    };
    const item = model.items[error.item];
    const { errors: facts } = model.data;
    const rows = Object.entries({
      costs: `${points(error.cost)} points of ${facts.problem === null ? facts.headline : ""}, alone`,
      [model.words.item]: item.name,
      size: `${error.size.toLocaleString("en")} ${model.unit}`,
      ...Object.fromEntries(Object.entries(model.data.groups).map(([column, labels]) =>
        [column, labels[error.item]])),
    });
    const kind = el("p", { class: "error-kind" }, error.kind);
    kind.style.borderColor = errorColour(error.kind);
    const link = `${location.href.split("#")[0]}#view=errors&error=${encodeURIComponent(error.address)}`;
    const picture = () =>
      canvas.toBlob((blob) => blob && saveAs(`${error.address.replace(/[^\w-]+/g, "_")}.png`, blob));
    const button = (/** @type {string} */ text, /** @type {() => void} */ onclick, id = "") =>
      el("button", { type: "button", id: id || null, onclick }, text);
    refill(
      side,
      kind,
      el("h2", { id: "error-name" }, el("bdi", {}, error.what)),
      el("dl", { class: "facts" },
        rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, el("bdi", {}, value))])),
      el("div", { class: "verdicts", role: "group", "aria-label": "verdict" }, VERDICTS.map(([key, verdict, words]) =>
        el("button", { type: "button", "data-verdict": verdict,
          "aria-pressed": String(verdicts.get(error.address) === verdict), onclick: () => say(verdict, false) },
            el("kbd", {}, key), ` ${words}`))),
      el("div", { class: "buttons" },
        button("copy link", () => copy(link), "copy-link"),
        button("save picture", picture),
        button(`whole ${model.words.item}`, () => store.set({ error: null, item: error.item })),
      ),
      el("div", { class: "buttons" }, button("← k", () => go(-1)), button("j →", () => go(1)),
        el("span", { class: "note" }, at < 0 ? "" : `${at + 1} of ${list.length}`),
          button("close", () => store.set({ error: null }))),
    );
    const isDrawn = await drawError(canvas, item, error, SIDE, store.get().inColour, otherRun(error, store));
    canvas.hidden = !isDrawn;
    dialog.dataset.error = error.address;
  };
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    store.set({ error: null });
  });
  store.subscribe((_, changed) => {
    if (changed.has("error") || (changed.has("run") && store.get().error !== null)) draw();
  });
  draw();
}

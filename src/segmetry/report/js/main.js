// @ts-check
// Entry point: unpack the data, create the store, mount every view on its section.

import { mountControls } from "./controls.js";
import { el } from "./drawing/dom.js";
import { fraction } from "./scoring/exact.js";
import { block, Model } from "./data/model.js";
import { createStore } from "./store.js";
import { VIEWS } from "./sections.js";
import { mountDetectionTiles } from "./views/detection_tiles.js";

async function start() {
  const data = /** @type {import("./data/page_data.js").PageData} */ (
    JSON.parse(document.getElementById("data")?.textContent ?? "")
  );
  const buffers = await Promise.all(data.runs.map((run) => block(run.block)));
  const models = data.runs.map((run, at) => new Model(run, data, buffers[at]));
  for (const model of models) model.runs = models;
  const heading = document.querySelector("h1");
  if (heading) heading.textContent = data.title;
  const store = createStore({
    rule: models[0].rule(models[0].settings.rule),
    pi: fraction(3, 4),
    t: fraction(1, 2),
    selected: null,
    item: null,
    run: 0,
  });
  const mount = async () => {
    delete document.documentElement.dataset.ready;
    const isDone = await mountAll(models[store.get().run], store, mount);
    if (isDone) document.documentElement.dataset.ready = String(Math.round(performance.now()));
  };
  mountDetectionTiles(models, store);
  await mount();
}

/** Mount the controls and every view that has something to show; again when another run is chosen. The page can be used
 * while later views are still being drawn.
 * @param {Model} model
 * @param {import("./store.js").Store} store
 * @param {() => Promise<void>} again
 * @returns {Promise<boolean>} whether all were mounted before another run was chosen */
async function mountAll(model, store, again) {
  store.clear();
  let isCurrent = true;
  store.subscribe((_, changed) => {
    if (!changed.has("run")) return;
    isCurrent = false;
    again();
  });
  const controls = document.getElementById("controls");
  controls?.replaceChildren();
  if (controls) mountControls(controls, model, store);
  for (const { id, mount, wanted } of VIEWS) {
    const section = document.getElementById(id);
    const element = /** @type {HTMLElement | null} */ (section?.querySelector(".view") ?? null);
    if (!section || !element) continue;
    element.replaceChildren();
    section.hidden = !wanted(model);
    if (!section.hidden) mount(element, model, store);
    document.documentElement.dataset.usable ??= String(Math.round(performance.now()));
    await new Promise((resume) => setTimeout(resume));
    if (!isCurrent) return false;
  }
  return true;
}

start().catch((problem) => {
  const words = `This report is corrupt: ${problem}`;
  document.getElementById("views")?.prepend(el("p", { class: "problem", role: "alert" }, words));
  throw problem;
});

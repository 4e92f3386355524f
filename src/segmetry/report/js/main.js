// @ts-check
// Entry point: unpack the data, create the store, show the page and the run that the address names.

import { mountControls } from "./controls.js";
import { mountCopyMenus } from "./copying/copy_menu.js";
import { readErrors } from "./data/errors.js";
import { Model } from "./data/model.js";
import { addLater, block, opening, whenOpened } from "./data/source.js";
import { capital, plural } from "./data/words.js";
import { el } from "./drawing/dom.js";
import { followAddress, stateOf } from "./frame/fragment.js";
import { mountDisplay } from "./frame/display.js";
import { mountFilter } from "./frame/filter_panel.js";
import { mountNavigation } from "./frame/navigation.js";
import { buildPages, showRun } from "./frame/pages.js";
import { mountSearch } from "./frame/search.js";
import { completion } from "./frame/item_filter.js";
import { fraction, writeScoresIn } from "./scoring/exact.js";
import { PAGES } from "./sections.js";
import { createStore } from "./store.js";
import { mountErrorDialog } from "./item/error_dialog.js";
import { mountItemDialog } from "./item/item_dialog.js";
import { drawTiles } from "./views/atlas_tiles.js";

/** Milliseconds for pictures that are drawn before the page is printed. */
const PICTURES = 500;

async function start() {
  const data = /** @type {import("./data/page_data.js").PageData} */ (
    JSON.parse(document.getElementById("data")?.textContent ?? "")
  );
  const buffers = await Promise.all(data.runs.map((run) => block(run.block)));
  const models = data.runs.map((run, at) => new Model(run, data, buffers[at]));
  for (const model of models) model.runs = models;
  await Promise.all(models.map(readErrors));
  writeScoresIn(models[0].data.overview.headline);
  place("title").textContent = data.title;
  place("about").append(...data.about.map((line) => el("span", {}, line)));
  const pages = buildPages(place("views"), data.absent);
  const names = PAGES.map(([id]) => id);
  const complete = completion(models);
  const plain = { pi: fraction(3, 4), t: fraction(1, 2), selected: null, judged: 0, inColour: false };
  const first = { ...stateOf("", models, names), ...plain };
  const asked = { ...first, ...stateOf(location.hash, models, names) };
  await whenOpened(models, asked.item);
  const store = opening(createStore(complete(asked, first, asked), complete), models);
  /** @type {ReturnType<typeof showRun>} */
  let run;
  const listed = () =>
    PAGES.map(([id, name, count]) => {
      const model = models[store.get().run];
      const called = id === "items" ? capital(plural(model.words.item)) : name;
      return { id, name: called, count: count(model, store.get())?.toLocaleString("en") ?? "" };
    });
  const open = async () => {
    const { view } = store.get();
    delete document.documentElement.dataset.ready;
    const isDone = await run.open(view);
    if (isDone) document.documentElement.dataset.ready = String(Math.round(performance.now()));
  };
  store.subscribe((state, changed) => {
    if (changed.has("run")) {
      run.end();
      run = showRun(pages, models[state.run], store);
    }
    if (changed.has("run") || changed.has("view")) open();
  });
  run = showRun(pages, models[store.get().run], store);
  mountCopyMenus(place("views"), models, store);
  /** Paper has the page that is shown, or all of them. */
  const drawForPaper = () => {
    if (document.documentElement.dataset.allPages !== undefined) run.drawAll();
    drawTiles();
  };
  const print = async () => {
    drawForPaper();
    await new Promise((resume) => setTimeout(resume, PICTURES));
    window.print();
  };
  mountSearch(place("find"), models, store);
  mountFilter(place("find"), models, store);
  mountControls(place("controls"), models, store);
  mountDisplay(place("display"), print);
  place("skip").addEventListener("click", (event) => {
    event.preventDefault();
    place("views").focus();
  });
  mountNavigation(place("pages"), store, models, listed);
  followAddress(store, models, names);
  mountItemDialog(models, store);
  mountErrorDialog(models, store);
  addEventListener("beforeprint", () => drawForPaper());
  addEventListener("afterprint", () => run.rest());
  matchMedia("print").addEventListener("change", ({ matches }) => (matches ? drawForPaper() : run.rest()));
  await open();
  if (await addLater(models)) {
    await Promise.all(models.map(readErrors));
    run.renew();
    await open();
    document.documentElement.dataset.complete = "";
  }
}

/** @param {string} id
 * @returns {HTMLElement} */
function place(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

start().catch((problem) => {
  const words = `This report is corrupt: ${problem}`;
  document.getElementById("views")?.prepend(el("p", { class: "problem", role: "alert" }, words));
  throw problem;
});

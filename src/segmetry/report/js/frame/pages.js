// @ts-check
// The pages of the report: each shows some views, one page is visible at a time, and all of them on paper. A view is
// mounted when its page is first opened, and hears of changes while its page is open.

import { capital, counted, plural } from "../data/words.js";
import { el, refill } from "../drawing/dom.js";
import { PAGES, VIEWS } from "../sections.js";
import { pausable } from "../store.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../sections.js").View} View */
/** @typedef {{ views: View[], mounted: Set<View>, relay: ReturnType<typeof pausable> }} Shown */

/** The sections of all views, in their pages; those that Python has written stand first, except below
 * the overview.
 * @param {HTMLElement} main
 * @param {string[]} absent ids of views this report does not have
 * @returns {Map<string, HTMLElement>} pages by id */
export function buildPages(main, absent) {
  const written = /** @type {HTMLElement[]} */ ([...main.querySelectorAll(":scope > section")]);
  const pages = new Map(PAGES.map(([id]) => [id, el("div", { class: "page", id: `page-${id}`, "data-page": id })]));
  for (const section of written) pages.get(section.dataset.page ?? "overview")?.append(section);
  for (const { id, page, heading } of VIEWS) {
    if (absent.includes(id)) continue;
    const title = el("h2", { id: `${id}-heading` }, heading);
    const section = el("section", { id, "aria-labelledby": `${id}-heading`, hidden: true });
    section.append(title, el("div", { class: "view" }));
    if (page === "overview") pages.get(page)?.prepend(section);
    else pages.get(page)?.append(section);
  }
  main.append(...pages.values());
  return pages;
}

/** The views of one run on their pages.
 * @param {Map<string, HTMLElement>} pages
 * @param {Model} model
 * @param {Store} store */
export function showRun(pages, model, store) {
  /** @type {Map<string, Shown>} */
  const shown = new Map();
  /** @param {string} id
   * @param {HTMLElement} page */
  const clear = (id, page) => {
    const views = VIEWS.filter((view) => view.page === id && document.getElementById(view.id));
    for (const view of views) {
      const section = /** @type {HTMLElement} */ (document.getElementById(view.id));
      section.hidden = !view.wanted(model);
      const heading = document.getElementById(`${view.id}-heading`)?.firstChild;
      if (heading) heading.textContent = headingOf(view, model);
      refill(placeOf(view));
    }
    const isEmpty = [...page.querySelectorAll(":scope > section")].every((section) =>
      /** @type {HTMLElement} */ (section).hidden);
    page.querySelector(":scope > .nothing")?.remove();
    if (isEmpty) page.append(el("p", { class: "note nothing" }, PAGES.find(([own]) => own === id)?.[3]));
    const relay = pausable(store);
    relay.pause();
    shown.get(id)?.relay.end();
    shown.set(id, { views: views.filter((view) => view.wanted(model)), mounted: new Set(), relay });
  };
  for (const [id, page] of pages) clear(id, page);
  const end = badges([...pages.values()], model, store);
  let opening = 0;
  let isEnded = false;
  /** @param {Shown} page
   * @param {View} view */
  const mount = (page, view) => {
    if (page.mounted.has(view)) return;
    page.mounted.add(view);
    view.mount(placeOf(view), model, page.relay.store);
  };
  return {
    /** Show a page; what is below can be used while it is still being drawn.
     * @param {string} id
     * @returns {Promise<boolean>} whether all of it was drawn before another page was opened */
    async open(id) {
      const current = ++opening;
      for (const [key, page] of pages) page.toggleAttribute("data-open", key === id);
      for (const [key, page] of shown) if (key !== id) page.relay.pause();
      const page = /** @type {Shown} */ (shown.get(id));
      page.relay.resume();
      for (const view of page.views) {
        if (page.mounted.has(view)) continue;
        mount(page, view);
        document.documentElement.dataset.usable ??= String(Math.round(performance.now()));
        await new Promise((resume) => setTimeout(resume));
        if (isEnded || current !== opening) return false;
      }
      return true;
    },
    /** Draw the pages anew that show what Python has computed; the list of items, and where one is in it, remain. */
    renew() {
      for (const [id, page] of pages) if (id !== "items") clear(id, page);
    },
    /** Draw all pages at once, for paper. */
    drawAll() {
      for (const page of shown.values()) {
        page.relay.resume();
        for (const view of page.views) mount(page, view);
      }
    },
    /** The other pages rest again. */
    rest() {
      for (const [id, page] of shown) if (id !== store.get().view) page.relay.pause();
    },
    /** Another run is shown. */
    end() {
      isEnded = true;
      end();
      for (const page of shown.values()) page.relay.end();
    },
  };
}

/** The heading of a view, in the words of the run.
 * @param {View} view
 * @param {Model} model
 * @returns {string} */
function headingOf({ heading }, { words: { item } }) {
  return capital(heading.replace("Items", plural(item)).replace(/\bitem\b/g, item));
}

/** Sections that show all items say so while a filter is on.
 * @param {HTMLElement[]} pages
 * @param {Model} model
 * @param {Store} store
 * @returns {() => void} what ends it */
function badges(pages, model, store) {
  const obeying = new Set(VIEWS.filter((view) => view.obeysFilter).map((view) => view.id));
  const sections = pages.flatMap((page) => /** @type {HTMLElement[]} */ ([...page.children]));
  const draw = () => {
    for (const section of sections) {
      section.querySelector("h2 > .badge")?.remove();
      if (store.get().filter === null || obeying.has(section.id)) continue;
      const words = `all ${counted(model.nItems, model.words.item)}`;
      section.querySelector("h2")?.append(el("span", { class: "badge" }, words));
    }
  };
  draw();
  return store.subscribe((_, changed) => {
    if (changed.has("filter")) draw();
  });
}

/** @param {View} view
 * @returns {HTMLElement} */
function placeOf(view) {
  return /** @type {HTMLElement} */ (document.querySelector(`#${view.id} > .view`));
}

// @ts-check
// The list of pages at the side: links with counts, the open one marked.

import { el, refill } from "../drawing/dom.js";
import { fragmentOf } from "./fragment.js";

/** @typedef {{ id: string, name: string, count: string }} Listed */

/** @param {HTMLElement} element
 * @param {import("../store.js").Store} store
 * @param {import("../data/model.js").Model[]} models
 * @param {() => Listed[]} pages those that the shown run has */
export function mountNavigation(element, store, models, pages) {
  const draw = () => {
    const state = store.get();
    const had = /** @type {HTMLElement | null} */ (element.querySelector(":focus"))?.dataset.page;
    refill(
      element,
      el(
        "ul",
        {},
        pages().map(({ id, name, count }) => {
          const link = el(
            "a",
            {
              href: fragmentOf({ ...state, view: id }, models),
              "data-page": id,
              "aria-current": id === state.view ? "page" : null,
            },
            name,
            count ? el("span", { class: "count" }, count) : null,
          );
          link.addEventListener("click", (event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            store.set({ view: id });
            scrollTo({ top: 0 });
          });
          return el("li", {}, link);
        }),
      ),
    );
    if (had) /** @type {HTMLElement | null} */ (element.querySelector(`[data-page="${had}"]`))?.focus();
  };
  draw();
  store.subscribe(draw);
}

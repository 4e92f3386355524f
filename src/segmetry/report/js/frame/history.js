// @ts-check
// The address follows the state: another page, run, filter or item is a step of the browser's history, what is moved
// continuously (thresholds, slices, walking through items) is not.

import { fragmentOf, stateOf } from "./fragment.js";

/** @param {import("../store.js").Store} store
 * @param {import("../data/model.js").Model[]} models
 * @param {string[]} views */
export function followAddress(store, models, views) {
  let before = store.get();
  store.subscribe((state) => {
    const fragment = fragmentOf(state, models);
    const isOpened = (state.item === null) !== (before.item === null);
    const isStep = isOpened || state.view !== before.view || state.run !== before.run || state.filter !== before.filter;
    before = state;
    if (fragment === location.hash) return;
    if (isStep) history.pushState(null, "", fragment);
    else history.replaceState(null, "", fragment);
  });
  addEventListener("popstate", () => {
    const state = stateOf(location.hash, models, views);
    // Written anew, a filter that says the same is not a change.
    const isSame = JSON.stringify(state.filter) === JSON.stringify(store.get().filter);
    store.set(isSame ? { ...state, filter: store.get().filter } : state);
  });
}

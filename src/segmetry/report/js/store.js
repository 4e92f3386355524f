// @ts-check
// The choices of the user. Views read and change them and are notified of changes; nothing else connects the views.

/** @typedef {import("./scoring/exact.js").Fraction} Fraction */
/** @typedef {{ text?: string, classes?: string[], sizes?: string[], kinds?: string[], confused?: [string, string],
 *   score?: [number, number], groups?: Record<string, string[]>, items?: number[] }} Filter
 * Which items are shown, by what all of these say: a part of the name; names of classes, sizes and kinds of errors,
 * of
 * which one and the same segment has one each; the true and the predicted class of a pair that differs in class; the
 * least and the greatest PQ; labels by the name of their column; the indices of items that were picked. */
/** @typedef {{ view: string, run: number, rule: import("./scoring/rules.js").Rule, pi: Fraction, t: Fraction,
 *   filter: Filter | null, selected: Set<number> | null, item: number | null, axis: number | null,
 *   slice: number | null, error: string | null, only: string, rows: string, sort: string, against: string,
 *   look: string, conf: string, judged: number, inColour: boolean }} State
 * the open page; the run that is shown; the live rule; π of false hits; the threshold of the curves; the filter
 * (null:
 * all items) and the items that pass it, which follow from it; the open item, the axis it is cut along and the
 * slice; the
 * open error by its address, which errors are shown, what their rows are and how they are sorted; the run that the
 * errors of the first are compared with; how pictures are drawn; the least score of a detection; how often one was
 * judged; whether photographs under errors keep their colours */
/** @typedef {(state: State, changed: Set<string>) => void} Listener */

/** @param {State} first
 * @param {(next: State, before: State, patch: Partial<State>) => State} [complete] what follows from choices */
export function createStore(first, complete = (next) => next) {
  let state = first;
  const { tell, subscribe } = listening();
  return {
    get: () => state,
    /** @param {Partial<State>} patch */
    set(patch) {
      const before = state;
      const next = complete({ ...before, ...patch }, before, patch);
      const keys = /** @type {(keyof State)[]} */ (Object.keys(next));
      const changed = new Set(keys.filter((key) => next[key] !== before[key]));
      if (changed.size === 0) return;
      state = next;
      tell(state, changed);
    },
    subscribe,
  };
}

/** Listeners, and what tells them of a change. */
function listening() {
  /** @type {Set<Listener>} */
  const listeners = new Set();
  return {
    /** @param {State} state
     * @param {Set<string>} changed */
    tell(state, changed) {
      // A listener may remove others, which are then not called.
      for (const listener of [...listeners]) if (listeners.has(listener)) listener(state, changed);
    },
    /** @param {Listener} listener
     * @returns {() => void} what ends the subscription */
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** @typedef {ReturnType<typeof createStore>} Store */

/** A store whose listeners are not called while it is paused; on resuming they hear of all changes at once.
 * @param {Store} store */
export function pausable(store) {
  const { tell, subscribe } = listening();
  let isPaused = false;
  /** @type {Set<string>} */
  let missed = new Set();
  const end = store.subscribe((state, changed) => {
    if (!isPaused) return tell(state, changed);
    for (const key of changed) missed.add(key);
  });
  return {
    store: { ...store, subscribe },
    end,
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      const changed = missed;
      missed = new Set();
      if (changed.size) tell(store.get(), changed);
    },
  };
}

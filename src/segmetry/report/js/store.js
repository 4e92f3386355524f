// @ts-check
// The choices of the user. Views read and change them and are notified of changes; nothing else connects the views.

/** @typedef {import("./scoring/exact.js").Fraction} Fraction */
/** @typedef {{ rule: import("./scoring/rules.js").Rule, pi: Fraction, t: Fraction, selected: Set<number> | null,
 *   item: number | null, run: number }} State
 * the live rule; π of false hits; the threshold of the curves; the items that are brushed (null: all); the open item;
 * the run that is shown */

/** @param {State} first */
export function createStore(first) {
  let state = first;
  /** @type {Set<(state: State, changed: Set<string>) => void>} */
  const listeners = new Set();
  return {
    get: () => state,
    /** @param {Partial<State>} patch */
    set(patch) {
      const keys = /** @type {(keyof State)[]} */ (Object.keys(patch));
      const changed = new Set(keys.filter((key) => patch[key] !== state[key]));
      if (changed.size === 0) return;
      state = { ...state, ...patch };
      // A listener may remove others, which are then not called.
      for (const listener of [...listeners]) if (listeners.has(listener)) listener(state, changed);
    },
    /** @param {(state: State, changed: Set<string>) => void} listener
     * @returns {() => void} what ends the subscription */
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Forget all listeners: the views are mounted anew. */
    clear() {
      listeners.clear();
    },
  };
}

/** @typedef {ReturnType<typeof createStore>} Store */

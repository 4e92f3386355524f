// @ts-check
// Where the data of the page is: in the page itself, or on the server of `segmetry open`, which draws the pictures of
// an item when they are asked for.

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Item} Item */
/** @typedef {import("./page_data.js").PictureAnswer} PictureAnswer */

/** Texts that the server has sent, by the id that their element would have; the oldest are forgotten.
 * @type {Map<string, string>} */
const sent = new Map();
const MOST_SENT = 400;

/** @type {WeakMap<Item, Promise<void>>} */
const asked = new WeakMap();

/** Whether the page comes from `segmetry open`.
 * @returns {boolean} */
export function isServed() {
  return document.documentElement.dataset.served !== undefined;
}

/** The text of a block of the page.
 * @param {string} id
 * @returns {string} */
export function blockText(id) {
  return sent.get(id) ?? document.getElementById(id)?.textContent ?? "";
}

/** The bytes of a block of the page.
 * @param {string} id
 * @returns {Promise<ArrayBuffer>} */
export async function block(id) {
  if (!isServed()) return unpack(blockText(id));
  const answer = await fetch(`block/${id}`);
  if (!answer.ok || !answer.body) throw new Error(`the server has no ${id} any more`);
  return inflate(answer.body);
}

/** Intervals and error analysis, which a server sends when they are computed.
 * @param {Model[]} models
 * @returns {Promise<boolean>} whether there is something new */
export async function addLater(models) {
  if (!isServed()) return false;
  const reply = await fetch("later").catch(() => null);
  if (!reply?.ok) return false;
  const runs = /** @type {import("./page_data.js").Analysis[]} */ (await reply.json());
  runs.forEach(({ intervals, budget, errors, headline, run }, at) => {
    const { data } = models[at];
    Object.assign(data, { intervals, budget, errors });
    Object.assign(data.overview.headline, headline);
    Object.assign(data.run, run);
  });
  return true;
}

/** Bytes that were deflated and written in base64.
 * @param {string} text
 * @returns {Promise<ArrayBuffer>} */
export async function unpack(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at);
  return inflate(new Blob([bytes]).stream());
}

/** @param {ReadableStream<Uint8Array<ArrayBuffer>>} stream
 * @returns {Promise<ArrayBuffer>} */
function inflate(stream) {
  return new Response(stream.pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer();
}

/** Wait until what the page has of an item can be drawn: at once in a file, when they were sent by a server.
 * @param {Item} item
 * @returns {Promise<void>} */
export function whenReady(item) {
  if (!isServed()) return Promise.resolve();
  const { model, index } = item;
  const known = asked.get(item);
  if (known && (!model.maps[index] || sent.has(textId(item)))) return known;
  const answered = ask(item);
  asked.set(item, answered);
  return answered;
}

/** Wait until an item can be opened in every run.
 * @param {Model[]} models
 * @param {number | null | undefined} index
 * @returns {Promise<unknown>} */
export function whenOpened(models, index) {
  const items = index === null || index === undefined ? [] : models.map((model) => model.items[index]);
  return Promise.all(items.filter((item) => item !== undefined).map(whenReady));
}

/** A store that opens an item when it can be drawn; of several that are asked for meanwhile, the last.
 * @param {import("../store.js").Store} store
 * @param {Model[]} models
 * @returns {import("../store.js").Store} */
export function opening(store, models) {
  if (!isServed()) return store;
  let latest = 0;
  return {
    ...store,
    set(patch) {
      const turn = ++latest;
      const isOpened = typeof patch.item === "number" && patch.item !== store.get().item;
      if (!isOpened) return store.set(patch);
      whenOpened(models, patch.item).then(() => {
        if (turn === latest) store.set(patch);
      });
    },
  };
}

/** @param {Item} item */
async function ask(item) {
  const { model, index } = item;
  const run = model.runs.indexOf(model);
  const reply = await fetch(`item/${run}/${index}`).catch(() => null);
  const answer = /** @type {PictureAnswer} */ (
    reply?.ok ? await reply.json() : { header: null, problem: "segmetry open has ended; start it again" }
  );
  if (!answer.header) {
    if (answer.problem) model.data.maps_problem = answer.problem;
    return;
  }
  model.maps[index] = answer.header;
  item.describe();
  keep(textId(item), answer.text ?? "");
  if (answer.photo) {
    model.data.photos[index] = `photo-${run}-${index}`;
    keep(model.data.photos[index], answer.photo);
  } else if (answer.photo_problem) {
    model.data.photos_rejected[index] = answer.photo_problem;
  }
}

/** @param {Item} item
 * @returns {string} */
function textId(item) {
  return `${item.model.data.maps_block}-${item.index}`;
}

/** @param {string} id
 * @param {string} text */
function keep(id, text) {
  sent.set(id, text);
  while (sent.size > MOST_SENT) sent.delete(/** @type {string} */ (sent.keys().next().value));
}

// @ts-check
// The data of a run for all views: columns of the whole run, and items as slices of them.

import { ruleOf } from "../scoring/rules.js";

/** @typedef {import("../scoring/exact.js").Count} Count */
/** @typedef {import("../scoring/rules.js").Rule} Rule */
/** @typedef {Uint8Array | Uint16Array | Uint32Array | Float64Array | BigInt64Array | BigUint64Array} Column */
/** @typedef {{ start: Column, item: Uint32Array, ids: Column, classes: Column | null, size: Column, outside: Column,
 *   void: Column, crowd: Column | null, counted: Column, excused: Column | null }} Side
 * the segments of one side of all items; those of item i are start[i] to start[i + 1]. `counted` is the size less what
 * the policy leaves out; `excused` marks segments that are not an error without a partner. */
/** @typedef {Omit<Side, "start" | "item">} ItemSide the part of one item */

const TYPES = {
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  f8: Float64Array,
  i8: BigInt64Array,
  u8: BigUint64Array,
};

/** The unit of an item: pixels of images and videos, voxels of volumes, what a line is made of.
 * @param {string | null} kind
 * @param {number | null} axes
 * @param {import("./page_data.js").PictureHeader | null} header
 * @returns {string} */
function unitOf(kind, axes, header) {
  if (header?.kind === "spans") return header.unit;
  if (header?.kind === "lanes") return "ms";
  if (header?.kind === "masks") return "pixels";
  if (kind !== "labels" && kind !== "masks") return "elements";
  if (axes === 2) return "pixels";
  if (axes !== 3) return "elements";
  return header?.kind === "labels" && header.word === "frame" ? "pixels" : "voxels";
}

/** One item, as a slice of the columns of its run. */
export class Item {
  /** @param {Model} model
   * @param {number} index */
  constructor(model, index) {
    this.model = model;
    this.index = index;
    /** What it is called: its file name, if the data set says it, else the name it is paired by. */
    this.name = model.data.titles?.[index] ?? model.data.items[index];
    this.kind = model.data.kinds[index] ?? model.data.kinds[0];
    this.axes = model.data.axes[index] ?? model.data.axes[0];
    this.n_elements = model.nElements[index];
    /** @type {number[] | null} */
    this.shape = null;
    /** The name of its elements. */
    this.unit = "elements";
    this.describe();
  }

  /** Take shape and unit from the header of its pictures, as far as there is one. */
  describe() {
    const header = this.model.maps[this.index] ?? null;
    this.shape = header?.shape ?? null;
    this.unit = unitOf(this.kind, this.axes, header);
  }

  get true() {
    return this.#side(this.model.true);
  }

  get pred() {
    return this.#side(this.model.pred);
  }

  /** The overlap rows: positions into the columns of `true` and `pred`, and the elements shared. */
  get rows() {
    const { rowStart, rowTrue, rowPred, shared } = this.model;
    const [from, to] = [Number(rowStart[this.index]), Number(rowStart[this.index + 1])];
    const firstTrue = Number(this.model.true.start[this.index]);
    const firstPred = Number(this.model.pred.start[this.index]);
    return {
      t: Int32Array.from(rowTrue.subarray(from, to), (at) => at - firstTrue),
      p: Int32Array.from(rowPred.subarray(from, to), (at) => at - firstPred),
      shared: shared.subarray(from, to),
    };
  }

  /** @param {Side} side */
  #side(side) {
    const [from, to] = [Number(side.start[this.index]), Number(side.start[this.index + 1])];
    const { start: _, item: __, ...columns } = side;
    const parts = Object.entries(columns).map(([name, column]) => [name, column?.subarray(from, to) ?? null]);
    return /** @type {ItemSide} */ (Object.fromEntries(parts));
  }
}

/** One run. */
export class Model {
  /** @param {import("./page_data.js").RunData} data the run's part of the data block
   * @param {import("./page_data.js").PageData} page the whole data block
   * @param {ArrayBuffer} buffer */
  constructor(data, page, buffer) {
    this.data = data;
    this.name = data.name;
    this.settings = data.settings;
    this.metrics = page.metrics;
    this.comparison = page.comparison;
    this.fates = page.fates;
    /** All runs of the page, this one among them.
     * @type {Model[]} */
    this.runs = [];
    this.run = data.run;
    this.words = data.words;
    this.maps = data.maps;
    this.classNames = data.classes;
    this.nItems = data.items.length;
    /** Only the rows that θ& accepts are in the page: rules beyond it, and what they reject, are not. */
    this.pairsOnly = data.pairs_only;
    this.rules = data.rules.map(ruleOf);
    this.columns = columnsOf(data.columns, buffer);
    this.nElements = this.columns.n_elements;
    this.rowStart = this.columns.row_start;
    this.shared = this.columns.shared;
    this.true = sideOf("true", this.columns, this.nItems);
    this.pred = sideOf("pred", this.columns, this.nItems);
    this.rowItem = owners(this.rowStart, this.nItems, this.shared.length);
    this.rowTrue = absolute(this.columns.row_true, this.rowItem, this.true.start);
    this.rowPred = absolute(this.columns.row_pred, this.rowItem, this.pred.start);
    this.candidates = candidatesOf(this);
    /** @type {Item[]} */
    this.items = Array.from({ length: this.nItems }, (_, index) => new Item(this, index));
    /** Whether all items are lines: of texts, recordings, series. */
    this.isLine = this.items.every(({ kind }) => kind === "spans" || kind === "intervals");
    const units = new Set(this.items.map((item) => item.unit));
    /** The name of the elements of all items. */
    this.unit = units.size === 1 ? [...units][0] : "elements";
  }

  /** Why items have no pictures, and how to add them. */
  get whyNoPictures() {
    return this.data.maps_problem ?? "there is no picture of segments of this kind";
  }

  /** @param {string} name
   * @returns {Rule} */
  rule(name) {
    const rule = this.rules.find((candidate) => candidate.name === name);
    if (!rule) throw new Error(`no rule ${name}`);
    return rule;
  }
}

/** @param {import("./page_data.js").RunData["columns"]} directory
 * @param {ArrayBuffer} buffer
 * @returns {Record<string, Column>} */
function columnsOf(directory, buffer) {
  return Object.fromEntries(
    Object.entries(directory).map(([name, [type, at, length]]) => [name, new TYPES[type](buffer, at, length)]),
  );
}

/** @param {"true" | "pred"} word
 * @param {Record<string, Column>} columns
 * @param {number} nItems
 * @returns {Side} */
function sideOf(word, columns, nItems) {
  /** @param {string} name */
  const column = (name) => columns[`${word}_${name}`] ?? null;
  const size = column("size");
  const start = column("start");
  return {
    start,
    item: owners(start, nItems, size.length),
    ids: column("ids"),
    classes: column("classes"),
    size,
    outside: column("outside"),
    void: column("void"),
    crowd: column("crowd"),
    counted: column("counted") ?? size,
    excused: column("excused"),
  };
}

/** The item of every entry of a column.
 * @param {Column} start
 * @param {number} nItems
 * @param {number} length
 * @returns {Uint32Array} */
function owners(start, nItems, length) {
  const items = new Uint32Array(length);
  for (let item = 0; item < nItems; item++) items.fill(item, Number(start[item]), Number(start[item + 1]));
  return items;
}

/** Positions within an item as positions within the run.
 * @param {Column} positions
 * @param {Uint32Array} items
 * @param {Column} start
 * @returns {Uint32Array} */
function absolute(positions, items, start) {
  return Uint32Array.from(items, (item, at) => Number(positions[at]) + Number(start[item]));
}

/** The rows that may be aligned: of one class where classes must agree, and no crowd truth where the policy says so.
 * @param {Model} model
 * @returns {Uint32Array} */
function candidatesOf({ settings, true: truth, pred, rowTrue, rowPred }) {
  const mustAgree = settings.classes === "match" && truth.classes !== null && pred.classes !== null;
  const noCrowd = settings.policy.crowd && truth.crowd !== null;
  const rows = new Uint32Array(rowTrue.length);
  let count = 0;
  for (let row = 0; row < rowTrue.length; row++) {
    if (mustAgree && truth.classes?.[rowTrue[row]] !== pred.classes?.[rowPred[row]]) continue;
    if (noCrowd && truth.crowd?.[rowTrue[row]]) continue;
    rows[count++] = row;
  }
  return rows.subarray(0, count);
}

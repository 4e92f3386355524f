// The JSON that segmetry.report.page_data writes into the page. Types only: not part of the page.

import type { Declaration } from "../drawing/metric_explanation.js";

export interface PageData {
  title: string;
  runs: RunData[];
  metrics: Declaration[];
  /** ids of the views that say nothing about these runs */
  absent: string[];
  /** what the report is about, in words: protocol, number of items, date */
  about: string[];
  /** null for a report of one run */
  comparison: ComparisonData | null;
}

export interface RunData {
  name: string;
  items: string[];
  /** one entry per item, or a single one that is valid for all items; the same with `axes` */
  kinds: (string | null)[];
  axes: (number | null)[];
  classes: string[] | null;
  /** what an item and a segment are called */
  words: { item: string; segment: string };
  pairs_only: boolean;
  settings: SettingsData;
  rules: RuleData[];
  intervals: IntervalData | null;
  /** by rule: the name of the column of the rows that Python has chosen */
  chosen: Record<string, string>;
  run: Provenance;
  graph: GraphData;
  /** by rule and metric */
  summaries: Record<string, Record<string, Aggregated>>;
  keys: string[];
  /** by column: the label of every item */
  groups: Record<string, string[]>;
  /** bins of sizes: the edges between them, and their names */
  sizes: { edges: number[]; names: string[] };
  left_out: string[];
  block: string;
  columns: Record<string, [ColumnType, number, number]>;
  maps: Record<number, Header>;
  maps_block: string;
  maps_problem: string | null;
  budget: BudgetData | Problem;
  sensitivity: SensitivityData | null;
  /** the file name of every item, null without one */
  titles: (string | null)[] | null;
  /** the block with the photograph of an item; why others have none; a word about all */
  photos: Record<number, string>;
  photos_refused: Record<number, string>;
  photos_problem: string | null;
  segment_kinds: SegmentKindsData;
  overview: OverviewData;
}

export interface OverviewData {
  headline: HeadlineData;
  /** of runs about classes of elements or detections */
  errors: OtherErrors | null;
  /** name and headline of every class, the worst first */
  classes: [string, number | null][];
}

/** The number a run is known by; the column "headline_items" has its values of the items. */
export interface HeadlineData {
  key: string;
  name: string;
  summary: string;
  average: Average;
  averaged: string;
  better: "higher" | "lower" | "neither";
  bounds: [number | null, number | null];
  protocol: string | null;
  value: number | null;
  low: number | null;
  high: number | null;
  /** why there is no interval */
  problem: string | null;
  /** the smallest difference to a fixed number that these items detect with 80 % power */
  detectable: number | null;
  /** the protocol's other numbers */
  beside: { name: string; key: string; value: number | null; summary: string }[];
}

export interface OtherErrors {
  name: string;
  title: string;
  unit: string;
  base: number | null;
  rows: OtherError[];
}

export interface OtherError {
  name: string;
  words: string | null;
  count: number;
  gain: number;
  /** codes of the true and the predicted class; null for none */
  classes: [number | null, number | null] | null;
}

export interface SegmentKindsData {
  /** why errors cannot be distinguished under the rule of the run; null where the columns are there */
  problem: string | null;
  rule: string;
  /** the bit of every kind of error, and of "matched" */
  bits: Record<string, number>;
}

/** The header of an item with pictures. */
export type Header = LabelsHeader | MasksHeader | SpansHeader;

export interface LabelsHeader {
  kind: "labels";
  shape: number[];
  rows: number;
  columns: number;
  /** height of an element as a multiple of its width */
  tall: number;
  /** one row and column in `step` is in the page */
  step: number;
  /** the lengths of the axes along which planes are counted */
  stack: number[];
  /** the planes that are in the page, the position of the one to open with, and what one is called */
  planes: number[];
  first: number;
  word: string;
  colours: ColourNumbers;
  /** of every true and predicted segment the position of the plane with most of it; null for one plane */
  peaks: [number[], number[]] | null;
  /** the axis along which planes are counted, null for one plane or more than three axes */
  axis: number | null;
  /** the distance between neighbours along every axis of a volume, if it is known, and its unit */
  spacing: number[] | null;
  unit: string | null;
}

/** A digit for the colour of every segment: neighbours differ, partners have the same. */
export interface ColourNumbers {
  true: string;
  pred: string;
}

export interface MasksHeader {
  kind: "masks";
  shape: number[];
  rows: number;
  columns: number;
  /** the position of every mask among the segments of its side, -1 for none: true ones as listed, predicted by score */
  places: { true: number[]; pred: number[] } | null;
  colours: ColourNumbers;
}

export interface SpansHeader {
  kind: "spans";
  shape: number[];
  colours: ColourNumbers;
  /** the seconds of an element of a recording; null where elements are not time */
  tick: number | null;
  /** what an element is */
  unit: string;
}

export type ColumnType = "u1" | "u2" | "u4" | "f8" | "i8" | "u8";

/** Why a section has no data. */
export interface Problem {
  problem: string;
}

export interface SettingsData {
  rule: string;
  policy: { name: string; summary: string; crowd: boolean; undefined: number | null };
  undefined: number | null;
  /** whether the score of an item is the mean over its classes, or of all its segments */
  average: "class" | "segments";
  resolve: string | null;
  classes: string;
  background: string;
  protocol: string | null;
  /** the average that the protocol of the run ranks by */
  headline_average: Average | null;
  groups: Record<string, number[]>;
  reading: Record<string, unknown>;
  /** whether counts are BigInts */
  wide: boolean;
  widest: number;
}

export interface RuleData {
  name: string;
  label: string;
  clauses: [string, string, string, boolean][][] | null;
  one_to_one: boolean;
  alpha: string;
  /** whether a pair of the rule may have the IoU alpha */
  attained: boolean;
}

export interface Provenance {
  segmetry: string;
  true: string | null;
  pred: string | null;
  /** null until it is computed */
  content: string | null;
  /** whether the files are what they were, and how that is known */
  checked: { state: "unchanged" | "scored" | "changed" | "stated" | "none"; words: string };
  inputs: { side: string; name: string; sha256: string }[];
  n_inputs: number;
  true_segments: number;
  pred_segments: number;
  overlap_rows: number;
}

export interface GraphData {
  splits: number;
  merges: number;
  by_class: { splits: number[]; merges: number[] } | null;
}

export interface PlainScore {
  value: number | null;
  reason?: string;
}

export interface Aggregated {
  by_item: PlainScore;
  n: number;
  by_class: PlainScore | null;
  all_segments: PlainScore | null;
}

export interface Ends {
  low: number;
  high: number;
}

export interface IntervalData {
  words: string;
  by_rule: Record<string, RuleIntervals>;
}

export interface RuleIntervals {
  pq: AveragedIntervals;
  sq: AveragedIntervals;
  rq: AveragedIntervals;
  /** why there are no intervals */
  reason: string | null;
}

type Average = "by_item" | "by_class" | "all_segments";

/** By average; one that does not exist has no entry. */
export type AveragedIntervals = Partial<Record<Average, Ends | null>>;

/** By average; where there are no classes, `by_class` is absent. */
export type Values = Record<Average, number | null>;

/** What a server sends when it is computed. */
export interface Analysis {
  intervals: IntervalData;
  budget: RunData["budget"];
  headline: Partial<HeadlineData>;
  run: Partial<Provenance>;
}

export interface BudgetData {
  problem: null;
  rule: string;
  policy: string;
  order: string[];
  keys: string[];
  base: Record<string, Values>;
  kinds: Record<string, BudgetKind>;
  /** in elements; the first bin is below the first edge */
  size_edges: number[];
  by_size: BudgetPart[];
  by_class: BudgetPart[] | null;
  /** true class, predicted class, pairs */
  confusion: [string, string, number][] | null;
}

export interface BudgetKind {
  words: string;
  /** how the prediction changes when an error is fixed */
  fixed: string;
  errors: number;
  missed: number;
  spurious: number;
  alone: Record<string, Values>;
  in_turn: Record<string, Values>;
  gain_alone: Values;
  gain_in_turn: Values;
}

/** PQ of a size or class, and its gain if each kind of error is fixed. */
export interface BudgetPart {
  name: string;
  pq: number | null;
  alone: (number | null)[];
  in_turn: (number | null)[];
}

/** The three averages, and the change of each by the move. */
export type SensitivityCells = (number | null)[];

export interface SensitivityData {
  rules: [string, string][];
  moves: Record<string, string>;
  sizes: string[];
  keys: string[];
  /** by key, rule and move: the cells of all segments first, then those of every size */
  values: Record<string, Record<string, Record<string, SensitivityCells[]>>>;
}

export interface ComparisonData {
  systems: string[];
  keys: string[];
  words: string;
  headline: { key: string; average: Average; better: "higher" | "lower" | "neither" };
  by_rule: Record<string, RuleComparison>;
  /** differences of classes in the headline, under the runs' own rule */
  classes: ClassDifference[];
  ranking: RankingData | Problem;
}

export interface ClassDifference {
  first: string;
  second: string;
  name: string;
  first_value: number | null;
  second_value: number | null;
  difference: number | null;
  low: number | null;
  high: number | null;
  p_holm: number | null;
}

export interface RuleComparison {
  /** which of the two best runs is better, by how much, in how many items */
  sentence: string;
  /** by run and metric */
  values: Record<string, Record<string, Partial<Record<Average, RunValue>>>>;
  differences: Difference[];
}

export interface RunValue {
  value: number | null;
  low: number | null;
  high: number | null;
}

export interface Difference {
  first: string;
  second: string;
  key: string;
  average: Average;
  difference: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
  p_holm: number | null;
  won: number;
  tied: number;
  lost: number;
  detectable: number | null;
}

export interface RankingData {
  problem: null;
  words: string;
  by: Record<string, { changes: boolean; rows: RankingRow[] }>;
}

export interface RankingRow {
  rule: string;
  label: string;
  values: (number | null)[];
  ranks: (number | null)[];
  tau: number | null;
  stable: number | null;
  changed: [string, string][];
}

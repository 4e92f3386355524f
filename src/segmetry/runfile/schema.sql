CREATE TABLE fact ( -- a fact about the run
    name  TEXT PRIMARY KEY, -- `segmetry` (its version), `settings`, `true` and `pred` (paths), `files`, `shard`
    value TEXT NOT NULL -- text, or JSON: the settings; a list with the true and the predicted file of every item
) WITHOUT ROWID;
CREATE TABLE input ( -- an input
    side   TEXT NOT NULL CHECK (side IN ('true', 'pred')), -- `true` or `pred`
    name   TEXT NOT NULL, -- its path relative to that on the command line, or the name of an item
    sha256 TEXT NOT NULL, -- of the file, or of the content of an object
    PRIMARY KEY (side, name)
) WITHOUT ROWID;
CREATE TABLE class_name ( -- a class that the data set names
    class PRIMARY KEY, -- an integer or text, as in the data set: `3` and `'3'` are two classes
    name  TEXT NOT NULL -- its name
) WITHOUT ROWID;
CREATE TABLE item ( -- an item; all but the first three columns are NULL until it is done
    item            INTEGER PRIMARY KEY, -- 1, 2, … in the order of the truth
    name            TEXT NOT NULL UNIQUE, -- its name
    status          TEXT NOT NULL CHECK (status IN ('pending', 'done')), -- `pending` or `done`
    kind            TEXT, -- the kind of its segmentations
    axes            INTEGER, -- their number of axes
    n_elements      INTEGER, -- elements of the domain
    outside_outside INTEGER, -- elements in no segment of either side: outside on both,
    outside_void    INTEGER, -- outside in the truth and void in the prediction,
    void_outside    INTEGER, -- void in the truth and outside in the prediction,
    void_void       INTEGER, -- void on both
    true_disjoint   INTEGER, -- 1 if no true segments overlap each other
    pred_disjoint   INTEGER, -- 1 if no predicted segments do
    has_classes     INTEGER, -- 1 if segments have classes
    true_has_crowd  INTEGER, -- 1 if the truth states which segments are crowd regions
    pred_has_crowd  INTEGER -- 1 if the prediction does
);
CREATE TABLE counts ( -- a finished item, or 2²³ segments or overlaps of a larger one; blobs are integers
    item       INTEGER NOT NULL REFERENCES item, -- the item
    part       INTEGER NOT NULL, -- 0, or 0, 1, … if the item needs several rows
    n_true     INTEGER NOT NULL, -- true segments of this row
    n_pred     INTEGER NOT NULL, -- predicted segments of this row
    n_overlaps INTEGER NOT NULL, -- pairs of overlapping segments of this row
    unsigned   INTEGER NOT NULL, -- which ids are unsigned integers of 64 bits: 1 true ones, 2 predicted ones, 3 both
    class_list TEXT, -- the classes of the item as a JSON list; NULL without classes
    ids        BLOB NOT NULL, -- the ids of the true segments, ascending, then those of the predicted segments
    sizes      BLOB NOT NULL, -- of each: its elements, those in no segment of the other side, and those in its void
    classes    BLOB NOT NULL, -- of each: the position of its class in `class_list`; empty without classes
    crowds     BLOB NOT NULL, -- of each: 1 a crowd region, 2 one before another one of its class, else 0; empty if none
    overlaps   BLOB NOT NULL, -- positions (0, 1, … by id) of a true and a predicted segment, and their shared elements
    PRIMARY KEY (item, part)
);
CREATE TABLE score ( -- a score of an item that cannot be computed from the counts
    item        INTEGER NOT NULL REFERENCES item, -- the item
    key         TEXT NOT NULL, -- the metric
    rule        TEXT NOT NULL, -- the rule; empty if the metric does not depend on one
    value       REAL, -- the score, NULL where it is undefined
    reason      TEXT, -- why it is undefined
    numerator   TEXT, -- as text, so that no digit is lost
    denominator TEXT, -- likewise
    details     TEXT, -- JSON
    PRIMARY KEY (item, key, rule)
) WITHOUT ROWID;
CREATE TABLE collected ( -- a column that metrics of a whole data set need of an item
    item      INTEGER NOT NULL REFERENCES item, -- the item
    collector TEXT NOT NULL, -- what collects it
    options   TEXT NOT NULL, -- JSON
    rule      TEXT NOT NULL, -- the rule; empty if none matters
    name      TEXT NOT NULL, -- the column
    type      TEXT NOT NULL, -- such as `<i2`: little-endian integers of two bytes; `labels`: a JSON list of classes
    shape     TEXT NOT NULL, -- JSON
    content   BLOB NOT NULL, -- the bytes of an array of this type and shape, or the JSON list
    PRIMARY KEY (item, collector, options, rule, name)
) WITHOUT ROWID;

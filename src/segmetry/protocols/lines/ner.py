"""Named entities found exactly: precision, recall and F1, micro, macro and weighted [tjongkimsang2003introduction]."""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare

_COLUMNS = (
    Heading("precision", key="entity_precision"),
    Heading("recall", key="entity_recall"),
    Heading("F1", key="entity_f1"),
)

NER = declare(
    name="ner",
    field="named entity recognition",
    summary="Precision, recall and F1 of entities found exactly: micro, macro, weighted, and of each type.",
    header="an entity is found if first token, last token and type are the same; entities of all sentences "
    "counted together",
    decisions=(
        "An entity is found if its first token, its last token and its type are those of a true entity.",
        "The entities of all sentences are counted together before a quotient is taken.",
        "Micro counts all entities alike, macro is the mean over types.",
        "Weighted is the mean over types weighted by their true entities.",
        "A type that occurs on one side alone has precision, recall and F1 of 0.",
        "Both sides have one tagging scheme: that of the letters, or of --scheme; two are an error.",
        "Tags that the scheme does not allow, such as an I after O in BIO, are no entity.",
    ),
    formats=("bio",),
    reading={"tags": "drop"},
    headline=("micro", "F1"),
    cells=Grid(
        rows=(
            Heading("micro", average="pooled"),
            Heading("macro", average="by_class"),
            Heading("weighted", average="pooled", show="weighted"),
        ),
        columns=_COLUMNS,
    ),
    class_cells=Grid(
        rows=(EachClass(average="pooled"),),
        columns=(*_COLUMNS, Heading("support", key="entity_f1", show="true")),
        corner="type",
    ),
    reference=ReferenceImplementation("seqeval", "1.2.2", "classification_report(mode='strict', scheme=…)"),
    citation=("tjongkimsang2003introduction", "ratinov2009design"),
    exceptions=(
        "Where no side has an entity, all values are undefined; seqeval writes 0, and fails for macro averages.",
        "Without mode='strict' seqeval counts ill-formed tags as entities (--tags loose is close to that).",
    ),
    neighbours=("semeval13",),
)

"""Named entities in the four schemas of SemEval'13 task 9 [segurabedmar2013semeval]."""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare
from segmetry.results import NumberStyle

_SCHEMAS = ("strict", "exact", "partial", "type")
_OUTCOMES = ("COR", "INC", "PAR", "MIS", "SPU", "precision", "recall")

SEMEVAL13 = declare(
    name="semeval13",
    field="named entity recognition",
    summary="Correct, incorrect, partial, missed and spurious entities, precision, recall and F1 in four schemas.",
    header="predictions take overlapping true entities in the order of the text; entities of all sentences "
    "counted together",
    decisions=(
        "Predictions take true entities from left to right, and a true entity is taken once.",
        "Strict: correct if boundaries and type are the same; another overlap is incorrect.",
        "Exact: correct if the boundaries are the same, whatever the type; another overlap is incorrect.",
        "Partial: correct if the boundaries are the same, whatever the type; another overlap is partial.",
        "Type: correct if it overlaps a true entity of its type; an overlap with another type is incorrect.",
        "A prediction that is not correct takes the first free true entity that it overlaps.",
        "Of several correct ones, in the schema type, it takes that with the nearest boundaries.",
        "An overlap must cover at least 1 % of the true entity.",
        "A partial entity counts half in precision and recall.",
        "The values of a type compare the entities of this type alone.",
        "Tags that BIO does not allow count as entities: an I that follows nothing opens one.",
    ),
    reading={"tags": "loose"},
    headline=("strict", "F1"),
    cells=Grid(
        rows=tuple(Heading(schema, key=f"semeval_{schema}", average="pooled") for schema in _SCHEMAS),
        columns=(*(Heading(name, show=name) for name in _OUTCOMES), Heading("F1")),
    ),
    class_cells=Grid(
        rows=(EachClass(average="pooled"),),
        columns=tuple(Heading(f"F1 {schema}", key=f"semeval_{schema}") for schema in _SCHEMAS),
        corner="type",
    ),
    numbers=NumberStyle(decimals=3),
    reference=ReferenceImplementation("nervaluate", "1.2.1", "Evaluator(loader='list').evaluate"),
    citation=("segurabedmar2013semeval",),
    exceptions=("Where no side has an entity, all values are undefined; nervaluate writes 0.",),
    neighbours=("ner",),
)

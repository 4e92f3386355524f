"""Contracts to inherit: a test class that names its metric, rule, reader or protocol has all tests of its kind.

from segmetry.testing.contract_classes import MetricContract

class TestMyMetric(MetricContract):
    metric = METRICS["my_metric"]
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from hypothesis import given, strategies as st

from segmetry._base import Reference, is_key, references
from segmetry.alignments import RULES, as_policy, as_rule
from segmetry.errors import SegmetryError
from segmetry.metrics import METRICS, Metric
from segmetry.outputs import explain
from segmetry.overlaps import overlap
from segmetry.protocols import PROTOCOLS, Heading, Protocol
from segmetry.readers import READERS, Reader, ReadOptions, find_reader, known_options, read_items
from segmetry.testing.contracts import (
    check_count_quotient,
    check_declaration,
    check_defined,
    check_examples,
    check_pair,
)
from segmetry.testing.strategies import label_pairs, pairs_for


class MetricContract:
    """The tests of a metric: complete, registered, explained, and on generated pairs what its declaration states."""

    metric: ClassVar[Metric]

    def test_is_registered_and_explained(self) -> None:
        assert METRICS[self.metric.key] is self.metric, f"{self.metric.key}: another metric has this key"
        assert self.metric.summary.split()[0] in explain(self.metric)

    def test_declaration_is_complete(self) -> None:
        check_declaration(self.metric)

    def test_examples_give_their_values(self) -> None:
        check_examples(self.metric)

    def test_is_defined_on_a_tenth_of_the_generated_pairs(self) -> None:
        check_defined(self.metric)

    def test_quotients_of_counts_are_linear(self) -> None:
        if self.metric.quotient is not None:
            check_count_quotient(self.metric)

    @given(data=st.data())
    def test_contract_holds_on_generated_pairs(self, data: st.DataObject) -> None:
        metric = self.metric
        check_pair(metric, *data.draw(pairs_for(metric.kinds, metric.dimensions, metric.least_length)))


class RuleContract:
    """The tests of a rule, in writing (``"my_rule(share=3/4)"``): its name, its choice, its guarantee."""

    rule: ClassVar[str]

    def test_is_registered_with_a_summary(self) -> None:
        declaration = RULES[self.rule.partition("(")[0]]
        assert declaration.summary.endswith("."), f"{declaration.name}: the first line of its docstring is a sentence"

    def test_its_name_is_its_text(self) -> None:
        name = as_rule(self.rule).name
        assert as_rule(name).name == name, f"{self.rule} is called {name}, which is another rule"

    def test_equal_segmentations_match_completely(self) -> None:
        alignment = overlap([[1, 1, 2, 3]], [[1, 1, 2, 3]]).align(self.rule)
        assert [(pair.true_id, pair.pred_id) for pair in alignment.pairs()] == [(1, 1), (2, 2), (3, 3)]

    @given(pair=label_pairs())
    def test_chooses_overlapping_pairs_once_and_keeps_its_guarantee(self, pair: tuple[Any, Any]) -> None:
        alignment = overlap(*pair).align(self.rule, resolve="keep")
        assert np.unique(alignment.rows).size == alignment.rows.size, f"{self.rule} chose a pair twice"
        assert (alignment.shared > 0).all(), f"{self.rule} chose a pair without overlap"
        if as_rule(self.rule).guarantees_one_to_one:
            assert alignment.is_one_to_one, f"{self.rule} guarantees one partner, but chose several"


class ReaderContract:
    """The tests of a reader: a valid ``example`` file is recognised and read; damaged ones are one error each.

    ``suffix`` is the suffix of the file; ``options`` are reading options by name, where the example needs some.
    """

    reader: ClassVar[Reader]
    example: ClassVar[bytes]
    suffix: ClassVar[str]
    options: ClassVar[dict[str, Any]] = {}

    def _write_file(self, folder: Path, content: bytes) -> Path:
        path = folder / f"example{self.suffix}"
        path.write_bytes(content)
        return path

    def test_is_registered_and_its_options_are_known(self) -> None:
        assert READERS[self.reader.name] is self.reader, f"{self.reader.name}: another format has this name"
        for option in self.reader.options:
            assert known_options()[option.name] == option
            assert option.help.endswith((".", "]")), f"{option.name}: its help is a sentence"

    def test_the_example_is_recognised_by_this_reader_alone(self, tmp_path: Path) -> None:
        assert find_reader(self._write_file(tmp_path, self.example)) is self.reader

    def test_the_example_is_read(self, tmp_path: Path) -> None:
        path = self._write_file(tmp_path, self.example)
        items = list(read_items(path, self.reader.name, ReadOptions(**self.options)))
        assert items, "the example has no item"
        assert len({item.name for item in items}) == len(items), "two items have the same name"
        assert all(item.load().n_elements > 0 for item in items)

    def test_a_large_declared_size_is_refused(self, tmp_path: Path) -> None:
        path = self._write_file(tmp_path, self.example)
        try:
            for item in read_items(path, self.reader.name, ReadOptions(most_elements=1, **self.options)):
                assert item.load().n_elements <= 1, "the budget max_elements is not checked"
        except SegmetryError:
            pass

    def test_damaged_files_are_one_error_that_names_the_file(self, tmp_path: Path) -> None:
        for content in _damaged_files(self.example):
            path = self._write_file(tmp_path, content)
            message = str(path)
            try:
                for item in read_items(path, self.reader.name, ReadOptions(**self.options)):
                    item.load()
            except SegmetryError as problem:
                message = str(problem)
            assert str(path) in message, f"the error does not name the file: {message}"


class ProtocolContract:
    """The tests of a protocol: everything it names exists, and its table shows what it computes."""

    protocol: ClassVar[Protocol]

    def test_is_registered(self) -> None:
        assert PROTOCOLS[self.protocol.name] is self.protocol, f"{self.protocol.name}: another protocol has this name"

    def test_says_everything_in_words(self) -> None:
        protocol = self.protocol
        assert protocol.decisions, f"{protocol.name} states no decision"
        for sentence in (protocol.summary, *protocol.decisions, *protocol.exceptions):
            assert sentence.endswith("."), f"{protocol.name}: {sentence!r} is not a sentence"
        assert protocol.field and protocol.header, f"{protocol.name} has no field or no header"
        assert not protocol.header.endswith("."), f"{protocol.name}: the header is not a sentence"
        assert protocol.citation, f"{protocol.name} cites nothing"
        for citation in protocol.citation:
            known = isinstance(citation, Reference) or not is_key(citation) or citation in references()
            assert known, f"{protocol.name}: references.bib has no entry {citation!r}; add it, or cite in plain text"

    def test_names_what_exists(self) -> None:
        protocol = self.protocol
        assert set(protocol.metrics) <= set(METRICS), f"{protocol.name} names metrics that do not exist"
        as_policy(protocol.policy or "none")
        for rule in (*protocol.also, *(() if protocol.rule is None else (protocol.rule,))):
            as_rule(rule)
        ReadOptions(**protocol.reading)
        assert set(protocol.formats) <= set(READERS), f"{protocol.name} names formats that do not exist"
        for key, options in protocol.options.items():
            assert key in protocol.metrics, f"{protocol.name} has options of {key}, which it does not compute"
            assert set(options) <= set(METRICS[key].options), f"{protocol.name} names options that {key} does not have"
        for name in protocol.neighbours:
            assert name in PROTOCOLS, f"{protocol.name} is compared with {name}, which does not exist"

    def test_its_table_and_headline_show_its_metrics(self) -> None:
        shown = {*self.protocol.cells.keys, self.protocol.headline_cell.metric}
        assert shown <= set(self.protocol.metrics), f"{self.protocol.name} shows metrics that it does not compute"

    def test_every_cell_of_its_tables_has_an_address(self) -> None:
        for cells in (self.protocol.cells, self.protocol.class_cells):
            for row, column in product(*((cells.rows, cells.columns) if cells else ((), ()))):
                stated = [entry for entry in (row, column) if isinstance(entry, Heading)]
                where = f"{self.protocol.name}: the cell of {row} and {column}"
                assert any(entry.key for entry in stated), f"{where} names no metric"
                assert any(entry.average for entry in (row, column)), f"{where} names no average"
                levels = [entry.level for entry in stated if entry.level is not None] + ["class"] * (2 - len(stated))
                assert len(levels) <= 1, f"{where} belongs to two rows of a summary"
                for entry in stated:
                    named = entry.level in ("group", "class")
                    assert named == (entry.name is not None), f"{where}: a group or class, and only that, has a name"


def _damaged_files(content: bytes) -> list[bytes]:
    """Return beginnings of a file, and the file with single bytes changed."""
    cuts = sorted({len(content) * part // 8 for part in range(1, 8)})
    places = range(0, len(content), max(1, len(content) // 32))
    return [content[:cut] for cut in cuts] + [
        content[:at] + bytes([content[at] ^ flip]) + content[at + 1 :] for at in places for flip in (1, 0x80)
    ]

"""Slices of reports: which rows count where, and what is made of them, held against plain loops."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
import report_oracle
from report_oracle import Options

from anls_frame.reports.reports import report

ROWS: list[dict[str, Any]] = [
    {"prediction": "CocaCola", "answers": ["Coca Cola", "Coke"], "types": ["form", "table"], "doc": "a"},
    {"prediction": "coke", "answers": ["Coca Cola", "Coke"], "types": ["table", "form"], "doc": "a"},
    {"prediction": None, "answers": ["12"], "types": ["form"], "doc": "a"},
    {"prediction": "12", "answers": ["12", None], "types": ["form", "form"], "doc": "b"},
    {"prediction": "yes", "answers": ["no"], "types": [], "doc": "b"},
    {"prediction": "", "answers": ["", "x"], "types": None, "doc": "b"},
    {"prediction": "x", "answers": [""], "types": [None], "doc": None},
    {"prediction": "Zürich", "answers": ["Zurich"], "types": [None, "table"], "doc": None},
    {"prediction": "abc", "answers": [], "types": ["form"], "doc": "c"},
    {"prediction": None, "answers": [None], "types": ["layout"], "doc": "c"},
    {"prediction": None, "answers": ["", "n/a"], "types": ["layout", "table"], "doc": "c"},
    {"prediction": "1O", "answers": ["10"], "types": ["table", None, "table"], "doc": "d"},
    {"prediction": "half wrong", "answers": ["half right"], "types": ["free"], "doc": "d"},
]
for position, row in enumerate(ROWS):
    row["lang"] = ["en", "de", None][position % 3]
    row["page"] = position % 2
FRAME = pl.DataFrame(ROWS)


def make(options: Options) -> Any:
    return report(FRAME, "prediction", "answers", **options.arguments())


@pytest.mark.parametrize("cluster", [None, "doc", "lang", "page"])
@pytest.mark.parametrize(
    "by", [(), ("types",), ("lang",), ("types", "lang"), ("lang", "types", "page"), ("doc",)], ids=str
)
def test_slices_are_those_of_plain_loops(by: tuple[str, ...], cluster: str | None) -> None:
    options = Options(by=by, cluster=cluster)
    report_oracle.check_report(make(options), ROWS, options)


def by_types(types: list[Any], **options: Any) -> dict[Any, int]:
    frame = pl.DataFrame(
        {"p": ["a"] * len(types), "a": ["a"] * len(types), "k": pl.Series(types, dtype=pl.List(pl.String))}
    )
    return dict(report(frame, "p", "a", by="k", **options).by_group.select("k", "n").iter_rows())


@pytest.mark.parametrize("cluster", [None, "k"])
@pytest.mark.parametrize(
    ("types", "slices"),
    [
        ([["a", "b"], ["b"]], {"a": 1, "b": 2}),
        ([["a", "a", "a"]], {"a": 1}),
        ([["a", "b"], ["b", "a"], ["a", "b", "a"]], {"a": 3, "b": 3}),
        ([None, [], [None], [None, None]], {None: 4}),
        ([[None, "a"]], {None: 1, "a": 1}),
        ([["a", None], ["a"], None], {None: 2, "a": 2}),
        ([[""], [" "], ["a"], ["A"]], {"": 1, " ": 1, "a": 1, "A": 1}),
    ],
    ids=["overlap", "repeated", "order", "nothing", "null beside", "null or nothing", "as it stands"],
)
def test_row_counts_once_in_each_entry_of_its_list(
    types: list[Any], slices: dict[Any, int], cluster: str | None
) -> None:
    assert by_types(types, cluster=cluster) == slices


def test_crossing_of_two_lists_has_every_pair() -> None:
    frame = pl.DataFrame(
        {"p": ["a", "x"], "a": ["a", "a"], "k": [["a", "b"], ["b"]], "l": [["x", "y", "x"], None]}
    )
    made = report(frame, "p", "a", by=["k", "l"])
    pairs = {("a", "x"): 1, ("a", "y"): 1, ("b", "x"): 1, ("b", "y"): 1, ("b", None): 1}
    assert {(k, l_): n for k, l_, n in made.by_group.select("k", "l", "n").iter_rows()} == pairs
    assert dict(made.by("l").select("l", "n").iter_rows()) == {"x": 1, "y": 1, None: 1}
    assert dict(made.by("k").select("k", "n").iter_rows()) == {"a": 1, "b": 2}


def test_roll_up_of_a_crossing_is_the_report_by_that_column() -> None:
    crossed = make(Options(by=("types", "lang", "page"), cluster="doc"))
    for by in ([], ["types"], ["lang"], ["page", "types"], ["lang", "page", "types"]):
        alone = report(FRAME, "prediction", "answers", by=by, cluster="doc")
        report_oracle.check_alike(crossed.by(*by), alone.by_group)


def test_frame_holds_all_rows_first_and_then_each_slice() -> None:
    made = make(Options(by=("types", "lang")))
    frame = made.to_polars()
    assert frame.columns == ["slice", "types", "lang", *report_oracle.TEXT_COLUMNS]
    assert frame["slice"].to_list() == ["overall"] + ["group"] * made.by_group.height
    assert frame.row(0)[1:3] == (None, None)
    assert frame.tail(-1).drop("slice").equals(made.by_group)
    assert {name: frame.row(0, named=True)[name] for name in made.overall} == made.overall


def test_slice_of_unanswerable_rows_alone_is_there_without_scores() -> None:
    frame = pl.DataFrame(
        {"p": ["a", "b"], "a": [["a"], []], "k": [1, 2]}, schema_overrides={"a": pl.List(pl.String)}
    )
    row = report(frame, "p", "a", by="k").by_group.row(1, named=True)
    assert (row["n"], row["n_unanswerable"]) == (0, 1)
    assert {row[name] for name in report_oracle.TEXT_COLUMNS[4:-2]} == {None}


def test_corpus_rate_without_any_reference_text_is_null() -> None:
    overall = report(pl.DataFrame({"p": ["abc", "x"], "a": ["", ""]}), "p", "a").overall
    assert overall["cer_mean"] == 2
    assert [overall[f"cer_corpus{bound}"] for bound in ("", "_low", "_high")] == [None] * 3

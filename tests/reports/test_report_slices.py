"""Slices of reports: which rows count where, and what is made of them, held against plain loops."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
import report_oracle
from report_oracle import Options

from anls_frame.reports.reports import report

pytestmark = pytest.mark.usefixtures("each_default_engine")

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

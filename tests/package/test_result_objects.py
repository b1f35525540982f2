"""Results as objects of Python: copied, pickled, compared, and used as keys."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import anls_frame as af

TEXTS = ("tesseract", "answers")
ROWS = af.sample()[::27]
SYSTEMS = {"a": "tesseract", "b": "rapidocr"}
MADE: dict[str, Callable[[], Any]] = {
    "report": lambda: af.report(ROWS, *TEXTS, by="lang", worst=2),
    "report of pandas": lambda: af.report(ROWS.to_pandas(), *TEXTS, by="lang"),
    "comparison": lambda: af.compare(ROWS, SYSTEMS, "answers", by="lang"),
    "format_tax": lambda: af.format_tax(ROWS, *TEXTS),
    "slices": lambda: af.find_slices(ROWS, *TEXTS, ["lang"]),
    "overview": lambda: af.overview(ROWS, *TEXTS),
    "page": lambda: af.browse(ROWS, *TEXTS),
    "summary": lambda: af.summarize(ROWS, *TEXTS),
    "variance": lambda: af.repeats.variance_components(pl.concat([ROWS] * 2), *TEXTS, id="question_id"),
    "matrix": lambda: af.edit_matrix("cat", "cut"),
    "curve": lambda: af.statistics.RiskCoverage.of([0.9, 0.5, 0.1], [0, 1, 1]),
}


@pytest.mark.parametrize("name", MADE)
def test_a_result_is_copied_and_compared(name: str) -> None:
    made = MADE[name]()
    shown = "_repr_html_" if hasattr(made, "_repr_html_") else "__repr__"

    for other in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):  # noqa: S301 - own
        assert getattr(other, shown)() == getattr(made, shown)()
        assert other != made  # no frame is asked whether it is true
        assert len({made: 1, other: 2}) == 2
    assert [made].index(made) == 0


def test_the_variances_of_a_score_show_what_they_print() -> None:
    made = MADE["variance"]()

    assert repr(made) == str(made)
    assert repr(made).startswith("ANLS: variance ")

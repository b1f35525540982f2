"""Results as objects of Python: copied, pickled, compared, and used as keys."""

from __future__ import annotations

import copy
import html
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
    "decision": lambda: MADE["comparison"]().decide(0.01),
    "selective": lambda: af.selective(ROWS, *TEXTS, model_confidence="tesseract_confidence"),
    "decision about a risk": lambda: MADE["selective"]().holds(0.5),
    "corrected": lambda: af.corrected(
        ROWS.select(judge=pl.int_range(61) % 2 == 0, people=pl.int_range(61) % 3 == 0), "judge", "people"
    ),
    "document": lambda: MADE["comparison"]().to_document(),
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


@pytest.mark.parametrize("name", ["decision", "decision about a risk", "slices"])
def test_what_could_be_taken_for_yes_is_neither_true_nor_false(name: str) -> None:
    made = MADE[name]()

    # As Polars says it of frames, whose `bool` would be as easily misread.
    with pytest.raises(TypeError, match="compare"):
        bool(made)


@pytest.mark.parametrize("name", ["decision", "decision about a risk"])
def test_a_decision_equals_its_word(name: str) -> None:
    made, words = MADE[name](), ["fine", "undecided", "regressed"]

    assert [word for word in words if made == word] == [made.answer]
    assert [word for word in words if made != word] == [word for word in words if word != made.answer]
    assert made in {*words}
    assert made not in {*words} - {made.answer}


def test_decisions_show_their_sentences() -> None:
    for name in ("decision", "decision about a risk"):
        made = MADE[name]()
        assert repr(made) == str(made)
        assert repr(made).startswith(f"{made.answer}: ")
        assert html.unescape(made._repr_html_()) == f"<p>{made}</p>"


def test_the_variances_of_a_score_show_what_they_print() -> None:
    made = MADE["variance"]()

    assert repr(made) == str(made)
    assert repr(made).startswith("ANLS: variance ")

"""Causes of loss by cause: every part of a loss has exactly one cause, in every result that shows them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import oracle
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from report_oracle import FEWER, FEWER_EACH
from strategies import PROTOCOLS, TEXT, nearby_texts

import anls_frame as af
from anls_frame.summary.fixed_point import SCORE_BITS

OPTIONS = {"unanswerable": ["drop", "empty"], "missing": ["empty", "drop"]}
WRAPPINGS = st.sampled_from(
    ["{}", "The answer is {}.", "**{}**", "<think>{0}</think>{0}", '{{"answer": "{}"}}']
)
ROWS = st.lists(
    st.tuples(nearby_texts(2), WRAPPINGS, st.sampled_from(["both", "both", "no answer", "no prediction"])),
    min_size=1,
    max_size=8,
)


def frame_of(rows: list[tuple[tuple[str, str], str, str]]) -> pl.DataFrame:
    predictions = [
        None if kind == "no prediction" else wrapping.replace("{}", text).replace("{0}", text)
        for (text, _), wrapping, kind in rows
    ]
    answers = [None if kind == "no answer" else answer for (_, answer), _, kind in rows]
    schema = {"prediction": pl.String, "answer": pl.String}
    return pl.DataFrame({"prediction": predictions, "answer": answers}, schema)


def test_each_loss_has_the_cause_that_a_person_finds() -> None:
    rows = {
        "missing": (None, "a"),
        "empty": (" ", "a"),
        "wrapped": ("The answer is 42.", "42"),
        "form": ("12,000.50", "12.000,50"),
        "near": ("Koca Cola", "Coca Cola"),
        "extra_text": ("Coca Cola or x", "Coca Cola"),
        "truncated": ("Coca", "Coca Cola"),
        "wrong": ("Pepsi", "Coca Cola"),
        "": ("right", "right"),
    }
    frame = pl.DataFrame(list(rows.values()), ["prediction", "answer"], orient="row")
    found = af.report(frame, "prediction", "answer", details=True).causes()
    # Without the wrapping, nothing is lost; one edit in nine letters, two in nine, five in fourteen.
    lost = {"missing": 1, "empty": 1, "wrapped": 1, "near": 1 / 9, "form": 2 / 9, "extra_text": 5 / 14}
    lost |= {"truncated": 1, "wrong": 1}
    assert dict(found.select("cause", pl.col("loss") * 9).rows()) == pytest.approx(lost)
    assert found["share_of_loss"].sum() == pytest.approx(1)


def test_a_row_keeps_a_text_that_scores_less_without_its_wrapping() -> None:
    # The quotes are part of the answer.
    frame = pl.DataFrame({"prediction": ['"It"', "**abc**"], "answer": ['"It"', "xbc"]})
    found = af.report(frame, "prediction", "answer", details=True).causes()
    # `**abc**` has 0 for `xbc`, and `abc` without its wrapping two thirds.
    assert dict(found.select("cause", "loss").rows()) == pytest.approx({"wrapped": 1 / 3, "near": 1 / 6})
    # `It` would have 0, because half of the letters are missing.
    tax = af.format_tax(frame, "prediction", "answer").overall
    assert tax["difference"].item() == pytest.approx(1 / 3 - 1 / 2)


@pytest.mark.parametrize("unanswerable", OPTIONS["unanswerable"])
@pytest.mark.parametrize("missing", OPTIONS["missing"])
@FEWER_EACH
@example(rows=[((text, ""), "{}", "both") for text in ("", " ", "a")], protocol=af.PROTOCOLS["anls"])
@example(
    rows=[((text, "abcd"), "**{}**", "both") for text in ("abcd", "abxd", "y")], protocol=af.PROTOCOLS["anls"]
)
@given(rows=ROWS, protocol=PROTOCOLS)
def test_causes_add_up_to_the_loss_exactly_and_agree_with_all_pages(
    rows: list[Any], protocol: af.ScoreProtocol, missing: Any, unanswerable: Any
) -> None:
    if protocol.threshold is None:
        protocol = protocol.replace(threshold=0.5)
    frame = frame_of(rows)
    how: dict[str, Any] = {"protocol": protocol, "missing": missing, "unanswerable": unanswerable}
    report = af.report(frame, "prediction", "answer", details=True, **how)
    counted, cells = (
        report.summary.report_sums.frames["details causes"],
        report.summary.report_sums.cells[None],
    )
    scored, anls = cells["n"].sum(), cells["anls_units"].sum()
    assert counted["units"].sum() + counted["wrapped_units"].sum() == (scored << SCORE_BITS) - anls
    assert counted["rows"].sum() == scored
    causes = report.causes()
    # A threshold of 0 leaves nothing above it: then even the answer itself scores 0.
    if oracle.anls("a", ["a"], protocol) == 1:
        assert "exact" not in causes["cause"].to_list()
    if not scored:
        assert causes.is_empty()
        return
    assert causes["loss"].sum() == pytest.approx(1 - report.overall["anls"], abs=1e-15)
    # What is scored and unwrapped row by row says the same, in fractions.
    texts = frame.with_columns(text=af.unwrap("prediction").struct.field("text"))
    won = lowered = Fraction(0)
    for prediction, answer, text in texts.iter_rows():
        if (prediction is None and missing == "drop") or answer is None:
            continue
        before, after = (
            Fraction(oracle.anls(one or "", [answer], protocol) or 0) for one in (prediction, text)
        )
        won, lowered = won + max(after - before, Fraction(0)), lowered + max(before - after, Fraction(0))
    own = causes.filter(cause="wrapped")["loss"].sum()
    if unanswerable == "drop":
        assert own == pytest.approx(float(won / scored), abs=1e-15)
        tax = af.format_tax(frame, "prediction", "answer", protocol=protocol, missing=missing)
        assert tax.overall["difference"].item() == pytest.approx(float((won - lowered) / scored), abs=1e-14)
    shares = dict(causes.select("cause", "share_of_loss").rows())
    head = report.to_document().head
    page = af.browse(frame, "prediction", "answer", **how)._repr_html_()
    said = head.partition("loss by cause: ")[2]
    assert bool(said) == bool(shares)
    assert ("loss by cause: " in page) == bool(said)
    assert said in page


def test_causes_of_slices_and_parts_add_up() -> None:
    texts = [("a", "a"), ("**b**", "b"), ("xbc", "abc"), (None, "c"), ("B", "b"), ("The answer is q.", "abc")]
    frame = pl.DataFrame(texts, ["prediction", "answer"], orient="row")
    frame = frame.with_columns(kind=pl.Series([["one"], ["two", "one"]] * 3))
    whole = af.report(frame, "prediction", "answer", details=True, by="kind")
    parts = [
        af.summarize(part, "prediction", "answer", details=True, by="kind") for part in (frame[:1], frame[1:])
    ]
    merged = af.Report.from_summary(af.merge(parts))
    assert merged.causes().equals(whole.causes())
    by_kind = merged.causes("kind")
    assert by_kind.equals(whole.causes("kind"))
    # Every row is in the slice `one`.
    assert by_kind.filter(kind="one").drop("kind").equals(whole.causes())
    two = af.report(frame[1::2], "prediction", "answer", details=True)
    assert by_kind.filter(kind="two").drop("kind").equals(two.causes())


@FEWER
@given(texts=st.lists(TEXT, min_size=8, max_size=24))
def test_right_answers_lose_nothing(texts: list[str]) -> None:
    frame = pl.DataFrame({"prediction": texts, "answer": texts})
    assert af.report(frame, "prediction", "answer", details=True).causes().is_empty()

"""Alignments show both texts whole, in order and in columns, whatever is in them."""

from __future__ import annotations

import itertools
import unicodedata
from typing import Any

import polars as pl
import pytest
import strategies
from html_pages import HtmlPage
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

import anls_frame as af


def terminal_width(text: str) -> int:
    """Columns as a terminal counts them."""
    marks = {"Mn", "Me", "Cf"}
    return sum(
        (1 + (unicodedata.east_asian_width(one) in "WF")) * (unicodedata.category(one) not in marks)
        for one in text
    )


MARKS = ("mark", "ins", "del")


def marked(page: HtmlPage) -> list[list[str]]:
    """Return what is marked in each text."""
    sides = page.find("td.text")
    return [[text for cell in cells for text in cell.texts(*MARKS)] for cells in (sides[::2], sides[1::2])]


@given(strategies.nearby_texts(2))
def test_the_edits_are_those_of_the_expression(texts: tuple[str, str]) -> None:
    aligned = af.pairs.alignment(*texts)
    frame = pl.DataFrame([texts], schema=["prediction", "reference"], orient="row")
    edits = frame.select(af.edit_ops("prediction", "reference"))["edit_ops"].to_list()[0]
    assert [edit._asdict() for edit in aligned.edits] == edits
    assert aligned.to_polars().to_dicts() == edits
    assert aligned.distance == Levenshtein.distance(*texts)


@given(strategies.nearby_texts(2))
def test_segments_hold_both_texts(texts: tuple[str, str]) -> None:
    segments = list(af.pairs.alignment(*texts).segments())
    assert ("".join(one.prediction for one in segments), "".join(one.reference for one in segments)) == texts
    for one, other in itertools.pairwise(segments):
        assert one.op != other.op
    for one in segments:
        assert bool(one.reference) == (one.op != "insert")
        assert bool(one.prediction) == (one.op != "delete")
        assert (one.reference == one.prediction) == (one.op == "equal")


@pytest.mark.parametrize("unit", ["grapheme", "word"])
@pytest.mark.parametrize("protocol", ["raw", "anls", "jiwer", "dinglehopper"])
@given(strategies.nearby_texts(2))
def test_larger_units_are_those_of_the_expression(unit: Any, protocol: str, texts: tuple[str, str]) -> None:
    aligned = af.pairs.alignment(*texts, unit=unit, protocol=protocol)
    frame = pl.DataFrame([texts], schema=["prediction", "reference"], orient="row")
    edits = frame.select(
        af.edit_ops(
            "prediction", "reference", protocol=af.PROTOCOLS[protocol].replace(length="prepared").by(unit)
        )
    ).item()
    assert [edit._asdict() for edit in aligned.edits] == edits.to_list()

    segments = list(aligned.segments())
    for text, side in ((aligned.reference, 1), (aligned.prediction, 2)):
        shown = "".join(segment[side] for segment in segments)
        assert isinstance(text, str)
        assert shown in {text, ""}  # a text without a word has nothing to show
    marked = [(one.op, one.reference, one.prediction) for one in segments if one.op != "equal"]
    if unit == "word":
        assert marked == [(op, first or "", second or "") for op, _, _, first, second in aligned.edits]
    lines = aligned.by_line()
    assert sum(line.edits for line in lines) == aligned.distance
    assert "".join("".join(line.reference.split()) for line in lines) == "".join(
        "".join(segment.reference.split()) for segment in segments
    )
    for line in lines:
        assert (line.edits > 0) == any(one.op != "equal" for one in line.segments)


@given(st.lists(st.sampled_from(["a", "b", "the", "", "\n"])), st.lists(st.sampled_from(["a", "b", "the"])))
def test_tokens_are_aligned_as_they_are(prediction: list[str], reference: list[str]) -> None:
    aligned = af.pairs.alignment(prediction, pl.Series(reference, dtype=pl.String))
    expected = Levenshtein.editops(reference, prediction)
    assert [edit[:3] for edit in aligned.edits] == [tuple(edit) for edit in expected]
    assert aligned == af.pairs.alignment(tuple(prediction), reference)
    assert str(aligned).startswith("REF:")
    assert len(aligned.by_line().to_html()) > 0


def test_words_are_shown_whole_and_signs_stand_under_their_beginnings() -> None:
    aligned = af.pairs.alignment("The qvick fox\njumps  over", "The quick brown fox jumps", unit="word")
    assert str(aligned) == (
        "REF: The quick brown fox jumps ****\n"
        "HYP: The qvick ***** fox jumps over\n"
        "         S     D               I"
    )
    page = HtmlPage(aligned.to_html())
    assert marked(page) == [["quick", "brown"], ["qvick", "over"]]
    assert page.texts("td.text") == ["The quick brown fox jumps", "The qvick fox␊\njumps  over"]
    assert aligned.to_text(context=1).split("\n")[1] == "HYP: The qvick ***** fox jumps over"
    long = af.pairs.alignment("a b c d e f x", "a b c d e f y", unit="word")
    assert long.to_text(context=2) == "REF: … e f y\nHYP: … e f x\n           S"


def test_a_character_of_several_code_points_is_marked_as_a_whole() -> None:
    for unit in ("codepoint", "grapheme"):
        aligned = af.pairs.alignment("nai\u0308ve \U0001f469\u200d\U0001f467", "naive \U0001f469", unit=unit)  # type: ignore[arg-type]
        page = HtmlPage(aligned.to_html())
        assert marked(page) == [["i", "\U0001f469"], ["i\u0308", "\U0001f469\u200d\U0001f467"]]
    assert str(af.pairs.alignment("e\u0301x", "ex", unit="grapheme")) == "REF: ex\nHYP: e\u0301x\n     S"
    # The context is not cut within a character either.
    assert "…a" in af.pairs.alignment("x" * 9 + "ab", "x" * 9 + "ac").to_text(context=1)
    assert "…e\u0301" in af.pairs.alignment("x" * 9 + "e\u0301b", "x" * 9 + "e\u0301c").to_text(context=1)
    assert "…xe\u0301" in af.pairs.alignment("x" * 9 + "e\u0301b", "x" * 9 + "e\u0301c").to_text(context=3)


def test_tokens_have_no_unit_and_texts_are_not_mixed_with_them() -> None:
    with pytest.raises(ValueError, match="unit and protocol must be left out for tokens"):
        af.pairs.alignment(["a"], ["b"], unit="word")
    with pytest.raises(TypeError, match="must be two strings or two sequences of strings"):
        af.pairs.alignment(["a"], "a")
    with pytest.raises(TypeError, match="each token of reference must be a string, got int"):
        af.pairs.alignment(["a"], [1])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="unit must be one of 'codepoint', 'grapheme', 'word', got 'line'"):
        af.pairs.alignment("a", "b", unit="line")  # type: ignore[arg-type]


@given(strategies.nearby_texts(2), st.integers(15, 100), st.none() | st.integers(0, 5))
def test_lines_are_columns_within_the_width(texts: tuple[str, str], width: int, context: int | None) -> None:
    lines = (
        af.pairs.alignment(*texts).to_text(width, context=context).replace("\u202d", "").replace("\u202c", "")
    )
    for block in lines.split("\n\n"):
        reference, prediction, *signs = block.split("\n")
        assert reference.startswith("REF:")
        assert prediction.startswith("HYP:")
        # One cell of a symbol with a long name may be wider.
        assert all(terminal_width(line) <= width for line in (reference, prediction)) or "⟨" in block
        for line in signs:
            assert not set(line) - set(" SID")
            # A sign stands under something in both lines.
            assert terminal_width(line) <= max(terminal_width(reference), terminal_width(prediction))
    assert "".join(lines).count("\t") == 0


def test_each_sign_stands_under_its_characters() -> None:
    text = str(af.pairs.alignment("東泉都 x Tokyoo", "東京都  Tokio"))
    reference, prediction, signs = text.split("\n")
    assert reference.index("京") == prediction.index("泉")
    assert signs.index("S") == terminal_width(reference[: reference.index("京")])


def test_text_that_runs_from_right_to_left_keeps_its_columns() -> None:
    lines = str(af.pairs.alignment("שלום עולמ", "שלום עולם")).split("\n")
    assert lines[0] == "REF: \u202dשלום עולם\u202c"  # noqa: RUF001
    assert lines[2] == " " * 13 + "S"
    assert '<td class="text" dir="auto"' in af.pairs.alignment("שלום", "שלוט").to_html()


def test_long_equal_stretches_can_be_left_out() -> None:
    aligned = af.pairs.alignment(
        "a" * 500 + "x" + "b" * 500 + "y" + "c" * 500, "a" * 500 + "b" * 500 + "c" * 500
    )
    assert aligned.to_text(context=2).split("\n")[1] == "HYP: …aaxbb…bbycc…"
    assert repr(af.pairs.alignment("ab", "b")) == "<Alignment prediction='ab', reference='b', distance=1>"
    assert len(repr(aligned)) < 120
    assert HtmlPage(aligned.to_html()).texts("td.text")[1] == aligned.prediction


def test_a_notebook_shows_the_lines_with_errors() -> None:
    page = HtmlPage(af.pairs.alignment("one\ntvvo\nthree", "one\ntwo\nthree")._repr_html_())
    alone = HtmlPage(af.pairs.alignment("same", "same")._repr_html_())

    assert page.texts("td.text") == ["two", "tvvo"]
    assert alone.texts("td.text") == ["same", "same"]


@given(strategies.nearby_texts(2))
def test_html_holds_both_texts_and_marks_their_differences(texts: tuple[str, str]) -> None:
    aligned = af.pairs.alignment(*texts)
    page = HtmlPage(aligned.to_html())
    cells = page.find("td.text")
    for line, *pair in zip(aligned.by_line(), cells[::2], cells[1::2], strict=True):
        for side, cell in enumerate(pair, 1):
            text = "".join(segment[side] for segment in line.segments)
            if text and text.isascii() and text.isprintable():
                assert cell.text.replace("␣", " ") == text
            assert len(cell.find(*MARKS)) == sum(
                segment.op != "equal" and segment[side] != "" for segment in line.segments
            )
        # What is not marked is the same in both.
        plain = ["".join(text for tag, text in cell.pieces if tag not in (*MARKS, "i")) for cell in pair]
        assert plain[0] == plain[1]
    assert bool(page.find(*MARKS)) == (aligned.distance > 0)


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "&lt;", "a\0b\u202ec"]
)
def test_hostile_text_is_shown_and_does_nothing(text: str) -> None:
    for aligned in (
        af.pairs.alignment(text, ""),
        af.pairs.alignment("", text),
        af.pairs.alignment(text, text),
    ):
        html = aligned.to_html()
        page = HtmlPage(html)
        assert "script" not in page.tags
        assert "img" not in page.tags
        assert not set(html + str(aligned)) & {"\0", "\u202e"}


def test_what_is_no_text_or_no_width_is_refused() -> None:
    with pytest.raises(TypeError, match="prediction must be a string or a sequence of strings, got NoneType"):
        af.pairs.alignment(None, "a")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="reference must be a string or a sequence of strings, got int"):
        af.pairs.alignment("a", 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="width must be an integer of at least 15"):
        af.pairs.alignment("a", "b").to_text(14)
    with pytest.raises(ValueError, match="context"):
        af.pairs.alignment("a", "b").to_text(context=-1)


def test_more_tokens_than_there_are_characters_below_the_surrogates() -> None:
    left = [str(number) for number in range(60_000)]
    assert af.pairs.edit_distance(left, [*left[:-1], "x"]) == 1

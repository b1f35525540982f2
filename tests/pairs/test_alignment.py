"""Alignments show both texts whole, in order and in columns, whatever is in them."""

from __future__ import annotations

import itertools
import unicodedata
from html.parser import HTMLParser

import polars as pl
import pytest
import strategies
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


class Reader(HTMLParser):
    """Tags, and the texts of the cells with what is marked in them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.marked: list[list[str]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert all(name in {"class", "dir", "style", "title"} for name, _ in attrs)
        if tag == "td":
            self.cells.append("")
            self.marked.append([])

    def handle_data(self, data: str) -> None:
        if self.tags[-1] != "th":
            self.cells[-1] += data
            if self.tags[-1] in {"mark", "ins", "del"}:
                self.marked[-1].append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in {"mark", "ins", "del", "th"}:
            self.tags.append(f"/{tag}")


@given(strategies.nearby_texts(2))
def test_the_edits_are_those_of_the_expression(texts: tuple[str, str]) -> None:
    aligned = af.alignment(*texts)
    frame = pl.DataFrame([texts], schema=["prediction", "reference"], orient="row")
    edits = frame.select(af.edit_ops("prediction", "reference"))["edit_ops"].to_list()[0]
    assert [edit._asdict() for edit in aligned.edits] == edits
    assert aligned.to_polars().to_dicts() == edits
    assert aligned.distance == Levenshtein.distance(*texts)


@given(strategies.nearby_texts(2))
def test_segments_hold_both_texts(texts: tuple[str, str]) -> None:
    segments = list(af.alignment(*texts).segments())
    assert ("".join(one.prediction for one in segments), "".join(one.reference for one in segments)) == texts
    for one, other in itertools.pairwise(segments):
        assert one.op != other.op
    for one in segments:
        assert bool(one.reference) == (one.op != "insert")
        assert bool(one.prediction) == (one.op != "delete")
        assert (one.reference == one.prediction) == (one.op == "equal")


@given(strategies.nearby_texts(2), st.integers(15, 100), st.none() | st.integers(0, 5))
def test_lines_are_columns_within_the_width(texts: tuple[str, str], width: int, context: int | None) -> None:
    lines = af.alignment(*texts).to_text(width, context=context).replace("\u202d", "").replace("\u202c", "")
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
    text = str(af.alignment("東泉都 x Tokyoo", "東京都  Tokio"))
    reference, prediction, signs = text.split("\n")
    assert reference.index("京") == prediction.index("泉")
    assert signs.index("S") == terminal_width(reference[: reference.index("京")])


def test_text_that_runs_from_right_to_left_keeps_its_columns() -> None:
    lines = str(af.alignment("שלום עולמ", "שלום עולם")).split("\n")
    assert lines[0] == "REF: \u202dשלום עולם\u202c"  # noqa: RUF001
    assert lines[2] == " " * 13 + "S"
    assert '<bdi dir="auto"' in af.alignment("שלום", "שלוט").to_html()


def test_long_equal_stretches_can_be_left_out() -> None:
    aligned = af.alignment("a" * 500 + "x" + "b" * 500 + "y" + "c" * 500, "a" * 500 + "b" * 500 + "c" * 500)
    assert aligned.to_text(context=2).split("\n")[1] == "HYP: …aaxbb…bbycc…"
    assert len(aligned._repr_html_()) < 2_000
    assert Reader(aligned.to_html(context=2)).cells[1] == "…aaxbb…bbycc…"
    assert Reader(aligned.to_html()).cells[1] == aligned.prediction


@given(strategies.nearby_texts(2))
def test_html_holds_both_texts_and_marks_their_differences(texts: tuple[str, str]) -> None:
    aligned = af.alignment(*texts)
    page = Reader(aligned.to_html())
    assert set(page.tags) <= {
        *("div", "table", "tbody", "tr", "th", "td", "bdi", "mark", "ins", "del"),
        *("/mark", "/ins", "/del", "/th"),
    }
    for cell, marked, text, op in zip(
        page.cells, page.marked, (aligned.reference, aligned.prediction), ("insert", "delete"), strict=True
    ):
        if text.isascii() and text.isprintable():
            assert cell.replace("␣", " ") == text
        assert len(marked) == sum(one.op not in {"equal", op} for one in aligned.segments())


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "&lt;", "a\0b\u202ec"]
)
def test_hostile_text_is_shown_and_does_nothing(text: str) -> None:
    for aligned in (af.alignment(text, ""), af.alignment("", text), af.alignment(text, text)):
        html = aligned.to_html()
        page = Reader(html)
        assert "script" not in page.tags
        assert "img" not in page.tags
        assert not set(html + str(aligned)) & {"\0", "\u202e"}


def test_what_is_no_text_or_no_width_is_refused() -> None:
    with pytest.raises(TypeError, match="prediction must be a string, got NoneType"):
        af.alignment(None, "a")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="reference must be a string, got int"):
        af.alignment("a", 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="width must be an integer of at least 15"):
        af.alignment("a", "b").to_text(14)
    with pytest.raises(ValueError, match="context"):
        af.alignment("a", "b").to_text(context=-1)

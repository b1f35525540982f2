"""Alignments line by line: every line is there, whole, beside what was read of it, whatever is in it."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from hostile_texts import KINDS
from html_pages import HtmlPage
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

import anls_frame as af
from anls_frame._text import text_width
from anls_frame.pairs.units import clusters

Found = list[tuple[int | None, int | None, str, str, int]]


def lines(prediction: str, reference: str, *, only_errors: bool = False) -> Found:
    return [line[:5] for line in af.pairs.alignment(prediction, reference).by_line(only_errors=only_errors)]


@given(st.text("ab \n", max_size=30), st.text("ab \n", max_size=30))
@example("a\nb\nc", "a\nc")
@example("a", "a\nb\nc")
@example("\n", "")
def test_every_line_is_there_once(prediction: str, reference: str) -> None:
    found = lines(prediction, reference)
    expected = reference.removesuffix("\n").split("\n") if reference else []

    assert [line[2] for line in found if line[0] is not None] == expected
    assert [line[0] for line in found if line[0] is not None] == [*range(1, len(expected) + 1)]
    assert "".join(line[3] for line in found).replace("\n", "") == prediction.replace("\n", "")
    assert sum(line[4] for line in found) == Levenshtein.distance(prediction, reference)
    assert lines(prediction, reference, only_errors=True) == [line for line in found if line[4]]
    read = [line[1] for line in found if line[1] is not None]
    assert read == sorted(read)


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("", "", []),
        ("a\n\nb", "a\n\nb", [(1, 1, "a", "a", 0), (2, 2, "", "", 0), (3, 3, "b", "b", 0)]),
        (
            "one\nthree",
            "one\ntwo\nthree",
            [(1, 1, "one", "one", 0), (2, None, "two", "", 4), (3, 2, "three", "three", 0)],
        ),
        (
            "one\ntwo\nthree",
            "one\nthree",
            [(1, 1, "one", "one", 0), (None, 2, "", "two", 4), (2, 3, "three", "three", 0)],
        ),
        (
            "one\n\n\ntwo",
            "one\ntwo",
            [(1, 1, "one", "one", 0), (None, 2, "", "", 1), (None, 3, "", "", 1), (2, 4, "two", "two", 0)],
        ),
        ("one two", "one\ntwo", [(1, 1, "one", "one ", 1), (2, 1, "two", "two", 0)]),
        ("one\ntwo", "one two", [(1, 1, "one two", "one\ntwo", 1)]),
        ("one\ntwo", "one", [(1, 1, "one", "one", 1), (None, 2, "", "two", 3)]),
        ("one", "one\ntwo", [(1, 1, "one", "one", 1), (2, None, "two", "", 3)]),
    ],
)
def test_lines_stand_beside_what_was_read_of_them(prediction: str, reference: str, expected: Found) -> None:
    assert lines(prediction, reference) == expected


TEXTS = st.lists(st.text("abc", min_size=1, max_size=2), max_size=24).flatmap(
    lambda words: st.lists(st.sampled_from(" \n"), min_size=len(words), max_size=len(words)).map(
        lambda ends: "".join(map(str.__add__, words, ends))
    )
)
ORDERS = st.lists(st.integers(0, 2), min_size=1, max_size=5)


@given(st.tuples(TEXTS, TEXTS, TEXTS), ORDERS, st.integers(1, 5), st.sampled_from(["codepoint", "grapheme"]))
@example(("a b c d\n", "e f g h\n", ""), [1, 0, 2], 4, "codepoint")
@example(("a b c d\n", "e f g h\n", "i"), [0, 1, 0, 1, 2], 4, "codepoint")
def test_with_blocks_every_line_is_there_once(
    parts: tuple[str, str, str], order: list[int], min_words: int, unit: str
) -> None:
    prediction, reference = "".join(parts[part] for part in order), "".join(parts)
    protocol = af.PROTOCOLS["raw"].replace(unit=unit)
    found = af.pairs.alignment(prediction, reference, protocol=protocol).by_line(min_words=min_words)
    expected = reference.removesuffix("\n").split("\n") if reference else []
    frame = pl.DataFrame({"p": [prediction], "r": [reference]})
    counts = frame.select(af.page_errors("p", "r", protocol=protocol, min_words=min_words)).item()

    assert [line.reference for line in found if line.reference_line is not None] == expected
    assert "".join(line.prediction for line in found).replace("\n", "") == prediction.replace("\n", "")
    segments = [segment for line in found for segment in line.segments]
    for kind in ("repeated", "fabricated"):
        assert sum(len(segment.prediction) for segment in segments if segment.op == kind) == counts[kind]
    if counts["moved"] + counts["repeated"] == 0:
        assert sum(line.edits for line in found) == Levenshtein.distance(prediction, reference)
    else:
        assert any(segment.op.startswith(("moved", "repeated")) for segment in segments)


@pytest.mark.parametrize(
    "expected",
    [
        ["a", "b"],
        ["e\u0301", "e"],
        ["\u0301", "a"],
        ["\r\n", "\n", "\u0301"],
        ["\U0001f469\u200d\U0001f467", "\U0001f469"],
        ["\U0001f44d\U0001f3fd", "!"],
        ["\U0001f1e9\U0001f1ea", "\U0001f1eb\U0001f1f7", "\U0001f1eb"],
        ["\u1112\u1161\u11ab", "\u1100\u1173\u11af", "\uac00\u11a8", "\uac01", "\u1161"],
        ["\u0e19\u0e49\u0e33", "\u0e01"],
        ["\u0915\u094d\u0937", "\u0924\u094d\u0930\u093f"],
        ["\u2764\ufe0f", "\u6f22\U000e0100"],
    ],
)
def test_what_is_read_as_one_character_is_one(expected: Sequence[str]) -> None:
    assert list(clusters("".join(expected))) == expected


def test_a_character_of_several_code_points_differs_as_a_whole() -> None:
    (line,) = af.pairs.alignment("nai\u0308ve e", "naive e\u0301").by_line()

    assert line.edits == 2
    assert [segment for segment in line.segments if segment.op != "equal"] == [
        ("replace", "i", "i\u0308"),
        ("replace", "e\u0301", "e"),
    ]


def test_the_frame_has_the_lines() -> None:
    found = af.pairs.alignment("a\nX", "a\nb").by_line(only_errors=True)
    frame = found.to_polars()

    assert frame.rows() == [(2, 2, "b", "X", 1)]
    assert frame.schema["reference_line"] == pl.Int64
    assert af.pairs.alignment("a", "a").by_line(only_errors=True).to_polars().schema == frame.schema
    assert (len(found), found[0].prediction, found.n_lines) == (1, "X", 2)
    assert repr(found) == "<LineAlignment of 2 lines, 1 with errors>"


def test_text_keeps_words_whole_and_within_the_width() -> None:
    reference = "the quick brown fox jumps over the lazy dog " * 3
    text = af.pairs.alignment(reference.replace("fox", "f0x"), reference + "\nend").by_line().to_text(30)

    for block in text.split("\n\n"):
        words = block.split("\n")[0].split(maxsplit=2)[-1].replace("*", "").split()
        assert set(words) <= {*reference.split(), "1", "end", "␊"}
    assert max(map(text_width, text.split("\n"))) <= 30
    assert "2 REF: end\n- HYP: ***\n       DDD" in text
    with pytest.raises(ValueError, match="width must be an integer of at least 30"):
        af.pairs.alignment("a", "a").by_line().to_text(29)


def test_links_lead_from_one_error_to_the_next_and_back() -> None:
    page = HtmlPage(af.pairs.alignment("a\nX\nc\nY\ne", "a\nb\nc\nd\ne").by_line().to_html(element_id="p<1>"))

    assert page.values("id") == ["p<1>", "p<1>-1", "p<1>-2"]
    assert page.values("href") == ["#p<1>-1", "#p<1>-2", "#p<1>-1"]
    assert "a" not in HtmlPage(af.pairs.alignment("a\nb", "a\nb").by_line().to_html()).tags
    assert len(HtmlPage(af.pairs.alignment("a\nX", "a\nb").by_line()._repr_html_()).values("href")) == 1


def test_a_page_has_the_texts_of_both_sides() -> None:
    added = HtmlPage(af.pairs.alignment("one tvvo\nand\nthree", "one two\nthree").by_line().to_html())
    page = HtmlPage(af.pairs.alignment("one", "one\n\nlast").by_line().to_html(style=False))

    assert added.texts("td") == [
        *("1", "one two", "1", "one tvvo", "↓"),
        *("", "not in the reference", "2", "and↵", "↑"),
        *("2", "three", "3", "three", ""),
    ]
    assert page.texts("td") == [
        *("1", "one↵", "1", "one", "↓"),
        *("2", "↵", "", "not read", "↓"),
        *("3", "last", "", "not read", "↑"),
    ]
    assert "style" not in page.tags


LEFT, RIGHT, END = "one two three four five", "six seven eight nine ten eleven", "the last line of all"


def test_blocks_are_named_and_moved_ones_linked_with_their_place() -> None:
    invented = "QUITE ANOTHER TEXT STANDS HERE"
    read = f"{RIGHT}\n{LEFT}\n{invented}\n{END}\n{END}"
    page = af.pairs.alignment(read, f"{LEFT}\n{RIGHT}\n{END}").by_line(min_words=4)
    html = HtmlPage(page.to_html(element_id="p"))
    ops = [segment.op for line in page for segment in line.segments if segment.op != "equal"]

    assert ops == [
        "moved away from line 1 to line 2",
        "moved from line 1 to line 2",
        "fabricated",
        "repeated",
    ]
    assert [text for text in html.texts("b") if text] == [
        *("moved to line 2", "moved from line 1", "fabricated", "repeated"),
    ]
    linked = [link for link in html.values("href") if link.startswith(("#p-from", "#p-to"))]
    assert linked == ["#p-to-1-2", "#p-from-1-2"]
    assert {link[1:] for link in html.values("href")} <= {*html.values("id")}
    assert "MMMMM" in page.to_text()


def test_blocks_need_texts_and_a_number_of_words() -> None:
    with pytest.raises(ValueError, match="min_words must be left out for tokens"):
        af.pairs.alignment(["a"], ["b"]).by_line(min_words=4)
    with pytest.raises(ValueError, match="min_words must be an integer of at least 1"):
        af.pairs.alignment("a", "b").by_line(min_words=0)


@pytest.mark.parametrize(
    "text", [*KINDS["markup"], "a\0b\u202ec\u2028\x9b", "\u05e9\u05dc\u05d5\u05dd", "x" * 5_000, "</style>"]
)
def test_hostile_text_is_shown_and_does_nothing(text: str) -> None:
    for pair in ((text, ""), ("", text), (f"a\n{text}\nb", f"a\n{text}x\nb")):
        html = af.pairs.alignment(*pair).by_line().to_html()
        page = HtmlPage(html)
        assert page.tags <= {
            *("div", "style", "a", "table", "thead", "tbody", "tr", "th", "td"),
            *("i", "mark", "ins", "del", "wbr"),
        }
        assert page.names <= {"class", "dir", "id", "href", "title", "aria-label"}
        assert not set(html) & set("\0\u202e\u2028\x9b")


def test_a_report_shows_its_worst_pages_line_by_line(tmp_path: Path) -> None:
    frame = pl.DataFrame({"page": ["p1", "p2"], "read": ["a\nXb\nc", "a x"], "truth": ["a\nb\nc", "a b"]})

    af.report(frame, "read", "truth", metrics="cer_mean", worst=2, keep="page").write(
        tmp_path / "report.html"
    )

    html = (tmp_path / "report.html").read_text("utf-8")
    assert ">p2: CER 33.3 %" in html
    assert html.count('<div class="anls-lines"') == 2
    assert '<td class="no">2</td><td class="text" dir="auto"><ins title="insert">X</ins>b</td>' in html


def test_copies_of_lines_with_a_moved_block_link_both_places() -> None:
    lines = af.pairs.alignment("e f g h\na b c d e", "a b c d e\ne f g h").by_line(min_words=4)
    shown = lines.to_html(element_id="p")
    assert shown.count('href="#p-to-2-1"') == shown.count('id="p-to-2-1"') == 1
    for copied in (copy.deepcopy(lines), pickle.loads(pickle.dumps(lines))):  # noqa: S301
        assert copied.to_html(element_id="p") == shown

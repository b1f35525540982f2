"""A page that a kernel follows: what it says becomes frames, and whatever else is said is refused."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hostile_texts import HOSTILE_TEXTS
from polars.testing import assert_frame_equal
from rows_pages import ReadPage
from traitlets import TraitError

import anls_frame as af
from anls_frame.analysis.browsing import RowsPage
from anls_frame.analysis.rows_widget import RowsWidget

QUESTIONS = af.sample()
# Saved by a page with these ids.
SAVED = """\
{"id":10110,"row":9,"verdict":"our_error","score":"anls","digest":"5c7dd6816c31c222"}
{"id":10114,"row":13,"verdict":"answer_wrong","score":"anls","digest":"1bcb3e09dd949cd9"}
"""
GIVEN = {"our_error": [9], "answer_wrong": [13]}


def browsed(frame: Any = QUESTIONS, **options: Any) -> RowsPage:
    return af.browse(frame, "tesseract", "answers", id="question_id", **options)


@pytest.fixture(scope="module")
def page() -> RowsPage:
    return browsed()


def said(widget: RowsWidget, state: Mapping[str, Any]) -> None:
    """Tell the widget what a browser says, over its comm."""
    data = {"method": "update", "state": dict(state), "buffer_paths": []}
    widget.comm.handle_msg({"content": {"comm_id": widget.comm.comm_id, "data": data}, "buffers": []})


def state_of(widget: RowsWidget, name: str) -> str:
    return str(widget.get_state()[name])


def whole_page(widget: RowsWidget) -> str:
    """Return the page that a live notebook shows, with all its rows."""
    found = re.fullmatch(r'<iframe name="\w+" srcdoc="([^"]*)" [^>]*></iframe>', state_of(widget, "_frame"))
    assert found is not None
    return html.unescape(found[1])


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "verdicts.jsonl"
    path.write_text(SAVED, encoding="utf-8")
    return path


def test_verdicts_are_those_of_the_file_that_the_page_saves(saved: Path, page: RowsPage) -> None:
    expected = af.readers.read_verdicts(saved, page)
    widget = page.widget()
    assert widget.verdicts.is_empty()
    assert widget.verdicts.schema == expected.with_columns(id=pl.lit(None, pl.String)).schema

    said(widget, {"_verdicts": GIVEN})

    assert_frame_equal(widget.verdicts, expected)
    assert_frame_equal(page.widget(expected).verdicts, expected)
    options = {"prediction": "tesseract", "answers": "answers", "id": "question_id"}
    assert_frame_equal(
        af.readers.judged(QUESTIONS, widget.verdicts, **options),
        af.readers.judged(QUESTIONS, expected, **options),
    )


@pytest.mark.parametrize("ids", ["text", "float", "date", None])
def test_ids_are_those_of_the_file_that_the_page_saves(ids: str | None, tmp_path: Path) -> None:
    """The page writes what scripts make of its values: 7.0 is 7, and dates are texts."""
    frame = pl.DataFrame(
        {
            "prediction": ["a", "b"],
            "answers": ["a", "c"],
            "text": ["7", "ü"],
            "float": [7.0, 0.5],
            "date": pl.Series(["2026-02-28", "2026-03-01"]).str.to_date(),
            "epoch": [1, 2],
            "system": ["x", "y"],
        }
    )
    page = af.browse(frame, "prediction", "answers", id=ids)
    written = {"text": ['"7"', '"ü"'], "float": ["7", "0.5"], "date": ['"2026-02-28"', '"2026-03-01"']}
    named = zip(written.get(str(ids), ["null"] * 2), ("x", "y"), page.digests([0, 1]), strict=True)
    lines = [
        f'{{"id":{id_},"system":"{system}","epoch":{row + 1},"row":{row},'
        f'"verdict":"format","score":"anls","digest":"{digest}"}}'
        for row, (id_, system, digest) in enumerate(named)
    ]
    (tmp_path / "verdicts.jsonl").write_text("\n".join(lines), encoding="utf-8")
    widget = page.widget()

    said(widget, {"_verdicts": {"format": [1, 0]}})

    expected = af.readers.read_verdicts(tmp_path / "verdicts.jsonl", page)
    assert_frame_equal(widget.verdicts.sort("row"), expected)


def test_frames_are_of_the_kind_of_the_page() -> None:
    asked = {"_verdicts": GIVEN, "_selected": [0, 3, 9]}
    expected = QUESTIONS[[0, 3, 9]]
    indexed = QUESTIONS.to_pandas().set_index("question_id")
    for frame in (QUESTIONS, QUESTIONS.lazy(), QUESTIONS.to_arrow(), indexed):
        widget = browsed(frame).widget()
        every = widget.selected
        said(widget, asked)
        judged = af.readers.judged(frame, widget.verdicts, "tesseract", "answers", id="question_id")
        if isinstance(frame, pd.DataFrame):
            pd.testing.assert_frame_equal(widget.selected, indexed.iloc[[0, 3, 9]])
            pd.testing.assert_frame_equal(every, indexed)
        else:
            assert isinstance(widget.selected, pa.Table if isinstance(frame, pa.Table) else pl.DataFrame)
            assert_frame_equal(pl.DataFrame(widget.selected), expected)
        assert pl.DataFrame(widget.verdicts)["row"].to_list() == [9, 13]
        assert pl.DataFrame(judged)["verdict"].to_list() == ["our_error", "answer_wrong"]


def test_selected_are_the_rows_of_the_page() -> None:
    """The rows that were drawn, or the worst ones, and not all of the frame."""
    drawn = browsed(n=5)
    widget = drawn.widget()
    assert_frame_equal(widget.selected, QUESTIONS[sorted(rows_of(drawn))])
    said(widget, {"_selected": []})
    assert_frame_equal(widget.selected, QUESTIONS.clear())


def rows_of(page: RowsPage) -> list[int]:
    return ReadPage(whole_page(page.widget())).column("row")


@pytest.mark.parametrize(
    "state",
    [
        {"_verdicts": {"our_error": [1624]}},
        {"_verdicts": {"our_error": [True]}},
        {"_verdicts": {"our_error": [1.0]}},
        {"_verdicts": {"our_error": [1, 1]}},
        {"_verdicts": {"our_error": [1], "format": [1]}},
        {"_verdicts": {"our_error": "123"}},
        {"_verdicts": {"our_error": None}},
        {"_verdicts": {"wrong": [1]}},
        {"_verdicts": [["our_error", [1]]]},
        {"_verdicts": None},
        {"_selected": [0, 0]},
        {"_selected": [None]},
        {"_selected": "all"},
        {"_selected": list(range(2_000_000))},
        {"_frame": "<img src=x onerror=alert(1)>"},
        {"_name": "other"},
        {"_rows": 0},
    ],
    ids=lambda state: json.dumps(state)[:60],
)
def test_what_a_page_does_not_say_is_refused(page: RowsPage, state: dict[str, Any]) -> None:
    widget = page.widget()
    said(widget, {"_verdicts": GIVEN, "_selected": [4, 9]})
    before = widget.get_state()

    # Over the comm, the notebook shows the error; here it is raised.
    with pytest.raises(TraitError, match=r"expected|must be by|a browser must not"):
        widget.set_state(state)

    assert widget.get_state() == before
    assert widget.verdicts["row"].to_list() == [9, 13]
    assert widget.selected.height == 2


def test_verdicts_of_other_rows_are_refused(saved: Path, page: RowsPage) -> None:
    verdicts = af.readers.read_verdicts(saved)
    for wrong in (verdicts.with_columns(row=pl.col("row") + 1), verdicts.with_columns(row=5_000)):
        with pytest.raises(
            ValueError, match=r"verdicts: row \d+ is not on the page, or its texts have changed"
        ):
            page.widget(wrong)


def test_what_a_notebook_keeps_is_the_page() -> None:
    for frame, more in (
        (QUESTIONS.head(50), ""),
        (pl.concat([QUESTIONS] * 2), "<p>The first 2,000 of 3,248 rows;"),
    ):
        page = browsed(frame)
        widget = page.widget()
        data, _ = widget._repr_mimebundle_(include=None, exclude=None)
        assert set(data) == {"text/html", "text/plain"}
        named = f'<iframe name="{state_of(widget, "_name")}" '
        assert data["text/html"].startswith(named)
        shown = data["text/html"].replace(named, "<iframe ")
        assert shown.partition("<p>")[0] == page._repr_html_().partition("<p>")[0]
        assert shown.partition("</iframe>")[2].startswith(more)
        # Where models are shown alone, and where there is a kernel, it has all rows.
        assert len(ReadPage(whole_page(widget)).column("row")) == frame.height


def test_hostile_texts_stay_within_the_frame() -> None:
    texts = list(HOSTILE_TEXTS)
    frame = pl.DataFrame({"a": texts, "b": [[text] for text in texts], "<b>": texts})
    widget = af.browse(frame, "a", "b", by="<b>", id="a").widget()
    for markup in (widget._repr_mimebundle_()[0]["text/html"], state_of(widget, "_frame")):
        assert [one.tag for one in ReadPage(markup).inside] == ["iframe"]
    widget.set_state({"_verdicts": {"format": list(range(len(texts)))}})
    assert widget.verdicts["id"].to_list() == texts


def test_the_front_end_can_be_written_in_one_line(page: RowsPage) -> None:
    script = state_of(page.widget(), "_esm")
    assert "\n" not in script
    assert "//" not in script
    assert "/*" not in script


def test_without_anywidget_an_error_says_how_to_install_it() -> None:
    code = (
        "import sys; sys.modules['anywidget'] = None\n"
        "import polars as pl, anls_frame as af\n"
        "page = af.browse(pl.DataFrame({'a': ['x'], 'b': ['y']}), 'a', 'b')\n"
        "page._repr_html_()\n"
        "try:\n    page.widget()\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - our own
    assert done.stdout == 'widgets need anywidget: pip install "anls-frame[widget]"\n'

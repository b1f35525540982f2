"""Tables for terminals: never wider than one, with points below each other, and what had no room is named."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import shell
from counted import Counted, operations_of

import anls_frame as af
from anls_frame._text import text_width
from anls_frame.export import Table
from anls_frame.export.columns import of_kinds
from anls_frame.export.display import Cell, ShownColumn, ShownRow, display_table
from anls_frame.export.terminal import table_text, wrapped

DATA = Path(__file__).parents[2] / "data"
WIDTHS = (80, 100, 120, 160)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions and pages of the sample data, and a board of 20 systems."""
    folder = tmp_path_factory.mktemp("files")
    questions = af.sample().head(400)
    for engine in ("tesseract", "rapidocr"):
        kept = questions.select(*("question_id", "doc_id", "lang", "answers"), prediction=engine)
        kept.write_ndjson(folder / f"{engine}.jsonl")
    pages = af.sample("pages").head(40)
    pages.select("lang", "doc_id", answers="reference", prediction="tesseract").write_ndjson(
        folder / "pages.jsonl"
    )
    dice = np.random.default_rng(0)
    board = {f"vendor/some-model-{place:02d}-instruct": dice.random(120) for place in range(20)}
    pl.DataFrame(board).with_columns(kind=pl.Series([*"abcdefgh"] * 15)).write_parquet(
        folder / "board.parquet"
    )
    return folder


def of_systems(folder: Path) -> list[str]:
    names = [name for name in pl.read_parquet_schema(folder / "board.parquet") if name != "kind"]
    return ["board.parquet", "--systems", ",".join(names), "--scores", "-b", "kind"]


COMMANDS: dict[str, Sequence[str]] = {
    "report": ("report", "tesseract.jsonl", "-b", "lang", "-c", "doc_id", "--macro", "--percent"),
    "rows": ("report", "tesseract.jsonl", "--worst", "3", "--details", "--keep", "question_id"),
    "pages": ("report", "pages.jsonl", "-m", "ocr", "-b", "lang", "--worst", "2"),
    "two": ("compare", "tesseract.jsonl", "rapidocr.jsonl", "-b", "lang", "-m", "anls", "-m", "cer_corpus"),
    "details": ("compare", "tesseract.jsonl", "rapidocr.jsonl", "--details"),
    "slices": ("slices", "tesseract.jsonl", "-c", "doc_id"),
    "changes": ("changes", "tesseract.jsonl", "rapidocr.jsonl"),
    "doctor": ("doctor",),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [*COMMANDS, "board"])
def test_no_line_is_wider_than_the_terminal(name: str, width: int, files: Path) -> None:
    arguments = COMMANDS.get(name) or ["compare", *of_systems(files)]
    done = shell.run(files, *arguments, COLUMNS=str(width))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(text_width, lines)) <= width
    # Columns that are not there are named.
    heads = [line.count("┆") for line in lines if line.startswith("│")]
    assert (name != "two") or ("No room for: " in done.stdout) == (min(heads) < 8)


def shown(values: Sequence[Any], kind: Any, ends: Sequence[tuple[Any, Any]] = ()) -> list[str]:
    frame = pl.DataFrame({"system": ["x"] * len(values), "figure": values}, strict=False)
    if ends:
        frame = frame.with_columns(pl.DataFrame(ends, schema=["figure_low", "figure_high"], orient="row"))
    kinds = dict.fromkeys(frame.columns[1:], kind)
    lines = table_text(*display_table(Table("t", frame, of_kinds(kinds))), None).splitlines()
    return [line.split("┆")[1].strip("│")[1:-1] for line in lines if line.startswith("│")][1:]


def test_decimal_points_stand_below_one_another() -> None:
    figures = shown([1234.5, 0.25, 12.0, None], "number")
    assert len({text.index(".") for text in figures if "." in text}) == 1
    assert [text.strip() for text in figures] == ["1234", "0.25", "12", "–"]  # noqa: RUF001 - of no value
    assert figures[0].index("4") == figures[1].index("0")
    differences = shown([-0.0003, 0.25, 0.0], "difference", [(-0.001, 0.0), (0.2, 0.3), (None, None)])
    assert [text.split() for text in differences] == [
        ["-0.0003", "[-0.001,", "0.000]"],
        ["+0.250", "[+0.200,", "+0.300]"],
        ["0.000", "[–]"],  # noqa: RUF001 - of no value
    ]
    assert len({text.index(".") for text in differences}) == 1


def test_long_lines_break_between_words_and_lose_nothing() -> None:
    text = "a sentence with 会議用机 and " + "x" * 90 + " " + "中" * 50
    for most in (1, 2, 3, 20, 40, 79):
        lines = wrapped(text, most).split("\n")
        assert max(map(text_width, lines)) <= max(most, 2)  # one letter may have two columns
        assert re.sub(r"\s", "", "".join(lines)) == text.replace(" ", "")
    assert wrapped(text, None) == text


def test_the_parts_of_an_indented_line_are_indented() -> None:
    assert wrapped("  one two three", 10) == "  one two\n  three"
    assert wrapped("  one two", 10) == "  one two"


def test_bytes_are_shown_as_python_writes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"p": ["a", "b"], "a": ["b", "b"], "k": [b"\xff\x01", b"abc"]})
    frame = frame.with_columns(q="p")
    monkeypatch.delenv("COLUMNS", raising=False)

    for result in (
        af.report(frame, "p", "a", by="k"),
        af.compare(frame, {"old": "p", "new": "q"}, "a", by="k"),
    ):
        for shown in (str(result), html.unescape(result._repr_html_())):
            assert "b'abc'" in shown
            assert r"b'\xff\x01'" in shown


def test_twice_as_many_rows_need_twice_as_many_looks_at_their_intervals() -> None:
    column = ShownColumn("anls", "ANLS", "score")

    def shown(length: int) -> str:
        cell = Cell("1.0", "plain", (1.0,), Counted(""))
        return table_text([column], [ShownRow([cell], is_overall=False)] * length, None)

    once, twice = (operations_of(lambda length=length: shown(length)) for length in (200, 400))

    assert 0 < twice <= 2 * once


def test_slices_without_an_interval_have_one_line_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    spoken = pl.DataFrame({"a": ["one two three", "no"] * 30, "p": ["one too", "no"] * 30})
    rows = spoken.with_columns(speaker=pl.Series(["Ada", "Ben", "Eve"] * 20))
    text = af.report(rows, "p", "a", by="speaker", cluster="speaker", metrics="speech").to_text()

    # Each speaker is a single document; only all rows have an interval, which has no room beside the figure.
    lines = [[part.strip() for part in line.strip("│").split("┆")] for line in text.splitlines()]
    every = next(index for index, line in enumerate(lines) if line[0] == "all rows")
    assert (lines[every][2], lines[every + 1][2]) == ("50.0 %", "[50.0, 50.0]")
    assert [(line[0], line[2]) for line in lines[every + 2 : every + 5]] == [
        (name, "50.0 % [–]")  # noqa: RUF001 - of no value
        for name in ("Ada", "Ben", "Eve")
    ]


def test_names_stay_whole_while_columns_that_matter_less_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    names = ["line_items[].description", "line_items[].unit_price"]
    rows = pl.DataFrame({"field": names * 30, "a": "1", "p": ["1", "2"] * 30})
    lines = af.report(rows, "p", "a", by="field", metrics="fields").to_text().splitlines()

    assert max(map(text_width, lines)) <= 100
    assert all(name in "\n".join(lines) for name in (*names, "F1", "missing", "invented"))
    assert "No room for: precision, recall, wrong." in lines
    # An interval is kept where the score is the only one.
    alone = af.report(rows, "p", "a", by="field", metrics="field_f1").to_text()
    assert re.search(r"0\.\d{3} \[0\.\d{3}, 0\.\d{3}\]", alone)


def test_a_row_that_is_too_wide_has_a_row_for_each_of_its_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    rows = pl.DataFrame({"a": ["one two three"] * 30, "p": ["one too", "one two three four", ""] * 10})
    text = af.report(rows, "p", "a", metrics="speech", protocol="jiwer").to_text()

    assert "No room for" not in text
    shown = dict(
        [part.strip() for part in line.strip("│").split("┆")] for line in text.splitlines() if "┆" in line
    )
    assert shown.keys() == {
        *("slice", "rows", "WER (corpus)", "words subst.", "words deleted", "words inserted"),
        *("CER (corpus)", "substitutions", "deletions", "insertions"),
    }
    # Of 90 words, 10 are read as others, 40 are missing, and 10 are added.
    assert [shown[f"words {kind}"] for kind in ("subst.", "deleted", "inserted")] == [
        "11.1 %",
        "44.4 %",
        "11.1 %",
    ]


@pytest.mark.parametrize("width", [60, 80, 100])
def test_similar_long_names_leave_room_for_scores_and_differ(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    path = "org/team/models/checkpoint-{}/evaluation/results/final-run/output-predictions.jsonl"
    names = [path.format(number) for number in (100, 200)] + ["form", "form ", " form"]
    rows = pl.DataFrame({"a": "x", "p": ["x", "y", "x", "x"] * 5, "g": sorted(names * 4)})

    lines = af.report(rows, "p", "a", by="g").to_text().splitlines()

    cells = [[cell.strip() for cell in line.strip("│").split("┆")] for line in lines if line.startswith("│")]
    assert max(map(text_width, lines)) <= width
    assert cells[0][:3] == ["g", "rows", "ANLS"]
    shown = [name for name, *_ in cells[1:] if name]
    assert shown[0] == "all rows"
    assert sum("point-100/" in name for name in shown) == 1
    assert len({*shown}) == len(shown) == 6
    assert {"form", "form␣", "␣form"} <= {*shown}


def test_similar_long_names_of_systems_differ_in_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    path = "org/team/models/checkpoint-{}/evaluation/results/final-run/output-predictions.jsonl"
    rows = pl.DataFrame({"a": "x", "good": "x", "bad": ["x", "y"] * 10, "worse": "y"})
    systems = {path.format(name): name for name in ("good", "bad", "worse")}

    text = af.compare(rows, systems, "a", draws=19).to_text()

    ranked, key = text.split("Names: ")
    assert re.findall(r"┆ …\S*point-(good|bad|worse)/\S*… +┆ +20", ranked) == ["good", "bad", "worse"]
    assert re.search(r"difference from[^…]+…\S*point-good/", ranked)
    # The key has each short name before the whole one.
    assert re.findall(r"…\S*point-(\w+)/\S*…\s+org/team/models/checkpoint-(\w+)/", key) == [
        *(("good", "good"), ("bad", "bad"), ("worse", "worse")),
    ]


def test_what_cannot_be_seen_has_a_code_and_joiners_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    # A family as one picture, and two letters of Persian that are not joined.
    joined = ["👨\u200d👩\u200d👧", "می\u200cخ"]
    texts = ["zero\u200bwidth", "so\u00adft", "\u2060", "\u200erun", *joined]
    report = af.report(pl.DataFrame({"a": "x", "p": "x", "g": texts}), "p", "a", by="g")

    printed = report.to_text()
    shown = html.unescape(report._repr_html_())

    for text in ("zero⟨U+200B⟩width", "so⟨U+00AD⟩ft", "⟨U+2060⟩", "⟨U+200E⟩run", *joined):
        assert text in printed
        assert text in shown


def test_scores_of_rows_stay_while_their_texts_can_be_cut() -> None:
    texts = ("id", "prediction", "answers")
    frame = pl.DataFrame(
        {
            **{name: [f"{name} {'of a long row ' * 5}{row}" for row in range(3)] for name in texts},
            "anls": [0.5, 0.25, 1.0],
            "cer": [0.5, 0.75, 0.0],
        }
    )
    kinds = dict.fromkeys(texts, "text") | dict.fromkeys(("anls", "cer"), "score")

    shown = table_text(*display_table(Table("Rows", frame, of_kinds(kinds))), 80)

    assert "0.250" in shown
    assert "0.750" in shown
    assert "No room for" not in shown
    assert max(map(text_width, shown.split("\n"))) <= 80
    assert shown.count("id of a long r") == 3


def test_only_what_is_no_data_becomes_ascii_in_an_encoding_without_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the most frequent confusion would read as none: a hyphen in place of a dash."""
    texts = pl.DataFrame({"read": ["10–20", "a │ b", None]})  # noqa: RUF001 - a dash
    table = display_table(
        Table("Rows", texts.with_columns(n=pl.lit(None, pl.Float64)), of_kinds({"n": "score"}))
    )
    assert "┆ –" in table_text(*table, 80)  # noqa: RUF001 - a dash
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    drawn = table_text(*table, 80)
    assert {letter for letter in drawn if not letter.isascii()} == {"–", "│"}  # noqa: RUF001 - a dash
    assert drawn.startswith("+---")

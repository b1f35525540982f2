"""Answers such as `12.50|12.50 EUR` in files: all commands and functions give one figure, and say so."""

from __future__ import annotations

import itertools
import json
import re
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from shell import fine, refused, run

import anls_frame as af

FILE = """id,doc,prediction,other,answers
1,a,12.50 EUR,12.5,12.50|12.50 EUR
2,a,Coke,Pepsi,Coca Cola | Coke
3,b,Paris,Paris,Paris
4,b,x,y,Rome|Roma
"""
SPLIT, WHOLE = 0.75, 0.4
"""
The ANLS by hand: three of four rows have an accepted answer.

As one text, 6 of the 15 characters of the first row are missing (0.6), and 12 of 16 of the second, which is
below 0.5 and counts as 0. The other system has 0.45: it lacks one of five characters in the first row (0.8),
and is right in the third.
"""
SAID = "are split at '|', as '12.50|12.50 EUR' (line 2); each part is accepted. Pass "
ACCOUNT = """answers were split at '|': answers_format="text" reads each text as one answer"""
WITHOUT = ("--reader", "auto,answers_format=text")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    frame = pl.read_csv(FILE.encode())
    (tmp_path / "r.csv").write_text(FILE)
    (tmp_path / "own.py").write_text("from anls_frame import anls as own")
    frame.select("id", "doc", "answers").write_csv(tmp_path / "gold.csv")
    frame.select("id", "prediction").write_ndjson(tmp_path / "p.jsonl")
    frame.select("id", "answers", prediction="other").write_csv(tmp_path / "other.csv")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "pattern"),
    [
        ("score r.csv --json", '"anls": ([.0-9]+)'),
        ("score p.jsonl --gold gold.csv", "ANLS ([.0-9]+)"),
        ("report r.csv", r"all rows ┆ +4\* ┆ ([.0-9]+)"),
        ("report r.csv -m own.py:own -m median:anls", r"all rows ┆ +4\* ┆ ([.0-9]+)"),
        ("report p.jsonl --gold gold.csv --json", '"anls":([.0-9]+)'),
        ("overview r.csv", r"\nANLS ([.0-9]+)"),
        ("overview p.jsonl --gold gold.csv", r"\nANLS ([.0-9]+)"),
        ("browse r.csv -o page.html --force", r"ANLS ([.0-9]+) over 4 rows"),
        ("compare r.csv --systems other,prediction", r"all rows ┆ +4\* ┆ 0\.\d+ ┆ +([.0-9]+)"),
        ("compare other.csv r.csv", r"all rows ┆ +4\* ┆ 0\.\d+ ┆ +([.0-9]+)"),
    ],
)
def test_every_command_gives_the_same_figure(folder: Path, command: str, pattern: str) -> None:
    def called(*options: str) -> tuple[float, str, str]:
        done = run(folder, *command.split(), *options)
        printed = fine(done, done.stderr)
        page = folder / "page.html"
        printed += page.read_text(encoding="utf-8") if page.exists() else ""
        [figure, *_] = re.findall(pattern, printed)
        return float(figure), " ".join(printed.split()), done.stderr

    figure, printed, said = called()
    assert figure == pytest.approx(SPLIT)
    # Once of each file.
    assert len({*(warned := re.findall(r"anls-frame: (\S+): .*? are split at", said))}) == len(warned) > 0
    assert SAID in said
    assert "--reader auto,answers_format=text to read each text as one answer" in said
    told = ACCOUNT.replace('answers_format="text"', "--reader auto,answers_format=text")
    assert ("answers:split" if "--json" in command else told) in printed
    figure, printed, said = called(*WITHOUT)
    assert (figure, said) == (pytest.approx(WHOLE), "")
    assert not {"answers:split", "split at"} & {*re.findall("answers:split|split at", printed)}


def test_every_function_gives_the_same_figure(folder: Path) -> None:
    path, gold = folder / "r.csv", folder / "gold.csv"
    whole = {"answers_format": "text"}

    def results(**options: Any) -> dict[str, Any]:
        how, joined = (af.readers.Reading(options=options, **given) for given in ({}, {"gold": gold}))
        rows = af.read_results(path, **options)
        scanned = af.scan_results(path, **options)
        logs = af.read_logs(folder / "p.jsonl", gold=gold, **options)
        columns = af.readers.read_systems([path], systems=["other", "prediction"], **options)
        files = [folder / "other.csv", path]
        return {
            "read_results": af.report(rows, "prediction", "answers"),
            "scan_results": af.report(scanned, "prediction", "answers"),
            "read_logs": af.report(logs, "prediction", "answers"),
            "overview": af.overview(rows),
            "report_files": af.readers.report_files(path, how),
            "report_files with gold": af.readers.report_files(folder / "p.jsonl", joined),
            "compare_files": af.readers.compare_files(files, how),
            "compare": af.compare(columns.frame, columns.systems, "answers"),
        }

    def figure(made: Any) -> float:
        if isinstance(made, af.Comparison):
            return float(made.overall["score"][0])
        return float(made.report.overall["anls"] if hasattr(made, "report") else made.overall["anls"])

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = results()
    assert {name: figure(one) for name, one in made.items()} == dict.fromkeys(made, pytest.approx(SPLIT))
    assert {name for name, one in made.items() if ACCOUNT not in one.account.sentence} == set()
    assert {name for name, one in made.items() if "answers:split" not in one.signature} == set()
    assert {'answers_format="text" to read each text' in str(one.message) for one in caught} == {True}
    # Without a warning, and as before.
    made = results(**whole)
    assert {name: figure(one) for name, one in made.items()} == dict.fromkeys(made, pytest.approx(WHOLE))
    assert {name for name, one in made.items() if "split" in one.account.sentence} == set()


def test_frames_are_not_split_and_warn_once() -> None:
    frame = pl.read_csv(FILE.encode())
    for call, score in (
        (lambda: af.overview(frame, "prediction").report.overall["anls"], WHOLE),
        (lambda: af.report(frame, "prediction", "answers").overall["anls"], WHOLE),
    ):
        with pytest.warns(af.InputWarning, match=r"holds texts with '\|'.*each is scored as one") as warned:
            assert call() == pytest.approx(score)
        assert len(warned) == 1
    parsed = frame.with_columns(af.parse_answers("answers", answers_format="|"))
    assert af.overview(parsed, "prediction").report.overall["anls"] == pytest.approx(SPLIT)


def test_parts_of_which_one_is_split_do_not_add_up(folder: Path) -> None:
    rows = [f"{row},c,x,y,z\n" for row in range(5, 20)]
    (folder / "more.csv").write_text("".join([FILE.splitlines(keepends=True)[0], *rows]))
    told = "summaries with different settings cannot be merged: answers_format ('|' and None)"
    refused(run(folder, "report", "r.csv", "more.csv"), told)
    printed = fine(run(folder, "report", "r.csv", "more.csv", "--reader", "auto,answers_format=|", "--json"))
    assert json.loads(printed)["tables"]["All rows"][0]["n"] == 19


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_notes_name_options_of_the_command_line_and_fit_the_terminal(folder: Path, columns: int) -> None:
    again = pl.read_csv(folder / "r.csv").with_columns(doc_id="doc")
    again.write_csv(folder / "r.csv")
    gate = ("--systems", "prediction,other", "--require-within", "0.01")
    done = run(folder, "compare", "r.csv", *gate, COLUMNS=str(columns))
    assert done.returncode == 3
    for printed in (done.stdout, done.stderr):
        lines = printed.splitlines()
        assert [line for line in lines if len(line) > columns] == []
        # A line ends where the next word has no room.
        for line, following in itertools.pairwise(lines):
            is_sentence = line[0] not in "┌│╞└" and following[0] != "┌" and not line.endswith((".", "|"))
            word = following.split(" ")[0]
            assert not is_sentence or word == "anls-frame:" or len(f"{line} {word}") > columns
    said = " ".join(done.stdout.split())
    assert (
        "answers were split at '|': --reader auto,answers_format=text reads each text as one answer" in said
    )
    assert "they are too narrow and too small. Pass -c doc_id." in said
    # Who reads a file may use Python.
    notes = json.loads(run(folder, "compare", "r.csv", *gate[:2], "--json").stdout)["notes"]
    assert any('Pass cluster="doc_id" (on the command line, -c doc_id).' in note for note in notes)

"""
Texts that models in a loop write, and tables larger than any: each is read, whatever its size.

`.ci/heavy inputs` tries texts of 1 MB, none of which may take ten seconds, and tables that may take longer.
That operations grow in proportion to the input is counted beside the functions that do them.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell
from campaign import amount

import anls_frame as af
from anls_frame.frames import strict_json

SIZE = amount(20_000, 1_000_000)
COLUMNS, SLICES = amount(500, 20_000), amount(500, 60_000)


def repeated(part: str, size: int) -> str:
    return part * (size // len(part))


def around(opening: str, closing: str, inside: str = "4") -> Callable[[int], str]:
    return lambda size: repeated(opening, size // 2) + inside + repeated(closing, size // 2)


TEXTS: dict[str, Callable[[int], str]] = {
    "letters": lambda size: "a" * size,
    "boxes": lambda size: repeated(r"\boxed{", size),
    "nested boxes": around(r"\boxed{", "}"),
    "closed boxes": lambda size: repeated(r"\boxed{}{", size),
    "tags": lambda size: repeated("<think>", size),
    "closed tags": lambda size: repeated("</think>", size),
    "reasoning": lambda size: "a" * (size // 2) + repeated("<think></think>", size // 2),
    "reasoning that joins tags": around("<thi", "nk></think>", "<think></think>"),
    "reasoning of all kinds": lambda size: repeated("<think></think><analysis></analysis>", size),
    "answer tags": around("<answer>", "</answer>"),
    "fences": around("```json\n", "\n```"),
    "backticks": lambda size: "`" * size,
    "markers": lambda size: repeated("\nThe answer is: ", size),
    "emphasis": lambda size: f"Answer: {'*' * size}",
    "quotes": lambda size: '"' * size,
    "apostrophes": lambda size: "'" * size,
    "backslashes": lambda size: "\\" * size,
    "a string of backslashes": lambda size: '"' + "\\\\" * (size // 2) + '"',
    "a string of escapes": lambda size: '"' + repeated(r"\u0041", size) + '"',
    "brackets": lambda size: "[" * size,
    "braces": lambda size: repeated('{"a":', size),
    "lists": lambda size: f"[{repeated('[],', size)}[]]",
    "nested lists": lambda size: "[" * 99 + repeated('"a",', size) + '""' + "]" * 99,
    "keys": lambda size: json.dumps({f"key {number}": number for number in range(size // 16)}),
    "a doubled key": lambda size: (
        "{" + "".join(f'"key {number}": 0, ' for number in range(size // 16)) + '"key 7": 1}'
    ),
    "a printed list": lambda size: f"[{repeated(chr(39) + 'a' + chr(39) + ', ', size)}'a']",
    "a printed list that is open": lambda size: "[" + repeated("'a', ", size),
    "an array": lambda size: f"array([{repeated('], ', size)})",
    "blanks": lambda size: f"['a'{' ' * size}x]",
    "digits": lambda size: f"[{'1' * size}x]",
    "separators": lambda size: repeated("a;", size),
    "lines": lambda size: repeated("\na", size),
    "full stops": lambda size: repeated("a.", size),
}


def value_or_error(function: Callable[[], Any]) -> Any:
    """Return the value of a function, or the message of the error that says why there is none."""
    try:
        return function()
    except (ValueError, RecursionError) as error:
        return f"no value: {error}"


EACH_TEXT = pytest.mark.parametrize("form", TEXTS)


@EACH_TEXT
def test_every_text_is_unwrapped(form: str) -> None:
    text = TEXTS[form](SIZE)

    answer, steps = pl.select(af.unwrap(pl.lit(text)).struct.unnest()).row(0)

    assert len(answer) <= len(text)
    assert (answer == text) == (steps in {None, "unclosed_reasoning"})


@EACH_TEXT
def test_every_text_is_json_or_said_to_be_none(form: str) -> None:
    text = TEXTS[form](SIZE)

    found = value_or_error(lambda: strict_json.parse(text))

    expected = value_or_error(lambda: json.loads(text, parse_int=str))
    if form == "a doubled key":
        assert found == "no value: duplicate key 'key 7'"
    else:
        assert found == expected or {str(value)[:8] for value in (found, expected)} == {"no value"}


@EACH_TEXT
@pytest.mark.filterwarnings("ignore:.*each is scored as it is, with brackets")
def test_every_text_is_read_from_a_file(tmp_path: Path, form: str) -> None:
    text = TEXTS[form](SIZE)
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"prediction": text, "answers": [text], "note": [text]}), encoding="utf-8")

    frame = af.read_results(path)

    assert frame.row(0) == (text, [text], [text])


@EACH_TEXT
def test_every_text_is_one_answer_or_a_list(form: str) -> None:
    text = TEXTS[form](SIZE)

    answers = value_or_error(lambda: af.parse_answers(pl.Series([text])).item().to_list())

    assert answers == [text] or text.startswith(("[", "array"))


@pytest.mark.timeout(120)
@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json", "parquet"])
def test_a_table_may_have_many_columns(tmp_path: Path, suffix: str) -> None:
    frame = pl.DataFrame({f"column {number}": ["a"] for number in range(COLUMNS)})
    frame = frame.with_columns(prediction=pl.lit("a"), answers=pl.lit("a"))
    path = af.write_results(frame, tmp_path / f"wide.{suffix}")

    read = af.read_results(path)

    assert read.width == COLUMNS + 2
    assert af.report(read, "prediction", "answers", by="column 1").overall["n"] == 1


@pytest.mark.timeout(120)
def test_confusions_of_many_slices_are_printed(tmp_path: Path) -> None:
    names = [f"slice {number}" for number in range(SLICES)]
    rows = pl.DataFrame(
        {"prediction": "cat", "answers": "cut", "k": names}, schema_overrides={"k": pl.String}
    )
    rows.write_parquet(tmp_path / "rows.parquet")

    printed = shell.fine(shell.run(tmp_path, "confusions", "rows.parquet", "-b", "k"))

    assert printed.count(" ┆ replace ┆ ") == SLICES


def test_a_compressed_file_may_be_padded(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"prediction,answers\na,a\n") + bytes(SIZE))

    assert af.read_results(path).height == 1


@pytest.mark.parametrize("form", ["letters", "quotes", "lines"])
@pytest.mark.parametrize("width", ["1", "2"])
def test_any_terminal_is_wide_enough(tmp_path: Path, form: str, width: str) -> None:
    texts = {"prediction": ["é" * 100], "answers": ["中" * 100], "k": [TEXTS[form](SIZE)]}
    pl.DataFrame(texts).write_parquet(tmp_path / "rows.parquet")

    shell.fine(shell.run(tmp_path, "report", "rows.parquet", "-b", "k", "--worst", "1", COLUMNS=width))

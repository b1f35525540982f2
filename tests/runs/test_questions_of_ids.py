"""Ids that were counted in another order pair rows of different questions: a warning counts them."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
import shell

import anls_frame as af

ASKED = ["red?", "blue?", "green?", "How many?"]
SAID = ["yes", "no", "yes", "3"]


def log(path: Path, order: list[int], **columns: list[Any]) -> Path:
    """Write the questions in this order, with the numbers of their rows as ids."""
    rows = [
        {"id": row, "question": ASKED[index], "prediction": SAID[index], "answers": ["yes"]}
        | {name: values[index] for name, values in columns.items()}
        for row, index in enumerate(order)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_two_logs_in_another_order_are_named_with_their_count(tmp_path: Path) -> None:
    logs = {"a": log(tmp_path / "a.jsonl", [0, 1, 2, 3]), "b": log(tmp_path / "b.jsonl", [1, 0, 2, 3])}

    with pytest.warns(af.InputWarning) as caught:
        rows = af.read_logs(logs)
    af.side_by_side(rows, "prediction", "answers", system="system", id="question_id")

    [warning] = caught
    assert str(warning.message).startswith(
        "'b' and 'a' have different questions for 2 of 4 ids, such as 0: 'blue?' and 'red?'; if the ids"
    )
    # As the message says.
    right = af.read_logs(logs, question_id="question")
    wide = af.side_by_side(right, "prediction", "answers", system="system", id="question_id")
    assert [len(set(row)) for row in wide.frame.select(wide.systems.values()).iter_rows()] == [1, 1, 1, 1]


def test_the_command_line_says_so_too(tmp_path: Path) -> None:
    files = [log(tmp_path / "a.jsonl", [0, 1, 2, 3]), log(tmp_path / "b.jsonl", [1, 0, 2, 3])]

    done = shell.run(tmp_path, "compare", *files)

    assert "have different questions for 2 of 4 ids" in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.returncode == 0


@pytest.mark.parametrize("shift", [1, 2])
def test_a_file_that_is_shifted_against_gold_is_named(tmp_path: Path, shift: int) -> None:
    order = [(row + shift) % 4 for row in range(4)]
    path = log(tmp_path / "a.jsonl", order)
    rows = [
        {k: v for k, v in json.loads(line).items() if k != "answers"}
        for line in path.read_text().splitlines()
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    gold = pl.DataFrame({"id": ["0", "1", "2", "3"], "question": ASKED, "answers": [[text] for text in SAID]})

    with pytest.warns(
        af.InputWarning, match="'a' and gold have different questions for 4 of 4 ids, such as 0"
    ):
        frame = af.read_logs({"a": path}, gold=gold)

    assert af.report(frame, "prediction", "answers", metrics="exact_match").overall["exact_match"] < 1
    right = af.read_logs({"a": path}, gold=gold, question_id="question", gold_id="question")
    assert af.report(right, "prediction", "answers", metrics="exact_match").overall["exact_match"] == 1


def test_prompts_around_equal_questions_are_no_difference(tmp_path: Path) -> None:
    def prompted(before: str, after: str) -> list[str]:
        return [f"{before}{text.upper()}{after}" for text in ASKED]

    plain = log(tmp_path / "a.jsonl", [0, 1, 2, 3])
    logs = {
        "plain": plain,
        "prompted": log(tmp_path / "b.jsonl", [0, 1, 2, 3], question=prompted("Read:  ", "\nBriefly.")),
        "other": log(tmp_path / "c.jsonl", [0, 1, 2, 3], question=prompted("", "\nAnswer with one word!")),
        "none": log(tmp_path / "d.jsonl", [0, 1, 2, 3], question=[None, "blue?", None, None]),
        "all_alike": log(tmp_path / "e.jsonl", [0, 1, 2, 3], question=["Read the image."] * 4),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert af.read_logs(logs).height == 20
    exchanged = prompted("Read:  ", "\nBriefly.")
    exchanged[:2] = exchanged[1], exchanged[0]
    logs["exchanged"] = log(tmp_path / "f.jsonl", [0, 1, 2, 3], question=exchanged)
    with pytest.warns(af.InputWarning, match="2 of 4 ids"):
        af.read_logs(logs)


def test_a_single_question_is_compared_as_a_whole(tmp_path: Path) -> None:
    logs = {"a": log(tmp_path / "a.jsonl", [0]), "b": log(tmp_path / "b.jsonl", [1])}

    with pytest.warns(af.InputWarning, match="for 1 of 1 id, such as 0"):
        af.read_logs(logs)


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame])
@pytest.mark.parametrize("name", ["question", "query"])
def test_frames_of_two_systems_are_compared_too(kind: Any, name: str) -> None:
    first = kind({"id": [0, 1], name: ["red?", "blue?"], "answer": ["yes", "yes"], "prediction": ["a", "b"]})
    second = kind({"id": [0, 1], name: ["blue?", "red?"], "answer": ["yes", "yes"], "prediction": ["c", "d"]})

    with pytest.warns(af.InputWarning) as caught:
        af.pair(first, second, on="id", prediction="prediction")
    assert "the first frame and the second frame have different questions for 2 of 2 ids" in str(
        caught[0].message
    )
    assert af.pair(first, second, on=name, prediction="prediction").only_first.shape == (0, 1)

    long = kind(
        {
            "system": ["a", "a", "b", "b"],
            "id": [0, 1, 0, 1],
            name: ["red?", "blue?", "blue?", "red?"],
            "prediction": ["a", "b", "c", "d"],
            "answer": "yes",
        }
    )
    with pytest.warns(af.InputWarning, match="'a' and 'b' have different questions for 2 of 2 ids"):
        af.side_by_side(long, "prediction", "answer", system="system", id="id")

"""The drop-in against the real command: the same results file to the byte, lists in place of tracebacks."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import shell
from campaign import amount
from sample import DATA
from scorers import HOW_TO, INTERPRETER, PEERS

RRC = DATA / "rrc"
COKE = ["Coca Cola", "Coca Cola Company"]
PREDICTIONS = ["The Coca", "CocaCola", "Coca cola", "Cola", "Cat"]


def options(gold: Path, submission: Path, output: Path, *more: str) -> list[str]:
    files = ["--gold-label-file", gold, "--submission-file", submission, "--output-dir", output]
    return [*map(str, files), *more]


def ours(*arguments: str, folder: Path = DATA) -> shell.Done:
    return shell.run(folder, *arguments, program="calculate-anls")


def theirs(*commands: list[str]) -> shell.Done:
    """Run the real command with each of these lists of arguments, in one process."""
    interpreter = os.environ.get(INTERPRETER)
    if not interpreter:
        raise RuntimeError(HOW_TO)
    script = [interpreter, str(PEERS / "anls_command.py"), json.dumps(commands)]
    return subprocess.run(script, capture_output=True, text=True, check=False, timeout=240)  # noqa: S603 - our own


def write(folder: Path, answers: list[Any], predictions: list[Any]) -> tuple[Path, Path]:
    gold, submission = folder / "gold.json", folder / "submission.json"
    questions = [
        {"questionId": index, "question": f"Q{index}?", "answers": accepted}
        for index, accepted in enumerate(answers, start=1)
    ]
    gold.write_text(json.dumps({"dataset_name": "d", "data": questions}), encoding="utf-8")
    rows = [{"questionId": index, "answer": answer} for index, answer in enumerate(predictions, start=1)]
    submission.write_text(json.dumps(rows[::-1]), encoding="utf-8")
    return gold, submission


THRESHOLDS = ["0.5", "0", "nan", "0.25", "1", "1.5", "-3", "inf", "1e-9"]


def check_thresholds(pair: tuple[Path, Path], folder: Path, thresholds: list[str]) -> None:
    """Check that the files of both commands are the same at each threshold."""

    def commands(who: str) -> list[list[str]]:
        return [options(*pair, folder / who / "new" / one, f"--anls-threshold={one}") for one in thresholds]

    assert theirs(*commands("theirs")).returncode == 0
    for command in commands("ours"):
        assert ours(*command).returncode == 0

    for one in thresholds:
        own, real = (folder / who / "new" / one / "results.json" for who in ("ours", "theirs"))
        assert own.read_bytes() == real.read_bytes(), one


def test_any_threshold_gives_the_same_file_on_the_sample_data(tmp_path: Path) -> None:
    pair = RRC / "gold_label.json", RRC / "submission_tesseract.json"
    check_thresholds(pair, tmp_path, amount(THRESHOLDS[:3], THRESHOLDS))


def test_texts_beyond_ascii_and_edge_cases_give_the_same_file(tmp_path: Path) -> None:
    answers = [["ß", "a"], [""], ["\u001cab"], ["é"], ["😀 x", "y"], ["aaaa"], ["İ"], ["a\u2028b"], ["  "]]
    predictions = ["SS", "", "ab", "e\u0301", "😀  X ", "aa", "i̇", "a b", ""]
    pair = write(tmp_path, answers, predictions)

    check_thresholds(pair, tmp_path, THRESHOLDS)


@pytest.mark.parametrize(
    ("answers", "predictions", "messages"),
    [
        ([["a"], ["b"]], [None, "b"], ["lacks 1 question: '1'"]),
        (
            [["a"], ["b"]],
            ["a"],
            ["lacks 1 question: '2'", "anls-frame report SUBMISSION --gold GOLD --unmatched null"],
        ),
        (
            [["a"], [None]],
            [1, None, "c"],
            ["an accepted answer must be a string, got null", "answer must be a string, got the value 1"],
        ),
    ],
)
def test_what_makes_the_real_one_fail_is_a_list(
    tmp_path: Path, answers: list[Any], predictions: list[Any], messages: list[str]
) -> None:
    pair = write(tmp_path, answers, predictions)

    own = ours(*options(*pair, tmp_path / "ours"))
    real = theirs(options(*pair, tmp_path / "theirs"))

    assert real.returncode != 0
    assert "Traceback" in real.stderr
    assert own.returncode == 2
    assert "Traceback" not in own.stderr
    for message in messages:
        assert message in own.stderr
    assert not (tmp_path / "ours").exists()


def test_usage_is_that_of_the_real_one(tmp_path: Path) -> None:
    gold, submission = write(tmp_path, [["a"]], ["a"])

    incomplete = ["--gold-label-file", str(gold)]
    for done, missing in ((ours(*incomplete), ""), (theirs(incomplete), ", --output-dir")):
        assert done.returncode == 2
        assert f"the following arguments are required: --submission-file{missing}\n" in done.stderr
    types = ours(*options(gold, submission, tmp_path / "out", "--answer-types"))
    assert types.returncode == 2
    assert "anls-frame report" in types.stderr
    assert ours(*options(gold, tmp_path / "none.json", tmp_path / "out")).returncode == 2
    # As the real one it replaces the results of the last run.
    for _ in range(2):
        assert ours(*options(gold, submission, tmp_path / "out")).returncode == 0


def test_the_line_of_its_readme_writes_to_the_current_folder(tmp_path: Path) -> None:
    gold, submission = write(tmp_path, [COKE] * 5, PREDICTIONS)
    files = ["--gold-label-file", gold.name, "--submission-file", submission.name]

    done = ours(*files, folder=tmp_path)

    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "Overall ANLS: 0.3778" in done.stderr
    assert "results.json is written to the current directory" in done.stderr
    assert ours(*options(gold, submission, tmp_path / "out")).returncode == 0
    assert (tmp_path / "results.json").read_bytes() == (tmp_path / "out" / "results.json").read_bytes()

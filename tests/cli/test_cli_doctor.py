"""Which rule gives a harness' scores: computed here by plain Python, as the harness does, and found again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell
from rapidfuzz.distance import Levenshtein
from sample import DATA
from shell import fine, refused

ROWS = [
    # Pairs on which the protocols differ: exactly at the cut, stray blanks, letters that grow in upper case.
    ("ab", ["abcd"]),
    ("cat      ", ["cot"]),
    ("c", ["a         "]),
    ("ßa", ["ßb"]),
    ("CocaCola", ["Coca Cola", "Coca Cola Company"]),
    ("Coca cola", ["Coca Cola", "Coca Cola Company"]),
    ("kitten", ["sitting"]),
    ("Cola", ["Coca Cola"]),
    ("", ["a"]),
]


def rrc_distance(prediction: str, answer: str) -> float:
    """The distance of lmms-eval and VLMEvalKit: prepared texts over raw lengths."""
    one, other = (" ".join(text.strip().lower().split()) for text in (prediction, answer))
    length = max(len(answer.upper()), len(prediction.upper()))
    return Levenshtein.distance(one, other) / length if length else 0.0


def rrc_score(prediction: str, answers: list[str]) -> float:
    score = 1 - min(rrc_distance(prediction, answer) for answer in answers)
    return score if score >= 0.5 else 0


def run(*arguments: object) -> shell.Done:
    return shell.run(Path(), "doctor", *arguments)


def samples(path: Path, score: Callable[[str, list[str]], Any], rows: Any = ROWS) -> Path:
    lines = [
        {
            "doc_id": index,
            "target": str(answers),
            "filtered_resps": prediction,
            "input": "Q?",
            "anls": score(prediction, answers),
        }
        for index, (prediction, answers) in enumerate(rows)
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def test_the_installation_is_checked() -> None:
    done = run()
    facts = json.loads(run("--json").stdout)

    assert done.returncode == 0, done.stderr
    assert "32 known scores are right" in done.stdout
    assert facts["wrong"] == []
    assert facts["polars"] == pl.__version__
    assert Path(facts["library"]).is_file()


def test_scores_that_are_rounded_are_reproduced_to_the_digit(tmp_path: Path) -> None:
    path = samples(tmp_path / "samples.jsonl", lambda *row: round(100 * rrc_score(*row), 2))

    printed = fine(run(path, "--against", "anls"))
    assert "reproduced to the digit: anls, protocol rrc, times 100" in printed


def test_a_harness_that_scores_by_the_first_answer_is_found_out_with_its_rows(tmp_path: Path) -> None:
    rows = [*ROWS, ("Coca Cola Company", ["Coca Cola", "Coca Cola Company"])]
    path = samples(tmp_path / "samples.jsonl", lambda text, answers: rrc_score(text, answers[:1]), rows)

    done = run(path, "--against", "anls", "--json")

    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert not found["reproduced"]
    assert [row["question_id"] for row in found["rows"]] == ["9"]
    assert found["rows"][0]["computed"] == 1.0
    assert "nearest: anls, protocol rrc, another score in 1 row\n" in run(path, "--against", "anls").stdout


def test_mean_distances_of_vlmevalkit_are_called_by_their_name(tmp_path: Path) -> None:
    path = tmp_path / "Model_DocVQA_VAL_results.tsv"
    lines = ["index\tquestion\tanswer\tprediction\teval_score"]
    for index, (prediction, answers) in enumerate(ROWS):
        distances = [rrc_distance(prediction, answer) for answer in answers]
        lines.append(f'{index}\tQ?\t"{answers}"\t"{prediction}"\t{sum(distances) / len(distances)}')
    path.write_text("\n".join(lines), encoding="utf-8")

    printed = fine(run(path, "--against", "eval_score"))
    assert "mean distance over the answers, protocol rrc" in printed
    assert "0 is a perfect answer" in printed


def test_the_results_file_of_calculate_anls_is_understood(tmp_path: Path) -> None:
    gold, submission = DATA / "rrc" / "gold_label.json", DATA / "rrc" / "submission_tesseract.json"
    arguments = [
        "--gold-label-file",
        str(gold),
        "--submission-file",
        str(submission),
        "--output-dir",
        str(tmp_path),
    ]
    assert shell.run(tmp_path, *arguments, program="calculate-anls").returncode == 0

    printed = fine(run(submission, "--gold", gold, "--against", tmp_path / "results.json"))
    assert "1,568 rows" in printed
    assert "reproduced to the last bit: anls, protocol anls" in printed


def test_means_of_harnesses_are_reproduced_from_their_files_and_from_numbers(tmp_path: Path) -> None:
    path = samples(tmp_path / "samples.jsonl", rrc_score)
    mean = sum(rrc_score(*row) for row in ROWS) / len(ROWS)
    results = tmp_path / "results.json"
    results.write_text(
        json.dumps({"results": {"docvqa_val": {"alias": "x", "anls,none": mean}}}), encoding="utf-8"
    )

    for given in (results, round(mean, 4), round(100 * mean, 2)):
        printed = fine(run(path, "--against", given))
        assert "anls, protocol rrc" in printed

    assert run(path, "--against", "0.123").returncode == 1


def test_the_distance_over_the_longer_text_is_known_to_the_last_bit(tmp_path: Path) -> None:
    # As OmniDocBench writes its results; 1 - (1 - d / L) is another number for some of them, such as 1/3.
    pairs = [("ab", "Ab"), ("zz", ""), ("", ""), ("abc", "abd"), ("ab", "abc"), ("kitten", "sitting")]
    rows = [
        {"norm_pred": text, "norm_gt": answer, "edit": distance}
        for text, answer in pairs
        for distance in [Levenshtein.distance(text, answer) / max(len(text), len(answer), 1)]
    ]
    path = tmp_path / "omnidoc.json"
    path.write_text(json.dumps(rows), encoding="utf-8")

    printed = fine(run(path, "--against", "edit", "-p", "norm_pred", "-a", "norm_gt"))

    assert "reproduced to the last bit: 1 - nls, protocol raw\n" in printed


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("scores.csv", "id,anls\n1,0.5\n0,none\n", "column 'anls' must hold numbers, got 'none' in row 1"),
        (
            "results.json",
            '{"per_sample_result": {"1": {"score": 1}, "0": {"score": "none"}}}',
            "column 'score' must hold numbers, got 'none' in row 1",
        ),
    ],
)
def test_a_file_of_scores_is_named_with_its_row(tmp_path: Path, name: str, content: str, what: str) -> None:
    path = samples(tmp_path / "samples.jsonl", rrc_score)
    (tmp_path / name).write_text(content, encoding="utf-8")

    refused(run(path, "--against", tmp_path / name), f"{tmp_path / name}: {what} (counted from 0)")


@pytest.mark.parametrize("name", ["^s.*$", "*"])
def test_a_column_of_scores_may_have_the_name_of_a_pattern(tmp_path: Path, name: str) -> None:
    rows = [f"{row},a,{'a' if row % 2 else 'b'},{row % 2}" for row in range(4)]
    (tmp_path / "r.csv").write_text("\n".join([f"id,prediction,answer,{name}", *rows]), encoding="utf-8")
    assert "reproduced" in run(tmp_path / "r.csv", "--against", name).stdout


def test_scores_in_a_table_are_matched_by_id(tmp_path: Path) -> None:
    path = samples(tmp_path / "samples.jsonl", rrc_score)
    scores = [(index, rrc_score(*row)) for index, row in enumerate(ROWS)]
    table = tmp_path / "scores.csv"
    table.write_text(
        "id,score\n" + "".join(f"{key},{value}\n" for key, value in scores[::-1]), encoding="utf-8"
    )

    assert "reproduced to the last bit: anls, protocol rrc" in run(path, "--against", table).stdout
    table.write_text("id,score\n99,0.5\n", encoding="utf-8")
    refused(run(path, "--against", table), "scores 1 questions that the results do not have: 99")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("anlss", "--against must be a column of the file"),
        ("question", "column 'question' must hold numbers"),
        ("nan", "must hold finite numbers"),
        ("none.json", "a number or a file, got 'none.json'"),
    ],
)
def test_scores_that_are_none_are_refused(tmp_path: Path, given: str, message: str) -> None:
    refused(run(samples(tmp_path / "samples.jsonl", rrc_score), "--against", given), message)


def nls(prediction: str, answers: list[str]) -> float:
    """ANLS without its cut, as PyPI anls prepares texts."""
    return max(
        1
        - Levenshtein.distance(prediction.strip().lower(), answer.strip().lower())
        / max(len(prediction.strip()), len(answer.strip()))
        for answer in answers
    )


@pytest.mark.parametrize("threshold", [0.5, 0.7, 0.85])
def test_truth_values_are_reproduced_by_a_score_from_a_threshold_on(tmp_path: Path, threshold: float) -> None:
    rows = [("x" * right + "y" * (40 - right), ["x" * 40]) for right in range(41)]
    path = samples(tmp_path / "samples.jsonl", lambda *row: nls(*row) >= threshold, [*ROWS, *rows])

    done = run(path, "--against", "anls")

    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout
    assert lines[0] == "column 'anls': 50 rows against 32 rules, truth values"
    assert f"reproduced to the last bit: nls, protocol anls ≥ {threshold:g}" in lines[1:]
    # Measures of the opposite direction say so; what only rounds to the same numbers is none of them.
    of_distances = [line for line in lines[1:] if "cer" in line or "distance" in line]
    assert all("≤" in line for line in of_distances)
    assert len(lines) < 13


def yes(value: bool) -> str:  # noqa: FBT001 - a cell
    return "Yes" if value else "No"


@pytest.mark.parametrize("written", [bool, int, float, str, yes], ids=lambda kind: kind.__name__)
def test_truth_values_are_compared_exactly_however_they_are_written(
    tmp_path: Path, written: Callable[[bool], Any]
) -> None:
    # Every anls_star of these rows rounds to what the harness says, and none is equal.
    rows = [("abcdefghij", ["abcdefghiX"]), ("abcdefgh", ["abcdefXX"]), ("abc", ["xyz"])]
    path = tmp_path / "rows.jsonl"
    lines = [
        {"question_id": str(place), "prediction": text, "answers": answers, "ok": written(place == 0)}
        for place, (text, answers) in enumerate(rows)
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")

    printed = fine(run(path, "--against", "ok"))
    assert "truth values" in printed
    rules = [line.partition(": ")[2] for line in printed.splitlines()[1:]]
    assert "nls, protocol anls ≥ 0.9" in rules
    assert "cer, protocol raw ≤ 0.1" in rules
    assert all("≥" in rule or "≤" in rule for rule in rules)


def test_truth_values_that_no_threshold_gives_are_compared_with_the_nearest(tmp_path: Path) -> None:
    rows = [("x" * right + "y" * (9 - right), ["x" * 9]) for right in range(10)]
    path = samples(tmp_path / "samples.jsonl", lambda *row: nls(*row) >= 0.5 and row[0] != "x" * 9, rows)

    done = run(path, "--against", "anls")

    assert done.returncode == 1
    assert "reproduced by none; nearest: " in done.stdout
    assert ", another score in 1 row\n" in done.stdout

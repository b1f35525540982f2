"""Gold labels and submissions in the format of DUDE's evaluation script."""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path
from typing import Any

import munkres
import numpy as np
import oracle
import pytest

import anls_frame as af
from anls_frame.files.file import File
from anls_frame.frames import origins
from anls_frame.runs.reading import kind_of


def label(number: int, answers: Any, kind: str = "extractive", **others: Any) -> dict[str, Any]:
    return {
        "questionId": f"d_{number}",
        "question": f"Question {number}?",
        "answers": answers,
        "answers_page_bounding_boxes": [[{"left": 1, "top": 2, "width": 3, "height": 4, "page": 0}]],
        "answers_variants": ["a variant"],
        "answer_type": kind,
        "docId": "d",
        "data_split": "val",
        **others,
    }


def submitted(number: int, answers: Any, confidence: Any = (0.5,), **others: Any) -> dict[str, Any]:
    confidence = list(confidence) if isinstance(confidence, tuple) else confidence
    return {"questionId": f"d_{number}", "answers": answers, "answers_confidence": confidence, **others}


LABELS = [
    label(0, ["Coca Cola", "Coke"]),
    label(1, [], "not-answerable"),
    label(2, [""], "not answerable", prediction="of its own"),
    label(3, ["1894"], "abstractive"),
    label(4, ["Yes"]),
]
ROWS = [
    submitted(4, "yes ", 1),
    submitted(3, ["1984", "1894"], (0.25, 0.75)),
    submitted(2, [""], (-1,)),
    submitted(1, [], []),
    submitted(0, ["coca  COLA"], (0.5,), answers_abstained=[False]),
]


def files(folder: Path, labels: list[Any], rows: list[Any]) -> tuple[Path, Path]:
    paths = folder / "gold.json", folder / "submission.json"
    gold = {"dataset_name": "DUDE Dataset", "dataset_version": "0.1", "data": labels}
    for path, value in zip(paths, (gold, rows), strict=True):
        path.write_text(json.dumps(value), encoding="utf-8")
    return paths


def problems(folder: Path, labels: list[Any], rows: list[Any], **options: Any) -> list[tuple[str, str]]:
    with pytest.raises(af.InputError) as raised:
        af.readers.read_dude(*files(folder, labels, rows), **options)
    return [one[1:] for one in raised.value.problems]


def test_fields_of_both_files_are_columns(tmp_path: Path) -> None:
    paths = files(tmp_path, LABELS, ROWS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = af.readers.read_dude(*paths)

    assert frame["question_id"].to_list() == [f"d_{number}" for number in range(5)]
    assert frame["question"].to_list() == [f"Question {number}?" for number in range(5)]
    assert frame["prediction"].to_list() == ["coca  COLA", "", "", "1984", "yes "]
    assert frame["answers"].to_list() == [["Coca Cola", "Coke"], [""], [""], ["1894"], ["Yes"]]
    assert frame["predictions"].to_list() == [["coca  COLA"], [], [""], ["1984", "1894"], ["yes "]]
    assert frame["answers_confidence"].to_list() == [0.5, None, -1, 0.25, 1]
    assert frame["answer_type"].to_list() == [one["answer_type"] for one in LABELS]
    assert frame["answers_variants"].to_list() == [["a variant"]] * 5
    assert frame["doc_id"].to_list() == ["d"] * 5
    assert frame["gold_prediction"].to_list() == [None, None, "of its own", None, None]
    assert frame["answers_abstained"].to_list() == ["[false]", None, None, None, None]
    assert json.loads(frame["answers_page_bounding_boxes"][0]) == LABELS[0]["answers_page_bounding_boxes"]


def test_protocol_rrc_gives_the_scores_of_the_script(tmp_path: Path) -> None:
    frame = af.readers.read_dude(*files(tmp_path, LABELS, ROWS))

    assert origins.of(frame).protocol == "rrc"
    # As `get_NLS` of the script computes them: 1 - d / max of the raw lengths, kept from 0.5.
    expected = [1 - 0 / 10, 1.0, 1.0, 1 - 2 / 4, 1.0]
    assert frame["dude_anls"].to_list() == expected
    assert frame.select(af.anls("prediction", "answers", protocol="rrc")).to_series().to_list() == expected
    rows = zip(frame["prediction"], frame["answers"], strict=True)
    assert [oracle.anls(text, list(answers), af.PROTOCOLS["rrc"]) for text, answers in rows] == expected


def score_of_lists(answers: list[str], predictions: list[str]) -> float:
    """`get_NLSL` of the script (Jordy-VL/DUDEeval, 8bd6dea)."""
    if not predictions:  # where the script ends with an error
        return 0.0
    anchors, others = (answers, predictions) if len(answers) < len(predictions) else (predictions, answers)
    rrc = af.PROTOCOLS["rrc"]
    matrix = [[oracle.anls(other, [anchor], rrc) for other in others] for anchor in anchors]
    chosen = munkres.Munkres().compute(munkres.make_cost_matrix(matrix))
    best = np.sum([matrix[row][column] for row, column in chosen])
    return float(best / max(len(set(answers)), len(predictions)))


def test_lists_have_the_score_of_the_script(tmp_path: Path) -> None:
    chance = random.Random(3)
    texts = [
        "AF0055",
        "AF1044",
        "AF1045",
        "coke",
        "Coke ",
        "cola",
        "ab",
        "abcd",
        "  x",
        "",
        "ß",
        "John Smith",
    ]
    lists = [
        [[chance.choice(texts) for _ in range(chance.randrange(least, 5))] for least in (1, 0)]
        for _ in range(200)
    ]
    kinds = ("list/extractive", "list/abstractive")
    labels = [label(0, ["Coke"])] + [
        label(number, answers, kinds[number % 2]) for number, (answers, _) in enumerate(lists, start=1)
    ]
    rows = [submitted(0, ["coke", "Pepsi"])] + [
        submitted(number, predictions) for number, (_, predictions) in enumerate(lists, start=1)
    ]

    with pytest.warns(af.InputWarning, match="in dude_anls"):
        frame = af.readers.read_dude(*files(tmp_path, labels, rows))

    assert frame["dude_anls"].to_list() == [1.0, *(score_of_lists(*one) for one in lists)]
    means = af.report(frame, metrics="dude_anls", by="answer_type").overall
    assert means["dude_anls"] == pytest.approx(frame["dude_anls"].mean(), rel=1e-12)


def test_all_problems_are_listed(tmp_path: Path) -> None:
    rows = [
        submitted(0, ["a", 7]),
        submitted(1, None),
        submitted(2, {"a": 1}),
        submitted(3, ["a"], ["high"]),
        {"questionId": "d_4"},
        submitted(8, ["a"]),
    ]
    assert problems(tmp_path, LABELS, rows) == [
        ("index 0, id d_0", "answers must be strings, got the value 7"),
        ("index 2, id d_2", "answers must be strings, got an object"),
        ("index 3, id d_3", "answers_confidence must be a number or a list of numbers, got a string"),
    ]


def test_questions_without_answers_may_be_missing_predictions(tmp_path: Path) -> None:
    paths = files(tmp_path, LABELS, [submitted(0, None), {"questionId": "d_3"}, submitted(4, ["yes"])])

    with pytest.raises(af.InputError, match="lacks 4 questions: 'd_0', 'd_1', 'd_2', 'd_3'"):
        af.readers.read_dude(*paths)
    with pytest.warns(af.InputWarning, match="4 rows added without a prediction"):
        frame = af.readers.read_dude(*paths, unmatched="null")

    assert frame["prediction"].to_list() == [None, None, None, None, "yes"]
    assert frame["answers_confidence"].to_list() == [None, None, None, None, 0.5]
    assert frame["dude_anls"].to_list() == [None, None, None, None, 1.0]


def test_submissions_are_detected_and_read_with_others(tmp_path: Path) -> None:
    gold, submission = files(tmp_path, LABELS, ROWS)
    assert kind_of(File(submission)) == "dude"

    frame = af.read_logs({"model": submission}, gold=gold)

    assert frame["prediction"].to_list() == af.readers.read_dude(gold, submission)["prediction"].to_list()
    assert origins.of(frame).protocol == "rrc"

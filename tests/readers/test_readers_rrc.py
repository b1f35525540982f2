"""The competition's pair of files: what scripts trip over is listed, with index and id."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell
from sample import DATA

import anls_frame as af

RRC = DATA / "rrc"
GOLD = {
    "dataset_name": "d",
    "data": [
        {"questionId": 1, "question": "Brand?", "question_types": ["form"], "docId": 7, "answers": ["Coke"]},
        {
            "questionId": 2,
            "question": "Year?",
            "question_types": ["table"],
            "docId": 8,
            "answers": ["1999", "99"],
        },
    ],
}
SUBMISSION = [{"questionId": 2, "answer": "1999"}, {"questionId": 1, "answer": ""}]


def pair(folder: Path, gold: Any = GOLD, submission: Any = SUBMISSION) -> tuple[Path, Path]:
    paths = folder / "gold.json", folder / "submission.json"
    for path, content in zip(paths, (gold, submission), strict=True):
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return paths


def problems(gold: Path, submission: Path, **options: Any) -> list[tuple[str, str, str]]:
    with pytest.raises(af.InputError) as raised:
        af.read_rrc(gold, submission, **options)
    return [(Path(one.file).name, one.place, one.message) for one in raised.value.problems]


def changed(index: int, **fields: Any) -> dict[str, Any]:
    rows = [dict(row) for row in GOLD["data"]]  # type: ignore[arg-type]
    rows[index] |= fields
    return {"dataset_name": "d", "data": rows}


@pytest.mark.parametrize("counts", [(10, 10), (10, 9)])
def test_ten_answers_to_each_question_are_those_of_another_harness(
    tmp_path: Path, counts: tuple[int, int]
) -> None:
    """TextVQA and VQA are scored by the VQA accuracy, so no note may name the protocol of ANLS."""
    gold = json.loads(json.dumps(GOLD))
    for question, count in zip(gold["data"], counts, strict=True):
        question["answers"] = ["a"] * count
    frame = af.read_rrc(*pair(tmp_path, gold))
    note = "harness uses protocol rrc"
    assert (note in str(af.report(frame, "prediction", "answers"))) == (counts != (10, 10))
    pair(tmp_path, gold)
    done = shell.run(tmp_path, "report", "submission.json", "--gold", "gold.json")
    assert (note in shell.fine(done)) == (counts != (10, 10))


def test_a_pair_is_the_standard_frame_in_the_order_of_the_gold_labels(tmp_path: Path) -> None:
    assert af.read_rrc(*pair(tmp_path)).to_dicts() == [
        {
            "question_id": "1",
            "question": "Brand?",
            "prediction": "",
            "answers": ["Coke"],
            "question_types": ["form"],
            "doc_id": "7",
        },
        {
            "question_id": "2",
            "question": "Year?",
            "prediction": "1999",
            "answers": ["1999", "99"],
            "question_types": ["table"],
            "doc_id": "8",
        },
    ]


def test_fields_of_gold_labels_do_not_take_the_place_of_the_submission(tmp_path: Path) -> None:
    gold = changed(0, prediction="of the gold labels", question_id="x", doc_id="second", answer="own")

    frame = af.read_rrc(*pair(tmp_path, gold))

    assert frame["question_id"].to_list() == ["1", "2"]
    assert frame["prediction"].to_list() == ["", "1999"]
    assert frame["doc_id"].to_list() == ["7", "8"]
    assert frame["gold_prediction"].to_list() == ["of the gold labels", None]
    assert frame["gold_question_id"].to_list() == ["x", None]
    assert frame["gold_doc_id"].to_list() == ["second", None]
    assert frame["answer"].to_list() == ["own", None]


@pytest.mark.parametrize("system", ["tesseract", "rapidocr"])
def test_the_sample_pair_holds_what_the_sample_table_holds(system: str) -> None:
    frame = af.read_rrc(RRC / "gold_label.json", RRC / f"submission_{system}.json")
    table = af.sample().filter(pl.col("answers").list.len() > 0)

    expected = table.select(
        pl.col("question_id").cast(pl.String),
        "question",
        pl.col(system).fill_null("").alias("prediction"),
        "answers",
        "question_types",
    )

    assert frame.select(expected.columns).sort("question_id").equals(expected.sort("question_id"))


def test_a_submission_that_is_written_is_read_again(tmp_path: Path) -> None:
    frame = af.read_rrc(*pair(tmp_path))

    path = af.readers.write_submission(frame, tmp_path / "again.json")

    assert json.loads(path.read_text(encoding="utf-8")) == [
        {"questionId": 1, "answer": ""},
        {"questionId": 2, "answer": "1999"},
    ]
    assert af.read_rrc(tmp_path / "gold.json", path).equals(frame)


@pytest.mark.parametrize("ids", [["a", "2"], ["007", "8"], ["1.0", "2"], ["", "1"]])
def test_ids_that_are_not_all_whole_numbers_stay_texts(tmp_path: Path, ids: list[str]) -> None:
    frame = pl.DataFrame({"question_id": ids, "prediction": ['"quotes"', None]})

    path = af.readers.write_submission(frame.to_pandas(), tmp_path / "texts.json")

    assert json.loads(path.read_text(encoding="utf-8")) == [
        {"questionId": ids[0], "answer": '"quotes"'},
        {"questionId": ids[1], "answer": ""},
    ]


def test_a_submission_without_ids_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "submission.json"
    path.write_text("old", encoding="utf-8")
    frame = pl.DataFrame({"question_id": ["1", None, "1"], "prediction": ["a", "b", "c"]})

    with pytest.raises(af.InputError, match=r"(?s)row 2: the id is missing.*row 3: duplicate id '1'"):
        af.readers.write_submission(frame, path)
    with pytest.raises(af.exceptions.ColumnNotFoundError):
        af.readers.write_submission(frame.drop("prediction"), path)
    assert path.read_text(encoding="utf-8") == "old"


def test_everything_that_is_wrong_in_both_files_is_named_at_once(tmp_path: Path) -> None:
    gold = {
        "data": [
            {"questionId": 1, "question": "", "answers": ["a"]},
            {"questionId": 1, "question": "", "answers": ["a"]},
            {"questionId": 3, "question": "", "answers": None},
            {"questionId": 4, "question": "", "answers": []},
            {"questionId": 5, "question": "", "answers": ["a", None, 3]},
            {"question": "", "answers": ["a"]},
            {"questionId": 7, "question": "", "answers": ["a"]},
        ]
    }
    submission = [
        {"questionId": 1, "answer": None},
        {"questionId": 3, "answer": 12.50},
        {"questionId": 4, "answer": ["a"]},
        {"questionId": 5},
        {"questionId": 5, "answer": "a"},
        {"questionId": 9, "answer": "a"},
        {"questionId": [1], "answer": "a"},
    ]

    assert problems(*pair(tmp_path, gold, submission)) == [
        ("gold.json", "index 1", "duplicate questionId 1, first seen at index 0"),
        ("gold.json", "index 5", "no questionId"),
        ("gold.json", "index 2, id 3", "answers must be a list, got null"),
        ("gold.json", "index 3, id 4", "the list of answers is empty"),
        ("gold.json", "index 4, id 5", "an accepted answer must be a string, got null"),
        ("gold.json", "index 4, id 5", "an accepted answer must be a string, got the value 3"),
        ("submission.json", "index 4", "duplicate questionId 5, first seen at index 3"),
        ("submission.json", "index 6", "questionId must be a number or a string, got a list"),
        ("submission.json", "index 1, id 3", "answer must be a string, got the value 12.5"),
        ("submission.json", "index 2, id 4", "answer must be a string, got a list"),
    ]


def test_ids_as_texts_against_numbers_are_named(tmp_path: Path) -> None:
    submission = [{"questionId": "1", "answer": "a"}, {"questionId": "2", "answer": "b"}]

    assert problems(*pair(tmp_path, submission=submission)) == [
        (
            "submission.json",
            "",
            (
                "the id is a string here and a number in gold.json, such as '1' (2 times); write it the same "
                "way, as scripts of competitions do not match them"
            ),
        )
    ]


UNMATCHED = [{"questionId": 2, "answer": "1999"}, {"questionId": 3, "answer": "no"}, {"questionId": 4}]
"""An answer to the second question and to one that is unknown, none to the first."""
ADVICE = (
    'to count questions that a system lacks as missing predictions, pass unmatched="null"; to leave out '
    'questions that some systems lack, and keep questions with fewer epochs, unmatched="drop"; both leave '
    "out questions that gold lacks"
)


def test_questions_without_an_answer_and_unknown_ones_are_counted(tmp_path: Path) -> None:
    gold, submission = pair(tmp_path, submission=UNMATCHED)

    with pytest.raises(af.InputError) as raised:
        af.read_rrc(gold, submission)

    assert [one.message for one in raised.value.problems] == [
        f"'{submission}' has 1 question that gold lacks: '3'",
        f"'{submission}' lacks 1 question: '1'",
    ]
    assert raised.value.hints == (ADVICE,)


@pytest.mark.parametrize("no_answer", [[], [{"questionId": 1}], [{"questionId": 1, "answer": None}]])
@pytest.mark.parametrize(("unmatched", "expected"), [("null", [None, "1999"]), ("drop", ["1999"])])
def test_they_can_be_missing_predictions_or_left_out(
    tmp_path: Path, no_answer: list[Any], unmatched: str, expected: list[str | None]
) -> None:
    paths = pair(tmp_path, submission=UNMATCHED + no_answer)

    with pytest.warns(af.InputWarning) as warned:
        frame = af.read_rrc(*paths, unmatched=unmatched)  # type: ignore[arg-type]

    assert frame["prediction"].to_list() == expected
    assert frame["answers"].to_list()[-1] == ["1999", "99"]
    lacking = f"'{paths[1]}' lacks 1 question: '1'"
    how = {"null": "1 row added without a prediction", "drop": "1 question (0 rows) left out"}
    assert [str(warning.message) for warning in warned] == [
        f"1 row left out, because '{paths[1]}' has 1 question that gold lacks: '3'",
        f"{how[unmatched]}, because {lacking}",
    ]


def test_submissions_of_systems_are_joined_as_tables_are(tmp_path: Path) -> None:
    gold, incomplete = pair(tmp_path, submission=UNMATCHED[:2])
    complete = tmp_path / "complete.json"
    complete.write_text(json.dumps(SUBMISSION), encoding="utf-8")
    table = tmp_path / "gold.csv"
    table.write_text('question_id,answers\n1,"[""Coke""]"\n2,"[""1999"", ""99""]"\n', encoding="utf-8")
    systems = {"old": complete, "new": incomplete}

    for labels in (gold, table):
        with pytest.raises(af.InputError) as raised:
            af.read_logs(systems, gold=labels)
        assert [one.message for one in raised.value.problems] == [
            "'new' has 1 question that gold lacks: '3'",
            "'new' lacks 1 question: '1'",
        ]
        assert raised.value.hints == (ADVICE,)
        with pytest.warns(af.InputWarning) as warned:
            rows = af.read_logs(systems, gold=labels, unmatched="null")
        assert [str(warning.message) for warning in warned] == [
            "1 row left out, because 'new' has 1 question that gold lacks: '3'",
            "1 row added without a prediction, because 'new' lacks 1 question: '1'",
        ]
        read = rows.sort("system", "question_id").select("system", "question_id", "prediction")
        assert read.rows() == [
            ("new", "1", None),
            ("new", "2", "1999"),
            ("old", "1", ""),
            ("old", "2", "1999"),
        ]


def test_labels_of_other_questions_are_named(tmp_path: Path) -> None:
    gold, submission = pair(tmp_path, submission=[{"questionId": 7, "answer": "a"}])

    with pytest.raises(af.InputError, match="are these the gold labels of this submission"):
        af.read_rrc(gold, submission, unmatched="null")


def test_a_submission_without_any_answer_is_refused(tmp_path: Path) -> None:
    submission = [{"questionId": 1, "prediction": "a"}, {"questionId": 2, "answer": None}]

    assert problems(*pair(tmp_path, submission=submission), unmatched="null") == [
        ("submission.json", "", "no question has 'answer', the answer")
    ]


def test_a_row_that_is_no_object_hides_no_other_problem(tmp_path: Path) -> None:
    submission = [3, {"questionId": 1, "answer": "a"}, {"questionId": 1, "answer": "b"}]

    assert problems(*pair(tmp_path, submission=submission)) == [
        ("submission.json", "index 0", "must be a JSON object, got the value 3"),
        ("submission.json", "index 2", "duplicate questionId 1, first seen at index 1"),
    ]


@pytest.mark.parametrize(
    ("gold", "submission", "file", "message"),
    [
        ("{", SUBMISSION, "gold.json", "invalid JSON"),
        ([], SUBMISSION, "gold.json", "gold labels must be an object with the questions in 'data'"),
        ({"data": []}, SUBMISSION, "gold.json", "holds no rows"),
        ({"data": {}}, SUBMISSION, "gold.json", "must hold a list of rows, got an object"),
        (GOLD, {"a": 1}, "submission.json", "must hold a list of rows, got an object"),
        (GOLD, [], "submission.json", "holds no rows"),
        (GOLD, [3], "submission.json", "must be a JSON object, got the value 3"),
        (GOLD, '[{"questionId": 1, "questionId": 2}]', "submission.json", "duplicate key 'questionId'"),
        (
            {"data": [{"questionId": 1, "question": ""}, {"questionId": 2, "question": ""}]},
            SUBMISSION,
            "gold.json",
            "no question has answers, as in a test split",
        ),
    ],
)
def test_what_is_no_pair_is_an_error(
    tmp_path: Path, gold: Any, submission: Any, file: str, message: str
) -> None:
    [(found, _, text)] = problems(*pair(tmp_path, gold, submission))

    assert found == file
    assert message in text

"""Pairs of files of competitions, gold labels and a submission: their rows and ids."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from anls_frame._arguments import takes_names
from anls_frame._atomic import replacing
from anls_frame._text import numbered, quoted
from anls_frame.exceptions import warn
from anls_frame.frames import origins
from anls_frame.frames.checks import free_name
from anls_frame.frames.conversion import to_lazy
from anls_frame.frames.strict_json import Number, kind
from anls_frame.metrics.scores import anls
from anls_frame.readers import _content, _raw, _standard
from anls_frame.readers._problems import Problems, problem
from anls_frame.readers._standard import SAMPLE, Key, members, role_key

_IDS = ("questionId", "question_id")
"""How the field of ids is spelled: as in DocVQA, or as in ST-VQA, TextVQA and MMF."""


def read(
    gold: str | os.PathLike[str],
    submission: str | os.PathLike[str],
    answered: Callable[..., dict[Key, Any]],
    *,
    allow_missing: bool,
    doc_ids: Sequence[str] = _standard.DOC_IDS,
    unanswerable: Sequence[str] = (),
) -> pl.DataFrame:
    """
    Return the standard frame of all questions, in the order of the gold labels.

    `answered` returns the fields of a row of the submission, and reports its problems. Questions whose
    `answer_type` is `unanswerable` accept the empty text.
    """
    gold, submission = _content.as_path(gold), _content.as_path(submission)
    problems = Problems(gold)
    questions = _rows(gold, "data", problems)
    answers = _rows(submission, None, problems)
    problems.raise_any()
    if not any(question.get("answers") for question in questions):
        raise problem(gold, "no question has answers, as in a test split; there is nothing to score")
    known = _by_id(gold, questions, problems)
    given = _by_id(submission, answers, problems)
    _check_id_types(gold, submission, known, given, problems)
    rows: dict[str, dict[Key, Any]] = {}
    for key, index in known.items():
        question, place = questions[index], f"index {index}, id {key}"
        if question.get("answer_type") in unanswerable and question.get("answers") == []:
            question["answers"] = [""]
        if key not in given and not allow_missing:
            problems.add("no answer to this question in the submission", place)
        _check_accepted(question, place, problems)
        answers_of = question.get("answers")
        read = {_name_of_id(question), "answers"}
        labels = members("gold", {name: value for name, value in question.items() if name not in read})
        roles = {role_key("question_id"): key, role_key("prediction"): None, role_key("answers"): answers_of}
        rows[key] = roles | labels
    for key, index in given.items():
        place = f"index {index}, id {key}"
        if key not in known:
            problems.add("this question is not among the gold labels", place, submission)
        report = partial(problems.add, place=place, path=submission)
        rows[key] = rows.get(key, {}) | answered(answers[index], report, allow_missing=allow_missing)
    problems.raise_any()
    places = ((f"index {known[key]}, id {key}", fields) for key, fields in rows.items())
    raw = _raw.from_objects(gold, places)
    frame = _standard.samples_frame(raw, problems, doc_ids=doc_ids, answers_format="text")
    problems.raise_any()
    return frame


def _check_id_types(
    gold: Path, submission: Path, known: dict[str, int], given: dict[str, int], problems: Problems
) -> None:
    """Report ids that are numbers in one file and strings in the other: scripts do not match them."""
    numbers = {key for key in known if isinstance(key, Number)}
    mixed = [key for key in given if key in known and isinstance(key, Number) != (key in numbers)]
    if mixed:
        here, there = ("a number", "a string") if isinstance(mixed[0], Number) else ("a string", "a number")
        problems.add(
            f"questionId is {here} here and {there} in {gold.name}, such as {quoted(str(mixed[0]))} "
            f"({len(mixed):,} times)",
            "",
            submission,
        )


def _rows(path: Path, key: str | None, problems: Problems) -> list[dict[str, Any]]:
    """Return the rows of a list, or of the list under a key; anything but objects is a problem."""
    value = _raw.read_whole(path, _content.read_json(path))
    if key is not None:
        if not isinstance(value, dict) or key not in value:
            raise problem(path, f"gold labels must be an object with the questions in {key!r}")
        value = value[key]
    if not isinstance(value, list):
        raise problem(path, f"must be a list of objects, got {kind(value)}")
    if not value:
        raise problem(path, "holds no questions")
    for index, row in enumerate(value):
        if not isinstance(row, dict):
            problems.add(f"must be an object, got {kind(row)}", f"index {index}", path)
    return value


def _by_id(path: Path, rows: Sequence[dict[str, Any]], problems: Problems) -> dict[str, int]:
    """Return the index of each id; invalid or duplicate ids are problems."""
    indexes: dict[str, int] = {}
    for index, row in enumerate(rows):
        name = _name_of_id(row)
        key = row.get(name)
        if not isinstance(key, str):
            what = f"no {name}" if key is None else f"{name} must be a number or a string, got {kind(key)}"
            problems.add(what, f"index {index}", path)
        elif key in indexes:
            problems.add(
                f"duplicate {name} {quoted(key)}, first seen at index {indexes[key]}",
                f"index {index}",
                path,
            )
        else:
            indexes[key] = index
    return indexes


def _name_of_id(row: dict[str, Any]) -> str:
    return next((name for name in _IDS if name in row), _IDS[0])


def _check_accepted(row: dict[str, Any], place: str, problems: Problems) -> None:
    """Report accepted answers that are missing or not strings."""
    accepted = row.get("answers")
    if not isinstance(accepted, list):
        problems.add(f"answers must be a list, got {kind(accepted)}", place)
    elif not accepted:
        problems.add("the list of answers is empty", place)
    else:
        for value in accepted:
            if type(value) is not str:
                problems.add(f"an accepted answer must be a string, got {kind(value)}", place)


_DOC_IDS = ("docId", "doc_id", "image", "image_local_name")


def read_rrc(
    gold: str | os.PathLike[str], submission: str | os.PathLike[str], *, allow_missing: bool = False
) -> pl.DataFrame:
    """
    Read gold labels and a submission for the tasks DocVQA, InfographicVQA, ST-VQA or TextVQA.

    The submission is a list of `{"questionId": ..., "answer": ...}` in any order; ids may be spelled
    `question_id`, as in ST-VQA, TextVQA and the predictions of MMF. The checks cover those of the
    competition's script and of PyPI anls, and conditions that make them fail later: ids that are missing,
    unknown or duplicated, or strings in one file and numbers in the other; answers that are null, numbers or
    lists; and questions without accepted answers.

    Parameters
    ----------
    gold
        The file of gold labels, an object with the questions in `data`.
    submission
        The file of predictions.
    allow_missing
        Whether to treat a question without an answer in the submission, or with null, as a missing
        prediction.

    Returns
    -------
    DataFrame
        The standard frame, in the order of the gold labels, with their other fields; a field whose name is
        taken becomes `gold_NAME`.

    Raises
    ------
    InputError
        If the files have problems; the error lists all of them, with index and id.
    OSError
        If a file cannot be opened.

    See Also
    --------
    write_submission : writes predictions as a submission.

    Examples
    --------
    >>> import anls_frame as af
    >>> frame = af.read_rrc("data/rrc/gold_label.json", "data/rrc/submission_tesseract.json")
    >>> frame.select("question_id", "prediction", "answers").head(1)
    shape: (1, 3)
    ┌─────────────┬──────────────────┬──────────────────────┐
    │ question_id ┆ prediction       ┆ answers              │
    │ ---         ┆ ---              ┆ ---                  │
    │ str         ┆ str              ┆ list[str]            │
    ╞═════════════╪══════════════════╪══════════════════════╡
    │ 10101       ┆ Jackson and Sons ┆ ["Jackson and Sons"] │
    └─────────────┴──────────────────┴──────────────────────┘
    """
    frame = read(gold, submission, _rrc_fields, allow_missing=allow_missing, doc_ids=_DOC_IDS)
    return origins.remember(frame, "rrc")


def _rrc_fields(row: dict[str, Any], report: Callable[[str], None], *, allow_missing: bool) -> dict[Key, Any]:
    value = row.get("answer")
    if type(value) is str or (value is None and allow_missing):
        return {role_key("prediction"): value}
    report("no answer" if "answer" not in row else f"answer must be a string, got {kind(value)}")
    return {}


@takes_names
def write_submission(
    frame: Any,
    path: str | os.PathLike[str],
    *,
    prediction: str = "prediction",
    question_id: str = "question_id",
) -> Path:
    """
    Write predictions as a submission for the Robust Reading Competition.

    Parameters
    ----------
    frame
        A Polars, pandas or Arrow frame with an id and a prediction in each row.
    path
        Path of the file, which is replaced completely or, on an error, left unchanged.
    prediction, question_id
        Names of the columns.

    Returns
    -------
    Path
        The path of the file, which contains a list of `{"questionId": ..., "answer": ...}`, with ids as
        numbers if all are integers, and missing predictions as empty strings.

    Raises
    ------
    InputError
        If an id is missing or duplicated.
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If a column does not fit its role.
    OSError
        If the file cannot be written. An existing file then stays unchanged.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> frame = af.read_rrc("data/rrc/gold_label.json", "data/rrc/submission_tesseract.json")
    >>> path = af.readers.write_submission(frame.head(2), Path(tempfile.mkdtemp()) / "submission.json")
    >>> print(path.read_text())
    [{"questionId": 10101, "answer": "Jackson and Sons"},
     {"questionId": 10102, "answer": "info.jackson@example.org"}]
    <BLANKLINE>
    """
    target = _content.as_path(path)
    columns = to_lazy(frame, [prediction], [question_id]).collect()
    problems = Problems(target)
    ids = _raw.texts(question_id, columns[question_id], problems, str)
    texts = _raw.texts(prediction, columns[prediction], problems, str)
    _standard.check_ids(ids, problems, lambda row: f"row {row + 1}")
    problems.raise_any()
    whole = all(re.fullmatch("0|-?[1-9][0-9]*", value) for value in ids)
    rows = [
        f'{{"questionId": {key if whole else json.dumps(key)}, '
        f'"answer": {json.dumps(text or "", ensure_ascii=False)}}}'
        for key, text in zip(ids, texts, strict=True)
    ]
    with replacing(target) as file:
        file.write(("[" + ",\n ".join(rows) + "]\n").encode())
    return target


_UNANSWERABLE = ("not-answerable", "not answerable")
_SUBMITTED = {"questionId", "answers", "answers_confidence"}


def read_dude(
    gold: str | os.PathLike[str], submission: str | os.PathLike[str], *, allow_missing: bool = False
) -> pl.DataFrame:
    """
    Read gold labels and a submission for DUDE (Document Understanding Dataset and Evaluation).

    The submission is a list of `{"questionId": ..., "answers": [...], "answers_confidence": [...]}`. As in
    DUDE's script, the first entry of `answers` is the prediction (an empty list means the empty text), and an
    unanswerable question accepts the empty text.

    Parameters
    ----------
    gold
        The file of gold labels, an object with the questions in `data`.
    submission
        The file of predictions.
    allow_missing
        Whether to treat a question without answers in the submission, or with null, as a missing prediction.

    Returns
    -------
    DataFrame
        The standard frame, in the order of the gold labels, with their other fields (`answer_type`;
        `answers_variants`, which the script does not accept; ...), all submitted answers in `predictions`,
        and `answers_confidence` (the first of a list; -1 means none). Other fields of the submission keep
        their names; a field whose name is taken becomes `gold_NAME` or `submission_NAME`. `dude_anls` is the
        script's score. The protocol `rrc` gives the same score, except for questions with a list as the
        answer (`list` in `answer_type`), where the script assigns all predictions to all answers.

    Warns
    -----
    InputWarning
        If questions have a list as the answer.

    Raises
    ------
    InputError
        If the files have problems; the error lists all of them, with index and id.
    OSError
        If a file cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> folder = Path(tempfile.mkdtemp())
    >>> gold = '{"questionId": "a1", "question": "Fax?", "answers": ["Yes"], "answer_type": "extractive"}'
    >>> _ = (folder / "gold.json").write_text('{"dataset_name": "DUDE Dataset", "data": [' + gold + "]}")
    >>> submission = '[{"questionId": "a1", "answers": ["yes"], "answers_confidence": [0.8]}]'
    >>> _ = (folder / "submission.json").write_text(submission)
    >>> frame = af.readers.read_dude(folder / "gold.json", folder / "submission.json")
    >>> frame.select("question_id", "prediction", "answers", "answers_confidence")
    shape: (1, 4)
    ┌─────────────┬────────────┬───────────┬────────────────────┐
    │ question_id ┆ prediction ┆ answers   ┆ answers_confidence │
    │ ---         ┆ ---        ┆ ---       ┆ ---                │
    │ str         ┆ str        ┆ list[str] ┆ f64                │
    ╞═════════════╪════════════╪═══════════╪════════════════════╡
    │ a1          ┆ yes        ┆ ["Yes"]   ┆ 0.8                │
    └─────────────┴────────────┴───────────┴────────────────────┘
    """
    frame = read(gold, submission, _dude_fields, allow_missing=allow_missing, unanswerable=_UNANSWERABLE)
    are_lists = pl.repeat(value=False, n=frame.height, eager=True)
    if frame.schema.get("answer_type") == pl.String:
        are_lists = frame["answer_type"].str.contains("list")
    _warn_of_lists(are_lists)
    scores = _scores(frame, are_lists).alias(free_name("dude_anls", frame.columns))
    return origins.remember(frame.with_columns(scores), "rrc")


def _dude_fields(
    row: dict[str, Any], report: Callable[[str], None], *, allow_missing: bool
) -> dict[Key, Any]:
    """Return the fields of a submitted row."""
    fields = members("submission", {name: value for name, value in row.items() if name not in _SUBMITTED})
    answers = row.get("answers")
    if answers is None and allow_missing:
        return fields
    texts = answers if isinstance(answers, list) else [answers]
    wrong = next((text for text in texts if type(text) is not str), "")
    if wrong != "" or "answers" not in row:
        report(f"answers must be strings, got {kind(wrong)}" if "answers" in row else "no answers")
        return fields
    confidence = row.get("answers_confidence")
    first = next(iter(confidence), None) if isinstance(confidence, list) else confidence
    if first is not None and not isinstance(first, Number):
        report(f"answers_confidence must be a number or a list of numbers, got {kind(first)}")
    return fields | {
        role_key("prediction"): texts[0] if texts else "",
        (SAMPLE, "predictions"): texts,
        (SAMPLE, "answers_confidence"): first,
    }


def _warn_of_lists(are_lists: pl.Series) -> None:
    """Warn of questions that have a list as the answer, because only the first prediction is scored."""
    lists = int(are_lists.sum())
    if lists:
        warn(
            f"the answers to {numbered(lists, 'question')} of {len(are_lists):,} are lists. DUDE's script "
            'assigns them to all predictions: this score is in dude_anls (metrics="dude_anls"). Other '
            "scores take the first prediction and its nearest answer. To leave these questions out: "
            'frame.filter(~pl.col("answer_type").str.contains("list"))'
        )


def _scores(frame: pl.DataFrame, are_lists: pl.Series) -> pl.Series:
    """
    Return the score of each question according to DUDE's script; null without a prediction.

    A question with a single answer has the ANLS of the first prediction. If the answer is a list, predictions
    and answers are assigned one to one so that the sum of their ANLS is largest, and the sum is divided by
    the number of distinct answers or of predictions, whichever is larger. Among several such assignments, the
    script may choose another, whose sum differs in the last bit (12 of 30,000 random lists of up to 7).
    """
    single = frame.select(anls("prediction", "answers", protocol="rrc")).to_series()
    assigned_scores = {
        row: _assigned(predictions, answers)
        for row, predictions, answers in frame.with_row_index("row")
        .filter(are_lists & frame["prediction"].is_not_null())
        .select("row", "predictions", "answers")
        .iter_rows()
    }
    if not assigned_scores:
        return single
    return single.scatter(list(assigned_scores), list(assigned_scores.values()))


def _assigned(predictions: list[str], answers: list[str]) -> float:
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - only for those who use it

    pairs = pl.DataFrame({"prediction": predictions}, schema={"prediction": pl.String}).join(
        pl.DataFrame({"answer": answers}), how="cross", maintain_order="left_right"
    )
    table = pairs.select(anls("prediction", "answer", protocol="rrc")).to_numpy()
    table = table.reshape(len(predictions), len(answers))
    # As in the script, the shorter list first: sums of floats depend on the order.
    table = table.T if len(answers) < len(predictions) else table
    best = linear_sum_assignment(table, maximize=True)
    return float(table[best].sum() / max(len(set(answers)), len(predictions)))

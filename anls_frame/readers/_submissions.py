"""Pairs of files of competitions, gold labels and a submission: their rows and ids."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from anls_frame._text import quoted
from anls_frame.frames.strict_json import Number, kind
from anls_frame.readers import _content, _json, _raw, _sample_fields
from anls_frame.readers._problems import Problems, problem
from anls_frame.readers._sample_fields import Key, members, role

_IDS = ("questionId", "question_id")
"""How the field of ids is spelled: as in DocVQA, or as in ST-VQA, TextVQA and MMF."""


def read(
    gold: str | os.PathLike[str],
    submission: str | os.PathLike[str],
    answered: Callable[..., dict[Key, Any]],
    *,
    allow_missing: bool,
    doc_ids: Sequence[str] = _sample_fields.DOC_IDS,
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
        roles = {role("question_id"): key, role("prediction"): None, role("answers"): answers_of}
        rows[key] = roles | labels
    for key, index in given.items():
        place = f"index {index}, id {key}"
        if key not in known:
            problems.add("this question is not among the gold labels", place, submission)
        report = partial(problems.add, place=place, path=submission)
        rows[key] = rows.get(key, {}) | answered(answers[index], report, allow_missing=allow_missing)
    problems.raise_any()
    places = ((f"index {known[key]}, id {key}", fields) for key, fields in rows.items())
    columns, names = _raw.gathered(gold, places)
    frame = _sample_fields.frame(
        columns, len(names), names.__getitem__, problems, doc_ids=doc_ids, answers_format="text"
    )
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
    value = _json.read_whole(path, _content.read_text(path))
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

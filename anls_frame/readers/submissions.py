"""Pairs of files of competitions, gold labels and a submission: their rows and ids."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

import polars as pl

from anls_frame._arguments import takes_names
from anls_frame._atomic import replacing
from anls_frame._messages import Message
from anls_frame._paths import as_path
from anls_frame._text import numbered, quoted
from anls_frame.exceptions import warn
from anls_frame.files import raw_tables, standard_frames
from anls_frame.files.file import File
from anls_frame.files.problems import Problems, problem
from anls_frame.files.standard_frames import SAMPLE, Key, members, role_key
from anls_frame.frames import origins
from anls_frame.frames.checks import free_name
from anls_frame.frames.conversion import to_lazy
from anls_frame.frames.strict_json import Number, kind
from anls_frame.metrics.scores import anls
from anls_frame.readers.descriptions import ID_FIELDS
from anls_frame.readers.questions import Gold

Unmatched: TypeAlias = Literal["error", "null", "drop"]


@dataclass(frozen=True, kw_only=True)
class Labels(Gold):
    """The questions of a file of gold labels."""

    numbers: frozenset[str]
    """The ids that are numbers in the file."""

    other_ids: ClassVar[Message] = Message("are these the gold labels of this submission?")

    def joined(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return rows with the columns of their questions, in the order of the gold labels."""
        place = free_name("place", rows.columns)
        placed = rows.join(
            self.ids.with_row_index(place), on="question_id", how="left", maintain_order="left"
        )
        system = pl.col("system").cast(pl.Enum(rows["system"].unique(maintain_order=True)))
        in_order = placed.sort(system, "epoch", place, nulls_last=True, maintain_order=True)
        return super().joined(in_order.drop(place))


@dataclass(frozen=True, kw_only=True)
class Competition:
    """How the files of a competition are read."""

    doc_ids: Sequence[str] = standard_frames.DOC_IDS
    """The names of the field with the document of a question."""
    unanswerable: Sequence[str] = ()
    """The values of `answer_type` with which a question accepts the empty text."""
    answer: str
    """The field of a submission with the prediction."""
    fields: Callable[[dict[str, Any], Callable[[str], None]], dict[Key, Any]]
    """Returns the fields of a row with an answer, and reports its problems."""
    finish: Callable[[pl.DataFrame, Labels], pl.DataFrame] = lambda rows, _: rows
    """Adds what follows from a submission and the gold labels."""

    def labels(self, file: File) -> Labels:
        """Return the questions of a file of gold labels."""
        problems = Problems(file)
        value = raw_tables.read_whole(file, file.read_json())
        if not isinstance(value, dict) or "data" not in value:
            raise problem(file, "gold labels must be an object with the questions in 'data'")
        known = _by_id(file, value["data"], problems)
        if known and not any(question.get("answers") for _, question in known.values()):
            raise problem(file, "no question has answers, as in a test split; there is nothing to score")
        rows: list[tuple[str, dict[Key, Any]]] = []
        for key, (place, question) in known.items():
            if question.get("answer_type") in self.unanswerable and question.get("answers") == []:
                question["answers"] = [""]
            _check_accepted(question, place, problems)
            read = {_name_of_id(question), "answers"}
            others = members("gold", {name: value for name, value in question.items() if name not in read})
            roles = {role_key("question_id"): key, role_key("answers"): question.get("answers")}
            rows.append((place, roles | others))
        problems.raise_any()
        frame = self._frame(file, rows, problems)
        return Labels(
            ids=frame.select("question_id"),
            rows=frame.drop("question_id"),
            path=file.path,
            names=frame.columns,
            numbers=frozenset(key for key in known if isinstance(key, Number)),
        )

    def submission(self, file: File, labels: Labels | None) -> pl.DataFrame:
        """Return the answered questions of a submission; one whose answer is null is not answered."""
        problems = Problems(file)
        given = _by_id(file, raw_tables.read_whole(file, file.read_json()), problems)
        if labels is not None:
            _check_id_types(given, labels, problems)
        rows: list[tuple[str, dict[Key, Any]]] = []
        for key, (place, row) in given.items():
            if row.get(self.answer) is not None:
                fields = self.fields(row, partial(problems.add, place=place))
                rows.append((place, {role_key("question_id"): key} | fields))
        if not rows and not problems:
            problems.add(f"no question has {self.answer!r}, the answer")
        problems.raise_any()
        frame = self._frame(file, rows, problems)
        finished = frame if labels is None else self.finish(frame, labels)
        # Harnesses of TextVQA and VQA, with ten answers to each question, compute the VQA accuracy.
        counts = [] if labels is None else labels.rows["answers"].list.len().unique().to_list()
        return origins.remember(finished, None if counts == [10] else "rrc")

    def _frame(
        self, file: File, rows: Sequence[tuple[str, dict[Key, Any]]], problems: Problems
    ) -> pl.DataFrame:
        raw = raw_tables.from_objects(file, rows)
        frame = standard_frames.samples_frame(raw, problems, doc_ids=self.doc_ids, answers_format="text")
        problems.raise_any()
        return frame


def _check_id_types(given: Iterable[str], labels: Labels, problems: Problems) -> None:
    """Report ids that are numbers in one file and strings in the other: scripts do not match them."""
    known = {*labels.ids["question_id"]}
    mixed = [key for key in given if key in known and isinstance(key, Number) != (key in labels.numbers)]
    if mixed:
        here, there = ("a number", "a string") if isinstance(mixed[0], Number) else ("a string", "a number")
        problems.add(
            f"the id is {here} here and {there} in {labels.path.name}, such as {quoted(str(mixed[0]))} "
            f"({len(mixed):,} times); write it the same way, as scripts of competitions do not match them"
        )


def _by_id(file: File, value: Any, problems: Problems) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the place and the row of each id in a list of rows; invalid or duplicate ids are problems."""
    indexes: dict[str, str] = {}
    rows: dict[str, tuple[str, dict[str, Any]]] = {}
    for index, row in raw_tables.listed_rows(file, value, problems):
        name = _name_of_id(row)
        key = row.get(name)
        if not isinstance(key, str):
            what = f"no {name}" if key is None else f"{name} must be a number or a string, got {kind(key)}"
            problems.add(what, index)
        elif (first := indexes.setdefault(key, index)) != index:
            problems.add(f"duplicate {name} {quoted(key)}, first seen at {first}", index)
        else:
            rows[key] = f"{index}, id {key}", row
    return rows


def _name_of_id(row: dict[str, Any]) -> str:
    return next((name for name in ID_FIELDS if name in row), ID_FIELDS[0])


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


def _rrc_fields(row: dict[str, Any], report: Callable[[str], None]) -> dict[Key, Any]:
    value = row["answer"]
    if type(value) is not str:
        report(f"answer must be a string, got {kind(value)}")
    return {role_key("prediction"): value}


RRC = Competition(
    doc_ids=("docId", "doc_id", "image", "image_local_name"), answer="answer", fields=_rrc_fields
)


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
    >>> import anls_frame as af
    >>> frame = af.sample().select("question_id", prediction="tesseract").head(2)
    >>> path = af.readers.write_submission(frame, "submission.json")
    >>> print(path.read_text())
    [{"questionId": 10101, "answer": "Jackson and Sons"},
     {"questionId": 10102, "answer": "info.jackson@example.org"}]
    <BLANKLINE>
    """
    target = as_path(path)
    columns = to_lazy(frame, [prediction], [question_id]).collect()
    problems = Problems(target)
    ids = raw_tables.texts(question_id, columns[question_id], problems, str)
    texts = raw_tables.texts(prediction, columns[prediction], problems, str)
    standard_frames.check_ids(ids, problems, lambda row: f"row {row + 1}")
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


def _dude_fields(row: dict[str, Any], report: Callable[[str], None]) -> dict[Key, Any]:
    """Return the fields of a submitted row."""
    fields = members("submission", {name: value for name, value in row.items() if name not in _SUBMITTED})
    answers = row["answers"]
    texts = answers if isinstance(answers, list) else [answers]
    wrong = next((text for text in texts if type(text) is not str), "")
    if wrong != "":
        report(f"answers must be strings, got {kind(wrong)}")
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


def _with_dude_anls(frame: pl.DataFrame, labels: Labels) -> pl.DataFrame:
    """Return a submission with the score of DUDE's script."""
    answer_type = pl.lit(None, pl.String)
    if labels.rows.schema.get("answer_type") == pl.String:
        answer_type = pl.col("answer_type")
    questions = labels.ids.hstack(labels.rows.select("answers", answer_type=answer_type))
    texts = frame.select("question_id", "prediction", "predictions")
    both = texts.join(questions, on="question_id", how="left", maintain_order="left")
    are_lists = both["answer_type"].str.contains("list").fill_null(value=False)
    _warn_of_lists(are_lists)
    return frame.with_columns(_scores(both, are_lists).alias(free_name("dude_anls", frame.columns)))


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


DUDE = Competition(unanswerable=_UNANSWERABLE, answer="answers", fields=_dude_fields, finish=_with_dude_anls)

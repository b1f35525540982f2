"""Files of systems on the same questions: their rows below each other, and their texts side by side."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import polars as pl

from anls_frame._text import differing_in_case, listed, numbered, path_text, quoted
from anls_frame.exceptions import InputError, Problem, warn
from anls_frame.frames import origins
from anls_frame.frames.checks import no_column
from anls_frame.readers import _docs, _log_paths, _long
from anls_frame.readers._problems import Advice, ManyProblems, Option
from anls_frame.readers._raw import numbers
from anls_frame.readers._standard import ids_text
from anls_frame.readers.any_file import (
    Reading,
    are_pages,
    kind_of_file,
    load,
    load_systems,
    of_epoch,
    table,
)
from anls_frame.readers.descriptions import READERS
from anls_frame.readers.logs import read_logs
from anls_frame.readers.pages import read_engines
from anls_frame.reports.pairing import disagreeing

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from anls_frame.readers._runs import Runs

__all__ = ["SystemTexts", "read_systems"]

QUESTION = ["system", "question_id"]
_OF_FILE = "__anls_frame_system"
_COLUMNS = Option("systems", "OLD,NEW")


@dataclass(frozen=True, kw_only=True)
class SystemFiles:
    """Where the systems are: in a file each, in columns of one file, or below each other in one file."""

    files: Sequence[Path]
    columns: Sequence[str] | None = None
    column_of_names: str | None = None
    names: Sequence[str] | None = None
    how: Reading
    docs: Path | None = None
    docs_id: str | None = None
    runs: Runs = "error"
    repeats: bool = False
    """Whether a folder holds repeated answers of one system, not systems."""
    number: str = "two or more"
    """How many there may be, for messages."""
    least: int = 2
    """How many there must be."""

    @property
    def unmatched(self) -> str:
        """What to do about questions that a system lacks."""
        return self.how.unmatched or "error"

    @property
    def are_logged(self) -> bool:
        """Whether each system has rows of its own, in place of a column."""
        in_rows = self.column_of_names is not None and self.columns is None
        of_one = self.least == 1 and self.columns is None and self.docs is not None
        return in_rows or of_one or len(self.files) > 1 or _log_paths.is_many(self.files[0])


class SystemTexts(NamedTuple):
    """
    The texts of systems side by side.

    Examples
    --------
    >>> import anls_frame as af
    >>> af.readers.read_systems(["data/ocr_qa.parquet"], systems=["tesseract", "rapidocr"]).systems
    {'tesseract': "prediction of 'tesseract'", 'rapidocr': "prediction of 'rapidocr'"}
    """

    frame: pl.DataFrame
    """A row for each question: the columns of the first system, and the predictions of all."""
    systems: dict[str, str]
    """The columns of the predictions, by the names of the systems."""


def read_systems(
    files: Sequence[str | os.PathLike[str]],
    *,
    systems: Sequence[str] | None = None,
    system_column: str | None = None,
    names: Sequence[str] | None = None,
    reader: str | None = None,
    gold: str | os.PathLike[str] | None = None,
    epoch: int | None = None,
    unmatched: Literal["error", "null", "drop"] = "error",
    docs: str | os.PathLike[str] | None = None,
    docs_id: str | None = None,
    runs: Runs = "error",
    **options: Any,
) -> SystemTexts:
    """
    Read the files of systems on the same questions, with the predictions of all side by side.

    Parameters
    ----------
    files
        A file or folder for each system, or one folder in which each file or folder is a system, or one file
        with all systems.
    systems
        The prediction columns of the systems, if one file has them.
    system_column
        Column with the system of each row, if they are below each other.
    names
        Names of the systems, instead of those of their files or columns.
    reader, gold, epoch
        As for `readers.read_file`.
    unmatched
        What to do about questions that a system lacks: `"error"` lists them, `"null"` counts them as missing
        predictions, `"drop"` leaves them out.
    docs, docs_id, runs
        As for `anls_frame.read_logs`.
    options
        Options of the readers, such as `question_id=` or `scorer=`.

    Returns
    -------
    SystemTexts
        The frame, and the columns of the systems: what `compare`, `changes` and `browse` take, with
        `answers="answers"`.

    Raises
    ------
    InputError
        If the files have problems, or do not have the same questions and answers.
    OSError
        If a file cannot be opened.
    ValueError
        If a system has several answers to a question, of which `epoch` chooses one, or options do not fit.

    See Also
    --------
    anls_frame.read_logs : the rows of all systems and epochs below each other.

    Examples
    --------
    >>> import anls_frame as af
    >>> files = ["data/rrc/submission_tesseract.json", "data/rrc/submission_rapidocr.json"]
    >>> texts = af.readers.read_systems(files, gold="data/rrc/gold_label.json")
    >>> texts.frame.height, list(texts.systems)
    (1568, ['submission_tesseract', 'submission_rapidocr'])
    """
    return texts_of(
        SystemFiles(
            files=[Path(file) for file in files],
            columns=systems,
            column_of_names=system_column,
            names=names,
            how=Reading(
                reader=reader,
                gold=None if gold is None else Path(gold),
                epoch=epoch,
                unmatched=None if unmatched == "error" else unmatched,
                options=options,
            ),
            docs=None if docs is None else Path(docs),
            docs_id=docs_id,
            runs=runs,
        )
    )


def texts_of(given: SystemFiles) -> SystemTexts:
    """Return the texts of all systems side by side."""
    if not given.are_logged:
        return texts_in_columns(given)
    rows, labels = logged(given)
    if are_repeated(rows):
        found = listed([str(epoch) for epoch in rows["epoch"].unique().sort()])
        several = f"there are several epochs: {found}; choose one with "
        raise ValueError(Advice(several, Option("epoch", None)))
    return side_by_side(rows, [*labels])


def are_repeated(rows: pl.DataFrame) -> bool:
    """Whether a system has several rows for a question."""
    return bool(rows.select(pl.struct(QUESTION).is_duplicated().any()).item())


def texts_in_columns(given: SystemFiles) -> SystemTexts:
    """Return the texts of systems that are columns of one file."""
    names = _column_names(given)
    (path,) = given.files
    frame, predictions = load_systems(path, given.how, names)
    return _beside(frame, predictions, _names(given, names))


def scores_in_columns(given: SystemFiles) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return a table with a column of scores for each system."""
    if len(given.files) > 1 or given.columns is None:
        raise ValueError(
            Advice(f"scores are in {given.number} columns of one file; name them with ", _COLUMNS)
        )
    names = _column_names(given)
    (path,) = given.files
    frame = table(path, given.how)
    for name in names:
        if name not in frame.columns:
            raise InputError([Problem(str(path), "", no_column(name, frame.columns, names))])
        # In text files, numbers are strings, and a missing score is an empty string.
        column = frame[name]
        filled = column.set(column == "", None) if column.dtype == pl.String else column
        column = numbers(filled.drop_nulls()) if column.dtype == pl.String else column
        if not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
            raise InputError([Problem(str(path), "", f"column {quoted(name)} must hold numbers")])
        frame = frame.with_columns(filled.cast(pl.Float64).alias(name))
    return frame, dict(zip(_names(given, names), names, strict=True))


def _column_names(given: SystemFiles) -> list[str]:
    names = [*(given.columns or ())]
    if len(names) < 2 or len(set(names)) < len(names):  # noqa: PLR2004
        columns = f"{given.number} prediction columns of one file with "
        raise ValueError(Advice(f"name {given.number} files, or {columns}", _COLUMNS, ", each once"))
    if given.column_of_names is not None:
        raise ValueError(
            Advice(
                *(Option("systems", None), " names columns, and ", Option("system_column", None)),
                " is for files that have one: pass one",
            )
        )
    return names


def logged(given: SystemFiles, *, together: bool = True) -> tuple[pl.DataFrame, dict[str, str]]:
    """
    Return a row for each system, epoch and question, and how messages name each system.

    Raises
    ------
    InputError
        If the files have problems, or a system lacks a question or an epoch of one, unless these may be left
        out or the systems are not looked at together.
    """
    # What is unmatched is known when the files of all systems are read.
    how = dataclasses.replace(given.how, unmatched=None)
    is_filled = together and given.unmatched == "null"
    least = given.least if together else 1
    runs = "all" if given.repeats else given.runs
    without = [path for path in (how.gold, given.docs) if path is not None]
    twice = next((path for place, path in enumerate(given.files) if path in given.files[:place]), None)
    if twice is not None:
        raise ValueError(f"{twice}: the same file twice; name {given.number} files")
    if given.columns is not None:
        number = len(given.files)
        raise ValueError(
            Advice(Option("systems", None), f" is for systems in one file, but {number} files are given")
        )
    if given.column_of_names is not None:
        paths = [path for file in given.files for path in _log_paths.files(file, without, runs)]
        rows = _by_column(given, paths, how, is_filled=is_filled)
        found = rows["system"].unique(maintain_order=True).to_list()
        labels, noun = dict(zip(found, found, strict=True)), "system"
        if len(found) < least:
            message = f"column {quoted(given.column_of_names)} names one system: two are needed"
            raise InputError([Problem(str(paths[0]), "", message)])
    else:
        pages = are_pages(given.files[0], how)
        of_systems = (
            {path: [path] for path in given.files}
            if pages
            else _log_paths.by_system(given.files, without, runs, of_one=given.repeats)
        )
        stems = [_log_paths.name_of(path) for path in of_systems]
        found = stems if len(set(stems)) == len(stems) else [path_text(path) for path in of_systems]
        labels, noun = dict(zip(found, map(str, of_systems), strict=True)), "file"
        if len(found) < least:
            raise ValueError(f"{labels[found[0]]}: holds the logs of one system; name {given.number} systems")
        if pages:
            frames = read_engines(given.files, **given.how.of(["pages"]))
            rows = pl.concat(
                (
                    frame.with_columns(system=pl.lit(name), epoch=1)
                    for name, frame in zip(found, frames, strict=True)
                ),
                how="diagonal",
            )
        else:
            of_names = dict(zip(found, of_systems.values(), strict=True))
            rows = rows_of(given, of_names, how, is_filled=is_filled)
    origin = origins.of(rows)
    if together:
        rows = _complete(given, rows, labels, noun)
    if noun == "system" or pages:  # of files, the reader has checked them
        _check_answers(rows, labels)
    names = dict(zip(found, _names(given, found), strict=True))
    rows = rows.with_columns(rows["system"].replace_strict(names, return_dtype=pl.String))
    protocols = {names[name]: protocol for name, protocol in origin.of_systems.items()}
    rows = origins.remember(rows, origin.protocol, of_systems=protocols)
    return rows, {names[name]: label for name, label in labels.items()}


def _complete(given: SystemFiles, rows: pl.DataFrame, labels: Mapping[str, str], noun: str) -> pl.DataFrame:
    """Return the rows of questions that all systems have; raise an error if others may not be left out."""
    ids = rows.select("question_id").unique(maintain_order=True)
    lacking, uneven = [], []
    unshared: list[str] = []
    for name, label in labels.items():
        own = rows.filter(system=name).group_by("question_id", maintain_order=True).len("epochs")
        lost = ids.join(own, on="question_id", how="anti", maintain_order="left")["question_id"].to_list()
        if lost:
            unshared += lost
            count = numbered(len(lost), "question")
            lacking.append(Problem(label, "", f"lacks {count} that another {noun} has: {ids_text(lost)}"))
        most = max(own["epochs"], default=0)
        fewer = own.filter(pl.col("epochs") < most)["question_id"].to_list()
        if fewer:
            count = numbered(len(fewer), "question")
            uneven.append(Problem(label, "", f"lacks some of {most} epochs of {count}: {ids_text(fewer)}"))
    if (lacking or uneven) and given.unmatched == "error":
        ways = ["leave out questions that are not in all of them"] if lacking else []
        ways += ["average the epochs that there are"] if uneven else []
        advice = Advice(
            *("pass ", Option("unmatched", "drop"), f" to {' and '.join(ways)}, or "),
            *(Option("unmatched", "null"), " to count what is missing as missing predictions"),
        )
        hint = differing_in_case(unshared)
        hints = [Problem("", "", text) for text in (hint, advice) if text]
        problems = [*lacking, *uneven, *hints]
        raise InputError(problems, total=len(problems))
    for problem in lacking:
        warn(f"left out: {problem}")
    for problem in uneven:
        warn(f"averaged over fewer epochs: {problem}")
    if lacking:
        systems = rows.group_by("question_id").agg(pl.col("system").n_unique())
        shared = systems.filter(system=len(labels))
        rows = rows.join(shared, on="question_id", how="semi", maintain_order="left")
    if rows.is_empty():
        raise ValueError(f"there is no question that every {noun} has")
    return rows


def _check_answers(rows: pl.DataFrame, labels: Mapping[str, str]) -> None:
    """Raise an error if a system accepts other answers than the first."""
    firsts = rows.unique(["system", "question_id"], keep="first", maintain_order=True)
    first_name, *others = labels
    first = firsts.filter(system=first_name).select("question_id", first="answers")
    problems = []
    for name in others:
        both = firsts.filter(system=name).join(first, on="question_id", maintain_order="right")
        wrong = both.filter(disagreeing(both["answers"], both["first"]))["question_id"].to_list()
        if wrong:
            count = numbered(len(wrong), "question")
            message = f"accepts other answers than {labels[first_name]} for {count}: {ids_text(wrong)}"
            problems.append(Problem(labels[name], "", message))
    if problems:
        raise InputError(problems, total=len(problems))


def rows_of(
    given: SystemFiles, systems: Mapping[str, Sequence[Path]], how: Reading, *, is_filled: bool = False
) -> pl.DataFrame:
    """Return the rows of the files of each system, perhaps with rows for the questions that it lacks."""
    kinds = _kinds(given, [path for paths in systems.values() for path in paths])
    options = dataclasses.replace(how, epoch=None).of(kinds)
    rows = read_logs(
        systems,
        reader=kinds.pop() if how.reader is not None or how.gold is not None else None,
        unmatched="null" if is_filled else "keep",
        runs=given.runs,
        docs=given.docs,
        docs_id=given.docs_id,
        **options,
    )
    if rows.columns[1] == "task":  # questions are told apart by task and id
        named = rows.with_columns(question_id=pl.concat_str("task", "question_id", separator=" "))
        rows = origins.like(named, rows)
    return of_epoch(rows, how)


def _by_column(
    given: SystemFiles, paths: Sequence[Path], how: Reading, *, is_filled: bool = False
) -> pl.DataFrame:
    """
    Return the rows of files in which a column names the system of each row.

    A question that a system has in several files was answered several times. Questions that a system lacks
    may get rows without a prediction.
    """
    _kinds(given, paths)
    column = str(given.column_of_names)
    logs = [_long.Log(str(path), path, _of_file(path, column, how), None) for path in paths]
    rows = _long.joined(logs).drop("system").rename({_OF_FILE: "system"})
    rows = _long.without_tasks(_long.filled(rows) if is_filled else rows)
    if given.docs is not None:
        rows = _docs.joined(rows, given.docs, given.docs_id, ManyProblems())
    names = rows["system"].unique(maintain_order=True)
    in_order = rows.select("system", pl.exclude("system"))
    return of_epoch(in_order.sort(rows["system"].cast(pl.Enum(names)), maintain_order=True), how)


def _of_file(path: Path, column: str, how: Reading) -> pl.DataFrame:
    """Return the rows of a file with their epoch and system."""
    frame = load(path, dataclasses.replace(how, epoch=None), every_response=True)
    if column not in frame.columns:
        raise InputError([Problem(str(path), "", no_column(column, frame.columns))])
    if "question_id" not in frame.columns:
        message = Advice("has no ids of questions; name their column with ", Option("question_id", None))
        raise InputError([Problem(str(path), "", message)])
    names = frame[column].cast(pl.String)
    for values, what in ((frame["question_id"], "an id"), (names, f"a system in {quoted(column)}")):
        if lacking := values.null_count():
            raise InputError([Problem(str(path), "", f"{numbered(lacking, 'row')} without {what}")])
    rows = _long.with_epoch(frame).with_columns(names.alias(_OF_FILE))
    keys = rows.select("question_id", _OF_FILE, "epoch")
    doubled = keys.filter(keys.is_duplicated()).unique(maintain_order=True)
    if doubled.height:
        found = listed([f"{quoted(id_)} of {quoted(name)}" for id_, name, _ in doubled.iter_rows()])
        advice = "number repeated answers in a column 'epoch'"
        several = f"several rows for a question of a system: {found}; {advice}"
        raise InputError([Problem(str(path), "", several)])
    return rows


def _kinds(given: SystemFiles, paths: Sequence[Path]) -> set[str]:
    """Return the kinds of the files; raise an error if their questions cannot be found in the data set."""
    kinds = {kind_of_file(path, given.how) for path in paths}
    have_own_ids = any(READERS[kind].ids == "own" for kind in kinds)
    if given.docs is not None and given.docs_id is None and have_own_ids:
        raise ValueError(
            Advice(
                *("name the column of ", Option("docs", None), " that has the ids of the questions with "),
                Option("docs_id", None),
            )
        )
    return kinds


def side_by_side(rows: pl.DataFrame, names: Sequence[str]) -> SystemTexts:
    """Put the predictions of systems in columns, with all other columns from the first system."""
    first, *others = (rows.filter(system=name) for name in names)
    of_others = (
        first.select("question_id").join(frame, on="question_id", how="left", maintain_order="left")
        for frame in (frame.select("question_id", "prediction") for frame in others)
    )
    predictions = [first["prediction"], *(frame["prediction"] for frame in of_others)]
    frame, columns = _beside(first, predictions, names)
    return SystemTexts(origins.like(frame, rows), columns)


def _beside(frame: pl.DataFrame, predictions: Sequence[pl.Series], names: Sequence[str]) -> SystemTexts:
    """Return a frame with the predictions of all systems, in columns whose names were not taken."""
    rest = frame.drop("prediction")
    columns: dict[str, str] = {}
    for name in names:
        column = f"prediction of {quoted(name)}"
        while column in rest.columns or column in columns.values():
            column += "_"
        columns[name] = column
    texts = [series.alias(column) for series, column in zip(predictions, columns.values(), strict=True)]
    return SystemTexts(rest.with_columns(texts), columns)


def _names(given: SystemFiles, usual: Sequence[str]) -> list[str]:
    """Return the given names of the systems, or the usual ones."""
    names = list(given.names or usual)
    if len(names) != len(usual):
        raise ValueError(f"name must be given for each system or none: {len(names)} for {len(usual)}")
    if len(set(names)) < len(names) or "" in names:
        raise ValueError(f"name must be another one for each system, got {listed(list(map(quoted, names)))}")
    return names

"""One long frame from the frames of several files: dtypes, epochs, and whether the files fit together."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import polars as pl

from anls_frame._text import differing_in_case, numbered, path_text, quoted
from anls_frame.exceptions import warn
from anls_frame.readers import _standard
from anls_frame.readers._problems import Advice, Option
from anls_frame.reports.pairing import disagreeing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from anls_frame.readers._problems import ManyProblems

Unmatched: TypeAlias = Literal["error", "null", "drop", "keep"]

_OWN = ("system", "epoch", "log_file")
_QUESTION = "question_id"
# The task of a question, where a system has several: ids are only unique within one.
_TASK = "__anls_frame_task"
_KEYS = [_TASK, _QUESTION]
_FLOATS_TO = 1 << 53
_WIDER = {pl.UInt64, pl.Int128}  # than Int64


class Log(NamedTuple):
    """A file and its rows, with the column `epoch`."""

    system: str
    path: Path
    rows: pl.DataFrame
    task: str | None = None


def epochs_of(frame: pl.DataFrame) -> pl.Series | None:
    """Return the column `epoch` of a file as whole numbers; None if it is something else."""
    column = frame["epoch"] if "epoch" in frame.columns else pl.Series([None])
    if column.dtype == pl.String:  # as CSV has numbers
        column = column.cast(pl.Int64, strict=False)
    if not column.dtype.is_integer() or column.null_count():
        return None
    return column.cast(pl.Int64)


def with_epoch(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with their epoch, 1 if the file has none; columns in its place are renamed."""
    epochs = epochs_of(frame)
    names = set(frame.columns)
    renamed = {}
    for name in _OWN:
        if name in frame.columns and not (name == "epoch" and epochs is not None):
            free = name
            while free in names:
                free += "_"
            renamed[name] = free
            names.add(free)
    return frame.rename(renamed).with_columns(epoch=pl.lit(1, pl.Int64) if epochs is None else epochs)


def joined(logs: Sequence[Log]) -> pl.DataFrame:
    """
    Return the rows of all files, and the tasks of their questions in a column that `without_tasks` drops.

    Files of one system that have questions in common are repeats: the epochs of a later file are counted on.
    """
    # Harnesses have several names for one task, so tasks count only where a system has more than one.
    if not tasks_of(logs):
        logs = [log._replace(task=None) for log in logs]
    columns: dict[str, list[pl.Series]] = {}
    for log in logs:
        for column in log.rows:
            columns.setdefault(column.name, []).append(column)
    wanted = {name: _common(found) for name, found in columns.items()}
    epochs = _Epochs()
    frames = [
        log.rows.select(
            pl.lit(log.system).alias("system"),
            pl.lit(path_text(log.path)).alias("log_file"),
            pl.lit(log.task or "").alias(_TASK),
            epochs.of(log),
            *(_as(column, wanted[column.name]) for column in log.rows if column.name != "epoch"),
        )
        for log in logs
    ]
    found = pl.concat(frames, how="diagonal")
    roles = [role for role in _standard.ROLES if role in found.columns]
    several = (found[_TASK] != "").any()
    order = ["system", *(["task"] if several else []), "epoch", *roles]
    return found.select(*order, pl.exclude(*order, "log_file", _TASK), "log_file", _TASK)


def tasks_of(logs: Sequence[Log]) -> list[str]:
    """Return the tasks of the files, none if each system has only one."""
    tasks = dict.fromkeys((log.system, log.task or "") for log in logs)
    if len(tasks) == len({system for system, _ in tasks}):
        return []
    return sorted({task for _, task in tasks})


def without_tasks(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows without the column that tells the questions of different tasks."""
    return rows.drop(_TASK)


class _Epochs:
    """The questions and epochs in the files of each system so far."""

    def __init__(self) -> None:
        self._known: dict[str, pl.DataFrame] = {}

    def of(self, log: Log) -> pl.Series:
        """Return the epochs of a file, counted on if earlier files have some of them already."""
        own = log.rows.select(pl.lit(log.task or "").alias(_TASK), _QUESTION, "epoch")
        before = self._known.get(log.system)
        if before is None:
            self._known[log.system] = own
            return own["epoch"]
        if not before.join(own, on=[*_KEYS, "epoch"], how="semi").is_empty():
            last = before.join(own, on=_KEYS, how="semi")["epoch"].max()
            own = own.with_columns(pl.col("epoch") + last)
        self._known[log.system] = pl.concat([before, own])
        return own["epoch"]


def check_answers(rows: pl.DataFrame, problems: ManyProblems, paths: Iterable[Path]) -> None:
    """Report questions for which a file accepts other answers than the first file that has them."""
    first = rows.group_by(_KEYS, maintain_order=True).first()
    both = rows.select(*_KEYS, "log_file", "answers").join(
        first.select(*_KEYS, first="answers", first_file="log_file"), on=_KEYS, how="left"
    )
    # Nearly all are equal as they are, and sorting the answers of all rows takes as long as reading them.
    unequal = both.filter(both["answers"].ne_missing(both["first"]))
    differing = unequal.filter(disagreeing(unequal["answers"], unequal["first"]))
    differing = differing.unique([*_KEYS, "log_file", "first_file"], maintain_order=True)
    files = {path_text(path): path for path in paths}
    for (file, other), questions in differing.group_by("log_file", "first_file", maintain_order=True):
        ids = _ids(questions)
        problems.add(
            f"accepts other answers than {other} for {numbered(len(ids), 'question')}: "
            f"{_standard.ids_text(ids)}; are these files of one task?",
            path=files[str(file)],
        )


def check_complete(rows: pl.DataFrame, problems: ManyProblems) -> None:
    """Report the questions, and the epochs of questions, that a system lacks and that others have."""
    lacking = list(_lacking(rows))
    for message in lacking:
        problems.add(message)
    if lacking:
        systems = rows.group_by(_KEYS).agg(pl.col("system").n_unique())
        unshared = systems.filter(pl.col("system") < rows["system"].n_unique())
        if hint := differing_in_case(unshared[_QUESTION].sort()):
            problems.add(hint)
        problems.add(
            Advice(
                "all systems must have the same questions. To add rows without a prediction for the missing "
                "ones, pass ",
                Option("unmatched", "null"),
                "; to leave these questions out, ",
                Option("unmatched", "drop"),
                "; to keep all rows as they are, ",
                Option("unmatched", "keep"),
            )
        )


def filled(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows, and those without a prediction for what is missing, of which a warning tells."""
    keys = ["system", "epoch", *_KEYS]
    copied = [role for role in _standard.ROLES if role not in {_QUESTION, "prediction"}]
    there = [name for name in (*copied, "task") if name in rows.columns]
    questions = rows.group_by(_KEYS, maintain_order=True).first().select(*_KEYS, *there)
    epochs = rows.select("system", "epoch").unique(maintain_order=True)
    missing = epochs.join(questions, how="cross").join(rows, on=keys, how="anti")
    order = rows["system"].unique(maintain_order=True).to_list()
    every = pl.concat([rows, missing.select(*keys, *there)], how="diagonal")
    _warn(rows, every, "added without a prediction")
    return every.sort(pl.col("system").cast(pl.Enum(order)), maintain_order=True)


def shared(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of what all systems have in all their epochs; a warning tells of others."""
    every = rows.select("system", "epoch").n_unique()
    counts = rows.group_by(_KEYS).len()
    kept = rows.join(counts.filter(len=every), on=_KEYS, how="semi")
    _warn(rows, kept, "left out")
    return kept


def _warn(before: pl.DataFrame, after: pl.DataFrame, what: str) -> None:
    lacking = list(_lacking(before))
    if lacking:
        n = abs(after.height - before.height)
        warn(f"{numbered(n, 'row')} {what}, because {'; '.join(lacking)}")


def _lacking(rows: pl.DataFrame) -> Iterator[str]:
    questions = rows.select(_KEYS).unique(maintain_order=True)
    for (system,), own in rows.group_by("system", maintain_order=True):
        lost = _ids(questions.join(own, on=_KEYS, how="anti", maintain_order="left"))
        if lost:
            yield f"{system!r} lacks {numbered(len(lost), 'question')}: {_standard.ids_text(lost)}"
        epochs = own["epoch"].n_unique()
        counts = own.group_by(_KEYS, maintain_order=True).len().filter(pl.col("len") < epochs)
        if counts.height:
            ids = _ids(counts)
            yield (
                f"{system!r} has {epochs} epochs, but not all of them for {numbered(len(ids), 'question')}: "
                f"{_standard.ids_text(ids)}"
            )


def _ids(questions: pl.DataFrame) -> list[str]:
    """Return the ids of questions for a message, with their task if there are several."""
    pairs = questions.select(_KEYS).rows()
    return [f"{task} {question}" if task else question for task, question in pairs]


def _common(columns: Sequence[pl.Series]) -> pl.DataType:
    """Return a dtype for the values of all columns: a number that holds each exactly, otherwise String."""
    # A column without a value says nothing about the dtype.
    filled = [column for column in columns if column.null_count() < len(column)] or columns[:1]
    dtypes = {column.dtype for column in filled}
    if len(dtypes) == 1:
        return dtypes.pop()
    if all(dtype.is_integer() and dtype not in _WIDER for dtype in dtypes):
        return pl.Int64()
    return pl.Float64() if all(map(_are_floats, filled)) else pl.String()


def _are_floats(column: pl.Series) -> bool:
    """Whether floats hold the values of a column exactly."""
    if not column.dtype.is_integer():
        return column.dtype.is_float() or column.dtype == pl.Boolean
    return column.is_between(-_FLOATS_TO, _FLOATS_TO).all()


def _as(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return a column as this dtype, lists and the like as JSON text."""
    if column.dtype == dtype:
        return column
    if dtype == pl.String and (column.dtype.is_nested() or column.dtype == pl.Binary):
        texts = [None if value is None else _json(value) for value in column.to_list()]
        return pl.Series(column.name, texts, dtype=pl.String)
    if column.null_count() == len(column):
        return pl.Series(column.name, [None] * len(column), dtype=dtype)
    return column.cast(dtype)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=quoted)

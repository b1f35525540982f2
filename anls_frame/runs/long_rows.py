"""A long frame from the frames of several files and a table of their questions, which are checked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import polars as pl

from anls_frame._messages import Either, Message, Option
from anls_frame._text import differing_in_notation, listed, numbered, path_text, quoted
from anls_frame.exceptions import warn
from anls_frame.files import standard_frames
from anls_frame.files.problems import Problems
from anls_frame.frames import origins, usual_names
from anls_frame.frames.checks import free_name
from anls_frame.readers.questions import GOLD_ROLES, Gold
from anls_frame.reports.pairing import differing_questions, disagreeing

Unmatched: TypeAlias = Literal["error", "null", "drop", "keep"]

_QUESTION = "question_id"
# The task of a question, where a system has several: ids are only unique within one.
_TASK = "__anls_frame_task"
_OWN = ("system", "epoch", "log_file", _TASK)
_KEYS = [_TASK, _QUESTION]
_FLOATS_TO = 1 << 53
_WIDER = {pl.UInt64, pl.Int128}  # than Int64
_ADVICE = Message(
    "to count questions that a system lacks as missing predictions, pass ",
    Option("unmatched", "null"),
    "; to leave out questions that some systems lack, and keep questions with fewer epochs, ",
    Option("unmatched", "drop"),
)


_OTHER_IDS = Message(
    "no two systems share a question: name the column of the ids of questions with ",
    Option("question_id", ...),
)


class Log(NamedTuple):
    """A file and its rows, with the column `epoch` and the origin that its reader knows."""

    system: str
    path: Path
    rows: pl.DataFrame
    task: str | None = None


def with_epoch(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with their epoch, 1 if the file has none; another column of this name is renamed."""
    epochs = standard_frames.epochs_of(frame)
    epoch = pl.lit(1, pl.Int64) if epochs is None else epochs
    return origins.like(frame.rename(_renamed(frame)).with_columns(epoch=epoch), frame)


def only_file(
    log: Log, frame: pl.DataFrame, *, gold: Gold, unmatched: str, epoch: int | None = None
) -> pl.DataFrame:
    """Return the rows of a single file, as it has them, with the columns of their questions."""
    rows = long_frame([log], gold=gold, unmatched=unmatched, epoch=epoch)
    made = origins.of(rows)
    own_names = {new: old for old, new in _renamed(frame).items()}
    only = rows.drop(_added(frame), strict=False).rename(own_names)
    return origins.add(origins.like(only, frame), separator=made.separator, left_out=made.left_out)


def _renamed(frame: pl.DataFrame) -> dict[str, str]:
    """Return new names for columns whose names clash with added columns."""
    return {name: free_name(name, frame.columns) for name in _added(frame) if name in frame.columns}


def _added(frame: pl.DataFrame) -> list[str]:
    """Return the names of the columns that `long_frame` adds to a file."""
    has_epochs = standard_frames.epochs_of(frame) is not None
    return [name for name in _OWN if not (name == "epoch" and has_epochs)]


def only_epoch(frame: pl.DataFrame, epoch: int | None) -> pl.DataFrame:
    """Return the rows of an epoch, or all rows; a file without epochs has only epoch 1."""
    if epoch is None:
        return frame
    epochs = with_epoch(frame)["epoch"]
    chosen = frame.filter(epochs == epoch)
    if chosen.is_empty():
        known = listed([str(number) for number in epochs.unique().sort()])
        raise ValueError(Message(Option("epoch", epoch), f": there is no such epoch among {known}"))
    return origins.like(chosen, frame)


def long_frame(
    logs: Sequence[Log], *, gold: Gold | None = None, unmatched: str = "error", epoch: int | None = None
) -> pl.DataFrame:
    """
    Return the rows of all files (of one epoch, if given) with the columns of their questions in `gold`.

    If a file has no answers, gold defines the questions; otherwise, gold may contain more questions. Files of
    one system with common questions are repeats, and the epochs of later files are renumbered to follow.

    Raises
    ------
    InputError
        If files accept different answers to a question, a system or gold lacks questions and `unmatched` is
        "error", or gold has none of the questions.
    """
    problems = Problems()
    tasks = tasks_of(logs)
    rows = only_epoch(_below_each_other(logs if tasks else [log._replace(task=None) for log in logs]), epoch)
    given = rows
    if gold is not None:
        if tasks:
            raise ValueError(
                "gold has the questions of one task, but these files are of "
                f"{listed(list(map(quoted, tasks)))}; read the files of each task with its own gold"
            )
        rows = _known(rows, gold, unmatched, problems)
    asked = rows.select(_KEYS)
    if gold is not None and any("answers" not in log.rows.columns for log in logs):
        asked = pl.concat([gold.asked.select(pl.lit("").alias(_TASK), _QUESTION), asked])
    asked = asked.unique(maintain_order=True)
    if unmatched == "error":
        _check_complete(rows, asked, problems)
    elif unmatched == "null":
        rows = _filled(rows, asked)
    elif unmatched == "drop":
        rows = _shared(rows, asked)
    have_answers = "answers" in rows.columns
    if gold is not None:
        gold.check_answers(rows, problems)
        rows = gold.joined(rows)
    if have_answers:
        _check_answers(rows, problems, {path_text(log.path): log.path for log in logs})
    if problems and "model" in rows.columns and rows["model"].n_unique() < rows["system"].n_unique():
        advice = Either("list the files of each under one name", "pass --system-column model")
        problems.hint(Message("several of the systems are files of one model: ", advice))
    problems.raise_any()
    _warn_of_questions(rows, gold)
    return _remembered(_in_order(rows), logs, gold, _left_out(given, asked, rows))


def told_apart(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows in which ids distinguish the questions of several tasks."""
    if rows.columns[1] != "task":
        return rows
    named = rows.with_columns(question_id=pl.concat_str("task", "question_id", separator=" "))
    return origins.like(named, rows)


def _below_each_other(logs: Sequence[Log]) -> pl.DataFrame:
    """Return the rows of all files, and the tasks of their questions."""
    columns: dict[str, list[pl.Series]] = {}
    for log in logs:
        for column in log.rows:
            columns.setdefault(column.name, []).append(column)
    wanted = {name: _common(parts) for name, parts in columns.items()}
    frames = [
        log.rows.select(
            pl.lit(log.system).alias("system"),
            pl.lit(path_text(log.path)).alias("log_file"),
            pl.lit(log.task or "").alias(_TASK),
            epochs,
            *(_as(column, wanted[column.name]) for column in log.rows if column.name != "epoch"),
        )
        for log, epochs in zip(logs, _renumbered(logs), strict=True)
    ]
    return pl.concat(frames, how="diagonal")


def _in_order(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the columns of the system and of the standard frame first, and the file last."""
    roles = [role for role in usual_names.ROLES if role in rows.columns]
    several = (rows[_TASK] != "").any()
    order = ["system", *(["task"] if several else []), "epoch", *roles]
    return rows.select(*order, pl.exclude(*order, "log_file", _TASK), "log_file")


def _remembered(
    rows: pl.DataFrame, logs: Sequence[Log], gold: Gold | None, left_out: dict[str, int]
) -> pl.DataFrame:
    """Remember what was left out, how answers were split, and the protocol of all files or each system."""
    of_logs = [origins.of(log.rows) for log in logs]
    separators = [*(origin.separator for origin in of_logs), None if gold is None else gold.separator]
    separator = next(filter(None, separators), None)
    protocols: dict[str, set[str | None]] = {}
    for log, origin in zip(logs, of_logs, strict=True):
        protocols.setdefault(log.system, set()).add(origin.protocol)
    by_name = {system: names.pop() if len(names) == 1 else None for system, names in protocols.items()}
    known: dict[str, Any] = {"separator": separator}
    # Engines are read together, so each has the same number of pages left out.
    known["left_out"] = left_out | {what: n for origin in of_logs for what, n in origin.left_out.items()}
    known["outcomes"] = frozenset(chain.from_iterable(origin.outcomes for origin in of_logs))
    if len(set(by_name.values())) > 1:
        return origins.remember(rows, of_systems=by_name, **known)
    return origins.remember(rows, next(iter(by_name.values())), **known)


def tasks_of(logs: Sequence[Log]) -> list[str]:
    """Return the tasks of the files; none if each system has only one task."""
    tasks = dict.fromkeys((log.system, log.task or "") for log in logs)
    if len(tasks) == len({system for system, _ in tasks}):
        return []
    return sorted({task for _, task in tasks})


def _renumbered(logs: Sequence[Log]) -> list[pl.Series]:
    """Return the epochs of each file, renumbered to follow those of earlier files of its system."""
    known: dict[str, pl.DataFrame] = {}
    epochs = []
    for log in logs:
        own = log.rows.select(pl.lit(log.task or "").alias(_TASK), _QUESTION, "epoch")
        before = known.get(log.system, own.clear())
        if not before.join(own, on=[*_KEYS, "epoch"], how="semi").is_empty():
            last = before.join(own, on=_KEYS, how="semi")["epoch"].max()
            own = own.with_columns(pl.col("epoch") + last)
        known[log.system] = pl.concat([before, own])
        epochs.append(own["epoch"])
    return epochs


def _known(rows: pl.DataFrame, gold: Gold, unmatched: str, problems: Problems) -> pl.DataFrame:
    """Return the rows of questions in gold; other rows are a problem, left out with a warning, or kept."""
    known = rows.join(gold.ids, on=_QUESTION, how="semi", maintain_order="left")
    unknown = rows.join(gold.ids, on=_QUESTION, how="anti", maintain_order="left")
    messages = []
    for (system,), own in unknown.group_by("system", maintain_order=True):
        lost = own[_QUESTION].unique(maintain_order=True).to_list()
        count = numbered(len(lost), "question")
        messages.append(f"{system!r} has {count} that gold lacks: {standard_frames.ids_text(lost)}")
    without = unknown.join(known, on="system", how="anti")["system"].unique(maintain_order=True).to_list()
    if messages and (unmatched == "error" or without):
        for message in messages:
            problems.add(message)
        others = gold.ids.join(known, on=_QUESTION, how="anti")[_QUESTION].to_list()
        hint = differing_in_notation([*unknown[_QUESTION].unique(maintain_order=True), *others])
        if hint:
            problems.hint(hint)
        if without:
            shown = standard_frames.ids_text(gold.ids[_QUESTION].head(3).to_list())
            none = f"gold has no question of {listed(map(quoted, without))}, its ids are such as {shown}"
            problems.hint(none if hint else Message(f"{none}: ", gold.other_ids))
            problems.raise_any()
    if messages and unmatched in {"null", "drop"}:
        warn(f"{numbered(unknown.height, 'row')} left out, because {'; '.join(messages)}")
    return rows if unmatched == "keep" else known


_SOURCE = ("system", "log_file")
_FIRST = ("first_system", "first_file")


def _with_first(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return a column of each system and file, with that of the first one that has the question."""
    own = rows.select(*_KEYS, *_SOURCE, name)
    first = own.group_by(_KEYS, maintain_order=True).first()
    first = first.rename({name: "first"} | dict(zip(_SOURCE, _FIRST, strict=True)))
    return own.join(first, on=_KEYS, maintain_order="left")


def _check_answers(rows: pl.DataFrame, problems: Problems, files: Mapping[str, Path]) -> None:
    """Report questions for which a file, or a system in it, has different accepted answers than the first."""
    both = _with_first(rows, "answers")
    # Nearly all answers are equal without sorting, which would take as long as reading the rows.
    unequal = both.filter(both["answers"].ne_missing(both["first"]))
    differing = unequal.filter(disagreeing(unequal["answers"], unequal["first"]))
    differing = differing.unique([*_KEYS, *_SOURCE], maintain_order=True)
    for sources, questions in differing.group_by(*_SOURCE, *_FIRST, maintain_order=True):
        ids = _ids(questions)
        system, file, other_system, other = sources
        if file == other:
            file, other = None, f"{other_system!r}"
        name = f"{system!r} " if file is None else ""
        problems.add(
            f"{name}accepts other answers than {other} for {numbered(len(ids), 'question')}: "
            f"{standard_frames.ids_text(ids)}; are these files of one task?",
            path=files.get(file),
        )
        if system == other_system:
            what = (
                "if each file has other questions under the same ids, as OpenCompass numbers the parts of a "
                "data set, make the ids different or, for a report, pass "
            )
            problems.hint(Message(what, Option("shared_ids", "rows")))
        else:
            what = "if they are, take the answers out of the files, and join those of one table with "
            problems.hint(Message(what, Option("gold", "FILE")))


def _warn_of_questions(rows: pl.DataFrame, gold: Gold | None) -> None:
    """Warn if a file, or gold, has other questions than another one under the same ids."""
    if "question" not in rows.columns or rows.schema["question"] != pl.String:
        return
    asked = _with_first(rows.filter(pl.col("question").is_not_null()), "question")
    others = asked.filter(pl.col("log_file") != pl.col("first_file"))
    pairs = [
        (f"{system!r}", f"{other!r}" if other != system else other_file, own)
        for (system, _, other, other_file), own in others.group_by(*_SOURCE, *_FIRST, maintain_order=True)
    ]
    if gold is not None and "question" in gold.rows.columns:
        labels = gold.ids.with_columns(first=gold.rows["question"])
        known = asked.drop("first").join(labels, on=_QUESTION, maintain_order="left")
        pairs += [
            (f"{system!r}", "gold", own) for (system,), own in known.group_by("system", maintain_order=True)
        ]
    for system, other, own in pairs:
        ids = pl.DataFrame({"id": _ids(own)})
        if message := differing_questions(ids, (own["question"], own["first"]), (system, str(other))):
            advice = ". Name the column that identifies a question in each table with "
            warn(message, advice, Option("question_id", ...))


def _check_complete(rows: pl.DataFrame, asked: pl.DataFrame, problems: Problems) -> None:
    """Report the questions, and the epochs of questions, that a system lacks."""
    both = Message(_ADVICE, "; both leave out questions that gold lacks")
    advice = both if problems else _ADVICE
    lacking = [*_lacking(rows, asked), *_uneven(rows)]
    for message in lacking:
        problems.add(message)
    if lacking:
        every = rows["system"].n_unique()
        systems = rows.group_by(_KEYS).agg(pl.col("system").n_unique())
        unshared = systems.filter(pl.col("system") < every)
        if hint := differing_in_notation(unshared[_QUESTION].sort()):
            problems.hint(hint)
        if every > 1 and (systems["system"] == 1).all():
            # Ids of runs, which tracing tools write, are no ids of questions.
            advice = _OTHER_IDS
    if problems:
        problems.hint(advice)


def _filled(rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with added rows for missing predictions, and warn of the latter."""
    keys = ["system", "epoch", *_KEYS]
    copied = [name for name in (*GOLD_ROLES, "task") if name in rows.columns]
    first = rows.group_by(_KEYS).first().select(*_KEYS, *copied)
    questions = asked.join(first, on=_KEYS, how="left", maintain_order="left")
    epochs = rows.select("system", "epoch").unique(maintain_order=True)
    missing = epochs.join(questions, how="cross").join(rows, on=keys, how="anti", maintain_order="left")
    order = rows["system"].unique(maintain_order=True).to_list()
    every = pl.concat([rows, missing], how="diagonal")
    if lacking := [*_lacking(rows, asked), *_uneven(rows)]:
        warn(f"{numbered(missing.height, 'row')} added without a prediction, because {'; '.join(lacking)}")
    return every.sort(pl.col("system").cast(pl.Enum(order)), maintain_order=True)


def _shared(rows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of questions common to all systems, and warn of other questions and fewer epochs."""
    every = rows["system"].n_unique()
    systems = rows.group_by(_KEYS).agg(pl.col("system").n_unique())
    kept = rows.join(systems.filter(system=every), on=_KEYS, how="semi", maintain_order="left")
    if kept.is_empty():
        raise ValueError("no question is common to all systems")
    if lacking := list(_lacking(rows, asked)):
        questions = numbered(asked.height - kept.select(_KEYS).n_unique(), "question")
        left_out = f"{questions} ({numbered(rows.height - kept.height, 'row')}) left out"
        warn(f"{left_out}, because {'; '.join(lacking)}")
    if uneven := list(_uneven(kept)):
        warn(f"questions with fewer epochs stay: {'; '.join(uneven)}")
    return kept


def _left_out(given: pl.DataFrame, asked: pl.DataFrame, rows: pl.DataFrame) -> dict[str, int]:
    """Return the numbers of questions, asked or given, that have no row any more, by who lacks them."""
    lost = pl.concat([asked, given.select(_KEYS)]).join(rows, on=_KEYS, how="anti").unique()
    unknown = lost.join(asked, on=_KEYS, how="anti").height
    systems = given.select("system").unique()
    lacking = lost.join(asked, on=_KEYS, how="semi").join(systems, how="cross")
    lacking = lacking.join(given, on=["system", *_KEYS], how="anti")
    names = lacking.group_by(_KEYS).agg("system")["system"].to_list()
    by_system = origins.lacking("question", ([quoted(name) for name in own] for own in names))
    return by_system | origins.lacking("question", [["gold"]] * unknown)


def _lacking(rows: pl.DataFrame, asked: pl.DataFrame) -> Iterator[str]:
    """Yield the questions that each system lacks."""
    for (system,), own in rows.group_by("system", maintain_order=True):
        lost = _ids(asked.join(own, on=_KEYS, how="anti", maintain_order="left"))
        if lost:
            yield f"{system!r} lacks {numbered(len(lost), 'question')}: {standard_frames.ids_text(lost)}"


def _uneven(rows: pl.DataFrame) -> Iterator[str]:
    """Yield the questions for which each system lacks some epochs."""
    for (system,), own in rows.group_by("system", maintain_order=True):
        epochs = own["epoch"].n_unique()
        counts = own.group_by(_KEYS, maintain_order=True).len().filter(pl.col("len") < epochs)
        if counts.height:
            ids = _ids(counts)
            yield (
                f"{system!r} has {epochs} epochs, but not all of them for {numbered(len(ids), 'question')}: "
                f"{standard_frames.ids_text(ids)}"
            )


def _ids(questions: pl.DataFrame) -> list[str]:
    """Return the ids of questions for a message, with their task if there are several."""
    pairs = questions.select(_KEYS).rows()
    return [f"{task} {question}" if task else question for task, question in pairs]


def _common(columns: Sequence[pl.Series]) -> pl.DataType:
    """Return a dtype for the values of all columns: a numeric dtype that is exact, otherwise String."""
    # A column without a value says nothing about the dtype.
    filled = [column for column in columns if column.null_count() < len(column)] or columns[:1]
    dtypes = {column.dtype for column in filled}
    if len(dtypes) == 1:
        return dtypes.pop()
    if all(dtype.is_integer() and dtype not in _WIDER for dtype in dtypes):
        return pl.Int64()
    return pl.Float64() if all(map(_are_floats, filled)) else pl.String()


def _are_floats(column: pl.Series) -> bool:
    """Return whether floats can hold the values of a column exactly."""
    if not column.dtype.is_integer():
        return column.dtype.is_float() or column.dtype == pl.Boolean
    return column.is_between(-_FLOATS_TO, _FLOATS_TO).all()


def _as(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return a column cast to this dtype, with lists and other nested values as JSON text."""
    if column.dtype == dtype:
        return column
    if dtype == pl.String and (column.dtype.is_nested() or column.dtype == pl.Binary):
        write = partial(json.dumps, ensure_ascii=False, default=quoted)
        texts = [None if value is None else write(value) for value in column.to_list()]
        return pl.Series(column.name, texts, dtype=pl.String)
    if column.null_count() == len(column):
        return pl.Series(column.name, [None] * len(column), dtype=dtype)
    return column.cast(dtype)

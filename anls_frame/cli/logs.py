"""Files of systems as one table: a row for each system, epoch and question."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import polars as pl

import anls_frame as af
from anls_frame._text import listed, numbered, quoted
from anls_frame.cli.source import kind_of_file, load, of_epoch, options
from anls_frame.exceptions import InputError, Problem
from anls_frame.frames import origins
from anls_frame.frames.checks import no_column
from anls_frame.readers import _docs, _long
from anls_frame.readers._problems import ManyProblems
from anls_frame.readers.descriptions import READERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from anls_frame.cli.options import DataSet, Source

_OF_FILE = "__anls_frame_system"


def of_systems(
    systems: Mapping[str, Sequence[Path]], source: Source, data_set: DataSet, *, is_filled: bool = False
) -> pl.DataFrame:
    """Return the rows of the files of each system, perhaps with rows for the questions that it lacks."""
    kinds = _kinds([path for paths in systems.values() for path in paths], source, data_set)
    given = options(kinds, dataclasses.replace(source, epoch=None))
    reader = kinds.pop() if source.reader.name != "auto" or source.gold is not None else None
    rows = af.read_logs(
        systems, reader=reader, unmatched="null" if is_filled else "keep", **vars(data_set), **given
    )
    if rows.columns[1] == "task":  # questions are told apart by task and id
        named = rows.with_columns(question_id=pl.concat_str("task", "question_id", separator=" "))
        rows = origins.like(named, rows)
    return of_epoch(rows, source)


def by_column(
    paths: Sequence[Path], column: str, source: Source, data_set: DataSet, *, is_filled: bool = False
) -> pl.DataFrame:
    """
    Return the rows of files in which a column names the system of each row.

    A question that a system has in several files was answered several times. Questions that a system lacks
    may get rows without a prediction.
    """
    _kinds(paths, source, data_set)
    logs = [_long.Log(str(path), path, _of_file(path, column, source), None) for path in paths]
    rows = _long.joined(logs).drop("system").rename({_OF_FILE: "system"})
    rows = _long.without_tasks(_long.filled(rows) if is_filled else rows)
    if data_set.docs is not None:
        rows = _docs.joined(rows, data_set.docs, data_set.docs_id, ManyProblems())
    names = rows["system"].unique(maintain_order=True)
    in_order = rows.select("system", pl.exclude("system"))
    return of_epoch(in_order.sort(rows["system"].cast(pl.Enum(names)), maintain_order=True), source)


def _of_file(path: Path, column: str, source: Source) -> pl.DataFrame:
    """Return the rows of a file with their epoch and system."""
    frame = load(path, dataclasses.replace(source, epoch=None), every_response=True)
    if column not in frame.columns:
        raise InputError([Problem(str(path), "", no_column(column, frame.columns))])
    if "question_id" not in frame.columns:
        message = "has no ids of questions; name their column with --question-id"
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
        message = f"several rows for a question of a system: {found}; {advice}"
        raise InputError([Problem(str(path), "", message)])
    return rows


def _kinds(paths: Sequence[Path], source: Source, data_set: DataSet) -> set[str]:
    """Return the kinds of the files; raise an error if their questions cannot be found in the data set."""
    kinds = {kind_of_file(path, source) for path in paths}
    if (
        data_set.docs is not None
        and data_set.docs_id is None
        and any(READERS[kind].ids != "rows" for kind in kinds)
    ):
        raise ValueError("name the column of --docs that has the ids of the questions with --docs-id")
    return kinds

"""A table of questions with their answers, which is joined to the rows of files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import polars.selectors as cs

from anls_frame._messages import Message, Option
from anls_frame._text import distinct, listed, numbered, quoted
from anls_frame.exceptions import warn
from anls_frame.files import raw_tables, standard_frames, table_files
from anls_frame.files.file import File
from anls_frame.files.problems import Problems, problem
from anls_frame.frames import origins
from anls_frame.frames.checks import free_name
from anls_frame.frames.conversion import at_hand, in_polars
from anls_frame.frames.usual_names import Role
from anls_frame.readers.log_names import matching

GOLD_ROLES: tuple[Role, ...] = ("answers", "question", "question_types", "doc_id")
"""The roles of columns that a table of questions may have besides the ids."""


@dataclass(frozen=True, kw_only=True)
class Gold:
    """The questions, with all columns of their table."""

    ids: pl.DataFrame
    """The ids, in the column `question_id`."""
    rows: pl.DataFrame
    """All other columns, those with a role under its name."""
    path: Path
    names: list[str]
    """The names of the columns in the table itself, and of the entries of what may have answers."""
    separator: str | None = None
    """Where answers were split without being asked."""
    chosen: pl.DataFrame | None = None
    """The ids of the questions that may be chosen among; None for all."""

    other_ids: ClassVar[Message] = Message(
        "name the columns of the ids with ", Option("question_id", ...), " and ", Option("gold_id", ...)
    )
    """What to do if a file has none of the questions."""

    @property
    def asked(self) -> pl.DataFrame:
        """The ids of the questions that systems should have."""
        return self.ids if self.chosen is None else self.chosen

    @property
    def has_answers(self) -> bool:
        """Whether the table has answers."""
        return "answers" in self.rows.columns

    def check_has_answers(self, file: File) -> None:
        """Raise an error for a file without answers if the table has no answers, either."""
        if not self.has_answers:
            names = listed(list(map(quoted, self.names)))
            what = f"has no answers, and neither has gold, with the columns {names}; name one with "
            raise problem(file, Message(what, Option("answers", ...)))

    def joined(self, rows: pl.DataFrame) -> pl.DataFrame:
        """
        Return rows with the columns of their questions.

        Missing answers come from this table. Any other column whose name is taken becomes `gold_NAME`, unless
        all rows already have its values.
        """
        shared = [name for name in self.rows.columns if name in rows.columns]
        free = distinct(shared, {*rows.columns, *self.rows.columns})
        taken = dict(zip(shared, free, strict=True))
        gold = self.ids.hstack(self.rows.rename(taken))
        both = rows.join(gold, on="question_id", how="left", maintain_order="left")
        for name, column in taken.items():
            if name == "answers":
                both = both.with_columns(pl.coalesce(name, column))
            if both[name].dtype == both[column].dtype and both[name].eq_missing(both[column]).all():
                both = both.drop(column)
                continue
            both = both.rename({column: free_name(f"gold_{name}", both.columns)})
        return both

    def check_answers(self, rows: pl.DataFrame, problems: Problems) -> None:
        """Report questions for which files accept none of this table's answers, such as with wrong ids."""
        if not self.has_answers or "answers" not in rows.columns:
            return
        own = rows.drop_nulls("answers").unique("question_id", keep="first", maintain_order=True)
        both = own.select("question_id", "answers").join(
            self.ids.with_columns(gold=self.rows["answers"]), on="question_id", maintain_order="left"
        )
        given = both.filter(pl.col("answers").list.len() > 0, pl.col("gold").list.len() > 0)
        other = given.filter(pl.col("answers").list.set_intersection("gold").list.len() == 0)
        if other.is_empty():
            return
        message = (
            f"all answers to {numbered(other.height, 'question')} of {given.height:,} differ from those in "
            f"gold: {standard_frames.ids_text(other['question_id'].to_list())}"
        )
        if 2 * other.height > given.height:
            advice = "; are their ids the same there? Otherwise name the column of the ids with "
            problems.add(Message(message, advice, Option("gold_id", ...)), path=self.path)
            problems.raise_any()
        warn(message)


def read_gold(
    given: Any, gold_id: str | Sequence[str] | None, *, by_number: bool, options: Mapping[str, Any]
) -> Gold:
    """
    Return the questions of a file, a pattern, a frame or a Dataset of Hugging Face.

    Ids are in the column or columns `gold_id` or in a column with a usual name; with `by_number`, they are
    row numbers. Columns that are named for the ids of the files have the ids here, too, if there are any.
    `options` name columns, and say how textual answers are read.
    """
    problems = Problems(Path(os.fspath(given) if isinstance(given, str | os.PathLike) else "gold"))
    roles = [options.get(role) for role in GOLD_ROLES]
    named_columns = standard_frames.column_names([gold_id, options.get("question_id"), *roles])
    raw = standard_frames.with_entries(_table(given), named_columns, problems)
    own = standard_frames.column_names([options.get("question_id")])
    if gold_id is None and own and set(own) <= set(raw.names):
        gold_id = own
    raw, gold_id = standard_frames.with_ids(raw, gold_id, problems)
    problems.raise_any()
    named: dict[Role, str | None] = {
        role: options[role] for role in GOLD_ROLES if options.get(role) in raw.names
    }
    if gold_id is not None:
        named["question_id"] = gold_id
    chosen = standard_frames.choose(raw, named, (), problems, objects=("answers",))
    chosen.pop("prediction", None)
    if by_number:
        chosen.pop("question_id", None)
    elif "question_id" not in chosen and gold_id is None:
        standard_frames.ask_for("question_id", [], raw.names, problems, "gold_id")
    if len(problems):
        problems.hint(*standard_frames.entry_hints(raw, raw.names))
    problems.raise_any()
    names = raw.names
    if "answers" not in named and not _may_be_answers(raw, chosen):
        column = chosen.pop("answers")
        names = [*names, *(f"{column}.{key}" for key in raw_tables.entry_names(raw, column))]
    formats = standard_frames.formats_of(options)
    rows = standard_frames.frame(raw, chosen, problems, unique_ids=not by_number, **formats)
    problems.raise_any()
    separator = origins.of(rows).separator
    if "answers" not in chosen and "answers" in rows.columns:
        rows = rows.rename({"answers": "gold_answers"})
    ids = pl.int_range(pl.len()).cast(pl.String) if by_number else pl.col("question_id")
    others = pl.all() if by_number else pl.exclude("question_id")
    return Gold(
        ids=rows.select(question_id=ids),
        rows=rows.select(others),
        path=problems.path,
        names=names,
        separator=separator,
    )


def _table(given: Any) -> raw_tables.Raw:
    """Return a table without roles, and without images and other binary data."""
    if isinstance(given, str | os.PathLike):
        parts = [_from_file(file) for file in matching(given)]
        if len(parts) == 1:
            return parts[0]
        frames = map(raw_tables.as_frame, parts)
        raw = raw_tables.from_frame(pl.concat(frames, how="diagonal_relaxed"))
        return replace(raw, typed=all(part.typed for part in parts))
    frame = at_hand(given)
    # The images of a Dataset of Hugging Face are not loaded.
    lazy = in_polars(frame, _without_media(in_polars(frame[:0]))).lazy()
    return raw_tables.from_frame(lazy.select(cs.by_name(*_without_media(lazy))).collect())


def _from_file(file: File) -> raw_tables.Raw:
    if file.format() == "parquet":
        lazy = table_files.scan(file)
        with table_files.reading_parquet(file):
            return raw_tables.from_frame(lazy.select(cs.by_name(*_without_media(lazy))).collect())
    return table_files.read_columns(file)


def _without_media(frame: pl.DataFrame | pl.LazyFrame) -> list[str]:
    """Return the names of the columns without images and other binary data."""
    return [name for name, dtype in frame.collect_schema().items() if not _is_binary(dtype)]


def _is_binary(dtype: Any) -> bool:
    if isinstance(dtype, pl.List | pl.Array):
        return _is_binary(dtype.inner)
    if isinstance(dtype, pl.Struct):
        return any(_is_binary(field.dtype) for field in dtype.fields)
    return bool(dtype == pl.Binary)


def _may_be_answers(raw: raw_tables.Raw, chosen: Mapping[Role, str]) -> bool:
    """Return whether a column with a usual name for answers holds texts or lists, and not numbers."""
    column = raw.column(chosen["answers"]) if "answers" in chosen else None
    if not isinstance(column, pl.Series):
        return True
    dtype = column.dtype.inner if isinstance(column.dtype, pl.List | pl.Array) else column.dtype
    return raw_tables.is_text(dtype)

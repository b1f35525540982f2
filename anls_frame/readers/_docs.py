"""Join the documents of a data set, which some harnesses leave out of their files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from anls_frame._text import numbered
from anls_frame.exceptions import ColumnNotFoundError, warn
from anls_frame.frames.answer_lists import alone
from anls_frame.frames.checks import no_column
from anls_frame.frames.conversion import in_polars
from anls_frame.readers import _log_files, _pipes, _raw, _standard, table
from anls_frame.readers._content import file_format
from anls_frame.readers._parquet import reading_parquet
from anls_frame.readers._problems import ManyProblems, Problems
from anls_frame.readers._sample_fields import DOC_IDS

if TYPE_CHECKING:
    from pathlib import Path

_ANSWERS = ("answers", "answer")
_TYPES = ("question_types", "question_type")
_KEY = "__anls_frame_id"


def joined(rows: pl.DataFrame, docs: Any, docs_id: str | None, problems: ManyProblems) -> pl.DataFrame:
    """
    Return the rows with the columns of their documents, found by id or, without `docs_id`, by number.

    Questions without a document are a problem, and so are documents with other answers.
    """
    documents = _documents(docs)
    if docs_id is None:
        keyed = documents.with_row_index(_KEY).with_columns(pl.col(_KEY).cast(pl.String))
    else:
        keyed = documents.rename({_column(documents, docs_id): _KEY}).with_columns(
            pl.col(_KEY).cast(pl.String)
        )
        _check_ids(keyed[_KEY], docs_id)
    ids = rows.select(pl.col("question_id").unique(maintain_order=True).alias(_KEY))
    lost = ids.join(keyed, on=_KEY, how="anti", maintain_order="left")[_KEY].to_list()
    if lost:
        problems.add(f"docs has no row for {numbered(len(lost), 'question')}: {_standard.ids_text(lost)}")
        problems.raise_any()
    _check_answers(rows, keyed, problems)
    named = keyed.select(_KEY, *_named(keyed, rows.columns))
    full = rows.join(named, left_on="question_id", right_on=_KEY, how="left", maintain_order="left")
    return full.select(pl.exclude("log_file"), "log_file")


def _documents(docs: Any) -> pl.DataFrame:
    """Return the documents in memory, without images and other binary data."""
    if isinstance(docs, str | os.PathLike):
        return pl.concat([_from_file(path) for path in _log_files.matching(docs)], how="diagonal_relaxed")
    if hasattr(docs, "features") and hasattr(docs, "with_format"):  # a Dataset of Hugging Face
        texts = [name for name, feature in docs.features.items() if not _is_media(feature)]
        docs = docs.select_columns(texts).with_format("arrow")[:]
    lazy = in_polars(docs).lazy()
    return lazy.select(_without_media(lazy.collect_schema())).collect()


def _from_file(path: Path) -> pl.DataFrame:
    if file_format(path) == "parquet":
        with reading_parquet(path):
            lazy = pl.scan_parquet(_pipes.seekable(path), glob=False)
            return lazy.select(_without_media(lazy.collect_schema())).collect()
    problems = Problems(path)
    raw = table.read_raw(path, problems)
    raw.check_names(problems)
    problems.raise_any()
    return pl.DataFrame([_raw.kept(name, raw.column(name)) for name in raw.names])


def _is_media(feature: Any) -> bool:
    """Whether a feature is decoded into an image or the like, or is a list of such."""
    return hasattr(feature, "decode") or (hasattr(feature, "feature") and _is_media(feature.feature))


def _without_media(schema: pl.Schema) -> cs.Selector:
    return cs.by_name(*(name for name, dtype in schema.items() if not _is_binary(dtype)))


def _is_binary(dtype: Any) -> bool:
    if isinstance(dtype, pl.List | pl.Array):
        return _is_binary(dtype.inner)
    if isinstance(dtype, pl.Struct):
        return any(_is_binary(field.dtype) for field in dtype.fields)
    return bool(dtype == pl.Binary)


def _column(documents: pl.DataFrame, docs_id: str) -> str:
    if docs_id not in documents.columns:
        raise ColumnNotFoundError(f"docs: {no_column(docs_id, documents.columns)}")
    return docs_id


def _check_ids(ids: pl.Series, name: str) -> None:
    if ids.null_count() or ids.is_duplicated().any():
        doubled = ids.filter(ids.is_duplicated() & ids.is_not_null()).unique(maintain_order=True).to_list()
        what = f"duplicate ids {_standard.ids_text(doubled)}" if doubled else "rows without an id"
        raise ValueError(f"column {name!r} of docs must identify its rows, but has {what}")


def _check_answers(rows: pl.DataFrame, documents: pl.DataFrame, problems: ManyProblems) -> None:
    """Report documents that have no answer of their question: most, if the ids mean something else."""
    name = next((name for name in _ANSWERS if name in documents.columns), None)
    if name is None:
        return
    answers = documents[name]
    if answers.dtype == pl.String:
        answers = answers.to_frame().select(alone(pl.first())).to_series()
    if answers.dtype != pl.List(pl.String):
        return
    first = rows.group_by("question_id", maintain_order=True).first().select("question_id", "answers")
    both = first.join(documents.select(_KEY, answers.alias("own")), left_on="question_id", right_on=_KEY)
    given = both.filter((pl.col("answers").list.len() > 0) & (pl.col("own").list.len() > 0))
    other = given.filter(pl.col("answers").list.set_intersection("own").list.len() == 0)
    if not other.height:
        return
    ids = _standard.ids_text(other["question_id"].to_list())
    message = (
        f"{numbered(other.height, 'question')} of {given.height:,} have none of the answers in docs: {ids}"
    )
    if 2 * other.height > given.height:
        problems.add(f"{message}; are their ids the rows of docs? Otherwise name the column with docs_id=")
        problems.raise_any()
    warn(message)


def _named(documents: pl.DataFrame, taken: list[str]) -> list[pl.Series]:
    """Return the documents' columns under names that are free; known ones get their role if it is."""
    known = dict.fromkeys(DOC_IDS, "doc_id") | dict.fromkeys(_TYPES, "question_types")
    used = set(taken)
    named = []
    for column in documents.drop(_KEY):
        name, found = column.name, column
        role = known.get(name)
        if role == "doc_id" and role not in used and (column.dtype.is_integer() or column.dtype == pl.String):
            name, found = role, column.cast(pl.String)
        elif (
            role == "question_types" and role not in used and column.dtype in (pl.String, pl.List(pl.String))
        ):
            name = role
            if column.dtype == pl.String:
                found = column.to_frame().select(alone(pl.first())).to_series()
        elif name in used:
            name = f"doc_{name}"
        while name in used:
            name += "_"
        used.add(name)
        named.append(found.alias(name))
    return named

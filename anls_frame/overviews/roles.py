"""The roles of a frame's columns, found by name, dtype and content, or asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import polars as pl

from anls_frame._messages import Message, Option
from anls_frame._text import listed, quoted
from anls_frame.exceptions import DTypeError
from anls_frame.files.standard_frames import plain_name, usual_names
from anls_frame.frames import origins
from anls_frame.frames.answer_lists import parse_answers, parsed
from anls_frame.frames.answer_texts import warn_of_answers
from anls_frame.frames.checks import check_columns
from anls_frame.frames.conversion import at_hand, column_names, is_pandas, to_lazy
from anls_frame.frames.field_rows import outcomes
from anls_frame.metrics.scores import nls
from anls_frame.protocol import ScoreProtocol
from anls_frame.summary.catalogue import resolve
from anls_frame.summary.labels import joined_labels
from anls_frame.summary.systems import systems_of

_TEXTS = (pl.String, pl.Categorical, pl.Enum)
_OUTCOME_ENDS = (
    "score scores anls nls exactmatch em f1 cer wer correct correctness hit passed success verdict "
    "accuracy acc"
)
"""Last words of the names of columns that say how a system did, which cannot explain it."""
_OUTCOMES = f"{_OUTCOME_ENDS} iscorrect right errortype judge judgement grade rating"
"""Whole names of such columns."""
_GOLD = frozenset(
    {"annotation", "annotations", "expected", "gold", "reference", "solution", "target", "truth"}
)
"""Words in the names of columns that hold no predictions, however similar they are to the answers."""
_DOCUMENTS = (
    "document",
    "doc",
    "ucsfdocument",
    "file",
    "filename",
    "image",
    "imageid",
    "page",
    "pdf",
    "invoice",
    "patient",
)
_CONFIDENCES = ("conf", "prob", "certain")
_LOOKED_AT = 1_000
_SIMILAR, _OFTEN = 0.5, 0.1
"""A column predicts answers if this share of its texts is this similar to the answers of their rows."""
_MOST_VALUES, _MOST_NUMBERS = 30, 12
_SHOWN = 3
_LONGEST_VALUE = 24

Given: TypeAlias = "str | Literal[False] | None"
"""The column of a role; None lets it be found, and False says that there is none."""


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Which columns have which role, and which of these were found rather than given."""

    systems: Mapping[str, str]
    answers: str | None
    metrics: Any
    cluster: str | None
    model_confidence: str | None
    by: Sequence[str]
    id: str | None
    found: frozenset[str]

    @property
    def options(self) -> dict[str, Any]:
        """The options of `overview` that say the same."""
        columns = list(self.systems.values())
        several: Any = dict(self.systems) if len(columns) > 1 else next(iter(columns), None)
        named = {
            "prediction": several,
            "answers": self.answers,
            "metrics": self.metrics,
            "by": list(self.by),
            "cluster": self.cluster or False,
            "model_confidence": self.model_confidence or False,
            "id": self.id or False,
        }
        return {name: value for name, value in named.items() if value is not None}


def rows_of(frame: Any) -> pl.DataFrame:
    """Return all columns of a frame that Polars can hold, in memory; levels of a pandas index too."""
    frame = at_hand(frame)
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return origins.like(frame.lazy().collect(), frame)
    names = column_names(frame)
    unnamed = next((name for name in names if not isinstance(name, str)), None)
    if unnamed is not None:
        to_lazy(frame, [], [])  # says what to do about several levels of names
        raise TypeError(
            f"overview reads all columns, and their names must be strings, got {unnamed!r}; rename them, in "
            "pandas with `.rename(columns=str)`"
        )
    levels = [name for name in frame.index.names if isinstance(name, str)] if is_pandas(frame) else []
    columns: list[pl.Series] = []
    for name in [*(level for level in levels if level not in names), *names]:
        for texts, others in (((), (name,)), ((name,), ())):
            try:
                columns.append(to_lazy(frame, texts, others).collect().to_series())
                break
            except DTypeError:
                # A column of several types has no role.
                continue
    return pl.DataFrame(columns)


def found_roles(rows: pl.DataFrame, asked: Mapping[str, Any]) -> Roles:
    """
    Return the role of each column; raise an error that shows the candidates if there are two.

    `asked` are the options of `overview` that name columns; those that are None are found.
    """
    by, prediction, answers, metrics = (asked[name] for name in ("by", "prediction", "answers", "metrics"))
    systems: Mapping[str, str] = {} if prediction is None else systems_of(prediction)
    slices = [by] if isinstance(by, str) else list(by or ())
    others = [asked[name] for name in ("answers", "cluster", "model_confidence", "id")]
    named = [*slices, *systems.values(), *(name for name in others if isinstance(name, str))]
    check_columns(rows.schema, named, named)
    if metrics is not None:
        # A misspelled column of scores is no table without answers.
        resolve(metrics, rows.columns, has_texts=True)
    finder = _Finder(rows, {*named, *([metrics] if isinstance(metrics, str) else [])})
    if metrics is None and prediction is None and answers is None:
        metrics = finder.score()
    has_texts = prediction is not None or not (isinstance(metrics, str) and metrics in rows.columns)
    if has_texts:
        answers = finder.answers(list(systems.values())) if answers is None else answers
        systems = systems or finder.systems(answers)

    def role(name: str, find: Callable[[], str | None]) -> str | None:
        """Return the given column, None if there is none, or the column that is found."""
        column = asked[name]
        return find() if column is None else column or None

    id = role("id", finder.id)  # noqa: A001 - what it is
    return Roles(
        systems=systems,
        answers=answers if has_texts else None,
        metrics=metrics,
        id=id,
        cluster=role("cluster", lambda: finder.document(id)),
        model_confidence=role("model_confidence", lambda: finder.confidence(list(systems.values()))),
        by=finder.slices() if by is None else slices,
        found=frozenset(
            name for name, value in asked.items() if value is None and (name != "metrics" or metrics)
        ),
    )


def _holds_texts(dtype: Any, *, lists: bool = False) -> bool:
    is_list = lists and isinstance(dtype, pl.List | pl.Array)
    return isinstance(dtype.inner if is_list else dtype, _TEXTS)


def _words(name: str) -> list[str]:
    return [word.casefold() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name)]


def _is_outcome(name: str) -> bool:
    """Return whether a name says how a system did, also if it is `feedback.correct` or `f1/value`."""
    words = _words(name)
    words = words[:-1] if words[-1:] == ["value"] else words
    ends = {"".join(words[-count:]) for count in (1, 2)}
    is_whole = plain_name(name) in _OUTCOMES.split() or words[:1] == ["judge"]
    return is_whole or not ends.isdisjoint(_OUTCOME_ENDS.split())


def _are_whole(column: pl.Series) -> bool:
    """Return whether numbers are whole, as numbers that a text file has are read."""
    if column.dtype.is_float():
        return bool((column.drop_nulls() % 1 == 0).all())
    return column.dtype.is_integer()


class _Finder:
    """Finds columns of a frame that have no role yet."""

    def __init__(self, rows: pl.DataFrame, taken: set[str]) -> None:
        self.rows, self.taken = rows, taken

    @property
    def free(self) -> list[str]:
        return [name for name in self.rows.columns if name not in self.taken]

    def texts(self, *, lists: bool = False) -> list[str]:
        return [name for name in self.free if _holds_texts(self.rows.schema[name], lists=lists)]

    def score(self) -> str | None:
        """Return the column of scores of a table without predictions and answers."""
        texts = self.texts(lists=True)
        if usual_names("prediction", texts) or usual_names("answers", texts):
            return None
        names = [name for name in self.free if _is_outcome(name) and self._in_unit(name)]
        names = [name for name in names if plain_name(name) in _OUTCOMES.split()] or names
        return self._only("metrics", "scores", names) if names else None

    def answers(self, predictions: Sequence[str]) -> str:
        """Return the column of accepted answers; a table that may hold only scores is told so."""
        found = predictions or usual_names("prediction", self.texts())
        beside = next(iter(found), None)
        names = usual_names("answers", self.texts(lists=True), beside) or usual_names("answers", self.free)
        if names or found:
            return self._only("answers", "accepted answers", names)
        scores = [name for name in self.free if _is_outcome(name) and self.rows.schema[name].is_numeric()]
        column = Option("metrics", scores[0] if scores else "COLUMN")
        return self._only("answers", "accepted answers", (), (", or, for a table of scores, ", column))

    def systems(self, answers: str) -> Mapping[str, str]:
        """Return the only column of predictions, by name or by its likeness to the answers."""
        names = usual_names("prediction", self.texts()) or usual_names("prediction", self.free)
        if not names:
            others = {*usual_names("question", self.free), *usual_names("question_id", self.free)}
            others |= {name for name in self.free if not _GOLD.isdisjoint(_words(name))}
            is_text = _holds_texts(self.rows.schema[answers], lists=True)
            sample = self.rows.filter(self.rows[answers].is_not_null() & is_text)
            sample = sample.sample(min(_LOOKED_AT, sample.height), seed=0)
            for name in (name for name in self.texts() if name not in others and sample.height):
                texts = pl.col("p").cast(pl.String).fill_null("")
                pairs = pl.DataFrame({"p": sample[name], "a": sample[answers]})
                similar = pairs.select((nls(texts, "a") >= _SIMILAR).mean()).item()
                names += [name] if (similar or 0) >= _OFTEN else []
        several = Option("prediction", {name: name for name in names})
        more = (", or ", several, " to compare them")
        column = self._only(
            "prediction", "predictions", names, more if names else (f"; the answers are in {answers!r}",)
        )
        return {column: column}

    def id(self) -> str | None:
        names = usual_names("question_id", self.free)
        # A page is a document of one row.
        names = names or [
            name for name in usual_names("doc_id", self.free) if self.rows[name].is_unique().all()
        ]
        return self._only("id", "ids", names[:1]) if names else None

    def document(self, id: str | None) -> str | None:  # noqa: A002 - what it is
        """Return the column of documents: named so, or of values that lie together, or of repeated ids."""
        dtypes = self.rows.schema
        names = [
            name
            for name in self.free
            if (_holds_texts(dtypes[name]) or _are_whole(self.rows[name])) and self._repeats(name)
        ]
        plain = {name: plain_name(name).removesuffix("id").removesuffix("name") for name in names}
        chosen = [name for name in names if plain[name] in _DOCUMENTS]
        chosen = usual_names("doc_id", chosen) or chosen
        # Of pages in books, the books.
        chosen = sorted(chosen, key=lambda name: self.rows[name].n_unique())[:1]
        found = chosen or [name for name in names if self._lies_together(name)]
        if found:
            return self._only("cluster", "documents", found)
        # Several answers to a question are not independent.
        return id if id is not None and self.rows[id].drop_nulls().is_duplicated().any() else None

    def confidence(self, predictions: Sequence[str]) -> str | None:
        """Return the column of confidences in [0, 1] that belongs to the only prediction."""
        if len(predictions) > 1:
            return None
        plain = {name: plain_name(name) for name in self.free if self._in_unit(name, least=5)}
        names = [name for name in plain if any(word in plain[name] for word in _CONFIDENCES)]
        own = [plain_name(column) for column in predictions]
        beside = [name for name in names if any(text in plain[name] for text in own)]
        return self._only("model_confidence", "confidences", beside or names) if names else None

    def slices(self) -> list[str]:
        """Return the columns with few values that repeat and do not say how a system did."""
        left_out = outcomes(self.rows)
        for role in ("question", "prediction", "answers"):
            left_out |= {*usual_names(role, self.free)}
        left_out |= {name for name in self.free if _is_outcome(name)}
        return [name for name in self.free if name not in left_out and self._slices(name)]

    def _slices(self, name: str) -> bool:
        column = _entries(_labels(self.rows[name]))
        if not (_holds_texts(column.dtype) or column.dtype == pl.Boolean or _are_whole(column)):
            return False
        values = column.drop_nulls()
        most = _MOST_NUMBERS if column.dtype.is_numeric() else _MOST_VALUES
        return 1 < values.n_unique() <= min(most, len(values) / 2)

    def _in_unit(self, name: str, least: int = 2) -> bool:
        column = self.rows[name].drop_nulls()
        if column.dtype == pl.Boolean:
            return least == 2 and column.n_unique() == least  # noqa: PLR2004
        if not column.dtype.is_numeric() or column.n_unique() < least:
            return False
        values = column.cast(pl.Float64).drop_nans()
        return bool(len(values)) and bool(values.is_between(0, 1).all())

    def _repeats(self, name: str) -> bool:
        column = self.rows[name].drop_nulls()
        return 1 < column.n_unique() < 0.95 * len(column)

    def _lies_together(self, name: str) -> bool:
        column, n = self.rows[name], self.rows[name].n_unique()
        # Few values are those of a slice.
        return n > _MOST_VALUES and int(column.ne_missing(column.shift()).sum()) <= n

    def _only(self, option: str, what: str, names: Sequence[str], more: Sequence[str | Option] = ()) -> str:
        """Return the only candidate; ask for the column if there is none or another one."""
        if len(names) == 1:
            self.taken.add(names[0])
            return names[0]
        if names:
            shown = "; ".join(f"{name!r} with {self._values(name)}" for name in names)
            told = f"several columns could hold the {what}: {shown}. Pass "
            # The name `answer` is that of predictions, too.
            named = "COLUMN" if option == "answers" else names[0]
            raise ValueError(Message(told, Option(option, named), *more))
        among = listed([quoted(name) for name in self.free or self.rows.columns], 40)
        told = f"no column looks like the {what} among {among}. Pass "
        raise ValueError(Message(told, Option(option, "COLUMN"), *more))

    def _values(self, name: str) -> str:
        values = self.rows[name].drop_nulls().unique(maintain_order=True).head(_SHOWN).to_list()
        return ", ".join(str(value)[:_LONGEST_VALUE] for value in values)


def prepared(rows: pl.DataFrame, roles: Roles, protocol: ScoreProtocol) -> pl.DataFrame:
    """Return the rows with lists of labels and answers; warn of texts that look like several answers."""
    rows = rows.with_columns(_labels(rows[name]).alias(name) for name in roles.by)
    if roles.answers is None or rows.schema[roles.answers] != pl.String:
        return rows
    warn_of_answers(rows[roles.answers], protocol)
    # Lists are not warned of again by each function that takes them.
    return rows.with_columns(parse_answers(rows[roles.answers], answers_format="text"))


def _labels(column: pl.Series) -> pl.Series:
    """Return texts of several labels, such as `form;layout`, as lists of labels; others unchanged."""
    joined = joined_labels(column.alias("text")) if _holds_texts(column.dtype) else None
    if joined is None:
        return column
    lists, damaged = parsed(column.cast(pl.String), joined[0])
    return column if damaged else lists


def n_values(column: pl.Series) -> int:
    """Return the number of different values, of lists those of their entries."""
    return _entries(column).n_unique()


def _entries(column: pl.Series) -> pl.Series:
    is_list = isinstance(column.dtype, pl.List | pl.Array)
    return column.explode(empty_as_null=True) if is_list else column

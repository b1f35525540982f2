"""The roles of a frame's columns, found by name, dtype and content, or asked for."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import string
from anls_frame._messages import Either, Message, Option
from anls_frame._text import listed, quoted
from anls_frame.exceptions import DTypeError, warn
from anls_frame.files.raw_tables import from_frame
from anls_frame.files.standard_frames import GOLD_ELSEWHERE, entry_hints
from anls_frame.frames import documents, origins
from anls_frame.frames.answer_lists import parse_answers, parsed
from anls_frame.frames.answer_texts import most_are_objects, warn_of_answers
from anls_frame.frames.checks import check_columns
from anls_frame.frames.conversion import at_hand, column_names, is_pandas, to_lazy
from anls_frame.frames.field_rows import outcomes
from anls_frame.frames.number_columns import check_confidences, with_numbers
from anls_frame.frames.usual_names import (
    SCORED,
    Role,
    is_confidence,
    is_gold,
    is_outcome,
    is_said,
    is_system,
    plain_name,
    usual_names,
    words_of,
)
from anls_frame.metrics.scores import nls
from anls_frame.protocol import ScoreProtocol
from anls_frame.summary import own_metrics
from anls_frame.summary.catalogue import resolve
from anls_frame.summary.keys import check_objects, optional
from anls_frame.summary.labels import joined_labels

_TEXTS = (pl.String, pl.Categorical, pl.Enum)
_SHARED = 0.5
"""The least share of a system's questions that others have as well, where a column names systems."""
_LOOKED_AT = 1_000
_SIMILAR, _OFTEN, _COPIED, _SELDOM = 0.5, 0.1, 0.95, 0.01
"""
A column predicts answers if this share of its texts is this similar to the answers of their rows.

If it equals nearly all of them, it may be a copy of the answers, or both were predicted. Of labels, at most
the last share occur once.
"""
_MOST_VALUES, _MOST_NUMBERS, _LONGEST_LABEL = 30, 12, 100
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
        systems = dict(self.systems)
        named: dict[str, Any] = {
            "prediction": systems if len(systems) > 1 else next(iter(systems.values()), None),
            "answers": self.answers,
            "metrics": self.metrics,
            "by": list(self.by),
        }
        named |= {name: getattr(self, name) or False for name in ("cluster", "model_confidence", "id")}
        return {name: value for name, value in named.items() if value is not None}


def rows_of(frame: Any, asked: Mapping[str, Any]) -> pl.DataFrame:
    """
    Return all columns of a frame that Polars can hold, in memory; levels of a pandas index too.

    Columns that the options `asked` name, as for `found_roles`, raise an error otherwise.
    """
    frame = at_hand(frame)
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return origins.like(frame.lazy().collect(), frame)
    names = column_names(frame)
    unnamed = next((name for name in names if not isinstance(name, str)), None)
    if unnamed is not None:
        raise TypeError(
            f"overview reads all columns, and their names must be strings, got {unnamed!r}; rename them, in "
            "pandas with `.rename(columns=str)`"
        )
    levels = [name for name in frame.index.names if isinstance(name, str)] if is_pandas(frame) else []
    named, texts = _named(asked), [*(asked["prediction"] or {}).values(), asked["answers"]]
    columns: list[pl.Series] = []
    for name in [*(level for level in levels if level not in names), *names]:
        # A column of several types has no role by itself.
        with nullcontext() if name in named else suppress(DTypeError):
            wanted = ([name], []) if name in texts else ([], [name])
            columns.append(to_lazy(frame, *wanted).collect().to_series())
    return pl.DataFrame(columns)


def _named(asked: Mapping[str, Any]) -> list[str]:
    """Return the columns that options name."""
    roles = [role for role in ("answers", "cluster", "model_confidence", "id") if asked[role] is not None]
    named = [string(role, asked[role], "the name of a column") for role in roles if asked[role] is not False]
    return [*(asked["by"] or ()), *(asked["prediction"] or {}).values(), *named]


def found_roles(rows: pl.DataFrame, asked: Mapping[str, Any]) -> tuple[pl.DataFrame, Roles]:
    """
    Return the rows with lists of labels in place of joined ones, and the role of each column.

    If there are two candidates for a role, an error shows them.

    `asked` are the options of `overview`, with a mapping of systems and a list of slices; those of columns
    that are None are found.
    """
    prediction, answers, metrics = (asked[name] for name in ("prediction", "answers", "metrics"))
    systems, named = prediction or {}, _named(asked)
    check_columns(rows.schema, named, named)
    check_objects([(name, rows.schema[name]) for name in asked["by"] or ()], "slice rows")
    # A misspelled column of scores is no table without answers.
    scores = () if metrics is None else resolve(metrics, rows.columns, has_texts=True)
    finder = _Finder(rows, {*named, *own_metrics.needed_columns(scores)})
    if metrics is None and prediction is None and answers is None:
        metrics = finder.score()
    if prediction is None and isinstance(metrics, str) and metrics in rows.columns:
        answers = None
    else:
        answers = finder.answers(systems.values()) if answers is None else answers
        systems = systems or finder.systems(answers)
        if metrics is None and finder.are_labels(answers, *systems.values()):
            metrics = "exact_match"
    # False says that there is none.
    ids, cluster, model_confidence = (asked[name] or None for name in ("id", "cluster", "model_confidence"))
    if asked["id"] is None:
        ids = finder.id()
    if asked["cluster"] is None:
        cluster = finder.document(ids, *optional(answers))
    if asked["model_confidence"] is None and len(systems) == 1:
        model_confidence = finder.confidence(*systems.values())
    sure = rows.select(cs.by_name(*optional(model_confidence)))
    check_confidences(with_numbers(sure, sure.columns).collect_schema())
    found = frozenset(name for name, value in asked.items() if value is None)
    if len(systems) <= 1:
        others = rows.drop(asked["by"] or (), strict=False)
        warn_of_systems(others, [ids, *usual_names("question", rows.columns)])
    labels = finder.slices() if asked["by"] is None else {name: finder.labels(name) for name in asked["by"]}
    roles = Roles(
        systems=systems,
        answers=answers,
        metrics=metrics,
        id=ids,
        cluster=cluster,
        model_confidence=model_confidence,
        by=[*labels],
        found=found if metrics is not None else found - {"metrics"},
    )
    return rows.with_columns(column.alias(name) for name, column in labels.items()), roles


def warn_of_systems(rows: pl.DataFrame | pl.LazyFrame, questions: Iterable[str | None]) -> None:
    """Warn if a column names the system of each row, and systems have questions in common."""
    schema = rows.lazy().collect_schema()
    keys = [key for key in questions if key is not None and key in schema]
    of_file = origins.of(rows).columns
    for name in (name for name in schema if is_system(name) and schema[name] in _TEXTS):
        system = cs.by_name(name).as_expr().alias("system")
        for key in (key for key in keys if key != name):
            pairs = rows.lazy().select(system, cs.by_name(key).as_expr().alias("key")).drop_nulls().unique()
            own = pairs.with_columns(shared=pl.len().over("key") > 1).group_by("system")
            if (own.agg(pl.col("shared").mean()).max().collect()["shared"].item() or 0) < _SHARED:
                continue
            names = pairs.select(pl.col("system").unique().sort()).collect().to_series()
            told = f"column {name!r} names {len(names)} systems with questions in common ("
            id_of_file = of_file.get(key, key)
            in_python = f"(frame, prediction, answers, system={name!r}, id={key!r})"
            options = f"--system-column {shlex.quote(name)} --id {shlex.quote(id_of_file)}"
            warn(
                f"{told}{listed(map(quoted, names), _SHOWN)}), and the figures are of all rows together: ",
                Either(
                    f"`anls_frame.side_by_side{in_python}` returns columns to compare",
                    f"`anls-frame compare FILE {options}` compares them",
                ),
            )
            break


def _are_texts(dtype: Any) -> bool:
    """Return whether values are texts, or lists of texts."""
    return getattr(dtype, "inner", dtype) in _TEXTS


class _Finder:
    """Finds columns of a frame that have no role yet."""

    def __init__(self, rows: pl.DataFrame, taken: set[str]) -> None:
        self.rows = rows
        # Methods of a Series may take its own name for a pattern.
        self.free = {name: rows[name].alias("column") for name in rows.columns if name not in taken}

    @property
    def texts(self) -> list[str]:
        return [name for name in self.free if _are_texts(self.rows.schema[name])]

    def usual(self, role: Role, beside: str | None = None) -> list[str]:
        """Return the columns whose names suggest a role, of texts if there are any; answers may be lists."""
        texts = [name for name in self.texts if role == "answers" or self.rows.schema[name] in _TEXTS]
        return usual_names(role, texts, beside) or usual_names(role, self.free)

    def score(self) -> str | None:
        """Return the column of scores of a table without predictions and answers."""
        if any(usual_names(role, self.texts) for role in SCORED):
            return None
        names = [name for name in self.free if is_outcome(name) and self._in_unit(name)]
        names = [name for name in names if is_outcome(name, whole=True)] or names
        return self._only("metrics", "scores", names) if names else None

    def answers(self, predictions: Iterable[str]) -> str:
        """Return the column of accepted answers; a table that may hold only scores is told so."""
        found = [*predictions] or usual_names("prediction", self.texts)
        names = self.usual("answers", *found[:1])
        if names or found:
            return self._only("answers", "accepted answers", names, () if names else ("; ", GOLD_ELSEWHERE))
        scores = [name for name in self.free if is_outcome(name) and self.rows.schema[name].is_numeric()]
        column = Option("metrics", scores[0] if scores else "COLUMN")
        return self._only("answers", "accepted answers", (), (", or, for a table of scores, ", column))

    def systems(self, answers: str) -> Mapping[str, str]:
        """Return the only column of predictions, by name or by its likeness to the answers."""
        names = self.usual("prediction")
        if not names and _are_texts(self.rows.schema[answers]):
            others = {*self.usual("question"), *self.usual("question_id"), *filter(is_gold, self.free)}
            last = {name: words_of(name)[-1:] for name in self.texts if name not in others}
            # Next to `tesseract_text`, `abbyy_text` is of another engine, however little it read.
            ends = [last[name] for name in last if self._predicts(name, answers)]
            names = [name for name in last if last[name] in ends and not is_outcome(name)]
        more: Sequence[str | Option] = (f"; the answers are in {answers!r}",)
        if plain_name(answers) in ("answer", "answers"):
            more = (*more, ", or, if these are the predictions, ", GOLD_ELSEWHERE)
        if names:
            more = (", or ", Option("prediction", {name: name for name in names}), " to compare them")
        column = self._only("prediction", "predictions", names, more)
        return {column: column}

    def are_labels(self, *names: str) -> bool:
        """Return whether texts are few labels that repeat, and some are similar enough for partial credit."""
        if not all(_are_texts(self.rows.schema[name]) for name in names):
            return False
        texts = [_entries(self.rows[name].alias("column")).cast(pl.String).drop_nulls() for name in names]
        labels, most = pl.concat(texts), min(_MOST_VALUES, _OFTEN * self.rows.height)
        # Several rows of one question have one answer.
        if not 1 < texts[0].n_unique() <= labels.n_unique() <= most:
            return False
        # Misread texts occur once, labels often; dates and amounts may be misread in one way.
        if labels.str.contains(r"\d.*\d").any() or int(labels.is_unique().sum()) > _SELDOM * len(labels):
            return False
        # "Yes." is no other label than "Yes".
        pairs = [(a, b) for a, b in combinations(labels.unique(), 2) if a not in b and b not in a]
        alike = pl.DataFrame(pairs, dict.fromkeys("ab", pl.String), orient="row").select(nls("a", "b"))
        return bool(alike.to_series().is_between(_SIMILAR, 1, closed="left").any())

    def id(self) -> str | None:
        names = usual_names("question_id", self.free)
        # A page is a document of one row.
        own = usual_names("doc_id", self.free)
        names = names or [name for name in own if self.free[name].is_unique().all()]
        return self._only("id", "ids", names[:1]) if names else None

    def document(self, ids: str | None, *answers: str) -> str | None:
        """
        Return the column of documents: named so, or of values that lie together, or of repeated ids.

        Ids of questions with other answers start again in each document.
        """
        named = documents.named(self.free)
        found = [*filter(self._lies_together, self.free)] if named is None else [named]
        if found:
            return self._only("cluster", "documents", found)
        if ids is None or not documents.repeats(self.rows[ids].alias("id")):
            return None
        # Several predictions for a question are not independent.
        known = self.rows.drop_nulls(ids)
        questions, gold = (known.select(cs.by_name(ids, *more)).hash_rows() for more in ((), answers))
        return ids if questions.n_unique() == gold.n_unique() else None

    def confidence(self, prediction: str) -> str | None:
        """Return the column of confidences in [0, 1] that belongs to the only prediction."""
        names = [name for name in self.free if is_confidence(name) and self._in_unit(name, least=5)]
        beside = [name for name in names if plain_name(prediction) in plain_name(name)]
        return self._only("model_confidence", "confidences", beside or names) if names else None

    def slices(self) -> dict[str, pl.Series]:
        """Return the columns with few values that repeat and do not say how a system did, with labels."""
        left_out = outcomes(self.rows) | {*filter(is_outcome, self.free)}
        texts = {*self.texts}
        left_out |= {name for name in self.free if is_said(name, is_text=name in texts)}
        for role in ("question", *SCORED):
            left_out |= {*usual_names(role, self.free)}
        labels = {name: self.labels(name) for name in self.free if name not in left_out}
        return {name: column for name, column in labels.items() if self._slices(column)}

    def _slices(self, labels: pl.Series) -> bool:
        column = _entries(labels).drop_nulls()
        if column.dtype != pl.Boolean and not documents.are_values(column):
            return False
        if column.dtype == pl.String:
            are_objects = column.str.starts_with("{").any()  # as readers keep them
            if are_objects or (column.str.len_chars() > _LONGEST_LABEL).any():
                return False
        most = _MOST_NUMBERS if column.dtype.is_numeric() else _MOST_VALUES
        return 1 < column.n_unique() <= min(most, len(column) / 2)

    def labels(self, name: str) -> pl.Series:
        """Return texts of several labels, such as `form;layout`, as lists of labels; others unchanged."""
        column = texts = self.rows[name].alias("text")
        joined = joined_labels(column)
        if joined is None:
            return column
        if isinstance(column.dtype, pl.List):
            if column.list.len().max() != 1:
                return column
            texts = column.list.first()  # a reader makes a list of each text
        lists, damaged = parsed(texts.cast(pl.String), joined[0])
        return column if damaged else lists

    def _predicts(self, name: str, answers: str) -> bool:
        """Return whether texts are often similar to the answers of their rows, and no copy of them."""
        if self.rows.schema[name] not in _TEXTS:
            return False
        texts = {"p": self.free[name].cast(pl.String), "a": self.rows[answers]}
        pairs = pl.DataFrame(texts).drop_nulls("a")
        sample = pairs.fill_null("").sample(min(_LOOKED_AT, pairs.height), seed=0)
        similarity = nls("p", "a")
        shares = sample.select(similar=(similarity >= _SIMILAR).mean(), equal=(similarity == 1).mean())
        similar, equal = shares.fill_null(0.0).row(0)
        return bool(similar >= _OFTEN and equal < _COPIED)

    def _in_unit(self, name: str, least: int = 2) -> bool:
        column = self.free[name].drop_nulls()
        if not (column.dtype.is_numeric() or column.dtype == pl.Boolean) or column.n_unique() < least:
            return False
        return bool(column.cast(pl.Float64).drop_nans().is_between(0, 1).all())

    def _lies_together(self, name: str) -> bool:
        column = self.free[name]
        if not documents.repeats(column) or int(column.is_duplicated().sum()) <= len(column) / 2:
            return False
        # Few values are those of a slice.
        return int(column.ne_missing(column.shift()).sum()) <= column.n_unique() > _MOST_VALUES

    def _only(self, option: str, what: str, names: Sequence[str], more: Sequence[str | Option] = ()) -> str:
        """Return the only candidate; ask for the column if there is none or another one."""
        # Predictions may be objects. Reading warns of answers, which are then lists of one.
        texts = [name for name in names if option == "answers" and self.rows[name].dtype == pl.String]
        objects = [name for name in texts if most_are_objects(self.rows[name])]
        if len(names) == 1 and not objects:
            del self.free[names[0]]
            return names[0]
        among = listed([quoted(name) for name in self.free or self.rows.columns], 40)
        told, named = f"no column looks like the {what} among {among}", "COLUMN"
        if names:
            shown = "; ".join(f"{name!r} with {_first_values(self.free[name])}" for name in names)
            told = f"several columns could hold the {what}: {shown}"
            # The name `answer` is that of predictions, too.
            named = named if option == "answers" else names[0]
        if objects:
            told = (
                f"column {objects[0]!r} holds objects, whose fields `anls_frame.fields` scores; name one "
                "entry, or the column itself to score each object as a text"
            )
        raw = from_frame(self.rows.head(0 if names and not objects else _LOOKED_AT))
        hints = [Either("", f"\n{hint}") for hint in entry_hints(raw, raw.names)]
        raise ValueError(Message(f"{told}. Pass ", Option(option, named), *more, *hints))


def _first_values(column: pl.Series) -> str:
    values = column.drop_nulls().unique(maintain_order=True).head(_SHOWN)
    return ", ".join(str(value)[:_LONGEST_VALUE] for value in values)


def prepared(rows: pl.DataFrame, roles: Roles, protocol: ScoreProtocol) -> pl.DataFrame:
    """Return the rows with lists of answers; warn of texts that look like several answers."""
    is_named = isinstance(roles.metrics, str | None)
    # A caller's function of texts takes the answers as they are.
    if roles.answers is None or rows.schema[roles.answers] != pl.String or not is_named:
        return rows
    warn_of_answers(rows[roles.answers], protocol)
    # Lists are not warned of again by each function that takes them.
    return rows.with_columns(parse_answers(rows[roles.answers], answers_format="text"))


def n_values(column: pl.Series) -> int:
    """Return the number of different values, of lists those of their entries."""
    return _entries(column.alias("column")).n_unique()


def _entries(column: pl.Series) -> pl.Series:
    is_list = isinstance(column.dtype, pl.List | pl.Array)
    return column.explode(empty_as_null=True) if is_list else column

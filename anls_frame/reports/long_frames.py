"""Frames with a row for each system and question, pivoted to a column for each system."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import strings, takes_names
from anls_frame._text import differing_in_notation, numbered
from anls_frame._typing import ByFrame, Table_co, declared
from anls_frame.exceptions import DTypeError, warn
from anls_frame.frames import origins
from anls_frame.frames.checks import free_name
from anls_frame.frames.conversion import attach, column_names, in_memory, to_lazy
from anls_frame.frames.joins import joined
from anls_frame.reports.pairing import check_ids, differing_questions, disagreeing, first_of, question_column
from anls_frame.summary.keys import optional
from anls_frame.summary.measures import Metric
from anls_frame.summary.settings import id_columns

if TYPE_CHECKING:
    import pandas as pd


class Wide(NamedTuple, Generic[Table_co]):
    """
    A frame with a column of predictions or scores for each system, for `compare`.

    Returned by `side_by_side` and `readers.read_systems`.

    Parameters
    ----------
    frame
        A row for each question.
    systems
        The systems, the baseline first, from name to column (the first one, of several scores).
    answers
        Name of the column with the accepted answers; `None` for scores.
    metrics
        The scores, each with a column for every system; `None` for predictions.
    """

    frame: Table_co
    systems: Mapping[str, str]
    answers: str | None
    metrics: list[Metric] | None


_on_frames: ByFrame[Wide[pd.DataFrame], Wide[pl.DataFrame]] = declared


@_on_frames
@takes_names
def side_by_side(
    frame: Any,
    prediction: str | None = None,
    answers: str | None = None,
    *,
    system: str,
    id: str | Sequence[str],  # noqa: A002 - what users call it
    systems: Mapping[str, str] | Sequence[str] | None = None,
    metrics: Any = None,
) -> Wide:
    """
    Pivot a frame with a row for each system and question to a column for each system, for `compare`.

    Parameters
    ----------
    frame
        A Polars, pandas or Arrow frame with a row for each system and question, such as `read_logs` returns.
    prediction
        Name of the column with the predictions; `None` for scores.
    answers
        Name of the column with the accepted answers, which must be the same for all systems; `None` for
        scores.
    system, id
        Columns with the name of the system and the id of the question. Average repeated answers to a question
        beforehand; see `mean_over_epochs`.
    systems
        The systems to compare, the baseline first, or a mapping from new names to the names in the column. By
        default, all systems in the order of their first rows.
    metrics
        In place of predictions, the name of a column of scores, a `Metric` of columns, or several of these.

    Returns
    -------
    Wide
        A `frame` of the same kind with a row for each question and a column for each system, and the
        `systems` with their columns. All other columns keep the values of the first row of a question.

    Warns
    -----
    InputWarning
        If a column called question or query has different texts for the same ids, unless `read_logs` compared
        them.

    Raises
    ------
    ValueError
        If neither predictions nor scores are named, a named system does not exist, a system has no row or
        several rows for a question, or the accepted answers differ between systems.

    See Also
    --------
    anls_frame.compare : accepts this result without naming systems and answers again.
    anls_frame.pair : joins two systems in two frames.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> long = pl.DataFrame(
    ...     {
    ...         "model": ["old", "old", "new", "new"],
    ...         "question": [1, 2, 1, 2],
    ...         "output": ["a", "b", "a", "c"],
    ...         "answer": ["a", "c", "a", "c"],
    ...     }
    ... )
    >>> both = af.side_by_side(long, "output", "answer", system="model", id="question")
    >>> both.frame.select(list(both.systems.values())).rows()
    [('a', 'a'), ('b', 'c')]
    >>> af.compare(both).overall["difference"].item()
    0.5
    """
    scores = _scores(metrics) if prediction is None and answers is None else []
    values = list(dict.fromkeys(_columns(scores))) or optional(prediction)
    if not values:
        raise ValueError(
            "name the column of predictions or, of scores, metrics with the names of their columns"
        )
    ids = id_columns(id)
    given = frame
    frame = in_memory(frame)
    names = column_names(frame)
    question = question_column(names, [*ids, system, *values, *optional(answers)])
    if "log_file" in names:  # `read_logs` has compared them
        question = None
    columns = [*ids, system, *values, *optional(answers), *optional(question)]
    table = to_lazy(frame, [], list(dict.fromkeys(columns))).collect()
    if not table.height:
        raise ValueError("there is nothing to compare: the frame has no rows")
    if table.schema[system].is_nested() or table.schema[system].is_object():
        raise DTypeError(
            f"column {system!r} has dtype {table.schema[system]}, but it must hold the name of a system in "
            "each row"
        )
    rows = table.select(
        *(cs.by_name(name).alias(f"key_{index}") for index, name in enumerate(ids)),
        cs.by_name(system).cast(pl.String).alias("system"),
        *(cs.by_name(value).alias(f"value_{index}") for index, value in enumerate(values)),
        *([] if answers is None else [cs.by_name(answers).alias("answers")]),
        *([] if question is None else [cs.by_name(question).alias("question")]),
    ).with_row_index("row")
    keys = [f"key_{index}" for index in range(len(ids))]
    advice = (
        f"; each system must have one row for a question: average repeated answers with mean_over_epochs(id="
        f"{[*ids, system]}), or name the column of the epoch in id= too"
    )
    check_ids(table.select(cs.by_name(*ids, system)), "the frame", advice)
    chosen = _chosen(systems, rows["system"].unique(maintain_order=True).to_list())
    rows = rows.filter(pl.col("system").is_in(chosen.values()))
    renamed = dict(zip(chosen.values(), chosen, strict=True))
    rows = rows.with_columns(pl.col("system").replace_strict(renamed, return_dtype=pl.String))
    questions = rows.group_by(keys, maintain_order=True).first()
    _check_complete(rows, questions.select(keys), ids, list(chosen))
    wide = questions.select(*keys, "row")
    columns_of = {
        value: {name: free_name(f"{value} of {name}", names) for name in chosen} for value in values
    }
    for name in chosen:
        own = rows.filter(pl.col("system") == name).drop("row", "system")
        both = joined(questions, own, keys)
        wide = wide.with_columns(
            both[f"value_{index}_right"].alias(columns_of[value][name]) for index, value in enumerate(values)
        )
        pair = (repr(next(iter(chosen))), repr(name))
        if answers is not None:
            _check_answers(both, keys, ids, pair)
        if question is not None:
            asked = (both["question"], both["question_right"])
            if message := differing_questions(both.select(keys), asked, pair):
                warn(f"{message}. Pass id= the columns that identify a question, such as its text")
    table = origins.like(attach(frame, wide["row"], wide.drop(*keys, "row")), given)
    of_systems = [
        dataclasses.replace(
            metric, numerator=columns_of[metric.numerator], denominator=columns_of.get(metric.denominator)
        )
        for metric in scores
    ]
    return Wide(table, columns_of[values[0]], answers, of_systems or None)


def _chosen(systems: Mapping[str, str] | Sequence[str] | None, known: list[str]) -> dict[str, str]:
    """Return the systems to compare, in order, as a mapping from new names to names in the column."""
    if systems is None:
        systems = known
    names = (
        dict(systems)
        if isinstance(systems, Mapping)
        else {name: name for name in strings("systems", systems)}
    )
    unknown = [value for value in names.values() if value not in known]
    if unknown or not names:
        raise ValueError(f"systems must be among {known}, got {unknown or systems}")
    if len(set(names.values())) < len(names):
        raise ValueError(f"systems must name each system once, got {names}")
    return names


def _scores(metrics: Any) -> list[Metric]:
    """Return metrics of columns of scores, or nothing if there are other metrics."""
    every = [metrics] if isinstance(metrics, str | Metric) else metrics
    if not isinstance(every, list | tuple) or not all(isinstance(metric, str | Metric) for metric in every):
        return []
    scores = [metric if isinstance(metric, Metric) else Metric(metric) for metric in every]
    return scores if all(isinstance(value, str) for value in _columns(scores)) else []


def _columns(metrics: Sequence[Metric]) -> list[Any]:
    columns: list[Any] = []
    for metric in metrics:
        columns += [metric.numerator, metric.denominator]
    return [column for column in columns if column is not None]


def _check_complete(rows: pl.DataFrame, questions: pl.DataFrame, ids: list[str], order: list[str]) -> None:
    """Raise an error that lists the questions which a system lacks."""
    every = questions.join(pl.DataFrame({"system": order}), how="cross", maintain_order="right")
    lost = every.join(rows, on=every.columns, how="anti", maintain_order="left")
    if lost.height:
        lacking = [
            f"{name!r} lacks {numbered(own.height, 'question')} ({', '.join(ids)}): {first_of(own)}"
            for (name,), own in lost.partition_by("system", as_dict=True, include_key=False).items()
        ]
        hint = differing_in_notation(", ".join(map(str, row)) for row in lost.drop("system").iter_rows())
        end = f"; {hint}" if hint else ""
        raise ValueError(
            f"all systems must have the same questions, but {'; '.join(lacking)}. Add rows for them, with "
            f"a null prediction where the system gave none, or leave these questions out{end}"
        )


def _check_answers(both: pl.DataFrame, keys: list[str], ids: list[str], systems: tuple[str, str]) -> None:
    differing = both.filter(disagreeing(both["answers"], both["answers_right"]))
    if differing.height:
        raise ValueError(
            f"{' and '.join(systems)} have different accepted answers for "
            f"{numbered(differing.height, 'question')} ({', '.join(ids)}): {first_of(differing.select(keys))}"
        )

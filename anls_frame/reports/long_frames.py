"""Frames with a row for each system and question, turned into a column for each system."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl
import polars.selectors as cs

from anls_frame._text import differing_in_case, numbered
from anls_frame.frames.conversion import attach, column_names, in_memory, to_lazy
from anls_frame.reports.pairing import disagreeing, first_of
from anls_frame.summary.keys import optional
from anls_frame.summary.measures import Metric
from anls_frame.summary.systems import resolve_systems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Wide(NamedTuple):
    """A frame with a column of predictions or scores for each system."""

    frame: Any
    systems: Mapping[str, str]
    metrics: Any
    """What the caller passed or, of scores, metrics with a column for each system."""


def wide(
    frame: Any,
    systems: Mapping[str, str] | Sequence[str] | None,
    answers: str | None,
    *,
    prediction: str | None,
    system: str | None,
    id: str | Sequence[str] | None,  # noqa: A002 - what users call it
    metrics: Any = None,
) -> Wide:
    """
    Return a frame with a column of predictions, or several of scores, for each system, and these columns.

    Raises
    ------
    ValueError
        If neither `systems` nor the other three are given, a system has no row for some question or several,
        or the systems accept different answers. In place of `prediction`, `metrics` may name scores.
    """
    given = {"prediction": prediction, "system": system, "id": id}
    some = [name for name, value in given.items() if value is not None]
    if systems is not None or not some:
        if some:
            raise ValueError(
                f"systems names a column for each system, so leave out {' and '.join(some)}; or, for "
                "a frame with a row for each system and question, pass prediction, system and id "
                "without systems"
            )
        return Wide(frame, resolve_systems(systems), metrics)
    scores = _scores(metrics) if prediction is None and answers is None else []
    values = list(dict.fromkeys(value for metric in scores for value in _columns(metric)))
    values = values or optional(prediction)
    if not values or system is None or id is None:
        raise ValueError(
            "pass systems, from name to prediction column; or, for a frame with a row for each system and "
            "question, prediction, system and id (of scores, metrics with the names of their columns)"
        )
    ids = [id] if isinstance(id, str) else list(id)
    frame = in_memory(frame)
    columns = [*ids, system, *values, *optional(answers)]
    table = to_lazy(frame, [], list(dict.fromkeys(columns))).collect()
    rows = table.select(
        *(cs.by_name(name).alias(f"key_{place}") for place, name in enumerate(ids)),
        cs.by_name(system).cast(pl.String).alias("system"),
        *(cs.by_name(value).alias(f"value_{place}") for place, value in enumerate(values)),
        *([] if answers is None else [cs.by_name(answers).alias("answers")]),
    ).with_row_index("row")
    keys = [f"key_{place}" for place in range(len(ids))]
    _check_rows(rows, keys, ids, system)
    order = rows["system"].unique(maintain_order=True).to_list()
    questions = rows.group_by(keys, maintain_order=True).first()
    _check_complete(rows, questions.select(keys), ids, order)
    side_by_side = questions.select(*keys, "row")
    taken = column_names(frame)
    names = {name: [_free(f"{value} of {name}", taken) for value in values] for name in order}
    for name, made in names.items():
        of_system = rows.filter(pl.col("system") == name)
        side_by_side = side_by_side.join(
            of_system.select(*keys, *(pl.col(f"value_{place}").alias(one) for place, one in enumerate(made))),
            on=keys,
            how="left",
            maintain_order="left",
        )
        if answers is not None:
            _check_answers(questions, of_system, keys, ids, (order[0], name))
    table = attach(frame, side_by_side["row"], side_by_side.drop(*keys, "row"))
    first = {name: made[0] for name, made in names.items()}
    if not scores:
        return Wide(table, first, metrics)
    of = {value: {name: made[place] for name, made in names.items()} for place, value in enumerate(values)}
    return Wide(table, first, [_of_systems(metric, of) for metric in scores])


def _scores(metrics: Any) -> list[Metric]:
    """Return metrics of columns of scores, or nothing if others are among them."""
    every = [metrics] if isinstance(metrics, str | Metric) else metrics
    if not isinstance(every, list | tuple) or not all(isinstance(one, str | Metric) for one in every):
        return []
    found = [one if isinstance(one, Metric) else Metric(one) for one in every]
    return found if all(isinstance(value, str) for metric in found for value in _columns(metric)) else []


def _columns(metric: Metric) -> list[Any]:
    return [value for value in (metric.numerator, metric.denominator) if value is not None]


def _of_systems(metric: Metric, of: Mapping[str, Mapping[str, str]]) -> Metric:
    """Return the metric with a column for each system."""
    numerator, *denominator = (of[value] for value in _columns(metric))
    return dataclasses.replace(
        metric, numerator=numerator, denominator=denominator[0] if denominator else None
    )


def _check_rows(rows: pl.DataFrame, keys: list[str], ids: list[str], system: str) -> None:
    for name, key in ((system, "system"), *zip(ids, keys, strict=True)):
        nulls = rows[key].null_count()
        if nulls:
            raise ValueError(f"column {name!r} must not be null, but is in {numbered(nulls, 'row')}")
    doubled = rows.select(*keys, "system").filter(pl.struct(*keys, "system").is_duplicated())
    if doubled.height:
        raise ValueError(
            f"each system must have one row for a question, but several have the same {[*ids, system]}: "
            f"{first_of(doubled.unique(maintain_order=True))}; average repeated answers with "
            f"mean_over_epochs(id={[*ids, system]}), or name the column of the epoch in id= too"
        )


def _check_complete(rows: pl.DataFrame, questions: pl.DataFrame, ids: list[str], order: list[str]) -> None:
    """Raise an error that lists the questions which a system lacks."""
    lacking, all_lost = [], []
    for name in order:
        of_system = rows.filter(pl.col("system") == name)
        lost = questions.join(of_system, on=questions.columns, how="anti", maintain_order="left")
        if lost.height:
            all_lost.append(lost)
            lacking.append(
                f"{name!r} lacks {numbered(lost.height, 'question')} ({', '.join(ids)}): {first_of(lost)}"
            )
    if lacking:
        hint = differing_in_case(", ".join(map(str, row)) for row in pl.concat(all_lost).iter_rows())
        end = f"; {hint}" if hint else ""
        raise ValueError(
            f"all systems must have the same questions, but {'; '.join(lacking)}. Add rows for them, with "
            f"a null prediction where the system gave none, or leave these questions out{end}"
        )


def _check_answers(
    questions: pl.DataFrame, rows: pl.DataFrame, keys: list[str], ids: list[str], systems: tuple[str, str]
) -> None:
    both = questions.join(rows.select(*keys, "answers"), on=keys, how="left", maintain_order="left")
    differing = both.filter(disagreeing(both["answers"], both["answers_right"]))
    if differing.height:
        raise ValueError(
            f"{systems[0]!r} and {systems[1]!r} have different accepted answers for "
            f"{numbered(differing.height, 'question')} ({', '.join(ids)}): {first_of(differing.select(keys))}"
        )


def _free(name: str, taken: list[str]) -> str:
    """Return a name that is not taken."""
    while name in taken:
        name += "_"
    return name

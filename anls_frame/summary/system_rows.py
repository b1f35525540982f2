"""Rows with the scores of several systems, as queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import polars as pl
import polars.selectors as cs

from anls_frame.frames.conversion import to_lazy
from anls_frame.frames.number_columns import with_numbers
from anls_frame.frames.progress import Advance, counted
from anls_frame.summary import own_metrics
from anls_frame.summary.keys import key_names, optional, sliced_keys
from anls_frame.summary.measures import Metric
from anls_frame.summary.rows import (
    KEPT,
    is_invented,
    is_placeholder,
    is_unanswerable,
    kept,
    predicted,
    score_details,
    with_unanswerable,
)
from anls_frame.summary.settings import Settings
from anls_frame.summary.slicing import Slicing
from anls_frame.summary.systems import for_system


@dataclass(frozen=True, kw_only=True)
class SystemRows:
    """
    Rows with the scores of several systems, as queries.

    The columns are the keys, the cluster, `missing_0`, ... (whether the prediction or score of a system is
    null), `answerable`, `length` (the shortest reference), the digests `digest_0`, ... of the systems, and
    for each metric and system the columns that `columns` returns.
    """

    inputs: pl.LazyFrame
    """What the scores are computed from, with the keys and the cluster."""
    scored: Callable[[pl.LazyFrame], pl.LazyFrame]
    """Returns rows with their scores from all or some rows of `inputs`."""
    keys: tuple[str, ...]
    """The keys, and the cluster last if there is one."""
    metrics: tuple[Metric, ...]
    systems: int
    orders: dict[str, list[str]]

    @property
    def frame(self) -> pl.LazyFrame:
        """All rows with their scores."""
        return self.scored(self.inputs)

    @property
    def values(self) -> list[str]:
        """The columns of all metrics and systems."""
        every = enumerate(self.metrics)
        return [name for index, metric in every for name in all_columns(index, metric, self.systems)]

    def wrong(self) -> list[pl.Expr]:
        """Return which rows hold an invalid value, for each custom metric and system."""
        return [is_wrong for _, _, is_wrong in self._checks()]

    def raise_wrong(self, part: str | None = None) -> None:
        """Raise an error that names the first value that is invalid for its metric, and the part."""
        for metric, names, is_wrong in self._checks():
            wrong = self.frame.with_row_index("row").filter(is_wrong).select("row", *names)
            count, first = pl.collect_all([wrong.select(pl.len()), wrong.head(1)], engine="streaming")
            if first.height:
                row, *values = first.row(0)
                raise ValueError(own_metrics.message(metric, count.item(), row, values, part))

    def _checks(self) -> Iterator[tuple[Metric, list[str], pl.Expr]]:
        for index, metric in enumerate(self.metrics):
            for system in range(0 if metric.is_built_in else self.systems):
                score, *parts = columns(index, metric, system)
                names = parts or [score]
                yield metric, names, own_metrics.is_wrong(metric, names)


def columns(index: int, metric: Metric, system: int) -> list[str]:
    """Return the columns of a metric for a system: the score and, for a rate, numerator and denominator."""
    parts = [f"x_{index}_{system}", f"y_{index}_{system}"]
    return [f"score_{index}_{system}", *(parts if metric.is_ratio else [])]


def scores(index: int, systems: int) -> list[str]:
    """Return the columns with the scores of all systems."""
    return [f"score_{index}_{system}" for system in range(systems)]


def missing(systems: int) -> list[str]:
    """Return the columns that mark null predictions or scores of each system."""
    return [f"missing_{system}" for system in range(systems)]


def noted(systems: int) -> list[str]:
    """Return the columns that mark predictions for notes: `invented`, then `placeholders`."""
    return [f"{what}_{system}" for what in ("invented", "placeholder") for system in range(systems)]


def _noted(systems: int) -> dict[str, pl.Expr]:
    """Return the marks of predictions for notes."""
    marks = {}
    for system in range(systems):
        is_exact = pl.col(f"details_{system}").struct.field("exact_match")
        marks[f"invented_{system}"] = is_invented(f"text_{system}")
        marks[f"placeholder_{system}"] = is_placeholder(f"text_{system}", is_exact)
    return marks


def all_columns(index: int, metric: Metric, systems: int) -> list[str]:
    """Return the columns of a metric for all systems."""
    return [name for system in range(systems) for name in columns(index, metric, system)]


def scored_rows(
    frame: Any,
    systems: Mapping[str, str],
    answers: str | None,
    metrics: Sequence[Metric],
    settings: Settings,
    *,
    slicing: Slicing | None = None,
    advance: Advance = None,
    numbers: Iterable[str] = (),
) -> SystemRows:
    """
    Return the rows with the scores of all systems; a row counts only if all systems have a score.

    The settings describe metrics and name the columns that slice; metrics have functions, and a slicing has
    expressions. Kept columns of `numbers` that hold text are read as numbers, as scores are.
    """
    predictions = list(systems.values()) if answers is not None else []
    slicing = slicing or Slicing(settings.by)
    by_system = [[for_system(metric, system) for metric in metrics] for system in systems]
    own = [[metric for metric in every if not metric.is_built_in] for every in by_system]
    needed = [name for every in own for name in own_metrics.needed(every)]
    others = [*slicing.columns, *optional(settings.cluster), *settings.keep, *needed]
    columns_of_texts = [*predictions, *optional(answers)]
    source = to_lazy(frame, columns_of_texts, others, answers=answers, protocol=settings.protocol)
    source = counted(with_numbers(source, [*numbers, *own_metrics.named(chain.from_iterable(own))]), advance)
    if answers is not None:
        source = with_unanswerable(source, predictions, answers, settings.unanswerable)
    keys, orders = sliced_keys(source, slicing, settings.cluster)
    selected: dict[str, pl.Expr] = {}
    details: dict[str, pl.Expr] = {}
    if answers is not None:
        schema = source.collect_schema()
        selected |= {"answers": cs.by_name(answers), "unanswerable": is_unanswerable(source)}
        for number, prediction in enumerate(predictions):
            score_details(schema, prediction, answers, settings)  # raises an error that names the columns
            text = f"text_{number}"
            selected[text] = cs.by_name(prediction)
            renamed = pl.Schema({text: schema[prediction], "answers": schema[answers]})
            details[f"details_{number}"] = score_details(renamed, text, "answers", settings)
    for number, every in enumerate(by_system):
        texts = [] if answers is None else [predicted(predictions[number]), cs.by_name(answers)]
        for index, metric in enumerate(every):
            if not metric.is_built_in:
                values = own_metrics.values(source, metric, texts)
                selected |= zip(columns(index, metric, number), values, strict=True)
    parts = [part for number, _ in enumerate(systems) for part in _parts(number, metrics)]
    digests = [_digest(number, metrics, answers, len(systems)) for number, _ in enumerate(systems)]
    every_column = [
        name for index, metric in enumerate(metrics) for name in all_columns(index, metric, len(systems))
    ]

    absent = missing(len(systems))
    ratios = _ratios(metrics, len(systems))

    def scored(rows: pl.LazyFrame) -> pl.LazyFrame:
        if answers is None:
            rows = rows.with_columns(digests).with_columns(ratios)
            rows = rows.with_columns(
                *(
                    pl.col(score).is_null().alias(name)
                    for score, name in zip(scores(0, len(systems)), absent, strict=True)
                ),
                *(pl.lit(value=False).alias(name) for name in noted(len(systems))),
                answerable=pl.lit(value=True),
                length=pl.lit(1, pl.Int64),
            )
        else:
            lengths = [pl.col(name).struct.field("reference_length") for name in details]
            nulls = [pl.col(f"text_{number}").is_null().alias(name) for number, name in enumerate(absent)]
            rows = rows.with_columns(*nulls, **details)
            rows = rows.with_columns(*parts, *digests, length=pl.min_horizontal(lengths).cast(pl.Int64))
            rows = rows.with_columns(ratios)
            rows = rows.with_columns(answerable=pl.col("digest_0").is_not_null())
            rows = rows.with_columns(**_noted(len(systems)))
            # A function of texts may give a score without looking at the answers.
            functions = [index for index, metric in enumerate(metrics) if metric.is_function]
            text_columns = [
                name for index in functions for name in all_columns(index, metrics[index], len(systems))
            ]
            rows = rows.with_columns(pl.when("answerable").then(pl.col(text_columns)))
        # A row of a single system may have scores in some metrics only.
        if settings.missing == "drop" and (answers is not None or len(systems) > 1):
            dropped = [*every_column, *(f"digest_{number}" for number in range(len(systems))), *details]
            rows = rows.with_columns(pl.when(~pl.any_horizontal(absent)).then(pl.col(dropped)))
        return rows

    return SystemRows(
        inputs=source.select(*keys, *kept(settings), **selected),
        scored=scored,
        keys=key_names(settings.by, settings.cluster),
        metrics=tuple(metrics),
        systems=len(systems),
        orders=orders,
    )


def _ratios(metrics: Sequence[Metric], systems: int) -> list[pl.Expr]:
    """Return the scores of rows in ratios that skip rows in which all denominators are 0."""
    return [
        own_metrics.beside(scores(index, systems), score, numerator).alias(score)
        for index, metric in enumerate(metrics)
        if metric.skips_empty_rows
        for system in range(systems)
        for score, numerator, _ in [columns(index, metric, system)]
    ]


def _parts(system: int, metrics: Sequence[Metric]) -> list[pl.Expr]:
    """Return the columns of the built-in metrics for a system's rows."""
    details = pl.col(f"details_{system}").struct
    parts: dict[str, pl.Expr] = {}
    for index, metric in enumerate(metrics):
        if metric.is_built_in:
            score = details.field("anls") == 0 if metric.row is None else details.field(metric.row)
            values = (score, details.field("char_errors"), details.field("reference_length"))
            parts |= zip(columns(index, metric, system), values, strict=False)
    return [value.cast(pl.Float64).alias(name) for name, value in parts.items()]


def _digest(system: int, metrics: Sequence[Metric], answers: str | None, systems: int) -> pl.Expr:
    """Return the digest of a system's rows: of their texts, or of their scores."""
    name = f"digest_{system}"
    if answers is not None:
        return pl.col(f"details_{system}").struct.field("row_digest").alias(name)
    every = [columns(index, metric, system) for index, metric in enumerate(metrics)]
    # Rows of a single system also differ in the parts of a ratio.
    kept = [names if systems == 1 else names[:1] for names in every]
    return own_metrics.digest([column for names in kept for column in names]).alias(name)


def single(rows: SystemRows, settings: Settings) -> pl.LazyFrame:
    """
    Return the rows of a single system, for reports.

    The scores of its metrics are `own_0`, ..., and columns of texts have no number. Instead of the details of
    texts, there are their fields, `bits` (the bit length of the length of the reference) and `KEPT`.
    """
    names = {f"score_{index}_0": f"own_{index}" for index, _ in enumerate(rows.metrics)}
    if not settings.has_texts:
        return rows.frame.rename({**names, "digest_0": "row_digest"})
    names |= {"text_0": "prediction", "missing_0": "missing"}
    names |= {"invented_0": "is_invented", "placeholder_0": "is_placeholder"}
    return (
        rows.frame.rename(names)
        .unnest("details_0")
        .with_columns(
            (64 - pl.col("reference_length").bitwise_leading_zeros()).alias("bits"),
            (pl.col("anls") > 0).alias(KEPT),
        )
    )

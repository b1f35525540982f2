"""Rows with the scores of several systems, as queries."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import polars as pl

from anls_frame import _plugin
from anls_frame._messages import Either
from anls_frame._text import numbered
from anls_frame._typing import Missing
from anls_frame.exceptions import warn
from anls_frame.frames import origins
from anls_frame.frames.conversion import column_names, is_pandas, to_lazy
from anls_frame.frames.number_columns import numbers_of
from anls_frame.frames.progress import Advance, counted
from anls_frame.frames.reserved_columns import NULL_IN_GOLD
from anls_frame.metrics.scoring import SCORE_COLUMNS, add_scores
from anls_frame.protocol import ScoreProtocol, resolve_errors
from anls_frame.summary import own_metrics
from anls_frame.summary.catalogue import FABRICATION, is_described
from anls_frame.summary.keys import check_objects, key_names, optional, sliced_keys
from anls_frame.summary.measures import Metric
from anls_frame.summary.rows import (
    STYLES,
    are_named_nulls,
    is_unanswerable,
    kept,
    predicted,
    score_details,
    scored_texts,
    type_of,
)
from anls_frame.summary.settings import Settings
from anls_frame.summary.slicing import Slicing, columns_of
from anls_frame.summary.systems import for_system


@dataclass(frozen=True, kw_only=True)
class SystemRows:
    """
    Rows with the scores of several systems, as queries.

    The columns are the keys, the cluster, `missing_0`, ... (whether the prediction or score of a system is
    null), `answerable`, `unanswerable` (scored against the empty text; null if unknown), `length` (the
    shortest reference), the digests `digest_0`, ... of the systems, and for each metric and system the
    columns that `metric_columns` returns.
    """

    inputs: pl.LazyFrame
    """What the scores are computed from, with the keys and the cluster."""
    steps: list[list[pl.Expr]]
    """The columns that are computed from these, each step from those before it."""
    keys: tuple[str, ...]
    """The keys, and the cluster last if there is one."""
    metrics: tuple[Metric, ...]
    """The metrics, with the columns of all systems."""
    settings: Settings
    """How the rows are scored, with the order of ordered keys."""
    names: list[str]
    """The names of the systems."""
    from_pandas: bool

    def scored(self, inputs: pl.LazyFrame) -> pl.LazyFrame:
        """Return rows with their scores from all or some rows of `inputs`."""
        return functools.reduce(pl.LazyFrame.with_columns, self.steps, inputs)

    @property
    def systems(self) -> int:
        """Number of systems."""
        return len(self.names)

    @property
    def frame(self) -> pl.LazyFrame:
        """All rows with their scores."""
        return self.scored(self.inputs)

    @property
    def values(self) -> list[str]:
        """The columns of all metrics and systems."""
        return columns_of_metrics(self.metrics, self.systems)

    def wrong(self) -> pl.Expr:
        """Return which rows hold an invalid value for a custom metric."""
        return pl.any_horizontal(pl.lit(value=False), *(is_wrong for _, _, is_wrong in self._checks()))

    def check(self, scored: pl.DataFrame, part: str | None = None) -> None:
        """Raise an error that names the first invalid value of all rows, if any of these is invalid."""
        if scored.select(self.wrong().any()).item():
            self.raise_wrong(part)

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
            for system, name in enumerate(() if metric.is_built_in else self.names):
                score, *parts = metric_columns(index, metric, system)
                names = parts or [score]
                yield for_system(metric, name), names, own_metrics.is_wrong(metric, names)


def metric_columns(index: int, metric: Metric, system: int) -> list[str]:
    """Return the columns of a metric for a system: the score and, for a rate, numerator and denominator."""
    parts = [f"x_{index}_{system}", f"y_{index}_{system}"]
    return [f"score_{index}_{system}", *(parts if metric.is_ratio else [])]


def each(name: str, systems: int) -> list[str]:
    """Return the columns with this name and the number of each system."""
    return [f"{name}_{system}" for system in range(systems)]


def score_columns(index: int, systems: int) -> list[str]:
    """Return the columns with the scores of all systems."""
    return each(f"score_{index}", systems)


def noted(systems: int) -> list[str]:
    """Return the columns that mark predictions for notes."""
    return list(chain.from_iterable(each(kind, systems) for kind in ("invented", "placeholder", *STYLES)))


def marks(systems: int) -> list[str]:
    """Return the columns that mark rows and predictions, for accounts and notes."""
    return [*each("missing", systems), *noted(systems), "answerable", "unanswerable"]


def all_metric_columns(index: int, metric: Metric, systems: int) -> list[str]:
    """Return the columns of a metric for all systems."""
    return [name for system in range(systems) for name in metric_columns(index, metric, system)]


def columns_of_metrics(metrics: Sequence[Metric], systems: int) -> list[str]:
    """Return the columns of all metrics and systems."""
    every = enumerate(metrics)
    return [name for index, metric in every for name in all_metric_columns(index, metric, systems)]


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
    made: Mapping[str, pl.Expr] | None = None,
) -> SystemRows:
    """
    Return the rows with the scores of all systems; a row counts in a metric if all systems have a score.

    The settings describe metrics and name the columns that slice; metrics have functions, and a slicing has
    expressions. Kept columns of `numbers` that hold text are read as numbers, as scores are, and those of
    `made` are expressions.
    """
    made = made or {}
    predictions = list(systems.values()) if settings.has_texts else []
    slicing = slicing or Slicing(settings.by)
    by_system = [[for_system(metric, system) for metric in metrics] for system in systems]
    own = [metric for every in by_system for metric in every if not metric.is_built_in]
    others = [*slicing.columns, *optional(settings.cluster), *own_metrics.needed_columns(own)]
    others += columns_of([made.get(name, name) for name in settings.keep])
    named_nulls = {NULL_IN_GOLD}.intersection(column_names(frame))
    are_marked = settings.has_fields or bool(named_nulls)
    others += named_nulls
    read: list[Any] = [*predictions, answers] if settings.has_texts else []  # the name of a column is checked
    source = to_lazy(frame, read, others, answers=answers, protocol=settings.protocol)
    # Keys, kept columns and metrics of columns see the frame as the user does, whatever is read or scored as
    # something else: an expression equals the same expression made a column first.
    as_numbers = [*numbers, *own_metrics.value_columns(own)]
    in_numbers = numbers_of(source, as_numbers, lack_answers=answers is None)
    source = counted(source, advance)
    texts: dict[str, pl.Expr] = {}
    if answers is not None:
        source, texts = scored_texts(
            source, predictions, answers, settings.unanswerable, of_fields=settings.has_fields
        )
    keys, orders = sliced_keys(source, slicing, settings.cluster)
    others_kept = kept(settings, {**in_numbers, **made})
    dtypes = source.select(others_kept).collect_schema().dtypes()
    check_objects(zip(settings.keep, dtypes, strict=True), "be kept")
    selected: dict[str, pl.Expr] = {}
    ratios: dict[str, pl.Expr] = {}
    for number, every in enumerate(by_system):
        pair = [] if answers is None else [predicted(texts[predictions[number]]), texts[answers]]
        for index, metric in enumerate(every):
            if not metric.is_built_in:
                # Where a key has no value, it is the answer to predict nothing.
                answer = pl.when(are_named_nulls(source)).then(pl.lit(""))
                own_pair = [*pair[:1], answer] if are_marked and _is_of_nulls(metric) else pair
                values = own_metrics.values(source, metric, own_pair, in_numbers)
                score, *parts = metric_columns(index, metric, number)
                selected |= zip(parts or [score], values, strict=True)
                if parts:
                    ratios[score] = own_metrics.ratio(metric, parts)
    if answers is None:
        steps = _steps_of_scores(metrics, len(systems))
    else:
        selected |= {"answers": texts[answers], "unanswerable": is_unanswerable(source)}
        selected |= {f"text_{number}": texts[name] for number, name in enumerate(predictions)}
        schema = source.select(text.alias(name) for name, text in texts.items()).collect_schema()
        for name in predictions:
            score_details(schema, name, answers, settings)  # raises an error that names the columns
        of_texts = [(f"text_{number}", schema[name]) for number, name in enumerate(predictions)]
        renamed = pl.Schema([("answers", schema[answers]), *of_texts])
        steps = _steps_of_texts(renamed, metrics, len(systems), settings)
        if settings.missing == "drop":
            # Where a key has no value, no prediction is missing.
            never = [index for index, own in enumerate(metrics) if are_marked and _is_of_nulls(own)]
            steps.append([_without_missing(metrics, len(systems), never)])
    return SystemRows(
        # In a step of their own, so that Polars sees what numerators share, such as all errors of a page.
        inputs=source.select(*keys, *others_kept, **selected).with_columns(**ratios),
        steps=steps,
        keys=key_names(settings.by, settings.cluster),
        metrics=tuple(metrics),
        settings=dataclasses.replace(settings, orders=orders),
        names=list(systems),
        from_pandas=is_pandas(frame),
    )


def _steps_of_scores(metrics: Sequence[Metric], systems: int) -> list[list[pl.Expr]]:
    """Return the steps for rows with existing scores."""
    digests = []
    for system in range(systems):
        every = [metric_columns(index, metric, system) for index, metric in enumerate(metrics)]
        digests.append(own_metrics.digest([*chain.from_iterable(every)]).alias(f"digest_{system}"))
    absent = zip(score_columns(0, systems), each("missing", systems), strict=True)
    marks = [
        *(pl.col(score).is_null().alias(name) for score, name in absent),
        *(pl.lit(value=False).alias(name) for name in noted(systems)),
        pl.lit(value=True).alias("answerable"),
        pl.lit(value=False).alias("unanswerable"),
        pl.lit(1, pl.Int64).alias("length"),
    ]
    return [digests, _ratios(metrics, systems), marks]


def _steps_of_texts(
    schema: pl.Schema, metrics: Sequence[Metric], systems: int, settings: Settings
) -> list[list[pl.Expr]]:
    """Return the steps for rows of texts, whose columns have these dtypes."""
    texts, parts, marks = [], [], []
    errors = resolve_errors(settings.protocol)
    for system in range(systems):
        text, details = f"text_{system}", pl.col(f"details_{system}").struct
        texts.append(pl.col(text).is_null().alias(f"missing_{system}"))
        texts.append(score_details(schema, text, "answers", settings).alias(f"details_{system}"))
        texts.append(_plugin.call("text_kind", pl.col(text).cast(pl.String)).alias(f"kind_{system}"))
        if settings.details:
            texts.append(type_of(text, settings).alias(f"error_type_{system}"))
        for index, metric in enumerate(metrics):
            if metric.is_built_in:
                score = details.field("anls") == 0 if metric.row is None else details.field(metric.row)
                values = (score, details.field("char_errors"), details.field("reference_length"))
                named = zip(metric_columns(index, metric, system), values, strict=False)
                parts += [value.cast(pl.Float64).alias(name) for name, value in named]
        parts.append(details.field("row_digest").alias(f"digest_{system}"))
        # Texts predicted without an answer, and wrong ones that often mean a missing prediction.
        kind, unanswerable = pl.col(f"kind_{system}"), pl.coalesce("unanswerable", ~pl.col("answerable"))
        is_invented = unanswerable & (kind != _plugin.BLANK)
        is_placeholder = ~details.field("exact_match") & (kind == _plugin.PLACEHOLDER)
        marks.append(is_invented.fill_null(value=False).alias(f"invented_{system}"))
        marks.append(is_placeholder.fill_null(value=False).alias(f"placeholder_{system}"))
        for style, (bit, option) in STYLES.items():
            is_ignored = getattr(errors, option)
            is_other = pl.lit(value=False) if is_ignored else details.field("style") & bit != 0
            marks.append(is_other.fill_null(value=False).alias(f"{style}_{system}"))
    lengths = [pl.col(f"details_{system}").struct.field("reference_length") for system in range(systems)]
    parts.append(pl.min_horizontal(lengths).cast(pl.Int64).alias("length"))
    # A function of texts may give a score without looking at the answers.
    functions = [
        index for index, metric in enumerate(metrics) if metric.is_function and not _is_of_nulls(metric)
    ]
    unlooked = [name for index in functions for name in all_metric_columns(index, metrics[index], systems)]
    return [
        texts,
        parts,
        _ratios(metrics, systems),
        [pl.col("digest_0").is_not_null().alias("answerable")],
        [*marks, pl.when("answerable").then(pl.col(unlooked))],
    ]


def _without_missing(metrics: Sequence[Metric], systems: int, never: Sequence[int]) -> pl.Expr:
    """Return the columns of texts, null where a prediction is missing; in some metrics, none ever is."""
    every = [
        all_metric_columns(index, own, systems) for index, own in enumerate(metrics) if index not in never
    ]
    dropped = [*chain.from_iterable(every), *each("digest", systems), *each("details", systems)]
    return pl.when(~pl.any_horizontal(each("missing", systems))).then(pl.col(dropped))


def _is_of_nulls(metric: Metric) -> bool:
    """Return whether a metric also counts rows with neither answer nor prediction, if gold names them."""
    return metric.name == FABRICATION and is_described(metric)


def _ratios(metrics: Sequence[Metric], systems: int) -> list[pl.Expr]:
    """Return the scores of rows in ratios that skip rows in which all denominators are 0."""
    return [
        own_metrics.beside(score_columns(index, systems), score, *parts).alias(score)
        for index, metric in enumerate(metrics)
        if metric.skips_empty_rows
        for system in range(systems)
        for score, *parts in [metric_columns(index, metric, system)]
    ]


def single(rows: SystemRows) -> pl.LazyFrame:
    """
    Return the rows of a single system, for reports.

    Columns of texts have no number. Instead of the details of texts, there are their fields, and `bits` (the
    bit length of the length of the reference).
    """
    if not rows.settings.has_texts:
        return rows.frame.with_columns(row_digest="digest_0")
    return (
        rows.frame.rename({"text_0": "prediction"})
        .unnest("details_0")
        .with_columns((64 - pl.col("reference_length").bitwise_leading_zeros()).alias("bits"))
    )


def warn_of_logged(
    frame: Any,
    texts: Sequence[str],
    metrics: Iterable[Metric],
    *,
    protocol: ScoreProtocol | str,
    missing: Missing,
) -> None:
    """Warn if a score computed from predictions and answers is not the harness's own of the same name."""
    origin, asked = origins.of(frame), {metric.name for metric in metrics if metric.is_built_in}
    names = [name for name in SCORE_COLUMNS if name in origin.outcomes & asked]
    if origin.protocol is not None or not names:  # a note says whether scores follow a protocol
        return
    how: dict[str, Any] = {"protocol": protocol, "missing": missing}
    computed = add_scores(frame, *texts, columns=names, prefix="computed ", **how).lazy()
    for name in names:
        logged, own = (pl.col(column).cast(pl.Float64, strict=False) for column in (name, f"computed {name}"))
        if number := computed.select((logged.round(9) != own.round(9)).sum()).collect().item():
            warn(
                f"{name} is computed from the texts, and the harness logged another {name} in "
                f"{numbered(number, 'row')}; for that of the harness, pass ",
                Either(f"metrics=af.Metric({name!r})", f"--metric higher:{name}"),
            )

"""Rows with the losses of systems and the confidences of models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
import polars.selectors as cs

from anls_frame._arguments import flag
from anls_frame.exceptions import DTypeError, warn
from anls_frame.frames.conversion import at_hand, column_names
from anls_frame.frames.documents import numbers
from anls_frame.statistics.risk_coverage import RiskCoverage
from anls_frame.summary import slicing as slices_of
from anls_frame.summary import system_rows
from anls_frame.summary.keys import CLUSTER, canonical, chosen_keys, explode_lists, largest_first
from anls_frame.summary.rows import Live, kept_names
from anls_frame.summary.settings import Settings, are_texts, resolve_missing, scoring
from anls_frame.summary.slicing import check_values
from anls_frame.summary.systems import are_several, metrics_of, systems_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from anls_frame._typing import Missing
    from anls_frame.protocol import ScoreProtocol
    from anls_frame.statistics.student import FloatArray
    from anls_frame.summary.catalogue import Metrics
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Unanswerable
    from anls_frame.summary.slicing import By

    IntArray = npt.NDArray[np.intp]

_FEW_VALUES = 5
_ROW = "anls_frame:row"

Signals = str | list[str] | Mapping[str, str]
"""A column of confidences, several, or one for each system."""


class Signal(NamedTuple):
    """A confidence with the losses that it refers to, row by row."""

    system: int
    """The number of the system whose answers it is about."""
    confidence: FloatArray
    """Higher is surer; -inf where there is none."""


@dataclass(frozen=True, kw_only=True)
class ConfidenceRows:
    """Scored rows with confidences."""

    keys: pl.DataFrame
    """The keys of slices, `key_0`, ..., as `canonical` makes them."""
    losses: Sequence[FloatArray]
    """The loss of each row in [0, 1], for each system."""
    signals: Mapping[str, Signal]
    documents: IntArray
    metric: Metric
    settings: Settings

    @classmethod
    def of(
        cls,
        frame: Any,
        prediction: Any,
        answers: str | None,
        signals: Signals | None,
        *,
        metrics: Metrics | None,
        by: By | None,
        cluster: str | None,
        higher_is_surer: bool,
        protocol: ScoreProtocol | str,
        missing: Missing,
        unanswerable: Unanswerable,
    ) -> ConfidenceRows:
        """Score rows and read their confidences; rows count if all systems have a score."""
        columns = _columns_of(signals, prediction)
        frame = at_hand(frame)
        has_texts = are_texts(prediction, answers)
        wanted = "anls" if metrics is None and has_texts else metrics
        every = metrics_of(wanted, prediction, column_names(frame), has_texts=has_texts, protocol=protocol)
        if len(every) > 1 or every[0].is_ratio:
            names = [metric.name for metric in every]
            raise ValueError(f"metrics must be one score of rows, got {names}; pass 'anls' or 'exact_match'")
        systems, slicing = systems_of(prediction), slices_of.resolve(by)
        settings = Settings(
            by=slicing.names,
            tables=slicing.tables,
            cluster=cluster,
            metrics=tuple(metric.described() for metric in every),
            has_texts=has_texts,
            missing=resolve_missing(missing, has_scores=not has_texts),
            keep=tuple(dict.fromkeys(columns.values())),
            **scoring(protocol, has_texts=has_texts, unanswerable=unanswerable),
        )
        rows = system_rows.scored_rows(
            frame, systems, answers, Live(slicing=slicing, metrics=every), settings
        )
        table = _collected(rows, settings, len(systems))
        scores = [table[name].to_numpy() for name in system_rows.scores(0, len(systems))]
        metric = _bounded(every[0], scores)
        least, width = metric.span or (0.0, 1.0)
        in_unit = [np.clip((score - least) / width, 0, 1) for score in scores]
        sign = 1.0 if flag("higher_is_surer", higher_is_surer) else -1.0
        confidences = {
            name: np.nan_to_num(sign * table[column].to_numpy(), nan=-np.inf, posinf=np.inf, neginf=-np.inf)
            for name, column in zip(settings.keep, kept_names(settings), strict=True)
        }
        names = list(systems)
        cells = canonical(table.select(rows.keys))
        check_values(cells, dict(zip(rows.keys, slicing.names, strict=False)))
        ranked_rows = cls(
            keys=cells,
            losses=[1 - score if metric.higher_is_better else score for score in in_unit],
            signals={
                name: Signal(names.index(name) if name in systems else 0, confidences[column])
                for name, column in columns.items()
            },
            documents=numbers(None if cluster is None else cells[CLUSTER], table.height),
            metric=metric,
            settings=replace(settings, orders=rows.orders),
        )
        ranked_rows._warn()
        return ranked_rows

    def ranked(self, signal: str, rows: IntArray | None = None) -> RiskCoverage:
        """Return rows ranked by a confidence; all rows by default."""
        system, confidence = self.signals[signal]
        if rows is None:
            return RiskCoverage.of(confidence, self.losses[system], self.documents)
        _, documents = np.unique(self.documents[rows], return_inverse=True)
        return RiskCoverage.of(confidence[rows], self.losses[system][rows], documents)

    def slices(self, columns: Sequence[str]) -> Iterator[tuple[pl.DataFrame, IntArray | None]]:
        """Yield the keys and the rows of each slice, in the order of ordered keys or the largest first."""
        if not columns:
            yield pl.DataFrame(), None
            return
        keys = chosen_keys(columns, self.settings.by, "result")
        entries = explode_lists(self.keys.select(keys).with_row_index(_ROW), keys)
        groups = entries.group_by(keys).agg(_ROW).with_columns(n=pl.col(_ROW).list.len())
        groups = largest_first(groups, keys, columns, self.settings.orders)
        for index, rows in enumerate(groups[_ROW]):
            yield groups[index].select(cs.by_name(*columns)), rows.to_numpy().astype(np.intp)

    def _warn(self) -> None:
        """Warn of confidences that are too coarse for a threshold."""
        for name, (_, confidence) in self.signals.items():
            _, counts = np.unique(confidence[confidence > -np.inf], return_counts=True)
            if 0 < len(counts) < _FEW_VALUES:
                warn(
                    f"the confidence {name!r} has only {len(counts)} different values: only few "
                    f"thresholds are possible"
                )
            elif counts.max(initial=0) > len(confidence) / 2:
                share = counts.max() / len(confidence)
                warn(
                    f"{share:.0%} of the rows have the same confidence {name!r}: the threshold can only move "
                    "in large steps"
                )


def _columns_of(signals: Any, prediction: Any) -> dict[str, str]:
    """Return the column of each signal by its name: that of its system, if there are several of these."""
    several = isinstance(signals, list | tuple | Mapping)
    given = signals if isinstance(signals, Mapping) else dict.fromkeys(signals if several else [signals])
    columns = {name: name if column is None else column for name, column in given.items()}
    if not columns or not all(isinstance(text, str) for pair in columns.items() for text in pair):
        raise ValueError(
            f"model_confidence must be a column with the model's confidences, or several, got {signals!r}"
        )
    if are_several(prediction):
        systems = list(systems_of(prediction))
        if not isinstance(signals, Mapping) or set(columns) != set(systems):
            raise ValueError(
                f"model_confidence must be a mapping from each of the systems {systems} to its column, got "
                f"{signals!r}"
            )
    return columns


def _collected(rows: system_rows.SystemRows, settings: Settings, systems: int) -> pl.DataFrame:
    """Return the keys, scores and confidences of the rows that have a score."""
    schema = rows.inputs.collect_schema()
    kept = kept_names(settings)
    for name, column in zip(settings.keep, kept, strict=True):
        if not (schema[column].is_numeric() or schema[column] == pl.Null):
            raise DTypeError(
                f"model_confidence: column {name!r} has dtype {schema[column]}; a confidence is a number"
            )
    scores = system_rows.scores(0, systems)
    is_wrong = pl.any_horizontal(*rows.wrong(), pl.lit(value=False)).alias("is_wrong")
    confidences = [pl.col(column).cast(pl.Float64) for column in kept]
    table = rows.frame.select(*rows.keys, *scores, *confidences, is_wrong).collect(engine="streaming")
    if table["is_wrong"].any():
        rows.raise_wrong()
    table = table.drop_nulls(scores)
    if table.height < 2:  # noqa: PLR2004
        raise ValueError(f"there must be at least two rows with a score to rank, got {table.height}")
    return table


def _bounded(metric: Metric, scores: Sequence[FloatArray]) -> Metric:
    """Return the metric with its bounds; raise an error without two of them."""
    ends = (min(float(column.min()) for column in scores), max(float(column.max()) for column in scores))
    bounded = metric.within(*ends)
    if bounded.span is None:
        raise ValueError(
            f"metrics: {metric.name!r} does not have two bounds, so a row has no loss between 0 and 1; "
            f"pass 'exact_match', or give the bounds of your own score: Metric(..., bounds=(0, 5))"
        )
    return bounded

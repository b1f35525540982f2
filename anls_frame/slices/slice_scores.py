"""Scores of rows as arrays, with a numerator and a denominator for each metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from anls_frame.statistics.arrays import BoolArray, FloatArray, IndexArray
from anls_frame.statistics.losses import rows_of_sums
from anls_frame.summary import own_metrics, system_rows
from anls_frame.summary.account import Account, account_of, account_sums
from anls_frame.summary.measures import Metric
from anls_frame.summary.settings import Settings
from anls_frame.summary.system_rows import SystemRows


def searched_systems(systems: Sequence[str], *, are_compared: bool) -> list[tuple[int, int | None]]:
    """Return the number of each system, with that of its baseline if changes are searched, not scores."""
    if are_compared:
        return [(number, 0) for number in range(1, len(systems))]
    return [(number, None) for number, _ in enumerate(systems)]


@dataclass(frozen=True)
class Scores:
    """
    The scores of rows in a metric, of a system or of its changes from a baseline.

    The figure of a slice is Σx / Σy; a row without a score has 0 in both. In a ratio, a scored row may have a
    denominator of 0, such as a page without text for which text was invented, or the cost of a wrong answer.
    A line may also represent several rows of one document with equal values in all columns, with their sums.

    Parameters
    ----------
    metric
        The metric.
    system
        The name of the system.
    x, y
        Numerator and denominator of each row, oriented so that lower is worse.
    lost
        The points lost by each row; None if the better end has no bound.
    scored
        Number of scored rows of each line.
    is_change
        Whether x is the change from one system to another, so that a slice must also have lost.
    spread
        For lines that represent several rows, the sum of their squared deviations from the mean of the line.
        The y of each row is 1.
    sides
        For changes of a ratio, x and y of the system and of its baseline, of whose figures x is the change
        only to first order. If empty, the change is exact.
    """

    metric: Metric
    system: str
    x: FloatArray
    y: FloatArray
    lost: FloatArray | None
    scored: FloatArray
    is_change: bool = False
    spread: FloatArray | None = None
    sides: Sequence[tuple[FloatArray, FloatArray]] = ()

    @property
    def counts(self) -> FloatArray | None:
        """The number of rows that each line represents; None if lines are rows."""
        return None if self.spread is None else self.scored

    def single_rows(self) -> tuple[IndexArray, FloatArray, FloatArray]:
        """
        Return the line, x and y of each row with a score.

        A line that represents several rows is split into as many rows with the same sum and sum of squares,
        using two values. For scores of 0 and 1, and for two rows, these are the values of the rows
        themselves.
        """
        if self.spread is None:
            line = np.flatnonzero(self.scored)
            return line, self.x[line], self.y[line]
        n = np.maximum(self.scored, 1)
        mean = self.x / n
        variance, bounds = np.maximum(self.spread / n, 0), None if self.is_change else self.metric.bounds
        line, deviation = rows_of_sums(self.scored, np.abs(mean), variance, bounds)
        return line, mean[line] + deviation, np.ones(len(line))

    def filtered(self, chosen: BoolArray) -> Scores:
        """Return the scores of the chosen rows."""
        lost, spread = (None if values is None else values[chosen] for values in (self.lost, self.spread))
        x, y, scored = self.x[chosen], self.y[chosen], self.scored[chosen]
        sides = [(x[chosen], y[chosen]) for x, y in self.sides]
        return Scores(self.metric, self.system, x, y, lost, scored, self.is_change, spread, sides)

    def rate(self, chosen: BoolArray) -> float | None:
        """Return the unoriented figure of the chosen rows; None if they have no score."""
        sums = [(ordered_sum(x[chosen]), ordered_sum(y[chosen])) for x, y in self.sides or [(self.x, self.y)]]
        if not all(y for _, y in sums):
            return None
        figure, *baseline = (x / y for x, y in sums)
        change = figure - sum(baseline)
        # 0 minus a figure, as its negative would be -0.0 without errors.
        return change if self.metric.higher_is_better else 0.0 - change

    def share_of_rows(self, chosen: BoolArray) -> float:
        """Return the share of the chosen rows among all scored rows."""
        return float(self.scored[chosen].sum() / self.scored.sum())

    def share_of_loss(self, chosen: BoolArray) -> float | None:
        """Return the chosen rows' share of the total loss; None if nothing is lost."""
        if self.lost is None:
            return None
        whole = ordered_sum(self.lost)
        return ordered_sum(self.lost[chosen]) / whole if whole else None


@dataclass(frozen=True, kw_only=True)
class SearchInput:
    """Input of the search: rows, or lines that represent several rows."""

    frame: pl.DataFrame
    """The columns that slice."""
    expressions: Mapping[str, pl.Expr]
    """What selects them in other frames."""
    documents: pl.Series | None
    scores: Sequence[Scores]
    roots: Sequence[str]
    """The columns that these expressions need."""
    reported: Callable[[BoolArray, pl.Series, float], pl.DataFrame]
    """
    Returns the figures of slices, a row for each with metric and system: of the chosen lines, from
    the list of slices of each of these, with intervals at a level.
    """
    settings: Settings
    systems: tuple[str, ...] = ()
    """The systems that are compared, the baseline first; none if scores of one are searched."""
    unreadable: Mapping[str, str] = field(default_factory=dict)
    account: Account[Any]
    forgotten_documents: str | None = None


def scores(
    frame: pl.DataFrame, rows: SystemRows, *, are_compared: bool
) -> tuple[pl.DataFrame, list[Scores], Account[Any]]:
    """
    Return the scored rows, the scores of a system or changes from the first, and the account of all rows.

    Parameters
    ----------
    frame, rows
        The rows, as they are given and as they are scored.
    are_compared
        Whether changes are searched, not scores.
    """
    scored = rows.frame.select(*rows.keys, *rows.values, *system_rows.marks(rows.systems)).collect()
    rows.check(scored)
    wanted = searched_systems(rows.names, are_compared=are_compared)
    of_metrics = (_scores(scored, *numbered, rows.names, wanted) for numbered in enumerate(rows.metrics))
    every = list(chain.from_iterable(of_metrics))
    is_scored = np.logical_or.reduce([metric_scores.scored > 0 for metric_scores in every])
    used = pl.Series(is_scored)
    account = account_of(rows, scored.select(**account_sums(rows, pl.lit(used))))
    account.check_scored(account.used)
    return frame.filter(used), [metric_scores.filtered(is_scored) for metric_scores in every], account


def _scores(
    scored: pl.DataFrame,
    index: int,
    metric: Metric,
    names: Sequence[str],
    wanted: Sequence[tuple[int, int | None]],
) -> Iterator[Scores]:
    """Yield the scores or changes in a metric; rows count only where all systems have a score."""
    columns = [system_rows.metric_columns(index, metric, system) for system, _ in enumerate(names)]
    table = scored.select(name for own in columns for name in own)
    is_scored = table.select(pl.all_horizontal(pl.all().is_not_null())).to_series().to_numpy()
    values: dict[str, Any] = {
        name: np.where(is_scored, table[name].fill_null(0).to_numpy(), 0.0) for name in table.columns
    }
    known = table.filter(pl.Series(is_scored))
    lows, highs = zip(*(own_metrics.score_range(own) for own in columns), strict=True)
    metric = metric.within(*known.select(low=pl.min_horizontal(lows), high=pl.max_horizontal(highs)).row(0))
    ones = is_scored.astype(np.float64)
    if metric.is_ratio:
        x, y = ([values[own[part]] for own in columns] for part in (1, 2))
    else:
        x, y = [values[own[0]] for own in columns], [ones] * len(columns)
    sign = 1.0 if metric.higher_is_better else -1.0
    for new, old in wanted:
        if old is None:
            yield Scores(metric, names[new], sign * x[new], y[new], lost(metric, x[new], y[new]), ones)
            continue
        # For rates with separate denominators, the change to first order.
        whole = y[old].sum() + y[new].sum()
        rate = (x[old].sum() + x[new].sum()) / whole if whole else 0.0
        change = sign * (x[new] - x[old] - rate * (y[new] - y[old]))
        mean, loss = (y[old] + y[new]) / 2, np.maximum(-change, 0.0)
        sides = [(sign * x[side], y[side]) for side in (new, old)] if metric.is_ratio else []
        yield Scores(metric, names[new], change, mean, loss, ones, is_change=True, sides=sides)


def ordered_sum(values: FloatArray) -> float:
    """Return the sum of the sorted values, which does not depend on the order of rows."""
    return float(np.sort(values).sum())


def lost(metric: Metric, x: FloatArray, y: FloatArray) -> FloatArray | None:
    """Return the distance of each row from the best score."""
    low, high = metric.bounds or (None, None)
    if metric.higher_is_better:
        return None if high is None else high * y - x
    return None if low is None else x - low * y

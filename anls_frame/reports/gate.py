"""What a change may do to the scores: regressions, decisions about a margin, and plans for more documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import polars as pl

from anls_frame._arguments import flag, level_of_run, margin, number, share, string
from anls_frame._messages import wrong
from anls_frame._text import numbered
from anls_frame._typing import Table_co
from anls_frame.exceptions import warn
from anls_frame.export.document import GROUP, SLICE
from anls_frame.reports import decisions
from anls_frame.reports.decisions import Answer, Decision
from anls_frame.reports.pairwise import COMPARED, is_significant, least_units
from anls_frame.reports.slice_units import SliceUnits, slice_units
from anls_frame.statistics import sample_sizes
from anls_frame.statistics.arrays import FloatArray
from anls_frame.statistics.carriers import FEW_UNITS
from anls_frame.statistics.sample_sizes import Changes, Needed
from anls_frame.summary.catalogue import is_in_percent
from anls_frame.summary.keys import chosen_keys, largest_first
from anls_frame.summary.measures import Metric
from anls_frame.summary.summary import Summary

_ORDER: tuple[Answer, ...] = ("regressed", "undecided", "fine")
"""The first that is given by all rows or a slice counts."""

POWER = 0.8
"""The power for which a decision says what its documents can show, and how many are needed."""

PILOT = 60
"""Smallest number of documents of a pilot, or of rows without clusters, that makes a plan reliable."""

FEW_CHANGED = 3.0
"""Smallest number of documents with changes from which a pilot can tell how changes lie in documents."""


@dataclass(frozen=True, kw_only=True)
class Planner:
    """
    Detectable differences and sample sizes of the slices of a table, for a metric and two systems.

    Parameters
    ----------
    metric
        The compared metric.
    slices
        One row for each slice: its keys, what is compared, `n` and `n_clusters` (null without clusters).
    changes
        The changes from one system to the other in these slices.
    draws
        Number of draws of the sign-flip test, which limits the smallest possible p-value.
    """

    metric: Metric
    slices: pl.DataFrame
    changes: Changes
    draws: int

    def detectable(self, power: float, alpha: float) -> pl.DataFrame:
        """Return the smallest detectable difference of each slice; null if there is none."""
        differences = sample_sizes.detectable_difference(self.changes, power, alpha)
        return self.slices.with_columns(detectable=self._possible(differences, alpha))

    def sample_size(self, effect: float, power: float, alpha: float) -> pl.DataFrame:
        """Return the numbers of rows and clusters needed to detect a difference; null if unknown."""
        needed = sample_sizes.needed_units(self.changes, effect, power, alpha)
        return self.slices.with_columns(**self._numbers(needed, alpha))

    def decidable(self, margin: float, power: float, level: float) -> pl.DataFrame:
        """Return bounds, the margin that is decided if systems are equal, and the rows for a given margin."""
        smallest = sample_sizes.decidable_margin(self.changes, power, level)
        needed = sample_sizes.deciding_units(self.changes, margin, power, level)
        possible, numbers = self._possible(smallest, 2 * level), self._numbers(needed, 2 * level)
        return self.bounds(level, level).with_columns(detectable=possible, **numbers)

    def bounds(self, level: float, alpha: float) -> pl.DataFrame:
        """Return one-sided bounds of the difference; null where no p-value can be as low as alpha."""
        largest = self.metric.largest_difference
        bounds = sample_sizes.difference_bounds(self.changes, level)
        low, high = (pl.Series(np.clip(end, -largest, largest), nan_to_null=True) for end in bounds)
        can = pl.coalesce("n_clusters", "n") >= least_units(alpha, self.draws)
        return self.slices.with_columns(
            difference=pl.Series(self.changes.difference, nan_to_null=True),
            difference_low=pl.when(can).then(low),
            difference_high=pl.when(can).then(high),
        )

    def _possible(self, differences: FloatArray, alpha: float) -> pl.Expr:
        """Return differences, null where they are impossible, or not detectable by any p-value."""
        shown = pl.lit(pl.Series(differences, nan_to_null=True))
        can = pl.coalesce("n_clusters", "n") >= least_units(alpha, self.draws)
        return pl.when(can & (shown <= self.metric.largest_difference)).then(shown)

    def _numbers(self, needed: Needed, alpha: float) -> dict[str, pl.Expr]:
        """Return the numbers of rows and clusters at both ends of a range of factors."""
        least = least_units(alpha, self.draws) / pl.coalesce("n_clusters", "n")
        columns = {}
        for end, factor in zip(("_needed", "_needed_low"), (needed.high, needed.low), strict=True):
            known = pl.lit(pl.Series(factor, nan_to_null=True))
            times = pl.when(known.is_not_null()).then(pl.max_horizontal(known, least))
            for name in ("n", "n_clusters"):
                # Rounding must not add a document to an integer.
                number = (pl.col(name) * times - 1e-6).ceil()
                columns[f"{name}{end}"] = number.cast(pl.Int64, strict=False)
        return columns


def loss(metrics: Sequence[Metric]) -> pl.Expr:
    """Return the loss of each system against the baseline, for a table of differences."""
    signs = {metric.name: -1.0 if metric.higher_is_better else 1.0 for metric in metrics}
    return pl.col("difference") * pl.col("metric").replace_strict(signs, return_dtype=pl.Float64)


def regressions(comparison: Any, drop: float, alpha: float, planned_runs: int) -> pl.DataFrame:
    """Return the rows of `to_polars` with a significant loss of at least `drop`."""
    alpha = level_of_run(share("alpha", alpha), planned_runs)
    drop = checked_margin("drop", drop, comparison.measures, zero=True)
    is_lost = (loss(comparison.measures) >= drop) & is_significant(alpha)
    lost: pl.DataFrame = comparison.to_polars().filter(is_lost)
    return lost


def detectable_difference(comparison: Any, power: float, alpha: float) -> pl.DataFrame:
    """Return the smallest true difference that all rows, and those of each slice, can detect."""
    power, alpha = _power_and_level(power, alpha)
    return _table(comparison, lambda planner: planner.detectable(power, alpha))


def sample_size(comparison: Any, effect: float, power: float, alpha: float) -> pl.DataFrame:
    """Return the numbers of rows and documents that detect a true difference; the rows are the pilot."""
    power, alpha = _power_and_level(power, alpha)
    effect = checked_margin("effect", effect, comparison.measures)
    _warn_of_small_pilot(comparison.summary, _planners(comparison, ()))
    return _table(comparison, lambda planner: planner.sample_size(effect, power, alpha))


def _power_and_level(power: float, alpha: float) -> tuple[float, float]:
    power, alpha = share("power", power, ends=False), share("alpha", alpha, ends=False)
    if power <= alpha:
        raise wrong("power", f"must be larger than alpha, got {power} and {alpha}")
    return power, alpha


def _planners(comparison: Any, columns: Sequence[str], anchor: str | None = None) -> list[Planner]:
    """Return the planner of each metric and pair of systems, for a table with these columns."""
    keys = chosen_keys(columns, comparison.summary.settings.by, comparison.noun)
    names, made = list(comparison.systems), []
    for sliced in slice_units(comparison.summary, keys):
        metric = sliced.metric
        for first, second in decided_pairs(names, anchor):
            slices = sliced.slices.select(
                *keys,
                metric=pl.lit(metric.name),
                baseline=pl.lit(names[first]),
                system=pl.lit(names[second]),
                n="n",
                n_clusters="n_clusters",
            )
            changes = _changes(sliced, (first, second))
            made.append(Planner(metric=metric, slices=slices, changes=changes, draws=comparison.draws))
    return made


def _warn_of_small_pilot(summary: Summary, pilots: Sequence[Planner]) -> None:
    """Warn once if all rows have too few, too unequal or too few changed documents for a plan."""
    unit = "document" if summary.settings.cluster is not None else "row"
    for pilot in pilots:
        documents = pilot.slices.select(pl.coalesce("n_clusters", "n")).item()
        worth, carrying = float(pilot.changes.sums.units.item()), float(pilot.changes.carrying.item())
        if pilot.changes.nothing_changed.item():
            systems = " and ".join(map(repr, pilot.slices.select("baseline", "system").row(0)))
            warn(
                f"{systems} do not differ in {pilot.metric.label}, so this pilot cannot tell how many "
                f"{unit}s show a difference; take a pilot in which rows change"
            )
            return
        if documents < PILOT or worth < FEW_UNITS:
            equal = "" if worth > documents - 1 else f" (effective number: {worth:.0f})"
            warn(
                f"the plan comes from {numbered(documents, unit)}{equal}; it is unreliable with fewer than "
                f"{PILOT} {unit}s, or an effective number below {FEW_UNITS:g}"
            )
            return
        if carrying < FEW_CHANGED and not pilot.changes.nothing_differs.item():
            warn(
                f"most of the change lies in few {unit}s (effective number: {carrying:.1f}), so this pilot "
                f"cannot tell how many {unit}s are needed; take a larger one"
            )
            return


def _changes(sliced: SliceUnits, pair: tuple[int, int]) -> Changes:
    """Return the changes of units, by the group that is their slice."""
    metric, group, units = sliced.metric, sliced.slice_of, sliced.units
    groups = sliced.slices.height
    unseen = metric.unseen_difference
    if not metric.is_ratio:
        first, second = pair
        change = units.x[:, second] - units.x[:, first]
        return sample_sizes.group_changes(group, groups, units.counts, units.n, change, unseen=unseen)
    # Changes of corpus rates, to first order.
    count = units.counts.astype(np.float64)
    (e_1, e_2), (l_1, l_2) = units.x[:, pair].T, units.y[:, pair].T

    def total(values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(group, count * values, groups), np.float64)[group]

    with np.errstate(invalid="ignore", divide="ignore"):
        change = e_2 / total(l_2) - e_1 / total(l_1)
        expected = total(e_2) / total(l_2) ** 2 * l_2 - total(e_1) / total(l_1) ** 2 * l_1
    rows = total(units.n)
    return Changes(
        group, groups, count, units.n, rows * change, rows * (change - expected), l_1 + l_2, unseen
    )


def _table(
    comparison: Any,
    figures: Callable[[Planner], pl.DataFrame],
    planned: Callable[[Sequence[str]], list[Planner]] | None = None,
) -> pl.DataFrame:
    """Return figures of all rows and of slices, with a row for each metric and pair of systems."""
    made = planned or partial(_planners, comparison)
    settings = comparison.summary.settings

    def by(columns: Sequence[str]) -> pl.DataFrame:
        keys = chosen_keys(columns, settings.by, comparison.noun)
        return largest_first(pl.concat(map(figures, made(columns))), keys, columns, settings.orders)

    table: pl.DataFrame = comparison.flat(by)
    return table


def checked_margin(name: str, value: Any, metrics: Sequence[Metric], *, zero: bool = False) -> float:
    """Return a margin as a float; raise an error unless a loss in each metric can be smaller and larger."""
    points = number(name, value, 0, ends=zero)
    for metric in metrics:
        bounds = metric.bounds or (None, None)
        margin(name, value, bounds, metric.label, zero=zero, in_points=metric.format == "rate")
    return points


def decided_pairs(systems: Sequence[str], anchor: str | None) -> list[tuple[int, int]]:
    """Return the pairs of each system with the baseline (the first system) and with the anchor, if any."""
    others = range(1, len(systems))
    if anchor is None:
        return [(0, number) for number in others]
    compared = [number for number in others if systems[number] != string("anchor", anchor)]
    if anchor not in systems[1:] or not compared:
        raise wrong(
            "anchor", f"must be another system than the baseline and a new one, got {anchor!r} of {systems}"
        )
    decided = []
    for other in compared:
        decided += [(0, other), (systems.index(anchor), other)]
    return decided


def decision(
    comparison: Any,
    within: float,
    alpha: float,
    anchor: str | None,
    planned_runs: int,
    *,
    slices: bool,
    given: Callable[[pl.DataFrame], Table_co],
) -> Decision[Table_co]:
    """
    Decide whether systems are worse than the baseline by more than a margin, over all rows and in slices.

    The tables of the decision are those that `given` makes of Polars frames.
    Metrics and systems share `alpha`; the testable slices of each share it again (Bonferroni).
    """
    within = checked_margin("within", within, comparison.measures)
    alpha = level_of_run(number("alpha", alpha, 0, 0.5, ends=False), planned_runs)
    has_slices = flag("slices", slices) and bool(comparison.summary.settings.by)
    made = cache(partial(_planners, comparison, anchor=anchor))
    overall = made(())
    compared = [planner.slices.select(COMPARED).row(0) for planner in overall]
    level = alpha / len({(metric, system) for metric, _, system in compared})

    def answered(planner: Planner, table: pl.DataFrame) -> pl.DataFrame:
        low, high = pl.col("difference_low"), pl.col("difference_high")
        worst, best = (low, high) if planner.metric.higher_is_better else (-high, -low)
        answer = pl.when(worst > -within).then(pl.lit("fine")).when(best < -within).then(pl.lit("regressed"))
        # Without bounds, there is no answer.
        answer = answer.when(low.is_not_null()).then(pl.lit("undecided"))
        return table.with_columns(answer=answer)

    def in_slices(shares: Mapping[tuple[Any, ...], float]) -> pl.DataFrame:
        def bounded(planner: Planner) -> pl.DataFrame:
            names = next(planner.slices.select(COMPARED).iter_rows(), ())
            return answered(planner, planner.bounds(level * shares.get(names, 1.0), level))

        return _table(comparison, bounded, made).filter(pl.col(SLICE) == GROUP).drop(SLICE)

    frame = pl.concat(
        answered(planner, planner.decidable(within, POWER, level)) for planner in overall
    ).with_columns(pl.col("answer").fill_null("undecided"))
    table = None
    if has_slices:
        tested = in_slices({}).drop_nulls("answer").group_by(COMPARED).len()
        table = in_slices({tuple(names): 1 / number for *names, number in tested.iter_rows()})
    several = len({metric for metric, *_ in compared}) > 1
    decided: list[tuple[Answer, str]] = []
    for planner, names, line in zip(overall, compared, frame.iter_rows(named=True), strict=True):
        is_own = dict(zip(COMPARED, names, strict=True))
        own = None if table is None else table.filter(**is_own).drop_nulls("answer")
        answers = [] if own is None else own["answer"].to_list()
        answer = min((line["answer"], *answers), key=_ORDER.index)
        percent = is_in_percent(planner.metric, comparison.measures)
        size = decisions.size_in_words(within, percent=percent)
        what = f"{size} in {planner.metric.label}" if several else size
        said = decisions.in_words(answer, line["baseline"], line["system"], what)
        if own is not None:
            # All rows, slices or both give the answer.
            count = answers.count(answer)
            counted = f"in {count:,} of {numbered(len(answers), 'slice')}"
            in_rows = f"on all rows{f' and {counted}' if count else ''}"
            said += f", {in_rows if line['answer'] == answer else counted}"
        if line["answer"] == answer != "undecided":
            said += decisions.difference_in_words(line["difference"], percent=percent)
        if answer == "undecided":
            said += f"; {_advice(line, own, percent=percent)}"
        decided.append((answer, said))
    decided.sort(key=lambda pair: _ORDER.index(pair[0]))
    return Decision(
        within=within,
        alpha=alpha,
        answer=decided[0][0],
        sentences=[sentence for _, sentence in decided],
        frame=given(frame),
        slices=None if table is None else given(table),
        account=comparison.account,
    )


def _advice(line: Mapping[str, Any], slices: pl.DataFrame | None, *, percent: bool) -> str:
    """Return the margin that an undecided line can decide, and the documents or rows that would decide."""
    unit, counted = ("row", "n") if line["n_clusters"] is None else ("document", "n_clusters")
    if slices is not None and line["answer"] != "undecided":
        fewest = slices.filter(answer="undecided").select(pl.col(counted).min()).item()
        return f"the smallest of them has {numbered(fewest, unit)}"
    number = numbered(line[counted], unit)
    if line["detectable"] is None:
        return f"{number} can decide no margin"
    least = decisions.size_in_words(line["detectable"], ".2g", percent=percent)
    can = f"{number} can decide margins of at least {least}"
    low, high = line[f"{counted}_needed_low"], line[f"{counted}_needed"]
    if high is None:
        return can
    if high > line[counted]:
        return f"{can}; this one needs {decisions.needed_in_words(low, high)} if the systems are equal"
    return f"{can}, but the difference is close to the margin"

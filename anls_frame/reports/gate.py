"""What a change may do to the scores: regressions, decisions about a margin, and plans for more documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import polars as pl

from anls_frame._arguments import flag, level_of_run, margin, number, share, string
from anls_frame._messages import wrong
from anls_frame._text import numbered
from anls_frame._typing import Table_co
from anls_frame.export.document import GROUP, SLICE
from anls_frame.reports.decisions import Answer, Decision, in_words, needed_in_words
from anls_frame.reports.pairwise import COMPARED, is_significant
from anls_frame.reports.planning import Planner, planners, warn_of_small_pilot
from anls_frame.summary.keys import chosen_keys, largest_first
from anls_frame.summary.measures import Metric

_ORDER: tuple[Answer, ...] = ("regressed", "undecided", "fine")
"""The first that is given by all rows or a slice counts."""

POWER = 0.8
"""The power for which a decision says what its documents can show, and how many are needed."""


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
    effect = number("effect", effect, 0, ends=False)
    warn_of_small_pilot(comparison.summary, _planners(comparison, ()))
    return _table(comparison, lambda planner: planner.sample_size(effect, power, alpha))


def _power_and_level(power: float, alpha: float) -> tuple[float, float]:
    power, alpha = share("power", power, ends=False), share("alpha", alpha, ends=False)
    if power <= alpha:
        raise wrong("power", f"must be larger than alpha, got {power} and {alpha}")
    return power, alpha


def _planners(comparison: Any, columns: Sequence[str], anchor: str | None = None) -> list[Planner]:
    """Return the planner of each metric and pair of systems, for a table with these columns."""
    keys = chosen_keys(columns, comparison.summary.settings.by, comparison.noun)
    pairs = decided_pairs(list(comparison.systems), anchor)
    return planners(comparison.summary, keys, pairs, comparison.draws)


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
    return [(first, number) for number in compared for first in (0, systems.index(anchor))]


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
    shares: dict[tuple[Any, ...], float] = {}

    def answered(planner: Planner, table: pl.DataFrame) -> pl.DataFrame:
        low, high = pl.col("difference_low"), pl.col("difference_high")
        worst, best = (low, high) if planner.metric.higher_is_better else (-high, -low)
        answer = pl.when(worst > -within).then(pl.lit("fine")).when(best < -within).then(pl.lit("regressed"))
        # Without bounds, there is no answer.
        answer = answer.when(low.is_not_null()).then(pl.lit("undecided"))
        return table.with_columns(answer=answer)

    def bounded(planner: Planner) -> pl.DataFrame:
        names = next(planner.slices.select(COMPARED).iter_rows(), ())
        return answered(planner, planner.bounds(level * shares.get(names, 1.0), level))

    def in_slices() -> pl.DataFrame:
        return _table(comparison, bounded, made).filter(pl.col(SLICE) == GROUP).drop(SLICE)

    frame = pl.concat(
        answered(planner, planner.decidable(within, POWER, level)) for planner in overall
    ).with_columns(pl.col("answer").fill_null("undecided"))
    table = None
    if has_slices:
        tested = in_slices().drop_nulls("answer").group_by(COMPARED).len()
        shares |= {tuple(names): 1 / number for *names, number in tested.iter_rows()}
        table = in_slices()
    several = len({metric for metric, *_ in compared}) > 1
    decided: list[tuple[Answer, str]] = []
    for planner, names, line in zip(overall, compared, frame.iter_rows(named=True), strict=True):
        is_own = dict(zip(COMPARED, names, strict=True))
        own = None if table is None else table.filter(**is_own).drop_nulls("answer")
        answers = [] if own is None else own["answer"].to_list()
        answer = min((line["answer"], *answers), key=_ORDER.index)
        what = f"{within:g} in {planner.metric.label}" if several else f"{within:g}"
        said = in_words(answer, line["baseline"], line["system"], what)
        if own is not None:
            # All rows, slices or both give the answer.
            count = answers.count(answer)
            counted = f"in {count:,} of {numbered(len(answers), 'slice')}"
            in_rows = f"on all rows{f' and {counted}' if count else ''}"
            said += f", {in_rows if line['answer'] == answer else counted}"
        if answer == "fine" and line["difference"] is not None:
            # "Not worse" may be much better.
            said += f" (difference {line['difference']:+.3f})"
        decided.append((answer, f"{said}; {_advice(line, own)}" if answer == "undecided" else said))
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


def _advice(line: Mapping[str, Any], slices: pl.DataFrame | None) -> str:
    """Return the margin that an undecided line can decide, and the documents or rows that would decide."""
    unit, counted = ("row", "n") if line["n_clusters"] is None else ("document", "n_clusters")
    if slices is not None and line["answer"] != "undecided":
        fewest = slices.filter(answer="undecided").select(pl.col(counted).min()).item()
        return f"the smallest of them has {numbered(fewest, unit)}"
    number = numbered(line[counted], unit)
    if line["detectable"] is None:
        return f"{number} can decide no margin"
    can = f"{number} can decide margins of at least {line['detectable']:.2g}"
    low, high = line[f"{counted}_needed_low"], line[f"{counted}_needed"]
    if high is None:
        return can
    if high > line[counted]:
        return f"{can}; this one needs {needed_in_words(low, high)} if the systems are equal"
    return f"{can}, but the difference is close to the margin"

"""Comparisons as sentences: the result of all rows, and slices with regressions from the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import level_of_run
from anls_frame._text import label, listed
from anls_frame.export.document import OVERALL, SLICE, TABLE, crossed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anls_frame.reports.comparisons import Comparison
    from anls_frame.summary.measures import Metric

_SHOWN = 3


def regressions(comparison: Comparison, drop: float, alpha: float, planned_runs: int = 1) -> Iterator[str]:
    """Return a sentence for each system that regressed, with the metrics and slices concerned."""
    lost = comparison.regressions(drop, alpha, planned_runs=planned_runs)
    level = level_of_run(alpha, planned_runs)
    for system in comparison.systems:
        losses = lost.filter(system=system)
        in_metrics = []
        for metric in comparison.measures:
            rows = losses.filter(metric=metric.name)
            if rows.height:
                in_metrics.append(f"{metric.label} ({_where(rows, comparison)})")
        if in_metrics:
            yield (
                f"{system} is worse than {comparison.baseline} by at least {drop:g} (p at most {level:g}): "
                f"{', '.join(in_metrics)}"
            )


def _where(rows: pl.DataFrame, comparison: Comparison) -> str:
    """Return whether these lines include all rows, and the names of the slices, largest loss first."""
    settings = comparison.summary.settings
    slices = rows.filter(pl.col(SLICE) != OVERALL).sort(pl.col("difference").abs(), descending=True)
    parts = ["overall"] if slices.height < rows.height else []
    for keys in settings.tables or (settings.by,):
        in_table = slices.filter(pl.col(TABLE) == crossed(keys)) if settings.tables else slices
        if in_table.height:
            names = [" / ".join(map(label, row)) for row in in_table.select(cs.by_name(*keys)).iter_rows()]
            parts.append(f"{' / '.join(keys)} = {listed(names, _SHOWN)}")
    return "; ".join(parts)


def in_short(comparison: Comparison) -> str:
    """Return the difference of two systems, or the best of several systems, in each metric."""
    if len(comparison.systems) > 2:  # noqa: PLR2004 - a pair has one difference
        ranking = pl.DataFrame(comparison.ranking).filter(slice="overall")
        return "; ".join(_best(metric, ranking.filter(metric=metric.name)) for metric in comparison.measures)
    differences = zip(comparison.measures, comparison.overall["difference"], strict=True)
    return "; ".join(_difference(metric, difference) for metric, difference in differences)


def _difference(metric: Metric, difference: float | None) -> str:
    return f"difference {'unknown' if difference is None else f'{difference:+z.4f}'} ({metric.label})"


def _best(metric: Metric, ranking: pl.DataFrame) -> str:
    first = ranking.filter(rank=1)
    if first.is_empty():
        return f"best: unknown ({metric.label})"
    best, score = ", ".join(first["system"]), first["score"][0]
    possibly = ", ".join(ranking.filter("possibly_best")["system"])
    return f"best: {best} ({metric.label} {score:z.4f}), possibly best: {possibly}"

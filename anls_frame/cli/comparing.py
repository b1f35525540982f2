"""How a comparison is written and printed, for `compare` and `merge`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from anls_frame.cli.output import plain, print_document, print_table, say
from anls_frame.export.document import OVERALL
from anls_frame.reports.type_changes import headings
from anls_frame.summary.transitions import PAIR

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import anls_frame as af
    from anls_frame.cli.options import Target

_SHOWN_TRANSITIONS = 30
_ALPHA = 0.05


def put(
    comparison: af.Comparison,
    output: Path | None,
    target: Target,
    page: af.RowsPage | None = None,
    source: Sequence[Path] = (),
) -> None:
    """Write and print a comparison."""
    if output is not None:
        comparison.write(output, escape_formulas=target.escape_formulas, rows=page, source=source)
    if target.json:
        print_document(comparison.to_document())
    elif output is not None:
        print(plain(f"{_in_short(comparison)}: {output}"))
        _say_what_cannot_be_tested(comparison)
    else:
        print(plain(repr(comparison)))
        if comparison.summary.settings.details:
            _print_transitions(comparison)


def _say_what_cannot_be_tested(comparison: af.Comparison) -> None:
    """Say that all rows have too few units for a test: the line above names a best system or a difference."""
    from anls_frame.reports.comparison_documents import untestable_note

    overall = comparison.to_polars().filter(slice=OVERALL)
    note = untestable_note(overall, comparison.settings, _ALPHA)
    if note is not None:
        say(f"anls-frame: {note}")


def _print_transitions(comparison: af.Comparison) -> None:
    print(f"\nError types that differ from those of {plain(comparison.baseline)}")
    old, new = PAIR
    changed = comparison.transitions.filter(pl.col(old) != pl.col(new))
    largest = changed.sort("n", descending=True, maintain_order=True)
    shown = headings(largest.columns, [*comparison.systems])
    print_table(largest, most=_SHOWN_TRANSITIONS, headings=shown)


def _in_short(comparison: af.Comparison) -> str:
    """Return the difference of two systems, or the best of several, in each metric."""
    if len(comparison.systems) > 2:  # noqa: PLR2004 - a pair has one difference
        ranking = pl.DataFrame(comparison.ranking).filter(slice="overall")
        return "; ".join(_best(metric, ranking.filter(metric=metric.name)) for metric in comparison.measures)
    differences = zip(comparison.measures, comparison.overall["difference"], strict=True)
    return "; ".join(_difference(metric, difference) for metric, difference in differences)


def _difference(metric: af.Metric, difference: float | None) -> str:
    return f"difference {'unknown' if difference is None else f'{difference:+z.4f}'} ({metric.label})"


def _best(metric: af.Metric, ranking: pl.DataFrame) -> str:
    first = ranking.filter(rank=1)
    if first.is_empty():
        return f"best: unknown ({metric.label})"
    best, score = ", ".join(first["system"]), first["score"][0]
    possibly = ", ".join(ranking.filter("possibly_best")["system"])
    return f"best: {best} ({metric.label} {score:z.4f}), possibly best: {possibly}"

"""Writing and printing of comparisons, for `compare` and `merge`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame.cli.output import plain, print_document, print_table, say
from anls_frame.export.document import OVERALL
from anls_frame.reports.sentences import in_short
from anls_frame.reports.type_changes import table
from anls_frame.summary.transitions import PAIR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import anls_frame as af
    from anls_frame.analysis.browsing import RowsPage
    from anls_frame.cli.options import Target

_SHOWN_TRANSITIONS = 30
_ALPHA = 0.05


def put(
    comparison: af.Comparison,
    output: Path | None,
    target: Target,
    shown: Mapping[str, Any],
    *,
    page: RowsPage | None = None,
    source: Sequence[Path] = (),
) -> None:
    """Write and print a comparison."""
    if output is not None:
        comparison.write(output, escape_formulas=True, rows=page, source=source, **shown)
    if target.json:
        print_document(comparison.to_document(**shown))
    elif output is not None:
        print(plain(f"{in_short(comparison)}: {output}"))
        _say_what_cannot_be_tested(comparison)
    else:
        print(plain(comparison.to_text(**shown)))
        if comparison.summary.settings.details:
            _print_transitions(comparison)


def _say_what_cannot_be_tested(comparison: af.Comparison) -> None:
    """Note that all rows have too few units for a test, as the line above names a best or a difference."""
    from anls_frame.reports.comparison_documents import untestable_note

    overall = comparison.to_polars().filter(slice=OVERALL)
    note = untestable_note(overall, comparison.settings, comparison.row_names, _ALPHA)
    if note is not None:
        say(f"anls-frame: {note}")


def _print_transitions(comparison: af.Comparison) -> None:
    print(f"\nError types that differ from those of {plain(comparison.baseline)}")
    old, new = PAIR
    changed = comparison.transitions.filter(pl.col(old) != pl.col(new))
    largest = changed.sort("n", descending=True, maintain_order=True)
    print_table(table("", largest, (), [*comparison.systems]), most=_SHOWN_TRANSITIONS)

"""`compare`: two systems on the same questions, and a gate for scripts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anls_frame._arguments import number, share
from anls_frame.cli.options import (
    AllowUnmatched,
    Confidence,
    LowerIsBetter,
    Output,
    Reporting,
    Scores,
    Slicing,
    Source,
    Target,
    command,
    tables,
)
from anls_frame.summary.catalogue import NAMES

if TYPE_CHECKING:
    import anls_frame as af


@dataclass(frozen=True, kw_only=True)
class Gate:
    """When the gate fails; never if no drop is given."""

    fail_if_drop: Annotated[
        float | None,
        typer.Option(
            help="Exit with 1 if the observed loss of the second system, overall or in a slice, is at least "
            "this large and its p-value (adjusted, for slices) is at most --alpha. This does not show that "
            "the true loss is that large, nor does 0 show that there is none. Slices that are too small to "
            "be tested never count; a note says how many there are."
        ),
    ] = None
    alpha: Annotated[float, typer.Option(help="Largest p-value that counts for --fail-if-drop.")] = 0.05

    def __post_init__(self) -> None:
        if self.fail_if_drop is not None:
            number("--fail-if-drop", self.fail_if_drop, 0)
        share("--alpha", self.alpha)

    def fails(self, comparison: af.Comparison) -> bool:
        """Whether the gate fails; a note is printed if slices could not be tested."""
        from anls_frame.cli.output import say
        from anls_frame.reports.documents import untestable_note

        if self.fail_if_drop is None:
            return False
        note = untestable_note(comparison.to_polars(), comparison.settings, self.alpha)
        if note is not None:
            say(f"anls-frame: {note}")
        return comparison.regressed(self.fail_if_drop, self.alpha)

    def say(self, comparison: af.Comparison) -> None:
        """Print why the gate failed."""
        from anls_frame.cli.output import say

        old, new = comparison.systems
        say(
            f"anls-frame: {new} is worse than {old} by at least {self.fail_if_drop:g}, overall or in a slice "
            f"(p at most {self.alpha:g})"
        )


@command
def compare(
    first: Annotated[
        Path, typer.Argument(help="Results to compare with, or a file with both systems.", metavar="FIRST")
    ],
    second: Annotated[
        Path | None, typer.Argument(help="Results of the second system.", metavar="[SECOND]")
    ] = None,
    *,
    systems: Annotated[
        str | None, typer.Option(help="Two prediction columns of one file, as OLD,NEW.")
    ] = None,
    output: Output = None,
    slicing: Slicing,
    gate: Gate,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            "-m",
            help=f"{', '.join(name for name in NAMES if name != 'zeros')} or a function of your own as "
            "FILE.py:NAME; with --scores, any name for the scores.",
        ),
    ] = None,
    scores: Scores = False,
    lower_is_better: LowerIsBetter = False,
    allow_unmatched: AllowUnmatched = False,
    scoring: Reporting,
    confidence: Confidence = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the sign-flip test.")] = 0,
    target: Target,
    source: Source,
) -> None:
    """
    Compare two systems on the same questions.

    With --fail-if-drop it is a gate for scripts: it exits with 0, with 1 for a regression, or with 2 if the
    input cannot be used.
    """
    from anls_frame.cli.exits import GATE_FAILED
    from anls_frame.cli.metrics import one
    from anls_frame.cli.output import check_target, plain, print_document, working
    from anls_frame.cli.systems import Pair, compared, compared_scores
    from anls_frame.export import SUFFIXES

    check_target(output, target.force, SUFFIXES)
    pair = Pair(first=first, second=second, systems=systems, allow_unmatched=allow_unmatched, source=source)
    options = {
        "by": tables(slicing.by),
        "cluster": slicing.cluster,
        "confidence": confidence,
        "seed": seed,
    }
    with working("Comparing"):
        if scores:
            comparison = compared_scores(
                pair, scoring, name=metric, lower_is_better=lower_is_better, **options
            )
        else:
            metrics = one(metric or "anls")
            comparison = compared(
                pair, lower_is_better=lower_is_better, metrics=metrics, **vars(scoring), **options
            )
        if output is not None:
            comparison.write(output, escape_formulas=target.escape_formulas)
    failed = gate.fails(comparison)
    if target.json:
        print_document(comparison.to_document())
    elif output is None:
        print(plain(repr(comparison)))
    else:
        difference = comparison.overall["difference"]
        shown = "unknown" if difference is None else f"{difference:+z.4f}"
        print(plain(f"difference {shown}: {output}"))
    if failed:
        gate.say(comparison)
        raise typer.Exit(GATE_FAILED)

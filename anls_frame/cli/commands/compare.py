"""`compare`: systems on the same questions, and a gate for scripts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import anls_frame as af
from anls_frame._arguments import level_of_run, share
from anls_frame.cli import options
from anls_frame.cli.exits import GATE_FAILED, gate_code
from anls_frame.cli.output import check_rows, say, working


@dataclass(frozen=True, kw_only=True)
class Gate:
    """
    Conditions under which the gate fails or is undecided; without a bound, it always passes.

    Parameters
    ----------
    fail_if_drop
        Exit with 1 if the observed loss of a system against the first (or --baseline), overall or in a slice,
        is at least this large and its p-value (adjusted, for slices, systems and metrics) is at most --alpha.
        This does not show that the true loss is that large, and exit code 0 does not show that there is no
        loss. Slices that are too small for a test never count; a note counts them.
    require_within
        Exit with 0 only if the data show that each system loses less than this against the first over all
        rows (by a one-sided upper bound of confidence 1 - alpha; systems and metrics share alpha). Exit with
        1 if they show a larger loss, or if --fail-if-drop fails, and with 3 if they show neither; a note then
        says how many documents are needed.
    require_within_slices
        Also decide for each slice that can be tested; the slices share --alpha (Bonferroni).
    alpha
        Largest significant p-value for --fail-if-drop; for --require-within, the largest probability of exit
        code 0, and of 1, if the true loss equals the bound.
    planned_runs
        Planned number of runs of the gate on the same documents. Each run has the level alpha / planned runs,
        so that --alpha applies to all runs together.
    anchor
        A fixed earlier system: a file, which is compared too, or the name of a system. --require-within also
        bounds the loss against it, so that small losses in many runs cannot add up unseen.
    """

    fail_if_drop: float | None = None
    require_within: float | None = None
    require_within_slices: bool = False
    alpha: float = 0.05
    planned_runs: int = 1
    anchor: Annotated[str | None, {"metavar": "FILE|NAME"}] = None

    def __post_init__(self) -> None:
        share("--alpha", self.alpha)
        if self.require_within is None and (self.require_within_slices or self.anchor is not None):
            raise ValueError("--require-within-slices and --anchor need --require-within, the allowed loss")
        if self.anchor is not None and self.fail_if_drop is not None:
            raise ValueError(
                "--fail-if-drop would count a loss of the anchor too: leave out --anchor or --fail-if-drop"
            )

    @property
    def anchor_file(self) -> Path | None:
        """The file of the anchor, if the anchor is a file."""
        return None if self.anchor is None or not Path(self.anchor).exists() else Path(self.anchor)

    def judged(self, comparison: af.Comparison) -> tuple[int, list[str]]:
        """Return the exit code, 1 before 3 before 0, and notes that explain it."""
        from anls_frame.reports.comparison_documents import regressions, untestable_note

        code, notes = 0, []
        if self.fail_if_drop is not None or self.require_within_slices:
            level = level_of_run(self.alpha, self.planned_runs)
            note = untestable_note(comparison.to_polars(), comparison.settings, comparison.row_names, level)
            notes += [] if note is None else [note]
        if self.require_within is not None:
            decision = comparison.decide(
                self.require_within,
                self.alpha,
                slices=self.require_within_slices,
                planned_runs=self.planned_runs,
                # The file of an anchor is the last one.
                anchor=self.anchor if self.anchor_file is None else [*comparison.summary.systems][-1],
            )
            notes += decision.sentences
            code = gate_code(decision.answer)
        if self.fail_if_drop is not None:
            drops = (self.fail_if_drop, self.alpha, self.planned_runs)
            lost = [*regressions(comparison, *drops)]
            notes += lost
            code = GATE_FAILED if lost else code
        return code, notes


@options.command(
    "anls-frame compare old.jsonl new.jsonl newer.jsonl -b doc_type -c doc_id",
    "anls-frame compare results.parquet --systems a,b,c -m anls -m exact_match -o comparison.html",
    "anls-frame compare logs.csv --system-column model --baseline gpt",
    "anls-frame compare tesseract/ kraken/ --gold truth/",
    "anls-frame compare old.jsonl new.jsonl -c doc_id --require-within 0.01",
)
def compare(
    files: list[Path],
    *,
    baseline: str | None = None,
    target: options.SummaryTarget,
    slicing: options.SlicingOptions,
    gate: Gate,
    metric: list[str] | None = None,
    scores: bool = False,
    rows: int | None = None,
    keep: list[str] | None = None,
    details: bool = False,
    scoring: options.Reporting,
    confidence: float = 0.95,
    boarding: options.Boarding,
    runs: options.Runs = "error",
    source: options.SystemColumns,
) -> int:
    """
    Compare two or more systems on the same questions.

    Give a file for each system, whose questions are paired by id, or one file with all systems, in columns
    (--systems) or in rows (--system-column).

    With --fail-if-drop or --require-within the command is a gate for scripts: it exits with 0 to pass, with 1
    for a regression, with 2 for unusable input, or with 3 if --require-within cannot be decided. With
    --anchor, it exits with 0 only if the loss is small against both the first system and the fixed one.

    Parameters
    ----------
    files
        A file or folder for each system, the baseline first, or one with all.
    baseline
        System to compare the others with; by default the first.
    summary
        Save the sums of the comparison, as Parquet, for `merge` and `slices`.
    metric
        Score, such as anls (`anls-frame names metrics` lists them), or your own function, as FILE.py:NAME;
        may be repeated. With --scores, any name for the scores, or lower:NAME or higher:NAME for their
        direction.
    details
        Also count how error types change from the baseline.
    """
    from anls_frame.cli.metrics import parse
    from anls_frame.runs.compared_files import compare_files
    from anls_frame.runs.reading import usual_metric
    from anls_frame.runs.score_columns import every_column, score_columns_of
    from anls_frame.runs.system_files import texts_of

    files = files if gate.anchor_file is None else [*files, gate.anchor_file]
    check_rows(rows, target.output)
    if rows is not None and scores:
        raise ValueError("--rows shows texts, but --scores has none: leave --rows out")
    if keep and rows is None:
        raise ValueError("--keep needs --rows")
    scoring.check_left_out(scores=scores)
    metrics = parse(metric)
    given = source.in_files(files, runs, None if rows else metrics)
    shown = boarding.options
    how: Any = vars(scoring)
    with working("Comparing"):
        comparison = compare_files(
            given,
            baseline=baseline,
            by=slicing.by,
            cluster=slicing.cluster,
            metrics=metrics,
            scores=scores,
            details=details,
            confidence=confidence,
            **how,
        )
        code, notes = gate.judged(comparison)
        page = None
        if rows is not None:
            from anls_frame.cli import row_pages

            by = every_column(slicing.by)
            texts = texts_of(given.naming(*by, *(keep or ()), *score_columns_of(metrics)))
            page = row_pages.page(
                texts.frame,
                texts.systems,
                metrics=metrics or [usual_metric(given.how)],
                by=by,
                keep=keep or (),
                n=rows,
                **vars(scoring),
            )
    if not target.is_terminal:
        shown = {**shown, "remarks": notes}
    target.put_comparison(comparison, shown, rows=page, source=files)
    for note in notes:
        say(note)
    return code

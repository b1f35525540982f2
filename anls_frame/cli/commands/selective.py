"""`selective`: the quality of a model's confidence, and thresholds for accepting answers unreviewed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

import anls_frame as af
from anls_frame._arguments import number
from anls_frame.cli import options
from anls_frame.cli.exits import gate_code
from anls_frame.cli.output import print_account, show


@options.command(
    "anls-frame selective qa.parquet --model-confidence confidence -m exact_match -c doc_id --risk 0.2",
    "anls-frame selective qa.parquet --model-confidence confidence -b lang -c doc_id -o passing.html",
)
def selective(
    file: Path,
    *,
    model_confidence: list[str],
    risk: float = 0.02,
    require_accepted: float | None = None,
    threshold: float | None = None,
    lower_is_more_confident: bool = False,
    target: options.Target,
    slicing: options.SlicingOptions,
    metric: list[str] | None = None,
    scoring: options.Reporting,
    confidence: float = 0.95,
    source: options.SourceOptions,
) -> int:
    """
    Find the confidence above which to accept answers.

    The command also shows how well the confidence separates right answers from wrong ones.

    The threshold is certified: with the confidence of --confidence, the true risk of the accepted answers is
    at most --risk. With --by, each slice has its own threshold, and all guarantees apply simultaneously.

    With --require-accepted or --threshold the command is a gate for scripts.

    Parameters
    ----------
    model_confidence
        Column of the model's confidence in each answer; may be repeated.
    risk
        Largest allowed loss of the accepted answers, as a share.
    require_accepted
        Exit with 0 only if a certified threshold accepts at least this share of the answers, with --by in
        each slice. Exit with 1 if none does, and with 3 if there are too few documents to say.
    threshold
        A threshold chosen on other documents: decide whether the risk of these answers is at most --risk.
        Exit with 0 if it is, with 1 if it is not, and with 3 if there are too few documents to say.
    lower_is_more_confident
        Lower numbers mean more confidence, as for an entropy.
    metric
        Score, such as anls (`anls-frame names metrics` lists them), or your own function, as FILE.py:NAME.
        Only one may be given.
    """
    from anls_frame.cli.metrics import parse
    from anls_frame.reports.selective_documents import statements, with_thresholds
    from anls_frame.runs.score_columns import every_column, score_columns_of, text_columns
    from anls_frame.runs.scored_files import with_scores

    if require_accepted is not None:
        number("--require-accepted", require_accepted, 0, 1)
    if threshold is not None and require_accepted is not None:
        raise ValueError(
            "--threshold checks a threshold that is known, --require-accepted finds one: pass one"
        )
    chosen: list[Any] = parse(metric) or ["anls"]
    named = [*model_confidence, *every_column(slicing.by, slicing.cluster), *score_columns_of(chosen)]
    with source.rows_of(file, named, chosen) as rows:
        frame = with_scores(rows, chosen)
        prediction, answers = text_columns(frame)
        result = af.selective(
            frame,
            prediction,
            answers,
            list(model_confidence),
            metrics=chosen,
            by=slicing.by,
            cluster=slicing.cluster,
            higher_is_more_confident=not lower_is_more_confident,
            confidence=confidence,
            **vars(scoring),
        )
        decision = None if threshold is None else result.holds(threshold, risk, confidence=confidence)
        # What all rows allow comes first, and does not depend on the slices.
        tables = [[], *(slicing.by or ())]
        thresholds = [result.thresholds_by(names, risk, confidence) for names in tables]
    bound = "at most" if lower_is_more_confident else "at least"
    said = []
    for table in thresholds:
        said += statements(table, risk, confidence, bound, are_partial=result.are_partial)
    if decision is not None:
        said = [decision.sentence]  # the account belongs to all figures
    if target.json or target.output is not None:
        target.put_document(with_thresholds(result.to_document(), tables, thresholds, said, risk))
    if not target.json:
        shown = [str(target.output)] if target.output is not None else [repr(result), ""]
        show(*shown, *said)
        if target.output is not None:
            print_account(result)
    if decision is not None:
        return gate_code(decision.answer)
    return 0 if require_accepted is None else _gate(thresholds[1:] or thresholds, require_accepted)


def _gate(thresholds: Sequence[pl.DataFrame], require_accepted: float) -> int:
    """Return the exit code of tables of thresholds that must accept a share of the answers."""
    answers = {"fine"}
    for table in thresholds:
        for status, accepted in table.select("status", "accepted").iter_rows():
            if status == "too_few_documents":
                answers.add("undecided")
            elif status != "certified" or accepted < require_accepted:
                answers.add("regressed")
    return gate_code(*answers)

"""`corrected`: a score corrected by people's verdicts, and how well a judge agrees with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anls_frame as af
from anls_frame.cli import options


@options.command(
    "anls-frame corrected judged.csv --score judge --truth human -c doc_id",
    "anls-frame corrected judged.csv --score judge --truth human -b doc_type -o judge.html",
)
def corrected(
    file: Path,
    *,
    score: str,
    truth: str,
    target: options.Target,
    showing: options.Showing,
    slicing: options.SlicingOptions,
    confidence: float = 0.95,
    source: options.SourceOptions,
) -> None:
    """
    Correct the score of all rows by people's verdicts on some.

    The score may be an LLM judge's. Where both are 0 or 1, the command also shows how well they agree. It
    uses the columns of an `audit` sample: the probabilities of drawn rows, their strata and documents.

    Parameters
    ----------
    score
        Column with the given score of each row, such as a judge's.
    truth
        Column with people's verdict, empty for rows that nobody judged: numbers, true and false, or yes
        and no.
    """
    from anls_frame.runs.score_columns import every_column

    named = [score, truth, *every_column(slicing.by, slicing.cluster)]
    with source.rows_of(file, named, [score]) as rows:
        result: Any = af.corrected(
            rows,
            score,
            truth,
            by=slicing.by,
            cluster=slicing.cluster,
            confidence=confidence,
        )
    target.put(result, showing.options)

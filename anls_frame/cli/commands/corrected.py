"""`corrected`: a score corrected by people's verdicts, and how well a judge agrees with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anls_frame as af
from anls_frame.cli import options
from anls_frame.cli.output import working
from anls_frame.files.file import File


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
    from anls_frame import export
    from anls_frame.runs.reading import load, reading
    from anls_frame.summary.keys import optional

    target.check(export.SUFFIXES)
    named = [score, truth, *options.every_column(slicing.by), *optional(slicing.cluster)]
    results, how = File(file), source.how([score], entries=named)
    with working("Correcting"), reading(results, how):
        result: Any = af.corrected(
            load(results, how),
            score,
            truth,
            by=options.tables(slicing.by),
            cluster=slicing.cluster,
            confidence=confidence,
        )
    target.put(result, showing.options)

"""`score`: the scores of each row, and their means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anls_frame as af
from anls_frame.cli import options
from anls_frame.cli.output import print_json, print_table, score_text, show, working
from anls_frame.export import Kind
from anls_frame.files.file import File
from anls_frame.frames import origins
from anls_frame.protocol import resolve_errors
from anls_frame.summary.notes import empty_reference_notes, text_notes

_SHOWN_ROWS = 10
_SHOWN = ("question_id", "prediction", "answers")
_COUNTS = ("n", "n_missing", "n_unanswerable", "n_empty_reference")


@options.command(
    "anls-frame score results.csv",
    "anls-frame score results.jsonl -p model -a answers --protocol rrc -o scored.parquet",
)
def score(
    file: Path,
    *,
    target: options.RowsTarget,
    scoring: options.Scoring,
    suffix: str = "",
    overwrite: bool = False,
    escape_formulas: bool = True,
    source: options.SourceOptions,
) -> None:
    """
    Score each row, print the means, and write the rows.

    Parameters
    ----------
    suffix
        Suffix for the names of new columns.
    overwrite
        Replace columns with the same names.
    """
    from anls_frame.export import row_files
    from anls_frame.runs.reading import are_pages, names_of_rows, reading, scan_counted

    results, how = File(file), source.how()
    have_pages = are_pages(how)
    with working(f"Reading {file}"):
        frame, rows = scan_counted(results, how)
    scored = af.add_scores(
        frame,
        *("prediction", "answers"),
        **vars(scoring),
        columns=["cer", "char_errors", "reference_length"] if have_pages else None,
        suffix=suffix,
        overwrite=overwrite,
    )
    if have_pages:
        # Prepared as the protocol prepares texts for errors.
        words = af.wer("prediction", "answers", protocol=resolve_errors(scoring.protocol).by("word"))
        scored = scored.with_columns(words.name.suffix(suffix))
    # The rows are read twice, because written rows are not kept in memory.
    with reading(results, how):
        metrics = ["cer_corpus", "wer_corpus", "cer_mean"] if have_pages else None
        with af.progress():
            report = af.report(frame, "prediction", "answers", metrics=metrics, **vars(scoring))
        report.account.check_scored(report.overall["n"])
        if target.output is not None:
            with working(f"Writing {target.output}"):
                row_files.write(scored, target.output, escape_formulas=escape_formulas)
    if target.json:
        keys = (*_COUNTS, *(metric.name for metric in report.measures))
        means = {key: report.overall[key] for key in keys}
        print_json({"rows": report.summary.rows, **means, "signature": report.signature})
        return
    if target.output is None:
        scores = [f"{name}{suffix}" for name in ("anls", "nls", "cer", "wer", "exact_match")]
        there = scored.collect_schema().names()
        # Pages are too long to be shown.
        texts = _SHOWN[:1] if have_pages else _SHOWN
        shown = scored.select(name for name in (*texts, *scores) if name in there).head(_SHOWN_ROWS)
        shape: dict[str, Any] = {"most": _SHOWN_ROWS, "height": rows}
        print_table(shown.collect(), **shape, names=names_of_rows(how), percent=have_pages)
    means = report.overall
    measures = [metric for metric in report.measures if metric.name != "zeros"]
    kind: Kind = "percent" if have_pages else "score"
    said = [", ".join(f"{metric.label} {score_text(means[metric.name], kind)}" for metric in measures)]
    noun = names_of_rows(how)["row"]
    said.append(report.account.sentence)
    if have_pages:
        said += empty_reference_notes(measures, means["n_empty_reference"], means["n"], noun)
    if means["n_missing"]:
        said.append("In the rows, the scores of missing predictions are null.")
    (predictions,) = report.summary.predictions.values()
    said += text_notes(predictions._asdict(), means["n"], report.summary.settings.protocol)
    said += origins.difference(origins.of(frame).protocol, scoring.protocol)
    show(*said, report.signature)

"""Commands over rows: `score`, `confusions`, `convert`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

import anls_frame as af
from anls_frame._text import numbered
from anls_frame.cli.output import check_target, counting, plain, print_json, print_table, working
from anls_frame.cli.source import load, reading, scan_counted
from anls_frame.export import rows as row_files
from anls_frame.frames import origins
from anls_frame.frames.progress import counted
from anls_frame.pairs.alignments import SPACE
from anls_frame.protocol import resolve_protocol
from anls_frame.readers._problems import reading_parquet
from anls_frame.summary.settings import MOST_ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from anls_frame.cli.source import Source
    from anls_frame.frames.progress import Advance

_SHOWN_ROWS = 10
_SHOWN = ("question_id", "prediction", "answers")
_ROWS = ("n", "n_missing", "n_unanswerable", "n_distant")
_LEFT_OUT = ("without a prediction", "without an answer", "below --min-nls")


def score(
    file: Path,
    source: Source,
    options: dict[str, Any],
    output: Path | None,
    *,
    force: bool,
    json: bool,
    escape_formulas: bool,
) -> None:
    """Add the scores to the rows of a file; print their means."""
    check_target(output, force, row_files.SUFFIXES)
    with working(f"Reading {file}"):
        frame, rows = scan_counted(file, source)
    with counting(f"Scoring {file}", rows * (1 if output is None else 2)) as advance:
        try:
            scored = af.add_scores(counted(frame, advance), "prediction", "answers", **options)
        except af.DuplicateColumnError as error:
            names = str(error).partition(";")[0].replace("the frame", str(file))
            raise ValueError(
                f"{names}; pass --suffix to name the new ones otherwise, or --overwrite"
            ) from None
        # The rows are read twice, because of those that are written none are kept.
        with reading_parquet(file):
            means = _means(frame, options, advance)
            if output is not None:
                row_files.write(scored, output, escape_formulas=escape_formulas)
    if json:
        print_json(means)
        return
    if output is None:
        scores = [f"{name}{options['suffix']}" for name in ("anls", "nls", "cer", "exact_match")]
        there = scored.collect_schema().names()
        shown = scored.select(name for name in (*_SHOWN, *scores) if name in there).head(_SHOWN_ROWS)
        print_table(shown.collect(), most=_SHOWN_ROWS, height=rows)
    print(
        f"ANLS {means['anls']:.4f}, NLS {means['nls']:.4f}, CER {means['cer_corpus']:.4f} (mean "
        f"{means['cer_mean']:.4f}), exact match {means['exact_match']:.4f}"
    )
    of_all = numbered(means["rows"], "row")
    print(f"{of_all}: {means['n']:,} scored, {means['n_unanswerable']:,} without an answer.")
    if means["n_missing"]:
        missing = f"Missing predictions: {means['n_missing']:,}"
        print(f"{missing}. They count as empty texts here, and are null in the rows.")
    if other := origins.difference(origins.protocol_of(frame), resolve_protocol(options["protocol"])):
        print(plain(other))
    print(plain(means["signature"]))


def confusions(
    file: Path,
    source: Source,
    options: dict[str, Any],
    output: Path | None,
    *,
    top: int,
    force: bool,
    json: bool,
    escape_formulas: bool,
) -> None:
    """Count confusions of characters; print the most frequent ones."""
    check_target(output, force, row_files.SUFFIXES)
    if not 0 <= top < MOST_ROWS:
        raise ValueError(f"--top must be a number of rows from 0 to {MOST_ROWS - 1:,}, got {top}")
    with working(f"Reading {file}"), reading(file, source):
        found: pl.DataFrame = af.confusions(load(file, source), "prediction", "answers", **options)
        if output is not None:
            row_files.write(found.lazy(), output, escape_formulas=escape_formulas)
    if json:
        print_json(found.to_dicts())
    elif output is None:
        _print_confusions(found, options["by"] or [], top)


def _print_confusions(found: pl.DataFrame, by: Sequence[str], top: int) -> None:
    """Print the edits, a space as ␣; the counts of rows beside them only where they differ by slice."""
    characters = pl.col("reference_char", "predicted_char").str.replace_all(" ", SPACE, literal=True)
    shown = found.with_columns(characters)
    if by:
        print_table(shown.group_by(by, maintain_order=True).head(top))
        return
    print_table(shown.drop(_ROWS), most=top)
    if found.height:
        n, *left_out = found.select(_ROWS).row(0)
        parts = [f"{count:,} {why}" for count, why in zip(left_out, _LEFT_OUT, strict=True) if count]
        print(", ".join([f"{numbered(n, 'row')} compared", *parts]) + ".")


def convert(
    file: Path, source: Source, output: Path, *, submission: bool, force: bool, escape_formulas: bool
) -> None:
    """Write a file's rows as the standard table, or as a submission."""
    check_target(output, force, (".json",) if submission else row_files.SUFFIXES)
    with working(f"Converting {file}"):
        frame, _ = scan_counted(file, source)
        if submission:
            af.write_submission(frame.collect(), output)
        else:
            with reading_parquet(file):
                row_files.write(frame, output, escape_formulas=escape_formulas)


def _means(frame: pl.LazyFrame, options: dict[str, Any], advance: Advance) -> dict[str, Any]:
    settings = {name: options[name] for name in ("protocol", "threshold", "cer_protocol")}
    report = af.report(frame, "prediction", "answers", progress=advance or False, **settings)
    names = (
        "n",
        "n_missing",
        "n_unanswerable",
        "anls",
        "nls",
        "exact_match",
        "zeros",
        "cer_mean",
        "cer_corpus",
    )
    means = {name: report.overall[name] for name in names}
    if means["n"] == 0:
        raise ValueError("no row has an answer to score against")
    return {"rows": report.summary.rows, **means, "signature": report.signature}

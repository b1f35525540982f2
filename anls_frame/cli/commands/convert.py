"""`convert`: results in another format."""

from __future__ import annotations

from pathlib import Path

import anls_frame as af
from anls_frame.cli import options
from anls_frame.cli.output import check_target, working
from anls_frame.files.file import File


@options.command(
    "anls-frame convert samples.jsonl table.parquet",
    "anls-frame convert results.csv answers.json --submission",
)
def convert(
    file: Path,
    output: Path,
    *,
    submission: bool = False,
    escape_formulas: bool = True,
    force: bool = False,
    source: options.SourceOptions,
) -> None:
    """
    Write results in another format, as the standard table.

    Parameters
    ----------
    submission
        Write a submission for the Robust Reading Competition.
    """
    from anls_frame.export import row_files
    from anls_frame.runs.reading import reading, scan_counted

    check_target(output, force, (".json",) if submission else row_files.SUFFIXES)
    results, how = File(file), source.how()
    with working(f"Converting {file}"):
        frame, rows = scan_counted(results, how)
        if not rows:
            how.check_chosen(frame.collect())
            raise ValueError(f"{file}: holds no rows")
        if submission:
            af.readers.write_submission(frame.collect(), output)
        else:
            with reading(results, how):
                row_files.write(frame, output, escape_formulas=escape_formulas)

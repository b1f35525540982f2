"""`browse`: scored rows as a page for sorting, filtering and reading."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anls_frame._text import numbered
from anls_frame.cli import options
from anls_frame.cli.output import check_target, print_account, show, working


@options.command(
    "anls-frame browse results.csv -b doc_type --keep doc_id -o rows.html",
    "anls-frame browse old.jsonl new.jsonl -b doc_type -o systems.html",
    "anls-frame browse ocr/ --gold truth/ -n 100 -o pages_rows.html",
)
def browse(
    files: list[Path],
    *,
    output: Path,
    by: options.By = None,
    keep: list[str] | None = None,
    image: str | None = None,
    n: int | None = None,
    metric: list[str] | None = None,
    scoring: options.Reporting,
    force: bool = False,
    runs: options.Runs = "error",
    source: options.SystemColumns,
) -> None:
    """
    Write a page for reading rows and their errors.

    On the page you sort, filter and search the rows. It is a single HTML file that needs no server. Files of
    several systems are paired by question id, as in `compare`; the page then also filters rows by which
    systems are right.

    Parameters
    ----------
    output
        File to write, ending in .html.
    image
        Column with the path or address of an image, or a template such as pages/{doc_id}.png; paths are
        relative to the folder of the page.
    n
        Only this many rows, the worst ones.
    metric
        Score, such as anls (`anls-frame names metrics` lists them), a column of scores, or your own function,
        as FILE.py:NAME; may be repeated. Rows are sorted by the first one.
    """
    from anls_frame.cli.metrics import parse
    from anls_frame.cli.row_pages import page, texts
    from anls_frame.frames.number_columns import with_numbers
    from anls_frame.runs.reading import reading, usual_metric
    from anls_frame.runs.score_columns import every_column, score_columns_of

    check_target(output, force, (".html", ".htm"))
    given = source.in_files(files, runs, least=1)
    columns = every_column(by)
    metrics: Any = parse(metric) or [usual_metric(given.how)]
    with working("Scoring"), reading(given.files[0], given.how):
        frame, systems = texts(given.naming(*columns, *(keep or ()), image, *score_columns_of(metrics)))
        made = page(
            with_numbers(frame, score_columns_of(metrics)),
            systems,
            metrics=metrics,
            by=columns,
            keep=keep or (),
            image=image,
            n=n,
            **vars(scoring),
        )
        made.account.check_scored(made.rows)
        made.write(output, title=next(iter(systems)) if len(systems) == 1 else None, source=files)
    show(f"{numbered(made.rows, made.noun)}: {output}")
    print_account(made)

"""`report`: the scores of all rows and by slice, computed as a whole or in parts."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import anls_frame as af
from anls_frame._text import numbered
from anls_frame.cli.options import (
    DataSet,
    Output,
    Reporting,
    Rows,
    Slicing,
    Source,
    Table,
    Target,
    command,
    tables,
)
from anls_frame.cli.written import WRITTEN, check_distinct
from anls_frame.summary.catalogue import NAMES

if TYPE_CHECKING:
    from anls_frame.cli.reporting import Delivery, Work


@command
def report(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="One file of results, several of the same kind, or a folder of these.", metavar="FILE..."
        ),
    ],
    *,
    output: Output = None,
    slicing: Slicing,
    scoring: Reporting,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help=f"Score to report: {', '.join(NAMES)}, qa (the default set), ocr (the default "
            "set of pages), a column of scores, or your own function as FILE.py:NAME; may be repeated.",
        ),
    ] = None,
    worst: Annotated[
        int, typer.Option(help="How many rows to show of those with the lowest score in the first metric.")
    ] = 0,
    keep: Annotated[
        list[str] | None, typer.Option(help="Column to show of these rows; may be repeated.")
    ] = None,
    rows: Rows = None,
    details: Annotated[
        bool, typer.Option("--details", help="Also count error types, character confusions and lengths.")
    ] = False,
    min_nls: Annotated[
        float | None,
        typer.Option(help="With --details, leave rows of a lower NLS out of confusions; by default 0.5."),
    ] = None,
    max_length: Annotated[
        int | None, typer.Option(help="With --details, the longest run that counts as one confusion.")
    ] = None,
    table: Table,
    summary: Annotated[
        Path | None, typer.Option(help="Save the summary, as Parquet, for `merge`."), WRITTEN
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            help="Part i of n, such as 1/4, of the files or of one file's rows. It is skipped if the file of "
            "--summary already exists and was made from the same input."
        ),
    ] = None,
    shards: Annotated[
        int | None, typer.Option(help="Work in this many parts; finished parts are not computed again.")
    ] = None,
    summaries: Annotated[
        Path | None, typer.Option(help="Folder for the summaries of these parts.", metavar="FOLDER")
    ] = None,
    fold_clusters: Annotated[
        bool,
        typer.Option("--fold-clusters", help="Keep parts small; only if no document spans two parts."),
    ] = False,
    allow_repeated_ids: Annotated[
        bool,
        typer.Option(
            "--allow-repeated-ids", help="Report files as one system even if they have ids in common."
        ),
    ] = False,
    repeats: Annotated[
        bool,
        typer.Option(
            "--repeats", help="Files that have questions in common answer them several times: average these."
        ),
    ] = False,
    target: Target,
    data_set: DataSet,
    source: Source,
) -> None:
    """
    Report the scores of all rows and by slice, with intervals.

    Of a log with several epochs, every question counts once, with the mean of its scores.
    """
    from anls_frame.cli import paths
    from anls_frame.cli.metrics import parse
    from anls_frame.cli.output import check_rows
    from anls_frame.cli.reporting import Delivery, Work
    from anls_frame.cli.source import are_pages, columns

    are_logs = False
    if not are_pages(files[0], source):
        without = [path for path in (source.gold, data_set.docs) if path is not None]
        runs = "all" if repeats else data_set.runs
        are_logs = any(map(paths.is_many, files)) or data_set.docs is not None or repeats
        files = [path for one in files for path in paths.files(one, without, runs)]
    metrics = parse(metric, lambda: columns(files[0], source))
    if are_pages(files[0], source):
        metrics = metrics or ["ocr"]
        keep = keep or ["question_id"]
    given = {
        name: value
        for name, value in {"min_nls": min_nls, "max_length": max_length}.items()
        if value is not None
    }
    if given and not details:
        raise ValueError(f"--{next(iter(given)).replace('_', '-')} needs --details")
    work = Work(
        files=files,
        source=source,
        settings={
            "by": tables(slicing.by),
            "cluster": slicing.cluster,
            **vars(scoring),
            "metrics": metrics,
            "worst": worst,
            "keep": keep or (),
            "details": details and (given or True),
        },
        fold_clusters=fold_clusters,
        allow_repeated_ids=allow_repeated_ids,
        repeats=repeats,
        are_logs=are_logs,
        data_set=data_set,
    )
    check_rows(rows, output)
    page = None if rows is None else functools.partial(work.page, rows)
    delivery = Delivery(output=output, summary=summary, table=table, target=target, page=page, source=files)
    if shard is not None:
        if summary is None:
            raise ValueError(
                "--shard computes a part of a report: save it with --summary and merge the parts"
            )
        if output is not None or shards is not None:
            raise ValueError(
                "--shard computes a part of a report: pass --output to `merge` instead, and not --shards"
            )
        _report_shard(work, shard, summary, target)
        return
    if (shards is None) != (summaries is None):
        raise ValueError("--shards and --summaries must be given together")
    delivery.check()
    if shards is not None and summaries is not None:
        _report_shards(work, delivery, shards, summaries)
        return
    if fold_clusters:
        raise ValueError("--fold-clusters needs --shard or --shards")
    delivery.put(work.summary())


def _report_shard(work: Work, name: str, path: Path, target: Target) -> None:
    from anls_frame.cli.output import check_target, plain, print_json
    from anls_frame.cli.shards import Shard

    shard = Shard.parse(name)
    check_target(path, True, (".parquet",))
    summary, skipped = work.part(shard, path, force=target.force)
    if target.json:
        facts = {"shard": shard.index, "shards": shard.count, "rows": summary.rows, "digest": summary.digest}
        print_json({**facts, "skipped": skipped})
    else:
        why = "; skipped, because it already exists" if skipped else ""
        print(plain(f"shard {shard}, {numbered(summary.rows, 'row')}: {path}{why}"))


def _report_shards(work: Work, delivery: Delivery, shards: int, folder: Path) -> None:
    from anls_frame.cli.output import say
    from anls_frame.cli.shards import Shard, check_inputs

    parts = [Shard.parse(f"{index + 1}/{shards}") for index in range(max(1, shards))]
    for part in parts:
        work.own_files(part)
    paths = [part.file(folder) for part in parts]
    check_distinct(
        {"--output": delivery.output, "--summary": delivery.summary}, {"a part of --summaries": paths}
    )
    folder.mkdir(exist_ok=True)
    force = delivery.target.force
    skipped = sum(work.part(part, path, force=force)[1] for part, path in zip(parts, paths, strict=True))
    if skipped:
        say(f"skipped {skipped} of {shards} shards, whose summaries are already in {folder}")
    check_inputs(paths)
    delivery.put(af.merge(af.Summary.load(path) for path in paths))

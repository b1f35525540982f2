"""The commands of `anls-frame` and their options; what they do stands in modules of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from anls_frame.cli.commands import gec
from anls_frame.cli.options import (
    By,
    CerProtocol,
    Cluster,
    Escape,
    File,
    Files,
    Force,
    Json,
    Missing,
    Output,
    Protocol,
    Threshold,
    command,
)

app = typer.Typer(
    name="anls-frame",
    help="Score predictions against accepted answers: NLS, ANLS and CER, by slice, with intervals.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Help without colours loads in half the time.
    rich_markup_mode=None,
)
app.add_typer(gec.app, name="gec")


def run() -> int:
    """Run the command of `sys.argv`; wrong usage ends the process with 2."""
    app(prog_name="anls-frame")
    return 0


def _version(value: bool) -> None:
    if value:
        from anls_frame import __version__

        typer.echo(f"anls-frame {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Score predictions against accepted answers: NLS, ANLS and CER, by slice, with intervals."""


@app.command()
@command
def score(
    file: File,
    *,
    source: Any,
    output: Output = None,
    protocol: Protocol = "anls",
    threshold: Threshold = None,
    cer_protocol: CerProtocol = "raw",
    suffix: Annotated[str, typer.Option(help="Put behind the new columns' names.")] = "",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace columns of the same names.")
    ] = False,
    escape_formulas: Escape = True,
    force: Force = False,
    json: Json = False,
) -> None:
    """Score each row: print the means, write the rows."""
    from anls_frame.cli.commands import score as commands_score

    options = {
        "protocol": protocol,
        "threshold": threshold,
        "cer_protocol": cer_protocol,
        "suffix": suffix,
        "overwrite": overwrite,
    }
    commands_score.score(
        file, source, options, output, force=force, json=json, escape_formulas=escape_formulas
    )


@app.command()
@command
def report(
    files: Files,
    *,
    source: Any,
    output: Output = None,
    by: By = None,
    cluster: Cluster = None,
    protocol: Protocol = "anls",
    threshold: Threshold = None,
    cer_protocol: CerProtocol = "raw",
    missing: Missing = "empty",
    worst: Annotated[int, typer.Option(help="How many of the rows with the lowest scores to list.")] = 0,
    sort: Annotated[str, typer.Option(help="Column by which slices are sorted.")] = "n",
    confidence: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    summary: Annotated[Path | None, typer.Option(help="Save the summary, as Parquet, for `merge`.")] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            help="Part i of n, as 1/4: of the files, or of one file's rows. It is skipped if --summary is "
            "there already and was made of the same."
        ),
    ] = None,
    shards: Annotated[
        int | None, typer.Option(help="Work in so many parts, which need not be done again.")
    ] = None,
    summaries: Annotated[
        Path | None, typer.Option(help="Folder for the summaries of these parts.", metavar="FOLDER")
    ] = None,
    fold_clusters: Annotated[
        bool,
        typer.Option("--fold-clusters", help="Keep parts small; right where no document lies in two parts."),
    ] = False,
    allow_repeated_ids: Annotated[
        bool,
        typer.Option(
            "--allow-repeated-ids", help="Report files as one system although they have ids in common."
        ),
    ] = False,
    escape_formulas: Escape = True,
    force: Force = False,
    json: Json = False,
) -> None:
    """Report the scores of all rows and by slice, with intervals."""
    from anls_frame.cli.commands import report as commands_report

    settings = {
        "by": by,
        "cluster": cluster,
        "protocol": protocol,
        "threshold": threshold,
        "cer_protocol": cer_protocol,
        "missing": missing,
        "worst": worst,
    }
    target = commands_report.Target(
        output=output,
        summary=summary,
        sort=sort,
        confidence=confidence,
        force=force,
        json=json,
        escape_formulas=escape_formulas,
    )
    work = commands_report.Work(
        files=files,
        source=source,
        settings=settings,
        fold_clusters=fold_clusters,
        allow_repeated_ids=allow_repeated_ids,
    )
    commands_report.report(work, target, shard=shard, shards=shards, summaries=summaries)


@app.command()
@command
def merge(
    files: Annotated[list[Path], typer.Argument(help="Summaries of parts.", metavar="SUMMARY...")],
    *,
    output: Output = None,
    sort: Annotated[str, typer.Option(help="Column by which slices are sorted.")] = "n",
    confidence: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    summary: Annotated[Path | None, typer.Option(help="Save the merged summary.")] = None,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Merge although shards are missing.")
    ] = False,
    escape_formulas: Escape = True,
    force: Force = False,
    json: Json = False,
) -> None:
    """Add up the summaries of parts and report the whole."""
    from anls_frame.cli.commands import report as commands_report

    target = commands_report.Target(
        output=output,
        summary=summary,
        sort=sort,
        confidence=confidence,
        force=force,
        json=json,
        escape_formulas=escape_formulas,
    )
    commands_report.merge(files, target, allow_missing=allow_missing)


@app.command()
@command
def compare(
    first: Annotated[
        Path, typer.Argument(help="Results to compare with, or a file with both systems.", metavar="FIRST")
    ],
    second: Annotated[
        Path | None, typer.Argument(help="Results of the second system.", metavar="[SECOND]")
    ] = None,
    *,
    source: Any,
    systems: Annotated[
        str | None, typer.Option(help="Two prediction columns of one file, as OLD,NEW.")
    ] = None,
    output: Output = None,
    by: By = None,
    cluster: Cluster = None,
    fail_if_drop: Annotated[
        float | None,
        typer.Option(
            help="Exit with 1 if the second is worse by at least so much as observed, of all rows or in a "
            "slice, and its p-value (adjusted, for slices) is at most --alpha. It does not show that the "
            "true loss is that large; nor does 0 show that there is none. Slices that are too small to be "
            "tested never count: a line says how many there are."
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Largest p-value that counts for --fail-if-drop.")] = 0.05,
    metric: Annotated[
        str | None,
        typer.Option(
            help="anls (the default), nls, exact_match, cer (mean of the rows) or cer_corpus; with --scores "
            "any name for them."
        ),
    ] = None,
    scores: Annotated[
        bool, typer.Option("--scores", help="The columns of --systems hold scores that exist already.")
    ] = False,
    lower_is_better: Annotated[
        bool,
        typer.Option("--lower-is-better", help="Of --scores the lower ones are better, as of error rates."),
    ] = False,
    allow_unmatched: Annotated[
        bool, typer.Option("--allow-unmatched", help="Leave out questions that only one file has.")
    ] = False,
    protocol: Protocol = "anls",
    threshold: Threshold = None,
    cer_protocol: CerProtocol = "raw",
    missing: Missing = "empty",
    confidence: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the sign-flip test.")] = 0,
    escape_formulas: Escape = True,
    force: Force = False,
    json: Json = False,
) -> None:
    """
    Compare two systems on the same questions.

    With --fail-if-drop it is a gate for scripts: it ends with 0, with 1 for a regression, or with 2 where the
    input cannot be used.
    """
    from anls_frame.cli.commands import compare as commands_compare

    options = {
        "by": by,
        "cluster": cluster,
        "metric": metric,
        "protocol": protocol,
        "threshold": threshold,
        "cer_protocol": cer_protocol,
        "missing": missing,
        "confidence": confidence,
        "seed": seed,
    }
    pair = commands_compare.Pair(
        first=first,
        second=second,
        systems=systems,
        allow_unmatched=allow_unmatched,
        scores=scores,
        lower_is_better=lower_is_better,
    )
    failed = commands_compare.compare(
        pair,
        source,
        options,
        commands_compare.Gate(drop=fail_if_drop, alpha=alpha),
        output,
        force=force,
        json=json,
        escape_formulas=escape_formulas,
    )
    if failed:
        raise typer.Exit(1)


@app.command()
@command
def confusions(
    file: File,
    *,
    source: Any,
    output: Output = None,
    by: By = None,
    protocol: Annotated[str, typer.Option(help="How texts are prepared.")] = "raw",
    max_length: Annotated[
        int, typer.Option(help="Longest run of characters that counts as one confusion.")
    ] = 1,
    min_nls: Annotated[
        float, typer.Option(help="Leave out rows whose NLS is lower: other answers, not misread ones.")
    ] = 0.0,
    top: Annotated[int, typer.Option(help="How many to print, of each slice.")] = 30,
    escape_formulas: Escape = True,
    force: Force = False,
    json: Json = False,
) -> None:
    """Count which characters are taken for which."""
    from anls_frame.cli.commands import score as commands_score

    options = {"by": by, "protocol": protocol, "max_length": max_length, "min_nls": min_nls}
    commands_score.confusions(
        file, source, options, output, top=top, force=force, json=json, escape_formulas=escape_formulas
    )


@app.command()
@command
def plot(
    kind: Annotated[
        str,
        typer.Argument(
            help="scores, groups, cer, ecdf, errors, length, confusions or threshold.", metavar="KIND"
        ),
    ],
    file: File,
    *,
    source: Any,
    output: Annotated[Path, typer.Option("--output", "-o", help="Picture to write: .svg, .png or .pdf.")],
    by: By = None,
    cluster: Cluster = None,
    protocol: Protocol = "anls",
    threshold: Threshold = None,
    force: Force = False,
) -> None:
    """
    Draw scores or errors.

    Missing predictions count as empty texts, but for errors, where they are a kind, and for confusions, which
    leave them out.
    """
    from anls_frame.cli.commands import plot as commands_plot

    commands_plot.plot(
        kind,
        file,
        source,
        output,
        by=by,
        cluster=cluster,
        protocol=protocol,
        threshold=threshold,
        force=force,
    )


@app.command()
@command
def convert(
    file: File,
    output: Annotated[
        Path, typer.Argument(help="File to write, in the format of its suffix.", metavar="OUTPUT")
    ],
    *,
    source: Any,
    submission: Annotated[
        bool, typer.Option("--submission", help="Write a submission for the Robust Reading Competition.")
    ] = False,
    escape_formulas: Escape = True,
    force: Force = False,
) -> None:
    """Write results in another format, as the standard table."""
    from anls_frame.cli.commands import score as commands_score

    commands_score.convert(
        file, source, output, submission=submission, force=force, escape_formulas=escape_formulas
    )


@app.command()
@command
def doctor(
    file: Annotated[
        Path | None, typer.Argument(help="Results with a harness' own scores.", metavar="[FILE]")
    ] = None,
    *,
    source: Any,
    against: Annotated[
        str | None,
        typer.Option(help="The harness' scores: a column of FILE, a file of its results, or a number."),
    ] = None,
    json: Json = False,
) -> None:
    """
    Check the installation, or the scores of a harness.

    With FILE and --against it finds out which protocol reproduces the scores that a harness gave.
    """
    from anls_frame.cli.commands import doctor as commands_doctor

    if (file is None) != (against is None):
        raise ValueError("FILE and --against belong together")
    if file is None or against is None:
        fine = commands_doctor.installation(json=json)
    else:
        fine = commands_doctor.against(file, source, against, json=json)
    if not fine:
        raise typer.Exit(1)

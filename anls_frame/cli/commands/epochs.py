"""`epochs`: the benefit of repeated answers: variance components, standard errors, pass@k."""

from __future__ import annotations

import math
import textwrap
from pathlib import Path

import anls_frame as af
from anls_frame._messages import Message
from anls_frame.cli import options
from anls_frame.cli.output import print_json, score_text, show, working
from anls_frame.export.columns import heading_of


@options.command(
    "anls-frame epochs logs/ --system-column model -c doc_id",
    "anls-frame epochs rounds.jsonl --pass-at 1,2",
)
def epochs(
    files: list[Path],
    *,
    repeats: bool = False,
    slicing: options.SlicingOptions,
    metric: str | None = None,
    pass_at: str | None = None,
    scoring: options.Reporting,
    json: bool = False,
    runs: options.Runs = "error",
    source: options.SystemNames,
) -> None:
    """
    Show the value of answering each question several times.

    For each system, print the shares of the variance between documents (--cluster), questions and epochs, and
    the standard error of the score with one epoch, the current number, and any number of epochs.

    Parameters
    ----------
    files
        Logs: a file or folder for each system, as for `compare`.
    repeats
        The files of a folder or pattern are repeats of one system.
    metric
        Score, such as anls (`anls-frame names metrics` lists them), a column of scores, or your own function,
        as FILE.py:NAME. [default: anls]
    pass_at
        Also estimate the probability that one of k answers is right, for k such as 1,4. --metric is 1 for
        right answers and 0 for others; by default exact_match.
    """
    import polars as pl

    from anls_frame.cli.metrics import metric_named
    from anls_frame.runs.scored_files import (
        check_repeated,
        components_of_systems,
        pass_at_k_of_systems,
    )
    from anls_frame.runs.system_files import logged

    parts = [] if pass_at is None else pass_at.split(",")
    if not all(part.strip().isdecimal() and int(part) for part in parts):
        raise ValueError(f"--pass-at must be whole numbers of at least 1, such as 1,4, got {pass_at!r}")
    sizes = [int(part) for part in parts]
    by = options.one_table(slicing.by)
    given = source.in_files(files, runs, repeats=repeats)
    given = given.naming(*(by or ()), slicing.cluster, *(metric or "").split(":"))
    with working("Reading"):
        rows = logged(given, together=False)
        check_repeated(rows)
        chosen = None if metric is None else metric_named(metric, lambda: rows.columns)
        by_system = components_of_systems(
            rows, chosen or "anls", by=by, cluster=slicing.cluster, **vars(scoring)
        )
        passed = (
            pass_at_k_of_systems(rows, sizes, chosen or "exact_match", **vars(scoring)) if sizes else None
        )
    if json:
        tables = {
            name: pl.concat(
                (
                    getattr(components, name).select(pl.lit(system).alias("system"), pl.all())
                    for system, components in by_system.items()
                ),
                how="vertical_relaxed",
            )
            for name in ("components", "standard_errors")
        }
        # JSON has no infinity, which means any number of epochs.
        errors = tables["standard_errors"]
        tables["standard_errors"] = errors.with_columns(errors["epochs"].replace(math.inf, None))
        tables |= {} if passed is None else {"pass_at_k": passed}
        tables["account"] = pl.concat(
            components.account.frame.with_columns(system=pl.lit(system))
            for system, components in by_system.items()
        )
        print_json({name: table.to_dicts() for name, table in tables.items()})
        return
    for system, components in by_system.items():
        notes = (Message("  ", note) for note in components.account.notes)
        show(f"{system}\n{textwrap.indent(components.text, '  ')}", *notes)
        if passed is not None:
            estimates = passed.filter(system=system).row(0, named=True)
            figures = ", ".join(f"pass@{k} {score_text(estimates[f'pass_at_{k}'])}" for k in sizes)
            label = chosen.label if isinstance(chosen, af.Metric) else heading_of(chosen or "exact_match")
            show(f"  {label}: {figures}")

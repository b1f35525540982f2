"""`epochs`: what repeated answers are worth: components of the variance, standard errors, pass@k."""

from __future__ import annotations

import math
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anls_frame._text import numbered
from anls_frame.cli.options import (
    DataSet,
    Json,
    Reporting,
    Slicing,
    Source,
    command,
    one_table,
)
from anls_frame.summary.catalogue import NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    import anls_frame as af


@command
def epochs(
    files: Annotated[
        list[Path], typer.Argument(help="Logs of a system each, as for `compare`.", metavar="FILE...")
    ],
    *,
    system_column: Annotated[
        str | None, typer.Option(help="Column with the system of each row, such as model.")
    ] = None,
    name: Annotated[list[str] | None, typer.Option(help="Name of a system; given for each of them.")] = None,
    repeats: Annotated[
        bool, typer.Option("--repeats", help="The files of a folder or pattern are repeats of one system.")
    ] = False,
    slicing: Slicing,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            "-m",
            help=f"{', '.join(NAMES)}, a column of scores or a function of your own as FILE.py:NAME; by "
            "default anls.",
        ),
    ] = None,
    pass_at: Annotated[
        str | None,
        typer.Option(
            help="Also estimate the probability that one of k answers is right, for k as in 1,4. --metric is "
            "1 for right answers and 0 for others; by default exact_match."
        ),
    ] = None,
    scoring: Reporting,
    json: Json = False,
    data_set: DataSet,
    source: Source,
) -> None:
    """
    Show what answering each question several times is worth.

    For each system: the shares of the variance between documents (--cluster), questions and epochs, and the
    standard error of the score with one epoch, now, and with any number of them.
    """
    import polars as pl

    from anls_frame.cli.output import plain, print_json, working
    from anls_frame.readers.system_files import logged

    sizes = _sizes(pass_at)
    given = data_set.systems(files, source, column_of_names=system_column, names=name, repeats=repeats)
    with working("Reading"):
        rows, labels = logged(given, together=False)
        _check_repeated(rows, labels)
        of_systems = _components(rows, metric, one_table(slicing.by), slicing.cluster, scoring)
        passed = _pass_at_k(rows, sizes, metric, scoring) if sizes else None
    if json:
        tables = {
            name: pl.concat(
                (
                    getattr(one, name).select(pl.lit(system).alias("system"), pl.all())
                    for system, one in of_systems.items()
                ),
                how="vertical_relaxed",
            )
            for name in ("components", "standard_errors")
        }
        # JSON has no infinity, which stands for any number of epochs.
        errors = tables["standard_errors"]
        tables["standard_errors"] = errors.with_columns(errors["epochs"].replace(math.inf, None))
        tables |= {} if passed is None else {"pass_at_k": passed}
        print_json({name: table.to_dicts() for name, table in tables.items()})
        return
    for system, one in of_systems.items():
        print(plain(f"{system}\n{textwrap.indent(str(one), '  ')}"))
        if passed is not None:
            of_system = passed.filter(system=system).row(0, named=True)
            found = ", ".join(f"{name} {of_system[name]:.4f}" for name in passed.columns[2:])
            print(plain(f"  {metric or 'exact_match'}: {found}"))


def _sizes(pass_at: str | None) -> list[int]:
    """Return the numbers of answers in a list such as 1,4."""
    parts = [] if pass_at is None else pass_at.split(",")
    if not all(part.strip().isdecimal() and int(part) for part in parts):
        raise ValueError(f"--pass-at must be whole numbers of at least 1, as 1,4, got {pass_at!r}")
    return [int(part) for part in parts]


def _check_repeated(rows: pl.DataFrame, labels: Mapping[str, str]) -> None:
    """Raise an error if a system answered every question once."""
    from anls_frame.exceptions import InputError, Problem
    from anls_frame.readers.system_files import are_repeated

    once = [label for name, label in labels.items() if not are_repeated(rows.filter(system=name))]
    if once:
        message = (
            "has one answer to each question, so nothing is known about epochs; for several runs of a "
            "system, each in a file, name their folder and pass --repeats"
        )
        raise InputError([Problem(label, "", message) for label in once], total=len(once))


def _components(
    rows: pl.DataFrame, metric: str | None, by: list[str] | None, cluster: str | None, scoring: Reporting
) -> dict[str, af.VarianceComponents[pl.DataFrame]]:
    """Return the components of each system."""
    import anls_frame as af

    table, chosen = _with_metric(rows, metric or "anls", scoring)
    options: dict[str, Any] = {"by": by, "cluster": cluster, "metrics": chosen, **vars(scoring)}
    return {
        str(system): af.variance_components(own, "prediction", "answers", id="question_id", **options)
        for (system,), own in table.group_by("system", maintain_order=True)
    }


def _pass_at_k(
    rows: pl.DataFrame, sizes: Sequence[int], metric: str | None, scoring: Reporting
) -> pl.DataFrame:
    """Return the mean over the questions of each system."""
    import polars as pl

    import anls_frame as af

    least = rows.group_by("system", "question_id").len()["len"].min()
    if max(sizes) > least:  # type: ignore[operator] # there are rows
        raise ValueError(f"--pass-at {max(sizes)}: there are questions with {numbered(least, 'epoch')}")  # type: ignore[arg-type]
    table, chosen = _with_metric(rows, metric or "exact_match", scoring)
    questions: Any = af.pass_at_k(
        table, sizes, "prediction", "answers", id=["system", "question_id"], metrics=chosen, **vars(scoring)
    )
    names = [f"pass_at_{size}" for size in sizes]
    counted = pl.col("n_epochs").filter(pl.col("n_epochs") > 0).len().alias("questions")
    means: pl.DataFrame = questions.group_by("system", maintain_order=True).agg(counted, pl.col(names).mean())
    return means


def _with_metric(rows: pl.DataFrame, metric: str, scoring: Reporting) -> tuple[pl.DataFrame, af.Metric]:
    """Return the rows, with numbers in the column that the metric reads, and the metric."""
    from anls_frame.cli import metrics
    from anls_frame.readers.repeated_answers import resolved
    from anls_frame.readers.score_columns import columns_of, with_numbers

    parsed = metrics.one(metric, lambda: rows.columns)
    chosen = resolved([parsed], rows, scoring.protocol)
    if len(chosen) != 1:
        raise ValueError(f"--metric {metric}: must be one score")
    own = [one for one in chosen if not one.is_built_in]
    return with_numbers(rows.lazy(), columns_of(own)).collect(), chosen[0]

"""Pages of rows: of the files of systems, and of the rows behind the figures of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

import anls_frame as af
from anls_frame.cli import metrics as named_metrics
from anls_frame.cli.options import tables
from anls_frame.cli.paths import name_of
from anls_frame.cli.source import reading, scan
from anls_frame.cli.systems import metrics_of, texts_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anls_frame.cli.options import Reporting
    from anls_frame.cli.systems import Systems


def of_files(
    given: Systems, metrics: Sequence[str] | None, scoring: Reporting, **options: Any
) -> tuple[af.RowsPage, str | None]:
    """Return the page of the rows of one system or of several, and its title if it has one system."""
    path = given.files[0]
    chosen = metrics_of(given, metrics)
    frame, systems = texts(given)
    prediction: str | Mapping[str, str] = systems
    name = None
    if len(systems) == 1:
        ((name, prediction),) = systems.items()
    if isinstance(frame, pl.LazyFrame):
        frame = named_metrics.with_numbers(frame, named_metrics.columns(chosen))
    with reading(path, given.source):
        made = page(frame, prediction, metrics=chosen, option="--top", **options, **vars(scoring))
    return made, name


def texts(given: Systems) -> tuple[pl.LazyFrame | pl.DataFrame, dict[str, str]]:
    """Return the rows of one system, not read yet, or of several side by side, and their columns by name."""
    path = given.files[0]
    if given.columns is None and not given.are_logged:
        names = [*(given.names or [name_of(path)])]
        if len(names) > 1:
            raise ValueError(f"--name must be given once for one system, got {len(names)}")
        return scan(path, given.source), {names[0]: "prediction"}
    frame, systems = texts_of(given, lower_is_better=False)
    if len(systems) > 1:
        return frame, systems
    ((name, column),) = systems.items()
    return frame.rename({column: "prediction"}), {name: "prediction"}


def page(
    frame: Any,
    prediction: str | Mapping[str, str],
    *,
    option: str,
    metrics: Sequence[str | af.Metric],
    id: str | None = None,  # noqa: A002 - as in `anls_frame.browse`
    **options: Any,
) -> af.RowsPage:
    """Return a page of rows, known by their ids if they have any; messages name the option for fewer rows."""
    has_ids = "question_id" in frame.collect_schema().names()
    options["id"] = id or ("question_id" if has_ids else None)
    try:
        return af.browse(frame, prediction, "answers", metrics=metrics, **options)
    except ValueError as error:
        raise ValueError(
            str(error).replace("pass n=", f"pass {option} ").replace(" keep=", " --keep")
        ) from None


def columns(by: list[str] | None) -> list[str]:
    """Return the columns of all tables, each once."""
    return list(dict.fromkeys(name for names in tables(by) or () for name in names))

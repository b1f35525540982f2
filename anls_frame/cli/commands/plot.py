"""`plot`: plots of scores and errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

import anls_frame as af
from anls_frame._arguments import choice
from anls_frame.cli.options import Anls, File, Force, Slicing, Source, command

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from anls_frame._typing import ScoreColumn

_SUFFIXES = (".svg", ".png", ".pdf")
_TEXTS = ("prediction", "answers")


def _scores(frame: pl.DataFrame, _: Slicing, scoring: dict[str, Any]) -> Any:
    return af.plot.score_distribution(af.summarize(frame, *_TEXTS, **scoring))


def _groups(frame: pl.DataFrame, slicing: Slicing, scoring: dict[str, Any]) -> Any:
    return af.plot.group_scores(af.report(frame, *_TEXTS, **{**vars(slicing), **scoring}))


def _cer(frame: pl.DataFrame, _: Slicing, scoring: dict[str, Any]) -> Any:
    return af.plot.cer_distribution(_scored(frame, ["cer"], scoring))


def _ecdf(frame: pl.DataFrame, _: Slicing, scoring: dict[str, Any]) -> Any:
    return af.plot.ecdf(_scored(frame, ["anls"], scoring), "anls")


def _errors(frame: pl.DataFrame, slicing: Slicing, scoring: dict[str, Any]) -> Any:
    kinds = frame.with_columns(af.error_type(*_TEXTS, **scoring).alias("error_type"))
    return af.plot.error_types(kinds, *slicing.by or ())


def _length(frame: pl.DataFrame, slicing: Slicing, scoring: dict[str, Any]) -> Any:
    columns: list[ScoreColumn] = ["anls", "reference_length"]
    by = slicing.by[0] if slicing.by else None
    return af.plot.length_effect(_scored(frame, columns, scoring), *columns, by=by)


def _confusions(frame: pl.DataFrame, _: Slicing, _scoring: dict[str, Any]) -> Any:
    return af.plot.confusion_matrix(af.confusions(frame, *_TEXTS))


def _threshold(frame: pl.DataFrame, _: Slicing, scoring: dict[str, Any]) -> Any:
    return af.plot.threshold_curve(af.summarize(frame, *_TEXTS, **scoring))


def _scored(frame: pl.DataFrame, columns: list[ScoreColumn], scoring: dict[str, Any]) -> pl.DataFrame:
    """Add scores; as in reports, a missing prediction counts as an empty string."""
    import polars as pl

    frame = frame.with_columns(pl.col("prediction").fill_null(""))
    return af.add_scores(frame, *_TEXTS, columns=columns, overwrite=True, **scoring)


class Kind(NamedTuple):
    """How a kind of plot is drawn, and which of the optional options apply to it."""

    draw: Callable[[pl.DataFrame, Slicing, dict[str, Any]], Any]
    options: tuple[str, ...] = ("threshold",)


KINDS = {
    "scores": Kind(_scores),
    "groups": Kind(_groups, ("by", "cluster", "threshold")),
    "cer": Kind(_cer, ()),
    "ecdf": Kind(_ecdf),
    "errors": Kind(_errors, ("by", "threshold")),
    "length": Kind(_length, ("by", "threshold")),
    "confusions": Kind(_confusions, ()),
    "threshold": Kind(_threshold),
}


@command
def plot(
    kind: Annotated[
        str,
        typer.Argument(help=f"One of {', '.join(KINDS)}.", metavar="KIND"),
    ],
    file: File,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .svg, .png or .pdf.")],
    slicing: Slicing,
    scoring: Anls,
    force: Force = False,
    source: Source,
) -> None:
    """
    Plot scores or errors.

    Missing predictions count as empty strings, except in errors, where they are an error type, and in
    confusions, which leave them out.
    """
    import io

    from anls_frame._atomic import replacing
    from anls_frame.cli.output import check_target, working
    from anls_frame.cli.source import load

    choice("KIND", kind, KINDS)
    check_target(output, force, _SUFFIXES)
    given = {**vars(slicing), "threshold": scoring.threshold}
    useless = [name for name in given if given[name] is not None and name not in KINDS[kind].options]
    if useless:
        does = "does" if len(useless) == 1 else "do"
        options = " and ".join(f"--{name}" for name in useless)
        raise ValueError(f"{options} {does} not apply to {kind!r} plots")
    if len(slicing.by or ()) > 1 and kind != "groups":
        raise ValueError(f"--by must name one column for {kind!r} plots")
    with working(f"Drawing {file}"):
        axes = KINDS[kind].draw(load(file, source), slicing, vars(scoring))
        content = io.BytesIO()
        axes.figure.savefig(content, format=output.suffix[1:].lower(), bbox_inches="tight", dpi=150)
        with replacing(output) as target:
            target.write(content.getbuffer())

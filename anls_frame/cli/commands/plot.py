"""`plot`: plots of scores and errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast

import typer

import anls_frame as af
from anls_frame._arguments import choice
from anls_frame.cli.options import Scoring, SlicingOptions, SourceOptions, command, one_table
from anls_frame.cli.output import check_target, working

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from anls_frame._typing import ScoreColumn
    from anls_frame.protocol import ScoreProtocol

_SUFFIXES = (".svg", ".png", ".pdf")
_TEXTS = ("prediction", "answers")


def _scores(frame: pl.DataFrame, _: SlicingOptions, protocol: ScoreProtocol, _metric: str | None) -> Any:
    return af.plot.score_distribution(af.summarize(frame, *_TEXTS, protocol=protocol))


def _groups(frame: pl.DataFrame, slicing: SlicingOptions, protocol: ScoreProtocol, metric: str | None) -> Any:
    from anls_frame.cli.metrics import metric_named
    from anls_frame.readers.score_columns import columns_of, with_numbers

    metrics = None if metric is None else [metric_named(metric, lambda: frame.columns)]
    rows = with_numbers(frame.lazy(), columns_of(metrics))
    by = one_table(slicing.by)
    report = af.report(rows, *_TEXTS, by=by, cluster=slicing.cluster, metrics=metrics, protocol=protocol)
    return af.plot.group_scores(report)


def _cer(frame: pl.DataFrame, _: SlicingOptions, protocol: ScoreProtocol, _metric: str | None) -> Any:
    return af.plot.cer_distribution(_scored(frame, ["cer"], protocol))


def _ecdf(frame: pl.DataFrame, _: SlicingOptions, protocol: ScoreProtocol, metric: str | None) -> Any:
    score = _row_metric(metric)
    return af.plot.ecdf(_scored(frame, [score], protocol), score)


def _errors(
    frame: pl.DataFrame, slicing: SlicingOptions, protocol: ScoreProtocol, _metric: str | None
) -> Any:
    kinds = frame.with_columns(af.error_type(*_TEXTS, protocol=protocol).alias("error_type"))
    return af.plot.error_types(kinds, *one_table(slicing.by) or ())


def _length(frame: pl.DataFrame, slicing: SlicingOptions, protocol: ScoreProtocol, metric: str | None) -> Any:
    columns: list[ScoreColumn] = [_row_metric(metric), "reference_length"]
    by = one_table(slicing.by)
    return af.plot.length_effect(_scored(frame, columns, protocol), *columns, by=by[0] if by else None)


def _confusions(frame: pl.DataFrame, _: SlicingOptions, protocol: ScoreProtocol, _metric: str | None) -> Any:
    return af.plot.confusion_matrix(af.confusions(frame, *_TEXTS, protocol=protocol.errors))


def _threshold(frame: pl.DataFrame, _: SlicingOptions, protocol: ScoreProtocol, _metric: str | None) -> Any:
    return af.plot.threshold_curve(af.summarize(frame, *_TEXTS, protocol=protocol))


KINDS_OF_ANSWERS = ("scores", "errors", "threshold")
"""What says nothing of pages, which have neither answers nor a cut."""


def _row_metric(metric: str | None) -> ScoreColumn:
    """Return the score of rows that is drawn, ANLS by default."""
    from anls_frame.summary.catalogue import TEXT_METRICS

    choices = dict.fromkeys(metric.row for metric in TEXT_METRICS if metric.row is not None)
    return cast("ScoreColumn", choice("metric", metric or "anls", choices))


def _scored(frame: pl.DataFrame, columns: list[ScoreColumn], protocol: ScoreProtocol) -> pl.DataFrame:
    """Add scores; as in reports, a missing prediction counts as an empty string."""
    import polars as pl

    frame = frame.with_columns(pl.col("prediction").fill_null(""))
    return af.add_scores(frame, *_TEXTS, columns=columns, overwrite=True, protocol=protocol)


class Kind(NamedTuple):
    """A kind of plot: its function, and the optional options that apply to it."""

    draw: Callable[[pl.DataFrame, SlicingOptions, ScoreProtocol, str | None], Any]
    options: tuple[str, ...] = ()


KINDS = {
    "scores": Kind(_scores),
    "groups": Kind(_groups, ("by", "cluster", "metric")),
    "cer": Kind(_cer),
    "ecdf": Kind(_ecdf, ("metric",)),
    "errors": Kind(_errors, ("by",)),
    "length": Kind(_length, ("by", "metric")),
    "confusions": Kind(_confusions),
    "threshold": Kind(_threshold),
}


@command(
    "anls-frame plot groups results.csv -b doc_type -o groups.png",
    "anls-frame plot errors results.csv -o errors.svg",
)
def plot(
    kind: Annotated[str, typer.Argument(help=f"One of {', '.join(KINDS)}.")],
    file: Path,
    *,
    output: Path,
    metric: str | None = None,
    slicing: SlicingOptions,
    scoring: Scoring,
    force: bool = False,
    source: SourceOptions,
) -> None:
    """
    Plot scores or errors.

    Missing predictions count as empty strings, except in errors, where they are an error type, and in
    confusions, which leave them out.

    Parameters
    ----------
    output
        File to write: .svg, .png or .pdf.
    metric
        Score of groups (such as cer_corpus), ecdf or length (such as cer).
    """
    import io

    from anls_frame._atomic import replacing
    from anls_frame.readers.any_file import are_pages, load

    choice("KIND", kind, KINDS)
    check_target(output, force, _SUFFIXES)
    given = {**vars(slicing), "metric": metric}
    useless = [name for name in given if given[name] is not None and name not in KINDS[kind].options]
    if useless:
        does = "does" if len(useless) == 1 else "do"
        options = " and ".join(f"--{name}" for name in useless)
        raise ValueError(f"{options} {does} not apply to {kind!r} plots")
    if len(one_table(slicing.by) or ()) > 1 and kind != "groups":
        raise ValueError(f"--by must name one column for {kind!r} plots")
    if are_pages(source.how):
        if kind in KINDS_OF_ANSWERS:
            others = ", ".join(name for name in KINDS if name not in KINDS_OF_ANSWERS)
            raise ValueError(f"{kind!r} is drawn of answers to questions; of pages, draw {others}")
        if metric is None and "metric" in KINDS[kind].options:
            metric = "cer_corpus" if kind == "groups" else "cer"
    with working(f"Drawing {file}"):
        axes = KINDS[kind].draw(load(file, source.how), slicing, scoring.protocol, metric)
        content = io.BytesIO()
        axes.figure.savefig(content, format=output.suffix[1:].lower(), bbox_inches="tight", dpi=150)
        with replacing(output) as target:
            target.write(content.getbuffer())

"""`plot`: plots of scores and errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import polars as pl

import anls_frame as af
from anls_frame._arguments import choice
from anls_frame.cli import options
from anls_frame.cli.output import check_target, working
from anls_frame.files.file import File

_SUFFIXES = (".svg", ".png", ".pdf")
_TEXTS = ("prediction", "answers")

KINDS: dict[str, tuple[str, ...]] = {
    "scores": (),
    "groups": ("by", "cluster", "metric"),
    "cer": (),
    "ecdf": ("metric",),
    "errors": ("by",),
    "length": ("by", "metric"),
    "confusions": (),
    "threshold": (),
}
"""The kinds of plots, and the optional options that apply to each."""
KINDS_OF_ANSWERS = ("scores", "errors", "threshold")
"""What says nothing of pages, which have neither answers nor a cut."""


@options.command(
    "anls-frame plot groups results.csv -b doc_type -o groups.png",
    "anls-frame plot errors results.csv -o errors.svg",
)
def plot(
    kind: Annotated[str, {"help": f"One of {', '.join(KINDS)}."}],
    file: Path,
    *,
    output: Path,
    metric: str | None = None,
    slicing: options.SlicingOptions,
    scoring: options.Scoring,
    force: bool = False,
    source: options.SourceOptions,
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
        Score of groups (such as cer_corpus), ecdf or length (such as cer or wer).
    """
    import io

    from anls_frame._atomic import replacing
    from anls_frame.cli.metrics import parse
    from anls_frame.protocol import resolve_errors
    from anls_frame.runs.reading import are_pages, columns, load
    from anls_frame.runs.reported_files import report_files
    from anls_frame.summary.catalogue import ROW_SCORES

    choice("kind", kind, KINDS)
    check_target(output, force, _SUFFIXES)
    given = {**vars(slicing), "metric": metric}
    useless = [name for name in given if given[name] is not None and name not in KINDS[kind]]
    if useless:
        raise ValueError(f"{kind!r} plots do not take {' and '.join(f'--{name}' for name in useless)}")
    by = options.one_table(slicing.by)
    if len(by or ()) > 1 and kind != "groups":
        raise ValueError(f"--by must name one column for {kind!r} plots")
    if are_pages(source.how()):
        if kind in KINDS_OF_ANSWERS:
            others = ", ".join(name for name in KINDS if name not in KINDS_OF_ANSWERS)
            raise ValueError(f"{kind!r} needs answers to questions; for pages, draw {others}")
        if metric is None and "metric" in KINDS[kind]:
            metric = "cer_corpus" if kind == "groups" else "cer"
    how: Any = {"protocol": scoring.protocol}

    def report() -> Any:
        no_texts = replace(source.how(), needs_texts=False)
        metrics = parse([metric], lambda: columns(results, no_texts)) if metric else None
        return report_files(results, source.how(), metrics=metrics, by=by, cluster=slicing.cluster, **how)

    def scored(name: str) -> Any:
        function: Any = ROW_SCORES[name].numerator
        texts = pl.col("prediction").fill_null(""), pl.col("answers")
        return frame.with_columns(function(*texts, **how).alias(name))

    score: Any = metric or "anls"
    length: Any = "reference_length"
    if kind in {"ecdf", "length"}:
        choice("metric", score, ROW_SCORES)
    draw: dict[str, Callable[[], Any]] = {
        "scores": lambda: af.plot.score_distribution(af.summarize(frame, *_TEXTS, **how)),
        "groups": lambda: af.plot.group_scores(report()),
        "cer": lambda: af.plot.cer_distribution(scored("cer")),
        "ecdf": lambda: af.plot.ecdf(scored(score), score),
        "errors": lambda: af.plot.error_types(
            frame.with_columns(af.error_type(*_TEXTS, **how).alias("error_type")), *by or ()
        ),
        "length": lambda: af.plot.curve(
            af.add_scores(scored(score), *_TEXTS, columns=[length], overwrite=True, missing="empty", **how),
            length,
            score,
            by=by[0] if by else None,
        ),
        "confusions": lambda: af.plot.confusion_matrix(
            af.confusions(frame, *_TEXTS, protocol=resolve_errors(scoring.protocol))
        ),
        "threshold": lambda: af.plot.threshold_curve(af.summarize(frame, *_TEXTS, **how)),
    }
    results = File(file)
    with working(f"Drawing {file}"):
        frame: Any = None if kind == "groups" else load(results, source.how(entries=by or ()))
        axes = draw[kind]()
        content = io.BytesIO()
        axes.figure.savefig(content, format=output.suffix[1:].lower(), bbox_inches="tight", dpi=150)
        with replacing(output) as target:
            target.write(content.getbuffer())

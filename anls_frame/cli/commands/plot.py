"""`plot`: pictures of scores and errors."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import polars as pl

import anls_frame as af
from anls_frame._atomic import replacing
from anls_frame.cli.output import check_target, working
from anls_frame.cli.source import load

if TYPE_CHECKING:
    from pathlib import Path

    from anls_frame._typing import ScoreColumn
    from anls_frame.cli.source import Source

SUFFIXES = (".svg", ".png", ".pdf")
KINDS = ("scores", "groups", "cer", "ecdf", "errors", "length", "confusions", "threshold")

# Options that not every picture has a use for, with those that have.
_USED_BY = {
    "by": {"groups", "errors", "length"},
    "cluster": {"groups"},
    "threshold": set(KINDS) - {"cer", "confusions"},
}


def plot(
    kind: str,
    file: Path,
    source: Source,
    output: Path,
    *,
    by: list[str] | None,
    cluster: str | None,
    protocol: str,
    threshold: float | None,
    force: bool,
) -> None:
    """Draw a picture of a file's scores."""
    if kind not in KINDS:
        raise ValueError(f"KIND is one of {', '.join(KINDS)}, got {kind!r}")
    check_target(output, force, SUFFIXES)
    given = {"by": by, "cluster": cluster, "threshold": threshold}
    useless = [name for name, kinds in _USED_BY.items() if given[name] is not None and kind not in kinds]
    if useless:
        raise ValueError(f"{kind} is drawn without {', '.join(f'--{name}' for name in useless)}")
    if by and len(by) > 1 and kind != "groups":
        raise ValueError(f"--by takes one column for {kind!r}")
    with working(f"Drawing {file}"):
        axes = _axes(
            kind,
            load(file, source),
            by=by[0] if by else None,
            slices=by,
            cluster=cluster,
            options={"protocol": protocol, "threshold": threshold},
        )
        content = io.BytesIO()
        figure = axes.figure
        figure.savefig(content, format=output.suffix[1:].lower(), bbox_inches="tight", dpi=150)
        with replacing(output) as target:
            target.write(content.getbuffer())


def _axes(  # noqa: PLR0911 - a kind a line
    kind: str,
    frame: pl.DataFrame,
    *,
    by: str | None,
    slices: list[str] | None,
    cluster: str | None,
    options: dict[str, Any],
) -> Any:
    texts = ("prediction", "answers")
    if kind == "scores":
        return af.plot.score_distribution(af.summarize(frame, *texts, **options))
    if kind == "groups":
        return af.plot.group_scores(af.report(frame, *texts, by=slices, cluster=cluster, **options))
    if kind == "confusions":
        return af.plot.confusion_matrix(af.confusions(frame, *texts))
    if kind == "errors":
        kinds = frame.with_columns(af.error_type(*texts, **options).alias("error_type"))
        return af.plot.error_types(kinds, by)
    if kind == "threshold":
        return af.plot.threshold_curve(af.summarize(frame, *texts, **options))
    # As in reports, a missing prediction counts as the empty text.
    frame = frame.with_columns(pl.col("prediction").fill_null(""))
    if kind == "length":
        columns: tuple[ScoreColumn, ...] = ("anls", "reference_length")
        scored = af.add_scores(frame, *texts, columns=columns, overwrite=True, **options)
        return af.plot.length_effect(scored, *columns, by=by)
    name: ScoreColumn = "cer" if kind == "cer" else "anls"
    scored = af.add_scores(frame, *texts, columns=[name], overwrite=True, **options)
    return af.plot.cer_distribution(scored) if kind == "cer" else af.plot.ecdf(scored, name)

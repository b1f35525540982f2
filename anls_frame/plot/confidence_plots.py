"""Plots of confidences: risk-coverage curves and reliability diagrams."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import polars.selectors as cs

from anls_frame.plot import _inputs, _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["reliability", "risk_coverage"]


_MARKERS = "osD^vPX"
_BANDS = 3
_MOST_LINES = 8
_CURVE = _inputs.Input("risk_coverage", "the frame of `Selective.curve`")
_CERTIFIED = _inputs.Input("risk_coverage", "the frame of `Selective.threshold` as `certified`")
_BINS = _inputs.Input("reliability", "the frame of `Selective.reliability`")


def risk_coverage(
    curve: Any,
    *,
    certified: Any = None,
    colors: Mapping[str, str] | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw risk-coverage curves: the risk of accepted answers against their share.

    Parameters
    ----------
    curve
        The frame of `Selective.curve`, not a frame of rows; at most eight lines are drawn.
    certified
        The frame of `Selective.threshold` for the same slices, whose certified points are marked.
    colors
        Colours by names of lines, in place of the default colours.
    title
        Title; none by default.
    ax
        Axes to draw on; by default, new axes on their own figure.

    Returns
    -------
    Axes
        Axes with a line for each slice and confidence; up to three lines have bands for their intervals at
        each threshold. With a single line, a dotted line shows the risk of the best possible order, and a
        dashed line the risk of a random order, which is the mean loss of all rows.

    Raises
    ------
    TypeError
        If `curve` or `certified` has another type, or `ax` is not an Axes.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"score": [1, 1, 0, 1, 0, 0], "sure": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]})
    >>> ax = af.plot.risk_coverage(af.selective(df, metrics="score", model_confidence="sure").curve())
    >>> ax.lines[0].get_ydata().round(2).tolist()
    [0.0, 0.0, 0.33, 0.25, 0.4, 0.5]
    """
    table = _CURVE.table(
        curve, ["signal", "threshold", "coverage", "risk", "risk_low", "risk_high", "best_risk"]
    )
    points = None
    if certified is not None:
        points = _CERTIFIED.table(certified, ["signal", "threshold", "accepted", "risk"])
    ax = _inputs.axes(ax, 6.4, 4)
    scale = _style.marker_scale()
    lines = dict(itertools.islice(_lines(table, "threshold"), _MOST_LINES))
    marks = {} if points is None else dict(_lines(points, "threshold"))
    shades = _style.line_colors(lines, colors, is_nameless=len(lines) == 1)
    handles = []
    for name, line in lines.items():
        coverage = line["coverage"].to_numpy()
        handles += ax.plot(coverage, line["risk"].to_numpy(), lw=1.8 * scale, color=shades[name])
        if len(lines) <= _BANDS:
            low, high = (line[end].fill_null(np.nan).to_numpy() for end in ("risk_low", "risk_high"))
            ax.fill_between(coverage, low, high, color=shades[name], alpha=0.15, linewidth=0)
        if name in marks:
            mark = marks[name].drop_nulls("threshold")
            ax.plot(mark["accepted"], mark["risk"], "o", ms=7 * scale, color=shades[name], mec=_style.ink(ax))
    if len(lines) == 1:
        (line,) = lines.values()
        ax.plot(line["coverage"], line["best_risk"], lw=1.2 * scale, ls=":", color=_style.ink(ax, 0.7))
        ax.axhline(line["risk"][-1], lw=1 * scale, ls=_style.DASHED, color=_style.ink(ax, 0.7), zorder=1)
    if not lines:
        _style.nothing(ax)
    ax.set_xlim(0, 1.015)
    ax.set_ylim(0, None)
    label, beside = "coverage: share of answers accepted", "risk: mean loss if accepted"
    names = list(lines) if len(lines) > 1 else []
    return _style.finish(ax, title, label, beside, handles=handles, names=names, loc="upper left")


def reliability(
    bins: Any, *, colors: Mapping[str, str] | None = None, title: str | None = None, ax: Axes | None = None
) -> Axes:
    """
    Draw a reliability diagram: mean scores against mean confidences.

    Parameters
    ----------
    bins
        The frame of `Selective.reliability`, not a frame of rows; at most eight lines are drawn.
    colors
        Colours by names of lines, in place of the default colours.
    title
        Title; none by default.
    ax
        Axes to draw on; by default, new axes on their own figure.

    Returns
    -------
    Axes
        Axes with a line for each slice and confidence: the mean score of each bin, with its interval, against
        its mean confidence. If confidences lie in [0, 1], a dashed diagonal marks equality.

    Raises
    ------
    TypeError
        If `bins` has another type, or `ax` is not an Axes.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"score": [1, 1, 0, 1, 0, 0], "sure": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]})
    >>> bins = af.selective(df, metrics="score", model_confidence="sure").reliability(bins=2)
    >>> af.plot.reliability(bins).get_ylabel()
    'mean score'
    """
    table = _BINS.table(bins, ["signal", "bin", "confidence_mean", "score", "score_low", "score_high", "gap"])
    ax = _inputs.axes(ax, 5, 5)
    scale = _style.marker_scale()
    lines = dict(itertools.islice(_lines(table, "bin"), _MOST_LINES))
    shades = _style.line_colors(lines, colors, is_nameless=len(lines) == 1)
    if table["gap"].is_not_null().any():
        ax.plot([0, 1], [0, 1], lw=1 * scale, ls=_style.DASHED, color=_style.ink(ax, 0.7), zorder=1)
        ax.set_xlim(-0.015, 1.015)
    handles = []
    for (name, line), marker in zip(lines.items(), itertools.cycle(_MARKERS)):
        score = line["score"]
        ends = [(score - line["score_low"]).fill_null(0), (line["score_high"] - score).fill_null(0)]
        bars = ax.errorbar(
            line["confidence_mean"], score, yerr=[end.clip(0) for end in ends], marker=marker, ms=5 * scale,
            lw=1.8 * scale, elinewidth=1 * scale, color=shades[name],
        )  # fmt: skip
        handles.append(bars)
    if not lines:
        _style.nothing(ax)
    ax.set_ylim(-0.015, 1.015)
    names = list(lines) if len(lines) > 1 else []
    label, beside = "mean confidence", "mean score"
    return _style.finish(ax, title, label, beside, handles=handles, names=names, loc="best")


def _lines(table: pl.DataFrame, first: str) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the rows of each line under its name, made of its confidence and keys as far as these differ."""
    keys = table.columns[: table.columns.index(first)]
    for part in table.partition_by([cs.by_name(name) for name in keys], maintain_order=True):
        differing = [name for name in keys if name == "signal" or table[name].n_unique() > 1]
        if len(differing) > 1 and table["signal"].n_unique() == 1:
            differing.remove("signal")
        yield _style.label(part.select(cs.by_name(*differing)).row(0)).text, part

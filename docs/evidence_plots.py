"""The pictures of evidence.md, drawn from the tables in benchmarks/, whose every line is a point."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from anls_frame._palette import BLUE, GREY, PALETTE
from anls_frame.plot import _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
ORANGE = PALETTE[1]
MARKED = 50
"""Per cent of samples with `few_rows` from which a point counts as marked."""

Row = dict[str, str]
"""A line of a table: texts of its cells by the heads of its columns."""


class Point(NamedTuple):
    """A figure of a table, in per cent, and whether it warns the reader of itself."""

    documents: float
    share: float
    is_marked: bool


def table(page: str, *columns: str) -> list[Row]:
    """Return the rows of all tables of a page that have these columns."""
    rows, heads = [], []
    for line in (BENCHMARKS / f"{page}.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            heads = []
        elif not heads:
            heads = cells
        elif set(columns) <= set(heads) and not set(line) <= set("|-: "):
            rows.append(dict(zip(heads, cells, strict=True)))
    if not rows:
        raise ValueError(f"benchmarks/{page}.md has no table with the columns {', '.join(columns)}")
    return rows


def number(cell: str) -> float | None:
    """Return the number at the start of a cell, before its error or a width; None if there is none."""
    found = re.match(r"[\d,]+(\.\d+)?", cell)
    return float(found[0].replace(",", "")) if found else None


def points(rows: Sequence[Row], *shares: str, documents: str = "documents", marked: str = "") -> list[Point]:
    """Return a point for each of the columns `shares` in each row that has a figure there."""
    return [
        Point(number(row[documents]) or 0, share, bool(marked) and (number(row[marked]) or 0) >= MARKED)
        for row in rows
        for column in shares
        if (share := number(row[column])) is not None
    ]


def intervals() -> Iterator[tuple[str, list[Point]]]:
    """Yield each kind of interval and its points."""
    by_column = table("COVERAGE", "documents", "column", "lowest", "median", "few")
    is_difference = {
        flag: [row for row in by_column if (row["column"] == "difference") == flag] for flag in (False, True)
    }
    ends = ("lowest", "median")
    cases = table("COVERAGE_CASES", "documents", "coverage, %", "marked")
    of_two = [row for row in cases if any(word in row["population"] for word in ("differ", " lost"))]
    yield "scores, error rates", points(is_difference[False], *ends, marked="few")
    yield (
        "differences",
        [
            *points(is_difference[True], *ends, marked="few"),
            *points(of_two, "coverage, %", marked="marked"),
        ],
    )
    yield (
        "macro averages",
        points(table("MACRO", "difference, %"), "coverage, %", "difference, %", marked="marked"),
    )
    yield "quantiles", points(table("QUANTILES", "quantile"), "coverage, %", marked="marked")
    yield "means of epochs", points(table("EPOCHS", "means: lowest"), "means: lowest", "difference: lowest")
    yield "corrected scores", points(table("CORRECTED", "by score"), "uniform")
    yield "AUGRC", points(table("SELECTIVE", "AUGRC"), "AUGRC")
    yield "rank sets", points(table("RANKS", "held, %"), "held, %", marked="marked")


def coverage(width: float) -> Figure:
    """Draw the coverage of every kind of interval against the number of documents."""
    figure = Figure(figsize=(width, 4.4), layout="constrained")
    panels = figure.subplots(2, 4, sharex=True, sharey=True).flat
    for ax, (name, shown) in zip(panels, intervals(), strict=True):
        ax.axhline(0.95, color=_style.ink(ax, 0.75), linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        # What is marked lies behind what is not.
        for flag, color in ((True, GREY), (False, BLUE)):
            chosen = [point for point in shown if point.is_marked == flag]
            dots(ax, [(point.documents, min(point.share / 100, 0.999)) for point in chosen], color)
        ax.set_title(name, fontsize="medium")
        ax.tick_params(length=0)
        _style.tidy(ax)
    ax.set(xscale="log", yscale="logit", xlim=(4, 600), ylim=(0.5, 0.9993))
    for axis, ticks, labels in (
        (ax.xaxis, [5, 20, 100, 400], ["5", "20", "100", "400"]),
        (ax.yaxis, [0.5, 0.8, 0.9, 0.95, 0.99, 0.999], ["50 %", "80", "90", "95", "99", "99.9"]),
    ):
        axis.set_major_locator(FixedLocator(ticks))
        axis.set_major_formatter(FixedFormatter(labels))
        axis.set_minor_locator(NullLocator())
    figure.supxlabel("documents", fontsize="medium")
    figure.supylabel("coverage of 95 % intervals", fontsize="medium")
    _legend(figure, {"unmarked": BLUE, "marked few_rows in most samples": GREY})
    return figure


def dots(ax: Axes, places: Sequence[tuple[float, float]], color: str) -> None:
    """Draw points as lines without length, because hundreds of markers would make a large file."""
    lines = [end for place in dict.fromkeys(places) for end in (place, place, (np.nan, np.nan))]
    x, y = np.array(lines or [(np.nan, np.nan)]).T
    ax.plot(x, y, color=color, linewidth=4, solid_capstyle="round")


class Test(NamedTuple):
    """A test, the shares of samples in which it errs, and in what share it may."""

    name: str
    assumed: list[float]
    """Populations that it is made for."""
    harder: list[float]
    """Populations in which few documents have most of the difference."""
    allowed: float = 5


def errors(
    name: str,
    page: str,
    *columns: str,
    beside: str | None = None,
    is_harder: Callable[[Row], bool] = lambda _: False,
    scale: float = 1,
    allowed: float = 5,
) -> Test:
    """Return a test with the shares in these columns, of the tables that also have the column `beside`."""
    rows = table(page, *columns, *([beside] if beside else []))
    shares: dict[bool, list[float]] = {False: [], True: []}
    for row in rows:
        cells = (number(row[column]) for column in columns)
        shares[is_harder(row)] += [scale * share for share in cells if share is not None]
    return Test(name, shares[False], shares[True], allowed)


def tests() -> list[Test]:
    """Return every kind of test with the shares in which it errs."""

    def is_lopsided(row: Row) -> bool:
        return row["systems"] == "lopsided"

    def is_unequal(row: Row) -> bool:
        return row["population"] in {"a tenth lose much", "worse on long documents"}

    def is_of_documents(row: Row) -> bool:
        return not row["what changes"].endswith("any rows")

    fine = [f"{documents}: fine" for documents in (30, 60, 112, 500)]
    as_share: dict[str, float] = {"scale": 100}
    return [
        errors("two systems", "SIGNIFICANCE", "p ≤ 0.05", is_harder=is_lopsided, **as_share),
        errors("any of many slices", "SIGNIFICANCE", "any p ≤ 0.05", is_harder=is_lopsided, **as_share),
        errors("many systems", "RANKS", "equal called different", is_harder=is_unequal, **as_share),
        errors("one slice against the rest", "REST", "p ≤ 0.05, %"),
        errors("the search for slices", "SLICES", "search, %", beside="at most, %"),
        errors("the same with holdout=0.5", "SLICES", "honest, %", beside="at most, %"),
        errors("M² and I-measure", "GEC", "p ≤ 0.05, %"),
        errors("the gate's answer fine", "PLANNING", *fine, is_harder=is_of_documents),
        errors("a certified threshold of 95 %", "SELECTIVE", "guarantee of 95 % failed, %"),
    ]


def alarms(width: float) -> Figure:
    """Draw in what share of samples every test errs."""
    shown = tests()
    figure = Figure(figsize=(width, 1.2 + 0.36 * len(shown)), layout="constrained")
    ax = figure.subplots()
    for row, test in enumerate(shown):
        for shares, line, color in ((test.assumed, row - 0.13, BLUE), (test.harder, row + 0.13, ORANGE)):
            dots(ax, [(share, line) for share in shares], color)
        ax.vlines(test.allowed, row - 0.38, row + 0.38, color=_style.ink(ax, 0.75), linewidth=1.6, zorder=3)
    _style.tidy(ax, grid="x")
    # Small shares lie closer together than large ones.
    ax.set_xscale("function", functions=(lambda x: x**0.5, lambda x: x**2))
    ticks = [0, 1, 5, 10, 25, 50, 100]
    ax.set_xticks(ticks, [f"{tick} %" for tick in ticks])
    ax.set_xlim(0, 100)
    ax.set_yticks(range(len(shown)), [test.name for test in shown])
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlabel("share of samples with a wrong answer; the bars mark what is allowed")
    _legend(
        figure,
        {"populations that meet its assumptions": BLUE, "few documents have most of the difference": ORANGE},
    )
    return figure


def _legend(figure: Figure, colors: Mapping[str, str]) -> None:
    marks = [
        Line2D([], [], marker="o", linestyle="none", markersize=5, color=color) for color in colors.values()
    ]
    figure.legend(marks, list(colors), loc="outside upper right", ncols=2, frameon=False, fontsize="small")


PICTURES: dict[str, Callable[[float], Figure]] = {"coverage": coverage, "alarms": alarms}
"""How each picture is drawn, as wide as it is told."""

"""The picture of README.md and of the site's first page: four results on the sample data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import matplotlib as mpl
import polars as pl
from matplotlib.figure import Figure

import anls_frame as af
from anls_frame._palette import BLUE, GREY, PALETTE
from anls_frame.plot import _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 9.4
"""Inches: 900 pixels, as wide as a code host shows a page."""
PHONE = 4.6
"""Inches: shown on a page of 360 pixels, small texts have 10 pixels."""
GREEN, RED = PALETTE[2], PALETTE[3]
MARGIN = 0.01
BY = "question_types"
SHOWN_ROWS = 4


def four_steps(_: float) -> Figure:
    """Draw a score, its slices, the rows behind one of them, and the decision."""
    figure = Figure(figsize=(WIDTH, 5.2), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12, wspace=0.06, hspace=0.06)  # type: ignore[union-attr]
    draw(*figure.subplots(2, 2, width_ratios=[1, 1.25]).flat)
    return figure


def four_steps_on_a_phone(_: float) -> Figure:
    """Draw the same, one below the other."""
    figure = Figure(figsize=(PHONE, 10), layout="constrained")
    parts = figure.subfigures(4, 1, height_ratios=[0.7, 1.2, 0.9, 1])
    draw(*(part.subplots() for part in parts), left_of_slices=-0.287)  # where their names begin
    return figure


def draw(*panels: Axes, left_of_slices: float = 0) -> None:
    """Draw the four results into their panels."""
    df = af.sample()
    report = af.report(df, "tesseract", "answers", by=BY, cluster="doc_id")
    comparison = af.compare(df, ["tesseract", "rapidocr"], "answers", cluster="doc_id")
    of_score, of_slices, of_rows, of_decision = panels
    score(of_score, report)
    slices(of_slices, report, left_of_slices)
    rows(of_rows, df)
    decision(of_decision, comparison)


def titled(ax: Axes, text: str, left: float = 0) -> None:
    """Set the title of a panel."""
    ax.set_title(text, x=left, loc="left", fontsize=12, fontweight="bold", color=mpl.rcParams["text.color"])


def score(ax: Axes, report: af.Report) -> None:
    """Write the score with its interval and what it rests on."""
    titled(ax, "1  Score: how good is it?")
    ax.axis("off")
    overall = report.overall
    ax.text(0, 0.58, f"ANLS {overall['anls']:.3f}", fontsize=30, color=BLUE, transform=ax.transAxes)
    interval = f"[{overall['anls_low']:.3f}, {overall['anls_high']:.3f}] with 95 % confidence"
    ax.text(0.01, 0.36, interval, fontsize=11, transform=ax.transAxes)
    rests = f"{overall['n']:,} questions about {overall['n_clusters']} documents"
    ax.text(0.01, 0.16, rests, fontsize=11, color=GREY, transform=ax.transAxes)


def slices(ax: Axes, report: af.Report, left: float) -> None:
    """Draw the score of each slice with its interval, the lowest one marked."""
    titled(ax, "2  Slice: where does it fail?", left)
    table = report.by_group.sort("anls", descending=True)
    for place, (name, mean, low, high) in enumerate(
        table.select(BY, "anls", "anls_low", "anls_high").iter_rows()
    ):
        color = RED if place == table.height - 1 else BLUE
        ax.plot([low, high], [place, place], color=color, linewidth=2)
        ax.plot([mean], [place], "o", color=color, markersize=6)
        ax.text(1.02, place, f"{mean:.3f}", va="center", fontsize=10, color=color)
        ax.text(-0.02, place, name, va="center", ha="right", fontsize=10)
    ax.axvline(report.overall["anls"], color=GREY, linewidth=1, linestyle=":")
    ax.set(xlim=(0, 1), yticks=[])
    ax.tick_params(labelsize=9)
    ax.invert_yaxis()
    ax.spines[["top", "right", "left"]].set_visible(False)


def rows(ax: Axes, df: pl.DataFrame) -> None:
    """Write some rows of the lowest slice: what was expected, and what was read."""
    titled(ax, "3  Rows: what was read wrong?")
    ax.axis("off")
    found = df.filter(
        pl.col(BY).list.contains("handwritten"), pl.col("lang") == "en", pl.col("tesseract") != ""
    )
    scored = found.select(
        pl.col("answers").list.first(), "tesseract", score=af.anls("tesseract", "answers")
    ).filter(pl.col("score") < 1, pl.col("answers").str.len_chars() < 16)  # noqa: PLR2004 - what has room
    for x, head in ((0, "expected"), (0.45, "read"), (1, "ANLS")):
        ax.text(
            x, 0.86, head, fontsize=10, color=GREY, ha="right" if x == 1 else "left", transform=ax.transAxes
        )
    for place, (answer, read, value) in enumerate(scored.head(SHOWN_ROWS).iter_rows()):
        y = 0.68 - 0.2 * place
        ax.text(0, y, answer, fontsize=11, transform=ax.transAxes)
        ax.text(0.45, y, _style.drawable(read), fontsize=11, color=RED, transform=ax.transAxes)
        ax.text(1, y, f"{value:.2f}", fontsize=11, ha="right", transform=ax.transAxes)


def decision(ax: Axes, comparison: af.Comparison) -> None:
    """Draw the difference between the systems beside the largest loss that is accepted."""
    titled(ax, "4  Decision: may the new system ship?")
    mean, low, high = comparison.overall.select("difference", "difference_low", "difference_high").row(0)
    ax.axvspan(-0.13, -MARGIN, color=RED, alpha=0.15, linewidth=0)
    ax.axvline(0, color=GREY, linewidth=1)
    ax.plot([low, high], [0, 0], color=GREEN, linewidth=3)
    ax.plot([mean], [0], "o", color=GREEN, markersize=9)
    ax.text(mean, 0.22, f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]", ha="center", fontsize=11)
    ax.text(-0.07, 0.62, f"a loss of {MARGIN}\nor more", ha="center", va="center", fontsize=10, color=RED)
    is_fine = comparison.decide(MARGIN).answer == "fine"
    said = f"Yes: not worse by {MARGIN} or more" if is_fine else "No"
    ax.text(mean, -0.45, said, ha="center", fontsize=11, color=GREEN, fontweight="bold")
    ax.set(xlim=(-0.13, 0.35), ylim=(-0.8, 0.9), yticks=[])
    ax.set_xlabel("ANLS of rapidocr minus ANLS of tesseract", fontsize=10)
    ax.tick_params(labelsize=9)
    ax.spines[["top", "right", "left"]].set_visible(False)


PICTURES: dict[str, Callable[[float], Figure]] = {
    "four_steps": four_steps,
    "four_steps-phone": four_steps_on_a_phone,
}
"""The pictures by their names."""

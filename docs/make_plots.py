"""
Draw the pictures of README.md, plots.md and evidence.md, and list the plots: `python docs/make_plots.py`.

Each picture is an SVG for light pages and one for dark pages, of one width, on a transparent ground. Names of
pictures limit what is drawn: `python docs/make_plots.py ranking coverage`.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

import evidence_plots
import hero_plots
import matplotlib as mpl
from matplotlib import style

import anls_frame as af
from anls_frame.plot import _inputs, _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOCS = Path(__file__).resolve().parent
WIDTH = 7.6
"""Inches of every picture, which is about the width of a page's text at 96 pixels per inch."""

# Beyond hundredths of a point; scales are below 1.
_LONG_NUMBERS = re.compile(r"([1-9]\d*\.\d\d)\d+")

_AROUND_LETTERS = re.compile(r' ?\b([A-Zz])\b ?(?=[-\d"A-Z])')


class Theme(NamedTuple):
    """Colours of the site in the light and in the dark, and what the names of files end with."""

    suffix: str
    style: str
    ground: str
    ink: str
    rules: str = ""


THEMES = (
    # A code host shows the picture for light pages in the dark, too.
    Theme(
        "", "default", "#FFFFFF", "#222832", "@media (prefers-color-scheme: dark) {svg {background: white}}"
    ),
    Theme("-dark", "dark_background", "#14181E", "#CED6DD"),
)


def examples() -> Iterator[tuple[str, Axes]]:
    """Run the examples of the page; yield each picture's name and the axes that were drawn above it."""
    page = (DOCS / "plots.md").read_text(encoding="utf-8")
    sources = doctest.DocTestParser().get_examples(page)
    names: dict[str, Any] = {}
    for picture in re.finditer(r"\]\(images/(\w+)\.svg\)", page):
        line = page.count("\n", 0, picture.start())
        while sources and sources[0].lineno < line:
            exec(sources.pop(0).source, names)  # noqa: S102 - our own page
        yield picture[1], names["ax"]


def svg(figure: Figure) -> str:
    """Return the picture, with texts as outlines, the same whenever it is drawn."""
    file = io.StringIO()
    figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", file.getvalue(), flags=re.DOTALL)
    return shortened(re.sub(r"\s*\n\s*", "\n", _LONG_NUMBERS.sub(r"\1", text)))


def shortened(text: str) -> str:
    """Return a picture without names of groups and without space that nothing needs; it looks the same."""
    text = re.sub(r'<g id="\w+"/>\n|(?<=<g) id="\w+"', "", text).replace("DejaVuSans-", "c")
    text = re.sub(r' d="[^"]*"', lambda path: _AROUND_LETTERS.sub(r"\1", path[0].replace("\n", " ")), text)
    # Points are lines without length.
    text = re.sub(r"M([\d.]+ [\d.]+)L\1(?![\d.])", r"M\1h0", text)
    return re.sub(r'style="[^"]*"', lambda own: re.sub("([:;]) ", r"\1", own[0]), text)


def draw(theme: Theme, wanted: set[str]) -> None:
    """Write the pictures of one theme."""
    own = {
        "figure.facecolor": theme.ground,
        "axes.facecolor": theme.ground,
        "path.simplify": False,
        "svg.hashsalt": "anls_frame",
        **dict.fromkeys(
            ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), theme.ink
        ),
    }

    def axes_of_one_width(ax: Axes | None, _: float, height: float) -> Axes:
        return axes(ax, WIDTH / _style.scale(), height)

    axes = _inputs.axes
    with (
        style.context([theme.style, own]),
        mock.patch.object(_inputs, "axes", axes_of_one_width),
    ):
        for name, ax in examples():
            if not wanted or name in wanted:
                write(name, theme, ax.figure)
        for name, picture in (evidence_plots.PICTURES | hero_plots.PICTURES).items():
            if not wanted or name in wanted:
                write(name, theme, picture(WIDTH))


def write(name: str, theme: Theme, figure: Figure) -> None:
    """Write a picture."""
    text = svg(figure).replace("</style>", f"{theme.rules}</style>", 1)
    (DOCS / "images" / f"{name}{theme.suffix}.svg").write_text(text, encoding="utf-8")


def reference() -> str:
    """Return the page of the reference, with every plot."""
    plots = "\n".join(f"   {name}" for name in af.plot.__all__)
    directives = f".. currentmodule:: anls_frame.plot\n.. autosummary::\n   :toctree: generated\n\n{plots}\n"
    guide = "Draw scores, errors and comparisons. [Plots](../plots.md) shows each with its question."
    return f"# Plots\n\n{guide}\n\n```{{eval-rst}}\n{directives}```\n"


def main() -> None:
    """Write the pictures and the page of the reference."""
    os.chdir(DOCS.parent)
    mpl.use("svg")
    for theme in THEMES:
        draw(theme, set(sys.argv[1:]))
    (DOCS / "reference/plots.md").write_text(reference(), encoding="utf-8")


if __name__ == "__main__":
    main()

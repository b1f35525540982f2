"""Draw the pictures of plots.md, and list the plots in the reference: `python docs/make_plots.py`."""

from __future__ import annotations

import doctest
import io
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

import anls_frame as af

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

DOCS = Path(__file__).resolve().parent
DPI = 80
COLORS = {"ranking": 160}
"""Numbers of colours: small points of several colours need more than the others."""
FEW_COLORS = 48


def pictures() -> Iterator[tuple[str, Axes]]:
    """Run the examples of the page; yield each picture's name and the axes that were drawn above it."""
    page = (DOCS / "plots.md").read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_examples(page)
    names: dict[str, Any] = {}
    for picture in re.finditer(r"\]\(images/(\w+)\.png\)", page):
        line = page.count("\n", 0, picture.start())
        while examples and examples[0].lineno < line:
            exec(examples.pop(0).source, names)  # noqa: S102 - our own page
        yield picture[1], names["ax"]


def reference() -> str:
    """Return the page of the reference, with every plot."""
    plots = "\n".join(f"   {name}" for name in af.plot.__all__)
    directives = f".. currentmodule:: anls_frame.plot\n.. autosummary::\n   :toctree: generated\n\n{plots}\n"
    return f"# Plots\n\n```{{eval-rst}}\n{directives}```\n"


def main() -> None:
    """Write the pictures with few colours: they are flat, and small that way."""
    os.chdir(DOCS.parent)
    for name, ax in pictures():
        file = io.BytesIO()
        ax.figure.savefig(file, format="png", dpi=DPI, facecolor="white")
        picture = (
            Image.open(file).convert("RGB").quantize(COLORS.get(name, FEW_COLORS), dither=Image.Dither.NONE)
        )
        picture.save(DOCS / "images" / f"{name}.png", optimize=True)
    (DOCS / "reference/plots.md").write_text(reference(), encoding="utf-8")


if __name__ == "__main__":
    main()

"""The directive `gallery`: a card for each plot of plots.md, which leads to its section and its reference."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

_PAGE = "plots.md"
_ROW = re.compile(r"^\| (?P<question>[^|]+\?) \| (?P<functions>[^|]+) \|", re.MULTILINE)
_PICTURE = re.compile(r"!\[[^\]]+\]\(images/\w+\.svg\)")


class Plot(NamedTuple):
    """A plot as its page describes it: the question that it answers, its functions and its picture."""

    question: str
    functions: str
    picture: str

    def card(self) -> str:
        """Return the card."""
        anchor = re.sub(r"[^\w\- ]", "", self.question.lower()).replace(" ", "-")
        section = f"{_PAGE}#{anchor}"
        functions = self.functions.replace("`", "`plot.", 1)
        return (
            f":::{{grid-item-card}} [{self.question}]({section})\n"
            f"[{self.picture}]({section})\n\n{functions}\n:::\n"
        )


def plots(page: str) -> list[Plot]:
    """Return the plots in the page's table, each with the first picture of the section of its question."""
    sections = dict(text.split("\n", 1) for text in re.split(r"^### ", page, flags=re.MULTILINE)[1:])
    found = []
    for row in _ROW.finditer(page):
        picture = _PICTURE.search(sections.get(row["question"], ""))
        if picture is None:
            raise ValueError(f"{_PAGE} has no section with a picture for the question {row['question']!r}")
        found.append(Plot(row["question"], row["functions"].strip(), " ".join(picture[0].split())))
    return found


class Gallery(SphinxDirective):
    """Show a card for each plot."""

    def run(self) -> list[nodes.Node]:
        """Return the grid of cards."""
        page = Path(self.env.doc2path("docs/plots"))
        self.env.note_dependency(str(page))
        cards = "\n".join(plot.card() for plot in plots(page.read_text(encoding="utf-8")))
        return self.parse_text_to_nodes(f"::::{{grid}} 1 2 2 3\n:gutter: 3\n\n{cards}::::\n")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True}

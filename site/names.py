"""The directive `names`: what a page of the reference lists, once more, for the page that lists all."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

_LISTS = re.compile(r"```\{eval-rst\}\n(.*?)```", re.DOTALL)


class Names(SphinxDirective):
    """Show the names of a page with the first lines of their docstrings, linked to their pages."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the page's tables."""
        page = Path(self.env.doc2path(f"docs/reference/{self.arguments[0]}"))
        self.env.note_dependency(str(page))
        lists = "\n".join(_LISTS.findall(page.read_text(encoding="utf-8")))
        return self.parse_text_to_nodes(lists.replace(":toctree: generated", ":nosignatures:"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("names", Names)
    return {"parallel_read_safe": True}

"""Inline code that is a name of the package, such as `report`, links to its reference."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.domains.python import PyXRefRole
from sphinx.transforms import SphinxTransform

import anls_frame

_ROOMS = ("distributed.", "gec.", "pairs.", "plot.", "readers.", "repeats.", "words.")

_COMMANDS = {"changes", "compare", "confusions", "merge", "report", "score"}
_PROTOCOLS = {"anls", "cer", "exact_match", "nls", "wer"}
_ELSEWHERE = _COMMANDS | _PROTOCOLS
"""Also names of commands, protocols and columns; only the page of questions means functions by them."""


class NameLinks(SphinxTransform):
    """Link inline code that is a public name."""

    default_priority = 400

    def apply(self) -> None:
        """Put a reference around each name, except in headings, links and the reference itself."""
        if self.env.docname.startswith("docs/reference/"):
            return
        for literal in list(self.document.findall(nodes.literal)):
            text = literal.astext()
            name = text.removeprefix("af.").removeprefix("anls_frame.").removesuffix("()")
            if text in _ELSEWHERE and self.env.docname != "docs/which":
                continue
            if _is_public(name) and not isinstance(literal.parent, nodes.reference | nodes.title):
                link = addnodes.pending_xref(
                    "", refdomain="py", reftype="obj", reftarget=f"anls_frame.{name}", refwarn=False
                )
                literal.replace_self(link)
                link += literal


class Code(PyXRefRole):
    """Inline code of a docstring, which links if it is a name."""

    def run(self) -> tuple[list[nodes.Node], list[Any]]:
        """Return the code; Sphinx's role would take the point of `.txt` for its own syntax and drop it."""
        if self.text.startswith("."):
            return [nodes.literal(self.rawtext, self.text, classes=["xref", "py", "py-obj"])], []
        return super().run()


def _is_public(name: str) -> bool:
    return name.startswith(_ROOMS) or name.partition(".")[0] in anls_frame.__all__


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_transform(NameLinks)
    app.add_role_to_domain("py", "obj", Code(), override=True)
    return {"parallel_read_safe": True}

"""Words that people search for and that are not headings: `words.toml` names the sections that answer."""

from __future__ import annotations

import tomllib
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_LOG = logging.getLogger(__name__)


class Words(SphinxTransform):
    """Enter the words of a page into the index, which the search looks at first."""

    default_priority = 500

    def apply(self) -> None:
        """Put entries into the sections."""
        for place, words in _WORDS.items():
            page, _, anchor = place.partition("#")
            if page == self.env.docname:
                self._enter(anchor, words)

    def _enter(self, anchor: str, words: list[str]) -> None:
        slugs = self.env.metadata[self.env.docname].get("myst_slugs", {})
        if anchor and anchor not in slugs:
            _LOG.warning("words.toml: no heading #%s", anchor, location=self.env.docname)
            return
        section = next(
            section
            for section in self.document.findall(nodes.section)
            if not anchor or slugs[anchor][1] in section["ids"]
        )
        entries = [("single", word, section["ids"][0], "main", None) for word in words]
        section.insert(1, addnodes.index(entries=entries))


def _missing_pages(app: Sphinx, _: object) -> None:
    for place in _WORDS:
        page = place.partition("#")[0]
        if page not in app.env.found_docs:
            _LOG.warning("words.toml: no page %s", page)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_transform(Words)
    app.connect("env-updated", _missing_pages)
    return {"parallel_read_safe": True}

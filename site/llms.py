"""Writes `llms.txt` into the root of the site: every page with its title and its first sentence."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

_FOLDERS = {"docs/": "Guides", "docs/reference/": "Reference", "notebooks/": "Notebooks", "": "Project"}


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the list, in the order of the pages' names, by folder."""
    if exception is not None or app.builder.format != "html":
        return
    summary = first_sentence(app.env.get_doctree(app.config.root_doc))
    sections: dict[str, list[str]] = {title: [] for title in _FOLDERS.values()}
    for name in sorted(app.env.found_docs):
        if "/generated/" not in name:
            folder = max((folder for folder in _FOLDERS if name.startswith(folder)), key=len)
            said = first_sentence(app.env.get_doctree(name))
            line = f"- [{app.env.titles[name].astext()}]({app.builder.get_target_uri(name)})"
            sections[_FOLDERS[folder]].append(f"{line}: {said}" if said else line)
    lines = ["# anls_frame", "", f"> {summary}"]
    for title, entries in sections.items():
        lines += ["", f"## {title}", "", *entries]
    (Path(app.outdir) / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def first_sentence(page: nodes.document) -> str:
    """Return the first sentence of a page's first paragraph."""
    text = next((" ".join(one.astext().split()) for one in page.findall(nodes.paragraph)), "")
    return re.split(r"(?<=[.?!]) ", text)[0]


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the list when the pages are there."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

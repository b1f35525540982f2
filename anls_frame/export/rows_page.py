"""
A page of scored rows: an HTML file that sorts, filters and searches rows, and shows each in full.

The page loads only images whose addresses were passed, and its content security policy enforces this: it
allows its style sheet and its script by digest. The script consists of the files in `page/rows/`, in the
order of `SCRIPTS`. It reads the rows from compressed columns, and inserts texts only as texts. Script and
style sheet are single lines without comments, because some kernels join the lines of outputs.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html import escape

from markupsafe import Markup

from anls_frame._palette import ERROR_COLORS
from anls_frame._text import shown
from anls_frame.export.html import source, templates
from anls_frame.export.packed import Packed
from anls_frame.export.page_verdicts import OF_TEXTS
from anls_frame.export.rows_content import EmbeddedRows, RowsContent
from anls_frame.pairs.marks import STYLES, TAGS

SCRIPTS = (
    "elements",
    "data",
    "filters",
    "alignment",
    "address",
    "facets",
    "active",
    "list",
    "menu",
    "files",
    "verdicts",
    "columns",
    "row",
    "notebook",
    "keyboard",
    "main",
)
"""The modules of the script, each after those that it needs."""

_NOTEBOOK_ROWS = 2_000
_NOTEBOOK_HEIGHT = 640
_MOST_ORIGINS = 100
_SCHEME = re.compile(r"(?i)^([a-z][a-z0-9+.-]+):")
# Characters that browsers drop from addresses, and beginnings of paths that name a host: `//host`,
# `/.//host`.
_IGNORED = re.compile(r"^[\x00-\x20]+|[\t\r\n]+|[\x00-\x20]+$")
_FILE = re.compile(r"(?i)^file:(//(?=/))?")
_HOST_PATH = re.compile(r"(?i)^(\.|%2e|/)*//")
_HOST = re.compile(r"(?i)^(https?://(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d+)?)(?:[/?#]|$)")


def _pack(content: RowsContent) -> Packed:
    """Return the rows as packed columns."""
    packed = Packed()
    names = content.table.columns
    texts = [name for name in names if name == "answers" or name.startswith("prediction_")]
    packed.add(content.table.select(texts))
    for name in names:
        if name not in texts:
            packed.add(content.table.select(name), content.orders.get(name))
    return packed


def page(content: RowsContent) -> str:
    """Return the page."""
    packed = _pack(content)
    meta = {
        "title": content.title,
        "rows": content.table.height,
        "systems": list(content.systems),
        "metrics": list(content.metrics),
        "by": list(content.by),
        "keep": list(content.keep),
        "sort": content.sort,
        "audit": content.is_audit,
        "names": {name: content.names[name] for name in ("row", "answer", "prediction")},
        "protocol": content.settings["protocol"],
        "verdicts": list(content.verdicts),
        "colors": ERROR_COLORS,
        "columns": packed.columns,
        "key": _key(packed, content.verdicts),
    }
    return (
        templates()
        .get_template("rows/page.html")
        .render(
            content=content,
            image_sources=_image_sources(content),
            # Only these characters could end a script element.
            meta=Markup(json.dumps(meta).replace("<", "\\u003c")),  # noqa: S704 - JSON without markup
            parts=packed.parts,
            script=_script(),
            style=in_one_line(source("rows/style.css") + _marks()),
        )
    )


def in_notebook(content: RowsContent, html: str, name: str = "") -> str:
    """Return the page as the output of a cell, with the first rows, which the notebook stores."""
    rows = content.table.height
    if rows <= _NOTEBOOK_ROWS:
        return framed(html, name)
    first = replace(content, table=content.table.head(_NOTEBOOK_ROWS))
    whole = "the page has all of them while a kernel follows it" if name else "write(...) has all of them"
    shown = framed(page(first), name)
    return f"{shown}<p>The first {_NOTEBOOK_ROWS:,} of {rows:,} rows; {whole}.</p>"


def framed(html: str, name: str = "") -> str:
    """Return a page in a frame, whose name identifies it to a connected kernel."""
    named = f'name="{name}" ' if name else ""
    return (
        f'<iframe {named}srcdoc="{escape(html)}" width="100%" height="{_NOTEBOOK_HEIGHT}" '
        f'style="border:1px solid rgba(128,128,128,.4)"></iframe>'
    )


def _key(packed: Packed, verdicts: Sequence[str]) -> str:
    """Return the storage key of verdicts, which depends on the texts of the page and on what can be said."""
    names = [name for name in packed.columns if re.match("(id|row|answers|prediction_.*)$", name)]
    every = list(packed.parts)
    parts = (every[packed.columns[name][part]] for name in names for part in ("codes", "pool"))
    said = "" if verdicts == OF_TEXTS else " ".join(verdicts)
    return hashlib.sha256("".join([*parts, said]).encode()).hexdigest()[:16]


def embedded(content: RowsContent, html: str) -> EmbeddedRows:
    """Return the page of this content, to be embedded in another page."""
    return EmbeddedRows(content, html, _script(), _image_sources(content))


@functools.cache
def _script() -> str:
    files = "\n".join(source(f"rows/{name}.js") for name in SCRIPTS)
    return in_one_line(f'(() => {{\n"use strict";\n{files}}})();')


def in_one_line(text: str) -> str:
    """Return a script or a style sheet without its comments, which have lines of their own."""
    lines = map(str.strip, text.splitlines())
    return " ".join(line for line in lines if line and not line.startswith(("//", "/*")))


def _marks() -> str:
    """Return the styles of alignments, which all pages share."""
    return "".join(
        f".aligned {TAGS[operation]} {{ color: inherit; {style}; }}\n" for operation, style in STYLES.items()
    )


def _image_sources(content: RowsContent) -> str:
    """Return the sources that the page's policy must allow for the addresses of its images."""
    addresses = content.table["image"].drop_nulls().unique() if "image" in content.table.columns else ()
    sources = set()
    for address in addresses:
        plain = _IGNORED.sub("", address)
        scheme = _SCHEME.match(plain)
        host = _HOST.match(plain)
        if scheme is None and _is_here(plain):
            # Relative to the page, which may be a file.
            sources |= {"'self'", "file:"}
        elif host is not None:
            sources.add(host[1].lower())
        elif plain.lower().startswith("data:image/"):
            sources.add("data:")
        elif scheme is not None and scheme[1].lower() == "file" and _is_here(plain):
            sources.add("file:")
        else:
            raise ValueError(
                "images must be paths or addresses that begin with https:, http:, file: or data:image/, and "
                "paths may neither begin with // nor have a backslash, which name another computer, got "
                f"{shown(address[:200])!r}"
            )
    if len(sources) > _MOST_ORIGINS:
        raise ValueError(f"images come from {len(sources):,} places; at most {_MOST_ORIGINS} can be allowed")
    return " ".join(sorted(sources)) or "'none'"


def _is_here(address: str) -> bool:
    """Return whether a path is on this computer; Windows connects to the host of //host/x and the like."""
    path = _FILE.sub("", address)
    return not ("\\" in path or "%5c" in path.lower() or _HOST_PATH.match(path))

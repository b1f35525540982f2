"""
Texts that have broken writers, or were made to: markup, formulas, control characters, long and odd ones.

None holds half of a surrogate pair, which no column of text can hold.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import polars as pl
from campaign import amount

from anls_frame.export import Document, Table
from anls_frame.export.columns import of_kinds

KINDS: dict[str, list[str]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
LONG = (
    "https://example.org/" + "u" * 2_100,
    "w" * 200,
    "x" * 40_000,
    "long words " * 4_000,
    "😀" * 20_000,
    "\n" * 300,
    "_x0041_" * 1_000,
    "日" * 500,
    "[" + '"a", ' * 500 + "]",
)
CONTROLS = [f"<{chr(code)}>" for code in range(0x20)]

HOSTILE_TEXTS: tuple[str, ...] = tuple(
    dict.fromkeys((*itertools.chain.from_iterable(KINDS.values()), *CONTROLS, *LONG))
)
HOSTILE_NAMES = amount(HOSTILE_TEXTS[::4], HOSTILE_TEXTS)
"""Texts that each name everything in a report of its own; a campaign takes all of them."""


def hostile_document() -> Document:
    """Build a report with every text as a key, in lists of keys, as a remark and as a setting."""
    count = len(HOSTILE_TEXTS)
    main = pl.DataFrame(
        {
            "slice": ["overall", *["group"] * (count + 1)],
            "key": [None, None, *HOSTILE_TEXTS],
            "n": range(count + 2),
            "anls": [0.5] * (count + 2),
        }
    )
    lists = pl.DataFrame({"keys": [[text, None] for text in HOSTILE_TEXTS]})
    return Document(
        "Hostile texts",
        [
            Table("By key", main, of_kinds({"key": "key", "n": "count", "anls": "score"})),
            Table("Lists", lists, of_kinds({"keys": "key"})),
        ],
        dict(zip(HOSTILE_TEXTS, HOSTILE_TEXTS, strict=True)),
        "anls|protocol:anls",
        HOSTILE_TEXTS,
    )


def hostile_names(text: str) -> Document:
    """Build a report in which everything that has a name has this one."""
    column = text or "nameless"
    frame = pl.DataFrame({"slice": ["overall", "group"], column: [None, text], "anls": [0.5, 0.25]})
    table = Table(text, frame, of_kinds({column: "key", "anls": "score"}))
    return Document(text, [table], {text: text}, text, [text])

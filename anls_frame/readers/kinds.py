"""Kinds of result files: how to recognise one by its name and its beginning."""

from __future__ import annotations

import glob
import json
import re
from typing import TYPE_CHECKING

from anls_frame.readers import _content
from anls_frame.readers._page_files import is_page
from anls_frame.readers._problems import Advice, Option, problem
from anls_frame.readers.descriptions import READERS

if TYPE_CHECKING:
    from pathlib import Path

_PEEK = 1 << 16
_KEY = re.compile(r'[{,]\s*"([^"\\]*)"\s*:')


def kind_for_gold(path: Path, gold: Path) -> str:
    """Return the kind of what is scored against these gold labels, which for pages are a folder or a page."""
    are_many = any(one.is_dir() or (not one.exists() and glob.has_magic(str(one))) for one in (path, gold))
    return "pages" if are_many or is_page(gold) else "rrc"


def kind_of(path: Path, format: str | None = None) -> str:  # noqa: A002 - what it is
    """Return the kind of a file from its name and its beginning."""
    for name, description in READERS.items():
        if path.suffix.lower() in description.suffixes:
            return name
    if _content.file_format(path, format) not in {"json", "jsonl"}:
        return "table"
    text = _beginning(path).lstrip()
    keys = _first_keys(text)
    for name, description in READERS.items():
        if description.looks_like is not None and description.looks_like(text, keys):
            return name
    squeezed = "".join(text.split())
    if squeezed.startswith("{") and '"data":[{"questionId":' in squeezed:
        advice = (
            "these are gold labels: pass them with ",
            Option("gold", None),
            ", and the submission as the file",
        )
        raise problem(path, Advice(*advice))
    return "table"


def _first_keys(text: str) -> set[str]:
    """Return the keys of the first object of a list or of JSON Lines, as far as the text contains them."""
    start = max(text.find("{"), 0)
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        # Longer than the beginning. What looks like a key inside a string can only cause a wrong guess.
        return set(_KEY.findall(text))
    return set(value) if isinstance(value, dict) else set()


def _beginning(path: Path) -> str:
    data = _content.beginning(path, _PEEK)
    return data.decode("utf-8" if b"\0" not in data else "utf-16", errors="replace").removeprefix("\ufeff")

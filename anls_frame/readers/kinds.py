"""Detection of the kind of a result file from its name and its beginning."""

from __future__ import annotations

import glob
import json
import re
from pathlib import Path
from typing import Any

from anls_frame.readers import _content, _pipes
from anls_frame.readers._page_files import is_page
from anls_frame.readers.descriptions import READERS

_SUBMISSIONS = ("rrc", "dude")
_PEEK = 1 << 16
_KEY = re.compile(r'[{,]\s*"([^"\\]*)"\s*:')


def kind_for_gold(path: Path, gold: Any, format: str | None = None) -> str:  # noqa: A002 - what it is
    """Return the kind of files that this gold belongs to: pages, a submission, or a table."""
    if is_truth_of_pages(gold):
        return "pages"
    kind = kind_of(path, format)
    if not _are_labels(gold):
        return "table" if kind in _SUBMISSIONS else kind
    is_list = kind == "table" and path.suffix.lower() == ".json"
    return "rrc" if is_list else kind


def is_truth_of_pages(gold: Any) -> bool:
    """Return whether gold is the ground truth of pages: a page, a folder, or a pattern of pages."""
    if not isinstance(gold, Path):
        return False
    is_pattern = not gold.exists() and glob.has_magic(str(gold))
    return gold.is_dir() or is_page(gold) or (is_pattern and gold.suffix not in _content.SUFFIXES)


def _are_labels(gold: Any) -> bool:
    """Return whether gold is a competition's file of labels, an object with the questions in `data`."""
    if not isinstance(gold, Path) or not gold.exists() or {".jsonl", ".ndjson"} & set(gold.suffixes):
        return False
    _pipes.keep(gold)
    squeezed = "".join(_beginning(gold).split())
    return squeezed.startswith("{") and '"data":[' in squeezed


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
    return "table"


def _first_keys(text: str) -> set[str]:
    """Return the keys of the first object of a list or of JSON Lines, as far as the text contains them."""
    start = max(text.find("{"), 0)
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        # The value is longer than the beginning. A string that looks like a key can only cause a wrong guess.
        return set(_KEY.findall(text))
    return set(value) if isinstance(value, dict) else set()


def _beginning(path: Path) -> str:
    data = _content.beginning(path, _PEEK)
    return data.decode("utf-8" if b"\0" not in data else "utf-16", errors="replace").removeprefix("\ufeff")

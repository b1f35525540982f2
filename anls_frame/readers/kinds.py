"""Kinds of result files: the reader of each, and how to recognise one by its beginning."""

from __future__ import annotations

import glob
import inspect
import json
import re
from typing import TYPE_CHECKING, NamedTuple

from anls_frame.readers import _content
from anls_frame.readers._page_files import is_page
from anls_frame.readers._problems import Advice, Option, problem
from anls_frame.readers.dude import read_dude
from anls_frame.readers.harness import read_inspect, read_lm_eval, read_lmms_eval, read_vlmevalkit
from anls_frame.readers.pages import read_as_answers
from anls_frame.readers.rrc import read_rrc
from anls_frame.readers.table import read_results

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import polars as pl

_PEEK = 1 << 16
_KEY = re.compile(r'[{,]\s*"([^"\\]*)"\s*:')
_DUDE = {"questionId", "answers", "answers_confidence", "answers_abstained"}
_LOGGED = frozenset({"filtered_resps", "target"})


class Reader(NamedTuple):
    """The reader of a kind of file, and a check of a JSON file's beginning and first keys."""

    read: Callable[..., pl.DataFrame]
    looks_like: Callable[[str, set[str]], bool] | None = None

    @property
    def options(self) -> set[str]:
        """Names of the reader's parameters."""
        return set(inspect.signature(self.read).parameters)


def _read_submission(path: Path, *, gold: Path, allow_missing: bool = False) -> pl.DataFrame:
    return read_rrc(gold, path, allow_missing=allow_missing)


def _read_dude_submission(path: Path, *, gold: Path, allow_missing: bool = False) -> pl.DataFrame:
    return read_dude(gold, path, allow_missing=allow_missing)


def _is_submission(text: str, keys: set[str]) -> bool:
    return text.startswith("[") and keys == {"questionId", "answer"}


def _is_dude_submission(text: str, keys: set[str]) -> bool:
    return text.startswith("[") and {"questionId", "answers"} <= keys <= _DUDE


def _is_of_lmms_eval(_: str, keys: set[str]) -> bool:
    return keys >= _LOGGED and "arguments" not in keys


def _is_of_lm_eval(_: str, keys: set[str]) -> bool:
    return keys >= _LOGGED and "arguments" in keys


def _is_of_inspect(text: str, _: set[str]) -> bool:
    squeezed = "".join(text.split())
    return squeezed.startswith("{") and '"eval":{' in squeezed and '"status":' in squeezed


READERS = {
    "table": Reader(read_results),
    "rrc": Reader(_read_submission, _is_submission),
    "lmms-eval": Reader(read_lmms_eval, _is_of_lmms_eval),
    "vlmevalkit": Reader(read_vlmevalkit),
    "lm-eval": Reader(read_lm_eval, _is_of_lm_eval),
    "inspect": Reader(read_inspect, _is_of_inspect),
    "dude": Reader(_read_dude_submission, _is_dude_submission),
    "pages": Reader(read_as_answers),
}


def kind_for_gold(path: Path, gold: Path) -> str:
    """Return the kind of what is scored against these gold labels, which for pages are a folder or a page."""
    are_many = any(one.is_dir() or (not one.exists() and glob.has_magic(str(one))) for one in (path, gold))
    return "pages" if are_many or is_page(gold) else "rrc"


def kind_of(path: Path, format: str | None = None) -> str:  # noqa: A002 - what it is
    """Return the kind of a file from its name and its beginning."""
    if path.suffix.lower() == ".eval":
        return "inspect"
    if _content.file_format(path, format) not in {"json", "jsonl"}:
        return "table"
    text = _beginning(path).lstrip()
    keys = _first_keys(text)
    for name, reader in READERS.items():
        if reader.looks_like is not None and reader.looks_like(text, keys):
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

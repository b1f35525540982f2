"""The kind of a file, from its name and its beginning, and its rows by the reader of this kind."""

from __future__ import annotations

import glob
import json
import re
from collections.abc import Mapping
from typing import Any

import polars as pl

from anls_frame._messages import Message, Option
from anls_frame.files.file import SUFFIXES, File
from anls_frame.files.problems import problem
from anls_frame.files.table_files import read_table
from anls_frame.frames.usual_names import PREDICTED, SCORED
from anls_frame.readers._page_names import is_page
from anls_frame.readers.descriptions import READERS
from anls_frame.readers.questions import Gold


def read_kind(
    file: File,
    kind: str,
    options: Mapping[str, Any],
    questions: Gold | None = None,
    **of_table: Any,
) -> pl.DataFrame:
    """Read a file by its reader, with the options of that reader; answers may be in `questions`."""
    reader = READERS[kind]
    if reader.competition is not None:
        if questions is None:
            message = "this is a submission: name the file of gold labels with "
            raise problem(file, Message(message, Option("gold", ...)))
        submission: pl.DataFrame = reader.competition.submission(file, questions)
        return submission
    given = {name: value for name, value in options.items() if name in reader.parameters}
    if kind == "pages" and "gold" not in given:
        raise problem(file, Message("name the ground truth of the pages with ", Option("gold", ...)))
    if kind != "table":
        return reader.read(file, **given)
    given |= {"required": SCORED if questions is None else PREDICTED} | of_table
    frame = read_table(file, **given)
    if questions is not None and "answers" not in frame.columns and given["required"]:
        questions.check_has_answers(file)
    return frame


_KEY = re.compile(r'[{,]\s*"([^"\\]*)"\s*:')


def is_truth_of_pages(gold: Any) -> bool:
    """Return whether gold is the ground truth of pages: a page, a folder, or a pattern of pages."""
    if not isinstance(gold, File):
        return False
    path = gold.path
    is_pattern = not path.exists() and glob.has_magic(str(path))
    return path.is_dir() or is_page(path) or (is_pattern and path.suffix not in SUFFIXES)


def kind_of(file: File, format: str | None = None) -> str:  # noqa: A002 - what it is
    """Return the kind of a file from its name and its beginning."""
    for name, description in READERS.items():
        if file.path.suffix.lower() in description.suffixes:
            return name
    if file.format(format) not in {"json", "jsonl"}:
        return "table"
    text = file.beginning.lstrip()
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

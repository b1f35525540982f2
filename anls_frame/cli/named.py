"""Values such as `rrc,threshold=0.3`: a name followed by options of what it names."""

from __future__ import annotations

import csv
import json
import re
from typing import Any, NamedTuple

import click

from anls_frame._arguments import choice
from anls_frame.files.file import File
from anls_frame.protocol import ScoreProtocol, resolve_errors, resolve_protocol
from anls_frame.readers.descriptions import READER_OPTIONS, READERS

AUTO = "auto"
_ERRORS = "errors."
_NEXT_OPTION = re.compile(r",(?=[\w.]+=)")
_PYTHON = {"True": True, "False": False, "None": None}


class ChosenReader(NamedTuple):
    """The value of `--reader`: the kind of a file, or `auto` to detect it, and options of its reader."""

    name: str
    options: dict[str, Any]


class GoldFile(NamedTuple):
    """The value of `--gold`: a file or folder, and which of its columns has the ids."""

    path: File
    gold_id: str | list[str] | None = None


def protocol(text: str | ScoreProtocol) -> ScoreProtocol:
    """
    Return the protocol for a value such as ``rrc,threshold=0.3``.

    Options of the protocol for error rates are written with a dot, as in ``errors.ignore_case=true``, and
    equivalences as JSON.
    """
    if isinstance(text, ScoreProtocol):  # the default
        return text
    name, written = _with_options(text, example="rrc,threshold=0.3")
    values = {option: _value(value) for option, value in written.items()}
    for_errors = {option: values.pop(option) for option in written if option.startswith(_ERRORS)}
    try:
        chosen = resolve_protocol(name).replace(**values)
        if for_errors:
            errors = {option.removeprefix(_ERRORS): value for option, value in for_errors.items()}
            chosen = chosen.replace(errors=resolve_errors(chosen).replace(**errors))
    except (ValueError, TypeError) as error:
        raise click.BadParameter(str(error)) from None
    return chosen


def preparation(text: str | ScoreProtocol) -> ScoreProtocol:
    """
    Return the protocol that prepares the texts of a count of errors.

    It is the one named or, if the value says how errors are counted, as in ``anls,errors.unit=grapheme`` of a
    report, the one for error rates.
    """
    chosen = protocol(text)
    counts_errors = isinstance(text, str) and re.search(r",errors[.=]", text) is not None
    return resolve_errors(chosen) if counts_errors else chosen


def reader(text: str | ChosenReader) -> ChosenReader:
    """Return the reader for a value such as ``inspect,scorer=match``; `auto` has the options of all."""
    if isinstance(text, ChosenReader):  # the default
        return text
    name, written = _with_options(text, example="inspect,scorer=match")
    try:
        choice("reader", name, (AUTO, *READERS))
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    known = READER_OPTIONS if name == AUTO else READERS[name].options
    for option in (option for option in written if option not in known):
        listed = ", ".join(f"{name} ({option.help})" for name, option in known.items())
        others = f"its options are {listed}" if known else "it has none"
        raise click.BadParameter(f"{name} has no option {option!r}; {others}")
    values = {option: value if known[option].is_text else _value(value) for option, value in written.items()}
    return ChosenReader(name, values)


def gold_file(text: str) -> GoldFile:
    """Return the file for a value such as ``gold.csv,gold_id=key``."""
    path, is_named, gold_id = text.rpartition(",gold_id=")
    return GoldFile(File.of(path), columns(gold_id)) if is_named else GoldFile(File.of(text))


def columns(text: str) -> str | list[str]:
    """Return the column, or the columns, of a value such as ``image,question``; quotes protect a comma."""
    names = next(csv.reader([text]))
    return names if len(names) > 1 else names[0]


def table(text: str) -> list[str]:
    """Return the columns of a table of slices, such as ``doc_type,lang``, which are crossed."""
    return next(csv.reader([text])) if "," in text else [text]


def _with_options(text: str, example: str) -> tuple[str, dict[str, str]]:
    """Return the name, and the options as written."""
    name, *parts = _NEXT_OPTION.split(text)
    if "," in name:
        raise click.BadParameter(f"must be NAME,OPTION=VALUE,..., such as {example}, got {text!r}")
    options: dict[str, str] = {}
    for part in parts:
        option, _, value = part.partition("=")
        if option in options:
            raise click.BadParameter(f"{option} is given twice in {text!r}")
        options[option] = value
    return name, options


def _value(text: str) -> Any:
    """Return a value: true, false, null, a number or a mapping as JSON and Python write them, or a word."""
    if text in _PYTHON:
        return _PYTHON[text]
    try:
        return json.loads(text)
    except ValueError:
        return text

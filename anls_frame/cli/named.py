"""Values such as `rrc,threshold=0.3`: a name followed by options of the named object."""

from __future__ import annotations

import json
import re
from typing import Any

import typer

_NEXT_OPTION = re.compile(r",(?=[\w.]+=)")
_PYTHON = {"True": True, "False": False, "None": None}


def with_options(text: str, example: str) -> tuple[str, dict[str, str]]:
    """Return the name, and the options as written."""
    name, *parts = _NEXT_OPTION.split(text)
    if "," in name:
        raise typer.BadParameter(f"must be NAME,OPTION=VALUE,..., such as {example}, got {text!r}")
    options: dict[str, str] = {}
    for part in parts:
        option, _, value = part.partition("=")
        if option in options:
            raise typer.BadParameter(f"{option} is given twice in {text!r}")
        options[option] = value
    return name, options


def value_of(text: str) -> Any:
    """Return a value: true, false, null, a number or a mapping as JSON and Python write them, or a word."""
    if text in _PYTHON:
        return _PYTHON[text]
    try:
        return json.loads(text)
    except ValueError:
        return text

"""The option `--protocol`: the name of a preset, and other values for some of its options."""

from __future__ import annotations

import json
import re
from typing import Any

import typer

from anls_frame.protocol import ScoreProtocol, resolve_errors, resolve_protocol

_NEXT_OPTION = re.compile(r",(?=[\w.]+=)")
_ERRORS = "errors."
_PYTHON = {"True": True, "False": False, "None": None}


def parse(text: str | ScoreProtocol) -> ScoreProtocol:
    """
    Return the protocol that an option names, such as ``rrc,threshold=0.3``.

    Options of the protocol for error rates are written with a point, as in ``errors.ignore_case=true``, and
    equivalences as JSON.
    """
    if isinstance(text, ScoreProtocol):  # the default
        return text
    name, *options = _NEXT_OPTION.split(text)
    if "," in name:
        raise typer.BadParameter(f"must be NAME,OPTION=VALUE,..., such as rrc,threshold=0.3, got {text!r}")
    own: dict[str, Any] = {}
    of_errors: dict[str, Any] = {}
    for option in options:
        key, _, value = option.partition("=")
        values = of_errors if key.startswith(_ERRORS) else own
        key = key.removeprefix(_ERRORS)
        if key in values:
            raise typer.BadParameter(f"{option.partition('=')[0]} is given twice in {text!r}")
        values[key] = _value(value)
    try:
        protocol = resolve_protocol(name).replace(**own)
        if of_errors:
            protocol = protocol.replace(errors=resolve_errors(protocol).replace(**of_errors))
    except (ValueError, TypeError) as error:
        raise typer.BadParameter(str(error)) from None
    return protocol


def _value(text: str) -> Any:
    """Return a value: true, false, null, a number or a mapping as JSON and Python write them, or a word."""
    if text in _PYTHON:
        return _PYTHON[text]
    try:
        return json.loads(text)
    except ValueError:
        return text

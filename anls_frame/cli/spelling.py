"""Messages of the library with options as they are written on the command line."""

from __future__ import annotations

import ast
import re
import shlex
from typing import Any

from anls_frame.files.problems import Advice
from anls_frame.readers.descriptions import READER_OPTIONS

_OF_SHELL = re.compile(
    "answers|cluster|details|epoch|gold|keep|metric|pass_at|prediction|repeats|runs|scores|systems|unmatched"
    "|worst"
)
"""Options of the shell, besides those of readers, that messages name."""
# Quoted data in a message, or an option with its value, which may be left out.
_OPTION = re.compile(
    r"""(?<!\w)(?:'[^']*'|"[^"]*")|(?<!\S)(?P<name>[a-z_]+)=(?P<value>'[^']*'|"[^"]*"|\.\.\.|-?\w+)?"""
)


def in_shell(message: Any) -> str:
    """Return a message with options as on the command line; those of readers follow the reader's name."""
    if isinstance(message, Advice):
        return _OPTION.sub(_in_shell, message)
    return getattr(message, "in_shell", str(message))


def _in_shell(option: re.Match[str]) -> str:
    name, value = option["name"], option["value"] or ""
    value = str(ast.literal_eval(value)) if value[:1] in {"'", '"'} else value
    if name == "question_id":
        return f"--id {shlex.quote(value)}" if value else "--id"
    if name in READER_OPTIONS:
        reader = "table" if name == "format" else "auto"
        value = value.lower() if value in {"True", "False"} else value
        return f"--reader {shlex.quote(f'{reader},{name}={value}')}"
    if name == "gold_id":
        return f"--gold FILE,gold_id={value}"
    if name is None or not _OF_SHELL.fullmatch(name):
        return option[0]
    return f"--{name.replace('_', '-')}" + (f" {shlex.quote(value)}" if value not in {"", "True"} else "")

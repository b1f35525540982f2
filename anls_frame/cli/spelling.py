"""Messages of the library with options as they are written on the command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from anls_frame._messages import Either, Message, Named, Nearest, Option
from anls_frame._text import quoted

OPTIONS: ContextVar[Mapping[str, str]] = ContextVar("OPTIONS", default=MappingProxyType({}))
"""The options of the command by the names of its parameters."""
COLUMNS: ContextVar[Mapping[str, str]] = ContextVar("COLUMNS", default=MappingProxyType({}))
"""The roles that the command gives to columns, which readers rename."""

_OF_COMMANDS = {
    *("answers", "cluster", "details", "epoch", "gold", "keep", "metric", "missing", "model_confidence"),
    *("nulls", "overwrite", "pass_at", "prediction", "protocol", "repeats", "runs", "scores", "suffix"),
    *("reader", "systems", "unanswerable", "unmatched", "worst"),
}
"""Options of commands, besides those of readers, that messages name."""
_OF_REPORTS = {"metrics", "missing", "unanswerable"}
"""Options that messages name in other commands, too, such as `score` and `merge`."""
_PASSED_AS = {
    "drop": "--fail-if-drop",
    "kinds": "--kind",
    "metrics": "--metric",
    "within": "--require-within",
}
"""What the library calls other options."""
_SHARED_IDS = {"repeats": "--repeats", "rows": "--allow-repeated-ids"}


def spelled(message: Any) -> str:
    """Return a message with options as on the command line."""
    return message.spelled(_spell) if isinstance(message, Message) else str(message)


def _spell(part: Named) -> str:
    if isinstance(part, Nearest):
        role = COLUMNS.get().get(part.missing)
        renamed = f"renamed from {quoted(part.missing)} by the reader"
        return f"; did you mean {quoted(role)}, {renamed}?" if role in part.among else str(part)
    if isinstance(part, Either):
        return part.command_line
    if isinstance(part, Option):
        return _option(part)
    return OPTIONS.get().get(part.name) or _PASSED_AS.get(part.name, part.name)


def _option(option: Option) -> str:
    """Return an option with its value; those of readers follow the reader's name."""
    from anls_frame.readers.descriptions import READER_OPTIONS

    name = option.name
    value = "" if option.value is None else "..." if option.value is ... else str(option.value)
    if name == "shared_ids":
        return _SHARED_IDS[value]
    if isinstance(option.value, Mapping):  # columns of systems
        return f"--systems {shlex.quote(','.join(option.value.values()))}"
    if name == "gold_id":
        return f"--gold FILE,gold_id={value}"
    if name in READER_OPTIONS:
        reader = "table" if name == "format" else "auto"
        value = value.lower() if isinstance(option.value, bool) else value
        return f"--reader {shlex.quote(f'{reader},{name}={value}')}"
    rows = OPTIONS.get().get("rows", "--n")
    flags = {"id": "--id", "question_id": "--id", "metrics": "--metric", "n": rows}
    if name not in flags.keys() | _OF_COMMANDS:
        return str(option)
    flag = flags.get(name, f"--{name.replace('_', '-')}")
    text = flag if value in {"", "True"} else f"{flag} {shlex.quote(value)}"
    is_elsewhere = name in _OF_REPORTS and flag not in OPTIONS.get().values()
    return f"{text} of `anls-frame report`" if is_elsewhere else text

"""Messages that name options, which Python and the command line spell in their own ways."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import NamedTuple, Self, TypeAlias

SPELLING: ContextVar[Callable[[str], str]] = ContextVar("SPELLING", default=str)
"""How printed texts spell options: as in Python, or as the command line that prints them does."""


class Option(NamedTuple):
    """An option of a function, with a value where the message says one; `...` means any value."""

    name: str
    value: object = None

    def __str__(self) -> str:
        if self.value is None or self.value is ...:
            return f"{self.name}=" if self.value is None else f"{self.name}=..."
        if isinstance(self.value, str | dict):
            # Texts of JSON are literals of Python, too, in double quotes.
            return f"{self.name}={json.dumps(self.value, ensure_ascii=False)}"
        is_count = isinstance(self.value, int) and not isinstance(self.value, bool)
        return f"{self.name}={self.value:_}" if is_count else f"{self.name}={self.value!r}"


class Parameter(NamedTuple):
    """An option as the subject of a message, as in "threshold must be a number"."""

    name: str

    def __str__(self) -> str:
        return self.name


class Nearest(NamedTuple):
    """The columns among which one is missing, and the advice to take the nearest."""

    missing: str
    among: tuple[object, ...]
    advice: str

    def __str__(self) -> str:
        return self.advice


class Either(NamedTuple):
    """What Python and the command line call differently, where they share no option."""

    python: str
    command_line: str

    def __str__(self) -> str:
        return self.python


Named: TypeAlias = Option | Parameter | Nearest | Either


def for_readers(python: str, command_line: str) -> Either:
    """Return both ways to say something, for files, whose readers may use either."""
    return Either(f"{python} (on the command line, {command_line})", command_line)


class Message(str):
    """A text with its options as fields; as a string, it is that of Python."""

    __slots__ = ("parts",)
    parts: tuple[str | Named, ...]

    def __new__(cls, *parts: str | Named) -> Self:
        """Join texts, other messages and options."""
        self = super().__new__(cls, "".join(map(str, parts)))
        flat: list[str | Named] = []
        for part in parts:
            flat += part.parts if isinstance(part, Message) else [part]
        self.parts = tuple(flat)
        return self

    @classmethod
    def joined(cls, between: str, messages: Iterable[str]) -> Self:
        """Join texts and messages, as `str.join` joins texts."""
        parts = [part for message in messages for part in (between, message)]
        return cls(*parts[1:])

    def spelled(self, spell: Callable[[Named], str]) -> str:
        """Return the text with options in another spelling."""
        return "".join(part if isinstance(part, str) else spell(part) for part in self.parts)


def about(parameter: str, *said: str | Named) -> Message:
    """Return a message about a parameter, such as "threshold must be a number"."""
    return Message(Parameter(parameter), " ", *said)


def wrong(parameter: str, *said: str | Named) -> ValueError:
    """Return the error for a parameter with a wrong value."""
    return ValueError(about(parameter, *said))

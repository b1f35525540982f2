"""The option `--reader`: the kind of a file, and options of its reader."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import typer

from anls_frame._arguments import choice
from anls_frame.cli.named import value_of, with_options
from anls_frame.readers.descriptions import READER_OPTIONS, READERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anls_frame.readers.descriptions import OptionValue, ReaderOption

AUTO = "auto"


@dataclass(frozen=True, kw_only=True)
class ChosenReader:
    """The kind of a file, which may be detected, and options of its reader."""

    name: str = AUTO
    options: Mapping[str, OptionValue] = field(default_factory=dict)

    @property
    def kind(self) -> str | None:
        """The kind, unless it is to be detected."""
        return None if self.name == AUTO else self.name


def parse(text: str | ChosenReader) -> ChosenReader:
    """Return the value of `--reader`, such as ``inspect,scorer=match``; `auto` has all options."""
    if isinstance(text, ChosenReader):  # the default
        return text
    name, written = with_options(text, example="inspect,scorer=match")
    try:
        choice("reader", name, (AUTO, *READERS))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    known = READER_OPTIONS if name == AUTO else READERS[name].options
    for option in written:
        if option not in known:
            raise typer.BadParameter(f"{name} has no option {option!r}; {_listed(known)}")
    values = {
        option: value if known[option].is_text else value_of(value) for option, value in written.items()
    }
    return ChosenReader(name=name, options=values)


def _listed(known: Mapping[str, ReaderOption]) -> str:
    options = [f"{name} ({option.help})" for name, option in known.items()]
    return f"its options are {', '.join(options)}" if options else "it has none"


def described() -> str:
    """Return the help of `--reader`: the readers with their options."""
    kinds = [
        f"{name} ({', '.join(description.options)})" if description.options else name
        for name, description in READERS.items()
    ]
    return f"One of auto, {', '.join(kinds)}. Options are in brackets, as in inspect,scorer=match."

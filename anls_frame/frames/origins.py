"""
The origin of rows: the protocol of their harness, the computation of their scores, or pages of OCR.

Polars frames carry no metadata, and an extra column would be in the way. Origins are therefore stored by
frame object, as long as it lives. Nothing is known about frames derived from it.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from anls_frame._messages import Message, Option
from anls_frame.exceptions import warn
from anls_frame.protocol import PROTOCOLS, ScoreProtocol, described

_Frame = TypeVar("_Frame")


class Origin(NamedTuple):
    """The origin of a frame's rows."""

    protocol: str | None = None
    """The preset that the harness of all its files uses."""
    of_systems: Mapping[str, str | None] = {}
    """The same for each system, where these differ."""
    scores: str | None = None
    """A sentence on how its scores were computed."""
    computation: str | None = None
    """The protocol and the options by which they were computed."""
    are_pages: bool = False
    """Whether the rows are pages of OCR, in the columns of a table of questions."""
    empty_lines: str | None = None
    """"drop" if empty lines were left out of the texts of pages."""
    where: str | None = None
    """The condition by which rows were chosen while they were read."""
    left_out: Mapping[str, int] = {}
    """The numbers of questions, pages or documents that were left out while rows were read or joined."""
    columns: Mapping[str, str] = {}
    """The columns of the file that the columns with a role were read from."""
    separator: str | None = None
    """Where a reader split answers without being asked."""
    outcomes: frozenset[str] = frozenset()
    """The columns that say how a system did, such as scores and what was said of an answer."""


NO_GOLD = "documents without gold"
"""What `Origin.left_out` calls predicted documents that cannot be scored."""

_known: dict[int, tuple[weakref.ref[Any], Origin]] = {}


def remember(frame: _Frame, protocol: str | None = None, **known: Any) -> _Frame:
    """Store the origin of a frame, and return the frame."""
    origin = Origin(protocol, **known)
    if any(origin):
        number = id(frame)
        # The entry is removed before another object can get the same id.
        _known[number] = weakref.ref(frame, lambda _: _known.pop(number, None)), origin
    return frame


def add(frame: _Frame, **known: Any) -> _Frame:
    """Store more about the origin of a frame, and return the frame."""
    return remember(frame, **of(frame)._asdict() | known)


def lacking(noun: str, without: Iterable[Sequence[str]]) -> dict[str, int]:
    """Count questions or pages by the file that lacks them; `without` names the files without each one."""
    named = ("several lack" if others else f"{first} lacks" for first, *others in without)
    counts = Counter(f"{noun}s that {who}" for who in named)
    return dict(sorted(counts.items()))


def of_rows(frame: object) -> dict[str, Any]:
    """Return what is known of a frame's rows, whatever its columns: which were chosen and left out."""
    return {name: getattr(of(frame), name) for name in ("where", "left_out")}


def like(derived: _Frame, frame: object) -> _Frame:
    """Give a frame or query the origin of another frame with the same rows, and return it."""
    return derived if derived is frame else remember(derived, **of(frame)._asdict())


def of(frame: object) -> Origin:
    """Return the origin of a frame, as far as known."""
    reference, origin = _known.get(id(frame), (None, Origin()))
    return origin if reference is not None and reference() is frame else Origin()


def scored_by(frame: object, *, has_texts: bool) -> str | None:
    """Return the origin that a summary stores; for existing scores, their computation, if known."""
    origin = of(frame)
    return origin.protocol if has_texts else origin.scores or origin.protocol


def note(scored_by: str | None, protocol: ScoreProtocol, *, has_texts: bool) -> list[str]:
    """Return the note on the origin of rows, if there is one."""
    if scored_by is None:
        return []
    if has_texts:
        return difference(scored_by, protocol)
    if scored_by in PROTOCOLS:
        return [f"These scores were read from the file, whose harness uses protocol {scored_by}."]
    return [scored_by]


def difference(scored_by: str | None, protocol: ScoreProtocol) -> list[str]:
    """Return a note if the harness cuts scores or prepares texts differently."""
    # Harnesses compute no error rates.
    if scored_by is None or protocol.replace(errors="raw") == PROTOCOLS[scored_by]:
        return []
    used = described(protocol)
    if used == scored_by and protocol.threshold is None:
        used = f"{used} without a threshold"
    elif used == scored_by:
        used = f"{used} with the threshold {protocol.threshold:g}"
    uses = f"The file's harness uses protocol {scored_by}, but these scores use protocol {used}. Pass "
    return [Message(uses, Option("protocol", scored_by), " to get the harness's figures.")]


def warn_if_mixed(frame: object) -> None:
    """Warn if existing scores of a frame's systems come from harnesses with different protocols."""
    protocols = of(frame).of_systems
    by_protocol: dict[str | None, list[str]] = {}
    for system, protocol in protocols.items():
        by_protocol.setdefault(protocol, []).append(repr(system))
    if len(by_protocol) > 1:
        listed = "; ".join(
            f"{'not known' if protocol is None else protocol} for {', '.join(systems)}"
            for protocol, systems in by_protocol.items()
        )
        warn(
            "the systems' scores come from files whose harnesses use different protocols "
            f"({listed}), so they may not be comparable; to score all in the same way, pass a metric of "
            "predictions and answers"
        )

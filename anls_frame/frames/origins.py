"""
How rows were scored before: the protocol of their harness, or how their scores were computed.

Polars frames carry no metadata, and an extra column would be in the way. So the frame object itself is
remembered as long as it lives. Nothing is known about frames that are derived from it.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from anls_frame.exceptions import warn
from anls_frame.protocol import PROTOCOLS, described

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anls_frame.protocol import ScoreProtocol

_Frame = TypeVar("_Frame")


class Origin(NamedTuple):
    """What is known about a frame."""

    protocol: str | None = None
    """The preset that the harness of all its files uses."""
    of_systems: Mapping[str, str | None] = {}
    """The same for each system, where these differ."""
    scores: str | None = None
    """A sentence on how its scores were computed."""


_known: dict[int, tuple[weakref.ref[Any], Origin]] = {}


def remember(frame: _Frame, protocol: str | None = None, **known: Any) -> _Frame:
    """Return the frame, and remember what is known about it."""
    return _remember(frame, Origin(protocol, **known))


def _remember(frame: _Frame, origin: Origin) -> _Frame:
    if any(origin):
        number = id(frame)
        # The entry is removed before another object can get the same id.
        _known[number] = weakref.ref(frame, lambda _: _known.pop(number, None)), origin
    return frame


def like(derived: _Frame, frame: object) -> _Frame:
    """Return a frame or query with the rows of another frame, and remember what is known about that one."""
    return derived if derived is frame else _remember(derived, of(frame))


def of(frame: object) -> Origin:
    """Return what is known about a frame."""
    reference, origin = _known.get(id(frame), (None, Origin()))
    return origin if reference is not None and reference() is frame else Origin()


def protocol_of(frame: object) -> str | None:
    """Return the protocol that a frame's harness uses, if it is known."""
    return of(frame).protocol


def scored_by(frame: object, *, has_texts: bool) -> str | None:
    """Return what a summary of a frame keeps: of existing scores, how they were computed, if it is known."""
    origin = of(frame)
    return origin.protocol if has_texts else origin.scores or origin.protocol


def note(scored_by: str | None, protocol: ScoreProtocol, *, has_texts: bool) -> list[str]:
    """Return the note on how rows were scored before, if there is one."""
    if scored_by is None:
        return []
    if has_texts:
        said = difference(scored_by, protocol)
        return [said] if said else []
    if scored_by in PROTOCOLS:
        return [f"These scores were read from the file, whose harness uses protocol {scored_by}."]
    return [scored_by]


def difference(scored_by: str | None, protocol: ScoreProtocol) -> str:
    """Return a note if the harness cuts or prepares texts in another way, otherwise the empty string."""
    # Harnesses compute no error rates.
    if scored_by is None or protocol.replace(errors="raw") == PROTOCOLS[scored_by]:
        return ""
    used = described(protocol)
    if used == scored_by:
        used = f"{used} with the threshold {protocol.threshold:g}"
    return (
        f"The file's harness uses protocol {scored_by}, but these scores use protocol {used}. Pass protocol "
        f"{scored_by} to get the harness's figures."
    )


def warn_if_mixed(frame: object) -> None:
    """Warn that existing scores of a frame's systems come from harnesses with different protocols."""
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
            f"({listed}), so they may not be comparable; a metric of predictions and answers scores all "
            "alike"
        )

"""
The protocol that a file's harness uses, remembered for the frame that a reader returned.

Polars frames carry no metadata, and an extra column would be in the way. So the frame object itself is
remembered as long as it lives. Nothing is known about frames that are derived from it.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, TypeVar

from anls_frame.protocol import PROTOCOLS, described

if TYPE_CHECKING:
    import polars as pl

    from anls_frame.protocol import ScoreProtocol

_Frame = TypeVar("_Frame", bound="pl.DataFrame | pl.LazyFrame")

_known: dict[int, tuple[weakref.ref[Any], str]] = {}


def remember(frame: _Frame, protocol: str | None) -> _Frame:
    """Return the frame, and remember which protocol its harness uses."""
    if protocol is not None:
        number = id(frame)
        # The entry is removed before another object can get the same id.
        _known[number] = weakref.ref(frame, lambda _: _known.pop(number, None)), protocol
    return frame


def like(query: pl.LazyFrame, frame: pl.DataFrame) -> pl.LazyFrame:
    """Return a query over a frame's rows, and remember for it what is known about the frame."""
    return remember(query, protocol_of(frame))


def protocol_of(frame: object) -> str | None:
    """Return the protocol that a frame's harness uses, if it is known."""
    reference, protocol = _known.get(id(frame), (None, None))
    return protocol if reference is not None and reference() is frame else None


def difference(scored_by: str | None, protocol: ScoreProtocol) -> str:
    """Return a note if the harness uses another protocol, otherwise the empty string."""
    if scored_by is None or protocol == PROTOCOLS[scored_by]:
        return ""
    return (
        f"The file's harness uses protocol {scored_by}, but these scores use protocol "
        f"{described(protocol)}. Pass protocol {scored_by} to get the harness's figures."
    )

"""
By which protocol the harness of a file scores, remembered of the frame that a reader returned.

Polars frames carry no metadata, and a column of it would be in everybody's way. So the frame itself is known
as long as it lives. A frame made of it is another one, of which nothing is known.
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
    """Return the frame, and know from now on by which protocol its harness scores."""
    if protocol is not None:
        number = id(frame)
        # Before the number is given to another object.
        _known[number] = weakref.ref(frame, lambda _: _known.pop(number, None)), protocol
    return frame


def like(query: pl.LazyFrame, frame: pl.DataFrame) -> pl.LazyFrame:
    """Return a query of a frame's rows, and know of it what is known of the frame."""
    return remember(query, protocol_of(frame))


def protocol_of(frame: object) -> str | None:
    """Return the protocol by which the harness of a frame scores, where it is known."""
    reference, protocol = _known.get(id(frame), (None, None))
    return protocol if reference is not None and reference() is frame else None


def difference(scored_by: str | None, protocol: ScoreProtocol) -> str:
    """Return what has to be said where the harness scores by another protocol; nothing where it does not."""
    if scored_by is None or protocol == PROTOCOLS[scored_by]:
        return ""
    return (
        f"The file's harness scores by protocol {scored_by}, these are scores by protocol "
        f"{described(protocol)}. Pass protocol {scored_by} for the harness' figures."
    )

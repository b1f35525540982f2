"""Colours that plots and pages share."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping

BLUE = "#0072B2"
GREY = "#8A8A8A"
LIGHT = "#C9CED6"

# Okabe and Ito (2008), distinguishable with every kind of colour vision; without yellow, which is invisible
# on white.
PALETTE = (BLUE, "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#4D4D4D")

# From right to wrong: pale for no loss, cold colours for form, warm colours for content, grey for no
# prediction.
ERROR_COLORS = {
    "exact": "#D9DEE5",
    "case": "#A9D5F2",
    "whitespace": "#56B4E9",
    "punctuation": "#0072B2",
    "diacritics": "#8FD3B8",
    "number_format": "#009E73",
    "extra_text": "#F6DC7D",
    "truncated": "#E69F00",
    "near": "#E7A9C9",
    "wrong": "#D55E00",
    "invented": "#8C2D04",
    "empty": "#8A8A8A",
    "missing": "#525252",
}

# Cold colours for wrong or missing text, warm colours for surplus text, pale for moved text.
PAGE_COLORS = {
    "misread": "#0072B2",
    "omitted": "#56B4E9",
    "added": "#F6DC7D",
    "fabricated": "#D55E00",
    "repeated": "#E69F00",
    "moved": "#C9CED6",
}

# Any value would do; this one gives some common pairs of names very different colours.
_SALT = b"53"


def system_colors(names: Iterable[str], colors: Mapping[str, str] | None = None) -> dict[str, str]:
    """
    Return the colour of each system, by name, so that it is the same in every plot and order.

    If two names choose the same colour, the later name in the alphabet gets the next free colour or, if none
    is free, the next of the rarest. `colors` overrides.
    """
    names = list(names)
    given = chosen_colors(colors)
    chosen = {name: given[name] for name in names if name in given}
    for name in sorted(set(names) - set(chosen)):
        first = zlib.crc32(_SALT + name.encode()) % len(PALETTE)
        order = [PALETTE[(first + step) % len(PALETTE)] for step in range(len(PALETTE))]
        chosen[name] = min(order, key=[*chosen.values()].count)
    return {name: chosen[name] for name in names}


def chosen_colors(colors: Mapping[str, str] | None) -> dict[str, str]:
    """Return the colours that a caller chose; raise an error unless they have the names of systems."""
    if not isinstance(colors, Mapping | None):
        known = "a mapping from names of systems to colours, such as {'old': 'gray'}"
        raise TypeError(f"colors must be {known}, got {type(colors).__name__}")
    return dict(colors or {})


def system_color(name: str | None, color: str | None = None) -> str:
    """Return the colour of the only system in a plot, which may have no name; `color` overrides."""
    return color or (BLUE if name is None else system_colors([name])[name])

"""Colours, fonts and labels that all plots share; nothing here changes matplotlib's settings."""

from __future__ import annotations

import re
import unicodedata
import zlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from anls_frame._text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.text import Text

BLUE = "#0072B2"
ORANGE = "#E69F00"
GREY = "#8A8A8A"
LIGHT = "#C9CED6"
VERMILION = "#D55E00"

# Okabe and Ito (2008), without yellow, which is lost on white: told apart with every kind of colour vision.
PALETTE = (BLUE, ORANGE, "#009E73", VERMILION, "#CC79A7", "#56B4E9", "#4D4D4D")

# From right to wrong: pale where nothing was lost, cold for form, warm for content, grey for nothing there.
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
    "empty": "#8A8A8A",
    "missing": "#525252",
}

# Any would do; with this one a few common pairs of names are far apart.
_SALT = b"53"

LABEL_WIDTH = 34
"""Columns of text that the label of a group may take; a wide character takes two."""

_LONGEST = 200

MANY = 40
"""How many groups a plot shows unless it is told otherwise."""

_SYMBOLS = re.compile("[\u2400-\u241f]")

# Behind the reader's own font, for the scripts that it may lack; matplotlib comes with the first one only.
_FALLBACK_FONTS = (
    "DejaVu Sans",
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Noto Sans JP",
    "Noto Sans SC",
    "Source Han Sans",
    "Hiragino Sans",
    "PingFang SC",
    "Yu Gothic",
    "Microsoft YaHei",
    "Malgun Gothic",
    "WenQuanYi Zen Hei",
    "IPAGothic",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Arial Unicode MS",
)


def system_colors(names: Iterable[str], colors: Mapping[str, str] | None = None) -> dict[str, str]:
    """
    Colour of each system: the same for the same name in every plot, whatever its place.

    Two names that would share a colour are told apart, the one that comes later in the alphabet taking the
    next colour that is free. `colors` overrides.
    """
    names = list(names)
    given = dict(colors or {})
    chosen = {name: given[name] for name in names if name in given}
    for name in sorted(set(names) - set(chosen)):
        first = zlib.crc32(_SALT + name.encode()) % len(PALETTE)
        order = [PALETTE[(first + step) % len(PALETTE)] for step in range(len(PALETTE))]
        free = [color for color in order if color not in chosen.values()]
        chosen[name] = free[0] if free else order[0]
    return {name: chosen[name] for name in names}


@lru_cache(maxsize=1)
def _installed_fonts() -> frozenset[str]:
    from matplotlib.font_manager import fontManager  # noqa: PLC0415 - only for those who plot

    return frozenset(fontManager.get_font_names())


def font_families() -> list[str]:
    """Return the reader's fonts, then those of this machine that hold other scripts."""
    import matplotlib as mpl  # noqa: PLC0415 - only for those who plot

    own = [family for family in mpl.rcParams["font.family"] if isinstance(family, str)]
    installed = _installed_fonts()
    return list(dict.fromkeys((*own, *(font for font in _FALLBACK_FONTS if font in installed))))


def as_data(text: Text) -> None:
    """Show a text as it is: in a font that has its characters, and a dollar sign as a dollar sign."""
    text.set_parse_math(False)
    text.set_fontfamily(font_families())


def shown(text: str) -> str:
    """Write a text with escapes for what cannot be seen; fonts often lack the symbols that stand for it."""
    return _SYMBOLS.sub(lambda match: repr(chr(ord(match[0]) - 0x2400))[1:-1], visible(text, directions=True))


def label(value: Any) -> str:
    """Write the value of a key, short enough to stand beside an axis."""
    if isinstance(value, list | tuple):
        text = ", ".join("null" if entry is None else str(entry) for entry in value)
    else:
        text = "null" if value is None else "empty" if value == "" else str(value)
    return shortened(shown(text))


def shortened(text: str, width: int = LABEL_WIDTH) -> str:
    """Cut a text that takes more columns in its middle: long labels are often told apart by their ends."""
    if sum(map(_columns, text)) <= width:
        return text
    tail = width // 3
    return f"{_fitting(text, width - tail - 1).rstrip()}…{_fitting(text[::-1], tail)[::-1].lstrip()}"


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _fitting(text: str, width: int) -> str:
    taken = 0
    for index, character in enumerate(text):
        taken += _columns(character)
        # A text of nothing but accents takes no columns.
        if taken > width or index >= _LONGEST:
            return text[:index]
    return text


def tidy(ax: Axes, *, grid: str = "y") -> None:
    """Take away what is no data: the frame's right and upper edge, all grid lines but faint ones."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(axis=grid, color="#808080", alpha=0.22, linewidth=0.8)  # type: ignore[arg-type] # a literal there
    if grid == "x":
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)


def title(ax: Axes, text: str) -> None:
    """Put a title above, at the left, unless the axes have one."""
    if not (ax.get_title() or ax.get_title(loc="left")):
        as_data(ax.set_title(text, loc="left", fontsize="medium"))


def legend(ax: Axes, handles: Sequence[Any], names: Sequence[str], **options: Any) -> None:
    """Explain handles by names, which may begin with an underscore or hold dollar signs."""
    # Set afterwards: names that begin with an underscore are left out otherwise.
    box = ax.legend(handles, [f"entry {index}" for index in range(len(names))], frameon=False, **options)
    for text, name in zip(box.get_texts(), names, strict=True):
        as_data(text)
        text.set_text(shortened(shown(name)))


def group_axis(ax: Axes, labels: Sequence[str], *, bold: Sequence[int] = ()) -> None:
    """Name the rows of a plot of groups, the first on top."""
    ax.set_yticks(range(len(labels)), labels)
    for index, text in enumerate(ax.get_yticklabels()):
        as_data(text)
        if index in bold:
            text.set_fontweight("bold")
    ax.set_ylim(len(labels) - 0.4, -0.6)


def nothing(ax: Axes, text: str = "no rows") -> None:
    """Say that there is nothing to see."""
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", color="#606060")


def percent(share: float) -> str:
    """Write a share in percent, so that little is not nothing."""
    if 0 < share < 0.005:  # noqa: PLR2004 - half a percent rounds to 0
        return "<1 %"
    if 0.995 <= share < 1:  # noqa: PLR2004
        return ">99 %"
    return f"{100 * share:.0f} %"


def on(color: Any) -> str:
    """Return black or white, whichever is read better on a colour."""
    from matplotlib.colors import to_rgb  # noqa: PLC0415 - only for those who plot

    red, green, blue = to_rgb(color)
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"  # noqa: PLR2004


def darker(color: Any) -> tuple[float, float, float]:
    """Return the same hue, darker."""
    from matplotlib.colors import to_rgb  # noqa: PLC0415 - only for those who plot

    red, green, blue = (0.6 * part for part in to_rgb(color))
    return red, green, blue

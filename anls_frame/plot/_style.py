"""Fonts, axes and legends that all plots share, without changes to matplotlib's settings."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from anls_frame._text import shortened, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.text import Text

MANY = 40
"""The default number of groups in a plot."""


# Used after the reader's own font, for scripts that it may lack; only the first one comes with matplotlib.
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


@lru_cache(maxsize=1)
def _installed_fonts() -> frozenset[str]:
    from matplotlib.font_manager import fontManager  # noqa: PLC0415 - only to plot

    return frozenset(fontManager.get_font_names())


def font_families() -> list[str]:
    """Return the reader's fonts, then the installed ones for other scripts."""
    import matplotlib as mpl  # noqa: PLC0415 - only to plot

    own = [family for family in mpl.rcParams["font.family"] if isinstance(family, str)]
    installed = _installed_fonts()
    return list(dict.fromkeys((*own, *(font for font in _FALLBACK_FONTS if font in installed))))


def as_data(text: Text) -> None:
    """Show a text literally: in a font that has its characters, and without math between dollar signs."""
    text.set_parse_math(False)
    text.set_fontfamily(font_families())


def tidy(ax: Axes, *, grid: str = "y") -> None:
    """Remove clutter: drop the right and top spines, and draw faint grid lines behind the data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(axis=grid, color="#808080", alpha=0.22, linewidth=0.8)  # type: ignore[arg-type] # a literal there
    if grid == "x":
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)


def title(ax: Axes, text: str) -> None:
    """Set a title at the left, unless the axes already have one."""
    if not (ax.get_title() or ax.get_title(loc="left")):
        as_data(ax.set_title(text, loc="left", fontsize="medium"))


def legend(ax: Axes, handles: Sequence[Any], names: Sequence[str], **options: Any) -> None:
    """Draw a legend; names may begin with an underscore or contain dollar signs."""
    # Names are set afterwards, because matplotlib skips those that begin with an underscore.
    box = ax.legend(handles, [f"entry {index}" for index in range(len(names))], frameon=False, **options)
    for text, name in zip(box.get_texts(), names, strict=True):
        as_data(text)
        text.set_text(shortened(shown(name)))


def group_axis(ax: Axes, labels: Sequence[str], *, bold: Sequence[int] = ()) -> None:
    """Label the rows of a plot of groups, the first at the top."""
    ax.set_yticks(range(len(labels)), labels)
    for index, text in enumerate(ax.get_yticklabels()):
        as_data(text)
        if index in bold:
            text.set_fontweight("bold")
    ax.set_ylim(len(labels) - 0.4, -0.6)


def nothing(ax: Axes, text: str = "no rows") -> None:
    """Write on the axes that there is nothing to draw."""
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", color="#606060")


def percent(share: float) -> str:
    """Format a share as a percentage; a small share above 0 does not become 0 %."""
    if 0 < share < 0.005:  # noqa: PLR2004 - half a percent rounds to 0
        return "<1 %"
    if 0.995 <= share < 1:  # noqa: PLR2004
        return ">99 %"
    return f"{100 * share:.0f} %"


def on(color: Any) -> str:
    """Return black or white, whichever is more legible on a colour."""
    from matplotlib.colors import to_rgb  # noqa: PLC0415 - only to plot

    red, green, blue = to_rgb(color)
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"  # noqa: PLR2004


def darker(color: Any) -> tuple[float, float, float]:
    """Return the same hue, darker."""
    from matplotlib.colors import to_rgb  # noqa: PLC0415 - only to plot

    red, green, blue = (0.6 * part for part in to_rgb(color))
    return red, green, blue

"""Fonts, texts, colours and legends that all plots share, without changes to matplotlib's settings."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import polars as pl
from matplotlib.colors import LinearSegmentedColormap, to_hex, to_rgb, to_rgba
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.transforms import Bbox

from anls_frame import _palette, _text
from anls_frame.exceptions import warn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.colors import Normalize
    from matplotlib.legend import Legend
    from matplotlib.text import Text

DASHED = 0, (4, 3)
"""Style of lines that other figures are compared with."""

_STROKES: tuple[Any, ...] = (
    "solid",
    (0, (5, 1.5)),
    (0, (1, 1)),
    (0, (6, 1.5, 1, 1.5)),
    (0, (10, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (10, 2, 3, 2)),
)
"""Strokes of the lines that share a colour."""

_MOST_INSIDE = 6
"""The largest number of names in a legend within the axes."""

SIGNIFICANT = 0.05
"""The largest adjusted p-value of figures in bold."""

MANY = 40
"""The default number of groups in a plot."""

_LABELS, _NOTES = 0.45, 0.32
"""Shares of the width that labels of rows, and notes at the other side, take at most."""

_SMALLEST = 0.2
"""Share of their width that the axes keep, however long the labels are."""

_SHORTEST = 8
"""Number of columns to which labels are cut at most."""

_STRONGEST = {"black": "#6FB1DC", "white": "#0B4F86"}
"""The strongest colour of cells with texts of a colour, which stay legible on it (WCAG: at least 7 to 1)."""

# Used after the reader's own font, for scripts that it may lack; only the first comes with matplotlib.
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


def font_families() -> list[str]:
    """Return the reader's fonts, followed by installed fonts for other scripts."""
    own = [family for family in mpl.rcParams["font.family"] if isinstance(family, str)]
    installed = set(fontManager.get_font_names())
    return list(dict.fromkeys((*own, *(font for font in _FALLBACK_FONTS if font in installed))))


@lru_cache(maxsize=10_000)
def _has_glyph(families: tuple[str, ...], character: str) -> bool:

    files = (findfont(FontProperties(family=[family])) for family in families)
    return any(get_font(file).get_char_index(ord(character)) for file in files)


def drawable(text: str) -> str:
    """
    Replace invisible characters, and characters missing from all fonts, by their code points.

    One warning for each script says what fonts lack.
    """
    text = _text.spelled_space(_text.shown(text))
    if text.isascii():
        return text
    families = tuple(font_families())
    missing = {
        character for character in text if not (character.isascii() or _has_glyph(families, character))
    }
    for script in sorted({*map(_text.script, missing)} - {""}):
        warn(
            f"no installed font has these characters: {script}. They are drawn as code points such as "
            "⟨U+0041⟩; install a font that has them, such as one of the Noto fonts"
        )
    return "".join(f"⟨U+{ord(character):04X}⟩" if character in missing else character for character in text)


def name(text: str) -> str:
    """Return the name of a column, metric or system as a short text within another text."""
    return _text.left_to_right(_text.shortened(drawable(text)))


def names(texts: Sequence[str], most: int = _text.LABEL_WIDTH) -> list[str]:
    """Return the names of several systems as distinct short texts."""
    return _text.shortened_apart([drawable(text) for text in texts], most)


class Label(NamedTuple):
    """Label of a group: whether it describes a value rather than shows it, and whether it stands out."""

    text: str
    is_mark: bool = False
    is_bold: bool = False


def label(keys: Sequence[Any]) -> Label:
    """Return the whole label of a group."""
    texts = [_text.whole_label(key, drawable) for key in keys]
    if len(keys) == 1:
        return Label(texts[0], is_mark=keys[0] is None or keys[0] == "")
    return Label(" / ".join(map(_text.left_to_right, texts)))


def cut(labels: Sequence[Label], most: int = _text.LABEL_WIDTH) -> list[Label]:
    """Return labels that are short enough, and distinct as before."""
    texts = _text.shortened_apart([label.text for label in labels], most)
    return [label._replace(text=text) for label, text in zip(labels, texts, strict=True)]


def as_data(text: Text) -> None:
    """Show a text literally: in a font that has its characters, and without math between dollar signs."""
    text.set_parse_math(False)
    text.set_fontfamily(font_families())


def marker_scale() -> float:
    """Return how much larger markers and lines are drawn than usual."""
    return min(scale(), 1.5)


def score_in_row(
    ax: Axes,
    row: float,
    figures: Sequence[Any],
    color: str,
    *,
    marker: str = "o",
    size: float,
    width: float,
    linestyle: Any = "solid",
    alpha: float | None = None,
    column_ends: Sequence[float | None] = (None,),
) -> None:
    """
    Draw a score and the ends of its interval, whatever there is; the point of few rows is hollow.

    The row may be a score too, with an interval of its own.
    """
    score, *ends, is_few = figures
    line: dict[str, Any] = {"color": color, "linewidth": width * marker_scale(), "linestyle": linestyle}
    for draw, place, own_ends in ((ax.hlines, row, ends), (ax.vlines, score, column_ends)):
        if None not in own_ends:
            draw(place, *own_ends, alpha=alpha, **line)
    if score is not None:
        look: dict[str, Any] = {"color": color, "markersize": size * marker_scale()}
        ax.plot(score, row, marker, markerfacecolor=background(ax) if is_few else color, **look)


def as_heading(text: Text) -> None:
    """Show the text of a title or axis literally; a text set by the user in its place may still hold math."""
    text.set_fontfamily(font_families())
    if "$" in text.get_text():
        text.set_parse_math(False)


def scale() -> float:
    """Return how much larger than usual the fonts are, so that new figures grow with them."""
    settings: Any = mpl.rcParams
    names = ("font.size", "axes.labelsize", "xtick.labelsize", "ytick.labelsize")
    sizes = [FontProperties(size=settings[name]).get_size_in_points() for name in names]
    return max(*sizes, 10.0) / 10


def line_looks(
    names: Iterable[str], colors: Mapping[str, str] | None, *, is_nameless: bool
) -> dict[str, dict[str, Any]]:
    """
    Return the colour and the stroke of each line by name; lines of the same colour differ in their strokes.

    A single line whose name is not that of a system is blue.
    """
    alone = dict.fromkeys(names, _palette.BLUE) if is_nameless else None
    shared: dict[str, Iterator[Any]] = {}
    return {
        name: {"color": color, "linestyle": next(shared.setdefault(color, itertools.cycle(_STROKES)))}
        for name, color in _palette.system_colors(names, _palette.chosen_colors(colors) or alone).items()
    }


def legend_height(names: Collection[Any]) -> float:
    """Return how many inches higher a new figure must be for a legend that is above the axes."""
    return 0.06 * len(names) if len(names) > _MOST_INSIDE else 0.0


def finish(
    ax: Axes,
    given_title: str | None,
    label: str,
    beside: str = "",
    *,
    own_title: str = "",
    handles: Sequence[Any] = (),
    names: Sequence[str | Label] = (),
    loc: str = "",
) -> Axes:
    """
    Label the axes, and draw grid lines, the title, and a legend: of few names in the axes at `loc`, or above.

    The y axis has a label and grid lines only if `beside` is given, which plots of rows do not need.
    """
    xlabel(ax, label)
    if beside:
        as_heading(ax.set_ylabel(beside))
    tidy(ax, grid="both" if beside else "x")
    if loc and 0 < len(names) <= _MOST_INSIDE:
        legend(ax, handles, names, loc=loc)
    elif names:
        legend_above(ax, handles, names)
    title(ax, own_title, given_title)
    return ax


def cells(
    ax: Axes,
    values: npt.NDArray[Any],
    texts: Mapping[tuple[int, ...], str],
    *,
    norm: Normalize,
    aspect: Literal["auto", "equal"],
    fontsize: str,
) -> list[Text]:
    """Draw numbers as coloured cells with texts in them; the lowest are almost the background."""
    behind = background(ax)
    cmap = LinearSegmentedColormap.from_list("cells", [to_hex(behind), _STRONGEST[on(behind)]])
    image = ax.imshow(values, cmap=cmap, norm=norm, aspect=aspect)
    colors = {cell: image.cmap(norm(values[cell])) for cell in texts if isfinite(values[cell])}
    return [
        ax.text(
            column, row, text, ha="center", va="center", fontsize=fontsize, in_layout=False,
            color=on(colors[row, column]) if (row, column) in colors else ink(ax),
        )
        for (row, column), text in texts.items()
    ]  # fmt: skip


def tidy(ax: Axes, *, grid: str = "y") -> None:
    """Remove clutter: drop the right and top spines, and draw faint grid lines below the data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(visible=False)
    ax.grid(visible=True, axis=grid, color="#808080", alpha=0.22, linewidth=0.8)  # type: ignore[arg-type] # a literal there
    if grid == "x":
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)


def title(ax: Axes, own: str, given: str | None = None) -> None:
    """
    Set the given title or, if the axes have none yet, the default title.

    It takes the place of `Axes.set_title`, so that a title set later replaces it.
    """
    if not (own or given):
        return
    if given is None and any(ax.get_title(loc=side) for side in ("left", "center", "right")):
        return
    text = ax.set_title(own, fontsize="medium") if given is None else ax.set_title(given)
    as_heading(text)
    if given is None:
        _wrap(ax, text)


def xlabel(ax: Axes, own: str) -> None:
    """Label the x axis, in as many lines as its width requires."""
    text = ax.set_xlabel(own)
    as_heading(text)
    _wrap(ax, text)


def _wrap(ax: Axes, text: Text) -> None:
    # Layouts leave no room for the width of titles and labels, and matplotlib's own wrapping fails while a
    # text is outside the figure.
    width, inside = measured(text).width, ax.get_window_extent().width
    # A short text fits however wide the labels are; to measure those takes as long as to draw them.
    if width <= inside * (1 if ax.figure.get_layout_engine() is None else _SMALLEST):
        return
    lines = text.get_text().split("\n")
    room = widths(ax)
    share = (room.axes + 2 * min(room.left, room.right)) / max(width, 1)
    if share < 1:
        most = max(int(share * max(map(len, lines))), _SHORTEST)
        text.set_text("\n".join(textwrap.fill(line, most) for line in lines))


def legend(ax: Axes, handles: Sequence[Any], names: Sequence[str | Label], **options: Any) -> Legend:
    """Draw a legend; names may begin with an underscore or contain dollar signs, and labels are not cut."""
    # Names are set afterwards, because matplotlib skips those that begin with an underscore.
    texts = [f"entry {index}" for index in range(len(names))]
    box = ax.legend(handles, texts, **{"frameon": False, **options})
    plain = [entry for entry in names if isinstance(entry, str)]
    short = iter(_text.shortened_apart([drawable(entry) for entry in plain]))
    for text, entry in zip(box.get_texts(), names, strict=True):
        as_data(text)
        text.set_text(entry.text if isinstance(entry, Label) else next(short))
        if isinstance(entry, Label) and entry.is_mark:
            text.set_fontstyle("italic")
    return box


def legend_above(ax: Axes, handles: Sequence[Any], names: Sequence[str | Label]) -> float:
    """
    Draw a legend above the axes, in as few lines as fit, with a band that keeps titles off it.

    Return the height of the band in points.
    """
    room = widths(ax)
    width = room.left + room.axes
    options: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1, 1)}
    # Strokes, which tell the lines of a colour apart, need a longer piece.
    are_stroked = len(names) > len(_palette.PALETTE) and isinstance(handles[0], Line2D)
    length = 2.6 if are_stroked else 1.0
    options |= {"columnspacing": 1.2, "handlelength": length, "borderaxespad": 0.2, "borderpad": 0.2}
    # The legend gets smaller before it takes many lines.
    sizes = [*(("small", lines) for lines in range(1, 4)), *(("x-small", n + 2) for n in range(len(names)))]
    for size, lines in sizes:
        columns = -(-len(names) // lines)
        box = measured(legend(ax, handles, names, ncols=columns, fontsize=size, **options))
        if box.width <= width:
            break
    height = float(box.height * 72 / ax.figure.dpi + 3)
    band_above(ax, height)
    return height


def group_axis(ax: Axes, labels: Sequence[Label], most: int = _text.LABEL_WIDTH) -> None:
    """
    Label the rows of a plot of groups from top to bottom; words for null and empty are in italics.

    Labels are cut to `most` columns, and further in narrow axes.
    """
    texts = _label_rows(ax, cut(labels, most))
    widest = max((measured(text).width for text in texts), default=0.0)
    share = _LABELS * given_width(ax) / max(widest, 1.0)
    if share < 1:
        longest = max(_text.text_width(text.get_text()) for text in texts)
        _label_rows(ax, cut(labels, max(int(share * longest), _SHORTEST)))
    ax.set_ylim(len(labels) - 0.4, -0.6)


def _label_rows(ax: Axes, labels: Sequence[Label]) -> list[Text]:
    ax.set_yticks(range(len(labels)), [label.text for label in labels])
    for label, text in zip(labels, ax.get_yticklabels(), strict=True):
        as_data(text)
        text.set_fontweight("bold" if label.is_bold else "normal")
        text.set_fontstyle("italic" if label.is_mark else "normal")
    return ax.get_yticklabels()


def side(ax: Axes, texts: Sequence[str], bold: Sequence[int] = ()) -> None:
    """Write a text next to each row, to the right of the axes; narrow axes omit parts in brackets."""
    notes = [
        ax.annotate(
            text, (1, row), (6, 0), xycoords=ax.get_yaxis_transform(), textcoords="offset points",
            va="center", fontsize="small", color=ink(ax, 0.8), annotation_clip=False,
            weight="bold" if row in bold else "normal",
        )
        for row, text in enumerate(texts)
    ]  # fmt: skip
    widest = max((measured(note).width for note in notes), default=0)
    if widest > _NOTES * given_width(ax):
        for note, text in zip(notes, texts, strict=True):
            note.set_text(text.partition(" [")[0])


_AROUND = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))
"""Places for the name of a point, the best first: next to its lines rather than on them."""


def name_points(ax: Axes, names: Sequence[str], points: npt.NDArray[Any], bold: Sequence[bool]) -> int:
    """
    Name points, some in bold, where names cover neither names nor points; return how many have no such place.

    The figure is laid out first, because only then is it known what covers what.
    """
    ax.figure.figure.draw_without_rendering()
    inside, step = ax.get_window_extent(), ax.figure.dpi / 72
    places = ax.transData.transform(points)
    taken = [Bbox([place - 4 * step, place + 4 * step]) for place in places]
    unnamed = 0
    for text, position, is_bold, place in zip(names, points, bold, places, strict=True):
        drawn = ax.annotate(
            text, position, (0, 0), textcoords="offset points", fontsize="small", color=ink(ax),
            weight="bold" if is_bold else "normal", in_layout=False,
        )  # fmt: skip
        as_data(drawn)
        # Lines of intervals may cross a name.
        drawn.set_path_effects([withStroke(linewidth=2.5, foreground=background(ax))])
        box = measured(drawn)
        for distance, side in itertools.product((5, 10, 16), _AROUND):
            corner = place + np.array(side) * distance * step + (np.array(side) - 1) / 2 * box.size
            own = Bbox([corner, corner + box.size])
            if inside.contains(*own.min) and inside.contains(*own.max) and not own.count_overlaps(taken):
                drawn.set_position((corner - box.min) / step)
                taken.append(own)
                break
        else:
            drawn.remove()
            unnamed += 1
    return unnamed


def turn_crowded(ax: Axes) -> None:
    """Turn the labels below the axes if they would run into each other."""
    texts = ax.get_xticklabels()
    if 1.15 * sum(measured(text).width for text in texts) > widths(ax).axes:
        for text in texts:
            text.set(rotation=45, ha="right", rotation_mode="anchor")


def no_frame(ax: Axes) -> None:
    """Remove everything around cells but their labels."""
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
    ax.grid(visible=False)


def percent_ticks(axis: Axis) -> None:
    """Label the ticks of an axis of shares or rates in per cent."""
    axis.set_major_formatter(_percent)


def _percent(value: float, _: object) -> str:
    # Not within the other function, where it could not be pickled with its axes.
    return f"{round(100 * value, 7):g} %"


def sliced_by(columns: Sequence[str]) -> str:
    """Return the end of a title that names the columns of slices."""
    return f" by {name(' and '.join(columns))}" if columns else ""


def significant(frame: pl.DataFrame) -> list[int]:
    """Return the rows of a result whose adjusted p-value is at most 0.05, as in `Comparison.regressed`."""
    if "p_adjusted" not in frame.columns:
        return []
    return [row for row, p in enumerate(frame["p_adjusted"]) if p is not None and p <= SIGNIFICANT]


def nothing(ax: Axes, text: str = "no rows") -> None:
    """Write on the axes that there is nothing to draw."""
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", color=ink(ax, 0.7))


def not_shown(hidden: int) -> str:
    """Return the end of an axis label that states the number of omitted groups."""
    return f" ({hidden:,} more groups not shown)" if hidden else ""


def background(ax: Axes) -> tuple[float, float, float]:
    """Return the background colour of the data, white unless a style changes it."""
    for color in (ax.get_facecolor(), ax.figure.get_facecolor()):
        red, green, blue, opacity = to_rgba(color)
        if opacity:
            return red, green, blue
    return 1.0, 1.0, 1.0


def ink(ax: Axes, strength: float = 1.0) -> str:
    """Return the colour of texts, mixed with the background, so that it is legible in dark styles too."""
    text, behind = to_rgb(mpl.rcParams["text.color"]), background(ax)
    red, green, blue = (strength * fg + (1 - strength) * bg for fg, bg in zip(text, behind, strict=True))
    return to_hex((red, green, blue))


def on(color: Any) -> str:
    """Return black or white, whichever has more contrast on a colour, as defined by WCAG."""
    red, green, blue = (((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(color))
    # Where black and white have the same contrast.
    return "black" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else "white"  # noqa: PLR2004


def darker(color: Any) -> tuple[float, float, float]:
    """Return the same hue, darker."""
    red, green, blue = (0.6 * part for part in to_rgb(color))
    return red, green, blue


def band_above(ax: Axes, height: float, gap: float = 0.0) -> Axes:
    """
    Reserve a band above the axes, whose size is in points.

    Titles, even if set later, go above the band, because matplotlib puts titles above inset axes but not
    above legends.
    """
    band = ax.inset_axes((0, 1, 1, 0.1))
    band.set_axis_off()
    band.set_axes_locator(partial(_above, ax, height, gap))
    return band


def _above(ax: Axes, height: float, gap: float, *_: object) -> Bbox:
    """Return the place of a band as wide as the axes, whose height stays when the axes change theirs."""
    figure, box = ax.figure, ax.get_position()
    point = figure.dpi / 72 / figure.bbox.height
    return Bbox.from_bounds(box.x0, box.y1 + gap * point, box.width, height * point)


def measured(artist: Any) -> Bbox:
    """Return the box of an artist or of axes with all their texts, in pixels."""
    box: Bbox = artist.get_tightbbox()
    return box


def given_width(ax: Axes) -> float:
    """Return the width that a layout gives to the axes with all their texts, in pixels."""
    spec = ax.get_subplotspec()
    if spec is None:
        return float(ax.get_window_extent().width)
    return float(ax.figure.bbox.width * len(spec.colspan) / spec.get_gridspec().ncols)


class Widths(NamedTuple):
    """Widths of the laid-out axes, and of the texts next to them, in pixels."""

    left: float
    axes: float
    right: float


def widths(ax: Axes) -> Widths:
    """Return the widths of the axes and of the texts next to them."""
    inside, box = ax.get_window_extent(), measured(ax)
    left, right = max(inside.x0 - box.x0, 0.0), max(box.x1 - inside.x1, 0.0)
    if ax.figure.get_layout_engine() is None:
        return Widths(left, inside.width, right)
    # Layouts keep a little space at the edges.
    inner = 0.97 * given_width(ax) - left - right
    return Widths(left, max(inner, _SMALLEST * inside.width), right)

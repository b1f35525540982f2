"""Plots of character confusions, and of the edit matrix of two texts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from matplotlib.collections import LineCollection
from matplotlib.colors import PowerNorm
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from anls_frame import _text
from anls_frame._arguments import count, string
from anls_frame.export.display import spelled
from anls_frame.frames.conversion import to_lazy
from anls_frame.pairs import matrices
from anls_frame.pairs.matrices import ANOTHER_PATH, OPERATION_WORDS, Across, EditMatrix, oriented
from anls_frame.plot import _inputs, _style
from anls_frame.summary.details import without_case

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["confusion_matrix", "edit_matrix"]


_CELL = 0.34
_NOTHING = "∅"
_START = "ε"
_LONGEST = 40
_NARROWEST = 3.5
_LINE = 0.2
_EDGE = "#80808040"
# The colours of alignments in notebooks.
_OPERATIONS = {"equal": "#D9DEE5", "replace": "#E69F00", "insert": "#009E73", "delete": "#D55E00"}
_COLUMNS = ("reference_char", "predicted_char", "count")
_LONG_TICK = 3
"""A label of more columns than that is turned, so that it does not run into its neighbours."""
_SYMBOLS = {
    "␣": "space",
    "\\n": "line feed",
    "\\r": "carriage return",
    "\\t": "tab",
    _text.CARRIER: "accent",
}
"""Meanings of symbols, for the axis label."""
_CONFUSIONS = _inputs.Input(
    "confusion_matrix",
    "a frame from `confusions` with the columns reference_char, predicted_char and count, or a report or "
    "summary made with details=True",
)
_TEXTS = _inputs.Input("edit_matrix", "two texts, or a result of `anls_frame.edit_matrix`")


def confusion_matrix(
    confusions: Any, *, max_characters: int = 20, title: str | None = None, ax: Axes | None = None
) -> Axes:
    """
    Draw the most frequent character confusions as a matrix of counts.

    Parameters
    ----------
    confusions
        A report or a summary made with ``details=True``, or a frame from `confusions`, not a frame of rows:
        `reference_char`, `predicted_char` and `count`; a null character is missing on this side (∅). Of a
        report whose scores ignore case, changes of case are left out. Counts of groups in a frame are added
        up; if groups overlap, filter the frame for a single group.
    max_characters
        Maximum number of characters on each side, those of the most frequent confusions.
    title
        Title, in place of the default title; `""` for none.
    ax
        Axes to draw on; by default, new axes on their own figure, sized for the matrix.

    Returns
    -------
    Axes
        Axes with the characters of the reference from top to bottom and those of the prediction from left to
        right; the title states the share of errors shown. The axis labels explain symbols; characters missing
        from all installed fonts are shown by their code points.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the counts are not numeric.
    TypeError
        If `confusions` has another type, or `ax` is not an Axes.
    ValueError
        If `max_characters` is not an integer of at least 1, or the report has not counted confusions.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> frame = pl.DataFrame({"reference_char": ["I", None], "predicted_char": ["l", " "], "count": [4, 1]})
    >>> ax = af.plot.confusion_matrix(frame)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['I', '∅']
    """
    most = count("max_characters", max_characters, 1)
    letters = "errors"
    if _inputs.is_result(confusions):
        summary = _CONFUSIONS.summary(confusions)
        every = _CONFUSIONS.detail(confusions, "confusions", ())
        confusions = without_case(every, summary.settings)
        letters += " without changes of case" if confusions.height < every.height else ""
    confusions = _CONFUSIONS.frame(confusions)
    _CONFUSIONS.check(confusions, _COLUMNS)
    _CONFUSIONS.numbers(confusions, ["count"])
    pairs = (
        to_lazy(confusions, [], _COLUMNS)
        .group_by(pl.col("reference_char").cast(pl.String), pl.col("predicted_char").cast(pl.String))
        .agg(pl.col("count").sum())
        .sort("count", "reference_char", "predicted_char", descending=[True, False, False], nulls_last=True)
        .collect()
    )
    shown = _most_frequent(pairs, most)
    references, predictions = (_by_count(shown, name) for name in _COLUMNS[:2])
    ax = _inputs.axes(ax, 1.4 + _CELL * max(len(predictions), 8), 1.3 + _CELL * max(len(references), 3))
    drawn = [*map(character_label, (*references, *predictions))]
    if shown.height:
        _label_sides(ax, drawn[len(references) :], drawn[: len(references)])
        _draw_counts(ax, shown, references, predictions)
    else:
        ax.set(xticks=[], yticks=[])
    meanings = [
        f"{symbol}: {word}" for symbol, word in _SYMBOLS.items() if any(symbol in label for label in drawn)
    ]
    explained = f"\n{', '.join(meanings)}" if meanings else ""
    _style.as_heading(ax.set_ylabel(f"reference ({_NOTHING}: added)"))
    _style.xlabel(ax, f"predicted ({_NOTHING}: left out){explained}")
    total = int(pairs["count"].sum())
    share = spelled(int(shown["count"].sum()) / total, (), "share") if total else ""
    _style.title(ax, f"{share} of {total:,} {letters}" if total else f"no {letters}", title)
    return ax


def edit_matrix(
    prediction: str | EditMatrix,
    reference: str | None = None,
    *,
    substitution_cost: int = 1,
    across: Across = "prediction",
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw the edit matrix of two texts and its cheapest paths.

    The number in a cell is the edit distance between the prefix of the reference down to its row and the
    prefix of the prediction up to its column. A step down omits a character, a step to the right adds a
    character, a diagonal step keeps or replaces a character.

    Parameters
    ----------
    prediction
        The predicted text, a single string of at most 40 characters; not a frame. Alternatively, the result
        of `anls_frame.edit_matrix`, without the other texts and costs.
    reference
        The correct text, of at most 40 characters.
    substitution_cost
        Cost of a substitution; an insertion or a deletion costs 1.
    across
        The text that runs from left to right above the matrix: `"prediction"` or `"reference"`. The other
        text runs down the side; with `"reference"`, steps down and steps to the right swap their roles.
    title
        Title, in place of the default title; `""` for none.
    ax
        Axes to draw on; by default, new axes on their own figure, sized for the matrix.

    Returns
    -------
    Axes
        Axes with one cheapest path, coloured by operation and explained by a legend, and all other paths as
        dotted lines.

    Raises
    ------
    TypeError
        If a text is not a string, the cost is not an integer, or `ax` is not an Axes.
    ValueError
        If a text is too long, the cost is negative, or `across` has another value.

    See Also
    --------
    anls_frame.edit_matrix : the matrix as data.
    anls_frame.pairs.alignment : the path as text.

    Notes
    -----
    Wagner and Fischer (1974). If a substitution costs 1, the coloured path equals that of `edit_ops`.

    Examples
    --------
    >>> import anls_frame as af
    >>> print(af.plot.edit_matrix("cat", "cafe").get_title())
    2 edits: 1 replaced, 1 left out
    one of 2 cheapest paths
    """
    if isinstance(prediction, matrices.EditMatrix):
        if reference is not None or substitution_cost != 1:
            raise ValueError("reference and substitution_cost must not be given for a finished matrix")
        matrix = prediction
    else:
        if not isinstance(prediction, str):
            raise _TEXTS.error(prediction)
        matrix = matrices.edit_matrix(
            prediction, string("reference", reference), substitution_cost=substitution_cost
        )
    for name in ("prediction", "reference"):
        n = len(getattr(matrix, name))
        if n > _LONGEST:
            raise ValueError(f"{name} must have at most {_LONGEST} characters, got {n}")
    above, beside = matrix.sides(across)
    described, present = matrix.described(), set(matrix.operations())
    legend = [(word, _OPERATIONS[kind]) for kind, word in OPERATION_WORDS.items() if kind in present]
    legend += [(ANOTHER_PATH, "")] if matrix.on_any_path.sum() > len(matrix.path) else []
    # Wider than the cells need: if the height limits their size, the legend still has room.
    height = 0.8 + _LINE * (len(described) + len(legend)) + _CELL * (len(beside) + 1)
    ax = _inputs.axes(ax, max(1.4 + _CELL * (len(above) + 1), _NARROWEST), height)
    steps = dict(zip(matrix.path, ["equal", *matrix.operations()], strict=True))
    for row, column in itertools.product(range(len(beside) + 1), range(len(above) + 1)):
        cell = oriented((row, column), across)
        color = _OPERATIONS[steps[cell]] if cell in steps else "none"
        corner = column - 0.5, row - 0.5
        ax.add_patch(Rectangle(corner, 1, 1, facecolor=color, edgecolor=_EDGE, linewidth=0.6))
        number = ax.text(column, row, str(matrix.distances[cell]), ha="center", va="center", fontsize="small")
        number.set_fontweight("bold" if cell in steps else "normal")
        if matrix.on_any_path[cell]:
            # On top of the lines of the paths.
            background = color if cell in steps else _style.background(ax)
            number.set_bbox({"facecolor": background, "edgecolor": "none", "pad": 1.2})
        # Cells off all paths are grey.
        number.set_color(
            _style.on(color) if cell in steps else _style.ink(ax, 1 if matrix.on_any_path[cell] else 0.55)
        )
    _draw_paths(ax, matrix, across)
    ax.set_xlim(-0.5, len(above) + 0.5)
    ax.set_ylim(len(beside) + 0.5, -0.5)
    # In the middle of the figure, where the title has room.
    ax.set_aspect("equal", anchor="N")
    ax.xaxis.tick_top()
    _label_sides(ax, *([_START, *map(character_label, side)] for side in (above, beside)))
    names = ("prediction", "reference") if across == "prediction" else ("reference", "prediction")
    ax.set_xlabel(names[0])
    ax.xaxis.set_label_position("top")
    ax.set_ylabel(names[1])
    if legend:
        _draw_legend(ax, legend)
    _style.title(ax, "\n".join(described), title)
    return ax


def _draw_paths(ax: Axes, matrix: EditMatrix, across: Across) -> None:
    """Draw the path as a solid line, and the steps of all other cheapest paths as dotted lines."""
    rows, columns = zip(*(oriented(cell, across) for cell in matrix.path), strict=True)
    ax.plot(columns, rows, color=_style.ink(ax, 0.75), alpha=0.35, linewidth=1.5, zorder=1.5)
    taken = set(itertools.pairwise(matrix.path))
    others = [
        [oriented(cell, across)[::-1], oriented(following, across)[::-1]]
        for cell in zip(*(indices.tolist() for indices in matrix.on_any_path.nonzero()), strict=True)
        for following in matrix.next_cells(cell)
        if (cell, following) not in taken
    ]
    if others:
        color = _style.ink(ax, 0.75)
        ax.add_collection(LineCollection(others, colors=[color], linestyles="dotted", zorder=1.5))


def _draw_legend(ax: Axes, entries: Sequence[tuple[str, str]]) -> None:
    """Explain the colours of operations, and the dotted lines of other paths, which have none."""
    handles = [
        Patch(facecolor=color, edgecolor=_EDGE)
        if color
        else Line2D([], [], color=_style.ink(ax, 0.75), linestyle="dotted")
        for _, color in entries
    ]
    options: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0, 0), "fontsize": "small"}
    options |= {"borderaxespad": 0.4, "borderpad": 0, "handlelength": 1.2}
    _style.legend(ax, handles, [word for word, _ in entries], **options)


def _label_sides(ax: Axes, above: Sequence[str], beside: Sequence[str]) -> None:
    """Label the columns and rows of a matrix; above or below it, long labels are turned, and these alone."""
    ax.set_xticks(range(len(above)), above)
    ax.set_yticks(range(len(beside)), beside)
    for text in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        _style.as_data(text)
    for label, text in zip(above, ax.get_xticklabels(), strict=True):
        text.set_rotation(90 if _text.text_width(label) > _LONG_TICK else 0)
    _style.no_frame(ax)


def _most_frequent(pairs: pl.DataFrame, most: int) -> pl.DataFrame:
    """Return the pairs of those characters that occur in the most frequent confusions."""
    chosen: tuple[dict[str | None, None], ...] = ({}, {})
    for pair in pairs.select(_COLUMNS[:2]).iter_rows():
        if all(
            character in known or len(known) < most for character, known in zip(pair, chosen, strict=True)
        ):
            for character, known in zip(pair, chosen, strict=True):
                known[character] = None
    references, predictions = (pl.Series(list(known), dtype=pl.String).implode() for known in chosen)
    return pairs.filter(
        pl.col("reference_char").is_in(references, nulls_equal=True)
        & pl.col("predicted_char").is_in(predictions, nulls_equal=True)
    )


def _by_count(pairs: pl.DataFrame, side: str) -> list[str | None]:
    """Return the characters of a side, most frequent first and null last."""
    totals = pairs.group_by(side).agg(pl.col("count").sum())
    order = totals.sort(pl.col(side).is_null(), "count", side, descending=[False, True, False])
    return order[side].to_list()


def _draw_counts(
    ax: Axes, pairs: pl.DataFrame, references: Sequence[str | None], predictions: Sequence[str | None]
) -> None:

    counts = np.full((len(references), len(predictions)), np.nan)
    texts: dict[tuple[int, ...], str] = {}
    for reference, predicted, n in pairs.select(_COLUMNS).iter_rows():
        cell = references.index(reference), predictions.index(predicted)
        counts[cell], texts[cell] = n, _short(int(n))
    # A square-root scale; on a linear one, a single frequent confusion would make all others white.
    norm = PowerNorm(0.5, 0, max(float(np.nanmax(counts)) * 1.15, 1))
    _style.cells(ax, counts, texts, norm=norm, aspect="equal", fontsize="x-small")
    ax.set_xticks([column - 0.5 for column in range(len(predictions) + 1)], minor=True)
    ax.set_yticks([row - 0.5 for row in range(len(references) + 1)], minor=True)
    ax.grid(which="minor", color="#808080", alpha=0.25, linewidth=0.6)


def character_label(character: str | None) -> str:
    """Return a visible label for one character or a few, in characters that the installed fonts have."""
    if character is None:
        return _NOTHING
    return _style.drawable(_text.seen_characters(character))


def _short(count: int) -> str:
    thousand, million = 1_000, 1_000_000
    if count < 10 * thousand:
        return str(count)
    return f"{count / thousand:.0f}k" if count < million else f"{count / million:.0f}M"

"""Which characters are taken for which, and how one text becomes another."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame import _text
from anls_frame._arguments import count, string
from anls_frame.frames.conversion import to_lazy
from anls_frame.plot import _inputs, _style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.patches import Rectangle

    from anls_frame.pairs.matrices import Across, EditMatrix

__all__ = ["confusion_matrix", "edit_matrix"]

_CELL = 0.34
_NOTHING = "∅"
_START = "ε"
_LONGEST = 40
_NARROWEST = 3.5
_LINE = 0.2
_OTHER_PATHS = "#404040"
# As alignments in notebooks mark them.
_OPERATIONS = {"equal": "#D9DEE5", "replace": "#E69F00", "insert": "#009E73", "delete": "#D55E00"}
_COLUMNS = ("reference_char", "predicted_char", "count")


def confusion_matrix(confusions: Any, *, max_characters: int = 20, ax: Axes | None = None) -> Axes:
    """
    Draw the most frequent confusions of characters, as a matrix of counts.

    Parameters
    ----------
    confusions
        The frame that `confusions` returns, no frame of rows: `reference_char`, `predicted_char` and
        `count`; a null character is one that is missing on this side (∅). Groups are added up: filter one of
        groups that overlap.
    max_characters
        How many characters are shown on each side, those of the most frequent confusions.
    ax
        Where to draw; new axes, on a figure of their own and as large as the matrix needs, by default.

    Returns
    -------
    Axes
        With the characters of the reference from top to bottom and those of the prediction from left to
        right; the title says which share of all errors is shown.

    Raises
    ------
    ColumnNotFoundError
        If the frame has no such columns.
    DTypeError
        If the counts are no numbers.
    TypeError
        If it is no frame, or `ax` are no axes.
    ValueError
        If `max_characters` is no number from 1 on.

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
    _inputs.numbers(confusions, ["count"])
    pairs = (
        to_lazy(confusions, [], _COLUMNS)
        .group_by(pl.col("reference_char").cast(pl.String), pl.col("predicted_char").cast(pl.String))
        .agg(pl.col("count").sum())
        .sort("count", "reference_char", "predicted_char", descending=[True, False, False], nulls_last=True)
        .collect()
    )
    shown = _most_frequent(pairs, most)
    sides = [_by_count(shown, name) for name in _COLUMNS[:2]]
    ax = _inputs.axes(ax, 1.4 + _CELL * max(len(sides[1]), 8), 1.3 + _CELL * max(len(sides[0]), 3))
    if shown.height:
        _draw_counts(ax, shown, *sides)
    else:
        ax.set(xticks=[], yticks=[])
    _style.as_data(ax.set_xlabel(f"predicted ({_NOTHING}: left out)"))
    _style.as_data(ax.set_ylabel(f"reference ({_NOTHING}: added)"))
    total = int(pairs["count"].sum())
    share = _style.percent(int(shown["count"].sum()) / total) if total else ""
    _style.title(ax, f"{share} of {total:,} errors" if total else "no errors")
    return ax


def edit_matrix(
    prediction: str,
    reference: str,
    *,
    substitution_cost: int = 1,
    across: Across = "prediction",
    ax: Axes | None = None,
) -> Axes:
    """
    Draw the table from which the edit distance of two texts is read, and its cheapest paths.

    The number in a cell is the distance between the beginning of the reference down to its row and the
    beginning of the prediction up to its column. A step down leaves a character out, a step to the right
    adds one, a diagonal step keeps or replaces one.

    Parameters
    ----------
    prediction
        The predicted text, of at most 40 characters: one text; no frame.
    reference
        The text as it should be, of at most 40 characters.
    substitution_cost
        What a substitution costs, beside 1 for an insertion or a deletion.
    across
        Which of the texts stands above the table, from left to right: the "prediction" or the "reference".
        The other one goes down its side, and steps down and to the right change their roles.
    ax
        Where to draw; new axes, on a figure of their own and as large as the table needs, by default.

    Returns
    -------
    Axes
        With one cheapest path in the colours of its steps, which a legend explains, and all others as dotted
        lines.

    Raises
    ------
    TypeError
        If an argument is not a string, the cost is not a whole number, or `ax` are not axes.
    ValueError
        If a text is longer, the cost is negative, or `across` is neither of the two.

    See Also
    --------
    anls_frame.edit_matrix : the table as data.
    anls_frame.alignment : the same path, as text.

    Notes
    -----
    Wagner and Fischer (1974). Where a substitution costs 1, the path in colours is the one of `edit_ops`.

    Examples
    --------
    >>> import anls_frame as af
    >>> print(af.plot.edit_matrix("cat", "cafe").get_title(loc="left"))
    2 edits: 1 replaced, 1 left out
    one of 2 cheapest paths
    """
    for name, text in (("prediction", prediction), ("reference", reference)):
        string(name, text)
        if len(text) > _LONGEST:
            raise ValueError(f"{name} has {len(text)} characters; the table has room for {_LONGEST}")
    from anls_frame.pairs import matrices  # noqa: PLC0415 - imports numpy

    matrix = matrices.edit_matrix(prediction, reference, substitution_cost=substitution_cost)
    above, beside = matrix.sides(across)
    described = matrix.described()
    lines = len(described) + len(_legend_entries(matrix))
    # Wider than the cells need: where the height decides on their size, there is room for the legend.
    height = 0.8 + _LINE * lines + _CELL * (len(beside) + 1)
    ax = _inputs.axes(ax, max(1.4 + _CELL * (len(above) + 1), _NARROWEST), height)
    steps = dict(zip(matrix.path, ["equal", *matrix.operations()], strict=True))
    for row, column in itertools.product(range(len(beside) + 1), range(len(above) + 1)):
        cell = matrices.oriented((row, column), across)
        color = _OPERATIONS[steps[cell]] if cell in steps else "none"
        ax.add_patch(_square(column, row, color))
        number = ax.text(column, row, str(matrix.distances[cell]), ha="center", va="center", fontsize="small")
        number.set_fontweight("bold" if cell in steps else "normal")
        if matrix.on_any_path[cell]:
            # Over the lines of the paths.
            background = color if cell in steps else ax.get_facecolor()
            number.set_bbox({"facecolor": background, "edgecolor": "none", "pad": 1.2})
        # Off the paths in the colour of a remark.
        off_paths = "#707070" if not matrix.on_any_path[cell] else "black"
        number.set_color(_style.on(color) if cell in steps else off_paths)
    _draw_paths(ax, matrix, across)
    ax.set_xlim(-0.5, len(above) + 0.5)
    ax.set_ylim(len(beside) + 0.5, -0.5)
    # At the left, where its title has room.
    ax.set_aspect("equal", anchor="NW")
    ax.set_xticks(range(len(above) + 1), [_START, *map(character_label, above)])
    ax.set_yticks(range(len(beside) + 1), [_START, *map(character_label, beside)])
    ax.xaxis.tick_top()
    for tick in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        _style.as_data(tick)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    names = ("prediction", "reference") if across == "prediction" else ("reference", "prediction")
    ax.set_xlabel(names[0])
    ax.xaxis.set_label_position("top")
    ax.set_ylabel(names[1])
    _draw_legend(ax, matrix)
    _style.title(ax, "\n".join(described))
    return ax


def _draw_paths(ax: Axes, matrix: EditMatrix, across: Across) -> None:
    """Draw the path as a line, and the steps that only other cheapest paths take as dotted ones."""
    from matplotlib.collections import LineCollection  # noqa: PLC0415 - only for those who plot

    from anls_frame.pairs.matrices import oriented  # noqa: PLC0415 - imports numpy

    cells = [oriented(cell, across) for cell in matrix.path]
    ax.plot(
        [column for _, column in cells],
        [row for row, _ in cells],
        color="#404040",
        alpha=0.35,
        linewidth=1.5,
        zorder=1.5,
    )
    taken = set(itertools.pairwise(matrix.path))
    others = [
        [oriented(cell, across)[::-1], oriented(following, across)[::-1]]
        for cell in zip(*(places.tolist() for places in matrix.on_any_path.nonzero()), strict=True)
        for following in matrix.next_cells(cell)
        if (cell, following) not in taken
    ]
    if others:
        ax.add_collection(LineCollection(others, colors=_OTHER_PATHS, linestyles="dotted", zorder=1.5))


def _legend_entries(matrix: EditMatrix) -> list[tuple[str, str]]:
    """Return what the colours of the path mean, and the dots, as far as there are any."""
    from anls_frame.pairs.matrices import ANOTHER_PATH, OPERATION_WORDS  # noqa: PLC0415 - imports numpy

    present = set(matrix.operations())
    entries = [
        (word, _OPERATIONS[operation]) for operation, word in OPERATION_WORDS.items() if operation in present
    ]
    return [*entries, (ANOTHER_PATH, "")] if matrix.on_any_path.sum() > len(matrix.path) else entries


def _draw_legend(ax: Axes, matrix: EditMatrix) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415 - only for those who plot
    from matplotlib.patches import Patch  # noqa: PLC0415

    entries = _legend_entries(matrix)
    if not entries:
        return
    handles = [
        Patch(facecolor=color, edgecolor="#80808040")
        if color
        else Line2D([], [], color=_OTHER_PATHS, linestyle="dotted")
        for _, color in entries
    ]
    _style.legend(
        ax,
        handles,
        [word for word, _ in entries],
        loc="upper left",
        bbox_to_anchor=(0, 0),
        borderaxespad=0.4,
        borderpad=0,
        handlelength=1.2,
        fontsize="small",
    )


def _square(column: int, row: int, color: str) -> Rectangle:
    from matplotlib.patches import Rectangle  # noqa: PLC0415 - only for those who plot

    return Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=color, edgecolor="#80808040", linewidth=0.6)


def _most_frequent(pairs: pl.DataFrame, most: int) -> pl.DataFrame:
    """Return the pairs of the characters that the most frequent confusions are of."""
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
    """Return the characters of a side, the most frequent first and the missing one last."""
    totals = pairs.group_by(side).agg(pl.col("count").sum())
    order = totals.sort(pl.col(side).is_null(), "count", side, descending=[False, True, False])
    return order[side].to_list()


def _draw_counts(
    ax: Axes, pairs: pl.DataFrame, references: Sequence[str | None], predictions: Sequence[str | None]
) -> None:
    import numpy as np  # noqa: PLC0415 - only for those who plot
    from matplotlib.colors import PowerNorm  # noqa: PLC0415

    counts = np.full((len(references), len(predictions)), np.nan)
    for reference, predicted, n in pairs.select(_COLUMNS).iter_rows():
        counts[references.index(reference), predictions.index(predicted)] = n
    largest = float(np.nanmax(counts))
    # By the root of the count: one frequent confusion would make all others white.
    image = ax.imshow(counts, cmap="Blues", norm=PowerNorm(0.5, 0, max(largest * 1.15, 1)), aspect="equal")
    for row, column in zip(*np.nonzero(~np.isnan(counts)), strict=True):
        color = _style.on(image.cmap(image.norm(counts[row, column])))
        text = ax.text(column, row, _short(int(counts[row, column])), color=color)
        text.set(ha="center", va="center", fontsize="x-small")
    ax.set_xticks(range(len(predictions)), [character_label(one) for one in predictions])
    ax.set_yticks(range(len(references)), [character_label(one) for one in references])
    for text in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        _style.as_data(text)
    ax.set_xticks([place - 0.5 for place in range(len(predictions) + 1)], minor=True)
    ax.set_yticks([place - 0.5 for place in range(len(references) + 1)], minor=True)
    ax.grid(which="minor", color="#808080", alpha=0.25, linewidth=0.6)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)


def character_label(character: str | None) -> str:
    """Write a character, or a few, so that it is seen."""
    if character is None:
        return _NOTHING
    text = _text.shown(character).replace(" ", "␣")
    known = {"\u00a0": "NBSP", "\u3000": "U+3000", "\u200b": "ZWSP", "\u00ad": "SHY", "\u202f": "NNBSP"}
    if text in known:
        return known[text]
    return f"U+{ord(text):04X}" if len(text) == 1 and text.isspace() else text


def _short(count: int) -> str:
    thousand, million = 1_000, 1_000_000
    if count < 10 * thousand:
        return str(count)
    return f"{count / thousand:.0f}k" if count < million else f"{count / million:.0f}M"

"""Dynamic-programming table of an edit distance, for teaching and plotting."""

from __future__ import annotations

import itertools
import reprlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from anls_frame._arguments import choice, type_name
from anls_frame._text import spelled_space, visible
from anls_frame.pairs.edits import Operation, edits_between, runs, single
from anls_frame.protocol import check_substitution_cost

if TYPE_CHECKING:
    import polars as pl


LONGEST = 1_000
_WIDEST_IN_NOTEBOOKS = 60
_MANY = 10**9

Across = Literal["prediction", "reference"]
Cell: TypeAlias = tuple[int, int]
"""Number of characters consumed of the reference and of the prediction."""

OPERATION_WORDS: dict[Operation, str] = {
    "equal": "kept",
    "replace": "replaced",
    "insert": "added",
    "delete": "left out",
}
ANOTHER_PATH = "another cheapest path"

# As in alignments, on any background; equal characters too, because they are part of the path.
_BACKGROUNDS: dict[Operation, str] = {
    "equal": "rgba(128,128,128,.28)",
    "replace": "rgba(230,159,0,.5)",
    "insert": "rgba(0,158,115,.45)",
    "delete": "rgba(213,94,0,.5)",
}
_CELL = "padding:.15em .55em;text-align:center;min-width:1.2em;border:1px solid rgba(128,128,128,.35)"
_OTHER = "outline:2px dashed rgba(128,128,128,.9);outline-offset:-3px"
_SWATCH = "display:inline-block;width:.9em;height:.9em;margin:0 .35em 0 0;vertical-align:-.1em"


@dataclass(frozen=True, eq=False)
class EditMatrix:
    """
    Distances between all prefixes of two texts, and the cheapest paths through this table.

    Use `edit_matrix` to create one. When printed, the table shows one cheapest path in brackets and the cells
    of all others in parentheses; in a notebook, this path has the colours of its steps.

    Parameters
    ----------
    prediction, reference
        The two texts.
    distances
        Distance between the first i characters of the reference (rows) and the first j of the prediction
        (columns): `int32`, of shape (reference + 1, prediction + 1).
    path
        The cells (i, j) of one cheapest path, from (0, 0) to the last one: a step down is a deletion, a step
        to the right an insertion, a diagonal step a match if the characters are equal, otherwise a
        substitution.
    substitution_cost
        Cost of a substitution; an insertion or a deletion costs 1.

    Examples
    --------
    >>> import anls_frame as af
    >>> print(af.edit_matrix("cat", "cafe"))
            c   a   t
         [0]  1   2   3
    c     1  [0]  1   2
    a     2   1  [0]  1
    f     3   2  (1) [1]
    e     4   3   2  [2]
    """

    prediction: str
    reference: str
    distances: npt.NDArray[np.int32]
    path: tuple[Cell, ...]
    substitution_cost: int = 1

    @property
    def distance(self) -> int:
        """The edit distance: the last cell."""
        return int(self.distances[-1, -1])

    @cached_property
    def on_any_path(self) -> npt.NDArray[np.bool_]:
        """Whether each cell is on a cheapest path, in the shape of the distances."""
        rest = _distances(self.prediction[::-1], self.reference[::-1], self.substitution_cost)[::-1, ::-1]
        on_any: npt.NDArray[np.bool_] = self.distances + rest == self.distance
        return on_any

    @property
    def n_paths(self) -> int:
        """
        Number of cheapest paths, which can be very large.

        Examples
        --------
        >>> import anls_frame as af
        >>> af.edit_matrix("cat", "cafe").n_paths
        2
        """
        # Row by row, so that a cell comes after all cells that lead to it; only the next ones are kept.
        counts = {(0, 0): 1}
        for row, column in np.argwhere(self.on_any_path).tolist():
            count = counts.pop((row, column))
            for cell in self.next_cells((row, column)):
                counts[cell] = counts.get(cell, 0) + count
        return count

    def paths(self) -> Iterator[tuple[Cell, ...]]:
        """
        Yield all cheapest paths one by one, each in the form of `path`.

        The number of paths can be very large: check `n_paths`, or take some with `itertools.islice`.

        Examples
        --------
        >>> import anls_frame as af
        >>> for path in af.edit_matrix("cat", "cafe").paths():
        ...     print(path)
        ((0, 0), (1, 1), (2, 2), (3, 3), (4, 3))
        ((0, 0), (1, 1), (2, 2), (3, 2), (4, 3))
        """
        path, choices = [(0, 0)], [iter(self.next_cells((0, 0)))]
        while choices:
            if path[-1] == (len(self.reference), len(self.prediction)):
                yield tuple(path)
            cell = next(choices[-1], None)
            if cell is None:
                choices.pop()
                path.pop()
            else:
                path.append(cell)
                choices.append(iter(self.next_cells(cell)))

    def next_cells(self, cell: Cell) -> list[Cell]:
        """Return the cells that follow a cell on cheapest paths: diagonal, down, right."""
        row, column = cell
        rows, columns = self.distances.shape
        following = []
        for down, right in ((1, 1), (1, 0), (0, 1)):
            to = row + down, column + right
            if to[0] >= rows or to[1] >= columns or not self.on_any_path[to]:
                continue
            if self.distances[to] - self.distances[cell] == self._cost(cell, to):
                following.append(to)
        return following

    def operation(self, cell: Cell, following: Cell) -> Operation:
        """Return the operation of the step from a cell to the next one on a path."""
        if cell[0] == following[0]:
            return "insert"
        if cell[1] == following[1]:
            return "delete"
        is_equal = self.reference[cell[0]] == self.prediction[cell[1]]
        return "equal" if is_equal else "replace"

    def operations(self) -> list[Operation]:
        """Return the operations of `path`, step by step."""
        return [self.operation(*step) for step in itertools.pairwise(self.path)]

    def to_polars(self) -> pl.DataFrame:
        """
        Return the table as a frame with one row per cell.

        Returns
        -------
        DataFrame
            Columns `reference_pos`, `prediction_pos` (`Int64`, characters consumed), `reference_char`,
            `predicted_char` (`String`, the last character consumed, null before the first), `distance`
            (`Int64`), `on_path` (`Boolean`, on `path`) and `on_any_path` (`Boolean`, on any cheapest path).

        Examples
        --------
        >>> import anls_frame as af
        >>> af.edit_matrix("cat", "cafe").to_polars().filter("on_path")["distance"].to_list()
        [0, 0, 0, 1, 2]
        """
        rows, columns = self.distances.shape
        on_path = np.zeros(self.distances.shape, dtype=bool)
        on_path[tuple(np.array(self.path).T)] = True
        import polars as pl  # noqa: PLC0415 - single pairs do without

        position = pl.Int64
        return pl.DataFrame(
            {
                "reference_pos": pl.Series(np.repeat(np.arange(rows), columns), dtype=position),
                "prediction_pos": pl.Series(np.tile(np.arange(columns), rows), dtype=position),
                "reference_char": [letter for letter in [None, *self.reference] for _ in range(columns)],
                "predicted_char": [None, *self.prediction] * rows,
                "distance": pl.Series(self.distances.ravel(), dtype=position),
                "on_path": on_path.ravel(),
                "on_any_path": self.on_any_path.ravel(),
            },
            schema_overrides={"reference_char": pl.String, "predicted_char": pl.String},
        )

    def to_text(self, *, across: Across = "prediction") -> str:
        """
        Return the table as lines of text.

        Parameters
        ----------
        across
            The text that runs from left to right above the table: `"prediction"` or `"reference"`. The other
            text runs down the left side.

        Returns
        -------
        str
            One cheapest path in brackets, the cells of all others in parentheses.

        Raises
        ------
        ValueError
            If `across` is neither `"prediction"` nor `"reference"`.

        Examples
        --------
        >>> import anls_frame as af
        >>> print(af.edit_matrix("cat", "cafe").to_text(across="reference"))
                c   a   f   e
             [0]  1   2   3   4
        c     1  [0]  1   2   3
        a     2   1  [0] (1)  2
        t     3   2   1  [1] [2]
        """
        above, beside = self.sides(across)
        digits = len(str(self.distances.max()))
        lines = [" " * (digits + 6) + "".join(f" {visible(letter):>{digits}}  " for letter in above)]
        on_path = set(self.path)
        for down, letter in enumerate(["", *beside]):
            cells = []
            for right in range(len(above) + 1):
                cell = oriented((down, right), across)
                marks = "[]" if cell in on_path else "()" if self.on_any_path[cell] else "  "
                cells.append(f"{marks[0]}{self.distances[cell]:>{digits}}{marks[1]} ")
            lines.append(f"{visible(letter):<5}{''.join(cells)}")
        return "\n".join(line.rstrip() for line in lines)

    def to_html(self, *, across: Across = "prediction") -> str:
        """
        Return the table as HTML, with the path coloured by operation and a legend.

        Parameters
        ----------
        across
            The text that runs from left to right above the table, as for `to_text`.

        Returns
        -------
        str
            One `div` without scripts or external references. The texts are escaped. Cells of other cheapest
            paths have a dashed border.

        Raises
        ------
        ValueError
            If `across` is neither `"prediction"` nor `"reference"`.

        Examples
        --------
        >>> import anls_frame as af
        >>> 'title="replaced"' in af.edit_matrix("cat", "cafe").to_html()
        True
        """
        above, beside = self.sides(across)
        steps = dict(zip(self.path, ["equal", *self.operations()], strict=True))
        head = "".join(_head(letter) for letter in ["", "", *above])
        lines = []
        for down, letter in enumerate(["", *beside]):
            cells = []
            for right in range(len(above) + 1):
                cell = oriented((down, right), across)
                cells.append(self._html_cell(cell, steps.get(cell)))
            lines.append(f"<tr>{_head(letter)}{''.join(cells)}</tr>")
        first, second = ("prediction", "reference") if across == "prediction" else ("reference", "prediction")
        table = (
            '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.3em 0">'
            f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
        )
        caption = f'<div style="margin:.3em 0"><b>{"; ".join(self.described())}</b></div>'
        sides = f'<div style="opacity:.75">{first} from left to right, {second} from top to bottom</div>'
        return f'<div class="anls-edit-matrix">{caption}{sides}{table}{self._html_legend()}</div>'

    def described(self) -> list[str]:
        """Describe the cost of the path and its steps, and say whether there are other cheapest paths."""
        operations = self.operations()
        counts = [
            f"{operations.count(operation)} {word}"
            for operation, word in OPERATION_WORDS.items()
            if operation != "equal" and operation in operations
        ]
        if not counts:
            text = "no edits"
        elif self.substitution_cost == 1:
            text = f"{self.distance} edit{'s' if self.distance > 1 else ''}: {', '.join(counts)}"
        else:
            text = f"cost {self.distance}: {', '.join(counts)}"
        n_paths = self.n_paths
        if n_paths == 1:
            return [text]
        return [
            text,
            f"one of {n_paths:,} cheapest paths" if n_paths < _MANY else "one of many cheapest paths",
        ]

    def sides(self, across: Across) -> tuple[str, str]:
        """Return the text above the table and the one on its left."""
        choice("across", across, get_args(Across))
        pair = self.prediction, self.reference
        return pair if across == "prediction" else pair[::-1]

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        texts = f"prediction={reprlib.repr(self.prediction)}, reference={reprlib.repr(self.reference)}"
        return f"<EditMatrix {texts}, distance={self.distance}>"

    def _repr_html_(self) -> str | None:
        if max(self.distances.shape) > _WIDEST_IN_NOTEBOOKS:
            return None
        return self.to_html()

    def _cost(self, cell: Cell, following: Cell) -> int:
        operation = self.operation(cell, following)
        return 0 if operation == "equal" else self.substitution_cost if operation == "replace" else 1

    def _html_cell(self, cell: Cell, operation: Operation | None) -> str:
        distance = self.distances[cell]
        if operation is not None:
            style = f"{_CELL};font-weight:bold;background:{_BACKGROUNDS[operation]}"
            title = OPERATION_WORDS[operation] if cell != (0, 0) else "start"
            return f'<td title="{title}" style="{style}">{distance}</td>'
        if self.on_any_path[cell]:
            return f'<td title="{ANOTHER_PATH}" style="{_CELL};{_OTHER}">{distance}</td>'
        return f'<td style="{_CELL};opacity:.65">{distance}</td>'

    def _html_legend(self) -> str:
        present = {*self.operations()}
        entries = [
            f'<span style="{_SWATCH};background:{_BACKGROUNDS[operation]}"></span>{word}'
            for operation, word in OPERATION_WORDS.items()
            if operation in present
        ]
        if self.on_any_path.sum() > len(self.path):
            entries.append(f'<span style="{_SWATCH};{_OTHER}"></span>{ANOTHER_PATH}')
        spans = "".join(f'<span style="margin-inline-end:1.2em">{entry}</span>' for entry in entries)
        return f'<div style="font-size:90%">{spans}</div>'


def edit_matrix(prediction: str, reference: str, *, substitution_cost: int = 1) -> EditMatrix:
    """
    Return the dynamic-programming table of the edit distance, with its cheapest paths.

    Parameters
    ----------
    prediction
        The predicted text, of at most 1,000 characters.
    reference
        The correct text, of at most 1,000 characters.
    substitution_cost
        Cost of a substitution; an insertion or a deletion costs 1, as for `levenshtein`.

    Returns
    -------
    EditMatrix
        The distances as a numpy array, one cheapest path (with a substitution cost of 1, the path of
        `edit_ops` and `alignment`), and all others; `to_polars` returns it as a frame.

    Raises
    ------
    TypeError
        If an argument is not a string, or the cost is not an integer.
    ValueError
        If a text is too long for a table, or the cost is negative.

    See Also
    --------
    anls_frame.plot.edit_matrix : a plot of the table.

    Notes
    -----
    D[i, j] = min(D[i-1, j] + 1, D[i, j-1] + 1, D[i-1, j-1] + c · [r_i ≠ p_j]) with the substitution cost c,
    from Wagner and Fischer (1974).

    Examples
    --------
    >>> import anls_frame as af
    >>> matrix = af.edit_matrix("cat", "cafe")
    >>> matrix.distance
    2
    >>> matrix.path
    ((0, 0), (1, 1), (2, 2), (3, 3), (4, 3))
    >>> matrix.n_paths
    2
    >>> af.edit_matrix("cat", "cafe", substitution_cost=2).distance
    3
    """
    check_substitution_cost(substitution_cost)
    cost = int(substitution_cost)
    for name, text in (("prediction", prediction), ("reference", reference)):
        if not isinstance(text, str):
            raise TypeError(f"{name} must be a string, got {type_name(text)}")
        if len(text) > LONGEST:
            raise ValueError(f"{name} must have at most {LONGEST:,} characters, got {len(text):,}")
    edits = ((edit.op, edit.reference_pos, 1) for edit in edits_between(prediction, reference))
    starts = ((step.reference, step.prediction) for step in single(runs(edits, len(reference))))
    path = (*starts, (len(reference), len(prediction)))
    matrix = EditMatrix(prediction, reference, _distances(prediction, reference, cost), path, cost)
    return matrix if cost == 1 else replace(matrix, path=next(matrix.paths()))


def oriented(cell: Cell, across: Across) -> Cell:
    """Return the cell at a position (down, right) of the displayed table, or the position of a cell."""
    return cell if across == "prediction" else (cell[1], cell[0])


def _distances(prediction: str, reference: str, cost: int) -> npt.NDArray[np.int32]:
    # A substitution that costs 3 or more is never on a cheapest path; one that costs 2 can be.
    cost = min(cost, 3)
    columns = np.arange(len(prediction) + 1, dtype=np.int32)
    letters = np.array(list(prediction), dtype="U1")
    table = np.empty((len(reference) + 1, len(prediction) + 1), dtype=np.int32)
    table[0] = columns
    for i, letter in enumerate(reference, start=1):
        above = table[i - 1]
        best = np.append(i, np.minimum(above[1:] + 1, above[:-1] + cost * (letters != letter)))
        # A run of insertions: each cell is the minimum over the cells to its left, plus the distance to them.
        table[i] = np.minimum.accumulate(best - columns) + columns
    return table


def _head(letter: str) -> str:
    # Isolated, so that a letter of a right-to-left script does not move its neighbours.
    shown = f"<bdi>{escape(spelled_space(visible(letter)))}</bdi>" if letter else ""
    return f'<th style="padding:.15em .55em;text-align:center;font-weight:bold">{shown}</th>'

"""The table behind an edit distance, for teaching and for drawing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anls_frame.alignments import Alignment
from anls_frame.export.characters import visible

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl

__all__ = ["EditMatrix", "edit_matrix"]

LONGEST = 1_000


@dataclass(frozen=True, eq=False)
class EditMatrix:
    """
    All distances between the beginnings of two texts, and the path of the fewest edits through them.

    Made by `edit_matrix`. Printed, it is a table with the path in brackets.

    Parameters
    ----------
    prediction, reference
        The two texts.
    distances
        Distance of the first i characters of the reference (rows) to the first j of the prediction
        (columns): `int32`, of shape (reference + 1, prediction + 1).
    path
        The cells (i, j) from (0, 0) to the last one: a step down is a deletion, one to the right an
        insertion, a diagonal one a substitution, or a match where the distance stays the same.

    Examples
    --------
    >>> import anls_frame as af
    >>> print(af.edit_matrix("cat", "cafe"))
            c   a   t
         [0]  1   2   3
    c     1  [0]  1   2
    a     2   1  [0]  1
    f     3   2   1  [1]
    e     4   3   2  [2]
    """

    prediction: str
    reference: str
    distances: npt.NDArray[np.int32]
    path: tuple[tuple[int, int], ...]

    @property
    def distance(self) -> int:
        """The edit distance: the last cell."""
        return int(self.distances[-1, -1])

    def to_polars(self) -> pl.DataFrame:
        """
        Return the table with a row for each cell.

        Returns
        -------
        DataFrame
            Columns `reference_pos`, `prediction_pos` (`UInt32`, characters taken so far), `reference_char`,
            `predicted_char` (`String`, the last of them, null before the first), `distance` (`UInt32`) and
            `on_path` (`Boolean`).

        Examples
        --------
        >>> import anls_frame as af
        >>> af.edit_matrix("cat", "cafe").to_polars().filter("on_path")["distance"].to_list()
        [0, 0, 0, 1, 2]
        """
        import numpy as np  # noqa: PLC0415 - takes longer to import than the package
        import polars as pl  # noqa: PLC0415 - single pairs do without

        rows, columns = self.distances.shape
        on_path = np.zeros(self.distances.shape, dtype=bool)
        on_path[tuple(np.array(self.path).T)] = True
        position = pl.UInt32
        return pl.DataFrame(
            {
                "reference_pos": pl.Series(np.repeat(np.arange(rows), columns), dtype=position),
                "prediction_pos": pl.Series(np.tile(np.arange(columns), rows), dtype=position),
                "reference_char": [letter for letter in [None, *self.reference] for _ in range(columns)],
                "predicted_char": [None, *self.prediction] * rows,
                "distance": pl.Series(self.distances.ravel(), dtype=position),
                "on_path": on_path.ravel(),
            },
            schema_overrides={"reference_char": pl.String, "predicted_char": pl.String},
        )

    def __str__(self) -> str:
        on_path = set(self.path)
        digits = len(str(self.distances.max()))
        letters = [visible(letter, directions=True) for letter in self.prediction]
        lines = [" " * (digits + 6) + "".join(f" {letter:>{digits}}  " for letter in letters)]
        for i, letter in enumerate(["", *self.reference]):
            cells = (
                f"[{distance:>{digits}}] " if (i, j) in on_path else f" {distance:>{digits}}  "
                for j, distance in enumerate(self.distances[i])
            )
            lines.append(f"{visible(letter, directions=True):<5}{''.join(cells)}")
        return "\n".join(line.rstrip() for line in lines)


def edit_matrix(prediction: str, reference: str) -> EditMatrix:
    """
    Return the dynamic-programming table of the edit distance, with its path.

    Parameters
    ----------
    prediction
        The predicted text, of at most 1,000 characters.
    reference
        The text as it should be, of at most 1,000 characters.

    Returns
    -------
    EditMatrix
        The distances as a numpy array and the path that `edit_ops` and `alignment` take through them; as a
        frame with `to_polars`.

    Raises
    ------
    TypeError
        If an argument is no string.
    ValueError
        If a text is too long for a table.

    Notes
    -----
    D[i, j] = min(D[i-1, j] + 1, D[i, j-1] + 1, D[i-1, j-1] + [r_i ≠ p_j]), from Wagner and Fischer (1974).

    Examples
    --------
    >>> import anls_frame as af
    >>> matrix = af.edit_matrix("cat", "cafe")
    >>> matrix.distance
    2
    >>> matrix.path
    ((0, 0), (1, 1), (2, 2), (3, 3), (4, 3))
    """
    aligned = Alignment(prediction, reference)
    for name, text in (("prediction", prediction), ("reference", reference)):
        if len(text) > LONGEST:
            raise ValueError(f"{name} has {len(text):,} characters; a table takes {LONGEST:,} at most")
    return EditMatrix(prediction, reference, _distances(prediction, reference), _path(aligned))


def _distances(prediction: str, reference: str) -> npt.NDArray[np.int32]:
    import numpy as np  # noqa: PLC0415 - as above

    columns = np.arange(len(prediction) + 1, dtype=np.int32)
    letters = np.array(list(prediction), dtype="U1")
    table = np.empty((len(reference) + 1, len(prediction) + 1), dtype=np.int32)
    table[0] = columns
    for i, letter in enumerate(reference, start=1):
        above = table[i - 1]
        best = np.append(i, np.minimum(above[1:] + 1, above[:-1] + (letters != letter)))
        # Insertions come one after the other: each cell is the smallest of those before it, plus the way.
        table[i] = np.minimum.accumulate(best - columns) + columns
    return table


def _path(aligned: Alignment) -> tuple[tuple[int, int], ...]:
    path = [(0, 0)]
    for op, reference, prediction in aligned.segments():
        down, right = int(op != "insert"), int(op != "delete")
        for _ in range(max(len(reference), len(prediction))):
            i, j = path[-1]
            path.append((i + down, j + right))
    return tuple(path)

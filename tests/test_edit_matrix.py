"""The table of distances is the textbook's, and its path the one that the edits take."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
import strategies
from hypothesis import given
from rapidfuzz.distance import Levenshtein

import anls_frame as af


@given(strategies.nearby_texts(2))
def test_each_cell_is_the_distance_of_the_beginnings(texts: tuple[str, str]) -> None:
    prediction, reference = (text[:40] for text in texts)
    matrix = af.edit_matrix(prediction, reference)
    assert matrix.distances.tolist() == [
        [Levenshtein.distance(reference[:i], prediction[:j]) for j in range(len(prediction) + 1)]
        for i in range(len(reference) + 1)
    ]
    assert matrix.distance == Levenshtein.distance(prediction, reference)


@given(strategies.nearby_texts(2))
def test_the_path_takes_the_edits(texts: tuple[str, str]) -> None:
    prediction, reference = texts
    matrix = af.edit_matrix(prediction, reference)
    assert matrix.path[0] == (0, 0)
    assert matrix.path[-1] == (len(reference), len(prediction))
    names = {(1, 1): "replace", (1, 0): "delete", (0, 1): "insert"}
    edits = []
    for (i, j), cell in itertools.pairwise(matrix.path):
        cost = int(matrix.distances[cell] - matrix.distances[i, j])
        op = names[cell[0] - i, cell[1] - j]
        assert cost in ({0, 1} if op == "replace" else {1})
        if cost:
            edits.append((op, i, j))
    assert edits == Levenshtein.editops(reference, prediction).as_list()


@given(strategies.nearby_texts(2))
def test_the_frame_holds_the_cells(texts: tuple[str, str]) -> None:
    prediction, reference = (text[:15] for text in texts)
    matrix = af.edit_matrix(prediction, reference)
    cells = matrix.to_polars()
    assert cells.schema == {
        "reference_pos": pl.UInt32,
        "prediction_pos": pl.UInt32,
        "reference_char": pl.String,
        "predicted_char": pl.String,
        "distance": pl.UInt32,
        "on_path": pl.Boolean,
    }
    assert cells.height == matrix.distances.size
    for i, j, left, right, distance, on_path in cells.iter_rows():
        assert (left, right) == (reference[i - 1] if i else None, prediction[j - 1] if j else None)
        assert distance == matrix.distances[i, j]
        assert on_path == ((i, j) in matrix.path)


def test_the_table_is_written_with_its_path() -> None:
    matrix = af.edit_matrix("cat", "cafe")
    assert str(matrix).split("\n")[1:] == [
        "     [0]  1   2   3",
        "c     1  [0]  1   2",
        "a     2   1  [0]  1",
        "f     3   2   1  [1]",
        "e     4   3   2  [2]",
    ]
    assert matrix.distances.dtype == np.int32
    assert str(af.edit_matrix("", "")) == "\n     [0]"


def test_a_text_too_long_for_a_table_is_refused() -> None:
    assert af.edit_matrix("a" * 1_000, "").distance == 1_000
    with pytest.raises(ValueError, match=r"prediction has 1,001 characters"):
        af.edit_matrix("a" * 1_001, "")
    with pytest.raises(TypeError, match="reference"):
        af.edit_matrix("a", None)  # type: ignore[arg-type]

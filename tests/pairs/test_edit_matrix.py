"""The table of distances is the textbook's, and its path the one that the edits take."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
import polars as pl
import pytest
import strategies
from html_pages import HtmlPage
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

import anls_frame as af


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
        "reference_pos": pl.Int64,
        "prediction_pos": pl.Int64,
        "reference_char": pl.String,
        "predicted_char": pl.String,
        "distance": pl.Int64,
        "on_path": pl.Boolean,
        "on_any_path": pl.Boolean,
    }
    assert cells.height == matrix.distances.size
    for i, j, left, right, distance, on_path, on_any_path in cells.iter_rows():
        assert on_any_path == matrix.on_any_path[i, j]
        assert on_any_path or not on_path
        assert (left, right) == (reference[i - 1] if i else None, prediction[j - 1] if j else None)
        assert distance == matrix.distances[i, j]
        assert on_path == ((i, j) in matrix.path)


def test_the_table_is_written_with_its_path() -> None:
    matrix = af.edit_matrix("cat", "cafe")
    assert str(matrix).split("\n")[1:] == [
        "     [0]  1   2   3",
        "c     1  [0]  1   2",
        "a     2   1  [0]  1",
        "f     3   2  (1) [1]",
        "e     4   3   2  [2]",
    ]
    assert matrix.distances.dtype == np.int32
    assert str(af.edit_matrix("", "")) == "\n     [0]"


Cell = tuple[int, int]
COSTS = pytest.mark.parametrize("cost", [0, 1, 2, 3, 10**12])
SHORT = st.text("abc", max_size=6)


def all_cheapest(prediction: str, reference: str, cost: int) -> tuple[int, set[tuple[Cell, ...]]]:
    """Return the lowest cost of a path and all paths that have it, found by trying every step."""

    @functools.cache
    def onwards(i: int, j: int) -> tuple[int, list[tuple[Cell, ...]]]:
        if (i, j) == (len(reference), len(prediction)):
            return 0, [((i, j),)]
        found = []
        if i < len(reference) and j < len(prediction):
            step = 0 if reference[i] == prediction[j] else cost
            found.append((step, onwards(i + 1, j + 1)))
        if i < len(reference):
            found.append((1, onwards(i + 1, j)))
        if j < len(prediction):
            found.append((1, onwards(i, j + 1)))
        best = min(step + rest for step, (rest, _) in found)
        return best, [
            ((i, j), *path) for step, (rest, paths) in found if step + rest == best for path in paths
        ]

    lowest, paths = onwards(0, 0)
    return lowest, set(paths)


@COSTS
@given(prediction=SHORT, reference=SHORT)
def test_all_cheapest_paths_are_found_and_no_other(prediction: str, reference: str, cost: int) -> None:
    matrix = af.edit_matrix(prediction, reference, substitution_cost=cost)
    lowest, expected = all_cheapest(prediction, reference, cost)

    paths = list(matrix.paths())

    assert matrix.distance == lowest
    assert set(paths) == expected
    assert len(paths) == len(expected) == matrix.n_paths
    assert matrix.path in expected
    assert set(zip(*map(list, matrix.on_any_path.nonzero()), strict=True)) == set().union(*expected)


@COSTS
@given(texts=strategies.nearby_texts(2))
def test_a_substitution_costs_what_was_said(texts: tuple[str, str], cost: int) -> None:
    prediction, reference = (text[:25] for text in texts)
    matrix = af.edit_matrix(prediction, reference, substitution_cost=cost)
    assert matrix.distances.tolist() == [
        [
            Levenshtein.distance(reference[:i], prediction[:j], weights=(1, 1, cost))
            for j in range(len(prediction) + 1)
        ]
        for i in range(len(reference) + 1)
    ]
    prices = {"equal": 0, "insert": 1, "delete": 1, "replace": cost}
    assert sum(prices[operation] for operation in matrix.operations()) == matrix.distance


def test_the_two_ways_from_cat_to_cafe() -> None:
    matrix = af.edit_matrix("cat", "cafe")
    ways = [[matrix.operation(*step) for step in itertools.pairwise(path)] for path in matrix.paths()]
    assert ways == [["equal", "equal", "replace", "delete"], ["equal", "equal", "delete", "replace"]]


def test_paths_are_counted_that_nobody_could_list() -> None:
    # Every way through an empty grid of n by n: the central binomial coefficient.
    matrix = af.edit_matrix("a" * 200, "b" * 200, substitution_cost=3)
    assert matrix.n_paths == math.comb(400, 200)
    assert len(list(itertools.islice(matrix.paths(), 3))) == 3
    assert "one of many cheapest paths" in matrix.to_html()


@given(texts=strategies.nearby_texts(2))
def test_the_reference_may_stand_above(texts: tuple[str, str]) -> None:
    prediction, reference = (text[:12] for text in texts)
    matrix = af.edit_matrix(prediction, reference)
    down = [line[5:] for line in matrix.to_text().split("\n")[1:]]
    across = [line[5:] for line in matrix.to_text(across="reference").split("\n")[1:]]
    width = len(str(matrix.distances.max())) + 3

    def cells(lines: list[str], columns: int) -> list[list[str]]:
        # A letter that is shown by its number is wider than the place beside the table.
        rows = [line.ljust(width * columns)[-width * columns :] for line in lines]
        return [[row[at : at + width].strip() for at in range(0, len(row), width)] for row in rows]

    if all(letter.isprintable() for letter in prediction + reference):
        transposed = list(map(list, zip(*cells(across, len(reference) + 1), strict=True)))
        assert cells(down, len(prediction) + 1) == transposed
    with pytest.raises(ValueError, match=r"across must be one of .prediction., .reference., got .answers."):
        matrix.to_text(across="answers")  # type: ignore[arg-type]


def test_html_shows_the_path_by_its_steps_with_a_legend() -> None:
    page = HtmlPage(af.edit_matrix("cat", "cafe").to_html())
    rows = [row.find("th", "td") for row in page.find("tr")]
    assert [[cell.text for cell in row] for row in rows] == [
        ["", "", "c", "a", "t"],
        ["", "0", "1", "2", "3"],
        ["c", "1", "0", "1", "2"],
        ["a", "2", "1", "0", "1"],
        ["f", "3", "2", "1", "1"],
        ["e", "4", "3", "2", "2"],
    ]
    titles = {
        (i, j): cell.attributes["title"]
        for i, row in enumerate(rows)
        for j, cell in enumerate(row)
        if "title" in cell.attributes
    }
    assert titles == {
        (1, 1): "start",
        (2, 2): "kept",
        (3, 3): "kept",
        (4, 3): "another cheapest path",
        (4, 4): "replaced",
        (5, 4): "left out",
    }
    legend = ["kept", "replaced", "left out", "another cheapest path"]
    assert [text for text in page.texts("span") if text] == legend
    assert page.texts("div")[1:3] == [
        "2 edits: 1 replaced, 1 left out; one of 2 cheapest paths",
        "prediction from left to right, reference from top to bottom",
    ]
    turned = HtmlPage(af.edit_matrix("cat", "cafe").to_html(across="reference"))
    assert turned.find("tr")[0].texts("th") == ["", "", "c", "a", "f", "e"]


def test_html_shows_any_text_and_obeys_none() -> None:
    page = HtmlPage(af.edit_matrix("<b>\u202e", "a &\n")._repr_html_() or "")
    assert page.tags == {"div", "b", "table", "thead", "tr", "th", "td", "tbody", "bdi", "span"}
    assert page.find("tr")[0].texts("th") == ["", "", "<", "b", ">", "⟨U+202E⟩"]
    assert [row.texts("th")[0] for row in page.find("tr")] == ["", "", "a", "␣", "&", "␊"]


def test_a_notebook_shows_a_table_only_where_it_can_be_read() -> None:
    assert af.edit_matrix("a" * 59, "")._repr_html_() is not None
    long = af.edit_matrix("a" * 60, "")
    assert long._repr_html_() is None
    assert repr(long) == f"<EditMatrix prediction='{'a' * 12}...{'a' * 13}', reference='', distance=60>"


def test_a_text_too_long_for_a_table_is_refused() -> None:
    assert af.edit_matrix("a" * 1_000, "").distance == 1_000
    with pytest.raises(ValueError, match=r"^prediction must have at most 1,000 characters, got 1,001$"):
        af.edit_matrix("a" * 1_001, "")
    with pytest.raises(TypeError, match="reference must be a string, got NoneType"):
        af.edit_matrix("a", None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="prediction must be a string, got list"):
        af.edit_matrix(["ab"], ["ac"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="substitution_cost must be an integer of at least 0"):
        af.edit_matrix("a", "b", substitution_cost=-1)

"""Several systems against loops over every swap and every draw, and in what may not change them."""

from __future__ import annotations

import itertools
import math
import tracemalloc
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import many_systems_oracle
import numpy as np
import pytest
import strategies  # noqa: F401 - sets how many examples are drawn
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from many_systems_oracle import Unit

from anls_frame.statistics import Ranks, SystemSums, pairwise, rank_sets

Cells = list[list["Unit"]]
"""Units of each line, at the same place in each."""


@st.composite
def cells(draw: st.DrawFn, *, own: bool = False, systems: int = 2, most: int = 6) -> Cells:
    """Draw whole numbers of some systems in two units or more."""
    units = draw(st.integers(2, most))

    def unit(least: int) -> Unit:
        x = draw(st.lists(st.integers(0, 4), min_size=systems, max_size=systems))
        if own:
            return x, draw(st.lists(st.integers(least, 5), min_size=systems, max_size=systems))
        return x, [draw(st.integers(1, 5))] * systems

    # Two units have denominators. In some draws all those of a system are swapped away.
    return [[unit(int(place < 2)) for place in range(units)] for _ in range(2)]


def sums_of(lines: Cells, counts: list[int] | None = None, *, divisor: float = 1) -> SystemSums:
    """Return the sums; all systems have the same denominators if there are no others."""
    units, systems = len(lines[0]), len(lines[0][0][0])
    x, y = (
        np.array([unit[part] for line in lines for unit in line], np.float64).reshape(-1, systems)
        for part in (0, 1)
    )
    if (y == y[:, :1]).all():
        y = y[:, :1]
    return SystemSums(
        np.tile(np.arange(units), len(lines)),
        np.repeat(np.arange(len(lines)), units),
        x / divisor,
        y / divisor,
        np.ones(units, np.int64) if counts is None else np.array(counts),
        len(lines),
    )


def dense(x: Any, y: Any = None) -> SystemSums:
    """Return the sums of a single line, one unit per row."""
    x = np.asarray(x, np.float64)
    y = np.ones((len(x), 1)) if y is None else np.asarray(y, np.float64)
    return SystemSums(np.arange(len(x)), np.zeros(len(x), np.int64), x, y, np.ones(len(x), np.int64), 1)


def every_pair(systems: int) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(systems), 2))


def ranked(sums: SystemSums, **options: Any) -> Ranks:
    return rank_sets(sums, higher_is_better=True, **options)


def ranges(ranks: Ranks) -> list[list[tuple[float, float]]]:
    return [
        list(zip(low, high, strict=True))
        for low, high in zip(ranks.rank_low.tolist(), ranks.rank_high.tolist(), strict=True)
    ]


@given(st.one_of(cells(), cells(own=True)), st.sampled_from([1, 3, 7]))
def test_two_systems_in_few_units_are_those_of_the_loop(lines: Cells, divisor: int) -> None:
    alone = [[many_systems_oracle.alone(units, 0, 1)] for units in lines]
    joint = many_systems_oracle.adjusted(lines, [(0, 1)])
    found = pairwise(sums_of(lines, divisor=divisor), [(0, 1)])
    assert found.p_value.tolist() == alone
    assert found.p_adjusted.ravel().tolist() == [
        max(p) for p in zip(joint, itertools.chain(*alone), strict=True)
    ]


MORE = st.integers(3, 4).flatmap(
    lambda systems: st.one_of(cells(systems=systems, most=12), cells(own=True, systems=systems, most=12))
)


A_P_VALUE_AT_THE_LEVEL: Cells = [
    [
        *[([4, 3, 4], [1, 1, 5]), ([2, 3, 1], [2, 3, 3]), ([0, 3, 0], [5, 0, 5])],
        *[([2, 3, 2], [4, 1, 0]), ([3, 0, 1], [1, 3, 1]), ([4, 3, 1], [2, 1, 2])],
        *[([1, 2, 4], [4, 1, 4]), ([2, 1, 0], [4, 2, 4]), ([4, 3, 0], [0, 4, 5])],
    ]
]
"""Three systems whose lowest adjusted p-value is 0.2."""


@settings(phases=[Phase.explicit, Phase.generate])  # shrinking whole fractions takes minutes
@given(
    MORE,
    st.sampled_from([1, 3, 7]),
    st.sampled_from([0.5, 0.8, 0.95]),
    st.integers(0, 9),
    st.sampled_from([None, [0, 1]]),
)
@example(2 * A_P_VALUE_AT_THE_LEVEL, 1, 0.8, 0, None)
def test_more_systems_are_those_of_the_loop_over_draws(
    lines: Cells, divisor: int, confidence: float, seed: int, metrics: list[int] | None
) -> None:
    systems, units = len(lines[0][0][0]), len(lines[0])
    drawn = np.random.default_rng(seed).integers(units, size=(19, units)).tolist()
    pairs = every_pair(systems)
    alone, joint = many_systems_oracle.bootstrapped(lines, pairs, drawn, metrics)
    sums = replace(sums_of(lines, divisor=divisor), metric=metrics or 0)
    found = pairwise(sums, pairs, draws=19, seed=seed)
    assert found.p_value.ravel().tolist() == [float(p) for p in alone]
    assert found.p_adjusted.ravel().tolist() == [float(p) for p in joint]
    level = 1 - Fraction(confidence).limit_denominator(100)
    expected = []
    for of_line in lines:
        scores = [many_systems_oracle.ratio(of_line, range(units), system) for system in range(systems)]
        _, adjusted = many_systems_oracle.bootstrapped([of_line], pairs, drawn)
        expected.append(many_systems_oracle.rank_sets(adjusted, scores, level))  # type: ignore[arg-type]
    options: dict[str, Any] = {"confidence": confidence, "draws": 19, "seed": seed}
    assert ranges(ranked(sums, **options)) == expected
    # The best is the worst if lower is better.
    turned = [(systems + 1 - high, systems + 1 - low) for low, high in expected[0]]
    assert ranges(rank_sets(sums, [False, True], **options)) == [turned, expected[1]]


@given(st.one_of(cells(), MORE), st.lists(st.integers(1, 2), min_size=12, max_size=12))
def test_counts_are_repeated_units(lines: Cells, counts: list[int]) -> None:
    used = counts[: len(lines[0])]
    repeated = [
        [unit for unit, count in zip(units, used, strict=True) for _ in range(count)] for units in lines
    ]
    pairs = every_pair(len(lines[0][0][0]))
    one, other = sums_of(lines, used), sums_of(repeated)
    assert (
        pairwise(one, pairs, draws=99).p_adjusted.tolist()
        == pairwise(other, pairs, draws=99).p_adjusted.tolist()
    )
    assert ranges(ranked(one, draws=99)) == ranges(ranked(other, draws=99))


@given(st.one_of(cells(own=True), MORE), st.randoms(use_true_random=False), st.sampled_from([20, 500]))
def test_neither_the_order_of_entries_nor_of_systems_matters(
    lines: Cells, random: Random, draws: int
) -> None:
    sums = sums_of(lines)
    pairs = every_pair(sums.systems)
    found, ranks = pairwise(sums, pairs, draws=draws), ranked(sums, draws=draws)
    entries, systems = list(range(len(sums.unit))), list(range(sums.systems))
    random.shuffle(entries)
    random.shuffle(systems)
    moved = SystemSums(
        sums.unit[entries],
        sums.group[entries],
        sums.x[np.ix_(entries, systems)],
        sums.y[entries][:, systems if sums.y.shape[1] > 1 else [0]],
        sums.counts,
        sums.groups,
    )
    places = [(systems.index(j), systems.index(i)) for i, j in pairs]  # and the other way round
    again, ranks_again = pairwise(moved, places, draws=draws), ranked(moved, draws=draws)
    assert again.p_value.tolist() == found.p_value.tolist()
    assert again.p_adjusted.tolist() == found.p_adjusted.tolist()
    assert ranges(ranks_again) == [[line[system] for system in systems] for line in ranges(ranks)]


def test_more_units_than_groups_are_added_up() -> None:
    random = np.random.default_rng(3)
    units = np.arange(9_000)
    x = random.integers(0, 5, (9_000, 3)).astype(float)
    x[:, 2] += 0.05
    counts = np.where(units == 77, 5_000, 1)
    rows = SystemSums(units, units % 2, x, np.full((9_000, 1), 4.0), counts, 2)
    # The members of all units are dealt to the groups at random.
    group = np.random.default_rng(5).permutation(counts.sum()) % 4_096
    unit = np.repeat(units, counts)
    table = np.zeros((2, 4_096, 4))
    np.add.at(table, (unit % 2, group), np.concatenate([x[unit], np.full((len(unit), 1), 4.0)], axis=1))
    line, number = np.nonzero(table[:, :, 3])
    alike = np.ones(4_096, np.int64)
    added = SystemSums(number, line, table[line, number, :3], table[line, number, 3:], alike, 2)
    found, again = (pairwise(sums, every_pair(3), draws=199, seed=5) for sums in (rows, added))
    assert found.p_value.tolist() == again.p_value.tolist()
    assert found.p_adjusted.tolist() == again.p_adjusted.tolist()
    assert ranges(ranked(rows, draws=199, seed=5)) == ranges(ranked(added, draws=199, seed=5))


def lines_of_few() -> tuple[list[int], list[int]]:
    """Return units and lines of a line that all twenty documents have, and twenty of three documents each."""
    few = [(document % 20, line) for line in range(1, 21) for document in range(line - 1, line + 2)]
    return [*range(20), *(document for document, _ in few)], [0] * 20 + [line for _, line in few]


@pytest.mark.parametrize("systems", [2, 3])
def test_lines_of_few_units_cost_the_others_nothing(systems: int) -> None:
    scores = np.array([0.9, 0.6, 0.6]) + np.random.default_rng(8).normal(0, 0.1, (20, 3))
    unit, line = (np.array(numbers) for numbers in lines_of_few())
    sums = SystemSums(unit, line, scores[unit, :systems], np.ones((80, 1)), np.ones(20, np.int64), 21)
    found = pairwise(sums, every_pair(systems))
    assert (found.p_value[1:, 0] >= 2 / 8).all()
    assert found.p_adjusted[0, 0] <= 0.002


def test_two_systems_that_are_nearly_the_same_cost_the_others_nothing() -> None:
    scores = np.array([0.9, 0.8, 0.7]) + np.random.default_rng(9).normal(0, 0.1, (60, 3))
    # The last differs from the first in three documents: a draw in twenty has none of them.
    copy = np.where(np.arange(60) < 3, scores[:, 0] - 0.2, scores[:, 0])
    together = ranked(dense(np.column_stack([scores, copy])))
    assert together.rank_low.tolist() == [[1, 3, 4, 1]]
    assert together.rank_high.tolist() == [[2, 3, 4, 2]]


def test_a_metric_that_one_unit_outweighs_costs_the_others_nothing() -> None:
    random = np.random.default_rng(11)
    wrong, inserted = random.poisson(2.0, (200, 3)), random.poisson(0.3, (200, 3))
    wrong[:, 0] += random.random(200) < 0.6
    inserted[7, 2] += 300
    unit, line = np.tile(np.arange(200), 2), np.repeat([0, 1], 200)
    x = np.concatenate([wrong, inserted]).astype(float)
    together = SystemSums(unit, line, x, np.ones((400, 1)), np.ones(200, np.int64), 2)
    alone = pairwise(dense(wrong), every_pair(3))
    assert alone.p_adjusted[0, :2].max() < 0.01
    assert pairwise(together, every_pair(3)).p_adjusted[0, :2].min() > 0.3
    found = pairwise(replace(together, metric=[0, 1]), every_pair(3))
    assert (found.p_adjusted[0] <= 2 * alone.p_adjusted[0] + 0.001).all()
    assert found.p_value[0].tolist() == alone.p_value[0].tolist()
    named = pairwise(replace(together, metric=["wer", "insertions"]), every_pair(3))
    assert named.p_adjusted.tolist() == found.p_adjusted.tolist()
    distant = pairwise(replace(together, metric=[2, 9]), every_pair(3))
    assert distant.p_adjusted.tolist() == found.p_adjusted.tolist()


def test_equal_systems_that_fail_in_different_ways_are_not_called_different() -> None:
    random, wrong = np.random.default_rng(10), 0
    for seed in range(300):
        scattered = random.binomial(10, 0.9, (50, 3))
        whole = np.where(random.random((50, 3)) < 0.1, 0, 10)
        ranks = ranked(dense(np.hstack([scattered, whole])), draws=299, seed=seed)
        wrong += (ranks.rank_high - ranks.rank_low < 5).any()
    assert wrong / 300 <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 300)


def test_equal_systems() -> None:
    sums = dense(np.repeat(np.random.default_rng(4).random((50, 1)), 3, axis=1))
    found, ranks = pairwise(sums, every_pair(3)), rank_sets(sums, higher_is_better=False)
    assert (found.p_value == 1).all()
    assert (found.p_adjusted == 1).all()
    assert ranks.rank.tolist() == [[1, 1, 1]]
    assert ranges(ranks) == [[(1, 3)] * 3]


def test_what_has_no_denominator_is_nan() -> None:
    y = np.ones((6, 3))
    y[:, 1] = 0
    x = np.array([[1, 0, 0.2]] * 6)
    sums = dense(x, y)
    found, ranks = pairwise(sums, every_pair(3)), ranked(sums)
    assert np.isnan(found.p_value).tolist() == [[True, False, True]]
    assert found.p_adjusted[0, 1] == found.p_value[0, 1] == 2 / 64
    assert [ranks.rank[0, 0], ranks.rank[0, 2]] == [1, 2]
    assert np.isnan(ranks.rank[0, 1])
    assert np.isnan(ranks.rank_low[0, 1])
    assert ranks.rank_high[0, [0, 2]].tolist() == [1, 2]
    assert ranks.possibly_best.tolist() == [[True, False, False]]


@pytest.mark.parametrize("units", [0, 1])
def test_fewer_than_two_units_have_no_p_value(units: int) -> None:
    sums = dense(np.full((units, 2), [0.1, 0.9]))
    assert np.isnan(pairwise(sums, [(0, 1)]).p_adjusted).all()
    ranks = ranked(sums)
    assert ranges(ranks) == [[(1, 2)] * 2] if units else np.isnan(ranks.rank).all()


def test_one_system_and_no_pairs() -> None:
    sums = dense([[0.1], [0.2]])
    assert pairwise(sums, []).p_value.shape == (1, 0)
    assert ranges(ranked(sums)) == [[(1, 1)]]


def test_memory_stays_bounded() -> None:
    sums = dense(np.random.default_rng(6).random((4_000, 30)))
    tracemalloc.start()
    pairwise(sums, every_pair(30), draws=10_000)  # the weights alone would be 320 MB
    ranked(sums, draws=10_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 80e6


def test_wrong_arguments() -> None:
    sums = dense([[0.1, 0.2], [0.3, 0.4]])
    with pytest.raises(ValueError, match="draws must be an integer from 1 to 10,000,000, got 0"):
        pairwise(sums, [(0, 1)], draws=0)
    with pytest.raises(ValueError, match="pairs must name systems from 0 to 1"):
        pairwise(sums, [(0, 2)])
    with pytest.raises(ValueError, match="confidence must be a number in"):
        ranked(sums, confidence=1)
    with pytest.raises(ValueError, match="sums must be finite"):
        dense([[0.1, math.nan]])
    with pytest.raises(ValueError, match="one row per entry"):
        dense([[0.1, 0.2]], [[1, 1, 1]])
    with pytest.raises(ValueError, match="metric a number per group, got 2 entries in 1 groups"):
        replace(sums, metric=[0, 1])

"""Candidates, statistics and p-values equal those of a program that takes each slice by itself."""

from __future__ import annotations

import numpy as np
import pytest
import slices_cases
import slices_oracle as oracle
from campaign import amount
from scipy import stats

from anls_frame.slices.columns import coded
from anls_frame.slices.search import numbered
from anls_frame.slices.tables import combinations
from anls_frame.statistics.dealt import deals, deals_of_all_sizes
from anls_frame.statistics.losses import Losses, added
from anls_frame.statistics.size_classes import size_classes

FRAMES = amount(20, 50)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_tables_hold_what_counting_each_slice_finds(depth: int) -> None:
    random = np.random.default_rng(depth)
    for _ in range(FRAMES):
        data = slices_cases.frame(random)
        rows = data.to_dicts()
        columns, left_out = coded(data, slices_cases.COLUMNS, slices_cases.SEARCH)
        assert len(columns) == 3 - len(left_out)
        names = [one.name for one in columns]
        score = data["score"].to_numpy()
        found, first = {}, 0
        conditions_of = numbered([one.codes.size for one in columns], depth)
        for codes in combinations([one.codes for one in columns], depth):
            of_entries = slice(None) if codes.rows is None else codes.rows
            weights = (np.ones(len(score)), score, score**2)
            sums = np.stack([added(codes.codes, one[of_entries], codes.size) for one in weights], axis=1)
            for code in np.flatnonzero(sums[:, 0]):
                parts = conditions_of(first + int(code))
                conditions = tuple(
                    (names[place], columns[place].conditions[part].value) for place, part in parts
                )
                found[conditions] = tuple(sums[code])
            first += codes.size
        expected = oracle.slices(rows, names, depth)
        assert found.keys() == expected.keys()
        for conditions, places in expected.items():
            values = [rows[place]["score"] for place in places]
            assert found[conditions] == pytest.approx((len(values), sum(values), sum(v * v for v in values)))


@pytest.mark.parametrize("is_ratio", [False, True])
@pytest.mark.parametrize("is_change", [False, True])
def test_p_values_are_those_of_documents_dealt_anew(*, is_change: bool, is_ratio: bool) -> None:
    random = np.random.default_rng(7)
    count = sum(
        slices_cases.compared(random, is_change=is_change, is_ratio=is_ratio) for _ in range(FRAMES // 2)
    )
    assert count > FRAMES // 4


@pytest.mark.parametrize("sizes", [[7] * 12, [1, 2, 3] * 20, list(range(1, 60))])
def test_rows_are_dealt_among_documents_of_neighbouring_sizes(sizes: list[int]) -> None:
    document = np.repeat(np.arange(len(sizes)), sizes)
    size_class = size_classes(np.array(sizes))
    # Classes have at least ten documents, and no document of a class is larger than one of the next.
    assert np.bincount(size_class).min() >= 10
    largest = [np.array(sizes)[size_class == one].max() for one in range(size_class.max())]
    smallest = [np.array(sizes)[size_class == one].min() for one in range(1, size_class.max() + 1)]
    assert all(a < b for a, b in zip(largest, smallest, strict=True))
    seen = np.zeros((len(sizes), len(sizes)), int)
    draws = list(deals(document, 200, 1))
    for rows in draws:
        donors = [set(document[rows[document == place]].tolist()) for place in range(len(sizes))]
        # Each document gets the rows of one, and each gives its rows to one.
        assert all(len(one) == 1 for one in donors)
        given = [one.pop() for one in donors]
        assert sorted(given) == list(range(len(sizes)))
        assert (size_class[given] == size_class).all()
        for place, donor in enumerate(given):
            counts = np.unique(rows[document == place], return_counts=True)[1]
            # A longer document gives each of its rows at most once, a shorter one about equally often.
            assert counts.max() - counts.min() <= 1 if sizes[donor] <= sizes[place] else counts.max() == 1
            seen[place, donor] += 1
    for one in np.unique(size_class):
        of_class = seen[np.ix_(size_class == one, size_class == one)]
        expected = 200 / len(of_class)
        assert abs(of_class - expected).max() < 6 * expected**0.5
    assert all((a == b).all() for a, b in zip(draws, deals(document, 100, 1), strict=False))


@pytest.mark.parametrize("correlation", [0.0, 0.3, 1.0])
def test_documents_of_all_sizes_keep_the_variance_of_their_means(correlation: float) -> None:
    """Rows of 0 and 1 with a correlation: a mean of n rows has the variance (c + (1 - c) / n) / 4."""
    random = np.random.default_rng(3)
    sizes = np.array([2, 16] * 200)
    document = np.repeat(np.arange(len(sizes)), sizes)
    shared = random.random(len(sizes)) < 0.5
    own = random.random(len(document)) < 0.5
    values = np.where(random.random(len(document)) < correlation**0.5, shared[document], own).astype(float)
    means = []
    for rows in deals_of_all_sizes(document, correlation, 300, 1):
        given = [len(set(document[rows[document == place]].tolist())) for place in range(4)]
        assert correlation < 1 or given == [1] * 4
        means.append(np.bincount(document, values[rows]) / sizes)
    of_draws = np.var(means, axis=0)
    for size in (2, 16):
        expected = (correlation + (1 - correlation) / size) * values.var()
        assert of_draws[sizes == size].mean() == pytest.approx(expected, rel=0.12)


def test_a_longer_document_gives_each_row_once_and_each_document_gives_to_one() -> None:
    sizes = np.arange(1, 30)
    document = np.repeat(np.arange(len(sizes)), sizes)
    for rows in deals_of_all_sizes(document, 1.0, 50, 2):
        donors = [set(document[rows[document == place]].tolist()) for place in range(len(sizes))]
        given = [one.pop() for one in donors if len(one) == 1]
        assert sorted(given) == list(range(len(sizes)))
        for place, donor in enumerate(given):
            if sizes[donor] >= sizes[place]:
                assert len(set(rows[document == place].tolist())) == sizes[place]


def test_the_share_of_a_difference_that_dealing_takes_away() -> None:
    """The mean difference over many deals, beside the share that decides which slices go with size."""
    random = np.random.default_rng(5)
    sizes = np.repeat([4, 9, 15], 20)
    document = np.repeat(np.arange(60), sizes)
    for shares in ((0.5, 0.5, 0.5), (0.2, 0.3, 0.5), (0, 0.05, 0.9), (0, 0, 1)):
        is_in = (random.random(60) < np.repeat(shares, 20))[document]
        loss = is_in.astype(float)
        n = len(loss)
        losses = Losses.of(np.arange(n), 1 - loss, np.ones(n), document, np.zeros(n, np.int64))
        inside = np.bincount(document, loss)[:, None]
        kept = []
        for rows in deals(document, 400, 0):
            dealt = loss[rows]
            kept.append(dealt[is_in].mean() - dealt[~is_in].mean())
        taken = 1 - float(np.mean(kept))
        assert losses.goes_with_size(inside).item() == (taken < 2 / 3)
        assert abs(taken - 2 / 3) > 0.05


def of_documents(right: list[float], sizes: list[int]) -> Losses:
    """Documents of which all rows are right or wrong."""
    document = np.repeat(np.arange(len(sizes)), sizes)
    n = len(document)
    return Losses.of(np.arange(n), np.repeat(right, sizes), np.ones(n), document, np.zeros(n, np.int64))


def test_documents_count_alike_in_a_slice_that_goes_with_their_size() -> None:
    right, sizes = [0.0, 1.0] * 5 + [1.0] * 60, list(range(8, 18)) + [2] * 60
    losses = of_documents(right, sizes)
    inside = np.where(np.arange(70) < 10, losses.unit_sizes, 0)[:, None]
    assert losses.goes_with_size(inside).item()
    values = inside * (losses.null.unit_values / losses.unit_sizes[:, None])
    statistic, _ = losses.tested(values, inside, 1)
    # Welch's t of the means of documents, with n in place of n - 1.
    groups = [part for one in (right[10:], right[:10]) for part in (np.mean(one), np.std(one), len(one))]
    welch = stats.ttest_ind_from_stats(*groups, equal_var=False).statistic
    assert statistic.item() == pytest.approx(welch)
    # Satterthwaite's degrees of freedom of two groups with the same variance, which is known.
    expected = (1 / 10 + 1 / 60) ** 2 / (1 / 10**3 + 1 / 60**3) - 1
    assert losses.degrees_of_freedom(inside).item() == pytest.approx(expected)


def test_half_of_the_variance_of_all_documents_is_the_least_for_a_slice_that_goes_with_size() -> None:
    """Short documents are all right or all wrong; the long ones are alike, or differ more than these."""
    sizes = [2] * 60 + list(range(8, 18))
    for spread in (0.0, 0.6):
        of_long = [0.3 - spread, 0.3 + spread] * 5
        losses = of_documents([0.0, 1.0] * 30 + of_long, sizes)
        inside = np.where(np.arange(70) < 60, 0, losses.unit_sizes)[:, None]
        assert losses.goes_with_size(inside).item()
        values = inside * (losses.null.unit_values / losses.unit_sizes[:, None])
        statistic, _ = losses.tested(values, inside, 1)
        # All rows of a document are alike, so its mean has the variance of a row.
        observed = spread**2 / 10 + 0.25 / 60
        least = losses.null.variance * (1 / 10 + 1 / 60) / 2
        # The mean of the long documents is 0.3, that of the others 0.5.
        assert (0.2 / statistic.item()) ** 2 == pytest.approx(max(observed, least))
        assert (observed > least) == (spread > 0)


def test_rows_and_documents_must_differ_in_the_same_direction() -> None:
    """In the longest document all is right, so the rows are better, although the documents are worse."""
    losses = of_documents([1.0] + [0.0] * 9 + [0.0, 1.0] * 15, [1000] + [10] * 9 + [2, 3] * 15)
    inside = np.where(np.arange(40) < 10, losses.unit_sizes, 0)[:, None]
    for rest in (False, True):
        sizes = losses.unit_sizes[:, None] - inside if rest else inside
        values = sizes * (losses.null.unit_values / losses.unit_sizes[:, None])
        assert (values.sum() > 0) == rest
        of_documents_alike = losses.null.unit_values[:, 0] / losses.unit_sizes
        own, others = (of_documents_alike[chosen].mean() for chosen in (sizes[:, 0] > 0, sizes[:, 0] == 0))
        assert (own < others) == rest
        statistic, _ = losses.tested(values, sizes, 1)
        assert statistic.item() == 0
        assert losses.are_opposed(statistic, values, sizes).item()

"""
A slow report in plain Python, to hold reports against: loops over rows, no data frames, no shared formulas.

Scores of rows come from `oracle`, Student's quantile from scipy; everything else is written out here from the
definitions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import oracle
import polars as pl
import polars.selectors as cs
import pytest
import strategies  # noqa: F401 - sets how many examples are drawn
from hypothesis import settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from scipy import stats

import anls_frame as af
from anls_frame.reports.reports import Report

Row = Mapping[str, Any]
Slices = dict[tuple[Hashable, ...], dict[str, Any]]
Unit = tuple[float, float]
Amount = tuple[Hashable, float]
Part = tuple[Hashable, float, float]
Interval = tuple[float | None, float | None]

COUNTS = ("n", "n_missing", "n_unanswerable", "n_empty_reference")
SHARES = ("anls", "nls", "exact_match", "zeros", "cer_mean", "cer_corpus")


def _with_bounds(names: Iterable[str]) -> list[str]:
    return [f"{name}{bound}" for name in names for bound in ("", "_low", "_high")]


TEXT_COLUMNS = (*COUNTS, *_with_bounds(SHARES), "few_rows", "n_clusters")
SCORE_COLUMNS = (*COUNTS, *_with_bounds(("score",)), "few_rows", "n_clusters")

NO_UNIT: Interval = (None, None)

# An example is a whole report, a hundred times the work of a score.
FEWER = settings(max_examples=max(1, settings.default.max_examples // 4))  # type: ignore[union-attr]
# For a test of several parameters, each of which draws its own.
FEWER_EACH = settings(max_examples=max(1, settings.default.max_examples // 10))  # type: ignore[union-attr]


@dataclass(frozen=True, kw_only=True)
class Options:
    """Arguments of `report`."""

    by: tuple[str, ...] = ()
    cluster: str | None = None
    protocol: str = "anls"
    threshold: float | None = None
    errors: str = "raw"
    missing: Literal["empty", "drop"] = "empty"
    confidence: float = 0.95

    def arguments(self) -> dict[str, Any]:
        """Return them as keywords of `report`."""
        return {
            "by": list(self.by),
            "cluster": self.cluster,
            "protocol": self.whole,
            "missing": self.missing,
            "confidence": self.confidence,
        }

    @property
    def whole(self) -> af.ScoreProtocol:
        """The protocol with its threshold, and the one for error rates."""
        preset = af.PROTOCOLS[self.protocol]
        threshold = preset.threshold if self.threshold is None else self.threshold
        return preset.replace(threshold=threshold, errors=self.errors)


@dataclass(frozen=True)
class Scored:
    """What a row adds to its slices; scores are null if it has none."""

    unit: Hashable
    is_missing: bool
    is_unanswerable: bool
    scores: oracle.Scores | None


def key_of(value: Any) -> Hashable:
    """Return what stands for a value in a set: NaN is itself here, and a struct its fields."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, dict):
        return tuple((name, key_of(entry)) for name, entry in value.items())
    if isinstance(value, list | tuple):
        return tuple(key_of(entry) for entry in value)
    key: Hashable = value
    return key


def entries(value: Any) -> set[Hashable]:
    """Return the slices that a value of a `by` column belongs to."""
    if not isinstance(value, list | tuple):
        return {key_of(value)}
    return {key_of(entry) for entry in value} or {None}


def crossed(row: Row, by: Sequence[str]) -> set[tuple[Hashable, ...]]:
    slices: set[tuple[Hashable, ...]] = {()}
    for column in by:
        slices = {(*head, entry) for head in slices for entry in entries(row[column])}
    return slices


def scored_rows(rows: Sequence[Row], options: Options) -> list[Scored]:
    protocol, errors = options.whole, af.PROTOCOLS[options.errors]
    assert protocol.threshold is not None
    scored = []
    for index, row in enumerate(rows):
        prediction, answers = row["prediction"], row["answers"]
        given = [answers] if answers is None or isinstance(answers, str) else answers
        is_unanswerable = all(answer is None for answer in given)
        is_missing = prediction is None and not is_unanswerable
        left_out = is_unanswerable or (is_missing and options.missing == "drop")
        text = "" if prediction is None else prediction
        scores = None if left_out else oracle.score(text, answers, protocol, protocol.threshold, errors)
        assert left_out == (scores is None)
        unit = index if options.cluster is None else key_of(row[options.cluster])
        scored.append(Scored(unit, is_missing, is_unanswerable, scores))
    return scored


def expected_report(rows: Sequence[Row], options: Options) -> Slices:
    """Figures of each slice by its keys; of all rows, under (), if there is no `by`."""
    scored = scored_rows(rows, options)
    members: dict[tuple[Hashable, ...], list[Scored]] = {} if options.by else {(): []}
    for row, of_row in zip(rows, scored, strict=True):
        for key in crossed(row, options.by):
            members.setdefault(key, []).append(of_row)
    return {key: figures(of_slice, options) for key, of_slice in members.items()}


def figures(of_slice: Sequence[Scored], options: Options) -> dict[str, Any]:
    kept = [(row.unit, row.scores) for row in of_slice if row.scores is not None]
    clusters = len({unit for unit, _ in kept})
    return {
        "n": len(kept),
        "n_missing": sum(row.is_missing for row in of_slice),
        "n_unanswerable": sum(row.is_unanswerable for row in of_slice),
        "n_empty_reference": sum(scores["reference_length"] == 0 for _, scores in kept),
        **estimate("anls", [(unit, scores["anls"], 1) for unit, scores in kept], wilson, options),
        **estimate("nls", [(unit, scores["nls"], 1) for unit, scores in kept], wilson, options),
        **estimate(
            "exact_match", [(unit, scores["exact_match"], 1) for unit, scores in kept], wilson, options
        ),
        **estimate("zeros", [(unit, scores["anls"] == 0, 1) for unit, scores in kept], wilson, options),
        **estimate("cer_mean", [(unit, scores["cer"], 1) for unit, scores in kept], log_ratio, options),
        **estimate(
            "cer_corpus",
            [(unit, scores["char_errors"], scores["reference_length"]) for unit, scores in kept],
            log_ratio,
            options,
        ),
        "few_rows": is_few(
            [(unit, scores["reference_length"]) for unit, scores in kept],
            *(side for name in ("anls", "nls") for side in both_sides([(u, s[name]) for u, s in kept])),
            rates=[
                [(unit, scores["cer"], 1) for unit, scores in kept],
                *(
                    [[(u, s["char_errors"], s["reference_length"]) for u, s in kept]]
                    if any(s["reference_length"] for _, s in kept)
                    else []
                ),
            ],
        ),
        "n_clusters": None if options.cluster is None else clusters,
    }


def expected_scores(rows: Sequence[Row], options: Options) -> Slices:
    """Figures of each slice of the existing scores in column `score`."""
    given = [float(row["score"]) for row in rows if row["score"] is not None]
    is_bounded = all(0 <= score <= 1 for score in given)
    is_negative = any(score < 0 for score in given)
    members: dict[tuple[Hashable, ...], list[tuple[Hashable, float | None]]] = {} if options.by else {(): []}
    for index, row in enumerate(rows):
        unit = index if options.cluster is None else key_of(row[options.cluster])
        for key in crossed(row, options.by):
            members.setdefault(key, []).append((unit, row["score"]))
    slices: Slices = {}
    for key, of_slice in members.items():
        kept = [(unit, float(score)) for unit, score in of_slice if score is not None]
        interval = wilson if is_bounded else student if is_negative else student_from_0
        slices[key] = {
            "n": len(kept),
            "n_missing": len(of_slice) - len(kept),
            "n_unanswerable": 0,
            "n_empty_reference": 0,
            **estimate("score", [(unit, x, 1) for unit, x in kept], interval, options),
            "few_rows": is_few([(unit, 1) for unit, _ in kept], *(both_sides(kept) if is_bounded else [])),
            "n_clusters": None if options.cluster is None else len({unit for unit, _ in kept}),
        }
    return slices


def estimate(
    name: str, rows: Sequence[Part], interval: Callable[[Sequence[Part], float], Interval], options: Options
) -> dict[str, float | None]:
    low, high = interval(rows, options.confidence)
    return {name: ratio(summed(rows)), f"{name}_low": low, f"{name}_high": high}


def summed(rows: Iterable[Part]) -> list[Unit]:
    """Sums of x and y by unit."""
    units: dict[Hashable, Unit] = {}
    for unit, x, y in rows:
        before = units.get(unit, (0.0, 0.0))
        units[unit] = (before[0] + x, before[1] + y)
    return list(units.values())


def ratio(units: Sequence[Unit]) -> float | None:
    total = sum(y for _, y in units)
    return sum(x for x, _ in units) / total if total else None


def variance(units: Sequence[Unit], count: float) -> float:
    """Cluster-robust variance of the ratio of so many effective units, from the residual of each unit."""
    x, y = (math.fsum(values) for values in zip(*units, strict=True))
    squares = math.fsum((one - x / y * size) ** 2 for one, size in units)
    # What is left of equal scores by rounding.
    if squares <= 1e-28 * math.fsum(one * one for one, _ in units):
        return 0.0
    return count / (count - 1) * squares / y**2


def effective_units(sizes: Iterable[float]) -> float:
    """Number of units, less where a few large ones carry the figure."""
    sizes = list(sizes)
    squares = sum(size * size for size in sizes)
    return sum(sizes) ** 2 / squares if squares else 0.0


def correlated_units(sizes: Iterable[float], correlation: float) -> float:
    """The same where rows of a unit are correlated: of n rows it adds n + cn(n - 1) to the variance."""
    return effective_units(size + correlation * size * (size - 1) for size in sizes)


def usual_units(rows: Sequence[Part]) -> float:
    """Effective units with a correlation of 0.3 of their rows, at least 2 if they are 2 without it."""
    plain = effective_units(y for _, y in summed(rows))
    numbers = [count for _, count in summed((unit, 0, 1) for unit, _, _ in rows)]
    if plain < 2:
        return plain
    return max(2, plain * correlated_units(numbers, 0.3) / effective_units(numbers))


def both_sides(scores: Sequence[Amount]) -> tuple[list[Amount], list[Amount]]:
    """Return scores in [0, 1] as what is there and what lacks."""
    return list(scores), [(unit, 1 - score) for unit, score in scores]


def carrying_units(amounts: Iterable[Amount]) -> float:
    """Return how many units of equal amounts would have the sum and the sum of squares of these."""
    return effective_units(amount for amount, _ in summed((unit, amount, 1) for unit, amount in amounts))


def units_with_errors(rate: Sequence[Part]) -> float:
    """
    Return how many units carry the errors of a rate.

    There are fewer if the rate of all units is higher where each counts by its length once more.
    """
    longer = ratio([(x * y, y * y) for x, y in summed(rate)])
    mean = ratio(summed(rate))
    rise = longer / mean if mean and longer else 1.0
    return carrying_units((unit, x) for unit, x, _ in rate) / max(rise, 1.0) ** 2


def is_few(rows: Sequence[Amount], *sides: Sequence[Amount], rates: Sequence[Sequence[Part]] = ()) -> bool:
    """
    Whether there are fewer than 100 rows, or than 20 effective units by rows or by lengths.

    Or, if units have several rows, than 10 that carry one of the sides of a figure, or the errors of a rate;
    if each is a row, than 30 that carry the errors, if there are any.
    """
    by_rows, by_lengths = (
        [(unit, 0, size) for unit, size in sizes] for sizes in (((u, 1) for u, _ in rows), rows)
    )
    if len(rows) < 100 or usual_units(by_rows) < 20 or 0 < usual_units(by_lengths) < 20:
        return True
    are_clusters = len({unit for unit, _ in rows}) < len(rows)
    if are_clusters:
        carried = [*map(carrying_units, sides), *map(units_with_errors, rates)]
        return any(units < 10 - 1e-6 for units in carried)
    return any(0 < units_with_errors(rate) < 30 - 3e-6 for rate in rates)


def quantile(df: float, confidence: float) -> float:
    return float(stats.t.ppf(0.5 + confidence / 2, df))


def wilson(rows: Sequence[Part], confidence: float) -> Interval:
    """Wilson's interval with the effective number of rows that the page on statistics defines."""
    units, n = summed(rows), len(rows)
    sizes = [size for _, size in units]
    plain = effective_units(sizes)
    mean = ratio(units)
    if mean is None or plain < 2:
        return NO_UNIT
    squares = sum(x * x for _, x, _ in rows)
    spread = squares - n * mean**2
    more = max(n / plain - 1, 0.0)
    robust = variance(units, plain)
    is_known = spread > 1e-12 * squares
    design = max(1.0, robust * n * (n - 1) / spread) if is_known else 1 + 0.3 * more

    padded = (n * mean + 1) / (n + 2)
    worth = n * padded * (1 - padded) / ((squares + 1) / (n + 2) - padded**2)
    independent = worth / design
    information = min(plain - 1, independent * min(mean, 1 - mean))
    trust = 1 - 1 / (1 + (information / 6) ** 4)
    design = max(design, 1 + trust * (design - 1) + (1 - trust) * 0.3 * more)
    correlation = min((design - 1) / more, 1.0) if more else 0.0
    count = min(plain, max(2.0, correlated_units(sizes, correlation)))
    design *= (count / (count - 1)) / (plain / (plain - 1))
    share = (design - 1) / design
    of_units = trust * (min(information, count - 1) - 0.5) + (1 - trust) * (count - 1)
    df = 1 / (share**2 / max(of_units, 1) + (1 - share) ** 2 / (n - 1))
    ceiling = quantile(count - 1, confidence) ** 2 / min(worth * count / n, independent)
    square = min(quantile(df, confidence) ** 2 * design / worth, ceiling)

    centre = (mean + square / 2) / (1 + square)
    half = math.sqrt(mean * (1 - mean) * square + square**2 / 4) / (1 + square)
    return min(mean, max(0.0, centre - half)), max(mean, min(1.0, centre + half))


def student(rows: Sequence[Part], confidence: float) -> Interval:
    units, count = summed(rows), usual_units(rows)
    mean = ratio(units)
    if mean is None or count < 2:
        return NO_UNIT
    half = quantile(count - 1, confidence) * math.sqrt(variance(units, count))
    return mean - half, mean + half


def of_difference(
    changes: Sequence[tuple[float, float]], count: float, confidence: float, unseen: float
) -> Interval:
    """
    Return the interval of a difference, from the change of each unit and its deviation from the mean one.

    Both are what a unit adds to the difference. To the units that change, one that wins and one that loses
    are added; if all units change alike, a share that may have been missed changes by `unseen`.
    """
    if count < 2:
        return NO_UNIT
    changed = sum(change != 0 for change, _ in changes)
    spread = count / (count - 1) * math.fsum(apart**2 for _, apart in changes)
    if spread:
        half = quantile(count - 1, confidence) * math.sqrt(spread + 2 * spread / changed)
    else:
        half = -math.log((1 - confidence) / 2) / count * unseen
    middle = math.fsum(change for change, _ in changes)
    return middle - half, middle + half


def student_from_0(rows: Sequence[Part], confidence: float) -> Interval:
    low, high = student(rows, confidence)
    return low if low is None else max(0.0, low), high


def log_ratio(rows: Sequence[Part], confidence: float) -> Interval:
    units, count = summed(rows), usual_units(rows)
    rate = ratio(units)
    if rate is None or count < 2:
        return NO_UNIT
    t = quantile(count - 1, confidence)
    if rate == 0:
        return 0.0, t**2 / (count + t**2)
    exponent = t * math.sqrt(variance(units, count)) / rate
    factor = math.exp(exponent) if exponent < 700 else math.inf
    return (rate / factor, rate * factor) if rate * factor <= max(10 * rate, 3) else NO_UNIT


def check_slices(frame: pl.DataFrame, by: Sequence[str], expected: Slices) -> None:
    """Assert that a frame of slices holds the expected figures, each slice once."""
    found = {tuple(key_of(row[column]) for column in by): row for row in frame.iter_rows(named=True)}
    assert len(found) == frame.height
    assert found.keys() == expected.keys()
    for key, figures_of_slice in expected.items():
        assert list(found[key]) == [*by, *figures_of_slice], key
        check_figures(found[key], figures_of_slice, key)


def check_figures(found: Mapping[str, Any], expected: Mapping[str, Any], where: object = "all rows") -> None:
    for name, value in expected.items():
        if isinstance(value, float):
            is_bound = name.endswith(("_low", "_high"))
            near = pytest.approx(value, rel=1e-6, abs=1e-9) if is_bound else pytest.approx(value, rel=1e-12)
            assert found[name] == near, (where, name)
        else:
            assert found[name] == value, (where, name)
            assert type(found[name]) is type(value), (where, name)


def check_report(report: Report, rows: Sequence[Row], options: Options) -> None:
    """Assert that a report's slices, all its roll-ups and its overall figures are those of plain loops."""
    check_slices(report.by_group, options.by, expected_report(rows, options))
    for column in options.by:
        check_slices(report.by(column), [column], expected_report(rows, replace(options, by=(column,))))
    check_figures(report.overall, expected_report(rows, replace(options, by=()))[()])
    assert report.summary.rows == len(rows)


def check_alike(found: pl.DataFrame, expected: pl.DataFrame) -> None:
    """Assert that two frames of slices are equal to the last bit."""
    assert_frame_equal(found, expected, check_exact=True)


def check_close(found: pl.DataFrame, expected: pl.DataFrame) -> None:
    """Assert that two frames of slices are equal up to the last digits of sums of floats."""
    largest = expected.select(cs.float().abs().max()).fill_null(0).row(0)
    assert_frame_equal(found, expected, rel_tol=1e-12, abs_tol=1e-12 * max(largest, default=0.0))


TEXT = st.text("ab ", max_size=4)
ANSWERS = st.none() | st.lists(st.none() | TEXT, max_size=3)
KEYS = st.none() | st.lists(st.none() | st.sampled_from("xyz"), max_size=3)


def rows_of(size: int = 14) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Rows with short texts, overlapping types, and documents."""
    row = st.fixed_dictionaries(
        {
            "prediction": st.none() | TEXT,
            "answers": ANSWERS,
            "types": KEYS,
            "lang": st.none() | st.sampled_from(["en", "de"]),
            "doc": st.none() | st.integers(0, 3),
        }
    )
    return st.lists(row, max_size=size)


OPTIONS = st.builds(
    Options,
    by=st.sampled_from([(), ("types",), ("lang",), ("types", "lang"), ("lang", "types", "doc")]),
    cluster=st.sampled_from([None, "doc"]),
    protocol=st.sampled_from(["anls", "rrc", "anls_star"]),
    threshold=st.sampled_from([None, 0.0, 0.25, 1.0]),
    errors=st.sampled_from(["raw", "anls"]),
    missing=st.sampled_from(["empty", "drop"]),
    confidence=st.sampled_from([0.5, 0.95, 0.99]),
)

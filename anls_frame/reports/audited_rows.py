"""Partly judged rows: checks of the frame, and sums by cell."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
import polars.selectors as cs

from anls_frame._text import listed, numbered
from anls_frame.analysis.audit_samples import AUDIT
from anls_frame.exceptions import DTypeError, warn
from anls_frame.frames.documents import numbers
from anls_frame.statistics.corrected_means import Audit
from anls_frame.statistics.intervals import USUAL_CORRELATION
from anls_frame.statistics.sample_sizes import positive
from anls_frame.summary.keys import CLUSTER, canonical, explode_lists

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from anls_frame.statistics.corrected_means import IntArray
    from anls_frame.statistics.student import FloatArray

PROBABILITY, STRATUM = "probability", "stratum"
_N, _SLICE, _UNKNOWN = "n", "slice", "unknown"
_FEWEST_DOCUMENTS = 2
_NAMED = 5
"""Rows that a message names."""
_FAR = 4.0
"""Standard errors from which on the judged rows are not like the others."""
_ROUNDING = 1e-9
_UNLIKELY = 0.001
"""Probability below which a random draw would not miss all rows of a kind."""
_LOST = 5.0
"""Standard deviations of the number of drawn rows, from which on rows are missing."""


class System(NamedTuple):
    """The columns of a system."""

    score: str
    truth: str


class AuditedSlice(NamedTuple):
    """The cells of a slice, and its judged rows."""

    document: IntArray
    stratum: IntArray
    n: FloatArray
    totals: FloatArray
    """Sums of the scores of cells: systems by cells."""
    judged_document: IntArray
    judged_stratum: IntArray
    probability: FloatArray
    scores: FloatArray
    truths: FloatArray
    """Of judged rows: systems by rows."""
    known: npt.NDArray[np.bool_]
    """Of each stratum, whether the scores of all systems are equal in its rows, and their truths too."""

    def audit(self, factors: FloatArray) -> Audit:
        """Return the audit of a weighted sum of systems' scores: a single score or a difference."""
        return Audit(
            document=self.document,
            stratum=self.stratum,
            n=self.n,
            total=factors @ self.totals,
            known=self.known if factors.sum() == 0 else np.zeros_like(self.known),
            judged_document=self.judged_document,
            judged_stratum=self.judged_stratum,
            probability=self.probability,
            score=factors @ self.scores,
            truth=factors @ self.truths,
        )


@dataclass(frozen=True)
class AuditedRows:
    """
    Partly judged rows, as sums by cell.

    Parameters
    ----------
    cells
        The number of rows `n` and the sums of the scores, `score_0`, ..., by the keys of slices, `cluster`
        and `stratum`.
    judged
        The same columns of each judged row, with `probability` and the truths `truth_0`, ...
    known
        For each stratum, whether its rows need no verdict.
    has_clusters
        Whether documents are clusters of rows rather than single rows.
    """

    cells: pl.DataFrame
    judged: pl.DataFrame
    known: npt.NDArray[np.bool_]
    systems: int
    has_clusters: bool

    def slices(self, keys: Sequence[str]) -> tuple[pl.DataFrame, Iterator[AuditedSlice]]:
        """Return the keys of slices, and the cells and judged rows of each slice."""
        cells, judged = (explode_lists(table, keys) for table in (self.cells, self.judged))
        if not keys:
            return pl.DataFrame(), iter([self._slice(cells, judged)])
        slices = cells.select(keys).unique(maintain_order=True)
        parts = (_by_slice(table, slices, keys) for table in (cells, judged))
        return slices, (self._slice(*both) for both in zip(*parts, strict=True))

    def _slice(self, cells: pl.DataFrame, judged: pl.DataFrame) -> AuditedSlice:
        documents, document = np.unique(cells[CLUSTER].to_numpy(), return_inverse=True)
        scores, truths = ([f"{name}_{n}" for n in range(self.systems)] for name in ("score", "truth"))
        return AuditedSlice(
            document=document,
            stratum=cells[STRATUM].to_numpy(),
            n=cells[_N].to_numpy(),
            totals=cells.select(scores).to_numpy().T,
            judged_document=np.searchsorted(documents, judged[CLUSTER].to_numpy()),
            judged_stratum=judged[STRATUM].to_numpy(),
            probability=judged[PROBABILITY].to_numpy(),
            scores=judged.select(scores).to_numpy().T,
            truths=judged.select(truths).to_numpy().T,
            known=self.known,
        )


def _by_slice(table: pl.DataFrame, slices: pl.DataFrame, keys: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Yield the rows of each slice."""
    numbered_slices = slices.with_row_index(_SLICE)
    ordered = table.join(numbered_slices, on=keys, nulls_equal=True).sort(_SLICE, maintain_order=True)
    counts = np.bincount(ordered[_SLICE].to_numpy(), minlength=slices.height)
    ends = np.cumsum(counts)
    return (ordered[int(end - count) : int(end)] for end, count in zip(ends, counts, strict=True))


def audited(
    source: pl.LazyFrame,
    keys: Sequence[pl.Expr],
    systems: Mapping[str, System],
    names: Mapping[str, str],
    bounds: tuple[float, float],
) -> AuditedRows:
    """
    Return the rows of a frame, with scores rescaled from their bounds to [0, 1].

    Parameters
    ----------
    source
        The rows.
    keys
        The keys of slices, followed by the cluster if there is one.
    systems
        The columns of systems.
    names
        The columns with `probability`, `stratum` and `audit`, where given.
    bounds
        The lowest and the highest score.
    """
    columns = [
        _number(source, column, bounds).alias(f"{role}_{number}")
        for number, system in enumerate(systems.values())
        for role, column in system._asdict().items()
    ]
    others = [cs.by_name(column).alias(name) for name, column in names.items()]
    dtypes = {role: source.collect_schema()[column] for role, column in names.items()}
    if not dtypes.get(PROBABILITY, pl.Float64()).is_numeric():
        raise DTypeError(
            f"column {names[PROBABILITY]!r} must hold numbers, but has dtype {dtypes[PROBABILITY]}"
        )
    if dtypes.get(AUDIT, pl.Boolean()) != pl.Boolean:
        raise DTypeError(f"column {names[AUDIT]!r} must hold true and false, but has dtype {dtypes[AUDIT]}")
    rows = source.select(*keys, *others, *columns).collect(engine="streaming")
    _check_values(rows, systems, bounds)
    _check_judged(rows, systems, names)
    has_clusters = CLUSTER in rows.columns
    if not has_clusters:
        rows = rows.with_row_index(CLUSTER)
    if STRATUM not in names:
        rows = rows.with_columns(pl.lit("all").alias(STRATUM))
    unknown = pl.col(PROBABILITY).is_null().cast(pl.Int64) if PROBABILITY in names else pl.lit(0)
    by = [name for name in rows.columns if name.startswith("key_") or name in {CLUSTER, STRATUM}]
    scores = [f"score_{number}" for number, _ in enumerate(systems)]
    cells = rows.select(*by, *scores, pl.lit(1.0).alias(_N), unknown.alias(_UNKNOWN))
    if has_clusters:
        cells = cells.group_by(by).sum()
    cells, judged = _numbered(canonical(cells), canonical(rows.filter(is_judged())))
    if judged[CLUSTER].n_unique() < _FEWEST_DOCUMENTS:
        raise ValueError("all rows with a truth are of one document: draw rows with `audit_sample`")
    if PROBABILITY in names:
        known = _known(cells, names[PROBABILITY])
        _check_drawn(rows, names[PROBABILITY])
    else:
        _check_undrawn(rows, judged, systems)
        sizes = np.bincount(cells[STRATUM].to_numpy(), cells[_N].to_numpy())
        known, stratum = np.zeros(len(sizes), bool), judged[STRATUM].to_numpy()
        shares = np.bincount(stratum, minlength=len(sizes)) / positive(np.asarray(sizes, np.float64))
        judged = judged.with_columns(pl.Series(PROBABILITY, shares[stratum]))
    return AuditedRows(cells, judged, known, len(systems), has_clusters)


def is_judged() -> pl.Expr:
    """Return whether rows have a truth, which must hold for all systems."""
    return pl.col("truth_0").is_not_null()


def _numbered(cells: pl.DataFrame, judged: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return cells and judged rows with numbers in place of the names of documents and strata."""
    for name in (CLUSTER, STRATUM):
        values = pl.concat([cells[name], judged[name]])
        if not (name == CLUSTER and values.dtype.is_unsigned_integer()):
            values = pl.Series(name, numbers(values, len(values)))
        cells = cells.with_columns(values[: cells.height].alias(name))
        judged = judged.with_columns(values[cells.height :].alias(name))
    return cells, judged


def _number(source: pl.LazyFrame, name: str, bounds: tuple[float, float]) -> pl.Expr:
    """Return a column of numbers, rescaled to [0, 1], with NaN as null."""
    dtype = source.collect_schema()[name]
    if not (dtype.is_numeric() or dtype == pl.Boolean):
        raise DTypeError(f"column {name!r} must hold numbers, but has dtype {dtype}")
    least, most = bounds
    return (cs.by_name(name).cast(pl.Float64).fill_nan(None) - least) / (most - least)


def _check_values(rows: pl.DataFrame, systems: Mapping[str, System], bounds: tuple[float, float]) -> None:
    """Raise an error for scores that are missing, and for values outside the bounds."""
    for number, system in enumerate(systems.values()):
        missing = rows[f"score_{number}"].null_count()
        if missing:
            raise ValueError(
                f"column {system.score!r} is null in {numbered(missing, 'row')} of {rows.height:,}; each row "
                "needs a score: leave these rows out before the draw, or fill them"
            )
        for role, column in system._asdict().items():
            outside = int((~rows[f"{role}_{number}"].is_between(0, 1)).sum())
            if outside:
                raise ValueError(
                    f"column {column!r} is outside {bounds[0]:g} to {bounds[1]:g} in "
                    f"{numbered(outside, 'row')}; pass bounds= with the lowest and the highest score"
                )


def _check_judged(rows: pl.DataFrame, systems: Mapping[str, System], names: Mapping[str, str]) -> None:
    """Raise an error unless exactly the drawn rows are judged, each for all systems."""
    first, *others = (system.truth for system in systems.values())
    judged = rows.select(is_judged()).to_series()
    for number, other in enumerate(others, 1):
        _refuse(
            rows[f"truth_{number}"].is_not_null() != judged,
            f"of {first!r} and {other!r}, one column alone has a truth; judge rows for all systems",
        )
    if AUDIT in names:
        is_drawn = rows[AUDIT].fill_null(value=False)
        _refuse(
            is_drawn & ~judged,
            f"column {first!r} has no truth of drawn rows; judge these, too, because skipped rows are "
            f"rarely typical",
        )
        _refuse(
            ~is_drawn & judged,
            f"column {first!r} has a truth of rows that were not drawn; set it to null there, because "
            f"such rows are rarely typical",
        )
    if not judged.any():
        raise ValueError(
            f"no row has a truth in column {first!r}: draw rows with `audit_sample`, and judge them"
        )


def _refuse(is_wrong: pl.Series, message: str) -> None:
    """Raise an error that names invalid rows, if there are any."""
    rows = is_wrong.arg_true().to_list()
    if rows:
        raise ValueError(f"{message}: {numbered(len(rows), 'row')} ({listed(map(str, rows), _NAMED)})")


def _check_drawn(rows: pl.DataFrame, name: str) -> None:
    """Raise an error for invalid probabilities; warn if judged rows differ from drawn rows."""
    probability, judged = rows[PROBABILITY], rows.select(is_judged()).to_series()
    _refuse(~(probability.is_between(0, 1, closed="right")), f"column {name!r} must hold numbers in (0, 1]")
    _refuse(probability.is_null() & judged, f"column {name!r} is null in rows with a truth")
    first, *others = rows.select(cs.starts_with("score_"))
    for score in others:
        _refuse(
            probability.is_null() & ((score - first).abs() > _ROUNDING),
            f"systems have different scores in rows that need no verdict (null in column {name!r}), where "
            f"all systems agree; score all systems in the same way",
        )
    drawn, n = probability.drop_nulls().to_numpy(), int(judged.sum())
    expected = drawn.sum()
    if abs(n - expected) > _LOST * math.sqrt(drawn @ (1 - drawn)) + 0.5:
        warn(
            f"{numbered(n, 'row')} {'has' if n == 1 else 'have'} a truth, but {expected:.1f} were drawn by "
            f"column {name!r}: verdicts were lost, or rows were added or left out after the draw"
        )


def _known(cells: pl.DataFrame, name: str) -> npt.NDArray[np.bool_]:
    """Return the strata whose rows need no verdict; raise an error if only some of a stratum do not."""
    stratum = cells[STRATUM].to_numpy()
    sizes, unknown = (np.bincount(stratum, cells[column].to_numpy()) for column in (_N, _UNKNOWN))
    if ((unknown > 0) & (unknown < sizes)).any():
        missing = numbered(int(unknown.sum()), "row")
        raise ValueError(
            f"column {name!r} is null in {missing}, but not in all of their stratum; a row is drawn with a "
            "probability, or its whole stratum needs no verdict"
        )
    return np.asarray(unknown > 0)


def _check_undrawn(rows: pl.DataFrame, judged: pl.DataFrame, systems: Mapping[str, System]) -> None:
    """Raise an error or warn if judged rows without a draw visibly differ from the others."""
    counts = judged[CLUSTER].unique_counts().to_numpy()
    clustering = 1 + USUAL_CORRELATION * (float(counts @ counts) / judged.height - 1)
    for number, system in enumerate(systems.values()):
        scores = rows[f"score_{number}"].to_numpy()
        own = judged[f"score_{number}"].to_numpy()
        for kind, others in (("lost points", scores == 1), ("have all points", scores < 1)):
            is_missed = (own < 1 if kind == "lost points" else own == 1).all()
            # A sample may miss what is rare.
            if is_missed and (1 - others.mean()) ** len(own) < _UNLIKELY:
                raise ValueError(
                    f"only rows that {kind} were judged (column {system.score!r}); a corrected score needs "
                    "rows of both kinds: draw them with `audit_sample`"
                )
        error = math.sqrt(scores.var() / len(own) * clustering)
        distance = abs(own.mean() - scores.mean())
        if distance > _FAR * error > 0:
            warn(
                f"the judged rows differ from the others: their mean of column {system.score!r} is "
                f"{distance:.3f} away from that of all rows; draw rows with `audit_sample`"
            )

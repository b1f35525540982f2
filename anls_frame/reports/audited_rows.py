"""Partly judged rows: checks of the frame, and sums by cell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
import polars.selectors as cs

from anls_frame._text import listed, numbered
from anls_frame.exceptions import DTypeError, warn
from anls_frame.frames.documents import numbers
from anls_frame.frames.number_columns import numbers_of
from anls_frame.frames.reserved_columns import AUDIT
from anls_frame.reports.slice_units import cells_in_slices
from anls_frame.statistics.arrays import BoolArray
from anls_frame.statistics.corrected_means import Audit
from anls_frame.statistics.design import usual_design
from anls_frame.summary.keys import CLUSTER, canonical, explode_lists

PROBABILITY, STRATUM = "probability", "stratum"
_N = "n"
_FEWEST_DOCUMENTS = 2
_NAMED = 5
"""Rows that a message names."""
_FAR = 4.0
"""With at least this many standard errors, the judged rows are not like the others."""
_ROUNDING = 1e-9
_UNLIKELY = 0.001
"""Probability below which a random draw would not miss all rows of a kind."""
_LOST = 5.0
"""With at least this many standard deviations of the number of drawn rows, rows are missing."""


class System(NamedTuple):
    """The columns of a system."""

    score: str
    truth: str


class AuditedRows(NamedTuple):
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
        For each stratum, whether the scores of all systems are equal in its rows, and their truths too, so
        that its rows need no verdict.
    """

    cells: pl.DataFrame
    judged: pl.DataFrame
    known: BoolArray

    def slices(self, keys: Sequence[str]) -> tuple[pl.DataFrame, list[Audit]]:
        """Return the keys of slices, and the audit of all systems in each slice."""
        slices = explode_lists(self.cells, keys).select(keys).unique(maintain_order=True)
        parts = []
        for table in (self.cells, self.judged):
            row, slice_of = cells_in_slices(table, slices, keys)
            parts.append([table[row[slice_of == index]] for index in range(slices.height if keys else 1)])
        return slices, [self._audit(cells, judged) for cells, judged in zip(*parts, strict=True)]

    def _audit(self, cells: pl.DataFrame, judged: pl.DataFrame) -> Audit:
        documents, document = np.unique(cells[CLUSTER].to_numpy(), return_inverse=True)
        return Audit(
            document=document,
            stratum=cells[STRATUM].to_numpy(),
            n=cells[_N].to_numpy(),
            total=cells.select(cs.starts_with("score_")).to_numpy().T,
            known=self.known,
            judged_document=np.searchsorted(documents, judged[CLUSTER].to_numpy()),
            judged_stratum=judged[STRATUM].to_numpy(),
            probability=judged[PROBABILITY].to_numpy(),
            score=judged.select(cs.starts_with("score_")).to_numpy().T,
            truth=judged.select(cs.starts_with("truth_")).to_numpy().T,
        )


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
    described = {role: column for role, column in names.items() if role != STRATUM}
    scored: dict[str, str] = {}
    for number, system in enumerate(systems.values()):
        scored |= {f"score_{number}": system.score, f"truth_{number}": system.truth}
    read = [*described.values(), *scored.values()]
    # Keys see the columns as the user does, also those that hold numbers as texts.
    given = {name: cs.by_name(name).as_expr() for name in read} | numbers_of(source, read)
    _check_numbers(source.select(**{f"{index}": given[name] for index, name in enumerate(read)}), read)
    values = {name: value.cast(pl.Float64).fill_nan(None) for name, value in given.items()}
    least, most = bounds
    columns = [values[column].alias(role) for role, column in described.items()]
    columns += [((values[column] - least) / (most - least)).alias(name) for name, column in scored.items()]
    columns += [cs.by_name(names[STRATUM]).alias(STRATUM)] if STRATUM in names else []
    rows = canonical(source.select(*keys, *columns).collect(engine="streaming"))
    _check_values(rows, systems, bounds)
    _check_judged(rows, systems, names)
    strata = rows[STRATUM] if STRATUM in names else pl.repeat("all", rows.height, eager=True)
    stratum = numbers(strata, rows.height)
    has_clusters = CLUSTER in rows.columns
    document = numbers(rows[CLUSTER] if has_clusters else None, rows.height)
    rows = rows.with_columns(pl.Series(CLUSTER, document), pl.Series(STRATUM, stratum))
    known = np.zeros(int(stratum.max(initial=-1)) + 1, bool)
    if PROBABILITY in names:
        is_null = rows[PROBABILITY].is_null()
        known = np.bincount(stratum, is_null) > 0
        _refuse(
            is_null & pl.Series((np.bincount(stratum, ~is_null) > 0)[stratum]),
            f"column {names[PROBABILITY]!r} is null in a part of a stratum; a row is drawn with a "
            "probability, or its whole stratum needs no verdict",
        )
        _check_drawn(rows, names[PROBABILITY])
    cells = rows.select(cs.matches("^(key|score)_"), CLUSTER, STRATUM, pl.lit(1.0).alias(_N))
    if has_clusters:
        cells = cells.group_by(~cs.matches(f"^(score_.*|{_N})$"), maintain_order=True).sum()
    judged = rows.filter(pl.col("truth_0").is_not_null())
    if judged[CLUSTER].n_unique() < _FEWEST_DOCUMENTS:
        found = "all rows with a truth are of one document" if has_clusters else "a single row has a truth"
        raise ValueError(f"{found}: draw rows with `audit_sample`, and judge them")
    if PROBABILITY not in names:
        _check_undrawn(rows, judged, systems)
        drawn = judged[STRATUM].to_numpy()
        shares = np.bincount(drawn)[drawn] / np.bincount(stratum)[drawn]
        judged = judged.with_columns(pl.Series(PROBABILITY, shares))
    return AuditedRows(cells, judged, known)


def _check_numbers(numbers: pl.LazyFrame, names: Sequence[str]) -> None:
    """Raise an error if a column, the first of these names that of the first column, holds no numbers."""
    for name, dtype in zip(names, numbers.collect_schema().dtypes(), strict=True):
        if not (dtype.is_numeric() or dtype == pl.Boolean):
            raise DTypeError(f"column {name!r} must hold numbers or true and false, but has dtype {dtype}")


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
                    f"{numbered(outside, 'row')}; scale both columns to 0 to 1, or pass bounds= in Python"
                )


def _check_judged(rows: pl.DataFrame, systems: Mapping[str, System], names: Mapping[str, str]) -> None:
    """Raise an error unless exactly the drawn rows are judged, each for all systems."""
    first, *others = (system.truth for system in systems.values())
    judged = rows["truth_0"].is_not_null()
    for number, other in enumerate(others, 1):
        _refuse(
            rows[f"truth_{number}"].is_not_null() != judged,
            f"of {first!r} and {other!r}, one column alone has a truth; judge rows for all systems",
        )
    if AUDIT in names:
        is_drawn = rows[AUDIT].fill_null(0) == 1
        _refuse(
            ~is_drawn & (rows[AUDIT] != 0),
            f"column {names[AUDIT]!r} must hold true and false, or 1 and 0; rename it if it is your own",
        )
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
    probability, judged = rows[PROBABILITY], rows["truth_0"].is_not_null()
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


def _check_undrawn(rows: pl.DataFrame, judged: pl.DataFrame, systems: Mapping[str, System]) -> None:
    """Raise an error or warn if judged rows without a draw visibly differ from the others."""
    counts = judged[CLUSTER].unique_counts().to_numpy()
    clustering = float(usual_design(counts @ counts / judged.height))
    for number, system in enumerate(systems.values()):
        scores = rows[f"score_{number}"].to_numpy()
        own = judged[f"score_{number}"].to_numpy()
        for kind, judged_alone, others in (
            ("score less than 1", own < 1, scores == 1),
            ("score 1", own == 1, scores < 1),
        ):
            # A sample may miss what is rare.
            if judged_alone.all() and (1 - others.mean()) ** len(own) < _UNLIKELY:
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

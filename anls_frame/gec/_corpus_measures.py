"""The measures by which systems are compared, as counts of each row and scores of their totals."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from anls_frame._arguments import choice
from anls_frame._typing import IntoExprColumn
from anls_frame.gec import _choice, _errant, _i_measure, _m2, _m2_corpus
from anls_frame.statistics.arrays import FloatArray, divided

MeasureName: TypeAlias = Literal["m2", "errant", "i_measure"]


@dataclass(frozen=True)
class Measure:
    """
    A measure with its options: M², and the base of the others.

    Parameters
    ----------
    row_options
        Options of the row function.
    corpus_options
        Options of the function that scores all rows.
    """

    row_options: dict[str, Any]
    corpus_options: dict[str, Any]

    score_name: ClassVar[str] = "F"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def rows(self, prediction: IntoExprColumn, columns: Collection[str]) -> pl.Expr:
        """Return the counts of each row of a frame with these columns."""
        return _m2.m2(prediction, "source", "edits", _annotators(columns), **self.row_options)

    def corpus(self, counts: str) -> pl.Expr:
        """Return the scores of all rows."""
        return _m2_corpus.m2_corpus(counts, **self.corpus_options)

    def added(self, counts: pl.Series) -> FloatArray:
        """Return the counts that each row adds to the totals: of F, matched, proposed and gold edits."""
        return _floats([(tp, tp + fp, tp + fn) for tp, fp, fn in self.chosen(counts)], 3)

    def chosen(self, counts: pl.Series) -> list[_choice.Counts]:
        """Return the counts of the annotator chosen in each row."""
        return _m2_corpus.chosen(counts, **self.corpus_options)

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the scores of totals, which have one row per count and one column per score."""
        weight = float(self.corpus_options.get("beta", 0.5)) ** 2
        matched, proposed, gold = totals
        return divided((1 + weight) * matched, weight * gold + proposed, 1.0)

    def size(self, numbers: FloatArray) -> FloatArray:
        """Return the weight of each row in the score."""
        return numbers[:, 1] + numbers[:, 2]

    def has_counts(self, counts: pl.Expr) -> pl.Expr:
        """Return whether a row has counts, which are lists with an entry for each annotator."""
        return (counts.list.len() > 0).fill_null(value=False)


class _Errant(Measure):
    def rows(self, prediction: IntoExprColumn, columns: Collection[str]) -> pl.Expr:
        return _errant.errant(prediction, "edits", None, _annotators(columns), **self.row_options)

    def corpus(self, counts: str) -> pl.Expr:
        return _errant.errant_corpus(counts, **self.corpus_options)

    def chosen(self, counts: pl.Series) -> list[_choice.Counts]:
        return _errant.chosen(counts, **self.corpus_options)


class _IMeasure(Measure):
    """The I-measure of the parts of both weighted accuracies: two quotients."""

    score_name = "the I-measure"
    bounds = (-1.0, 1.0)

    def rows(self, prediction: IntoExprColumn, columns: Collection[str]) -> pl.Expr:
        references = self.row_options.get("references")
        if references is None and "edits" not in columns:
            references = "references"
        gold = (None, None) if references is not None else ("edits", _annotators(columns))
        options = self.row_options | {"references": references}
        return _i_measure.i_measure(prediction, "source", *gold, **options)

    def corpus(self, counts: str) -> pl.Expr:
        return _i_measure.i_measure_corpus(counts, **self.corpus_options)

    def added(self, counts: pl.Series) -> FloatArray:
        aspect, w = self.corpus_options.get("aspect", "correction"), self.corpus_options.get("w", 2.0)
        parts: list[pl.Expr] = []
        for field in (aspect, f"base_{aspect}"):
            tp, tn, fp, fn, fpn = (pl.col(field).struct.field(name) for name in _i_measure.COUNTS)
            parts += _i_measure.accuracy_parts(tp, tn, fp, fn, fpn, w)
        named = [part.alias(str(index)) for index, part in enumerate(parts)]
        return _floats(counts.struct.unnest().select(named).rows(), 4)

    def score(self, totals: FloatArray) -> FloatArray:
        own, base = divided(totals[0], totals[1]), divided(totals[2], totals[3])
        better, worse = divided(own - base, 1 - base), divided(own, base) - 1
        return np.where(own == base, np.floor(own), np.where(own > base, better, worse))

    def size(self, numbers: FloatArray) -> FloatArray:
        return numbers[:, 1]

    def has_counts(self, counts: pl.Expr) -> pl.Expr:
        return counts.is_not_null()


_MEASURES: dict[str, tuple[type[Measure], tuple[str, ...], tuple[str, ...]]] = {
    # The options of the corpus function, and those of both functions.
    "m2": (Measure, ("beta", "choose", "annotator"), ()),
    "errant": (_Errant, ("beta", "round4"), ()),
    "i_measure": (_IMeasure, (), ("w", "beta", "aspect")),
}


def measure_of(name: str, options: dict[str, Any]) -> Measure:
    """Return a measure with its options."""
    kind, corpus_names, shared_names = _MEASURES[choice("measure", name, tuple(_MEASURES))]
    measure = kind(
        {option: value for option, value in options.items() if option not in corpus_names},
        {option: value for option, value in options.items() if option in (*corpus_names, *shared_names)},
    )
    # The functions check their options when they are called.
    measure.corpus("counts")
    return measure


def _annotators(columns: Collection[str]) -> str | None:
    return "annotators" if "annotators" in columns else None


def _floats(rows: npt.ArrayLike, width: int) -> FloatArray:
    return np.asarray(rows, np.float64).reshape(-1, width)

"""The namespace ``.anls`` of Polars' DataFrame, LazyFrame and Expr: each method forwards to the function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

import polars as pl

from anls_frame.analysis import characters, curves, worst_rows
from anls_frame.frames import scoring
from anls_frame.metrics import errors, scores, vectors
from anls_frame.reports import comparisons, reports
from anls_frame.summary import summarizing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from anls_frame._typing import IntoExprColumn, ScoreColumn
    from anls_frame.protocol import ScoreProtocol
    from anls_frame.reports.comparisons import Comparison
    from anls_frame.reports.reports import Report
    from anls_frame.summary.settings import Missing
    from anls_frame.summary.summary import Summary

__all__ = ["AnlsExprNamespace", "AnlsFrameNamespace", "register"]

PolarsFrameT = TypeVar("PolarsFrameT", pl.DataFrame, pl.LazyFrame)


class AnlsFrameNamespace(Generic[PolarsFrameT]):
    """
    Scores of a Polars frame, as ``df.anls``; a LazyFrame stays lazy.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame
    >>> lf = pl.LazyFrame({"prediction": ["CocaCola"], "answer": ["Coca Cola"]})
    >>> lf.anls.add_scores("prediction", "answer", columns=["char_errors"]).collect()
    shape: (1, 3)
    ┌────────────┬───────────┬─────────────┐
    │ prediction ┆ answer    ┆ char_errors │
    │ ---        ┆ ---       ┆ ---         │
    │ str        ┆ str       ┆ u32         │
    ╞════════════╪═══════════╪═════════════╡
    │ CocaCola   ┆ Coca Cola ┆ 1           │
    └────────────┴───────────┴─────────────┘
    """

    def __init__(self, frame: PolarsFrameT) -> None:
        self._frame: PolarsFrameT = frame

    def add_scores(
        self,
        prediction: str,
        answers: str,
        *,
        protocol: ScoreProtocol | str = "anls",
        threshold: float | None = None,
        cer_protocol: ScoreProtocol | str = "raw",
        columns: Sequence[ScoreColumn] | None = None,
        prefix: str = "",
        suffix: str = "",
        overwrite: bool = False,
    ) -> PolarsFrameT:
        """Add all scores of a prediction column, see `anls_frame.add_scores`."""
        return scoring.add_scores(
            self._frame,
            prediction,
            answers,
            protocol=protocol,
            threshold=threshold,
            cer_protocol=cer_protocol,
            columns=columns,
            prefix=prefix,
            suffix=suffix,
            overwrite=overwrite,
        )

    def summarize(
        self,
        prediction: str | None = None,
        answers: str | None = None,
        *,
        score: str | None = None,
        higher_is_better: bool | None = None,
        by: str | Sequence[str] | None = None,
        cluster: str | None = None,
        protocol: ScoreProtocol | str = "anls",
        threshold: float | None = None,
        cer_protocol: ScoreProtocol | str = "raw",
        missing: Missing | None = None,
        worst: int = 0,
        details: bool = False,
        part: str | None = None,
        progress: bool | Callable[[int], object] = False,
    ) -> Summary:
        """Count and sum the scores of the frame by cell, see `anls_frame.summarize`."""
        return summarizing.summarize(
            self._frame,
            prediction,
            answers,
            score=score,
            higher_is_better=higher_is_better,
            by=by,
            cluster=cluster,
            protocol=protocol,
            threshold=threshold,
            cer_protocol=cer_protocol,
            missing=missing,
            worst=worst,
            details=details,
            part=part,
            progress=progress,
        )

    def report(
        self,
        prediction: str | None = None,
        answers: str | None = None,
        *,
        score: str | None = None,
        higher_is_better: bool | None = None,
        by: str | Sequence[str] | None = None,
        cluster: str | None = None,
        protocol: ScoreProtocol | str = "anls",
        threshold: float | None = None,
        cer_protocol: ScoreProtocol | str = "raw",
        missing: Missing | None = None,
        worst: int = 0,
        details: bool = False,
        sort: str = "n",
        confidence: float = 0.95,
        progress: bool | Callable[[int], object] = False,
    ) -> Report:
        """Report the scores of the frame, of all rows and by slice, see `anls_frame.report`."""
        return reports.report(
            self._frame,
            prediction,
            answers,
            score=score,
            higher_is_better=higher_is_better,
            by=by,
            cluster=cluster,
            protocol=protocol,
            threshold=threshold,
            cer_protocol=cer_protocol,
            missing=missing,
            worst=worst,
            details=details,
            sort=sort,
            confidence=confidence,
            progress=progress,
        )

    def compare(
        self,
        systems: Mapping[str, str],
        answers: str | None,
        *,
        by: str | Sequence[str] | None = None,
        cluster: str | None = None,
        metric: str | None = None,
        higher_is_better: bool | None = None,
        protocol: ScoreProtocol | str = "anls",
        threshold: float | None = None,
        cer_protocol: ScoreProtocol | str = "raw",
        missing: Missing | None = None,
        confidence: float = 0.95,
        draws: int = 10_000,
        seed: int = 0,
    ) -> Comparison:
        """Compare two systems on the rows of the frame, see `anls_frame.compare`."""
        return comparisons.compare(
            self._frame,
            systems,
            answers,
            by=by,
            cluster=cluster,
            metric=metric,
            higher_is_better=higher_is_better,
            protocol=protocol,
            threshold=threshold,
            cer_protocol=cer_protocol,
            missing=missing,
            confidence=confidence,
            draws=draws,
            seed=seed,
        )

    def confusions(
        self,
        prediction: str,
        answers: str,
        *,
        by: str | Sequence[str] | None = None,
        protocol: ScoreProtocol | str = "raw",
        max_length: int = 1,
        min_nls: float = 0.0,
    ) -> Any:
        """Count which characters are taken for which, see `anls_frame.confusions`."""
        return characters.confusions(
            self._frame,
            prediction,
            answers,
            by=by,
            protocol=protocol,
            max_length=max_length,
            min_nls=min_nls,
        )

    def length_scores(
        self,
        prediction: str,
        answers: str,
        *,
        by: str | Sequence[str] | None = None,
        protocol: ScoreProtocol | str = "anls",
        threshold: float | None = None,
        cer_protocol: ScoreProtocol | str = "raw",
        missing: Missing = "empty",
    ) -> Any:
        """Scores by the length of the reference, see `anls_frame.length_scores`."""
        return curves.length_scores(
            self._frame,
            prediction,
            answers,
            by=by,
            protocol=protocol,
            threshold=threshold,
            cer_protocol=cer_protocol,
            missing=missing,
        )

    def worst(
        self,
        prediction: str,
        answers: str,
        k: int = 10,
        *,
        by: str | Sequence[str] | None = None,
        protocol: ScoreProtocol | str = "anls",
        threshold: float | None = None,
        cer_protocol: ScoreProtocol | str = "raw",
        missing: Missing = "drop",
    ) -> Any:
        """Return the rows with the lowest scores, see `anls_frame.worst`."""
        return worst_rows.worst(
            self._frame,
            prediction,
            answers,
            k,
            by=by,
            protocol=protocol,
            threshold=threshold,
            cer_protocol=cer_protocol,
            missing=missing,
        )


class AnlsExprNamespace:
    """
    Scores of an expression, as ``pl.col("prediction").anls``: the expression is the prediction.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame
    >>> df = pl.DataFrame({"prediction": ["CocaCola"], "answer": ["Coca Cola"]})
    >>> df.select(pl.col("prediction").anls.levenshtein("answer")).item()
    1
    """

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def levenshtein(
        self,
        reference: IntoExprColumn,
        *,
        protocol: ScoreProtocol | str = "raw",
        substitution_cost: int = 1,
    ) -> pl.Expr:
        """Edit distance of each row, see `anls_frame.levenshtein`."""
        return scores.levenshtein(
            self._expr, reference, protocol=protocol, substitution_cost=substitution_cost
        )

    def lcs_distance(self, reference: IntoExprColumn, *, protocol: ScoreProtocol | str = "raw") -> pl.Expr:
        """LCS distance of each row, see `anls_frame.lcs_distance`."""
        return scores.lcs_distance(self._expr, reference, protocol=protocol)

    def hamming(self, reference: IntoExprColumn, *, protocol: ScoreProtocol | str = "raw") -> pl.Expr:
        """Hamming distance of each row, see `anls_frame.hamming`."""
        return scores.hamming(self._expr, reference, protocol=protocol)

    def hamming_vectors(self, reference: IntoExprColumn) -> pl.Expr:
        """Hamming distance of the lists of each row, see `anls_frame.hamming_vectors`."""
        return vectors.hamming_vectors(self._expr, reference)

    def nls(
        self,
        answers: IntoExprColumn,
        *,
        protocol: ScoreProtocol | str = "anls",
        substitution_cost: int = 1,
    ) -> pl.Expr:
        """Normalized Levenshtein similarity of each row, see `anls_frame.nls`."""
        return scores.nls(self._expr, answers, protocol=protocol, substitution_cost=substitution_cost)

    def anls(
        self,
        answers: IntoExprColumn,
        *,
        protocol: ScoreProtocol | str = "anls",
        threshold: float | None = None,
    ) -> pl.Expr:
        """Thresholded similarity of each row, see `anls_frame.anls`."""
        return scores.anls(self._expr, answers, protocol=protocol, threshold=threshold)

    def cer(self, answers: IntoExprColumn, *, protocol: ScoreProtocol | str = "raw") -> pl.Expr:
        """Character error rate of each row, see `anls_frame.cer`."""
        return scores.cer(self._expr, answers, protocol=protocol)

    def exact_match(self, answers: IntoExprColumn, *, protocol: ScoreProtocol | str = "anls") -> pl.Expr:
        """Whether each prediction equals an answer, see `anls_frame.exact_match`."""
        return scores.exact_match(self._expr, answers, protocol=protocol)

    def nearest_answer(self, answers: IntoExprColumn, *, protocol: ScoreProtocol | str = "anls") -> pl.Expr:
        """Return the answer nearest to each prediction, see `anls_frame.nearest_answer`."""
        return scores.nearest_answer(self._expr, answers, protocol=protocol)

    def score(
        self,
        answers: IntoExprColumn,
        *,
        protocol: ScoreProtocol | str = "anls",
        threshold: float | None = None,
        cer_protocol: ScoreProtocol | str = "raw",
    ) -> pl.Expr:
        """All scores of each row as a struct, see `anls_frame.score`."""
        return scores.score(
            self._expr, answers, protocol=protocol, threshold=threshold, cer_protocol=cer_protocol
        )

    def edit_ops(self, reference: IntoExprColumn, *, protocol: ScoreProtocol | str = "raw") -> pl.Expr:
        """Edits that turn the reference into the prediction, see `anls_frame.edit_ops`."""
        return errors.edit_ops(self._expr, reference, protocol=protocol)

    def error_type(
        self,
        answers: IntoExprColumn,
        *,
        protocol: ScoreProtocol | str = "anls",
        threshold: float | None = None,
    ) -> pl.Expr:
        """Kind of error of each row, see `anls_frame.error_type`."""
        return errors.error_type(self._expr, answers, protocol=protocol, threshold=threshold)

    def explain(
        self,
        answers: IntoExprColumn,
        *,
        protocol: ScoreProtocol | str = "anls",
        threshold: float | None = None,
    ) -> pl.Expr:
        """How many points each step of preparation gives, see `anls_frame.explain`."""
        return errors.explain(self._expr, answers, protocol=protocol, threshold=threshold)


class _FreshNamespace:
    """
    A namespace that is built anew at each access.

    Polars' own descriptor stores the namespace on the frame it belongs to. That cycle keeps a frame alive
    until the garbage collector runs, which a loop over large frames does not survive: the collector counts
    objects, not gigabytes.
    """

    def __init__(self, namespace: Callable[[Any], Any]) -> None:
        self._namespace = namespace

    def __get__(self, instance: object | None, owner: type) -> Any:
        return self._namespace if instance is None else self._namespace(instance)


def register() -> None:
    """Register the namespaces with Polars, then put the descriptors that do not store in their place."""
    for owner in (pl.DataFrame, pl.LazyFrame, pl.Expr):
        # Our own, when the package is loaded anew: Polars would warn of it. Of anybody else's it should.
        if isinstance(vars(owner).get("anls"), _FreshNamespace):
            del owner.anls  # type: ignore[union-attr]
    pl.api.register_dataframe_namespace("anls")(AnlsFrameNamespace)
    pl.api.register_lazyframe_namespace("anls")(AnlsFrameNamespace)
    pl.api.register_expr_namespace("anls")(AnlsExprNamespace)
    pl.DataFrame.anls = _FreshNamespace(AnlsFrameNamespace)  # type: ignore[attr-defined]
    pl.LazyFrame.anls = _FreshNamespace(AnlsFrameNamespace)  # type: ignore[attr-defined]
    pl.Expr.anls = _FreshNamespace(AnlsExprNamespace)  # type: ignore[attr-defined]

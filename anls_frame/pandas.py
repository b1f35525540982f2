"""
The accessor ``df.anls`` on pandas DataFrames.

It is registered with ``import anls_frame`` as soon as pandas is loaded; importing this module does it in
any case. On a frame with a column named `anls` the accessor wins: ``df["anls"]`` is the column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from anls_frame.analysis import characters, curves, worst_rows
from anls_frame.frames import scoring
from anls_frame.reports import comparisons, reports
from anls_frame.summary import summarizing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from anls_frame._typing import ScoreColumn
    from anls_frame.protocol import ScoreProtocol
    from anls_frame.reports.comparisons import Comparison
    from anls_frame.reports.reports import Report
    from anls_frame.summary.settings import Missing
    from anls_frame.summary.summary import Summary

__all__ = ["AnlsPandasAccessor"]


@pd.api.extensions.register_dataframe_accessor("anls")
class AnlsPandasAccessor:
    """
    Scores of a pandas frame, as ``df.anls``.

    Examples
    --------
    >>> import pandas as pd
    >>> import anls_frame.pandas
    >>> df = pd.DataFrame({"prediction": ["CocaCola"], "answer": ["Coca Cola"]}, index=["q1"])
    >>> df.anls.add_scores("prediction", "answer", columns=["anls", "char_errors"])
       prediction     answer      anls  char_errors
    q1   CocaCola  Coca Cola  0.888889            1
    """

    # pandas builds the accessor anew at each `df.anls`, so there is no work here.
    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

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
    ) -> pd.DataFrame:
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

"""Selective prediction: quality of a model's confidence, and thresholds for accepting answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
import polars.selectors as cs

from anls_frame._arguments import choice, count, flag, number, share, takes_names
from anls_frame._messages import Message, wrong
from anls_frame._text import numbered
from anls_frame._typing import ByFrame, Missing, Table_co, declared
from anls_frame.exceptions import warn
from anls_frame.export.columns import DIFFERENCE, SELECTIVE, interval, listing, with_ends
from anls_frame.export.document import SLICE
from anls_frame.frames.conversion import at_hand, column_names
from anls_frame.frames.documents import forgotten, numbers
from anls_frame.frames.number_columns import check_confidences
from anls_frame.protocol import ScoreProtocol
from anls_frame.reports.decisions import RiskDecision
from anls_frame.reports.selective_documents import SelectiveView
from anls_frame.results import SlicedResult
from anls_frame.statistics.arrays import FloatArray
from anls_frame.statistics.carriers import carried_by_few
from anls_frame.statistics.design import USUAL_CORRELATION
from anls_frame.statistics.risk_coverage import Accepted, RiskCoverage, difference_of_augrc, fewest_documents
from anls_frame.summary import slicing as slices_of
from anls_frame.summary import system_rows
from anls_frame.summary.account import Account, account_of, account_sums
from anls_frame.summary.catalogue import Metrics, are_of_fields
from anls_frame.summary.keys import (
    CLUSTER,
    canonical,
    check_own_names,
    chosen_keys,
    explode_lists,
    largest_first,
)
from anls_frame.summary.labels import check_slices
from anls_frame.summary.measures import Metric
from anls_frame.summary.rows import kept_names
from anls_frame.summary.settings import Settings, Unanswerable, are_texts, check_by, scoring
from anls_frame.summary.slicing import By
from anls_frame.summary.systems import are_several, metrics_of, systems_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_FEW_ROWS, _FEW_DOCUMENTS = 100, 50.0
"""Rows and effective documents, below which intervals are approximate."""
_BINS = 10

_FEW_VALUES = 5
_RATES = {"cer": "cer_mean", "wer": "wer_mean"}
_COUNTS = ("n_clusters", "n_clusters_accepted", "documents_needed")
"""Columns of integers that can be null in all lines."""
_THRESHOLD = (
    *("threshold", "n", "n_accepted", "n_clusters_accepted", *with_ends("accepted"), "naive_accepted"),
    *(*with_ends("risk"), "risk_bound", "correlation", "few_rows", "status", "documents_needed"),
)

_Line = dict[str, object]
Signals = str | list[str] | Mapping[str, str]
"""A column of confidences, several, or one for each system."""


class Selective(SlicedResult[Table_co]):
    """
    The quality of models' confidences, and thresholds above which answers need no review.

    Returned by `anls_frame.selective`.

    Parameters
    ----------
    rows
        The scored rows: the keys of slices, `document`, and for each signal its confidence (higher is more
        confident, -inf where there is none) in `confidence_0`, ... and the loss in [0, 1] in `loss_0`, ...
    signals
        The names of the confidences.
    metric
        The score that determines the loss, with both bounds.
    confidence
        Confidence level of the intervals.
    account
        How rows were scored and sliced, and how many were given and used.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> questions = af.sample()
    >>> options = {"metrics": "exact_match", "cluster": "doc_id"}
    >>> chosen = af.selective(questions, "tesseract", "answers", "tesseract_confidence", **options)
    >>> chosen.overall.select("n", "n_no_confidence", pl.col("augrc", "auroc").round(3)).row(0)
    (1568, 272, 0.162, 0.786)
    """

    noun = "result"
    view = SelectiveView

    def __init__(
        self,
        rows: pl.DataFrame,
        signals: Sequence[str],
        metric: Metric,
        *,
        confidence: float,
        higher_is_more_confident: bool,
        forgotten_documents: str | None,
        account: Account[Table_co],
    ) -> None:
        super().__init__(confidence, [metric], account)
        self._rows = rows
        self._signals = signals
        self._higher_is_more_confident = higher_is_more_confident
        self._forgotten_documents = forgotten_documents
        self._all_rows = [_ranked_by(rows, index) for index in range(len(signals))]

    @property
    def are_partial(self) -> bool:
        """Whether some answers are neither right nor wrong, so that a risk is a mean loss."""
        return not all(self._rows.select(pl.col("^loss_.*$").is_in([0.0, 1.0]).all()).row(0))

    @property
    def settings(self) -> dict[str, Any]:
        """All settings that determine the figures."""
        return {
            **self._settings.to_dict(),
            "signals": list(self._signals),
            "higher_is_more_confident": self._higher_is_more_confident,
            "confidence": self.confidence,
            "forgotten_documents": self._forgotten_documents,
        }

    @property
    def overall(self) -> Table_co:
        """Counts and figures of all rows, with a row for each confidence; see `by`."""
        return self._as_given(self._overall)

    @listing(
        *("signal", "n", "n_clusters", "n_no_confidence", "n_distinct", *with_ends("score", "augrc", "aurc")),
        *("eaurc", "auroc", "bias", "ece", "few_rows"),
        of=SELECTIVE,
    )
    def by(self, *columns: str) -> Table_co:
        """
        Counts and figures, grouped by some of the `by` columns.

        Parameters
        ----------
        columns
            Any of the `by` columns; without columns, the result covers all rows together.

        Returns
        -------
        DataFrame
            A row for each slice and confidence: the keys, and

            {columns}

            Areas have no interval below 20 effective documents. `n_clusters` is null without clusters,
            `auroc` unless scores are 0 or 1 and both occur, and `bias` and `ece` unless all confidences lie
            in [0, 1]. `few_rows` is true below 100 rows or 50 effective documents, or if fewer than 10
            documents carry an area.
        """
        return self._as_given(self.slices_by(columns))

    def slices_by(self, columns: Sequence[str]) -> pl.DataFrame:
        """The frame of `by` in Polars."""
        return self._lines(columns, lambda ranked, _: [self._figures(ranked)])

    def _figures(self, ranked: RiskCoverage) -> _Line:
        """Return the figures of a slice."""
        augrc, aurc = (ranked.interval(area, self.confidence) for area in ("augrc", "aurc"))
        everything = ranked.all_rows()
        loss, low, high = (float(end[0]) for end in (everything.risk, *everything.interval(self.confidence)))
        score, *bounds = (self._score(value) for value in (loss, low, high))
        bias, ece = self._calibration(ranked)
        return {
            "n": ranked.n,
            "n_clusters": self._n_clusters(everything.documents[0]),
            "n_no_confidence": ranked.n - ranked.n_known,
            "n_distinct": ranked.n_distinct,
            **interval("score", score, min(bounds), max(bounds)),
            **interval("augrc", ranked.augrc, *augrc),
            **interval("aurc", ranked.aurc, *aurc),
            "eaurc": max(ranked.aurc - ranked.best_aurc, 0.0),
            "auroc": ranked.auroc,
            "bias": bias,
            "ece": ece,
            "few_rows": has_few(ranked, min(ranked.carrying("augrc"), ranked.carrying("aurc"))),
        }

    def _score(self, loss: float) -> float:
        """Return the score that corresponds to a loss."""
        (metric,) = self.measures
        least, width = metric.span or (0.0, 1.0)
        return least + width * (1 - loss if metric.higher_is_better else loss)

    def _n_clusters(self, documents: float) -> int | None:
        return None if self._settings.cluster is None else int(documents)

    def _given(self, confidence: FloatArray) -> FloatArray:
        """Return confidences in their original orientation."""
        return confidence if self._higher_is_more_confident else -confidence

    def _calibration(self, ranked: RiskCoverage) -> tuple[float | None, float | None]:
        """Return the bias of the confidence and its expected calibration error."""
        known = ranked.confidence[: ranked.n_known]
        if not (self._higher_is_more_confident and len(known) and known[0] <= 1 and known[-1] >= 0):
            return None, None
        gap = np.add.reduceat(1 - ranked.loss[: len(known)] - known, ranked.bins(_BINS)[:-1])
        return -float(gap.sum()) / len(known), float(np.abs(gap).sum()) / len(known)

    @cached_property
    @listing(
        *("signal", "baseline", "n", "n_clusters", "augrc", "baseline_augrc", *DIFFERENCE),
        *("p_value", "few_rows"),
        of=SELECTIVE,
    )
    def differences(self) -> Table_co:
        """
        Differences of AUGRC between the first confidence and each other one, on the same rows.

        The columns are `slice` ("overall" or "group"), the keys, and

        {columns}

        Below 20 effective documents there is no interval and no p-value.
        """
        return self._as_given(self.flat(self.differences_by))

    def differences_by(self, columns: Sequence[str]) -> pl.DataFrame:
        """Return the rows of `differences` by some of the `by` columns, in Polars."""

        def lines(second: RiskCoverage, first: RiskCoverage) -> list[_Line]:
            change = difference_of_augrc(first, second, self.confidence)
            return [
                {
                    "baseline": self._signals[0],
                    "n": second.n,
                    "n_clusters": self._n_clusters(second.all_rows().documents[0]),
                    "augrc": second.augrc,
                    "baseline_augrc": first.augrc,
                    **interval("difference", change.value, change.low, change.high),
                    "p_value": change.p_value,
                    "few_rows": has_few(second, change.carrying),
                }
            ]

        return self._lines(columns, lines).filter(pl.col("signal") != self._signals[0])

    def curve(self, *columns: str, points: int = 500) -> Table_co:
        """
        Return the risk-coverage curve of each slice and confidence.

        Parameters
        ----------
        columns
            Any of the `by` columns; by default, all rows form one curve.
        points
            Maximum number of thresholds of a curve; they are quantiles of the confidences.

        Returns
        -------
        DataFrame
            The keys, `signal`, and `threshold`, the strictest first; `n_accepted`, the number of rows with at
            least this confidence; `coverage`, their share of all rows; `risk`, their mean loss, with its
            interval in `risk_low` and `risk_high`; `generalized_risk`, their total loss divided by the number
            of all rows; `best_risk`, the lowest possible risk of the same number of rows; and `few_rows`,
            which marks rough intervals, as in reports. If some rows have no confidence, a last line without a
            threshold covers all rows.
        """
        return self._as_given(self.curve_by(columns, count("points", points, 2)))

    def curve_by(self, columns: Sequence[str], points: int) -> pl.DataFrame:
        """The frame of `curve` in Polars."""

        def lines(ranked: RiskCoverage, _: RiskCoverage) -> list[_Line]:
            thresholds = ranked.thresholds(points)
            if ranked.n_known < ranked.n:
                thresholds = np.append(thresholds, -np.inf)
            sums = ranked.accepted(thresholds)
            low, high = sums.interval(self.confidence)
            least = np.cumsum(np.sort(ranked.loss))[sums.n.astype(np.intp) - 1] / sums.n
            figures = {
                "threshold": self._given(np.where(thresholds > -np.inf, thresholds, np.nan)),
                "n_accepted": sums.n.astype(int),
                "coverage": sums.n / ranked.n,
                **interval("risk", sums.risk, low, high),
                "generalized_risk": sums.loss / ranked.n,
                "best_risk": least,
                "few_rows": sums.few_rows,
            }
            return pl.DataFrame(figures).to_dicts()

        return self._lines(columns, lines)

    def reliability(self, *columns: str, bins: int = _BINS) -> Table_co:
        """
        Return mean scores by confidence, to show whether a confidence of 0.9 means right in 90 % of cases.

        Parameters
        ----------
        columns
            Any of the `by` columns; by default, all rows form one table.
        bins
            Number of bins with about equally many rows each, by confidence; equal confidences stay together.

        Returns
        -------
        DataFrame
            The keys, `signal`, `bin` (1 has the lowest confidences), `n`, `n_clusters`, the lowest, highest
            and mean confidence in `confidence_min`, `confidence_max` and `confidence_mean`; `score`, 1 minus
            the mean loss, with its interval; `gap`, score minus mean confidence, null unless all confidences
            lie in [0, 1]; and `few_rows`, which marks rough intervals, as in reports. Rows without a
            confidence are left out.
        """
        bins = count("bins", bins, 1)

        def lines(ranked: RiskCoverage, _: RiskCoverage) -> list[_Line]:
            is_probability = self._calibration(ranked)[0] is not None
            result: list[_Line] = []
            ends = ranked.bins(bins)
            for start, end in zip(ends[:-1][::-1], ends[1:][::-1], strict=True):
                part = ranked.between(start, end)
                sums = part.all_rows()
                low, high = (float(end[0]) for end in sums.interval(self.confidence))
                known = self._given(part.confidence)
                score = 1 - float(sums.risk[0])
                result.append({
                    "bin": len(result) + 1,
                    "n": part.n,
                    "n_clusters": self._n_clusters(sums.documents[0]),
                    "confidence_min": known.min(),
                    "confidence_max": known.max(),
                    "confidence_mean": known.mean(),
                    **interval("score", score, 1 - high, 1 - low),
                    "gap": score - known.mean() if is_probability else None,
                    "few_rows": bool(sums.few_rows[0]),
                })  # fmt: skip
            return result

        return self._as_given(self._lines(columns, lines))

    @listing("signal", *_THRESHOLD, of=SELECTIVE)
    def threshold(
        self,
        risk: float = 0.02,
        *,
        confidence: float = 0.95,
        by: str | Sequence[str] | None = None,
        together: bool = True,
    ) -> Table_co:
        """
        Find the lowest confidence at which answers can be accepted without review, with a guaranteed risk.

        The guarantee: with probability `confidence` over samples of documents like these, the true risk (mean
        loss) of the accepted rows is at most `risk`. The guarantee applies to the mean over all accepted rows
        of a slice, for documents like these, and to the returned threshold only. Where few documents have a
        loss, it rests on an assumption: that the losses of a document's rows have no higher `correlation`
        than this column says. A higher `risk` never accepts fewer rows.

        Parameters
        ----------
        risk
            The target: the largest tolerated mean loss of accepted answers, between 0 and 1.
        confidence
            Probability with which the guarantee holds, above 0.5.
        by
            Some of the `by` columns, for a threshold for each slice.
        together
            Whether the guarantees of all slices apply simultaneously, with 1 - `confidence` divided among
            them. Otherwise, each guarantee applies separately.

        Returns
        -------
        DataFrame
            A row for each slice and confidence: the keys, and

            {columns}

            `threshold` is null if none is certified. `naive_accepted` exceeds the target in about half of all
            samples. `correlation` is null without clusters. `few_rows` is true if accepted rows are few, or
            fewer than ten documents carry their losses, so that the bound rests on this assumption.

            The status is `certified`; `risk_too_high` if these documents show a higher risk of their most
            confident rows; or `too_few_documents` if they show neither. `documents_needed` is the number of
            such documents that would certify the target if the losses of confident rows are as frequent, and
            as correlated, as here; null if more than the target are wrong.

        Warns
        -----
        InputWarning
            If more than a hundredth of the rows were left out, so that the guarantee does not apply to rows
            like them; `account` has the reasons.

        Notes
        -----
        The method is Learn then Test (Angelopoulos et al. 2021) with documents as units; see
        `anls_frame.statistics.RiskCoverage.certified`.
        """
        table = self.thresholds_by(check_by(by), risk, confidence, together=together)
        for sentence in self.account.caveats:
            warn(sentence)
        return self._as_given(table)

    def thresholds_by(
        self, columns: Sequence[str], risk: float, confidence: float, *, together: bool = True
    ) -> pl.DataFrame:
        """The frame of `threshold` in Polars, without its warning."""
        target = number("risk", risk, 0, 1, ends=False)
        level = _level(confidence)
        n_lines = self._slice_rows(columns).height * len(self._signals)
        level_of_each = 1 - (1 - level) / (n_lines if together else 1)
        return self._lines(columns, lambda ranked, _: [self._certified(ranked, target, level_of_each)])

    def _certified(self, ranked: RiskCoverage, risk: float, confidence: float) -> _Line:
        result = ranked.certified(risk, confidence)
        line: _Line = {
            **dict.fromkeys(_THRESHOLD),
            "n": ranked.n,
            "naive_accepted": result.naive_coverage,
            "status": result.status,
            "correlation": self._correlation(ranked),
            "few_rows": False,
            "documents_needed": None if np.isnan(result.documents_needed) else int(result.documents_needed),
        }
        if result.status != "certified":
            return {**line, "n_accepted": 0, "n_clusters_accepted": self._n_clusters(0), "accepted": 0.0}
        sums = ranked.accepted([result.threshold])
        is_accepted = ranked.confidence >= result.threshold
        shares = replace(ranked, loss=is_accepted.astype(float)).all_rows().interval(self.confidence)
        (low,), (high,) = sums.interval(self.confidence)
        return {
            **line,
            "threshold": float(self._given(np.array(result.threshold))),
            "n_accepted": int(sums.n[0]),
            "n_clusters_accepted": self._n_clusters(sums.documents[0]),
            **interval("accepted", float(sums.n[0]) / ranked.n, *(float(end[0]) for end in shares)),
            **interval("risk", float(sums.risk[0]), float(low), float(high)),
            "risk_bound": result.bound,
            "few_rows": bool(sums.few_rows[0]),
        }

    def _correlation(self, ranked: RiskCoverage) -> float | None:
        """Return the correlation that is assumed of the losses of a document."""
        return None if self._settings.cluster is None else max(ranked.correlation, USUAL_CORRELATION)

    def holds(self, threshold: float, risk: float = 0.02, *, confidence: float = 0.95) -> RiskDecision:
        """
        Decide whether a threshold chosen on other documents meets its target risk on these.

        Parameters
        ----------
        threshold
            The lowest accepted confidence.
        risk
            The target: the largest tolerated mean loss of accepted rows.
        confidence
            Confidence level of the bounds that are compared with the target, above 0.5.

        Returns
        -------
        RiskDecision
            The decision: "fine" if the upper bound of the risk is at most `risk`, "regressed" if the lower
            bound is above it, otherwise "undecided", with the number of documents that would be needed. The
            bounds are those of `threshold`, and rest on the same assumption.

        Raises
        ------
        ValueError
            If the result has several confidences.
        """
        if len(self._signals) > 1:
            raise ValueError(
                f"a threshold refers to a single confidence, but there are {list(self._signals)}; pass "
                "one as model_confidence"
            )
        (ranked,) = self._all_rows
        given = number("threshold", threshold, -np.inf)
        lowest = given if self._higher_is_more_confident else -given
        target, level = number("risk", risk, 0, 1, ends=False), _level(confidence)
        two_sided = 2 * level - 1
        accepted = ranked.accepted([lowest])

        def bounds(sums: Accepted) -> tuple[float, float]:
            low, _ = sums.interval(two_sided, ranked.correlation)
            return float(low[0]), float(sums.upper_bound(level, ranked.correlation)[0])

        def decides(number: float) -> bool:
            low, high = bounds(accepted.times(number / accepted.documents[0]))
            return high <= target or low > target

        needed = fewest_documents(decides) if accepted.n[0] else np.nan
        low, high = bounds(accepted)
        figures = accepted.risk[0], low, np.nan if np.isnan(low) else high
        observed, low_end, high_end = (None if np.isnan(figure) else float(figure) for figure in figures)
        return RiskDecision(
            threshold=float(threshold),
            target=target,
            confidence=confidence,
            risk=observed,
            risk_low=low_end,
            risk_high=high_end,
            correlation=self._correlation(ranked),
            few_rows=bool(accepted.few_rows[0]),
            documents=int(accepted.documents[0]),
            has_clusters=self._settings.cluster is not None,
            needed=None if np.isnan(needed) else int(needed),
            are_partial=self.are_partial,
            account=self.account,
        )

    def plot(
        self,
        kind: Literal["risk_coverage", "reliability"] = "risk_coverage",
        *,
        by: str | Sequence[str] | None = None,
        risk: float | None = None,
        **options: Any,
    ) -> Axes:
        """
        Draw the risk-coverage curves or the reliability diagram.

        Parameters
        ----------
        kind
            `"risk_coverage"` draws with `anls_frame.plot.risk_coverage`, `"reliability"` with
            `anls_frame.plot.reliability`.
        by
            Some of the `by` columns, for a row for each slice.
        risk
            In curves, the target risk whose certified thresholds are marked.
        options
            Options of the plot.
        """
        from anls_frame import plot  # noqa: PLC0415 - imports matplotlib

        columns = check_by(by)
        if choice("kind", kind, ("risk_coverage", "reliability")) == "reliability":
            return plot.reliability(self.reliability(*columns), **options)
        certified = None if risk is None else self.thresholds_by(columns, risk, 0.95)
        return plot.risk_coverage(self.curve(*columns), certified=certified, **options)

    def _slice_rows(self, columns: Sequence[str]) -> pl.DataFrame:
        """Return the keys of slices and their `rows`, in the order of ordered keys or the largest first."""
        if not columns:
            return pl.DataFrame({"rows": [None]})
        keys = chosen_keys(columns, self._by, self.noun)
        entries = explode_lists(self._rows.select(keys).with_row_index("rows"), keys)
        groups = entries.group_by(keys).agg("rows").with_columns(n=pl.col("rows").list.len())
        return largest_first(groups, keys, columns, self._settings.orders)

    def _lines(
        self, columns: Sequence[str], lines: Callable[[RiskCoverage, RiskCoverage], list[_Line]]
    ) -> pl.DataFrame:
        """Return the lines of each slice and signal, from its ranked rows and those of the first signal."""
        slices = self._slice_rows(columns)
        made: list[_Line] = []
        slice_of: list[int] = []
        for index, rows in enumerate(slices["rows"]):
            every = self._all_rows
            if rows is not None:
                own = self._rows[rows].with_columns(pl.col("document").rank("dense") - 1)
                every = [_ranked_by(own, signal) for signal in range(len(self._signals))]
            for signal, ranked in zip(self._signals, every, strict=True):
                made += [{"signal": signal, **line} for line in lines(ranked, every[0])]
            slice_of += [index] * (len(made) - len(slice_of))
        table = pl.DataFrame(made, infer_schema_length=None).with_columns(
            cs.by_name(*_COUNTS, require_all=False).cast(pl.Int64),
            (cs.by_dtype(pl.Null) - cs.by_name(*_COUNTS, require_all=False)).cast(pl.Float64),
            cs.float().fill_nan(None),
        )
        check_own_names(columns, [SLICE, *table.columns])
        return pl.DataFrame([*slices[slice_of].select(cs.by_name(*columns)), *table])


def has_few(ranked: RiskCoverage, carrying: float) -> bool:
    """Return whether there are too few rows or documents, or too few that carry an area or a difference."""
    few = ranked.n < _FEW_ROWS or ranked.documents < _FEW_DOCUMENTS - 1e-9
    return few or bool(carried_by_few(carrying))


def _ranked_by(rows: pl.DataFrame, index: int) -> RiskCoverage:
    """Return rows ranked by one of the confidences."""
    return RiskCoverage.of(rows[f"confidence_{index}"], rows[f"loss_{index}"], rows["document"])


def _level(confidence: float) -> float:
    """Return the confidence of a guarantee, which is above one half."""
    return number("confidence", confidence, 0.5, 1, ends=False)


_on_frames: ByFrame[Selective[pd.DataFrame], Selective[pl.DataFrame]] = declared


@_on_frames
@takes_names
def selective(
    frame: Any,
    prediction: str | Sequence[str] | Mapping[str, str] | None = None,
    answers: str | None = None,
    model_confidence: Signals | None = None,
    *,
    metrics: Metrics | None = None,
    by: By | None = None,
    cluster: str | None = None,
    higher_is_more_confident: bool = True,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
    confidence: float = 0.95,
) -> Selective:
    """
    Evaluate a model's confidence, and find the thresholds above which its answers need no review.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame, a pandas DataFrame, or any object with the Arrow PyCapsule interface.
        Scores, keys and confidences are loaded into memory.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers; without them,
        `metrics` names a column of existing scores. For several systems, `prediction` is a mapping from names
        to columns.
    model_confidence
        The column with the model's confidence in each answer, as numbers (also as text, as from CSV), or
        several such columns; for several systems, a mapping from names to columns. Null, NaN and the infinity
        of lowest confidence mean that there is none: such rows rank below all others, and no threshold
        accepts them. Rows of equal confidence are accepted together.
    metrics
        A score of rows: `"anls"` (the default), another name, a `Metric`, or a column of existing scores. The
        score must have two bounds; the loss is 0 at the better bound and 1 at the other.
    by
        Columns that define the slices, as for `anls_frame.report`. Each slice has its own curve.
    cluster
        Column that identifies the document of each row. Pass this column if there is one: rows of a document
        are correlated, and a threshold certified without it could exceed its target risk.
    higher_is_more_confident
        Whether higher numbers mean higher confidence. Pass False for numbers such as an entropy; a threshold
        is then the highest accepted number.
    protocol
        How texts are scored, as in `anls_frame.score`: the name of a preset or a `ScoreProtocol`, such as
        ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string; `"drop"` leaves such rows out.
        Rows with a null score are always left out.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts); a row of
        `fields` counts, as wrong, if something was predicted there. `"empty"` treats the empty text as their
        answer: such a row is right if its prediction is null or empty, whatever `missing` says, and wrong
        otherwise.
    confidence
        Confidence level of the intervals.

    Returns
    -------
    Selective
        The figures, with `overall`, `by_group`, `by(...)`, `differences`, `curve(...)`, `reliability(...)`,
        `threshold(risk)`, `holds(threshold)`, `account`, `plot()` and `write(path)`. Its tables are pandas
        frames for a pandas frame, otherwise Polars frames.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role; a confidence must be a number, not a Boolean.
    ValueError
        If the score does not have two bounds, fewer than two rows have a score, or an option has an invalid
        value.

    Warns
    -----
    InputWarning
        If more than half of the rows have the same confidence, or the column has fewer than five different
        values.

    See Also
    --------
    anls_frame.documents : a row for each document, with whether all required fields are right.
    anls_frame.statistics.RiskCoverage : the curve and certified thresholds for arrays.

    Notes
    -----
    AUGRC, the area under the generalized risk-coverage curve, is the loss of accepted answers as a share of
    all answers, averaged over all thresholds. Lower is better; a random order gives half the mean loss. The
    guide to confidence explains how to read it.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> questions = af.sample().filter(pl.col("answers").list.len() > 0)
    >>> options = {"metrics": "exact_match", "cluster": "doc_id"}
    >>> chosen = af.selective(questions, "rapidocr", "answers", "rapidocr_confidence", **options)
    >>> chosen.threshold(risk=0.15).select("threshold", pl.col("accepted", "risk").round(3), "status").row(0)
    (0.9802, 0.72, 0.127, 'certified')
    """
    columns = _columns_of(model_confidence, prediction)
    frame = at_hand(frame)
    has_texts = are_texts(prediction, answers)
    wanted = "anls" if metrics is None and has_texts else metrics
    # A rate of a row has no upper bound, so the usual advice for its name would not help.
    named = wanted[0] if isinstance(wanted, list) and len(wanted) == 1 else wanted
    wanted = _RATES.get(named, wanted) if isinstance(named, str) else wanted
    every = metrics_of(wanted, prediction, column_names(frame), has_texts=has_texts, protocol=protocol)
    if len(every) > 1 or every[0].is_ratio:
        names = [metric.name for metric in every]
        one = "'exact_match'" if are_of_fields(every) else "'anls' or 'exact_match'"
        raise wrong("metrics", f"must be one score of rows, got {names}; pass {one}")
    systems, slicing = systems_of(prediction), slices_of.resolve(by)
    settings = Settings(
        by=slicing.names,
        tables=slicing.tables,
        cluster=cluster,
        metrics=every,
        keep=tuple(dict.fromkeys(columns.values())),
        **scoring(protocol, frame, has_texts=has_texts, missing=missing, unanswerable=unanswerable),
    )
    scored = system_rows.scored_rows(
        frame, systems, answers, every, settings, slicing=slicing, numbers=settings.keep
    )
    table, account = _collected(scored)
    rows = canonical(table.select(scored.keys))
    check_slices(rows, scored.keys, slicing.names)
    scores = table.select(system_rows.score_columns(0, len(systems)))
    metric = _bounded(every[0], scores)
    least, width = metric.span or (0.0, 1.0)
    sign = 1.0 if flag("higher_is_more_confident", higher_is_more_confident) else -1.0
    signals, unsure = {}, {}
    for index, (name, column) in enumerate(columns.items()):
        system = list(systems).index(name) if name in systems else 0
        in_unit = np.clip((scores.to_series(system).to_numpy() - least) / width, 0, 1)
        given = sign * table[kept_names(settings)[settings.keep.index(column)]].to_numpy()
        own = np.nan_to_num(given, nan=-np.inf, posinf=np.inf, neginf=-np.inf)
        _warn_if_coarse(name, own)
        signals[f"confidence_{index}"] = own
        signals[f"loss_{index}"] = 1 - in_unit if metric.higher_is_better else in_unit
        unsure[list(systems)[system], column] = int(np.isneginf(own).sum())
    documents = numbers(None if cluster is None else rows[CLUSTER], table.height)
    return Selective(
        pl.DataFrame({**rows.to_dict(), "document": documents, **signals}),
        list(columns),
        metric,
        confidence=share("confidence", confidence, ends=False),
        higher_is_more_confident=higher_is_more_confident,
        forgotten_documents=forgotten(frame, cluster),
        account=replace(account, unsure=unsure),
    )


def _columns_of(signals: Any, prediction: Any) -> dict[str, str]:
    """Return the column of each signal by its name: that of its system, if there are several of these."""
    given = signals if isinstance(signals, list | tuple | Mapping) else [signals]
    names = list(given)
    own = list(given.values()) if isinstance(given, Mapping) else names
    if not names or not all(isinstance(text, str) for text in (*names, *own)):
        raise wrong(
            "model_confidence", f"must be a column with the model's confidences, or several, got {signals!r}"
        )
    columns = dict(zip(names, own, strict=True))
    if are_several(prediction):
        systems = list(systems_of(prediction))
        if not isinstance(signals, Mapping) or set(columns) != set(systems):
            raise wrong(
                "model_confidence",
                f"must be a mapping from each of the systems {systems} to its column, got {signals!r}",
            )
    return columns


def _collected(rows: system_rows.SystemRows) -> tuple[pl.DataFrame, Account[Any]]:
    """Return the keys, scores and confidences of the rows that have a score, and the account of all rows."""
    schema = rows.inputs.collect_schema()
    kept = kept_names(rows.settings)
    check_confidences({name: schema[own] for name, own in zip(rows.settings.keep, kept, strict=True)})
    scores = system_rows.score_columns(0, rows.systems)
    confidences = [pl.col(column).cast(pl.Float64) for column in kept]
    columns = [*rows.keys, *scores, *confidences, *system_rows.marks(rows.systems)]
    table = rows.frame.select(columns).collect(engine="streaming")
    rows.check(table)
    is_used = pl.all_horizontal(pl.col(scores).is_not_null())
    account = account_of(rows, table.select(**account_sums(rows, is_used)))
    if account.used < 2:  # noqa: PLR2004
        few = f"there must be at least two rows with a score to rank, got {account.used}. "
        raise ValueError(Message(few, account.sentence))
    return table.filter(is_used), account


def _bounded(metric: Metric, scores: pl.DataFrame) -> Metric:
    """Return the metric with its bounds; raise an error without two of them."""
    bounded = metric.within(min(scores.min().row(0)), max(scores.max().row(0)))
    if bounded.span is None:
        raise ValueError(
            f"metrics: {metric.name!r} does not have two bounds, so a row has no loss between 0 and 1; "
            f"pass 'nls' or 'exact_match', or give the bounds of your own score: Metric(..., bounds=(0, 5))"
        )
    return bounded


def _warn_if_coarse(name: str, confidence: FloatArray) -> None:
    """Warn of a confidence that is too coarse for a threshold."""
    _, counts = np.unique(confidence[confidence > -np.inf], return_counts=True)
    if 0 < len(counts) < _FEW_VALUES:
        warn(
            f"the confidence {name!r} has only {numbered(len(counts), 'different value')}: only few "
            f"thresholds are possible"
        )
    elif counts.max(initial=0) > len(confidence) / 2:
        share = counts.max() / len(confidence)
        warn(
            f"{share:.0%} of the rows have the same confidence {name!r}: the threshold can only move "
            "in large steps"
        )

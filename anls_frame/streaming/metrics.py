"""
Metric objects for training loops: pairs come in batches, one value of all of them goes out.

`NormalizedLevenshteinSimilarity`, `ANLS` and `CharErrorRate` have the methods that users of torchmetrics
know: `update` takes a batch in, a call returns its value as well, `compute` gives the value of all batches,
`reset` starts anew, `merge` adds up processes. Scores are those of the expressions `nls`, `anls` and `cer`,
to the last bit. Sums are exact, so any batches, merged in any order, give the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from anls_frame.metrics.scores import anls, nls, score
from anls_frame.protocol import check_substitution_cost, resolve_protocol, resolve_threshold
from anls_frame.streaming import batches
from anls_frame.streaming.base import Metric

if TYPE_CHECKING:
    from anls_frame.protocol import ScoreProtocol
    from anls_frame.streaming.batches import Columns, Pairs

__all__ = ["ANLS", "CharErrorRate", "NormalizedLevenshteinSimilarity"]

Reduction = Literal["mean", "sum", "none"]
RateReduction = Literal["corpus", "mean", "sum", "none"]


class NormalizedLevenshteinSimilarity(Metric):
    """
    Normalized Levenshtein similarity of pairs that come in batches: 1 - d / L, the best over the answers.

    Parameters
    ----------
    substitution_cost
        What a substitution costs, beside 1 for an insertion or a deletion, as for `nls`.
    reduction
        `"mean"` or `"sum"` of the scores; `"none"` or `None` gives the score of each pair, as a numpy array.
    protocol
        How texts are prepared; here, as in all text metrics, by default not at all.
    **options
        Keyword arguments of torchmetrics' metrics, such as `compute_on_cpu`, with values that hold here: a
        metric sends nothing to other processes by itself.

    Raises
    ------
    ValueError
        If the reduction or the protocol is none of its choices, the cost is negative, or one of the options
        asks for what a metric here does not do.
    TypeError
        If the cost is no whole number, or there is no such option.

    See Also
    --------
    anls_frame.nls : the same as an expression.

    Examples
    --------
    >>> import anls_frame as af
    >>> metric = af.NormalizedLevenshteinSimilarity()
    >>> metric(["rain", "lnaguaeg"], ["shine", "language"])
    0.45
    >>> metric.update("same", "same")
    >>> round(metric.compute(), 6)
    0.633333
    """

    def __init__(
        self,
        substitution_cost: int = 1,
        reduction: Reduction | None = "mean",
        *,
        protocol: ScoreProtocol | str = "raw",
        **options: Any,
    ) -> None:
        settings = {
            "substitution_cost": check_substitution_cost(substitution_cost),
            "protocol": resolve_protocol(protocol),
        }
        super().__init__(reduction, settings, options)

    def _score_pairs(self, pairs: Pairs) -> tuple[list[float], tuple[int, ...]]:
        return self._scorer.nls(pairs.predictions, pairs.answers), ()

    def _score_columns(self, columns: Columns) -> tuple[Any, tuple[int, ...]]:
        options = {name: self._settings[name] for name in ("substitution_cost", "protocol")}
        return batches.score(columns, nls("predictions", "answers", **options)).to_numpy(), ()


class ANLS(Metric):
    """
    ANLS of pairs that come in batches: the mean of the similarities that survive the protocol's cut.

    Parameters
    ----------
    protocol
        How texts are prepared, L is counted and the score is cut.
    threshold
        The threshold t in [0, 1], in place of the protocol's own.
    reduction
        `"mean"` or `"sum"` of the scores; `"none"` or `None` gives the score of each pair, as a numpy array.
    **options
        Keyword arguments of torchmetrics' metrics, as for `NormalizedLevenshteinSimilarity`.

    Raises
    ------
    ValueError
        If the reduction or the protocol is none of its choices, if the protocol has no threshold and none is
        given, or the threshold is outside [0, 1].
    TypeError
        If the threshold is no number.

    See Also
    --------
    anls_frame.anls : the same as an expression.
    anls_frame.report : ANLS of a frame, by slice and with intervals.

    Examples
    --------
    >>> import anls_frame as af
    >>> metric = af.ANLS()
    >>> for predictions, answers in [
    ...     (["CocaCola", "rain"], [["Coca Cola", "Coca Cola Company"], ["shine"]]),
    ...     (["paris"], [["Paris"]]),
    ... ]:
    ...     metric.update(predictions, answers)
    >>> round(metric.compute(), 6)
    0.62963
    """

    def __init__(
        self,
        *,
        protocol: ScoreProtocol | str = "anls",
        threshold: float | None = None,
        reduction: Reduction | None = "mean",
        **options: Any,
    ) -> None:
        settings = {
            "protocol": resolve_protocol(protocol),
            "threshold": resolve_threshold(protocol, threshold),
        }
        super().__init__(reduction, settings, options)

    def _score_pairs(self, pairs: Pairs) -> tuple[list[float], tuple[int, ...]]:
        return self._scorer.anls(pairs.predictions, pairs.answers), ()

    def _score_columns(self, columns: Columns) -> tuple[Any, tuple[int, ...]]:
        options = {name: self._settings[name] for name in ("protocol", "threshold")}
        return batches.score(columns, anls("predictions", "answers", **options)).to_numpy(), ()


class CharErrorRate(Metric):
    """
    Character error rate of pairs that come in batches: all edits by the length of all references.

    Parameters
    ----------
    protocol
        How texts are prepared; by default not at all, as in torchmetrics. `"jiwer"` strips their ends.
    reduction
        `"corpus"`: the sum of the edits by the sum of the reference lengths, as in jiwer and torchmetrics, in
        which long references weigh more. The others reduce the rates of the pairs: `"mean"`, `"sum"`, and
        `"none"` or `None` for the rate of each pair, as a numpy array.
    **options
        Keyword arguments of torchmetrics' metrics, as for `NormalizedLevenshteinSimilarity`.

    Raises
    ------
    ValueError
        If the reduction or the protocol is none of its choices.

    See Also
    --------
    anls_frame.cer : the rate of a pair as an expression.

    Notes
    -----
    Of several accepted answers the one with the lowest rate counts. A pair with an empty reference adds its
    insertions to the edits and nothing to the length. Of empty references alone the rate is the number of
    insertions, as in jiwer 4.

    Examples
    --------
    >>> import anls_frame as af
    >>> metric = af.CharErrorRate()
    >>> metric(["b", "abcdefghij"], ["a", "abcdefghij"]) == 1 / 11
    True
    >>> metric.char_errors, metric.reference_length
    (1, 11)
    >>> af.CharErrorRate(reduction="mean")(["b", "abcdefghij"], ["a", "abcdefghij"])
    0.5
    """

    REDUCTIONS: ClassVar[tuple[str, ...]] = ("corpus", *Metric.REDUCTIONS)
    COUNTS: ClassVar[tuple[str, ...]] = (*Metric.COUNTS, "char_errors", "reference_length")
    HAS_BOUND: ClassVar[bool] = False

    def __init__(
        self,
        *,
        protocol: ScoreProtocol | str = "raw",
        reduction: RateReduction | None = "corpus",
        **options: Any,
    ) -> None:
        super().__init__(reduction, {"protocol": resolve_protocol(protocol)}, options)

    @property
    def char_errors(self) -> int:
        """Number of edits so far."""
        return self._counts[3]

    @property
    def reference_length(self) -> int:
        """Number of characters in the references so far."""
        return self._counts[4]

    def _score_pairs(self, pairs: Pairs) -> tuple[list[float], tuple[int, ...]]:
        rows = self._scorer.char_errors(pairs.predictions, pairs.answers)
        return [rate for _, _, rate in rows], (sum(row[0] for row in rows), sum(row[1] for row in rows))

    def _score_columns(self, columns: Columns) -> tuple[Any, tuple[int, ...]]:
        protocol = self._settings["protocol"]
        # With one protocol for all fields texts are prepared once; the threshold plays no part in these.
        expression = score("predictions", "answers", protocol=protocol, threshold=0.5, cer_protocol=protocol)
        scores = batches.score(columns, expression).struct
        counts = (int(scores.field(name).sum()) for name in ("char_errors", "reference_length"))
        return scores.field("cer").to_numpy(), tuple(counts)

    def _value(self, counts: tuple[int, ...], scores: Any) -> float | Any:
        if self._settings["reduction"] != "corpus":
            return super()._value(counts, scores)
        errors, length = counts[3:]
        return errors / max(length, 1)

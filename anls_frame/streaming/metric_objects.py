"""
Public metric objects: similarity, ANLS and character error rate of pairs in batches.

See `anls_frame.streaming` for their common methods.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from anls_frame.metrics.scores import score
from anls_frame.protocol import ScoreProtocol, check_substitution_cost, resolve_protocol, resolve_threshold
from anls_frame.streaming import pair_batches
from anls_frame.streaming.base import MetricObject
from anls_frame.streaming.pair_batches import Columns, Pairs

Reduction = Literal["mean", "sum", "none"]
RateReduction = Literal["corpus", "mean", "sum", "none"]


class NormalizedLevenshteinSimilarity(MetricObject):
    """
    Normalized Levenshtein similarity of pairs in batches: 1 - d / L, the maximum over the answers.

    Parameters
    ----------
    substitution_cost
        Cost of a substitution; an insertion or a deletion costs 1, as for `nls`.
    reduction
        `"mean"` or `"sum"` of the scores; `"none"` or `None` for the score of each pair, as a numpy array.
    protocol
        How texts are prepared; by default, not at all.
    **options
        Keyword arguments of torchmetrics metrics, such as `compute_on_cpu`, with values that apply here
        (these metrics send nothing to other processes).

    Raises
    ------
    ValueError
        If the reduction or the protocol is unknown, the cost is negative, or an option has a value that does
        not apply here.
    TypeError
        If the cost is not an integer, or an option does not exist.

    See Also
    --------
    anls_frame.nls : the similarity as an expression.

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

    SCORE = "nls"

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


class ANLS(MetricObject):
    """
    ANLS of pairs in batches: the mean similarity after the protocol's cut.

    Parameters
    ----------
    protocol
        How texts are prepared, how L is counted and how scores are cut.
    threshold
        The threshold t in [0, 1], which overrides the protocol's own.
    reduction
        `"mean"` or `"sum"` of the scores; `"none"` or `None` for the score of each pair, as a numpy array.
    **options
        Keyword arguments of torchmetrics metrics, as for `NormalizedLevenshteinSimilarity`.

    Raises
    ------
    ValueError
        If the reduction or the protocol is unknown, the protocol has no threshold and none is given, or the
        threshold is outside [0, 1].
    TypeError
        If the threshold is not a number.

    See Also
    --------
    anls_frame.anls : the score of each row as an expression.
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

    SCORE = "anls"

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


class CharErrorRate(MetricObject):
    """
    Character error rate of pairs in batches: total edits divided by total reference length.

    Parameters
    ----------
    protocol
        How texts are prepared; by default, not at all, as in torchmetrics. `"jiwer"` strips both ends.
    reduction
        `"corpus"`: total edits divided by total reference length, as in jiwer and torchmetrics, so that long
        references weigh more. Other choices reduce the rates of the pairs: `"mean"`, `"sum"`, and `"none"` or
        `None` for the rate of each pair, as a numpy array.
    **options
        Keyword arguments of torchmetrics metrics, as for `NormalizedLevenshteinSimilarity`.

    Raises
    ------
    ValueError
        If the reduction or the protocol is unknown.

    See Also
    --------
    anls_frame.cer : the rate of each row as an expression.

    Notes
    -----
    Of several accepted answers, the one with the lowest rate counts. A pair with an empty reference adds its
    insertions to the edits and nothing to the length. If all references are empty, the rate is the number of
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

    REDUCTIONS: ClassVar[tuple[str, ...]] = ("corpus", *MetricObject.REDUCTIONS)
    COUNTS: ClassVar[tuple[str, ...]] = (*MetricObject.COUNTS, "char_errors", "reference_length")

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
        # With one protocol for all fields, texts are prepared once; these fields do not use the threshold.
        whole = resolve_protocol(protocol).replace(threshold=0.5, errors=protocol)
        expression = score("predictions", "answers", protocol=whole)
        scores = pair_batches.score(columns, expression).struct
        counts = (int(scores.field(name).sum()) for name in ("char_errors", "reference_length"))
        return scores.field("cer").to_numpy(), tuple(counts)

    def _value(self, counts: tuple[int, ...], scores: Any) -> float | Any:
        if self._settings["reduction"] != "corpus":
            return super()._value(counts, scores)
        errors, length = counts[3:]
        return errors / max(length, 1)

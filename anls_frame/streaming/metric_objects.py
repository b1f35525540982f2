"""
Metric objects: similarity, ANLS and character error rate of pairs in batches.

A sum of floats depends on the order of addition, a sum of integers does not. Scores are therefore added up as
integer multiples of a unit, so any batches, merged in any order, give the same bits. The module
`anls_frame.summary.fixed_point` does the same for columns.
"""

from __future__ import annotations

import operator
import pickle
from array import array
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

import anls_frame._native as native
from anls_frame._arguments import choice
from anls_frame.exceptions import warn
from anls_frame.protocol import (
    ScoreProtocol,
    check_substitution_cost,
    plugin_options,
    preset_name,
    protocol_from_dict,
    protocol_to_dict,
    resolve_protocol,
    resolve_threshold,
)
from anls_frame.streaming.pair_batches import Pairs, check_unicode, read

Reduction = Literal["mean", "sum", "none"]
RateReduction = Literal["corpus", "mean", "sum", "none"]

# Every score is an integer multiple of the unit 2**-128. A similarity is a multiple of 2**-53: it is 1 - x in
# double precision, where x is such a multiple if x >= 0.5, and otherwise the result is rounded to one. An
# error rate is a multiple of 2**-85, because it is 0 or, as lengths are UInt32, at least 2**-32.
_UNIT_BITS = 128

_TORCHMETRICS: dict[str, tuple[object, ...]] = {
    # Sums and scores are always on the CPU, and the value always covers all pairs so far.
    **dict.fromkeys(("compute_on_cpu", "compute_with_cache"), (True, False)),
    **dict.fromkeys(("dist_sync_on_step", "sync_on_compute"), (False,)),
    **dict.fromkeys(("process_group", "dist_sync_fn", "distributed_available_fn"), (None,)),
    # In torchmetrics before 0.11.
    "compute_on_step": (True, None),
}
"""Keyword arguments of torchmetrics' metrics, with the values that match what these metrics do."""


class MetricObject:
    """State and methods shared by all metrics."""

    REDUCTIONS: ClassVar[tuple[str, ...]] = ("mean", "sum", "none")
    # Always the number of pairs, of missing predictions, and the sum of the scores in units.
    COUNTS: ClassVar[tuple[str, ...]] = ("n", "n_missing", "score_units")
    SCORE: ClassVar[str]
    """The name of its score, as a function of columns."""

    def __init__(
        self,
        reduction: str | None,
        settings: Mapping[str, Any],
        torchmetrics_options: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        _check_options(type(self).__name__, torchmetrics_options)
        reduction = "none" if reduction is None else reduction
        choice("reduction", reduction, (*self.REDUCTIONS, None))
        self._settings = {**settings, "reduction": reduction}
        # As Polars passes them to the expressions.
        options = {**settings, "protocol": plugin_options(settings["protocol"])}
        self._scorer = native.PairScorer(pickle.dumps(options))
        self.reset()

    @property
    def n(self) -> int:
        """Number of pairs so far."""
        return self._counts[0]

    @property
    def n_missing(self) -> int:
        """Number of pairs so far with a missing prediction, which counts as the empty string."""
        return self._counts[1]

    def update(
        self,
        predictions: Any = None,
        answers: Any = None,
        *,
        preds: Any = None,
        target: Any = None,
    ) -> None:
        """
        Add a batch of pairs.

        If an error is raised, the metric stays unchanged.

        Parameters
        ----------
        predictions
            A string, or a list, Polars or pandas Series, numpy array or Arrow array of strings. A missing
            prediction (None, null, in pandas and numpy also NaN) counts as the empty string, as in reports,
            and in `n_missing`.
        answers
            For each prediction, the accepted answer, or a list of accepted answers; the best one counts.
            If `predictions` is a single string, its answer or the list of its accepted answers.
        preds, target
            Names of these arguments in torchmetrics, as alternatives.

        Raises
        ------
        ValueError
            If the numbers of predictions and answers differ, if two pandas Series have different indexes, if
            a prediction has no answer (None, `[]`, only nulls), or if a string is not valid Unicode. The
            error states the numbers or the index.
        TypeError
            If the batch contains anything but strings, or one of the two arguments is missing or given twice.

        Examples
        --------
        >>> import anls_frame as af
        >>> metric = af.ANLS()
        >>> metric.update("CocaCola", "Coca Cola")
        >>> metric.update(["rain", "Paris"], [["shine"], ["paris", "Paris, France"]])
        >>> metric.n, round(metric.compute(), 6)
        (3, 0.62963)
        >>> metric.update(preds=["Rome"], target=["Rome"])
        >>> metric.n
        4
        """
        self._add(*self._scored(*_batch("update", predictions, answers, preds, target)))

    def __call__(
        self,
        predictions: Any = None,
        answers: Any = None,
        *,
        preds: Any = None,
        target: Any = None,
    ) -> float | Any:
        """Add a batch of pairs, as in `update`, and return the value of this batch, as in `compute`."""
        counts, scores = self._scored(*_batch("a call", predictions, answers, preds, target))
        self._add(counts, scores)
        return self._value(counts, scores)

    def compute(self) -> float | Any:
        """
        Return the value of all pairs so far.

        Returns
        -------
        float or numpy.ndarray
            A float, rounded once from the exact sum; 0.0 without pairs. With ``reduction="none"``, a
            `float64` array of the scores, in the order of the pairs.

        Warns
        -----
        InputWarning
            If there are no pairs, whose 0.0 is not a score.

        Examples
        --------
        >>> import anls_frame as af
        >>> metric = af.CharErrorRate()
        >>> metric.update(["lnvoice 42", "Total"], ["Invoice 42", "Total"])
        >>> metric.compute() == 1 / 15
        True
        """
        if not self.n and self._settings["reduction"] != "none":
            warn(f"{type(self).__name__} has no pairs, so its value 0.0 is not a score")
        return self._value(self._counts, self._scores)

    def reset(self) -> None:
        """
        Remove all pairs.

        Examples
        --------
        >>> import anls_frame as af
        >>> metric = af.ANLS()
        >>> metric("Paris", "paris"), metric.n
        (1.0, 1)
        >>> metric.reset()
        >>> metric.n
        0
        """
        self._counts = (0,) * len(self.COUNTS)
        self._scores = array("d")

    def merge(self, other: Self) -> Self:
        """
        Add the pairs of another metric to this one; the other metric is unchanged.

        Parameters
        ----------
        other
            A metric of the same class with the same settings, such as the metric of another process.

        Returns
        -------
        Metric
            This metric, so that `functools.reduce` can add up many.

        Raises
        ------
        ValueError
            If the settings differ; the error names them.
        TypeError
            If `other` is not a metric of the same class.

        Examples
        --------
        >>> import functools
        >>> import anls_frame as af
        >>> parts = [af.ANLS(), af.ANLS()]
        >>> parts[0]("Paris", "paris"), parts[1]("rain", "shine")
        (1.0, 0.0)
        >>> functools.reduce(af.ANLS.merge, parts, af.ANLS()).compute()
        0.5
        """
        if type(other) is not type(self):
            raise TypeError(
                f"other must be a metric of class {type(self).__name__}, got {type(other).__name__}"
            )
        self._check_settings(other._settings)
        self._add(other._counts, other._scores)
        return self

    def state(self) -> dict[str, Any]:
        """
        Return settings and sums as plain numbers and strings, for checkpoints and messages.

        Returns
        -------
        dict
            A dictionary that can be written as JSON; some of its integers have more than 64 bits.

        Examples
        --------
        >>> import anls_frame as af
        >>> metric = af.CharErrorRate()
        >>> metric.update("lnvoice 42", "Invoice 42")
        >>> state = metric.state()
        >>> state["n"], state["char_errors"], state["reference_length"]
        (1, 1, 10)
        """
        return {
            "metric": type(self).__name__,
            "settings": {**self._settings, "protocol": protocol_to_dict(self._settings["protocol"])},
            **dict(zip(self.COUNTS, self._counts, strict=True)),
            "scores": self._scores.tolist(),
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """
        Replace the state of this metric by the state of another metric.

        Parameters
        ----------
        state
            The result of `state` of a metric of the same class with the same settings.

        Raises
        ------
        ValueError
            If the state is of another kind, settings differ (the error names them), or numbers are
            inconsistent.

        Examples
        --------
        >>> import anls_frame as af
        >>> metric, restored = af.ANLS(), af.ANLS()
        >>> metric.update("CocaCola", "Coca Cola")
        >>> restored.load_state(metric.state())
        >>> restored.compute() == metric.compute()
        True
        """
        own = type(self).__name__
        try:
            name, settings = state["metric"], _settings(state)
            counts = tuple(operator.index(state[count]) for count in self.COUNTS)
            scores = array("d", state["scores"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"state must be a state of {own}: {error!r}") from None
        if name != own:
            raise ValueError(f"state must be a state of {own}, got one of {name}")
        self._check_settings(settings)
        named = dict(zip(self.COUNTS, counts, strict=True))
        n, kept = counts[0], self._settings["reduction"] == "none"
        # A similarity can be negative if a substitution costs 2.
        are_negative = any(count < 0 for count_name, count in named.items() if count_name != "score_units")
        if are_negative or named["n_missing"] > n or (n == 0 and any(counts)):
            raise ValueError(f"state must be a state of {own}: {named} cannot be counts of {n} pairs")
        if len(scores) != n * kept or (kept and _units(scores) != named["score_units"]):
            raise ValueError(
                f"state must be a state of {own}: scores must hold {n * kept} numbers that add up to "
                f"score_units, got {len(scores)}"
            )
        self._counts, self._scores = counts, scores

    def __getstate__(self) -> dict[str, Any]:
        return self.state()

    def __setstate__(self, state: dict[str, Any]) -> None:
        settings = _settings(state)
        MetricObject.__init__(self, settings.pop("reduction"), settings)
        self.load_state(state)

    def __repr__(self) -> str:
        settings = (f"{name}={_shown(value)}" for name, value in self._settings.items())
        return f"{type(self).__name__}({', '.join(settings)})"

    def _score_pairs(self, pairs: Pairs) -> tuple[list[float], tuple[int, ...]]:
        """Return the score of each pair, and the counts that only this class has."""
        return getattr(self._scorer, self.SCORE)(pairs.predictions, pairs.answers), ()

    def _scored(self, predictions: Any, answers: Any) -> tuple[tuple[int, ...], list[float]]:
        """Return the counts and the scores of a batch."""
        pairs = read(predictions, answers)
        try:
            scores, counts = self._score_pairs(pairs)
        except UnicodeEncodeError:
            check_unicode(pairs)
            raise
        return (len(scores), pairs.n_missing, _units(scores), *counts), scores

    def _add(self, counts: tuple[int, ...], scores: Iterable[float]) -> None:
        if self._settings["reduction"] == "none":
            # Extended first, so that nothing has changed if there is not enough memory.
            self._scores.extend(array("d", scores))
        self._counts = tuple(map(operator.add, self._counts, counts))

    def _value(self, counts: tuple[int, ...], scores: Iterable[float]) -> float | Any:
        reduction = self._settings["reduction"]
        if reduction == "none":
            import numpy as np  # noqa: PLC0415 - only for those who use it

            return np.array(scores, dtype=np.float64)
        # Python rounds the quotient of two integers of any size to the nearest double.
        return counts[2] / ((max(counts[0], 1) if reduction == "mean" else 1) << _UNIT_BITS)

    def _check_settings(self, other: Mapping[str, Any]) -> None:
        differing = [
            f"{name} ({_shown(value)} and {_shown(other.get(name))})"
            for name, value in self._settings.items()
            if value != other.get(name)
        ]
        if differing:
            raise ValueError(f"metrics must have the same settings to be added up: {', '.join(differing)}")


def _batch(caller: str, predictions: Any, answers: Any, preds: Any, target: Any) -> tuple[Any, Any]:
    """Return predictions and answers, each passed under one of its two names."""
    chosen = []
    for own, theirs, values in (
        ("predictions", "preds", (predictions, preds)),
        ("answers", "target", (answers, target)),
    ):
        given = [value for value in values if value is not None]
        if len(given) != 1:
            problem = "it is missing" if not given else "got both"
            raise TypeError(f"{caller} takes exactly one of {own} and {theirs}=; {problem}")
        chosen += given
    predicted, accepted = chosen
    return predicted, accepted


def _check_options(metric: str, options: Mapping[str, Any]) -> None:
    """Raise an error that names the first option of torchmetrics that is not accepted."""
    for name, value in options.items():
        if name not in _TORCHMETRICS:
            accepted = ", ".join(_TORCHMETRICS)
            raise TypeError(
                f"{metric} has no argument {name!r}; it accepts these of torchmetrics: {accepted}"
            )
        # By identity: 1 is not True, and values of other types may define their own equality.
        if not any(value is known for known in _TORCHMETRICS[name]):
            choices = " or ".join(map(repr, _TORCHMETRICS[name]))
            raise ValueError(
                f"{name} must be {choices}, got {value!r}: a call returns the value of its batch, and "
                "nothing is sent to other processes; add up the metrics of all processes with `merge`"
            )


def _settings(state: Mapping[str, Any]) -> dict[str, Any]:
    settings = dict(state["settings"])
    return {**settings, "protocol": protocol_from_dict(settings["protocol"])}


def _shown(value: object) -> str:
    return repr(preset_name(value) or value)


def _units(scores: Iterable[float]) -> int:
    """Return the sum of scores in units."""
    # Scaling by a power of two is exact, and the result is an integer.
    return sum([int(score * 2.0**_UNIT_BITS) for score in scores])


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

    def _value(self, counts: tuple[int, ...], scores: Any) -> float | Any:
        if self._settings["reduction"] != "corpus":
            return super()._value(counts, scores)
        errors, length = counts[3:]
        return errors / max(length, 1)

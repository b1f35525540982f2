"""Descriptions of scores: their names, bounds and direction, and the sums from which they are computed."""

from __future__ import annotations

import dataclasses
import functools
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import polars as pl

from anls_frame._arguments import choice, flag, refuse_columns, share, string
from anls_frame.export.columns import ends_of
from anls_frame.frames.usual_names import words_of
from anls_frame.metrics import page_errors
from anls_frame.summary import fixed_point

Interval = Literal["bounded", "rate", "mean"]
"""Intervals for scores in [0, 1]; for rates of at least 0, where lower is better; for all other scores."""

Values = str | pl.Expr | Callable[[pl.Expr, pl.Expr], pl.Expr] | Mapping[str, str | pl.Expr]
"""What gives the values of the rows: see `Metric`."""

_RATES = frozenset(("cer", "wer", "mer", "wil", "ter", "der"))
"""Error rates, which can be above 1."""
_LOWER = (
    *("error", "errors", "substitutions", "deletions", "insertions", "distance", "levenshtein", "hamming"),
    *("loss", "cost", "costs", "latency", "runtime", "duration", "seconds", "rtf", "entropy", "fpr", "fnr"),
    *("brier", "mae", "mse", "rmse", "mape", "smape", "ece", "eer", "fid", "ned", "nll", "perplexity", "ppl"),
    *("bits_per_byte", "edit_dist", "false_negative_rate", "false_positive_rate", "negative_log_likelihood"),
    *("failure_rate", "hallucination_rate", "miss_rate", "inference_time", "response_time", "toxicity"),
    *("aurc", *_RATES),
)
"""Words in names of scores where lower is better, unless a later word says that higher is better."""
_HIGHER = (
    *("accuracy", "acc", "anls", "nls", "em", "match", "f1", "precision", "recall", "similarity", "skill"),
    *("auc", "auroc", "efficiency", "free", "improvement", "reduction", "savings"),
    *("hamming_score", "levenshtein_ratio"),
)
"""Such words, as the last one of `cost_savings` and `weight_loss_exact_match`."""
_LOWER_NAMES = frozenset(
    (
        *("zeros", "bag_of_words", *page_errors.KINDS),
        *("missing_share", "invented_share", "wrong_share", "fabrication_rate", "abstention_rate"),
    )
)
"""Other names of scores where lower is better, which in longer names may say something else."""


COUNTS = ("rows", "n", "n_missing", "n_unanswerable", "n_empty_reference")
"""Columns of cells that count rows."""


@dataclass(frozen=True, repr=False)
class Metric:
    """
    A score, described by its computation from rows, its name, its bounds and its direction.

    Pass it in `metrics=`, alone or with the names of built-in scores, which `report` lists. The attribute
    `measures` of a report holds the descriptions of all its scores.

    Parameters
    ----------
    numerator
        The score of a row, whose mean is reported: a function that takes the columns of predictions and
        answers as Polars expressions and returns an expression; an expression of the frame's columns; or the
        name of a column that holds the scores. `compare` accepts a function, or a mapping from each system to
        the column or expression of its scores.
    denominator
        For a rate, the values whose sum divides the sum of the numerators, in the same form. They must be
        whole numbers of at least 0, such as words or right answers. The numerators are then counts, such as
        errors, or amounts, such as dollars: 0, or numbers from 1e-12 to 4.5e15.
    name
        Name of its column in results; by default, the name of the column, the expression or the function.
    label
        Its name in headings and on axes; by default, `name`.
    bounds
        The lowest and the highest possible value, `None` for an open end. A value outside the bounds raises
        an error. By default, a score whose name contains the word cer, wer, mer, wil or ter has the bounds
        (0, None), and so has a ratio of an amount with fractions. Other bounds follow from the scores of the
        rows: (0, 1) if all scores lie there, otherwise (0, None) or no bounds. If none of them is above 0.5,
        a note asks for the bounds, because amounts have narrower intervals than shares.
    higher_is_better
        The direction. By default, it follows from the name: `False` for built-in scores where lower is better
        and for names with words such as cer, error, distance, loss, cost, latency or perplexity, unless a
        later word such as accuracy or savings says the contrary; otherwise `True`. The guide to metrics lists
        these words.
    format
        The format in tables: "score" and "rate" with three decimals, "number" with four significant digits;
        by default "score" for the bounds (0, 1) and for names with these five words, otherwise "number".

    Raises
    ------
    ValueError
        If the metric has no name, or an option has an invalid value.
    TypeError
        If the numerator or denominator has another type.

    Notes
    -----
    Rows without a value (null, or NaN in a column of scores) are left out of this metric. So are rows that
    add 0 to both sums of a ratio, unless the ratio is an error rate (lower is better, with the bounds
    (0, None)). A mean or ratio with two bounds has a Wilson interval of the scores rescaled to [0, 1]; a rate
    or mean of at least 0 where lower is better has an interval on a log scale; all others have Student's t
    intervals, cut at the bound. The interval of a ratio with two bounds treats its single fields as rows,
    clustered by row or by the row's cluster. All other attributes are internal and may change.

    See Also
    --------
    Metric.of_texts : a metric from a Python function of two strings.
    Metric.quantile : the median or another quantile of a score.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["lnvoice", "12 EUR"], "answer": ["Invoice", "12 EUR"]})
    >>> same_length = af.Metric(
    ...     lambda prediction, answers: prediction.str.len_chars() == answers.str.len_chars(),
    ...     name="same_length",
    ... )
    >>> report = af.report(df, "prediction", "answer", metrics=["exact_match", same_length])
    >>> report.overall["exact_match"], report.overall["same_length"]
    (0.5, 1.0)
    >>> report.measures[1]
    Metric(name='same_length', label='same_length', bounds=(0, 1), higher_is_better=True)
    """

    numerator: Values = field(compare=False)
    denominator: Values | None = field(default=None, compare=False, kw_only=True)
    name: str = field(default="", kw_only=True)
    label: str = field(default="", kw_only=True)
    bounds: tuple[float | None, float | None] | None = field(default=None, kw_only=True)
    higher_is_better: bool | None = field(default=None, kw_only=True)
    format: Literal["score", "rate", "number"] | None = field(default=None, kw_only=True)
    sources: tuple[str, ...] = field(default=(), kw_only=True)
    """The numerator and denominator as text, by which metrics are told apart."""
    meaning: str = field(default="", compare=False, kw_only=True)
    """What a named score says, as a phrase; `{row}` is replaced by the word for a row."""
    heading: str = field(default="", compare=False, kw_only=True)
    """Name of a named score above columns, where it differs from the label."""
    is_built_in: bool = field(default=False, kw_only=True)
    """Whether the numerator and denominator are columns of `anls_frame.score`."""
    row: str | None = field(default=None, kw_only=True)
    """Column of `anls_frame.score` with the score of a row; `None` if a single row has no such score."""
    in_text: Literal["interval", "figure", "nothing"] = field(default="interval", compare=False, kw_only=True)
    """What the narrow tables of terminals and notebooks show."""
    bits: int = field(default=0, kw_only=True)
    """Sums of the numerator are in units of 2**-bits; those of the denominator are integers."""
    square_bits: int = field(default=0, kw_only=True)
    """Sums of its squares are in units of 2**-square_bits."""
    has_fractions: bool = field(default=False, compare=False, kw_only=True)
    """Whether the numerator of a ratio may have fractions, which only comparisons add up."""
    probability: float | None = field(default=None, kw_only=True)
    """Of a quantile, the share of rows at or below it."""
    highest: float | None = field(default=None, compare=False, kw_only=True)
    """The highest score of a row, if it is known."""
    is_taken_for_share: bool = field(default=False, compare=False, kw_only=True)
    """Whether the bounds (0, 1) follow from the scores."""
    divides_by_nothing: bool = field(default=False, compare=False, kw_only=True)
    """Whether no row of a ratio has a denominator above 0."""

    def __post_init__(self) -> None:
        if self.is_built_in:
            return
        values = [self.numerator, *([] if self.denominator is None else [self.denominator])]
        refuse_columns("a metric", values)
        sources = self.sources or tuple(_source(value) for value in values)
        if not all(_is_values(value) for value in values):
            raise TypeError(
                "a metric must be a function of predictions and answers, an expression or the name of a "
                f"column, got {values[-1]!r}"
            )
        if any(isinstance(value, pl.Expr) and value.meta.has_multiple_outputs() for value in values):
            raise ValueError(f"a metric must be one column, got an expression of several: {values[0]}")
        name = string("name", self.name or _name(self.numerator), "the name of the metric")
        better = is_higher_better(name) if self.higher_is_better is None else self.higher_is_better
        choice("format", self.format, (None, "score", "rate", "number"))
        set_ = functools.partial(object.__setattr__, self)
        set_("sources", sources)
        set_("name", name)
        set_("label", string("label", self.label or name, "a heading"))
        set_("higher_is_better", flag("higher_is_better", better))
        set_("bounds", _checked_bounds(self.bounds))

    def __repr__(self) -> str:
        shown = ("name", "label", "bounds", "higher_is_better")
        return f"Metric({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    @classmethod
    def of_texts(cls, function: Callable[[str, Any], float | None], **options: Any) -> Metric:
        """
        Return a metric from a Python function of a prediction and its answer or answers.

        Parameters
        ----------
        function
            A function that takes the prediction and the accepted answer (a string) or answers (a list of
            strings) of a row, and returns the score, or `None` to leave the row out. It is not called for
            rows without an answer.
        options
            `name`, `label`, `bounds`, `higher_is_better` and `format`, as for `Metric`. The default name is
            that of the function.

        Notes
        -----
        Calling a Python function for each row takes far longer than evaluating an expression for a column.

        Examples
        --------
        >>> import difflib
        >>> import polars as pl
        >>> import anls_frame as af
        >>> def ratio(prediction, answer):
        ...     return difflib.SequenceMatcher(None, prediction, answer).ratio()
        >>> df = pl.DataFrame({"prediction": ["cat", "bat"], "answer": ["cat", "dog"]})
        >>> af.report(df, "prediction", "answer", metrics=af.Metric.of_texts(ratio)).overall["ratio"]
        0.5
        """
        if not callable(function):
            raise TypeError(f"function must be a function of two texts, got {function!r}")
        name = options.pop("name", None) or _name(function)
        return cls(_TextFunction(function), name=name, **options)

    @classmethod
    def quantile(cls, metric: str | pl.Expr | Metric, probability: float = 0.5) -> Metric:
        """
        Return a metric that reports a quantile of a score, by default the median, in place of its mean.

        Parameters
        ----------
        metric
            The score of a row: "anls", "nls", "exact_match", "cer", "wer", "char_errors" or "bag_of_words"
            for texts, the name of a column, an expression, or a `Metric` without a denominator.
        probability
            The share of rows at or below the quantile, between 0 and 1.

        Returns
        -------
        Metric
            The metric, named after the score with the suffix ``_median``, or one such as ``_quantile_0.9``.

        Raises
        ------
        ValueError
            If the probability is not between 0 and 1, or the metric is a ratio or a quantile.

        Notes
        -----
        The quantile of `n` rows is interpolated linearly between their sorted scores, at position (n - 1) ·
        probability, counted from 0, as in `polars.Expr.quantile` and pandas. In a summary that was saved or
        sent, scores are rounded to three significant digits (steps of 0.001 from 0.1 to 1). Memory grows with
        the number of distinct scores in each slice and, with `cluster=`, in each document of a slice; for
        tens of millions of rows, compute quantiles without documents.

        The interval inverts the interval of the share of rows at or below each value. It extends from the
        first score for which the upper end of the share's interval reaches the probability, to the first for
        which its lower end exceeds the probability (Woodruff 1952, with the share and its variance taken at
        each value, Francisco and Fuller 1991). The interval of the share is that of any score in reports,
        with clusters. If no score is low or high enough, the end is the bound of the metric, or null.

        Only reports support quantiles. For comparisons, use the share of rows at or below a value.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["a", "bc", "xyz"], "answer": ["a", "b", "xyz"]})
        >>> metrics = ["cer_mean", af.Metric.quantile("cer"), af.Metric.quantile("cer", 0.9)]
        >>> overall = af.report(df, "prediction", "answer", metrics=metrics).overall
        >>> overall["cer_median"], overall["cer_quantile_0.9"]
        (0.0, 0.8)
        """
        share("probability", probability, ends=False)
        base = metric if isinstance(metric, Metric) else cls(metric)
        if not base.is_mean:
            raise ValueError(
                f"metric {base.name!r} {base.kind}; a quantile needs a score of rows, such as 'cer'"
            )
        word = "median" if probability == 0.5 else f"quantile {probability:g}"  # noqa: PLR2004
        name = str(base.numerator) if base.is_built_in else base.name
        return dataclasses.replace(
            base,
            name=f"{name}_{word.replace(' ', '_')}",
            label=f"{base.label} ({word})",
            is_built_in=False,
            row=None,
            in_text="interval",
            probability=probability,
        )

    @property
    def is_function(self) -> bool:
        """Whether the metric is a function of texts."""
        return callable(self.numerator)

    @property
    def is_ratio(self) -> bool:
        """Whether the metric is the ratio of two sums rather than a mean."""
        return self.denominator is not None

    @property
    def is_mean(self) -> bool:
        """Whether the metric is the mean of the scores of rows, neither a ratio nor a quantile."""
        return not self.is_ratio and self.probability is None

    @property
    def kind(self) -> str:
        """The kind of the metric, for messages."""
        is_quantile = self.probability is not None
        return "is a quantile" if is_quantile else "divides two sums" if self.is_ratio else "is a mean"

    @property
    def counts_fields(self) -> bool:
        """Whether the metric divides the right fields of rows by all their fields, whatever these are."""
        return self.is_ratio and self.interval == "bounded"

    @property
    def has_parts_of_one(self) -> bool:
        """Whether each of these fields is right or wrong, so that its square is the same number."""
        return self.counts_fields and not self.has_fractions

    @property
    def skips_empty_rows(self) -> bool:
        """Whether rows with 0 in numerator and denominator are skipped; error rates count them."""
        return self.is_ratio and not self.is_built_in and self.interval != "rate"

    @property
    def is_own_mean(self) -> bool:
        """Whether the metric is a mean of custom scores, whose sums are floats, not integers."""
        return not self.is_built_in and self.is_mean

    @property
    def interval(self) -> Interval:
        """The type of its interval."""
        if self.span is not None:
            return "bounded"
        return "rate" if self.bounds == (0, None) and not self.higher_is_better else "mean"

    @property
    def span(self) -> tuple[float, float] | None:
        """The lower bound, and the distance between both bounds; `None` without two bounds."""
        low, high = self.bounds or (None, None)
        return None if low is None or high is None or math.isinf(high - low) else (low, high - low)

    @property
    def largest_difference(self) -> float:
        """The largest difference between two scores; infinite without two bounds."""
        return math.inf if self.span is None else self.span[1]

    @property
    def unseen_difference(self) -> float:
        """
        The difference that a row can have although no row shows it: the largest one, or 1 for a rate.

        0 if it is unknown.
        """
        if self.span is None:
            return 1.0 if self.is_ratio or self.row == "cer" else 0.0
        return self.largest_difference

    def in_unit(self, score: pl.Expr) -> pl.Expr:
        """Return scores rescaled to [0, 1], if the metric has two bounds."""
        least, width = self.span or (0, 1)
        return score if (least, width) == (0, 1) else (score - least) / width

    @property
    def is_share(self) -> bool:
        """Whether the metric is a share of rows, that is, the score of each row is 0 or 1."""
        return self.is_built_in and self.denominator is None and not self.bits

    @property
    def ends(self) -> tuple[str, str, str]:
        """Its columns in reports: the value and both ends of the interval."""
        return self.name, *ends_of(self.name)

    @property
    def columns(self) -> tuple[str, ...]:
        """
        Columns of cells with the sums of x and y, and with the sums over rows, as in `integers`.

        For means of custom scores, the third is Σ(x - mean)², which stays precise for large scores.
        """
        if self.is_own_mean:
            return "score_sum", "n", "score_spread"
        numerator, denominator = str(self.numerator), self.denominator
        if not self.is_built_in:
            numerator, denominator = "numerator", "denominator"
        x = f"{numerator}_{'units' if self.bits else 'sum'}"
        if denominator is not None:
            y, xx = f"{denominator}_sum", f"{numerator}_squares"
            columns = x, y, xx, f"{numerator}_by_length", f"{denominator}_squares", xx
            square = "numerator_square_fraction"
            powers = "denominator_cubes", "denominator_fourths"
            fractions = "numerator_fraction", square, "numerator_fraction_by_length", square
            return columns if self.is_built_in else (*columns, *powers, *fractions)
        # The square of 0 or 1 is itself.
        xx = x if self.is_share else f"{numerator}_square_units"
        return x, "n", xx, x, "n", xx

    def moments(self) -> list[str]:
        """
        Names of the columns that `roll_up` returns for the metric: sums over units, and over rows.

        Custom ratios also have the third and fourth powers of the units' denominators.
        """
        powers = ("yyy", "yyyy") if self.is_ratio and not self.is_built_in else ()
        return [f"{self.name}:{moment}" for moment in ("x", "y", "xx", "xy", "yy", "squares", *powers)]

    @property
    def fractions(self) -> dict[str, str]:
        """
        The moments that have a fraction apart, with its name: see `fixed_point.FRACTION_BITS`.

        Only custom ratios have them; their moments are added up as whole numbers.
        """
        if not self.is_ratio or self.is_built_in:
            return {}
        x, _, xx, xy, _, squares, *_ = self.moments()
        return {name: f"{name}:fraction" for name in (x, xx, xy, squares)}

    def integers(self) -> dict[str, int]:
        """Return the integer sums that the moments come from, each with the bits of its unit."""
        # xy, y² and the squares have the units of x².
        bits = (self.bits, 0, self.square_bits) * 2 + (0, 0)
        fractions = dict.fromkeys(self.fractions.values(), fixed_point.FRACTION_BITS)
        return dict(zip(self.moments(), bits, strict=False)) | fractions

    @property
    def bracket(self) -> str:
        """Name of the column with Σ(x - ry)², where r is the ratio."""
        return f"{self.name}:bracket"

    def described(self) -> Metric:
        """Return the metric without its computation, as stored in settings."""
        if self.is_built_in:
            return self
        numerator, *denominator = self.sources
        return dataclasses.replace(
            self, numerator=numerator, denominator=denominator[0] if denominator else None
        )

    def within(self, least: float | None = None, most: float | None = None) -> Metric:
        """Return the metric with missing bounds and format filled in from its lowest and highest score."""
        if self.is_built_in:
            return self
        bounds, is_taken_for_share = self.bounds, False
        # An error rate can be above 1, whether or not a row shows it.
        is_rate = not self.higher_is_better and not _RATES.isdisjoint(words_of(self.name))
        if bounds is None:
            bounds = (0, None)
            if least is not None and most is not None:
                if least < 0:
                    bounds = (None, None)
                elif most <= 1 and not is_rate:
                    bounds, is_taken_for_share = (0, 1), True
        shown = self.format or ("score" if bounds == (0, 1) or is_rate else "number")
        return dataclasses.replace(
            self,
            bounds=bounds,
            format=shown,
            highest=most,
            is_taken_for_share=is_taken_for_share,
            # Numbers divided by 0 are infinite.
            divides_by_nothing=self.is_ratio and (least is None or math.isinf(least)),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the description as a dictionary that can be written as JSON."""
        names = ["name", "label", "bounds", "higher_is_better", "format"]
        names += [] if self.is_built_in else ["sources"]
        names += [] if self.probability is None else ["probability"]
        values = {name: getattr(self, name) for name in names}
        # As they come back from JSON.
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def is_higher_better(name: str) -> bool:
    """Return the direction of a score, which follows from its name: of built-in scores, and of others."""
    words = words_of(name)
    joined = f"_{'_'.join(words)}_"
    # As in 1-NED, but not in "1-best WER"; `neg_log_loss` is a name of scikit-learn.
    is_rest = re.match("1 ?- ?", name) and not {"edit", "normalized", *_LOWER}.isdisjoint(words[1:2])
    if is_rest or "neg" in words or joined.startswith(("_one_minus_", "_1_minus_")):
        return True
    # Of `cost_per_match`, the score is a cost.
    measured = re.split("_(?:at|by|for|in|of|on|per|to|with)_", joined)[0] + "_"
    for part in (measured, joined):
        lower, higher = (max(part.rfind(f"_{one}_") for one in known) for known in (_LOWER, _HIGHER))
        if lower != higher:
            return higher > lower
    return name.lower() not in _LOWER_NAMES


class _TextFunction:
    """A function of expressions that calls a Python function for each row."""

    def __init__(self, function: Callable[[str, Any], float | None]) -> None:
        self.function = function
        self.__qualname__ = getattr(function, "__qualname__", type(function).__name__)

    def __call__(self, prediction: pl.Expr, answers: pl.Expr) -> pl.Expr:
        def score(rows: pl.Series) -> pl.Series:
            pairs = zip(rows.struct[0], rows.struct[1], strict=True)
            values = [self._scored(predicted, accepted) for predicted, accepted in pairs]
            return pl.Series(values, dtype=pl.Float64, strict=False)

        texts = pl.struct(prediction.alias("prediction"), answers.alias("answers"))
        return texts.map_batches(score, return_dtype=pl.Float64, is_elementwise=True)

    def _scored(self, prediction: str | None, answers: Any) -> float | None:
        if isinstance(answers, pl.Series):
            answers = answers.drop_nulls().to_list() or None
        if prediction is None or answers is None:
            return None
        value = self.function(prediction, answers)
        if value is None:
            return None
        try:
            return float(value)
        except OverflowError:
            # The caller that checks the scores names the row.
            return math.inf if value > 0 else -math.inf
        except (TypeError, ValueError):
            raise TypeError(
                f"the function {self.__qualname__} must return a number or None, got {value!r} for "
                f"prediction {prediction!r}"
            ) from None


def _is_values(value: object) -> bool:
    if isinstance(value, Mapping):
        are_values = all(isinstance(own, str | pl.Expr) for own in value.values())
        return bool(value) and are_values and all(isinstance(system, str) for system in value)
    return isinstance(value, str | pl.Expr) or callable(value)


def _source(value: object) -> str:
    """Return a text that identifies the source of the values; metrics with equal texts are equal."""
    if isinstance(value, str | pl.Expr):
        return str(value)
    if isinstance(value, Mapping):
        return "a column of each system"
    return f"{getattr(value, '__qualname__', type(value).__name__)}()"


def _name(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, pl.Expr):
        return value.meta.output_name(raise_if_undetermined=False) or ""
    name = getattr(value, "__name__", "")
    if not name or name == "<lambda>":
        raise ValueError("a metric needs a name: pass name=")
    return str(name)


def _checked_bounds(bounds: Any) -> tuple[float | None, float | None] | None:
    if bounds is None:
        return None
    ends = tuple(bounds) if isinstance(bounds, list | tuple) else ()
    is_pair = len(ends) == 2 and all(  # noqa: PLR2004
        end is None or (isinstance(end, int | float) and not math.isnan(end)) for end in ends
    )
    if not is_pair or (None not in ends and ends[0] >= ends[1]):
        raise ValueError(f"bounds must be a pair of numbers or None, the lower one first, got {bounds!r}")
    return ends[0], ends[1]

"""The built-in metrics by name, and the resolution of `metrics=`."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Union

import polars as pl

from anls_frame import words
from anls_frame._messages import Either, Message, wrong
from anls_frame._text import nearest
from anls_frame.export.columns import COUNTS, Column, by_name, heading_of
from anls_frame.frames.checks import no_column
from anls_frame.metrics import accuracies, page_errors, scores
from anls_frame.protocol import PROTOCOLS, ScoreProtocol, resolve_errors
from anls_frame.summary.fixed_point import FINE_BITS, SCORE_BITS
from anls_frame.summary.measures import Metric, is_higher_better

Metrics = Union["str | pl.Expr | Metric", "Sequence[str | pl.Expr | Metric]"]
"""One metric or several: names, expressions, descriptions."""


_SIMILARITY = "mean similarity to the nearest answer (1 minus edits / longer length)"
_LENGTH = "divided by all characters of the references"
_WORDS = "divided by all words of the references"


def _score(name: str, meaning: str, **others: Any) -> Metric:
    return Metric(
        **{
            "numerator": name,
            "name": name,
            "meaning": meaning,
            "label": heading_of(name),
            "row": name,
            "bounds": (0, 1),
            "higher_is_better": is_higher_better(name),
            "format": "score",
            "is_built_in": True,
            **others,
        }
    )


def _error_rate(name: str, label: str, meaning: str, **others: Any) -> Metric:
    return _score(name, meaning, label=label, row="cer", bounds=(0, None), format="rate", **others)


TEXT_METRICS = (
    _score("anls", f"{_SIMILARITY}, 0 below the threshold", bits=SCORE_BITS, square_bits=FINE_BITS),
    _score(
        "nls",
        f"{_SIMILARITY}, without a threshold",
        bits=SCORE_BITS,
        square_bits=FINE_BITS,
        in_text="figure",
    ),
    _score("exact_match", "share of {row}s whose prediction equals an answer"),
    _score(
        "zeros",
        "share of {row}s with ANLS 0",
        label="share of rows with ANLS 0",
        heading="ANLS is 0",
        row=None,
        in_text="figure",
    ),
    _error_rate(
        "cer_mean",
        "CER (mean)",
        "mean of the {row}s' character error rates, whatever their lengths",
        numerator="cer",
        bits=FINE_BITS,
        square_bits=FINE_BITS,
        in_text="nothing",
    ),
    _error_rate(
        "cer_corpus",
        "CER (corpus)",
        f"all edits {_LENGTH}",
        numerator="char_errors",
        denominator="reference_length",
    ),
)
"""The scores in reports of texts, in the order of their columns."""

BUILT_IN = {metric.name: metric for metric in TEXT_METRICS}
"""The scores that every report of texts has sums for, by name."""


def _scored(field: str, *, by_words: bool = False) -> Callable[..., pl.Expr]:
    """Return a function for a field of `score`, in words or in the unit of the protocol."""

    def scored(prediction: pl.Expr, answers: pl.Expr, *, protocol: ScoreProtocol | str = "anls") -> pl.Expr:
        if by_words:
            protocol = PROTOCOLS["anls"].replace(errors=resolve_errors(protocol).by("word"))
        return scores.fields_of_score(prediction, answers, protocol=protocol).struct.field(field)

    return scored


def _by_errors(
    function: Callable[..., pl.Expr], *fields: str, by_words: bool = False
) -> Callable[..., pl.Expr]:
    """Return a function of texts, or the sum of fields, that prepares them as a protocol does for errors."""

    def rate(prediction: pl.Expr, answers: pl.Expr, *, protocol: ScoreProtocol | str = "anls") -> pl.Expr:
        # Errors of characters may be in any unit, in addition to those of words.
        errors = resolve_errors(protocol).by("word") if by_words else resolve_errors(protocol)
        scored = function(prediction, answers, protocol=errors)
        values = [scored.struct.field(field) for field in fields]
        return pl.sum_horizontal(values, ignore_nulls=False) if fields else scored

    return rate


def _whatever_the_protocol(function: Callable[..., pl.Expr]) -> Callable[..., pl.Expr]:
    """Return a function of texts that takes a protocol and ignores it."""
    return lambda prediction, answers, **_: function(prediction, answers)


_COUNTED: Mapping[str, Callable[[pl.Expr, pl.Expr, pl.Expr], pl.Expr]] = {
    "any": lambda predicted, gold, _: predicted | gold,
    "predicted": lambda predicted, *_: predicted,
    "gold": lambda _, gold, __: gold,
    "predicted and gold": lambda predicted, gold, _: predicted.cast(pl.Int64) + gold.cast(pl.Int64),
    "right": lambda predicted, gold, equal: equal & predicted & gold,
    "right twice": lambda predicted, gold, equal: 2 * (equal & predicted & gold).cast(pl.Int64),
    "not gold": lambda _, gold, __: ~gold,
    "missing": lambda predicted, gold, _: gold & ~predicted,
    "invented": lambda predicted, gold, _: predicted & ~gold,
    "wrong": lambda predicted, gold, equal: predicted & gold & ~equal,
}
"""
The kinds of values that `_fields` counts.

They depend on whether a field is predicted, whether it is in the gold labels, and whether both are equal.
"""


_BLANKS = PROTOCOLS["raw"].replace(whitespace="strip")


def _fields(what: str, nothing: ScoreProtocol | str = "raw") -> Callable[..., pl.Expr]:
    """
    Return a function for the numbers of values in each row, all or those of a kind.

    There is no value where a text equals the empty text, as which `unanswerable="empty"` fills answers, under
    the protocol `nothing`.
    """
    count = _COUNTED[what]

    def counted(prediction: pl.Expr, answers: pl.Expr, *, protocol: ScoreProtocol | str = "anls") -> pl.Expr:
        predicted, gold = (
            ~scores.exact_match(pl.lit(""), texts, protocol=nothing) for texts in (prediction, answers)
        )
        predicted = pl.when(answers.is_not_null()).then(predicted)
        return count(predicted, gold, scores.exact_match(prediction, answers, protocol=protocol))

    return counted


def _described(
    name: str, label: str, meaning: str, numerator: Callable[..., pl.Expr], **others: Any
) -> Metric:
    sources = (name, f"{name}_length") if "denominator" in others else (name,)
    how = {"bounds": (0, None), "sources": sources, **others}
    return Metric(numerator, name=name, label=label, meaning=meaning, **how)


def _share(name: str, label: str, meaning: str, numerator: Callable[..., pl.Expr], **others: Any) -> Metric:
    return _described(name, label, meaning, numerator, **{"bounds": (0, 1), **others})


def _per_character(
    name: str, label: str, meaning: str, numerator: Callable[..., pl.Expr], **others: Any
) -> Metric:
    lengths = _scored("reference_length")
    return _described(name, label, meaning, numerator, denominator=lengths, format="rate", **others)


def _per_word(name: str, label: str, what: str, numerator: Callable[..., pl.Expr], **others: Any) -> Metric:
    meaning, lengths = f"all {what} of words {_WORDS}", _scored("reference_length", by_words=True)
    return _described(name, label, meaning, numerator, denominator=lengths, format="rate", **others)


_EDITS = {"substitutions": "subst.", "deletions": "deleted", "insertions": "inserted"}
"""The kinds of edits, with their short names."""

_OF_PAGES = {
    "misread": "characters read as others",
    "omitted": "characters that were not read",
    "added": "characters that are not in the reference",
    "fabricated": "added characters in runs of words that the page does not have",
    "repeated": "characters of blocks that were read twice",
    "moved": "right characters of blocks in another place",
}
"""The kinds of errors of pages, `page_errors.KINDS`, with their meanings."""

VQA = "vqa_accuracy"
"""The accuracy that needs the answers of several people."""

FABRICATION = "fabrication_rate"
"""The rate that needs rows without an answer in which nothing was predicted, which no rows of fields are."""

DESCRIBED = {
    metric.name: metric
    for metric in (
        _described(
            "char_errors", "character errors", "mean number of edits of a {row}", _scored("char_errors")
        ),
        _described(
            "wer_mean",
            "WER (mean)",
            "mean of the {row}s' word error rates, whatever their lengths",
            _by_errors(words.wer, by_words=True),
            format="rate",
        ),
        _per_word("wer_corpus", "WER (corpus)", "edits", _scored("char_errors", by_words=True)),
        *(
            _per_word(
                f"word_{kind}",
                f"word {kind}",
                kind,
                _by_errors(words.edit_counts, kind, by_words=True),
                heading=f"words {short}",
                in_text="figure",
            )
            for kind, short in _EDITS.items()
        ),
        *(
            _per_character(
                kind, kind, f"all {kind} {_LENGTH}", _by_errors(words.edit_counts, kind), in_text="figure"
            )
            for kind in _EDITS
        ),
        *(
            _per_character(
                kind,
                kind,
                f"{meaning}, {_LENGTH}",
                _by_errors(page_errors.page_errors, kind),
                in_text="figure",
            )
            for kind, meaning in _OF_PAGES.items()
        ),
        _per_character(
            "reading_order_free_cer",
            "CER in any order",
            f"all errors but moved blocks, {_LENGTH}; can exceed CER, as blocks are set aside first",
            _by_errors(page_errors.page_errors, *(kind for kind in page_errors.KINDS if kind != "moved")),
        ),
        _described(
            "bag_of_words",
            "bag-of-words error (mean)",
            "mean of the {row}s' shares of words that differ, in any order",
            _by_errors(words.bag_of_words_error, by_words=True),
            format="rate",
        ),
        # The next three have a preparation of their own.
        _share(
            "relaxed_accuracy",
            "relaxed accuracy",
            "share of right {row}s, where a number may differ by 5 %",
            _whatever_the_protocol(accuracies.relaxed_accuracy),
        ),
        _share(
            VQA,
            "VQA accuracy",
            "mean accuracy of VQA: right if at least 3 of 10 people gave the answer",
            _whatever_the_protocol(accuracies.vqa_accuracy),
        ),
        _share(
            "contains_answer",
            "contains the answer",
            "share of {row}s whose prediction contains an answer",
            _whatever_the_protocol(accuracies.contains_answer),
        ),
        *(
            _share(
                f"field_{heading.lower()}",
                f"{heading} of fields",
                meaning,
                _fields(counted),
                denominator=_fields(divisor),
                heading=heading,
                in_text="figure",
            )
            for heading, meaning, counted, divisor in (
                ("precision", "right values divided by predicted values", "right", "predicted"),
                ("recall", "right values divided by expected values", "right", "gold"),
                (
                    "F1",
                    "harmonic mean of precision and recall of fields",
                    "right twice",
                    "predicted and gold",
                ),
            )
        ),
        *(
            _share(
                f"{kind}_share",
                f"share of {kind} fields",
                f"share of fields {meaning}",
                _fields(kind),
                heading=kind,
                in_text="figure",
            )
            for kind, meaning in (
                ("missing", "without a prediction"),
                ("invented", "that are predicted without being there"),
                ("wrong", "with another value"),
            )
        ),
        # Each is divided by rows of one kind, so the mix of both moves neither.
        _share(
            FABRICATION,
            "fabrication rate",
            "{row}s without an answer in which something was predicted, divided by all {row}s without "
            "an answer",
            _fields("invented", _BLANKS),
            denominator=_fields("not gold", _BLANKS),
        ),
        _share(
            "abstention_rate",
            "abstention rate",
            "{row}s with an answer in which nothing was predicted, divided by all {row}s with an answer",
            _fields("missing", _BLANKS),
            denominator=_fields("gold", _BLANKS),
        ),
    )
}
"""
Other scores by name, which reports take like a caller's own; a new one needs only its description.

Its function also takes the protocol of the report.
"""

NAMED = BUILT_IN | DESCRIBED
"""All scores by name."""


_is_own = _fields("any")


def _in_own_fields(score: Any) -> Callable[..., pl.Expr]:
    """Return a function for the score of rows in which gold or the system itself has a value, 0 in others."""

    def scored(prediction: pl.Expr, answers: pl.Expr, **how: Any) -> pl.Expr:
        own = _is_own(prediction, answers, **how)
        value = score(prediction, answers, **how).cast(pl.Float64)
        return pl.when(own).then(value).when(own.is_not_null()).then(0.0)

    return scored


def _of_own_fields(metric: Metric) -> Metric:
    """Return a mean over rows as the mean over the rows in which gold or the system itself has a value."""
    return _described(
        metric.name,
        metric.label,
        metric.meaning,
        _in_own_fields(_scored(str(metric.row)) if metric.is_built_in else metric.numerator),
        denominator=_is_own,
        bounds=metric.bounds,
        format=metric.format,
        has_fractions=True,
    )


_BY_OWN_FIELDS = "fields of the system"
"""The denominator that summaries name for a score of each system's own fields."""

OF_OWN_FIELDS = {
    name: _of_own_fields(metric) for name, metric in NAMED.items() if metric.is_mean and name != "zeros"
}
"""
Means of rows, by name, as comparisons of fields have them.

A row that one system alone invented is no field of the others, which would be right there.
"""


def column_of(metric: Metric, heading: str) -> Column:
    """Return a metric as a column of a result."""
    if metric.is_built_in or is_described(metric):
        meaning = NAMED[metric.name].meaning
    elif metric.probability is not None:
        meaning = f"{100 * metric.probability:g} % of the {{row}}s have at most this"
    else:
        meaning = "all numerators divided by all denominators" if metric.is_ratio else "mean of the {row}s"
    return Column(metric.name, meaning, metric.format or "number", heading)


def short_label(metric: Metric) -> str:
    """Return the name of a metric above a column; means of a named score have its heading."""
    named = NAMED.get(metric.name)
    return (named.heading if named is not None and named.label == metric.label else "") or metric.label


SETS = {
    "qa": tuple(BUILT_IN),
    "ocr": (
        *("cer_corpus", "wer_corpus", *page_errors.KINDS, "reading_order_free_cer", "bag_of_words"),
        *(*_EDITS, "cer_mean"),
    ),
    "speech": ("wer_corpus", *(f"word_{kind}" for kind in _EDITS), "cer_corpus", *_EDITS),
    "fields": (
        *("exact_match", "anls", "field_precision", "field_recall", "field_f1"),
        *("missing_share", "invented_share", "wrong_share"),
    ),
}
"""Names for several scores."""


ROW_SCORES = {
    **{
        name: _share(name, heading_of(name), "", _scored(name), format="score")
        for name in ("anls", "nls", "exact_match")
    },
    "cer": _described("cer", heading_of("cer"), "", _scored("cer"), format="rate"),
    "wer": _described("wer", heading_of("wer"), "", _by_errors(words.wer, by_words=True), format="rate"),
    "char_errors": DESCRIBED["char_errors"],
    "bag_of_words": dataclasses.replace(DESCRIBED["bag_of_words"], label="bag-of-words error"),
}
"""The scores of a row of texts that have quantiles and can be drawn row by row, by name."""

LENGTHS = {"words": "wer_corpus", "characters": "cer_corpus"}
"""Columns in reports of pages with the length of the references, each with the rate that divides by it."""

_ADVICE = {
    **dict.fromkeys(("accuracy", "acc", "em", "exact"), "for this score, pass 'exact_match'"),
    **{
        name: f"pass '{name}_corpus' for the rate of all rows together, '{name}_mean' for the mean of the "
        "rows' rates"
        for name in ("cer", "wer")
    },
    **dict.fromkeys(
        ("f1", "token_f1", "bleu", "rouge", "rouge_l", "rougel", "meteor", "chrf", "bertscore"),
        Message(
            "this score is not built in: pass a column that has it, or ",
            Either("your own, from Metric.of_texts", "your own function, as FILE.py:NAME"),
        ),
    ),
}
"""What to pass for names that other programs have, in lower case."""

NAMES_OF_ROWS = {"cer": "cer_mean"}
"""Names of scores of a row that are ambiguous for many rows, which have a mean and a corpus rate."""


def resolve(
    metrics: Metrics | None,
    columns: Sequence[object],
    *,
    has_texts: bool,
    protocol: ScoreProtocol | str = "anls",
    are_of_rows: bool = False,
) -> tuple[Metric, ...]:
    """
    Return the metrics for `metrics=`: names, columns, expressions, metrics, or several of these.

    Parameters
    ----------
    metrics
        The value that the caller passed; None means the default.
    columns
        Names of the frame's columns, any of which may hold scores.
    has_texts
        Whether the frame has texts to score.
    protocol
        How texts are scored; its `errors` prepares them for metrics that count edits.
    are_of_rows
        Whether single rows are scored, so that "cer" is not ambiguous.
    """
    if metrics is None:
        if not has_texts:
            raise ValueError(
                "pass the columns prediction and answers, or the columns of existing scores in metrics="
            )
        return TEXT_METRICS
    is_single = isinstance(metrics, str | pl.Expr | Metric) or not isinstance(metrics, Iterable)
    every: list[Any] = [metrics] if is_single else list(metrics)  # type: ignore[arg-type] # not one
    if are_of_rows and has_texts:
        every = [NAMES_OF_ROWS.get(given, given) if isinstance(given, str) else given for given in every]
    options: dict[str, Any] = {"has_texts": has_texts, "protocol": protocol}
    resolved = [*chain.from_iterable(_resolved(given, columns, **options) for given in every)]
    if not resolved:
        raise ValueError("metrics must name at least one metric")
    check_names(resolved)
    return tuple(resolved)


def check_names(metrics: Sequence[Metric]) -> None:
    """Raise an error if the columns of two metrics, or of a metric and a count, have the same name."""
    seen = _names_of_counts(metrics)
    for metric in metrics:
        names = _names_of(metric)
        if names & seen or re.fullmatch(r"key_\d+", metric.name):
            raise ValueError(
                f"metrics must have different names that no other column of the result has; {metric.name!r} "
                "is taken"
            )
        seen |= names


def names_in_reports(metrics: Sequence[Metric]) -> set[str]:
    """Return the names that the columns of a report of these metrics have."""
    return _names_of_counts(metrics).union(*map(_names_of, metrics))


def _names_of_counts(metrics: Sequence[Metric]) -> set[str]:
    return {*by_name(COUNTS), *(LENGTHS if have_lengths(metrics) else ())}


def _names_of(metric: Metric) -> set[str]:
    return {*metric.ends, *([] if metric.is_built_in else [f"{metric.name}_n"])}


def have_lengths(metrics: Sequence[Metric]) -> bool:
    """Return whether these metrics include the set "ocr", whose reports have lengths of pages."""
    return all(NAMED[name] in metrics for name in SETS["ocr"])


def are_error_rates(metrics: Sequence[Metric]) -> bool:
    """Return whether these metrics count errors, as of pages, rather than score answers to questions."""
    names = {metric.name for metric in metrics}
    counted = {*SETS["ocr"], *SETS["speech"], "wer_mean"}
    return bool(names & counted) and not names & {"anls", "nls", "exact_match", "zeros"}


def is_in_percent(metric: Metric, beside: Sequence[Metric]) -> bool:
    """Return whether people read a metric in per cent: a rate of results whose scores are error rates."""
    return are_error_rates(beside) and metric.format in ("score", "rate")


def are_of_fields(metrics: Sequence[Metric]) -> bool:
    """Return whether any of these metrics also needs fields without an answer."""
    return any(metric.name in SETS["fields"] and is_described(metric) for metric in metrics)


def is_described(metric: Metric) -> bool:
    """Return whether a metric is that of `DESCRIBED` with its name, apart from its computation."""
    return _described_as(metric) is not None


def _described_as(metric: Metric) -> Metric | None:
    """Return the described metric, with its computation, that a metric is, if it is one."""
    known = (DESCRIBED.get(metric.name), OF_OWN_FIELDS.get(metric.name))
    return next((one for one in known if one is not None and one.within() == metric.within()), None)


def of_own_fields(metrics: Sequence[Metric], protocol: ScoreProtocol | str) -> tuple[Metric, ...]:
    """Return the metrics of a comparison of fields, in which each system has fields of its own."""
    return tuple(_own_fields_of(metric, protocol) for metric in metrics)


def _own_fields_of(metric: Metric, protocol: ScoreProtocol | str) -> Metric:
    """Return a mean over rows as the mean over the fields of each system; others as they are."""
    if metric.name in OF_OWN_FIELDS and (metric.is_built_in or is_described(metric)):
        return _prepared(OF_OWN_FIELDS[metric.name], protocol)
    if not (metric.is_function and metric.is_mean):
        return metric
    if metric.bounds is not None and metric.bounds[0] is not None and metric.bounds[0] < 0:
        raise ValueError(
            f"metric {metric.name!r} has a lower bound below 0, so it cannot be averaged over the fields of "
            "each system; rescale it"
        )
    function: Any = metric.numerator
    own = dataclasses.replace(
        metric,
        # The function of a caller takes no protocol.
        numerator=_in_own_fields(_whatever_the_protocol(function)),
        denominator=_is_own,
        sources=(*metric.sources, _BY_OWN_FIELDS),
        has_fractions=True,
    )
    return _prepared(own, protocol)


def _resolved(
    given: object, columns: Sequence[object], *, has_texts: bool, protocol: ScoreProtocol | str
) -> Sequence[Metric]:
    if isinstance(given, Metric):
        if given.is_function and not has_texts:
            raise ValueError(
                f"metric {given.name!r} is a function of texts: pass the columns prediction and answers too"
            )
        return [_computable(given, columns, protocol) if has_texts else given]
    if not isinstance(given, str):
        return [Metric(given)]  # type: ignore[arg-type] # it checks what it is given
    if has_texts and given in SETS:
        return [_named(name, protocol) for name in SETS[given]]
    if has_texts and given in NAMED:
        return [_named(given, protocol)]
    if given in columns:
        return [Metric(given)]
    known = (*SETS, *NAMED)
    if not has_texts and given in known:
        raise ValueError(f"metric {given!r} is a score of texts: pass the columns prediction and answers too")
    if not has_texts:
        raise ValueError(Message("metrics must name columns of scores: ", no_column(given, columns)))
    built_in, advice = ", ".join(map(repr, known)), _ADVICE.get(given.casefold(), "")
    own = Either("a Metric", "a function as FILE.py:NAME")
    hint = Message("; ", advice) if advice else nearest(given, [*known, *columns])
    raise wrong(
        "metrics", f"must be one of {built_in}, a column of scores, or ", own, f", got {given!r}", hint
    )


def _computable(metric: Metric, columns: Sequence[object], protocol: ScoreProtocol | str) -> Metric:
    """Return a metric with its computation, which metrics of a result only describe."""
    if is_quantile_of_texts(metric):
        return _quantile(metric, protocol)
    if metric.is_built_in or not isinstance(metric.numerator, str) or metric.numerator in columns:
        return metric
    if metric.probability is not None and not metric.sources[0].endswith("()"):
        known = ", ".join(map(repr, ROW_SCORES))
        raise ValueError(
            f"a quantile must be of {known}, a column of scores, or a Metric, got {metric.numerator!r}"
        )
    described = _described_as(metric)
    if described is not None:
        return _prepared(described, protocol)
    if metric.sources[0].endswith("()"):
        raise ValueError(
            f"metric {metric.name!r} comes from a result, which does not store its function "
            f"{metric.sources[0]}: pass the original Metric"
        )
    return metric


def is_quantile_of_texts(metric: Metric) -> bool:
    """Return whether a metric is a quantile of a named score of texts."""
    name = metric.numerator
    return metric.probability is not None and isinstance(name, str) and name in ROW_SCORES


def _quantile(metric: Metric, protocol: ScoreProtocol | str) -> Metric:
    """Return a quantile of a score of texts, with its computation."""
    score = _prepared(ROW_SCORES[str(metric.numerator)], protocol)
    return dataclasses.replace(Metric.quantile(score, metric.probability or 0.5), sources=metric.sources)


def row_metrics(metrics: Sequence[Metric], given: object) -> tuple[Metric, ...]:
    """
    Return the metrics that are scores of rows, which are all but the share of zeros.

    Raises
    ------
    ValueError
        If no metric is left, the share of zeros was requested by name, or a metric is a quantile.
    """
    refuse_quantiles(metrics)
    zeros = BUILT_IN["zeros"]
    kept = tuple(metric for metric in metrics if metric != zeros)
    asked = given if isinstance(given, list | tuple) else [given]
    is_named = any(isinstance(name, str) and name == zeros.name for name in asked)
    if is_named or not kept:
        raise ValueError("metrics must be scores of rows, but 'zeros' is not; pass 'anls'")
    return kept


def refuse_quantiles(metrics: Sequence[Metric]) -> None:
    """Raise an error if metrics that must be scores of rows include a quantile."""
    for metric in metrics:
        if metric.probability is not None:
            raise ValueError(
                f"metrics must be scores of rows here, but {metric.name!r} is a quantile, which only reports "
                "support; use the share of rows at or below a value, such as Metric(lambda prediction, "
                "answers: af.cer(prediction, answers) <= 0.1, name='cer_at_most_0.1')"
            )


def _prepared(metric: Metric, protocol: ScoreProtocol | str) -> Metric:
    """Return the metric with functions that prepare texts by a protocol."""

    def prepared(function: Any) -> Any:
        return function and functools.partial(function, protocol=protocol)

    return dataclasses.replace(
        metric, numerator=prepared(metric.numerator), denominator=prepared(metric.denominator)
    )


def _named(name: str, protocol: ScoreProtocol | str) -> Metric:
    """Return a named score, with its computation."""
    return BUILT_IN.get(name) or _prepared(DESCRIBED[name], protocol)


def from_dict(values: Mapping[str, Any]) -> Metric:
    """Return the described metric from the dictionary that `Metric.to_dict` returned."""
    if "sources" not in values:
        return BUILT_IN[values["name"]]
    numerator, *denominator = sources = tuple(values["sources"])
    if {*values} - {"probability"} != {*DESCRIBED["char_errors"].to_dict()} or len(denominator) > 1:
        raise ValueError(f"a metric is described by {', '.join(values)}")
    bounds = None if values["bounds"] is None else tuple(values["bounds"])
    of_own = denominator == [_BY_OWN_FIELDS] or sources in [m.sources for m in OF_OWN_FIELDS.values()]
    kept = {**values, "sources": sources, "bounds": bounds, "has_fractions": of_own}
    if values["name"] in DESCRIBED:
        kept["in_text"] = DESCRIBED[values["name"]].in_text
    return Metric(numerator, denominator=denominator[0] if denominator else None, **kept)

"""
What to do first: one function for each rule, which looks at the rows and may suggest a step.

A step is suggested only if the data support it: the interval of what it could win lies above 0, a slice was
found to be worse than the rest, or, of a step that wins nothing by itself, there are rows that need it. A new
rule is a function in `RULES`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import polars as pl
import polars.selectors as cs

from anls_frame._palette import PAGE_COLORS
from anls_frame._text import level_text, numbered, shortened, visible
from anls_frame.analysis.characters import confusions
from anls_frame.export.columns import ends_of
from anls_frame.export.display import spelled, spelled_in
from anls_frame.frames.documents import noun
from anls_frame.metrics.errors import edit_ops
from anls_frame.metrics.page_errors import page_errors, reading_order_free_cer
from anls_frame.metrics.scores import anls, nearest_answer, nls
from anls_frame.overviews.roles import Roles
from anls_frame.protocol import PROTOCOLS, ScoreProtocol, in_python, resolve_errors
from anls_frame.reports.confidences import selective
from anls_frame.reports.reports import Report, report
from anls_frame.reports.wrapping_costs import format_tax
from anls_frame.slices.result import Slices
from anls_frame.summary.measures import Metric
from anls_frame.summary.notes import written_otherwise
from anls_frame.summary.rows import STYLES
from anls_frame.summary.settings import READ, Settings

Gain: TypeAlias = tuple[float, float, float]
"""A figure, and the ends of its interval, NaN if there is none."""

MOST = 5
"""Number of steps that are suggested."""
_LEAST_GAIN = 0.003
"""A step that could win less, a third of a percentage point, is none to begin with."""
_NONE = 1e-9
"""Differences of sums below this are rounding."""
_LEAST_ROWS = 5
_LEAST_COUNT = 10
_FREQUENT = 0.08
"""A confusion stands out if it is such a share of all edits."""
_UNREADABLE = 0.5
"""Error rate above which a page is unreadable."""
_OFTEN = 0.02
"""The least share of rows for which gold that looks wrong, or text around answers, is worth a step."""
_WIDE = 0.1
"""Half of the width of an interval that says little."""
_AUDITED = 100
"""Rows that are enough to find out whether gold is wrong."""


class Step(NamedTuple):
    """A step to take: what it is, the call that does it, how many rows it is about, and what it could win."""

    rule: str
    step: str
    call: str
    n: int
    gain: Gain | None = None

    @property
    def is_supported(self) -> bool:
        """Whether it wins enough; a slice, which was tested, may have an interval that includes 0."""
        if self.gain is None:
            return True
        value, low, _ = self.gain
        return self.n >= _LEAST_ROWS and value >= _LEAST_GAIN and (low > 0 or self.rule == "slice")


@dataclass(frozen=True, kw_only=True)
class Case:
    """What the rules look at: the rows of a system, and what is known of them."""

    rows: pl.DataFrame
    """The columns with a role, each named as its role, texts as they are scored, and what rows lose."""
    system: str
    roles: Roles
    report: Report[Any]
    """The report of the system."""
    found: Slices[Any] | None
    causes: pl.DataFrame
    risk: float

    @property
    def metric(self) -> Metric:
        """The score."""
        return self.report.measures[0]

    @property
    def score(self) -> Gain:
        """The score of all rows."""
        return figure(self.report.overall, self.metric.name)

    @property
    def protocol(self) -> ScoreProtocol:
        """How texts are compared."""
        protocol = self.report.summary.settings.protocol
        return protocol if self.metric.higher_is_better else resolve_errors(protocol)

    @cached_property
    def scored(self) -> pl.DataFrame:
        """The scored rows."""
        return self.rows.drop_nulls("lost")

    @property
    def options(self) -> dict[str, Any]:
        """The options of functions that score the rows again; those without an answer have a text now."""
        return {
            "metrics": self.metric.name,
            "cluster": "cluster" if "cluster" in self.rows.columns else None,
            "confidence": self.report.confidence,
            "protocol": self.protocol,
            "missing": self.report.summary.settings.missing,
        }

    @property
    def prediction(self) -> str:
        """The column of predictions in a call."""
        return f'"{self.roles.systems[self.system]}"'

    @property
    def texts(self) -> str:
        """The columns of texts in a call."""
        return f'{self.prediction}, "{self.roles.answers}"'

    @cached_property
    def confusions(self) -> pl.DataFrame:
        """The substitutions in rows that were read at least in part, the most frequent first."""
        how: dict[str, Any] = {"op": "replace", "protocol": self.protocol}
        table: pl.DataFrame = confusions(self.scored, "prediction", "answers", **how)
        return table

    @property
    def leading_confusion(self) -> dict[str, Any] | None:
        """The most frequent substitution, if it stands out."""
        is_frequent = pl.col("share_of_errors") >= _FREQUENT
        has_letters = self.protocol.unit != "word"
        frequent = self.confusions.filter(is_frequent, pl.col("count") >= _LEAST_COUNT, has_letters)
        return next(frequent.iter_rows(named=True), None)

    def loss(self, score: float) -> float:
        """Return what a score lacks to the best one."""
        return 1 - score if self.metric.higher_is_better else score

    def like_the_rest(self, share: float, score: Gain, rest: float) -> Gain:
        """Return what a share of all would win if it were as good as the rest."""
        value, *ends = (share * (self.loss(end) - self.loss(rest)) for end in score)
        return value, min(ends), max(ends)

    @cached_property
    def lengths_apart(self) -> tuple[int, int, int] | None:
        """
        The rows that cannot score for their lengths, and the median lengths of predictions and answers.

        None if these are not most rows.
        """
        threshold = self.protocol.threshold
        if self.metric.name != "anls" or not threshold:
            return None
        nearest = nearest_answer("prediction", "answers", protocol=self.protocol)
        # Columns are right where predictions contain the answers.
        others = self.scored.filter(pl.col("cause").ne_missing("extra_text"))
        texts = others.select(pl.col("prediction").cast(pl.String), nearest.alias("answer")).drop_nulls()
        lengths = texts.select(pl.all().str.len_chars()).filter(pl.all_horizontal(pl.all() > 0))
        differ = pl.min_horizontal(pl.all()) < threshold * pl.max_horizontal(pl.all())
        n, usual = lengths.filter(differ).height, lengths.median()
        if n <= self.scored.height / 2 or usual.filter(differ).is_empty():
            return None
        predicted, gold = map(round, usual.row(0))
        return n, predicted, gold

    def are_often(self, n: int) -> bool:
        """Return whether this number of rows is worth a step on gold or on text around answers."""
        return n >= max(_LEAST_ROWS, _OFTEN * self.scored.height)

    def lost(self, *causes: str) -> int:
        """Return the number of rows that lose by some causes."""
        return int(self.causes.filter(pl.col("cause").is_in(list(causes)))["n"].sum())

    def mean(self, value: pl.Expr, rows: pl.DataFrame | None = None) -> Gain:
        """Return the mean of values in [0, 1] of the scored rows, or of others, with its interval."""
        rows = self.scored if rows is None else rows
        return means(rows, {"value": value}, self.report.confidence)["value"]


def means(rows: pl.DataFrame, values: Mapping[str, pl.Expr], confidence: float) -> dict[str, Gain]:
    """Return the means of values in [0, 1], nulls as 0, with intervals that allow for documents."""
    if not values:
        return {}
    columns = {name: value.cast(pl.Float64).fill_null(0) for name, value in values.items()}
    given = rows.select(cs.by_name("cluster", require_all=False), **columns)
    metrics = [Metric(name, bounds=(0, 1), higher_is_better=False) for name in columns]
    cluster = "cluster" if "cluster" in rows.columns else None
    made = report(given, metrics=metrics, cluster=cluster, confidence=confidence)
    return {name: figure(made.overall, name) for name in columns}


def figure(row: Mapping[str, Any], name: str) -> Gain:
    """Return a figure of a row with its interval; where rows do not allow one, its ends are NaN."""
    low, high = (math.nan if row[end] is None else row[end] for end in ends_of(name))
    return row[name], low, high


def page_losses(settings: Settings) -> dict[str, pl.Expr]:
    """
    Return the error rate `lost` of pages, their errors of each kind, and their length.

    Pages in another order are readable, so their blocks in other places are no loss here.
    """
    how: dict[str, Any] = {"protocol": resolve_errors(settings.protocol), "missing": settings.missing}
    errors, rate = (count("prediction", "answers", **how) for count in (page_errors, reading_order_free_cer))
    fields = {name: errors.struct.field(name) for name in (*PAGE_COLORS, "reference_length")}
    return {"lost": rate, "unreadable": rate > _UNREADABLE, **fields}


def first_steps(case: Case, rules: Sequence[Rule]) -> pl.DataFrame:
    """Return the first steps, those that could win most before those that win nothing by themselves."""
    steps = [step for rule in rules for step in rule(case) if step.is_supported]
    steps.sort(key=lambda step: (step.gain is None, -(step.gain or (0.0,))[0], -step.n))
    nothing = (None, None, None)
    rows = [(step.rule, step.step, *(step.gain or nothing), step.n, step.call) for step in steps[:MOST]]
    ends = dict.fromkeys(("gain", *ends_of("gain")), pl.Float64)
    schema = {"rule": pl.String, "step": pl.String, **ends, "n": pl.Int64, "call": pl.String}
    return pl.DataFrame(rows, schema, orient="row").fill_nan(None)


def won(gain: Gain) -> str:
    """Return what a step could win."""
    value, low, high = (100 * end for end in gain)
    return f"{value:z.1f} [{low:z.1f}, {high:z.1f}] percentage points"


def _unwrap(case: Case) -> Iterator[Step]:
    n = case.lost("wrapped")
    if not n:
        return
    tax = format_tax(case.rows, "prediction", "answers", **case.options)
    gain = figure(tax.overall.row(0, named=True), "difference")
    lowered = case.causes.filter(cause="wrapped")["loss"].item() - gain[0]
    less = f", after {100 * lowered:.1f} that rows lose without their wrapping" if lowered > _NONE else ""
    sentence = (
        f"Take off the text around the answers of {numbered(n, 'row')}: unwrapping wins {won(gain)}{less}."
    )
    yield Step("unwrap", sentence, f"af.unwrap({case.prediction})", n, gain)


def _missing(case: Case) -> Iterator[Step]:
    n, is_missing = case.lost("missing", "empty"), pl.col("cause").is_in(["missing", "empty"])
    rest = case.scored.filter(~is_missing)
    if rest.is_empty():
        return
    as_good = 1 - rest.select((pl.col("lost") + pl.col("wrapped")).mean()).item()
    value, low, high = (as_good * share for share in case.mean(is_missing))
    gain = value, low, high
    sentence = (
        f"Get a prediction for the {numbered(n, 'row')} without one: answered as well as the others, they "
        f"would win {won(gain)}."
    )
    call = f'df.filter(pl.col({case.prediction}).fill_null("").str.strip_chars() == "")'
    yield Step("missing", sentence, call, n, gain)


_PLACEHOLDER = r"(?i)^\s*(none|null|nan|<na>|n/a|#n/a|unknown|unanswerable|not answerable|no answer)\.?\s*$"
"""The texts that reports count as placeholders, for a call."""


def _placeholders(case: Case) -> Iterator[Step]:
    n = next(iter(case.report.summary.predictions.values())).n_placeholders
    if n >= _LEAST_ROWS:
        sentence = (
            f'Make predictions such as "None" or "N/A" null where they mean no answer: '
            f"{numbered(n, 'row')} with such a text count as answered."
        )
        call = f'df.filter(pl.col({case.prediction}).str.contains(r"{_PLACEHOLDER}"))'
        yield Step("placeholder", sentence, call, n)


def _invented(case: Case) -> Iterator[Step]:
    n = case.lost("invented")
    gain = case.mean(pl.when(pl.col("cause") == "invented").then("lost"))
    sentence = (
        f"Let the system say that there is no answer: it invents one in {numbered(n, 'row')}, for "
        f"{won(gain)}."
    )
    yield Step("invented", sentence, f'df.filter(pl.col("{case.roles.answers}").is_null())', n, gain)
    n = next(iter(case.report.summary.predictions.values())).n_invented
    if n >= _LEAST_ROWS and case.report.summary.settings.unanswerable != "empty":
        count = numbered(n, "prediction")
        sentence = f"Decide how rows without an answer count: {count} for them are in no figure here."
        yield Step("invented", sentence, f'af.overview(df, {case.texts}, unanswerable="empty")', n)


def _slice(case: Case) -> Iterator[Step]:
    table = pl.DataFrame() if case.found is None else case.found.to_polars()
    row = case.report.row_names["row"]
    for index, line in enumerate(table.iter_rows(named=True)):
        if line["rest"] is None or line["score_low"] is None or line["score_high"] is None:
            continue
        name = shortened(visible(line["description"]), 60)
        scores = f"{spelled_in(line, 'score', 'score')}, that of the rest {line['rest']:.3f}"
        # A page counts by its length, which the share of the loss tells.
        share = line["share_of_loss"] * case.loss(case.score[0]) / case.loss(line["score"])
        gain = case.like_the_rest(share, figure(line, "score"), line["rest"])
        sentence = (
            f"Look at the {numbered(line['n'], row)} with {name}: their {case.metric.label} is {scores}; as "
            f"good as the rest, they would win {won(gain)}."
        )
        yield Step("slice", sentence, f"overview.found.rows(df, {index})", line["n"], gain)


def _confusion(case: Case) -> Iterator[Step]:
    first = case.leading_confusion
    if first is None or case.metric.name == "exact_match":
        return
    how: dict[str, Any] = {"protocol": case.protocol}
    pair = {name: first[name] for name in ("reference_char", "predicted_char")}
    rows = case.scored.with_columns(nearest=nearest_answer("prediction", "answers", **how))
    rows = rows.with_columns(
        nls=nls("prediction", "answers", **how), ops=edit_ops("prediction", "nearest", **how)
    )
    is_pair = pl.all_horizontal(pl.element().struct.field(name) == char for name, char in pair.items())
    n = pl.col("ops").list.eval(is_pair.fill_null(value=False)).list.sum()
    # Each edit costs the same part of the similarity.
    won_back = (1 - pl.col("nls")) * n / pl.col("ops").list.len()
    gain = case.mean(pl.when((pl.col("nls") >= READ) & (n > 0)).then(won_back), rows)
    yield _misreading(case, first, gain)


def _misreading(case: Case, confusion: Mapping[str, Any], gain: Gain) -> Step:
    sentence = (
        f"Fix one misreading: {confusion['reference_char']!r} is read as {confusion['predicted_char']!r} "
        f"{confusion['count']:,} times, {100 * confusion['share_of_errors']:.0f} % of all edits; without it, "
        f"{won(gain)} would be won."
    )
    call = f'af.confusions(df, {case.texts}, op="replace")'
    return Step("confusion", sentence, call, confusion["count"], gain)


def _confidence(case: Case) -> Iterator[Step]:
    name = case.roles.model_confidence
    if name is None:
        return
    chosen = selective(case.rows, "prediction", "answers", "model_confidence", **case.options)
    # The overview has its own account of rows.
    line = chosen.thresholds_by((), case.risk, case.report.confidence).row(0, named=True)
    quality = chosen.overall.row(0, named=True)
    options = f'"{name}", metrics="{case.metric.name}"'
    call = f"af.selective(df, {case.texts}, {options}).threshold(risk={case.risk:g})"
    if line["status"] == "certified":
        sentence = (
            f"Accept answers with {name} of at least {line['threshold']:.4g} unread: "
            f"{spelled_in(line, 'accepted', 'percent')} of all. Their mean loss is at most "
            f"{100 * case.risk:g} %, with {level_text(case.report.confidence)} confidence."
        )
        yield Step("confidence", sentence, call, line["n_accepted"])
        return
    chance = (1 - quality["score"]) / 2
    if quality["augrc_high"] is not None and quality["augrc_high"] >= chance:
        sentence = (
            f"Do not rely on {name}: ordered by it, answers lose "
            f"{spelled_in(quality, 'augrc', 'score')} (AUGRC), and {chance:.3f} in random order."
        )
        yield Step("confidence", sentence, call, quality["n"])


def _extra_text(case: Case) -> Iterator[Step]:
    rows = pl.col("cause") == "extra_text"
    n, gain = case.lost("extra_text"), case.mean(pl.when(rows).then("lost"))
    if not case.are_often(n):
        return
    sentence = (
        f"Let the system give the answer alone: in {numbered(n, 'row')}, the prediction contains the gold "
        f"answer and more text, for up to {won(gain)}. Where the longer text is right, add it to the gold."
    )
    call = f'df.filter({_error_type(case)} == "extra_text")'
    yield Step("extra_text", sentence, call, n, gain)


def _lengths(case: Case) -> Iterator[Step]:
    if case.lengths_apart is None:
        return
    n, predicted, gold = case.lengths_apart
    alone = " If so, let the system give the answer alone." if predicted > gold else ""
    sentence = (
        f"Make sure that these are the right columns: {numbered(n, 'row')} cannot score, because the "
        f"prediction is much longer or shorter than the answer, at the median {predicted:,} and {gold:,} "
        f"characters.{alone}"
    )
    yield Step("lengths", sentence, f"df.filter(af.anls({case.texts}) == 0)", n)


def _gold(case: Case) -> Iterator[Step]:
    if case.lengths_apart is not None:
        return  # the column of answers itself is in doubt
    looks_wrong = pl.col("cause") == "truncated"
    why = "the prediction is part of the gold answer"
    rows = f'{_error_type(case)} == "truncated"'
    others = {name: column for name, column in case.roles.systems.items() if name != case.system}
    if others:
        alike = [nls("prediction", f"other {name}", protocol=case.protocol) == 1 for name in others]
        is_other = pl.col("cause").is_in(["wrong", "near"]) & (pl.col("lost") > 0)
        looks_wrong |= is_other & pl.all_horizontal(alike).fill_null(value=False)
        why = f"all systems give the same other answer, or {why}"
        same = " & ".join(f'(af.nls({case.prediction}, "{column}") == 1)' for column in others.values())
        is_wrong = f'{_error_type(case)}.is_in(["wrong", "near"]) & (af.anls({case.texts}) < 1)'
        rows = f"({rows}) | {is_wrong} & {same}"
    n = case.scored.filter(looks_wrong).height
    if not case.are_often(n):
        return
    gain, size = case.mean(pl.when(looks_wrong).then("lost")), min(_AUDITED, n)
    sentence = (
        f"Check the gold answers of {numbered(n, 'row')}: {why}. If the gold is wrong or too long, up to "
        f"{won(gain)} are not the system's; judge a sample of {size}."
    )
    yield Step("gold", sentence, f"af.audit_sample(df.filter({rows}), n={size})", n, gain)


def _error_type(case: Case) -> str:
    """Return the error types of unwrapped predictions in a call."""
    return f'af.error_type(af.unwrap({case.prediction}).struct.field("text"), "{case.roles.answers}")'


def _protocol(case: Case) -> Iterator[Step]:
    if case.metric.name != "anls":
        return
    score, low, high = case.score
    text = pl.col("prediction").cast(pl.String).fill_null("")
    others = {
        name: anls(text, "answers", protocol=protocol).mean()
        for name, protocol in PROTOCOLS.items()
        if protocol.threshold is not None
    }
    found = case.scored.select(**others).row(0, named=True)
    name, other = max(found.items(), key=lambda item: abs(item[1] - score))
    if not (other < low or other > high):
        return
    sentence = (
        f"Make sure which protocol your benchmark uses: with {name!r} the score is {other:.3f}, not "
        f"{spelled(score, (low, high), 'score')}, {100 * abs(other - score):.1f} percentage points apart."
    )
    yield Step("protocol", sentence, f'af.overview(df, {case.texts}, protocol="{name}")', case.scored.height)


def _documents(case: Case) -> Iterator[Step]:
    score, low, high = case.score
    if max(score - low, high - score) <= _WIDE:
        return
    overall = case.report.overall
    what = case.report.row_names["row"] if overall["n_clusters"] is None else noun(case.roles.cluster)
    n = overall["n_clusters"] or overall["n"]
    known = f"is only known to be {spelled(score, (low, high), 'score')}"
    if math.isnan(low):
        known = "has no interval"
    call = f'af.report(df, {case.texts}, metrics="{case.metric.name}")'
    sentence = f"Score more {what}s: with {numbered(n, what)}, {case.metric.label} {known}."
    yield Step("documents", sentence, call, n)


def _kinds(case: Case) -> Iterator[Step]:
    overall = case.report.overall
    for kind in PAGE_COLORS:
        n, (value, low, high) = case.lost(kind), figure(overall, kind)
        # Misread letters are a confusion, or are everywhere.
        if kind == "misread" or not n:
            continue
        # A moved character is an error in both places, or in none.
        in_order = (overall["cer_corpus"] - overall["reading_order_free_cer"]) / value
        edits = in_order if kind == "moved" else 1
        gain = value * edits, low * edits, high * edits
        sentence = f"Look at the {numbered(n, 'page')} with {kind} text: without it, {won(gain)} are won."
        call = f'df.sort(af.page_errors({case.texts}).struct.field("{kind}"), descending=True)'
        yield Step(kind, sentence, call, n, gain)


def _page_confusion(case: Case) -> Iterator[Step]:
    first, overall = case.leading_confusion, case.report.overall
    if first is not None:
        share = first["count"] / (overall["characters"] * case.score[0])
        value, low, high = (share * end for end in case.score)
        yield _misreading(case, first, (value, low, high))


def _unreadable(case: Case) -> Iterator[Step]:
    n = case.scored.filter("unreadable").height
    if not _LEAST_ROWS <= n <= case.scored.height / 2:
        return
    by = report(case.scored, "prediction", "answers", by="unreadable", **case.options).tables["unreadable"]
    bad, rest = (by.row(by_predicate=pl.col("unreadable") == one, named=True) for one in (True, False))
    if bad["cer_corpus"] is None or rest["cer_corpus"] is None:
        return  # texts were read where pages have none, so there is no rate
    lengths = pl.col("reference_length")
    share = case.scored.select(lengths.filter("unreadable").sum() / lengths.sum()).item()
    gain = case.like_the_rest(share, figure(bad, "cer_corpus"), rest["cer_corpus"])
    sentence = (
        f"Scan or read {numbered(n, 'page')} again, with an order-free CER above {_UNREADABLE:g}: as good "
        f"as the rest, they would win {won(gain)}."
    )
    call = f"df.filter(af.reading_order_free_cer({case.texts}) > {_UNREADABLE:g})"
    yield Step("unreadable", sentence, call, n, gain)


def _style(case: Case) -> Iterator[Step]:
    (predictions,) = case.report.summary.predictions.values()
    found, plain = written_otherwise(vars(predictions), case.report.overall["n"], case.protocol)
    if not found:
        return
    rates = report(case.rows, "prediction", "answers", **{**case.options, "protocol": plain}).overall
    share = 1 - rates[case.metric.name] / case.score[0]
    value, low, high = (share * end for end in case.score)
    ignored = [STYLES[style][1].removeprefix("ignore_") for style in found]
    sentence = (
        f"Decide whether {' and '.join(ignored)} should count: ignored in both texts, "
        f"{won((value, low, high))} are won."
    )
    metrics = case.roles.metrics if isinstance(case.roles.metrics, str) else case.metric.name
    call = f'af.overview(df, {case.texts}, metrics="{metrics}", protocol={in_python(plain)})'
    n = max(getattr(predictions, f"n_{style}") for style in found)
    yield Step("style", sentence, call, n, (value, low, high))


Rule: TypeAlias = Callable[[Case], Iterator[Step]]
RULES: Sequence[Rule] = (
    _unwrap,
    _invented,
    _missing,
    _placeholders,
    _slice,
    _confusion,
    _confidence,
    _extra_text,
    _lengths,
    _gold,
    _protocol,
    _documents,
)
"""The rules, in any order: steps are ordered by what they could win."""

PAGE_RULES: Sequence[Rule] = (_style, _unreadable, _kinds, _page_confusion, _slice, _documents)
"""The rules for pages of OCR."""

RATE_RULES: Sequence[Rule] = (_style, _slice, _documents)
"""The rules for other error rates."""

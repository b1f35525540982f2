"""
What to do first: one function for each rule, which looks at the rows and may suggest a step.

A step is suggested only if the data support it: the interval of what it could win lies above 0, a slice was
found to be worse than the rest, or, of a step that wins nothing by itself, there are rows that need it. A new
rule is a function in `RULES`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import polars as pl
import polars.selectors as cs

from anls_frame._palette import PAGE_COLORS
from anls_frame._text import exact, level_text, numbered, shortened, visible
from anls_frame.analysis.characters import confusions
from anls_frame.export.columns import CHARACTERS, ends_of
from anls_frame.export.display import spelled_in
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
from anls_frame.summary.causes import FORM
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
_LONGEST = 40
"""Characters of an example."""
_WIDE = 0.1
"""Half of the width of an interval that says little."""
_AUDITED = 100
"""Rows that are enough to find out whether gold is wrong."""


class Step(NamedTuple):
    """A step to take: what it is, the call that does it, how many rows it is about, and its gain."""

    rule: str
    step: str
    call: str
    n: int
    gain: Gain | None = None

    @property
    def is_supported(self) -> bool:
        """Whether it gains enough; a slice, which was tested, may have an interval that includes 0."""
        if self.gain is None:
            return True
        value, low, _ = self.gain
        return self.n >= _LEAST_ROWS and value >= _LEAST_GAIN and (low > 0 or self.rule == "slice")


class Case:
    """
    What the rules look at: an overview, and the rows of a system with what is known of them.

    The rows have the columns with a role, each named as its role, texts as they are scored, and what rows
    lose.
    """

    def __init__(self, overview: Any, system: str, rows: pl.DataFrame, causes: pl.DataFrame) -> None:
        self.overview, self.system, self.rows, self.causes = overview, system, rows, causes
        self.scored = rows.drop_nulls("lost") if causes.width else rows
        self.roles: Roles = overview.roles
        self.report: Report[Any] = overview.report
        self.settings = self.report.summary.settings
        (self.predictions,) = self.report.summary.predictions.values()
        self.metric: Metric = self.report.measures[0]
        self.score = figure(self.report.overall, self.metric.name)
        self.are_pages = "unreadable" in rows.columns
        self.protocol, usual = self.settings.protocol, PROTOCOLS["anls"]
        if not self.metric.higher_is_better:
            self.protocol, usual = resolve_errors(self.protocol), PROTOCOLS["raw"]
        # Rows without an answer have a text now, if they are scored.
        self.options: dict[str, Any] = {
            "metrics": self.metric.name,
            "cluster": "cluster" if "cluster" in rows.columns else None,
            "confidence": self.report.confidence,
            "protocol": self.protocol,
            "missing": self.settings.missing,
        }
        self.prediction, self.answers = map(_literal, (self.roles.systems[system], self.roles.answers))
        self.columns = f"{self.prediction}, {self.answers}"
        self.how = "" if self.protocol == usual else f", protocol={in_python(self.protocol)}"
        self.texts = f"{self.columns}{self.how}"
        self.unwrapped = f'af.unwrap({self.prediction}).struct.field("text"), {self.answers}'

    @cached_property
    def confusions(self) -> pl.DataFrame:
        """The substitutions in rows that were read at least in part, the most frequent first."""
        return confusions(self.scored, "prediction", "answers", op="replace", protocol=self.protocol)

    @cached_property
    def lengths_apart(self) -> list[Step]:
        """The step about rows that cannot score for their lengths, if these are most rows."""
        threshold = self.protocol.threshold
        if self.metric.name != "anls" or not threshold:
            return []
        nearest = nearest_answer("prediction", "answers", protocol=self.protocol)
        # Columns are right where predictions contain the answers, or say that there is none.
        is_right = (pl.col("cause") == "extra_text") | _SAYS_NOTHING
        others = self.scored.filter(~is_right.fill_null(value=False))
        texts = others.select(pl.col("prediction").cast(pl.String), nearest.alias("answer")).drop_nulls()
        lengths = texts.select(pl.all().str.len_chars()).filter(pl.all_horizontal(pl.all() > 0))
        differ = pl.min_horizontal(pl.all()) < threshold * pl.max_horizontal(pl.all())
        n, usual = lengths.filter(differ).height, lengths.median()
        if n <= self.scored.height / 2 or usual.filter(differ).is_empty():
            return []
        predicted, gold = map(round, usual.row(0))
        alone = " If so, let the system give the answer alone." if predicted > gold else ""
        sentence = (
            f"Make sure that these are the right columns: {numbered(n, 'row')} cannot score, because the "
            f"prediction is much longer or shorter than the answer, at the median {predicted:,} and {gold:,} "
            f"characters.{alone}"
        )
        return [Step("lengths", sentence, f"df.filter(af.anls({self.texts}) == 0)", n)]

    def again(self, **changed: Any) -> str:
        """Return the call of this overview with other options, without columns that it would find again."""
        options = {**self.roles.options, **self.overview.options, **changed}
        if not isinstance(options.get("metrics", ""), str):
            options["metrics"] = self.metric.name
        found = self.roles.found - {"prediction", "answers"}
        return called({name: value for name, value in options.items() if name not in found})

    def like_the_rest(self, figures: Gain, rest: float) -> Gain:
        """Return the gain if rows with these figures were as good as the rest."""
        share = (self.score[0] - rest) / (figures[0] - rest or 1.0)
        sign = share if self.metric.higher_is_better else -share
        value, *ends = (sign * (rest - end) for end in figures)
        return value, min(ends), max(ends)

    def mean(self, value: pl.Expr, rows: pl.DataFrame | None = None) -> Gain:
        """Return the mean of values in [0, 1] of the scored rows, or of others, with its interval."""
        rows = self.scored if rows is None else rows
        return means(rows, {"value": value}, self.report.confidence)["value"]

    def losing(self, rule: str, rows: pl.Expr, said: str, call: str, least: float = 0.0) -> Iterator[Step]:
        """Suggest a step for rows, at least this share of all, that would gain what they lose."""
        n = self.scored.filter(rows, pl.col("lost") > 0).height
        if n >= max(_LEAST_ROWS, least * self.scored.height):
            gain = self.mean(pl.when(rows).then("lost"))
            yield Step(rule, said.format(rows=numbered(n, "row"), won=won(gain)), call, n, gain)

    def answered(self, rule: str, rows: pl.Expr, said: str, call: str) -> Iterator[Step]:
        """Suggest a step for rows without an answer, which could be as good as the others."""
        n = self.scored.filter(rows, pl.col("lost") > 0).height
        if n < _LEAST_ROWS:
            return
        rest = self.scored.filter(~rows).select((pl.col("lost") + pl.col("wrapped")).mean()).item()
        gain, less = None, ""
        if rest is not None:
            gain = scaled(self.mean(rows), 1 - rest)
            less = f": answered as well as the others, they would gain {won(gain)}"
        yield Step(rule, f"{said.format(rows=numbered(n, 'row'))}{less}.", call, n, gain)


def called(options: Mapping[str, Any]) -> str:
    """Return the call of an overview with these options."""
    protocol = {name: in_python(one) for name, one in options.items() if isinstance(one, ScoreProtocol)}
    written = {name: repr(value) for name, value in options.items()} | protocol
    return f"af.overview(df, {', '.join(f'{name}={value}' for name, value in written.items())})"


def _literal(name: str | None) -> str:
    """Return the name of a column as a call spells it."""
    return json.dumps(name, ensure_ascii=False)


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


def scaled(gain: Gain, share: float) -> Gain:
    """Return a part of a figure and of its interval."""
    value, low, high = (share * end for end in gain)
    return value, low, high


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
    """Return a gain in percentage points, with its interval."""
    value, low, high = (100 * end for end in gain)
    return f"{value:z.1f} [{low:z.1f}, {high:z.1f}] percentage points"


def _unwrap(case: Case) -> Iterator[Step]:
    wrapped = case.causes.filter(pl.col("n") >= _LEAST_ROWS, cause="wrapped")
    if wrapped.is_empty():
        return
    n, loss = wrapped.select("n", "loss").row(0)
    tax = format_tax(case.rows, "prediction", "answers", **case.options)
    gain = figure(tax.overall.row(0, named=True), "difference")
    lowered = loss - gain[0]
    less = f", after {100 * lowered:.1f} that rows lose without their wrapping" if lowered > _NONE else ""
    sentence = (
        f"Take off the text around the answers of {numbered(n, 'row')}: unwrapping gains {won(gain)}{less}."
    )
    yield Step("unwrap", sentence, f"af.unwrap({case.prediction})", n, gain)


def _missing(case: Case) -> Iterator[Step]:
    are_rows = pl.col("cause").is_in(["missing", "empty"])
    call = f'df.filter(pl.col({case.prediction}).fill_null("").str.strip_chars() == "")'
    yield from case.answered("missing", are_rows, "Get a prediction for the {rows} without one", call)


_NO_ANSWER = (
    r"(?i)^\W*("
    r"(none|null|nan|na>|n/a|unknown|unanswerable|not[ _](answerable|found)|no[ _]answer)\W*$"
    r"|((api|http|server|request|connection) )*([\w.]*(?-i:[a-z]E)rror|error)( code)?\W*(:|\d|$)"
    r"|failed to (obtain|get|call|generate|process|connect)\b"
    r"|(traceback|rate limit exceeded|too many requests|request timed out|as an ai)\b"
    r"|(i'?m sorry|i am sorry|sorry|unfortunately)\b.*\b(not|cannot|can't|unable)\b"
    r"|i (cannot|can't|could not|couldn't|am unable to|am not able to|do not|don't) "
    r"(find|answer|see|read|determine|identify|locate|access|view|provide|know|help|assist)\b"
    r"|((the|this|that|it|it's|is|was|answer|information|value|document|context|text|image|page)\W+)*"
    r"(not|does not|doesn't) (found|given|mentioned|provided|specified|stated|available|visible|contain"
    r"|mention|provide|show|specify|state)\b"
    r")"
)
"""Beginnings of texts that are no answer: placeholders, messages of errors, and refusals."""
_UNLIKE = 0.5
"""The NLS below which such a text is not that of the gold answer."""


_SAYS_NOTHING = pl.col("prediction").cast(pl.String).str.contains(_NO_ANSWER)
"""Which predictions are no answer, although the gold may say the same."""


def _placeholders(case: Case) -> Iterator[Step]:
    unlike = nls("prediction", "answers", protocol=case.protocol) < _UNLIKE
    are_rows = (_SAYS_NOTHING & unlike).fill_null(value=False)
    texts = case.scored.filter(are_rows)["prediction"].cast(pl.String)
    if texts.is_empty():
        return
    example = shortened(visible(texts.mode().sort()[0]), _LONGEST).replace("{", "{{").replace("}", "}}")
    said = (
        f"Ask again for the {{rows}} with a text such as “{example}”, or make it null if there is no answer"
    )
    score = f"af.nls({case.texts})" + (".fill_null(0)" if case.settings.unanswerable == "empty" else "")
    call = f'df.filter(pl.col({case.prediction}).str.contains(r"{_NO_ANSWER}") & ({score} < {_UNLIKE}))'
    yield from case.answered("placeholder", are_rows, said, call)


def _invented(case: Case) -> Iterator[Step]:
    are_rows = (pl.col("cause") == "invented") & ~_SAYS_NOTHING
    said = "Let the system say that there is no answer: it invents one in {rows}, for {won}."
    yield from case.losing("invented", are_rows, said, f"df.filter(pl.col({case.answers}).is_null())")
    n = case.predictions.n_invented
    if n >= _LEAST_ROWS and case.settings.unanswerable != "empty":
        count = numbered(n, "prediction")
        sentence = f"Decide how rows without an answer count: {count} for them are in no figure here."
        yield Step("invented", sentence, case.again(unanswerable="empty"), n)


def _form(case: Case) -> Iterator[Step]:
    are_rows = pl.col("cause") == "form"
    kinds = {*case.scored.filter(are_rows, pl.col("lost") > 0)["error_type"]}
    named = ", ".join(kind.replace("_", " ") for kind in FORM if kind in kinds)
    said = (
        f"Decide whether form should count ({named}): {{rows}} are otherwise right, and lose {{won}} by it."
    )
    is_form = f"af.error_type({case.unwrapped}).is_in({json.dumps(FORM)})"
    call = f"df.filter({is_form} & (af.nls({case.unwrapped}{case.how}) < 1))"
    yield from case.losing("form", are_rows, said, call, _OFTEN)


def _slice(case: Case) -> Iterator[Step]:
    found: Slices[Any] | None = case.overview.found
    for index, line in enumerate(() if found is None else found.to_polars().iter_rows(named=True)):
        if line["rest"] is None or line["score_low"] is None or line["score_high"] is None:
            continue
        rows = numbered(line["n"], case.report.row_names["row"])
        name = shortened(visible(line["description"]), 60)
        gain = case.like_the_rest(figure(line, "score"), line["rest"])
        sentence = f"Look at the {rows} where {name}: as good as the rest, they would gain {won(gain)}."
        yield Step("slice", sentence, f"overview.found.rows(df, {index})", line["n"], gain)


def _confusion(case: Case) -> Iterator[Step]:
    is_frequent = (pl.col("share_of_errors") >= _FREQUENT) & (pl.col("count") >= _LEAST_COUNT)
    first = next(case.confusions.filter(is_frequent).iter_rows(named=True), None)
    if first is None or case.metric.name == "exact_match" or case.protocol.unit == "word":
        return
    if case.are_pages:
        # The count of edits is the rate times the characters.
        gain = scaled(case.score, first["count"] / (case.report.overall["characters"] * case.score[0]))
    else:
        how: dict[str, Any] = {"protocol": case.protocol}
        rows = case.scored.with_columns(nearest=nearest_answer("prediction", "answers", **how))
        rows = rows.with_columns(
            nls=nls("prediction", "answers", **how), ops=edit_ops("prediction", "nearest", **how)
        )
        is_pair = pl.all_horizontal(pl.element().struct.field(name) == first[name] for name in CHARACTERS)
        n = pl.col("ops").list.eval(is_pair.fill_null(value=False)).list.sum()
        # Each edit costs the same part of the similarity.
        won_back = (1 - pl.col("nls")) * n / pl.col("ops").list.len()
        gain = case.mean(pl.when((pl.col("nls") >= READ) & (n > 0)).then(won_back), rows)
    sentence = (
        f"Fix one misreading: {first['reference_char']!r} is read as {first['predicted_char']!r} "
        f"{first['count']:,} times, {100 * first['share_of_errors']:.0f} % of all edits; without it, "
        f"{won(gain)} would be gained."
    )
    yield Step("confusion", sentence, f'af.confusions(df, {case.texts}, op="replace")', first["count"], gain)


def _confidence(case: Case) -> Iterator[Step]:
    name = case.roles.model_confidence
    if name is None:
        return
    chosen = selective(case.rows, "prediction", "answers", "model_confidence", **case.options)
    # The overview has its own account of rows.
    line = chosen.thresholds_by((), case.overview.risk, case.report.confidence).row(0, named=True)
    quality = chosen.overall.row(0, named=True)
    options = f'{_literal(name)}, metrics="{case.metric.name}"{case.how}'
    call = f"af.selective(df, {case.columns}, {options}).threshold(risk={case.overview.risk:g})"
    if line["status"] == "certified":
        sentence = (
            f"Accept answers with {name} of at least {exact(line['threshold'])} unread: "
            f"{spelled_in(line, 'accepted', 'percent')} of all. Their mean loss is at most "
            f"{100 * case.overview.risk:g} %, with {level_text(case.report.confidence)} confidence."
        )
        yield Step("confidence", sentence, call, line["n_accepted"])
        return
    chance = (1 - quality["score"]) / 2
    if quality["augrc_high"] is not None and quality["augrc_high"] >= chance:
        sentence = (
            f"Do not rely on {name}: ordered by it, answers do not lose significantly less than in random "
            "order (AUGRC)."
        )
        yield Step("confidence", sentence, call, quality["n"])


def _extra_text(case: Case) -> Iterator[Step]:
    said = (
        "Let the system give the answer alone: in {rows}, the prediction contains the gold answer and more "
        "text, for up to {won}. Where the longer text is right, add it to the gold."
    )
    call = f'df.filter(af.error_type({case.unwrapped}) == "extra_text")'
    yield from case.losing("extra_text", pl.col("cause") == "extra_text", said, call, _OFTEN)


def _lengths(case: Case) -> Iterator[Step]:
    yield from case.lengths_apart


def _gold(case: Case) -> Iterator[Step]:
    if case.lengths_apart:
        return  # the column of answers itself is in doubt
    looks_wrong = pl.col("cause") == "truncated"
    why = "the prediction is part of the gold answer"
    kind = f"af.error_type({case.unwrapped})"
    rows = f'{kind} == "truncated"'
    others = {name: column for name, column in case.roles.systems.items() if name != case.system}
    if others:
        alike = [nls("prediction", f"other {name}", protocol=case.protocol) == 1 for name in others]
        is_other = pl.col("cause").is_in(["wrong", "near"]) & (pl.col("lost") > 0)
        looks_wrong |= is_other & pl.all_horizontal(alike).fill_null(value=False)
        why = f"all systems give the same other answer, or {why}"
        same = " & ".join(
            f"(af.nls({case.prediction}, {_literal(column)}{case.how}) == 1)" for column in others.values()
        )
        is_wrong = f'{kind}.is_in(["wrong", "near"]) & (af.nls({case.texts}) < 1)'
        rows = f"({rows}) | {is_wrong} & {same}"
    size = min(_AUDITED, case.scored.filter(looks_wrong).height)
    said = (
        f"Check the gold answers of {{rows}}: {why}. If the gold is wrong or too long, up to {{won}} are not "
        f"the system's; judge a sample of {size}."
    )
    call = f"af.audit_sample(df.filter({rows}), n={size})"
    yield from case.losing("gold", looks_wrong, said, call, _OFTEN)


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
    if math.isnan(low) or low <= other <= high:
        return
    sentence = (
        f"Make sure which protocol your benchmark uses: with {name!r} the score is "
        f"{100 * abs(other - score):.1f} percentage points {'lower' if other < score else 'higher'}."
    )
    yield Step("protocol", sentence, case.again(protocol=name), case.scored.height)


def _documents(case: Case) -> Iterator[Step]:
    score, low, high = case.score
    if max(score - low, high - score) <= _WIDE:
        return
    overall = case.report.overall
    what = case.report.row_names["row"] if overall["n_clusters"] is None else noun(case.roles.cluster)
    n = overall["n_clusters"] or overall["n"]
    wide = "no interval"
    if not math.isnan(low):
        wide = f"an interval of {100 * (high - low):.1f} percentage points"
    call = f'af.report(df, {case.texts}, metrics="{case.metric.name}")'
    sentence = f"Score more {what}s: with {numbered(n, what)}, {case.metric.label} has {wide}."
    yield Step("documents", sentence, call, n)


def _kinds(case: Case) -> Iterator[Step]:
    overall = case.report.overall
    # Misread letters are a confusion, or are everywhere.
    for kind, n in case.causes.filter(pl.col("cause") != "misread").select("cause", "n").iter_rows():
        # A moved character is an error in both places, or in none.
        in_order = (overall["cer_corpus"] - overall["reading_order_free_cer"]) / overall[kind]
        gain = scaled(figure(overall, kind), in_order if kind == "moved" else 1)
        sentence = f"Look at the {numbered(n, 'page')} with {kind} text: removing it gains {won(gain)}."
        call = f'df.sort(af.page_errors({case.texts}).struct.field("{kind}"), descending=True)'
        yield Step(kind, sentence, call, n, gain)


def _unreadable(case: Case) -> Iterator[Step]:
    n = case.scored.filter("unreadable").height
    if not _LEAST_ROWS <= n <= case.scored.height / 2:
        return
    by = report(case.scored, "prediction", "answers", by="unreadable", **case.options).tables["unreadable"]
    bad, rest = (by.row(by_predicate=pl.col("unreadable") == one, named=True) for one in (True, False))
    if bad["cer_corpus"] is None or rest["cer_corpus"] is None:
        return  # texts were read where pages have none, so there is no rate
    gain = case.like_the_rest(figure(bad, "cer_corpus"), rest["cer_corpus"])
    sentence = (
        f"Scan or read {numbered(n, 'page')} again, with an order-free CER above {100 * _UNREADABLE:g} %: as "
        f"good as the rest, they would gain {won(gain)}."
    )
    call = f"df.filter(af.reading_order_free_cer({case.texts}) > {_UNREADABLE:g})"
    yield Step("unreadable", sentence, call, n, gain)


def _style(case: Case) -> Iterator[Step]:
    found, plain = written_otherwise(case.predictions._asdict(), case.report.overall["n"], case.protocol)
    ignored = [STYLES[style][1].removeprefix("ignore_") for style in found]
    n = max((getattr(case.predictions, f"n_{style}") for style in found), default=0)
    if case.metric.name == "cer_corpus" and case.score[0] > case.report.overall.get("wer_corpus", math.inf):
        # Spaces cost characters, but no words.
        plain, n = plain.replace(whitespace="squeeze"), case.report.overall["n"]
        ignored.append("line breaks and runs of spaces")
    if not ignored:
        return
    rates = report(case.rows, "prediction", "answers", **{**case.options, "protocol": plain}).overall
    gain = scaled(case.score, 1 - rates[case.metric.name] / case.score[0])
    sentence = (
        f"Decide whether {' and '.join(ignored)} should count: ignoring this in both texts gains {won(gain)}."
    )
    yield Step("style", sentence, case.again(protocol=plain), n, gain)


Rule: TypeAlias = Callable[[Case], Iterator[Step]]
RULES: Sequence[Rule] = (
    _unwrap,
    _invented,
    _missing,
    _placeholders,
    _form,
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

PAGE_RULES: Sequence[Rule] = (_style, _unreadable, _kinds, _confusion, _slice, _documents)
"""The rules for pages of OCR."""

RATE_RULES: Sequence[Rule] = (_style, _slice, _documents)
"""The rules for other error rates."""

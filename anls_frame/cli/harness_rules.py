"""The rules by which harnesses score, and a check which of them reproduces given scores."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

import polars as pl

import anls_frame as af

if TYPE_CHECKING:
    from collections.abc import Callable

    from anls_frame.cli.harness_scores import HarnessScores

_MOST_DIGITS = 15
_TEXTS = ("prediction", "answers")
_DISTANCE_NOTE = (
    "These are distances, as in VLMEvalKit's column eval_score: 0 is a perfect answer. Report the scores of "
    "protocol rrc instead; their mean is the one that the harness reports."
)


def _mean_distance(protocol: str) -> Callable[[pl.DataFrame], pl.Series]:
    def distances(frame: pl.DataFrame) -> pl.Series:
        row = pl.int_range(pl.len()).alias("row")
        pairs = frame.select(row, *_TEXTS).explode("answers", empty_as_null=True, keep_nulls=True)
        # 1 - (1 - d / L) may differ from d / L, but only in the last digit.
        scored = pairs.select("row", (1 - af.nls(*_TEXTS, protocol=protocol)).alias("distance"))
        return scored.group_by("row", maintain_order=True).agg(pl.col("distance").mean())["distance"]

    return distances


def _row(make: Callable[..., pl.Expr], **options: str) -> Callable[[pl.DataFrame], pl.Series]:
    return lambda frame: frame.select(make(*_TEXTS, **options).cast(pl.Float64)).to_series()


CANDIDATES: dict[str, Callable[[pl.DataFrame], pl.Series]] = {
    "anls, protocol anls": _row(af.anls, protocol="anls"),
    "anls, protocol rrc": _row(af.anls, protocol="rrc"),
    "anls, protocol anls_star": _row(af.anls, protocol="anls_star"),
    "nls, protocol anls": _row(af.nls, protocol="anls"),
    "nls, protocol rrc": _row(af.nls, protocol="rrc"),
    "nls, protocol anls_star": _row(af.nls, protocol="anls_star"),
    "nls, protocol raw": _row(af.nls, protocol="raw"),
    "cer, protocol raw": _row(af.cer, protocol="raw"),
    "cer, protocol jiwer": _row(af.cer, protocol="jiwer"),
    "exact_match, protocol anls": _row(af.exact_match, protocol="anls"),
    "exact_match, protocol raw": _row(af.exact_match, protocol="raw"),
    "mean distance over the answers, protocol rrc": _mean_distance("rrc"),
    "mean distance over the answers, protocol anls_star": _mean_distance("anls_star"),
}


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """How well a rule reproduces the scores."""

    rule: str
    scale: int
    compared: int
    exact: bool
    mean: float | None
    differing: pl.DataFrame
    """The rows that differ: id, texts, `harness` and `computed`."""

    @property
    def scaled(self) -> str:
        """The scale in words, if it is not 1."""
        return f", times {self.scale}" if self.scale != 1 else ""

    @property
    def note(self) -> str:
        """A warning if the numbers are distances, not cut at a threshold."""
        return _DISTANCE_NOTE if self.rule in CANDIDATES and "distance" in self.rule else ""


def judge(frame: pl.DataFrame, theirs: HarnessScores) -> list[Verdict]:
    """
    Return a verdict for each rule, the best first; null predictions count as empty strings.

    Truth values that no rule gives are compared with each rule's scores from a threshold on, too.
    """
    texts = frame.with_columns(pl.col("prediction").fill_null(""))
    scores = {rule: make(texts) for rule, make in CANDIDATES.items()}
    verdicts = [_verdict(rule, ours, texts, theirs) for rule, ours in scores.items()]
    if theirs.are_verdicts and all(verdict.differing.height for verdict in verdicts):
        cut = [_from_threshold(rule, ours, theirs.values) for rule, ours in scores.items()]
        verdicts += [_verdict(*one, texts, theirs) for one in cut if one is not None]
    return sorted(verdicts, key=lambda verdict: (verdict.differing.height, not verdict.exact))


def _from_threshold(rule: str, ours: pl.Series, theirs: pl.Series) -> tuple[str, pl.Series] | None:
    """Return the rule by which a row is right from the best threshold on, and what it says of each row."""
    is_lower_better = rule.startswith(("cer", "mean distance"))
    scores = (-ours if is_lower_better else ours).alias("score")
    rows = pl.DataFrame([scores, theirs.alias("right")]).drop_nulls()
    if rows["score"].n_unique() <= 2:  # noqa: PLR2004 - truth values themselves
        return None
    steps = rows.group_by("score").agg(pl.col("right").sum(), pl.len()).sort("score", descending=True)
    right = pl.col("right")
    wrong_above, right_below = (pl.col("len") - right).cum_sum(), right.sum() - right.cum_sum()
    steps = steps.with_columns(next=pl.col("score").shift(-1), differing=wrong_above + right_below)
    high, low = steps.sort("differing", maintain_order=True).select("score", "next").row(0)
    threshold = _shortest(low, high)
    sign, shown = ("≤", -threshold) if is_lower_better else ("≥", threshold)
    return f"{rule} {sign} {shown:g}", (scores >= threshold).cast(pl.Float64)


def _shortest(low: float | None, high: float) -> float:
    """Return the number above `low`, up to `high`, that has the fewest decimals."""
    for digits in range(_MOST_DIGITS):
        number = float(Decimal(repr(high)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_FLOOR))
        if low is None or number > low:
            return number
    return high


def _verdict(rule: str, ours: pl.Series, frame: pl.DataFrame, theirs: HarnessScores) -> Verdict:
    computed = ours.to_frame("computed")
    if theirs.is_mean:
        rows = computed.select(pl.col("computed").mean()).with_columns(harness=pl.lit(theirs.values[0]))
    else:
        shown = [name for name in ("question_id", "prediction", "answers") if name in frame.columns]
        rows = frame.select(shown).with_columns(theirs.values.alias("harness"), computed["computed"])
        rows = rows.filter(pl.col("harness").is_not_null())
    rows = rows.with_columns(pl.col("computed") * theirs.scale)
    rounding = 0.0 if theirs.are_verdicts else 0.5 * 10.0**-theirs.digits
    slack = rounding * (1 + 1e-9) + 1e-12
    differing = rows.filter(~((pl.col("computed") - pl.col("harness")).abs() <= slack).fill_null(value=False))
    exact = bool((rows["computed"] == rows["harness"]).fill_null(value=False).all())
    mean = ours.mean()
    return Verdict(
        rule=rule,
        scale=theirs.scale,
        compared=rows.height,
        exact=exact,
        mean=mean if isinstance(mean, float) else None,
        differing=differing,
    )

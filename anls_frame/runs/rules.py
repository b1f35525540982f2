"""Scoring rules of harnesses, and a search for the rule that reproduces given scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from anls_frame._messages import Message, Option, wrong
from anls_frame._text import listed, quoted
from anls_frame.exceptions import DTypeError
from anls_frame.files import raw_tables, standard_frames
from anls_frame.files.file import File
from anls_frame.files.problems import Problems, problem
from anls_frame.files.table_files import read_columns
from anls_frame.frames.conversion import in_polars
from anls_frame.frames.number_columns import with_numbers
from anls_frame.frames.strict_json import Number
from anls_frame.metrics.accuracies import contains_answer, relaxed_accuracy, vqa_accuracy
from anls_frame.metrics.distances import levenshtein
from anls_frame.metrics.scores import anls, cer, exact_match, nls
from anls_frame.protocol import PROTOCOLS
from anls_frame.readers.log_names import member

_MOST_DIGITS = 15
_METRICS = ("anls", "nls", "cer", "exact_match", "score", "eval_score")
_TEXTS = ("prediction", "answers")
_LONGER = pl.max_horizontal(pl.col(name).str.len_chars() for name in _TEXTS)
"""The length of the longer text, as it is."""

_Rule: TypeAlias = Callable[[pl.DataFrame], pl.Series]


def _distances(distance: pl.Expr, over_answers: Callable[[pl.Expr], pl.Expr]) -> _Rule:
    def distances(frame: pl.DataFrame) -> pl.Series:
        row = pl.int_range(pl.len()).alias("row")
        pairs = frame.select(row, *_TEXTS).explode("answers", empty_as_null=True, keep_nulls=True)
        scored = pairs.select("row", distance.alias("distance"))
        return scored.group_by("row", maintain_order=True).agg(over_answers(pl.col("distance")))["distance"]

    return distances


def _mean_distance(protocol: str) -> _Rule:
    # 1 - (1 - d / L) may differ from d / L, but only in the last digit.
    return _distances(1 - nls(*_TEXTS, protocol=protocol), pl.Expr.mean)


def _row(make: Callable[..., pl.Expr], **options: Any) -> _Rule:
    return lambda frame: frame.select(make(*_TEXTS, **options).cast(pl.Float64)).to_series()


def _by_protocol(make: Callable[..., pl.Expr], *protocols: str) -> dict[str, _Rule]:
    return {f"{make.__name__}, protocol {name}": _row(make, protocol=name) for name in protocols}


def _contains_by_data_set(frame: pl.DataFrame) -> pl.Series:
    """Return the containment of OCRBench's own code, which has a special rule for formulas."""
    rules = [contains_answer(*_TEXTS, **_FORMULAS), contains_answer(*_TEXTS)]
    is_formula = pl.col(_DATA_SET) == "HME100k"
    return frame.select(pl.when(is_formula).then(rules[0]).otherwise(rules[1])).to_series()


_DATA_SET = "dataset_name"
_FORMULAS: dict[str, Any] = {"ignore_case": False, "spaces": "remove"}


CANDIDATES: dict[str, _Rule] = {
    **_by_protocol(anls, *(name for name, own in PROTOCOLS.items() if own.threshold is not None)),
    **_by_protocol(nls, "anls", "rrc", "anls_star", "raw"),
    **_by_protocol(cer, "raw", "jiwer"),
    "1 - nls, protocol raw": _distances(levenshtein(*_TEXTS) / _LONGER.clip(lower_bound=1), pl.Expr.min),
    **_by_protocol(exact_match, "anls", "raw"),
    "mean distance over the answers, protocol rrc": _mean_distance("rrc"),
    "mean distance over the answers, protocol anls_star": _mean_distance("anls_star"),
    "relaxed_accuracy, as ChartQA in pix2struct and lmms-eval": _row(relaxed_accuracy),
    "relaxed_accuracy, as ChartQA in VLMEvalKit: predictions stripped": _row(relaxed_accuracy, strip=True),
    "contains_answer, as OCRBench, in lmms-eval to 2026-07-29": _row(contains_answer),
    "contains_answer, as OCRBench in lmms-eval from 2026-07-30: full width folded": _row(
        contains_answer, fold_width=True
    ),
    "contains_answer, as OCRBench's formulas, in lmms-eval from 2026-04-10": _row(
        contains_answer, **_FORMULAS
    ),
}
_OF_PEOPLE = {
    f"vqa_accuracy, processing {processing}, mean {mean}": _row(
        vqa_accuracy, processing=processing, mean=mean
    )
    for processing in ("evalai", "vqa", "vqa_always", "vlmevalkit")
    for mean in ("exact", "sum", "numpy")
}
"""Rules for questions with the answers of several people."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoringRules:
    """
    The scoring rules, by how well they reproduce the scores of a harness.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame(
    ...     {"prediction": ["Coca Cola", "4"], "answers": [["coca cola"], ["5"]], "acc": [1, 0]}
    ... )
    >>> af.readers.scoring_rules(df, "acc").are_reproduced
    True
    """

    name: str
    """The scores: a column, a file or a mean."""
    is_mean: bool
    """Whether they are one mean, not a score for each row."""
    are_truth_values: bool
    """Whether all are 0 or 1; then each rule is also cut at the threshold that fits best."""
    digits: int
    """The number of decimals with which they are written."""
    rules: pl.DataFrame
    """
    A row for each rule, the best first: `rule`; `scale`, 100 if the scores are percentages; how many rows are
    `differing` of those `compared`; whether it gives the scores to the last bit (`exact`); its `mean`.
    """
    rows: pl.DataFrame
    """The rows in which the best rule differs: id, texts, the `harness`' score and the one `computed`."""

    @property
    def are_reproduced(self) -> bool:
        """Whether a rule reproduces all scores, to the last written digit."""
        return self.rows.is_empty()

    @property
    def reproducing(self) -> pl.DataFrame:
        """The rules that reproduce all scores."""
        return self.rules.filter(differing=0)


def scoring_rules(frame: Any, against: str) -> ScoringRules:
    """
    Find the rule by which a harness scored its rows.

    Parameters
    ----------
    frame
        The standard frame of the harness's file, as a reader of this package returns it, in Polars, pandas or
        Arrow. Null predictions count as empty strings.
    against
        The scores of the harness: a column of the frame; a file (the results of PyPI anls, lmms-eval or the
        LM evaluation harness, or a table of ids and scores); or their mean, as written.

    Returns
    -------
    ScoringRules
        The rules, the best first. Truth values that no rule reproduces are also compared with the scores of
        each rule at or above a threshold.

    Raises
    ------
    ValueError
        If the scores do not exist, or are not finite.
    DTypeError
        If the scores are not numbers.
    InputError
        If the file of scores has problems, or has scores of rows that are not in the frame.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame(
    ...     {"prediction": ["Cola", "4"], "answers": [["Coca Cola"], ["5"]], "cer": [0.56, 1.0]}
    ... )
    >>> af.readers.scoring_rules(df, "cer").reproducing["rule"][0]
    'cer, protocol raw'
    """
    frame = in_polars(frame).lazy().collect()
    theirs = _given_scores(frame, against)
    texts = frame.with_columns(pl.col("prediction").fill_null(""))
    have_people = texts.select((pl.col("answers").list.len() > 1).any()).item()
    candidates = CANDIDATES | (_OF_PEOPLE if have_people else {})
    if _DATA_SET in texts.columns:
        candidates["contains_answer, as OCRBench's own code: formulas apart"] = _contains_by_data_set
    computed = {rule: make(texts) for rule, make in candidates.items()}
    compared = [_compared(rule, ours, texts, theirs) for rule, ours in computed.items()]
    if theirs.are_truth_values and all(line["differing"] for line, _ in compared):
        cut = [_from_threshold(rule, ours, theirs.values) for rule, ours in computed.items()]
        compared += [_compared(*rule, texts, theirs) for rule in cut if rule is not None]
    compared.sort(key=lambda result: (result[0]["differing"], not result[0]["exact"]))
    return ScoringRules(
        name=theirs.name,
        is_mean=theirs.is_mean,
        are_truth_values=theirs.are_truth_values,
        digits=theirs.digits,
        rules=pl.DataFrame([line for line, _ in compared]),
        rows=compared[0][1],
    )


class _HarnessScores(NamedTuple):
    """The score of each row (null without a score), or a single mean."""

    name: str
    values: pl.Series
    is_mean: bool
    are_truth_values: bool
    """Whether all are 0 or 1: truth values, which say of each row whether it is right."""
    digits: int
    """Number of decimals in the given scores."""
    scale: int
    """100 if they are percentages, otherwise 1."""


def _from_threshold(rule: str, ours: pl.Series, theirs: pl.Series) -> tuple[str, pl.Series] | None:
    """Return the rule that rows are right at or above the best threshold, and its value for each row."""
    is_lower_better = rule.startswith(("cer", "1 - ", "mean distance"))
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
    """Return the number above `low` and up to `high` with the fewest decimals."""
    for digits in range(_MOST_DIGITS):
        number = float(Decimal(repr(high)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_FLOOR))
        if low is None or number > low:
            return number
    return high


def _compared(
    rule: str, ours: pl.Series, frame: pl.DataFrame, theirs: _HarnessScores
) -> tuple[dict[str, Any], pl.DataFrame]:
    """Return the line of a rule, and the rows in which it differs from the harness."""
    computed = ours.to_frame("computed")
    if theirs.is_mean:
        rows = computed.select(pl.col("computed").mean()).with_columns(harness=pl.lit(theirs.values[0]))
    else:
        shown = [name for name in ("question_id", "prediction", "answers") if name in frame.columns]
        rows = frame.select(shown).with_columns(theirs.values.alias("harness"), computed["computed"])
        rows = rows.filter(pl.col("harness").is_not_null())
    rows = rows.with_columns(pl.col("computed") * theirs.scale)
    rounding = 0.0 if theirs.are_truth_values else 0.5 * 10.0**-theirs.digits
    slack = rounding * (1 + 1e-9) + 1e-12
    is_near = ((pl.col("computed") - pl.col("harness")).abs() <= slack).fill_null(value=False)
    is_equal = (rows["computed"] == rows["harness"]).fill_null(value=False)
    differing = rows.filter(~is_near)
    line = {
        "rule": rule,
        "scale": theirs.scale,
        "differing": differing.height,
        "compared": rows.height,
        "exact": bool(is_equal.all()),
        "mean": ours.mean(),
    }
    return line, differing


def _given_scores(frame: pl.DataFrame, given: str) -> _HarnessScores:
    """Return the scores identified by the name of a column, a file or a number."""
    if given in frame.columns:
        return _scores(f"column {quoted(given)}", frame[given])
    try:
        float(given)
    except ValueError:
        pass
    else:
        return _scores(given, pl.Series("mean", [given]), is_mean=True)
    file = File(given)
    if not file.path.exists():
        names = listed([quoted(name) for name in frame.columns], 30)
        wanted = f"must be a column of the file ({names}), a number or a file, got {given!r}"
        raise wrong("against", wanted)
    return _from_file(frame, file)


def _from_file(frame: pl.DataFrame, file: File) -> _HarnessScores:
    if file.format() == "json":
        value = raw_tables.read_whole(file, file.read_json())
        samples = member(value, "per_sample_result")
        if isinstance(samples, dict):  # PyPI anls
            by_id = {key: member(sample, "score") for key, sample in samples.items()}
            return _by_id(frame, file, "score", by_id)
        means = _means(member(value, "results"))
        if len(means) == 1:  # lmms-eval, lm-evaluation-harness
            [(name, text)] = means.items()
            return _scores(f"{name} of {file} {text}", pl.Series(name, [text]), is_mean=True)
        if means:
            among = listed([f"{name} = {text}" for name, text in means.items()])
            raise problem(file, f"holds several means; give the number itself: {among}")
    problems, raw = Problems(file), read_columns(file)
    chosen = standard_frames.choose(raw, {}, (), problems)
    ids = chosen.get("question_id", chosen.get("doc_id"))  # harnesses number questions in doc_id
    metrics = [name for name in raw.names if name.casefold() in _METRICS]
    if len(metrics) != 1 or ids is None:
        names = listed([quoted(name) for name in raw.names])
        what = f"a column of ids and exactly one of {listed([*_METRICS])}"
        raise problem(file, f"must be a table with {what}; it has {names}")
    column = raw_tables.texts(ids, raw.column(ids), problems, raw.place)
    standard_frames.check_ids(column, problems, raw.place)
    problems.raise_any()
    return _by_id(frame, file, metrics[0], dict(zip(column, raw.column(metrics[0]), strict=True)))


def _by_id(frame: pl.DataFrame, file: File, name: str, scores: dict[str, Any]) -> _HarnessScores:
    """Return the scores of a column of a file, by id."""
    if "question_id" not in frame.columns:
        no_ids = "scores rows by id, but the results have no ids; name their column with "
        raise problem(file, Message(no_ids, Option("question_id", ...)))
    unknown = scores.keys() - set(frame["question_id"].to_list())
    if unknown:
        raise problem(
            file, f"scores {len(unknown):,} questions that the results do not have: {listed(sorted(unknown))}"
        )
    texts = {key: None if value is None else str(value) for key, value in scores.items()}
    try:
        with_numbers(pl.DataFrame({name: texts.values()}, schema={name: pl.String}), [name]).collect()
    except DTypeError as error:
        raise DTypeError(f"{file}: {error}") from None
    return _scores(str(file), pl.Series("score", map(texts.get, frame["question_id"]), dtype=pl.String))


def _scores(name: str, written: pl.Series, *, is_mean: bool = False) -> _HarnessScores:
    """Return scores, which may be numbers, truth values, or texts of either."""
    read = with_numbers(written.to_frame().lazy(), [written.name]).collect().to_series()
    # Polars may take its own name for a pattern.
    written, values = written.alias("score"), read.cast(pl.Float64).alias("score")
    if values.null_count() == len(values):
        raise ValueError(f"{name} holds no scores")
    if not values.drop_nulls().is_finite().all():
        raise ValueError(f"{name} must hold finite numbers")
    digits = 0 if read.dtype == pl.Boolean else max(map(_decimals, written.drop_nulls().cast(pl.String)))
    # Some harnesses write percentages; no character error rate is as high as these.
    scale = 100 if (values.max() or 0) > (1 if is_mean else 20) else 1  # type: ignore[operator]
    are_truth_values = not is_mean and bool(values.drop_nulls().is_in([0.0, 1.0]).all())
    return _HarnessScores(name, values, is_mean, are_truth_values, digits, scale)


def _decimals(text: str) -> int:
    """Return the number of decimals with which a number is written."""
    return min(max(-int(Decimal(text).as_tuple().exponent), 0), _MOST_DIGITS)


def _means(results: Any) -> dict[str, str]:
    """Return the means of known metrics, by task and metric: `{"docvqa_val": {"anls,none": 0.76}}`."""
    means = {}
    for task, metrics in results.items() if isinstance(results, dict) else ():
        for name, value in metrics.items() if isinstance(metrics, dict) else ():
            if name.partition(",")[0] in _METRICS and isinstance(value, Number):
                means[f"{task} {name}"] = str(value)
    return means

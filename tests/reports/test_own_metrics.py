"""Own metrics in reports and comparisons, held against plain means and ratios of pandas and scipy."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import pandas as pd
import polars as pl
import pytest
import report_oracle
import scipy.stats
import shell
from hypothesis import given
from hypothesis import strategies as st

import anls_frame as af
import anls_frame.pandas

ENDS = ("", "_low", "_high")


def word_error_rate(prediction: str, answers: str | list[str]) -> float:
    answers = [answers] if isinstance(answers, str) else answers
    return min(jiwer.wer(answer or " ", prediction) if answer.strip() else 1.0 for answer in answers)


def same_length(prediction: pl.Expr, answers: pl.Expr) -> pl.Expr:
    accepted = answers.list.drop_nulls()
    lengths = accepted.list.eval(pl.element().str.len_chars())
    return pl.when(accepted.list.len() > 0).then(lengths.list.contains(prediction.str.len_chars()))


SAMPLE = (
    af.sample()
    .with_row_index("row")
    .select(
        "row",
        "answers",
        prediction="tesseract",
        other="rapidocr",
        types="question_types",
        doc="doc_id",
        words=pl.col("tesseract").fill_null("").str.split(" ").list.len(),
        seconds=pl.when(pl.col("row") % 11 > 0).then((pl.col("row") * 37 % 101) / 25),
        seen=pl.col("row") % 3 == 0,
        stamp=1.7e9 + pl.col("row").cast(pl.Float64) * 37 % 101,
    )[:200]
)
TEXTS = ("prediction", "answers")
METRICS: list[Any] = [
    *("anls", "exact_match", "cer_corpus"),
    af.Metric(same_length),
    (pl.col("words") * 2 - 1).alias("odd"),
    "seconds",
    "seen",
    af.Metric("stamp", label="time stamp"),
    af.Metric.of_texts(word_error_rate, name="jiwer_wer"),
    af.Metric("words", denominator=pl.col("row") + 1, name="words_per_row", higher_is_better=False),
]
NAMES = [
    *("anls", "exact_match", "cer_corpus", "same_length", "odd", "seconds", "seen", "stamp", "jiwer_wer"),
    "words_per_row",
]
OWN = NAMES[3:]


def plain(frame: pl.DataFrame = SAMPLE) -> pd.DataFrame:
    """Values of the rows, computed row by row; each row once for each of its types."""
    rows = []
    for row in frame.iter_rows(named=True):
        answers = [answer for answer in row["answers"] or [] if answer is not None]
        predicted = row["prediction"] or ""
        values: dict[str, Any] = dict.fromkeys(NAMES, math.nan)
        # What is not a function of the answers has a value without one too.
        values |= {"odd": 2 * row["words"] - 1, "seen": float(row["seen"]), "stamp": row["stamp"]}
        values["seconds"] = math.nan if row["seconds"] is None else row["seconds"]
        values |= {"up": row["words"], "down": row["row"] + 1}
        if answers:
            values["same_length"] = float(len(predicted) in map(len, answers))
            values["jiwer_wer"] = word_error_rate(predicted, answers)
        kinds = set(row["types"] or []) or {None}
        rows += [{**values, "row": row["row"], "type": kind or "none"} for kind in kinds]
    return pd.DataFrame(rows)


def expected(values: pd.DataFrame) -> dict[str, float]:
    means = {name: float(values[name].mean()) for name in OWN if name != "words_per_row"}
    return {**means, "words_per_row": float(values["up"].sum() / values["down"].sum())}


@pytest.fixture(scope="module")
def scored() -> pl.DataFrame:
    """The sample with a column for each metric."""
    texts = SAMPLE.with_columns(pl.col("prediction").fill_null(""))
    function = [
        None if not row["answers"] else word_error_rate(row["prediction"], row["answers"])
        for row in texts.iter_rows(named=True)
    ]
    return af.add_scores(texts, *TEXTS).with_columns(
        odd=pl.col("words") * 2 - 1,
        same_length=same_length(pl.col("prediction"), pl.col("answers")),
        jiwer_wer=pl.Series(function, dtype=pl.Float64),
    )


def check_near(found: Any, value: float) -> None:
    assert found == pytest.approx(value, rel=1e-11)


@pytest.mark.usefixtures("each_default_engine")
@pytest.mark.parametrize("cluster", [None, "doc"])
def test_report_is_that_of_group_means(cluster: str | None, scored: pl.DataFrame) -> None:
    made = af.report(SAMPLE, *TEXTS, metrics=METRICS, by="types", cluster=cluster)
    assert [metric.name for metric in made.measures] == NAMES
    figures = [f"{name}{end}" for name in NAMES for end in (*ENDS, *(["_n"] if name in OWN else []))]
    assert made.by_group.columns == [
        *("types", "n", "n_missing", "n_unanswerable", "n_empty_reference"),
        *figures,
        *("few_rows", "n_clusters"),
    ]
    assert any("time stamp" in note for note in made.to_document().notes)
    values = plain()
    whole = values.drop_duplicates("row")
    for name, value in expected(whole).items():
        check_near(made.overall[name], value)
    counts = {name: int(whole[name].count()) for name in OWN if name != "words_per_row"}
    assert {name: made.overall[f"{name}_n"] for name in counts} == counts
    for row in made.by_group.iter_rows(named=True):
        of_slice = values[values["type"] == (row["types"] or "none")]
        for name, value in expected(of_slice).items():
            check_near(row[name], value)
    for name in ("anls", "exact_match"):
        check_near(made.overall[name], scored[name].cast(pl.Float64).mean())  # type: ignore[arg-type]
    errors, length = scored["char_errors"].sum(), scored["reference_length"].sum()
    check_near(made.overall["cer_corpus"], errors / length)


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_intervals_are_those_of_the_numbers_as_a_column(cluster: str | None, scored: pl.DataFrame) -> None:
    made = af.report(SAMPLE, *TEXTS, metrics=METRICS, by="types", cluster=cluster)
    for name in OWN[:-1]:
        alone = af.report(scored, metrics=name, by="types", cluster=cluster)
        ends = [f"{name}{end}" for end in ENDS]
        found, expected = (one.to_polars().sort("types").select(ends) for one in (made, alone))
        report_oracle.check_close(found, expected)


FUNCTIONS = {
    "worst_rows": af.Metric(lambda p, _: p.str.len_chars(), name="chars", higher_is_better=False),
    "rate": af.Metric(
        lambda p, _: p.str.count_matches("a"),
        denominator=lambda p, _: p.str.len_chars(),
        name="letters",
    ),
    "column": af.Metric("s"),
}
ROW = st.fixed_dictionaries(
    {
        "p": st.none() | st.text("ab", max_size=4),
        "a": st.none() | st.text("ab", max_size=4),
        "s": st.none() | st.floats(-1e9, 1e9) | st.sampled_from([0.1, 1.0, 1e-30, 1.7e9]),
        "k": st.lists(st.sampled_from("xyz"), max_size=2),
        "d": st.integers(0, 3),
    }
)
SCHEMA: dict[str, Any] = {
    "p": pl.String, "a": pl.String, "s": pl.Float64, "k": pl.List(pl.String), "d": pl.Int64
}  # fmt: skip


@pytest.mark.usefixtures("each_default_engine")
@report_oracle.FEWER_EACH
@given(
    rows=st.lists(ROW, max_size=12),
    cuts=st.lists(st.integers(0, 12), min_size=2, max_size=2).map(sorted),
    order=st.permutations(range(3)),
    cluster=st.sampled_from([None, "d"]),
    first=st.sampled_from([*FUNCTIONS]),
)
def test_parts_make_the_whole(
    rows: list[dict[str, Any]], cuts: list[int], order: Sequence[int], cluster: str | None, first: str
) -> None:
    frame = pl.DataFrame(rows, schema=SCHEMA)
    metrics = [FUNCTIONS[first], *(one for name, one in FUNCTIONS.items() if name != first), "anls"]
    options: dict[str, Any] = {"metrics": metrics, "by": "k", "cluster": cluster, "worst": 3, "keep": "d"}
    if cluster is not None:
        options["keep"] = "a"
    whole = af.Report.from_summary(af.summarize(frame, "p", "a", **options))
    parts = [frame[: cuts[0]], frame[cuts[0] : cuts[1]], frame[cuts[1] :]]
    loaded = [
        af.Summary.from_bytes(af.summarize(parts[place], "p", "a", **options).to_bytes()) for place in order
    ]
    merged = af.Report.from_summary(af.merge(loaded))
    report_oracle.check_close(merged.to_polars(), whole.to_polars())
    assert merged.worst.equals(whole.worst)
    assert merged.settings == whole.settings
    streamed = af.report(pl.concat([part.lazy() for part in parts]), "p", "a", **options)
    report_oracle.check_close(streamed.to_polars(), whole.to_polars())
    assert streamed.settings["digest"] == whole.settings["digest"]
    if cluster is not None:
        folded = [
            af.Summary.from_bytes(
                af.summarize(frame.filter(pl.col("d") == doc), "p", "a", **options).fold_clusters().to_bytes()
            )
            for doc in (2, 0, 3, 1)
        ]
        report_oracle.check_close(af.Report.from_summary(af.merge(folded)).to_polars(), whole.to_polars())


@pytest.mark.usefixtures("each_default_engine")
@pytest.mark.parametrize("mean", [1.7e9, 4e4, 1e12])
@pytest.mark.parametrize("with_texts", [True, False])
def test_mean_far_above_its_spread_has_its_interval(mean: float, *, with_texts: bool) -> None:
    values = mean + np.random.default_rng(3).standard_normal(200)
    frame = pl.DataFrame({"s": values, "p": ["a"] * 200})
    texts = ("p", "p") if with_texts else ()
    made = af.report(frame, *texts, metrics=["s"]).overall
    low, high = scipy.stats.t.interval(0.95, 199, values.mean(), scipy.stats.sem(values))
    assert made["s"] == pytest.approx(values.mean(), rel=1e-15)
    grain = 4 * np.spacing(mean)
    assert made["s_high"] - made["s_low"] == pytest.approx(high - low, rel=1e-5, abs=grain)
    assert made["s_low"] == pytest.approx(low, rel=0, abs=grain + 1e-5 * (high - low))


SYSTEMS = {"old": "prediction", "new": "other"}


@pytest.mark.usefixtures("each_default_engine")
@pytest.mark.parametrize("cluster", [None, "doc"])
@pytest.mark.parametrize("kind", ["function", "texts"])
def test_comparison_is_that_of_columns(kind: str, cluster: str | None) -> None:
    frame = SAMPLE[:200].filter(pl.col("answers").list.len() > 0)
    metric = (
        af.Metric(same_length, name="m", higher_is_better=False)
        if kind == "function"
        else af.Metric.of_texts(word_error_rate, name="m", higher_is_better=False)
    )
    for name, column in SYSTEMS.items():
        text = pl.col(column).fill_null("")
        if kind == "function":
            frame = frame.with_columns(same_length(text, pl.col("answers")).alias(name))
        else:
            pairs = zip(frame.select(text)[column], frame["answers"].to_list(), strict=True)
            frame = frame.with_columns(pl.Series(name, [word_error_rate(p, a) for p, a in pairs]))
    options: dict[str, Any] = {"by": "types", "cluster": cluster, "draws": 200}
    made = af.compare(frame, SYSTEMS, "answers", metrics=metric, **options)
    columns = af.Metric({"old": "old", "new": "new"}, name="m", higher_is_better=False)
    of_columns = af.compare(frame, {"old": "old", "new": "new"}, None, metrics=columns, **options)
    beside = af.compare(frame, SYSTEMS, "answers", metrics=columns, **options)
    report_oracle.check_close(made.to_polars(), of_columns.to_polars())
    report_oracle.check_close(made.to_polars(), beside.to_polars())
    old, new = (frame[name].cast(pl.Float64).to_numpy() for name in SYSTEMS)
    found = made.overall.row(0, named=True)
    assert (found["wins"], found["losses"]) == (int((new < old).sum()), int((new > old).sum()))
    assert found["difference"] == pytest.approx(new.mean() - old.mean(), rel=1e-12)
    assert "Lower is better." in made.to_document().notes
    assert made.plot().get_xlabel() == "m, lower is better"


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_comparison_of_ratios_is_that_of_corpus_cer(cluster: str | None) -> None:
    frame = SAMPLE[:200].with_columns(pl.col(*SYSTEMS.values()).fill_null(""))
    frame = frame.filter(pl.col("answers").list.drop_nulls().list.len() > 0)
    for name, column in SYSTEMS.items():
        parts = af.score(column, "answers").struct
        frame = frame.with_columns(
            parts.field("char_errors").alias(f"{name}_up"),
            parts.field("reference_length").alias(f"{name}_down"),
        )
    rate = af.Metric(
        {name: f"{name}_up" for name in SYSTEMS},
        denominator={name: f"{name}_down" for name in SYSTEMS},
        name="errors",
        higher_is_better=False,
    )
    options: dict[str, Any] = {"by": "types", "cluster": cluster, "draws": 200}
    corpus = af.compare(frame, SYSTEMS, "answers", metrics="cer_corpus", **options)
    for answers in ("answers", None):
        made = af.compare(frame, SYSTEMS, answers, metrics=rate, **options)
        assert made.to_polars().drop("metric").equals(corpus.to_polars().drop("metric"))


@pytest.mark.parametrize("better", [True, False])
@pytest.mark.parametrize("metric", ["seconds", "stamp", "jiwer_wer", "words_per_row"])
def test_worst_rows_are_those_of_the_first_metric(metric: str, *, better: bool, scored: pl.DataFrame) -> None:
    by_name: dict[str, Any] = {
        "seconds": af.Metric("seconds", higher_is_better=better),
        "stamp": af.Metric("stamp", higher_is_better=better),
        "jiwer_wer": af.Metric.of_texts(word_error_rate, name="jiwer_wer", higher_is_better=better),
        "words_per_row": af.Metric(
            "words", denominator=pl.col("row") + 1, name="words_per_row", higher_is_better=better
        ),
    }
    made = af.report(SAMPLE, *TEXTS, metrics=[by_name[metric], "anls"], worst=17, keep=["row", "other"])
    rows = scored.with_columns(words_per_row=pl.col("words") / (pl.col("row") + 1)).drop_nulls(metric)
    ordered = rows[metric].sort(descending=not better)[:17].to_list()
    assert made.worst[metric].to_list() == pytest.approx(ordered, rel=1e-15)
    traced = made.worst.select("row", metric, "other", "prediction").join(
        scored.with_columns(words_per_row=pl.col("words") / (pl.col("row") + 1)), on="row", how="left"
    )
    assert traced[metric].to_list() == pytest.approx(traced[f"{metric}_right"].to_list(), rel=1e-15)
    assert traced["other"].equals(traced["other_right"].alias("other"))
    assert traced["prediction"].fill_null("").to_list() == traced["prediction_right"].to_list()


@pytest.mark.parametrize("with_texts", [True, False])
@pytest.mark.parametrize("dtype", [pl.Int64, pl.String, pl.Categorical, pl.List(pl.Int64)])
def test_ties_of_worst_rows_are_broken_by_what_is_kept(dtype: Any, *, with_texts: bool) -> None:
    ids = pl.Series("id", [[n] for n in range(40)]) if dtype == pl.List(pl.Int64) else pl.Series(range(40))
    ids = ids if dtype == pl.List(pl.Int64) else ids.cast(pl.String).cast(dtype)
    frame = pl.DataFrame({"p": ["x"] * 40, "t": ["abc"] * 40, "s": [0.5] * 40, "id": ids})
    texts = ("p", "t") if with_texts else ()
    options: dict[str, Any] = {"metrics": "s", "worst": 7, "keep": ["id"]}
    whole = af.report(frame, *texts, **options).worst
    assert whole["id"].n_unique() == whole.height == 7
    for seed in range(2):
        shuffled = frame.sample(fraction=1, shuffle=True, seed=seed)
        parts = [af.summarize(shuffled[start : start + 13], *texts, **options) for start in range(0, 40, 13)]
        loaded = [af.Summary.from_bytes(part.to_bytes()) for part in reversed(parts)]
        assert af.Report.from_summary(af.merge(loaded)).worst.equals(whole)


@pytest.mark.parametrize("keep", ["anls", "prediction", "s", "answers"])
def test_kept_columns_that_are_there_already_are_refused(keep: str) -> None:
    frame = pl.DataFrame(
        {"prediction": ["a"], "answers": ["a"], "anls": [1.0], "s": [0.5], "k": ["x"], "d": ["y"]}
    )
    with pytest.raises(ValueError, match=f"'{keep}'.* would collide"):
        af.report(frame, *TEXTS, metrics=["anls", "s"], by="k", cluster="d", worst=1, keep=[keep])


def test_slices_of_few_rows_are_left_out_and_counted() -> None:
    frame = pl.DataFrame(
        {"s": [0.5] * 9 + [None], "k": ["a"] * 5 + ["b"] * 2 + ["c"] * 2 + ["d"], "l": ["u"] * 10}
    )
    made = af.report(frame, metrics="s", by=["k", "l"])
    document = made.to_document(min_n=3)
    assert document.main.frame.select("k", "n").rows() == [(None, 9), ("a", 5)]
    assert "3 slices of fewer than 3 rows left out." in document.notes
    assert "3 slices of fewer than 3 rows left out." in made.to_text(min_n=3)
    assert made.by_group.height == 4
    assert not any("rows left out" in note for note in made.to_document().notes)
    several = af.report(frame, metrics="s", by=[["k"], ["l"]]).to_document(min_n=3)
    assert [table.frame.height for table in several.tables] == [2, 2]
    assert several.single.frame.height == 3
    with pytest.raises(ValueError, match="min_n must be"):
        made.to_text(min_n=-1)


def test_names_and_titles_are_headings() -> None:
    frame = pl.DataFrame({"p": ["a"], "t": ["a"], "k": ["x"]})
    made = af.report(frame, "p", "t", by="k")
    named: dict[str, Any] = {"name": "tesseract 5"}
    assert made.to_document(**named).title == "Scores of tesseract 5 by k"
    assert made.to_text(**named).startswith("Scores of tesseract 5 by k\n")
    comparison = af.compare(frame, {"old": "p", "new": "t"}, "t")
    slices = af.find_slices(frame.vstack(frame.with_columns(k=pl.lit("y"))), "p", "t")
    for result, options in ((made, {}), (made, named), (comparison, {}), (slices, {})):
        titled = {"title": "Weekly run", **options}
        assert result.to_document(**titled).title == "Weekly run"
        assert result.to_text(**titled).startswith("Weekly run\n")
        assert "Weekly run" in result.to_gt(**titled).as_raw_html()


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "above": (lambda: af.Metric("s", bounds=(0, 1)), r"metric 's' must be in \[0, 1\], got 1.5 in row 1 "),
    "below": (
        lambda: af.Metric("t", bounds=(0, None)), r"metric 't' must be in \[0, ∞\), got -1.0 in row 0 "
    ),
    "open below": (
        lambda: af.Metric("s", bounds=(None, 1)),
        r"metric 's' must be in \(-∞, 1\], got 1.5 in row 1 \(counted from 0\)$",
    ),
    "NaN": (
        lambda: pl.col("nan").abs().alias("m"),
        r"metric 'm' must be finite, got nan in row 2 \(counted from 0\); drop or fill",
    ),
    "infinite": (
        lambda: (pl.col("s") / 0).alias("m"), r"metric 'm' must be finite, got inf in row 0 .* in 2 more"
    ),
    "parts": (
        lambda: af.Metric("one", denominator="s", name="m"),
        r"metric 'm' \(one / s\) must divide .* by whole .*, got 1.0 and 0.5 in row 0 .* wrong in 1 more",
    ),
    "negative": (
        lambda: af.Metric("one", denominator="t", name="m"),
        r"metric 'm' \(one / t\) must divide .*, got 1.0 and -1.0 in row 0 \(counted from 0\)$",
    ),
    "ratio": (
        lambda: af.Metric("two", denominator="one", name="m", bounds=(0, 1)),
        r"whole numbers of at least 0 with a ratio in \[0, 1\], got 2.0 and 1.0 in row 0 .* in 2 more",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["polars", "pandas", "arrow", "csv", "jsonl", "parquet"])
def test_nan_is_a_score_that_is_missing(tmp_path: Path, kind: str) -> None:
    frame = pl.DataFrame({"k": ["x", "y", "y", "y"], "s": [0.5, math.nan, None, 1.0]})
    if kind in {"csv", "jsonl", "parquet"}:
        path = tmp_path / f"rows.{kind}"
        if kind == "jsonl":  # Polars writes null, Python NaN
            path.write_text("".join(f"{json.dumps(row)}\n" for row in frame.to_dicts()))
        else:
            getattr(frame, f"write_{kind}")(path)
        done = shell.fine(shell.run(tmp_path, "report", path.name, "-m", "s", "-b", "k", "--json"))
        overall, *slices = json.loads(done)["tables"]["By k"]
        assert (overall["s"], overall["n"], overall["n_missing"]) == (0.75, 2, 2)
        assert [(row["k"], row["s"], row["n"]) for row in slices] == [("x", 0.5, 1), ("y", 1.0, 1)]
        return
    given: Any = {"polars": frame, "pandas": frame.to_pandas(), "arrow": frame.to_arrow()}[kind]

    report = af.report(given, metrics="s", by="k")

    assert (report.overall["s"], report.overall["n"]) == (0.75, 2)
    assert pl.DataFrame(report.by_group).select("k", "s", "n").rows() == [("x", 0.5, 1), ("y", 1.0, 1)]


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("by", [None, "k"])
def test_wrong_values_are_errors_that_name_metric_value_and_row(case: str, by: str | None) -> None:
    make, message = WRONG[case]
    frame = pl.DataFrame(
        {
            "p": ["a"] * 3,
            "s": [0.5, 1.5, 1.0],
            "t": [-1.0, 0.0, 3.0],
            "nan": [0.5, None, math.nan],
            "one": [1, 1, 1],
            "two": [2, 2, 2],
            "k": ["x", "y", "y"],
        }
    )
    for texts in ((), ("p", "p")):
        with pytest.raises(ValueError, match=message):
            af.report(frame, *texts, metrics=[make()], by=by)


def test_wrong_values_of_compared_systems_are_named() -> None:
    frame = pl.DataFrame({"a": [0.5, 1.0, 1.0], "b": [1.0, 0.5, 1.5]})
    metric = af.Metric({"x": "a", "y": "b"}, name="m", bounds=(0, 1))
    with pytest.raises(ValueError, match=r"metric 'm' \(b\) must be in \[0, 1\], got 1.5 in row 2 \(counted"):
        af.compare(frame, {"x": "a", "y": "b"}, None, metrics=metric)


MADE: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "texts": (lambda: "k", af.DTypeError, "column 'k' must hold numbers, got 'x' in row 0"),
    "no expression": (
        lambda: af.Metric(lambda _, __: 3, name="m"),  # type: ignore[arg-type,return-value]
        TypeError,
        "function of metric 'm' must return an expression, got int; .* use Metric.of_texts",
    ),
    "no name": (lambda: af.Metric(lambda p, _: p), ValueError, "a metric needs a name: pass name="),
    "a name of a count": (lambda: af.Metric("s", name="n"), ValueError, "'n' is taken"),
    "a name of an interval": (lambda: ["anls", af.Metric("s", name="anls_low")], ValueError, "is taken"),
    "a name of its count": (lambda: ["s", af.Metric("s", name="s_n")], ValueError, "'s_n' is taken"),
    "twice": (lambda: ["anls", "anls"], ValueError, "'anls' is taken"),
    "set and one of it": (lambda: ["qa", "nls"], ValueError, "'nls' is taken"),
    "lambdas of one name": (
        lambda: [af.Metric(lambda p, _: p.str.len_chars(), name="m") for _ in range(2)],
        ValueError,
        "'m' is taken",
    ),
    "a number as a name": (
        lambda: af.Metric("score", name=5),  # type: ignore[arg-type]
        TypeError,
        "name must be the name of the metric, got int",
    ),
    "nothing": (list, ValueError, "metrics must name at least one metric"),
    "unknown": (lambda: "bleu", ValueError, "a column of scores, or a Metric, got 'bleu'"),
    "number": (lambda: 3, TypeError, "a metric must be a function .*, got 3"),
    "bounds": (lambda: af.Metric("s", bounds=(1, 0)), ValueError, "bounds must be a pair of numbers"),
    "format": (
        lambda: af.Metric("s", format="x"),  # type: ignore[arg-type]
        ValueError,
        "format must be one of",
    ),
    "no column": (lambda: af.Metric("none"), af.exceptions.ColumnNotFoundError, "no column 'none'"),
    # The streaming engine takes the rows in any order.
    "a function that returns texts": (
        lambda: af.Metric.of_texts(lambda _, __: "x", name="m"),  # type: ignore[arg-type,return-value]
        TypeError,
        "must return a number or None, got 'x' for prediction '[ab]'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MADE)
def test_metrics_that_cannot_be_are_refused(case: str) -> None:
    make, error, message = MADE[case]
    frame = pl.DataFrame({"p": ["a", "b"], "s": [0.5, 1.0], "k": ["x", "y"]})
    with pytest.raises(error, match=message):
        af.report(frame, "p", "p", metrics=make())


def test_functions_of_texts_need_texts() -> None:
    frame = pl.DataFrame({"s": [0.5]})
    for metric in (af.Metric(same_length), af.Metric.of_texts(word_error_rate)):
        with pytest.raises(ValueError, match="is a function of texts: pass the columns prediction and answ"):
            af.report(frame, metrics=metric)


@pytest.mark.parametrize(
    ("values", "bounds"),
    [
        ([0.0, 1.0], (0, 1)),
        ([0.2, 0.3], (0, 1)),
        ([0.0, 1.5], (0, None)),
        ([-0.5, 1.0], (None, None)),
        ([None], (0, None)),
    ],
)
def test_bounds_follow_from_the_scores(values: list[float], bounds: tuple[Any, Any]) -> None:
    frame = pl.DataFrame({"s": pl.Series(values, dtype=pl.Float64)})
    assert af.report(frame, metrics="s").measures[0].bounds == bounds


def test_a_column_of_an_error_rate_has_its_interval_whether_or_not_a_row_is_above_1() -> None:
    texts = pl.DataFrame(
        {
            "p": ["abcd", "abxd", "axxd", "abcd", "xbcd"] * 8,
            "a": ["abcd", "abcd", "abcd", "abcd", "abcd"] * 8,
            "doc": [row // 4 for row in range(40)],
        }
    )
    above = pl.DataFrame({"p": ["abcd and more"], "a": ["abcd"], "doc": [40]})
    for rows in (texts, pl.concat([texts, above])):
        rated = af.add_scores(rows, "p", "a", columns=["cer"])
        assert (rated["cer"].max() > 1) is (rows.height > texts.height)
        built_in = af.report(rows, "p", "a", metrics="cer_mean", cluster="doc").overall
        column = af.report(rated, metrics="cer", cluster="doc")
        assert column.measures[0].bounds == (0, None)
        for end in ("", "_low", "_high"):
            assert column.overall[f"cer{end}"] == pytest.approx(built_in[f"cer_mean{end}"], rel=1e-9)
    # The direction that is given comes before the name.
    turned = af.report(rated.head(40), metrics=af.Metric("cer", higher_is_better=True))
    assert turned.measures[0].bounds == (0, 1)


@pytest.mark.parametrize("highest", [0.004, 0.49, 0.5, 1.0])
def test_a_note_asks_for_the_bounds_of_scores_that_may_be_amounts(highest: float) -> None:
    scores = [0.001, 0.002, 0.003, highest] * 30
    frame = pl.DataFrame({"usd": scores, "other": scores[::-1]})
    amount: dict[str, Any] = {"bounds": (0, None)}
    both = {"a": "usd", "b": "other"}

    made = {
        "share": (
            af.report(frame, metrics="usd"),
            af.compare(frame, ["a", "b"], metrics=af.Metric(both, name="usd")),
        ),
        "amount": (
            af.report(frame, metrics=af.Metric("usd", **amount)),
            af.compare(frame, ["a", "b"], metrics=af.Metric(both, name="usd", **amount)),
        ),
    }
    said = {
        kind: [any("usd counts as a share" in note for note in one.to_document().notes) for one in results]
        for kind, results in made.items()
    }
    assert said == {"share": [highest < 0.5] * 2, "amount": [False] * 2}
    if highest < 0.5:
        assert f"The highest is {highest:g}: if they are amounts, pass Metric(..., bounds=(0, None))" in str(
            made["share"][0]
        )
        widths = {
            kind: results[0].overall["usd_high"] - results[0].overall["usd_low"]
            for kind, results in made.items()
        }
        assert widths["amount"] < widths["share"]


def test_wins_of_a_ratio_are_those_of_single_rows_and_a_note_says_so() -> None:
    # Over all rows, a costs 12 / 3 = 4 for a right answer and b 8 / 4 = 2, but a is cheaper in three rows.
    frame = pl.DataFrame(
        {"a": [1, 1, 1, 9], "a_right": [1, 1, 0, 1], "b": [2, 2, 2, 2], "b_right": [1, 1, 1, 1]}
    )
    cost = af.Metric(
        {"a": "a", "b": "b"},
        denominator={"a": "a_right", "b": "b_right"},
        name="cost",
        bounds=(0, None),
        higher_is_better=False,
    )
    made = af.compare(frame, ["a", "b"], metrics=cost)

    found = made.to_polars().row(0, named=True)
    assert (found["baseline_score"], found["score"]) == (4.0, 2.0)
    assert (found["wins"], found["ties"], found["losses"]) == (1, 0, 3)
    note = "Wins, ties and losses compare the ratios of single rows"
    assert [line for line in made.to_document().notes if line.startswith(note)]
    mean = af.Metric({"a": "a", "b": "b"}, name="usd", bounds=(0, None))
    assert not any(
        "ratios" in line for line in af.compare(frame, ["a", "b"], metrics=mean).to_document().notes
    )


@pytest.mark.parametrize(("value", "shown"), [(10**400, "inf"), (-(10**400), "-inf")])
def test_an_integer_that_is_too_large_for_a_float_is_an_error_that_names_the_row(
    value: int, shown: str
) -> None:
    frame = pl.DataFrame({"p": ["a", "b", "c"], "a": ["a", "b", "c"]})
    metric = af.Metric.of_texts(lambda text, _: value if text == "b" else 1, name="big", bounds=(None, None))

    with pytest.raises(ValueError, match=rf"metric 'big' must be finite, got {shown} in row 1 "):
        af.report(frame, "p", "a", metrics=metric)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_function_that_has_no_score_for_a_row_is_told_to_return_none(value: float) -> None:
    frame = pl.DataFrame({"p": ["a", "b", "c"], "q": ["a", "b", "c"], "a": ["a", "b", "x"]})

    def metric(missing: float | None) -> af.Metric:
        return af.Metric.of_texts(lambda text, a: missing if text == "b" else float(text == a), name="m")

    told = r"'m' must be finite, got (nan|inf) in row 1 .*; return null, or None for texts, in rows without"
    for call in (
        lambda one: af.report(frame, "p", "a", metrics=one),
        lambda one: af.compare(frame, ["p", "q"], "a", metrics=one),
        lambda one: af.summarize(frame, "p", "a", metrics=one),
    ):
        with pytest.raises(ValueError, match=told):
            call(metric(value))
    overall = af.report(frame, "p", "a", metrics=metric(None)).overall
    assert (overall["m"], overall["n"], overall["m_n"]) == (0.5, 3, 2)


@pytest.mark.parametrize("keep", ["lang", ["doc", "lang"], ["doc"]])
def test_a_column_that_slices_or_the_cluster_may_be_kept_as_well(keep: str | list[str]) -> None:
    frame = pl.DataFrame(
        {"p": ["a", "b", "c"], "a": ["a", "x", "x"], "lang": ["en", "de", "en"], "doc": ["1", "2", "3"]}
    )
    options: dict[str, Any] = {"by": "lang", "cluster": "doc", "worst": 2}

    kept = af.report(frame, "p", "a", keep=keep, **options)

    assert kept.worst.equals(af.report(frame, "p", "a", **options).worst)
    assert {"lang", "doc"} <= set(kept.worst.columns)


def test_an_expression_under_the_name_of_a_kept_column_is_still_a_collision() -> None:
    frame = pl.DataFrame({"p": ["a"], "a": ["x"], "lang": ["EN"]})

    with pytest.raises(ValueError, match="lang"):
        af.report(frame, "p", "a", by=pl.col("lang").str.to_lowercase(), keep="lang", worst=1)

"""Confidence and risk: frames of any kind, slices, several confidences, thresholds, what is refused."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import anls_frame as af
from anls_frame.reports.confidences import Selective
from anls_frame.statistics import RiskCoverage, difference_of_augrc

SURE, NOISY = "sure", "noisy"


def rows(documents: int = 80, seed: int = 0) -> pl.DataFrame:
    """Rows of documents whose losses fall with the first confidence; some have none."""
    random = np.random.default_rng(seed)
    document = np.repeat(np.arange(documents), random.integers(5, 15, documents))
    sure = random.random(len(document)).round(2)
    right = random.random(len(document)) < sure**0.3
    kinds = np.array(["form", "table", "fax"])[document % 3]
    return pl.DataFrame(
        {
            "doc": [f"d{one}" for one in document],
            "kind": kinds,
            "tags": [["a"] if place % 3 else ["a", "b"] for place in range(len(document))],
            "prediction": np.where(right, "yes", "no"),
            "answer": ["yes"] * len(document),
            "right": right.astype(float),
            SURE: [None if place % 17 == 0 else value for place, value in enumerate(sure.tolist())],
            NOISY: sure + random.normal(0, 0.5, len(document)),
        }
    )


DATA = rows()


def selective(frame: Any = DATA, confidence: Any = SURE, **options: Any) -> Selective:
    options = {"metrics": "right", "cluster": "doc", **options}
    return af.selective(frame, model_confidence=confidence, **options)


def ranked(frame: pl.DataFrame, confidence: str = SURE) -> RiskCoverage:
    """The rows of a frame as arrays."""
    sure = frame[confidence].fill_null(-math.inf).to_numpy()
    return RiskCoverage.of(sure, 1 - frame["right"].to_numpy(), frame["doc"].rank("dense").to_numpy() - 1)


def expected(frame: pl.DataFrame, confidence: str = SURE) -> dict[str, Any]:
    """Return figures of some rows."""
    one = ranked(frame, confidence)
    low, high = one.all_rows().interval(0.95)
    return {
        "n": frame.height,
        "n_clusters": frame["doc"].n_unique(),
        "n_no_confidence": frame[confidence].null_count(),
        "n_distinct": frame[confidence].drop_nulls().n_unique(),
        "score": frame["right"].mean(),
        "score_low": 1 - high[0],
        "score_high": 1 - low[0],
        "augrc": one.augrc,
        "augrc_low": one.interval("augrc", 0.95)[0],
        "augrc_high": one.interval("augrc", 0.95)[1],
        "aurc": one.aurc,
        "aurc_low": one.interval("aurc", 0.95)[0],
        "aurc_high": one.interval("aurc", 0.95)[1],
        "eaurc": one.aurc - one.best_aurc,
        "auroc": one.auroc,
    }


def check(line: dict[str, Any], wanted: dict[str, Any]) -> None:
    found = {name: math.nan if line[name] is None else line[name] for name in wanted}
    assert found == pytest.approx(wanted, abs=1e-12, nan_ok=True)


def test_figures_of_all_rows_and_of_slices() -> None:
    result = selective(by=[["kind"], ["tags"]])
    check(result.overall.row(0, named=True), expected(DATA))
    assert result.overall["signal"].to_list() == [SURE]
    for key, of_key in (("kind", pl.col("kind")), ("tags", pl.col("tags").list.explode(empty_as_null=True))):
        table = result.by(key)
        sizes = table["n"].to_list()
        assert sizes == sorted(sizes, reverse=True)
        for line in table.iter_rows(named=True):
            is_in = pl.col("tags").list.contains(line["tags"]) if key == "tags" else of_key == line["kind"]
            check(line, expected(DATA.filter(is_in)))
    assert result.to_polars()["slice"].to_list() == ["overall", *["group"] * 5]
    assert list(result.tables) == ["kind", "tags"]
    # Twenty-six documents each have an interval, but are few.
    assert result.by("kind")["few_rows"].all()
    assert not result.overall["few_rows"].any()


@pytest.mark.parametrize(
    "convert",
    [
        pl.DataFrame.lazy,
        pl.DataFrame.to_arrow,
        lambda frame: frame.sample(fraction=1, shuffle=True, seed=1),
        lambda frame: pl.concat([frame[:100], frame[100:]], rechunk=False),
        lambda frame: frame.with_columns(pl.col(SURE).fill_null(math.nan)),
        lambda frame: frame.with_columns(pl.col(SURE).cast(pl.Float32).cast(pl.Float64).round(2)),
        lambda frame: frame.with_columns(pl.col("kind").cast(pl.Categorical), pl.col("right").cast(bool)),
    ],
)
def test_frames_of_any_kind(convert: Callable[[pl.DataFrame], Any]) -> None:
    first, second = (selective(frame, by="kind") for frame in (DATA, convert(DATA)))
    assert_frame_equal(second.to_polars(), first.to_polars(), rel_tol=1e-12)
    assert_frame_equal(second.threshold(0.3, by="kind"), first.threshold(0.3, by="kind"), rel_tol=1e-12)


def test_pandas_gives_pandas_and_the_accessor_is_the_same() -> None:
    frame = DATA.to_pandas()
    result = frame.anls.selective(metrics="right", model_confidence=SURE, cluster="doc", by="kind")
    wanted = selective(by="kind")
    for found, polars in (
        (result.overall, wanted.overall),
        (result.by_group, wanted.by_group),
        (result.differences, wanted.differences),
        (result.curve("kind", points=20), wanted.curve("kind", points=20)),
        (result.reliability(), wanted.reliability()),
        (result.threshold(0.2), wanted.threshold(0.2)),
    ):
        assert isinstance(found, pd.DataFrame)
        assert list(found.columns) == polars.columns
        assert len(found) == polars.height
    assert result.overall["augrc"].item() == pytest.approx(wanted.overall["augrc"].item())
    of_polars = DATA.lazy().anls.selective(metrics="right", model_confidence=SURE, cluster="doc")
    assert_frame_equal(of_polars.overall, wanted.overall)


def test_texts_are_scored_as_in_reports() -> None:
    data = DATA.with_columns(prediction=pl.when(pl.int_range(pl.len()) > 5).then("prediction"))
    for options in ({}, {"missing": "drop"}, {"metrics": "exact_match"}, {"protocol": "rrc"}):
        result = af.selective(data, "prediction", "answer", SURE, cluster="doc", **options)
        overall = af.report(data, "prediction", "answer", cluster="doc", **options).overall
        name = options.get("metrics", "anls")
        line = result.overall.row(0, named=True)
        assert line["score"] == pytest.approx(overall[name], abs=1e-12)
        assert line["n"] == overall["n"]
        assert line["score_low"] == pytest.approx(overall[f"{name}_low"], abs=1e-9)
        assert line["score_high"] == pytest.approx(overall[f"{name}_high"], abs=1e-9)


def test_score_with_other_bounds_and_direction_has_the_same_losses() -> None:
    wanted = selective().overall.row(0, named=True)
    data = DATA.with_columns(stars=1 + 4 * pl.col("right"), errors=1 - pl.col("right"))
    stars = selective(data, metrics=af.Metric("stars", bounds=(1, 5))).overall.row(0, named=True)
    errors = af.Metric("errors", bounds=(0, 1), higher_is_better=False)
    wrong = selective(data, metrics=errors).overall.row(0, named=True)
    for name in ("augrc", "augrc_low", "aurc_high", "eaurc", "auroc", "n_no_confidence"):
        assert stars[name] == wrong[name] == pytest.approx(wanted[name])
    for end in ("", "_low", "_high"):
        assert stars[f"score{end}"] == pytest.approx(1 + 4 * wanted[f"score{end}"])
    assert [wrong["score_low"], wrong["score_high"]] == pytest.approx(
        [1 - wanted["score_high"], 1 - wanted["score_low"]]
    )


def test_lower_is_more_confident() -> None:
    data = DATA.with_columns(entropy=-pl.col(SURE))
    first, second = selective(), selective(data, "entropy", higher_is_more_confident=False)
    names = ["augrc", "augrc_low", "augrc_high", "aurc", "auroc", "n_no_confidence"]
    assert second.overall.select(names).row(0) == first.overall.select(names).row(0)
    found, wanted = second.threshold(0.2).row(0, named=True), first.threshold(0.2).row(0, named=True)
    assert found["status"] == "certified"
    assert found.pop("threshold") == -wanted.pop("threshold")
    assert {**found, "signal": SURE} == wanted
    assert second.curve()["threshold"].to_list() == (-first.curve()["threshold"]).to_list()
    assert second.reliability()["gap"].null_count() == 10
    threshold = first.threshold(0.2)["threshold"].item()
    assert second.holds(-threshold, 0.2).risk == first.holds(threshold, 0.2).risk


def test_two_confidences_and_two_systems() -> None:
    result = selective(confidence=[SURE, NOISY], by="kind")
    check(result.overall.row(1, named=True), expected(DATA, NOISY))
    change = difference_of_augrc(ranked(DATA), ranked(DATA, NOISY), 0.95)
    line = result.differences.row(0, named=True)
    assert (line["slice"], line["signal"], line["baseline"]) == ("overall", NOISY, SURE)
    check(line, {"difference": change.value, "difference_low": change.low, "p_value": change.p_value})
    assert line["difference_low"] > 0
    assert result.differences.height == 4
    data = DATA.with_columns(other=pl.when(pl.int_range(pl.len()) % 2 == 0).then("right").otherwise(0.0))
    systems = {"old": "right", "new": "other"}
    of_systems = af.selective(
        data, systems, None, {"new": NOISY, "old": SURE}, cluster="doc", metrics="right"
    )
    lines = {line["signal"]: line for line in of_systems.overall.iter_rows(named=True)}
    check(lines["old"], expected(DATA))
    check(lines["new"], expected(data.with_columns(right="other"), NOISY))
    alone = selective()
    assert alone.differences.height == 0
    assert alone.differences.columns == result.differences.drop("kind").columns


def test_curve_is_that_of_a_loop() -> None:
    curve = selective(by="kind").curve("kind", points=15)
    for (kind,), lines in curve.group_by("kind", maintain_order=True):
        data = DATA.filter(kind=kind)
        assert lines["coverage"].is_sorted()
        assert lines["threshold"].null_count() == 1
        loss = 1 - data["right"]
        for line in lines.iter_rows(named=True):
            accepted = pl.Series([True]) if line["threshold"] is None else data[SURE] >= line["threshold"]
            chosen = loss.filter(accepted.fill_null(value=False)) if len(accepted) > 1 else loss
            check(
                line,
                {
                    "n_accepted": len(chosen),
                    "coverage": len(chosen) / len(loss),
                    "risk": chosen.mean(),
                    "generalized_risk": chosen.sum() / len(loss),
                    "best_risk": loss.sort().head(len(chosen)).mean(),
                },
            )
            assert line["risk_low"] <= line["risk"] <= line["risk_high"]
    whole = selective().curve()
    # Each confidence is a threshold, however many points there may be.
    assert selective().curve(points=2**62).equals(selective().curve(points=DATA.height))
    thresholds = selective().curve(points=2**62)["threshold"].drop_nulls()
    assert thresholds.sort().to_list() == DATA[SURE].drop_nulls().unique().sort().to_list()
    area = np.trapezoid([0, *whole["generalized_risk"]], [0, *whole["coverage"]])
    assert selective().overall["augrc"].item() == pytest.approx(area)


@pytest.mark.parametrize("bins", [1, 4, 10, 1000, 2**62])
def test_reliability_is_that_of_a_loop(bins: int) -> None:
    known = DATA.drop_nulls(SURE).sort(SURE, descending=True)
    ends, share = [0], known.height / bins
    for place in range(1, known.height + 1):
        is_change = place == known.height or known[SURE][place] != known[SURE][place - 1]
        if is_change and math.floor(place / share + 1e-9) > math.floor(ends[-1] / share + 1e-9):
            ends.append(place)
    table = selective().reliability(bins=bins)
    assert table["n"].to_list() == np.diff(ends)[::-1].tolist()
    assert table["bin"].to_list() == list(range(1, len(ends)))
    start = known.height
    for line in table.iter_rows(named=True):
        start -= line["n"]
        part = known[start : start + line["n"]]
        means = part[SURE].mean(), part["right"].mean()
        wanted = {"confidence_min": part[SURE].min(), "confidence_max": part[SURE].max()}
        wanted |= {"confidence_mean": means[0], "score": means[1], "gap": means[1] - means[0]}
        check(line, {**wanted, "n_clusters": part["doc"].n_unique()})
    binned = known.with_columns(bin=np.repeat(table["bin"].to_numpy()[::-1], np.diff(ends)))
    slices = af.report(binned, metrics="right", by="bin", cluster="doc").by_group.sort("bin")
    for line, low in zip(table.iter_rows(named=True), slices["right_low"], strict=True):
        assert line["score_low"] is None or line["score_low"] == pytest.approx(low, abs=1e-9)
    if bins == 10:
        figures = selective().overall.row(0, named=True)
        assert figures["ece"] == pytest.approx((table["n"] * table["gap"].abs()).sum() / known.height)
        assert figures["bias"] == pytest.approx(known[SURE].mean() - known["right"].mean())
    assert selective(confidence=NOISY).overall.row(0, named=True)["ece"] is None


def test_threshold_of_all_rows() -> None:
    line = selective().threshold(0.2, confidence=0.9).row(0, named=True)
    found = ranked(DATA).certified(0.2, 0.9)
    accepted = DATA.filter(pl.col(SURE) >= found.threshold)
    share = af.report(
        DATA.with_columns(right=(pl.col(SURE) >= found.threshold).fill_null(value=False)),
        metrics="right",
        cluster="doc",
    ).overall
    assert line["status"] == "certified"
    wanted = {
        "threshold": found.threshold,
        "n": DATA.height,
        "n_accepted": accepted.height,
        "n_clusters_accepted": accepted["doc"].n_unique(),
        "accepted": accepted.height / DATA.height,
        "accepted_low": share["right_low"],
        "accepted_high": share["right_high"],
        "risk": 1 - accepted["right"].mean(),
        "risk_bound": found.bound,
        "naive_accepted": found.naive_coverage,
    }
    assert {name: line[name] for name in wanted} == pytest.approx(wanted, abs=1e-9)
    assert line["risk"] < line["risk_bound"] <= 0.2


def test_thresholds_share_the_confidence() -> None:
    result = selective(by="kind", confidence=[SURE, NOISY])
    together = result.threshold(0.25, by="kind")
    alone = result.threshold(0.25, confidence=1 - 0.05 / 6, by=["kind"], together=False)
    assert_frame_equal(together, alone)
    lax = result.threshold(0.25, by="kind", together=False)
    assert (lax["accepted"] >= together["accepted"]).all()
    for line in lax.filter(signal=SURE).iter_rows(named=True):
        found = ranked(DATA.filter(kind=line["kind"])).certified(0.25, 0.95)
        assert (line["status"], line["accepted"] > 0) == (found.status, found.status == "certified")


def test_threshold_without_a_certificate() -> None:
    few = selective().threshold(0.001).row(0, named=True)
    assert few["status"] == "too_few_documents"
    assert few["documents_needed"] > 60
    assert (few["threshold"], few["accepted"], few["n_accepted"]) == (None, 0, 0)
    wrong = selective(DATA.with_columns(right=pl.lit(0.0))).threshold(0.1).row(0, named=True)
    assert wrong["status"] == "risk_too_high"


FRAMES: list[Callable[[pl.DataFrame], Any]] = [pl.DataFrame, pl.DataFrame.lazy, pl.DataFrame.to_pandas]


def of_120_answers(convert: Callable[[pl.DataFrame], Any]) -> Any:
    """Return the result of 120 answers, with the 100 surest right."""
    pages = pl.DataFrame(
        {
            "right": [1] * 100 + [0] * 20,
            "sure": [0.99 - i / 1000 for i in range(120)],
            "kind": ["a", "b"] * 60,
        }
    )
    return af.selective(convert(pages), metrics="right", model_confidence="sure", by="kind")


@pytest.mark.parametrize("convert", FRAMES)
def test_the_risk_decides_how_many_answers_are_accepted(convert: Callable[[pl.DataFrame], Any]) -> None:
    result = of_120_answers(convert)
    found = [pl.DataFrame(result.threshold(risk)).row(0, named=True) for risk in (0.01, 0.02, 0.04, 0.06)]
    assert [line["status"] for line in found] == ["too_few_documents"] * 2 + ["certified"] * 2
    assert [line["n_accepted"] for line in found] == [0, 0, 99, 101]
    # As many rows as prove 1 and 2 % if five parts of six stay right.
    assert found[0]["documents_needed"] > found[1]["documents_needed"] > 120
    assert found[2]["correlation"] is None
    assert [line["few_rows"] for line in found[2:]] == [True, False]
    few, many = (pl.DataFrame(result.threshold(risk, by="kind"))["accepted"] for risk in (0.02, 0.5))
    assert (few < many).all()


def test_a_higher_risk_never_accepts_less() -> None:
    result = of_120_answers(pl.DataFrame)
    shares = [result.threshold(risk, by="kind")["accepted"] for risk in np.arange(0.02, 0.9, 0.04)]
    for first, second in itertools.pairwise(shares):
        assert (first <= second).all()


@pytest.mark.parametrize("convert", FRAMES)
def test_documents_that_fail_whole_are_not_taken_for_independent_rows(
    convert: Callable[[pl.DataFrame], Any],
) -> None:
    """In one of four samples, none of 46 documents fails if 3 % do; 2 % are then not shown."""
    random = np.random.default_rng(0)
    pages = pl.DataFrame(
        {"doc": np.repeat(np.arange(46), 20), "right": np.ones(920), "sure": random.random(920)}
    )
    options = {"metrics": "right", "model_confidence": "sure", "cluster": "doc"}
    result = af.selective(convert(pages), **options)
    line = pl.DataFrame(result.threshold(0.02)).row(0, named=True)
    assert (line["status"], line["correlation"]) == ("too_few_documents", 1)
    assert line["documents_needed"] >= 149
    decision = result.holds(0, 0.02)
    # Clopper and Pearson: 1 - 0.05^(1/46) = 6.3 %.
    assert (decision.answer, decision.needed) == ("undecided", 149)
    assert decision.risk_high == pytest.approx(1 - 0.05 ** (1 / 46))
    # A document that fails whole says that losses correlate; losses of rows say that they hardly do.
    for right, correlation in ((pl.col("doc") > 0, 1), (pl.int_range(pl.len()) % 20 > 0, 0.3)):
        lost = convert(pages.with_columns(right=right.cast(pl.Float64)))
        again = pl.DataFrame(af.selective(lost, **options).threshold(0.5)).row(0, named=True)
        assert (again["status"], again["correlation"]) == ("certified", pytest.approx(correlation))
        assert again["few_rows"] == (correlation == 1)


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (DATA.with_columns(pl.lit(None).alias(SURE)), {"n_distinct": 0, "n_no_confidence": DATA.height}),
        (DATA.with_columns(pl.lit(None, pl.Float64).alias(SURE)), {"n_distinct": 0, "ece": math.nan}),
        (DATA.with_columns(pl.lit(1, pl.Int64).alias(SURE)), {"n_distinct": 1, "n_no_confidence": 0}),
    ],
)
@pytest.mark.filterwarnings("ignore::anls_frame.exceptions.InputWarning")
def test_a_confidence_that_says_nothing(data: pl.DataFrame, wanted: dict[str, Any]) -> None:
    result = selective(data)
    line = result.overall.row(0, named=True)
    loss = 1 - DATA["right"].mean()
    check(line, {**wanted, "augrc": loss / 2, "aurc": loss, "auroc": 0.5})
    certified = result.threshold(0.5).row(0, named=True)
    assert certified["accepted"] == (1 if wanted.get("n_distinct") else 0)
    assert result.curve()["coverage"].to_list() == [1]
    assert result.plot().get_xlabel()


def test_holds() -> None:
    result = selective()
    fine = result.holds(0.8, 0.3)
    accepted = DATA.filter(pl.col(SURE) >= 0.8)
    (low,), (high,) = ranked(DATA).accepted([0.8]).interval(0.9, ranked(DATA).correlation)
    assert fine.risk == pytest.approx(1 - accepted["right"].mean())
    assert (fine.risk_low, fine.risk_high) == pytest.approx((low, high))
    assert (fine.answer, fine.documents, fine.has_clusters) == ("fine", accepted["doc"].n_unique(), True)
    assert (fine.few_rows, fine.correlation) == (True, 0.3)
    assert str(fine) == (
        "fine: at most 30 % of the answers accepted at a threshold of 0.8 are wrong; this rests on few "
        "documents or losses, and assumes that the losses of a document correlate by at most 0.3"
    )
    many = result.holds(0.3, 0.3)
    assert not many.few_rows
    assert str(many) == "fine: at most 30 % of the answers accepted at a threshold of 0.3 are wrong"
    assert result.holds(0.0, 0.05).answer == "regressed"
    assert str(result.holds(0.0, 0.05)).startswith(
        "regressed: more than 5 % of the answers accepted at a threshold of 0 "
    )
    open_ = result.holds(0.8, 0.02)
    assert open_.answer == "undecided"
    assert "70 documents cannot tell, about" in str(open_)
    copies = [DATA.with_columns(doc=f"{copy}" + pl.col("doc")) for copy in range(12)]
    enough = math.ceil(open_.needed / open_.documents)
    assert 1 < enough < 12
    assert selective(pl.concat(copies[:enough])).holds(0.8, 0.02).answer == "fine"
    assert selective(pl.concat(copies[: enough - 2])).holds(0.8, 0.02).answer == "undecided"
    nothing = result.holds(2.0, 0.1)
    assert (nothing.answer, nothing.risk, nothing.needed) == ("undecided", None, None)
    assert str(nothing) == "undecided: no answer is accepted at a threshold of 2"


def test_documents_that_pass_whole() -> None:
    read = ['{"total": "5", "vat": "1"}'] * 30 + ['{"total": "4", "vat": "2"}'] * 10
    sure = ['{"total": 0.2, "vat": 0.9}'] * 20 + ['{"total": 0.9, "vat": 0.1}'] * 19 + ["{}"]
    pages = pl.DataFrame(
        {"page": range(40), "gold": ['{"total": "5", "vat": "1"}'] * 40, "model": read, "sure": sure}
    )
    fields = af.fields(pages, "model", "gold", id="page", model_confidence="sure")
    options = {"id": "page", "model_confidence": "confidence"}
    every = af.documents(fields, "prediction", "answers", **options)
    assert every["confidence"].to_list() == [0.2] * 20 + [0.1] * 19 + [None]
    whole = af.documents(fields, "prediction", "answers", required=["vat"], **options)
    assert whole["confidence"].to_list() == [0.9] * 20 + [0.1] * 19 + [None]
    with pytest.warns(af.InputWarning, match="only 2 different values"):
        result = af.selective(whole, metrics="all_right", model_confidence="confidence")
    assert result.overall["score"].item() == 0.75
    assert result.curve()["risk"].to_list() == pytest.approx([0, 9 / 39, 0.25])
    assert result.overall["n_clusters"].item() is None
    systems = {"a": "prediction", "b": "prediction"}
    named = af.documents(
        fields.to_pandas(), systems, "answers", id="page", model_confidence={"b": "confidence"}
    )
    assert list(named.columns)[-1] == "b_confidence"
    with pytest.raises(ValueError, match="model_confidence must be a column for one system, and a mapping"):
        af.documents(fields, systems, "answers", id="page", model_confidence={"c": "confidence"})


def test_warnings_name_the_confidence() -> None:
    data = DATA.with_columns(pl.when(pl.int_range(pl.len()) < 20).then(pl.int_range(pl.len())).alias(SURE))
    with pytest.warns(af.InputWarning, match="of the rows have the same confidence 'sure'"):
        selective(data.with_columns(pl.col(SURE).fill_null(50)))
    with pytest.warns(af.InputWarning, match="the confidence 'sure' has only 2 different values"):
        selective(data.with_columns(pl.col(SURE) > 3).cast({SURE: pl.Int8}))


def test_confidences_of_csv_are_numbers() -> None:
    texts = DATA.with_columns(pl.col(SURE, "right").cast(pl.String).fill_null(""))
    assert texts.schema[SURE] == pl.String
    assert selective(texts).overall.equals(selective(DATA).overall)


@pytest.mark.parametrize("written", ["78.5%", "0,785", "n/a", "true"])
def test_a_confidence_that_is_no_number_is_named(written: str) -> None:
    texts = DATA.with_columns(pl.col(SURE).cast(pl.String))
    wrong = texts.with_columns(
        pl.when(pl.int_range(pl.len()) == 7).then(pl.lit(written)).otherwise(SURE).alias(SURE)
    )
    for frame in (wrong, wrong.lazy(), wrong.to_pandas()):
        with pytest.raises(
            af.DTypeError, match=f"'{SURE}' must hold numbers, got '{written}' in row 7"
        ) as raised:
            selective(frame)
        assert "write 78.5% and 0,785 as 0.785" in str(raised.value)
        assert "python_udf" not in str(raised.value)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"confidence": None}, ValueError, "model_confidence must be a column with the model"),
        ({"confidence": {SURE}}, ValueError, "model_confidence must be a column with the model"),
        ({"confidence": "kind"}, af.DTypeError, "column 'kind' must hold numbers, got 'form'"),
        ({"confidence": "is_form"}, af.DTypeError, "column 'is_form' has dtype Boolean"),
        ({"confidence": "absent"}, af.exceptions.ColumnNotFoundError, "absent"),
        ({"confidence": pl.Series("sure", [1.0])}, TypeError, "pass its name: model_confidence='sure'"),
        ({"metrics": "stars"}, ValueError, "'stars' does not have two bounds.*exact_match.*Metric"),
        ({"metrics": ["right", SURE]}, ValueError, "metrics must be one score of rows"),
        ({"frame": DATA.head(1)}, ValueError, "at least two rows with a score to rank, got 1"),
        ({"frame": DATA.clear()}, ValueError, "at least two rows with a score to rank, got 0"),
        ({"by": SURE}, ValueError, "different numbers, each of which would be a slice"),
        ({"higher_is_more_confident": 1}, TypeError, "higher_is_more_confident must be True or False"),
    ],
)
def test_refused(options: dict[str, Any], error: type[Exception], words: str) -> None:
    data = DATA.with_columns(is_form=pl.col("kind") == "form", stars=5 * pl.col("right"))
    with pytest.raises(error, match=words):
        selective(**{"frame": data, **options})


def test_refused_texts_and_systems() -> None:
    for rate in ("cer", ["wer"], "cer_mean"):
        with pytest.raises(ValueError, match=r"_mean' does not have two bounds.*pass 'nls' or 'exact_match'"):
            af.selective(DATA, "prediction", "answer", SURE, metrics=rate)
    with pytest.raises(ValueError, match="metrics must be one score of rows"):
        af.selective(DATA, "prediction", "answer", SURE, metrics="cer_corpus")
    with pytest.raises(ValueError, match="a mapping from each of the systems"):
        af.selective(DATA, ["right", SURE], None, [SURE, NOISY])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda one: one.threshold(0), r"risk must be a number in \(0, 1\)"),
        (lambda one: one.threshold(confidence=0.5), r"confidence must be a number in \(0.5, 1\)"),
        (lambda one: one.threshold(by="lang"), "the result is not sliced by"),
        (lambda one: one.curve(points=1), "points must be an integer of at least 2"),
        (lambda one: one.reliability(bins=0), "bins must be an integer of at least 1"),
        (lambda one: one.plot("pie"), "kind must be one of"),
        (lambda one: one.holds(0.5), "a threshold refers to a single confidence"),
        (lambda _: selective(DATA.rename({"kind": "signal"}), by="signal").by_group, "would collide"),
    ],
)
def test_refused_arguments_of_results(call: Callable[[Selective], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call(selective(confidence=[SURE, NOISY], by="kind"))


def test_texts_of_results(tmp_path: Any) -> None:
    hostile = "<script>alert(1)</script>"
    result = selective(DATA.rename({SURE: hostile}), [hostile, NOISY], by="kind", cluster=None)
    text = result.to_text()
    assert "AUGRC of noisy minus" in text
    assert "have no confidence (<script>" in text
    assert hostile not in result._repr_html_()
    page = result.write(tmp_path / "page.html").read_text(encoding="utf-8")
    assert hostile not in page
    assert "Differences in AUGRC" in page
    flat = pl.read_csv(result.write(tmp_path / "flat.csv"), comment_prefix="#")
    assert flat["augrc"].to_list() == pytest.approx(result.to_polars()["augrc"].to_list())


@pytest.mark.parametrize(("lost", "is_few"), [(3, True), (40, False)])
def test_areas_that_few_documents_carry_are_marked(lost: int, *, is_few: bool) -> None:
    """Some of 200 documents are lost whole with the highest confidence, which the other does not know."""
    random = np.random.default_rng(4)
    doc = np.repeat(np.arange(200), 10)
    is_lost = doc < lost
    frame = pl.DataFrame(
        {
            "doc": doc,
            "right": np.where(is_lost, 0.0, random.random(2000) > 0.003),
            SURE: np.where(is_lost, 1.0, 0.9 * random.random(2000)),
            NOISY: random.random(2000),
        }
    )
    made = selective(frame, [SURE, NOISY])
    assert made.overall["few_rows"].to_list() == [is_few, is_few]
    assert made.differences["few_rows"].item() is is_few


def test_equal_confidences_show_no_difference_that_could_be_trusted() -> None:
    made = selective(DATA.with_columns(same=SURE), [SURE, "same"])
    assert made.differences.select("difference", "few_rows").row(0) == (0.0, True)

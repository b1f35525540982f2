from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import anls_frame as af
from anls_frame.statistics import holm
from anls_frame.statistics.corrected_means import Audit, CorrectedMean

FIGURES = ["corrected", "corrected_low", "corrected_high", "bias", "equivalent_verdicts", "tuning"]


def population(seed: int = 0) -> pl.DataFrame:
    """Return rows with two scores and their truths, in documents of different sizes."""
    random = np.random.default_rng(seed)
    document = np.sort(random.integers(0, 60, 900) ** 2 // 40)
    n = len(document)
    old = (random.random(n) < 0.7).astype(float)
    new = np.where(random.random(n) < 0.8, old, (random.random(n) < 0.9).astype(float))
    is_wrong = random.random(n) < 0.1
    return pl.DataFrame({
        "doc": [f"d{one}" for one in document],
        "lang": random.choice(["en", "de", "ja"], n),
        "kinds": [["a", "b"][: 1 + one % 2] if one % 7 else [] for one in range(n)],
        "old": old,
        "new": new,
        "old_text": old.astype(str),
        "new_text": new.astype(str),
        "old_truth": np.where(is_wrong, 1 - old, old),
        "new_truth": np.where(is_wrong, 1 - new, new),
    })  # fmt: skip


def sample(n: int = 240, seed: int = 0, **options: Any) -> pl.DataFrame:
    drawn: pl.DataFrame = af.audit_sample(population(seed), n, cluster="doc", seed=seed, **options)
    return drawn.with_columns(pl.when("audit").then(pl.col("old_truth", "new_truth")))


SYSTEMS = {"old": ("old", "old_truth"), "new": ("new", "new_truth")}


def by_hand(frame: pl.DataFrame, *, tuning: float | None = None, difference: bool = False) -> CorrectedMean:
    """Return the figures of a frame, whose rows are the cells."""
    strata = {name: place for place, name in enumerate(sorted(set(frame["audit_stratum"])))}
    document = np.unique(frame["audit_cluster"].to_numpy(), return_inverse=True)[1]
    stratum = np.array([strata[name] for name in frame["audit_stratum"]])
    score, truth = frame["old"].to_numpy(), frame["old_truth"].to_numpy()
    if difference:
        score, truth = frame["new"].to_numpy() - score, frame["new_truth"].to_numpy() - truth
    judged = np.isfinite(truth.astype(float))
    return CorrectedMean(
        Audit(
            document=document,
            stratum=stratum,
            n=np.ones(len(score)),
            total=score,
            known=np.array([name == "same" for name in strata]),
            judged_document=document[judged],
            judged_stratum=stratum[judged],
            probability=frame["audit_probability"].to_numpy()[judged],
            score=score[judged],
            truth=truth[judged].astype(float),
        ),
        tuning=tuning,
    )


def check(line: dict[str, Any], mean: CorrectedMean) -> None:
    low, high = mean.share_interval()
    values = [mean.estimate, low, high, mean.bias, round(mean.equivalent_verdicts), mean.tuning]
    assert [line[name] for name in FIGURES] == pytest.approx(values, abs=1e-12)


@pytest.mark.parametrize("options", [{}, {"lean": "score", "score": "old"}, {"lean": "old"}, {"by": "lang"}])
def test_figures_are_those_of_the_estimator(options: dict[str, Any]) -> None:
    frame = sample(**options)
    corrected = af.corrected(frame, "old", "old_truth", by=[["lang"], ["kinds"]])
    whole = by_hand(frame)
    check(corrected.overall.row(0, named=True), whole)
    tables = corrected.tables
    for line in tables["lang"].iter_rows(named=True):
        check(line, by_hand(frame.filter(lang=line["lang"]), tuning=whole.tuning))
    for line in tables["kinds"].iter_rows(named=True):
        is_own = (
            pl.col("kinds").list.len() == 0
            if line["kinds"] is None
            else pl.col("kinds").list.contains(line["kinds"])
        )
        check(line, by_hand(frame.filter(is_own), tuning=whole.tuning))
    assert tables["lang"]["n"].is_sorted(descending=True)


def test_difference_of_two_systems() -> None:
    frame = sample(50, lean="differing", prediction={"old": "old_text", "new": "new_text"})
    corrected = af.corrected(frame, systems=SYSTEMS, by="lang")
    # Rows in which both say the same were not judged: nothing is known of the score of one.
    assert corrected.overall["corrected"].null_count() == 2
    mean = by_hand(frame, difference=True)
    line = corrected.differences.row(0, named=True)
    ends = mean.difference_interval()
    assert (line["difference"], line["difference_low"], line["difference_high"]) == pytest.approx(
        (mean.estimate, *ends)
    )
    assert line["given_difference"] == pytest.approx((frame["new"] - frame["old"]).mean())
    groups = corrected.differences.filter(slice="group")
    assert groups["p_adjusted"].to_numpy() == pytest.approx(holm(groups["p_value"].to_numpy()))
    with pytest.raises(ValueError, match="systems have different scores in rows that need no verdict"):
        af.corrected(frame.with_columns(pl.col("new") * 0.5), systems=SYSTEMS)
    # The same from the other side.
    mirrored = af.corrected(frame, systems=SYSTEMS, baseline="new").differences.row(0, named=True)
    assert mirrored["difference"] == pytest.approx(-line["difference"])
    assert mirrored["difference_low"] == pytest.approx(-line["difference_high"])


def test_another_system_changes_nothing() -> None:
    frame = sample()
    both, alone = (
        af.corrected(frame, systems=dict(list(SYSTEMS.items())[:number]), by="lang") for number in (2, 1)
    )
    assert_frame_equal(both.to_polars().filter(system="old"), alone.to_polars(), abs_tol=1e-12)
    named = af.corrected(frame, "old", "old_truth", by="lang").to_polars()
    assert_frame_equal(named.drop("system"), alone.to_polars().drop("system"), abs_tol=1e-12)
    assert alone.differences.is_empty()
    assert alone.differences.columns == both.differences.columns


def test_order_names_and_kinds_of_frames_do_not_matter() -> None:
    frame = sample()
    expected = af.corrected(frame, "old", "old_truth", by="lang").to_polars()
    shuffled = frame.sample(fraction=1, shuffle=True, seed=1).with_columns(
        pl.col("audit_cluster").str.replace("d", "x").cast(pl.Categorical)
    )
    for other in (
        shuffled,
        frame.lazy(),
        frame.to_arrow(),
        pl.concat([frame[:400], frame[400:]], rechunk=False),
    ):
        found = af.corrected(other, "old", "old_truth", by="lang").to_polars()
        assert_frame_equal(found, expected, check_exact=False, abs_tol=1e-12)
    pandas = frame.drop("kinds").to_pandas().anls.corrected("old", "old_truth", by="lang")
    assert pandas.overall.columns.tolist() == expected.columns[2:]
    assert pandas.by_group["corrected"].to_numpy() == pytest.approx(expected["corrected"][1:].to_numpy())
    assert pandas.differences.shape[0] == 0


def test_bounds() -> None:
    """Stars from 1 to 5 are shares of 4, after 1."""
    frame = sample()
    stars = frame.with_columns(pl.col("old", "new", "old_truth", "new_truth") * 4 + 1)
    found = af.corrected(stars, systems=SYSTEMS, bounds=(1, 5), by="lang")
    expected = af.corrected(frame, systems=SYSTEMS, by="lang")
    lines = found.to_polars(), expected.to_polars()
    for name, shift in (("score", 1), ("corrected_low", 1), ("audit_high", 1), ("bias_low", 0), ("bias", 0)):
        assert lines[0][name].to_numpy() == pytest.approx(shift + 4 * lines[1][name].to_numpy())
    assert found.differences["difference_low"].to_numpy() == pytest.approx(
        4 * expected.differences["difference_low"].to_numpy()
    )
    assert found.verdicts_needed(0.6).equals(expected.verdicts_needed(0.15))


def test_agreement() -> None:
    """Each weighted by how many rows it stands for: a table of four cells, by hand."""
    frame = sample(lean="score", score="old")
    line = af.corrected(frame, "old", "old_truth").overall.row(0, named=True)
    sizes = frame.group_by("audit_stratum").agg(pl.len(), pl.col("audit").sum())
    weights = {name: Fraction(n, drawn) for name, n, drawn in sizes.iter_rows()}
    cells: dict[tuple[float, float], Fraction] = {}
    for stratum, old, truth in frame.filter("audit").select("audit_stratum", "old", "old_truth").iter_rows():
        cells[old, truth] = cells.get((old, truth), Fraction()) + weights[stratum] / frame.height
    right = cells[1.0, 1.0] + cells[0.0, 0.0]
    score, truth = (cells[1.0, 1.0] + cells[one] for one in ((1.0, 0.0), (0.0, 1.0)))
    chance = score * truth + (1 - score) * (1 - truth)
    expected = (
        right,
        cells[1.0, 1.0] / truth,
        cells[0.0, 0.0] / (1 - truth),
        (right - chance) / (1 - chance),
    )
    found = (line["agreement"], line["sensitivity"], line["specificity"], line["kappa"])
    assert found == pytest.approx(tuple(map(float, expected)))
    graded = af.corrected(frame.with_columns(pl.col("old") * 0.9), "old", "old_truth")
    assert graded.overall.select("kappa", "kappa_low", "kappa_few_rows", "right_share").row(0) == (None,) * 4
    assert "and verdicts:" not in graded.to_text()


def test_too_few_verdicts() -> None:
    frame = sample(40).with_columns(rare=pl.int_range(pl.len()) < 30)
    corrected = af.corrected(frame, "old", "old_truth", by="rare")
    assert corrected.overall["corrected"].null_count() == 0
    assert dict(corrected.by_group.select("rare", pl.col("bias").is_null()).iter_rows()) == {
        False: False,
        True: True,
    }
    assert "No figure is given below 30 verdicts" in str(corrected)
    few = af.corrected(sample(29), "old", "old_truth")
    assert few.overall.select("corrected", "bias", "tuning", "equivalent_verdicts").null_count().row(0) == (
        1,
        1,
        1,
        1,
    )
    assert few.overall["score"].item() == pytest.approx(frame["old"].mean())
    assert "no figure from 29 verdicts" in str(few)
    assert few.verdicts_needed(0.1)["verdicts_needed"].to_list() == [None]


def test_without_a_draw() -> None:
    """Rows that the caller drew at random, the same as if their probability were known."""
    frame = sample()
    plain = frame.drop("audit", "audit_probability", "audit_stratum")
    found, expected = (af.corrected(one, "old", "old_truth").overall for one in (plain, frame))
    assert_frame_equal(found, expected, check_exact=False, abs_tol=1e-12)
    rows = af.corrected(plain.drop("audit_cluster"), "old", "old_truth")
    assert rows.overall["n_clusters"].to_list() == [None]
    assert "Rows are treated as independent" in str(rows)
    assert rows.overall["few_rows"].to_list() == [False]


UNKNOWN = pl.lit(None, pl.Float64)
DRAWN = pl.col("audit")
WRONG: list[tuple[dict[str, pl.Expr], dict[str, Any], str]] = [
    ({"old": pl.when(pl.int_range(pl.len()) > 1).then("old")}, {}, "'old' is null in 2 rows of 900"),
    (
        {"old_truth": pl.col("old_truth") * 2},
        {},
        r"'old_truth' is outside 0 to 1 in .* or pass bounds= in Python",
    ),
    ({"audit_probability": pl.col("audit_probability") * 10}, {}, r"must hold numbers in \(0, 1\]: 900 rows"),
    (
        {"audit_probability": pl.when(DRAWN).then("audit_probability")},
        {},
        "is null in a part of a stratum.*: 660 rows",
    ),
    ({"audit_probability": UNKNOWN}, {}, "'audit_probability' is null in rows with a truth"),
    ({"audit": pl.lit(2)}, {}, "'audit' must hold true and false, or 1 and 0; rename it if it is your own: "),
    ({"old_truth": UNKNOWN}, {}, r"'old_truth' has no truth of drawn rows; .*: 240 rows \("),
    ({"old_truth": pl.col("old")}, {}, "'old_truth' has a truth of rows that were not drawn"),
    ({"old_truth": UNKNOWN, "audit": pl.lit(value=False)}, {}, "no row has a truth in column 'old_truth'"),
    ({"new_truth": UNKNOWN}, {"systems": SYSTEMS}, "of 'old_truth' and 'new_truth', one column alone"),
    ({"audit_cluster": pl.lit("x")}, {}, "all rows with a truth are of one document: draw rows"),
    ({}, {"bounds": (1, 0)}, "bounds must be the lowest and then the highest score"),
    ({}, {"tuning": -1}, "tuning must be a number of at least 0"),
    ({}, {"baseline": "x"}, "baseline must be one of"),
    ({}, {"systems": {"old": ("old", "old_truth")}, "score": "old"}, "pass two columns, score and truth"),
]


@pytest.mark.parametrize(("columns", "options", "message"), WRONG)
def test_refusals(columns: dict[str, pl.Expr], options: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"score": "old", "truth": "old_truth", **options}
    if "systems" in options:
        del given["truth"]
        given |= {} if options.get("score") else {"score": None}
    with pytest.raises(ValueError, match=message):
        af.corrected(sample().with_columns(**columns), **given)


@pytest.mark.parametrize(
    "systems",
    [
        {},
        ["old"],
        {"old": "old"},
        {"old": ("old",)},
        {"old": ("old", "old_truth", "new")},
        {"old": ("old", 1)},
    ],
)
def test_systems_must_name_pairs_of_columns(systems: Any) -> None:
    with pytest.raises(TypeError, match="systems must map names to the columns of scores and truths, got"):
        af.corrected(sample(), systems=systems)


def test_a_score_is_the_name_of_one_column() -> None:
    for columns, name in ((["old"], "old_truth"), "score"), (("old", ["old_truth"]), "truth"):
        with pytest.raises(TypeError, match=f"{name} must be the name of a column, got list"):
            af.corrected(sample(), *columns)


def test_a_single_row_with_a_truth_is_no_document() -> None:
    frame = pl.DataFrame({"score": [0.5, 1.0, 0.0], "truth": [1.0, None, None]})
    with pytest.raises(ValueError, match="a single row has a truth: draw rows with `audit_sample`"):
        af.corrected(frame, "score", "truth")


@pytest.mark.parametrize("name", ["audit", "audit_probability", "old", "old_truth"])
def test_columns_that_were_read_as_texts(name: str) -> None:
    frame = sample()
    texts = frame.with_columns(pl.col(name).cast(pl.String))
    expected = af.corrected(frame, "old", "old_truth").overall
    assert_frame_equal(af.corrected(texts, "old", "old_truth").overall, expected)
    wrong = texts.with_columns(
        pl.when(DRAWN.cast(pl.String) == "true").then(pl.lit("right")).otherwise(name).alias(name)
    )
    with pytest.raises(
        af.DTypeError, match=rf"column '{name}' must hold numbers, got 'right' in row \d+ "
    ) as raised:
        af.corrected(wrong, "old", "old_truth")
    # Without a default, a word that nobody named is an error, not a row without a verdict.
    assert 'other words, with replace_strict({"right": 1, "wrong": 0}) or' in str(raised.value)


def test_verdicts_may_be_yes_and_no() -> None:
    frame = sample().with_columns(old=pl.col("old").round(), old_truth=pl.col("old_truth").round())
    words = pl.col("old", "old_truth").replace_strict({1.0: "Yes", 0.0: "no"}, return_dtype=pl.String)
    expected = af.corrected(frame, "old", "old_truth").overall
    assert_frame_equal(af.corrected(frame.with_columns(words), "old", "old_truth").overall, expected)
    mixed = frame.with_columns(pl.when(DRAWN).then(pl.lit("0.5")).otherwise(pl.lit("no")).alias("old"))
    with pytest.raises(af.DTypeError, match=r"column 'old' must hold numbers, got '0\.5'"):
        af.corrected(mixed, "old", "old_truth")


def test_verdicts_of_csv_are_numbers_or_true_and_false(tmp_path: Path) -> None:
    frame = sample().select("old", "doc", verdict=pl.when("audit").then(pl.col("old_truth").round()))
    expected = af.corrected(frame, "old", "verdict").overall
    for verdict in (pl.col("verdict").cast(pl.Int8), pl.col("verdict") == 1):
        written = frame.with_columns(verdict, prediction=pl.lit("x"), answer=pl.lit("x"))
        written.write_csv(tmp_path / "a.csv")
        rows = af.read_results(tmp_path / "a.csv")
        assert rows.schema["verdict"] == pl.String
        assert_frame_equal(af.corrected(rows, "old", "verdict").overall, expected)


def test_rows_that_nobody_drew() -> None:
    frame = sample().drop("audit", "audit_probability", "audit_stratum")
    for kept, kind in ((pl.col("old") < 1, "score less than 1"), (pl.col("old") == 1, "score 1")):
        one_sided = frame.with_columns(pl.when(kept).then("old_truth").alias("old_truth"))
        with pytest.raises(ValueError, match=f"only rows that {kind} were judged"):
            af.corrected(one_sided, "old", "old_truth")
    unlike = frame.with_columns(
        pl.when((pl.col("old") < 1) | (pl.int_range(pl.len()) < 20)).then("old_truth").alias("old_truth")
    )
    with pytest.warns(af.InputWarning, match="the judged rows differ from the others"):
        af.corrected(unlike, "old", "old_truth")


def test_lost_verdicts() -> None:
    frame = (
        sample()
        .drop("audit")
        .with_columns(pl.when(pl.int_range(pl.len()) > 500).then("old_truth").alias("old_truth"))
    )
    with pytest.warns(
        af.InputWarning, match=r"have a truth, but 240\.0 were drawn by column 'audit_probability'"
    ):
        af.corrected(frame, "old", "old_truth")


def test_written(tmp_path: Path) -> None:
    frame = sample().with_columns(lang=pl.col("lang").replace("ja", "<b>ja"))
    corrected = af.corrected(frame, systems=SYSTEMS, by="lang")
    assert max(map(len, str(corrected).splitlines()[:8])) <= 90
    assert "<b>" not in corrected.write(tmp_path / "c.html", title="Judge").read_text(encoding="utf-8")
    for suffix in (".csv", ".json", ".md", ".xlsx", ".tex", ".parquet"):
        assert corrected.write(tmp_path / f"c{suffix}").stat().st_size > 100
    read = pl.read_csv(tmp_path / "c.csv")
    assert read["difference"].to_list() == pytest.approx(corrected.differences["difference"].to_list())
    assert "new against old" in corrected._repr_html_()
    assert "corrected|tuning:estimated|probability:audit_probability" in corrected.signature
    line = corrected.overall.row(0, named=True)
    assert f"old: {line['corrected']:.3f} [" in str(corrected)
    # Its interval includes 0.
    assert f"they may be right: bias {line['bias']:+.3f} [" in str(corrected)


@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.parametrize(
    ("failed", "erred", "expected"),
    [(3, 60, (True, False)), (40, 60, (False, False)), (40, 3, (False, True)), (40, 0, (False, True))],
)
def test_figures_that_few_documents_carry_are_marked(
    failed: int, erred: int, expected: tuple[bool, bool], *, by_rows: bool
) -> None:
    """Of 200 documents, all judged, some are wrong, and the judge errs in others."""
    rows = 1 if by_rows else 5
    doc = np.repeat(np.arange(200), rows)
    truth = np.where(doc < failed, 0.0, 1.0)
    score = np.where((doc >= 200 - erred) & (doc % 2 > 0), 0.0, truth)
    # Errors in both directions are as frequent.
    score = np.where((doc < failed) & (doc < erred / 2), 1.0, score)
    frame = pl.DataFrame({"doc": doc, "score": score, "truth": truth})
    made = af.corrected(frame, "score", "truth", cluster=None if by_rows else "doc", tuning=0)
    assert made.overall.select("few_rows", "bias_few_rows").row(0) == expected
    agreed = [made.overall[name].item() for name in made.overall.columns if name.endswith("_few_rows")]
    assert ("* few" in str(made)) is any((*expected, *agreed))

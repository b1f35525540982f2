from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from campaign import amount

import anls_frame as af

NEW = ["audit", "audit_probability", "audit_stratum", "audit_cluster"]


def rows(documents: int = 20, each: int = 10) -> pl.DataFrame:
    n = documents * each
    random = np.random.default_rng(0)
    score = random.choice([0.0, 0.5, 0.75, 1.0], n, p=[0.2, 0.1, 0.1, 0.6])
    return pl.DataFrame({
        "doc": [f"d{row // each}" for row in range(n)],
        "lang": ["en" if row % 8 else "ja" for row in range(n)],
        "score": score,
        "doubt": 1 - score,
        "old": [f"{row}" for row in range(n)],
        "new": [f"{row}" if row % 5 else None for row in range(n)],
    })  # fmt: skip


def test_a_row_of_each_document() -> None:
    sample = af.audit_sample(rows(), 20, cluster="doc")
    assert sample.columns == [*rows().columns, *NEW]
    assert sample["audit"].sum() == 20
    assert sample.filter("audit")["doc"].n_unique() == 20
    assert sample["audit_probability"].unique().to_list() == [pytest.approx(0.1)]
    assert sample["audit_stratum"].unique().to_list() == ["all"]
    assert sample["audit_cluster"].equals(sample["doc"])
    assert "audit_cluster" not in af.audit_sample(rows(), 20).columns


def test_each_row_has_its_probability() -> None:
    """As often as they should be, over many draws: a column, in strata of two slices."""
    frame, seeds = rows(), range(amount(100, 300))
    draws = [af.audit_sample(frame, 40, lean="doubt", cluster="doc", by="lang", seed=seed) for seed in seeds]
    assert {draw["audit"].sum() for draw in draws} == {40}
    probability = draws[0]["audit_probability"].to_numpy()
    often = np.mean([draw["audit"].to_numpy() for draw in draws], axis=0)
    error = np.sqrt(probability * (1 - probability) / len(seeds))
    assert (np.abs(often - probability) < 5 * error).all()
    # By hand: half of it is the same for all rows of a slice, half in proportion to the column.
    own = frame["lang"].to_numpy() == "ja"
    shares = 0.5 / own.sum() + 0.5 * frame["doubt"].to_numpy()[own] / frame["doubt"].to_numpy()[own].sum()
    assert probability[own].sum() == pytest.approx(5)
    assert probability[own] == pytest.approx(5 * shares)


def test_certain_rows() -> None:
    """A row with all the doubt is drawn in any case, and the others share what is left."""
    frame = pl.DataFrame({"doubt": [100.0] + [0.0] * 9})
    probability = af.audit_sample(frame, 5, lean="doubt")["audit_probability"]
    assert probability.to_list() == pytest.approx([1.0] + [4 / 9] * 9)


def test_differing_rows() -> None:
    sample = af.audit_sample(rows(), 30, lean="differing", prediction=["old", "new"], cluster="doc")
    differing = sample.filter(pl.col("new").is_null())
    assert differing["audit"].sum() == 30
    assert differing["audit_probability"].to_list() == pytest.approx([30 / 40] * 40)
    others = sample.filter(pl.col("new").is_not_null())
    assert others["audit_probability"].null_count() == others.height == 160
    assert dict(sample["audit_stratum"].value_counts().iter_rows()) == {"same": 160, "different": 40}


def test_strata_by_score() -> None:
    frame = pl.DataFrame({"score": [0.0] * 100 + [0.5] * 20 + [1.0] * 280})
    sample = af.audit_sample(frame, 60, lean="score", score="score")
    drawn = dict(sample.filter("audit")["audit_stratum"].value_counts().iter_rows())
    # 10 at least of the few between; the others in proportion 100 * 0.3 to 280 * 0.3.
    assert drawn == {"lowest": 13, "between": 10, "highest": 37}
    shares = sample.group_by("audit_stratum").agg(pl.col("audit_probability").first()).rows()
    assert dict(shares) == pytest.approx({"lowest": 0.13, "between": 0.5, "highest": 37 / 280})


def test_slices_have_enough_rows() -> None:
    sample = af.audit_sample(rows(), 60, by="lang", per_slice=20, cluster="doc")
    drawn = dict(sample.filter("audit")["lang"].value_counts().iter_rows())
    assert drawn == {"ja": 20, "en": 40}
    assert sample["audit_stratum"].equals(sample["lang"], check_names=False)
    crossed = af.audit_sample(rows(), 60, lean="score", score="score", by="lang")
    assert "lowest / ja" in crossed["audit_stratum"].unique()
    whole = af.audit_sample(rows(), 60, by="lang", per_slice=30)
    assert whole.filter(lang="ja")["audit"].all()
    # `corrected` refuses rows without a chance to be drawn.
    rare = rows().with_columns(lang=pl.when(doc="d0").then("lang").otherwise(pl.lit("fr")))
    few = af.audit_sample(rare, 10, by="lang")
    assert dict(few.filter("audit")["lang"].value_counts().iter_rows()) == {"fr": 8, "en": 1, "ja": 1}
    assert few["audit_probability"].min() > 0


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n": 0}, ValueError, "n must be an integer of at least 1"),
        ({"n": 201}, ValueError, "n must be at most 200, the number of rows that need a verdict, got 201"),
        ({"lean": "differing"}, ValueError, 'lean="differing" needs prediction='),
        ({"lean": "score"}, ValueError, 'lean="score" needs score='),
        ({"lean": "doc"}, af.DTypeError, "column 'doc' must hold numbers"),
        ({"lean": "negative"}, ValueError, "numbers of at least 0, but 1 value of 200"),
        ({"lean": "score", "score": "hole"}, ValueError, "must hold numbers, but 1 value of 200"),
        ({"per_slice": 5}, ValueError, "per_slice needs by="),
        ({"by": "lang", "per_slice": 20}, ValueError, "n must be at least 40, the number of"),
        ({"by": "doc"}, ValueError, "n must be at least 20, the number of"),
        ({"by": "many"}, af.DTypeError, r"\['many'\] of by= hold lists"),
        ({"cluster": "audit"}, af.DuplicateColumnError, r"already has the columns \['audit'\]"),
    ],
)
def test_refusals(options: dict[str, Any], error: type[Exception], message: str) -> None:
    frame = rows().with_columns(
        negative=pl.when(pl.int_range(pl.len()) > 0).then("doubt").otherwise(-1.0),
        hole=pl.when(pl.int_range(pl.len()) > 0).then("score"),
        many=pl.concat_list("lang"),
    )
    if options.get("cluster") == "audit":
        frame = frame.with_columns(audit=True)
    with pytest.raises(error, match=message):
        af.audit_sample(frame, **{"n": 10, **options})


@pytest.mark.parametrize(
    ("dtype", "has_parts"),
    [
        (pl.Duration("us"), False),
        (pl.Date, False),
        *((dtype, has_parts) for dtype in (pl.Datetime("us"), pl.Float32) for has_parts in (False, True)),
    ],
)
def test_strata_of_any_dtype_are_named_as_slices_of_reports(dtype: Any, *, has_parts: bool) -> None:
    frame = rows().with_columns(key=(pl.int_range(200) % 4 * 86_400_000_000).cast(pl.Int64))
    key = pl.col("key") // 86_400_000_000 if dtype in (pl.Date, pl.Float32) else pl.col("key")
    key = key.cast(pl.Int32 if dtype == pl.Date else pl.Int64).cast(dtype)
    # Whole numbers have no decimals, and midnights no time, unless another value has some.
    parts = {pl.Datetime("us"): key.dt.offset_by("90m"), pl.Float32: key + 0.5}
    frame = frame.with_columns((parts[dtype] if has_parts else key).alias("key"))
    sample = af.audit_sample(frame, 40, by="key", per_slice=3)
    assert sample["audit"].sum() == 40
    assert (
        sample.group_by("key").agg(pl.col("audit_stratum").n_unique())["audit_stratum"].to_list() == [1] * 4
    )
    shown = af.report(frame, "new", "old", by="key").to_text()
    assert all(f"│ {stratum} " in shown for stratum in sample["audit_stratum"])

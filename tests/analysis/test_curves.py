"""Curves from a summary's histogram are the means that the scores themselves have."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from cases import frame_of_parts

import anls_frame as af


@pytest.mark.parametrize("missing", ["empty", "drop"])
@pytest.mark.parametrize("protocol", ["anls", "rrc"])
def test_a_curve_is_the_mean_at_each_threshold(protocol: str, missing: Any) -> None:
    frame = frame_of_parts().with_columns(pl.col("tags").list.unique())
    summary = af.summarize(frame, "p", "a", by=["part", "tags"], protocol=protocol, missing=missing)
    predicted = pl.col("p").fill_null("") if missing == "empty" else pl.col("p")
    for by in (None, "part", ["tags", "part"]):
        keys = [by] if isinstance(by, str) else by or []
        curve = af.threshold_curve(summary, by=by)
        assert curve.columns == [*keys, "threshold", "anls", "kept", "n"]
        slices = frame.explode("tags", empty_as_null=True) if "tags" in keys else frame
        for step in (0, 1, 50, 66, 100, 133, 199, 200):
            score = af.anls(predicted, "a", protocol=protocol, threshold=step / 200)
            expected = slices.group_by(keys or pl.lit(0).alias("all")).agg(
                score.mean(), score.count().alias("n")
            )
            found = curve.filter(pl.col("threshold") == step / 200)
            if not keys:
                found = found.with_columns(all=0)
            both = expected.join(found, on=keys or ["all"], nulls_equal=True, validate="1:1", suffix="_found")
            assert both.height == expected.height == found.height
            assert (both["anls"] - both["anls_found"]).abs().max() < 1e-12  # type: ignore[operator]
            assert both["n"].to_list() == both["n_found"].to_list()


def test_a_curve_needs_a_summary_of_texts_and_known_columns() -> None:
    summary = af.summarize(frame_of_parts(), "p", "a", by="part")
    with pytest.raises(ValueError, match=r"not sliced by \['tags'\], only by \['part'\]"):
        af.threshold_curve(summary, by="tags")
    with pytest.raises(ValueError, match="existing scores"):
        af.threshold_curve(af.summarize(pl.DataFrame({"s": [0.5]}), metrics="s"))
    with pytest.raises(TypeError, match="summary must be a Summary, got DataFrame"):
        af.threshold_curve(frame_of_parts())  # type: ignore[arg-type]


@pytest.mark.parametrize("by", [None, "part", ["tags", "part"]])
def test_scores_by_length_are_those_of_the_rows(by: Any) -> None:
    frame = frame_of_parts().with_columns(pl.col("tags").list.unique())
    keys = [by] if isinstance(by, str) else by or []
    table = af.length_scores(frame, "p", "a", by=by)
    assert table.columns == [
        *(*keys, "length_from", "length_to", "n", "anls", "nls", "exact_match", "cer_mean", "cer_corpus")
    ]
    scored = af.add_scores(frame.with_columns(pl.col("p").fill_null("")), "p", "a").drop_nulls("anls")
    if "tags" in keys:
        scored = scored.explode("tags", empty_as_null=True)
    covered = 0
    for line in table.iter_rows(named=True):
        inside = pl.col("reference_length").is_between(line["length_from"], line["length_to"])
        part = scored.filter(inside, *(pl.col(key).eq_missing(pl.lit(line[key])) for key in keys))
        assert part.height == line["n"]
        for name, column in {
            "anls": "anls",
            "nls": "nls",
            "exact_match": "exact_match",
            "cer_mean": "cer",
        }.items():
            assert line[name] == pytest.approx(part[column].mean(), abs=1e-12)
        total = part["reference_length"].sum()
        assert line["cer_corpus"] == (part["char_errors"].sum() / total if total else None)
        covered += line["n"]
    assert covered == scored.height


def test_ranges_of_lengths_are_powers_of_two() -> None:
    answers = ["a" * length for length in (0, 1, 2, 3, 4, 7, 8, 1_023, 1_024)]
    table = af.length_scores(pl.DataFrame({"p": answers, "a": answers}), "p", "a")
    assert table.select("length_from", "length_to", "n").rows() == [
        (0, 0, 1), (1, 1, 1), (2, 3, 2), (4, 7, 2), (8, 15, 1), (512, 1_023, 1), (1_024, 2_047, 1)
    ]  # fmt: skip
    assert table["cer_corpus"].to_list() == [None, *[0.0] * 6]


def test_lengths_refuse_wrong_options() -> None:
    frame = frame_of_parts().with_columns(pl.col("tags").list.unique())
    with pytest.raises(af.DuplicateColumnError, match="'n'"):
        af.length_scores(frame.with_columns(n=1), "p", "a", by="n")
    with pytest.raises(ValueError, match="missing"):
        af.length_scores(frame, "p", "a", missing="keep")  # type: ignore[arg-type]

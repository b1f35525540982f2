from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import anls_frame as af
from anls_frame.export.page_verdicts import digest


def frame() -> pl.DataFrame:
    rows = [
        (1, "cow", ["cow"], None, "score_right", True),
        (2, "c0w", ["cow"], None, "our_error", True),
        (3, "ox", ["cow"], None, "answer_wrong", True),
        (4, "cow", ["cow"], None, "answer_wrong", True),
        (5, "ox", ["cow"], ["oxen", "oxx"], "answer_wrong", True),
        (6, "ox", ["cow"], None, "answer_incomplete", True),
        (7, "cow", ["cow"], None, "answer_incomplete", True),
        (8, "ox", ["cow"], ["cow", "ox"], "answer_incomplete", True),
        (9, "ox", ["cow"], None, "ambiguous_question", True),
        (10, "c0w", ["cow"], None, "format", True),
        (11, "cow", ["cow"], None, None, False),
        (12, None, ["cow"], None, "our_error", True),
    ]
    names = ["id", "text", "gold", "repaired", "verdict", "audit"]
    table = pl.DataFrame(rows, schema=dict.fromkeys(names), orient="row").with_columns(
        pl.col("repaired").cast(pl.List(pl.String)), audit_probability=pl.lit(0.9)
    )
    return af.add_scores(table, "text", "gold", columns=["anls"], missing="empty")


def verdicts(table: pl.DataFrame) -> pl.DataFrame:
    given = table.with_row_index("row").drop_nulls("verdict")
    digests = [digest([text], gold) for text, gold in given.select("text", "gold").iter_rows()]
    return given.select("id", "row", "verdict", digest=pl.Series(digests, dtype=pl.String))


TRUTHS = {
    (): [1, 2 / 3, 1, 0, 1, 1, 1, 1, 0, 2 / 3, None, 0],
    ("repaired",): [1, 2 / 3, 1, 0, 2 / 3, 1, 1, 1, 0, 2 / 3, None, 0],
    ("format",): [1, 2 / 3, 1, 0, 1, 1, 1, 1, 0, 1, None, 0],
    ("ambiguous",): [1, 2 / 3, 1, 0, 1, 1, 1, 1, 1, 2 / 3, None, 0],
}


@pytest.mark.parametrize("given", TRUTHS)
def test_truth_of_each_verdict(given: tuple[str, ...]) -> None:
    table = frame()
    options: dict[str, Any] = {name: "repaired" if name == "repaired" else "full" for name in given}
    names: dict[str, Any] = {"prediction": "text", "answers": "gold", "id": "id", **options}
    found = af.audited_scores(table.drop("verdict"), verdicts(table), "anls", **names)
    assert found.columns == [*table.drop("verdict").columns, "audited_score"]
    assert found["audited_score"].to_list() == pytest.approx(TRUTHS[given])
    turned = af.audited_scores(table.drop("verdict")[::-1], verdicts(table), "anls", **names)
    assert turned["audited_score"].to_list() == found["audited_score"][::-1].to_list()
    pandas = table.drop("verdict").to_pandas().set_axis([f"r{row}" for row in range(12)])
    scored = af.audited_scores(pandas, verdicts(table), "anls", **names)
    assert scored.index.tolist() == pandas.index.tolist()
    assert scored["audited_score"].isna().sum() == 1
    assert scored["audited_score"].sum() == pytest.approx(found["audited_score"].sum())


def test_truth_of_error_rates() -> None:
    table = frame().with_columns(cer=af.cer("text", "gold", missing="empty"))
    names: dict[str, Any] = {"prediction": "text", "answers": "gold", "id": "id", "lower_is_better": True}
    truths = {
        "given": [0, 1 / 3, 0, 0, 0, 0, 0, 0, 2 / 3, 1 / 3, None, 1],
        # Of "ox", 2 of 4 letters of "oxen" are missing, and 1 of 3 of "oxx".
        "repaired": [0, 1 / 3, 0, 0, 1 / 3, 0, 0, 0, 2 / 3, 1 / 3, None, 1],
        "full": [0, 1 / 3, 0, 0, 0, 0, 0, 0, 0, 0, None, 1],
    }
    options: dict[str, dict[str, Any]] = {
        "given": {},
        "repaired": {"repaired": "repaired"},
        "full": {"format": "full", "ambiguous": "full"},
    }
    for way, expected in truths.items():
        found = af.audited_scores(table.drop("verdict"), verdicts(table), "cer", **names, **options[way])
        assert found["audited_score"].to_list() == pytest.approx(expected)


def test_two_systems() -> None:
    table = frame().with_columns(other=pl.lit("cow"), other_anls=pl.lit(1.0))
    given = table.with_row_index("row").drop_nulls("verdict")
    digests = [digest([text, "cow"], gold) for text, gold in given.select("text", "gold").iter_rows()]
    both = given.select("id", "row", "verdict", digest=pl.Series(digests, dtype=pl.String))
    found = af.audited_scores(
        table.drop("verdict"),
        both,
        {"a": "anls", "b": "other_anls"},
        prediction={"a": "text", "b": "other"},
        answers="gold",
        id="id",
    )
    assert found["audited_score_a"].to_list() == pytest.approx(TRUTHS[()])
    assert found["audited_score_b"].to_list() == [1, 1, 0, 0, 0, 1, 1, 1, 1, 1, None, 1]


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"verdict": "format", "audit": True}, {}, None),
        (
            {"verdict": None, "audit": True},
            {},
            r"1 row \(id 11\) drawn, but without a verdict",
        ),
        (
            {"verdict": "format", "audit": False},
            {},
            r"1 row \(id 11\) with a verdict, but not drawn",
        ),
        ({}, {"format": "half"}, "format must be one of 'given', 'full'"),
        ({}, {"score": {"a": "anls"}}, r"must name the same systems, got \['a'\] and \[''\]"),
        ({"audited_score": 1.0}, {}, r"already has the columns \['audited_score'\]"),
    ],
)
def test_refusals(change: dict[str, Any], options: dict[str, Any], message: str | None) -> None:
    table = frame().with_columns(
        pl.when(id=11)
        .then(pl.lit(value))
        .otherwise(pl.col(name) if name != "audited_score" else 0.0)
        .alias(name)
        for name, value in change.items()
    )
    given: dict[str, Any] = {"score": "anls", "prediction": "text", "answers": "gold", "id": "id", **options}
    rows, judged = table.drop("verdict"), verdicts(table)
    if message is None:
        assert af.audited_scores(rows, judged, **given)["audited_score"].null_count() == 0
        return
    with pytest.raises(ValueError, match=message):
        af.audited_scores(rows, judged, **given)


def test_an_own_column_audit_says_nothing_of_the_draw() -> None:
    """Only `audit_sample` makes probabilities beside it."""
    table = frame().drop("audit_probability").with_columns(audit=pl.lit("by an accountant"))
    names: dict[str, Any] = {"prediction": "text", "answers": "gold", "id": "id"}
    found = af.audited_scores(table.drop("verdict"), verdicts(table), "anls", **names)
    assert found["audited_score"].to_list() == pytest.approx(TRUTHS[()])
    assert found["audit"].to_list() == table["audit"].to_list()

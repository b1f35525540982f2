"""Verdicts on their rows: each on exactly one, however the rows are ordered, or named in an error."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import polars as pl
import pytest

import anls_frame as af
from anls_frame.export.page_verdicts import digest

# Yes/no questions: nearly all rows have the texts of others.
YES_NO = pl.DataFrame(
    {
        "question_id": ["q1", "q2", "q3", "q4"],
        "prediction": ["yes", "yes", "no", "yes"],
        "answers": [["no"], ["no"], ["no"], ["no", "never"]],
    }
)

TEXTS = ("prediction", "answers")


def saved(
    frame: pl.DataFrame,
    given: Mapping[int, str],
    predictions: Sequence[str] = ("prediction",),
    id_column: str | None = "question_id",
) -> pl.DataFrame:
    """Return the verdicts that a page of the frame saves, by the number of the row."""
    lines: list[dict[str, Any]] = []
    for number, verdict in given.items():
        row = frame.row(number, named=True)
        known = digest([row[name] for name in predictions], row["answers"])
        line = {
            "id": row[id_column] if id_column else None,
            "row": number,
            "verdict": verdict,
            "digest": known,
        }
        lines.append(line | {name: row[name] for name in ("system", "epoch") if name in row})
    return pl.DataFrame(lines, schema_overrides={"id": pl.String} if id_column is None else None)


def verdicts_of(rows: pl.DataFrame, *names: str) -> dict[Any, str]:
    return {row[:-1] if len(names) > 1 else row[0]: row[-1] for row in rows.select(*names, "verdict").rows()}


@pytest.mark.parametrize("seed", range(20))
def test_every_verdict_stays_with_its_question_in_any_order(seed: int) -> None:
    draw = random.Random(seed)
    frame = pl.DataFrame(
        {
            "question_id": [f"q{number}" for number in range(30)],
            "prediction": [draw.choice(["yes", "no"]) for _ in range(30)],
            "answers": [[draw.choice(["yes", "no"])] for _ in range(30)],
        }
    )
    numbers = draw.sample(range(30), 12)
    given = {number: draw.choice(["our_error", "format"]) for number in numbers}

    shuffled = frame.sample(fraction=1, shuffle=True, seed=seed)
    found = af.readers.judged(shuffled.lazy(), saved(frame, given), *TEXTS, id="question_id")

    assert verdicts_of(found, "question_id") == {f"q{number}": verdict for number, verdict in given.items()}


def test_epochs_and_systems_of_a_question_are_told_apart() -> None:
    frame = pl.DataFrame(
        {
            "question_id": ["q1"] * 4 + ["q2"] * 4,
            "system": ["a", "a", "b", "b"] * 2,
            "epoch": [1, 2] * 4,
            "prediction": ["yes"] * 8,
            "answers": [["no"]] * 8,
        }
    )
    given = saved(frame, {1: "our_error", 6: "answer_wrong"})

    found = af.readers.judged(frame.reverse(), given, *TEXTS, id="question_id")

    assert verdicts_of(found, "question_id", "system", "epoch") == {
        ("q1", "a", 2): "our_error",
        ("q2", "b", 1): "answer_wrong",
    }
    # Without these columns, nobody can know which of the rows was judged.
    bare = frame.drop("system", "epoch")
    with pytest.raises(
        ValueError, match=r"^2 verdicts of 2 \(id 'q1', id 'q2'\): several rows have their id"
    ):
        af.readers.judged(
            bare, saved(bare, {1: "our_error", 6: "answer_wrong"}), "prediction", "answers", id="question_id"
        )


def test_a_name_of_a_system_matters_only_where_ids_repeat() -> None:
    frame = YES_NO.with_columns(system=pl.lit("old name"))
    given = saved(frame, {0: "format"})

    found = af.readers.judged(
        frame.with_columns(system=pl.lit("new")), given, "prediction", "answers", id="question_id"
    )

    assert verdicts_of(found, "question_id") == {"q1": "format"}


def test_systems_side_by_side() -> None:
    frame = YES_NO.with_columns(other=pl.Series(["no", "yes", "no", None]))
    given = saved(frame, {1: "answer_wrong", 3: "format"}, ["prediction", "other"])
    systems = {"a": "prediction", "b": "other"}

    found = af.readers.judged(frame.reverse(), given, systems, "answers", id="question_id")

    assert verdicts_of(found, "question_id") == {"q2": "answer_wrong", "q4": "format"}
    with pytest.raises(ValueError, match="or the page had other systems"):
        af.readers.judged(frame, given, {"b": "other", "a": "prediction"}, "answers", id="question_id")


def test_a_lost_verdict_does_not_cancel_a_doubled_one() -> None:
    given = pl.concat([saved(YES_NO, {0: "our_error", 1: "our_error"}), saved(YES_NO, {0: "our_error"})])

    with pytest.raises(ValueError, match=r"^2 verdicts of 3 \(id 'q1', id 'q1'\): several verdicts") as error:
        af.readers.judged(YES_NO, given, *TEXTS, id="question_id")
    assert "q2" not in str(error.value)
    with pytest.raises(ValueError, match=r"1 verdict of 3 \(id 'q2'\): no row .*; 2 verdicts of 3 \(id 'q1'"):
        af.readers.judged(YES_NO[[0, 2, 3]], given[[1, 0, 2]], *TEXTS, id="question_id")


def test_doubled_ids_take_verdicts_only_if_it_does_not_matter_which() -> None:
    frame = pl.concat([YES_NO, YES_NO[:1]])
    ask = {"prediction": "prediction", "answers": "answers", "id": "question_id"}

    alike = af.readers.judged(
        frame.reverse(), saved(frame, {0: "format", 4: "format", 1: "our_error"}), **ask
    )

    assert alike.select("question_id", "verdict").rows() == [
        ("q1", "format"),
        ("q2", "our_error"),
        ("q1", "format"),
    ]
    # As long as the rows are where they were, two verdicts may differ.
    differing = saved(frame, {0: "format", 4: "our_error"})
    assert af.readers.judged(frame, differing, **ask)["verdict"].to_list() == ["format", "our_error"]
    with pytest.raises(ValueError, match="several rows have their id and their texts"):
        af.readers.judged(
            frame.reverse().head(4).vstack(frame[:1]).reverse()[[1, 0, 2, 3, 4]], differing, **ask
        )
    # Rows of an id with other texts are others.
    other = frame.with_columns(prediction=pl.Series([*YES_NO["prediction"], "maybe"]))
    found = af.readers.judged(other.reverse(), saved(other, {4: "our_error"}), **ask)
    assert found["prediction"].to_list() == ["maybe"]


def test_without_ids_only_rows_with_their_own_texts_in_their_place_count() -> None:
    given = saved(YES_NO, {2: "our_error", 3: "format"}, id_column=None)

    found = af.readers.judged(YES_NO, given, *TEXTS)

    assert verdicts_of(found, "question_id") == {"q3": "our_error", "q4": "format"}
    with pytest.raises(ValueError, match=r"\(row 2, row 3\): .*moved.* if the page is made with id="):
        af.readers.judged(YES_NO.reverse(), given, *TEXTS)
    with pytest.raises(ValueError, match=r"other rows have the same texts.* made with id="):
        af.readers.judged(YES_NO, saved(YES_NO, {0: "our_error"}, id_column=None), *TEXTS)
    with pytest.raises(ValueError, match="the verdicts have ids: pass id="):
        af.readers.judged(YES_NO, saved(YES_NO, {0: "our_error"}), *TEXTS)


def test_frames_of_other_kinds_and_ids_of_other_dtypes() -> None:
    # A page writes 7.0 as 7, and reads whole numbers back as Int64.
    frame = YES_NO.with_columns(question_id=pl.Series([7.0, 2.5, None, 1e300]))
    given = saved(YES_NO, {0: "our_error", 1: "format", 3: "format"})
    given = given.with_columns(id=pl.Series(["7", "2.5", "1e+300"]))
    of_pandas = (
        frame.with_columns(pl.col("answers").list.first()).to_pandas().set_index(pd.Index(list("wxyz")))
    )
    first = saved(YES_NO, {0: "our_error"}).with_columns(id=pl.Series([7]))

    found = af.readers.judged(frame.reverse(), given, *TEXTS, id="question_id")
    rows = af.readers.judged(of_pandas[::-1], first, *TEXTS, id="question_id")

    assert verdicts_of(found, "question_id") == {7: "our_error", 2.5: "format", 1e300: "format"}
    assert isinstance(rows, pd.DataFrame)
    assert (list(rows.index), list(rows["verdict"])) == (["w"], ["our_error"])


def test_wrong_frames_are_named() -> None:
    given = saved(YES_NO, {0: "our_error"})
    with pytest.raises(af.DuplicateColumnError, match="'verdict'"):
        af.readers.judged(YES_NO.with_columns(verdict=1), given, *TEXTS, id="question_id")
    with pytest.raises(af.exceptions.ColumnNotFoundError, match="question_id"):
        af.readers.judged(YES_NO.rename({"question_id": "qid"}), given, *TEXTS, id="question_id")
    with pytest.raises(ValueError, match="there are no verdicts"):
        af.readers.judged(YES_NO, given.clear(), *TEXTS, id="question_id")


@pytest.mark.parametrize("kind", [pl.DataFrame.to_pandas, pl.DataFrame.to_arrow, pl.DataFrame.lazy])
def test_points_and_rules_of_frames_of_every_kind(kind: Callable[[pl.DataFrame], Any]) -> None:
    rows = YES_NO.with_columns(exact=pl.Series([0.0, 0.0, 1.0, 0.0]))
    judged = rows.head(1).with_columns(verdict=pl.lit("our_error"))

    lost = af.readers.lost_points(kind(judged), kind(rows), *TEXTS)
    rules = af.readers.scoring_rules(kind(rows), "exact")

    # Of four answers, three have no letter in common with an accepted one.
    assert lost.by_verdict.row(0) == ("prediction", "our_error", 1, 1.0, 1 / 3)
    assert "exact_match, protocol raw" in rules.reproducing["rule"]
    assert rules.rows.is_empty()


def test_judged_rows_without_a_score_are_none_of_the_scored_ones() -> None:
    # By hand: of three rows, the last has no answer; the first and the last are judged.
    frame = pl.DataFrame({"prediction": ["x", "b", "c"], "answers": ["a", "b", None]})
    judged = frame[[0, 2]].with_columns(verdict=pl.lit("our_error"))
    lost = af.readers.lost_points(judged, frame, "prediction", "answers")
    assert lost.by_verdict.select("rows", "lost_points").row(0) == (2, 1.0)
    assert lost.by_system.select("n", "n_judged", "lost_points_of_judged").row(0) == (2, 1, 1.0)


@pytest.mark.parametrize("no_answer", [None, [], [None]])
@pytest.mark.parametrize("unanswerable", ["drop", "empty"])
def test_rows_without_an_answer_keep_the_verdicts_of_their_page(no_answer: Any, unanswerable: Any) -> None:
    frame = YES_NO.with_columns(
        answers=pl.Series([["no"], no_answer, no_answer, ["no"]], dtype=pl.List(pl.String)),
        prediction=pl.Series(["yes", "yes", None, "yes"]),
        other=pl.Series([None, None, "no", "yes"]),
    )
    systems = {"a": "prediction", "b": "other"}
    page = af.browse(frame, systems, "answers", id="question_id", unanswerable=unanswerable)
    given = saved(frame, dict.fromkeys(range(4), "our_error"))
    given = given.with_columns(digest=pl.Series(page.digests(range(4))))

    found = af.readers.judged(frame.reverse(), given, systems, "answers", id="question_id")

    assert found.drop("verdict").rows() == frame.reverse().rows()
    lost = af.readers.lost_points(found, frame, systems, "answers", unanswerable=unanswerable).by_system
    # The texts of a, where nothing is right, are wrong in the rows 0, 1 and 3; those of b in 0, 2 and 3.
    expected = {"drop": [2, 2], "empty": [3, 3]}[unanswerable]
    assert lost["lost_points_of_judged"].to_list() == lost["lost_points"].to_list() == expected


def test_rows_without_an_answer_are_none_with_an_empty_one() -> None:
    frame = YES_NO[:2].with_columns(answers=pl.Series([None, [""]], dtype=pl.List(pl.String)))
    given = saved(frame, {0: "our_error", 1: "format"}, id_column=None)
    assert af.readers.judged(frame, given, *TEXTS).drop("verdict").equals(frame)
    # Both pages are possible, and on one of them the texts of both rows are the same.
    with pytest.raises(ValueError, match="other rows have the same texts, or rows have moved"):
        af.readers.judged(frame.reverse(), given[1:], *TEXTS)
    same_id, with_ids = frame.with_columns(question_id=pl.lit("q1")), given.with_columns(id=pl.lit("q1"))
    found = af.readers.judged(same_id.reverse(), with_ids, *TEXTS, id="question_id")
    assert found["verdict"].to_list() == ["format", "our_error"]
    # A page saves no epochs that are lists, so they are no epochs here either.
    lists = frame.with_columns(epoch=pl.Series([[1], [2]]))
    assert af.readers.judged(lists, given, *TEXTS)["verdict"].to_list() == ["our_error", "format"]


def test_rows_of_invented_fields_keep_the_verdicts_of_their_page() -> None:
    texts = {"id": ["d"], "gold": ['{"total": "1"}'], "p": ['{"total": "1", "tax": "7"}'], "q": ["{}"]}
    rows = af.fields(pl.DataFrame(texts), ["p", "q"], "gold", id="id")
    page = af.browse(rows, ["p", "q"], "answers")
    given = pl.DataFrame({"id": [None, None], "row": [0, 1], "verdict": ["format", "our_error"]})
    given = given.with_columns(digest=pl.Series(page.digests([0, 1])))

    assert verdicts_of(af.readers.judged(rows, given, ["p", "q"], "answers"), "field") == {
        "total": "format",
        "tax": "our_error",
    }

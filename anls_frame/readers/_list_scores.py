"""DUDE's score of a question, including questions with a list as the answer."""

from __future__ import annotations

import polars as pl

from anls_frame.metrics.scores import anls


def scores(frame: pl.DataFrame) -> pl.Series:
    """
    Return the score of each question according to DUDE's script; null without a prediction.

    A question with a single answer has the ANLS of the first prediction. If the answer is a list, predictions
    and answers are assigned one to one so that the sum of their ANLS is largest, and the sum is divided by
    the number of distinct answers or of predictions, whichever is larger. Among several such assignments, the
    script may choose another, whose sum differs in the last bit (12 of 30,000 random lists of up to 7).
    """
    single = frame.select(anls("prediction", "answers", protocol="rrc")).to_series()
    if frame.schema.get("answer_type") != pl.String:
        return single
    are_lists = frame["answer_type"].str.contains("list") & frame["prediction"].is_not_null()
    assigned_scores = {
        row: _assigned(predictions, answers)
        for row, predictions, answers in frame.with_row_index("row")
        .filter(are_lists)
        .select("row", "predictions", "answers")
        .iter_rows()
    }
    if not assigned_scores:
        return single
    return single.scatter(list(assigned_scores), list(assigned_scores.values()))


def _assigned(predictions: list[str], answers: list[str]) -> float:
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - only for those who use it

    pairs = pl.DataFrame({"prediction": predictions}, schema={"prediction": pl.String}).join(
        pl.DataFrame({"answer": answers}), how="cross", maintain_order="left_right"
    )
    table = pairs.select(anls("prediction", "answer", protocol="rrc")).to_numpy()
    table = table.reshape(len(predictions), len(answers))
    # As in the script, the shorter list first: sums of floats depend on the order.
    table = table.T if len(answers) < len(predictions) else table
    best = linear_sum_assignment(table, maximize=True)
    return float(table[best].sum() / max(len(set(answers)), len(predictions)))

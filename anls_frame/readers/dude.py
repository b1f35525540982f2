"""The files of DUDE, a competition on document understanding: gold labels and a submission."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import polars as pl

from anls_frame._text import numbered
from anls_frame.exceptions import warn
from anls_frame.frames import origins
from anls_frame.frames.checks import free_name
from anls_frame.frames.strict_json import Number, kind
from anls_frame.metrics.scores import anls
from anls_frame.readers import _submissions
from anls_frame.readers._sample_fields import SAMPLE, Key, members, role

_UNANSWERABLE = ("not-answerable", "not answerable")
_SUBMITTED = {"questionId", "answers", "answers_confidence"}


def read_dude(
    gold: str | os.PathLike[str], submission: str | os.PathLike[str], *, allow_missing: bool = False
) -> pl.DataFrame:
    """
    Read gold labels and a submission for DUDE (Document Understanding Dataset and Evaluation).

    The submission is a list of `{"questionId": ..., "answers": [...], "answers_confidence": [...]}`. As in
    DUDE's script, the first entry of `answers` is the prediction (an empty list means the empty text), and an
    unanswerable question accepts the empty text.

    Parameters
    ----------
    gold
        The file of gold labels, an object with the questions in `data`.
    submission
        The file of predictions.
    allow_missing
        Whether to treat a question without answers in the submission, or with null, as a missing prediction.

    Returns
    -------
    DataFrame
        The standard frame, in the order of the gold labels, with their other fields (`answer_type`;
        `answers_variants`, which the script does not accept; ...), all submitted answers in `predictions`,
        and `answers_confidence` (the first of a list; -1 means none). Other fields of the submission keep
        their names; a field whose name is taken becomes `gold_NAME` or `submission_NAME`. `dude_anls` is the
        script's score. The protocol `rrc` gives the same score, except for questions with a list as the
        answer (`list` in `answer_type`), where the script assigns all predictions to all answers.

    Warns
    -----
    InputWarning
        If questions have a list as the answer.

    Raises
    ------
    InputError
        If the files have problems; the error lists all of them, with index and id.
    OSError
        If a file cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> folder = Path(tempfile.mkdtemp())
    >>> gold = '{"questionId": "a1", "question": "Fax?", "answers": ["Yes"], "answer_type": "extractive"}'
    >>> _ = (folder / "gold.json").write_text('{"dataset_name": "DUDE Dataset", "data": [' + gold + "]}")
    >>> submission = '[{"questionId": "a1", "answers": ["yes"], "answers_confidence": [0.8]}]'
    >>> _ = (folder / "submission.json").write_text(submission)
    >>> frame = af.readers.read_dude(folder / "gold.json", folder / "submission.json")
    >>> frame.select("question_id", "prediction", "answers", "answers_confidence")
    shape: (1, 4)
    ┌─────────────┬────────────┬───────────┬────────────────────┐
    │ question_id ┆ prediction ┆ answers   ┆ answers_confidence │
    │ ---         ┆ ---        ┆ ---       ┆ ---                │
    │ str         ┆ str        ┆ list[str] ┆ f64                │
    ╞═════════════╪════════════╪═══════════╪════════════════════╡
    │ a1          ┆ yes        ┆ ["Yes"]   ┆ 0.8                │
    └─────────────┴────────────┴───────────┴────────────────────┘
    """
    frame = _submissions.read(
        gold, submission, _answered, allow_missing=allow_missing, unanswerable=_UNANSWERABLE
    )
    _warn_of_lists(frame)
    name = free_name("dude_anls", frame.columns)
    return origins.remember(frame.with_columns(_scores(frame).alias(name)), "rrc")


def _answered(row: dict[str, Any], report: Callable[[str], None], *, allow_missing: bool) -> dict[Key, Any]:
    """Return the fields of a submitted row."""
    fields = members("submission", {name: value for name, value in row.items() if name not in _SUBMITTED})
    answers = row.get("answers")
    if answers is None and allow_missing:
        return fields
    texts = answers if isinstance(answers, list) else [answers]
    wrong = next((text for text in texts if type(text) is not str), "")
    if wrong != "" or "answers" not in row:
        report(f"answers must be strings, got {kind(wrong)}" if "answers" in row else "no answers")
        return fields
    confidence = row.get("answers_confidence")
    first = next(iter(confidence), None) if isinstance(confidence, list) else confidence
    if first is not None and not isinstance(first, Number):
        report(f"answers_confidence must be a number or a list of numbers, got {kind(first)}")
    return fields | {
        role("prediction"): texts[0] if texts else "",
        (SAMPLE, "predictions"): texts,
        (SAMPLE, "answers_confidence"): first,
    }


def _warn_of_lists(frame: pl.DataFrame) -> None:
    """Warn of questions that have a list as the answer, because only the first prediction is scored."""
    if frame.schema.get("answer_type") != pl.String:
        return
    lists = frame.filter(pl.col("answer_type").str.contains("list")).height
    if lists:
        warn(
            f"the answers to {numbered(lists, 'question')} of {frame.height:,} are lists. DUDE's script "
            'assigns them to all predictions: this score is in dude_anls (metrics="dude_anls"). Other '
            "scores take the first prediction and its nearest answer. To leave these questions out: "
            'frame.filter(~pl.col("answer_type").str.contains("list"))'
        )


def _scores(frame: pl.DataFrame) -> pl.Series:
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

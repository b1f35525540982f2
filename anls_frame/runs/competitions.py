"""Pairs of files of competitions: gold labels and a submission."""

from __future__ import annotations

import os
from typing import get_args

import polars as pl

from anls_frame._arguments import choice
from anls_frame._text import path_text
from anls_frame.files.file import File
from anls_frame.files.problems import Problems
from anls_frame.readers.submissions import DUDE, RRC, Competition, Unmatched
from anls_frame.runs import long_rows
from anls_frame.runs.long_rows import Log


def read_rrc(
    gold: str | os.PathLike[str], submission: str | os.PathLike[str], *, unmatched: Unmatched = "error"
) -> pl.DataFrame:
    """
    Read gold labels and a submission for the tasks DocVQA, InfographicVQA, ST-VQA or TextVQA.

    The submission is a list of `{"questionId": ..., "answer": ...}` in any order; ids may be spelled
    `question_id`, as in ST-VQA, TextVQA and the predictions of MMF. The checks cover those of the
    competition's script and of PyPI anls, and conditions that make them fail later: ids that are missing,
    unknown or duplicated, or strings in one file and numbers in the other; answers that are numbers or lists;
    and questions without accepted answers.

    Parameters
    ----------
    gold
        The file of gold labels, an object with the questions in `data`.
    submission
        The file of predictions.
    unmatched
        How to treat questions without an answer in the submission, or with null, and questions that the gold
        labels lack. `"error"` lists them in an error; `"null"` counts questions without an answer as missing
        predictions; `"drop"` leaves them out. Both leave out questions that the gold labels lack; they warn,
        and list all these questions.

    Returns
    -------
    DataFrame
        The standard frame, in the order of the gold labels, with their other fields; a field whose name is
        taken becomes `gold_NAME`.

    Warns
    -----
    InputWarning
        If questions are left out or counted as missing predictions.

    Raises
    ------
    InputError
        If the files have problems; the error lists all of them, with index and id.
    OSError
        If a file cannot be opened.

    See Also
    --------
    write_submission : writes predictions as a submission.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> gold = {"data": [{"questionId": 7, "question": "Total?", "answers": ["12.50", "$12.50"]}]}
    >>> _ = Path("gold.json").write_text(json.dumps(gold))
    >>> _ = Path("submission.json").write_text('[{"questionId": 7, "answer": "12.60"}]')
    >>> frame = af.read_rrc("gold.json", "submission.json")
    >>> frame.select("question_id", "prediction", "answers").row(0)
    ('7', '12.60', ['12.50', '$12.50'])
    """
    return _read(RRC, gold, submission, unmatched)


def read_dude(
    gold: str | os.PathLike[str], submission: str | os.PathLike[str], *, unmatched: Unmatched = "error"
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
    unmatched
        How to treat questions without an answer in the submission, or with null, and questions that the gold
        labels lack. `"error"` lists them in an error; `"null"` counts questions without an answer as missing
        predictions; `"drop"` leaves them out. Both leave out questions that the gold labels lack; they warn,
        and list all these questions.

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
        If questions have a list as the answer, are left out, or are counted as missing predictions.

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
    return _read(DUDE, gold, submission, unmatched)


def _read(
    competition: Competition,
    gold: str | os.PathLike[str],
    submission: str | os.PathLike[str],
    unmatched: str,
) -> pl.DataFrame:
    """Return the standard frame of a pair of files; problems of both are listed at once."""
    choice("unmatched", unmatched, get_args(Unmatched))
    labels, file = None, File.of(submission)
    problems = Problems()
    with problems.collecting():
        labels = competition.labels(File.of(gold))
    with problems.collecting():
        rows = competition.submission(file, labels)
    problems.raise_any()
    log = Log(path_text(file.path), file.path, long_rows.with_epoch(rows))
    return long_rows.only_file(log, rows, gold=labels, unmatched=unmatched)

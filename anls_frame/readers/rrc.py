"""The files of the Robust Reading Competition: gold labels and a submission."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from anls_frame._arguments import takes_names
from anls_frame._atomic import replacing
from anls_frame.frames import origins
from anls_frame.frames.conversion import to_lazy
from anls_frame.frames.strict_json import kind
from anls_frame.readers import _content, _raw, _standard, _submissions
from anls_frame.readers._problems import Problems
from anls_frame.readers._sample_fields import Key, role

_DOC_IDS = ("docId", "doc_id", "image", "image_local_name")


def read_rrc(
    gold: str | os.PathLike[str], submission: str | os.PathLike[str], *, allow_missing: bool = False
) -> pl.DataFrame:
    """
    Read gold labels and a submission for the tasks DocVQA, InfographicVQA, ST-VQA or TextVQA.

    The submission is a list of `{"questionId": ..., "answer": ...}` in any order; ids may be spelled
    `question_id`, as in ST-VQA, TextVQA and the predictions of MMF. The checks cover those of the
    competition's script and of PyPI anls, and conditions that make them fail later: ids that are missing,
    unknown or duplicated, or strings in one file and numbers in the other; answers that are null, numbers or
    lists; and questions without accepted answers.

    Parameters
    ----------
    gold
        The file of gold labels, an object with the questions in `data`.
    submission
        The file of predictions.
    allow_missing
        Whether to treat a question without an answer in the submission, or with null, as a missing
        prediction.

    Returns
    -------
    DataFrame
        The standard frame, in the order of the gold labels, with their other fields; a field whose name is
        taken becomes `gold_NAME`.

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
    >>> import anls_frame as af
    >>> frame = af.read_rrc("data/rrc/gold_label.json", "data/rrc/submission_tesseract.json")
    >>> frame.select("question_id", "prediction", "answers").head(1)
    shape: (1, 3)
    ┌─────────────┬──────────────────┬──────────────────────┐
    │ question_id ┆ prediction       ┆ answers              │
    │ ---         ┆ ---              ┆ ---                  │
    │ str         ┆ str              ┆ list[str]            │
    ╞═════════════╪══════════════════╪══════════════════════╡
    │ 10101       ┆ Jackson and Sons ┆ ["Jackson and Sons"] │
    └─────────────┴──────────────────┴──────────────────────┘
    """
    frame = _submissions.read(gold, submission, _answered, allow_missing=allow_missing, doc_ids=_DOC_IDS)
    return origins.remember(frame, "rrc")


def _answered(row: dict[str, Any], report: Callable[[str], None], *, allow_missing: bool) -> dict[Key, Any]:
    value = row.get("answer")
    if type(value) is str or (value is None and allow_missing):
        return {role("prediction"): value}
    report("no answer" if "answer" not in row else f"answer must be a string, got {kind(value)}")
    return {}


@takes_names
def write_submission(
    frame: Any,
    path: str | os.PathLike[str],
    *,
    prediction: str = "prediction",
    question_id: str = "question_id",
) -> Path:
    """
    Write predictions as a submission for the Robust Reading Competition.

    Parameters
    ----------
    frame
        A Polars, pandas or Arrow frame with an id and a prediction in each row.
    path
        Path of the file, which is replaced completely or, on an error, left unchanged.
    prediction, question_id
        Names of the columns.

    Returns
    -------
    Path
        The path of the file, which contains a list of `{"questionId": ..., "answer": ...}`, with ids as
        numbers if all are integers, and missing predictions as empty strings.

    Raises
    ------
    InputError
        If an id is missing or duplicated.
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If a column does not fit its role.
    OSError
        If the file cannot be written. An existing file then stays unchanged.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> frame = af.read_rrc("data/rrc/gold_label.json", "data/rrc/submission_tesseract.json")
    >>> path = af.readers.write_submission(frame.head(2), Path(tempfile.mkdtemp()) / "submission.json")
    >>> print(path.read_text())
    [{"questionId": 10101, "answer": "Jackson and Sons"},
     {"questionId": 10102, "answer": "info.jackson@example.org"}]
    <BLANKLINE>
    """
    target = _content.as_path(path)
    columns = to_lazy(frame, [prediction], [question_id]).collect()
    problems = Problems(target)
    ids = _raw.texts(question_id, columns[question_id], problems, str)
    texts = _raw.texts(prediction, columns[prediction], problems, str)
    _standard.check_ids(ids, problems, lambda row: f"row {row + 1}")
    problems.raise_any()
    whole = all(_is_whole(value) for value in ids)
    rows = [
        f'{{"questionId": {key if whole else json.dumps(key)}, '
        f'"answer": {json.dumps(text or "", ensure_ascii=False)}}}'
        for key, text in zip(ids, texts, strict=True)
    ]
    with replacing(target) as file:
        file.write(("[" + ",\n ".join(rows) + "]\n").encode())
    return target


def _is_whole(text: str) -> bool:
    return re.fullmatch("0|-?[1-9][0-9]*", text) is not None

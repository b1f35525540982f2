"""Tables of VLMEvalKit."""

from __future__ import annotations

import os

import polars as pl

from anls_frame.files import table_files
from anls_frame.files.file import File
from anls_frame.files.raw_tables import with_numbers_where_all_are
from anls_frame.files.standard_frames import check_answers
from anls_frame.frames import origins, usual_names

# Data sets that VLMEvalKit scores with ANLS, as they appear in file names.
_SCORED_BY_ANLS = ("DocVQA", "InfoVQA")


# Words in the names that VLMEvalKit gives to score columns.
_SCORE_WORDS = frozenset({"score", "scores", "hit", "anls", "acc", "em", "f1"})


def read_vlmevalkit(path: str | os.PathLike[str], *, sheet: str | None = None) -> pl.DataFrame:
    r"""
    Read the predictions or detailed results of VLMEvalKit (`MODEL_DATASET.xlsx`, or TSV, CSV, JSON).

    For DocVQA and InfoVQA, VLMEvalKit's value of a row, `eval_score` in the detailed results, is the mean
    distance over the answers, so a perfect answer has 0. Do not report this value; score the rows instead
    (VLMEvalKit's aggregate figures equal those of the protocol `"rrc"`). VLMEvalKit also scores an empty
    prediction as the string "nan".

    Parameters
    ----------
    path
        The file.
    sheet
        Name of the sheet, for a workbook with several sheets.

    Returns
    -------
    DataFrame
        The standard frame; `index` is the id. All other columns keep their names. Scores (`eval_score`,
        `hit`, `anls`, ...) become numbers if the whole column can be converted; other columns of CSV, TSV and
        workbooks stay strings.

    Raises
    ------
    InputError
        If the file has problems; the error lists all of them, with their rows.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> path = Path(tempfile.mkdtemp()) / "Model_DocVQA_VAL.tsv"
    >>> _ = path.write_text("index\tquestion\tanswer\tprediction\n4\tBrand?\t['Coke', 'Coca Cola']\tcoke\n")
    >>> af.readers.read_vlmevalkit(path)
    shape: (1, 4)
    ┌─────────────┬──────────┬────────────┬───────────────────────┐
    │ question_id ┆ question ┆ prediction ┆ answers               │
    │ ---         ┆ ---      ┆ ---        ┆ ---                   │
    │ str         ┆ str      ┆ str        ┆ list[str]             │
    ╞═════════════╪══════════╪════════════╪═══════════════════════╡
    │ 4           ┆ Brand?   ┆ coke       ┆ ["Coke", "Coca Cola"] │
    └─────────────┴──────────┴────────────┴───────────────────────┘
    """
    file = File.of(path)
    frame = table_files.read_table(
        file,
        required=usual_names.SCORED,
        question_id="index",
        prediction="prediction",
        answers="answer",
        sheet=sheet,
        answers_format="list",
    )
    check_answers(file, frame)
    others = [name for name in frame.columns if name not in usual_names.ROLES]
    scores = [name for name in others if _SCORE_WORDS.intersection(name.casefold().split("_"))]
    frame = with_numbers_where_all_are(frame, scores)
    protocol = "rrc" if any(name in file.path.name for name in _SCORED_BY_ANLS) else None
    return origins.remember(frame, protocol, outcomes=frozenset(scores))

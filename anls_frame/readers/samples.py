"""Samples of any harness as the standard frame."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from anls_frame._text import numbered
from anls_frame.files import standard_frames
from anls_frame.files.file import File
from anls_frame.files.problems import Problems, problem
from anls_frame.files.raw_tables import Raw
from anls_frame.files.standard_frames import SAMPLE, Key


def checked_samples(
    file: File,
    raw: Raw,
    problems: Problems,
    *,
    is_outcome: Callable[[Key], bool],
    answers_format: str = "list",
    repeated: str = "",
) -> pl.DataFrame:
    """
    Return the standard frame of samples. A sample occurs once in each epoch.

    `is_outcome` says which fields say how the system did; `repeated` what to do about ids that occur again.
    """
    if not raw.height:
        problems.raise_any()
        raise problem(file, "holds no samples")
    frame = standard_frames.samples_frame(raw, problems, is_outcome=is_outcome, answers_format=answers_format)
    if file.unique_ids and "question_id" in frame.columns:
        epochs = raw.columns.get((SAMPLE, "epoch"), [None] * frame.height)
        standard_frames.check_ids(frame["question_id"], problems, raw.place, epochs, repeated)
    problems.raise_any()
    check_answers(file, frame)
    return frame


def check_answers(file: File, frame: pl.DataFrame) -> None:
    """Raise an error if no row has an answer."""
    if not frame["answers"].list.drop_nulls().list.len().sum():
        raise problem(
            file,
            f"no answers in {numbered(frame.height, 'row')}, as in a test split; there is nothing to score",
        )

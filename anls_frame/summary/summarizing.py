"""Summarize a frame: count its rows and sum its scores."""

from __future__ import annotations

import dataclasses
import uuid
from typing import TYPE_CHECKING, Any, Concatenate, cast

from anls_frame._arguments import count, flag
from anls_frame.frames.conversion import is_pandas
from anls_frame.frames.origins import protocol_of
from anls_frame.frames.progress import following
from anls_frame.protocol import ScoreProtocol, resolve_protocol, resolve_threshold
from anls_frame.summary.cells import Collected, collect, lowest
from anls_frame.summary.details import KEYS, plans
from anls_frame.summary.keys import key_names
from anls_frame.summary.measures import resolve_direction
from anls_frame.summary.rows import existing_scores, scored_texts
from anls_frame.summary.settings import MOST_ROWS, Settings, check_by, resolve_missing
from anls_frame.summary.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd
    import polars as pl

    from anls_frame._typing import OnFrames, Options
    from anls_frame.summary.settings import Missing

__all__ = ["summarize"]


def _on_frames(
    function: Callable[Concatenate[Any, Options], Summary],
) -> OnFrames[Options, Summary[pd.DataFrame], Summary[pl.DataFrame]]:
    return cast("OnFrames[Options, Summary[pd.DataFrame], Summary[pl.DataFrame]]", function)


@_on_frames
def summarize(
    frame: Any,
    prediction: str | None = None,
    answers: str | None = None,
    *,
    score: str | None = None,
    higher_is_better: bool | None = None,
    by: str | Sequence[str] | None = None,
    cluster: str | None = None,
    protocol: ScoreProtocol | str = "anls",
    threshold: float | None = None,
    cer_protocol: ScoreProtocol | str = "raw",
    missing: Missing | None = None,
    worst: int = 0,
    details: bool = False,
    part: str | None = None,
    progress: bool | Callable[[int], object] = False,
) -> Summary:
    """
    Count and sum the scores of a frame by cell.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame (read on the streaming engine, so it may be larger than memory), a
        pandas DataFrame, or any object with the Arrow PyCapsule interface.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers.
    score
        Name of a column of existing scores, in place of `prediction` and `answers`.
    higher_is_better
        Direction of these scores; by default `False` if the column's name contains the word cer, wer, mer,
        wil or ter, as names of error rates do, and `True` otherwise.
    by
        Columns that define the slices; in pandas, levels of the index too. A row counts in the slice of each
        entry of a list column; null, an empty list and a list of nulls all belong to the slice null.
    cluster
        Column that identifies the cluster (the document) of each row; nulls form one cluster.
    protocol, threshold, cer_protocol
        How texts are scored, as for `anls_frame.score`. Derive your own `cer_protocol` from "raw", which
        prepares nothing: ``PROTOCOLS["raw"].replace(unicode_form="NFC")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string; `"drop"` leaves it out. A null
        score is always left out.
    worst
        Number of rows with the lowest scores to keep, or with the highest if lower is better.
    details
        Also count error types, character confusions (under `cer_protocol`) and lengths; this reads the rows
        three more times.
    part
        Name of this part, by which `merge` recognises it; random by default.
    progress
        `True` shows a progress bar in a terminal or notebook; a function is called with the number of rows
        of each batch that is read, from any thread. `cluster` and `worst` each read the rows once more,
        `details` three times.

    Returns
    -------
    Summary
        Its size depends on the number of cells, not on the number of rows.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    ValueError
        If an option has an invalid value, or if both or neither of texts and `score` are given.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a", None], "answer": ["a", "x"], "lang": ["en", "en"]})
    >>> af.summarize(df, "prediction", "answer", by="lang").cells.select("key_0", "n", "zeros_sum")
    shape: (1, 3)
    ┌───────┬─────┬───────────┐
    │ key_0 ┆ n   ┆ zeros_sum │
    │ ---   ┆ --- ┆ ---       │
    │ str   ┆ u64 ┆ u64       │
    ╞═══════╪═════╪═══════════╡
    │ en    ┆ 2   ┆ 1         │
    └───────┴─────┴───────────┘
    """
    missing = resolve_missing(missing, has_scores=score is not None)
    better = resolve_direction(score, higher_is_better)
    worst = count("worst", worst, most=MOST_ROWS - 1)
    if flag("details", details) and score is not None:
        raise ValueError("details need texts; a column of scores has none")
    if part is not None and not (isinstance(part, str) and part):
        raise ValueError(f"part must be a non-empty string, got {part!r}")
    columns = check_by(by)
    scoring: dict[str, Any] = {"score": score, "threshold": None}
    if score is None:
        if prediction is None or answers is None:
            raise ValueError("pass the columns prediction and answers, or score for existing scores")
        scoring = {
            "protocol": resolve_protocol(protocol),
            "threshold": resolve_threshold(protocol, threshold),
            "cer_protocol": resolve_protocol(cer_protocol),
            "details": details,
        }
    elif prediction is not None or answers is not None:
        raise ValueError("pass either prediction and answers, or score, not both")
    settings = Settings(
        by=columns, cluster=cluster, higher_is_better=better, missing=missing, worst=worst, **scoring
    )
    with following(progress, frame, passes(settings)) as advance:
        if prediction is None or answers is None:
            rows = existing_scores(frame, str(score), settings, advance)
        else:
            rows = scored_texts(frame, prediction, answers, settings, advance)
            if details:
                keys = key_names(columns, None)
                rows = dataclasses.replace(rows, details=plans(rows.frame, keys, settings))
        summary = _summary(collect(rows, worst), settings, part or uuid.uuid4().hex)
    return dataclasses.replace(summary, scored_by=protocol_of(frame), from_pandas=is_pandas(frame))


def passes(settings: Settings) -> int:
    """Return the number of times that the rows are read."""
    clusters = settings.cluster is not None and settings.score is None
    return 1 + clusters + bool(settings.worst) + settings.details * len(KEYS)


def _summary(collected: Collected, settings: Settings, part: str) -> Summary:
    cells = collected.cells
    not_finite = cells["not_finite_sum"].sum() if "not_finite_sum" in cells.columns else 0
    if not_finite:
        raise ValueError(
            f"column {settings.score!r} holds NaN or infinity in {not_finite} rows; drop or fill them"
        )
    return Summary(
        settings=settings,
        parts={part: int(cells["rows"].sum())},
        digest=collected.digest,
        cells=cells,
        bins=collected.bins,
        worst_rows=lowest(collected.worst, settings),
        details=collected.details,
    )

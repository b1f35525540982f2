"""Result files of evaluation harnesses: lmms-eval, VLMEvalKit, lm-evaluation-harness and Inspect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anls_frame.readers import _content, _json, _raw, _standard, table
from anls_frame.readers._problems import Problems, listed, problem, shown

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import polars as pl

    from anls_frame.readers._problems import Problems as ProblemList

__all__ = ["read_inspect", "read_lm_eval", "read_lmms_eval", "read_vlmevalkit"]

# What the harnesses call the fields of a document, and the role it has.
_DOCUMENT: dict[str, _standard.Role] = {
    "question": "question",
    "question_types": "question_types",
    "question_type": "question_types",
    "docId": "doc_id",
    "doc_id": "doc_id",
    "ucsf_document_id": "doc_id",
}
_Row = tuple[str, dict[str, Any]]


def read_lmms_eval(path: str | os.PathLike[str]) -> pl.DataFrame:
    """
    Read the samples that lmms-eval logs (`*_samples_TASK.jsonl`, with `--log_samples`).

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    DataFrame
        The standard frame: the prediction is the filtered response, the answers come from `target`, the
        question is the prompt (`input`), the id lmms-eval's `doc_id`. Metrics and all other fields keep
        their names.

    Raises
    ------
    InputError
        If something is wrong in the file: every problem, with its line. Also where there are no answers, as
        in a test split, and where a row holds no single response, as in multiple-choice tasks.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import anls_frame as af
    >>> path = getfixture("tmp_path") / "20261121_samples_docvqa_val.jsonl"
    >>> row = '{"doc_id": 0, "target": "Coke", "filtered_resps": "coke", "input": "Brand?", "anls": 1.0}'
    >>> _ = path.write_text(row)
    >>> af.read_lmms_eval(path)
    shape: (1, 5)
    ┌─────────────┬──────────┬────────────┬───────────┬──────┐
    │ question_id ┆ question ┆ prediction ┆ answers   ┆ anls │
    │ ---         ┆ ---      ┆ ---        ┆ ---       ┆ ---  │
    │ str         ┆ str      ┆ str        ┆ list[str] ┆ f64  │
    ╞═════════════╪══════════╪════════════╪═══════════╪══════╡
    │ 0           ┆ Brand?   ┆ coke       ┆ ["Coke"]  ┆ 1.0  │
    └─────────────┴──────────┴────────────┴───────────┴──────┘
    """
    path = _content.as_path(path)
    problems = Problems(path)
    rows = _samples(path, problems)
    return _frame(path, (_sample(place, row, problems) for place, row in rows), problems)


def read_lm_eval(path: str | os.PathLike[str], *, filter: str | None = None) -> pl.DataFrame:  # noqa: A002 - its name there
    """
    Read the samples that the LM evaluation harness logs (`samples_TASK_*.jsonl`, with `--log_samples`).

    Parameters
    ----------
    path
        The file.
    filter
        Which of the harness' filters, where a file holds the responses after several.

    Returns
    -------
    DataFrame
        The standard frame: the prediction is the filtered response, the answers come from `target`, the id
        is the harness' `doc_id`. The fields of `doc` are columns; metrics and all other fields keep their
        names.

    Raises
    ------
    InputError
        If something is wrong in the file, as for `read_lmms_eval`, or if there are several filters.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import anls_frame as af
    >>> path = getfixture("tmp_path") / "samples_docqa_2026-11-21.jsonl"
    >>> row = '{"doc_id": 0, "doc": {"question": "Brand?"}, "target": "Coke", "filtered_resps": ["coke"]}'
    >>> _ = path.write_text(row)
    >>> af.read_lm_eval(path)
    shape: (1, 4)
    ┌─────────────┬──────────┬────────────┬───────────┐
    │ question_id ┆ question ┆ prediction ┆ answers   │
    │ ---         ┆ ---      ┆ ---        ┆ ---       │
    │ str         ┆ str      ┆ str        ┆ list[str] │
    ╞═════════════╪══════════╪════════════╪═══════════╡
    │ 0           ┆ Brand?   ┆ coke       ┆ ["Coke"]  │
    └─────────────┴──────────┴────────────┴───────────┘
    """
    path = _content.as_path(path)
    problems = Problems(path)
    rows = list(_samples(path, problems))
    rows = _only(path, rows, "filter", filter)
    return _frame(path, (_sample(place, row, problems) for place, row in rows), problems)


def read_inspect(
    path: str | os.PathLike[str],
    *,
    scorer: str | None = None,
    epoch: int | None = None,
    allow_missing: bool = False,
) -> pl.DataFrame:
    """
    Read a log of Inspect: JSON, or an `.eval` archive.

    Parameters
    ----------
    path
        The log.
    scorer
        Take the answer that this scorer found in the output for the prediction, instead of the whole output.
    epoch
        Which epoch, where samples were answered several times.
    allow_missing
        Read the log of a run that did not succeed.

    Returns
    -------
    DataFrame
        The standard frame: the prediction is the model's output (null where the sample has none), the
        answers are the sample's `target`. The fields of `metadata` are columns; each scorer adds its value
        under its name and its answer as `SCORER_answer`.

    Raises
    ------
    InputError
        If something is wrong in the file: every problem, with the sample's index; if there is no such scorer,
        or if there are several epochs.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import anls_frame as af
    >>> path = getfixture("tmp_path") / "log.json"
    >>> sample = (
    ...     '{"id": "7", "epoch": 1, "input": "Brand?", "target": ["Coke"], "output": {"completion": "coke"}}'
    ... )
    >>> _ = path.write_text('{"version": 2, "status": "success", "samples": [' + sample + "]}")
    >>> af.read_inspect(path).drop("epoch")
    shape: (1, 4)
    ┌─────────────┬──────────┬────────────┬───────────┐
    │ question_id ┆ question ┆ prediction ┆ answers   │
    │ ---         ┆ ---      ┆ ---        ┆ ---       │
    │ str         ┆ str      ┆ str        ┆ list[str] │
    ╞═════════════╪══════════╪════════════╪═══════════╡
    │ 7           ┆ Brand?   ┆ coke       ┆ ["Coke"]  │
    └─────────────┴──────────┴────────────┴───────────┘
    """
    from anls_frame.readers import _inspect  # noqa: PLC0415 - only for those who use it

    path = _content.as_path(path)
    problems = Problems(path)
    samples = _inspect.samples(path, problems, allow_missing=allow_missing)
    samples = _only(path, samples, "epoch", None if epoch is None else str(epoch))
    if scorer is not None:
        scorers = sorted({name for _, sample in samples for name in sample.get("scores") or {}})
        if scorer not in scorers:
            raise problem(path, f"no scorer {shown(scorer)}; there are {listed(scorers) or 'none'}")
    rows = ((place, _inspect.flat(place, sample, scorer, problems)) for place, sample in samples)
    return _frame(path, ((place, _with_document(row, "metadata")) for place, row in rows), problems)


def read_vlmevalkit(path: str | os.PathLike[str], *, sheet: str | None = None) -> pl.DataFrame:
    r"""
    Read the predictions or detailed results of VLMEvalKit (`MODEL_DATASET.xlsx`, or TSV, CSV, JSON).

    Its own value of a row for DocVQA and InfoVQA, `eval_score` in the detailed results, is the mean distance
    over the answers: a perfect answer shows 0 there. Do not report it; score the rows (its aggregate figures
    are those of protocol `"rrc"`). It also scores an empty prediction as the text "nan".

    Parameters
    ----------
    path
        The file.
    sheet
        Of a workbook with several.

    Returns
    -------
    DataFrame
        The standard frame; `index` is the id. All other columns keep their names.

    Raises
    ------
    InputError
        If something is wrong in the file: every problem, with its row.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import anls_frame as af
    >>> path = getfixture("tmp_path") / "Model_DocVQA_VAL.tsv"
    >>> _ = path.write_text("index\tquestion\tanswer\tprediction\n4\tBrand?\t['Coke', 'Coca Cola']\tcoke\n")
    >>> af.read_vlmevalkit(path)
    shape: (1, 4)
    ┌─────────────┬──────────┬────────────┬───────────────────────┐
    │ question_id ┆ question ┆ prediction ┆ answers               │
    │ ---         ┆ ---      ┆ ---        ┆ ---                   │
    │ str         ┆ str      ┆ str        ┆ list[str]             │
    ╞═════════════╪══════════╪════════════╪═══════════════════════╡
    │ 4           ┆ Brand?   ┆ coke       ┆ ["Coke", "Coca Cola"] │
    └─────────────┴──────────┴────────────┴───────────────────────┘
    """
    path = _content.as_path(path)
    roles: dict[_standard.Role, str | None] = {
        "question_id": "index",
        "prediction": "prediction",
        "answers": "answer",
    }
    frame = table.read_table(path, roles, required=("prediction", "answers"), sheet=sheet)
    _check_answers(path, frame)
    return frame


def _samples(path: Path, problems: ProblemList) -> Iterator[_Row]:
    if _content.file_format(path) != "jsonl":
        raise problem(path, "samples are logged as .jsonl; this file holds something else")
    return _json.read_lines(path, _content.read_text(path), problems)


def _only(path: Path, rows: Iterable[_Row], key: str, wanted: str | None) -> list[_Row]:
    """Return the rows that have the wanted value, or any if there is but one."""
    rows = list(rows)
    values = sorted({str(row[key]) for _, row in rows if row.get(key) is not None})
    if wanted is None and len(values) > 1:
        raise problem(path, f"holds several values of {key}: {listed(values)}; name one: {key}=...")
    if wanted is None:
        return rows
    if wanted not in values:
        raise problem(path, f"no {key} {shown(wanted)}; there are {listed(values) or 'none'}")
    return [(place, row) for place, row in rows if str(row.get(key)) == wanted]


def _sample(place: str, row: dict[str, Any], problems: ProblemList) -> _Row:
    """A logged sample with the fields that both harnesses write."""
    missing = [key for key in ("doc_id", "target", "filtered_resps") if key not in row]
    if missing:
        problems.add(f"no {' and no '.join(missing)}: is this a file of logged samples?", place)
        return place, {}
    flat: dict[str, Any] = {
        "question_id": row["doc_id"],
        "prediction": _response(place, row["filtered_resps"], problems),
        "answers": None if row["target"] == "None" else row["target"],
    }
    if isinstance(row.get("input"), str):
        flat["question"] = row["input"]
    used = {"doc_id", "target", "filtered_resps", "input"}
    flat |= {key: value for key, value in row.items() if key not in used and key not in flat}
    return place, _with_document(flat, "doc")


def _response(place: str, responses: Any, problems: ProblemList) -> Any:
    """The one response, out of the lists that harnesses put around it."""
    value = responses
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, list) and not value:
        return None
    if isinstance(value, list | dict):
        problems.add(f"{len(value)} responses, as multiple-choice tasks have them; one text is due", place)
        return None
    return value


def _with_document(row: dict[str, Any], key: str) -> dict[str, Any]:
    """The row with the fields of an object in it as its own, where their names are free."""
    document = row.get(key)
    if not isinstance(document, dict):
        return row
    flat = {name: value for name, value in row.items() if name != key}
    for name, value in document.items():
        role = _DOCUMENT.get(name)
        if role is not None and (role not in flat or role == "question"):
            flat[role] = value
        else:
            free = name if name not in flat and name not in _standard.ROLES else f"{key}_{name}"
            flat[free] = value
    return flat


def _frame(path: Path, rows: Iterable[_Row], problems: ProblemList) -> pl.DataFrame:
    raw = _raw.from_objects(rows)
    if not raw.height:
        problems.raise_any()
        raise problem(path, "holds no samples")
    chosen: dict[_standard.Role, str] = {role: role for role in _standard.ROLES if role in raw.names}
    frame = _standard.frame(raw, chosen, problems)
    problems.raise_any()
    _check_answers(path, frame)
    return frame


def _check_answers(path: Path, frame: pl.DataFrame) -> None:
    if frame["answers"].list.drop_nulls().list.len().fill_null(0).sum() == 0:
        raise problem(
            path,
            f"no answers in {frame.height:,} rows, as in a test split; there is nothing to score",
        )

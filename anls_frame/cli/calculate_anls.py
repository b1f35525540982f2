"""
`calculate-anls`: the command of PyPI anls, with the same options and the same results file.

Where that command fails with a traceback (null or numeric answers, a missing id), this command lists all
problems and ends with exit code 2.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from pathlib import Path

import polars as pl

from anls_frame._atomic import replacing
from anls_frame.cli.exits import guarded
from anls_frame.export.terminal import plain


def main() -> None:
    """Run `calculate-anls` and end the process with its exit code."""
    guarded("calculate-anls", run)


def run() -> int:
    """Score a submission and write `results.json`."""
    parser = argparse.ArgumentParser(prog="calculate-anls", description="Evaluation command using ANLS")
    parser.add_argument("--gold-label-file", type=Path, required=True, help="Path of the Ground Truth file.")
    parser.add_argument(
        "--submission-file", type=Path, required=True, help="Path of your method's results file."
    )
    parser.add_argument(
        "--anls-threshold",
        type=float,
        default=0.5,
        help="ANLS threshold to use: scores are kept where the normalized distance is below it.",
    )
    parser.add_argument("--answer-types", action="store_true", help="Not supported, as in PyPI anls.")
    parser.add_argument(
        "--output-dir",
        type=Path,
        help="Directory for results.json with per-sample results; the current one by default.",
    )
    options = parser.parse_args()
    if options.answer_types:
        raise ValueError(
            "PyPI anls has no --answer-types either; for scores by type: "
            "anls-frame report SUBMISSION --gold GOLD --by question_types"
        )
    from anls_frame.exceptions import InputError
    from anls_frame.readers import read_rrc

    _log(f"Load json from {options.gold_label_file}")
    _log(f"Load json from {options.submission_file}")
    try:
        frame = read_rrc(options.gold_label_file, options.submission_file)
    except InputError as error:
        # This command has no option for incomplete submissions, as PyPI anls has none.
        counted = "anls-frame report SUBMISSION --gold GOLD --unmatched null"
        hints = [f"to count them as missing predictions: {counted}"] if error.hints else []
        raise InputError(error.problems, error.total, hints) from None
    scores = row_scores(frame, options.anls_threshold)
    # Floats are added one by one in the order of the gold labels, as the original does.
    total = 0.0
    for score in scores:
        total += score
    mean = total / len(scores)
    _log(f"\nOverall ANLS: {mean:2.4f}")
    if options.output_dir is None:
        _log("No --output-dir is given: results.json is written to the current directory")
    folder = options.output_dir or Path()
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "results.json"
    questions = frame["question"].to_list() if "question" in frame.columns else [None] * frame.height
    rows = zip(
        frame["question_id"], scores, questions, frame["answers"].to_list(), frame["prediction"], strict=True
    )
    results = {
        "result": {"score": mean},
        "scores_by_types": {"answer_types": {}, "evidence_types": {}, "operation_types": {}},
        "per_sample_result": {
            key: {"score": score, "question": question, "gt": answers, "det": prediction, "info": ""}
            for key, score, question, answers, prediction in rows
        },
    }
    with replacing(target) as file:
        file.write(json.dumps(results).encode())
    _log(f"All results including per-sample result has been correctly saved to {target}")
    return 0


def row_scores(frame: pl.DataFrame, threshold: float) -> list[float]:
    """Return the ANLS of each row at any threshold: below 0 it cuts every row, above 1 none."""
    import anls_frame as af

    if 0 <= threshold <= 1:
        column = frame.select(af.anls("prediction", "answers", protocol="anls", threshold=threshold))
    else:
        column = frame.select(af.nls("prediction", "answers", protocol="anls"))
        if math.isnan(threshold) or threshold < 0:
            return [0.0] * frame.height
    return column.to_series().to_list()


def _log(message: str) -> None:
    """Print a message to standard error, in the format of the original."""
    stamp = time.strftime("%Y-%m-%d %H:%M:%S")
    print(f"{stamp} - INFO - calculate-anls - {plain(message)}", file=sys.stderr)

"""
Writes logs of six systems, as lmms-eval does with `--log_samples` and four repeats.

`python examples/logs.py FOLDER` writes a folder for each system.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import polars as pl

import anls_frame as af

SYSTEMS = ("rapidocr", "tesseract", "mixture", "dates", "exchanged", "silent")
EPOCHS = 4


def systems(questions: pl.DataFrame) -> pl.DataFrame:
    """Return questions with two OCR engines, a mixture of them, and three corrupted copies of one."""
    answer, kind = pl.col("rapidocr"), pl.col("answer_type")
    next_digit = {str(digit): str((digit + 1) % 10) for digit in range(10)}
    exchanged = {"yes": "no", "no": "yes", "Yes": "No", "No": "Yes", "Ja": "Nein", "Nein": "Ja"}
    return questions.with_columns(
        mixture=pl.when(pl.col("question_id") % 2 == 0).then("tesseract").otherwise("rapidocr"),
        dates=pl.when(kind == "date")
        .then(answer.str.head(-1) + answer.str.tail(1).replace(next_digit))
        .otherwise(answer),
        exchanged=pl.when(kind == "yes/no").then(answer.replace(exchanged)).otherwise(answer),
        silent=pl.when(pl.col("doc_type") != "form").then(answer),
    )


def write_logs(
    folder: str | Path, names: Sequence[str] = SYSTEMS, questions: pl.DataFrame | None = None
) -> list[str]:
    """
    Write the samples and the results of each system, and return the names of the files.

    In each epoch a ninth of the questions, and of "mixture" a third, have the answer of the other engine. The
    log of "silent" ends early, as after a crash.
    """
    rows, written = systems(af.sample() if questions is None else questions), []
    for name in names:
        other = "rapidocr" if name == "tesseract" else "tesseract"
        taken = [
            (pl.int_range(pl.len()) * 5 + 2 * epoch) % (3 if name == "mixture" else 9)
            for epoch in range(EPOCHS)
        ]
        epochs = [pl.when(one == 0).then(pl.col(other)).otherwise(name).fill_null("") for one in taken]
        columns = rows.select("question", "answers", resps=pl.concat_list(epochs), first=epochs[0])
        scored = columns.with_columns(anls=af.anls("first", "answers", protocol="rrc"))
        lines = [
            {
                "doc_id": number,
                "input": row["question"],
                "target": str(row["answers"]),
                "resps": [row["resps"]],
                "filtered_resps": row["first"],
                "anls": row["anls"],
            }
            for number, row in enumerate(scored.iter_rows(named=True))
        ]
        own = Path(folder) / name
        own.mkdir(parents=True, exist_ok=True)
        samples, results = own / "20261121_samples_docvqa_val.jsonl", own / "20261121_results.json"
        logged = lines[:-3] if name == "silent" else lines
        samples.write_text("".join(json.dumps(line) + "\n" for line in logged), encoding="utf-8")
        figures = {"results": {"docvqa_val": {"anls,none": scored["anls"].mean()}}}
        results.write_text(json.dumps(figures), encoding="utf-8")
        written += [f"{name}/{path.name}" for path in (results, samples)]
    return written


if __name__ == "__main__":
    write_logs(sys.argv[1])

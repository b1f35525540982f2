"""Reads the verdicts that a browser saved: each must be of a row with the same texts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl

import anls_frame as af

VERDICTS = 100


def check_judge(folder: Path) -> str:
    """Correct the scores of a judge by right and wrong, in Python and by commands, which must agree."""
    sample = pl.read_parquet(folder / "judge.parquet")
    page = sample.anls.browse("prediction", "answers", id="question_id", metrics="judge", audit=True)
    verdicts = af.readers.read_verdicts(folder / "judge.jsonl", page)
    truth = af.audited_scores(sample, verdicts, "judge", id="question_id")
    found = af.corrected(truth, "judge", "audited_score").overall.row(0, named=True)
    # Half of the answers are wrong, and the judge passed all.
    if not found["corrected_low"] <= 1 / 2 <= found["corrected_high"] or found["score"] != 1:
        sys.exit(f"judge: {found}")
    files = (folder / "judge.jsonl", folder / "judge.parquet")
    command = [Path(sys.executable).with_name("anls-frame"), "verdicts", *files, "-m", "judge"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own
    said = done.stdout.splitlines()[-1]
    if (
        f"{found['corrected']:.3f} [{found['corrected_low']:.3f}, " not in done.stdout
        or "ANLS" in done.stdout
    ):
        sys.exit(f"judge: the shell says {done.stdout!r}, Python {found}")
    return said


def main(folder: Path) -> None:
    """Read the verdicts of all pages in a folder."""
    questions = af.sample()
    hostile = pl.read_parquet(folder / "hostile.parquet")
    runs = pl.read_parquet(folder / "runs.parquet")
    one = af.browse(questions, "tesseract", "answers", id="question_id")
    both = af.browse(
        questions, {"tesseract": "tesseract", "rapidocr": "rapidocr"}, "answers", id="question_id"
    )
    marked = af.readers.read_verdicts(folder / "two.jsonl", both)
    if set(marked["verdict"]) != {"answer_wrong"}:
        sys.exit(f"two: {marked['verdict'].value_counts()}")
    print(f"two: {marked.height} verdicts on texts of both systems")
    sample = pl.read_parquet(folder / "audit.parquet")
    drawn = sample.anls.browse("prediction", "answers", id="question_id", audit=True)
    audited = af.readers.read_verdicts(folder / "audit.jsonl", drawn)
    scored = af.add_scores(sample, "prediction", "answers", columns=["anls"], missing="empty")
    corrected = af.corrected(
        af.audited_scores(scored, audited, "anls", id="question_id"), "anls", "audited_score"
    ).overall.row(0, named=True)
    command = [
        Path(sys.executable).with_name("anls-frame"),
        "verdicts",
        folder / "audit.jsonl",
        folder / "audit.parquet",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own
    wanted = f"audit: {corrected['corrected']:.3f} [{corrected['corrected_low']:.3f}, "
    said = next((line for line in done.stdout.splitlines() if line.startswith(wanted)), None)
    if said is None:
        sys.exit(f"audit: the shell says {done.stdout!r}, Python {corrected}")
    print(f"audit: {audited.height} verdicts; {said}")
    said = check_judge(folder)
    print(f"judge: {said}")
    for name, frame, id_, page in (
        ("one", questions, "question_id", one),
        ("hostile", hostile, "a", af.browse(hostile, "a", "b", id="a")),
        ("runs", runs, "question_id", af.browse(runs, "prediction", "answers", id="question_id")),
    ):
        verdicts = af.readers.read_verdicts(folder / f"{name}.jsonl", page)
        joined = frame.with_row_index("row").join(verdicts, on="row")
        if joined.height != VERDICTS or (joined[id_] != joined["id"]).any():
            sys.exit(f"{name}: {joined.height} verdicts were read, or ids differ")
        for column in ("system", "epoch"):
            saved = verdicts[column].drop_nulls()
            if column not in frame.columns:
                if len(saved):
                    sys.exit(f"{name}: verdicts of a page without {column} have {saved.unique().to_list()}")
            elif saved.n_unique() != frame[column].n_unique() or (
                joined[column].cast(pl.String).ne_missing(joined[f"{column}_right"]).any()
            ):
                sys.exit(f"{name}: {column} of verdicts is not that of their rows")
        print(f"{name}: {joined.height} verdicts, {verdicts['verdict'].n_unique()} different ones")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

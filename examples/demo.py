"""
Score the sample data, report by question type, compare the two OCR systems and write the files.

Run with ``make demo``. The rows are questions about rendered documents; the predictions are what rule-based
readers found in real OCR output. See data/README.md.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

import anls_frame as af
from anls_frame import plot

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "data" / "ocr_qa.parquet"
OUTPUT = ROOT / "demo-output"
SUFFIXES = ("html", "md", "csv", "json", "xlsx", "tex", "parquet")
SYSTEMS = {"tesseract": "tesseract", "rapidocr": "rapidocr"}


def main() -> None:
    """Print the founding examples, the reports and the comparison; write them to files."""
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=140, tbl_hide_dataframe_shape=True):
        print("NLS of the founding pairs (mean 0.45)")
        print(founding_pairs())
        print("\nANLS with two accepted answers: NLS against each, the best, and what the cut leaves")
        print(founding_answers())

    questions = pl.read_parquet(SAMPLE)
    OUTPUT.mkdir(exist_ok=True)
    for system in SYSTEMS:
        report = questions.anls.report(
            system, "answers", by="question_types", cluster="doc_id", worst=10, details=True
        )
        print(f"\n{system}: {report!r}")
        for suffix in SUFFIXES:
            report.write(OUTPUT / f"report-{system}.{suffix}")
        plots = {
            "slices": report.plot(),
            "scores": plot.score_distribution(report.summary),
            "errors": plot.error_types(
                questions.with_columns(af.error_type(system, "answers")), by="question_types"
            ),
        }
        for name, axes in plots.items():
            axes.figure.savefig(OUTPUT / f"{name}-{system}.png", dpi=150, bbox_inches="tight")
    comparison = questions.anls.compare(SYSTEMS, "answers", by="question_types", cluster="doc_id")
    print(f"\n{comparison!r}")
    for suffix in SUFFIXES:
        comparison.write(OUTPUT / f"comparison.{suffix}")
    comparison.plot().figure.savefig(OUTPUT / "comparison.png", dpi=150, bbox_inches="tight")
    print(f"\nFiles in {OUTPUT.relative_to(ROOT)}; open report-tesseract.html in a browser:")
    files = sorted(OUTPUT.iterdir())
    for name in sorted({file.stem for file in files}):
        print(f"  {name}: {', '.join(file.suffix for file in files if file.stem == name)}")


def founding_pairs() -> pl.DataFrame:
    """Return the NLS, edit distance and CER of two pairs."""
    pairs = pl.DataFrame({"prediction": ["rain", "lnaguaeg"], "answer": ["shine", "language"]})
    return pairs.with_columns(
        af.nls("prediction", "answer"),
        af.levenshtein("prediction", "answer"),
        af.cer("prediction", "answer"),
    )


def founding_answers() -> pl.DataFrame:
    """Score five predictions against the answers "Coca Cola" and "Coca Cola Company"."""
    predictions = pl.DataFrame({"prediction": ["The Coca", "CocaCola", "Coca cola", "Cola", "Cat"]})
    answers = pl.lit(pl.Series([["Coca Cola", "Coca Cola Company"]]))
    return predictions.with_columns(
        af.nls("prediction", pl.lit("Coca Cola")).alias("Coca Cola"),
        af.nls("prediction", pl.lit("Coca Cola Company")).alias("Coca Cola Company"),
        af.nls("prediction", answers),
        af.anls("prediction", answers),
    )


if __name__ == "__main__":
    main()

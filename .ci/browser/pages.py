"""Writes the pages that the browser looks at."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
from hostile_texts import hostile_document

import anls_frame as af
from anls_frame.export import write

SLICES = 10_000


def main(folder: Path) -> None:
    """Write all pages into a folder."""
    questions = af.sample()
    by = {"by": "question_types", "cluster": "doc_id"}
    af.report(questions, "tesseract", "answers", worst=20, details=True, **by).write(folder / "report.html")
    systems = {"tesseract": "tesseract", "rapidocr": "rapidocr"}
    af.compare(questions, systems, "answers", **by).write(folder / "comparison.html")
    many = {**systems, **{f"again {number}": "tesseract" for number in range(4)}}
    af.compare(questions, many, "answers", details=True, metrics=["anls", "cer_mean"], **by).write(
        folder / "many.html"
    )
    af.overview(questions, "tesseract").write(folder / "overview.html")
    af.overview(questions, systems).write(folder / "overview of systems.html")
    pages = af.sample("pages")
    af.overview(pages, "tesseract", metrics="ocr").write(folder / "overview of pages.html")
    af.report(pages, "tesseract", "reference", metrics="ocr", worst=20, keep="doc_id").write(
        folder / "pages.html"
    )
    write(hostile_document(), folder / "hostile.html")
    rows = range(2 * SLICES)
    large = pl.DataFrame(
        {
            "prediction": [f"answer {row % 7}" for row in rows],
            "answer": [f"answer {row % 5}" for row in rows],
            "slice name": [f"slice {row % SLICES}" for row in rows],
        }
    )
    af.report(large, "prediction", "answer", by="slice name", worst=20).write(folder / "large.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

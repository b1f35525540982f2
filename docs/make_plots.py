"""Draw the pictures of plots.md from the sample data: `python docs/make_plots.py`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from PIL import Image

import anls_frame as af

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FOLDER = Path(__file__).parent / "images"
ROOT = Path(__file__).parent.parent
DPI = 80
COLORS = {"ranking": 160}
"""Numbers of colours: small points of several colours need more than the others."""
FEW_COLORS = 48
SYSTEMS = {"tesseract": "tesseract", "rapidocr": "rapidocr"}


def pictures() -> dict[str, Axes]:
    """Return the pictures by the names of their functions."""
    questions = pl.read_parquet(ROOT / "data/ocr_qa.parquet")
    pages = pl.read_parquet(ROOT / "data/ocr_pages.parquet")
    by = {"by": "question_types", "cluster": "doc_id"}
    reports = {name: af.report(questions, column, "answers", **by) for name, column in SYSTEMS.items()}
    rows = questions
    for name in SYSTEMS:
        rows = af.add_scores(rows, name, "answers", prefix=f"{name}_")
    rows = rows.with_columns(
        af.error_type("tesseract", "answers"), length=pl.col("answers").list.first().str.len_chars()
    )
    scores = {name: f"{name}_anls" for name in SYSTEMS}
    english = pages.filter(pl.col("lang") == "en")
    return {
        "score_distribution": af.plot.score_distribution(reports["tesseract"], label="tesseract"),
        "ecdf": af.plot.ecdf(rows, {name: f"{name}_nls" for name in SYSTEMS}),
        "cer_distribution": af.plot.cer_distribution(
            pages.with_columns(af.cer("tesseract", "reference")), label="tesseract"
        ),
        "group_scores": af.plot.group_scores(reports["tesseract"], label="tesseract"),
        "group_scores_shared": shared(reports),
        "error_types": af.plot.error_types(rows, "question_types"),
        "length_effect": af.plot.length_effect(rows, scores, "length"),
        "confusion_matrix": af.plot.confusion_matrix(
            af.confusions(english, "tesseract", "reference"), max_characters=12
        ),
        "threshold_curve": af.plot.threshold_curve(reports),
        "comparison": af.plot.comparison(af.compare(questions, SYSTEMS, "answers", **by)),
        "ranking": af.plot.ranking(many(questions)),
        "heat_map": af.plot.heat_map(many(questions)),
        "worse_slices": af.find_slices(questions, "rapidocr", "answers", cluster="doc_id").plot(),
        "edit_matrix": af.plot.edit_matrix("cat", "cafe"),
    }


def many(questions: pl.DataFrame) -> af.Comparison:
    """Compare both systems, a mixture of them, and two spoilt copies."""
    exchanged = {"yes": "no", "no": "yes", "Yes": "No", "No": "Yes", "Ja": "Nein", "Nein": "Ja"}
    more = questions.with_columns(
        mixture=pl.when(pl.col("question_id") % 2 == 0).then("tesseract").otherwise("rapidocr"),
        exchanged=pl.col("rapidocr").replace(exchanged),
        silent=pl.when(pl.col("doc_type") != "form").then("rapidocr"),
    )
    five = ["rapidocr", "tesseract", "mixture", "exchanged", "silent"]
    return af.compare(more, five, "answers", by="question_types", cluster="doc_id")


def shared(reports: dict[str, af.Report]) -> Axes:
    """Draw all reports on the same axes."""
    ax = None
    for name, report in reports.items():
        ax = af.plot.group_scores(report, label=name, ax=ax)
    assert ax is not None  # noqa: S101 - there are two reports
    return ax


def main() -> None:
    """Write the pictures with few colours: they are flat, and small that way."""
    FOLDER.mkdir(exist_ok=True)
    for name, ax in pictures().items():
        file = io.BytesIO()
        ax.figure.savefig(file, format="png", dpi=DPI, facecolor="white")
        picture = (
            Image.open(file).convert("RGB").quantize(COLORS.get(name, FEW_COLORS), dither=Image.Dither.NONE)
        )
        picture.save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()

"""Sample data: questions about documents and OCR pages, with the texts of two systems."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import polars as pl

from anls_frame._arguments import choice

Sample = Literal["qa", "pages"]
_FOLDER = Path(__file__).parent


def sample(name: Sample = "qa") -> pl.DataFrame:
    """
    Return sample data: synthetic documents, read by two genuine OCR systems.

    Use it to try functions out. It is not a benchmark of the two engines, and its documents are invented.

    Parameters
    ----------
    name
        "qa": 1,624 questions about 112 documents, with accepted answers (`answers`) and the predictions of
        two systems (`tesseract`, `rapidocr`). Slice by `question_types`, `lang`, `doc_type` or `difficulty`;
        questions about one document (`doc_id`) are not independent. "pages": the 112 documents, with the
        true text (`reference`) and the text that each engine read.

    Returns
    -------
    A Polars frame; ``.to_pandas()`` makes a pandas frame of it.

    Raises
    ------
    ValueError
        If there are no sample data of this name.

    See Also
    --------
    overview : shows how good a system is, where and why it fails, and what to do first.

    Examples
    --------
    >>> import anls_frame as af
    >>> df = af.sample()
    >>> df.select("question", "answers", "tesseract").row(6)
    ('What is the unit price of "Wall clock"?', ['242.00', '$242.00'], '242.00')
    >>> af.sample("pages").select("doc_id", "lang", "reference", "rapidocr").shape
    (112, 4)
    """
    choice("name", name, get_args(Sample))
    return pl.read_parquet(_FOLDER / f"{name}.parquet")


_PAGES = (
    "invoice_en_04 invoice_en_06 invoice_en_07 letter_en_06 form_en_04 form_en_06 "
    "receipt_en_02 receipt_en_04 receipt_en_08 table_en_02 table_en_05 table_en_07"
)
_FOLDERS = {
    "reference": ("truth", ".gt.txt"),
    "tesseract": ("tesseract", ".txt"),
    "rapidocr": ("rapidocr", ".txt"),
}


def write_pages(folder: Path) -> None:
    """Write some pages as an OCR project has them: a folder of the truth, and one for each engine."""
    pages = sample("pages").filter(pl.col("doc_id").is_in(_PAGES.split()))
    for column, (name, suffix) in _FOLDERS.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for page, text in pages.select("doc_id", column).iter_rows():
            file = folder / name / f"{page.replace('_en', '')}{suffix}"
            file.write_text(f"{text}\n", encoding="utf-8", newline="\n")

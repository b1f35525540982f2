"""
Write the folders of `data/pages`, as an OCR project has them, from `ocr_pages.parquet`.

    python -m data.build.folders
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

DATA = Path(__file__).parent.parent
SUFFIXES = {"reference": ".gt.txt", "tesseract": ".txt", "rapidocr": ".txt"}
FOLDERS = {"reference": "truth", "tesseract": "tesseract", "rapidocr": "rapidocr"}
PAGES = (
    *("invoice_en_04", "invoice_en_06", "invoice_en_07", "letter_en_06", "form_en_04", "form_en_06"),
    *("receipt_en_02", "receipt_en_04", "receipt_en_08", "table_en_02", "table_en_05", "table_en_07"),
)


def files() -> dict[str, str]:
    """Return the text of each file by its name below `data/pages`."""
    pages = pl.read_parquet(DATA / "ocr_pages.parquet").filter(pl.col("doc_id").is_in(PAGES))
    return {
        f"{folder}/{page.replace('_en', '')}{SUFFIXES[name]}": f"{text}\n"
        for name, folder in FOLDERS.items()
        for page, text in pages.select("doc_id", name).iter_rows()
    }


def main() -> None:
    """Write all files."""
    for name, text in files().items():
        path = DATA / "pages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

"""
Write the rates of dinglehopper for pages of text into a file.

dinglehopper brings many packages, so it has an environment of its own; its rates are kept in a file:

    python -m venv .venv-dinglehopper
    .venv-dinglehopper/bin/pip install dinglehopper==0.11.0 multimethod==1.12 polars
    .venv-dinglehopper/bin/python tests/golden/make_dinglehopper.py tests/golden/dinglehopper-0.11.0.json
"""

# ruff: noqa: RUF001 - the letters of old prints
from __future__ import annotations

import importlib.metadata
import json
import random
import sys
import tempfile
from pathlib import Path

import polars as pl
from dinglehopper.character_error_rate import character_error_rate_n
from dinglehopper.ocr_files import plain_extract
from dinglehopper.word_error_rate import word_error_rate_n

PRINTS = (
    "Daſſ alle unſere Erkenntniß mit der Erfahrung anfange, daran iſt gar kein Zweifel;\n",
    "denn wodurch ſollte das Erkenntnißvermögen ſonſt zur Ausuͤbung erweckt werden,\n",
    "Die Fuͤrſtin von Clèves⸗Berg, Aͤbtiſſin — ein Maͤdchen von acht⸗\nzehn Jahren; (vgl. S. 5,5)\n",
    "\ueba7 \uf502 \ueec4 oﬀen, aﬃrmieren, \ueada\ueba2 \uf50e \ue72b\ue42c\ue644 Reﬁn\ueedc ĳ \ueba5\n",
    "  »Wer da?« – ›Gut Freund!‹ 1 1/2 Fl. & 3 kr. == ’s iſt\t gut.  \r\n\r\n",
    "A\u0301\u0302b ée\u0301 漢字 12.345,67\n",
)
"""Spellings of old prints: long s, small letters above others, ligatures, hyphens."""


def spoilt(text: str, choose: random.Random) -> str:
    """Return a text with what recognition makes of it."""
    letters = list(text)
    for _ in range(choose.randrange(len(text) // 6 + 1)):
        letters[choose.randrange(len(letters))] = choose.choice(
            ["", " ", "f", "ſ", "ä", "aͤ", "-", "⸗", "\n", "ſt", "\u0364"]
        )
    return "".join(letters)


def pairs() -> list[tuple[dict[str, str], str, str]]:
    """Return references and what was read, and how the file names them: sample pages by their document."""
    pages = pl.read_parquet(Path(__file__).parents[2] / "anls_frame" / "samples" / "pages.parquet").fill_null(
        ""
    )
    found = [
        ({"doc_id": doc_id, "engine": engine}, reference, read)
        for engine in ("tesseract", "rapidocr")
        for doc_id, reference, read in pages.select(
            "doc_id", "reference", pl.col(engine).fill_null("")
        ).iter_rows()
    ]
    choose = random.Random(5)
    for _ in range(150):
        reference = "".join(choose.choices(PRINTS, k=choose.randrange(1, 4)))
        read = spoilt(reference, choose)
        found.append(({"reference": reference, "read": read}, reference, read))
    return found


def extracted(text: str, folder: Path) -> object:
    """Return a text as dinglehopper reads it from a file."""
    path = folder / "page.txt"
    path.write_bytes(text.encode())
    return plain_extract(path, encoding="utf-8")


def main() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for named, reference, read in pairs():
            texts = [extracted(text, Path(folder)) for text in (reference, read)]
            try:
                cer, clusters = character_error_rate_n(*texts)
                wer, words = word_error_rate_n(*texts)
            except ValueError:
                continue  # dinglehopper refuses texts that its own replacements bring out of NFC
            rates = {"cer": float(cer).hex(), "clusters": clusters, "wer": float(wer).hex(), "words": words}
            rows.append({**named, **rates})
    version = importlib.metadata.version("dinglehopper")
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    text = f'{{"version": "{version}", "rows": [\n{lines}\n]}}\n'
    Path(sys.argv[1]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

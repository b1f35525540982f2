"""
Write the rates of torchmetrics for generated texts and the sample pages into a file.

torchmetrics needs torch, so it has an environment of its own; its rates are kept in a file:

    python -m venv .venv-torchmetrics
    .venv-torchmetrics/bin/pip install torchmetrics==1.9.0 torch polars
    .venv-torchmetrics/bin/python tests/golden/make_torchmetrics.py tests/golden/torchmetrics-1.9.0.json
"""

from __future__ import annotations

import importlib.metadata
import json
import random
import sys
from pathlib import Path

import polars as pl
from torchmetrics.functional.text import (
    char_error_rate,
    match_error_rate,
    word_error_rate,
    word_information_lost,
)

RATES = {
    "wer": word_error_rate,
    "cer": char_error_rate,
    "mer": match_error_rate,
    "wil": word_information_lost,
}
WORDS = ("a", "b", "ab", "é", "e\u0301", "漢字", "abcdefghijklmnopqrst", "don't", "\U0001f44d\U0001f3fd")
GAPS = (" ", " ", " ", " ", "  ", "\t", "\n", " \n", "\u00a0", "\x1c", "\u3000", "\r\n", "\u200b")


def texts(count: int, seed: int) -> list[tuple[str, str]]:
    """Return pairs of a reference and what was read, which share most of their words."""
    choose = random.Random(seed)

    def text() -> str:
        words = [choose.choice(WORDS) + choose.choice(GAPS) for _ in range(choose.randrange(30))]
        return choose.choice(("", " ", "\n")) + "".join(words) + choose.choice(("", "a"))

    pairs = []
    for _ in range(count):
        letters = list(reference := text())
        for _ in range(choose.randrange(10)):
            if letters:
                letters[choose.randrange(len(letters))] = choose.choice((*WORDS, *GAPS, ""))
        pairs.append((reference, "".join(letters) if choose.random() < 0.8 else text()))
    return pairs


def rates(reference: str, read: str) -> list[str]:
    """Return the four rates as they are written: in single precision, to the last bit."""
    return [float(rate([read], [reference])).hex() for rate in RATES.values()]


def main() -> None:
    data = Path(__file__).parents[2] / "anls_frame" / "samples" / "pages.parquet"
    pages = pl.read_parquet(data).with_columns(pl.col("tesseract", "rapidocr").fill_null(""))
    rows: list[dict[str, object]] = [
        {"doc_id": row["doc_id"], "engine": engine, "rates": rates(row["reference"], row[engine])}
        for engine in ("tesseract", "rapidocr")
        for row in pages.iter_rows(named=True)
    ]
    rows += [
        {"reference": reference, "read": read, "rates": rates(reference, read)}
        for reference, read in texts(200, seed=11)
    ]
    version = importlib.metadata.version("torchmetrics")
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    text = f'{{"version": "{version}", "rates": {json.dumps([*RATES])}, "rows": [\n{lines}\n]}}\n'
    Path(sys.argv[1]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

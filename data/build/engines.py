"""The two OCR engines; each turns a page into boxes of text."""

from __future__ import annotations

import csv
import io
import os
import subprocess
from functools import cache
from typing import TYPE_CHECKING, Any

import cv2

from .canvas import Box

if TYPE_CHECKING:
    from .degrade import Grey
    from .plan import DocumentSpec

TESSERACT_LANGS = {"en": "eng", "de": "deu", "ja": "jpn+eng", "zh-Hant": "chi_tra+eng"}
PAGE_MODES = {"receipt": 6, "table": 4, "invoice": 4}
WORD_LEVEL = "5"


def tesseract(page: Grey, spec: DocumentSpec) -> list[Box]:
    """Return the words that Tesseract reads, with their confidence."""
    encoded = cv2.imencode(".png", page)[1].tobytes()
    mode = str(PAGE_MODES.get(spec.doc_type, 3))
    command = ["tesseract", "stdin", "stdout", "-l", TESSERACT_LANGS[spec.lang], "--psm", mode, "tsv"]
    # One thread: faster on small pages, and the other cores are busy with other pages.
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    done = subprocess.run(command, input=encoded, capture_output=True, check=True, env=environment)
    table = csv.DictReader(io.StringIO(done.stdout.decode()), delimiter="\t", quoting=csv.QUOTE_NONE)
    boxes = []
    for row in table:
        if row["level"] == WORD_LEVEL and row["text"].strip():
            x, y, width, height = (float(row[key]) for key in ("left", "top", "width", "height"))
            boxes.append(
                Box(x, y, x + width, y + height, row["text"].strip(), round(float(row["conf"]) / 100, 4))
            )
    return boxes


def rapidocr(page: Grey, spec: DocumentSpec) -> list[Box]:
    """Return the phrases that RapidOCR reads, with their confidence; one model for all languages."""
    del spec
    result = _rapidocr_engine()(cv2.cvtColor(page, cv2.COLOR_GRAY2BGR))
    if result.txts is None:
        return []
    boxes = []
    for corners, text, score in zip(result.boxes, result.txts, result.scores, strict=True):
        xs, ys = [float(x) for x, _ in corners], [float(y) for _, y in corners]
        if text.strip():
            boxes.append(Box(min(xs), min(ys), max(xs), max(ys), text.strip(), round(float(score), 4)))
    return boxes


@cache
def _rapidocr_engine() -> Any:
    from rapidocr import RapidOCR  # noqa: PLC0415 - slow, and not needed when boxes come from the cache

    # The default models are inside the wheel; any other choice would be fetched from the network.
    threads = "EngineConfig.onnxruntime"
    return RapidOCR(
        params={
            "Global.log_level": "error",
            f"{threads}.intra_op_num_threads": 1,
            f"{threads}.inter_op_num_threads": 1,
        }
    )


ENGINES = {"tesseract": tesseract, "rapidocr": rapidocr}

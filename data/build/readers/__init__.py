"""Two rule-based readers, each of them the second half of a system whose first half is an OCR engine."""

from __future__ import annotations

from .answer import Answer
from .base import Reader
from .rapid_kv import RapidKV
from .tess_kv import TessKV

__all__ = ["READERS", "Answer", "RapidKV", "Reader", "TessKV"]

READERS: dict[str, type[Reader]] = {"tesseract": TessKV, "rapidocr": RapidKV}

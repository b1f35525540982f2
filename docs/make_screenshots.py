"""Take the pictures of pages with headless Chromium: `python docs/make_screenshots.py`."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import polars as pl
from PIL import Image

import anls_frame as af

FOLDER = Path(__file__).parent / "images"
ROOT = Path(__file__).parent.parent
COLORS = 96


class Page(NamedTuple):
    """A page, and the width and height of the window that shows it."""

    result: af.Report
    size: tuple[int, int]


def pages() -> dict[str, Page]:
    """Return the pages by the names of their pictures."""
    questions = pl.read_parquet(ROOT / "data/ocr_qa.parquet")
    report = af.report(
        questions, "tesseract", "answers", by="question_types", cluster="doc_id", worst=10, details=True
    )
    return {"report_page": Page(report, (1180, 1010))}


def browser() -> str:
    """Return the path of Chromium."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = [path for name in names if (path := shutil.which(name))]
    if not found:
        sys.exit("chromium is missing; on Debian: apt-get install --no-install-recommends chromium")
    return found[0]


def take(page: Path, picture: Path, size: tuple[int, int]) -> None:
    """Open a page in a window of this size, give its script time, and take the picture."""
    options = ["--headless", "--disable-gpu", "--hide-scrollbars", "--no-sandbox"]
    options += ["--virtual-time-budget=3000", f"--window-size={size[0]},{size[1]}", f"--screenshot={picture}"]
    subprocess.run([browser(), *options, page.as_uri()], check=True, capture_output=True)  # noqa: S603 - our own page


def main() -> None:
    """Take all pictures, in few colours."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for picture, page in pages().items():
            file = page.result.write(folder / f"{picture}.html")
            take(file, folder / f"{picture}.png", page.size)
            with Image.open(folder / f"{picture}.png") as image:
                few = image.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
                target = io.BytesIO()
                few.save(target, "PNG", optimize=True)
            (FOLDER / f"{picture}.png").write_bytes(target.getvalue())


if __name__ == "__main__":
    main()

"""
Take the pictures of pages with headless Chromium: `python docs/make_screenshots.py`.

Names of pictures choose some of them.
"""

from __future__ import annotations

import io
import runpy
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import polars as pl
from PIL import Image, ImageDraw, ImageFont

import anls_frame as af
from anls_frame.analysis.browsing import RowsPage
from anls_frame.samples import write_pages

FOLDER = Path(__file__).parent / "images"
ROOT = Path(__file__).parent.parent
COLORS = 256
PHONE = 390
"""Pixels of a phone; windows are not as narrow, so its page is shown in a frame."""
GAP, BETWEEN = 20, "#888888"


class Command(NamedTuple):
    """A command that writes a page, and the folder in which it runs."""

    text: str
    folder: Path

    def write(self, path: Path, **_: str) -> Path:
        """Run it."""
        program = Path(sys.executable).with_name("anls-frame")
        command = [program, *shlex.split(self.text), "--force", "-o", path]
        subprocess.run(command, cwd=self.folder, check=True)  # noqa: S603 - our own
        return path


class Page(NamedTuple):
    """A page, the width and height of its window, and the view behind the `#` of its address."""

    result: af.Report | af.Comparison | RowsPage | Command
    size: tuple[int, int]
    view: Mapping[str, str] = {}
    is_dark: bool = False
    options: Mapping[str, str] = {}
    """How the page is written."""


def pages(folder: Path) -> dict[str, list[Page]]:
    """
    Return the pages by the names of their pictures, in which several are beside each other.

    Images of documents are drawn in a folder below this one.
    """
    questions = af.sample()
    report = af.report(
        questions, "tesseract", "answers", by="question_types", cluster="doc_id", worst=10, details=True
    )
    options = {"by": ["lang", "question_types"], "keep": ["question", "doc_id"], "id": "question_id"}
    rows = questions.anls.browse("tesseract", "answers", **options)
    readers = {"tesseract": "tesseract", "rapidocr": "rapidocr"}
    two = questions.anls.browse(readers, "answers", **options)
    draw_documents(folder / "pages", ["invoice_en_01"])
    image = questions.anls.browse("tesseract", "answers", **options, image="pages/{doc_id}.png")
    of_rows = {"title": "Tesseract on the sample questions"}
    of_two = {"title": "Two readers"}
    of_image = {"title": "Tesseract, with the documents"}
    german = {"error type": '"near"', "lang": '"de"'}
    english = {"error type": '"near"', "lang": '"en"'}
    comparison = six_systems(questions)
    write_pages(folder / "demo" / "pages")
    of_pages = Command("report demo/pages/tesseract --gold demo/pages/truth --details", folder)
    return {
        **on_both_grounds("report_page", report, (1180, 1010)),
        **on_both_grounds("pages_report", of_pages, (1180, 1010)),
        **on_both_grounds("comparison_page", comparison, (1180, 1400)),
        "rows": [Page(rows, (1280, 720), {**german, "row": "1081"}, options=of_rows)],
        "rows_systems": [
            Page(two, (1280, 720), {"right": '"only tesseract"', "row": "16"}, is_dark=True, options=of_two)
        ],
        "rows_image": [Page(image, (960, 900), {**english, "row": "12"}, options=of_image)],
        "rows_phone": [
            Page(rows, (PHONE, 720), german, options=of_rows),
            Page(rows, (PHONE, 720), {**german, "row": "1081"}, is_dark=True, options=of_rows),
        ],
    }


def on_both_grounds(
    name: str, result: af.Report | af.Comparison | Command, size: tuple[int, int]
) -> dict[str, list[Page]]:
    """Return a page for light pages and for dark ones, of which the site shows its own."""
    return {name: [Page(result, size)], f"{name}-dark": [Page(result, size, is_dark=True)]}


def six_systems(questions: pl.DataFrame) -> af.Comparison:
    """Compare the systems of docs/boards.md."""
    corrupted = runpy.run_path(str(ROOT / "examples/logs.py"))["systems"](questions)
    systems = ["rapidocr", "tesseract", "mixture", "dates", "exchanged", "silent"]
    return af.compare(corrupted, systems, "answers", by="doc_type", cluster="doc_id", details=True)


def draw_documents(folder: Path, names: Sequence[str]) -> None:
    """Draw the texts of documents as images; the sample data has no others."""
    folder.mkdir()
    texts = af.sample("pages").filter(pl.col("doc_id").is_in(names))
    for name, text in texts.select("doc_id", "reference").iter_rows():
        image = Image.new("RGB", (760, 700), "#fdfcf8")
        font = ImageFont.load_default(size=19)
        ImageDraw.Draw(image).multiline_text((48, 40), text, "#222222", font, spacing=11)
        image.save(folder / f"{name}.png")


def browser() -> str:
    """Return the path of Chromium."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = [path for name in names if (path := shutil.which(name))]
    if not found:
        sys.exit("chromium is missing; on Debian: apt-get install --no-install-recommends chromium")
    return found[0]


def take(folder: Path, page: Page) -> Image.Image:
    """Open a page in its window, or in a frame of its size, give its script time, and take the picture."""
    file, picture = page.result.write(folder / "page.html", **page.options), folder / "page.png"
    address, (width, height) = f"{file.as_uri()}#{urlencode(page.view)}", page.size
    if width == PHONE:
        frame = (
            f'<iframe src="{escape(address)}" width="{width}" height="{height}" style="border: 0"></iframe>'
        )
        around = folder / "around.html"
        around.write_text(
            f'<meta name="color-scheme" content="light dark"><body style="margin: 0">{frame}', "utf-8"
        )
        address = around.as_uri()
    options = [
        "--headless",
        "--disable-gpu",
        "--run-all-compositor-stages-before-draw",
        "--hide-scrollbars",
        "--no-sandbox",
    ]
    window = f"--window-size={max(width, 2 * PHONE)},{height}"
    options += ["--virtual-time-budget=6000", window, f"--screenshot={picture}"]
    options += [f"--blink-settings=preferredColorScheme={0 if page.is_dark else 1}"]
    subprocess.run([browser(), *options, address], check=True, capture_output=True)  # noqa: S603 - our own page
    with Image.open(picture) as image:
        return image.convert("RGB").crop((0, 0, width, height))


def beside(images: Sequence[Image.Image]) -> Image.Image:
    """Put pictures beside each other."""
    widths = [image.width for image in images]
    joined = Image.new("RGB", (sum(widths) + GAP * (len(images) - 1), images[0].height), BETWEEN)
    for place, image in enumerate(images):
        joined.paste(image, (sum(widths[:place]) + GAP * place, 0))
    return joined


def main(*names: str) -> None:
    """Take the pictures with these names, or all of them, in few colours."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for picture, shown in pages(folder).items():
            if names and picture not in names:
                continue
            image = beside([take(folder, page) for page in shown])
            # Each colour counts, however small what has it.
            few = image.quantize(COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
            target = io.BytesIO()
            few.save(target, "PNG", optimize=True)
            (FOLDER / f"{picture}.png").write_bytes(target.getvalue())


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A sheet of paper to draw on, which remembers every piece of text and where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PIL import Image, ImageDraw, ImageFont

from .fonts import check_glyphs

PAGE_WIDTH = 1240  # A4 at 150 dpi
RECEIPT_WIDTH = 620
MARGIN = 90
INK = 25
PAPER = 255

Anchor = Literal["left", "right", "centre"]


@dataclass(frozen=True)
class Box:
    """
    Text in a rectangle: a drawn run, a word of tesseract or a phrase of rapidocr.

    Attributes
    ----------
    confidence
        What the engine gave, in [0, 1]; 1 for drawn text.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    confidence: float = 1.0

    @property
    def height(self) -> float:
        """Height in pixels."""
        return self.y1 - self.y0


class Canvas:
    """
    White sheet of a given width, cut to its content in the end.

    Parameters
    ----------
    width
        Width in pixels.
    margin
        White space left and right, and kept below the content.
    """

    def __init__(self, width: int, margin: int = MARGIN) -> None:
        self.width = width
        self.margin = margin
        self.right = width - margin
        self.runs: list[Box] = []
        self._image = Image.new("L", (width, 3200), PAPER)
        self._draw = ImageDraw.Draw(self._image)
        self._bottom = 0

    def text(
        self,
        x: float,
        y: float,
        text: str,
        font: ImageFont.FreeTypeFont,
        *,
        anchor: Anchor = "left",
        ink: int = INK,
        recorded: bool = True,
    ) -> Box:
        """Write one line whose capitals start at height `y`, and return its run."""
        check_glyphs(font, text)
        width = font.getlength(text)
        left = x - {"left": 0.0, "right": width, "centre": width / 2}[anchor]
        baseline = y + round(0.78 * font.size)
        self._draw.text((left, baseline), text, font=font, fill=ink, anchor="ls")
        run = Box(left, y, left + width, baseline + 0.2 * font.size, text)
        if recorded:
            self.runs.append(run)
        self._bottom = max(self._bottom, int(run.y1))
        return run

    def paragraph(self, x: float, y: float, text: str, font: ImageFont.FreeTypeFont, width: float) -> float:
        """Write a paragraph broken at `width`, and return the height below it."""
        for line in wrap(text, font, width):
            self.text(x, y, line, font)
            y += 1.38 * font.size
        return y

    def rule(self, x0: float, y0: float, x1: float, y1: float, *, thickness: int = 2, ink: int = 90) -> None:
        """Draw a straight line, which is no text and so not in the reference."""
        self._draw.line((x0, y0, x1, y1), fill=ink, width=thickness)
        self._bottom = max(self._bottom, int(y1))

    def frame(self, x0: float, y0: float, x1: float, y1: float, *, thickness: int = 2) -> None:
        """Draw the outline of a rectangle."""
        self._draw.rectangle((x0, y0, x1, y1), outline=INK, width=thickness)
        self._bottom = max(self._bottom, int(y1))

    def shade(self, x0: float, y0: float, x1: float, y1: float, *, grey: int = 226) -> None:
        """Fill a rectangle, as behind the header of a table."""
        self._draw.rectangle((x0, y0, x1, y1), fill=grey)

    def stroke(self, points: list[tuple[float, float]], *, thickness: int = 4) -> None:
        """Draw a pen stroke."""
        self._draw.line(points, fill=INK + 20, width=thickness, joint="curve")

    def stamp(self, x: float, y: float, text: str, font: ImageFont.FreeTypeFont, angle: float) -> None:
        """Put a framed word on the sheet, turned by `angle` degrees and somewhat pale."""
        width, height = int(font.getlength(text)) + 44, int(1.5 * font.size)
        label = Image.new("L", (width, height), 0)
        draw = ImageDraw.Draw(label)
        draw.rectangle((2, 2, width - 3, height - 3), outline=255, width=5)
        draw.text((width / 2, height / 2), text, font=font, fill=255, anchor="mm")
        turned = label.rotate(angle, expand=True, resample=Image.Resampling.BICUBIC)
        mask = turned.point(lambda value: int(0.62 * value))
        self._image.paste(INK, (int(x), int(y)), mask)
        self.runs.append(Box(x, y, x + turned.width, y + turned.height, text))
        self._bottom = max(self._bottom, int(y) + turned.height)

    def finish(self) -> Image.Image:
        """Return the sheet, cut below its content."""
        return self._image.crop((0, 0, self.width, self._bottom + self.margin))


def wrap(text: str, font: ImageFont.FreeTypeFont, width: float) -> list[str]:
    """Break a text at its spaces so that no line is wider than `width`."""
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and font.getlength(longer) > width:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line]

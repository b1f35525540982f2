"""Fonts by kind and script, as Debian installs them; a missing glyph is an error, not a box on the page."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from PIL import ImageFont

FontKind = Literal["sans", "serif", "mono", "typewriter", "handwriting"]

_TRUETYPE = "/usr/share/fonts/truetype"
_OPENTYPE = "/usr/share/fonts/opentype"
_NOTO_SANS = f"{_OPENTYPE}/noto/NotoSansCJK-"
_NOTO_SERIF = f"{_OPENTYPE}/noto/NotoSerifCJK-"

# A font is a pair of files, regular and bold; "file#n" is the n-th face of a collection.
LATIN: dict[str, tuple[tuple[str, str], ...]] = {
    "sans": (
        (
            f"{_TRUETYPE}/liberation/LiberationSans-Regular.ttf",
            f"{_TRUETYPE}/liberation/LiberationSans-Bold.ttf",
        ),
        (f"{_TRUETYPE}/dejavu/DejaVuSans.ttf", f"{_TRUETYPE}/dejavu/DejaVuSans-Bold.ttf"),
        (f"{_TRUETYPE}/lato/Lato-Regular.ttf", f"{_TRUETYPE}/lato/Lato-Bold.ttf"),
        (f"{_OPENTYPE}/urw-base35/NimbusSans-Regular.otf", f"{_OPENTYPE}/urw-base35/NimbusSans-Bold.otf"),
    ),
    "serif": (
        (
            f"{_TRUETYPE}/liberation/LiberationSerif-Regular.ttf",
            f"{_TRUETYPE}/liberation/LiberationSerif-Bold.ttf",
        ),
        (f"{_OPENTYPE}/urw-base35/C059-Roman.otf", f"{_OPENTYPE}/urw-base35/C059-Bold.otf"),
        (f"{_OPENTYPE}/urw-base35/P052-Roman.otf", f"{_OPENTYPE}/urw-base35/P052-Bold.otf"),
        (f"{_TRUETYPE}/dejavu/DejaVuSerif.ttf", f"{_TRUETYPE}/dejavu/DejaVuSerif-Bold.ttf"),
    ),
    "mono": (
        (f"{_TRUETYPE}/dejavu/DejaVuSansMono.ttf", f"{_TRUETYPE}/dejavu/DejaVuSansMono-Bold.ttf"),
        (
            f"{_TRUETYPE}/liberation/LiberationMono-Regular.ttf",
            f"{_TRUETYPE}/liberation/LiberationMono-Bold.ttf",
        ),
        (f"{_TRUETYPE}/inconsolata/Inconsolata.otf", f"{_TRUETYPE}/inconsolata/Inconsolata.otf"),
        (f"{_OPENTYPE}/ocr-b/OCRB.otf", f"{_OPENTYPE}/ocr-b/OCRB.otf"),
    ),
    "typewriter": (
        (f"{_OPENTYPE}/courier-prime/Courier Prime.otf", f"{_OPENTYPE}/courier-prime/Courier Prime Bold.otf"),
        (f"{_TRUETYPE}/gnutypewriter/GNUTypewriter.ttf", f"{_TRUETYPE}/gnutypewriter/GNUTypewriter.ttf"),
    ),
    "handwriting": (
        (f"{_TRUETYPE}/fifthhorseman/dkg.ttf", f"{_TRUETYPE}/fifthhorseman/dkgBd.ttf"),
        (f"{_TRUETYPE}/breip/Breip.ttf", f"{_TRUETYPE}/breip/Breip.ttf"),
    ),
}
JAPANESE: dict[str, tuple[tuple[str, str], ...]] = {
    "sans": ((f"{_NOTO_SANS}Regular.ttc#0", f"{_NOTO_SANS}Bold.ttc#0"),),
    "serif": (
        (f"{_OPENTYPE}/ipaexfont-mincho/ipaexm.ttf", f"{_NOTO_SERIF}Bold.ttc#0"),
        (f"{_NOTO_SERIF}Regular.ttc#0", f"{_NOTO_SERIF}Bold.ttc#0"),
    ),
    "mono": ((f"{_NOTO_SANS}Regular.ttc#5", f"{_NOTO_SANS}Bold.ttc#5"),),
}
CHINESE: dict[str, tuple[tuple[str, str], ...]] = {
    "sans": ((f"{_NOTO_SANS}Regular.ttc#3", f"{_NOTO_SANS}Bold.ttc#3"),),
    "serif": (
        (f"{_TRUETYPE}/arphic/uming.ttc#0", f"{_NOTO_SERIF}Bold.ttc#3"),
        (f"{_NOTO_SERIF}Regular.ttc#3", f"{_NOTO_SERIF}Bold.ttc#3"),
    ),
    "mono": ((f"{_NOTO_SANS}Regular.ttc#8", f"{_NOTO_SANS}Bold.ttc#8"),),
}
BY_LANG = {"en": LATIN, "de": LATIN, "ja": JAPANESE, "zh-Hant": CHINESE}


class Typeface:
    """
    A regular and a bold font of one design, at any size.

    Parameters
    ----------
    kind
        What the design is, a column of the data.
    files
        Regular and bold font file.
    """

    def __init__(self, kind: FontKind, files: tuple[str, str]) -> None:
        self.kind = kind
        self.files = files

    def at(self, size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
        """Return the font in `size` pixels."""
        return _load(self.files[bold], size)


def typefaces(lang: str, kind: FontKind) -> list[Typeface]:
    """Return the designs of a kind that can write `lang`."""
    return [Typeface(kind, files) for files in BY_LANG[lang][kind]]


def check_glyphs(font: ImageFont.FreeTypeFont, text: str) -> None:
    """
    Refuse a text that the font cannot write.

    Raises
    ------
    ValueError
        If a character has no glyph; names the character and the font.
    """
    for char in set(text) - {" ", "\u3000"}:
        if not _has_glyph(str(font.path), font.index, char):
            message = f"{font.getname()} has no glyph for {char!r} (U+{ord(char):04X}) in {text!r}"
            raise ValueError(message)


@lru_cache(maxsize=512)
def _load(file: str, size: int) -> ImageFont.FreeTypeFont:
    path, _, index = file.partition("#")
    return ImageFont.truetype(path, size, index=int(index or 0))


@lru_cache(maxsize=16384)
def _has_glyph(path: str, index: int, char: str) -> bool:
    font = _load(f"{path}#{index}", 40)
    drawn = font.getmask(char)
    # U+10FFFF is assigned to nothing, so a font draws it as its placeholder.
    placeholder = font.getmask("\U0010ffff")
    return drawn.size != placeholder.size or bytes(drawn) != bytes(placeholder)

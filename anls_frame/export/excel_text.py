"""Text in workbooks: cell limits, sheet names, and texts that XlsxWriter would change."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable

from anls_frame._text import distinct, visible

CELL_LIMIT = 32_767
_NAME_LIMIT = 31
# Excel reserves the first name; the others are sheets of every workbook.
_RESERVED = ("history", "settings", "notes")

_CHARACTER_CODE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f]")
_STAND_IN = re.compile("\ue000([0-9]+)\ue001")
_STRINGS = "xl/sharedStrings.xml"


def _utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 code units, as Excel counts it."""
    return len(text.encode("utf-16-le")) // 2


def truncated(text: str) -> str:
    """
    Truncate a text that is too long for a cell, and mark its end.

    Parameters
    ----------
    text
        The text.
    """
    length = _utf16_length(text)
    if length <= CELL_LIMIT:
        return text
    mark = f" [... cut: {length:,} characters]"
    kept = text.encode("utf-16-le")[: 2 * (CELL_LIMIT - _utf16_length(mark))]
    return kept.decode("utf-16-le", errors="ignore") + mark


def sheet_names(names: Iterable[str]) -> list[str]:
    """
    Make names valid for sheets: at most 31 characters, no forbidden characters, no duplicates.

    Parameters
    ----------
    names
        The desired names.
    """
    plain = (_CHARACTER_CODE.sub("-", re.sub(r"[\[\]:*?/\\]", "-", visible(name))) for name in names)
    cut = (_cut(name, _NAME_LIMIT).strip("' ") or "Table" for name in plain)

    def numbered(name: str, number: int) -> str:
        ending = f" ({number})"
        return _cut(name, _NAME_LIMIT - len(ending)) + ending

    return distinct(cut, _RESERVED, numbered, key=str.lower)


def _cut(text: str, limit: int) -> str:
    return text.encode("utf-16-le")[: 2 * limit].decode("utf-16-le", errors="ignore")


class ExactTexts:
    """
    Texts that XlsxWriter 3.3 would change, and their placeholders.

    XlsxWriter treats `<r>...</r>` as rich-text markup, and escapes only the first of several codes that share
    an underscore (`_x005F_x0041_`). Placeholders are written instead, and replaced in the shared strings of
    the finished workbook.
    """

    def __init__(self) -> None:
        self._texts: list[str] = []

    def stand_in(self, text: str) -> str:
        """Return the text to write: a placeholder or, in most cases, the text itself."""
        if not (text.startswith("<r>") or _CHARACTER_CODE.search(text) or _STAND_IN.search(text)):
            return text
        self._texts.append(text)
        return f"\ue000{len(self._texts) - 1}\ue001"

    def restore(self, workbook: bytes) -> bytes:
        """
        Replace the placeholders by the texts.

        Parameters
        ----------
        workbook
            The file with the placeholders.
        """
        if not self._texts:
            return workbook
        restored = io.BytesIO()
        with (
            zipfile.ZipFile(io.BytesIO(workbook)) as old,
            zipfile.ZipFile(restored, "w", zipfile.ZIP_DEFLATED) as new,
        ):
            for member in old.infolist():
                content = old.read(member)
                if member.filename == _STRINGS:
                    content = re.sub(f"<t>{_STAND_IN.pattern}</t>", self._element, content.decode()).encode()
                # The member keeps its date, so that equal reports are equal files.
                new.writestr(member, content)
        return restored.getvalue()

    def _element(self, match: re.Match[str]) -> str:
        text = _CHARACTER_CODE.sub("_x005F_", self._texts[int(match[1])])
        text = _CONTROL.sub(lambda control: f"_x{ord(control[0]):04X}_", text)
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return f'<t xml:space="preserve">{text}</t>'

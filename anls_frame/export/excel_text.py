"""Text in workbooks: what fits a cell, names of sheets, and what XlsxWriter would not write as it is."""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING

from anls_frame._text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["CELL_LIMIT", "ExactTexts", "fitted", "sheet_names", "units"]

CELL_LIMIT = 32_767
_NAME_LIMIT = 31
# Excel keeps the first for itself, the others are sheets of ours.
_RESERVED = ("history", "settings", "notes")

_CHARACTER_CODE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f]")
_STAND_IN = re.compile("\ue000([0-9]+)\ue001")
_STRINGS = "xl/sharedStrings.xml"


def units(text: str) -> int:
    """Length of a text as Excel counts it, in UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


def fitted(text: str) -> str:
    """
    Cut a text that is too long for a cell, with a mark at its end.

    Parameters
    ----------
    text
        The text.
    """
    length = units(text)
    if length <= CELL_LIMIT:
        return text
    mark = f" [... cut: {length:,} characters]"
    kept = text.encode("utf-16-le")[: 2 * (CELL_LIMIT - units(mark))]
    return kept.decode("utf-16-le", errors="ignore") + mark


def sheet_names(names: Iterable[str]) -> list[str]:
    """
    Make names valid for sheets: at most 31 characters, none of them forbidden, no two alike.

    Parameters
    ----------
    names
        The names wanted.
    """
    taken = set(_RESERVED)
    valid = []
    for name in names:
        plain = _CHARACTER_CODE.sub("-", re.sub(r"[\[\]:*?/\\]", "-", visible(name, directions=True)))
        plain = _cut(plain, _NAME_LIMIT).strip("' ") or "Table"
        candidate, number = plain, 1
        while candidate.lower() in taken:
            number += 1
            ending = f" ({number})"
            candidate = _cut(plain, _NAME_LIMIT - len(ending)) + ending
        taken.add(candidate.lower())
        valid.append(candidate)
    return valid


def _cut(text: str, limit: int) -> str:
    return text.encode("utf-16-le")[: 2 * limit].decode("utf-16-le", errors="ignore")


class ExactTexts:
    """
    Texts that XlsxWriter 3.3 would change, and those that stand in for them.

    `<r>...</r>` it takes for markup of rich text, and of codes that share an underscore (`_x005F_x0041_`) it
    protects the first only. Other texts stand in for them until the workbook is written, and are then
    replaced in its table of texts.
    """

    def __init__(self) -> None:
        self._texts: list[str] = []

    def stand_in(self, text: str) -> str:
        """Return what to write in place of a text: mostly the text itself."""
        if not (text.startswith("<r>") or _CHARACTER_CODE.search(text) or _STAND_IN.search(text)):
            return text
        self._texts.append(text)
        return f"\ue000{len(self._texts) - 1}\ue001"

    def restore(self, workbook: bytes) -> bytes:
        """
        Put the texts in place.

        Parameters
        ----------
        workbook
            The file with the texts that stand in.
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
                # With the member's own date: equal reports are equal files.
                new.writestr(member, content)
        return restored.getvalue()

    def _element(self, match: re.Match[str]) -> str:
        text = _CHARACTER_CODE.sub("_x005F_", self._texts[int(match[1])])
        text = _CONTROL.sub(lambda control: f"_x{ord(control[0]):04X}_", text)
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return f'<t xml:space="preserve">{text}</t>'

"""What dates, amounts, numbers and addresses look like."""

from __future__ import annotations

import re
import unicodedata

from rapidfuzz import fuzz

_DATE = (
    r"(?:令\s?和|民\s?國)?\s?\d{1,4}\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?日"
    r"|\d{4}[/.-]\d{1,2}[/.-]\d{1,2}|\d{1,2}[/.-]\s?\d{1,2}[/.-]\s?\d{4}"
    r"|\d{1,2}\.?\s[A-Za-zä]{3,9}\.?\s\d{4}|[A-Za-z]{3,9}\.?\s\d{1,2}[,.]?\s\d{4}"
)
_AMOUNT = (
    r"(?:NT\$|[$€¥￥£]|EUR)\s?\d[\d.,]*\d|\d[\d.,]*\d?\s?(?:€|EUR|円|USD)"
    r"|\d{1,3}(?:[.,]\d{3})*[.,]\d{2}\b|\d{1,3}(?:[.,]\d{3})+"
)
SHAPES = {
    "date": re.compile(_DATE, re.IGNORECASE),
    "amount": re.compile(_AMOUNT),
    "number": re.compile(r"-?\d[\d.,]*"),
    "id": re.compile(r"[A-Z0-9][A-Z0-9/.-]*\d[A-Z0-9/.-]*", re.IGNORECASE),
    "phone": re.compile(r"[+(]?\d[\d() /-]{6,}\d"),
    "email": re.compile(r"\S+\s?@\s?\S+\.\w{2,}"),
    "time": re.compile(r"\d{1,2}:\d{2}(?:\s?(?:AM|PM|Uhr))?|\d{1,2}[:.]\d{2}\s?(?:AM|PM|Uhr)", re.IGNORECASE),
}
MARKS = frozenset("xXKkvV×✓✔☑☒√Ｘ乂")


def first_match(shape: str, text: str) -> str | None:
    """Return the first part of a text that has the shape; the text itself for a shape without a pattern."""
    pattern = SHAPES.get(shape)
    if pattern is None:
        return text or None
    match = pattern.search(text)
    return match[0].strip() if match else None


def as_number(text: str) -> float | None:
    """Read a figure; whatever has two digits after its last point or comma has decimals."""
    digits = re.sub(r"[^\d.,]", "", unicodedata.normalize("NFKC", text)).strip(".,")
    if not any(char.isdigit() for char in digits):
        return None
    whole, mark, rest = re.match(r"^(.*?)([.,]?)(\d*)$", digits, re.DOTALL).groups()  # type: ignore[union-attr]
    if mark and len(rest) == 2:
        return float(re.sub(r"\D", "", whole) or 0) + int(rest) / 100
    return float(re.sub(r"\D", "", digits))


def alike(wanted: str, text: str) -> float:
    """Return how well a name stands somewhere in a text, from 0 to 100, blind to case and CJK spaces."""
    one, other = squeezed(wanted), squeezed(text)
    if len(other) <= len(one):
        # A partial match of the shorter in the longer would find "men" in "women".
        return fuzz.ratio(one, other)
    return fuzz.partial_ratio(one, other)


def squeezed(text: str) -> str:
    """Return a text for comparison: NFKC, lower case, without spaces."""
    return "".join(unicodedata.normalize("NFKC", text).lower().split())

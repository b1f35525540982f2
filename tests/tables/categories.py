"""
Write `src/kernel/categories.rs`: which characters are punctuation, currency signs and other symbols.

The table is that of Unicode 14, in which scores are defined: run it with Python 3.11.
"""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

HEAD = """//! Punctuation, currency signs and other symbols, from Unicode 14.
//!
//! Written by `tests/tables/categories.py`; not to be changed by hand. The table is pinned because later
//! versions of Unicode change the categories of old characters. Lower case follows the standard library: see
//! [`case`](super::case).

/// General category of a character, as far as error types need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Any of P.
    Punctuation,
    /// Sc.
    Currency,
    /// Sm, Sk and So.
    Symbol,
    /// Everything else.
    Other,
}

/// The category of a character.
pub fn category(character: char) -> Category {
    let code = u32::from(character);
    let index = RANGES.partition_point(|&(_, last, _)| last < code);
    match RANGES.get(index) {
        Some(&(first, _, category)) if first <= code => category,
        _ => Category::Other,
    }
}

use Category::{Currency as C, Punctuation as P, Symbol as S};

/// First and last code point of each range.
#[rustfmt::skip]
const RANGES: &[(u32, u32, Category)] = &[
"""


def ranges() -> list[tuple[int, int, str]]:
    """Return the ranges of code points with the letters of their categories."""
    found: list[tuple[int, int, str]] = []
    for code in range(sys.maxunicode + 1):
        general = unicodedata.category(chr(code))
        letter = "C" if general == "Sc" else general[0]
        if (letter == "C" and general != "Sc") or letter not in "PSC":
            continue
        if found and found[-1][1:] == (code - 1, letter):
            found[-1] = (found[-1][0], code, letter)
        else:
            found.append((code, code, letter))
    return found


def main() -> None:
    """Write the file."""
    if unicodedata.unidata_version != "14.0.0":
        raise SystemExit(f"this Python knows Unicode {unicodedata.unidata_version}, not 14.0.0")
    entries = [f"({first:#x}, {last:#x}, {letter})," for first, last, letter in ranges()]
    lines = ["    " + " ".join(entries[start : start + 4]) for start in range(0, len(entries), 4)]
    path = Path(__file__).parents[2] / "src" / "kernel" / "categories.rs"
    path.write_text(HEAD + "\n".join(lines) + "\n];\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""
Check that comments do not gain words that a native reader stumbles over.

Lines of comments with one of `WORDS` are counted in Rust and in Python. `MOST` has the allowed counts;
lower them when a comment is rewritten.
"""

from __future__ import annotations

import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORDS = re.compile(
    r"\b(stands?|so many|behind|of which|as if|anew|but for|once more|beside|alike)\b", re.IGNORECASE
)
MOST = {"src": 0, "anls_frame": 29}


def main() -> int:
    """Report the comments of a folder that has more of them than it may have; 1 if there is one."""
    excess = 0
    for folder, most in MOST.items():
        found = [f"{place}: {text}" for place, text in comments(ROOT / folder) if WORDS.search(text)]
        if len(found) > most:
            listed = "\n".join(found)
            sys.stdout.write(
                f"{listed}\n{folder}: {len(found)} comments say {WORDS.pattern}, at most {most} may\n"
            )
            excess = 1
    return excess


def comments(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each line of a comment below a folder."""
    for path in sorted(folder.rglob("*.rs")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if comment := re.search(r"(?:^|\s)//.*", line):
                yield f"{path.relative_to(ROOT)}:{number}", comment[0].strip()
    for path in sorted(folder.rglob("*.py")):
        with path.open("rb") as file:
            for token in tokenize.tokenize(file.readline):
                if token.type == tokenize.COMMENT:
                    yield f"{path.relative_to(ROOT)}:{token.start[0]}", token.string


if __name__ == "__main__":
    sys.exit(main())

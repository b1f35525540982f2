"""
Check that texts do not gain words that a native reader stumbles over.

It reads the comments of Rust and Python, the strings of Python (docstrings and messages), the templates
of pages, and the prose of the documentation. `MOST` has the allowed counts; lower them when a text is
rewritten. CONTRIBUTING.md says what to write instead.
"""

from __future__ import annotations

import ast
import itertools
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
WORDS = re.compile(
    r"\b(stands?(?! out)|so many|behind|(?<!each\s)(?<!some\s)(?<!any\s)of which"
    r"|as if|anew|but for|once more|beside|alike"
    r"|shells?|mend(s|ed|ing)?|spoil(s|t|ed|ing)?|from [^\s,.;:()]+ on"
    r"|lost answers?|(answers?|rows?) (is|are|was|were) lost|worth (fewer|more|only|as many|\d\S*)"
    r"|\d+ points|(am|is|are|be|more|less|most) sure|(claim|interval)s? holds?"
    r"|lines? of (a|the) (result|ranking))\b".replace(" ", r"\s+"),
    re.IGNORECASE,
)
EXCEPTIONS = re.compile(
    "shell completion"  # what shells call it
    "|shell: bash"  # a key of a workflow
    "|by the shell|usual in shells"  # the program itself, which expands patterns and reads exit codes
    r"|\| not \| but \|(\n\|.*)+"  # the list of these words
)
CODE = re.compile(r"^( *)```.*?^\1```|`[^`\n]*`|^ *(>>>|\.\.\.) .*?$", re.DOTALL | re.MULTILINE)
MOST = {"comments of src": 5, "comments": 27, "strings": 113, "pages": 3, "docs": 46}


class Text(NamedTuple):
    """A text and where it begins."""

    path: Path
    line: int
    text: str


def main() -> int:
    """Report the texts of a kind that have more of the words than they may have; 1 if there is one."""
    python = sorted(ROOT.glob("anls_frame/**/*.py"))
    docs = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
    texts = {
        "comments of src": itertools.chain.from_iterable(
            map(rust_comments, sorted(ROOT.glob("src/**/*.rs")))
        ),
        "comments": itertools.chain.from_iterable(map(python_comments, python)),
        "strings": itertools.chain.from_iterable(map(strings, python)),
        "pages": prose(sorted(ROOT.glob("anls_frame/export/page/**/*.html"))),
        "docs": prose(docs),
    }
    excess = 0
    for kind, most in MOST.items():
        found = [place for text in texts[kind] for place in stumbles(text)]
        if len(found) > most:
            listed = "\n".join(found)
            sys.stdout.write(
                f"{listed}\n{kind}: {len(found)} of these words, at most {most} may be there; "
                "CONTRIBUTING.md says what to write instead\n"
            )
            excess = 1
    return excess


def stumbles(text: Text) -> Iterator[str]:
    """Yield the place of each of the words in a text without its code."""
    for ignored in (EXCEPTIONS, CODE):
        text = text._replace(text=ignored.sub(blank, text.text))
    for match in WORDS.finditer(text.text):
        line = text.line + text.text.count("\n", 0, match.start())
        yield f"{text.path.relative_to(ROOT)}:{line}: {' '.join(match[0].split())}"


def blank(match: re.Match[str]) -> str:
    """Return the line breaks of a match, so that the lines after it keep their numbers."""
    return "\n" * match[0].count("\n")


def rust_comments(path: Path) -> Iterator[Text]:
    """Yield the comments of a file of Rust, line by line."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if comment := re.search(r"(?:^|\s)//.*", line):
            yield Text(path, number, comment[0])


def python_comments(path: Path) -> Iterator[Text]:
    """Yield the comments of a file of Python, line by line."""
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                yield Text(path, token.start[0], token.string)


def strings(path: Path) -> Iterator[Text]:
    """Yield the strings of a file of Python; of one with fields, the parts between them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield Text(path, node.lineno, node.value)


def prose(paths: Iterable[Path]) -> Iterator[Text]:
    """Yield whole files."""
    for path in paths:
        yield Text(path, 1, path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main())

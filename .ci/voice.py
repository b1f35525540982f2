"""
Check that texts have no words that a native reader stumbles over.

It reads the comments of Rust and Python, the strings of Python (docstrings and messages), the templates
and scripts of pages, and the prose of notebooks and documentation. CONTRIBUTING.md says what to write
instead.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tokenize
from collections.abc import Iterator
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
DOCS = ("*.md", "docs/**/*.md", "tests/README.md", "data/*.md", "examples/**/*.md", "anls_frame/*.md")


class Text(NamedTuple):
    """A text and where it begins."""

    path: Path
    line: int
    text: str


def main() -> int:
    """Report the places of the words; 1 if there is one."""
    texts = {
        rust_comments: files("src/**/*.rs"),
        python_comments: files("anls_frame/**/*.py"),
        strings: files("anls_frame/**/*.py"),
        notebook: files("notebooks/*.ipynb"),
        whole: files("anls_frame/export/page/**/*.html", "anls_frame/export/page/**/*.js", *DOCS),
    }
    found = [
        place
        for read, paths in texts.items()
        for path in paths
        for text in read(path)
        for place in stumbles(text)
    ]
    if found:
        listed = "\n".join(found)
        sys.stdout.write(f"{listed}\nCONTRIBUTING.md (Style) says what to write instead of these words\n")
    return int(bool(found))


def files(*patterns: str) -> list[Path]:
    """Return the files that match the patterns."""
    return [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def stumbles(text: Text) -> Iterator[str]:
    """Yield the place of each of the words in a text without its code."""
    for ignored in (EXCEPTIONS, CODE):
        text = text._replace(text=ignored.sub(blank, text.text))
    for match in WORDS.finditer(text.text):
        line = text.line + text.text.count("\n", 0, match.start())
        yield f"{text.path.relative_to(ROOT)}:{line}: {' '.join(match[0].split())}"


def blank(match: re.Match[str]) -> str:
    """Return a sign in place of a match, with its line breaks, so that lines keep their numbers."""
    return "`" + "\n" * match[0].count("\n")


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


def notebook(path: Path) -> Iterator[Text]:
    """Yield the cells of prose of a notebook, without their lines."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            yield Text(path, 1, "".join(cell["source"]))


def whole(path: Path) -> Iterator[Text]:
    """Yield a whole file."""
    yield Text(path, 1, path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main())

"""Examples of docstrings and pages define all that they use, so that they run when they are copied."""

from __future__ import annotations

import ast
import doctest
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def _documented(path: Path) -> dict[str, str]:
    """Return the docstrings of a module by line, or the text of a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return {"1": text}
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return {
        str(getattr(node, "lineno", 1)): ast.get_docstring(node) or ""
        for node in ast.walk(ast.parse(text))
        if isinstance(node, kinds)
    }


def test_examples_define_every_name(tmp_path: Path) -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("**/*.md")]
    parser, written = doctest.DocTestParser(), 0
    for path in [*pages, *(ROOT / "anls_frame").glob("**/*.py")]:
        for line, text in _documented(path).items():
            # What Python's own doctest would not run needs no names either.
            examples = "".join(example.source for example in parser.get_examples(text))
            name = "_".join(path.relative_to(ROOT).parts).replace(".", "_")
            if examples:
                (tmp_path / f"{name}_{line}.py").write_text(examples, encoding="utf-8")
                written += 1
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--select=F821",
        "--output-format=concise",
    ]
    done = subprocess.run(  # noqa: S603 - our own linter
        [*command, "--no-cache", str(tmp_path)], capture_output=True, encoding="utf-8", check=False
    )
    assert "All checks passed" in done.stdout, done.stdout + done.stderr
    assert written > 150

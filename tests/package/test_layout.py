"""Where things are: tests mirror the package, and the pages for contributors name paths that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# A page may leave out the folder that it is about.
FOLDERS = [ROOT / name for name in (".", "anls_frame", "src", "src/plugin", "tests")]


def test_folders_of_tests_are_those_of_the_package() -> None:
    tests = {path.parent.name for path in ROOT.glob("tests/*/test_*.py")}
    folders = {path.parent.name for path in ROOT.glob("anls_frame/*/__init__.py")}
    assert tests == folders | {"package"}
    assert list(ROOT.glob("tests/test_*.py")) == []


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "tests/README.md"])
def test_paths_that_a_page_names_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`([\w.*/-]+/[\w.*/-]*)`", text)
    assert named
    assert [path for path in named if not any(any(folder.glob(path)) for folder in FOLDERS)] == []

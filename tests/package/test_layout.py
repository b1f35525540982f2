"""Where things are: tests mirror the package, and the pages for contributors name paths that exist."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from pathlib import Path

import pytest

import anls_frame as af
from anls_frame import export, plot, readers
from anls_frame.cli.app import commands

ROOT = Path(__file__).parents[2]
# A page may leave out the folder that it is about.
FOLDERS = [ROOT / name for name in (".", "anls_frame", "src", "src/plugin", "src/kernel/lanes", "tests")]


def test_folders_of_tests_are_those_of_the_package() -> None:
    tests = {path.parent.name for path in ROOT.glob("tests/*/test_*.py")}
    folders = {path.parent.name for path in ROOT.glob("anls_frame/*/__init__.py")}
    assert tests == folders | {"package"}
    assert list(ROOT.glob("tests/test_*.py")) == []


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "tests/README.md"])
def test_paths_that_a_page_names_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`([\w.*/-]+(?:/|/[\w.*-]+|\.(?:py|rs|md|json|toml)))`", text)
    assert len(named) > 10
    assert [path for path in named if not any(any(folder.glob(path)) for folder in FOLDERS)] == []


def test_what_is_imported_is_a_dependency() -> None:
    declared = {
        re.split(r"[^\w-]", line)[0].lower().replace("-", "_")
        for line in importlib.metadata.requires("anls-frame") or []
    }
    statement = re.compile(r"^ *(?:import|from) (\w+)[\w.]*(?: import .*| as \w+)?(?: +#.*)?$", re.MULTILINE)
    imported = {
        name
        for path in ROOT.glob("anls_frame/**/*.py")
        for name in statement.findall(path.read_text(encoding="utf-8"))
    }
    # Jinja2 brings the second, anywidget the third; type checkers know the fourth.
    others = {"anls_frame", "markupsafe", "traitlets", "typing_extensions"}
    assert imported - set(sys.stdlib_module_names) - declared == others


def test_contributors_are_told_of_every_folder_of_the_package() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    folders = [path.parent.name for path in ROOT.glob("anls_frame/*/__init__.py")]
    assert [folder for folder in folders if f"`{folder}/`" not in text] == []


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("docs/protocols.md", [f'`"{name}"`' for name in af.PROTOCOLS]),
        ("docs/command_line.md", export.SUFFIXES),
        (
            "docs/files.md",
            [f"`{name}" if name in af.__all__ else f"`readers.{name}" for name in readers.__all__],
        ),
        ("docs/plots.md", [f"`{name}`" for name in plot.__all__]),
        (
            "docs/command_line.md",
            [f"| `{name}" for name in commands()],
        ),
    ],
)
def test_a_page_leaves_nothing_out(page: str, names: list[str]) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [name for name in names if name not in text] == []

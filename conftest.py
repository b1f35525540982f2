"""Where examples run: those of docstrings in an empty folder, as with the wheel alone."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parent


@pytest.fixture(autouse=True)
def folder_of_examples(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let examples write where they run; pages may read `data/` and `examples/` of a checkout."""
    if not isinstance(request.node, pytest.DoctestItem):
        return
    folder: Path = request.getfixturevalue("tmp_path")
    if request.node.path.suffix == ".md":
        for name in ("data", "examples"):
            (folder / name).symlink_to(ROOT / name)
    monkeypatch.chdir(folder)

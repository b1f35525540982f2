"""What an installation from source says where it finds no Rust that can build it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# maturin, as it fails where it can download no Rust.
MATURIN = """
def fail(*arguments, **options):
    raise ConnectionError("name resolution")

get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel = fail
build_editable = build_sdist = build_wheel = fail
prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel = fail
"""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="cargo is a shell script here")


@pytest.mark.parametrize(
    ("cargo", "said"),
    [
        (None, "cargo is not on PATH and cannot be downloaded: name resolution"),
        ("cargo 1.65.0", "/cargo is 1.65"),
        ("cargo 1.88.1 (873a06493 2025-05-10)", "/cargo is 1.88"),
        ("cargo 1.89.0 (c24e10642 2025-06-23)", None),
        ("cargo 2.0.0", None),
    ],
)
def test_a_build_without_a_usable_rust_says_what_to_do(
    tmp_path: Path, cargo: str | None, said: str | None
) -> None:
    (tmp_path / "maturin.py").write_text(MATURIN)
    if cargo:
        (tmp_path / "cargo").write_text(f"#!/bin/sh\necho '{cargo}'\n")
        (tmp_path / "cargo").chmod(0o755)
    ran = subprocess.run(
        [sys.executable, "-c", "import backend; backend.build_wheel('dist')"],
        cwd=ROOT,
        env={"PATH": str(tmp_path), "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT / 'packaging'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    if said is None:  # what maturin says stays as it is
        assert ran.stderr.endswith("ConnectionError: name resolution\n")
    else:
        first, second = ran.stderr.splitlines()
        assert first.startswith("anls_frame is built with Rust 1.89 or newer, but ")
        assert first.endswith(said)
        assert second.startswith("Install Rust")

"""What a checkout without a compiled library says."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import anls_frame


def test_a_checkout_without_its_library_says_how_to_build_it(tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("_native*.so", "_native*.pyd", "__pycache__")
    shutil.copytree(Path(anls_frame.__file__).parent, tmp_path / "anls_frame", ignore=ignored)
    ran = subprocess.run(
        [sys.executable, "-c", "import anls_frame"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    last = ran.stderr.rstrip().splitlines()[-1]
    assert last.startswith("ImportError: the compiled library of anls_frame is missing: `make install`")
    assert "ModuleNotFoundError" not in ran.stderr

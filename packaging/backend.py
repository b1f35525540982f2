"""
The build backend: maturin, which builds with the Rust that it finds or else downloads.

Where the Rust on PATH is too old or none can be downloaded, maturin ends in an error of the manifest or the
traceback of a connection; here it ends in what to do.
"""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import maturin
from maturin import (
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

OLDEST = tomllib.loads(Path("Cargo.toml").read_text(encoding="utf-8"))["package"]["rust-version"]


def _explained(hook: Callable[..., str]) -> Callable[..., str]:
    @functools.wraps(hook)
    def call(*arguments: object, **options: object) -> str:
        cargo = shutil.which("cargo")
        if cargo and _numbers(found := _version(cargo)) < _numbers(OLDEST):
            raise SystemExit(_what_to_do(f"{cargo} is {found}"))
        try:
            return hook(*arguments, **options)
        # Where maturin has said why it fails, it raises SystemExit.
        except Exception as error:
            if cargo:
                raise
            raise SystemExit(
                _what_to_do(f"cargo is not on PATH and cannot be downloaded: {error}")
            ) from error

    return call


def _version(cargo: str) -> str:
    ran = subprocess.run([cargo, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    found = re.search(r"\d+\.\d+", ran.stdout)
    # A cargo that does not start says why when maturin runs it.
    return found[0] if found else OLDEST


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def _what_to_do(fault: str) -> str:
    return (
        f"anls_frame is built with Rust {OLDEST} or newer, but {fault}\n"
        "Install Rust (https://rustup.rs) and try again, or install a wheel, which needs no Rust."
    )


build_editable = _explained(maturin.build_editable)
build_sdist = _explained(maturin.build_sdist)
build_wheel = _explained(maturin.build_wheel)
prepare_metadata_for_build_editable = _explained(maturin.prepare_metadata_for_build_editable)
prepare_metadata_for_build_wheel = _explained(maturin.prepare_metadata_for_build_wheel)

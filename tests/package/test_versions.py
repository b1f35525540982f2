"""What several files say of versions is the same."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import anls_frame as af

ROOT = Path(__file__).parents[2]
CARGO = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_every_file_names_the_same_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    assert PROJECT["dynamic"] == ["version"]  # maturin takes it from Cargo.toml
    assert {
        CARGO["package"]["version"],
        af.__version__,
        *re.findall(r"^version: (.*)$", citation, re.MULTILINE),
        *(package["version"] for package in locked if package["name"] == "anls_frame"),
    } == {af.__version__}


def test_the_library_is_built_for_the_oldest_python() -> None:
    (feature,) = CARGO["dependencies"]["pyo3"]["features"]
    assert feature == "abi3-py" + PROJECT["requires-python"].removeprefix(">=").replace(".", "")


def test_the_readme_names_the_oldest_rust() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"Rust (\d[\d.]*) or newer", text) == [CARGO["package"]["rust-version"]]


def test_no_polars_to_come_is_ruled_out() -> None:
    (on_polars,) = [one for one in PROJECT["dependencies"] if one.startswith("polars")]
    assert re.fullmatch(r"polars>=[0-9.]+", on_polars)

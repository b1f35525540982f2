"""The figures that the guides quote are in the tables of benchmarks, and one that is not is found."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]

TABLE = """# Coverage

1,000 samples. The gate may err in 5 %.

| documents | coverage, % | accepted |
| --- | ---: | ---: |
| 12 | 93.4 | 0.41 |
| 1,200 | 96.25 | 0.9 |
"""
SECTION = "# Evidence\n\n## Means\n\n`gate.py` ([COVERAGE.md](../benchmarks/COVERAGE.md)) draws samples.\n\n"


@pytest.fixture
def figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, on a folder of its own."""
    spec = importlib.util.spec_from_file_location("figures", ROOT / ".ci/figures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("docs", "benchmarks"):
        (tmp_path / name).mkdir()
        monkeypatch.setattr(module, name.upper(), tmp_path / name)
    (tmp_path / "benchmarks/COVERAGE.md").write_text(TABLE)
    (tmp_path / "docs/evidence.md").write_text(SECTION)
    (tmp_path / "docs/evidence_decisions.md").write_text(SECTION.replace("Means", "Gates"))
    return module


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("Intervals hold in 93.4 to 96.3 % ([table](../benchmarks/COVERAGE.md)).", None),
        ("Intervals hold in 93 or more %, and 41 % are accepted ([means](evidence.md#means)).", None),
        ("Intervals hold in 92.8 to 96.3 % ([means](evidence.md#means)).", "92.8 %: not in COVERAGE.md"),
        ("They err in 92.8 % ([gates](evidence_decisions.md#gates)).", "92.8 %: not in COVERAGE.md"),
        ("Levels of 95 % and 5 % are no results ([means](evidence.md#means)).", None),
        ("In simulations, intervals held in 93.4 % of samples.", "93.4 %: no link to a table of benchmarks/"),
        ("We sold 93.9 % of the tickets.", None),
        ("```\nsimulated: 93.9 %\n```", None),
        (
            "| what | coverage, % |\n|---|---|\n| [means](evidence.md#means) | 93.4, 97.1 |",
            "97.1 %: not in COVERAGE.md",
        ),
    ],
)
def test_a_figure_is_looked_for_where_its_paragraph_points(
    figures: ModuleType, capsys: pytest.CaptureFixture[str], said: str, wrong: str | None
) -> None:
    (figures.DOCS / "guide.md").write_text(f"# Guide\n\n{said}\n")
    assert figures.main() == (wrong is not None)
    assert capsys.readouterr().out.partition(": ")[2].strip() == (wrong or "")


def test_the_page_on_evidence_cites_a_table_once_a_section(
    figures: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    page = figures.DOCS / "evidence.md"
    page.write_text(f"{SECTION}| documents | coverage, % |\n|---|---|\n| 12 | 93.4 |\n| 50 | 91.7 |\n")
    assert figures.main() == 1
    assert "91.7 %: not in COVERAGE.md" in capsys.readouterr().out

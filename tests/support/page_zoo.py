"""The files of `tests/readers/zoo`: pages as many programs write them, and what people read there."""

from __future__ import annotations

from pathlib import Path

ZOO = Path(__file__).parents[1] / "readers" / "zoo"
FILES = sorted(
    {path.with_name(path.name.removesuffix(".text").partition("#")[0]) for path in ZOO.rglob("*.text")}
)


def texts_of(path: Path) -> list[str]:
    """Return the texts of the pages of a file, as written down by hand."""
    single = path.with_name(f"{path.name}.text")
    if single.exists():
        return [single.read_text("utf-8").removesuffix("\n")]
    pages = sorted(
        path.parent.glob(f"{path.name}#*.text"), key=lambda page: int(page.name.split("#")[1][:-5])
    )
    return [page.read_text("utf-8").removesuffix("\n") for page in pages]

"""
Copy the sources into a folder to build a release from: ``python .ci/release_tree.py FOLDER [ADDRESS]``.

PyPI shows README.md without the files beside it. In the copy, its links and pictures therefore lead to the
repository at ADDRESS, at the tag of the version, and pyproject.toml names the repository. Without ADDRESS,
the copy has no pictures, and only the words of links.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\[\]]*)\]\((?!\w+:|#)(?P<path>[^()\s]+)\)")
"""A link or a picture whose target is a file of the repository."""


def standing_alone(text: str, address: str, tag: str) -> str:
    """Return a page whose links do not need the files beside it."""

    def replaced(link: re.Match[str]) -> str:
        if not address:
            return "" if link["picture"] else link["text"]
        kind = "raw" if link["picture"] else "blob"
        return f"{link['picture']}[{link['text']}]({address}/{kind}/{tag}/{link['path']})"

    return re.sub(r"\n{3,}", "\n\n", LINK.sub(replaced, text))


def addresses(address: str, tag: str) -> str:
    """Return the addresses of the package, as a table of pyproject.toml."""
    pages = {
        "Repository": address,
        "Changelog": f"{address}/blob/{tag}/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }
    return "\n".join(["\n[project.urls]", *(f'{name} = "{page}"' for name, page in pages.items()), ""])


def copy(folder: Path, address: str = "") -> None:
    """Copy the files that git knows, with their changes."""
    shutil.rmtree(folder, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)  # noqa: S607
    for name in listed.stdout.decode().split("\0")[:-1]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    tag = f"v{tomllib.loads((ROOT / 'Cargo.toml').read_text(encoding='utf-8'))['package']['version']}"
    page = folder / "README.md"
    page.write_text(standing_alone(page.read_text(encoding="utf-8"), address, tag), encoding="utf-8")
    if address:
        with (folder / "pyproject.toml").open("a", encoding="utf-8") as file:
            file.write(addresses(address, tag))


if __name__ == "__main__":
    copy(Path(sys.argv[1]), *sys.argv[2:])

"""The page that PyPI shows: README.md, whose links must not need the files beside it."""

from __future__ import annotations

import importlib.util
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import cmarkgfm
import pytest

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("release_tree", ROOT / ".ci/release_tree.py")
assert SPEC is not None
assert SPEC.loader is not None
release_tree = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(release_tree)

ADDRESS = "https://example.org/someone/frames"
README = (ROOT / "README.md").read_text(encoding="utf-8")


class Targets(HTMLParser):
    """The targets of a page's links and pictures, by tag."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: dict[str, list[str]] = {"a": [], "img": []}
        self.feed(cmarkgfm.github_flavored_markdown_to_html(text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.found:
            self.found[tag] += [value or "" for name, value in attrs if name in ("href", "src")]


def test_links_and_pictures_lead_to_files_at_the_tag() -> None:
    page = Targets(release_tree.standing_alone(README, ADDRESS, "v1.2.3")).found
    before = Targets(README).found

    for tag, kind in (("a", "blob"), ("img", "raw")):
        paths = [target.removeprefix(f"{ADDRESS}/{kind}/v1.2.3/") for target in page[tag]]
        assert paths == before[tag]
        assert all((ROOT / path.partition("#")[0]).is_file() for path in paths if "://" not in path)
    assert page["img"]


def test_without_an_address_the_words_of_links_are_left() -> None:
    page = release_tree.standing_alone(README, "", "v1.2.3")

    assert Targets(page).found == {"a": [], "img": []}
    assert "**Which protocol?**: the rules of each leaderboard" in page


@pytest.mark.parametrize("text", ["[a](https://example.org)", "[a](#part)", "`x[0]` (y)"])
def test_other_links_stay(text: str) -> None:
    assert release_tree.standing_alone(text, ADDRESS, "v1") == text


def test_a_package_names_the_repository_and_its_changes() -> None:
    urls = tomllib.loads(release_tree.addresses(ADDRESS, "v1.2.3"))["project"]["urls"]

    assert urls == {
        "Repository": ADDRESS,
        "Changelog": f"{ADDRESS}/blob/v1.2.3/CHANGELOG.md",
        "Issues": f"{ADDRESS}/issues",
    }
    assert "urls" not in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

"""Reads a page of rows back, as its script does."""

from __future__ import annotations

import base64
import functools
import gzip
import itertools
import json
import re
from typing import Any
from urllib.parse import parse_qsl

from html_pages import HtmlPage


class ReadPage(HtmlPage):
    """A page of rows, and its columns as lists of values."""

    def __init__(self, html: str) -> None:
        super().__init__(html)
        self.html = html
        scripts = self.find("script")
        self.scripts = {one.attributes["id"]: one.text for one in scripts if "id" in one.attributes}
        self.code = "".join(one.text for one in scripts if "id" not in one.attributes)
        self.style = "".join(self.texts("style"))
        self.policy = policy(self)
        self.known: dict[str, list[Any]] = {}

    @functools.cached_property
    def meta(self) -> dict[str, Any]:
        """What the page says about its columns."""
        found: dict[str, Any] = json.loads(self.scripts["meta"])
        return found

    def column(self, name: str) -> list[Any]:
        """Return the values of a column."""
        if name not in self.known:
            self.known[name] = self._column(name)
        return self.known[name]

    def _column(self, name: str) -> list[Any]:
        described = self.meta["columns"][name]
        codes, pool = (self._part(described[part]) for part in ("codes", "pool"))
        values = [None, *pool]
        return [[values[one] for one in code] if isinstance(code, list) else values[code] for code in codes]

    def _part(self, number: int) -> Any:
        content = json.loads(gzip.decompress(base64.b64decode(self.scripts[f"part-{number}"])))
        return content if isinstance(content, list) else list(itertools.accumulate(content["steps"]))


_RANGE = re.compile(r"[-+.\de]*\.\.[-+.\de]*")
_OPEN = ("-inf", "inf")


class Linked(HtmlPage):
    """The links of a page, and the page of rows within it."""

    def __init__(self, html: str) -> None:
        super().__init__(html)
        self.views = self.values("data-view")
        self.policy = policy(self)
        self.rows = next((ReadPage(text) for text in self.values("srcdoc")), None)

    def count(self, view: str) -> int:
        """Return how many rows of the page a view selects."""
        return sum(self.selected(view))

    def selected(self, view: str) -> list[bool]:
        """Return whether a view selects each row of the page."""
        assert self.rows is not None
        conditions = dict(parse_qsl(view))
        sort = conditions.pop("sort", None)
        assert sort is None or sort.removeprefix("-") in self.rows.meta["columns"]
        passed = [self.passes(name, text) for name, text in conditions.items()]
        return (
            [all(of_row) for of_row in zip(*passed, strict=True)]
            if passed
            else [True] * self.rows.meta["rows"]
        )

    @functools.cache  # noqa: B019 - of a page that one test reads
    def passes(self, name: str, text: str) -> list[bool]:
        """Return whether the value of each row in a column passes."""
        assert self.rows is not None
        values = self.rows.column(name)
        if _RANGE.fullmatch(text):
            ends = text.split("..")
            low, high = (float(end or default) for end, default in zip(ends, _OPEN, strict=True))
            return [value is not None and low <= value <= high for value in values]
        wanted = json.loads(f"[{text}]")
        # An empty list passes as null.
        entries = [(value or [None]) if isinstance(value, list) else [value] for value in values]
        return [any(entry in wanted for entry in of_row) for of_row in entries]


def policy(page: HtmlPage) -> str:
    """Return the policy of a page, which says what it may load and run."""
    return "".join(
        one.attributes["content"] or ""
        for one in page.find("meta")
        if one.attributes.get("http-equiv") == "Content-Security-Policy"
    )

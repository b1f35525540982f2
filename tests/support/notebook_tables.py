"""Tables as a notebook shows them, read back, and keys that would break out of one."""

from __future__ import annotations

from html.parser import HTMLParser

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</td></tr></table>",
    "<!--",
    "&amp;",
    "&lt;b&gt;",
    "[x](javascript:alert(1))",
    "**bold** _i_ `code`",
    "a|b",
    "{{x}}",
    "^.*$",
    "=1+1",
    "{braces}",
    "%s",
    "\\input{x}",
]


NONE = "\N{EN DASH}"


class Texts(HTMLParser):
    """The texts of a page's table cells, as a browser shows them, and the tags that are there."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.cells: list[str] = []
        self.feed(html)
        self.close()
        self.cells = [cell.strip() for cell in self.cells]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


TAGS = {"div", "style", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "span"}

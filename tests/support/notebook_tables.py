"""Tables as a notebook shows them, read back, and keys that would break out of one."""

from __future__ import annotations

import functools

from html_pages import HtmlPage

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


class Texts(HtmlPage):
    """The texts of the cells of its tables, as a browser shows them."""

    @functools.cached_property
    def cells(self) -> list[str]:
        """They without the space around them."""
        return [text.strip() for text in self.texts("th", "td")]


TAGS = {"div", "style", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "span"}

"""
Texts that have broken writers, or were made to: markup, formulas, control characters, long and odd ones.

None holds half of a surrogate pair, which no column of text can hold.
"""

from __future__ import annotations

import polars as pl

from anls_frame.export import Document, Table

MARKUP = (
    "<b>bold</b>",
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' onfocus='alert(1)",
    "<!-- comment",
    "--><b>",
    "]]>",
    "<![CDATA[x",
    "&amp;",
    "&#60;b&#62;",
    "&lt;script&gt;",
    "a & b < c > d \"e\" 'f'",
    "javascript:alert(1)",
    "[link](javascript:alert(1))",
    "<javascript:alert(1)>",
    "![image](https://example.org/x.png)",
    "<https://example.org>",
    "[label]: https://example.org",
    "{{7*7}}",
    "${7*7}",
    "%s %d %n {0} {}",
)

FORMULAS = (
    "=1+1",
    '=HYPERLINK("https://example.org","x")',
    "=cmd|' /C calc'!A0",
    "+1",
    "+cmd",
    "-1",
    "-2+3",
    "@SUM(A1:A9)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    " =1+1",
    "\uff1d1+1",
    "\uff0b1",
    "\uff0d1",
    "\uff20SUM(A1)",
    "{=1+1}",
    "'=1+1",
    "#N/A",
    "#REF!",
    "1e5",
    "007",
    "1.10",
    "3/4",
    "1-2-2026",
    "TRUE",
    "NaN",
    "inf",
    "null",
    "None",
)

URLS = (
    "https://example.org/a?b=c&d=e#f",
    "www.example.org",
    "mailto:somebody@example.org",
    "somebody@example.org",
    "internal:'Settings'!A1",
    "external:c:\\temp\\x.xlsx",
    "file:///etc/passwd",
    "https://example.org/" + "u" * 2_100,
)

MARKDOWN = (
    "a|b",
    "|",
    "\\|",
    "a\\|b",
    "\\\\|",
    "|---|---|",
    "a\nb",
    "a\r\nb",
    "a  \nb",
    "`code`",
    "``a`b``",
    "`",
    "```",
    "\\`",
    "*a*",
    "**a**",
    "***",
    "_a_",
    "__a__",
    "snake_case_name",
    "~~a~~",
    "~",
    "# heading",
    "heading #",
    "- item",
    "+ item",
    "1. item",
    "1) item",
    "> quote",
    "---",
    "===",
    "- [ ] task",
    "[x](y)",
    "[^1]",
    "$x^2$",
    "$`x`$",
    ":smile:",
    "@somebody",
    "#1",
    "GH-1",
    "owner/name#1 `a`|b\\|@somebody",
    "    indented",
    "trailing\\",
    "a\\",
    "|a@b|`c",
    "somebody@example.org|",
    "somebody@example.org\\|x",
    "@somebody \\\\| x\\",
    "@a `` b ` c",
    " @somebody ",
    "@a\n\u202eb",
)

LATEX = (
    "\\input{/etc/passwd}",
    "\\input /etc/passwd",
    "\\write18{touch written-by-tex}",
    "\\immediate\\write18{touch written-by-tex}",
    "\\end{tabular}",
    "\\end{document}",
    "\\\\[1cm]",
    "[1cm] x",
    "*",
    "\\",
    "{",
    "}",
    "}{",
    "$",
    "100 %",
    "% comment",
    "a_b^c",
    "a~b",
    "#1 ##2",
    "^^5cinput",
    "a & b \\\\ c",
    "--- -- ,, `` '' ?` !` << >>",
    "\\def\\par{}",
    "\\csname",
    "\\fi\\fi\\fi",
    "\\iffalse",
    "\\verb|x|",
    '"a "u "=',
)

CONTROLS = (
    "\0",
    "a\0b",
    "\x01",
    "\x07",
    "\b\b",
    "\t",
    "a\tb",
    "\n",
    "\r",
    "\x0b",
    "\x0c",
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x1c\x1d\x1e\x1f",
    "\x7f",
    "\x85",
    "\x9b31m",
    "a\u2028b",
    "a\u2029b",
    "\ufdd0",
    "\ufffe",
    "a\uffff",
    "\U0001fffe",
    "\ufffd",
    "\ufeffmark",
    "mark\ufeff",
    *(f"<{chr(code)}>" for code in range(0x20)),
)

EXCEL = (
    "_x0041_",
    "_x000D_",
    "_x005F_x0041_",
    "_x0041_x0042_",
    "_x00zz_",
    "_X0041_",
    "<r><t>x</t></r>",
    "<r>&</r>",
    "<r>\0_x0041_</r>",
    "<r>",
    "\ue0000\ue001",
    "\ue0000\ue001 ",
    "123456789012345678901234567890",
)

SHEETS = (
    "a name of a sheet that is longer than 31 characters",
    "a name of a sheet that is longer than 31 characters too",
    "a name of a sheet that is longer than 31 characters toO",
    "[a]:b*c?d/e\\f",
    "'quoted'",
    "History",
    "history",
    "Settings",
    "NOTES",
    "Sheet1",
    "sheet1",
    "😀" * 31,
    "",
    " ",
)

SCRIPTS = (
    "日本語の質問",
    "中文|表格",
    "한국어",
    "العربية والعبرية",
    "עברית",
    "ไทย",
    "हिन्दी क्षि",
    "ελληνικά",
    "русский",
    "Ünïcödé ßøłńęąžť",
    "Łódź «gęś» þing Đà",
    "caf\u00e9",
    "cafe\u0301",
    "\u00c5 \u212b A\u030a",
    "ﬁ ﬂ ﬀ",
    "😀",
    "👨‍👩‍👧",
    "🏴\U000e0067\U000e0062\U000e007f",
    "\U00020000\U0001d518\U0001d52b",
    "a\u202eb\u202cc",
    "\u2066x\u2069",
    "\u200e\u200f\u061c",
    "zero\u200bwidth\u200d\u2060",
    "soft\u00adhyphen",
    "no\u00a0break\u202f\u3000",
    "\u00a0",
    "\u0301",
    "Z\u0351\u036b\u0303\u0489\u0319A\u0334\u0335",
)

SPACES = ("", " ", "  ", " a", "a ", "a  b", " a|", '"', '""', ",", ",,", ";", "a,b", "'", "''")

LONG = (
    "w" * 200,
    "x" * 40_000,
    "long words " * 4_000,
    "😀" * 20_000,
    "\n" * 300,
    "_x0041_" * 1_000,
    "日" * 500,
    "[" + '"a", ' * 500 + "]",
)

HOSTILE_TEXTS: tuple[str, ...] = tuple(
    dict.fromkeys(
        (
            *(*MARKUP, *FORMULAS, *URLS, *MARKDOWN, *LATEX, *CONTROLS),
            *(*EXCEL, *SHEETS, *SCRIPTS, *SPACES, *LONG),
        )
    )
)


def hostile_document() -> Document:
    """Build a report with every text as a key, in lists of keys, as a remark and as a setting."""
    count = len(HOSTILE_TEXTS)
    main = pl.DataFrame(
        {
            "slice": ["overall", *["group"] * (count + 1)],
            "key": [None, None, *HOSTILE_TEXTS],
            "n": range(count + 2),
            "anls": [0.5] * (count + 2),
        }
    )
    lists = pl.DataFrame({"keys": [[text, None] for text in HOSTILE_TEXTS]})
    return Document(
        "Hostile texts",
        [
            Table("By key", main, {"key": "key", "n": "count", "anls": "score"}),
            Table("Lists", lists, {"keys": "key"}),
        ],
        dict(zip(HOSTILE_TEXTS, HOSTILE_TEXTS, strict=True)),
        "anls|protocol:anls",
        HOSTILE_TEXTS,
    )


def hostile_names(text: str) -> Document:
    """Build a report in which everything that has a name has this one."""
    column = text or "nameless"
    frame = pl.DataFrame({"slice": ["overall", "group"], column: [None, text], "anls": [0.5, 0.25]})
    table = Table(text, frame, {column: "key", "anls": "score"})
    return Document(text, [table], {text: text}, text, [text])

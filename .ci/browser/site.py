"""
Opens pages of the site at two widths, light and dark, and searches it: what a word names comes first.

Words that name nothing, as people type them, must find the page that answers among the first three.
"""

from __future__ import annotations

import functools
import http.server
import re
import sys
import threading
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, Page, sync_playwright
from waiting import window

WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
PAGES = [
    "index",
    "start",
    "which",
    "tutorial",
    "gates",
    "protocols",
    "statistics",
    "plots",
    "gallery",
    "evidence",
    "scale",
    "reference/index",
]
PAGES += [f"reference/generated/anls_frame.{name}" for name in ("report", "Comparison", "statistics.max_t")]
LOOKED_AT = [*(f"docs/{page}.html" for page in PAGES), "notebooks/3_may_it_ship.html", "CHANGELOG.html"]
FIRST = {name: f"anls_frame.{name}.html" for name in ("anls", "cer", "wer", "report", "compare", "browse")}
FIRST |= {
    "protocol": "protocols.html",
    "pandas": "pandas.html",
    "slices": "anls_frame.slices.result.Slices.html",
}
ANSWERS = {
    "p-value": {"statistics", "comparing", "boards"},
    "significance": {"statistics", "comparing", "boards"},
    "confidence interval": {"statistics"},
    "bootstrap": {"statistics"},
    "leaderboard": {"protocols", "boards"},
    "compare models": {"comparing", "compare"},
    "worst examples": {"worst", "changed_rows", "browse"},
    "wrong answers": {"browse", "errors"},
    "group by": {"start", "report"},
    "Excel": {"files", "start"},
    "normalize": {"protocols", "ScoreProtocol"},
    "case": {"protocols", "ScoreProtocol"},
    "threshold": {"threshold_curve", "protocols"},
    "OCR accuracy": {"pages"},
    "accuracy": {"exact_match", "protocols", "relaxed_accuracy", "vqa_accuracy"},
    "reading order": {"pages", "reading_order_free_cer"},
    "hallucination": {"pages"},
    "LLM judge": {"corrected"},
    "invoice": {"fields"},
    "certify": {"confidence"},
    "page": {"pages", "read_pages"},
    "annotation errors": {"browse"},
    "larger than memory": {"scale"},
    "spark": {"recipes"},
    "training": {"streaming"},
    "grammar": {"gec"},
    "PyTorch validation ANLS": {"streaming"},
    "exclude rows annotation mistakes": {"browse"},
}
# What ends right of the window, and does not scroll inside of the page.
CUT = """() => [...document.querySelectorAll(".bd-article *")].filter((element) => {
  const {right, width} = element.getBoundingClientRect();
  if (!width || right <= innerWidth + 1) { return false; }
  for (let e = element.parentElement; !e.matches(".bd-article"); e = e.parentElement) {
    if (["auto", "scroll"].includes(getComputedStyle(e).overflowX)) { return false; }
  }
  return true;
}).map((element) => element.outerHTML.slice(0, 80))"""
SMALLEST = 14
"""Pixels of code."""
SMALL = """(smallest) => [...document.querySelectorAll(".bd-article :is(code, pre, dt.sig)")].filter(
  (element) => element.getClientRects().length && parseFloat(getComputedStyle(element).fontSize) < smallest
).map((element) => element.outerHTML.slice(0, 80))"""
RESULTS = "ul.search > li > a"
# Results come one by one, the best first; the sentence below the heading says that all have come.
SEARCHED = "() => document.querySelector('.search-summary')?.innerText"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files of a folder, without a log."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""


class Server(http.server.ThreadingHTTPServer):
    """A server whose readers may leave before they have read all, as a browser does."""

    def handle_error(self, *_: object) -> None:
        """Print nothing."""


def main() -> None:
    """Serve the folder, because search asks for files; look at the pages, then search."""
    chromium, site, pictures = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    server = Server(("localhost", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://localhost:{server.server_port}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        wrong = look(browser, address, pictures) + search(window(browser, viewport=WIDE).new_page(), address)
        browser.close()
    server.shutdown()
    if wrong:
        sys.exit("\n".join(wrong))


def look(browser: Browser, address: str, pictures: Path) -> list[str]:
    """Return what is cut off and which code is small, and take pictures."""
    wrong = []
    for size in (WIDE, PHONE):
        for scheme in ("light", "dark"):
            context = window(browser, viewport=size, color_scheme=scheme)
            page = context.new_page()
            listen(page, wrong)
            for path in LOOKED_AT:
                page.goto(f"{address}/{path}")
                wrong += [f"{path}, {size['width']} pixels: {cut}" for cut in page.evaluate(CUT)[:3]]
                small = page.evaluate(SMALL, SMALLEST)
                wrong += [f"{path}, {size['width']} pixels: small code {code}" for code in small[:3]]
                if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                    wrong.append(f"{path}, {size['width']} pixels: scrolls sideways")
                name = path.removesuffix(".html").replace("/", "_")
                page.screenshot(path=pictures / f"site-{name}-{size['width']}-{scheme}.png")
            context.close()
    return wrong


def listen(page: Page, wrong: list[str]) -> None:
    """Add what the page's scripts complain of."""
    page.on("console", lambda said: said.type == "error" and wrong.append(f"console: {said.text}"))
    page.on("pageerror", lambda error: wrong.append(f"script: {error}"))


def search(page: Page, address: str) -> list[str]:
    """Return words whose first result is another page, or whose answer is not among the first three."""
    wrong = []
    for word, expected in FIRST.items():
        found = results(page, address, word)
        if not found or not found[0].endswith(f"/{expected}"):
            wrong.append(f"searching {word!r} finds {found}")
    for word, answers in ANSWERS.items():
        found = results(page, address, word)
        names = {path.rpartition("/")[2].removesuffix(".html").removeprefix("anls_frame.") for path in found}
        if not answers & names:
            wrong.append(f"searching {word!r} finds {found}")
    return wrong


def results(page: Page, address: str, word: str) -> list[str]:
    """Return the first three pages that a search finds."""
    page.goto(f"{address}/search.html?q={quote(word)}")
    page.wait_for_function(SEARCHED)
    links = page.locator(RESULTS).all()[:3]
    return [re.split("[#?]", str(link.get_attribute("href")))[0] for link in links]


if __name__ == "__main__":
    main()

"""Opens pages of the site at two widths, light and dark, and searches it: what a word names comes first."""

from __future__ import annotations

import functools
import http.server
import sys
import threading
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
PAGES = ["index", "start", "which", "guides", "protocols", "statistics", "plots", "reference/index"]
PAGES += [f"reference/generated/anls_frame.{name}" for name in ("report", "Comparison", "statistics.max_t")]
LOOKED_AT = [*(f"docs/{page}.html" for page in PAGES), "notebooks/2_two_systems.html", "CHANGELOG.html"]
FIRST = {name: f"anls_frame.{name}.html" for name in ("anls", "cer", "wer", "report", "compare", "browse")}
FIRST |= {"protocol": "protocols.html", "pandas": "pandas.html", "slices": "anls_frame.Slices.html"}
# What ends right of the window, and does not scroll inside of the page.
CUT = """() => [...document.querySelectorAll(".bd-article *")].filter((element) => {
  const {right, width} = element.getBoundingClientRect();
  if (!width || right <= innerWidth + 1) { return false; }
  for (let e = element.parentElement; !e.matches(".bd-article"); e = e.parentElement) {
    if (["auto", "scroll"].includes(getComputedStyle(e).overflowX)) { return false; }
  }
  return true;
}).map((element) => element.outerHTML.slice(0, 80))"""
RESULTS = "ul.search > li > a"
# The page asks for every result's text before it says how many there are.
SEARCHED = "() => document.querySelector('ul.search > li') && !document.querySelector('#search-progress > *')"


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
        wrong = look(browser, address, pictures) + search(browser.new_page(viewport=WIDE), address)
        browser.close()
    server.shutdown()
    if wrong:
        sys.exit("\n".join(wrong))


def look(browser: Browser, address: str, pictures: Path) -> list[str]:
    """Return what is cut off, and take pictures."""
    wrong = []
    for size in (WIDE, PHONE):
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport=size, color_scheme=scheme)
            page = context.new_page()
            for path in LOOKED_AT:
                page.goto(f"{address}/{path}")
                wrong += [f"{path}, {size['width']} pixels: {cut}" for cut in page.evaluate(CUT)[:3]]
                name = path.removesuffix(".html").replace("/", "_")
                page.screenshot(path=pictures / f"site-{name}-{size['width']}-{scheme}.png")
            context.close()
    return wrong


def search(page: Page, address: str) -> list[str]:
    """Return words whose first result is another page."""
    wrong = []
    for word, expected in FIRST.items():
        page.goto(f"{address}/search.html?q={word}")
        page.wait_for_selector(RESULTS)
        page.wait_for_function(SEARCHED)
        found = [str(link.get_attribute("href")) for link in page.locator(RESULTS).all()[:3]]
        if not found[0].partition("#")[0].partition("?")[0].endswith(f"/{expected}"):
            wrong.append(f"searching {word!r} finds {found}")
    return wrong


if __name__ == "__main__":
    main()

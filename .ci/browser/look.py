"""Opens each page in a browser and looks for what must not be there."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright
from waiting import window

WIDE, NARROW = {"width": 1200, "height": 900}, {"width": 400, "height": 800}
LAPTOP = {"width": 1280, "height": 720}
MODES: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light", "viewport": WIDE},
    "dark": {"color_scheme": "dark", "viewport": WIDE},
    "laptop": {"color_scheme": "light", "viewport": LAPTOP},
    "narrow": {"color_scheme": "light", "viewport": NARROW},
    "plain": {"color_scheme": "light", "viewport": WIDE, "java_script_enabled": False},
}
ROWS = {"report": 8, "comparison": 8, "large": 10_001}
CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")
TEXTS = "h1, h2, p, li, a, td, th, small, dt, dd, i.mark, mark, ins, del, figcaption"
LEAST_CONTRAST = 4.5
CUT_TABLES = """() => [...document.querySelectorAll("div.scroll")]
  .map((scroll) => [scroll.clientWidth, scroll.scrollWidth]).filter(([room, width]) => width > room)"""
NUMBERS = """() => [...document.querySelector("table").tBodies[0].rows]
  .map((row) => Number(row.cells[1].dataset.v))"""


def main(chromium: str, folder: Path) -> None:
    """Look at all pages in all modes."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for path in sorted(folder.glob("*.html")):
            for mode in MODES:
                look(browser, path, mode)
        browser.close()


def look(browser: Browser, path: Path, mode: str) -> None:
    """Look at a page in one mode."""
    context = window(browser, **MODES[mode])
    page = context.new_page()
    wrong: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: wrong.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("dialog", lambda dialog: wrong.append(f"dialog: {dialog.message}"))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    page.screenshot(
        path=path.with_name(f"{path.stem}-{mode}.png"), full_page=path.stem not in {"large", "hostile"}
    )
    if requests != [path.as_uri()]:
        wrong.append(f"requests: {requests}")
    if mode == "plain":
        if page.locator("button").count():
            wrong.append("buttons without a script")
    else:
        wrong += check_with_script(page, path, mode)
    context.close()
    if wrong:
        sys.exit(f"{path.name}, {mode}: {wrong[:5]}")
    print(f"{path.name}, {mode}: fine")


def check_with_script(page: Page, path: Path, mode: str) -> list[str]:
    """Look at what needs the script, or is asked by one."""
    wrong = []
    width = page.evaluate("document.documentElement.scrollWidth")
    if width > MODES[mode]["viewport"]["width"]:
        wrong.append(f"{width} pixels wide")
    # On a small laptop no column of a common report is cut off.
    if mode == "laptop" and path.stem in ("report", "comparison"):
        cut = page.evaluate(CUT_TABLES)
        wrong += [f"a table of {width} pixels in {room}" for room, width in cut]
    contrast = page.evaluate(CONTRAST, TEXTS)
    if contrast < LEAST_CONTRAST:
        wrong.append(f"contrast {contrast:.2f}")
    if page.evaluate("document.scripts.length + document.images.length + document.forms.length") != 1:
        wrong.append("elements that were not written")
    rows = page.locator("table").first.locator("tbody tr")
    if path.stem in ROWS:
        if rows.count() != ROWS[path.stem]:
            wrong.append(f"{rows.count()} rows")
        wrong += check_sorting(page)
    if mode == "light":
        page.emulate_media(media="print")
        # A table repeats its headings on each page, but Chromium repeats no buttons.
        if page.evaluate(
            "[...document.querySelectorAll('th button')].some((one) => one.getClientRects().length)"
        ):
            wrong.append("headings in buttons on paper")
        page.pdf(path=path.with_suffix(".pdf"), prefer_css_page_size=True)
    return wrong


def check_sorting(page: Page) -> list[str]:
    """Sort by the numbers of rows, twice."""
    button = page.locator("table").first.locator("th button").nth(1)
    wrong = []
    for descending in (True, False):
        button.click()
        first, *rest = page.evaluate(NUMBERS)
        if rest != sorted(rest, reverse=descending) or first < max(rest):
            wrong.append(f"not sorted: {[first, *rest][:10]}")
    order = page.locator("table").first.locator("th").nth(1).get_attribute("aria-sort")
    return wrong if order == "ascending" else [*wrong, f"aria-sort is {order}"]


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))

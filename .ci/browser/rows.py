"""
Opens pages of rows in a browser: their size and speed, what they load, and whether they work.

Names of parts after the browser and the folder choose what is checked; without any, all is.
"""

from __future__ import annotations

import csv
import html
import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, FrameLocator, Page, sync_playwright
from waiting import window

RUNS = 5
VERDICTS = 100
FRAMES = 90
WAITS = 50
TASKS = ["disabled-by-default-devtools.timeline"]
"""Categories of a trace that has the tasks of each thread."""
MOST_BYTES = 12_000_000
OPENS, RESPONDS, FRAME = 2_000, 100, 50
"""Milliseconds that the best of some runs may take."""
CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")
TEXTS = "h1, h2, h3, p, dt, dd, button, summary, mark, ins, del, i.mark, #count, .cell, .name, .facet .count"
LEAST_CONTRAST = 4.5
COUNTED = (["rows"], ["pages"])
"""Headings of the column that counts rows."""
CROSS = "\N{MULTIPLICATION SIGN}"
SHORT = 80
"""Pixels that a heading and values of seven letters need."""
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 800}
# When the rows are there, counted from the start of the navigation.
READY = """new MutationObserver((changes, observer) => {
  if (document.body?.classList.contains("ready")) {
    requestAnimationFrame(() => { window.readyAt = performance.now(); });
    observer.disconnect();
  }
}).observe(document, { subtree: true, childList: true, attributes: true });"""
# Until the next frame is there.
AFTER = """async (act) => {
  const act_ = new Function(act);
  const begun = performance.now();
  act_();
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - begun;
}"""
SCROLL = """async ([step, most]) => {
  const list = document.getElementById("list");
  const frames = [];
  let last = null;
  await new Promise((done) => {
    const next = (now) => {
      if (last !== null) { frames.push(now - last); }
      last = now;
      list.scrollTop += step;
      if (frames.length < most) { requestAnimationFrame(next); } else { done(); }
    };
    requestAnimationFrame(next);
  });
  return Math.max(...frames.slice(2));
}"""
BOXES = "document.querySelectorAll('.facet:not([hidden]) input[type=checkbox]')"
ACTIONS = {
    "sort by a number": "document.querySelector('#head .figure button').click()",
    "sort by texts": "document.querySelector('#head .prediction button').click()",
    "sort by other texts": "document.querySelectorAll('#head .text button')[2].click()",
    "filter by a value": f"{BOXES}[3].click()",
    "filter by another": f"{BOXES}[9].click()",
    "filter by a range": """const field = document.querySelector('.ends input');
      field.value = 0.7; field.dispatchEvent(new Event('change'));""",
    "clear": "document.getElementById('clear').click()",
    "open a row": "document.querySelector('.row:not([hidden])').click()",
    "next row": "document.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))",
}
BROKEN = """() => [...document.querySelectorAll("#head button")].filter((button) => (
  [...button.childNodes].some((part) => {
    const range = document.createRange();
    range.selectNodeContents(part);
    return part.nodeType === Node.TEXT_NODE && range.getClientRects().length > 1;
  })
)).map((button) => button.textContent)"""
SEARCH = """(text) => new Promise((done) => {
  const search = document.getElementById("search");
  const count = document.getElementById("count");
  search.value = text;
  const timeout = window.setTimeout;
  // The page waits until nothing more is typed; what follows is measured.
  window.setTimeout = (act) => timeout(() => {
    const begun = performance.now();
    act();
    requestAnimationFrame(() => timeout(() => {
      window.setTimeout = timeout;
      done([performance.now() - begun, count.textContent]);
    }));
  });
  search.dispatchEvent(new Event("input"));
})"""


def main(chromium: str, folder: Path, names: list[str]) -> None:
    """Check the parts with these names, or all of them."""
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        sys.exit(f"there is no part {unknown}: parts are {', '.join(PARTS)}")
    wrong = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name in names or PARTS:
            for check, pages in PARTS[name]:
                for page in pages:
                    wrong += check(browser, folder / f"{page}.html")
        browser.close()
    if wrong:
        sys.exit("\n".join(wrong))


def number_in(text: str) -> int:
    """Return the first number of a text, such as 1624 for "1,624 rows"."""
    return int(re.sub(r"\D", "", re.findall(r"\d[\d,]*", text)[0]))


def opened(browser: Browser, path: Path, view: str = "", **options: Any) -> tuple[Page, list[str]]:
    """Open a page; with what goes wrong on it."""
    context = window(browser, **{"viewport": WIDE, **options})
    context.add_init_script(READY)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(f"{path.name}: console: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"{path.name}: error: {error}"))
    page.on("dialog", lambda dialog: wrong.append(f"{path.name}: dialog: {dialog.message}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.partition("#")[0] == path.as_uri()
            else wrong.append(f"{path.name}: request {request.url}")
        ),
    )
    page.goto(path.as_uri() + view)
    page.wait_for_function("() => window.readyAt")
    return page, wrong


def expecting(path: Path, wrong: list[str]) -> Callable[..., None]:
    """Return a function that adds what is not as it should be to the list of what is wrong."""

    def expect(what: str, found: object, wanted: object) -> None:
        if found != wanted:
            wrong.append(f"{path.name}: {what} is {found!r}, not {wanted!r}")

    return expect


def check_large(browser: Browser, path: Path) -> list[str]:
    """
    Measure a page of 100,000 rows: its size, how fast it opens, answers and scrolls.

    What counts is the time of the page's thread, of frames that of its longest task, to which other programs
    add little; the time on the clock is printed beside it.
    """
    size = path.stat().st_size
    print(f"{path.name}: {size / 1e6:.2f} MB")
    found = [] if size <= MOST_BYTES else [f"{path.name} has {size:,} bytes"]
    best: dict[str, tuple[float, float]] = {}

    def note(what: str, of_thread: float, of_clock: float) -> None:
        known = best.get(what, (float("inf"), float("inf")))
        best[what] = min(known[0], of_thread), min(known[1], of_clock)

    for _ in range(RUNS):
        page, wrong = opened(browser, path)
        opened_at = page.evaluate("window.readyAt")
        note("opens", opened_at, opened_at)
        thread = time_of_thread(page)
        for name, act in ACTIONS.items():
            begun = thread()
            of_clock = page.evaluate(AFTER, act)
            note(name, thread() - begun, of_clock)
        # Nobody types within a second after the page is there; it gets ready for it.
        page.wait_for_timeout(1_000)
        for text in ("invoice", "zzz", "e"):
            begun = thread()
            of_clock, _ = page.evaluate(SEARCH, text)
            note(f"search {text!r}", thread() - begun, of_clock)
        page.evaluate(AFTER, ACTIONS["clear"])
        for step in (40, 1_000, 30_000):
            browser.start_tracing(page=page, categories=TASKS)
            longest = page.evaluate(SCROLL, [step, FRAMES])
            note(f"frames of {step} pixels", longest_task(browser.stop_tracing()), longest)
        found += wrong
        page.context.close()
    for what, (of_thread, of_clock) in best.items():
        most = OPENS if what == "opens" else FRAME if "frames" in what else RESPONDS
        print(f"{what}: {of_thread:.0f} ms, {of_clock:.0f} ms on the clock (at most {most})")
        if of_thread > most:
            found.append(f"{what} takes {of_thread:.0f} ms")
    return found


def time_of_thread(page: Page) -> Callable[[], float]:
    """Return what tells the milliseconds that the page's thread has taken of the processor."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def milliseconds() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(1000 * one["value"] for one in metrics if one["name"] == "TaskDuration")

    return milliseconds


def longest_task(trace: bytes) -> float:
    """Return the milliseconds that the longest task of the page's thread took of the processor."""
    events = json.loads(trace)["traceEvents"]
    pages = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    tasks = [
        event["tdur"] / 1000
        for event in events
        if event["name"] == "RunTask" and "tdur" in event and (event["pid"], event["tid"]) in pages
    ]
    return max(tasks)


def check_hostile(browser: Browser, path: Path) -> list[str]:
    """Scroll, search and read rows of hostile texts: no element may come of them."""
    page, wrong = opened(browser, path)
    tags = "[...new Set([...document.querySelectorAll('#list *, #row *, #facets *')].map((e) => e.tagName))]"
    seen = set()
    for _ in range(40):
        page.evaluate("document.getElementById('list').scrollTop += 80_000")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.keyboard.press("j")
        seen |= set(page.evaluate(tags))
    page.evaluate(SEARCH, "<img")
    seen |= set(page.evaluate(tags))
    live = seen & {"IMG", "SCRIPT", "IFRAME", "A", "OBJECT", "EMBED", "STYLE", "LINK", "SVG", "FORM", "META"}
    print(f"{path.name}: {page.locator('#count').inner_text()}; elements: {', '.join(sorted(seen))}")
    page.context.close()
    return [*wrong, *(f"{path.name}: live {tag}" for tag in live)]


def check_longest(browser: Browser, path: Path) -> list[str]:
    """Open rows of texts of 40,000 characters in time; what is not shown at once is there on request."""
    page, wrong = opened(browser, path)
    keys = {
        key: f"document.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}' }}))"
        for key in ("Enter", "j")
    }
    thread = time_of_thread(page)

    def taken(act: str) -> float:
        begun = thread()
        page.evaluate(AFTER, act)
        return thread() - begun

    page.evaluate(AFTER, keys["Enter"])
    slowest = max(taken(keys["j"]) for _ in range(15))
    print(f"{path.name}: {page.locator('.place').inner_text()}, the slowest row in {slowest:.0f} ms")
    wrong += [f"{path.name}: a row takes {slowest:.0f} ms"] if slowest > OPENS else []
    page.context.close()
    # A word against 20,000 of one letter each.
    page, more = opened(browser, path, "#row=1")
    button, words = page.locator("#row .rest"), page.locator("#row .word")
    total = words.count() + number_in(button.inner_text())
    shown = [words.count()]
    for _ in range(2):
        button.click()
        shown.append(words.count())
        if words.count() + number_in(button.inner_text()) != total:
            wrong.append(f"{path.name}: {shown} of {total} words, and {button.inner_text()!r}")
    print(f"{path.name}: {shown} of {total} words")
    if not shown[0] < shown[1] < shown[2] < total:
        wrong.append(f"{path.name}: {shown} of {total} words are shown")
    page.context.close()
    return wrong + more


def look(browser: Browser, path: Path) -> list[str]:
    """Take screenshots of a page and of its print; nothing may be wider than the window."""
    found = []
    for name, options in {
        "light": {"color_scheme": "light"},
        "dark": {"color_scheme": "dark"},
        "phone": {"color_scheme": "light", "viewport": PHONE},
        "phone-dark": {"color_scheme": "dark", "viewport": PHONE},
    }.items():
        page, wrong = opened(browser, path, **options)
        page.screenshot(path=path.with_name(f"rows-{path.stem}-{name}.png"))
        if name == "light":
            page.pdf(path=path.with_name(f"rows-{path.stem}.pdf"), prefer_css_page_size=True)
        page.locator(".row:visible").nth(4).click()
        page.screenshot(path=path.with_name(f"rows-{path.stem}-{name}-open.png"))
        room = options.get("viewport", WIDE)["width"]
        width = page.evaluate("document.documentElement.scrollWidth")
        contrast = page.evaluate(CONTRAST, TEXTS)
        found += [f"{path.name}, {name}: contrast {contrast:.2f}"] if contrast < LEAST_CONTRAST else []
        found += [*wrong, *([f"{path.name}, {name}: {width} pixels wide"] if width > room else [])]
        page.context.close()
    return found


def check_use(browser: Browser, path: Path) -> list[str]:
    """Use a page by its keys alone, and open it again by its address."""
    page, wrong = opened(browser, path)
    expect = expecting(path, wrong)
    count = page.locator("#count")
    expect("the number of rows", count.inner_text(), "1,624 rows")
    # Languages have few letters, and leave room to texts.
    languages = page.locator("#head .extra", has_text="lang").bounding_box()
    expect("the room of short values", bool(languages and languages["width"] <= SHORT), wanted=True)
    page.keyboard.press("/")
    page.keyboard.type("INVOICE NUMBER")
    page.wait_for_function("() => location.hash.includes('INVOICE')")
    found = count.inner_text()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect("the current row", page.locator(".row[aria-selected=true]").get_attribute("aria-rowindex"), "3")
    page.keyboard.press("Enter")
    expect("the place", page.locator(".place").inner_text(), f"2 of {number_in(found)}")
    page.keyboard.press("k")
    title = page.locator("#row h2").inner_text()
    # Sorted in another way, it is still the current one.
    page.locator("#head .answer button").click()
    expect("the row after sorting", page.locator("#row h2").inner_text(), title)
    expect("the current rows", page.locator(".row[aria-selected=true]").count(), 1)
    # The row stays open, because it is of the type that is selected.
    page.get_by_role("checkbox", name=page.locator("#row .type").inner_text()).first.focus()
    page.keyboard.press("Space")
    narrowed, address = count.inner_text(), page.evaluate("location.hash")
    expect("the address", [name in address for name in ("q=", "error+type=", "row=")], [True] * 3)
    again, more = opened(browser, path, address)
    expect("the linked view", again.locator("#count").inner_text(), narrowed)
    expect("the linked row", again.locator("#row h2").inner_text(), title)
    again.keyboard.press("Escape")
    expect("the closed row", again.locator("#row").is_visible(), wanted=False)
    again.keyboard.press("?")
    expect("the help", again.locator("#help").is_visible(), wanted=True)
    expect("the verdicts of the help", again.locator("#verdict-keys dd").count(), 6)
    again.keyboard.press("Escape")
    again.get_by_role("button", name="Clear all").click()
    expect("the number of all rows", again.locator("#count").inner_text(), "1,624 rows")
    print(f"{path.name}: {found}, {narrowed}: keys and address work")
    for one in (page, again):
        one.context.close()
    return wrong + more


def check_view(browser: Browser, path: Path) -> list[str]:
    """Select rows by several filters, which are named above the list, and by the value of a row."""
    page, wrong = opened(browser, path, "#right=%22none%22&predictions=%22same%22&score_0_0=0..")
    expect = expecting(path, wrong)
    active, count = page.locator("#active button"), page.locator("#count")
    texts = [
        f"{text}{CROSS}" for text in ("right: none", "predictions: same", "ANLS, tesseract: with a score")
    ]
    expect("the active filters", active.all_text_contents(), texts)
    both = count.inner_text()
    expect("a share", page.locator(".facet li").first.get_attribute("title") is not None, wanted=True)
    page.get_by_role("button", name="Remove the filter predictions").click()
    expect("the filters that are left", active.all_text_contents(), [texts[0], texts[2]])
    expect("the focus", page.evaluate("document.activeElement.className"), "active")
    # From the search to the rows, by keys alone.
    page.keyboard.press("/")
    page.keyboard.type("date")
    page.keyboard.press("Enter")
    expect("the focus after a search", page.evaluate("document.activeElement.id"), "list")
    expect("the row after a search", page.locator(".row[aria-selected=true]").count(), 1)
    page.keyboard.press("Enter")
    before = active.all_text_contents()
    document = page.locator("#row .link").first
    expect("the value", document.get_attribute("title"), "Rows with this doc_id")
    name = document.inner_text()
    document.click()
    expect("the filter of a value", active.all_text_contents(), [f"doc_id: {name}{CROSS}"])
    of_document = count.inner_text()
    page.go_back()
    page.wait_for_function(
        "(wanted) => document.querySelectorAll('#active li').length === wanted", arg=len(before)
    )
    expect("the filters before it", active.all_text_contents(), before)
    expect("headings that break within a word", page.evaluate(BROKEN), [])
    nameless = page.locator("button").evaluate_all(
        "(all) => all.filter((one) => !(one.ariaLabel || one.textContent)).length"
    )
    expect("buttons without a name", nameless, 0)
    # Each column of the list that matters is in the window, beside an open row too.
    for kind in ("id", "prediction", "answer", "asked"):
        for box in (one.bounding_box() for one in page.locator(f"#head .{kind}").all()):
            right = page.locator("#list").bounding_box()
            is_there = box and right and box["x"] + box["width"] <= right["x"] + right["width"] + 1
            expect(f"the column of {kind} in the window", bool(is_there), wanted=True)
    print(f"{path.name}: {both}, {of_document} of {name}")
    page.context.close()
    return wrong


def check_many(browser: Browser, path: Path) -> list[str]:
    """Select a slice of a page of many systems, whose filters come before those of the slices."""
    page, wrong = opened(browser, path, "#by_0=%22zh-Hant%22")
    count, filters = page.locator("#count").inner_text(), page.locator(".facet").count()
    legends = page.locator(".facet legend").all_inner_texts()
    values = page.locator(".facet", has_text="lang").get_by_label("zh-Hant", exact=False)
    number = values.locator("xpath=..").locator(".count").first.inner_text()
    if not count.startswith(f"{number} of ") or not {"lang", "types"} <= {
        one.split("\n")[0] for one in legends
    }:
        wrong.append(f"{path.name}: {count} of the slice, not {number}; filters {legends[-3:]}")
    slowest = 0.0
    for act in (f"{BOXES}[1].click()", "document.getElementById('clear').click()"):
        slowest = max(slowest, min(page.evaluate(AFTER, act) for _ in range(2)))
    print(f"{path.name}: {count}, {filters} filters, the slowest answer in {slowest:.0f} ms")
    page.screenshot(path=path.with_name(f"rows-{path.stem}.png"))
    page.context.close()
    return wrong


def check_slices(browser: Browser, path: Path) -> list[str]:
    """Look at a list with more slices than it has room for; filters and each row have them all."""
    page, wrong = opened(browser, path)
    expect = expecting(path, wrong)
    room, width = page.evaluate("[...['clientWidth', 'scrollWidth']].map((of) => list[of])")
    expect("the width of the list", width, room)
    slices = set(meta(page)["by"])
    headings = {*page.locator("#head .cell:visible").evaluate_all("(cells) => cells.map((one) => one.title)")}
    expect("slices are left out", bool(slices - headings), wanted=True)
    filters = page.locator("#facets legend").all_inner_texts()
    expect("the filters", sorted(one for one in slices if one in filters), sorted(slices))
    page.locator(".row:visible").first.click()
    expect("the slices of a row", sorted(slices - {*page.locator("#row dt").all_inner_texts()}), [])
    page.context.close()
    return wrong


def check_systems(browser: Browser, path: Path) -> list[str]:
    """Open the filters of a system, select the rows that it lost, and read what all systems predicted."""
    page, wrong = opened(browser, path)
    expect = expecting(path, wrong)
    groups = page.locator("details.group")
    expect("the systems", groups.locator("summary").all_inner_texts(), meta(page)["systems"])
    number = number_in(page.locator("#count").inner_text())
    joker = groups.nth(3)
    expect("the filters of a closed group", joker.locator(".facet").first.is_visible(), wanted=False)
    joker.locator("summary").click()
    kinds = joker.locator(".facet").first.locator(".count")
    kinds.first.wait_for()
    expect("the rows of all error types", sum(map(number_in, kinds.all_inner_texts())), number)
    joker.get_by_label("change, joker, most").fill("-0.5")
    joker.get_by_label("change, joker, most").press("Enter")
    active = page.locator("#active button").all_text_contents()
    expect("the active filter", active, [f"change, joker: at most -0.500{CROSS}"])
    lost = number_in(page.locator("#count").inner_text())
    page.locator(".row:visible").first.click()
    names = [name for text in page.locator("#row .system h3").all_inner_texts() for name in text.split(", ")]
    expect("the systems of a row", sorted(names), sorted(meta(page)["systems"]))
    of_joker = page.locator("#row .system", has_text="joker").inner_text()
    expect("the change beside the score", "(-" in of_joker, wanted=True)
    print(f"{path.name}: {lost} of {number} rows lost")
    page.context.close()
    return wrong


def check_rates(browser: Browser, path: Path) -> list[str]:
    """Read and choose error rates in per cent, and their changes in percentage points."""
    page, wrong = opened(browser, path)
    expect = expecting(path, wrong)
    least = page.get_by_label("CER, tesseract, least, %")
    least.fill("30")
    least.press("Enter")
    active = page.locator("#active button").all_text_contents()
    expect("the active filter", active, [f"CER, tesseract: at least 30.0 %{CROSS}"])
    expect("the rate in the address", "=0.3.." in page.url, wanted=True)
    shown = page.locator(".row:visible .score").all_inner_texts()[::2]
    rates = [float(text.removesuffix(" %")) for text in shown]
    expect("the rates of the rows", min(rates) >= 30, wanted=True)  # noqa: PLR2004
    page.locator(".row:visible").first.click()
    first, other = page.locator("#row .system .score").all_inner_texts()
    number = r"(-?[\d.]+)"
    before, after, change = map(float, re.findall(number, first + other))
    expect("the change", round(after - before, 1), change)
    expect("the units", re.sub(number, "", first + other), "CER  %CER  % ( pp)")
    page.context.close()
    return wrong


def check_room_of_rates(browser: Browser, path: Path) -> list[str]:
    """Look for rates whose unit has no room, as "100.0 %" of a page without text had none."""
    page, wrong = opened(browser, path)
    is_cut = "cells => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length"
    cut = page.locator(".row:visible .figure").evaluate_all(is_cut)
    expecting(path, wrong)("the rates that are cut", cut, 0)
    page.context.close()
    return wrong


def meta(page: Page) -> Any:
    """Return what a page says of its rows."""
    return json.loads(page.locator("#meta").text_content() or "")


def check_addresses(browser: Browser, path: Path) -> list[str]:
    """Open addresses that ask for what the page does not have: it says so, and selects by the rest."""
    wrong = []
    for view, said, active in (
        ("#by_9=%22en%22&lang=%22en%22", 'by_9="en"', 1),
        ("#lang=%22tlh%22", 'lang="tlh"', 0),
        ("#lang=en", "lang=en", 0),
        ("#anls=often", "anls=often", 0),
        ("#sort=nothing&row=99999", "sort=nothing, row=99999", 0),
        ("#lang=%22en%22&sort=-by_0&row=3", None, 1),
    ):
        page, more = opened(browser, path, view)
        place = page.locator("#unknown")
        shown = place.inner_text() if place.is_visible() else None
        expected = (
            said and f"This address asks for {said}, which this page does not have. That part is ignored."
        )
        if (shown, page.locator("#active button").count()) != (expected, active):
            wrong.append(f"{path.name}{view}: says {shown!r}")
        if said == 'by_9="en"':
            page.screenshot(path=path.with_name("rows-unknown.png"))
            page.get_by_role("button", name="Clear all").click()
            if place.is_visible():
                wrong.append(f"{path.name}{view}: still says {place.inner_text()!r}")
        wrong += more
        page.context.close()
    print(f"{path.name}: says what addresses ask for in vain")
    return wrong


def check_files(browser: Browser, path: Path) -> list[str]:
    """Save the selected rows as files, which other programs read, and copy their ids."""
    page, wrong = opened(browser, path, permissions=["clipboard-read", "clipboard-write"])
    box = page.locator("#facets input[type=checkbox]:visible").nth(2)
    box.check()
    saved = {}
    for name, suffix in (("JSON Lines", "jsonl"), ("CSV", "csv")):
        page.locator("#files summary").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Save as {name}").click()
        saved[suffix] = path.with_name(f"{path.stem}-rows.{suffix}")
        download.value.save_as(saved[suffix])
    page.locator("#files summary").click()
    page.get_by_role("button", name="Copy ids").click()
    page.get_by_text(" copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    rows = [json.loads(line) for line in saved["jsonl"].read_bytes().splitlines()]
    with saved["csv"].open(newline="", encoding="utf-8") as file:
        fields = list(csv.DictReader(file))
    number = number_in(page.locator("#count").inner_text())
    if not len(rows) == len(fields) == number:
        wrong.append(f"{path.name}: {len(rows)} and {len(fields)} rows in files, not {number}")
    # The clipboard changes hostile texts.
    if path.stem != "hostile" and "".join(f"{row['id']}\n" for row in rows) != copied:
        wrong.append(f"{path.name}: other ids were copied: {copied[:100]!r}")
    for row, field in zip(rows, fields, strict=False):
        if list(row) != list(field):
            wrong.append(f"{path.name}: columns {list(row)} and {list(field)}")
            break
        texts = {name: value for name, value in row.items() if isinstance(value, str)}
        # What would be a formula in a spreadsheet is a text there.
        differing = [name for name, text in texts.items() if field[name] not in {text, f"'{text}"}]
        if differing or any(value[:1] in "=+@" and value for value in field.values()):
            wrong.append(f"{path.name}: row {row['row']} differs in {differing}")
            break
    print(f"{path.name}: {len(rows)} rows saved")
    page.context.close()
    return wrong


def check_images(browser: Browser, path: Path) -> list[str]:
    """Open rows with images and texts from right to left: images beside the page alone are loaded."""
    found = []
    context = window(browser, viewport=WIDE)
    page = context.new_page()
    page.on("request", lambda request: found.append(request.url.removeprefix(path.parent.as_uri())))
    page.goto(path.as_uri())
    page.wait_for_selector("body.ready")
    before = list(found)
    states = []
    for row in range(3):
        page.goto(f"{path.as_uri()}#row={row}")
        page.wait_for_function(
            "() => document.querySelector('img')?.complete || document.querySelector('.missing')"
        )
        states.append(page.evaluate("() => document.querySelector('img')?.naturalWidth ?? null"))
        direction = page.evaluate("() => getComputedStyle(document.querySelector('.words')).direction")
        states.append(direction)
        page.screenshot(path=path.with_name(f"rows-words-{row}.png"))
    context.close()
    expected = [f"/{path.name}"], [1, "rtl", None, "rtl", None, "ltr"]
    wanted = {f"/{path.name}", "/images/a%231%20b.png", "/images/none.png"}
    is_right = (before, states) == expected and set(found) == wanted
    return [] if is_right else [f"{path.name}: {before}, {states}, {found}"]


def check_links(browser: Browser, path: Path) -> list[str]:
    """Follow the links of figures: the page within the page selects the rows, and nothing is loaded."""
    context = window(browser, viewport=WIDE)
    page = context.new_page()
    wrong: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: wrong.append(f"{path.name}: console: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"{path.name}: error: {error}"))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    rows = page.frame_locator("#rows-page")
    rows.locator("body.ready").wait_for()
    table = page.locator("table").first
    lines, headings = table.locator("tbody tr"), table.locator("th").all_inner_texts()
    counts = next(place for place, heading in enumerate(headings) if heading.split()[:1] in COUNTED)
    for place in range(lines.count()):
        counted = lines.nth(place).locator("td").nth(counts).inner_text()
        lines.nth(place).locator("a").click()
        least = most = number_in(counted)
        wrong += selected(page, rows, least, most)
    page.screenshot(path=path.with_name(f"rows-{path.stem}.png"))
    cells = page.locator("table.crossed td a")
    # A row may have a substitution twice.
    is_exact = path.stem == "comparison"
    for place in range(0, cells.count(), 3):
        number = number_in(cells.nth(place).inner_text())
        cells.nth(place).click()
        wrong += selected(page, rows, number if is_exact else 1, number)
    if requests != [path.as_uri()]:
        wrong.append(f"{path.name}: requests: {requests}")
    print(f"{path.name}: {lines.count()} slices and {cells.count()} cells lead to their rows")
    context.close()
    return wrong


def selected(page: Page, rows: FrameLocator, least: int, most: int) -> list[str]:
    """Wait until a link has selected its rows; with what is wrong about their number."""
    number = -1
    for _ in range(WAITS):
        number = number_in(rows.locator("#count").inner_text())
        if least <= number <= most:
            return []
        page.wait_for_timeout(100)
    return [f"{page.url}: {number} rows, not {least} to {most}"]


def check_verdicts(browser: Browser, path: Path) -> list[str]:
    """Give rows verdicts by keys, open the page again, and save what it has kept."""
    page, wrong = opened(browser, path)
    given = {}
    for at in range(VERDICTS):
        page.keyboard.press("j")
        key = at % 5 + 1
        page.keyboard.press(str(key))
        given[at] = key
    kept = page.evaluate("Object.values(localStorage).map((value) => JSON.parse(value))")
    # The page is opened again in the same browser, which keeps them.
    page.reload()
    page.wait_for_function("() => window.readyAt")
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Save {VERDICTS} verdicts").click()
    if not page.get_by_role("button", name=f"Saved {VERDICTS} verdicts").count():
        wrong.append(f"{path.name}: the page does not say that verdicts are saved")
    saved = path.with_suffix(".jsonl")
    download.value.save_as(saved)
    lines = [json.loads(line) for line in saved.read_bytes().splitlines()]
    rows_of = {name: [line["row"] for line in lines if line["verdict"] == name] for name in kept[0]}
    if kept != [rows_of]:
        wrong.append(f"{path.name}: saved {lines[:3]}, kept {kept}")
    if len(lines) != VERDICTS or len({line["verdict"] for line in lines}) != len(set(given.values())):
        wrong.append(f"{path.name}: {len(lines)} verdicts")
    page.context.close()
    return wrong


def check_audit(browser: Browser, path: Path) -> list[str]:
    """Judge all drawn rows, in the order of the page, the first by a key and the others by mouse; save it."""
    page, wrong = opened(browser, path)
    number = number_in(page.locator("#count").inner_text())
    page.keyboard.press("Enter")
    page.keyboard.press("0")
    for at in range(1, number):
        left = page.locator("#left").inner_text()
        if left != f"{number - at} left to judge":
            wrong.append(f"{path.name}: after {at} verdicts: {left!r}")
        page.locator("#row header button").nth(1).click()
        name = "score right" if at % 4 else ("our error", "answer wrong", "format")[at // 4 % 3]
        if name == "our error" and page.locator("#row .score b").inner_text() == "1":
            name = "score right"  # a full score is no error
        page.locator("#row .verdict", has_text=name).click()
    if page.locator("#left").inner_text() != "all judged: save the verdicts":
        wrong.append(f"{path.name}: {page.locator('#left').inner_text()!r}")
    with page.expect_download() as download:
        page.locator("#save").click()
    download.value.save_as(path.with_suffix(".jsonl"))
    print(f"{path.name}: {number} rows judged")
    page.context.close()
    return wrong


def check_judge(browser: Browser, path: Path) -> list[str]:
    """Judge all drawn rows of a judge's scores, by keys and by mouse, right and wrong in turns; save them."""
    page, wrong = opened(browser, path)
    number = number_in(page.locator("#count").inner_text())
    page.keyboard.press("Enter")
    shown = page.locator("#row .verdict").all_inner_texts()
    if [text.split()[-1] for text in shown] != ["right", "wrong"]:
        wrong.append(f"{path.name}: buttons {shown}")
    for at in range(number):
        if at % 4 < 2:  # noqa: PLR2004 - half of them
            page.keyboard.press("12"[at % 2])
        else:
            page.locator("#row .verdict", has_text=("right", "wrong")[at % 2]).click()
        if at + 1 < number:
            page.locator("#row header button").nth(1).click()
    with page.expect_download() as download:
        page.locator("#save").click()
    saved = path.with_suffix(".jsonl")
    download.value.save_as(saved)
    lines = [json.loads(line) for line in saved.read_bytes().splitlines()]
    given = Counter(line["verdict"] for line in lines)
    if given != {"right": number // 2, "wrong": number // 2} or {line["score"] for line in lines} != {
        "judge"
    }:
        wrong.append(f"{path.name}: saved {given}, {lines[:2]}")
    print(f"{path.name}: {number} rows judged")
    page.context.close()
    return wrong


def check_marks(browser: Browser, path: Path) -> list[str]:
    """Give all selected rows a verdict, by keys and by buttons, and undo it; then save all of them."""
    page, wrong = opened(browser, path, "#right=%22none%22&predictions=%22same%22")
    save, number = page.locator("#save"), number_in(page.locator("#count").inner_text())

    def expect(what: str, wanted: int) -> None:
        found = save.inner_text() if save.is_visible() else "Save 0"
        if found.split()[1] != str(wanted):
            wrong.append(f"{path.name}: {what}: {found!r}, not {wanted}")

    page.keyboard.press("m")
    page.keyboard.press("2")
    expect("marked by keys", number)
    page.keyboard.press("u")
    expect("undone by a key", 0)
    page.keyboard.press("j")
    page.keyboard.press("1")
    expect("one row", 1)
    page.locator("#mark summary").click()
    said = page.locator("#mark p").inner_text()
    if said != f"Mark all {number} matching rows; replaces 1 verdict":
        wrong.append(f"{path.name}: the menu says {said!r}")
    page.get_by_role("button", name="2 answer wrong").first.click()
    expect("marked by a button", number)
    page.get_by_role("button", name="Undo").click()
    expect("undone by a button", 1)
    page.keyboard.press("m")
    page.keyboard.press("-")
    expect("taken back", 0)
    page.keyboard.press("m")
    page.keyboard.press("2")
    page.get_by_role("button", name="Clear all").click()
    page.get_by_role("checkbox", name="answer wrong").check()
    if number_in(page.locator("#count").inner_text()) != number:
        wrong.append(f"{path.name}: other rows were marked")
    with page.expect_download() as download:
        save.click()
    download.value.save_as(path.with_suffix(".jsonl"))
    print(f"{path.name}: {number} rows marked")
    page.context.close()
    return wrong


def check_confined(browser: Browser, path: Path) -> list[str]:
    """Use the page within others, as notebooks show it: freely, and where only scripts are allowed."""
    wrong = []
    for sandbox in ("", 'sandbox="allow-scripts"'):
        around = path.with_name("around.html")
        inner = html.escape(path.read_text(encoding="utf-8"))
        around.write_text(f'<iframe {sandbox} width="1200" height="700" srcdoc="{inner}"></iframe>')
        page = window(browser, viewport=WIDE).new_page()
        page.on("pageerror", lambda error: wrong.append(f"{path.name} in a page: {error}"))
        page.goto(around.as_uri())
        rows = page.frame_locator("iframe")
        rows.locator("body.ready").wait_for()
        rows.get_by_label("missing").check()
        before = rows.locator("#count").inner_text()
        rows.locator(".row:not([hidden])").first.click()
        rows.locator("#row .link").first.click()
        rows.locator("#active", has_text="doc_id").wait_for()
        page.frames[1].evaluate("history.back()")
        rows.locator("#active", has_text="error type: missing").wait_for()
        if rows.locator("#count").inner_text() != before:
            wrong.append(f"{path.name} in a page: the browser does not go back to {before}")
        rows.locator("#list").focus()
        page.keyboard.press("m")
        page.keyboard.press("1")
        rows.locator("#save").click()
        if sandbox:
            shown = rows.locator("dialog textarea").input_value().splitlines()
            rows.get_by_role("button", name="Copy", exact=True).click()
            page.keyboard.press("Escape")
            if len(shown) != number_in(before) or rows.locator("dialog[open]").count():
                wrong.append(f"{path.name} in a page: {len(shown)} verdicts to copy")
        if not rows.locator("#save.saved").count():
            wrong.append(f"{path.name} in a page: {rows.locator('#save').inner_text()}")
        page.context.close()
    print(f"{path.name}: works within other pages")
    return wrong


PARTS: dict[str, list[tuple[Callable[[Browser, Path], list[str]], list[str]]]] = {
    "large": [(check_large, ["large"])],
    "hostile": [(check_hostile, ["hostile"])],
    "look": [(look, ["one", "two", "five", "many", "long"])],
    "use": [(check_use, ["one"])],
    "view": [(check_view, ["two"])],
    "many": [(check_many, ["many"]), (check_systems, ["five"]), (check_slices, ["sliced"])],
    "addresses": [(check_addresses, ["one"])],
    "files": [(check_files, ["two", "hostile"])],
    "longest": [(check_longest, ["longest"])],
    "images": [(check_images, ["words"])],
    "links": [(check_links, ["report", "comparison", "slices"])],
    "rates": [(check_rates, ["rates"]), (check_room_of_rates, ["rate", "rates"])],
    "verdicts": [
        (check_verdicts, ["one", "hostile", "runs"]),
        (check_marks, ["two"]),
        (check_audit, ["audit"]),
        (check_judge, ["judge"]),
    ],
    "confined": [(check_confined, ["one"])],
}
"""What is checked on which pages; `verdicts.py` reads what the part of this name saves."""

if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])

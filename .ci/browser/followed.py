"""Judges rows in marimo, and by the rules of VS Code's notebooks: the kernel, or its model, hears of it."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import polars as pl
from hostile_texts import HOSTILE_TEXTS
from playwright.sync_api import Browser, FrameLocator, Page, sync_playwright
from waiting import answers, window

import anls_frame as af

MARIMO = """
import marimo

app = marimo.App(width="full")


@app.cell
def _():
    import marimo as mo
    import polars as pl
    from hostile_texts import HOSTILE_TEXTS

    import anls_frame as af

    questions = af.sample()
    page = questions.anls.browse("tesseract", "answers", by="lang", id="question_id")
    judging = mo.ui.anywidget(page.widget())
    judging
    return HOSTILE_TEXTS, af, judging, mo, pl


@app.cell
def _(judging, mo):
    mo.md(f"heard {judging.selected.height} {judging.verdicts.select('id', 'verdict').rows()}")
    return


@app.cell
def _(HOSTILE_TEXTS, af, mo, pl):
    texts = [text[:200] for text in HOSTILE_TEXTS]
    rows = pl.DataFrame({"a": texts, "b": [[text] for text in reversed(texts)]})
    hostile = mo.ui.anywidget(af.browse(rows, "a", "b", by="a", id="a").widget())
    hostile
    return hostile, texts


@app.cell
def _(hostile, mo, texts):
    mo.md(f"heard hostile {sorted(hostile.verdicts['id']) == sorted(texts)}")
    return
"""
# What a cell shows, in a frame like that of VS Code: its sandbox, and the policy that a setting of it adds. A
# model stands for that of the kernel. All lines are joined, as a kernel did.
WEBVIEW = "allow-same-origin allow-scripts allow-forms allow-downloads allow-pointer-lock"
POLICY = (
    "default-src 'none'; script-src 'self' https://*.vscode-cdn.net 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' https://*.vscode-cdn.net 'unsafe-inline'; img-src 'self' https: http: data:; "
    "font-src 'self' https:; connect-src https:; child-src https: data:"
)
MODEL = """
const state = JSON.parse(document.getElementById("state").textContent);
front.initialize({ model: {
  get: (name) => state[name],
  set: (name, value) => { state[name] = value; },
  save_changes: () => { window.heard = { verdicts: state._verdicts, selected: state._selected }; },
} });
"""


def main(chromium: str, folder: Path) -> None:
    """Look at both."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        errors = [*in_marimo(browser, folder), *as_in_vs_code(browser, folder)]
        browser.close()
    if errors:
        sys.exit("\n".join(errors))


def opened(browser: Browser, address: str) -> tuple[Page, list[str]]:
    """Open a page; with what goes wrong on it."""
    page = window(browser, viewport={"width": 1400, "height": 1000}).new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: errors.append(f"dialog: {dialog.message}") or dialog.dismiss())
    here = ("http://127.0.0.1:", "data:", "blob:")
    page.on(
        "request",
        lambda asked: None if asked.url.startswith(here) else errors.append(f"request: {asked.url}"),
    )
    page.goto(address)
    return page, errors


def judge(page: Page, rows: FrameLocator) -> tuple[str, str]:
    """Select rows and judge two of them, by mouse and by keys; return the ids of both."""
    rows.get_by_label("missing").check()
    rows.locator(".row:not([hidden])").first.click()
    first = rows.locator("#row h2").inner_text()
    rows.locator("#row .verdict", has_text="answer wrong").click()
    page.keyboard.press("j")
    second = rows.locator("#row h2").inner_text()
    page.keyboard.press("1")
    rows.locator("#save", has_text="Save 2 verdicts").wait_for()
    return first, second


def in_marimo(browser: Browser, folder: Path) -> list[str]:
    """Judge rows in marimo: the cells that use a page run again."""
    (folder / "notebook.py").write_text(MARIMO, encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "marimo", "run", "notebook.py", "--headless", "--no-token"]
    support = Path("tests/support").resolve()
    environment = {**os.environ, "PYTHONPATH": f"{Path.cwd()}{os.pathsep}{support}"}
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(  # noqa: S603 - our own server
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=log,
        )
    try:
        answers("marimo", f"http://127.0.0.1:{port}/health", folder / "server.log")
        page, errors = opened(browser, f"http://127.0.0.1:{port}")
        frames = page.locator("iframe[name^=anls_frame_]")
        rows = frames.first.content_frame
        rows.locator("#count", has_text="1,624 rows").wait_for()
        first, second = judge(page, rows)
        # Markdown makes its own quotation marks.
        told = f"heard 165 [({first}, .answer_wrong.), ({second}, .our_error.)]"
        page.get_by_text(re.compile(re.escape(told).replace(r"\.", "."))).wait_for()
        page.screenshot(path=folder / "marimo.png")
        rows = frames.last.content_frame
        rows.locator(".row:not([hidden])").first.click()
        page.keyboard.press("m")
        page.keyboard.press("5")
        page.get_by_text("heard hostile True").wait_for()
    finally:
        server.terminate()
        server.wait()
    print("marimo: cells run again when rows are selected and judged; hostile texts arrive as they are")
    return errors


def as_in_vs_code(browser: Browser, folder: Path) -> list[str]:
    """Judge rows of a page of which a notebook keeps the first ones, in a frame like that of VS Code."""
    questions = af.sample()
    texts = [text[:200] for text in HOSTILE_TEXTS]
    hostile = pl.DataFrame(
        {"question_id": range(len(texts)), "tesseract": texts, "answers": [[text] for text in texts]}
    )
    both = pl.concat([questions, questions, hostile.cast({"question_id": pl.Int64})], how="diagonal")
    widget = af.browse(both, "tesseract", "answers", by="lang", id="question_id").widget()
    state = {name: value for name, value in widget.get_state().items() if name.startswith("_")}
    output, _ = widget._repr_mimebundle_()
    told = json.dumps(state).replace("<", chr(92) + "u003c")
    parts = (
        output["text/html"],
        f'<script type="application/json" id="state">{told}</script>',
        f"<script>{state['_esm'].replace('export default', 'const front =')} {MODEL}</script>",
    )
    head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    cell = f"<!doctype html><head>{head}</head><body>" + "".join(parts).replace("\n", "")
    (folder / "cell.html").write_text(cell, encoding="utf-8")
    (folder / "host.html").write_text(
        f'<!doctype html><iframe sandbox="{WEBVIEW}" src="cell.html" width="1300" height="800"></iframe>',
        encoding="utf-8",
    )
    handler = partial(_Quiet, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page, errors = opened(browser, f"http://127.0.0.1:{server.server_port}/host.html")
        rows = page.frame_locator("iframe").frame_locator("iframe")
        rows.locator("#count", has_text=f"{both.height:,} rows").wait_for()
        judge(page, rows)
        webview = page.frames[1]
        webview.wait_for_function("() => window.heard?.selected && window.heard.verdicts.our_error.length")
        heard = webview.evaluate("window.heard")
        page.screenshot(path=folder / "vs_code.png")
        server.shutdown()
    widget.set_state({"_verdicts": heard["verdicts"], "_selected": heard["selected"]})
    if set(widget.verdicts["verdict"]) != {"answer_wrong", "our_error"} or widget.selected.height != 2 * 165:
        errors.append(f"as in VS Code, the kernel hears {widget.verdicts} and {widget.selected.height} rows")
    print(
        "by the rules of VS Code, in a page of which a notebook keeps the first rows, all of them are judged"
    )
    return errors


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing of each request."""


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))

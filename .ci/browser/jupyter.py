"""Runs a notebook in JupyterLab in a browser: a report and a page of rows show themselves and work."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.error import URLError

import nbformat
from playwright.sync_api import FrameLocator, Page, sync_playwright

ROOT = Path(__file__).parents[2]
CELLS = (
    "import polars as pl, anls_frame as af",
    f"questions = pl.read_parquet({str(ROOT / 'data/ocr_qa.parquet')!r})",
    "af.report(questions, 'tesseract', 'answers', by='lang', cluster='doc_id')",
    "questions.anls.browse('tesseract', 'answers', by='lang', keep='question', id='question_id')",
)
TOKEN = secrets.token_hex()
STARTS, RUNS = 60, 90
"""Seconds that the server and the cells may take."""


def main(chromium: str, python: str, folder: Path) -> None:
    """Start a server, look at the notebook, and end the server."""
    written(folder, python)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [
        f"--port={port}",
        "--ip=127.0.0.1",
        "--no-browser",
        "--allow-root",
        f"--IdentityProvider.token={TOKEN}",
    ]
    command = [str(Path(sys.executable).parent / "jupyter-lab"), *options, f"--ServerApp.root_dir={folder}"]
    paths = {"JUPYTER_DATA_DIR": str(folder / "data"), "JUPYTER_CONFIG_DIR": str(folder / "config")}
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(command, env={**os.environ, **paths}, stdout=log, stderr=log)  # noqa: S603 - our own server
    try:
        wait_for(f"http://127.0.0.1:{port}/api", folder / "server.log")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1400, "height": 1400})
            look(page, f"http://127.0.0.1:{port}/lab/tree/rows.ipynb?reset&token={TOKEN}", folder)
            browser.close()
    finally:
        server.terminate()
        server.wait()


def written(folder: Path, python: str) -> None:
    """Write the notebook, and the kernel that runs the package."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    notebook.metadata["kernelspec"] = {"name": "package", "display_name": "package", "language": "python"}
    nbformat.write(notebook, folder / "rows.ipynb")
    kernel = folder / "data" / "kernels" / "package"
    kernel.mkdir(parents=True)
    launch = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": launch, "display_name": "package", "language": "python", "env": {"PYTHONPATH": str(ROOT)}}
    (kernel / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")


def wait_for(address: str, log: Path) -> None:
    """Wait until the server answers."""
    until = time.monotonic() + STARTS
    while True:
        try:
            urllib.request.urlopen(address).close()  # noqa: S310 - of this machine
        except URLError:
            if time.monotonic() > until:
                sys.exit(f"JupyterLab does not start:\n{log.read_text(encoding='utf-8')}")
            time.sleep(0.5)
        else:
            return


def look(page: Page, address: str, folder: Path) -> None:
    """Run the notebook, then filter, open and judge rows by mouse and keyboard."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if "Content Security" in said.text else None)
    page.goto(address)
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=1000 * STARTS)
    # The menu is for the notebook in which a cell was chosen, and the cells need a kernel.
    page.locator(".jp-Notebook .jp-CodeCell").first.click()
    page.get_by_text("package | Idle").wait_for(timeout=1000 * STARTS)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    page.wait_for_selector(".jp-OutputArea iframe", timeout=1000 * RUNS)
    rows = page.frame_locator(".jp-OutputArea iframe")
    said(rows, "#count", "1,624 rows")
    page.locator(".jp-OutputArea table", has_text="0.660 [0.610, 0.706]").wait_for()
    rows.get_by_label("missing").check()
    said(rows, "#count", "165 of 1,624 rows")
    rows.locator(".row:not([hidden])").first.click()
    said(rows, "#row .place", "1 of 165")
    page.keyboard.press("j")
    said(rows, "#row .place", "2 of 165")
    page.keyboard.press("1")
    said(rows, "#save", "Save 1 verdict")
    page.screenshot(path=folder / "jupyter.png")
    if errors:
        sys.exit("\n".join(errors))
    print("JupyterLab shows a report and a page of rows, which works by mouse and keys")


def said(rows: FrameLocator, what: str, text: str) -> None:
    """Wait until an element has a text."""
    rows.locator(what, has_text=text).wait_for(timeout=20_000)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))

"""How long the checks wait for the browser, and for the programs that serve pages to it."""

from __future__ import annotations

import sys
import time
import urllib.request
from pathlib import Path
from typing import Any
from urllib.error import URLError

from playwright.sync_api import Browser, BrowserContext

WAITS = 180
"""Seconds that a server or an element of a page may take on a machine that does other things, too."""


def window(browser: Browser, **options: Any) -> BrowserContext:
    """Return a new context of a browser, whose pages are waited for."""
    context = browser.new_context(**options)
    context.set_default_timeout(1000 * WAITS)
    return context


def answers(program: str, address: str, log: Path) -> None:
    """Wait until a program answers; end with its log if it does not in time."""
    until = time.monotonic() + WAITS
    while True:
        try:
            urllib.request.urlopen(address).close()  # noqa: S310 - of this machine
        except URLError:
            if time.monotonic() > until:
                sys.exit(f"{program} does not start:\n{log.read_text(encoding='utf-8')}")
            time.sleep(0.5)
        else:
            return

"""Programs of notebooks that serve pages to the browser."""

from __future__ import annotations

import sys
import time
import urllib.request
from pathlib import Path
from urllib.error import URLError


def answers(program: str, address: str, log: Path, seconds: float) -> None:
    """Wait until a program answers; end with its log if it does not in time."""
    until = time.monotonic() + seconds
    while True:
        try:
            urllib.request.urlopen(address).close()  # noqa: S310 - of this machine
        except URLError:
            if time.monotonic() > until:
                sys.exit(f"{program} does not start:\n{log.read_text(encoding='utf-8')}")
            time.sleep(0.5)
        else:
            return

"""Command line of the builder: `python -m data.build [--limit N] [--check] [--output FOLDER]`."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from .assemble import assemble
from .check import check
from .metadata import write_metadata
from .plan import documents
from .write import write

ROOT = Path(__file__).parents[2]
CACHE = Path(__file__).parent / ".cache"


def main() -> int:
    """Build the sample data."""
    options = _parser().parse_args()
    specs = [spec for spec in documents() if options.only in spec.doc_id]
    if options.limit:
        # Spread over the types and languages, and the same documents each time.
        specs = specs[:: max(1, len(specs) // options.limit)][: options.limit]
    cache = None if options.no_cache else CACHE
    with ProcessPoolExecutor(options.jobs) as pool:
        results = []
        for result in pool.map(partial(assemble, cache=cache), specs):
            results.append(result)
            print(f"{len(results)}/{len(specs)} {result.page['doc_id']}", file=sys.stderr)
    if options.check:
        return check(results, options.output)
    files = write(results, options.output)
    write_metadata(results, files, options.output)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m data.build", description="Build the sample data of anls_frame."
    )
    parser.add_argument("--limit", type=int, default=0, help="build only so many documents, as a smoke run")
    parser.add_argument("--only", default="", help="build only documents whose id contains this")
    parser.add_argument(
        "--output", type=Path, default=ROOT, help="folder that takes the files as the repository does"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument(
        "--check", action="store_true", help="write nothing, compare with the files that are there"
    )
    parser.add_argument("--no-cache", action="store_true", help="read every page anew")
    return parser


if __name__ == "__main__":
    sys.exit(main())

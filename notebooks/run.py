"""
Runs the notebooks.

`python notebooks/run.py` runs all and keeps their outputs, pictures with few colours; with `--check` nothing
is written, and a cell that fails or prints something else than it did is an error. The first notebook has the
texts and the code of docs/tutorial.md.
"""

from __future__ import annotations

import argparse
import base64
import doctest
import io
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from PIL import Image

FOLDER = Path(__file__).resolve().parent
COLORS = 48
FOLLOWED = re.compile('(?<=<iframe )name="anls_frame_[0-9a-f]+" ')
"""The name of a page that a kernel follows, which is another one each time."""
TUTORIAL, PAGE = FOLDER / "1_tutorial.ipynb", FOLDER.parent / "docs" / "tutorial.md"
LARGEST = 200_000
"""Bytes that a notebook may have, with its outputs."""


def main() -> None:
    """Run all notebooks, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the outputs there are")
    parser.add_argument("notebooks", nargs="*", type=Path)
    options = parser.parse_args()
    failures = []
    chosen = [path.resolve() for path in options.notebooks] or sorted(FOLDER.glob("*.ipynb"))
    wanted = of_page(PAGE.read_text(encoding="utf-8"))
    if not options.check and TUTORIAL in chosen:
        nbformat.write(wanted, TUTORIAL)
    elif options.check and sources(nbformat.read(TUTORIAL, as_version=4)) != sources(wanted):
        failures += [f"{TUTORIAL.name}: is not {PAGE.name}: run it"]
    for path, notebook, before in run(chosen):
        if not options.check:
            tidy(notebook)
            nbformat.write(notebook, path)
        elif printed(notebook) != before:
            failures += [
                f"{path.name}: cell {cell} prints something else" for cell in differing(before, notebook)
            ]
        if path.stat().st_size > LARGEST:
            failures.append(f"{path.name} has {path.stat().st_size:,} bytes, more than {LARGEST:,}")
        print(f"{path.name}: {len(before)} cells run")
    sys.exit("\n".join(failures) or None)


def of_page(text: str) -> Any:
    """Return a page as a notebook: its examples are cells of code, without what they print."""
    parts = re.split(r"^```python\n(>>>.*?)^```\n", text, flags=re.DOTALL | re.MULTILINE)
    cells = []
    for place, part in enumerate(parts):
        if place % 2:
            code = "".join(example.source for example in doctest.DocTestParser().get_examples(part))
            cells.append(nbformat.v4.new_code_cell(code.strip()))
        elif part.strip():
            # Links lead from the folder of notebooks.
            linked = re.sub(r"\]\((?=[\w/]+\.md)", "](../docs/", part.strip())
            cells.append(nbformat.v4.new_markdown_cell(linked))
    for place, cell in enumerate(cells):
        cell["id"] = f"cell-{place}"
    return nbformat.v4.new_notebook(cells=cells)


def sources(notebook: Any) -> list[tuple[str, str]]:
    """Return the kind and the text of each cell."""
    return [(cell.cell_type, cell.source) for cell in notebook.cells]


def run(paths: list[Path]) -> Iterator[tuple[Path, Any, list[list[str]]]]:
    """Run notebooks in one kernel, which loads the libraries once; return what each printed before, too."""
    # What cells write goes with the folder; data and scripts of the repository are read.
    kept = tempfile.TemporaryDirectory()
    for name in ("data", "examples"):
        (Path(kept.name) / name).symlink_to(FOLDER.parent / name)
    resources = {"metadata": {"path": kept.name}}
    # No name is left from the notebook before.
    reset = nbformat.v4.new_code_cell("%reset -f")
    empty = nbformat.v4.new_notebook(cells=[reset])
    # One output for what a cell prints, however often it is flushed.
    # What widgets tell the browser is in the pages that cells show.
    client = NotebookClient(
        empty, timeout=300, resources=resources, coalesce_streams=True, store_widget_state=False
    )
    with client.setup_kernel():
        for path in paths:
            client.nb = empty
            client.execute_cell(reset, 0, store_history=False)
            client.nb = nbformat.read(path, as_version=4)
            before = printed(client.nb)
            client.execute(cleanup_kc=False)
            yield path, client.nb, before
    kept.cleanup()


def printed(notebook: Any) -> list[list[str]]:
    """Return what each cell of code has printed, as plain text."""
    return [
        [
            output.get("text") or output.get("data", {}).get("text/plain", "")
            for output in cell.outputs
            if not is_about_fonts(output)
        ]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def is_about_fonts(output: Any) -> bool:
    """Whether it is matplotlib's warning on a machine whose fonts lack Chinese characters."""
    return output.get("name") == "stderr" and "missing from font" in output.get("text", "")


def differing(before: list[list[str]], notebook: Any) -> list[int]:
    """Return the numbers of the cells that print something else than before."""
    pairs = zip(before, printed(notebook), strict=True)
    return [number for number, (old, new) in enumerate(pairs, 1) if old != new]


def tidy(notebook: Any) -> None:
    """Take away what differs each time, count the cells of each notebook anew, and make pictures small."""
    for number, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), start=1):
        cell.metadata.pop("execution", None)
        cell.execution_count = number
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = number
            data = output.get("data", {})
            if "text/html" in data:
                data["text/html"] = FOLLOWED.sub("", data["text/html"])
            if "image/png" in data:
                picture = Image.open(io.BytesIO(base64.b64decode(data["image/png"]))).convert("RGB")
                file = io.BytesIO()
                picture.quantize(COLORS, dither=Image.Dither.NONE).save(file, format="png", optimize=True)
                data["image/png"] = base64.b64encode(file.getvalue()).decode()


if __name__ == "__main__":
    main()

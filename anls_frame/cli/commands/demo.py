"""`demo`: the sample data, and what can be made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import anls_frame as af
from anls_frame.cli import options
from anls_frame.cli.output import show, working

_CONTENTS = {
    "overview.html": "how good tesseract is, where and why it fails, and what to do first",
    "report.html": "its ANLS by question type, with intervals",
    "rows.html": "its rows, to sort, filter and read",
    "comparison.html": "whether rapidocr is better, and where",
    "questions.parquet": "the questions, their answers and the predictions of both systems",
    "pages": "12 pages of OCR, as folders of text files",
}


@options.command("anls-frame demo", "anls-frame demo first_look --force")
def demo(folder: Annotated[Path, {"metavar": "[FOLDER]"}] = Path("demo"), *, force: bool = False) -> None:
    """
    Write sample data, and pages made from it.

    The pages are an overview, a report, the rows and a comparison.

    Parameters
    ----------
    folder
        Folder to write to, by default demo.
    """
    from anls_frame.samples import write_pages

    taken = [] if force else [name for name in _CONTENTS if (folder / name).exists()]
    if taken:
        raise ValueError(
            f"{folder / taken[0]}: already exists; name another folder, or pass --force to replace it"
        )
    folder.mkdir(parents=True, exist_ok=True)
    questions = af.sample()
    with working(f"Writing {folder}"):
        questions.write_parquet(folder / "questions.parquet")
        write_pages(folder / "pages")
        af.overview(questions, "tesseract").write(folder / "overview.html")
        report = af.report(questions, "tesseract", "answers", by="question_types", cluster="doc_id")
        report.write(folder / "report.html")
        keep = ["question", "doc_id"]
        rows = af.browse(questions, "tesseract", "answers", by=["lang", "question_types"], keep=keep)
        rows.write(folder / "rows.html")
        systems = ["tesseract", "rapidocr"]
        comparison = af.compare(questions, systems, "answers", by="question_types", cluster="doc_id")
        comparison.write(folder / "comparison.html")
    for name, content in _CONTENTS.items():
        show(f"{folder / name}: {content}")
    show(f"Open {folder / 'overview.html'} in a browser first.")

"""Files of programs without a reader, and what to do with them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from glob import glob
from pathlib import Path

_AGGREGATED = (
    "These are aggregated results: name the file of samples, which the LM evaluation harness writes with "
    "--log_samples, and the Parquet file of details, which lighteval writes with --save-details"
)
_PAGES = (
    "This is JSON of OCR: write the text of each page to a .txt file, or make a table with the id and the "
    'text of each page; the guide to files of OCR pages says more under "Other formats"'
)
_SEGMENTS = (
    "Segments of a recording differ between the reference and each system: join their texts, and make a "
    "table with the id and the text of each recording"
)
_SQUAD = (
    "SQuAD's JSON has the questions within paragraphs within articles: write a list of the questions, each "
    "with its id and its answers, to a file of its own"
)
_KEYS = {
    _AGGREGATED: ("config_general results", "results configs", "results versions"),
    _PAGES: (
        *("Blocks DocumentMetadata", "BlockType Geometry", "fullTextAnnotation", "analyzeResult"),
        *("pageNumber lines spans", "rec_texts rec_scores"),
    ),
    _SEGMENTS: ("segments word_segments", "seek start end text"),
    _SQUAD: ("paragraphs",),
}
"""What to do with a file, by keys that it, or each of its rows, has."""


def way_of(keys: Iterable[str]) -> str | None:
    """Return what to do with a file that has these keys; None unless a known program writes them."""
    known = set(keys)
    ways = (way for way, every in _KEYS.items() if any(known.issuperset(names.split()) for names in every))
    return next(ways, None)


TRANSCRIPTS = 'make a table with a row for each utterance, as the guide "Transcripts in text files" does'
_OCR = 'make a table of it, as the guide to files of OCR pages does under "Other formats"'
_TO_PARQUET = "write its rows to a Parquet file, in Python with "
_REMOVED = f", which keeps files of rows that were removed; {_TO_PARQUET}"
_EDITS = 'score it with `anls-frame gec`, as the guide "Grammatical error correction" does'
_SAVED = "save it as CSV, JSON Lines, Parquet or .xlsx"
OTHER_SUFFIXES = dict.fromkeys((".trn", ".stm", ".ctm", ".srt", ".vtt"), TRANSCRIPTS) | {".m2": _EDITS}
"""Suffixes of texts without a reader, and what to do with them."""
ZIP, PARQUET = rb"PK\x03\x04", rb"PAR1\x15"
PACKED = {"gzip": rb"\x1f\x8b", "zstd": rb"\x28\xb5\x2f\xfd"}
JSON, MARKUP = rb'\s*(\[\s*)?\{\s*"', rb"\s*<(?i:!doctype|html|table|\?xml)"
TABLE = rb'\s*"?[a-zA-Z_][\w .-]*"?[,;\t]["\w]'
TEXTS = (JSON, MARKUP, TABLE)
CONTENTS = {
    rb"version https://git-lfs": "a pointer of Git LFS: fetch the file itself with `git lfs pull`",
    PACKED["gzip"]: "compressed with gzip: append .gz to its name",
    PACKED["zstd"]: "compressed with Zstandard: append .zst to its name",
    rb"BZh\d1AY|\xfd7zXZ|7z\xbc\xaf|\x04\x22\x4d\x18": "compressed: unpack it, as only .gz and .zst are read",
    ZIP: "a workbook or a ZIP archive: save a workbook as .xlsx, or unpack the archive",
    PARQUET: "a Parquet file: name it .parquet",
    rb"ARROW1\0\0|\xff\xff\xff\xff": f"a file of Arrow: {_TO_PARQUET}polars.read_ipc or read_ipc_stream",
    rb"\x80[\x02-\x05]|\xd0\xcf\x11\xe0": f"a pickle or a file of old Excel: {_SAVED}",
    rb"%PDF-|\x89PNG|\xff\xd8\xff|GIF8": "a PDF or an image: name the file with its text",
    MARKUP: f"HTML or XML, such as a page that asks to sign in; if a spreadsheet shows a table, {_SAVED}",
    JSON: "JSON: name it .json",
    TABLE: "a table of text: name it .csv or .tsv",
}
"""What files are and what to do with them, by their first bytes."""
_JOB = "_temporary/0"
_FOLDERS = {
    "_delta_log": f"a table of Delta{_REMOVED}polars.scan_delta('FOLDER').sink_parquet('rows.parquet')",
    "metadata/*.metadata.json": f"a table of Iceberg{_REMOVED}polars.scan_iceberg('NEWEST').sink_parquet("
    "'rows.parquet'), where NEWEST is the newest metadata/*.metadata.json",
    "dataset_info.json state.json": f"a data set of Hugging Face; {_TO_PARQUET}"
    "datasets.load_from_disk('FOLDER').to_parquet('rows.parquet')",
    _JOB: "the output of a job that has not ended, or failed: run it to its end, or delete "
    "_temporary if no rows are missing",
}
"""What to do with a folder whose files are not its rows, by entries that it has."""


def folder_to_convert(file: Path) -> tuple[Path, str] | None:
    """Return the folder of a table with this file whose files are not its rows, and what to do with it."""
    # Next to the files of a table, such files are none of its rows.
    kinds = [_JOB] if file.suffix.lower() in {".csv", ".tsv", ".xlsx"} else [*_FOLDERS]
    for folder in file.absolute().parents:
        for patterns in kinds:
            if all(glob(pattern, root_dir=folder) for pattern in patterns.split()):  # noqa: PTH207 - faster
                return folder, f"this is {_FOLDERS[patterns]}"
        # Partitions belong to a table; other folders in it may hold predictions.
        if not re.fullmatch(r"data|metadata|\d+|_.*|.*=.*", folder.name):
            return None
    return None


# With letters and digits, such as "s1-u1", unlike years and numbers of formulas.
_ID = r"(?=[^\s()]*[a-zA-Z])(?=[^\s()]*\d)[^\s()]{4,}"
# Each of ten lines or more begins with an id; a list of codes has another line, such as its heading.
_WITH_ID = r"(?=[\w.-]*[^\W\d_])(?=[\w.-]*\d)[\w.-]{5,}"
_TEXTS = (
    (r"WEBVTT\b|\d+\r?\n[\d:]+[,.]\d{3} -->", "subtitles", TRANSCRIPTS),
    (r"\d+-\d+-0000 ", "the transcripts of LibriSpeech", TRANSCRIPTS),
    (rf"[^\n]*\({_ID}\)\s*\n[^\n]*\({_ID}\)\s*(\n|$)", "utterances with an id at the end", TRANSCRIPTS),
    (r"S [^\n]*\n([TI][^\n]*\n)*A -?\d+ -?\d+\|\|\|", "the edits of sentences", _EDITS),
    (
        "".join(rf"0*{number}\t[^\n]*\n" for number in range(1, 6)),
        "rows whose columns have no names",
        "put the names of the columns above them, and name the file .tsv",
    ),
    (r"[^\t\n]+\.(?i:png|jpe?g|tiff?|bmp)\t\S", "names of images and their texts", _OCR),
    (
        rf"{_WITH_ID}[ \t]+\S[^\n]*(\n{_WITH_ID}([ \t][^\n]*)?){{9,}}\n*\Z",
        "utterances with an id at the start",
        TRANSCRIPTS,
    ),
)


def not_a_page(beginning: str) -> tuple[str, str] | None:
    """Return what a text is and what to do with it, if its beginning is that of no page and no table."""
    return next((found[1:] for found in _TEXTS if re.match(found[0], beginning)), None)

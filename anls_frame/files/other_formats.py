"""JSON of programs without a reader: where its texts are, and how they become a table or pages."""

from __future__ import annotations

from collections.abc import Iterable

from anls_frame._messages import Message, Option

_PAGES = "write the text of each page to a .txt file, or make a table with the id and the text of each page"
_TEXTRACT = f"Amazon Textract has the texts of lines in its blocks of the type LINE: {_PAGES}"
_AZURE = f"Azure Document Intelligence has the texts of lines in its pages: {_PAGES}"
_OLMOCR = Message(
    "olmOCR has the text of a whole document in text: name it with ",
    Option("prediction", "text"),
    " or, for pages, which attributes.pdf_page_numbers delimits, ",
    _PAGES,
)
_VLLM = (
    "vLLM's benchmark has texts in generated_texts, if it was called with --save-detailed: make a table with "
    "a row for each request, with its text, and its id and answers from the data, in the same order"
)
_HARNESS = "These are aggregated results: name the file of samples, which --log_samples writes"
_LIGHTEVAL = "These are aggregated results: name the Parquet file of details, which --save-details writes"
_WAYS = (
    ({"config_general", "results"}, _LIGHTEVAL),
    ({"results", "configs"}, _HARNESS),
    ({"results", "versions"}, _HARNESS),
    ({"Blocks", "DocumentMetadata"}, _TEXTRACT),
    ({"BlockType", "Geometry"}, _TEXTRACT),
    ({"analyzeResult"}, _AZURE),
    ({"modelId", "stringIndexType", "pages"}, _AZURE),
    ({"pageNumber", "lines", "spans"}, _AZURE),
    ({"text", "source", "metadata", "attributes"}, _OLMOCR),
    ({"completed", "request_throughput"}, _VLLM),
)
"""Keys of a file or of its rows, and what to do with a file that has them."""


def way_of(keys: Iterable[str]) -> str | None:
    """Return what to do with a file that has these keys; None unless a known program writes them."""
    known = frozenset(keys)
    return next((way for names, way in _WAYS if names <= known), None)

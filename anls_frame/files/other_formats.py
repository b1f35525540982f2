"""Files of programs without a reader: where their texts are, and how they become a table or pages."""

from __future__ import annotations

import re
from collections.abc import Iterable

from anls_frame._messages import Message, Option

_PAGES = "write the text of each page to a .txt file, or make a table with the id and the text of each page"
_LINES = f"has the texts of lines: {_PAGES}"
_SEGMENTS = (
    "Segments of a recording differ between the reference and each system: join their texts, and make a "
    "table with the id and the text of each recording"
)
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
_EVALS = Message(
    "OpenAI's evals writes an event in each line: keep those of the type match, as "
    """grep '"type": "match"' does, and pass """,
    Option("prediction", "data.sampled"),
    ", ",
    Option("answers", "data.expected"),
    " and ",
    Option("question_id", "sample_id"),
    ". If they have no texts, keep those of the type sampling, and pass the others as ",
    Option("gold"),
)
_HELM = Message(
    "HELM has the predictions in display_predictions.json (",
    Option("prediction", "predicted_text"),
    ", ",
    Option("question_id", "instance_id"),
    ") and the answers in instances.json, in output.text of each reference with the tag correct: write the "
    "id and the list of these texts of each instance to a file of its own, for ",
    Option("gold", "FILE"),
)
_SQUAD = (
    "SQuAD's JSON has the questions within paragraphs within articles: write them to a file of their own, in "
    "Python with Path('questions.json').write_text(json.dumps([question for article in "
    "json.loads(Path('FILE').read_bytes())['data'] for paragraph in article['paragraphs'] for question in "
    "paragraph['qas']]))"
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
    ({"page_idx", "dimensions", "blocks"}, f"docTR has the texts in value of words: {_PAGES}"),
    ({"text_lines", "image_bbox"}, f"Surya {_LINES}"),
    ({"rec_texts", "rec_scores"}, f"PaddleOCR {_LINES}"),
    ({"fullTextAnnotation"}, f"Google Vision has the text of a page in fullTextAnnotation.text: {_PAGES}"),
    ({"layout_dets", "page_info"}, f"OmniDocBench has the texts of blocks, numbered by order: {_PAGES}"),
    ({"level", "page_num", "word_num", "conf"}, "Tesseract's TSV has a row for each word: let it write hocr"),
    ({"segments", "word_segments"}, _SEGMENTS),
    ({"seek", "start", "end", "text"}, _SEGMENTS),
    ({"timestamps", "offsets", "text"}, _SEGMENTS),
    ({"session_id", "speaker", "words"}, _SEGMENTS),
    ({"event_id", "sample_id", "type", "data"}, _EVALS),
    ({"instance_id", "train_trial_index"}, _HELM),
    ({"input", "references", "split", "id"}, _HELM),
    ({"instance", "request", "train_trial_index"}, _HELM),
    ({"paragraphs"}, _SQUAD),
)
"""Keys of a file or of its rows, and what to do with a file that has them."""


def way_of(keys: Iterable[str]) -> str | None:
    """Return what to do with a file that has these keys; None unless a known program writes them."""
    known = frozenset(keys)
    return next((way for names, way in _WAYS if names <= known), None)


TRANSCRIPTS = (
    "make a table with a row for each utterance, as the guide to speech recognition does under "
    '"Transcripts in text files"'
)
_OCR = 'make a table of it, as the guide to files of OCR pages does under "Other formats"'
OTHER_SUFFIXES = {
    **dict.fromkeys((".trn", ".stm", ".ctm", ".srt", ".vtt"), TRANSCRIPTS),
    ".zip": "unpack it, and name the folder with its files",
}
"""Suffixes of files without a reader, and what to do with them."""
_TEXTS = (
    (r"WEBVTT\b|\d+\r?\n[\d:]+[,.]\d{3} -->", "subtitles", TRANSCRIPTS),
    (r"\S+:\t(?:ref|hyp)=", "the transcripts of icefall", TRANSCRIPTS),
    (r"\d+-\d+-0000 ", "the transcripts of LibriSpeech", TRANSCRIPTS),
    (r"\[OCR_toInput\]", "OCR and its ground truth, aligned", _OCR),
    (r"[^\t\n]+\t\[\{\"transcription\"", "the labels of PaddleOCR", _OCR),
    (r"[^\t\n]+\.(?i:png|jpe?g|tiff?|bmp)\t\S", "names of images and their texts", _OCR),
    (r"(?:#.*\n)*[a-r]\d\d-\d{3}\w*-\d\d(?:-\d\d)? (?:ok|err) \d", "the words or lines of IAM", _OCR),
    (r"\(page(?: \d+){4}", "the text of DjVu with its boxes", "djvutxt writes the text alone"),
)


def not_a_page(beginning: str) -> tuple[str, str] | None:
    """Return what a text is and what to do with it, if its beginning is that of no page."""
    return next((found[1:] for found in _TEXTS if re.match(found[0], beginning)), None)

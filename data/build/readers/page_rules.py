"""Rules for what stands at a certain place of a page, or in its running text."""

from __future__ import annotations

import re
from statistics import median
from typing import TYPE_CHECKING

from data.build.lines import joined
from rapidfuzz import fuzz

from .answer import Answer
from .shapes import MARKS, alike, first_match, squeezed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from data.build.canvas import Box
    from data.build.documents import Query

    from .base import Found, Reader

STAMP_THRESHOLD = 80
OPTION_THRESHOLD = 70
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-ZÄÖÜ])")


def _answer(text: str | None, boxes: Sequence[Box] = ()) -> Answer:
    return Answer(text, tuple(boxes))


def title(reader: Reader, query: Query) -> Answer:
    """Return the tallest piece of the first three lines."""
    del query
    pieces = [piece for line in reader.lines[:3] for piece in line.segments()]
    if not pieces:
        return _answer(None)
    best = max(pieces, key=lambda piece: median(box.height for box in piece))
    return _answer(joined(best), best)


def top_name(reader: Reader, query: Query) -> Answer:
    """Return the left piece of the first line."""
    del query
    pieces = [line.segments()[0] for line in reader.lines[:1]]
    return _answer(joined(pieces[0]), pieces[0]) if pieces else _answer(None)


def top_address(reader: Reader, query: Query) -> Answer:
    """Return the left pieces of the second and the third line."""
    del query
    pieces = [line.segments()[0] for line in reader.lines[1:3]]
    return _lines(reader, pieces)


def top_date(reader: Reader, query: Query) -> Answer:
    """Return the first date of the page."""
    return reader.first_shape(query.answer_type)


def below_label(reader: Reader, query: Query) -> Answer:
    """Return the line under a label."""
    found = reader.find(reader.labels(query.slots["label"]))
    pieces = reader.below(found) if found else []
    return _answer(joined(pieces[0]), pieces[0]) if pieces else _answer(None)


def below_label_address(reader: Reader, query: Query) -> Answer:
    """Return the second and third line under a label."""
    found = reader.find(reader.labels(query.slots["label"]))
    return _lines(reader, reader.below(found, 3)[1:]) if found else _answer(None)


def after_label(reader: Reader, query: Query) -> Answer:
    """Return the rest of the line after a label."""
    found: Found | None = reader.find(reader.labels(query.slots["label"]))
    if found is None:
        return _answer(None)
    boxes = reader.after(found)
    return _answer(joined(boxes), boxes)


def last_line(reader: Reader, query: Query) -> Answer:
    """Return the last line of the page."""
    del query
    if not reader.lines:
        return _answer(None)
    boxes = reader.lines[-1].boxes
    return _answer(joined(boxes), boxes)


def last_digits(reader: Reader, query: Query) -> Answer:
    """Return the four digits at the end of the line of the card."""
    found = reader.find(reader.labels(query.key))
    if found is None:
        return _answer(None)
    boxes = reader.after(found)
    match = re.search(r"\d{1,4}\D*$", joined(boxes))
    return _answer(match[0].strip() if match else "", boxes)


def stamp(reader: Reader, query: Query) -> Answer:
    """Tell whether the word of a stamp stands anywhere."""
    word = squeezed(query.slots["word"])
    for line in reader.lines:
        for box in line.boxes:
            if fuzz.ratio(word, squeezed(box.text)) >= STAMP_THRESHOLD:
                return _answer(reader.words["yes"], [box])
    return _answer(reader.words["no"])


def checkbox(reader: Reader, query: Query) -> Answer:
    """Tell whether something like a cross stands left of an option."""
    state = _ticked(reader, query.slots["option"])
    return _answer(None) if state is None else _answer(reader.words["yes" if state else "no"])


def checked(reader: Reader, query: Query) -> Answer:
    """List the options with something like a cross left of them."""
    options = query.slots["every"].split(", ")
    ticked = [option for option in options if _ticked(reader, option)]
    return _answer(", ".join(ticked))


def _ticked(reader: Reader, option: str) -> bool | None:
    """Look left of an option; None if the option itself is not found."""
    for line in reader.lines:
        match = fuzz.partial_ratio_alignment(option.lower(), line.plain, score_cutoff=OPTION_THRESHOLD)
        if match and len(line.plain) >= 0.7 * len(option):
            before = line.plain[: match.dest_start].rstrip(" ]|)")
            return bool(before) and before[-1] in MARKS
    return None


def _lines(reader: Reader, pieces: Sequence[Sequence[Box]]) -> Answer:
    """Join lines of an address."""
    boxes = [box for piece in pieces for box in piece]
    text = reader.words["address_join"].join(joined(piece).rstrip(",") for piece in pieces)
    return _answer(text or None, boxes)


def _prose(reader: Reader) -> str:
    """Return the page as running text, without what only the layout makes into lines."""
    return " ".join(line.text for line in reader.lines)


def reason(reader: Reader, query: Query) -> Answer:
    """Return the clause after a word like "because"."""
    del query
    match = re.search(rf"\b(?:{reader.words['because']})\s+(.+?)[.;]", _prose(reader), re.IGNORECASE)
    return _answer(match[1].strip() if match else None)


def deadline(reader: Reader, query: Query) -> Answer:
    """Return the date after words like "no later than"."""
    match = re.search(rf"(?:{reader.words['no_later']})\s+(.{{6,24}})", _prose(reader), re.IGNORECASE)
    if match is None:
        return _answer(None)
    return _answer(first_match(query.answer_type, match[1]) or "")


def in_prose(reader: Reader, query: Query) -> Answer:
    """Return the first thing of a shape below the salutation."""
    start = _salutation_index(reader)
    for line in reader.lines[start + 1 if start is not None else 0 :]:
        text = first_match(query.answer_type, line.text)
        if text:
            return _answer(text, line.boxes)
    return _answer(None)


def before_word(reader: Reader, query: Query) -> Answer:
    """Return the number before a word that the question names."""
    match = re.search(rf"(\S*\d\S*)\s+{re.escape(query.slots['counted'])}\b", _prose(reader), re.IGNORECASE)
    return _answer(match[1] if match else None)


def _salutation_index(reader: Reader) -> int | None:
    for index, line in enumerate(reader.lines):
        if re.match(reader.words["salutation"], line.text, re.IGNORECASE):
            return index
    return None


def salutation(reader: Reader, query: Query) -> Answer:
    """Return the name in the salutation."""
    del query
    index = _salutation_index(reader)
    if index is None:
        return _answer(None)
    line = reader.lines[index]
    text = re.sub(reader.words["salutation"], "", line.text, flags=re.IGNORECASE)
    return _answer(text.strip(" ,.;"), line.boxes)


def addressee(reader: Reader, query: Query) -> Answer:
    """Return the left piece of the line that follows the letterhead."""
    del query
    for index, line in enumerate(reader.lines[:12]):
        if first_match("email", line.text) or first_match("phone", line.text):
            after = [piece for below in reader.lines[index + 1 : index + 3] for piece in below.segments()]
            piece = next((piece for piece in after if not first_match("date", joined(piece))), ())
            return _answer(joined(piece) or None, piece)
    return _answer(None)


def _closing_index(reader: Reader) -> int | None:
    best, where = 0.0, None
    for index, line in enumerate(reader.lines):
        for closing in reader.words["closings"]:
            score = fuzz.ratio(closing, line.plain.strip(" ,."))
            if score > max(best, 75):
                best, where = score, index
    return where


def signer(reader: Reader, query: Query) -> Answer:
    """Return the line that stands alone under the closing; the typed name if there are two alike."""
    del query
    index = _closing_index(reader)
    after = reader.lines[index + 1 : index + 4] if index is not None else []
    if not after:
        return _answer(None)
    if len(after) > 1 and alike(after[0].text, after[1].text) > 60:
        return _answer(after[1].text, after[1].boxes)
    return _answer(after[0].text, after[0].boxes)


def position(reader: Reader, query: Query) -> Answer:
    """Return the line under the name of the signer."""
    name = signer(reader, query)
    if name.text is None:
        return name
    index = next(number for number, line in enumerate(reader.lines) if line.boxes == name.boxes)
    after = reader.lines[index + 1 : index + 2]
    return _answer(after[0].text, after[0].boxes) if after else _answer(None)


def last_sentence(reader: Reader, query: Query) -> Answer:
    """Return the last sentence before the closing."""
    del query
    index = _closing_index(reader)
    if index is None:
        return _answer(None)
    lines = reader.lines[max(0, index - 6) : index]
    text = " ".join(line.text for line in lines)
    return _answer(SENTENCE_END.split(text)[-1] or None, [box for line in lines[-2:] for box in line.boxes])


RULES: dict[str, Callable[[Reader, Query], Answer]] = {
    "title": title,
    "top_name": top_name,
    "top_address": top_address,
    "top_date": top_date,
    "below_label": below_label,
    "below_label_address": below_label_address,
    "after_label": after_label,
    "last_line": last_line,
    "last_digits": last_digits,
    "stamp": stamp,
    "checkbox": checkbox,
    "checked": checked,
    "reason": reason,
    "deadline": deadline,
    "first_shape": in_prose,
    "before_word": before_word,
    "salutation": salutation,
    "addressee": addressee,
    "signer": signer,
    "position": position,
    "last_sentence": last_sentence,
}

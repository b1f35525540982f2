"""Rules for lines of items and tables of figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.build.lines import joined

from .answer import Answer
from .shapes import alike, as_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from data.build.canvas import Box
    from data.build.documents import Query
    from data.build.lines import Line

    from .base import Reader

ROW_THRESHOLD = 62


def _answer(text: str | None, boxes: Sequence[Box] = ()) -> Answer:
    return Answer(text, tuple(boxes))


def _header(reader: Reader) -> int | None:
    """Return the line with the most names of columns; in a table, whose columns are its own, the first."""
    if reader.doc_type == "table":
        wide = (index for index, line in enumerate(reader.lines[1:], start=1) if len(line.segments(0.9)) >= 4)
        return next(wide, None)
    best, where = 1, None
    for index, line in enumerate(reader.lines):
        hits = sum(
            any(alike(label, line.text) >= 80 for label in reader.labels(name))
            for name in ("description", "quantity", "unit_price", "amount")
        )
        if hits > best:
            best, where = hits, index
    return where


def _body(reader: Reader) -> list[Line]:
    """Return the lines of items: below the header and above the first line of totals."""
    header = _header(reader)
    if header is None and reader.doc_type != "receipt":
        return []
    start = header + 1 if header is not None else _receipt_start(reader)
    lines: list[Line] = []
    for line in reader.lines[start:]:
        first = line.segments()[0]
        stops = [label for name in ("subtotal", "grand_total", "total") for label in reader.labels(name)]
        if lines and any(alike(label, joined(first)) >= 84 for label in stops):
            break
        if as_number(line.boxes[-1].text) is not None and len(line.boxes) > 1:
            lines.append(line)
    return lines


def _receipt_start(reader: Reader) -> int:
    """Return the line after the last one of the meta fields."""
    start = 0
    for index, line in enumerate(reader.lines[:9]):
        for name in ("receipt_no", "cashier"):
            if any(alike(label, line.text) >= 80 for label in reader.labels(name)):
                start = index + 1
    return start


def _name(line: Line) -> tuple[Box, ...]:
    """Return the left column of a line."""
    first = line.segments()[0]
    return first if len(line.segments()) > 1 else line.boxes[:-1]


def _row(reader: Reader, name: str) -> Line | None:
    scored = [(alike(name, line.text), -index) for index, line in enumerate(reader.lines)]
    best = max(scored, default=(0.0, 0))
    return reader.lines[-best[1]] if best[0] >= ROW_THRESHOLD else None


def _column_edge(reader: Reader, query: Query) -> float | None:
    """Return the right edge of the header of the column that the question is about."""
    index = _header(reader)
    if index is None:
        return None
    wanted = [query.slots["column"]] if "printed" in query.slots else reader.labels(query.slots["column"])
    best, edge = 70.0, None
    for piece in reader.lines[index].segments(0.9):
        for label in wanted:
            score = alike(label, joined(piece))
            if score > best:
                best, edge = score, piece[-1].x1
    return edge


def _value(reader: Reader, line: Line, query: Query) -> tuple[Box, ...]:
    """Return the piece of a row under a header; the last one where there is no header."""
    pieces = line.segments(0.9)
    edge = _column_edge(reader, query)
    if edge is None:
        return pieces[-1] if query.slots["column"] in ("amount", "price") or "printed" in query.slots else ()
    return min(pieces, key=lambda piece: abs(piece[-1].x1 - edge))


def cell(reader: Reader, query: Query) -> Answer:
    """Return the value of a row in a column."""
    line = _row(reader, query.slots["row"])
    if line is None:
        return _answer(None)
    boxes = _value(reader, line, query)
    return _answer(joined(boxes), boxes)


def column_total(reader: Reader, query: Query) -> Answer:
    """Return the value of the last row in a column."""
    found = reader.find(reader.labels("grand_total"))
    if found is None:
        return _answer(None)
    boxes = _value(reader, found.line, query)
    return _answer(joined(boxes), boxes)


def names(reader: Reader, query: Query) -> Answer:
    """List the left column."""
    del query
    pieces = [_name(line) for line in _body(reader)]
    text = ", ".join(joined(piece) for piece in pieces)
    return _answer(text or None, [box for piece in pieces for box in piece])


def count(reader: Reader, query: Query) -> Answer:
    """Count the lines of the body."""
    del query
    lines = _body(reader)
    return _answer(str(len(lines)) if lines else None, [box for line in lines for box in line.boxes])


def argmax(reader: Reader, query: Query) -> Answer:
    """Return the name of the row whose figure in a column is the highest."""
    scored = []
    for line in _body(reader):
        number = as_number(joined(_value(reader, line, query)))
        if number is not None:
            scored.append((number, line))
    if not scored:
        return _answer(None)
    boxes = _name(max(scored, key=lambda pair: pair[0])[1])
    return _answer(joined(boxes), boxes)


def compare(reader: Reader, query: Query) -> Answer:
    """Tell which of two figures is the higher one."""
    figures = []
    for name in (query.slots["row"], query.slots["other"]):
        line = _row(reader, name)
        figures.append(as_number(joined(_value(reader, line, query))) if line else None)
    one, other = figures
    if one is None or other is None:
        return _answer(None)
    return _answer(reader.words["yes" if one > other else "no"])


RULES: dict[str, Callable[[Reader, Query], Answer]] = {
    "cell": cell,
    "column_total": column_total,
    "list": names,
    "rows": names,
    "count": count,
    "argmax": argmax,
    "compare": compare,
}

"""Tables: a caption with a unit, a few rows and columns of figures, a total and a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data.build.printed import count_forms, figure, unique

from .draft import FORM, FREE_TEXT, LAYOUT, OTHERS, TABLE, YES_NO, Draft

if TYPE_CHECKING:
    from data.build.plan import DocumentSpec

COLUMN_ENDS = (600, 820, 1040)


def draw(spec: DocumentSpec) -> Draft:
    """Return a page with one table."""
    draft = Draft(spec, ("sans", "serif", "mono", "typewriter"))
    subject, rows, values = _content(draft)
    columns = subject["columns"]
    y = _caption(draft, subject)
    y = _body(draft, rows, columns, values, y)
    _below(draft, y)
    _facts(draft, rows, columns, values)
    return draft


def _content(draft: Draft) -> tuple[dict[str, Any], list[str], list[list[int]]]:
    rng = draft.rng
    subject = rng.choice(draft.own["subjects"])
    rows, columns = subject["rows"][: rng.randint(4, 6)], subject["columns"]
    top = rng.choice((90, 900, 9000))
    values = [[rng.randint(top // 10, top) for _ in columns] for _ in rows]
    return subject, rows, values


def _caption(draft: Draft, subject: dict[str, Any]) -> float:
    canvas, face, rng = draft.canvas, draft.face, draft.rng
    title, unit = subject["caption"], rng.choice(subject["units"])
    canvas.text(canvas.margin, 80, title, face.at(40, bold=True))
    colon = draft.texts["common"]["colon"]
    canvas.text(canvas.margin, 146, draft.label("unit") + colon + unit, face.at(24))
    draft.fact("title", "title", [title], "title", LAYOUT)
    draft.fact("unit", "field", [unit], "text", FREE_TEXT, FORM)
    return 216


def _body(draft: Draft, rows: list[str], columns: list[str], values: list[list[int]], y: float) -> float:
    canvas, face, rng = draft.canvas, draft.face, draft.rng
    ruled, bold, font = rng.random() < 0.6, face.at(25, bold=True), face.at(26)
    canvas.rule(canvas.margin, y - 12, COLUMN_ENDS[-1] + 20, y - 12, thickness=3)
    canvas.text(canvas.margin, y, rng.choice(draft.own["first_column"]), bold)
    for x, column in zip(COLUMN_ENDS, columns, strict=True):
        canvas.text(x, y, column, bold, anchor="right")
    y += 52
    canvas.rule(canvas.margin, y - 12, COLUMN_ENDS[-1] + 20, y - 12)
    totals = [sum(row[column] for row in values) for column in range(len(columns))]
    for name, figures in [*zip(rows, values, strict=True), (draft.label("grand_total"), totals)]:
        last = figures is totals
        if last or ruled:
            canvas.rule(canvas.margin, y - 12, COLUMN_ENDS[-1] + 20, y - 12, thickness=2 if last else 1)
        canvas.text(canvas.margin, y, name, bold if last else font)
        for x, value in zip(COLUMN_ENDS, figures, strict=True):
            canvas.text(x, y, figure(value, draft.lang), bold if last else font, anchor="right")
        y += 50
    return y + 20


def _below(draft: Draft, y: float) -> None:
    canvas, face, rng = draft.canvas, draft.face, draft.rng
    source, colon = rng.choice(draft.own["sources"]), draft.texts["common"]["colon"]
    canvas.text(canvas.margin, y, draft.label("source") + colon + source, face.at(23))
    draft.fact("source", "after_label", [source], "text", FREE_TEXT, LAYOUT, label="source")
    note = rng.choice(draft.own["notes"])
    canvas.text(canvas.margin, y + 40, draft.label("note") + colon + note, face.at(23))
    draft.fact("note", "after_label", unique(note, note.rstrip(".")), "text", FREE_TEXT, label="note")


def _facts(draft: Draft, rows: list[str], columns: list[str], values: list[list[int]]) -> None:
    rng, lang = draft.rng, draft.lang
    cells = [(row, column) for row in range(len(rows)) for column in range(len(columns))]
    for row, column in rng.sample(cells, 5):
        value = values[row][column]
        answers = unique(figure(value, lang), str(value))
        draft.fact(
            "cell", "cell", answers, "number", TABLE, row=rows[row], column=columns[column], printed="yes"
        )
    draft.fact("rows", "rows", draft.enumeration(rows), "list", TABLE)
    draft.fact("row_count", "count", count_forms(len(rows), lang), "number", TABLE, OTHERS)
    column = rng.randrange(len(columns))
    figures, name = [row[column] for row in values], columns[column]
    total = sum(figures)
    forms = unique(figure(total, lang), str(total))
    draft.fact("column_total", "column_total", forms, "number", TABLE, FORM, column=name, printed="yes")
    if figures.count(max(figures)) == 1:
        best = rows[figures.index(max(figures))]
        draft.fact("highest", "argmax", [best], "name", TABLE, OTHERS, column=name, printed="yes")
    for _ in range(2):
        one, two = rng.sample(range(len(rows)), 2)
        answer = draft.yes_no(value=figures[one] > figures[two])
        slots = {"row": rows[one], "other": rows[two], "column": name, "printed": "yes"}
        draft.fact("compare", "compare", answer, "yes/no", YES_NO, TABLE, **slots)

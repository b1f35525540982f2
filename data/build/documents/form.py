"""Forms: labelled lines filled in by hand or by typewriter, check boxes, date and signature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.build.fonts import Typeface, typefaces
from data.build.printed import count_forms, time_forms

from .draft import FORM, HANDWRITTEN, LAYOUT, OTHERS, TABLE, YES_NO, Draft

if TYPE_CHECKING:
    from collections.abc import Callable

    from data.build.plan import DocumentSpec

FIELDS = (
    "birth_date", "street", "city", "postcode", "phone", "email",
    "occupation", "reference", "fee", "appointment", "emergency", "persons",
)  # fmt: skip
ANSWER_TYPES = {
    "name": "name", "birth_date": "date", "street": "address", "city": "name", "postcode": "number",
    "phone": "phone", "email": "email", "occupation": "text", "reference": "id", "fee": "amount",
    "appointment": "time", "emergency": "name", "persons": "number", "form_date": "date", "signature": "name",
}  # fmt: skip


def draw(spec: DocumentSpec) -> Draft:
    """Return a filled-in form."""
    draft = Draft(spec, ("sans", "sans", "serif"))
    # Three forms out of four are filled in by hand: typed ones are the easy case.
    by_hand = spec.number % 4 != 0
    pen = draft.handwriting() if by_hand else draft.rng.choice(typefaces(draft.lang, "typewriter"))
    y = _heading(draft)
    y, name = _lines(draft, pen, y)
    y = _options(draft, y)
    _signature(draft, pen, name, y)
    return draft


def _heading(draft: Draft) -> float:
    canvas, face = draft.canvas, draft.face
    title = draft.rng.choice(draft.own["titles"])
    canvas.text(canvas.width / 2, 70, title, face.at(44, bold=True), anchor="centre")
    canvas.text(canvas.margin, 160, draft.own["instruction"], face.at(24))
    draft.fact("title", "title", [title], "title", LAYOUT)
    return 230


def _value(draft: Draft, name: str, pen: Typeface) -> tuple[str, ...]:
    """Return what is filled in, and its other forms."""
    people, rng = draft.people, draft.rng
    if name == "birth_date":
        return draft.date(draft.day(1945, 2004))
    if name == "fee":
        money = draft.money_in(pen)
        return money.forms(rng.randint(8, 240) * 50, printed_full=True)
    if name == "appointment":
        return time_forms(rng.randint(8, 18), rng.choice((0, 15, 30, 45)), draft.lang, rng)
    if name == "persons":
        return count_forms(rng.randint(1, 7), draft.lang)
    simple: dict[str, Callable[[], str]] = {
        "street": people.street,
        "city": people.city,
        "postcode": people.postcode,
        "phone": people.phone,
        "email": lambda: people.email(people.person().surname),
        "occupation": lambda: str(rng.choice(draft.own["occupations"])),
        "reference": lambda: draft.number(rng.choice(("@@-#####", "####/##", "F######"))),
        "emergency": lambda: people.person().name,
    }
    return (simple[name](),)


def _lines(draft: Draft, pen: Typeface, y: float) -> tuple[float, str]:
    canvas, face, rng = draft.canvas, draft.face, draft.rng
    chosen = set(rng.sample(FIELDS, rng.randint(8, 10)))
    x_value, owner = 440, draft.people.person().name
    by_hand = pen.kind == "handwriting"
    types = (FORM, HANDWRITTEN) if by_hand else (FORM,)
    for name in ("name", *(name for name in FIELDS if name in chosen)):
        answers = (owner,) if name == "name" else _value(draft, name, pen)
        canvas.text(canvas.margin, y, draft.label(name), face.at(25))
        size = rng.randint(34, 40) if by_hand else 28
        lift = rng.randint(6, 14) if by_hand else 4
        canvas.text(x_value + rng.randint(6, 40), y - lift, answers[0], pen.at(size))
        canvas.rule(x_value, y + 32, canvas.right, y + 32)
        draft.fact(name, "field", answers, ANSWER_TYPES[name], *types, font=pen.kind)
        y += 64
    return y + 20, owner


def _options(draft: Draft, y: float) -> float:
    canvas, face, rng = draft.canvas, draft.face, draft.rng
    options = rng.sample(draft.own["options"], rng.randint(3, 5))
    canvas.text(canvas.margin, y, rng.choice(draft.own["option_heads"]), face.at(25, bold=True))
    y += 52
    checked, brackets = [], rng.random() < 0.5
    for position, option in enumerate(options):
        x = canvas.margin + 10 + (position % 2) * 540
        ticked = rng.random() < 0.5
        checked += [option] if ticked else []
        if brackets:
            canvas.text(x, y + 2, "[X]" if ticked else "[ ]", face.at(25))
        else:
            _box(draft, x, y, ticked=ticked)
        canvas.text(x + 52, y + 2, option, face.at(25))
        draft.fact("option", "checkbox", draft.yes_no(value=ticked), "yes/no", YES_NO, FORM, option=option)
        y += 56 if position % 2 or position == len(options) - 1 else 0
    if checked:
        every = ", ".join(options)
        draft.fact("options", "checked", draft.enumeration(checked), "list", FORM, TABLE, OTHERS, every=every)
    return y + 40


def _box(draft: Draft, x: float, y: float, *, ticked: bool) -> None:
    """Draw a check box, with a cross or a tick in it as shaky as a hand makes it."""
    rng, canvas = draft.rng, draft.canvas
    canvas.frame(x, y, x + 28, y + 28, thickness=3)
    if not ticked:
        return

    def near(value: float) -> float:
        return value + rng.uniform(-4, 4)

    if rng.random() < 0.6:
        canvas.stroke([(near(x + 2), near(y + 2)), (near(x + 27), near(y + 27))])
        canvas.stroke([(near(x + 27), near(y + 2)), (near(x + 2), near(y + 27))])
    else:
        canvas.stroke(
            [(near(x + 3), near(y + 14)), (near(x + 11), near(y + 26)), (near(x + 32), near(y - 4))]
        )


def _signature(draft: Draft, pen: Typeface, name: str, y: float) -> None:
    canvas, face = draft.canvas, draft.face
    day = draft.date(draft.day())
    types = (FORM, HANDWRITTEN) if pen.kind == "handwriting" else (FORM,)
    signature = draft.handwriting()
    for field, value, x, writer in (
        ("form_date", day[0], canvas.margin, pen),
        ("signature", name, 640, signature),
    ):
        start = canvas.text(x, y, draft.label(field), face.at(25)).x1
        canvas.text(start + 34, y - 10, value, writer.at(36 if writer.kind == "handwriting" else 28))
        canvas.rule(start + 16, y + 32, 600 if field == "form_date" else canvas.right, y + 32)
    draft.fact("form_date", "field", day, "date", *types, font=pen.kind)
    draft.fact("signature", "field", [name], "name", FORM, HANDWRITTEN, LAYOUT, font="handwriting")

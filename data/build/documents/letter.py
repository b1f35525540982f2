"""Letters of one page, some of them long, with a handwritten signature over the typed name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from data.build.printed import time_forms, unique

from .draft import FORM, FREE_TEXT, HANDWRITTEN, LAYOUT, Draft

if TYPE_CHECKING:
    from data.build.people import Person
    from data.build.plan import DocumentSpec

SIZE = 25
STEP = 36


def draw(spec: DocumentSpec) -> Draft:
    """Return a letter."""
    draft = Draft(spec, ("serif", "serif", "sans", "typewriter"))
    topic = draft.rng.choice(draft.own["topics"])
    y = _letterhead(draft)
    y, person = _addressee(draft, y)
    y = _subject(draft, topic["subject"], y)
    y = _body(draft, topic, person, y)
    _closing(draft, y)
    return draft


def _letterhead(draft: Draft) -> float:
    canvas, face = draft.canvas, draft.face
    sender, address = draft.people.company(), draft.people.address()
    phone, email = draft.people.phone(), draft.people.email(sender)
    colon = draft.texts["common"]["colon"]
    canvas.text(canvas.margin, 60, sender, face.at(38, bold=True))
    y = 116
    for line in address:
        canvas.text(canvas.margin, y, line, face.at(22))
        y += 30
    contact = f"{draft.label('phone')}{colon}{phone}   {draft.label('email')}{colon}{email}"
    canvas.text(canvas.margin, y, contact, face.at(20))
    canvas.rule(canvas.margin, y + 38, canvas.right, y + 38)
    draft.fact("seller", "top_name", [sender], "name", LAYOUT)
    draft.fact("seller_address", "top_address", draft.block(address), "address", LAYOUT)
    draft.fact("phone", "field", [phone], "phone", FORM, LAYOUT)
    draft.fact("email", "field", [email], "email", FORM, LAYOUT)
    return y + 80


def _addressee(draft: Draft, y: float) -> tuple[float, Person]:
    canvas, font, person = draft.canvas, draft.face.at(SIZE), draft.people.person()
    day, colon = draft.date(draft.day()), draft.texts["common"]["colon"]
    number = draft.number(draft.rng.choice(("@@/####", "###-##", "@.####/##")))
    canvas.text(canvas.right, y, day[0], font, anchor="right")
    canvas.text(canvas.right, y + STEP, draft.label("letter_ref") + colon + number, font, anchor="right")
    for line in (person.name, *draft.people.address()):
        canvas.text(canvas.margin, y, line, font)
        y += STEP
    draft.fact("letter_date", "top_date", day, "date", LAYOUT)
    draft.fact("letter_ref", "field", [number], "id", FORM, LAYOUT)
    draft.fact("addressee", "addressee", [person.name], "name", LAYOUT)
    return y + 50, person


def _subject(draft: Draft, subject: str, y: float) -> float:
    label = draft.label("subject") + draft.texts["common"]["colon"]
    draft.canvas.text(draft.canvas.margin, y, label + subject, draft.face.at(SIZE, bold=True))
    draft.fact("subject", "after_label", [subject], "title", LAYOUT, FREE_TEXT, label="subject")
    return y + 64


def _body(draft: Draft, topic: dict[str, Any], person: Person, y: float) -> float:
    canvas, rng, font = draft.canvas, draft.rng, draft.face.at(SIZE)
    width = canvas.right - canvas.margin
    forms = rng.choice(draft.own["salutations"])
    sex = "female" if person.female else "male"
    titles = {name: draft.own[name][sex] for name in ("titles", "plain") if name in draft.own}
    greeting = forms.format(**titles, surname=person.surname)
    canvas.text(canvas.margin, y, greeting, font)
    greeted = re.sub(r"^(Dear|Sehr geehrter?|Guten Tag) |,$", "", greeting)
    draft.fact("greeted", "salutation", [greeted], "name", LAYOUT, FREE_TEXT)
    # Half of the letters are short, half fill their page: long texts give the character error rate weight.
    padding = rng.randint(6, 8) if draft.spec.number % 2 else rng.randint(0, 2)
    paragraphs = [rng.choice(draft.own["openings"]), *rng.sample(draft.own["padding"], padding)]
    paragraphs.insert(rng.randint(1, len(paragraphs)), _topic(draft, topic))
    y += 56
    for paragraph in paragraphs:
        y = canvas.paragraph(canvas.margin, y, paragraph, font, width) + 18
    last = re.split(r"(?<=[.!?]) ", paragraphs[-1])[-1]
    draft.fact("last_sentence", "last_sentence", unique(last, last.rstrip(".")), "text", FREE_TEXT, LAYOUT)
    return y


def _topic(draft: Draft, topic: dict[str, Any]) -> str:
    """Write the paragraph that matters, and note what it says."""
    rng = draft.rng
    day, reason = draft.date(draft.day()), topic["reason"]
    clock = time_forms(rng.randint(8, 18), rng.choice((0, 15, 30)), draft.lang, rng)
    amount = draft.money.forms(rng.randint(40, 9000) * 50, printed_full=True)
    count = str(rng.randint(12, 90))
    text = " ".join(topic["lines"]).format(
        reason=reason, date=day[0], time=clock[0], amount=amount[0], count=count
    )
    counted = re.search(r"\{count\} (\w+)", " ".join(topic["lines"]))
    draft.fact("reason", "reason", [reason], "text", FREE_TEXT)
    draft.fact("deadline", "deadline", day, "date", FREE_TEXT)
    draft.fact("letter_amount", "first_shape", amount, "amount", FREE_TEXT)
    draft.fact("letter_time", "first_shape", clock, "time", FREE_TEXT)
    if counted:
        draft.fact("letter_count", "before_word", [count], "number", FREE_TEXT, counted=counted[1])
    return text


def _closing(draft: Draft, y: float) -> None:
    canvas, rng, font = draft.canvas, draft.rng, draft.face.at(SIZE)
    person, position = draft.people.person(), rng.choice(draft.own["positions"])
    canvas.text(canvas.margin, y + 14, rng.choice(draft.own["closings"]), font)
    hand = draft.handwriting()
    canvas.text(canvas.margin + rng.randint(0, 40), y + 62, person.name, hand.at(46))
    y += 138
    # Every second letter bears the handwritten name alone, so that it has to be read.
    typed = rng.random() < 0.5
    if typed:
        canvas.text(canvas.margin, y, person.name, font)
        y += STEP
    canvas.text(canvas.margin, y, position, font)
    types = (LAYOUT,) if typed else (LAYOUT, HANDWRITTEN)
    kind = draft.face.kind if typed else "handwriting"
    draft.fact("signer", "signer", [person.name], "name", *types, font=kind)
    draft.fact("position", "position", [position], "text", LAYOUT, FREE_TEXT)
    if rng.random() < 0.7:
        enclosure = rng.choice(draft.own["enclosures"])
        label = draft.label("enclosure") + draft.texts["common"]["colon"]
        canvas.text(canvas.margin, y + 70, label + enclosure, font)
        draft.fact("enclosure", "after_label", [enclosure], "text", FORM, FREE_TEXT, label="enclosure")

"""Invoices: letterhead, meta fields in one of three layouts, items, totals, a note, sometimes a stamp."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from data.build.people import LATIN_LANGS
from data.build.printed import count_forms, unique

from .draft import FORM, FREE_TEXT, HANDWRITTEN, LAYOUT, OTHERS, TABLE, YES_NO, Draft

if TYPE_CHECKING:
    from data.build.plan import DocumentSpec

TAX_PERCENT = {"en": (5, 6, 8), "de": (7, 19), "ja": (8, 10), "zh-Hant": (5,)}
NUMBER_PATTERNS = {
    "invoice_no": ("INV-#####", "20##-####", "@@######", "R#######"),
    "po_number": ("PO-#####", "45########", "@-####/##"),
    "customer_no": ("C####", "1####", "K-######"),
}


@dataclass(frozen=True)
class Item:
    """One line of the invoice; prices in minor units."""

    name: str
    quantity: int
    price: int

    @property
    def amount(self) -> int:
        """Price of the line."""
        return self.quantity * self.price


def draw(spec: DocumentSpec) -> Draft:
    """Return an invoice."""
    draft = Draft(spec, ("sans", "sans", "serif", "mono", "typewriter"))
    y = _heading(draft)
    y = _parties(draft, y)
    items, y = _items(draft, y)
    y = _totals(draft, items, y)
    _footer(draft, y)
    return draft


def _heading(draft: Draft) -> float:
    canvas, face, rng = draft.canvas, draft.face, draft.rng
    seller, address = draft.people.company(), draft.people.address()
    phone, email = draft.people.phone(), draft.people.email(seller)
    small, title = face.at(24), rng.choice(draft.own["title"])
    canvas.text(canvas.margin, 70, seller, face.at(36, bold=True))
    canvas.text(canvas.right, 72, title, face.at(50, bold=True), anchor="right")
    y = 128
    for line in address:
        canvas.text(canvas.margin, y, line, small)
        y += 34
    colon = draft.texts["common"]["colon"]
    canvas.text(canvas.margin, y, f"{draft.label('phone')}{colon}{phone}", small)
    canvas.text(canvas.margin, y + 34, f"{draft.label('email')}{colon}{email}", small)
    if rng.random() < 0.5:
        canvas.rule(canvas.margin, y + 84, canvas.right, y + 84)
    draft.fact("title", "title", [title], "title", LAYOUT)
    draft.fact("seller", "top_name", [seller], "name", LAYOUT)
    draft.fact("seller_address", "top_address", draft.block(address), "address", LAYOUT)
    draft.fact("phone", "field", [phone], "phone", FORM)
    draft.fact("email", "field", [email], "email", FORM)
    return y + 110


def _meta(draft: Draft) -> list[tuple[str, str]]:
    """Choose the fields of the invoice and note them as facts; return label and value of each."""
    rng = draft.rng
    chosen = [
        "invoice_no",
        "invoice_date",
        *rng.sample(["due_date", "po_number", "customer_no", "terms"], rng.randint(1, 4)),
    ]
    issued, pairs = draft.day(), []
    for name in chosen:
        if name.endswith("date"):
            day = issued if name == "invoice_date" else issued + dt.timedelta(days=rng.choice((14, 30, 45)))
            answers, kind = draft.date(day), "date"
        elif name == "terms":
            answers, kind = (rng.choice(draft.own["terms"]),), "text"
        else:
            answers, kind = (draft.number(rng.choice(NUMBER_PATTERNS[name])),), "id"
        draft.fact(name, "field", answers, kind, FORM)
        pairs.append((draft.label(name), answers[0]))
    return pairs


def _parties(draft: Draft, y: float) -> float:
    layout = draft.rng.choice(("inline", "split", "grid"))
    pairs = _meta(draft)
    if layout == "grid":
        y = _grid(draft, pairs, y)
        return _bill_to(draft, y) + 20
    below = _bill_to(draft, y)
    canvas, font = draft.canvas, draft.face.at(25)
    for label, value in pairs:
        if layout == "inline":
            canvas.text(700, y, f"{label}{draft.texts['common']['colon']}{value}", font)
        else:
            canvas.text(700, y, label, font)
            canvas.text(canvas.right, y, value, font, anchor="right")
        y += 40
    return max(y, below) + 40


def _grid(draft: Draft, pairs: list[tuple[str, str]], y: float) -> float:
    canvas, face = draft.canvas, draft.face
    for row in (pairs[:3], pairs[3:]):
        width = (canvas.right - canvas.margin) / 3
        for column, (label, value) in enumerate(row):
            x = canvas.margin + column * width
            canvas.frame(x, y, x + width, y + 88)
            canvas.text(x + 14, y + 12, label, face.at(20))
            canvas.text(x + 14, y + 46, value, face.at(25))
        y += 88 if row else 0
    return y + 40


def _bill_to(draft: Draft, y: float) -> float:
    canvas, face = draft.canvas, draft.face
    buyer = draft.people.company() if draft.rng.random() < 0.5 else draft.people.person().name
    address = draft.people.address()
    canvas.text(canvas.margin, y, draft.label("bill_to"), face.at(22, bold=True))
    for line in (buyer, *address):
        y += 38
        canvas.text(canvas.margin, y, line, face.at(25))
    draft.fact("buyer", "below_label", [buyer], "name", LAYOUT, label="bill_to")
    draft.fact(
        "buyer_address", "below_label_address", draft.block(address), "address", LAYOUT, FORM, label="bill_to"
    )
    return y + 50


def _items(draft: Draft, y: float) -> tuple[list[Item], float]:
    canvas, face, rng, money = draft.canvas, draft.face, draft.rng, draft.money
    scale = 100 if money.minor == 100 else 40
    items = [
        Item(
            name, rng.randint(1, 24), rng.randint(3, 260) * scale + rng.choice((0, 0, scale // 2, scale - 1))
        )
        for name in rng.sample(draft.own["items"], rng.randint(3, 8))
    ]
    x_quantity, x_price = 730, 940
    if rng.random() < 0.6:
        canvas.shade(canvas.margin - 10, y - 8, canvas.right + 10, y + 36)
    bold = face.at(24, bold=True)
    canvas.text(canvas.margin, y, draft.label("description"), bold)
    labels = [draft.label(name) for name in ("quantity", "unit_price", "amount")]
    for x, label in zip((x_quantity, x_price, canvas.right), labels, strict=True):
        canvas.text(x, y, label, bold, anchor="right")
    y += 52
    ruled, font = rng.random() < 0.5, face.at(25)
    for item in items:
        canvas.text(canvas.margin, y, item.name, font)
        cells = (str(item.quantity), money.plain(item.price), money.plain(item.amount))
        for x, cell in zip((x_quantity, x_price, canvas.right), cells, strict=True):
            canvas.text(x, y, cell, font, anchor="right")
        if ruled:
            canvas.rule(canvas.margin, y + 34, canvas.right, y + 34, thickness=1, ink=140)
        y += 44
    _item_facts(draft, items)
    return items, y + 14


def _item_facts(draft: Draft, items: list[Item]) -> None:
    money, names = draft.money, [item.name for item in items]
    for item in draft.rng.sample(items, 2):
        draft.fact(
            "quantity", "cell", [str(item.quantity)], "number", TABLE, row=item.name, column="quantity"
        )
        forms = money.forms(item.amount, printed_full=False)
        draft.fact("amount", "cell", forms, "amount", TABLE, row=item.name, column="amount")
    forms = money.forms(items[0].price, printed_full=False)
    draft.fact("unit_price", "cell", forms, "amount", TABLE, row=names[0], column="unit_price")
    draft.fact("items", "list", draft.enumeration(names), "list", TABLE)
    draft.fact("item_count", "count", count_forms(len(items), draft.lang), "number", TABLE, OTHERS)
    amounts = sorted((item.amount for item in items), reverse=True)
    if amounts[0] != amounts[1]:
        dearest = max(items, key=lambda item: item.amount)
        draft.fact("dearest", "argmax", [dearest.name], "name", TABLE, OTHERS, column="amount")


def _totals(draft: Draft, items: list[Item], y: float) -> float:
    canvas, face, money = draft.canvas, draft.face, draft.money
    percent = draft.rng.choice(TAX_PERCENT[draft.lang])
    with_rate = draft.rng.random() < 0.5
    subtotal = sum(item.amount for item in items)
    tax = round(subtotal * percent / 100)
    canvas.rule(700, y - 6, canvas.right, y - 6)
    for name, value in (("subtotal", subtotal), ("tax", tax), ("total", subtotal + tax)):
        font = face.at(27 if name == "total" else 25, bold=name == "total")
        label = draft.label(name) + (f" {percent}%" if name == "tax" and with_rate else "")
        canvas.text(700, y + 6, label, font)
        canvas.text(canvas.right, y + 6, money.full(value), font, anchor="right")
        forms = money.forms(value, printed_full=True)
        draft.fact(name, "field", forms, "amount", *((FORM, TABLE) if name == "total" else (TABLE,)))
        y += 46
    return y + 40


def _footer(draft: Draft, y: float) -> None:
    canvas, face, rng = draft.canvas, draft.face, draft.rng
    note = rng.choice(draft.own["notes"])
    colon = draft.texts["common"]["colon"]
    printed = draft.label("note") + colon + note
    canvas.text(canvas.margin, y, printed, face.at(24))
    draft.fact("note", "after_label", unique(note, note.rstrip(".。")), "text", FREE_TEXT, label="note")
    if draft.lang in LATIN_LANGS and rng.random() < 0.75:
        y += 84
        name, hand = draft.people.person().name, draft.handwriting()
        start = canvas.text(canvas.margin, y, draft.label("approved_by") + colon, face.at(24)).x1
        canvas.text(start + 30, y - 8, name, hand.at(34))
        canvas.rule(start + 12, y + 34, start + 460, y + 34)
        draft.fact("approved_by", "field", [name], "name", FORM, HANDWRITTEN, font="handwriting")
    word = rng.choice(draft.own["stamps"])
    stamped = rng.random() < 0.5
    if stamped:
        canvas.stamp(rng.randint(300, 420), y - 150, word, face.at(54, bold=True), rng.uniform(8, 24))
    draft.fact("stamp", "stamp", draft.yes_no(value=stamped), "yes/no", YES_NO, LAYOUT, word=word)

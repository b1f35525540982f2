"""Receipts: narrow, in a printer's font, with items, totals and a closing line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.build.people import LATIN_LANGS
from data.build.printed import count_forms, time_forms

from .draft import FORM, FREE_TEXT, LAYOUT, OTHERS, TABLE, Draft

if TYPE_CHECKING:
    from data.build.plan import DocumentSpec

SIZE = 23
STEP = 33
TAX_PERCENT = {"en": 7, "de": 19, "ja": 10, "zh-Hant": 5}


def draw(spec: DocumentSpec) -> Draft:
    """Return a receipt."""
    draft = Draft(spec, ("mono",))
    y = _heading(draft)
    y = _meta(draft, y)
    names, prices, y = _items(draft, y)
    y = _totals(draft, sum(prices), y)
    _item_facts(draft, names, prices)
    footer = _case(draft, draft.rng.choice(draft.own["footers"]))
    draft.canvas.text(draft.canvas.width / 2, y + 24, footer, draft.face.at(SIZE), anchor="centre")
    draft.fact("footer", "last_line", [footer], "text", FREE_TEXT, LAYOUT)
    return draft


def _case(draft: Draft, text: str) -> str:
    """Return the text as a till prints it: American ones know capitals only."""
    return text.upper() if draft.lang == "en" else text


def _heading(draft: Draft) -> float:
    canvas, face = draft.canvas, draft.face
    shop = _case(draft, draft.rng.choice(draft.own["shops"]))
    address = tuple(_case(draft, line) for line in draft.people.address())
    phone = draft.people.phone()
    middle = canvas.width / 2
    canvas.text(middle, 40, shop, face.at(34, bold=True), anchor="centre")
    y = 92
    for line in (*address, f"{_case(draft, draft.label('phone'))} {phone}"):
        size = SIZE
        while face.at(size).getlength(line) > canvas.right - canvas.margin:
            size -= 1
        canvas.text(middle, y, line, face.at(size), anchor="centre")
        y += STEP
    draft.fact("shop", "top_name", [shop], "name", LAYOUT)
    draft.fact("shop_address", "top_address", draft.block(address), "address", LAYOUT)
    draft.fact("phone", "field", [phone], "phone", FORM)
    return y + 18


def _meta(draft: Draft, y: float) -> float:
    canvas, face, rng = draft.canvas, draft.face, draft.rng
    day = draft.date(draft.day())
    clock = time_forms(rng.randint(7, 21), rng.randint(0, 59), draft.lang, rng)
    font, colon = face.at(SIZE), draft.texts["common"]["colon"]
    day = tuple(_case(draft, form) for form in day)
    labelled = rng.random() < 0.5 and len(day[0]) <= 10
    canvas.text(
        canvas.margin, y, (_case(draft, draft.label("date")) + " " if labelled else "") + day[0], font
    )
    canvas.text(canvas.right, y, clock[0], font, anchor="right")
    y += STEP
    number = draft.number(rng.choice(("######", "##-####", "A-#####")))
    person = draft.people.person()
    cashier = _case(draft, person.surname if draft.lang not in LATIN_LANGS else person.name.split()[0])
    for name, value in (("receipt_no", number), ("cashier", cashier)):
        canvas.text(canvas.margin, y, _case(draft, draft.label(name)) + colon + value, font)
        y += STEP
        draft.fact(name, "field", [value], "id" if name == "receipt_no" else "name", FORM)
    draft.fact("date", "field", day, "date", FORM, label="date")
    draft.fact("time", "field", clock, "time", FORM, label="time")
    return y + 14


def _items(draft: Draft, y: float) -> tuple[list[str], list[int], float]:
    canvas, face, rng, money = draft.canvas, draft.face, draft.rng, draft.money
    names = [_case(draft, name) for name in rng.sample(draft.own["items"], rng.randint(3, 8))]
    scale = 100 if money.minor == 100 else 20
    prices = [rng.randint(1, 38) * scale + rng.choice((scale // 2, scale - 1, scale // 5)) for _ in names]
    font = face.at(SIZE)
    canvas.rule(canvas.margin, y, canvas.right, y)
    y += 16
    for name, price in zip(names, prices, strict=True):
        canvas.text(canvas.margin, y, name, font)
        canvas.text(canvas.right, y, money.plain(price), font, anchor="right")
        y += STEP
    canvas.rule(canvas.margin, y + 4, canvas.right, y + 4)
    return names, prices, y + 22


def _item_facts(draft: Draft, names: list[str], prices: list[int]) -> None:
    pairs = list(zip(names, prices, strict=True))
    for name, price in draft.rng.sample(pairs, min(3, len(pairs))):
        forms = draft.money.forms(price, printed_full=False)
        draft.fact("price", "cell", forms, "amount", TABLE, row=name, column="price")
    draft.fact("items", "list", draft.enumeration(names), "list", TABLE)
    draft.fact("item_count", "count", count_forms(len(names), draft.lang), "number", TABLE, OTHERS)
    if prices.count(max(prices)) == 1:
        dearest = names[prices.index(max(prices))]
        draft.fact("dearest", "argmax", [dearest], "name", TABLE, OTHERS, column="price")


def _totals(draft: Draft, subtotal: int, y: float) -> float:
    canvas, face, rng, money = draft.canvas, draft.face, draft.rng, draft.money
    percent = TAX_PERCENT[draft.lang]
    tax = round(subtotal * percent / 100)
    total = subtotal + tax
    lines = [("subtotal", subtotal), ("tax", tax), ("total", total)]
    by_card, with_rate = rng.random() < 0.45, rng.random() < 0.5
    if not by_card:
        step = 1000 if money.minor == 100 else 500
        given = (total // step + 1) * step
        lines += [("cash", given), ("change", given - total)]
    for name, value in lines:
        font = face.at(SIZE + 5 if name == "total" else SIZE, bold=name == "total")
        label = _case(draft, draft.label(name)) + (f" {percent}%" if name == "tax" and with_rate else "")
        printed_full = name == "total"
        forms = money.forms(value, printed_full=printed_full)
        canvas.text(canvas.margin, y, label, font)
        canvas.text(canvas.right, y, forms[0], font, anchor="right")
        draft.fact(name, "field", forms, "amount", *((TABLE, FORM) if name == "total" else (FORM,)))
        y += STEP + (6 if name == "total" else 0)
    if by_card:
        digits = draft.number("####")
        canvas.text(canvas.margin, y, _case(draft, draft.label("card")), face.at(SIZE))
        canvas.text(canvas.right, y, f"************{digits}", face.at(SIZE), anchor="right")
        draft.fact("card", "last_digits", [digits], "number", FORM, OTHERS)
        y += STEP
    return y

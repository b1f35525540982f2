"""Dates and amounts as they are printed, with the other forms a person would accept as the answer."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

EN_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
DE_MONTHS = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
]
REIWA_OFFSET = 2018
MINGUO_OFFSET = 1911


def unique(*forms: str) -> tuple[str, ...]:
    """Return the forms without repetition, the printed one first, at most five."""
    return tuple(dict.fromkeys(form for form in forms if form))[:5]


def random_date(rng: random.Random, first: int = 2016, last: int = 2023) -> dt.date:
    """Return a day in the years from `first` to `last`."""
    start = dt.date(first, 1, 1)
    return start + dt.timedelta(days=rng.randrange((dt.date(last, 12, 28) - start).days))


def date_forms(day: dt.date, lang: str, style: int) -> tuple[str, ...]:
    """Return the date in the printed form that a style picks, then in the others in use."""
    forms = _date_forms(day, lang)
    return unique(forms[style % len(forms)], *forms)[:3]


def _date_forms(day: dt.date, lang: str) -> list[str]:
    year, month, number = day.year, day.month, day.day
    if lang == "en":
        name = EN_MONTHS[month - 1]
        return [f"{name} {number}, {year}", f"{month:02d}/{number:02d}/{year}", f"{number} {name} {year}"]
    if lang == "de":
        return [f"{number:02d}.{month:02d}.{year}", f"{number}. {DE_MONTHS[month - 1]} {year}"]
    western = [f"{year}年{month}月{number}日", f"{year}/{month:02d}/{number:02d}"]
    if lang == "zh-Hant":
        return [*western, f"民國{year - MINGUO_OFFSET}年{month}月{number}日"]
    return (
        [*western, f"令和{year - REIWA_OFFSET}年{month}月{number}日"] if year > REIWA_OFFSET + 1 else western
    )


class Money:
    """
    How a document writes amounts.

    Parameters
    ----------
    lang
        Language, which gives separators and currency.
    symbol
        Printed sign: a font may lack the euro sign, so a German page may say EUR.
    """

    def __init__(self, lang: str, symbol: str) -> None:
        self.lang = lang
        self.symbol = symbol

    @property
    def minor(self) -> int:
        """Minor units of the currency in one major unit."""
        return 1 if self.lang in ("ja", "zh-Hant") else 100

    def plain(self, value: int) -> str:
        """Return the amount, given in minor units, without a currency."""
        if self.minor == 1:
            return f"{value:,}"
        text = f"{value / 100:,.2f}"
        return text.translate(str.maketrans(",.", ".,")) if self.lang == "de" else text

    def full(self, value: int) -> str:
        """Return the amount with its currency."""
        if self.lang == "de" or (self.lang == "ja" and self.symbol == "円"):
            gap = "" if self.lang == "ja" else " "
            return f"{self.plain(value)}{gap}{self.symbol}"
        return f"{self.symbol}{self.plain(value)}"

    def forms(self, value: int, *, printed_full: bool) -> tuple[str, ...]:
        """Return the printed form, then the same amount with or without currency and separators."""
        plain, full = self.plain(value), self.full(value)
        thousands = "." if self.lang == "de" else ","
        bare = plain.replace(thousands, "")
        other = full.replace(plain, bare)
        if not printed_full:
            return unique(plain, full, bare)
        return unique(full, plain, bare, other, self._shorter(full))

    def _shorter(self, full: str) -> str:
        """Return the form without zero cents, or with the euro in letters; "" where there is none."""
        if self.lang == "de":
            return full.replace("€", "EUR") if "€" in full else full.replace("EUR", "€")
        return full.removesuffix(".00") if full.endswith(".00") else ""


def count_forms(value: int, lang: str) -> tuple[str, ...]:
    """Return a small number in figures and in words."""
    words = {
        "en": ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
        "de": ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn"],
    }
    in_words = words.get(lang, [])
    return unique(str(value), in_words[value] if value < len(in_words) else "")


def figure(value: int, lang: str) -> str:
    """Return a whole number with the language's thousands separator."""
    text = f"{value:,}"
    return text.replace(",", ".") if lang == "de" else text


def time_forms(hour: int, minute: int, lang: str, rng: random.Random) -> tuple[str, ...]:
    """Return a time of day in a random printed form, then the other one."""
    clock = f"{hour:02d}:{minute:02d}"
    if lang == "en":
        half = f"{(hour - 1) % 12 + 1}:{minute:02d} {'AM' if hour < 12 else 'PM'}"
        return unique(*rng.sample([clock, half], 2))
    if lang == "de":
        return unique(clock, f"{clock} Uhr")
    return unique(clock)

"""Invented persons, companies, addresses, telephone numbers and e-mail addresses."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from faker import Faker

if TYPE_CHECKING:
    import random

LOCALES = {"en": "en_US", "de": "de_DE", "ja": "ja_JP", "zh-Hant": "zh_TW"}
LATIN_LANGS = ("en", "de")
# Number ranges set aside for fiction (US 555-01xx, the German drama numbers); where no such range
# exists, subscriber numbers with a leading zero, which no exchange assigns.
PHONE_PATTERNS = {
    "en": ("({area}) 555-01{two}", "{area}-555-01{two}", "+1 {area} 555 01{two}"),
    "de": ("030 23125 {three}", "069 90009 {three}", "(040) 66969 {three}", "+49 89 99998 {three}"),
    "ja": ("03-0000-{four}", "06-0000-{four}", "045-000-{four}"),
    "zh-Hant": ("02-0000-{four}", "(04) 0000-{four}", "07-000-{four}"),
}
# Faker's Taiwanese companies are puns on brand names, so these are put together here.
TAIWAN_COMPANY_NAMES = ("永安", "大豐", "和泰興", "信義", "光華", "東昇", "新竹山", "富林", "宏遠", "長青")
TAIWAN_TRADES = ("電子", "印刷", "餐飲", "貿易", "紡織", "建材", "食品", "機械")
MAIL_DOMAINS = ("example.com", "example.org", "example.net")
MAIL_BOXES = ("info", "office", "sales", "service", "contact", "orders", "billing")


@dataclass(frozen=True)
class Person:
    """Name of a person as printed, its surname, and whether it is a woman's name."""

    name: str
    surname: str
    female: bool


class People:
    """
    Source of names and addresses in one language.

    Parameters
    ----------
    lang
        Language of the document.
    seed
        Seed of Faker's own generator.
    rng
        Generator for what Faker does not decide.
    """

    def __init__(self, lang: str, seed: str, rng: random.Random) -> None:
        self.lang = lang
        self._rng = rng
        self._faker = Faker(LOCALES[lang])
        self._faker.seed_instance(seed)

    def person(self) -> Person:
        """Return somebody."""
        female = self._rng.random() < 0.5
        first = self._faker.first_name_female() if female else self._faker.first_name_male()
        surname = self._faker.last_name()
        if self.lang in LATIN_LANGS:
            name = f"{first} {surname}"
        else:
            name = f"{surname} {first}" if self.lang == "ja" else f"{surname}{first}"
        return Person(name, surname, female)

    def company(self) -> str:
        """Return the name of a company, short enough for a heading."""
        if self.lang == "zh-Hant":
            name = self._rng.choice(TAIWAN_COMPANY_NAMES) + self._rng.choice(TAIWAN_TRADES)
            return name + self._rng.choice(("有限公司", "股份有限公司"))
        names = (self._faker.company() for _ in range(50))
        return next(name for name in names if len(name) <= 30)

    def address(self) -> tuple[str, str]:
        """Return the two lines of an address."""
        fake, rng = self._faker, self._rng
        if self.lang == "en":
            place = f"{fake.city()}, {fake.state_abbr(include_territories=False)} {fake.postcode()}"
            return f"{fake.building_number()} {fake.street_name()}", place
        if self.lang == "de":
            return f"{fake.street_name()} {rng.randint(1, 180)}", f"{fake.postcode()} {self.city()}"
        if self.lang == "ja":
            blocks = f"{rng.randint(1, 9)}-{rng.randint(1, 30)}-{rng.randint(1, 20)}"
            place = f"{fake.administrative_unit()}{fake.city()}{fake.town()}{blocks}"
            return f"〒{fake.postcode()}", place
        lane = f"{fake.street_name()}{rng.randint(1, 9)}段{rng.randint(1, 300)}號"
        return fake.postcode()[:3], f"{fake.city_name()}{lane}{rng.randint(2, 12)}樓"

    def city(self) -> str:
        """Return the name of a town."""
        names = (self._faker.city() for _ in range(50))
        return next(name for name in names if len(name) <= 18)

    def street(self) -> str:
        """Return the first line of an address."""
        return self.address()[0]

    def postcode(self) -> str:
        """Return a postal code."""
        return str(self._faker.postcode())

    def phone(self) -> str:
        """Return a telephone number that rings nowhere."""
        rng = self._rng
        pattern = rng.choice(PHONE_PATTERNS[self.lang])
        return pattern.format(
            area=rng.choice(("212", "415", "312", "617", "503", "720")),
            two=f"{rng.randint(0, 99):02d}",
            three=f"{rng.randint(0, 999):03d}",
            four=f"{rng.randint(0, 9999):04d}",
        )

    def email(self, name: str) -> str:
        """Return an address at a domain reserved for examples, made from `name` where it is Latin."""
        local = self._rng.choice(MAIL_BOXES)
        words = [word for word in _ascii(name).split() if len(word) > 2]
        if words and self._rng.random() < 0.7:
            local = f"{local}.{words[0]}" if self._rng.random() < 0.5 else words[0]
        return f"{local}@{self._rng.choice(MAIL_DOMAINS)}"


def _ascii(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "".join(char if char.isalnum() else " " for char in plain)

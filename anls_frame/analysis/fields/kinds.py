"""Kinds of values: numbers, dates and codes, which can be equal in different notations."""

from __future__ import annotations

import datetime as dt
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, NamedTuple, Protocol

from anls_frame._arguments import choice
from anls_frame.frames.strict_json import Number

_SIGNS = {
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY CNY",
    "₹": "INR",
    "₩": "KRW",
    "₽": "RUB",
    "₺": "TRY",
    "₪": "ILS",
    "₫": "VND",
    "₴": "UAH",
    "₱": "PHP",
    "₦": "NGN",
    "฿": "THB",
    "₸": "KZT",
    "₡": "CRC",
    "₲": "PYG",
    "zł": "PLN",
    "Kč": "CZK",
    "kr": "SEK NOK DKK ISK",
    "Ft": "HUF",
    "Fr.": "CHF",
    "R$": "BRL",
    "US$": "USD",
    "C$": "CAD",
    "CA$": "CAD",
    "A$": "AUD",
    "AU$": "AUD",
    "NZ$": "NZD",
    "HK$": "HKD",
    "S$": "SGD",
    "NT$": "TWD",
    "円": "JPY",
    "元": "CNY TWD",
    "$": "USD",
}
"""Currency signs and abbreviations, with the codes that each may mean."""

_OF_CURRENCIES = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD "
    "CDF CHF CLF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF "
    "GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK "
    "LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR "
    "PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP "
    "SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER "
    "ZAR ZMW ZWG"
)
"""Currency codes of ISO 4217."""

_PER_CENT = {"%": "e-2", "‰": "e-3"}


def _mark() -> str:
    """Return a pattern for the sign or the code of a currency, or for per cent."""
    signs = "|".join(map(re.escape, sorted((*_PER_CENT, *_SIGNS), key=len, reverse=True)))
    return f"{signs}|(?i:{'|'.join(_OF_CURRENCIES.split())})"


_AMOUNT = re.compile(
    r"(?P<outer>\()? ?(?P<sign>[-+])? ?"
    # A hyphen next to a code joins both, as in EUR-12.
    rf"(?:(?P<before>{_mark()})(?![-+](?<=[A-Za-z].)))? ?(?P<inner_sign>[-+])? ?"
    r"(?P<inner>\()?(?P<number>[0-9.,' ]*[0-9])(?(inner)\))"
    rf"(?P<minus> ?-(?![A-Za-z]))? ?(?P<after>{_mark()})?(?(outer)\))"
)

_SPACES = re.compile(r"\s+")

_OF_MONTHS = "january february march april may june july august september october november december"
_MONTHS = tuple(_OF_MONTHS.split())
_DIRECTIVES = {
    "%d": ("day", "[0-9]{1,2}"),
    "%m": ("month", "[0-9]{1,2}"),
    "%Y": ("year", "[0-9]{4}"),
    "%B": ("name", "|".join(_MONTHS)),
    "%b": ("name", "|".join(name[:3] for name in _MONTHS)),
}
"""The parts of a format of dates, with what each matches."""

_ISO = re.compile("(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})(?:[t ]00:00:00)?")
"""Matches dates as ISO 8601, Python and Structs write them, in lower case; pandas adds midnight."""

_SEPARATORS = re.compile(
    r"[\s\-\u2010-\u2015\u2212/\\_:#()'\u2019]"
    # A point between digits may be a decimal point, unless three digits follow.
    r"|(?<![0-9])[.,]|[.,](?![0-9])|[.,](?=[0-9]{3}(?![0-9]))"
)


class Kind(Protocol):
    """A kind of values, which can be equal in different notations."""

    def read(self, text: str) -> Any:
        """Return the value of a text; None if the text fits no format."""

    def are_equal(self, first: Any, second: Any) -> bool:
        """Return whether two values are equal."""

    def form(self, value: Any) -> str:
        """Return a text that is the same for equal values, by which items are paired."""


class _Amount(NamedTuple):
    """A number, and the codes of the currencies that it may be in, or per cent; None for a plain number."""

    value: Decimal
    currencies: frozenset[str] | None


@dataclass(frozen=True)
class _NumberKind:
    """Numbers with a decimal mark, which may be amounts."""

    decimal: str

    def read(self, text: str) -> _Amount | None:
        try:
            return _Amount(Decimal(text), None) if isinstance(text, Number) else self._amount(text)
        except InvalidOperation:  # the exponent is too large
            return None

    def _amount(self, text: str) -> _Amount | None:
        text = _SPACES.sub(" ", text).strip().replace("\u2212", "-").replace("\u2019", "'")
        parts = _AMOUNT.fullmatch(text)
        if parts is None:
            return None
        signs = [parts[name] for name in ("sign", "inner_sign", "minus", "outer", "inner") if parts[name]]
        marks = [parts[name] for name in ("before", "after") if parts[name]]
        digits = self._digits(parts["number"])
        if digits is None or len(signs) > 1 or len(marks) > 1:
            return None
        mark = marks[0] if marks else ""
        minus = "-" if signs not in ([], ["+"]) else ""
        value = Decimal(f"{minus}{digits}{_PER_CENT.get(mark, '')}")
        codes = "%" if mark in _PER_CENT else _SIGNS.get(mark, mark.upper())
        return _Amount(value, frozenset(codes.split()) or None)

    def _digits(self, number: str) -> str | None:
        """Return a number without grouping marks, and with a decimal point."""
        whole, mark, fraction = number.partition(self.decimal)
        if not (fraction.isdigit() if mark else whole):
            return None
        if whole and not whole.isdigit():
            if not _grouped("," if self.decimal == "." else ".").fullmatch(whole):
                return None
            whole = re.sub("[^0-9]", "", whole)
        return f"{whole or 0}.{fraction or 0}"

    def are_equal(self, first: _Amount, second: _Amount) -> bool:
        mine, others = first.currencies, second.currencies
        are_of_one = mine is None or others is None or not mine.isdisjoint(others)
        return first.value == second.value and are_of_one

    def form(self, value: _Amount) -> str:
        sign, digits, exponent = value.value.as_tuple()
        text = "".join(map(str, digits))
        kept = text.rstrip("0")
        power = int(exponent) + len(text) - len(kept)
        return f"{'-' if sign else ''}{kept}e{power}" if kept else "0"


@functools.cache
def _grouped(mark: str) -> re.Pattern[str]:
    """Return a pattern for digits in groups of three, all with the same mark, or as in India."""
    ways = [rf"[1-9][0-9]{{0,2}}(?:{re.escape(one)}[0-9]{{3}})+" for one in (mark, " ", "'")]
    ways += [r"[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}"] if mark == "," else []
    return re.compile("|".join(ways))


@dataclass(frozen=True)
class _DateKind:
    """Dates in given formats."""

    formats: tuple[str, ...]

    def read(self, text: str) -> dt.date | None:
        text = _SPACES.sub(" ", text).strip().lower()
        matches = [pattern.fullmatch(text) for pattern in (_ISO, *map(_date_pattern, self.formats))]
        dates = {date for match in matches if match and (date := _date(match)) is not None}
        # A text may be two dates in two formats, such as the fourth of March and the third of April.
        return dates.pop() if len(dates) == 1 else None

    def are_equal(self, first: dt.date, second: dt.date) -> bool:
        return first == second

    def form(self, value: dt.date) -> str:
        return value.isoformat()


def _date(match: re.Match[str]) -> dt.date | None:
    parts = match.groupdict()
    month = int(parts["month"]) if "month" in parts else _month(parts["name"])
    try:
        return dt.date(int(parts["year"]), month, int(parts["day"]))
    except ValueError:  # such as 31 April
        return None


def _month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name))


@functools.cache
def _date_pattern(given: str) -> re.Pattern[str]:
    """Return a pattern for dates in a format, in lower case."""
    parts = re.findall(r"%.|\s+|[^%\s]+", given, flags=re.DOTALL)
    if any(part[0] == "%" and part not in _DIRECTIVES for part in parts) or "".join(parts) != given:
        refused = next((part for part in parts if part[0] == "%" and part not in _DIRECTIVES), "%")
        why = " (the century of a year of two digits is not known)" if refused == "%y" else ""
        raise ValueError(
            f"a format of dates must consist of {', '.join(_DIRECTIVES)} and other characters, got "
            f"{given!r} with {refused!r}{why}"
        )
    names = [_DIRECTIVES[part][0] for part in parts if part in _DIRECTIVES]
    if sorted("month" if name == "name" else name for name in names) != ["day", "month", "year"]:
        raise ValueError(
            f"a format of dates must have one day, one month and one year, as date:%d.%m.%Y, got {given!r}"
        )
    pattern = ""
    for before, part, after in zip(["", *parts], parts, [*parts[1:], ""], strict=False):
        if part not in _DIRECTIVES:
            pattern += " " if part.isspace() else re.escape(part.lower())
            continue
        name, matched = _DIRECTIVES[part]
        # Without anything between them, numbers have all their digits, as in 20240503.
        is_beside = before in _DIRECTIVES or after in _DIRECTIVES
        pattern += f"(?P<{name}>{matched.replace('{1,2}', '{2}') if is_beside else matched})"
    return re.compile(pattern)


class _Code(NamedTuple):
    """A code without its separators, and the places where they stood between two letters or two digits."""

    text: str
    cuts: frozenset[int]


class _CodeKind:
    """Codes, in which case and separators do not count."""

    def read(self, text: str) -> _Code | None:
        if isinstance(text, Number) and not text.isdigit():
            return None  # 7.0 and -7 are numbers, not codes
        joined, cuts = "", set()
        for part in _SEPARATORS.split(text.casefold()):
            if joined and part and joined[-1].isdigit() == part[0].isdigit():
                cuts.add(len(joined))
            joined += part
        return _Code(joined, frozenset(cuts)) if joined else None

    def are_equal(self, first: _Code, second: _Code) -> bool:
        # 12-3 and 1-23 are different codes, but 123 may be either.
        is_part = first.cuts <= second.cuts or second.cuts <= first.cuts
        return first.text == second.text and is_part

    def form(self, value: _Code) -> str:
        return value.text


def number(*, decimal: Literal[".", ","] = ".") -> Kind:
    """
    Return the kind of fields whose values are numbers or amounts, for `fields`.

    Parameters
    ----------
    decimal
        The decimal mark of texts, ``"."`` or ``","``. Numbers of JSON always have a decimal point.

    Returns
    -------
    Kind
        Two values are equal if their numbers are, whatever their grouping marks (the other mark, spaces or
        apostrophes between groups of three digits, or groups as in India), zeros, and notation of negative
        numbers (``-5``, ``5-`` or ``(5)``). A currency sign or code may precede or follow the number: two
        different currencies are never equal, and an amount without a currency may be in any. ``19 %`` equals
        0.19.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"page": ["p1"], "gold": ['{"total": 1250}'], "model": ['{"total": "1.250,00 €"}']})
    >>> kinds = {"total": af.fields.number(decimal=",")}
    >>> rows = af.fields(df, "model", "gold", id="page", kinds=kinds)
    >>> af.report(rows, "prediction", "answers", metrics="exact_match").overall["exact_match"]
    1.0
    """
    return _NumberKind(choice("decimal", decimal, (".", ",")))


def date(*formats: str) -> Kind:
    """
    Return the kind of fields whose values are dates, for `fields`.

    Parameters
    ----------
    formats
        The formats of the texts, from ``%d``, ``%m`` (numbers), ``%B``, ``%b`` (English names of months, as
        in May or Sep), ``%Y`` (four digits) and other characters. Dates such as 2024-05-03 are always read.

    Returns
    -------
    Kind
        Two values are equal if their dates are. A text that is two different dates in two of the formats is
        none.

    Raises
    ------
    ValueError
        If no format is given, or a format has other parts, such as a year of two digits, or lacks one.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame(
    ...     {"page": ["p1"], "gold": ['{"due": "2024-05-03"}'], "model": ['{"due": "3 May 2024"}']}
    ... )
    >>> kinds = {"due": af.fields.date("%d.%m.%Y", "%d %B %Y")}
    >>> rows = af.fields(df, "model", "gold", id="page", kinds=kinds)
    >>> af.report(rows, "prediction", "answers", metrics="exact_match").overall["exact_match"]
    1.0
    """
    if not formats:
        raise ValueError('date must be given formats, such as date("%d.%m.%Y", "%d %B %Y")')
    for given in formats:
        _date_pattern(given)
    return _DateKind(formats)


class Kinds:
    """
    The kinds of fields, by patterns of their names.

    Parameters
    ----------
    kinds
        For each pattern, a kind or `"code"`; the first pattern that matches a name counts.
    """

    def __init__(self, kinds: Mapping[str, Any] | None) -> None:
        self._patterns: dict[str, tuple[re.Pattern[str], Kind]] = {}
        for pattern, kind in (kinds or {}).items():
            if not isinstance(pattern, str):
                raise TypeError(f"kinds must have names of fields as keys, got {pattern!r}")
            if kind != "code" and not isinstance(kind, _NumberKind | _DateKind):
                raise ValueError(
                    'kinds must be "code", anls_frame.fields.number(...) or anls_frame.fields.date(...), got '
                    f"{kind!r} for {pattern!r}"
                )
            matches = re.compile(".*".join(map(re.escape, pattern.split("*"))), flags=re.DOTALL)
            self._patterns[pattern] = matches, _CodeKind() if kind == "code" else kind
        self._of_names: dict[str, Kind | None] = {}
        self._matched: set[str] = set()

    def of(self, name: str) -> Kind | None:
        """Return the kind of a field, None if it has none."""
        if name not in self._of_names:
            matching = [key for key, (pattern, _) in self._patterns.items() if pattern.fullmatch(name)]
            self._of_names[name] = self._patterns[matching[0]][1] if matching else None
            self._matched.update(matching)
        return self._of_names[name]

    def form(self, name: str, text: str) -> str:
        """Return a text that is the same for equal values, or the text itself, by which items are paired."""
        kind = self.of(name) if self._patterns else None
        value = None if kind is None else kind.read(text)
        return text if kind is None or value is None else kind.form(value)

    @property
    def unmatched(self) -> list[str]:
        """The patterns that no field matched."""
        return [pattern for pattern in self._patterns if pattern not in self._matched]

"""Kinds of values: each pair was judged by hand, as a person who reads invoices would."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

import anls_frame as af

POINT, COMMA = af.fields.number(), af.fields.number(decimal=",")
DAYS = af.fields.date("%d.%m.%Y", "%d %B %Y", "%b %d, %Y", "%d/%m/%Y")
AMERICAN = af.fields.date("%d/%m/%Y", "%m/%d/%Y")
COMPACT = af.fields.date("%Y%m%d", "%d%b%Y", "%Y年%m月%d日")

EQUAL: list[tuple[Any, object, object]] = [
    # Numbers without quotation marks are numbers of JSON.
    (POINT, "1,250.00 EUR", 1250.0),
    (POINT, "1250", 1250.00),
    (POINT, "12.5", "12.50"),
    (POINT, "$975.00", 975),
    (POINT, "USD 975", "975.00 $"),
    (POINT, "€ 1,250", "1250 EUR"),
    (POINT, "eur 5", "€5"),
    (POINT, "(12.50)", "-12.50"),
    (POINT, "12.50-", "(12.5)"),
    (POINT, "-€12.50", "€-12.50"),
    (POINT, "\u221212.50", -12.5),
    (POINT, "(€12.50)", "-12.50 EUR"),
    (POINT, "19 %", "19%"),
    (POINT, "19%", 0.19),
    (POINT, "7.5 %", "0.075"),
    (POINT, "5 ‰", 0.005),
    (POINT, "1 234 567.8", "1,234,567.80"),
    (POINT, "1\u202f234", "1234"),
    (POINT, "1'234.50", "1\u2019234.50"),
    (POINT, "12,34,567.00", "1234567"),
    (POINT, ".5", "0.50"),
    (POINT, "+5", "5"),
    (POINT, "0.00-", "0"),
    (POINT, "£1,000.00", "GBP 1000"),
    (POINT, "1,000", 1e3),
    (POINT, "NT$26,691", 26691),
    (POINT, "18,891円", "¥18,891"),
    (COMMA, "549,22 €", 549.22),
    (COMMA, "1.234,56 €", "1234,56"),
    (COMMA, "1.250,00", 1250),
    (COMMA, "1.250", 1250),
    (COMMA, "1 250,00 EUR", "1.250,00 €"),
    (COMMA, "12,50-", "-12,5"),
    (COMMA, "19,0 %", 0.19),
    (COMMA, "100 Kč", "CZK 100,00"),
    # This text fits no format, but is the same.
    (COMMA, "12.5", 12.5),
    (DAYS, "3 May 2024", "2024-05-03"),
    (DAYS, "03.05.2024", "3 may 2024"),
    (DAYS, "May 3, 2024", "03/05/2024"),
    (DAYS, "2024-05-03 00:00:00", "3.5.2024"),
    (DAYS, "29.02.2024", "29 February 2024"),
    (COMPACT, "20240503", "2024-05-03"),
    (COMPACT, "2016年1月23日", "2016-01-23"),
    (COMPACT, "03MAY2024", "20240503"),
    ("code", "re 2024 7", "RE-2024/7"),
    ("code", "RE2024-7", "RE-2024/7"),
    ("code", "DE89 3704 0044", "de89-3704-0044"),
    ("code", "DE8937040044", "DE89 3704 0044"),
    ("code", "12.345.678/0001-95", "12345678000195"),
    ("code", "No. 7", "NO 7"),
    ("code", 7, "7"),
]  # fmt: skip

DIFFERENT: list[tuple[Any, object, object]] = [
    (POINT, "1.250", "1250"),
    (POINT, "1,25", "1.25"),
    (POINT, "0,123", "123"),
    (POINT, "1,2345", "12345"),
    (POINT, "1,250 000", "1250000"),
    (POINT, "12 50", "1250"),
    (POINT, "549,22 €", 54922),
    (POINT, "10 EUR", "10 USD"),
    (POINT, "$10", "10 CAD"),
    (POINT, "£10", "€10"),
    (POINT, "19%", 19),
    (POINT, "19%", "0.19 EUR"),
    (POINT, "-5", "5"),
    (POINT, "-(5)", "5"),
    (POINT, "(5", "-5"),
    (POINT, "EUR-12", "-12"),
    (POINT, "100 PCS", "100"),
    (POINT, "5 kg", "5"),
    (POINT, "1.2.3", "123"),
    (POINT, "12.5.", "12.5"),
    (POINT, "n/a", "-"),
    (COMMA, "1.250", 1.25),
    (COMMA, "1.234,56 €", "1.23"),
    (COMMA, "1,234,567", "1234567"),
    (DAYS, "03.05.2024", "05.03.2024"),
    (DAYS, "3.5.24", "2024-05-03"),
    (DAYS, "31.04.2024", "2024-05-01"),
    (DAYS, "29.02.2023", "2023-03-01"),
    (DAYS, "2024-05-03 10:00:00", "2024-05-03"),
    (DAYS, "May 2024", "1 May 2024"),
    (DAYS, "3. Mai 2024", "3 May 2024"),
    (AMERICAN, "03/04/2024", "2024-04-03"),
    (AMERICAN, "03/04/2024", "2024-03-04"),
    (COMPACT, "2024513", "2024-05-13"),
    ("code", "12-3", "1-23"),
    ("code", "RE-20/247", "RE-2024/7"),
    ("code", "007", "7"),
    ("code", "7.0", "70"),
    ("code", 7.0, "70"),
    ("code", -7, "7"),
    ("code", "A+", "A-"),
    ("code", "O1", "01"),
    ("code", "--", "/"),
]  # fmt: skip


def rows_of(kinds: Any, gold: Any, *models: Any, **options: Any) -> pl.DataFrame:
    """Return the rows of a document."""
    names = [f"m{number}" for number, _ in enumerate(models)]
    texts = dict(zip(("gold", *names), map(json.dumps, (gold, *models)), strict=True))
    frame = pl.DataFrame({"id": ["p1"], **{name: [text] for name, text in texts.items()}})
    return af.fields(frame, dict(zip(names, names, strict=True)), "gold", id="id", kinds=kinds, **options)


@pytest.mark.filterwarnings("ignore:kinds. no format fits")
def test_pairs_judged_by_hand() -> None:
    pairs = dict(zip(map("pair {}".format, range(1_000)), [*EQUAL, *DIFFERENT], strict=False))
    kinds, *documents = ({name: pair[part] for name, pair in pairs.items()} for part in range(3))
    equal = {name for name, pair in pairs.items() if pair in EQUAL}
    for gold, model in (documents, documents[::-1]):
        rows = rows_of(kinds, gold, model)
        assert rows["m0_status"].to_list() == ["matched"] * len(pairs)
        scores = af.report(rows, "m0", "answers", by="field", metrics=["exact_match", "anls"]).by_group
        assert set(scores.filter(exact_match=1)["field"]) == equal
        assert set(scores.filter(exact_match=0)["field"]) == pairs.keys() - equal
        # Different values keep the score of their texts.
        plain = [{name: one[name] for name in pairs.keys() - equal} for one in (gold, model)]
        texts = af.report(rows_of(None, *plain), "m0", "answers", by="field", metrics="anls").by_group
        found = scores.filter(exact_match=0).select("field", "anls")
        assert sorted(found.rows()) == sorted(texts.select("field", "anls").rows())


def test_there_are_eighty_pairs() -> None:
    assert len(EQUAL) + len(DIFFERENT) >= 80


def test_numbers_in_other_digits_without_a_kind_are_told() -> None:
    gold = {"total": "12.50", "tax": "9.00", "count": 2, "id": "7", "weight": 1.25, "same": 1.0, "name": "a"}
    model = {
        "total": "12.5",
        "tax": 9.0,
        "count": "2.0",
        "id": "007",
        "weight": "1.250",
        "same": "1.0",
        "name": "b",
    }
    with pytest.warns(af.InputWarning) as caught:
        rows = rows_of(None, gold, model)
    message = (
        "kinds: numbers of gold in other digits count as other texts in 3 values of 'm0', such as "
        "'12.5' for '12.50' in field 'total' of document 'p1'; give amounts the kind number"
    )
    assert [str(warning.message) for warning in caught] == [message]
    assert af.report(rows, "m0", "answers", metrics="exact_match").overall["exact_match"] == 1 / 7
    # As advised:
    rows = rows_of(dict.fromkeys(("total", "tax", "count"), POINT), gold, model)
    assert af.report(rows, "m0", "answers", metrics="exact_match").overall["exact_match"] == 4 / 7
    with pytest.warns(af.InputWarning, match="in 1 value of .* such as '5.0' for '5' in field 'total'"):
        rows_of(None, {"total": ["4", "5"]}, {"total": "5.0"}, lists="answers")


def test_values_that_fit_no_format_are_counted() -> None:
    gold = {"total": "about 5", "due": "3.5.24", "tax": "1"}
    with pytest.warns(af.InputWarning) as caught:
        rows_of(
            {"total": POINT, "due": DAYS, "tax": POINT},
            gold,
            {"total": "5 EUR", "due": "2024-05-03", "tax": "none"},
        )
    for warning, counted, example in zip(
        caught,
        ("2 values of column 'gold'", "1 value of 'm0'"),
        ("'about 5' in field 'total'", "'none' in field 'tax'"),
        strict=True,
    ):
        expected = f"kinds: no format fits {counted}, compared as text, such as {example} of document 'p1'; "
        advice = "give the format in which they are written (numbers of JSON and ISO dates need none)"
        assert str(warning.message) == expected + advice


def test_the_advice_on_values_that_fit_no_format_gives_the_right_figure() -> None:
    kinds = {"total": COMMA, "due": af.fields.date("%d.%m.%Y")}
    model = {"total": "0,50", "due": "3.5.2024"}
    with pytest.warns(af.InputWarning, match="numbers of JSON and ISO dates need none"):
        unread = rows_of(kinds, {"total": "0.50", "due": "May 3, 2024"}, model)
    assert not unread.select(pl.col("answers") == pl.col("m0")).to_series().any()
    read = rows_of(kinds, {"total": 0.5, "due": "2024-05-03"}, model)
    assert read.select(pl.col("answers") == pl.col("m0")).to_series().all()


def test_patterns_of_names() -> None:
    gold = {
        "total": "1",
        "totals": {"net": "2"},
        "items": [{"price": "3"}],
        "number": "A-1",
        "my_number": "B-1",
    }
    model = {
        "total": "1.0",
        "totals": {"net": "2.0"},
        "items": [{"price": "3.0"}],
        "number": "a1",
        "my_number": "b1",
    }
    rows = rows_of({"total*": POINT, "items[].price": POINT, "number": "code"}, gold, model)
    scores = dict(rows.select("field", pl.col("answers") == pl.col("m0")).rows())
    assert scores == {
        "total": True,
        "totals.net": True,
        "items[].price": True,
        "number": True,
        "my_number": False,
    }


def test_the_first_pattern_counts_and_one_without_fields_is_named() -> None:
    with pytest.warns(af.InputWarning, match="kinds: no field matches 'totl'; gold has the fields 'total'"):
        rows = rows_of({"tot*": POINT, "*al": "code", "totl": POINT}, {"total": "1.50"}, {"total": "1.5"})
    assert rows["m0"].to_list() == ["1.50"]


def test_items_are_paired_by_equal_values() -> None:
    gold = {"items": [{"sum": "1,250.00", "n": "x"}, {"sum": "9", "n": "y"}]}
    model = {"items": [{"sum": "9.00", "n": "z"}, {"sum": "1250", "n": "q"}]}
    for match in ("best", "sum"):
        rows = rows_of({"items[].sum": POINT}, gold, model, match=match)
        assert rows.select("field", "answers", "m0").rows() == [
            ("items[].sum", "1,250.00", "1,250.00"),
            ("items[].n", "x", "q"),
            ("items[].sum", "9", "9"),
            ("items[].n", "y", "z"),
        ]


def test_any_of_several_answers_may_be_equal() -> None:
    rows = rows_of({"due": DAYS}, {"due": ["3.5.2024", "4.5.2024"]}, {"due": "4 May 2024"}, lists="answers")
    assert rows["m0"].to_list() == ["4.5.2024"]


def test_kinds_of_systems_do_not_mix() -> None:
    rows = rows_of({"total": POINT}, {"total": "1,250.00"}, {"total": "1250"}, {"total": "1251"})
    assert rows.select("answers", "m0", "m1").rows() == [("1,250.00", "1,250.00", "1251")]


def test_a_long_text_is_no_number_in_bounded_work() -> None:
    for text in ("1 " * 100_000, "1," * 100_000 + "x", "(" * 50_000, "-" * 100_000 + "1", "9" * 100_000):
        assert rows_of({"total": POINT}, {"total": "5"}, {"total": "5"})["m0"].to_list() == ["5"]
        kind: Any = POINT
        assert (kind.read(text) is not None) == text.isdigit()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: af.fields.number(decimal=";"), "decimal must be one of '.', ','"),
        (af.fields.date, "date must be given formats"),
        (lambda: af.fields.date("%d.%m.%y"), r"'%d.%m.%y' with '%y' \(the century of a year of two digits"),
        (lambda: af.fields.date("%d.%m"), "one day, one month and one year"),
        (lambda: af.fields.date("%d %B %m %Y"), "one day, one month and one year"),
        (lambda: af.fields.date("%A %d %B %Y"), "with '%A'"),
        (lambda: af.fields.date("%d.%m.%Y%"), "with '%'"),
        (lambda: rows_of({"total": "number"}, {}, {}), 'kinds must be "code", anls_frame.fields.number'),
        (lambda: rows_of({"total": "date"}, {}, {}), "for 'total'"),
    ],
)
def test_wrong_kinds(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()

"""Fields of documents: every field is in one row, and items find each other as the best assignment says."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pytest
from campaign import amount
from rapidfuzz.distance import Levenshtein

import anls_frame as af

GOLD = {
    "total": 12.5,
    "vat": None,
    "seller": {"name": "Café Ünal", "city": "Köln"},
    "items": [{"name": "tea", "price": "3.10"}, {"name": "milk", "price": "9.40"}],
    "paid": True,
}


def rows_of(gold: object, *predicted: object, **options: Any) -> pl.DataFrame:
    """Return the rows of one document, of one system or of systems a, b, ..."""
    names = "ab"[: len(predicted)]
    frame = pl.DataFrame({
        "doc": ["d"],
        "gold": [json.dumps(gold)],
        **{name: [json.dumps(document)] for name, document in zip(names, predicted, strict=True)},
    })  # fmt: skip
    systems = dict(zip(names, names, strict=True)) if len(predicted) > 1 else "a"
    return af.fields(frame, systems, "gold", id="doc", **options).drop("doc")


def listed(rows: pl.DataFrame) -> list[tuple[Any, ...]]:
    """Return field, item, right and predicted text, and the status of each row."""
    return rows.rows()


def test_a_perfect_document_has_only_equal_texts() -> None:
    rows = rows_of(GOLD, GOLD)
    assert listed(rows) == [
        ("total", None, "12.5", "12.5", "matched"),
        ("seller.name", None, "Café Ünal", "Café Ünal", "matched"),
        ("seller.city", None, "Köln", "Köln", "matched"),
        ("items[].name", 1, "tea", "tea", "matched"),
        ("items[].price", 1, "3.10", "3.10", "matched"),
        ("items[].name", 2, "milk", "milk", "matched"),
        ("items[].price", 2, "9.40", "9.40", "matched"),
        ("paid", None, "true", "true", "matched"),
    ]


TEA = {"nm": "tea", "price": "3.10"}


@pytest.mark.parametrize(
    ("gold", "predicted", "names"),
    [
        ({"menu": TEA, "n": 1}, {"menu": [TEA], "n": 1}, ("menu[].nm", "menu.nm")),
        ({"menu": [TEA], "n": 1}, {"menu": TEA, "n": 1}, ("menu.nm", "menu[].nm")),
        ({"tax": "5"}, {"tax": ["5"]}, ("tax[]", "tax")),
        ({"total": "5"}, [{"total": "5"}], ("[].total", "total")),
        ({"invoice_no": "7", "n": 1}, {"InvoiceNo": "7", "n": 1}, ("InvoiceNo", "invoice_no")),
        ({"seller": {"tax id": "7"}}, {"Seller": {"tax-id": "7"}}, ("Seller.tax-id", "seller.tax id")),
        ({"seller": {"name": "A"}}, {"seller.name": "A"}, ('"seller.name"', "seller.name")),
        ({"a": [{"b": ["x"]}]}, {"a": {"b": ["x"]}}, ("a.b[]", "a[].b[]")),
    ],
)
def test_a_field_with_two_names_is_told(gold: Any, predicted: Any, names: tuple[str, str]) -> None:
    """CORD has the menu of a receipt with one item as an object, and other menus as lists."""
    frame = pl.DataFrame({
        "doc": ["d", "e", "f"],
        "gold": [json.dumps(document) for document in (gold, gold, [gold])],
        "a": [json.dumps(document) for document in (gold, predicted, [gold])],
    })  # fmt: skip
    with pytest.warns(af.InputWarning, match="1 document of .* names in another way") as caught:
        rows = af.fields(frame, "a", "gold", id="doc")
    message = f"such as 'e': '{names[0]}' was predicted; gold has '{names[1]}'."
    assert [message in str(warning.message) for warning in caught] == [True]
    assert {*rows.filter(doc="e", status="invented")["field"]} >= {names[0]}
    # As advised:
    same = frame.with_columns(pl.when(doc=pl.lit("e")).then("gold").otherwise("a").alias("a"))
    assert set(af.fields(same, "a", "gold", id="doc")["status"]) == {"matched"}


def test_numbers_keep_their_digits() -> None:
    text = '{"a": 12.50, "b": 1e3, "c": 123456789012345678901234567890, "d": -0}'
    frame = pl.DataFrame({"doc": [1], "gold": [text], "a": [text]})
    assert af.fields(frame, "a", "gold", id="doc")["answers"].to_list() == [
        *("12.50", "1e3", "123456789012345678901234567890", "-0"),
    ]


def test_items_in_another_order_missing_doubled_and_invented() -> None:
    items = [{"name": f"item {letter * 4}", "price": f"{number}.00"} for number, letter in enumerate("abc")]
    shuffled = [items[2], items[0], items[0], {"name": "9", "price": "zz"}]
    rows = rows_of({"items": items}, {"items": shuffled})
    assert listed(rows) == [
        ("items[].name", 1, "item aaaa", "item aaaa", "matched"),
        ("items[].price", 1, "0.00", "0.00", "matched"),
        # The doubled item is nearer to this one than what was invented.
        ("items[].name", 2, "item bbbb", "item aaaa", "matched"),
        ("items[].price", 2, "1.00", "0.00", "matched"),
        ("items[].name", 3, "item cccc", "item cccc", "matched"),
        ("items[].price", 3, "2.00", "2.00", "matched"),
        ("items[].name", 4, None, "9", "invented"),
        ("items[].price", 4, None, "zz", "invented"),
    ]


def test_items_without_any_similarity_stay_apart() -> None:
    rows = rows_of({"items": [{"name": "abc"}]}, {"items": [{"name": "xyz"}]})
    assert listed(rows) == [
        ("items[].name", 1, "abc", None, "missing"),
        ("items[].name", 2, None, "xyz", "invented"),
    ]


def similarity(first: dict[str, str], second: dict[str, str]) -> float:
    """Return the mean NLS of the fields that either item has, from the definition."""
    keys = {*first, *second}
    return sum(
        Levenshtein.normalized_similarity(first[key], second[key]) if key in first and key in second else 0
        for key in keys
    ) / len(keys)


@pytest.mark.parametrize("seed", range(60))
def test_the_assignment_is_the_best_of_all(seed: int) -> None:
    dice = random.Random(seed)

    def item() -> dict[str, str]:
        keys = dice.sample("xyz", dice.randint(1, 3))
        return {key: "".join(dice.choices("abcd", k=dice.randint(1, 6))) for key in keys}

    gold = [item() for _ in range(dice.randint(1, 4))]
    predicted = [item() for _ in range(dice.randint(1, 4))]
    shorter, longer = sorted((gold, predicted), key=len)
    best = max(
        sum(similarity(one, other) for one, other in zip(shorter, chosen, strict=True))
        for chosen in itertools.permutations(longer, len(shorter))
    )
    rows = rows_of({"items": gold}, {"items": predicted})
    total = 0.0
    for (number,), item_rows in rows.group_by("item"):
        right, read = (
            {
                field.removeprefix("items[]."): text
                for field, text in item_rows.select("field", column).rows()
                if text
            }
            for column in ("answers", "a" if "a" in rows.columns else "prediction")
        )
        assert number is not None
        total += similarity(right, read) if right and read else 0
    assert total == pytest.approx(best, abs=1e-6)


def test_equal_items_keep_their_order() -> None:
    rows = rows_of({"n": ["x", "x", "x"]}, {"n": ["x", "x"]})
    assert rows["prediction"].to_list() == ["x", "x", None]


def test_two_systems_are_matched_on_their_own() -> None:
    gold = {"items": [{"name": "tea"}, {"name": "milk"}]}
    first = {"items": [{"name": "milk"}, {"name": "tea"}], "note": "??"}
    second = {"items": [{"name": "tea"}, {"name": "milk"}, {"name": "sugar"}], "note": "!!"}
    rows = rows_of(gold, first, second)
    assert listed(rows) == [
        ("items[].name", 1, "tea", "tea", "tea", "matched", "matched"),
        ("items[].name", 2, "milk", "milk", "milk", "matched", "matched"),
        ("note", None, None, "??", "!!", "invented", "invented"),
        ("items[].name", 3, None, None, "sugar", None, "invented"),
    ]


def test_invented_items_of_two_systems_are_two_rows() -> None:
    rows = rows_of({"items": []}, {"items": [{"name": "a"}]}, {"items": [{"name": "a"}]})
    assert rows.select("item", "a", "b").rows() == [(1, "a", None), (2, None, "a")]
    assert rows.select("a_status", "b_status").rows() == [("invented", None), (None, "invented")]


def test_match_by_order_and_by_a_key() -> None:
    gold = {"items": [{"sku": "1", "name": "tea"}, {"sku": "2", "name": "milk"}]}
    read = {"items": [{"sku": "2", "name": "tea"}, {"name": "tea"}]}
    by_order = rows_of(gold, read, match="order")
    assert by_order["prediction"].to_list() == ["2", "tea", None, "tea"]
    by_key = rows_of(gold, read, match="sku")
    assert listed(by_key) == [
        ("items[].sku", 1, "1", None, "missing"),
        ("items[].name", 1, "tea", None, "missing"),
        ("items[].sku", 2, "2", "2", "matched"),
        ("items[].name", 2, "milk", "tea", "matched"),
        ("items[].name", 3, None, "tea", "invented"),
    ]


def test_lists_without_the_key_are_paired_as_by_best() -> None:
    document = {"items": [{"sku": "1", "tags": ["x", "y"]}, {"sku": "2", "tags": []}], "notes": ["a", "b"]}
    assert set(rows_of(document, document, match="sku")["status"]) == {"matched"}
    other = {"items": [{"sku": "3", "tags": ["x", "y"]}], "notes": ["b", "c", "a"]}
    rows = rows_of(document, other, match="sku")
    notes, items = (listed(rows.filter(pl.col("field").str.starts_with(name))) for name in ("notes", "items"))
    assert notes == [
        ("notes[]", 1, "a", "a", "matched"),
        ("notes[]", 2, "b", "b", "matched"),
        ("notes[]", 3, None, "c", "invented"),
    ]
    assert {row[-1] for row in items} == {"missing", "invented"}


def test_a_key_of_several_values_matches_the_same_values() -> None:
    gold = {"items": [{"codes": [1, "a"], "name": "tea"}, {"codes": [2], "name": "milk"}]}
    read = {"items": [{"codes": [2], "name": "tea"}, {"codes": [1], "name": "tea"}]}
    rows = rows_of(gold, read, match="codes")
    names = rows.filter(field="items[].name").select("item", "answers", "prediction")
    assert names.rows() == [(1, "tea", None), (2, "milk", "tea"), (3, None, "tea")]


def test_values_of_a_list_as_accepted_answers() -> None:
    rows = rows_of(
        {"names": ["USA", "United States"], "total": "1"},
        {"names": ["US", "United State"], "total": "1"},
        lists="answers",
    )
    assert listed(rows) == [
        ("names", None, ["USA", "United States"], "United State", "matched"),
        ("total", None, ["1"], "1", "matched"),
        ("names[]", 1, None, "US", "invented"),
    ]


def test_what_stands_for_no_value() -> None:
    gold = {"a": "", "b": None, "c": "N/A", "d": "x"}
    read = {"a": "N/A", "b": "", "e": None, "f": ""}
    assert listed(rows_of(gold, read)) == [
        ("c", None, "N/A", None, "missing"),
        ("d", None, "x", None, "missing"),
        ("a", None, None, "N/A", "invented"),
    ]
    assert rows_of(gold, read, absent=("", "N/A"))["field"].to_list() == ["d"]


@pytest.mark.filterwarnings("ignore:.* names in another way")
def test_fields_of_another_kind_have_other_names() -> None:
    rows = rows_of(
        {"seller": "Ünal", "items": [{"n": "1"}]}, {"seller": {"name": "Ünal"}, "items": {"n": "1"}}
    )
    assert listed(rows) == [
        ("seller", None, "Ünal", None, "missing"),
        ("items[].n", 1, "1", None, "missing"),
        ("seller.name", None, None, "Ünal", "invented"),
        ("items.n", None, None, "1", "invented"),
    ]


def test_keys_with_dots_and_brackets_stay_apart() -> None:
    rows = rows_of({"a.b": "1", "a": {"b": "2"}, "c[]": "3", "c": ["4"], "": "5"}, {})
    assert rows["field"].to_list() == ['"a.b"', "a.b", '"c[]"', "c[]", '""']


def test_nested_lists_number_their_innermost_items() -> None:
    gold = {"pages": [{"lines": ["a", "b"]}, {"lines": ["c"]}]}
    rows = rows_of(gold, {"pages": [{"lines": ["c"]}, {"lines": ["b", "a", "e"]}]})
    assert listed(rows) == [
        ("pages[].lines[]", 1, "a", "a", "matched"),
        ("pages[].lines[]", 2, "b", "b", "matched"),
        ("pages[].lines[]", 3, "c", "c", "matched"),
        ("pages[].lines[]", 4, None, "e", "invented"),
    ]


def leaves(value: object, name: str = "") -> list[tuple[str, str]]:
    """Return names and texts of all fields with a value."""
    if isinstance(value, dict):
        return [
            leaf for key, entry in value.items() for leaf in leaves(entry, f"{name}.{key}" if name else key)
        ]
    if isinstance(value, list):
        return [leaf for entry in value for leaf in leaves(entry, f"{name}[]")]
    return [] if value in (None, "") else [(name, value if isinstance(value, str) else json.dumps(value))]


def tree(dice: random.Random, depth: int) -> object:
    """Return a random JSON value; at the root an object or a list."""
    kind = dice.choice(["object", "list"] if depth == 3 else ["object", "list", *["text"] * 3])
    if depth and kind == "object":
        return {key: tree(dice, depth - 1) for key in dice.sample("abcde", dice.randint(0, 4))}
    if depth and kind == "list":
        return [tree(dice, depth - 1) for _ in range(dice.randint(0, 4))]
    return dice.choice([None, "", "x", "yy", "xyz", 1, 2.5, True])


@pytest.mark.filterwarnings("ignore:.* names in another way")
@pytest.mark.parametrize("match", ["best", "order", "a"])
def test_every_field_is_in_one_row(match: str) -> None:
    dice = random.Random(match)
    documents = [[tree(dice, 3) for _ in range(3)] for _ in range(amount(400, 34_000))]
    frame = pl.DataFrame({
        "doc": range(len(documents)),
        **{
            name: [json.dumps(trees[place]) for trees in documents]
            for place, name in enumerate(("gold", "a", "b"))
        },
    })  # fmt: skip
    rows = af.fields(frame, {"a": "a", "b": "b"}, "gold", id="doc", match=match)
    assert not rows.select("doc", "field", "item").is_duplicated().any()
    for place, column in enumerate(("answers", "a", "b")):
        found = Counter(rows.drop_nulls(column).select("doc", "field", column).rows())
        assert found == Counter(
            (number, *leaf) for number, trees in enumerate(documents) for leaf in leaves(trees[place])
        )


def paired(value: Any, make: Callable[[], float]) -> tuple[Any, Any]:
    """Return a document whose texts end in their confidence, and the confidences in its shape."""
    if isinstance(value, dict):
        pairs = {key: paired(entry, make) for key, entry in value.items()}
        return {key: pair[0] for key, pair in pairs.items()}, {key: pair[1] for key, pair in pairs.items()}
    if isinstance(value, list):
        pairs = [paired(entry, make) for entry in value]
        return [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    number = make()
    return f"{value}#{number}", number


@pytest.mark.filterwarnings("ignore:.* names in another way")
@pytest.mark.parametrize("match", ["best", "order", "a"])
@pytest.mark.parametrize("lists", ["items", "answers"])
def test_each_text_has_its_own_confidence(match: str, lists: Any) -> None:
    dice = random.Random(1)
    pairs = [paired(tree(dice, 3), lambda: round(dice.random(), 6)) for _ in range(200)]
    frame = pl.DataFrame({
        "doc": range(200),
        "gold": [json.dumps(tree(dice, 3)) for _ in range(200)],
        "a": [json.dumps(document) for document, _ in pairs],
        "sure": [json.dumps(numbers) for _, numbers in pairs],
    })  # fmt: skip
    rows = af.fields(frame, "a", "gold", id="doc", match=match, lists=lists, model_confidence="sure")
    assert rows.columns == ["doc", "field", "item", "answers", "prediction", "status", "confidence"]
    written = rows["prediction"].str.split("#").list.last().cast(pl.Float64)
    assert rows["confidence"].to_list() == written.to_list()


def test_confidences_of_systems_of_whole_lists_and_in_pandas() -> None:
    gold = {"total": "5", "items": [{"name": "tea"}, {"name": "milk"}]}
    sure = {"total": 0.5, "items": [{"name": None}, 0.25]}
    frame = pd.DataFrame({"doc": ["d"], "gold": [gold], "a": [gold], "b": [gold], "sure": [sure]})
    rows = af.fields(frame, {"a": "a", "b": "b"}, "gold", id="doc", model_confidence={"b": "sure"})
    assert "a_confidence" not in rows
    assert rows["b_confidence"].fillna(-1).to_list() == [0.5, -1, 0.25]
    empty = af.fields(frame.assign(sure=None), "a", "gold", id="doc", model_confidence="sure")
    assert empty["confidence"].isna().all()


@pytest.mark.parametrize(
    ("sure", "given", "message"),
    [
        (
            '{"total": "high"}',
            "sure",
            "document 'd': the confidence of field 'total' must be a finite number",
        ),
        ('{"total": true}', "sure", "must be a finite number, got True"),
        ('{"total": Infinity}', "sure", "column 'sure', document 'd': .* is Infinity"),
        ('{"total": {"x": 1}}', "sure", "the confidence of field 'total' must be"),
        ('{"total"', "sure", "column 'sure', document 'd': invalid JSON"),
        ("{}", {"a": "sure"}, "model_confidence must be a column for one system"),
        ("{}", "other", "other"),
    ],
)
def test_wrong_confidences(sure: str, given: Any, message: str) -> None:
    frame = pl.DataFrame({"doc": ["d"], "gold": ['{"total": 5}'], "a": ['{"total": 5}'], "sure": [sure]})
    with pytest.raises((ValueError, pl.exceptions.ColumnNotFoundError), match=message):
        af.fields(frame, "a", "gold", id="doc", model_confidence=given)


def test_struct_columns_and_pandas_dicts() -> None:
    read = {**GOLD, "items": GOLD["items"][::-1]}  # type: ignore[index]
    texts = af.fields(
        pl.DataFrame({"doc": ["d"], "gold": [json.dumps(GOLD)], "a": [json.dumps(read)]}),
        "a",
        "gold",
        id="doc",
    )
    structs = af.fields(pl.DataFrame({"doc": ["d"], "gold": [GOLD], "a": [read]}), "a", "gold", id="doc")
    # In a Struct, null may be a key that other documents have.
    assert structs.equals(texts.filter(pl.col("field") != "vat"))
    frame = pd.DataFrame({"doc": ["d"], "gold": [GOLD], "a": [read]}, index=[7])
    dicts = af.fields(frame, "a", "gold", id="doc")
    assert isinstance(dicts, pd.DataFrame)
    assert set(dicts.index) == {7}
    assert dicts["answers"].fillna("").tolist() == texts["answers"].fill_null("").to_list()
    lazy = af.fields(
        pl.LazyFrame({"doc": ["d"], "gold": [json.dumps(GOLD)], "a": [json.dumps(read)]}),
        "a",
        "gold",
        id="doc",
    )
    assert lazy.equals(texts)


def test_other_columns_are_kept_beside_each_row() -> None:
    frame = pl.DataFrame(
        {"doc": [1, 2], "supplier": ["A", "B"], "gold": ['{"a": "1"}', "{}"], "a": ["{}", '{"b": 2}']}
    )
    rows = af.fields(frame, "a", "gold", id="doc")
    assert rows.columns == ["doc", "supplier", "field", "item", "answers", "prediction", "status"]
    assert rows.select("doc", "supplier", "field").rows() == [(1, "A", "a"), (2, "B", "b")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1', "invalid JSON"),
        ('{"a": 1, "a": 2}', "duplicate key 'a'"),
        ("Here is the JSON", "invalid JSON"),
        ('"text"', "must be a JSON object or list, not a string"),
        ("[" * 200 + "]" * 200, "nested more than 100 deep"),
    ],
)
def test_broken_documents_are_wrong_in_each_field(text: str, reason: str) -> None:
    frame = pl.DataFrame({"doc": ["p1", "p2"], "gold": ['{"a": 1, "b": 2}'] * 2, "a": [text, '{"a": 1}']})
    with pytest.warns(af.InputWarning, match="1 document of 'prediction' cannot be read.*'p1'") as caught:
        rows = af.fields(frame, "a", "gold", id="doc")
    assert reason in str(caught[0].message)
    assert rows["status"].to_list() == ["broken", "broken", "matched", "missing"]
    assert rows["prediction"].to_list() == [None, None, "1", None]


def test_a_broken_document_is_right_in_no_field() -> None:
    gold = '{"po": null, "x": null, "total": 5}'
    frame = pl.DataFrame({
        "doc": ["p1", "p2"],
        "gold": [gold, gold],
        "a": ["", '{"total": 5}'],
        "b": ['{"total": 5, "invented": 1}', "oops"],
    })  # fmt: skip
    with pytest.warns(af.InputWarning, match="all their fields count as wrong"):
        rows = af.fields(frame, {"a": "a", "b": "b"}, "gold", id="doc")
    assert rows.filter(doc="p1")["a_status"].to_list() == ["broken", None]
    for column, scores in {"a": {"p1": 0.0, "p2": 1.0}, "b": {"p1": 0.5, "p2": 0.0}}.items():
        report = af.report(rows, column, "answers", metrics="fields", by="doc")
        assert dict(report.by_group.select("doc", "exact_match").rows()) == scores
        shares = ("exact_match", "missing_share", "invented_share", "wrong_share")
        assert [sum(group[name] for name in shares) for group in report.by_group.to_dicts()] == [1, 1]
    for kind in (rows, rows.lazy(), rows.to_pandas()):
        documents = pl.DataFrame(af.documents(kind, {"a": "a", "b": "b"}, "answers", id="doc"))
        assert documents["a_n_wrong"].to_list() == [1, 0]
        assert documents["a_all_right"].to_list() == [False, True]
        assert documents["b_all_right"].to_list() == [False, False]


def test_a_broken_document_without_a_required_field_is_not_all_right() -> None:
    gold = ['{"a": 1}', '{"b": 2}', '{"b": 2}']
    frame = pl.DataFrame({"doc": [1, 2, 3], "gold": gold, "model": ['{"a": 1}', "oops", "{}"]})
    with pytest.warns(af.InputWarning, match="cannot be read"):
        rows = af.fields(frame, "model", "gold", id="doc")
    documents = af.documents(rows, "prediction", "answers", id="doc", required=["a"])
    assert documents["all_right"].to_list() == [True, False, True]


def test_documents_without_gold_are_left_out() -> None:
    frame = pl.DataFrame({"doc": [1, 2], "gold": [None, '{"a": 1}'], "a": ['{"a": 1}', None]})
    with pytest.warns(af.InputWarning, match=r"1 document without gold \(null\) left out"):
        rows = af.fields(frame, "a", "gold", id="doc")
    assert rows.rows() == [(2, "a", None, "1", None, "missing")]


@pytest.mark.parametrize(
    ("columns", "options", "error", "message"),
    [
        ({"gold": ["{"]}, {}, ValueError, "column 'gold', document 'd': invalid JSON"),
        (
            {"gold": ["3"]},
            {},
            ValueError,
            "column 'gold', document 'd': a document must be a JSON object or list",
        ),
        ({"doc": [None]}, {}, ValueError, "row 0 has no id: column 'doc' is null there"),
        ({"gold": [3]}, {}, af.DTypeError, "column 'gold' has dtype Int64"),
        ({"gold": pl.Series([{}], dtype=pl.Object)}, {}, af.DTypeError, r"Object; `\[json\.dumps"),
        ({"field": [3]}, {}, af.DuplicateColumnError, r"columns \['field'\]"),
        ({}, {"id": "page"}, af.exceptions.ColumnNotFoundError, "id: no column 'page' among 'doc', 'gold'"),
        (
            {},
            {"model_confidence": "sure"},
            af.exceptions.ColumnNotFoundError,
            "model_confidence: no column 'sure' among",
        ),
        ({}, {"lists": "rows"}, ValueError, "lists must be one of 'items', 'answers'"),
        ({}, {"absent": "N/A"}, TypeError, "absent must be a list of strings"),
    ],
)
def test_errors(
    columns: dict[str, list[Any]], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    frame = pl.DataFrame({"doc": ["d"], "gold": ["{}"], "a": ["{}"], **columns})
    with pytest.raises(error, match=message):
        af.fields(frame, "a", "gold", **{"id": "doc", **options})


@pytest.mark.parametrize("convert", [pl.DataFrame, pl.DataFrame.lazy, pl.DataFrame.to_pandas])
def test_a_misspelled_column_is_named_with_the_nearest(convert: Any) -> None:
    frame = convert(pl.DataFrame({"doc": ["d"], "gold": ["{}"], "read": ["{}"]}))
    missing = af.exceptions.ColumnNotFoundError
    with pytest.raises(missing, match=r"prediction: no column 'reed' .*did you mean 'read'"):
        af.fields(frame, "reed", "gold", id="doc")
    with pytest.raises(missing, match=r"answers: no column 'golden' .*did you mean 'gold'"):
        af.fields(frame, "read", "golden", id="doc")
    with pytest.raises(missing, match=r"(?s)id: no column 'd' .*prediction: no .*\nanswers: no column 'g'"):
        af.fields(frame, "r", "g", id="d")


def test_a_document_that_occurs_twice() -> None:
    frame = pl.DataFrame({"doc": ["d", "d"], "gold": ["{}"] * 2, "a": ["{}"] * 2})
    with pytest.raises(ValueError, match="document 'd' occurs twice in column 'doc'"):
        af.fields(frame, "a", "gold", id="doc")


def test_lists_that_are_too_long_to_match() -> None:
    frame = pl.DataFrame({"doc": ["d"], "gold": [json.dumps(["x"] * 3000)], "a": [json.dumps(["y"] * 3000)]})
    with pytest.raises(ValueError, match=r"document 'd': lists of 3,000 and 3,000 items.*match=.order."):
        af.fields(frame, "a", "gold", id="doc")
    assert len(af.fields(frame, "a", "gold", id="doc", match="order")) == 3000


def extracted() -> pl.DataFrame:
    """Return rows of two extractors on three documents."""
    gold = [
        {"total": "5", "vat": "1"},
        {"total": "7", "note": None},
        {"total": "9", "items": [{"n": "abcd"}]},
    ]
    first = [
        {"total": "5", "vat": "1"},
        {"total": "7", "note": "x"},
        {"total": "9", "items": [{"n": "abcx"}]},
    ]
    second = [{"total": "6"}, {"total": "7"}, {"total": "9", "items": [{"n": "ABcd"}], "paid": True}]
    texts = {
        name: [json.dumps(document) for document in trees]
        for name, trees in {"gold": gold, "first": first, "second": second}.items()
    }
    frame = pl.DataFrame({"doc": [1, 2, 3], "supplier": ["A", "A", "B"], **texts})
    return af.fields(frame, {"first": "first", "second": "second"}, "gold", id="doc")


def test_documents_are_right_if_all_their_fields_are() -> None:
    rows = extracted()
    systems = {"first": "first", "second": "second"}
    whole = af.documents(rows, systems, "answers", id="doc", keep=["supplier"])
    assert whole.rows(named=True) == [
        dict(zip(whole.columns, values, strict=True))
        for values in (
            (1, "A", 2, 0, True, 2, 2, False),
            (2, "A", 2, 1, False, 1, 0, True),
            # "paid" has no right value, and the first system is silent there.
            (3, "B", 2, 1, False, 3, 1, False),
        )
    ]
    assert whole.columns[2:] == [
        f"{name}_{what}" for name in systems for what in ("n_fields", "n_wrong", "all_right")
    ]


def test_documents_by_required_fields() -> None:
    rows = extracted()
    options: dict[str, Any] = {"id": "doc", "required": ["total"]}
    eager = af.documents(rows, "second", "answers", **options)
    assert eager.columns == ["doc", "n_fields", "n_wrong", "all_right"]
    assert eager.rows() == [(1, 1, 1, False), (2, 1, 0, True), (3, 1, 0, True)]


def test_errors_of_documents() -> None:
    rows = extracted()
    with pytest.raises(ValueError, match="required: no document has the field 'tax' among 'items"):
        af.documents(rows, "first", "answers", id="doc", required=["tax"])
    with pytest.raises(ValueError, match="column 'field' has several values in document 1"):
        af.documents(rows, "first", "answers", id="doc", keep=["field"])


def test_scores_of_fields_are_counts_of_values() -> None:
    # By hand: right, wrong, missing and invented values.
    counts = {"first": (4, 1, 0, 1), "second": (3, 1, 1, 1)}
    for system, (right, wrong, missing, invented) in counts.items():
        n_gold, n_read = right + wrong + missing, right + wrong + invented
        n = right + wrong + missing + invented
        report = af.report(extracted(), system, "answers", metrics="fields", cluster="doc")
        expected = {
            "field_precision": right / n_read,
            "field_recall": right / n_gold,
            "field_f1": 2 * right / (n_gold + n_read),
            "exact_match": right / n,
            "wrong_share": wrong / n,
            "missing_share": missing / n,
            "invented_share": invented / n,
        }
        found = {name: report.overall[name] for name in expected}
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", ["text", "list"])
def test_fields_of_reports_and_comparisons_are_equal(kind: str) -> None:
    rows = extracted()
    if kind == "list":
        rows = rows.with_columns(pl.when(pl.col("answers").is_not_null()).then(pl.concat_list("answers")))
    reports = {
        name: af.report(rows, name, "answers", metrics="fields", cluster="doc").overall
        for name in ("first", "second")
    }
    comparison = af.compare(rows, ["first", "second"], "answers", metrics="fields", cluster="doc")
    for line in comparison.ranking.iter_rows(named=True):
        assert line["score"] == pytest.approx(reports[line["system"]][line["metric"]], abs=1e-12), line


def test_every_selection_of_rows_scores_fields_without_an_answer() -> None:
    """As reports do where a score of fields is asked for: an invented value is a wrong row, not none."""
    frame = pl.DataFrame(
        {
            "id": ["a"],
            "shop": ["x"],
            "gold": ['{"total": "5", "vat": null}'],
            "old": ["{}"],
            "new": ['{"vat": "2"}'],
        }
    )
    rows = af.fields(frame, {"old": "old", "new": "new"}, "gold", id="id")
    score: Any = {"metrics": "invented_share"}
    worst = af.worst(rows, "new", "answers", 1, **score)
    assert worst.select("field", "invented_share").rows() == [("vat", 1.0)]
    assert af.changes(rows, ["old", "new"], "answers", keep="field", **score)["field"].to_list() == ["vat"]
    page = af.browse(rows, "new", "answers", id="field", **score)
    assert page.embedded(af.report(rows, "new", "answers", **score).settings)
    documents = af.documents(rows, "old", "answers", id="id", keep="shop")
    assert documents.columns[:2] == ["id", "shop"]


def test_f1_without_line_items_counts_as_in_donut() -> None:
    """Donut counts pairs of a key and a stripped text, and leaves out empty ones; its case is kept."""
    draw = random.Random(3)

    def document() -> dict[str, Any]:
        values = {key: draw.choice(["A", "a", "b ", "b", "", "1.0", None]) for key in "xyz"}
        return values | {"list": [draw.choice("Abb") for _ in range(draw.randint(0, 3))]}

    def pairs(given: dict[str, Any]) -> Counter[tuple[str, str]]:
        alone = Counter((key, text.strip()) for key, text in given.items() if isinstance(text, str) and text)
        return alone + Counter(("list", text) for text in given["list"])

    protocol = af.PROTOCOLS["raw"].replace(whitespace="strip")
    for _ in range(20):
        gold, read = ([document() for _ in range(3)] for _ in range(2))
        frame = pl.DataFrame({
            "doc": [0, 1, 2],
            "gold": [*map(json.dumps, gold)],
            "a": [*map(json.dumps, read)],
        })  # fmt: skip
        both = [(pairs(one), pairs(other)) for one, other in zip(gold, read, strict=True)]
        right = sum((one & other).total() for one, other in both)
        expected = right / (sum(one.total() + other.total() for one, other in both) / 2)
        rows = af.fields(frame, "a", "gold", id="doc")
        report = af.report(rows, "prediction", "answers", metrics="field_f1", protocol=protocol)
        assert report.overall["field_f1"] == pytest.approx(expected, abs=1e-15)

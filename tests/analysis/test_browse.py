"""Pages of rows: what they hold is what other functions return, and nothing in them is markup."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hostile_texts import HOSTILE_TEXTS, KINDS
from rows_pages import ReadPage

import anls_frame as af
from anls_frame.analysis import browsing
from anls_frame.analysis.browsing import RowsPage

QUESTIONS = af.sample()


def read(page: RowsPage, folder: Path, **options: Any) -> ReadPage:
    return ReadPage(page.write(folder / "rows.html", **options).read_text("utf-8"))


def test_a_page_holds_what_other_functions_return(tmp_path: Path) -> None:
    page = af.browse(
        QUESTIONS,
        "tesseract",
        "answers",
        metrics=["anls", "cer"],
        by=["lang", "question_types"],
        keep=["question", "tesseract_confidence"],
        id="question_id",
    )

    found = read(page, tmp_path)

    scored = QUESTIONS.select(
        af.score("tesseract", "answers", missing="empty"),
        af.error_type("tesseract", "answers").cast(pl.String),
        af.explain("tesseract", "answers", missing="empty"),
    ).unnest("score")
    assert found.meta["metrics"] == [
        {"name": "anls", "label": "ANLS", "higher": True, "percent": False},
        {"name": "cer", "label": "CER", "higher": False, "percent": False},
    ]
    assert found.meta["by"] == ["lang", "question_types"]
    for name, expected in {
        "prediction_0": QUESTIONS["tesseract"],
        "answers": QUESTIONS["answers"],
        "id": QUESTIONS["question_id"],
        "by_0": QUESTIONS["lang"],
        "by_1": QUESTIONS["question_types"],
        "keep_0": QUESTIONS["question"],
        "keep_1": QUESTIONS["tesseract_confidence"],
        "score_0_0": scored["anls"],
        "score_1_0": scored["cer"],
        "similarity_0": scored["nls"],
        "nearest_0": scored["answer_index"],
        "type_0": scored["error_type"],
        "raw_0": scored["explain"].struct.field("raw"),
        "case_0": scored["explain"].struct.field("case"),
    }.items():
        assert found.column(name) == expected.to_list(), name
    assert "Mean ANLS 0.660 over 1,568 rows; worst: " in found.text


def test_the_head_names_the_worst_slice_and_where_points_are_lost(tmp_path: Path) -> None:
    # By hand: of 55 points, 30 are lost by missing predictions, 20 by wrong ones, and 5 by quarters.
    rows = [(["de"], "1234", 40), (["de", "en"], None, 30), (["fr", "fr"], "zzzz", 20), (["en"], "123", 20)]
    frame = pl.DataFrame(
        [(lang, text, "1234") for lang, text, count in rows for _ in range(count)],
        schema={"lang": pl.List(pl.String), "prediction": pl.String, "answer": pl.String},
        orient="row",
    )
    # French has no right row, but too few; those that lack a prediction are German and English.
    found = read(af.browse(frame, "prediction", "answer", by="lang"), tmp_path)
    of_all = "Mean ANLS 0.500 over 110 rows"
    assert (
        f"{of_all}; worst with at least 30 rows: en 0.300; loss by cause: 55 % missing, 36 % wrong, 9 % near."
        in found.text
    )
    rates = read(af.browse(frame, "prediction", "answer", by="lang", metrics="cer"), tmp_path)
    assert "Mean CER 50.0 % over 110 rows; worst with at least 30 rows: en 70.0 %." in rates.text
    some = read(af.browse(frame, "prediction", "answer", by="lang", n=100), tmp_path)
    assert f"{of_all}." in some.text
    alone = frame.filter(pl.col("lang").list.len() == 1)
    array = alone.with_columns(pl.col("lang").cast(pl.Array(pl.String, 1)))
    of_array = read(af.browse(array, "prediction", "answer", by="lang"), tmp_path)
    assert "over 60 rows; loss by cause: 100 % near." in of_array.text


def test_edits_and_length_give_the_similarity(tmp_path: Path) -> None:
    for protocol in ("anls", "rrc", "anls_star", af.PROTOCOLS["anls_star"].replace(unit="word")):
        found = read(af.browse(QUESTIONS, "rapidocr", "answers", protocol=protocol), tmp_path)

        columns = (found.column(name) for name in ("edits_0", "length_0", "similarity_0"))
        rows = [row for row in zip(*columns, strict=True) if row[2] is not None]
        assert any(edits for edits, _, _ in rows)
        for edits, length, similarity in rows:
            assert similarity == (1 - edits / length if edits else 1)


def test_several_systems_say_which_were_right(tmp_path: Path) -> None:
    systems = {"old": "tesseract", "new": "rapidocr"}
    found = read(af.browse(QUESTIONS, systems, "answers"), tmp_path)
    three = read(af.browse(QUESTIONS, {**systems, "again": "tesseract"}, "answers"), tmp_path)

    old, new = (found.column(f"score_0_{place}") for place in range(2))
    named = {(1, 1): "all", (1, 0): "only old", (0, 1): "only new", (0, 0): "none"}
    expected = [
        None if one is None else named[int(one == 1), int(other == 1)]
        for one, other in zip(old, new, strict=True)
    ]
    assert found.column("right") == expected
    assert (
        "Mean ANLS over 1,568 rows: old 0.660, new 0.846; right: none 308, only old 57, only new 425, "
        "all 778." in found.text
    )
    assert (
        "Mean ANLS over 1,568 rows: old 0.660, new 0.846, again 0.660; right: none 308, only new 425, "
        "2 of 3 57, all 778." in three.text
    )
    alike = {f"{'a very long name ' * 5}{place}{' of a system' * 5}": "tesseract" for place in range(2)}
    assert "rows: …" in read(af.browse(QUESTIONS, alike, "answers"), tmp_path).text
    numbers = {"only old": "2 of 3"}
    assert three.column("right") == [numbers.get(one, one) for one in expected]


def test_several_systems_say_whether_their_texts_are_the_same(tmp_path: Path) -> None:
    rows = [
        ("Cat ", "cat", "CAT", "same", "different"),
        ("cat", "cat", "cow", "different", "different"),
        ("", None, "", "same", "same"),
        (None, None, None, "same", "same"),
        ("a b", "a c", "a b", "different", "different"),
    ]
    frame = pl.DataFrame(rows, schema=["one", "two", "three", "prepared", "raw"], orient="row").with_columns(
        answer=pl.Series(["x", None, "y", "z", "a b"])
    )
    systems = {name: name for name in ("one", "two", "three")}

    found = read(af.browse(frame, systems, "answer"), tmp_path)
    assert found.column("same") == frame["prepared"].to_list()
    raw = af.PROTOCOLS["raw"].replace(threshold=0.5)
    of_raw = read(af.browse(frame, systems, "answer", protocol=raw), tmp_path)
    assert of_raw.column("same") == frame["raw"].to_list()
    # A prediction that is dropped is not an empty one.
    dropped = read(af.browse(frame, systems, "answer", missing="drop"), tmp_path)
    assert dropped.column("same") == ["same", "different", "different", "same", "different"]
    assert "same" not in read(af.browse(frame, "one", "answer"), tmp_path).meta["columns"]


@pytest.mark.parametrize("number", [1, 2, 12])
def test_rows_are_found_by_what_any_system_read(tmp_path: Path, number: int) -> None:
    answers = ["12345678", "abcdefgh", "zyxwvuts"]
    # System k misreads letter k of each answer, and the fourth of them reads the first one right.
    texts = [
        [
            text if (system, text) == (3, answers[0]) else f"{text[: system % 8]}?{text[system % 8 + 1 :]}"
            for text in answers
        ]
        for system in range(number)
    ]
    frame = pl.DataFrame({f"s{system}": own for system, own in enumerate(texts)}).with_columns(
        answer=pl.Series(answers)
    )
    systems = {f"system {system}": f"s{system}" for system in range(number)} if number > 1 else "s0"

    found = read(af.browse(frame, systems, "answer"), tmp_path)

    expected = [
        {
            f"{right} → {wrong}"
            for own in texts
            for right, wrong in zip(answer, own[row], strict=True)
            if right != wrong
        }
        for row, answer in enumerate(answers)
    ]
    assert list(map(set, found.column("read_as"))) == expected


def test_verdicts_get_the_columns_that_tell_repeated_ids_apart(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "id": [1, 1],
            "system": pl.Series(["a", "b"], dtype=pl.Categorical),
            "epoch": [None, 2],
            "prediction": ["x", "x"],
            "answers": ["y", "y"],
        }
    )
    found = read(af.browse(frame, "prediction", "answers", id="id"), tmp_path)
    other = frame.with_columns(system=pl.concat_list("system"), epoch=0.5)

    assert found.column("system") == ["a", "b"]
    assert found.column("epoch") == [None, 2]
    assert not {"system", "epoch"} & set(
        read(af.browse(other, "prediction", "answers"), tmp_path).meta["columns"]
    )


def test_verdicts_are_kept_for_the_same_texts(tmp_path: Path) -> None:
    def key(frame: pl.DataFrame, **options: Any) -> str:
        return str(read(af.browse(frame, "tesseract", "answers", **options), tmp_path).meta["key"])

    kept = key(QUESTIONS)
    assert key(QUESTIONS, by="lang", keep="question", metrics="cer") == kept
    assert key(QUESTIONS.with_columns(pl.col("tesseract").str.to_lowercase())) != kept
    assert key(QUESTIONS.reverse()) != kept


@pytest.mark.parametrize(("metric", "sign"), [("anls", 1), ("cer", -1)])
@pytest.mark.parametrize("number", [1, 2, 4])
def test_rows_that_any_system_broke_come_before_the_worst(
    tmp_path: Path, metric: str, sign: int, number: int
) -> None:
    texts = ["tesseract", "rapidocr", *(f"s{place}" for place in range(2, number))]
    systems = {f"system {place}": text for place, text in enumerate(texts[:number])}
    # Each other system has another part of the answers of both.
    frame = QUESTIONS.with_columns(
        pl.when(pl.col("question_id") % number < place).then("tesseract").otherwise("rapidocr").alias(name)
        for place, name in enumerate(texts[2:number], 2)
    )
    found = read(
        af.browse(frame, systems, "answers", metrics=metric, n=300)
        if number > 1
        else af.browse(frame, "tesseract", "answers", metrics=metric, n=300),
        tmp_path,
    )

    scores = (
        af.score(text, "answers", missing="empty").struct.field(score).alias(f"{score} {name}")
        for name, text in systems.items()
        for score in (metric, "nls")
    )
    rows = frame.with_row_index("row").select("row", *scores).drop_nulls().to_dicts()

    def changes(row: dict[str, Any]) -> list[float]:
        baseline, *others = (row[f"{metric} {name}"] for name in systems)
        return [round(score - baseline, 9) for score in others]

    def order(row: dict[str, Any]) -> tuple[float, ...]:
        means = (sum(row[f"{score} {name}"] for name in systems) / number for score in (metric, "nls"))
        mean, nls = means
        return min([0, *(sign * change for change in changes(row))]), round(mean * sign, 9), round(nls, 9)

    shown = set(found.column("row"))
    taken = [row for row in rows if row["row"] in shown]
    assert found.column("row") == [row["row"] for row in taken]
    assert sorted(map(order, taken)) == sorted(map(order, rows))[:300]
    for place in range(1, number):
        assert found.column(f"change_{place}") == [changes(row)[place - 1] for row in taken]
    if number > 1:
        assert found.column("change") == [sign * min(sign * x for x in changes(row)) for row in taken]
    column = "change" if number > 1 else "score_0_0"
    assert found.meta["sort"] == (column if metric == "anls" else f"-{column}")
    who = {1: "", 2: " that system 1 broke, or", 4: " that a system broke, or"}[number]
    assert f"These are the 300 rows{who} with the worst scores of 1,624." in found.text


def test_a_page_of_an_audit_has_the_drawn_rows_in_random_order(tmp_path: Path) -> None:
    sample = af.audit_sample(QUESTIONS, 50, cluster="doc_id")

    page = sample.anls.browse("tesseract", "answers", id="question_id", audit=True)  # type: ignore[attr-defined]

    found = read(page, tmp_path)
    drawn = sample.with_row_index("row").filter("audit")
    rows, ids = found.column("row"), found.column("id")
    assert sorted(zip(rows, ids, strict=True)) == drawn.select("row", "question_id").rows()
    assert rows != sorted(rows)
    # Sorted by nothing that the page has.
    assert found.meta["audit"] is True
    assert found.meta["sort"].lstrip("-") not in found.meta["columns"]
    assert "These are the 50 rows that were drawn, in random order." in found.text
    assert read(af.browse(QUESTIONS, "tesseract", "answers", n=3), tmp_path).meta["audit"] is False
    with pytest.raises(ValueError, match="n leaves rows out"):
        af.browse(sample, "tesseract", "answers", audit=True, n=5)


def test_pandas_and_arrow_give_the_same_page(tmp_path: Path) -> None:
    options: dict[str, Any] = {"by": ["lang"], "keep": ["question"]}
    pages = [
        read(af.browse(frame, "tesseract", "answers", **options), tmp_path).html
        for frame in (QUESTIONS, QUESTIONS.to_pandas(), QUESTIONS.to_arrow())
    ]
    indexed = QUESTIONS.to_pandas().set_index("lang").anls.browse("tesseract", "answers", **options)

    assert pages == [read(indexed, tmp_path).html] * 3


def test_hostile_texts_are_texts(tmp_path: Path) -> None:
    texts = list(HOSTILE_TEXTS)
    hostile = "</script><img src=x onerror=alert(1)>"
    frame = pl.DataFrame(
        {
            "prediction": texts,
            "answers": [[text, None] for text in reversed(texts)],
            hostile: texts,
            "<b>keep": [[text, text] for text in texts],
        }
    )
    plain = pl.DataFrame({"prediction": ["a"], "answers": [["b", None]], "by": ["c"], "keep": [["d"]]})

    found = read(
        af.browse(
            frame, {hostile: "prediction", "<!--": "prediction"}, "answers", by=hostile, keep="<b>keep"
        ),
        tmp_path,
    )
    expected = read(
        af.browse(plain, {"a": "prediction", "b": "prediction"}, "answers", by="by", keep="keep"), tmp_path
    )

    # As many elements, apart from parts that are there only if a step changes a score.
    assert found.tags == expected.tags
    assert len(found.find("script")) == 2 + len([name for name in found.scripts if name != "meta"])
    assert not [name for name in found.names if name.startswith("on")]
    assert found.column("prediction_0") == texts
    assert found.column("answers") == [[text, None] for text in reversed(texts)]
    assert found.column("by_0") == texts
    assert found.column("keep_0") == [[text, text] for text in texts]
    assert found.meta["systems"] == [hostile, "<!--"]
    for text in KINDS["markup"]:
        titled = read(af.browse(plain, "prediction", "answers"), tmp_path, title=text)
        assert titled.tags == expected.tags


def test_lines_of_a_page_can_be_joined(tmp_path: Path) -> None:
    """A kernel that joined them hid all that follows a comment, and changed what the digests are of."""
    found = read(af.browse(QUESTIONS.head(3), "tesseract", "answers"), tmp_path)
    joined = ReadPage(found.html.replace("\n", ""))

    assert "//" not in found.code
    assert "/*" not in found.code + found.style
    assert (joined.code, joined.style, joined.meta) == (found.code, found.style, found.meta)


def test_the_policy_names_the_script_the_style_and_images_alone(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"a": ["x", "y"], "page": ["https://one.example:8000/p.png", "http://Two.example/?q"], "n": [1, None]}
    )

    def policy(**options: Any) -> str:
        found = read(af.browse(frame, "a", "a", **options), tmp_path)
        digests = (
            base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            for text in (found.style, found.code)
        )
        expected = "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; ".format(*digests)
        rest = found.policy.removeprefix(expected)
        assert rest != found.policy
        return rest.removesuffix("; base-uri 'none'; form-action 'none'")

    assert policy() == "img-src 'none'"
    assert policy(image="page") == "img-src http://two.example https://one.example:8000"
    assert policy(image="pages/{n}.png") == "img-src 'self' file:"
    assert policy(image="https://cdn.example/{a}/{n}.png") == "img-src https://cdn.example"
    assert policy(image="data:image/png;base64,{a}") == "img-src data:"
    for right in ("/a/{n}", "../a/{n}", "file:///a/{n}", "file:/a/{n}", "FILE:///C:/{n}", "a//{n}"):
        assert policy(image=right).endswith("file:")
    of_hosts = (
        *(
            "//host/{n}",
            "\\\\host\\{n}",
            "/\\host/{n}",
            "a\\{n}",
            " //host/{n}",
            "/\t/host/{n}",
            "/.//host/{n}",
        ),
        *("..//host/{n}", "/%2e//host/{n}", "%5c%5Chost/{n}", "file://host/{n}", "file:////host/{n}"),
        *("file://///host/{n}", "FILE:\\\\host\\{n}", "file:///.//host/{n}", "fi\nle://host/{n}"),
        "file:///%5C%5Chost/{n}",
    )
    for wrong in of_hosts:
        with pytest.raises(ValueError, match=r"images must be .* which name another computer, got"):
            af.browse(frame, "a", "a", image=wrong)
    for wrong in ("javascript:alert({n})", "https://a b/{n}", "https://x;script-src *{n}", "ftp://a/{n}"):
        with pytest.raises(ValueError, match="images must be paths or addresses"):
            af.browse(frame, "a", "a", image=wrong)


def test_images_are_columns_or_templates(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["x", "y"], "n": [1, None], "{n}": ["p", "q"]})

    def images(image: str) -> list[str | None]:
        return read(af.browse(frame, "a", "a", image=image), tmp_path).column("image")

    assert images("{a}/{{{n}}}.png") == ["x/{1}.png", None]
    assert images("{n}") == ["p", "q"]
    with pytest.raises(af.exceptions.ColumnNotFoundError, match="no column 'b'"):
        images("{b}.png")
    with pytest.raises(ValueError, match="image must have names of columns alone in braces"):
        images("{n:03}.png")


def test_values_of_all_kinds_are_kept(tmp_path: Path) -> None:
    values = {
        "numbers": [1.5, float("nan"), None],
        "large": [2**60, 1, None],
        "flags": [True, False, None],
        "dates": [date(2026, 1, 2), date(2025, 1, 2), None],
        "structs": [{"a": 1}, {"a": None}, None],
    }
    frame = pl.DataFrame({"a": ["x", "y", "z"], **values}).with_columns(
        pl.Series("sizes", ["s", "l", None], pl.Enum(["l", "s"]))
    )
    found = read(af.browse(frame, "a", "a", keep=[*values, "sizes"]), tmp_path)

    assert [found.column(f"keep_{place}") for place in range(6)] == [
        [1.5, "NaN", None],
        ["1152921504606846976", 1, None],
        ["true", "false", None],
        ["2026-01-02", "2025-01-02", None],
        ['{"a": 1}', '{"a": null}', None],
        ["s", "l", None],
    ]
    with pytest.raises(af.DTypeError, match="column 'a' has dtype Binary"):
        af.browse(frame.with_columns(b="a").cast({"a": pl.Binary}), "b", "b", keep="a")


def test_rows_without_answers_or_predictions_are_shown(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["x", None, ""], "b": pl.Series([None, ["x"], []], dtype=pl.List(pl.String))})

    scores = [
        read(af.browse(frame, "a", "b", missing=missing), tmp_path).column("score_0_0")
        for missing in ("empty", "drop")
    ]

    assert scores == [[None, 0, None], [None, None, None]]
    assert read(af.browse(frame.head(0), "a", "b"), tmp_path).column("answers") == []


def test_a_page_that_is_too_large_says_how_many_rows_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"a": ["x"]}).select(pl.col("a").repeat_by(100_001).explode(empty_as_null=True))
    with pytest.raises(
        ValueError, match=re.escape("would have 100,001 rows, more than 100,000; pass n=100_000")
    ):
        af.browse(frame, "a", "a")

    whole = af.browse(QUESTIONS, "tesseract", "answers", keep="question")
    monkeypatch.setattr(browsing, "LARGEST", whole.size - 20_000)
    with pytest.raises(
        ValueError, match=r"MB, more than .*; pass n=\S+ for the .* fewer columns in keep="
    ) as error:
        af.browse(QUESTIONS, "tesseract", "answers", keep="question")
    n = int(re.findall(r"n=(\S+)", str(error.value))[0])
    assert 0 < n < QUESTIONS.height


def test_a_notebook_shows_the_page(tmp_path: Path) -> None:
    frame = QUESTIONS.head(50).rename({"question": 'a "b" & c'})
    page = af.browse(frame, "tesseract", "answers", keep='a "b" & c')
    shown = page._repr_html_()

    source = re.fullmatch(r'<iframe srcdoc="([^"]*)" [^>]*></iframe>', shown)
    assert source is not None
    assert html.unescape(source[1]) == read(page, tmp_path).html


def test_options_are_checked(tmp_path: Path) -> None:
    for options, message in (
        ({"n": 0}, "n must be an integer"),
        ({"metrics": "zeros"}, "metrics must be scores of rows"),
    ):
        with pytest.raises(ValueError, match=message):
            af.browse(QUESTIONS, "tesseract", "answers", **options)
    with pytest.raises(af.exceptions.ColumnNotFoundError, match="did you mean 'question_id'"):
        af.browse(QUESTIONS, "tesseract", "answers", id="question_i")
    with pytest.raises(ValueError, match="name must end in"):
        af.browse(QUESTIONS, "tesseract", "answers").write(tmp_path / "rows.csv")


def test_own_metrics_are_shown(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["x", "z"], "judge": [0.25, 0.75], "other": [1.0, 0.0]})
    one = read(af.browse(frame, "a", "b", metrics=["judge", "anls"]), tmp_path)
    judged = af.Metric({"first": "judge", "second": "other"}, name="judge")
    two = read(af.browse(frame, {"first": "a", "second": "b"}, "b", metrics=[judged]), tmp_path)

    assert one.column("score_0_0") == [0.25, 0.75]
    assert one.column("score_1_0") == [1, 0]
    assert two.column("score_0_1") == [1, 0]
    assert two.meta["metrics"] == [{"name": "judge", "label": "judge", "higher": True, "percent": False}]


def test_a_frame_with_a_column_named_row_has_a_page(tmp_path: Path) -> None:
    frame = pl.DataFrame({"p": ["a", "b"], "a": ["a", "c"], "lang": ["en", "de"], "row": [7, 8]})

    page = read(af.browse(frame, "p", "a", by="lang", keep=["row", "lang"], id="row"), tmp_path)

    assert page.column("id") == [7, 8]
    assert page.column("by_0") == ["en", "de"]
    assert page.meta["keep"] == []


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        # Without a prediction, two other texts, and "zz", which contains "z".
        ("contains_answer", "0.500 over 6 rows; loss by cause: 67 % wrong, 33 % missing."),
        ("relaxed_accuracy", "0.167 over 6 rows; loss by cause: 80 % wrong, 20 % missing."),
        ("field_f1", "0.167 over 6 rows; loss by cause: 80 % wrong, 20 % missing."),
        (af.Metric("own", bounds=(0, 1)), "0.625 over 6 rows; loss by cause: 78 % wrong, 22 % missing."),
        (
            af.Metric("right", denominator="fields", bounds=(0, 1)),
            "0.500 over 6 rows; loss by cause: 83 % wrong, 17 % missing.",
        ),
    ],
    ids=["contains_answer", "relaxed_accuracy", "field_f1", "own", "ratio"],
)
def test_pages_say_what_lowers_scores_that_no_unwrapping_changes(
    metric: Any, said: str, tmp_path: Path
) -> None:
    frame = pl.DataFrame(
        {
            "prediction": ["x", None, "abc", "The answer is q.", "zz", "k"],
            "answer": ["x", "y", "z", "q", "z", "j"],
            "own": [1.0, 0.5, 0.0, 0.25, 1.0, 1.0],
            "right": [2, 1, 0, 1, 0, 2],
            "fields": [2, 2, 2, 2, 2, 2],
        }
    )
    assert said in read(af.browse(frame, "prediction", "answer", metrics=metric), tmp_path).text

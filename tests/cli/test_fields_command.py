"""`anls-frame fields` reports two folders of JSON, or a table, by field and by document."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import example_files
import openpyxl
import polars as pl
import pytest
import shell
from shell import fine, refused

import anls_frame as af


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    example_files._documents(tmp_path)  # noqa: SLF001 - these files alone
    return tmp_path


def tables_of(folder: Path, *options: str) -> Any:
    return json.loads(shell.run(folder, "fields", *options, "--json").stdout)["tables"]


def test_two_folders_as_the_library_reports_them(folder: Path) -> None:
    done = fine(shell.run(folder, "fields", "extracted", "--gold", "gold"))
    assert "0 of 12 documents wholly right" in done
    names = [f"{number}" for number in range(12)]
    frame = pl.DataFrame({
        "id": names,
        "gold": [(folder / f"gold/{name}.json").read_text("utf-8") for name in names],
        "read": [(folder / f"extracted/{name}.json").read_text("utf-8") for name in names],
    })  # fmt: skip
    rows = af.fields(frame, "read", "gold", id="id")
    expected = af.report(rows, "prediction", "answers", metrics="fields", by="field", cluster="id")
    by_field = {
        line["field"]: line
        for line in tables_of(folder, "extracted", "--gold", "gold")["By field"]
        if line["slice"] == "group"
    }
    assert by_field.keys() == {"total", "date", "items[].name"}
    for line in expected.by_group.rows(named=True):
        assert by_field[line["field"]]["field_f1"] == line["field_f1"]


def test_names_pair_up_however_a_file_system_stores_their_accents(tmp_path: Path) -> None:
    for form, name in (("NFC", "gold"), ("NFD", "read")):
        (tmp_path / name).mkdir()
        file = tmp_path / name / unicodedata.normalize(form, "Beleg für März.json")
        file.write_text('{"total": "7.50"}', encoding="utf-8")
    assert "1 of 1 document wholly right" in fine(shell.run(tmp_path, "fields", "read", "--gold", "gold"))


def test_kinds_confidences_and_required_fields(folder: Path) -> None:
    options = ["extracted", "--gold", "gold", "--kind", "total=number:,", "--kind", "date=date:%d.%m.%Y"]
    done = fine(shell.run(folder, "fields", *options, "--model-confidence", "confidences"))
    assert "0.790 │" in done  # as many decimals as 0.8, below it
    assert "0.800 │" in done
    # Each third document has another total, no date and another name.
    assert "8 of 12 documents wholly right" in done
    assert "Documents, the least confident first" in done
    listed = tables_of(folder, *options, "--model-confidence", "confidences")["Documents"]
    # The date of these was not found, so nothing says how sure they are; then the total counts.
    assert [line["document"] for line in listed[:5]] == ["0", "3", "6", "9", "11"]
    assert [line["confidence"] for line in listed[:5]] == [None, None, None, None, 0.79]
    assert [line["all_right"] for line in listed] == [*[False] * 4, *[True] * 8]
    required = fine(shell.run(folder, "fields", *options, "--required", "items[].name", "--n", "3"))
    assert "8 of 12 documents wholly right in 'items[].name'" in required
    assert "... and 9 more rows" in required


def test_a_table_and_written_files(folder: Path) -> None:
    kinds = ["--kind", "total=number:,", "--kind", "*date=date:%d.%m.%Y", "--kind", "*date=date:%d/%m/%Y"]
    done = fine(shell.run(folder, "fields", "documents.jsonl", *kinds, "-o", "fields.html"))
    assert done == "8 of 12 documents wholly right: fields.html\n"
    page = (folder / "fields.html").read_text("utf-8")
    assert "8 of 12 documents wholly right." in page
    assert "Documents are listed with the most wrong fields first." in page
    table = pl.DataFrame({"doc": ["a"], "m": ['{"x": "1"}'], "g": [{"x": "1"}]})
    table.write_parquet(folder / "t.parquet")
    named = ["t.parquet", "--id", "doc", "--prediction", "m", "--answers", "g"]
    assert "1 of 1 document wholly right" in fine(shell.run(folder, "fields", *named))


@pytest.mark.parametrize("name", ["id", "doc_id", "file_name"])
def test_a_column_with_a_usual_name_of_ids_identifies_documents(folder: Path, name: str) -> None:
    value = {"x": "1"}
    rows = [{name: key, "prediction": value, "answers": value} for key in "ab"]
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert [line[name] for line in tables_of(folder, "rows.jsonl")["Documents"]] == ["a", "b"]
    # A column of this name comes first.
    (folder / "rows.jsonl").write_text(
        "\n".join(json.dumps({**row, "document": row[name] * 2}) for row in rows)
    )
    assert '"aa"' in fine(shell.run(folder, "fields", "rows.jsonl", "--json"))


def test_a_workbook_has_the_columns_that_fit_and_names_the_others(folder: Path) -> None:
    fine(shell.run(folder, "fields", "documents.jsonl", "-o", "fields.xlsx"))
    book = openpyxl.load_workbook(folder / "fields.xlsx")
    heads = [cell.value for cell in book["By field"][1]]
    assert len(heads) <= 15
    assert {"exact match, low", "precision", "recall", "F1", "missing", "invented"} <= {*heads}
    notes = [cell.value for (cell,) in book["Notes"].iter_rows()]
    (left_out,) = [note for note in notes if "more columns" in note]
    assert {"wrong_share", "field_f1_low"} <= {*left_out.partition(": ")[2].split(", ")}
    assert book["Documents"].max_row == 13


def test_documents_on_one_side_and_broken_ones_are_said(folder: Path) -> None:
    (folder / "extracted/1.json").unlink()
    (folder / "extracted/2.json").write_text("Here is the JSON:", encoding="utf-8")
    (folder / "extracted/other.json").write_text("{}", encoding="utf-8")
    done = shell.run(folder, "fields", "extracted", "--gold", "gold")
    assert done.returncode == 0
    said = " ".join(done.stderr.split())
    assert "1 document missing in 'extracted', such as '1', whose fields all count as missing" in said
    assert "1 document of 'extracted' without gold left out, such as 'other'" in said
    assert "1 document of 'prediction' cannot be read, so all their fields count as wrong" in said
    assert "of 12 documents wholly right" in done.stdout


def test_folders_below_and_the_documents_own_confidences(tmp_path: Path) -> None:
    for name, document in (
        ("gold", {"total": "5"}),
        ("read", {"total": {"value": "5", "confidence": 0.25}}),
    ):
        (tmp_path / name / "may").mkdir(parents=True)
        (tmp_path / name / "may/a.json").write_text(json.dumps(document), encoding="utf-8")
    tables = tables_of(tmp_path, "read/", "--gold", "gold", "--model-confidence", "read")
    assert tables["Documents"] == [
        {"document": "may/a", "n_fields": 1, "n_wrong": 0, "all_right": True, "confidence": 0.25}
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("extracted", "name the folder of the gold documents with --gold"),
        ("extracted --gold none", "none: there is no such folder"),
        ("extracted --gold documents.jsonl", "documents.jsonl: this is a file: name the folder"),
        ("extracted --gold gold --id doc", "--id names a column, but extracted is a folder"),
        ("documents.jsonl --gold gold", "--gold needs a folder of documents"),
        ("documents.jsonl --gold documents.jsonl", "join them to this one by their ids"),
        (
            "documents.jsonl --id page",
            "--id: no column 'page' among 'document', 'prediction', 'answers'",
        ),
        ("documents.jsonl --model-confidence sure", "--model-confidence: no column 'sure' among"),
        ("extracted --gold gold --kind total", "--kind must be NAME=KIND"),
        ("extracted --gold gold --kind total=amount", "--kind must be NAME=KIND"),
        ("extracted --gold gold --kind total=number:;", "decimal must be one of '.', ','"),
        ("extracted --gold gold --kind a=code --kind a=number", "--kind must give a name one kind"),
        ("extracted --gold gold --required tax", "required: no document has the field 'tax'"),
        (
            "extracted --gold gold -o fields.xyz",
            "the format of 'fields.xyz' from its suffix; it must end in one of",
        ),
    ],
)
def test_refused(folder: Path, options: str, message: str) -> None:
    refused(shell.run(folder, "fields", *options.split()), message)


def test_report_names_this_command_for_folders_of_json(folder: Path) -> None:
    gold = shell.run(folder, "report", "extracted", "--gold", "gold")
    refused(gold, "for documents of fields in JSON, use `anls-frame fields`")
    refused(
        shell.run(folder, "report", "extracted"),
        "for a folder with a JSON document in each file, use `anls-frame fields`",
        "no column with the prediction",
    )


def test_broken_gold_and_folders_without_a_name_in_common(folder: Path) -> None:
    (folder / "gold/3.json").write_text("{", encoding="utf-8")
    refused(
        shell.run(folder, "fields", "extracted", "--gold", "gold"),
        "column 'gold/', document '3': invalid JSON",
    )
    (folder / "others").mkdir()
    (folder / "others/x.json").write_text("{}", encoding="utf-8")
    refused(
        shell.run(folder, "fields", "others", "--gold", "gold"),
        "no file in 'others' has the name of one in 'gold'",
    )


def test_confidences_beside_values_name_the_option_that_keeps_them(tmp_path: Path) -> None:
    for name, total in (("gold", '"12.50"'), ("extracted", '{"value": "12.50", "confidence": 0.9}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.json").write_text(f'{{"total": {total}}}', encoding="utf-8")
    files = ("fields", "extracted", "--gold", "gold")
    assert "pass --model-confidence extracted" in " ".join(shell.run(tmp_path, *files).stderr.split())
    kept = shell.run(tmp_path, *files, "--model-confidence", "extracted")
    assert "0.9" in kept.stdout
    assert kept.stderr == ""


def test_warnings_of_kinds_name_the_option(folder: Path) -> None:
    said = shell.run(folder, "fields", "extracted", "--gold", "gold", "--kind", "totl=number").stderr
    assert "anls-frame: --kind: no field matches 'totl'" in said


def test_a_format_of_numbers_is_one(folder: Path) -> None:
    kinds = ("--kind", "total=number", "--kind", "total=number:,")
    said = shell.run(folder, "fields", "extracted", "--gold", "gold", *kinds).stderr
    assert "one kind, got two for 'total'; if gold and predictions write numbers" in " ".join(said.split())


def test_null_keys_are_counted_where_asked(tmp_path: Path) -> None:
    for name, gold, read in (
        ("a", {"total": "5", "vat": None}, {"total": "5", "vat": "1"}),
        ("b", {"total": "7", "vat": None}, {"total": "7", "po": "3"}),
    ):
        for folder, document in (("gold", gold), ("read", read)):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / f"{name}.json").write_text(json.dumps(document))
    plain = tables_of(tmp_path, "read", "--gold", "gold")["By field"]
    assert not any("fabrication_rate" in line for line in plain)
    by_field = tables_of(tmp_path, "read", "--gold", "gold", "--nulls", "keep")["By field"]
    assert {line["field"]: line["fabrication_rate"] for line in by_field if line["slice"] == "group"} == {
        "total": None,
        "vat": 1 / 2,
        "po": None,
    }
    done = shell.run(tmp_path, "fields", "read", "--gold", "gold", "--nulls", "x")
    refused(done, "'x' is not one of 'drop', 'keep'")


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "csv", "xlsx"])
def test_a_converted_table_of_documents_has_the_same_figures(tmp_path: Path, suffix: str) -> None:
    """The standard table has lists of answers."""
    gold = ['{"total": "5", "vat": "1"}', '{"total": "7"}']
    model = ['{"total": "5"}', '{"total": "8"}']
    ids = ["a", "b"]
    rows = pl.DataFrame({"question_id": ids, "prediction": model, "answers": gold})
    rows.write_ndjson(tmp_path / "both.jsonl")
    rows.drop("answers").write_ndjson(tmp_path / "model.jsonl")
    rows.drop("prediction").write_ndjson(tmp_path / "gold.jsonl")
    expected = tables_of(tmp_path, "both.jsonl")
    for given in (["both.jsonl"], ["model.jsonl", "--gold", "gold.jsonl"]):
        done = shell.run(tmp_path, "convert", given[0], f"t.{suffix}", *given[1:], "--force")
        assert done.returncode == 0
        assert tables_of(tmp_path, f"t.{suffix}") == expected

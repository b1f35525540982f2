"""What the text formats look like as a whole: CSV, JSON, Markdown, LaTeX."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path

import polars as pl
import pytest
from export_cases import DASH, SUM, report, single, strict_json

from anls_frame.export import SUFFIXES, Document, Table, write

# CSV and TSV


def test_csv_as_a_whole(tmp_path: Path) -> None:
    expected = f"""\
slice,type,n,anls,anls_low,anls_high,cer,p,remark,signature,digest
overall,,12345,0.68,0.651,0.708,0.1,,,anls|protocol:anls|threshold:0.5,0123
group,form,12000,{SUM!r},0.2,0.4,NaN,0.000012345,,anls|protocol:anls|threshold:0.5,0123
group,,340,1.0,1.0,1.0,inf,-0.5,,anls|protocol:anls|threshold:0.5,0123
group,"",5,,,,,0.25,few rows,anls|protocol:anls|threshold:0.5,0123
"""
    assert write(report(), tmp_path / "report.csv").read_bytes().decode() == expected
    # The case of a suffix does not matter.
    tabs = write(report(), tmp_path / "report.TSV").read_bytes().decode()
    assert tabs == expected.replace(",", "\t")


def test_columns_of_the_settings_give_way_to_the_tables_own(tmp_path: Path) -> None:
    frame = pl.DataFrame({"digest": ["a"], "signature": ["b"], "signature_": ["c"]})
    path = write(Document("t", [Table("T", frame)], {"digest": "d"}, "s"), tmp_path / "report.csv")
    assert path.read_text() == "digest,signature,signature_,signature__,digest_\na,b,c,s,d\n"


def test_a_byte_order_mark_at_the_start_is_part_of_a_name(tmp_path: Path) -> None:
    document = Document("t", [Table("T", pl.DataFrame({"\ufeffname": [1]}))], {}, "s")
    path = write(document, tmp_path / "report.csv")
    assert path.read_bytes().startswith(b'"\xef\xbb\xbfname",')
    assert next(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))[0] == "\ufeffname"
    assert pl.read_csv(path).columns[0] == "\ufeffname"


def test_numbers_are_no_formulas(tmp_path: Path) -> None:
    document = Document(
        "t", [Table("=T", pl.DataFrame({"=n": [-1], "-f": [-0.5], "i": [-math.inf]}))], {}, "=s"
    )
    path = write(document, tmp_path / "report.csv", escape_formulas=True)
    assert path.read_text() == "'=n,'-f,i,signature,digest\n-1,-0.5,-inf,'=s,\n"


@pytest.mark.parametrize("suffix", [suffix for suffix in SUFFIXES if suffix not in (".csv", ".tsv")])
def test_other_formats_need_no_escape(tmp_path: Path, suffix: str) -> None:
    plain = write(single(["=1"]), tmp_path / f"plain{suffix}")
    escaped = write(single(["=1"]), tmp_path / f"escaped{suffix}", escape_formulas=True)
    assert plain.read_bytes() == escaped.read_bytes()


# JSON and JSON Lines


def test_json_as_a_whole(tmp_path: Path) -> None:
    content = strict_json(write(report(), tmp_path / "report.json"))
    assert list(content) == ["title", "signature", "settings", "tables", "notes"]
    assert content["title"] == report().title
    assert content["signature"] == report().signature
    assert content["settings"] == report().settings
    assert content["notes"] == ["Intervals: 95 %."]
    assert list(content["tables"]) == ["By type", "Worst rows"]
    assert content["tables"]["Worst rows"] == [
        {"prediction": "a", "answers": ["x", "y"]},
        {"prediction": "", "answers": []},
        {"prediction": None, "answers": None},
    ]
    first, second, third, fourth = content["tables"]["By type"]
    assert list(first) == report().main.frame.columns
    assert (second["anls"], second["cer"], third["cer"]) == (SUM, None, None)
    assert (third["type"], fourth["type"]) == (None, "")


def test_json_settings_have_null_for_nan(tmp_path: Path) -> None:
    document = Document("t", [Table("T", pl.DataFrame())], {"a": [math.nan, (1, math.inf)], "b": True}, "")
    assert strict_json(write(document, tmp_path / "report.json"))["settings"] == {
        "a": [None, [1, None]],
        "b": True,
    }


# Markdown and LaTeX


def test_markdown_as_a_whole(tmp_path: Path) -> None:
    expected = """\
# Scores of tesseract

## By type

| type        |          n |                     anls |       cer |         p | remark   |
| ----------- | ---------: | -----------------------: | --------: | --------: | -------- |
| **all rows** | **12,345** | **0.680 [0.651, 0.708]** | **0.100** |     **DASH** |          |
| form        |     12,000 |     0.300 [0.200, 0.400] |       NaN |   1.2e-05 |          |
| *null*      |        340 |     1.000 [1.000, 1.000] |       inf |      -0.5 |          |
| *empty*     |          5 |                        DASH |         DASH |      0.25 | few rows |

## Worst rows

| prediction | answers    |
| ---------- | ---------- |
| a          | x &#124; y   |
| *empty*    | \\[\\]       |
| *null*     | *null*     |

- Intervals: 95 %.

Signature: `anls|protocol:anls|threshold:0.5`

## Settings

- protocol: `anls`
- threshold: `0.5`
- digest: `0123`
- cluster: `null`
- versions: `{"polars": "2"}`
"""
    actual = write(report(), tmp_path / "report.md").read_bytes().decode()
    assert plain_layout(actual) == plain_layout(expected.replace("DASH", DASH))


def plain_layout(source: str) -> str:
    """Without the spaces and dashes that make the columns of the source as wide as their texts."""
    return re.sub("-+", "-", re.sub(" +", " ", source))


def test_latex_as_a_whole(tmp_path: Path) -> None:
    source = write(report(), tmp_path / "report.tex").read_bytes().decode()
    table = r"""
\sbox\anlsframebox{\setlength{\tabcolsep}{4pt}%
\begin{tabular}{@{}lrrrrl@{}}
\toprule
type & n & anls & cer & p & remark \tabularnewline
\midrule
OVERALL \tabularnewline
\midrule
form & 12,000 & 0.300 {\scriptsize[0.200, 0.400]} & NaN & 1.2e$-$05 &  \tabularnewline
\emph{null} & 340 & 1.000 {\scriptsize[1.000, 1.000]} & inf & $-$0.5 &  \tabularnewline
\emph{empty} & 5 & DASH & DASH & 0.25 & few rows \tabularnewline
\bottomrule
\end{tabular}}%
\begin{anlsframetable}
\centering
\caption{Scores of tesseract: By type}\label{tab:scores-of-tesseract-by-type}\par\smallskip
\anlsframefit{\usebox\anlsframebox}
"""
    overall = (
        r"\textbf{all rows} & \textbf{12,345} & \textbf{0.680 {\scriptsize[0.651, 0.708]}} & \textbf{0.100}"
    )
    overall += rf" & \textbf{{{DASH}}} & "
    assert table.replace("OVERALL", overall).replace("DASH", DASH) in source
    assert r"Intervals: 95 \%." in source
    assert '% signature: "anls|protocol:anls|threshold:0.5"\n' in source
    assert '% settings: versions: {"polars": "2"}\n' in source
    assert r"Signature: \texttt{anls\textbar{}\allowbreak{}" in source


@pytest.mark.parametrize(
    ("rows", "environment"),
    [(1, "anlsframetable"), (40, "anlsframetable"), (41, "longtable"), (500, "longtable")],
)
def test_latex_breaks_long_tables_over_pages(tmp_path: Path, rows: int, environment: str) -> None:
    source = write(single(list(range(rows))), tmp_path / "report.tex").read_text()
    assert source.count(rf"\begin{{{environment}}}") == source.count(rf"\end{{{environment}}}") == 1
    assert source.count(r" \tabularnewline") == rows + (2 if environment == "longtable" else 1)
    # In a paper of two columns, longtable would end the run.
    one_column = re.findall(r"^\\anlsframe(?:wide|back)$", source, re.MULTILINE)
    assert one_column == ([r"\anlsframewide", r"\anlsframeback"] if environment == "longtable" else [])


def test_latex_turns_the_page_for_wide_long_tables(tmp_path: Path) -> None:
    frame = pl.DataFrame({f"a column {index}": [1] * 50 for index in range(9)})
    source = write(Document("t", [Table("T", frame)], {}, ""), tmp_path / "report.tex").read_text()
    assert source.count(r"\begin{landscape}") == source.count(r"\end{landscape}") == 1


def test_latex_gives_each_table_its_label(tmp_path: Path) -> None:
    tables = [Table(name, pl.DataFrame({"a": [1]})) for name in ("Type", "type", "TYPE!", "", "日本")]
    source = write(Document("", tables, {}, ""), tmp_path / "report.tex").read_text()
    labels = re.findall(r"\\label\{tab:(.*?)\}", source)
    assert labels == ["type", "type-2", "type-3", "table", "table-2"]


def test_a_label_does_not_repeat_what_the_title_says(tmp_path: Path) -> None:
    tables = [Table(name, pl.DataFrame({"a": [1]})) for name in ("By lang", "By type")]
    source = write(Document("Scores by lang", tables, {}, ""), tmp_path / "report.tex").read_text()
    labels = re.findall(r"\\label\{tab:(.*?)\}", source)
    assert labels == ["scores-by-lang", "scores-by-lang-by-type"]

"""Writes the pages of rows that the browser looks at."""

from __future__ import annotations

import base64
import random
import subprocess
import sys
from pathlib import Path

import polars as pl
from hostile_texts import HOSTILE_TEXTS, LONG

import anls_frame as af

ROWS = 100_000
LENGTH = 55
TYPES = ("form", "table", "layout", "free text", "handwritten")
WRONG, WRONG_LETTERS = 0.5, 0.08
LONGEST_HOSTILE = 200
MANY_SYSTEMS, MANY_ROWS = 43, 10_000
JUDGED = 40
SQUARE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
"""An image of a single pixel."""
SYSTEMS = {"tesseract": "tesseract", "rapidocr": "rapidocr"}


def main(folder: Path) -> None:
    """Write all pages into a folder."""
    questions, pages = af.sample(), af.sample("pages")
    draw = random.Random(1)  # noqa: S311 - the same pages every time
    words = sorted({word for text in pages["reference"] for word in text.split() if len(word) > 1})
    write_large(folder, draw, words)
    write_hostile(folder, draw)
    write_questions(folder, questions)
    pages.anls.browse(["tesseract", "rapidocr"], "reference", metrics="cer").write(folder / "rates.html")
    pages.anls.browse("tesseract", "reference", metrics="cer").write(folder / "rate.html")
    pages.anls.browse("tesseract", "reference", metrics=["cer", "anls"], by="lang", keep="doc_id").write(
        folder / "long.html"
    )
    write_images(folder)


def sentence(draw: random.Random, words: list[str]) -> str:
    """Return words of about 60 characters."""
    text = draw.choice(words)
    while len(text) < LENGTH:
        text += f" {draw.choice(words)}"
    return text


def misread(draw: random.Random, text: str) -> str:
    """Return the text as a bad reader has it, half of the time."""
    if draw.random() > WRONG:
        return text
    letters = [draw.choice("aeinrst0O1l ") if draw.random() < WRONG_LETTERS else letter for letter in text]
    return "".join(letters)


def write_large(folder: Path, draw: random.Random, words: list[str]) -> None:
    """Write a page of many rows, and one of many systems."""
    answers = [sentence(draw, words) for _ in range(ROWS)]
    large = pl.DataFrame(
        {
            "id": range(ROWS),
            "question": [sentence(draw, words) for _ in range(ROWS)],
            "prediction": [misread(draw, text) for text in answers],
            "answers": [[text] for text in answers],
            "lang": draw.choices(["en", "de", "ja", "zh-Hant"], [4, 3, 2, 1], k=ROWS),
            "types": [draw.choices(TYPES, k=draw.choice((1, 1, 2))) for _ in range(ROWS)],
            "document": [f"invoice_{number // 10}" for number in range(ROWS)],
            "confidence": [round(draw.betavariate(5, 1), 3) for _ in range(ROWS)],
        }
    )
    slices = {"by": ["lang", "types", "confidence"], "keep": ["question", "document"], "id": "id"}
    page = large.anls.browse("prediction", "answers", **slices)
    page.write(folder / "large.html", title="100,000 rows")
    columns = ("question", "prediction", "answers")
    lengths = [large[name].explode().str.len_chars().mean() for name in columns]
    print(f"{ROWS:,} rows of {large.width} columns, texts of {lengths} characters: {page.size / 1e6:.2f} MB")

    # Three filters for each system, and those of the slices after them.
    few = large.head(MANY_ROWS).with_columns(
        pl.col("prediction").alias(f"s{number}") for number in range(MANY_SYSTEMS)
    )
    many = {f"system {number}": f"s{number}" for number in range(MANY_SYSTEMS)}
    few.anls.browse(many, "answers", by=["lang", "types"], metrics=["anls", "cer"]).write(
        folder / "many.html"
    )


def write_hostile(folder: Path, draw: random.Random) -> None:
    """Write a page of hostile texts, and one of very long ones."""
    texts = [text[:LONGEST_HOSTILE] for text in HOSTILE_TEXTS]
    drawn = [draw.choices(texts, k=ROWS) for _ in range(4)]
    names = ["</script><img src=x onerror=alert(1)>", "<b>", "a", "b"]
    hostile = pl.DataFrame(dict(zip(names, drawn, strict=True)))
    hostile.write_parquet(folder / "hostile.parquet")
    page = hostile.anls.browse("a", "b", by=names[0], keep=names[1], id="a")
    page.write(folder / "hostile.html", title=names[0])

    longest = pl.DataFrame({"a": LONG, "b": [f"{text[:-9]}{text[:7]}" for text in (*LONG[3:], *LONG[:3])]})
    longest = pl.concat([longest, longest.with_columns(b=pl.col("a") + "x y")])
    longest.anls.browse("a", "b").write(folder / "longest.html")


def write_questions(folder: Path, questions: pl.DataFrame) -> None:
    """Write pages of the sample questions, alone and behind the figures of reports."""
    shown = {
        "by": ["lang", "question_types", "difficulty"],
        "keep": ["question", "doc_id"],
        "id": "question_id",
    }
    one = questions.anls.browse("tesseract", "answers", **shown)
    one.write(folder / "one.html", title="Tesseract on the sample questions")
    two = questions.anls.browse(SYSTEMS, "answers", **shown)
    two.write(folder / "two.html", title="Two readers")
    by = [*shown["by"], "doc_type", "answer_type", "profile", "severity", "font_kind"]
    questions.anls.browse(SYSTEMS, "answers", **{**shown, "by": by}).write(folder / "sliced.html")
    # Of five systems, the last is right where either reader is, and a joker is right nowhere.
    either = pl.when(pl.col("tesseract").is_in(pl.col("answers"))).then("tesseract").otherwise("rapidocr")
    several = questions.with_columns(
        lower=pl.col("rapidocr").str.to_lowercase(), joker=pl.lit("?"), either=either
    )
    several.anls.browse([*SYSTEMS, "lower", "joker", "either"], "answers", **shown).write(
        folder / "five.html", title="Five readers"
    )
    # Rows that are drawn to be judged.
    answered = questions.filter(pl.col("answers").list.len() > 0)
    sample = answered.select("question_id", "doc_id", "answers", prediction="tesseract").anls.audit_sample(
        100, cluster="doc_id"
    )
    sample.write_parquet(folder / "audit.parquet")
    sample.anls.browse("prediction", "answers", id="question_id", audit=True).write(folder / "audit.html")
    # A judge that passes every answer, half of which are wrong.
    judged = pl.DataFrame(
        {"question_id": range(400), "prediction": "an answer", "answers": "another", "judge": 1.0}
    )
    judged.write_csv(folder / "judge.csv")
    program = Path(sys.executable).with_name("anls-frame")
    written = ("-o", folder / "judge.html", "--sample", folder / "judge.parquet")
    draw = (program, "audit", folder / "judge.csv", "-n", str(JUDGED), "-m", "judge", *written)
    subprocess.run(draw, check=True)  # noqa: S603 - our own
    # The same questions several times, told apart by columns that verdicts keep.
    predicted = questions.unpivot(
        list(SYSTEMS), index=["question_id", "answers"], variable_name="system", value_name="prediction"
    )
    runs = predicted.join(pl.DataFrame({"epoch": [1, 2]}), how="cross").sort("question_id", "epoch", "system")
    runs.write_parquet(folder / "runs.parquet")
    runs.anls.browse("prediction", "answers", id="question_id").write(
        folder / "runs.html", title="Two readers, twice"
    )
    # Reports, with the rows behind their figures.
    options = {"by": "lang", "cluster": "doc_id", "details": True}
    questions.anls.report("tesseract", "answers", **options).write(folder / "report.html", rows=one)
    questions.anls.compare(SYSTEMS, "answers", **options).write(folder / "comparison.html", rows=two)
    columns = ["question_types", "n_words", "rapidocr_confidence"]
    found = questions.anls.find_slices("rapidocr", "answers", columns, cluster="doc_id")
    found.write(folder / "slices.html", rows=questions.anls.browse("rapidocr", "answers", by=columns))


def write_images(folder: Path) -> None:
    """Write a page of texts from right to left, and of images, of which only one is there."""
    (folder / "images").mkdir(exist_ok=True)
    (folder / "images" / "a#1 b.png").write_bytes(base64.b64decode(SQUARE))
    words = pl.DataFrame(
        {
            "prediction": ["مرحبا بالعالم", "שלום עולם", "你好世界"],
            "answer": ["مرحبا يا عالم", "שלום לעולם", "你好,世界"],
            "page": ["a#1 b", "none", "none"],
        }
    )
    words.anls.browse("prediction", "answer", image="images/{page}.png").write(
        folder / "words.html", title="كلمات"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Error rates say when predictions are written in another case or with other punctuation."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from pathlib import Path
from typing import Any

import jiwer
import pandas as pd
import polars as pl
import pytest
import shell
from rapidfuzz.distance import Levenshtein

import anls_frame as af

REFERENCES = ["hello there world", "the cat sat", "i am here", "please call me back", "no"]
WRITTEN = {
    "right": lambda text: text,
    "capitals": str.upper,
    "sentences": lambda text: f" {text.capitalize()}.",
    "ends": lambda text: f"{text}!\n",
    "commas": lambda text: text.replace(" ", ", ", 1),
    "wrong": lambda text: text[::-1],
}
OTHER_CASE = "written in another case than their reference"
OTHER_MARKS = "with punctuation if their reference has none, or the reverse"


def frame(times: int = 20) -> pl.DataFrame:
    texts = REFERENCES * times
    return pl.DataFrame({"text": texts, **{name: [*map(write, texts)] for name, write in WRITTEN.items()}})


def counted(rows: Any, prediction: Any, **options: Any) -> list[tuple[int, int]]:
    how = {"metrics": "wer_corpus", "protocol": "jiwer", **options}
    made = af.summarize(rows, prediction, "text", **how).predictions
    return [(own.n_other_case, own.n_other_marks) for own in made.values()]


def is_mark(character: str) -> bool:
    is_other_script = not character.isascii() and character not in "\u2019\u2010\u2011"
    return character in ",.:;!?" or (is_other_script and unicodedata.category(character).startswith("P"))


def is_other(prediction: str | None, reference: str) -> tuple[bool, bool]:
    """Whether one of two texts has capitals, or small letters, or punctuation, and the other none."""
    texts = (prediction or "", reference)
    if texts[0].strip() == texts[1].strip() or not all(any(map(str.isalnum, text)) for text in texts):
        return False, False
    cases = [(any(map(str.isupper, text)), any(map(str.islower, text))) for text in texts]
    marks = [any(map(is_mark, text)) for text in texts]
    return cases[0] != cases[1] and all(map(any, cases)), marks[0] != marks[1]


@pytest.mark.parametrize("by_speaker", [False, True])
def test_the_counts_are_those_of_a_loop_over_rows(by_speaker: Any) -> None:
    random.seed(0)
    texts = ["".join(random.choices("aAbB -(.!Éé„“ß", k=random.randint(0, 6))) for _ in range(4000)]
    written = [str.upper, str.lower, str, " {}.".format, "{}?!".format, lambda _: None]
    predictions = [random.choice(written)(text) for text in texts]
    rows = pl.DataFrame({"text": texts, "asr": predictions}).with_columns(speaker=pl.int_range(pl.len()) % 7)
    marks = [is_other(*pair) for pair in zip(predictions, texts, strict=True)]
    wanted = (sum(case for case, _ in marks), sum(ends for _, ends in marks))
    assert min(wanted) > 300
    options: dict[str, Any] = {"cluster": "speaker"} if by_speaker else {}
    assert counted(rows, "asr", **options) == [wanted]
    assert counted(rows, ["asr", "text"], **options) == [wanted, (0, 0)]
    parts = [
        af.summarize(part, "asr", "text", metrics="wer_corpus", protocol="jiwer", part=f"{number}")
        for number, part in enumerate(rows.iter_slices(300))
    ]
    (merged,) = af.merge(parts).predictions.values()
    assert (merged.n_other_case, merged.n_other_marks) == wanted
    (loaded,) = af.Summary.from_bytes(af.merge(parts).to_bytes()).predictions.values()
    assert loaded == merged


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame])
@pytest.mark.parametrize(
    ("system", "told"),
    [
        ("right", []),
        ("capitals", [OTHER_CASE]),
        ("sentences", [OTHER_CASE, OTHER_MARKS]),
        ("ends", [OTHER_MARKS]),
        ("wrong", []),
    ],
)
@pytest.mark.parametrize("metrics", ["wer_corpus", "cer_mean", "speech", "ocr"])
def test_a_report_tells_it(kind: Any, system: str, told: list[str], metrics: str) -> None:
    rows = kind(frame(2).to_dict(as_series=False))
    text = str(af.report(rows, system, "text", metrics=metrics, protocol="jiwer"))
    assert re.findall(f"Predictions ({OTHER_CASE}|{OTHER_MARKS}): 10 of 10", text) == told


@pytest.mark.parametrize("protocol", ["anls", "jiwer", "raw", "torchmetrics"])
@pytest.mark.parametrize("system", ["capitals", "sentences", "ends", "commas"])
def test_the_protocol_of_the_note_gives_the_rate_of_jiwer(protocol: str, system: str) -> None:
    rows = frame().with_columns(
        pl.when(pl.int_range(pl.len()) % 3 > 0).then(system).otherwise("wrong").alias("asr")
    )
    told = af.report(rows, "asr", "text", metrics="wer_corpus", protocol=protocol)
    text = str(told)
    call = re.search(r"protocol=(af\.PROTOCOLS.*?\)) \(on the command line, --protocol (\S+)\)", text)
    assert call is not None
    steps = [jiwer.ToLowerCase()] if system in {"capitals", "sentences"} else []
    steps += [jiwer.RemovePunctuation()] if system != "capitals" else []
    normal = jiwer.Compose(
        [*steps, jiwer.RemoveMultipleSpaces(), jiwer.Strip(), jiwer.ReduceToListOfListOfWords()]
    )
    wanted = jiwer.wer(
        rows["text"].to_list(), rows["asr"].to_list(), reference_transform=normal, hypothesis_transform=normal
    )
    plain = eval(call[1], {"af": af})  # noqa: S307 - our own code
    found = af.report(rows, "asr", "text", metrics="wer_corpus", protocol=plain)
    assert found.overall["wer_corpus"] == pytest.approx(wanted)
    assert "count as errors" not in str(found)
    step = af.overview(rows, "asr", "text", metrics="wer_corpus", protocol=protocol).advice.row(0, named=True)
    before = told.overall["wer_corpus"]
    assert (step["rule"], step["gain"]) == ("style", pytest.approx(before - wanted))
    after = eval(step["call"], {"af": af, "df": rows})  # noqa: S307 - our own code
    assert after.report.overall["wer_corpus"] == pytest.approx(wanted)


@pytest.mark.parametrize("details", [[], ["--details"]])
def test_the_shell_spells_the_protocol(tmp_path: Path, details: list[str]) -> None:
    frame().rename({"sentences": "pred_text"}).select("text", "pred_text").write_ndjson(tmp_path / "m.jsonl")
    done = shell.run(tmp_path, "report", "m.jsonl", "-m", "speech", *details)
    option = re.search(r"--protocol (\S+) ignores", done.stdout.replace("\n", " "))
    assert option is not None, done.stdout
    again = [*details, "--protocol", option[1], "--json"]
    done = shell.run(tmp_path, "report", "m.jsonl", "-m", "speech", *again)
    assert json.loads(done.stdout)["tables"]["All rows"][0]["wer_corpus"] == 0


def test_each_system_is_named_and_few_rows_are_none() -> None:
    rows = frame().with_columns(few=pl.when(pl.int_range(pl.len()) < 10).then("capitals").otherwise("right"))
    text = str(af.compare(rows, ["right", "few", "capitals"], "text", metrics="wer_corpus"))
    assert f"Predictions {OTHER_CASE}: 100 of capitals, 10 of few, of 100 each." in text
    assert "count as errors" not in str(af.report(rows, "few", "text", metrics="wer_corpus"))


def test_what_is_no_error_is_not_counted() -> None:
    rows, loose = frame(), af.PROTOCOLS["jiwer"].replace(ignore_case=True, ignore_punctuation=True)
    assert counted(rows, "sentences") == [(100, 100)]
    assert counted(rows, "sentences", protocol=loose) == [(0, 0)]
    assert counted(rows, "sentences", protocol=loose.replace(ignore_case=False)) == [(100, 0)]
    # Scores of answers are no error rates.
    assert counted(rows, "sentences", metrics="nls") == [(0, 0)]
    assert counted(rows, "sentences", metrics=["nls", "wer_corpus"]) == [(0, 0)]
    # The second answer is as it should be.
    both = rows.with_columns(pl.concat_list("text", "sentences").alias("text"))
    assert counted(both, "sentences") == [(0, 0)]
    # The nearest answer begins with a capital, too, and ends in a full stop.
    assert counted(both, "capitals") == [(100, 100)]
    assert counted(rows.with_columns(text=pl.lit(None, pl.String)), "sentences") == [(0, 0)]


def test_pages_of_rows_and_the_scores_of_files_have_the_note_too(tmp_path: Path) -> None:
    rows = frame().rename({"text": "answers"})
    how: dict[str, Any] = {"metrics": "wer_mean"}
    for systems, said in (
        ("capitals", "100 of 100"),
        (["capitals", "right"], "100 of capitals, of 100 each"),
    ):
        path = af.browse(rows, systems, "answers", **how).write(tmp_path / "rows.html")
        assert f"Predictions {OTHER_CASE}: {said}." in path.read_text(encoding="utf-8")
    for folder, column in (("truth", "answers"), ("asr", "capitals")):
        (tmp_path / folder).mkdir()
        for number, text in enumerate(rows[column].head(5)):
            (tmp_path / folder / f"{number}.txt").write_text(text, encoding="utf-8")
    printed = shell.run(tmp_path, "score", "asr", "--gold", "truth").stdout
    assert f"Predictions {OTHER_CASE}: 5 of 5." in printed


def test_an_overview_says_once_what_a_step_says() -> None:
    rows, how = frame().select("text", "capitals"), {"metrics": "wer_corpus"}
    assert OTHER_CASE in str(af.report(rows, "capitals", "text", **how))
    made = af.overview(rows, "capitals", "text", **how)
    assert made.advice["rule"].to_list() == ["style"]
    assert not any(OTHER_CASE in note for note in made.to_document().notes)
    # On a screen, no table repeats the steps or the score.
    text = made.to_text()
    assert "│" not in text
    assert f"What to do first:\n1. {made.advice['step'][0]}\n" in text
    sliced = af.overview(rows.with_columns(lang=pl.Series(["de", "en"] * 50)), "capitals", "text", **how)
    assert re.search(r"│ de +┆ +50\*? ┆ +\d+\.\d %", sliced.to_text())


def test_an_overview_of_pages_decides_about_spaces_if_these_are_most_errors() -> None:
    rows = pl.DataFrame({"text": [f"{text}, {number}" for number, text in enumerate(REFERENCES * 4)]})
    rows = rows.with_columns(laid_out="   " + pl.col("text").str.replace_all(" ", "\n      "))
    rows = rows.with_columns(laid_out=pl.col("laid_out").str.replace("hello", "he11o"), read="text")
    how: dict[str, Any] = {"metrics": "ocr"}

    step = af.overview(rows, "laid_out", "text", **how).advice.row(0, named=True)
    assert (step["rule"], step["n"]) == ("style", 20)
    assert "whether line breaks and runs of spaces should count" in step["step"]
    texts = rows["text"].to_list()
    errors = sum(map(Levenshtein.distance, texts, rows["laid_out"]))
    squeezed = 8 / sum(map(len, texts))  # the two ones in each of four pages
    assert step["gain"] == pytest.approx(errors / sum(map(len, texts)) - squeezed)
    after = eval(step["call"], {"af": af, "df": rows})  # noqa: S307 - our own code
    assert after.report.overall["cer_corpus"] == pytest.approx(squeezed)
    assert "style" not in {*after.advice["rule"]}
    assert "style" not in {*af.overview(rows, "read", "text", **how).advice["rule"]}

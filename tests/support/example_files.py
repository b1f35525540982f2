"""The files that the commands of the help and of the docs read, made of the sample data."""

from __future__ import annotations

import json
import runpy
import shutil
from pathlib import Path

import polars as pl
import shell

import anls_frame as af
from anls_frame.export.page_verdicts import digest
from anls_frame.samples import write_pages

ROOT = Path(__file__).parents[2]
_NTH_DOCUMENT = 10


def write(folder: Path) -> None:
    """Write all files."""
    questions = af.sample()
    questions = questions.filter(
        pl.col("doc_id").rank("dense") % _NTH_DOCUMENT == 0, pl.col("answers").list.len() > 0
    )
    shared = questions.drop("tesseract", "rapidocr", "tesseract_confidence", "rapidocr_confidence")
    old, new = (
        shared.with_columns(prediction=questions[engine].fill_null(""))
        for engine in ("tesseract", "rapidocr")
    )
    _results(folder, old, new)
    new.with_columns(confidence=questions["rapidocr_confidence"]).write_parquet(folder / "qa.parquet")
    _verdicts(folder, old, new)
    _audit(folder)
    _logs(folder, old, new)
    _samples(folder / "samples.jsonl", old, [])
    _samples(folder / "rounds.jsonl", old, [""])
    for name, frame in {"old": old, "new": new}.items():
        _harness_logs(folder / "lm_eval" / name, frame)
    _pages(folder)
    _documents(folder)
    for name, copies in {
        "gold_label": ("gold", "gold_label"),
        "submission_tesseract": ("submission",),
    }.items():
        for copy in copies:
            shutil.copy(ROOT / f"data/rrc/{name}.json", folder / f"{copy}.json")
    _corrections(folder)
    for part, file in ((1, "old.csv"), (2, "new.csv")):
        _summary(folder, file, f"part_{part}.parquet")
    _summary(folder, "results.csv", "whole.parquet", "-c", "doc_id")


def write_for_docs(folder: Path) -> None:
    """Write also what only the docs name: the sample data, the logs of the guide, own metrics."""
    write(folder)
    _manifests(folder)
    (folder / "rows").mkdir()
    results = pl.read_parquet(folder / "results.parquet").with_columns(part=pl.col("doc_id").hash() % 2)
    for part in (1, 2):
        of_part = results.filter(pl.col("part") == part - 1).drop("part")
        of_part.write_parquet(folder / f"rows/part-{part}.parquet")
    # A few questions are enough for commands that only run, and three of the systems of the logs.
    some = folder / "demo/questions.parquet"
    write_pages(folder / "demo/pages")
    af.sample().head(200).write_parquet(some)
    write_runs(folder, "rapidocr", "mixture", "silent", questions=pl.read_parquet(some))
    shutil.copy(folder / "samples.jsonl", folder / "samples_docvqa_val.jsonl")
    (folder / "predictions").mkdir()
    for name in ("a", "b"):
        predictions = results.select("question_id", prediction=name)
        predictions.write_ndjson(folder / "predictions" / f"{name}.jsonl")
    gold = results.select("question_id", "doc_id", "answers", category="doc_type")
    gold.write_ndjson(folder / "gold.jsonl")
    gold.with_columns(pl.col("answers").list.join("|")).write_csv(folder / "gold.csv")
    answer = pl.col("answers").list.first()
    results.select(
        response=pl.struct(output="a"),
        vars=pl.struct(answer.alias("answer"), document="doc_id"),
        gradingResult=pl.struct((pl.col("a") == answer).alias("pass")),
    ).write_ndjson(folder / "promptfoo.jsonl")
    choice = pl.struct(message=pl.struct(content="a"))
    results.select(
        custom_id="question_id", response=pl.struct(body=pl.struct(choices=pl.concat_list(choice)))
    ).write_ndjson(folder / "batch.jsonl")
    documents = pl.read_ndjson(folder / "documents.jsonl").rename({"document": "page"})
    two = documents.with_columns(rules="prediction", model="answers")
    fields = af.fields(two, {"rules": "rules", "model": "model"}, "answers", id="page")
    fields.write_parquet(folder / "rows.parquet")
    board = results.unpivot(["a", "b"], index=["question_id", "doc_id", "answers"], variable_name="model")
    board.rename({"value": "prediction"}).with_columns(answers=answer).write_csv(folder / "board.csv")
    epochs = board.with_columns(epoch=pl.when(pl.col("model") == "a").then(1).otherwise(2)).drop("model")
    epochs.rename({"value": "prediction"}).write_ndjson(folder / "training.jsonl")
    pl.DataFrame({"system": ["a", "b"], "version": ["5.3", "1.2"]}).write_csv(folder / "facts.csv")
    (folder / "metrics.py").write_text(
        "def digits(prediction, answers):\n    return prediction.str.contains('[0-9]')\n",
        encoding="utf-8",
    )


def write_runs(folder: Path, *systems: str, questions: pl.DataFrame | None = None) -> None:
    """Write the logs of the guide, of these systems alone, for the questions of a file."""
    shutil.rmtree(folder / "runs", ignore_errors=True)  # its files are those of other pages too
    write_logs = runpy.run_path(str(ROOT / "examples/logs.py"))["write_logs"]
    write_logs(folder / "runs", systems, questions)


def _summary(folder: Path, file: str, name: str, *options: str) -> None:
    shell.fine(shell.run(folder, "report", file, "-b", "doc_type", *options, "--summary", name))


def _results(folder: Path, old: pl.DataFrame, new: pl.DataFrame) -> None:
    # A table of text has no lists.
    flat = (
        pl.col("answers").list.first(),
        pl.col("question_types").list.first(),
        pl.col("n_words").mod(5).alias("judge"),
        (pl.col("n_words") / 100).alias("usd"),
        (pl.col("n_words") % 2).alias("right"),
    )
    scores = af.anls("prediction", "answers")
    for name, frame in {"results": old, "old": old, "new": new}.items():
        frame.with_columns(flat).write_csv(folder / f"{name}.csv")
    old.select("question_id", scores.alias("anls")).write_csv(folder / "scores.csv")
    old.with_columns(flat).write_excel(folder / "results.xlsx")
    old.with_columns(model=pl.col("prediction")).write_ndjson(folder / "results.jsonl")
    newer = old.with_columns(prediction=pl.col("prediction").str.to_uppercase())
    (folder / "systems").mkdir()
    for name, frame in {"first": old, "old": old, "new": new, "newer": newer}.items():
        frame.write_ndjson(folder / f"{name}.jsonl")
        frame.write_ndjson(folder / "systems" / f"{name}.jsonl")
    several = {"a": old, "b": new, "c": old, "old": old, "new": new}
    columns = [frame["prediction"].alias(name) for name, frame in several.items()]
    old.with_columns(columns).write_parquet(folder / "results.parquet")
    old.write_parquet(folder / "big.parquet")


def _documents(folder: Path) -> None:
    """Write invoices in folders of JSON, with what was read of them, and both in a table."""
    rows = []
    for number in range(12):
        gold = {
            "total": f"{number + 1}.250,00",
            "date": f"2024-05-{number + 1:02}",
            "items": [{"name": "tea"}],
        }
        read = gold | {"total": number * 1000 + 1250, "date": f"{number + 1}.5.2024"}
        if number % 3 == 0:
            read = {"total": "0", "items": [{"name": "tee"}]}
        sure = {"total": 0.9 - number / 100, "date": 0.8, "items": [{"name": 0.99}]}
        for name, document in (("gold", gold), ("extracted", read), ("confidences", sure)):
            (folder / name).mkdir(exist_ok=True)
            (folder / name / f"{number}.json").write_text(json.dumps(document), encoding="utf-8")
        rows.append(json.dumps({"document": f"p{number}", "prediction": read, "answers": gold}))
    (folder / "documents.jsonl").write_text("\n".join(rows), encoding="utf-8")


def _verdicts(folder: Path, old: pl.DataFrame, new: pl.DataFrame) -> None:
    """Write what was said of a row, on a page of one system and on one of two."""
    place = old["answers"].list.len().to_list().index(1)  # a table of text has one answer too
    answers = old["answers"][place].to_list()
    predictions = [old["prediction"][place], new["prediction"][place]]
    for name, texts in {"verdicts": predictions[:1], "verdicts_two": predictions}.items():
        verdict = {
            "id": old["question_id"][place],
            "row": place,
            "verdict": "our_error",
            "digest": digest(texts, answers),
        }
        (folder / f"{name}.jsonl").write_text(json.dumps(verdict), encoding="utf-8")


def _audit(folder: Path) -> None:
    """Draw rows as the docs do, and find the score of each right; of the scores of a judge, each answer."""
    command = "audit results.jsonl -n 100 -c doc_id -o drawn.html --sample drawn.parquet"
    shell.fine(shell.run(folder, *command.split()))
    _judged(folder / "drawn.parquet", folder / "audited.jsonl", {"verdict": "score_right"})
    command = "audit old.jsonl new.jsonl -n 100 -c doc_id -o drawn_two.html --sample drawn_two.parquet"
    shell.fine(shell.run(folder, *command.split()))
    said = {"verdict": "score_right"}
    _judged(folder / "drawn_two.parquet", folder / "audited_two.jsonl", said, ("old", "new"))
    results = pl.read_parquet(folder / "results.parquet")
    judged = results.with_columns(
        pl.col("answers").list.first(),
        judge=(pl.col("answers").list.first().str.len_chars() % 3 > 0).cast(int),
        human=pl.when(pl.int_range(pl.len()) % 2 == 0).then(pl.col("answers").list.first() == pl.col("a")),
    )
    columns = ["question_id", "doc_id", "doc_type", "answers", "judge", "human"]
    judged.select(*columns, prediction="a").write_csv(folder / "judged.csv")
    command = "audit judged.csv -n 100 -m judge -c doc_id -o drawn_judge.html --sample judge.parquet"
    shell.fine(shell.run(folder, *command.split()))
    said = {"verdict": "right", "score": "judge"}
    _judged(folder / "judge.parquet", folder / "verdicts_judge.jsonl", said)


def _judged(
    sample: Path, target: Path, said: dict[str, str], systems: tuple[str, ...] = ("prediction",)
) -> None:
    """Write the same verdict on all drawn rows of a sample."""
    drawn = pl.read_parquet(sample).with_row_index("row").filter("audit")
    lines = [
        {"id": one, "row": row, **said, "digest": digest(predictions, answers)}
        for row, one, answers, *predictions in drawn.select(
            "row", "question_id", "answers", *systems
        ).iter_rows()
    ]
    target.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def _logs(folder: Path, old: pl.DataFrame, new: pl.DataFrame) -> None:
    """Write logs as Inspect does, of two models that answer twice, and a table of both."""
    (folder / "logs").mkdir()
    models = {"gpt": old, "llama": new}
    for model, frame in models.items():
        scored = frame.with_columns(right=af.exact_match("prediction", "answers"))
        samples = [
            {
                "id": row["question_id"],
                "epoch": epoch,
                "input": row["question"],
                "target": row["answers"],
                "output": {"completion": row["prediction"]},
                "metadata": {name: row[name] for name in ("doc_id", "doc_type", "lang")},
                "scores": {"match": {"value": "C" if row["right"] else "I"}},
            }
            for epoch in (1, 2)
            for row in scored.iter_rows(named=True)
        ]
        log = {"version": 2, "status": "success", "eval": {"model": model}, "samples": samples}
        (folder / "logs" / f"{model}.json").write_text(json.dumps(log), encoding="utf-8")
    named = [frame.with_columns(model=pl.lit(model)) for model, frame in models.items()]
    flat = pl.col("answers", "question_types").list.first()
    pl.concat(named).with_columns(flat).write_csv(folder / "logs.csv")


def _manifests(folder: Path) -> None:
    """Write manifests of speech recognition, with a transcript and a reference of each utterance."""
    said = ["turn left at the light", "Call Dr. Miller.", "it is ten to five", "thank you"] * 10
    heard = {
        "manifest": ["turn left at the light", "call doctor miller", "it is ten to five", "thank you"] * 10,
        "small": ["turn left at light", "call doctor miller", "it is 10 to 5", "thank you"] * 10,
        "large": ["turn left at the light", "call dr miller", "it is ten to five", "thank you"] * 10,
    }
    for name, transcripts in heard.items():
        pl.DataFrame({"audio_filepath": [f"{row}.wav" for row in range(40)]}).with_columns(
            speaker=pl.int_range(40) // 5, text=pl.Series(said), pred_text=pl.Series(transcripts)
        ).write_ndjson(folder / f"{name}.jsonl")
    # The utterances of the guide, in files of their own.
    ids = ["s1-u1", "s1-u2", "s2-u1"]
    texts = {
        "truth": ("answers", ["please call me back", "no", ""]),
        "asr": ("prediction", ["please call back", "no", "uh"]),
    }
    for name, (column, of_ids) in texts.items():
        pl.DataFrame({"id": ids, column: of_ids}).write_ndjson(folder / f"{name}.jsonl")


def _samples(path: Path, frame: pl.DataFrame, more: list[str]) -> None:
    """Write samples as lmms-eval logs them, with more responses to each."""
    scores = frame.select(af.anls("prediction", "answers")).to_series()
    with path.open("w", encoding="utf-8") as file:
        for row, score in zip(frame.iter_rows(named=True), scores, strict=True):
            texts = [row["prediction"], *more]
            sample = {"doc_id": row["question_id"], "target": str(row["answers"]), "anls": score}
            file.write(json.dumps(sample | {"resps": [texts], "filtered_resps": texts}) + "\n")


def _harness_logs(folder: Path, frame: pl.DataFrame) -> None:
    """Write samples as the LM evaluation harness logs them; its fields of a question are in `doc`."""
    folder.mkdir(parents=True)
    with (folder / "samples_docqa_2026-11-21T10-11-12.jsonl").open("w", encoding="utf-8") as file:
        for number, row in enumerate(frame.iter_rows(named=True)):
            fields = {name: row[name] for name in ("question", "question_types")} | {"docId": row["doc_id"]}
            sample = {
                "doc_id": number,
                "doc": fields,
                "target": str(row["answers"]),
                "filter": "none",
                "resps": [[row["prediction"]]],
                "filtered_resps": [row["prediction"]],
            }
            file.write(json.dumps(sample) + "\n")


def _pages(folder: Path) -> None:
    pages = af.sample("pages").gather_every(_NTH_DOCUMENT)
    copies = {
        "reference": ("truth",),
        "tesseract": ("ocr", "tesseract", "old", "whisper"),
        "rapidocr": ("kraken", "rapidocr", "new"),
    }
    for column, names in copies.items():
        for name in names:
            (folder / name).mkdir()
            for page, text in pages.select("doc_id", column).iter_rows():
                (folder / name / f"{page}.txt").write_text(text or "", encoding="utf-8")
    (folder / "larex").mkdir()
    equivalents = "".join(
        f'<TextEquiv index="{index}"><Unicode>{text}</Unicode></TextEquiv>'
        for index, text in enumerate(["Hay 9", "Hav 9"])
    )
    (folder / "larex" / "0001.xml").write_text(
        f"<PcGts><Page><TextRegion><TextLine>{equivalents}</TextLine></TextRegion></Page></PcGts>"
    )
    for name, column in {"page": "tesseract", "truth": "reference"}.items():
        (folder / f"{name}.txt").write_text(pages[column][0], encoding="utf-8")
    pages.select("doc_id", "lang", ocr="tesseract", gt="reference").write_csv(folder / "pages.csv")


def _corrections(folder: Path) -> None:
    gold = (ROOT / "data/gec/gold.m2").read_text(encoding="utf-8")
    for name in ("gold", "system", "old", "new"):
        (folder / f"{name}.m2").write_text(gold, encoding="utf-8")
    source = [line[2:] for line in gold.splitlines() if line.startswith("S ")]
    (folder / "source.txt").write_text("\n".join(source) + "\n", encoding="utf-8")
    documents = [f"essay_{number // 10}" for number in range(len(source))]
    (folder / "documents.txt").write_text("\n".join(documents) + "\n", encoding="utf-8")
    for corrections, names in {
        "bold": ("bold", "system", "old", "first"),
        "careful": ("careful", "new", "newer", "second"),
    }.items():
        text = (ROOT / f"data/gec/{corrections}.txt").read_text(encoding="utf-8")
        for name in names:
            (folder / f"{name}.txt").write_text(text, encoding="utf-8")
        _in_halves(folder / corrections, ".txt", text.splitlines(keepends=True))
    _in_halves(folder / "essays", ".m2", [f"{block}\n\n" for block in gold.strip().split("\n\n")])


def _in_halves(folder: Path, suffix: str, sentences: list[str]) -> None:
    folder.mkdir()
    half = len(sentences) // 2
    for name, part in (("first", sentences[:half]), ("second", sentences[half:])):
        (folder / f"{name}{suffix}").write_text("".join(part), encoding="utf-8")

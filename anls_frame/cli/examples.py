"""The examples at the end of each command's help; a test runs every one."""

from __future__ import annotations

EXAMPLES = {
    "score": (
        "anls-frame score results.csv",
        "anls-frame score results.jsonl -p model -a answers --protocol rrc -o scored.parquet",
    ),
    "report": (
        "anls-frame report results.csv -b doc_type -c doc_id -o report.html",
        "anls-frame report results.csv -b doc_type --details --rows 1000 -o report_rows.html",
        "anls-frame report submission.json --gold gold.json -b question_types",
        "anls-frame report ocr/ --gold truth/ --worst 10 --details -o pages.html",
        "anls-frame report new.csv -b doc_type --summary part_3.parquet",
    ),
    "merge": ("anls-frame merge part_*.parquet -o merged.html",),
    "compare": (
        "anls-frame compare old.jsonl new.jsonl newer.jsonl -b doc_type -c doc_id",
        "anls-frame compare results.parquet --systems a,b,c -m anls -m exact_match -o comparison.html",
        "anls-frame compare logs.csv --system-column model --baseline gpt",
        "anls-frame compare tesseract/ kraken/ --gold truth/",
        "anls-frame compare old.jsonl new.jsonl -c doc_id --require-within 0.01",
    ),
    "epochs": (
        "anls-frame epochs logs/ --system-column model -c doc_id",
        "anls-frame epochs rounds.jsonl --pass-at 1,2",
    ),
    "changes": (
        "anls-frame changes old.jsonl new.jsonl --json",
        "anls-frame changes results.parquet --systems old,new -o worse.csv",
    ),
    "browse": (
        "anls-frame browse results.csv -b doc_type --keep doc_id -o rows.html",
        "anls-frame browse old.jsonl new.jsonl -b doc_type -o systems.html",
        "anls-frame browse ocr/ --gold truth/ -n 100 -o pages_rows.html",
    ),
    "audit": (
        "anls-frame audit results.csv -n 100 -c doc_id -o audit.html --sample audit.parquet",
        "anls-frame audit old.jsonl new.jsonl -n 50 --lean differing -o audit_two.html --sample two.parquet",
    ),
    "verdicts": (
        "anls-frame verdicts verdicts.jsonl results.csv -o judged.csv",
        "anls-frame verdicts verdicts_two.jsonl old.jsonl new.jsonl --json",
    ),
    "slices": (
        "anls-frame slices results.csv -c doc_id --min-rows 10",
        "anls-frame slices old.jsonl new.jsonl -c doc_id --depth 1 -o slices.html",
    ),
    "selective": (
        "anls-frame selective sure.parquet --model-confidence confidence -m exact_match -c doc_id --risk 0.2",
        "anls-frame selective sure.parquet --model-confidence confidence -b lang -c doc_id -o passing.html",
    ),
    "confusions": (
        "anls-frame confusions results.csv --max-length 2",
        "anls-frame confusions ocr/ --gold truth/ --op replace -o confusions.csv",
    ),
    "format-tax": (
        "anls-frame format-tax results.csv",
        "anls-frame format-tax results.csv -m contains_answer -b lang -c doc_id -o tax.csv",
    ),
    "plot": (
        "anls-frame plot groups results.csv -b doc_type -o groups.png",
        "anls-frame plot errors results.csv -o errors.svg",
    ),
    "convert": (
        "anls-frame convert samples.jsonl table.parquet",
        "anls-frame convert results.csv answers.json --submission",
    ),
    "doctor": (
        "anls-frame doctor",
        "anls-frame doctor samples.jsonl --against anls",
    ),
    "m2": ("anls-frame gec m2 system.txt gold.m2",),
    "i-measure": (
        "anls-frame gec i-measure system.txt gold.m2",
        "anls-frame gec i-measure system.txt first.txt second.txt --source source.txt",
    ),
    "errant": ("anls-frame gec errant system.m2 gold.m2",),
    "gec compare": ("anls-frame gec compare old.txt new.txt gold.m2 --measure m2",),
}


def of(command: str) -> str:
    """Return the end of a command's help; the marks keep each line as it is."""
    return "\b\nExamples:\n" + "\n".join(f"  {example}" for example in EXAMPLES[command])

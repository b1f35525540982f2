"""
Write the scores of this version's protocols into a file, from the textbook and the peers.

Nothing in the file comes from the package itself, so that it cannot repeat the package's mistakes. The file
of a released version is never written again: run this for a new version, with the file's name.

    python tests/golden/make.py tests/golden/scores-0.1.0.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import oracle
import scorers
from cases import HOSTILE, NullableRow, Row, assert_same_bits, bits, nullable_rows, threshold_rows

import anls_frame as af

THRESHOLD = 0.5
PEERS = ("anls", "anls_star")
FIELDS = list(oracle.Scores.__annotations__)


def rows() -> list[NullableRow]:
    """A few hundred short rows: examples, hostile texts, rows at the threshold, rows with nulls."""
    examples = [
        ("rain", "shine"),
        ("lnaguaeg", "language"),
        ("cafe", "cat"),
        ("kitten", "sitting"),
        ("cat      ", "cot"),
        ("c", "a         "),
        ("straße", "STRASSE"),
    ]
    found = [NullableRow(prediction, [answer]) for prediction, answer in examples]
    company: list[str | None] = ["Coca Cola", "Coca Cola Company"]
    found += [NullableRow(p, company) for p in ("The Coca", "CocaCola", "Coca cola", "Cola", "Cat")]
    found += [NullableRow(left, [right]) for left, right in zip(HOSTILE, HOSTILE[5:], strict=False)]
    found += [NullableRow(row.prediction, [*row.answers]) for row in threshold_rows()[THRESHOLD][:640:7]]
    return found + nullable_rows(120, seed=91)


def check_peers(cases: list[NullableRow]) -> None:
    """Hold the textbook to the scorers themselves, where there is one."""
    plain = [
        Row(case.prediction, [answer for answer in case.answers if answer is not None])
        for case in cases
        if case.prediction is not None and case.answers is not None
    ]
    plain = [row for row in plain if row.answers]
    textbook = {name: [oracle.anls(*row, af.PROTOCOLS[name], THRESHOLD) for row in plain] for name in PEERS}
    assert_same_bits(scorers.anls_scores([(THRESHOLD, plain)])[0], textbook["anls"], plain)
    assert_same_bits(scorers.anls_star_scores(plain), textbook["anls_star"], plain)
    rates = [oracle.cer(*row, af.PROTOCOLS["jiwer"]) for row in plain]
    assert_same_bits(scorers.jiwer_rates(plain), rates, plain)


def scores(case: NullableRow, protocol: af.ScoreProtocol) -> list[object] | None:
    """The fields of `score`, and the distances to the first answer."""
    score = oracle.score(*case, protocol, THRESHOLD, protocol)
    if score is None:
        return None
    texts = [case.prediction, *(case.answers or [])][:2]
    first = [oracle.prepare(text, protocol) for text in texts if text is not None]
    distances = [oracle.edit_distance(*first), oracle.hamming(*first)] if len(first) == 2 else [None, None]
    return [*map(bits, score.values()), *distances]


def make() -> str:
    cases = rows()
    check_peers(cases)
    lines = [
        {
            "prediction": case.prediction,
            "answers": case.answers,
            **{name: scores(case, protocol) for name, protocol in af.PROTOCOLS.items()},
        }
        for case in cases
    ]
    body = ",\n".join(json.dumps(line, separators=(",", ":")) for line in lines)
    head = {"threshold": THRESHOLD, "fields": [*FIELDS, "levenshtein", "hamming"]}
    return f'{json.dumps(head)[:-1]}, "rows": [\n{body}\n]}}\n'


if __name__ == "__main__":
    text = make()  # before there is a file, because a peer may be missing
    with Path(sys.argv[1]).open("x", encoding="utf-8") as file:
        file.write(text)

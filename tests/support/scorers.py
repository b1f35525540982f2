"""The scorers that the presets are named after, called row by row."""

from __future__ import annotations

import functools
import json
import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

import anls_star
import jiwer
from anls_star.anls_star import ANLSLeaf
from cases import Row

PEERS = Path(__file__).parents[1] / "peers"
INTERPRETER = "ANLS_PEER_PYTHON"
HOW_TO = (
    f"the tests against PyPI anls and Inspect need their interpreter in {INTERPRETER}: run them by "
    "`make test`, or make an environment (python -m venv .venv-peers), install tests/peers/requirements.txt "
    f"into it, and set {INTERPRETER}=.venv-peers/bin/python"
)

# The same texts come with many thresholds.
ANLSLeaf._levenshtein_distance = staticmethod(functools.cache(ANLSLeaf._levenshtein_distance))  # noqa: SLF001


def anls_scores(groups: Iterable[tuple[float, Sequence[Row]]]) -> list[list[float]]:
    """Scores of PyPI anls at the threshold of each group."""
    interpreter = os.environ.get(INTERPRETER)
    if not interpreter:
        raise RuntimeError(HOW_TO)
    request = json.dumps(list(groups))
    command = [interpreter, str(PEERS / "anls_scores.py")]
    answer = subprocess.run(command, input=request, capture_output=True, text=True, check=False)  # noqa: S603 - the developer names the interpreter
    if answer.returncode != 0:
        raise RuntimeError(f"{HOW_TO}. {interpreter} failed:\n{answer.stderr}")
    response = json.loads(answer.stdout)
    pinned = (PEERS / "requirements.txt").read_text(encoding="utf-8").splitlines()[-1]
    assert f"anls=={response['version']}" == pinned, f"{pinned} is due, found {response['version']}"
    scores: list[list[float]] = response["scores"]
    return scores


def anls_star_scores(rows: Sequence[Row]) -> list[float]:
    """Scores of PyPI anls-star; a tuple stands for its accepted answers, a text for the only one."""
    gold = [row.answers[0] if len(row.answers) == 1 else tuple(row.answers) for row in rows]
    return [
        anls_star.anls_score(answers, row.prediction, return_gt=False, return_key_scores=False)
        for answers, row in zip(gold, rows, strict=True)
    ]


def jiwer_rates(rows: Iterable[Row]) -> list[float]:
    """The lowest rate over the answers; jiwer itself knows one reference."""
    return [min(float(jiwer.cer(answer, row.prediction)) for answer in row.answers) for row in rows]

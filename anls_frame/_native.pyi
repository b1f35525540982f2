"""The compiled module: its file is the plugin that Polars loads. The rest scores Python strings."""

from typing import Self

__version__: str

def after_fork() -> bool:
    """Count the threads at work from 0; return whether an expression was computed before the fork."""

def levenshtein(prediction: str, reference: str) -> int: ...
def cer(prediction: str, reference: str) -> float: ...
def anls(prediction: str, answers: list[str], options: bytes) -> float | None: ...
def prepared(text: str, options: bytes) -> str:
    """Return a text as the protocol of these options prepares it."""

def units(text: str, options: bytes) -> list[str] | None:
    """Return in turn what stands between the units of a text, and a unit; None for code points."""

class PairScorer:
    """Scores batches of pairs, each with at least one answer, by options that are read once."""

    def __new__(cls, options: bytes) -> Self: ...
    def nls(self, predictions: list[str], answers: list[list[str]]) -> list[float]: ...
    def anls(self, predictions: list[str], answers: list[list[str]]) -> list[float]: ...
    def char_errors(self, predictions: list[str], answers: list[list[str]]) -> list[tuple[int, int, float]]:
        """Return the edits, the reference length and the rate of each pair."""

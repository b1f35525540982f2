"""The compiled module, whose file is also Polars' plugin; the functions here are for Python strings."""

from typing import Any, Self

__version__: str

def after_fork() -> bool:
    """Count the threads at work from 0; return whether an expression was computed before the fork."""

def levenshtein(prediction: str, reference: str) -> int: ...
def cer(prediction: str, reference: str) -> float: ...
def anls(prediction: str, answers: list[str], options: bytes) -> float | None: ...
def prepared(text: str, options: bytes) -> str:
    """Return a text prepared by the protocol of these options."""

def units(text: str, options: bytes) -> list[str] | None:
    """Return alternately the text between units, and a unit; None for code points."""

def page_marks(
    prediction: str, reference: str, options: bytes
) -> list[tuple[str, int, int, int, int | None]]:
    """
    Return the differences of a page in the order of the texts.

    Each difference has its name, its positions in the reference and in the prediction, its number of units,
    and for a moved block the position where it begins in the other text. The options are those of
    `page_errors`.
    """

class PairScorer:
    """Scores batches of pairs, each with at least one answer, with options that are read once."""

    def __new__(cls, options: bytes) -> Self: ...
    def nls(self, predictions: list[str], answers: list[list[str]]) -> list[float]: ...
    def anls(self, predictions: list[str], answers: list[list[str]]) -> list[float]: ...
    def char_errors(self, predictions: list[str], answers: list[list[str]]) -> list[tuple[int, int, float]]:
        """Return the edits, the reference length and the rate of each pair."""

class JsonLines:
    """The objects of JSON Lines as columns."""

    height: int
    width: int
    lines: list[int] | None
    """The number of the line of each object, None if they are 1, 2, 3, ..."""

    def described(self, column: int) -> tuple[str, int, int | None, bool, int]:
        """
        Describe a column.

        Return the key, the first object that has it, the first with a value other than null, whether all have
        it, and the kinds of its values: a bit for each of missing, null, Boolean, number, string, list of
        strings alone, other list, object.
        """

    def values(self, column: int, number: type[str]) -> list[Any]:
        """Return the values, with numbers as instances of this class."""

    def texts(self, column: int) -> Arrow:
        """Return strings, and numbers as written; everything else, including NaN, becomes null."""

    def json(self, column: int) -> Arrow:
        """Return strings unchanged, and other values as JSON; raise an error if a value needs Python."""

    def lists(self, column: int) -> Arrow:
        """Return lists of strings; everything else becomes null."""

    def members(self, column: int) -> JsonLines:
        """Return the members of the values that are objects; raise an error if there are too many."""

    def only(self, column: int, wanted: str) -> JsonLines:
        """Return the objects whose value of a column is this string."""

    def at(self, column: int, rows: list[int | None]) -> JsonLines:
        """Return a single column with the values of these objects, missing for None."""

    def narrowed(self, column: int, kinds: int) -> JsonLines:
        """Return a single column, with lists of one entry of these kinds repeatedly replaced by the entry."""

class Arrow:
    """An array that Polars imports."""

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

def json_lines(text: str) -> JsonLines | None:
    """Return the objects of JSON Lines; None if a line is invalid. Raise an error from 4 GiB on."""

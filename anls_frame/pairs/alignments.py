"""The alignment of one pair of texts, for display in a terminal or a notebook."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from anls_frame._arguments import count, string
from anls_frame._text import text_width, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import polars as pl

__all__ = ["Alignment", "Edit", "alignment"]

Operation = Literal["equal", "replace", "insert", "delete"]

GAP = "*"
SPACE = "␣"
_SIGNS: dict[Operation, str] = {"equal": " ", "replace": "S", "insert": "I", "delete": "D"}
_LABEL = 5
_NARROWEST = 10
# Force the direction of writing from left to right and end that, so that columns stay aligned.
_LEFT_TO_RIGHT = "\u202d", "\u202c"
# Colours that are distinguishable with every kind of colour vision, on any background, plus a line.
_STYLES: dict[Operation, str] = {
    "replace": "background:rgba(230,159,0,.35);text-decoration:underline",
    "insert": "background:rgba(0,158,115,.35);text-decoration:underline double",
    "delete": "background:rgba(213,94,0,.35);text-decoration:line-through",
}
_TABLE = "border-collapse:collapse;font-family:ui-monospace,monospace"
_ROW = "text-align:start;vertical-align:top"
_TAGS: dict[Operation, str] = {"replace": "mark", "insert": "ins", "delete": "del"}
_NOTEBOOK_CONTEXT = 60


class Edit(NamedTuple):
    """
    One of the edits that turn the reference into the prediction.

    Examples
    --------
    >>> import anls_frame as af
    >>> af.alignment("cat", "cafe").edits[1]
    Edit(op='delete', reference_pos=3, prediction_pos=3, reference_char='e', predicted_char=None)
    """

    op: Operation
    reference_pos: int
    prediction_pos: int
    reference_char: str | None
    predicted_char: str | None


class Segment(NamedTuple):
    """Consecutive characters with the same operation."""

    op: Operation
    reference: str
    prediction: str


@dataclass(frozen=True)
class Alignment:
    """
    A prediction aligned with its reference, character by character.

    Use `alignment` to create one. When printed, it shows the reference (REF), the prediction (HYP) and the
    operations: S for a substitution, I for an insertion, D for a deletion; `*` fills gaps. In a notebook, it
    shows both texts with their differences marked.

    Parameters
    ----------
    prediction, reference
        The two texts.

    Examples
    --------
    >>> import anls_frame as af
    >>> print(af.alignment("lnvoice 42,00 $", "Invoice 42.00$"))
    REF: Invoice 42.00*$
    HYP: lnvoice 42,00␣$
         S         S  I
    """

    prediction: str
    reference: str
    edits: tuple[Edit, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("prediction", "reference"):
            string(name, getattr(self, name))
        object.__setattr__(self, "edits", tuple(_edits(self.prediction, self.reference)))

    @property
    def distance(self) -> int:
        """Number of edits: the Levenshtein distance."""
        return len(self.edits)

    def segments(self) -> Iterator[Segment]:
        """Yield the characters of both texts in order, grouped into runs of the same operation."""
        texts = self.reference, self.prediction
        place = [0, 0]
        run: list[Edit] = []

        def changed() -> Iterator[Segment]:
            if run:
                reference = "".join(edit.reference_char or "" for edit in run)
                yield Segment(run[0].op, reference, "".join(edit.predicted_char or "" for edit in run))
                run.clear()

        for edit in self.edits:
            equal = texts[0][place[0] : edit.reference_pos]
            if equal or (run and run[0].op != edit.op):
                yield from changed()
            if equal:
                yield Segment("equal", equal, equal)
            run.append(edit)
            place = [edit.reference_pos + (edit.op != "insert"), edit.prediction_pos + (edit.op != "delete")]
        yield from changed()
        if place[0] < len(texts[0]):
            yield Segment("equal", texts[0][place[0] :], texts[0][place[0] :])

    def to_polars(self) -> pl.DataFrame:
        """
        Return the edits as a frame with the fields of `edit_ops`.

        Examples
        --------
        >>> import anls_frame as af
        >>> af.alignment("cat", "cafe").to_polars().select("op", "reference_char", "predicted_char").rows()
        [('replace', 'f', 't'), ('delete', 'e', None)]
        """
        import polars as pl  # noqa: PLC0415 - single pairs do without

        position = pl.UInt32
        schema = dict(zip(Edit._fields, (pl.String, position, position, pl.String, pl.String), strict=True))
        return pl.DataFrame(self.edits, schema=schema, orient="row")

    def to_text(self, width: int = 80, *, context: int | None = None) -> str:
        """
        Return the alignment as lines of text.

        Parameters
        ----------
        width
            Maximum line width in terminal columns; Chinese, Japanese and Korean characters take two.
        context
            How many equal characters to show next to each difference; all by default.

        Returns
        -------
        str
            Blocks of three lines, each at most `width` columns wide, separated by empty lines. Control
            characters and direction marks are shown as symbols, whitespace that differs as ␣, and all text
            runs from left to right.

        Raises
        ------
        ValueError
            If the width leaves no room for text, or the context is negative.

        Examples
        --------
        >>> import anls_frame as af
        >>> print(af.alignment("東泉都 Tokyo", "東京都 Tokio").to_text())
        REF: 東京都 Tokio
        HYP: 東泉都 Tokyo
               S       S
        """
        count("width", width, _LABEL + _NARROWEST)
        lines, used = [["", "", ""]], 0
        for cell in self._cells(context):
            wide = max(map(text_width, cell))
            if used + wide > width - _LABEL:
                lines.append(["", "", ""])
                used = 0
            used += wide
            for index, text in enumerate(cell):
                lines[-1][index] += text + " " * (wide - text_width(text))
        labels = ("REF: ", "HYP: ", " " * _LABEL)
        return "\n\n".join(
            "\n".join(
                label + _ordered(line.rstrip(" ")) for label, line in zip(labels, block, strict=True)
            ).rstrip()
            for block in lines
        )

    def to_html(self, *, context: int | None = None) -> str:
        """
        Return the alignment as HTML: both texts, with their differences marked.

        Parameters
        ----------
        context
            How many equal characters to show next to each difference; all by default.

        Returns
        -------
        str
            One `div` without scripts or external references. The texts are escaped, and each one runs in the
            direction of its script.

        Raises
        ------
        ValueError
            If the context is negative.

        Examples
        --------
        >>> import anls_frame as af
        >>> "<mark" in af.alignment("a<b", "a>b").to_html()
        True
        """
        rows = []
        for name, side in (("Reference", 1), ("Prediction", 2)):
            text = "".join(_marked(segment[0], segment[side]) for segment in self._shown(context))
            rows.append(
                f'<tr><th style="{_ROW};padding-inline-end:1em">{name}</th><td style="{_ROW}">'
                f'<bdi dir="auto" style="white-space:pre-wrap;overflow-wrap:anywhere">{text}</bdi></td></tr>'
            )
        table = f'<table style="{_TABLE}"><tbody>{"".join(rows)}</tbody></table>'
        return f'<div class="anls-alignment">{table}</div>'

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html(context=_NOTEBOOK_CONTEXT)

    def _shown(self, context: int | None) -> Iterator[Segment]:
        """Yield the segments; equal ones are shortened in the middle to the context of the differences."""
        if context is not None:
            count("context", context)
        segments = list(self.segments())
        for index, segment in enumerate(segments):
            text = segment.reference
            before = context if context is not None and index > 0 else 0
            after = context if context is not None and index < len(segments) - 1 else 0
            if segment.op != "equal" or context is None or len(text) <= before + after + 1:
                yield segment
            else:
                short = f"{text[:before]}…{text[len(text) - after :]}"
                yield Segment("equal", short, short)

    def _cells(self, context: int | None) -> Iterator[tuple[str, str, str]]:
        for op, reference, prediction in self._shown(context):
            if op == "equal":
                for character in map(_symbol, _clusters(reference)):
                    yield character, character, _SIGNS[op]
                continue
            length = max(len(reference), len(prediction))
            texts = (list(text) or [GAP] * length for text in (reference, prediction))
            for pair in zip(*texts, strict=True):
                first, second = map(_changed_symbol, pair)
                yield first, second, _SIGNS[op]


def alignment(prediction: str, reference: str) -> Alignment:
    """
    Align one prediction with one reference, for display.

    Parameters
    ----------
    prediction
        The predicted text.
    reference
        The correct text.

    Returns
    -------
    Alignment
        It prints as lines of text, and is shown as HTML in a notebook; `edits` are the edits of `edit_ops`.

    Raises
    ------
    TypeError
        If an argument is not a string.

    See Also
    --------
    edit_ops : the same for columns.

    Examples
    --------
    >>> import anls_frame as af
    >>> print(af.alignment("c0mer stone", "cornerstone"))
    REF: corner*stone
    HYP: c0m*er␣stone
          SSD  I
    """
    return Alignment(prediction, reference)


def _edits(prediction: str, reference: str) -> Iterator[Edit]:
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - only for single pairs

    for edit in Levenshtein.editops(reference, prediction):
        op = cast("Operation", edit.tag)
        expected = None if op == "insert" else reference[edit.src_pos]
        found = None if op == "delete" else prediction[edit.dest_pos]
        yield Edit(op, edit.src_pos, edit.dest_pos, expected, found)


def _clusters(text: str) -> Iterable[str]:
    """Split a text into characters, each with its combining marks."""
    cluster = ""
    for character in text:
        if cluster and not unicodedata.combining(character):
            yield cluster
            cluster = ""
        cluster += character
    if cluster:
        yield cluster


def _symbol(text: str) -> str:
    """Return how a character is displayed: with a known width, at a fixed position."""
    text = visible(text, directions=True)
    # A combining mark needs a base, and a character without width a name.
    if unicodedata.combining(text[0]):
        return "◌" + text
    return text if text_width(text) else "".join(f"⟨U+{ord(character):04X}⟩" for character in text)


def _changed_symbol(character: str) -> str:
    return SPACE if character.isspace() and character.isprintable() else _symbol(character)


def _ordered(line: str) -> str:
    """Keep the columns in order if the script runs from right to left."""
    is_reversed = any(unicodedata.bidirectional(character) in {"R", "AL", "AN"} for character in line)
    return line.join(_LEFT_TO_RIGHT) if is_reversed else line


def _marked(op: Operation, text: str) -> str:
    if op == "equal" or not text:
        # A line feed is shown as its symbol, followed by a line feed.
        return escape(visible(text, directions=True).replace("␊", "␊\n"))
    shown = "".join(map(_changed_symbol, text))
    return f'<{_TAGS[op]} title="{op}" style="{_STYLES[op]};color:inherit">{escape(shown)}</{_TAGS[op]}>'

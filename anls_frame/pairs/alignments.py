"""Alignment of one pair of texts, for display in a terminal or a notebook."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anls_frame._arguments import count, flag
from anls_frame.pairs.edits import Edit, EditRun, Segment, edits_between, runs, segments, shortened, starts_of
from anls_frame.pairs.line_alignments import LineAlignment, aligned_lines, page_edits
from anls_frame.pairs.marks import blocks, cells
from anls_frame.pairs.units import SplitText, split_text
from anls_frame.protocol import PROTOCOLS, ScoreProtocol, Unit, resolve_protocol

if TYPE_CHECKING:
    import polars as pl


_LABELS = ("REF: ", "HYP: ", "     ")
_NARROWEST = 15


@dataclass(frozen=True)
class Alignment:
    """
    A prediction aligned with its reference, by character, grapheme cluster or word.

    Use `alignment` to create one. When printed, it shows the reference (REF), the prediction (HYP) and the
    operations: S for a substitution, I for an insertion, D for a deletion; `*` fills gaps. In a notebook, it
    shows both texts with their differences marked.

    Attributes
    ----------
    prediction, reference
        The two texts, as the protocol prepares them, or tuples of tokens.
    protocol
        How the texts are prepared, and what is compared (its field `unit`).
    edits
        The edits of a shortest sequence, in the order of `edit_ops`.

    Examples
    --------
    >>> import anls_frame as af
    >>> print(af.pairs.alignment("lnvoice 42,00 $", "Invoice 42.00$"))
    REF: Invoice 42.00*$
    HYP: lnvoice 42,00␣$
         S         S  I
    """

    prediction: str | tuple[str, ...]
    reference: str | tuple[str, ...]
    protocol: ScoreProtocol = field(default=PROTOCOLS["raw"], repr=False)
    edits: tuple[Edit, ...] = field(init=False, repr=False, compare=False)
    _sides: tuple[SplitText, SplitText] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        sides = []
        for name in ("prediction", "reference"):
            text, side = split_text(name, getattr(self, name), self.protocol)
            object.__setattr__(self, name, text)
            sides.append(side)
        if isinstance(self.prediction, str) != isinstance(self.reference, str):
            raise TypeError("prediction and reference must be two strings or two sequences of strings")
        if not isinstance(self.prediction, str) and self.protocol != PROTOCOLS["raw"]:
            raise ValueError("unit and protocol must be left out for tokens, which are compared as they are")
        prediction, reference = sides
        object.__setattr__(self, "_sides", (reference, prediction))
        object.__setattr__(self, "edits", tuple(edits_between(prediction.units, reference.units)))

    @property
    def distance(self) -> int:
        """Number of edits: the Levenshtein distance."""
        return len(self.edits)

    def segments(self) -> Iterator[Segment]:
        """
        Yield the characters of both texts in order, grouped into runs of the same operation.

        Words form separate runs; the text between words always counts as equal.
        """
        return self._segments()

    def to_polars(self) -> pl.DataFrame:
        """
        Return the edits as a frame with the fields of `edit_ops`.

        Examples
        --------
        >>> import anls_frame as af
        >>> af.pairs.alignment("cat", "cafe").to_polars().select(
        ...     "op", "reference_char", "predicted_char"
        ... ).rows()
        [('replace', 'f', 't'), ('delete', 'e', None)]
        """
        import polars as pl  # noqa: PLC0415 - single pairs do without

        position = pl.Int64
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
            How many equal characters (or words) to show next to each difference; all by default.

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
        >>> print(af.pairs.alignment("東泉都 Tokyo", "東京都 Tokio").to_text())
        REF: 東京都 Tokio
        HYP: 東泉都 Tokyo
               S       S
        """
        count("width", width, _NARROWEST)
        return blocks(cells(self._segments(context), self._unit), width, _LABELS)

    def to_html(self) -> str:
        """
        Return the alignment as HTML: the lines of both texts side by side; see `LineAlignment.to_html`.

        Examples
        --------
        >>> import anls_frame as af
        >>> "<mark" in af.pairs.alignment("a<b", "a>b").to_html()
        True
        """
        return self.by_line().to_html()

    def by_line(self, *, only_errors: bool = False, min_words: int | None = None) -> LineAlignment:
        r"""Return the lines of the reference, each with the part of the prediction aligned with it.

        Parameters
        ----------
        only_errors
            Whether to leave out lines without errors.
        min_words
            The least number of words of a block. Blocks that are moved, repeated or fabricated are marked as
            `page_errors` finds them, and the remaining text is aligned. By default, there are no blocks.

        Returns
        -------
        LineAlignment
            A sequence of lines, with numbers and edits. A line of the prediction without a counterpart has a
            row of its own. A line of the reference can be aligned with part of a predicted line or with
            several. In an alignment of words, empty lines are left out. A moved block appears twice: at its
            place in the reference, and where it was read.

        Raises
        ------
        ValueError
            If `min_words` is below 1, or the texts are sequences of tokens.

        Examples
        --------
        >>> import anls_frame as af
        >>> page = af.pairs.alignment("Coca\nCoIa\n\n2.40", "Coca\nCola\n2.40")
        >>> [line[:5] for line in page.by_line(only_errors=True)]
        [(2, 2, 'Cola', 'CoIa', 1), (None, 3, '', '', 1)]
        >>> swapped = af.pairs.alignment("e f g h\na b c d e", "a b c d e\ne f g h")
        >>> [line.segments[0].op for line in swapped.by_line(min_words=4)]
        ['moved from line 2 to line 1', 'equal', 'moved away from line 2 to line 1']
        """
        flag("only_errors", only_errors)
        lines = tuple(aligned_lines(self._edit_runs(min_words), self._sides))
        kept = tuple(line for line in lines if line.edits) if only_errors else lines
        return LineAlignment(kept, len(lines), self._unit)

    def _edit_runs(self, min_words: int | None) -> Iterator[EditRun]:
        if min_words is None:
            return (EditRun(*edit[:3], 1) for edit in self.edits)
        count("min_words", min_words, 1)
        if isinstance(self.prediction, str) and isinstance(self.reference, str):
            return page_edits(self.prediction, self.reference, self.protocol, min_words, self._sides)
        raise ValueError("min_words must be left out for tokens, which are compared as they are")

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        texts = f"prediction={reprlib.repr(self.prediction)}, reference={reprlib.repr(self.reference)}"
        return f"<Alignment {texts}, distance={self.distance}>"

    def _repr_html_(self) -> str:
        return self.by_line(only_errors=len(self.by_line()) > 1).to_html()

    @property
    def _unit(self) -> Unit:
        return self.protocol.unit if isinstance(self.reference, str) else "word"

    def _segments(self, context: int | None = None) -> Iterator[Segment]:
        """Yield segments, with equal ones shortened to a context."""
        edits = ((edit.op, edit.reference_pos, 1) for edit in self.edits)
        shown = runs(edits, len(self._sides[0].units))
        if context is not None:
            shown = shortened(list(shown), count("context", context), starts_of(self._sides))
        return segments(shown, self._sides)


def alignment(
    prediction: str | Sequence[str],
    reference: str | Sequence[str],
    *,
    unit: Unit | None = None,
    protocol: ScoreProtocol | str = "raw",
) -> Alignment:
    """
    Align one prediction with one reference, for display.

    Parameters
    ----------
    prediction
        The predicted text, or a sequence of tokens.
    reference
        The correct text, or a sequence of tokens.
    unit
        The unit that is aligned: `"codepoint"`; `"grapheme"`, a character with its combining marks; or
        `"word"`. By default, the unit of the protocol.
    protocol
        How both texts are prepared, and what a word is. By default, texts are not prepared, and words are
        separated by whitespace. The alignment shows the prepared texts.

    Returns
    -------
    Alignment
        The alignment, which prints as lines of text and displays as HTML in a notebook; its `edits` are those
        of `edit_ops`.

    Raises
    ------
    TypeError
        If the arguments are neither two strings nor two sequences of strings.
    ValueError
        If the unit or the protocol is unknown, or if either is given for tokens.

    See Also
    --------
    edit_ops : the edits of each row of a column.

    Examples
    --------
    >>> import anls_frame as af
    >>> print(af.pairs.alignment("c0mer stone", "cornerstone"))
    REF: corner*stone
    HYP: c0m*er␣stone
          SSD  I
    >>> print(af.pairs.alignment("The qvick fox jumps over", "The quick brown fox jumps", unit="word"))
    REF: The quick brown fox jumps ****
    HYP: The qvick ***** fox jumps over
             S     D               I
    >>> af.pairs.alignment(["B-PER", "O", "O"], ["B-PER", "I-PER", "O"]).distance
    1
    """
    chosen = resolve_protocol(protocol)
    return Alignment(prediction, reference, chosen if unit is None else chosen.by(unit))  # type: ignore[arg-type]

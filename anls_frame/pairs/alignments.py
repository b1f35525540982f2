"""The alignment of one pair of texts, for display in a terminal or a notebook."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anls_frame._arguments import count, flag, string
from anls_frame.pairs.edits import Edit, Segment, edits_between
from anls_frame.pairs.line_alignments import LineAlignment, aligned_lines
from anls_frame.pairs.marks import blocks, cells, marked

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

__all__ = ["Alignment", "Edit", "alignment"]

_LABELS = ("REF: ", "HYP: ", "     ")
_NARROWEST = 15
_TABLE = "border-collapse:collapse;font-family:ui-monospace,monospace"
_ROW = "text-align:start;vertical-align:top"
_NOTEBOOK_CONTEXT = 60


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
        object.__setattr__(self, "edits", tuple(edits_between(self.prediction, self.reference)))

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
        count("width", width, _NARROWEST)
        return blocks(cells(self._shown(context)), width, _LABELS)

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
            text = "".join(marked(segment[0], segment[side]) for segment in self._shown(context))
            rows.append(
                f'<tr><th style="{_ROW};padding-inline-end:1em">{name}</th><td style="{_ROW}">'
                f'<bdi dir="auto" style="white-space:pre-wrap;overflow-wrap:anywhere">{text}</bdi></td></tr>'
            )
        table = f'<table style="{_TABLE}"><tbody>{"".join(rows)}</tbody></table>'
        return f'<div class="anls-alignment">{table}</div>'

    def by_line(self, *, only_errors: bool = False) -> LineAlignment:
        r"""
        Return the lines of the reference, each with what was read of it.

        Parameters
        ----------
        only_errors
            Leave out the lines without errors.

        Returns
        -------
        LineAlignment
            A sequence of lines, with numbers and edits. A line that is not in the reference has a row of its
            own. What was read of a line may be a part of a line, or several.

        Examples
        --------
        >>> import anls_frame as af
        >>> page = af.alignment("Coca\nCoIa\n\n2.40", "Coca\nCola\n2.40")
        >>> [line[:5] for line in page.by_line(only_errors=True)]
        [(2, 2, 'Cola', 'CoIa', 1), (None, 3, '', '', 1)]
        """
        flag("only_errors", only_errors)
        lines = tuple(aligned_lines(self.edits, self.prediction, self.reference))
        kept = tuple(line for line in lines if line.edits) if only_errors else lines
        return LineAlignment(kept, len(lines))

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

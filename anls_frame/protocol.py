"""Score protocols, which say how texts are prepared, how distances are normalized and how scores are cut."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, get_args

from anls_frame._arguments import choice, count, flag, share, string
from anls_frame._messages import Option, about, wrong
from anls_frame._text import nearest

__all__ = ["PROTOCOLS", "ScoreProtocol"]

Whitespace = Literal["keep", "strip", "squeeze", "lines"]
UnicodeForm = Literal["NFC", "NFKC"]
Length = Literal["prepared", "prepared_upper", "raw_upper"]
Cut = Literal["distance", "similarity"]
Unit = Literal["codepoint", "grapheme", "word"]
Words = Literal["whitespace", "spaces", "uax29"]
Hits = Literal["aligned", "longer"]


class _NotAsked(str):
    """A value that nobody passed: a default that some functions replace by their own."""

    __slots__ = ()


_CODEPOINT: Any = _NotAsked("codepoint")


@dataclass(frozen=True, kw_only=True)
class ScoreProtocol:
    r"""The rules for comparing a prediction with an answer.

    Scores under different protocols are not comparable, so every scoring function takes a protocol, or the
    name of a preset: `anls`, `rrc`, `anls_star`, `stvqa`, `jiwer`, `torchmetrics`, `dinglehopper` or `raw`
    (see `PROTOCOLS`).

    The steps of preparation are applied in this order: Unicode form, equivalences, lower case, punctuation,
    whitespace.

    Parameters
    ----------
    ignore_case
        Lower-case both texts (as Python's `str.lower`).
    ignore_punctuation
        Leave out punctuation: the characters of the Unicode categories P (of Unicode 14), as jiwer's
        ``RemovePunctuation`` does. Signs such as ``$``, ``+`` and ``=`` are symbols, which stay. What
        punctuation joined becomes one word: ``well-known`` is ``wellknown``.
    whitespace
        `"keep"` leaves whitespace unchanged; `"strip"` removes it at both ends; `"squeeze"` also replaces
        every run inside by one space; `"lines"` removes it at both ends of each line, ends lines with ``\n``
        and drops the last line break. Whitespace is defined as in Python: Unicode's White_Space and U+001C to
        U+001F.
    unicode_form
        Normalization form, `"NFC"` or `"NFKC"`; `None` leaves the text unchanged, as all scorers do
        that the presets reproduce.
    length
        How L, the length of the longer text, is counted; distances are divided by L. `"prepared"` counts code
        points after preparation, `"prepared_upper"` those of the prepared text in upper case (where `ß`
        counts as two), and `"raw_upper"` those of the unprepared text in upper case.
    cut
        Which scores pass the threshold t: `"distance"` keeps scores with d / L < t, `"similarity"` keeps
        scores with 1 - d / L >= t. With t = 0.5, a similarity of exactly 0.5 becomes 0 under the first and
        stays 0.5 under the second.
    threshold
        The threshold t in [0, 1]; `None` for a protocol that does not cut scores.
    unit
        The unit of distances and lengths: `"codepoint"`; `"grapheme"`, the extended grapheme clusters of UAX
        29, so that ``e`` with a combining accent is one unit; or `"word"`. Graphemes and words require
        ``length="prepared"``.
    words
        How texts are split into words: `"whitespace"`, at whitespace, as Python's `str.split` does;
        `"spaces"`, at spaces and at runs of two or more whitespace characters, as jiwer does; `"uax29"`, by
        the word boundaries of UAX 29, without words of punctuation and symbols only, as dinglehopper does.
    hits
        The number of correct words in `mer` and `wil`: `"aligned"`, the number of words that a shortest
        alignment pairs with an equal word, as in jiwer; or `"longer"`, the number of words of the longer text
        minus the edits, as in torchmetrics. The latter is smaller where some words are missing and others are
        added.
    equivalences
        Replacements, as a mapping from texts to their replacements or as pairs. They are applied one after
        the other, each to the whole text; a Unicode form is applied before and after, and again after
        punctuation is left out.
    errors
        The protocol that prepares texts for error rates (CER, WER, edits and confusions) in functions of
        frames: the name of a preset or a `ScoreProtocol`, whose own threshold and `errors` are not used. By
        default, the preset "raw" for a protocol that cuts scores, and the protocol itself for one that does
        not, such as "jiwer". Row functions for a single error rate, such as `cer`, take such a protocol as
        their `protocol`.

    Raises
    ------
    ValueError
        If an option has an invalid value, the threshold is outside [0, 1], an equivalence replaces the empty
        text, or `length` does not fit the unit.
    TypeError
        If the threshold is not a number, an equivalence is not a pair of strings, or `errors` is not a
        protocol.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> protocol = af.ScoreProtocol(unicode_form="NFKC", threshold=0.5)
    >>> df = pl.DataFrame({"prediction": ["¥1,640"], "answer": ["￥1,640"]})
    >>> df.select(af.anls("prediction", "answer", protocol=protocol)).item()
    1.0
    """

    ignore_case: bool = True
    ignore_punctuation: bool = False
    whitespace: Whitespace = "squeeze"
    unicode_form: UnicodeForm | None = None
    length: Length = "prepared"
    cut: Cut = "similarity"
    threshold: float | None = None
    unit: Unit = _CODEPOINT
    words: Words = "whitespace"
    hits: Hits = "aligned"
    equivalences: Mapping[str, str] | tuple[tuple[str, str], ...] = ()
    errors: ScoreProtocol | str | None = None

    def replace(self, **options: Any) -> ScoreProtocol:
        r"""
        Return a copy of the protocol with other values for some options.

        Error rates (`cer`, and those of reports, which use `errors`) do not prepare texts under protocols
        that cut scores. Start a protocol for error rates from the preset "raw", in which every step is off; a
        plain `ScoreProtocol` ignores case and collapses whitespace, as scores for question answering do. With
        a `threshold` added, a protocol without one still prepares texts for error rates as before.

        Parameters
        ----------
        **options
            Options of `ScoreProtocol`, by name.

        Returns
        -------
        ScoreProtocol
            A new protocol; this one is unchanged.

        Raises
        ------
        ValueError
            If an option has an invalid value.
        TypeError
            If an option does not exist, or its value has the wrong type.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> composed = af.PROTOCOLS["raw"].replace(unicode_form="NFC")
        >>> df = pl.DataFrame({"ocr": ["Cafe\u0301", "cafe"], "truth": ["Caf\u00e9", "Cafe"]})
        >>> df.select(af.cer("ocr", "truth", protocol=composed)).to_series().to_list()
        [0.0, 0.25]

        A report with the cut at 0.3, whose error rates use the protocol above:

        >>> protocol = af.PROTOCOLS["rrc"].replace(threshold=0.3, errors=composed)
        >>> round(af.report(df, "ocr", "truth", protocol=protocol).overall["cer_mean"], 3)
        0.125
        """
        known = [field.name for field in dataclasses.fields(self)]
        unknown = [name for name in options if name not in known]
        if unknown:
            raise TypeError(f"a protocol has no option {unknown[0]!r}; its options are {', '.join(known)}")
        if self.threshold is None and self.errors is None and options.get("threshold") is not None:
            rules = {name: value for name, value in options.items() if name != "threshold"}
            options = {"errors": dataclasses.replace(self, **rules), **options}
        return dataclasses.replace(self, **options)

    def __post_init__(self) -> None:
        flag("ignore_case", self.ignore_case)
        flag("ignore_punctuation", self.ignore_punctuation)
        choice("whitespace", self.whitespace, get_args(Whitespace))
        choice("unicode_form", self.unicode_form, (None, *get_args(UnicodeForm)))
        choice("length", self.length, get_args(Length))
        choice("cut", self.cut, get_args(Cut))
        if self.threshold is not None:
            object.__setattr__(self, "threshold", share("threshold", self.threshold))
        choice("unit", self.unit, get_args(Unit))
        choice("words", self.words, get_args(Words))
        choice("hits", self.hits, get_args(Hits))
        object.__setattr__(self, "equivalences", _checked(self.equivalences))
        if self.errors is not None:
            if isinstance(self.errors, str):
                choice("errors", self.errors, PROTOCOLS)
            errors = _for_errors(resolve_protocol(self.errors, "errors"))
            default = _for_errors(self) if self.threshold is None else "raw"
            # Protocols that prepare texts in the same way are equal.
            object.__setattr__(self, "errors", None if errors == default else errors)
        if self.unit != "codepoint" and self.length != "prepared":
            raise ValueError(
                f'length must be "prepared" for the unit {self.unit!r}, got {self.length!r}, which counts '
                "code points"
            )

    def by(self, unit: Unit) -> ScoreProtocol:
        """
        Return the protocol with another unit and with lengths counted after preparation.

        Examples
        --------
        >>> import anls_frame as af
        >>> af.PROTOCOLS["jiwer"].by("word").words
        'spaces'
        """
        return dataclasses.replace(self, unit=unit, length="prepared" if unit != "codepoint" else self.length)


def _checked(equivalences: object) -> tuple[tuple[str, str], ...]:
    pairs: Any = equivalences.items() if isinstance(equivalences, Mapping) else equivalences
    if not isinstance(equivalences, Mapping | list | tuple):
        raise TypeError(f"equivalences must be a mapping or pairs of texts, got {equivalences!r}")
    checked = []
    for pair in pairs:
        match list(pair) if isinstance(pair, list | tuple) else pair:
            case [str(old), str(new)] if old:
                checked.append((string("equivalences", old), string("equivalences", new)))
            case [str(), str()]:
                raise ValueError("equivalences must replace texts of at least one character, got ''")
            case _:
                raise TypeError(f"equivalences must map texts to texts, got {pair!r}")
    return tuple(checked)


def resolve_protocol(protocol: ScoreProtocol | str, option: str = "protocol") -> ScoreProtocol:
    """Return the protocol itself, or the preset with that name."""
    if isinstance(protocol, ScoreProtocol):
        return protocol
    if not isinstance(protocol, str):
        wanted = f"must be a ScoreProtocol or a preset's name, got {type(protocol).__name__}"
        raise TypeError(about(option, wanted))
    if protocol not in PROTOCOLS:
        presets = f"the presets are {', '.join(map(repr, PROTOCOLS))}{nearest(protocol, [*PROTOCOLS])}"
        raise ValueError(f"unknown protocol {protocol!r}; {presets}")
    return PROTOCOLS[protocol]


def by_words(protocol: ScoreProtocol | str) -> ScoreProtocol:
    """Return the protocol in words; raise an error if the caller has asked for code points."""
    whole = resolve_protocol(protocol)
    if whole.unit == "codepoint" and not isinstance(whole.unit, _NotAsked):
        raise ValueError(
            'protocol: this rate counts words, but unit="codepoint" asks for characters; leave the unit out, '
            'or use cer for the error rate of characters, and 1 - nls(..., protocol="raw") for the one that '
            "is at most 1"
        )
    return whole.by("word")


def resolve_errors(protocol: ScoreProtocol | str) -> ScoreProtocol:
    """Return the protocol that prepares texts for error rates."""
    whole = resolve_protocol(protocol)
    if whole.errors is None:
        return whole if whole.threshold is None else PROTOCOLS["raw"]
    return resolve_protocol(whole.errors)


def resolve_scoring(protocol: ScoreProtocol | str) -> ScoreProtocol:
    """Return the protocol, or the preset with that name; raise an error if it has no threshold for ANLS."""
    resolved = resolve_protocol(protocol)
    if resolved.threshold is None:
        wanted = (
            f"must have a threshold for ANLS and error types, but {described(resolved)} has none; give it "
            "one, such as threshold=0.5, which changes no error rate, or, in reports without error types, "
            "ask for metrics that need none, such as "
        )
        raise wrong("protocol", wanted, Option("metrics", "nls"), " or ", Option("metrics", "cer_corpus"))
    return resolved


def resolve_threshold(protocol: ScoreProtocol | str, threshold: float | None) -> float:
    """Return the threshold of the cut: the argument, or else the protocol's own."""
    own = resolve_protocol(protocol).threshold
    if threshold is not None:
        return share("threshold", threshold)
    if own is None:
        name = repr(protocol) if isinstance(protocol, str) else "this protocol"
        raise ValueError(f"ANLS needs a threshold and {name} has none; pass threshold=0.5, or use `nls`")
    return own


def check_substitution_cost(cost: object) -> int:
    """Return the cost as the plugin expects it; raise an error unless it is an integer of at least 0."""
    # A substitution that costs more than 2 is never used: a deletion and an insertion cost 2.
    return min(count("substitution_cost", cost), 2)


def preset_name(protocol: object) -> str | None:
    """Return the name of the preset that equals the protocol, or None."""
    return next((name for name, preset in PROTOCOLS.items() if preset == protocol), None)


def protocol_to_dict(protocol: ScoreProtocol) -> dict[str, Any]:
    """Return the options as values that JSON can hold."""
    errors = _for_errors(resolve_errors(protocol))
    return {
        **_options(protocol),
        "errors": errors if isinstance(errors, str) else {**_options(errors), "errors": "raw"},
    }


def _options(protocol: ScoreProtocol) -> dict[str, Any]:
    """Return the options with the equivalences as lists, and `errors` as they are."""
    equivalences = [list(pair) for pair in protocol.equivalences]
    return {**vars(protocol), "unit": str(protocol.unit), "equivalences": equivalences}


def protocol_from_dict(options: Mapping[str, Any]) -> ScoreProtocol:
    """Return the protocol with the options that `protocol_to_dict` returned."""
    errors = options.get("errors", "raw")
    if options.get("unit") == "codepoint":
        # Files do not say whether it was asked for.
        options = {name: value for name, value in options.items() if name != "unit"}
    return ScoreProtocol(
        **{**options, "errors": errors if isinstance(errors, str) else protocol_from_dict(errors)}
    )


def spelled(protocol: ScoreProtocol) -> str:
    """Return a protocol as the command line spells it: a preset and the options that differ from it."""
    return ",".join(_spelled(protocol))


def in_python(protocol: ScoreProtocol) -> str:
    """Return a protocol as a call spells it: a preset, with the options that differ from it."""
    preset = _spelled(protocol)[0]
    usual = vars(PROTOCOLS[preset])
    own = ", ".join(f"{name}={value!r}" for name, value in vars(protocol).items() if value != usual[name])
    if isinstance(protocol.errors, ScoreProtocol):
        own = own.replace(repr(protocol.errors), in_python(protocol.errors))
    return f'af.PROTOCOLS["{preset}"].replace({own})' if own else repr(preset)


def described(protocol: ScoreProtocol) -> str:
    """Return the text of `spelled` without the threshold and the protocol for error rates."""
    return ",".join(_preparing(_spelled(protocol)))


def _preparing(parts: Iterable[str]) -> list[str]:
    """Return the parts of a spelling that say how texts are prepared."""
    return [part for part in parts if not part.startswith(("threshold=", "errors"))]


@cache
def _spelled(protocol: ScoreProtocol, *, with_errors: bool = True) -> list[str]:
    """
    Return the name of a preset, and ``option=value`` for each difference from it.

    Of all presets the one is named that needs the fewest differences. To have no threshold counts as two,
    so that error rates with many options do not bear the name of an ANLS.
    """

    def differences(preset: str) -> tuple[int, bool]:
        loses_threshold = protocol.threshold is None and PROTOCOLS[preset].threshold is not None
        return len(spellings[preset]) + loses_threshold, loses_threshold

    spellings = {preset: _spelled_from(preset, protocol, with_errors=with_errors) for preset in PROTOCOLS}
    return spellings[min(spellings, key=differences)]


def _spelled_from(preset: str, protocol: ScoreProtocol, *, with_errors: bool) -> list[str]:
    """Return the name of a preset, and ``option=value`` for each difference from it."""
    given, usual = _options(protocol), _options(PROTOCOLS[preset])
    own = {key: value for key, value in given.items() if key != "errors" and value != usual[key]}
    parts = [preset]
    for key, value in own.items():
        # Escaped, because a comma and a name before "=" begin the next option.
        in_json = json.dumps(value, ensure_ascii=False).replace("=", "\\u003d")
        parts.append(f"{key}={value if isinstance(value, str) else in_json}")
    # The default for error rates depends on the preset with which the text begins.
    errors = resolve_errors(protocol)
    if with_errors and resolve_errors(PROTOCOLS[preset].replace(**own)) != errors:
        name, *options = _preparing(_spelled(errors, with_errors=False))
        parts += [f"errors={name}", *(f"errors.{option}" for option in options)]
    return parts


def _for_errors(protocol: ScoreProtocol) -> ScoreProtocol | str:
    """Return the protocol as `errors` stores it: the name of an equivalent preset, if any."""
    name, *options = _preparing(_spelled(protocol, with_errors=False))
    return dataclasses.replace(protocol, threshold=None, errors=None) if options else name


def plugin_options(protocol: ScoreProtocol | str) -> dict[str, Any]:
    """Return the options that the plugin reads, without those passed separately or used only in Python."""
    # A copy of the equivalences, because the plugin cannot read a pickle in which two options share them.
    options = _options(resolve_protocol(protocol))
    del options["threshold"], options["hits"], options["errors"]
    return options


def plugin_scoring(protocol: ScoreProtocol | str) -> dict[str, Any]:
    """
    Return the options that the plugin needs to compute all scores of a row.

    Without a threshold, ANLS is NLS, and is not to be shown.
    """
    whole = resolve_protocol(protocol)
    keeps_all = 0.0 if whole.cut == "similarity" else 1.0
    return {
        "protocol": plugin_options(whole),
        "threshold": keeps_all if whole.threshold is None else whole.threshold,
        "cer_protocol": plugin_options(resolve_errors(whole)),
    }


OLD_PRINTS: Mapping[str, str] = MappingProxyType(
    {
        # Ligatures, of Unicode, MUFI and eMOP
        "\ueba6": "\u017f\u017f",
        "\ueba7": "\u017f\u017fi",
        "\uf502": "ch",
        "\ueec4": "ck",
        "\uf4f9": "ll",
        "\ueba2": "\u017fi",
        "\ueada": "\u017ft",
        "\ufb01": "fi",
        "\ufb00": "ff",
        "\ufb02": "fl",
        "\ufb03": "ffi",
        "\ueec5": "ct",
        "\ueedc": "tz",
        "\uf532": "as",
        "\uf533": "is",
        "\uf534": "us",
        "\uf535": "Qu",
        "\u0133": "ij",
        "\ue8bf": "q&",
        "\ueba5": "\u017fp",
        "\ufb06": "st",
        # Umlauts, dashes, apostrophes and hyphens
        "\ue72b": "\u00fc",
        "\ue42c": "\u00e4",
        "==": "\u2013",
        "\u2014": "\u2013",
        "\ue644": "\u00f6",
        "\u2019": "'",
        "\u2e17": "-",
        "a\u0364": "\u00e4",
        "o\u0364": "\u00f6",
        "u\u0364": "\u00fc",
        "\uf50e": "q\u0301",
    }
)
"""Spellings of old prints and what dinglehopper counts as the same, in its order."""

PROTOCOLS: Mapping[str, ScoreProtocol] = MappingProxyType(
    {
        # PyPI anls 0.0.2
        "anls": ScoreProtocol(length="prepared_upper", cut="distance", threshold=0.5),
        # The Robust Reading Competition's script and the harnesses that copy it
        "rrc": ScoreProtocol(length="raw_upper", cut="similarity", threshold=0.5),
        # PyPI anls-star 1.0.1
        "anls_star": ScoreProtocol(length="prepared", cut="similarity", threshold=0.5),
        # MMF's scorer of ST-VQA
        "stvqa": ScoreProtocol(whitespace="strip", length="prepared", cut="similarity", threshold=0.5),
        # jiwer 4: whitespace at the ends only
        "jiwer": ScoreProtocol(ignore_case=False, whitespace="strip", words="spaces"),
        # Unprepared text
        "raw": ScoreProtocol(ignore_case=False, whitespace="keep"),
        # torchmetrics 1.9: unprepared texts and the same words, but other hits
        "torchmetrics": ScoreProtocol(ignore_case=False, whitespace="keep", hits="longer"),
        # dinglehopper 0.11 on files of text
        "dinglehopper": ScoreProtocol(
            ignore_case=False,
            whitespace="lines",
            unicode_form="NFC",
            unit="grapheme",
            words="uax29",
            equivalences=OLD_PRINTS,
        ),
    }
)
"""The presets by name; each reproduces the scores of its namesake, row by row, bit for bit."""

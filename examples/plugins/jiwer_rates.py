"""The functions of jiwer with the names and arguments of jiwer: `import jiwer_rates as jiwer`."""

import polars as pl

import anls_frame as af

Texts = str | list[str]


def _rate(reference: Texts, hypothesis: Texts, counts: pl.Expr) -> float:
    pairs = {"reference": reference, "hypothesis": hypothesis}
    frame = pl.DataFrame({name: [of] if isinstance(of, str) else of for name, of in pairs.items()})
    found = frame.select(counts.alias("of")).unnest("of").sum().row(0, named=True)
    hits, errors = found.pop("hits"), sum(found.values())
    return errors / (hits + found["substitutions"] + found["deletions"])


def wer(reference: Texts, hypothesis: Texts) -> float:
    """Return the word error rate of a corpus."""
    return _rate(reference, hypothesis, af.word_errors("hypothesis", "reference", protocol="jiwer"))


def cer(reference: Texts, hypothesis: Texts) -> float:
    """Return the character error rate of a corpus."""
    return _rate(reference, hypothesis, af.edit_counts("hypothesis", "reference", protocol="jiwer"))

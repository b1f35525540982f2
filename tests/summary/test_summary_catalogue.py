"""Scores that are described only: their means are those of their definition."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import jiwer
import polars as pl
import pytest
from rapidfuzz.distance import Levenshtein

import anls_frame as af
from anls_frame.summary.catalogue import NAMED, short_label

PREDICTIONS = ["lnvoice", "12 EUR", None, "", "x"]
PAGES = af.sample("pages")
FOLDED = af.PROTOCOLS["anls"].replace(errors="anls")
ANSWERS = [["Invoice", "Bill"], ["12 EUR"], ["abc", "ab"], ["d"], None]


HIGHER = (
    *("anls", "nls", "exact_match", "relaxed_accuracy", "vqa_accuracy", "contains_answer"),
    *("field_precision", "field_recall", "field_f1"),
    # Parts of words are no words, also beside letters that are not ASCII.
    *("certainty", "lossless", "costliness", "täter", "größter", "Überwer"),
    # Names of scikit-learn, and scores of systems or of what is found.
    *("neg_log_loss", "neg_mean_squared_error", "brier_skill_score", "cost_savings", "wer_reduction"),
    *(
        "error_detection_f1",
        "loss_recall",
        "perplexity_anls",
        "loglikelihood",
        "acc_norm",
        "tokens_per_second",
    ),
    # The last word decides.
    *(
        "cost_efficiency",
        "distance_similarity",
        "weight_loss_exact_match",
        "total_cost_anls",
        "error_free_rate",
    ),
    *("levenshtein_ratio", "levenshtein_similarity", "hamming_score", "1-NED", "1-cer", "one_minus_wer"),
    *("1 - CER", "1-edit_distance", "1-normalized_edit_distance", "error_detection_auroc", "wer_improvement"),
    # Words after a preposition do not count.
    *("accuracy_at_cost_1", "recall_per_cost", "accuracy_on_errors", "reduction_in_wer"),
)
LOWER = (
    *("zeros", "cer", "cer_mean", "cer_corpus", "wer", "wer_mean", "wer_corpus", "mer", "wil"),
    *("char_errors", "word_errors", "bag_of_words", "bag_of_words_error", "reading_order_free_cer"),
    *("substitutions", "deletions", "insertions"),
    *("word_substitutions", "word_deletions", "word_insertions"),
    *("misread", "omitted", "added", "fabricated", "repeated", "moved"),
    *("missing_share", "invented_share", "wrong_share", "fabrication_rate", "abstention_rate"),
    *("levenshtein", "lcs_distance", "hamming", "hamming_distance"),
    *("val_loss", "loss", "cost", "cost_usd", "costs", "latency_ms", "perplexity"),
    *("der", "AURC", "cross_entropy"),
    *("word_perplexity", "eval/perplexity", "bits_per_byte", "perplexity_score", "nll", "eval_runtime"),
    *(
        "WERScore",
        "WERscore",
        "CERmean",
        "meanCER",
        "WERs",
        "RMSEValue",
        "NED",
        "Edit_dist",
        "false_positive_rate",
        "inference_time",
    ),
    *(
        "accuracy_loss",
        "f1_error",
        "hamming_loss",
        "per_page_cer",
        "1-best WER",
        "wer_no",
        "error_ratio",
        "toxicity",
    ),
    *("cost_per_match", "loss_of_accuracy", "error_rate_at_recall_95", "edit_distance_to_match"),
    *("n_of_errors", "cer_minus_baseline", "fpr_at_recall_95", "1-shot error"),
    *("brier", "mae", "mse", "rmse", "latencyMs", "wordErrorRate", "CER (corpus)", "öCER"),
)


@pytest.mark.parametrize("name", [*HIGHER, *LOWER])
def test_a_column_is_better_in_the_direction_of_the_score_that_it_is_named_after(name: str) -> None:
    rows = pl.DataFrame({name: [0.25, 1.0, 0.5], "k": ["u", "v", "v"]})
    report = af.report(rows, metrics=name, worst=1)
    assert report.measures[0].higher_is_better is (name in HIGHER)
    assert report.worst[name].to_list() == ([0.25] if name in HIGHER else [1.0])
    assert report.measures[0].label == name


def test_every_named_score_has_its_direction() -> None:
    directions = {name: metric.higher_is_better for name, metric in NAMED.items()}
    assert directions == {name: name in HIGHER for name in (*HIGHER, *LOWER) if name in NAMED}


@pytest.mark.parametrize("name", ["field_f1", "missing_share", "invented_share", "wrong_share"])
def test_saved_scores_of_fields_are_still_those_of_fields(name: str) -> None:
    rows = pl.DataFrame({"old": ["x", None], "new": ["x", "z"], "answer": ["x", None]})
    summary = af.summarize(rows, ["old", "new"], "answer", metrics=name)
    account = af.Summary.from_bytes(summary.to_bytes()).account.frame
    # What the new system alone invents is no field of the old one.
    lines = account.filter(rows="left out").select("system", "reason", "n").rows()
    assert lines == [("old", "neither gold nor prediction", 1)]


def _edits(prediction: str | None, answers: list[str]) -> int:
    """Return the edits to the answer with the lowest error rate."""
    texts = [(Levenshtein.distance(prediction or "", answer), len(answer)) for answer in answers]
    return min(texts, key=lambda pair: pair[0] / pair[1])[0]


@pytest.mark.parametrize("by", [None, "lang"])
def test_char_errors_is_the_mean_number_of_edits(by: str | None) -> None:
    frame = pl.DataFrame({"p": PREDICTIONS, "a": ANSWERS, "lang": ["en", "en", "de", "de", "de"]})
    edits = [_edits(p, a) for p, a in zip(PREDICTIONS, ANSWERS, strict=True) if a is not None]

    report = af.report(frame, "p", "a", by=by, metrics="char_errors")

    assert report.overall["char_errors"] == sum(edits) / len(edits)
    if by is not None:
        means = dict(report.by_group.select("lang", "char_errors").iter_rows())
        assert means == {"en": sum(edits[:2]) / 2, "de": sum(edits[2:]) / 2}
    assert not report.measures[0].higher_is_better


def _compared(frame: pl.DataFrame) -> float:
    systems = {"none": "nothing", "read": "p"}
    return af.compare(frame, systems, "a", metrics="char_errors", protocol=FOLDED).overall["score"].item()


def _worst(frame: pl.DataFrame) -> float:
    rows = af.worst(frame, "p", "a", 3, metrics="char_errors", protocol=FOLDED)
    return rows["char_errors"].mean()


@pytest.mark.parametrize("mean_of", [_compared, _worst])
def test_char_errors_counts_edits_of_texts_that_the_protocol_prepares(
    mean_of: Callable[[pl.DataFrame], float],
) -> None:
    # The protocol "anls" compares lower case.
    frame = pl.DataFrame({"p": ["LNVOICE", "12 EUR", "X"], "a": ["Invoice", "12 eur", "yz"], "nothing": ""})
    edits = [Levenshtein.distance(p.lower(), a.lower()) for p, a in frame.select("p", "a").iter_rows()]
    assert edits == [1, 0, 2]

    assert mean_of(frame) == sum(edits) / len(edits)


def test_rates_of_pages_are_those_of_jiwer() -> None:
    pages = PAGES.drop_nulls(["tesseract", "reference"])
    truth, read = pages["reference"].to_list(), pages["tesseract"].to_list()
    words, letters = jiwer.process_words(truth, read), jiwer.process_characters(truth, read)
    counts = {name: getattr(letters, name) for name in ("substitutions", "deletions", "insertions")}
    length = letters.hits + letters.substitutions + letters.deletions

    protocol = af.PROTOCOLS["anls"].replace(errors="jiwer")
    report = af.report(pages, "tesseract", "reference", metrics=["ocr", "wer_mean"], protocol=protocol)

    assert report.overall["cer_corpus"] == letters.cer
    assert report.overall["wer_corpus"] == words.wer
    assert {name: report.overall[name] for name in counts} == {
        name: count / length for name, count in counts.items()
    }
    rates = [float(jiwer.wer(*pair)) for pair in zip(truth, read, strict=True)]
    assert report.overall["wer_mean"] == pytest.approx(sum(rates) / len(rates), rel=1e-15)
    assert all(not measure.higher_is_better for measure in report.measures)


def test_normalised_transcripts_have_the_rates_of_jiwer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both columns go through one function, as leaderboards of speech recognition do with lists of texts."""
    texts = [
        "It's TEN o'clock!",
        "No.",
        "¿Qué hora es?",
        "नमस्ते, दुनिया।",
        "Straße 5 \N{EN DASH} links",
        "one, two",
    ]
    heard = ["its ten oclock", "no", "que hora es", "नमस्ते दुनिया", "strasse 5 links", "one two three"]
    frame = pl.DataFrame({"pred_text": heard, "text": texts})

    def normalised(text: str) -> str:
        kept = "".join(" " if unicodedata.category(one)[0] in "PS" else one for one in text.lower())
        return " ".join(kept.split())

    plain = pl.col("pred_text", "text").str.to_lowercase().str.replace_all(r"[\p{P}\p{S}]", " ")
    frame = frame.with_columns(plain.str.replace_all(r"\s+", " ").str.strip_chars())
    truth, read = ([normalised(text) for text in column] for column in (texts, heard))
    assert frame.to_dict(as_series=False) == {"pred_text": read, "text": truth}

    report = af.report(frame, "pred_text", "text", metrics="speech", protocol="jiwer")
    overall = report.overall
    assert overall["wer_corpus"] == jiwer.wer(truth, read)
    assert overall["cer_corpus"] == jiwer.cer(truth, read)
    counts = jiwer.process_words(truth, read)
    kinds = ("substitutions", "deletions", "insertions")
    letters, length = jiwer.process_characters(truth, read), sum(len(text.split()) for text in truth)
    for kind in kinds:
        assert overall[f"word_{kind}"] == getattr(counts, kind) / length
        assert overall[kind] == getattr(letters, kind) / sum(map(len, truth))
    monkeypatch.setenv("COLUMNS", "100")
    table = report.to_text().split("Lower is better")[0]
    shown = [line.split("┆")[0].strip("│ ") for line in table.splitlines() if "┆" in line]
    words = ["WER (corpus)", "words subst.", "words deleted", "words inserted"]
    assert shown[2:] == [*words, "CER (corpus)", *kinds]
    assert max(map(len, table.splitlines())) <= 100
    errors = frame.select(af.words.word_errors("pred_text", "text", protocol="jiwer"))
    assert errors.unnest("word_errors").sum().row(0, named=True) == {
        name: getattr(counts, name) for name in ("substitutions", "deletions", "insertions", "hits")
    }


def test_transcripts_have_the_figure_of_the_open_asr_leaderboard() -> None:
    """
    Its scorer, run once on texts of our own: whisper-normalizer 0.1.15, then kaldialign 0.12.0.

    `EnglishTextNormalizer` made these pairs, the reference first, of texts such as "Hmm." and "It's OK --
    isn't it?"; `batch_error_rate` then gave 10 errors in 38 words, and with `merge_compounds` 8.
    """
    pairs = [
        ("mister smith is color tv cost $5.50", "mister smith is color tv cost $5 50"),
        ("", "ha ha"),
        ("we can not go on the 3rd of may", "we can not go on the 3rd of may"),
        ("23 people organized it", "23 people organized it"),
        ("the white paper please", "the whitepaper please"),
        ("", "hello"),
        ("no", ""),
        ("it is ok is not it", "its okay is not it"),
        ("naive theater goers will not wait", "naive theater go as will not wait"),
        ("105%", "105%"),
    ]
    frame = pl.DataFrame(pairs, schema=["text", "pred_text"], orient="row")
    # It leaves out utterances of which nothing is left.
    scored = frame.filter(pl.col("text") != "")
    overall = af.report(scored, "pred_text", "text", metrics="speech", protocol="jiwer").overall
    assert overall["wer_corpus"] == 0.2631578947368421
    assert [overall[f"word_{kind}"] * 38 for kind in ("insertions", "deletions", "substitutions")] == (
        pytest.approx([2, 3, 5], rel=1e-12)
    )
    assert af.report(frame, "pred_text", "text", metrics="wer_corpus", protocol="jiwer").overall[
        "wer_corpus"
    ] == pytest.approx(13 / 38, rel=1e-15)


def test_the_errors_of_pages_by_kind_add_up_to_the_rates_of_a_report() -> None:
    kinds = ("misread", "omitted", "added", "fabricated", "repeated", "moved")
    counts = PAGES.select(af.page_errors("tesseract", "reference", missing="empty")).unnest("page_errors")
    sums = {kind: counts[kind].sum() for kind in kinds}
    overall = af.report(PAGES, "tesseract", "reference", metrics="ocr").overall
    length = overall["characters"]
    assert {kind: overall[kind] for kind in kinds} == {kind: sums[kind] / length for kind in kinds}
    in_place = sum(sums.values()) - sums["moved"]
    assert overall["reading_order_free_cer"] == in_place / length


def test_an_error_rate_says_whether_it_is_a_mean_of_rows() -> None:
    # Of two rows without an error in the first, a mean is half the error of the second, whatever its length.
    frame = pl.DataFrame({"p": ["a b c d e f g h i j k l", "x"], "a": ["a b c d e f g h i j k l", "y"]})
    rates = [name for name, metric in NAMED.items() if metric.format == "rate"]
    report = af.report(frame, "p", "a", metrics=rates)
    means = {metric.label for metric in report.measures if report.overall[metric.name] == 0.5}
    assert means == {"CER (mean)", "WER (mean)", "bag-of-words error (mean)"}
    assert all((metric.label in means) == ("(mean)" in short_label(metric)) for metric in report.measures)
    # A quantile is none.
    quantile = af.report(frame, "p", "a", metrics=af.Metric.quantile("bag_of_words"))
    assert quantile.measures[0].label == "bag-of-words error (median)"


def test_a_bag_of_words_never_exceeds_the_mean_error_rate_of_words() -> None:
    rates = af.report(PAGES, "tesseract", "reference", metrics=["bag_of_words", "wer_mean"]).overall
    assert 0 < rates["bag_of_words"] <= rates["wer_mean"]


def test_an_error_rate_in_any_order_can_exceed_the_error_rate_and_says_so() -> None:
    read, text = "eta theta eps delta eps eta theta eps delta eps", "eta eta theta eps delta eps"
    frame = pl.DataFrame({"p": [read], "a": [text]})
    rates = af.report(frame, "p", "a", metrics=["cer_corpus", "reading_order_free_cer"]).overall
    assert rates["cer_corpus"] == Levenshtein.distance(read, text) / len(text)
    assert rates["reading_order_free_cer"] > rates["cer_corpus"]
    assert "can exceed CER" in NAMED["reading_order_free_cer"].meaning


def test_order_does_not_count_in_a_bag_of_words() -> None:
    frame = pl.DataFrame({"p": ["b a", "a c"], "a": ["a b", "a b"]})
    assert af.report(frame, "p", "a", metrics="bag_of_words").overall["bag_of_words"] == 0.25


@pytest.mark.parametrize("metric", ["cer", "wer", "WER"])
def test_a_rate_that_is_a_mean_or_that_of_the_corpus_is_asked_for_by_its_full_name(metric: str) -> None:
    # One error in one character, and none in four: the mean is 0.5, the rate of the corpus 0.2.
    frame = pl.DataFrame({"p": ["x", "four"], "q": ["a", "four"], "a": ["a", "four"]})
    name = metric.lower()
    hint = f"'{name}_corpus' for the rate of all rows together, '{name}_mean' for the mean"
    for refused in (
        lambda: af.report(frame, "p", "a", metrics=metric),
        lambda: af.compare(frame, ["q", "p"], "a", metrics=metric),
        lambda: af.summarize(frame, "p", "a", metrics=["anls", metric]),
    ):
        with pytest.raises(ValueError, match=hint):
            refused()
    rates = af.report(frame, "p", "a", metrics=["cer_corpus", "cer_mean"]).overall
    assert (rates["cer_corpus"], rates["cer_mean"]) == (0.2, 0.5)
    # The rate of a single row is one number, and a column of this name is the user's own.
    assert af.worst(frame, "p", "a", metrics="cer", n=1)["cer"].item() == 1
    assert af.report(frame.with_columns(cer=pl.lit(0.25)), "p", "a", metrics="cer").overall["cer"] == 0.25


@pytest.mark.parametrize(
    ("answers", "highest"),
    # min(1, (n - 1) / 3), where all n people gave the predicted answer; the last answer is another one.
    [(["a"], "0.000"), (["a"] * 2, "0.333"), (["a"] * 3, "0.667"), (["a"] * 4, None), (["b"] * 10, "0.000")],
)
def test_a_note_says_how_many_answers_the_vqa_accuracy_needs(answers: list[str], highest: str | None) -> None:
    frame = pl.DataFrame({"p": ["a"] * 20, "q": ["c"] * 20, "answers": [answers] * 20})
    summary = af.summarize(frame, "p", "answers", metrics="vqa_accuracy")
    shown = [
        af.report(frame, "p", "answers", metrics="vqa_accuracy"),
        af.Report.from_summary(summary),
        af.compare(frame, ["q", "p"], "answers", metrics="vqa_accuracy"),
    ]
    for result in shown:
        assert (f"No row has a VQA accuracy above {highest}." in str(result)) is (highest is not None)
        assert ("with one answer it is always 0" in str(result)) is (highest is not None)


def test_a_column_named_after_the_vqa_accuracy_needs_no_answers() -> None:
    assert "people" not in str(af.report(pl.DataFrame({"vqa_accuracy": [0.0, 0.6]}), metrics="vqa_accuracy"))

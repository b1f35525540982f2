"""What every score must satisfy, whatever the texts, the answers and the protocol."""

from __future__ import annotations

import dataclasses

import oracle
from cases import assert_same_bits, column, scoring
from hypothesis import given
from hypothesis import strategies as st
from strategies import PROTOCOLS, ROWS, THRESHOLDS

import anls_frame as af

Rows = list[tuple[str, list[str]]]
RAW = af.PROTOCOLS["raw"]
ROWS_METRICS = (af.nls, af.cer, af.exact_match)


@given(ROWS, PROTOCOLS)
def test_similarity_is_between_zero_and_one(rows: Rows, protocol: af.ScoreProtocol) -> None:
    scores = column(rows, af.nls, protocol=protocol)
    assert scores.null_count() == 0
    assert all(score <= 1 for score in scores)
    # Preparation may lengthen a text beyond its raw length, which then lets the distance exceed it.
    assert protocol.length == "raw_upper" or all(score >= 0 for score in scores)


@given(ROWS, PROTOCOLS)
def test_similarity_is_one_exactly_where_an_answer_matches(rows: Rows, protocol: af.ScoreProtocol) -> None:
    scores = column(rows, af.nls, protocol=protocol)
    assert (scores == 1).to_list() == column(rows, af.exact_match, protocol=protocol).to_list()


@given(ROWS, PROTOCOLS)
def test_similarity_is_symmetric(rows: Rows, protocol: af.ScoreProtocol) -> None:
    pairs = [(prediction, answer) for prediction, answers in rows for answer in answers]
    forth = column(pairs, af.nls, protocol=protocol)
    assert forth.equals(column([(b, a) for a, b in pairs], af.nls, protocol=protocol))


@given(ROWS, PROTOCOLS)
def test_similarity_is_that_of_the_prepared_texts(rows: Rows, protocol: af.ScoreProtocol) -> None:
    protocol = dataclasses.replace(protocol, length="prepared")
    raw = af.PROTOCOLS["raw"].by(protocol.unit)
    prepared = [
        (oracle.prepare_text(p, protocol), [oracle.prepare_text(a, protocol) for a in answers])
        for p, answers in rows
    ]
    for metric in ROWS_METRICS:
        assert column(rows, metric, protocol=protocol).equals(column(prepared, metric, protocol=raw))


@given(ROWS, PROTOCOLS, THRESHOLDS)
def test_the_cut_keeps_a_similarity_or_makes_it_zero(
    rows: Rows, protocol: af.ScoreProtocol, threshold: float
) -> None:
    similarities = column(rows, af.nls, protocol=protocol).to_list()
    scores = column(rows, af.anls, protocol=protocol, threshold=threshold).to_list()
    assert all(score in {0.0, similarity} for score, similarity in zip(scores, similarities, strict=True))
    assert all(0 <= score <= 1 for score in scores)
    if protocol.cut == "similarity":
        assert all(score == 0 or score >= threshold for score in scores)
        expected = [similarity if similarity >= threshold else 0.0 for similarity in similarities]
        assert_same_bits(scores, expected, rows)


@given(ROWS, PROTOCOLS, THRESHOLDS, THRESHOLDS)
def test_the_cut_is_monotone_in_the_threshold(
    rows: Rows, protocol: af.ScoreProtocol, one: float, other: float
) -> None:
    # A larger distance is let through by a larger threshold, a smaller similarity by a smaller one.
    low, high = sorted((one, other), reverse=protocol.cut == "similarity")
    strict = column(rows, af.anls, protocol=protocol, threshold=low)
    lenient = column(rows, af.anls, protocol=protocol, threshold=high)
    assert (strict <= lenient).all()


@given(ROWS, st.sampled_from(["anls", "rrc", "anls_star"]), THRESHOLDS)
def test_the_threshold_of_the_protocol_and_the_argument_are_the_same(
    rows: Rows, preset: str, threshold: float
) -> None:
    own = dataclasses.replace(af.PROTOCOLS[preset], threshold=threshold)
    assert column(rows, af.anls, protocol=own).equals(
        column(rows, af.anls, protocol=preset, threshold=threshold)
    )


@given(ROWS, PROTOCOLS, THRESHOLDS)
def test_the_best_answer_counts(rows: Rows, protocol: af.ScoreProtocol, threshold: float) -> None:
    singles = [(prediction, [answer]) for prediction, answers in rows for answer in answers]
    for metric, best, options in [
        (af.nls, max, {}),
        (af.anls, max, {"threshold": threshold}),
        (af.cer, min, {}),
        (af.exact_match, max, {}),
    ]:
        each = iter(column(singles, metric, protocol=protocol, **options).to_list())
        expected = [best([next(each) for _ in answers]) for _, answers in rows]
        assert_same_bits(column(rows, metric, protocol=protocol, **options), expected, rows)


@given(st.data(), ROWS, PROTOCOLS)
def test_the_order_of_answers_decides_only_between_equals(
    data: st.DataObject, rows: Rows, protocol: af.ScoreProtocol
) -> None:
    shuffled = [(prediction, data.draw(st.permutations(answers))) for prediction, answers in rows]
    before = column(rows, af.score, protocol=scoring(protocol, 0.5, protocol))
    after = column(shuffled, af.score, protocol=scoring(protocol, 0.5, protocol))
    for field in ("nls", "anls", "cer", "exact_match"):
        assert before.struct.field(field).equals(after.struct.field(field))
    # The nearest answer may be another one, but none that is nearer.
    nearest = column(shuffled, af.nearest_answer, protocol=protocol).to_list()
    again = [(prediction, answer) for (prediction, _), answer in zip(rows, nearest, strict=True)]
    assert column(again, af.nls, protocol=protocol).equals(column(rows, af.nls, protocol=protocol))


@given(ROWS, PROTOCOLS)
def test_the_first_of_equals_wins(rows: Rows, protocol: af.ScoreProtocol) -> None:
    each = [column([(p, [a]) for a in answers], af.nls, protocol=protocol).to_list() for p, answers in rows]
    index = column(rows, af.score, protocol=scoring(protocol)).struct.field("answer_index").to_list()
    assert index == [similarities.index(max(similarities)) for similarities in each]
    nearest = column(rows, af.nearest_answer, protocol=protocol).to_list()
    assert nearest == [answers[i] for (_, answers), i in zip(rows, index, strict=True)]


@given(st.data(), ROWS, PROTOCOLS)
def test_null_answers_change_nothing(data: st.DataObject, rows: Rows, protocol: af.ScoreProtocol) -> None:
    padded: list[tuple[str, list[str | None]]] = []
    for prediction, answers in rows:
        entries: list[str | None] = list(answers)
        for _ in range(data.draw(st.integers(0, 3))):
            entries.insert(data.draw(st.integers(0, len(entries))), None)
        padded.append((prediction, entries))
    options = {"protocol": scoring(protocol, errors=protocol)}
    before = column(rows, af.score, **options).struct.unnest()
    after = column(padded, af.score, **options).struct.unnest()
    assert before.drop("answer_index").equals(after.drop("answer_index"))
    assert column(rows, af.nearest_answer, protocol=protocol).equals(
        column(padded, af.nearest_answer, protocol=protocol)
    )
    chosen = [entries[i] for (_, entries), i in zip(padded, after["answer_index"], strict=True)]
    assert chosen == [answers[i] for (_, answers), i in zip(rows, before["answer_index"], strict=True)]


@given(ROWS, PROTOCOLS, PROTOCOLS, THRESHOLDS)
def test_the_fields_of_score_are_the_single_functions(
    rows: Rows, protocol: af.ScoreProtocol, errors: af.ScoreProtocol, threshold: float
) -> None:
    scores = column(rows, af.score, protocol=scoring(protocol, threshold, errors))
    fields = scores.struct.unnest()
    assert fields["nls"].equals(column(rows, af.nls, protocol=protocol))
    assert fields["anls"].equals(column(rows, af.anls, protocol=protocol, threshold=threshold))
    assert fields["cer"].equals(column(rows, af.cer, protocol=errors))
    assert fields["exact_match"].equals(column(rows, af.exact_match, protocol=protocol))
    nearest = [answers[i] for (_, answers), i in zip(rows, fields["answer_index"], strict=True)]
    assert nearest == column(rows, af.nearest_answer, protocol=protocol).to_list()


@given(ROWS, PROTOCOLS)
def test_the_rate_is_errors_by_reference_length(rows: Rows, protocol: af.ScoreProtocol) -> None:
    scores = column(rows, af.score, protocol=scoring(protocol, 0.5, protocol))
    fields = scores.struct.unnest()
    expected = [
        errors / max(length, 1)
        for errors, length in zip(fields["char_errors"], fields["reference_length"], strict=True)
    ]
    assert_same_bits(fields["cer"], expected, rows)
    lengths = [{len(oracle.prepare(answer, protocol)) for answer in answers} for _, answers in rows]
    assert all(length in known for length, known in zip(fields["reference_length"], lengths, strict=True))


@given(ROWS, PROTOCOLS)
def test_one_text_is_a_list_of_one(rows: Rows, protocol: af.ScoreProtocol) -> None:
    texts = [(prediction, answers[0]) for prediction, answers in rows]
    lists = [(prediction, [answer]) for prediction, answer in texts]
    for metric in (*ROWS_METRICS, af.nearest_answer):
        assert column(texts, metric, protocol=protocol).equals(column(lists, metric, protocol=protocol))
    options = {"protocol": scoring(protocol)}
    assert column(texts, af.anls, **options).equals(column(lists, af.anls, **options))
    assert column(texts, af.score, **options).equals(column(lists, af.score, **options))


@given(ROWS, PROTOCOLS)
def test_more_answers_never_lower_a_score(rows: Rows, protocol: af.ScoreProtocol) -> None:
    fewer = [(prediction, answers[:-1] or answers) for prediction, answers in rows]
    more, less = (column(r, af.score, protocol=scoring(protocol)).struct.unnest() for r in (rows, fewer))
    assert (more["nls"] >= less["nls"]).all()
    assert (more["anls"] >= less["anls"]).all()
    assert (more["cer"] <= less["cer"]).all()
    assert (more["exact_match"] >= less["exact_match"]).all()


@given(ROWS, st.sampled_from(sorted(af.PROTOCOLS)), st.integers(0, 4))
def test_a_dearer_substitution_never_raises_a_similarity(rows: Rows, preset: str, cost: int) -> None:
    cheap = column(rows, af.nls, protocol=preset, substitution_cost=cost)
    dear = column(rows, af.nls, protocol=preset, substitution_cost=cost + 1)
    assert (dear <= cheap).all()
    assert preset == "rrc" or (dear >= -1).all()

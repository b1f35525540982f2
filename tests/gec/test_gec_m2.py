"""M² agrees with its definition, edit by edit, and keeps what the definition promises."""

from __future__ import annotations

import random
from typing import Any

import gec_oracle as oracle
import polars as pl
import pytest
from campaign import amount
from gec_cases import Case, edit, frame, noised, tiny
from hypothesis import given, settings
from hypothesis import strategies as st

from anls_frame import gec

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"max_unchanged": 0},
    {"max_unchanged": 1},
    {"max_unchanged": 3},
    {"lattice": "paper"},
    {"insert_labels": "v3.2"},
    {"ignore_whitespace_casing": True},
)
COLUMNS = ("prediction", "source", "edits", "annotators")
Counts = dict[int, tuple[int, int, int]]
Edits = dict[int, list[oracle.Edit]]


def score(cases: list[Case], **options: Any) -> list[tuple[Counts, Edits]]:
    """Counts and edits of each case, by annotator."""
    scored = frame(cases).select(counts=gec.m2(*COLUMNS, **options), edits=gec.m2_edits(*COLUMNS, **options))
    results = []
    for counts, edits in scored.iter_rows():
        by_annotator: Edits = {one["annotator"]: [] for one in counts}
        for one in edits:
            texts = one["original"], one["correction"]
            by_annotator[one["annotator"]].append((one["start"], one["end"], *texts))
        numbers = {one["annotator"]: (one["tp"], one["proposed"], one["gold"]) for one in counts}
        results.append((numbers, by_annotator))
    return results


def expected(case: Case, **options: Any) -> tuple[Counts, Edits]:
    edits = {
        who: oracle.m2_edits(case.source, case.hypothesis, golds, **options)
        for who, golds in case.annotated.items()
    }
    counts = {who: oracle.m2_counts(case.source, edits[who], golds) for who, golds in case.annotated.items()}
    return counts, edits


def random_cases(seed: int, count: int) -> list[Case]:
    rng = random.Random(seed)
    return [tiny(rng) if number % 2 else noised(rng) for number in range(count)]


def corpus(
    data: pl.DataFrame, *, beta: float = 0.5, choose: Any = "greedy", lattice: Any = "official"
) -> dict[str, float]:
    counts = gec.m2(*COLUMNS, lattice=lattice)
    result: dict[str, float] = data.select(gec.m2_corpus(counts, beta=beta, choose=choose)).item()
    return result


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_counts_and_edits_are_those_of_the_definition(options: dict[str, Any]) -> None:
    cases = random_cases(1, amount(100, 600))

    for case, result in zip(cases, score(cases, **options), strict=True):
        assert result == expected(case, **options), case


@pytest.mark.parametrize("options", [OPTIONS[0], OPTIONS[1], OPTIONS[3], OPTIONS[4]], ids=str)
def test_the_dynamic_program_never_hits_fewer_gold_edits(options: dict[str, Any]) -> None:
    cases = random_cases(3, amount(150, 600))
    differing = total = 0

    exact, dynamic = score(cases, method="exact", **options), score(cases, method="dp", **options)

    for case, (counts, _), (own_counts, own_edits) in zip(cases, exact, dynamic, strict=True):
        for who, golds in case.annotated.items():
            most = oracle.most_hits(case.source, case.hypothesis, golds, **options)
            # The edits also make up a way from the source to the hypothesis, which is asserted on the way.
            assert oracle.path_hits(case.source, case.hypothesis, own_edits[who], golds) >= most, case
            differing += counts[who] != own_counts[who]
            total += 1
    # Where both hit as many, they can order ties differently: in about 1 of 400 of these cases.
    assert differing <= total * 0.015


def test_passages_of_44_words_are_scored_by_the_exact_algorithm() -> None:
    def rewritten(words: int) -> Case:
        source, hypothesis = (" ".join(f"{side}{number}" for number in range(words)) for side in "sh")
        return Case(f"begin {source} end", f"x y z begin {hypothesis} end", {0: [(0, 0, ["x y z"])]})

    short, long = rewritten(44), rewritten(46)
    options = {"insert_labels": "v3.2"}
    # The place of insertions before the first word tells the algorithms apart.
    assert score([short], **options) == score([short], method="exact", **options)
    assert score([long], **options) == score([long], method="dp")
    assert score([long], method="dp") != score([long], method="exact", **options)


# The sentence of figures 1 and 2 of Dahlmeier and Ng (2012): "word" becomes "a word" or "words".
PAPER = Case(
    "Our baseline system feeds word into PB-SMT pipeline .",
    "Our baseline system feeds a word into PB-SMT pipeline .",
    {0: [(4, 5, ["a word", "words"])]},
)


@pytest.mark.parametrize("method", ["exact", "dp"])
def test_the_example_of_the_paper(method: Any) -> None:
    [(counts, edits)] = score([PAPER], lattice="paper", method=method)

    # The insertion takes its neighbour in, as the person did.
    assert edits == {0: [(4, 5, "word", "a word")]}
    assert counts == {0: (1, 1, 1)}
    # So it is with each grouping of up to two unchanged words, and with no other.
    for start, end, correction in [
        (4, 4, "a"),
        (3, 4, "feeds a"),
        (2, 4, "system feeds a"),
        (3, 5, "feeds a word"),
        (4, 6, "a word into"),
    ]:
        golds = {0: [(start, end, [correction])]}
        regrouped = Case(PAPER.source, PAPER.hypothesis, golds)
        assert score([regrouped], lattice="paper", method=method)[0][0] == {0: (1, 1, 1)}
    for start, end, correction in [(2, 5, "system feeds a word"), (3, 6, "feeds a word into")]:
        wider = Case(PAPER.source, PAPER.hypothesis, {0: [(start, end, [correction])]})
        assert score([wider], lattice="paper", method=method)[0][0] == {0: (0, 1, 1)}
        assert score([wider], lattice="paper", method=method, max_unchanged=3)[0][0] == {0: (1, 1, 1)}


@pytest.mark.parametrize("lattice", ["official", "paper"])
def test_the_example_of_the_shared_tasks(lattice: Any) -> None:
    # Ng et al. (2014), "The CoNLL-2014 Shared Task on Grammatical Error Correction": of three gold edits the
    # system makes one, and no other. P = 1, R = 1/3, F0.5 = 5/7.
    source = "There is no a doubt , tracking system has brought many benefits in this information age ."
    golds: list[oracle.Gold] = [(3, 5, ["doubt"]), (7, 8, ["systems"]), (8, 9, ["have"])]
    data = frame([Case(source, source.replace("a doubt", "doubt"), {0: golds})])

    scores = data.select(gec.m2_corpus(gec.m2(*COLUMNS, lattice=lattice))).item()
    edits = data.select(gec.m2_edits(*COLUMNS, lattice=lattice)).item()

    assert (scores["precision"], scores["recall"]) == (1, 1 / 3)
    assert scores["f"] == pytest.approx(5 / 7, abs=1e-15)
    assert [(one["original"], one["correction"]) for one in edits] == [("a doubt", "doubt")]


@given(st.integers(0, 2**32), st.integers(0, 3), st.sampled_from(["exact", "dp"]))
@settings(max_examples=amount(25, 300), deadline=None)
def test_the_paper_promises_as_many_gold_edits_as_there_can_be(
    seed: int, max_unchanged: int, method: Any
) -> None:
    rng = random.Random(seed)
    case = tiny(rng, length=8) if seed % 2 else noised(rng)
    words = case.source.split()
    distinct = {
        (start, end): texts
        for golds in case.annotated.values()
        for start, end, texts in golds
        if start < end <= len(words) and " ".join(words[start:end]) not in texts
    }
    golds = [(*span, texts) for span, texts in sorted(distinct.items())]

    options: dict[str, Any] = {"lattice": "paper", "max_unchanged": max_unchanged, "method": method}
    [(counts, edits)] = score([Case(case.source, case.hypothesis, {0: golds})], **options)

    most = oracle.paper_most_hits(case.source, case.hypothesis, golds, max_unchanged)
    assert oracle.path_hits(case.source, case.hypothesis, edits[0], golds) == most
    assert counts[0][0] == most


# A file with a lucky and a clumsy system. The first makes 4 of 5 gold edits and one of its own.
GOLD = pl.DataFrame(
    {
        "source": ["The boat lies at shore .", "The bird .", "Grey wolves is an shy hunter ."],
        "edits": [
            [edit(0, 3, 4, ["off"]), edit(0, 4, 4, ["the", "a"])],
            [edit(0, 1, 2, ["birds"])],
            [
                edit(0, 2, 3, ["are"]),
                edit(0, 3, 4, [""]),
                edit(0, 5, 6, ["hunters"]),
                edit(1, 1, 2, ["wolf"]),
            ],
        ],
        "annotators": [[0], [0, 1], [0, 1]],
    }
)
LUCKY = pl.Series("prediction", ["A boat lies off the shore .", "The bird .", "Grey wolves are shy hunter ."])
CLUMSY = pl.Series("prediction", ["A boat lies off shore .", "The bird .", "Grey wolves are shy hunter ."])


@pytest.mark.parametrize("beta", [0.5, 1])
@pytest.mark.parametrize("lattice", ["official", "paper"])
def test_a_file_with_four_of_five_edits(beta: float, lattice: Any) -> None:
    scores = corpus(GOLD.with_columns(LUCKY), beta=beta, lattice=lattice)

    assert (scores["tp"], scores["fp"], scores["fn"]) == (4, 1, 1)
    assert (scores["precision"], scores["recall"]) == (0.8, 0.8)
    assert scores["f"] == pytest.approx(0.8, abs=1e-15)


def test_who_corrects_nothing_agrees_with_a_system_that_changes_nothing() -> None:
    data = GOLD[1:2].with_columns(CLUMSY[1:2])

    assert corpus(data)["f"] == 1.0
    assert corpus(data.with_columns(pl.Series("annotators", [[0]])))["recall"] == 0.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"start": None}, "an edit whose `start` is null"),
        ({"end": None}, "an edit whose `end` is null"),
        ({"annotator": None}, "an edit whose `annotator` is null"),
        ({"start": 1, "end": 0}, "an edit from 1 to 0: a span must start at 0"),
        ({"start": -2, "end": 1}, "an edit from -2 to 1: a span must start at 0"),
        ({"start": -1, "end": 1}, "an edit from -1 to 1"),
        ({"start": -2, "end": -1}, "an edit from -2 to -1"),
    ],
)
def test_spans_that_cannot_be_are_refused_with_their_row(changes: dict[str, Any], message: str) -> None:
    data = frame([Case("a b", "a c", {0: [(1, 2, ["c"])]})] * 2)
    broken = pl.Series(
        "edits", [[edit(0, 1, 2, ["c"])], [edit(0, 1, 2, ["c"]), edit(0, 0, 1, ["c"]) | changes]]
    )
    data = data.with_columns(broken)

    calls = (
        gec.m2(*COLUMNS),
        gec.m2_edits(*COLUMNS),
        gec.i_measure(*COLUMNS),
        gec.errant(broken, "edits"),
    )
    for call in calls:
        with pytest.raises(pl.exceptions.ComputeError, match=rf"row 1 .*{message}"):
            data.select(call)


def test_a_noop_has_any_span() -> None:
    golds = [edit(0, 1, 0, [""], "noop"), edit(1, -1, -1, ["x"], "R")]
    data = frame([Case("a b", "a c", {})]).with_columns(pl.Series("edits", [golds]))

    assert [one["gold"] for one in data.select(gec.m2(*COLUMNS[:3])).item()] == [0, 0]


@pytest.mark.parametrize(
    ("source", "hypothesis", "counts"),
    [("", "", (0, 0, 0)), ("a b", "", (0, 1, 0)), ("", "a b", (0, 1, 0)), (" a\x1fb ", "a  b", (0, 0, 0))],
)
def test_empty_texts_and_whitespace(source: str, hypothesis: str, counts: tuple[int, int, int]) -> None:
    assert score([Case(source, hypothesis, {})])[0][0] == {0: counts}


def test_case_and_spaces_are_ignored_on_request() -> None:
    cases = [Case("It was ÉTÉ some times", "it was été sometimes", {0: [(0, 1, ["it"])]})]

    assert score(cases, max_unchanged=0)[0][0] == {0: (1, 2, 1)}
    assert score(cases, max_unchanged=0, ignore_whitespace_casing=True)[0][0] == {0: (0, 0, 1)}


def test_edits_are_shrunk_on_request() -> None:
    data = frame([Case("a b c d", "a x c d", {0: [(0, 3, ["a x c"])]})])

    [plain] = data.select(gec.m2_edits(*COLUMNS)).item().to_list()
    [shrunk] = data.select(gec.m2_edits(*COLUMNS, shrink=True)).item().to_list()

    assert (plain["start"], plain["end"], plain["correction"]) == (0, 3, "a x c")
    assert (shrunk["start"], shrunk["end"], shrunk["original"], shrunk["correction"]) == (1, 2, "b", "x")
    assert plain["matched"]
    assert (shrunk["matched"], shrunk["type"]) == (True, "X")


@given(st.integers(0, 2**32), st.sampled_from([0.5, 1.0, 2.0]))
@settings(max_examples=amount(12, 60), deadline=None)
def test_the_choice_of_annotators_is_the_definition(seed: int, beta: float) -> None:
    cases = random_cases(seed, 12)
    rows = [list(expected(case)[0].values()) for case in cases]

    scores = corpus(frame(cases), beta=beta)

    tp, proposed, gold = oracle.m2_greedy(rows, beta)
    assert (scores["tp"], scores["fp"], scores["fn"]) == (tp, proposed - tp, gold - tp)
    best = corpus(frame(cases), beta=beta, choose="best_sentence")
    alone = [oracle.m2_greedy([row], beta) for row in rows]
    assert best["tp"] == sum(row[0] for row in alone)
    total = corpus(frame(cases), beta=beta, choose="sum")
    assert total["tp"] == sum(own[0] for row in rows for own in row)
    assert total["fn"] == sum(own[2] - own[0] for row in rows for own in row)


def test_one_annotator_on_request() -> None:
    data = GOLD.with_columns(LUCKY)
    one = data.select(gec.m2_corpus(gec.m2(*COLUMNS), choose="annotator", annotator=1)).item()

    # In the last sentence, where nothing else is gold, "is an" becomes "are" in one edit.
    assert (one["tp"], one["fp"], one["fn"]) == (0, 1, 1)


def test_degenerate_sentences_end_soon() -> None:
    rewritten = Case(" ".join(f"a{i}" for i in range(100)), " ".join(f"b{i}" for i in range(100)), {0: []})
    repeated = Case(
        " ".join(f"a{i}" for i in range(25)),
        " ".join(["a1 a2 x a3"] * 250),
        {0: [(3, 3, ["x"]), (1, 2, ["x"])]},
    )
    garbage = Case(
        " ".join("ab" * 500), " ".join("bca" * 334), {0: [(i, i, ["b"]) for i in range(0, 900, 9)]}
    )

    results = score([rewritten, repeated, garbage])

    assert [counts[0][1] >= 1 for counts, _ in results] == [True, True, True]
    # Nothing is unchanged, so one edit takes all.
    assert results[0][0] == {0: (0, 1, 0)}


def test_texts_beyond_any_table_are_refused_with_their_row() -> None:
    data = frame([Case("a", "a", {0: []}), Case("a " * 6000, "b " * 6000, {0: []})])

    with pytest.raises(pl.exceptions.ComputeError, match=r"row 1 .*6000 and 6000 words"):
        data.select(gec.m2(*COLUMNS))
    large = frame([Case("a b " * 40, "c d " * 40, {0: []})])
    with pytest.raises(pl.exceptions.ComputeError, match="method"):
        large.select(gec.m2(*COLUMNS, method="exact"))

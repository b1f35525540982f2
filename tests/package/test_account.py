"""Every result says how many of the given rows it used: given = used + left out, by reason."""

from __future__ import annotations

import inspect
import itertools
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from campaign import amount
from hypothesis import example, given
from hypothesis import strategies as st
from registry import FUNCTIONS, GEC_FUNCTIONS
from report_oracle import FEWER, FEWER_EACH

import anls_frame as af
from anls_frame import gec

TEXT = st.none() | st.sampled_from(["a", "b", "The answer is a.", "", " "])
NUMBER = st.none() | st.just(float("nan")) | st.sampled_from([0.0, 0.5, 1.0])
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            **dict.fromkeys(("old", "new"), TEXT),
            "answers": st.none() | st.lists(st.none() | st.sampled_from(["a", "b"]), max_size=2),
            **dict.fromkeys(("score", "other", "sure"), NUMBER),
            "kind": st.sampled_from("uv"),
            "doc": st.integers(0, 5),
        }
    ),
    max_size=12,
)
# Enough rows for every function to compute something.
LEAST: list[dict[str, Any]] = [
    {
        "old": "a",
        "new": "ab"[row % 2],
        "answers": ["a"],
        "kind": "uv"[row % 3 == 0],
        "doc": row,
        "score": row % 2,
        "other": 1 - row % 2,
        "sure": row / 10,
    }
    for row in range(6)
]
# Each way in which a row can lack something, and two at once.
LACKING: list[dict[str, Any]] = [
    LEAST[0] | lacks
    for lacks in (
        *({name: None} for name in ("old", "new", "answers", "score", "other", "sure")),
        *({name: float("nan")} for name in ("score", "other", "sure")),
        *({"answers": none} for none in ([], [None])),
        {"old": None, "new": None, "answers": [None, "b"]},
        {"old": "", "new": None, "answers": [], "score": None, "sure": None},
    )
]
SCHEMA = {"answers": pl.List(pl.String), **dict.fromkeys(("score", "other", "sure"), pl.Float64)}


def of_every_option(test: Callable[..., None]) -> Callable[..., None]:
    """Give a test drawn rows and options, and rows that lack something with each combination of options."""
    missing, unanswerable = ("empty", "drop"), ("drop", "empty")
    options = {"missing": st.sampled_from(missing), "unanswerable": st.sampled_from(unanswerable)}
    test = given(rows=ROWS, **options)(test)
    for first, second in itertools.product(missing, unanswerable):
        test = example(rows=LACKING, missing=first, unanswerable=second)(test)
    return test


def frame_of(rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
    columns = {name: [row[name] for row in rows] for name in LEAST[0]}
    frame = pl.DataFrame(columns, schema_overrides=SCHEMA, strict=False)
    judged = pl.int_range(pl.len()) % 2
    # Rows of a question have the same answers.
    question = pl.Series("question", [repr(answers) for answers in columns["answers"]])
    return frame.with_columns(question, judge=judged, truth=judged)


def saved(summary: af.Summary) -> af.Summary:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "summary.parquet")
        summary.save(path)
        return af.Summary.load(path)


def of_summary(summary: af.Summary) -> Any:
    return (af.Report if summary.kind == "report" else af.Comparison).from_summary(summary)


def merged(frame: Any, **how: Any) -> Any:
    parts = [frame[:2], frame[2:]]
    return of_summary(af.merge([saved(af.summarize(part, by="kind", **how)) for part in parts]))


SEARCH = af.SliceSearch(min_rows=1, min_clusters=1, draws=20)


def found_in_summary(frame: Any, **how: Any) -> Any:
    how |= {} if how.get("answers") is None else {"metrics": "anls"}
    return af.find_slices(af.summarize(frame, by="kind", cluster="doc", **how), search=SEARCH)


def selective(frame: Any, prediction: Any = None, **how: Any) -> Any:
    if isinstance(prediction, list):
        return af.selective(frame, {name: name for name in prediction}, model_confidence=SURE, **how)
    return af.selective(frame, prediction, model_confidence="sure", **how)


def compared(frame: Any, *, prediction: Any, **how: Any) -> Any:
    return af.compare(frame, prediction, **how)


SURE = {"old": "sure", "new": "doc"}
TEXTS_OF = {"one": {"prediction": "old"}, "several": {"prediction": ["old", "new"]}}
SCORES_OF: dict[str, dict[str, Any]] = {
    "one": {"metrics": "score"},
    "several": {"prediction": ["score", "other"], "answers": None},
}
KINDS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda frame: frame,
    "lazy": lambda frame: frame.lazy(),
    "pandas": lambda frame: frame.to_pandas(),
}
TEXTS_AND_SCORES = ("texts", "scores")
RESULTS: dict[str, tuple[Callable[..., Any], Sequence[str], Sequence[str], Sequence[str]]] = {
    "report": (af.report, [*KINDS], ["one"], TEXTS_AND_SCORES),
    "compare": (compared, [*KINDS], ["several"], TEXTS_AND_SCORES),
    "summarize": (
        lambda frame, **how: of_summary(af.summarize(frame, **how)),
        *([*KINDS], [*TEXTS_OF], TEXTS_AND_SCORES),
    ),
    "merge": (merged, ["polars"], [*TEXTS_OF], TEXTS_AND_SCORES),
    "find_slices": (
        lambda frame, **how: af.find_slices(frame, columns=["kind"], search=SEARCH, **how),
        *([*KINDS], [*TEXTS_OF], TEXTS_AND_SCORES),
    ),
    "find_slices of a summary": (found_in_summary, [*KINDS], [*TEXTS_OF], TEXTS_AND_SCORES),
    "selective": (selective, [*KINDS], [*TEXTS_OF], ["texts"]),
    "selective of scores": (selective, [*KINDS], ["one"], ["scores"]),
    "browse": (af.browse, [*KINDS], [*TEXTS_OF], ["texts"]),
    "format_tax": (af.format_tax, [*KINDS], ["one"], ["texts"]),
    "variance_components": (
        lambda frame, **how: af.repeats.variance_components(frame, id="question", **how),
        *([*KINDS], ["one"], TEXTS_AND_SCORES),
    ),
}
"""For each result: how it is made, of which frames, of how many systems, and of texts or scores."""

Case = tuple[Callable[..., Any], str, str]
"""How a result is made, which kind of frame it takes, and how many systems it has."""


def cases(wanted: str) -> Iterator[Any]:
    """Return all inputs as Polars frames, and of each result one as each other kind; in a campaign all."""
    for name, (call, kinds, numbers, contents) in RESULTS.items():
        inputs = [*itertools.product(numbers, contents)]
        for turn, kind in enumerate(kinds):
            for number, what in inputs if kind == "polars" else amount([inputs[turn % len(inputs)]], inputs):
                if what == wanted:
                    yield pytest.param((call, kind, number), id=f"{name}-{kind}-{number}")


def by_hand(
    rows: Sequence[dict[str, Any]], columns: Sequence[str], *, is_ranked: bool = False, **options: str
) -> Counter[str]:
    """Count the rows by what happens to each for the first system; `options` are those of texts."""
    counts = Counter({"given": len(rows), "used": 0})
    for row in rows:
        lacks = [row[name] is None or row[name] != row[name] for name in columns]
        has_answer = not options or any(answer is not None for answer in row["answers"] or [])
        what = "prediction" if options else "score"
        if not has_answer and options["unanswerable"] == "drop":
            counts["no accepted answer"] += 1
            continue
        if has_answer and any(lacks) and options.get("missing") != "empty":
            counts[f"no {what}" if lacks[0] else f"no {what} of another system"] += 1
            continue
        counts["used"] += 1
        if is_ranked and (row["sure"] is None or row["sure"] != row["sure"]):
            counts["no confidence (sure), ranked below all others"] += 1
        if not has_answer:
            counts["no accepted answer, scored against the empty text"] += 1
        elif lacks[0]:
            counts["missing prediction, scored as the empty text"] += 1
    return counts


def check(case: Case, rows: Sequence[dict[str, Any]], how: dict[str, Any], **options: str) -> None:
    """Check the account of a result of these rows; `options` are those of texts."""
    call, kind, _ = case
    rows = [*LEAST, *rows]
    given_options = dict(options)
    if options and call is af.format_tax:
        options["unanswerable"] = "drop"
        del given_options["unanswerable"]
    account = call(KINDS[kind](frame_of(rows)), **how, **given_options).account

    table = pl.DataFrame(account.frame)
    assert isinstance(account.frame, pl.DataFrame) == (kind != "pandas")
    for _, lines in table.group_by("system", "metric"):
        numbers = dict(lines.group_by("rows").agg(pl.col("n").sum()).iter_rows())
        assert len(rows) == numbers["given"] == numbers["used"] + numbers.get("left out", 0)
        assert numbers["used"] == account.used
    wanted = how.get("prediction", how.get("metrics"))
    first = table.filter(system=table["system"][0])
    counted = Counter(dict(first.select(pl.coalesce("reason", "rows"), "n").iter_rows()))
    columns = [wanted] if isinstance(wanted, str) else wanted
    assert counted == by_hand(rows, columns, is_ranked=call is selective, **options)
    changed = table.filter(rows="changed").height
    assert account.notes == ([] if account.used == len(rows) and not changed else [str(account)])


@pytest.mark.parametrize("case", [*cases("texts")])
@FEWER_EACH
@of_every_option
@pytest.mark.filterwarnings("ignore::anls_frame.InputWarning")
def test_given_rows_of_texts_are_used_or_left_out_by_reason(
    case: Case, rows: Any, missing: str, unanswerable: str
) -> None:
    how = TEXTS_OF[case[2]] | {"answers": "answers"}
    check(case, rows, how, missing=missing, unanswerable=unanswerable)


@pytest.mark.parametrize("case", [*cases("scores")])
@FEWER_EACH
@example(rows=LACKING)
@given(rows=ROWS)
@pytest.mark.filterwarnings("ignore::anls_frame.InputWarning")
def test_given_rows_of_scores_are_used_or_left_out_by_reason(case: Case, rows: Any) -> None:
    check(case, rows, SCORES_OF[case[2]])


@pytest.mark.parametrize("kind", KINDS)
def test_a_correction_uses_every_row(kind: str) -> None:
    made = af.corrected(KINDS[kind](frame_of(LEAST * 20)), "judge", "truth")
    assert (made.account.given, made.account.used, made.account.notes) == (120, 120, [])
    systems = {"one": ("judge", "truth"), "two": ("score", "truth")}
    account = af.corrected(KINDS[kind](frame_of(LEAST * 20)), systems=systems).account
    assert [*pl.DataFrame(account.frame)["system"]] == ["one", "one", "two", "two"]
    assert str(account) == repr(account) == "All 120 rows were used."


@pytest.mark.parametrize(("noun", "row"), [(None, "row"), ("utterances", "utterance")])
def test_one_row_is_not_called_all_rows(noun: str | None, row: str) -> None:
    one = pl.DataFrame({"prediction": [None], "answers": ["a"]})
    text = af.report(one, "prediction", "answers").to_text(noun=noun)
    assert f"The only {row} was used; missing predictions are scored as the empty text (1)." in text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::anls_frame.InputWarning")
def test_an_overview_has_the_account_of_its_report(kind: str) -> None:
    lacking = {"old": None, "answers": None}, {"old": "a", "answers": []}, {"old": None, "answers": ["a"]}
    rows = [*LEAST * 10, *({**row, **own} for row in LEAST for own in lacking)]
    made = af.overview(KINDS[kind](frame_of(rows).drop("sure")), "old", "answers", cluster="doc")
    counted = pl.DataFrame(made.account.frame).select(pl.coalesce("reason", "rows"), "n")
    assert Counter(dict(counted.iter_rows())) == by_hand(rows, ["old"], missing="empty", unanswerable="drop")
    assert str(made.account) in " ".join(str(made).split())


def test_metrics_in_other_rows_have_lines_of_their_own() -> None:
    frame = pl.DataFrame({"p": ["a", "b", None], "a": ["a", "b", "c"], "judge": [1.0, None, None]})
    account = af.report(frame, "p", "a", metrics=["anls", "judge"]).account
    assert str(account) == (
        "All 3 rows were used; judge has a score in 1 row; missing predictions are scored as the empty text "
        "(1)."
    )
    assert account.frame.drop("system").rows() == [
        (None, "given", None, 3),
        (None, "used", None, 3),
        (None, "changed", "missing prediction, scored as the empty text", 1),
        ("judge", "given", None, 3),
        ("judge", "used", None, 1),
        ("judge", "left out", "no score in the metric", 2),
    ]
    own = af.Metric(
        lambda prediction, answers: pl.when(answers != "b").then(prediction == answers), name="own"
    )
    account = af.compare(frame, ["p", "a"], "a", metrics=own).account
    assert str(account).startswith("2 of 3 rows were used; 1 has no score in the metric and was left out;")


@pytest.mark.parametrize("missing", ["empty", "drop"])
def test_columns_of_scores_may_have_some_without_an_answer(missing: Any) -> None:
    frame = pl.DataFrame(
        {
            "old": ["a", "b", None, "c"],
            "new": ["a", "x", "y", "c"],
            "answers": ["a", None, "y", None],
            "first": [1.0, 0.5, None, 1.0],
            "second": [0.5, 0.5, 1.0, None],
        }
    )
    judge = af.Metric({"old": "first", "new": "second"}, name="judge")
    account = af.compare(frame, ["old", "new"], "answers", metrics=judge, missing=missing).account
    left_out = account.frame.filter(rows="left out", system="old").select("reason", "n").rows()
    reason = {"empty": "no score in the metric", "drop": "no prediction"}[missing]
    assert (account.given, account.used, left_out) == (4, 2, [("no accepted answer", 1), (reason, 1)])
    # No option gives a column more scores, and no text is scored.
    assert "empty" not in str(account)


HALF = pl.DataFrame(
    {"p": ["a"] * 200 + [None] * 200, "a": ["a"] * 200 + [None] * 200, "sure": [0.5, 1.0] * 200}
)
SENTENCE = (
    "200 of 400 rows were used; 200 have no accepted answer and were left out: "
    'unanswerable="empty" scores them.'
)


@pytest.mark.filterwarnings("ignore:the confidence 'sure' has only")
def test_every_print_and_document_has_the_sentence() -> None:
    half = HALF.with_columns(b="p", kind=pl.Series(["u", "v"] * 200), question=pl.col("a").fill_null("none"))
    page = af.browse(half, "p", "a")
    assert SENTENCE in page._content.notes  # noqa: SLF001 - what the page shows
    assert SENTENCE in str(af.repeats.variance_components(half, "p", "a", id="question"))
    for made in (
        af.report(half, "p", "a"),
        af.compare(half, ["p", "b"], "a"),
        af.find_slices(half, "p", "a", ["kind"]),
        af.selective(half, "p", "a", "sure"),
    ):
        assert str(made.account) == SENTENCE
        assert SENTENCE in " ".join(str(made).splitlines())
        assert SENTENCE in made.to_document().notes
    # There is no option for these rows.
    taxed = str(af.format_tax(half.drop("b"), "p", "a").account)
    assert taxed == "200 of 400 rows were used; 200 have no accepted answer and were left out."
    # All rows are used, as they are.
    assert "used" not in str(af.report(half.drop_nulls("a"), "p", "a"))


@pytest.mark.filterwarnings("ignore:the confidence 'sure' has only")
def test_decisions_say_what_they_do_not_rest_on() -> None:
    compared = af.compare(HALF.with_columns(b="p"), ["p", "b"], "a").decide(within=0.1)
    assert (compared.answer, str(compared).endswith(SENTENCE)) == ("fine", True)
    chosen = af.selective(HALF, "p", "a", "sure")
    assert str(chosen.holds(0.5)).endswith(SENTENCE)
    with pytest.warns(af.InputWarning, match=re.escape(SENTENCE)):
        chosen.threshold(0.1)
    # A hundredth is passed over; the tests raise warnings.
    few = pl.concat([HALF[:200], HALF[-2:]])
    assert "used" not in str(af.compare(few.with_columns(b="p"), ["p", "b"], "a").decide(within=0.1))
    af.selective(few, "p", "a", "sure").threshold(0.1)


NO_ANSWER = "leaves out rows without an answer|no answer"
NO_PREDICTION = '`"drop"` leaves|leaves such rows out|leaves it out|no prediction'
NO_SCORE = "[Rr]ows (with a null|without a) score|score is null|an `nls` below"
FRAMES = {
    **dict.fromkeys(("changes", "worst", "confusions"), (NO_ANSWER, NO_PREDICTION, NO_SCORE)),
    **dict.fromkeys(("mean_over_epochs", "pass_at_k"), (NO_ANSWER, NO_PREDICTION, NO_SCORE)),
    **dict.fromkeys(("length_scores", "lost_points"), (NO_ANSWER, NO_PREDICTION)),
    "threshold_curve": (NO_SCORE,),
    "gec.compare": ("without a source, without gold edits or without a correction of any system",),
    "gec.by_type": ("Null rows are left out",),
    "gec.scores": ("leave out rows without counts",),
}
"""
Functions with frames of fewer rows, and what their docstrings must say of the others.

`lost_points` returns two of them: each system has its own rows, whose number is in its table.
"""

KEEP_ROWS = {
    *("add_scores", "audit_sample", "audited_scores", "judged", "documents", "fields", "side_by_side"),
    *("pair", "scoring_rules", "write_results", "write_submission", "gec.write_m2"),
}
"""Functions of frames that use every row, or have an error for a row that they cannot use."""

EVERY = FUNCTIONS | {f"gec.{name}": function for name, function in GEC_FUNCTIONS.items()}


@FEWER
@of_every_option
@pytest.mark.filterwarnings("ignore::anls_frame.InputWarning")
def test_plain_frames_have_the_rows_that_their_options_use(
    rows: Any, missing: Any, unanswerable: Any
) -> None:
    rows = [*LEAST, *rows]
    frame, texts = frame_of(rows).with_row_index("id"), ("old", "answers")
    how: dict[str, Any] = {"missing": missing, "unanswerable": unanswerable}
    summary: Any = af.summarize(frame, *texts, **how)
    lost = af.readers.lost_points(frame.head(0).with_columns(verdict=pl.lit("format")), frame, *texts, **how)
    numbers = {
        "worst": af.worst(frame, *texts, n=len(rows), **how).height,
        "length_scores": af.length_scores(frame, *texts, **how)["n"].sum(),
        "mean_over_epochs": af.repeats.mean_over_epochs(frame, *texts, id="id", **how)["n_epochs"].sum(),
        "lost_points": lost.by_system["n"].item(),
        "threshold_curve": af.threshold_curve(summary)["n"].max(),
    }
    assert numbers == dict.fromkeys(numbers, by_hand(rows, ["old"], **how)["used"])
    counts = af.confusions(frame, "new", "answers", min_nls=0)
    assert counts.select(pl.sum_horizontal("n", r"^n_.*$")).to_series().unique().to_list() == [len(rows)]


@pytest.mark.parametrize("name", FRAMES)
def test_docstrings_of_plain_frames_name_the_rows_left_out(name: str) -> None:
    for reason in FRAMES[name]:
        assert re.search(reason, " ".join(str(inspect.getdoc(EVERY[name])).split()))


def test_every_function_of_rows_accounts_for_them() -> None:
    of_frames = {
        name
        for name, function in EVERY.items()
        if {"frame", "frame_a", "summary", "summaries", "gold"} & {*inspect.signature(function).parameters}
        and not name.startswith("read_")
    }
    with_account = {name for name in of_frames if name in RESULTS} | {"corrected", "overview"}
    assert of_frames == with_account | {*FRAMES} | KEEP_ROWS


EDIT = {"start": 1, "end": 2, "type": "SVA", "corrections": ["goes"], "annotator": 0}
SENTENCES = pl.DataFrame(
    {
        "source": ["He go home ."] * 3 + [None],
        "edits": [[EDIT], [EDIT], None, [EDIT]],
        "old": ["He goes home .", None, "He goes home .", "He goes home ."],
        "new": ["He go home .", None, "He goes home .", "He goes home ."],
    },
    schema_overrides={
        "edits": pl.List(
            pl.Struct(
                {
                    **dict.fromkeys(("start", "end"), pl.Int64),
                    "type": pl.String,
                    "corrections": pl.List(pl.String),
                    "annotator": pl.Int64,
                }
            )
        )
    },
)


def test_a_decision_about_corrections_says_which_sentences_it_lacks() -> None:
    assert gec.compare(["old", "new"], SENTENCES)["n"].to_list() == [1, 1]
    with pytest.warns(af.InputWarning, match="^3 of 4 sentences left out for lack of a source, gold edits"):
        gec.compare(["old", "new"], SENTENCES, within=0.1)


SIGNALS = pl.DataFrame(
    {
        **{name: ["a", "b", "a", None, "a"] * 40 for name in ("p", "q")},
        "a": ["a", "a", "a", "a", None] * 40,
        "sure": [None, 0.5, float("nan"), 0.25, None] * 40,
        "other": [0.1, float("-inf"), 0.3, 0.2, 0.5] * 40,
    }
)


@pytest.mark.filterwarnings("ignore:.*confidence")
def test_rows_without_a_confidence_are_a_reason() -> None:
    # The fifth of five rows is left out, because it has no answer.
    both = af.selective(SIGNALS, "p", "a", ["sure", "other"])
    last = "no confidence ({}), ranked below all others".format
    changed = both.account.frame.filter(rows="changed").select("reason", "n").rows()
    assert changed[1:] == [(last("sure"), 80), (last("other"), 40)]
    said = "80 have no confidence (sure) and rank below all others; 40 have no confidence (other) and rank"
    assert said in str(both.account)
    assert said in " ".join(str(both).split())
    systems = af.selective(SIGNALS, {"p": "p", "q": "q"}, "a", {"p": "sure", "q": "other"})
    by_system = systems.account.frame.filter(pl.col("reason").str.starts_with("no confidence"))
    assert by_system.select("system", "n").rows() == [("p", 80), ("q", 40)]
    # All rows are used, but one of them is not as it was given.
    one = SIGNALS.drop_nulls(["p", "a"]).with_columns(sure=pl.int_range(pl.len()).replace(0, None))
    assert af.selective(one, "p", "a", "sure").account.notes == [
        "All 120 rows were used; 1 has no confidence (sure) and ranks below all others."
    ]

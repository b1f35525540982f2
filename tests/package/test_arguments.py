"""Arguments of every kind of function: numbers of numpy are numbers, and what is wrong reads alike."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import anls_frame as af
from anls_frame import gec, plot, words
from anls_frame.exceptions import DTypeError

FRAME = pl.DataFrame(
    {
        "p": ["a", "b"] * 3,
        "q": ["a", "c"] * 3,
        "t": ["a", "c"] * 3,
        "cer": [0.0, 0.5, 1.0] * 2,
        "k": ["x"] * 6,
    }
)
TEXTS = (FRAME, "p", "t")
COUNTS = pl.DataFrame({"counts": [[{"annotator": 0, "tp": 3, "fp": 1, "fn": 2, "proposed": 4, "gold": 5}]]})


def compared() -> af.Comparison:
    return af.compare(FRAME, {"old": "p", "new": "q"}, "t")


def pilot() -> af.Comparison:
    return af.compare(pl.concat([FRAME] * 20), {"old": "p", "new": "q"}, "t")


INTEGERS: dict[str, Callable[[Any], Any]] = {
    "worst": lambda value: af.summarize(*TEXTS, worst=value).report_sums.frames["worst"],
    "n": lambda value: (
        af.worst(*TEXTS, n=value).height + af.changes(FRAME, {"old": "p", "new": "q"}, "t", n=value).height
    ),
    "depth": lambda value: af.find_slices(FRAME, "p", "t", depth=value).n_slices,
    "max_length": lambda value: af.confusions(*TEXTS, max_length=value),
    "substitution_cost": lambda value: FRAME.select(af.nls("p", "t", substitution_cost=value)),
    "draws": lambda value: af.compare(FRAME, {"old": "p", "new": "q"}, "t", draws=value).overall,
    "seed": lambda value: af.compare(FRAME, {"old": "p", "new": "q"}, "t", seed=value).overall,
    "context": lambda value: af.pairs.alignment("a" * 99 + "b", "a" * 99).to_text(context=value),
    "max_groups": lambda value: len(
        plot.group_scores(af.report(*TEXTS, by="k"), max_groups=value).get_yticks()
    ),
    "max_unchanged": lambda value: str(gec.m2("p", "q", "t", max_unchanged=value).meta.root_names()),
}
REALS: dict[str, Callable[[Any], Any]] = {
    "threshold": lambda value: FRAME.select(af.anls("p", "t", threshold=value)),
    "min_nls": lambda value: af.confusions(*TEXTS, min_nls=value),
    "confidence": lambda value: af.report(*TEXTS, confidence=value).overall,
    "holdout": lambda value: (
        af.find_slices(FRAME, "p", "t", search=af.SliceSearch(min_rows=1, holdout=value)).table
    ),
    "alpha": lambda value: compared().regressed(alpha=value),
    "drop": lambda value: compared().regressed(drop=value),
    "within": lambda value: str(compared().decide(within=value)),
    "effect": lambda value: pilot().sample_size(value),
    "power": lambda value: compared().detectable_difference(power=value),
    "upper": lambda value: len(plot.cer_distribution(FRAME, upper=value).patches),
    "beta": lambda value: COUNTS.select(gec.m2_corpus("counts", beta=value)),
}


def same(one: Any, other: Any) -> bool:
    return bool(one.equals(other)) if isinstance(one, pl.DataFrame) else bool(one == other)


BOUNDS = r"in [\[(]0, 1[\])]|of at least 0|above 0"


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("kind", [np.int8, np.uint32, np.int64])
def test_integers_of_numpy_are_integers(name: str, kind: type) -> None:
    assert same(INTEGERS[name](kind(2)), INTEGERS[name](2))


@pytest.mark.parametrize("name", REALS)
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, Fraction])
def test_numbers_of_numpy_are_numbers(name: str, kind: type) -> None:
    assert same(REALS[name](kind(0.5)), REALS[name](0.5))


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("value", [1.0, "2", None, True, np.float64(2), np.True_, [1]], ids=repr)
def test_what_is_no_integer_is_refused_by_name(name: str, value: Any) -> None:
    if name in {"context", "n"} and value is None:
        return
    with pytest.raises(
        TypeError, match=rf"^{name} must be an integer (from \d+ to \d|of at least \d).*, got "
    ):
        INTEGERS[name](value)
    with pytest.raises(ValueError, match=rf"^{name} must be an integer"):
        INTEGERS[name](value)


@pytest.mark.parametrize("name", REALS)
@pytest.mark.parametrize("value", ["0.5", True, np.True_, Decimal("0.5"), 1j, [0.5]], ids=repr)
def test_what_is_no_number_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=rf"^{name} must be a number ({BOUNDS}), got "):
        REALS[name](value)
    with pytest.raises(ValueError, match=rf"^{name} must be a number"):
        REALS[name](value)


@pytest.mark.parametrize("name", REALS)
@pytest.mark.parametrize("value", [-1, -0.001, float("nan"), np.float32("nan"), float("inf"), 10**400])
def test_a_number_outside_its_bounds_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name} must be a number ({BOUNDS}), got "):
        REALS[name](value)


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("value", [-1, np.int64(-1), -(10**30)])
def test_an_integer_below_its_bounds_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(
        ValueError, match=rf"^{name} must be an integer (from \d+ to \d|of at least \d).*, got "
    ):
        INTEGERS[name](value)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("max_groups", INTEGERS["max_groups"]),
        ("max_systems", lambda value: plot.ranking(compared(), max_systems=value)),
        ("per_slice", lambda value: af.audit_sample(FRAME, 1, by="k", per_slice=value)),
        ("n", INTEGERS["n"]),
    ],
)
def test_an_integer_too_large_for_polars_is_refused_by_name(name: str, call: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match=rf"^{name} must be an integer from \d to [\d,]+, got 1000"):
        call(10**30)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda value: af.ScoreProtocol(cut=value), "cut must be one of 'distance', 'similarity', got 'x'"),
        (lambda value: af.report(*TEXTS, missing=value), "missing must be one of 'empty', 'drop', got 'x'"),
        (
            lambda value: gec.errant("p", "q", mode=value),
            "mode must be one of 'cs', 'cse', 'ds', 'dt', got 'x'",
        ),
        (
            lambda value: af.ANLS(reduction=value),
            "reduction must be one of 'mean', 'sum', 'none', None, got 'x'",
        ),
    ],
)
def test_what_is_none_of_the_choices_is_refused_with_them(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ValueError, match="must be one of") as caught:
        call("x")
    assert str(caught.value) == message
    with pytest.raises(ValueError, match=r"must be one of .*, got 3"):
        call(3)
    for column in (FRAME["k"], FRAME["k"].to_pandas(), pl.col("k")):
        with pytest.raises(TypeError, match=r"must be one of .*, got (polars\.Series|pandas\.Series|<Expr)"):
            call(column)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: af.find_slices(FRAME, "p", "t", by="k"),  # type: ignore[call-overload]
            r"find_slices\(\): got an unexpected keyword argument 'by'; it takes .*, columns, metrics=",
        ),
        (
            lambda: af.report(FRAME, "p", "t", "anls"),  # type: ignore[misc, call-overload]
            r"report\(\): too many positional arguments; .*`report\(frame, prediction, answers, metrics=",
        ),
        (
            lambda: af.report(FRAME, "p", "t", metric="anls"),  # type: ignore[call-overload]
            r"report\(\): got an unexpected keyword argument 'metric'; .*; did you mean 'metrics'\?$",
        ),
        (
            lambda: af.cer("p", "t", missings="drop"),  # type: ignore[call-overload]
            r"cer\(\): .* 'missings'; it takes `cer\(prediction, answers, .*`; did you mean 'missing'\?$",
        ),
    ],
)
def test_a_call_that_a_function_cannot_take_is_refused_with_what_it_takes(
    call: Callable[[], Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize("function", [af.cer, af.anls, words.wer, af.levenshtein, af.nls])
@pytest.mark.parametrize("pair", [("p", "t"), tuple(pd.Series([text]) for text in ("HALLO", "hallo"))])
def test_a_way_to_compare_texts_that_a_function_lacks_is_a_rule_of_its_protocol(
    function: Callable[..., Any], pair: tuple[Any, Any]
) -> None:
    with pytest.raises(TypeError, match="the protocol says what counts as equal") as caught:
        function(*pair, ignore_case=True)
    preset, option = re.findall(r"PROTOCOLS\['(\w+)'\]\.replace\((\w+)=True\)`$", str(caught.value))[0]
    followed = af.PROTOCOLS[preset].replace(**{option: True})
    rows = pl.DataFrame({"p": ["HALLO"], "t": ["hallo"]})
    scores = function(*pair, protocol=followed)
    score = rows.select(scores).item() if isinstance(scores, pl.Expr) else scores.item()
    assert score == (1 if function in (af.anls, af.nls) else 0)


NAMES: dict[str, Callable[[Any], Any]] = {
    "answers": lambda value: af.overview(FRAME, "p", value),
    "id": lambda value: af.browse(FRAME, "p", "t", id=value),
    "prediction": lambda value: af.length_scores(FRAME, value, "t"),
    "model_confidence": lambda value: af.selective(FRAME, "p", "t", value),
    "score": lambda value: af.corrected(FRAME, value, "cer"),
    "x": lambda value: plot.curve(FRAME, x=value, y="cer"),
    "y": lambda value: plot.curve(FRAME, x="cer", y=value),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [pl.col("p"), FRAME["p"]], ids=["expression", "column"])
def test_a_column_in_place_of_its_name_is_refused(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=rf"^{name} takes names of columns, got a polars\.(Expr|Series); "):
        NAMES[name](value)


@pytest.mark.parametrize("function", [af.worst, af.browse, af.length_scores])
def test_texts_without_answers_are_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match="a column name must be a string, got None"):
        function(FRAME, "p", None)


@pytest.mark.parametrize("value", [["cer"], {"p": "cer"}, 3], ids=repr)
def test_an_overview_refuses_what_is_no_name(value: Any) -> None:
    for role in ("answers", "cluster", "model_confidence", "id"):
        options = {"prediction": "p", "answers": "t", role: value}
        with pytest.raises(TypeError, match=f"^{role} must be the name of a column, got "):
            af.overview(FRAME, **options)
    for by in (3, pl.col("k"), [3]):
        with pytest.raises(TypeError, match=r"^by must be a column name or a list of them, got "):
            af.overview(FRAME, "p", "t", by=by)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^by must not name a column twice"):
        af.overview(FRAME, "p", "t", by=["k", "k"])


def test_scores_are_not_replaced_by_accident() -> None:
    with pytest.raises(TypeError, match=r"^overwrite must be True or False, got 'no'"):
        af.add_scores(FRAME, "p", "t", overwrite="no")  # type: ignore[arg-type]


class Thing:
    """A value that neither Polars nor Arrow knows."""


@pytest.mark.parametrize(
    "call",
    [
        lambda frame: af.audit_sample(frame, 2, by="k"),
        lambda frame: plot.curve(frame, x="cer", y="cer", by="k"),
        lambda frame: af.report(frame, "p", "t", by="k"),
    ],
)
def test_objects_as_groups_are_refused_by_name(call: Callable[[Any], Any]) -> None:
    objects = FRAME.with_columns(pl.Series("k", [Thing()] * 6, dtype=pl.Object))
    with pytest.raises(DTypeError, match=r"^column 'k' has dtype Object and cannot (slice|group) rows; "):
        call(objects)


def test_a_list_is_no_path_of_an_image() -> None:
    images = FRAME.with_columns(image=pl.concat_list("k"))
    with pytest.raises(DTypeError, match=r"^column 'image' has dtype List\(String\) and is no path"):
        af.browse(images, "p", "t", image="image")
    first = images.with_columns(pl.col("image").list.first())
    assert af.browse(first, "p", "t", image="image")


def test_a_long_frame_without_systems_is_refused() -> None:
    long = FRAME.with_columns(system=pl.concat_list("k")).with_row_index("id")
    with pytest.raises(DTypeError, match=r"^column 'system' has dtype List\(String\), but it must"):
        af.side_by_side(long, "p", "t", system="system", id="id")
    with pytest.raises(ValueError, match=r"^there is nothing to compare: the frame has no rows"):
        af.side_by_side(long.clear(), "p", "t", system="system", id="id")


def distance(one: str, other: str) -> int:
    return len(one) - len(other)


def test_a_function_of_texts_as_a_metric_is_refused_with_what_takes_it() -> None:
    message = "^the function of metric 'distance' does not take two expressions .*use Metric.of_texts$"
    with pytest.raises(TypeError, match=message):
        af.report(*TEXTS, metrics=distance)  # type: ignore[arg-type]
    metric = af.Metric.of_texts(distance, bounds=None)
    assert af.report(*TEXTS, metrics=metric).overall["distance"] == 0


def test_a_plot_says_how_to_make_a_frame() -> None:
    levels = pd.DataFrame({("a", "cer"): [0.5]})
    with pytest.raises(TypeError, match=r"^ecdf takes .* several levels of column names; flatten them first"):
        plot.ecdf(levels, "cer")


@pytest.mark.parametrize("colors", [["red", "blue"], "red", FRAME["k"]], ids=["list", "text", "column"])
def test_colours_without_names_are_refused(colors: Any) -> None:
    made = compared()
    for call in (plot.ranking, plot.comparison):
        with pytest.raises(TypeError, match=r"^colors must be a mapping from names of systems to colours"):
            call(made, colors=colors)
    with pytest.raises(TypeError, match=r"^colors must be a mapping from names of systems to colours"):
        plot.ecdf(FRAME, "cer", colors=colors)


def test_a_plot_names_the_column_that_it_cannot_draw() -> None:
    lists = FRAME.with_columns(error_type=pl.concat_list("k"))
    with pytest.raises(
        DTypeError, match=r"^column 'error_type' has dtype List\(String\); this plot needs one"
    ):
        plot.error_types(lists)
    with pytest.raises(ValueError, match=r"^column 'cer' must be finite"):
        plot.ecdf(FRAME.with_columns(cer=pl.lit(float("inf"))), "cer")


def test_many_bins_keep_all_values_apart() -> None:
    (line,) = plot.curve(FRAME, x="cer", y="cer", bins=10**30).lines
    assert line.get_xdata().tolist() == [0.0, 0.5, 1.0]  # type: ignore[union-attr]


@pytest.mark.parametrize("value", ["A", 3])
def test_systems_are_a_list(value: Any) -> None:
    long = FRAME.with_columns(system=pl.lit("A")).with_row_index("id")
    with pytest.raises(TypeError, match=r"^systems must be a list of strings, got "):
        af.side_by_side(long, "p", "t", system="system", id="id", systems=value)


def test_fields_name_the_option_of_a_wrong_column() -> None:
    with pytest.raises(TypeError, match=r"^answers must be the name of a column, got set"):
        af.fields(FRAME, "p", {"t"}, id="k")  # type: ignore[arg-type]
    levels = pd.DataFrame({("a", "p"): ["{}"], ("a", "t"): ["{}"], ("a", "k"): [1]})
    with pytest.raises(TypeError, match=r"several levels of column names; flatten them first"):
        af.fields(levels, "p", "t", id="k")

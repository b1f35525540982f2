"""A threshold is asked for where ANLS is reported, and protocols that do not cut prepare error rates too."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell

import anls_frame as af
from anls_frame.cli.named import protocol as parsed
from anls_frame.protocol import protocol_from_dict, protocol_to_dict, resolve_errors, spelled

SPEECH = pl.DataFrame({"hyp": ["the cat sat"] * 50, "ref": ["The cat sat."] * 50})
LOOSE = af.PROTOCOLS["raw"].replace(ignore_case=True, equivalences={".": ""})
RAW = af.PROTOCOLS["raw"]


def rate(protocol: Any, metric: str = "wer_corpus") -> float:
    found: float = af.report(SPEECH, "hyp", "ref", metrics=metric, protocol=protocol).overall[metric]
    return found


@pytest.mark.parametrize(
    ("protocol", "expected"),
    [
        # Of three words, "The" and "sat." are wrong as they are written.
        ("raw", 2 / 3),
        ("jiwer", 2 / 3),
        (RAW.replace(ignore_case=True), 1 / 3),
        (LOOSE, 0.0),
        # Following the error's advice.
        (LOOSE.replace(threshold=0.5), 0.0),
        (RAW.replace(ignore_case=True, equivalences={".": ""}, threshold=0.5), 0.0),
        # A protocol that cuts has its own preparation of error rates.
        (af.PROTOCOLS["anls"], 2 / 3),
        (af.PROTOCOLS["anls"].replace(errors=LOOSE), 0.0),
        (LOOSE.replace(errors="raw"), 2 / 3),
    ],
)
def test_a_protocol_that_does_not_cut_prepares_error_rates(protocol: Any, expected: float) -> None:
    assert rate(protocol) == pytest.approx(expected)


@pytest.mark.parametrize(
    "metric",
    ["wer_corpus", "wer_mean", "cer_corpus", "cer_mean", "nls", "exact_match", "substitutions"],
)
def test_metrics_without_a_cut_need_no_threshold(metric: str) -> None:
    cut = LOOSE.replace(threshold=0.5)
    assert rate(LOOSE, metric) == rate(cut, metric)
    systems = {"metrics": metric, "protocol": LOOSE}
    twice = SPEECH.with_columns(other=pl.lit("The cat"))
    compared = af.compare(twice, ["other", "hyp"], "ref", **systems).overall["score"].item()
    assert compared == pytest.approx(rate(LOOSE, metric))
    sums = af.summarize(SPEECH, "hyp", "ref", **systems)
    assert af.Report.from_summary(sums).overall[metric] == rate(LOOSE, metric)


def test_other_functions_need_no_threshold_either(tmp_path: Path) -> None:
    rows = pl.DataFrame({"p": ["A", "b", "C"] * 40, "a": ["a", "b", "d"] * 40, "k": ["x", "y", "y"] * 40})
    rows = rows.with_columns(sure=pl.int_range(120) / 120, id=pl.int_range(120))
    how: dict[str, Any] = {"metrics": "exact_match", "protocol": "raw"}
    assert af.report(rows, "p", "a", worst=3, **how).worst.columns == [
        *("prediction", "answers", "nls", "cer", "exact_match")
    ]
    assert af.find_slices(rows, "p", "a", ["k"], **how).settings["protocol"]["threshold"] is None
    assert af.selective(rows, "p", "a", "sure", **how).to_polars().height > 0
    scored = af.repeats.mean_over_epochs(rows, "p", "a", id="id", **how)
    assert scored["exact_match"].mean() == pytest.approx(1 / 3)
    assert af.add_scores(rows, "p", "a", columns=["exact_match"], protocol="raw")["exact_match"].sum() == 40
    sums = af.summarize(rows, "p", "a", **how)
    sums.save(tmp_path / "sums.zip")
    assert "threshold:none" in af.Report.from_summary(af.Summary.load(tmp_path / "sums.zip")).signature
    page = tmp_path / "report.html"
    af.report(rows, "p", "a", worst=3, **how).write(page)
    assert "set to 0 by the threshold" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("metrics", [None, "anls", "zeros", ["nls", "anls"]])
def test_anls_asks_for_a_threshold_and_says_what_else_to_do(metrics: Any) -> None:
    with pytest.raises(
        ValueError, match=r"threshold for ANLS and error types, but raw has none; .* threshold=0\.5"
    ):
        af.report(SPEECH, "hyp", "ref", metrics=metrics, protocol="raw")
    with pytest.raises(ValueError, match="threshold for ANLS"):
        af.compare(SPEECH, {"a": "hyp", "b": "hyp"}, "ref", protocol="raw")
    with pytest.raises(ValueError, match="threshold for ANLS"):
        af.add_scores(SPEECH, "hyp", "ref", protocol="raw")


def test_the_command_line_needs_none_either(tmp_path: Path) -> None:
    file = tmp_path / "speech.csv"
    SPEECH.select(prediction="hyp", answers="ref").write_csv(file)

    def printed(metric: str, protocol: str) -> float:
        how = ("-m", metric, "--protocol", protocol, "--json")
        (table,) = json.loads(shell.fine(shell.run(tmp_path, "report", file, *how)))["tables"].values()
        found: float = table[0][metric]
        return found

    rates = {"raw": 2 / 3, "raw,ignore_case=true": 1 / 3, "jiwer,threshold=0.5": 2 / 3}
    for protocol, expected in rates.items():
        assert printed("wer_corpus", protocol) == pytest.approx(expected)
    assert printed("exact_match", "raw") == 0


@pytest.mark.parametrize("name", af.PROTOCOLS)
def test_protocols_come_back_from_json_and_from_their_spelling(name: str) -> None:
    preset = af.PROTOCOLS[name]
    changes: list[dict[str, Any]] = [{}, {"ignore_case": True}, {"errors": "jiwer"}, {"errors": "raw"}]
    for change, threshold in itertools.product(changes, ["same", None, 0.3]):
        options = change if threshold == "same" else change | {"threshold": threshold}
        protocol = preset.replace(**options)
        again = protocol_from_dict(json.loads(json.dumps(protocol_to_dict(protocol))))
        assert again == protocol
        assert resolve_errors(again) == resolve_errors(protocol)
        assert resolve_errors(parsed(spelled(protocol))) == resolve_errors(protocol)
        assert parsed(spelled(protocol)) == protocol


@pytest.mark.parametrize(
    "options",
    [
        "ignore_case=true,whitespace=squeeze",
        "ignore_case=true,words=whitespace",
        "ignore_case=true,ignore_punctuation=true,words=whitespace",
        "ignore_case=true,threshold=0.5",
        "ignore_punctuation=true,threshold=0.5",
    ],
)
def test_error_rates_with_options_bear_the_name_of_their_preset(options: str) -> None:
    text = f"jiwer,{options}"
    prepared, _, threshold = text.partition(",threshold=")
    assert spelled(parsed(text)).split(",")[0] == "jiwer"
    parts = af.report(SPEECH, "hyp", "ref", metrics="wer_corpus", protocol=parsed(text)).signature.split("|")
    assert {f"protocol:{prepared}", f"threshold:{threshold or 'none'}", f"errors:{prepared}"} <= {*parts}

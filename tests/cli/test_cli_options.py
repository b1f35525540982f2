"""Options outside of their choices: an error that names the option as the shell has it."""

from __future__ import annotations

from pathlib import Path

import pytest
import shell


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["confusions", "--min-nls", "nan"], "--min-nls must be a number in [0, 1], got nan"),
        (["confusions", "--n", "-1"], "--n must be an integer from 0 to 4,294,967,295, got -1"),
        (
            ["report", "--worst", str(2**62)],
            "--worst must be an integer from 0 to 4,294,967,295, got 4611686018427387904",
        ),
        (["report", "--confidence", "2"], "--confidence "),
        (["report", "--protocol", "raw"], "--protocol must have a threshold for ANLS, but raw has none"),
        (["report", "--missing", "x"], "--missing "),
        (
            ["score", "--reader", "table,answers_format=x"],
            "answers_format must be one of 'auto', 'text', 'list' or a separator such as '|', got 'x'",
        ),
        (["score", "--reader", "table,encoding=utf-99"], "rows.csv: unknown encoding 'utf-99'"),
        (["report", "--by", ""], "no column '' among"),
        (["report", "--cluster", "^.*$"], "no column '^.*$' among"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_what_an_option_may_be_is_said_under_its_name(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "rows.csv").write_text("prediction,answer\na,b\n", encoding="utf-8")

    done = shell.run(tmp_path, arguments[0], "rows.csv", *arguments[1:])

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"anls-frame: {message}")

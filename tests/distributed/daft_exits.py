"""
The end of a process that has used Daft.

Run by `.ci/heavy ray`; not part of `make test`, because what ends badly now and then is Daft.
"""

from __future__ import annotations

from shell import RunPython


def test_a_process_ends_well_right_after_a_query(run_python: RunPython) -> None:
    # Daft's threads may still hold Python objects then.
    script = (
        "import anls_frame as af; import daft;"
        "frame = daft.from_pydict({'p': ['a'] * 300_000, 'a': ['b'] * 300_000});"
        "print(af.add_scores(frame, 'p', 'a').where(daft.col('nls') == 0).count_rows())"
    )
    for _ in range(20):
        done = run_python("-c", script)
        assert (done.stdout, done.returncode) == ("300000\n", 0)

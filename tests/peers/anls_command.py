"""The command of PyPI anls, run by the interpreter of the environment that holds that package."""

from __future__ import annotations

if __name__ == "__main__":
    from anls.cli.run import run  # type: ignore[import-not-found]  # only there, not where the tests run

    run("calculate-anls")

"""
The command of PyPI anls, run by the interpreter of the environment that holds that package.

The only argument is a list of lists of arguments as JSON: the command is run with each, until one fails.
"""

from __future__ import annotations

import json
import sys

if __name__ == "__main__":
    from anls.cli.run import run  # type: ignore[import-not-found]  # only there, not where the tests run

    for arguments in json.loads(sys.argv[1]):
        sys.argv[1:] = arguments
        run("calculate-anls")

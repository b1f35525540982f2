"""What the data was made of: seed, versions, counts and the checksums of the files."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
import tomllib
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from .plan import SEED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .assemble import Result

HERE = Path(__file__).parent


def write_metadata(results: Sequence[Result], files: Sequence[Path], folder: Path) -> None:
    """Write `metadata.json` beside the data."""
    content = {
        "seed": SEED,
        "counts": _counts(results),
        "versions": {
            "python": platform.python_version(),
            "packages": {name: version(name) for name in _packages()},
            "debian": _debian_versions((HERE / "debian-packages.txt").read_text(encoding="utf-8").split()),
        },
        "sha256": {
            file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in sorted(files)
        },
    }
    text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    (folder / "data" / "metadata.json").write_text(text, encoding="utf-8")


def _counts(results: Sequence[Result]) -> dict[str, object]:
    questions = [row for result in results for row in result.questions]
    types = Counter(kind for row in questions for kind in row["question_types"])
    return {
        "documents": len(results),
        "questions": len(questions),
        "unanswerable": sum(not row["answers"] for row in questions),
        "questions_by_type": dict(sorted(types.items())),
        "documents_by_type": dict(sorted(Counter(result.page["doc_type"] for result in results).items())),
        "documents_by_lang": dict(sorted(Counter(result.page["lang"] for result in results).items())),
        "documents_by_profile": dict(sorted(Counter(result.page["profile"] for result in results).items())),
    }


def _packages() -> list[str]:
    project = tomllib.loads((HERE.parent.parent / "pyproject.toml").read_text(encoding="utf-8"))
    return [requirement.partition("==")[0] for requirement in project["dependency-groups"]["data"]]


def _debian_versions(packages: Sequence[str]) -> dict[str, str]:
    command = ["dpkg-query", "--show", "--showformat=${Package} ${Version}\n", *packages]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    pairs = (line.split(" ", 1) for line in done.stdout.splitlines())
    return dict(pairs)

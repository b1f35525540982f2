"""The shape of Inspect's logs."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

from anls_frame.readers import _content, _json
from anls_frame.readers._problems import problem, shown

if TYPE_CHECKING:
    from pathlib import Path

    from anls_frame.readers._problems import Problems

_ATTACHMENT = "attachment://"
_MOST_BYTES = 4 << 30


def samples(path: Path, problems: Problems, *, allow_missing: bool) -> list[tuple[str, dict[str, Any]]]:
    """Return the samples of a log with their places."""
    header, found = _archive(path) if path.suffix.lower() == ".eval" else _json_log(path)
    status = header.get("status")
    if status != "success" and not allow_missing:
        problems.add(
            f"the run's status is {shown(status)}, so samples may be missing; allow_missing=True reads it"
        )
    rows = []
    for place, sample in found:
        if isinstance(sample, dict) and "id" in sample and "target" in sample:
            rows.append((place, sample))
        else:
            problems.add("no sample with an id and a target", place)
    return rows


def flat(place: str, sample: dict[str, Any], scorer: str | None, problems: Problems) -> dict[str, Any]:
    """Return a sample with its output, scores and targets as plain fields."""
    attachments = sample.get("attachments") or {}
    scores = sample.get("scores") or {}
    row: dict[str, Any] = {
        "question_id": sample["id"],
        "question": _question(sample.get("input"), attachments),
        "prediction": _output(sample, attachments),
        "answers": sample["target"],
        "epoch": sample.get("epoch"),
    }
    for name, score in scores.items():
        if isinstance(score, dict):
            row[name] = score.get("value")
            row[f"{name}_answer"] = score.get("answer")
    if scorer is not None:
        if not isinstance(scores.get(scorer), dict):
            problems.add(f"no score of {shown(scorer)}", place)
        row["prediction"] = row.get(f"{scorer}_answer")
    if isinstance(sample.get("metadata"), dict):
        row["metadata"] = sample["metadata"]
    if sample.get("error") is not None:
        row["error"] = sample["error"]
    return row


def _json_log(path: Path) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    log = _json.read_whole(path, _content.read_text(path))
    if not isinstance(log, dict) or not isinstance(log.get("samples"), list):
        raise problem(path, "no log of Inspect with samples in it (or one that was written without them)")
    return log, [(f"samples[{index}]", sample) for index, sample in enumerate(log["samples"])]


def _archive(path: Path) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    _content.check_file(path)
    header: Any = None
    found: list[tuple[str, Any]] = []
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _MOST_BYTES:
                raise problem(path, f"unpacks to more than {_MOST_BYTES:,} bytes")
            for name in dict.fromkeys(archive.namelist()):
                if name == "header.json" or (name.startswith("samples/") and name.endswith(".json")):
                    value = _json.parse(archive.read(name).decode())
                    if name == "header.json":
                        header = value
                    else:
                        found.append((name, value))
    except NotImplementedError:
        raise problem(
            path, "packed in a way that Python cannot unpack; convert it: inspect log convert --to json"
        ) from None
    except (zipfile.BadZipFile, EOFError, UnicodeDecodeError, ValueError) as error:
        raise problem(path, f"no log of Inspect that can be read: {error}") from None
    if not isinstance(header, dict):
        header = {"status": "started"}  # written at the end of a run
    return header, found


def _output(sample: dict[str, Any], attachments: dict[str, Any]) -> Any:
    output = sample.get("output")
    if not isinstance(output, dict):
        return None
    choices = output.get("choices") or []
    if output.get("completion") or not choices:
        # Without a choice the model gave no answer: the empty completion stands for none.
        return _resolved(output.get("completion"), attachments) or None
    message = choices[0].get("message") if isinstance(choices[0], dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    return _text(content, attachments)


def _question(value: Any, attachments: dict[str, Any]) -> Any:
    """The text of the user's messages."""
    if not isinstance(value, list):
        return _resolved(value, attachments)
    users = [one for one in value if isinstance(one, dict) and one.get("role") == "user"]
    return "\n".join(str(_text(one.get("content"), attachments) or "") for one in users)


def _text(content: Any, attachments: dict[str, Any]) -> Any:
    if not isinstance(content, list):
        return _resolved(content, attachments)
    parts = [one.get("text") for one in content if isinstance(one, dict) and one.get("type") == "text"]
    return "\n".join(str(_resolved(part, attachments)) for part in parts)


def _resolved(value: Any, attachments: dict[str, Any]) -> Any:
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        return attachments.get(value.removeprefix(_ATTACHMENT), value)
    return value

"""The roles of columns, and what the names of columns say: a role, or how a system did."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Literal, TypeAlias, get_args

Role: TypeAlias = Literal["question_id", "question", "prediction", "answers", "question_types", "doc_id"]
ROLES: tuple[Role, ...] = get_args(Role)
SCORED: tuple[Role, ...] = ("prediction", "answers")
PREDICTED: tuple[Role, ...] = ("prediction",)
"""What a file needs whose answers are in another one."""
LISTS: tuple[Role, ...] = ("answers", "question_types")
IDS: tuple[Role, ...] = ("question_id", "doc_id")

_USUAL: Mapping[Role, str] = {
    "question_id": "questionid qid id sampleid uid index idx",
    "question": "question query",
    "prediction": (
        "prediction predictions pred predict predicted predictedanswer predanswer predtext predictedtext "
        "ypred generatedtext predictiontext generatedanswer modelanswer modeloutput actualoutput output "
        "response modelresponse completion generation parsedanswer extractedanswer finalanswer hypothesis"
    ),
    "answers": (
        "answers answer goldanswers goldanswer goldenanswers goldenanswer gtanswers gtanswer "
        "groundtruthanswer referenceanswer referenceanswers benchmarkanswer targetanswer correctanswer "
        "expectedanswer expectedoutput expected goldlabels golds gold groundtruths groundtruth gt targets "
        "target references reference labels label ytrue"
    ),
    "question_types": "questiontypes questiontype",
    "doc_id": "docid documentid ucsfdocumentid",
}
"""Names of columns as `plain_name` has them, those of ids with the proper ones first."""
_SHORT: Mapping[Role, str] = {"prediction": "hyp", "answers": "ref"}
_FORMS = ("", "text", "transcript", "transcription")
"""What follows another name of texts, as in `reference_text`, if no column has a usual name."""
_DOCUMENTS = "document doc ucsfdocument file image imagefile img page pdf book deck invoice patient"
"""Names of columns of documents, with `id`, `name` or `path` at the end or without."""
_SYSTEMS = "engine generator method model system"
"""Names of columns of systems, in the same way."""
_CONFIDENCES = ("conf", "prob", "certain")
"""Parts of the names of confidences."""
_GOLD = "annotation annotations expected gold input original reference solution source target truth"
"""Words in the names of columns that hold no predictions, however similar they are to the answers."""
_JUDGES = "claude deepseek gemini gpt grader judge llama llm mistral qwen rater"
"""Beginnings of the names of columns that hold what a model said: a prediction, or a verdict on one."""
_OUTCOME_ENDS = (
    "score scores anls nls exactmatch em f1 cer wer correct correctness hit passed success verdict "
    "accuracy acc ifright isright"
)
"""Last words of the names of columns that say how a system did, which cannot explain it."""
_OUTCOMES = f"{_OUTCOME_ENDS} iscorrect right errortype outcome judge judgement human grade rating"
"""Whole names of such columns."""
_ASPECTS = "errorrate hitrate precision recall faithfulness groundedness relevance relevancy similarity"
"""Last words of the names of columns that say how a system did in some respect."""

_OF_OUTCOMES = "change delta diff difference gain improvement reduction value"
"""Last words of such names that follow one of these, as in `CER_reduction` and `f1/value`."""


def plain_name(name: str) -> str:
    """Return a name without case, underscores and other punctuation, as names are compared."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def suggests(name: str, role: Role) -> bool:
    """Return whether a column's name is one of the usual names of a role."""
    return plain_name(name) in _USUAL[role].split()


def usual_names(role: Role, names: Collection[str], prediction: str | None = None) -> list[str]:
    """
    Return the columns whose names suggest a role.

    Without another column, the answers are the `text` next to the predictions `pred_text`.
    """
    words = _USUAL[role].split()
    usual: list[str] = [role] if role in names else [name for name in names if plain_name(name) in words]
    if role in SCORED and not usual:
        texts = {name + form for name in (*words, _SHORT[role]) for form in _FORMS}
        usual = [name for name in names if plain_name(name) in texts]
    if role == "answers" and not usual and prediction is not None:
        return [name for name in names if f"pred{plain_name(name)}" == plain_name(prediction)]
    if role == "answers" and any(plain_name(name).removesuffix("s").endswith("answer") for name in usual):
        # Next to `gold_answer`, a label is a verdict; `answer` itself can be a prediction of the label.
        named = [name for name in usual if plain_name(name) not in ("label", "labels")]
        usual = usual if {plain_name(name) for name in named} <= {"answer", "answers"} else named
    if role in IDS and len(usual) > 1:
        # A proper id is preferred to a row number.
        return [min(usual, key=lambda name: words.index(plain_name(name)))]
    return usual


def is_document(name: str) -> bool:
    """Return whether a name is usual for documents, which several rows may share."""
    return _without_id(name) in _DOCUMENTS.split()


def is_page(name: str) -> bool:
    """Return whether a name is usual for pages, also for their numbers in a document."""
    return _without_id(name) == "page"


def is_system(name: str) -> bool:
    """Return whether a name is usual for the system of each row."""
    return _without_id(name) in _SYSTEMS.split()


def _without_id(name: str) -> str:
    """Return the plain name of a column without `id`, `name` or `path` at its end."""
    return re.sub("(id|name|path)+$", "", plain_name(name))


def is_confidence(name: str) -> bool:
    """Return whether a name is that of a confidence."""
    return any(part in plain_name(name) for part in _CONFIDENCES)


def is_gold(name: str) -> bool:
    """Return whether a word of a name says that the column holds no predictions."""
    return not {*_GOLD.split()}.isdisjoint(words_of(name))


def is_said(name: str, *, is_text: bool) -> bool:
    """Return whether a name is that of what a model or judge said, a result, or texts of the gold answers."""
    first = "".join(words_of(name)[:1])
    is_gold_text = is_text and first in ("gold", "golden", "gt", "expected", "truth")
    is_result = plain_name(name) == "result" and not is_text
    return is_gold_text or is_result or first.startswith(tuple(_JUDGES.split()))


def is_outcome(name: str, *, whole: bool = False) -> bool:
    """
    Return whether a name says how a system did, also if it is `feedback.correct` or `CER_reduction`.

    With `whole`, only the whole name counts, without the words before its last one.
    """
    is_whole = plain_name(name) in _OUTCOMES.split()
    if whole:
        return is_whole
    words = words_of(name)
    words = words[:-1] if words and words[-1] in _OF_OUTCOMES.split() else words
    ends = {"".join(words[-count:]) for count in (1, 2)}
    is_verdict = words[:1] == ["winner"] or "judge" in (*words[:1], *words[-1:])
    is_of_judge = is_verdict and words[-1] not in ("id", "model", "name")
    return is_whole or is_of_judge or not ends.isdisjoint([*_OUTCOME_ENDS.split(), *_ASPECTS.split()])


def words_of(name: str) -> list[str]:
    """Return the words of a name such as `modelAnswer`, `LLMAnswer`, `BERTscore` or "Model answer (old)"."""
    pattern = r"[A-Z]{2,}(?=answer|mean|score)|[A-Z]?[^\W_A-Z]+|[A-Z]+(?![a-z]{2})"
    return [word.casefold() for word in re.findall(pattern, name)]

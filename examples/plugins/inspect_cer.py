"""A scorer of Inspect for transcriptions, and a metric: the CER of all samples together."""

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer
from inspect_ai.solver import TaskState

import anls_frame as af


@metric(scores="unreduced")
def cer_corpus() -> Metric:
    """Divide all edits by all characters of the targets."""

    def of(scores: list[SampleScore]) -> float:
        counts = [one.score.metadata or {} for one in scores]
        return sum(one["edits"] for one in counts) / sum(one["characters"] for one in counts)

    return of


@scorer(metrics=[mean(), cer_corpus()])
def cer() -> Scorer:
    """Score by the sample's target, which is the true text."""

    async def score(state: TaskState, target: Target) -> Score:
        text, truth = state.output.completion, target.text
        counts = {"edits": af.pairs.edit_distance(text, truth), "characters": len(truth)}
        return Score(value=af.pairs.get_cer(text, truth), answer=text, metadata=counts)

    return score

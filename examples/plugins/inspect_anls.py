"""A scorer of Inspect: the ANLS of an answer, with its mean over samples."""

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

import anls_frame as af


@scorer(metrics=[mean(), stderr(cluster="docId")])
def anls(threshold: float = 0.5) -> Scorer:
    """Score by the sample's target, one or several accepted answers; samples name their document `docId`."""

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        return Score(value=af.anls_score(answer, [*target], threshold), answer=answer)

    return score

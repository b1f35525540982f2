"""
ANLS in tasks of the LM evaluation harness; this file stands beside the task's YAML file, which says:

process_results: !function lm_eval_anls.process_results
metric_list:
  - metric: anls
    aggregation: mean
    higher_is_better: true

`metric: !function ...` would not do: with several accepted answers the harness makes 1 of any score above 0.
"""

from typing import Any

import anls_frame as af

ANSWERS = "answers"  # the field of the documents that has the accepted answers


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, float]:
    """Return the scores of one question."""
    answers = doc[ANSWERS]
    return {"anls": af.anls_score(results[0], [answers] if isinstance(answers, str) else answers)}

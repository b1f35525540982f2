"""ANLS as a metric of torchmetrics, for collections and Lightning; processes add up."""

from collections.abc import Sequence

import torch
from torchmetrics import Metric

import anls_frame as af


class ANLS(Metric):
    """Mean ANLS over all samples, as a float64 tensor."""

    full_state_update = False
    higher_is_better = True

    def __init__(self, threshold: float = 0.5, **options: object) -> None:
        super().__init__(**options)
        self.threshold = threshold
        self.add_state("total", torch.tensor(0.0, dtype=torch.float64), dist_reduce_fx="sum")
        self.add_state("n", torch.tensor(0), dist_reduce_fx="sum")

    def update(self, preds: Sequence[str], target: Sequence[Sequence[str]]) -> None:
        batch = af.ANLS(threshold=self.threshold, reduction="sum")
        self.total += batch(preds, target)
        self.n += len(preds)

    def compute(self) -> torch.Tensor:
        return self.total / self.n

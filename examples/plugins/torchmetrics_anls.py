"""ANLS as a metric of torchmetrics, for collections and Lightning; processes add up."""

from collections.abc import Sequence

import torch
from torchmetrics import Metric

import anls_frame as af


class ANLS(Metric):
    """Mean ANLS over all samples, as a float64 tensor; `protocol="rrc"` is that of lmms-eval."""

    full_state_update = False
    higher_is_better = True

    def __init__(self, protocol: str = "anls", threshold: float | None = None, **options: object) -> None:
        super().__init__(**options)
        self.scored = {"protocol": protocol, "threshold": threshold}
        self.add_state("total", torch.tensor(0.0, dtype=torch.float64), dist_reduce_fx="sum")
        self.add_state("n", torch.tensor(0), dist_reduce_fx="sum")

    def update(self, preds: Sequence[str], target: Sequence[Sequence[str]]) -> None:
        batch = af.ANLS(**self.scored, reduction="sum")
        self.total += batch(preds, target)
        self.n += len(preds)

    def compute(self) -> torch.Tensor:
        return self.total / self.n

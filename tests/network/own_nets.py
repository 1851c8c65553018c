"""Torch modules such as a researcher may write: one that works, and some that don't."""

import torch
from torch import nn
from torch.nn import functional


class Flat(nn.Module):
    """Two dense layers, and a head that guesses how long the game will last."""

    def __init__(self, shape, width=32):
        super().__init__()
        planes, height, columns = shape.planes_shape
        self.blocks = nn.Sequential(nn.Linear(planes * height * columns, width), nn.BatchNorm1d(width), nn.ReLU())
        self.policy = nn.Linear(width, shape.num_actions)
        self.value = nn.Linear(width, 3)
        self.length = nn.Linear(width, 1)

    def forward(self, planes):
        x = self.blocks(planes.flatten(1))
        return {"logits": self.policy(x), "wdl_logits": self.value(x), "length": self.length(x).squeeze(1)}

    def losses(self, output, batch):
        return {"length": 0.1 * functional.smooth_l1_loss(output["length"].float(), batch.plies_left / 10)}


class OwnPolicyLoss(Flat):
    """In place of the cross-entropy of the policy: nothing at all."""

    def losses(self, output, batch):
        return {"policy": 0.0 * output["logits"].sum()}


class Convolutions(nn.Module):
    def __init__(self, shape, width=8):
        super().__init__()
        planes, height, columns = shape.planes_shape
        first, second = nn.Conv2d(planes, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.blocks = nn.Sequential(first, nn.ReLU(), second)
        self.policy = nn.Linear(width * height * columns, shape.num_actions)
        self.value = nn.Linear(width * height * columns, 3)

    def forward(self, planes):
        x = self.blocks(planes).relu().flatten(1)
        return {"logits": self.policy(x), "wdl_logits": self.value(x)}


class Unconvertible(Flat):
    """Asks numpy on its way, which a traced graph can't."""

    def forward(self, planes):
        if not isinstance(planes, torch.Tensor) or torch.jit.is_tracing():
            raise RuntimeError("can't be traced")
        return super().forward(planes)


class WrongShape(Flat):
    def forward(self, planes):
        return {**super().forward(planes), "wdl_logits": torch.zeros(len(planes))}


class NoDict(Flat):
    def forward(self, planes):
        return self.policy(self.blocks(planes.flatten(1)))


class Fails(Flat):
    def forward(self, planes):
        return planes.view(-1, 7)


class WrongLosses(Flat):
    def losses(self, output, batch):
        return {"length": output["length"]}


def not_a_module(shape):
    return 3

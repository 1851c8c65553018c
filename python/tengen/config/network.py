"""The shape of the network."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from tengen.config.stage import ConfigError, Stage, unknown_setting


class NetworkConfig(Stage):
    """The shape of the network. Defaults: `small`, right for boards up to 9x9 on a CPU.

    In a config file `preset = "medium"` stands for the settings of that preset; others next to it go on top.
    `network = "my_net.py:MyNet"` stands for `module`.
    """

    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "tiny": {"blocks": 2, "channels": 16, "pooling": False, "policy_channels": 16, "value_channels": 16},
        "small": {},
        "medium": {"blocks": 6, "channels": 96},
        # AlphaGo Zero's tower of a convolution and 19 blocks; its 17 planes are go with history=8.
        "alphago_zero": {
            "blocks": 19,
            "channels": 256,
            "pooling": False,
            "policy_channels": 32,
            "value_channels": 256,
            "reply_head": False,
        },
    }

    blocks: int = Field(4, ge=1, le=60, description="residual blocks")
    channels: int = Field(64, ge=4, le=1024, description="channels of the trunk")
    block: Literal["residual", "se"] = Field(
        "residual", description="kind of the blocks: residual (He 2015) or se (squeeze and excitation, Hu 2018)"
    )
    pooling: bool = Field(True, description="global pooling in every third block (KataGo 2019)")
    kind: Literal["policy and value", "separate", "policy", "value", "ntuple"] = Field(
        "policy and value",
        description="which heads the network has; a search needs a value; separate: a network for the policy and one "
        "for the value; ntuple: tables instead of layers",
    )
    policy_channels: int = Field(32, ge=4, le=1024, description="channels of the policy head")
    value_channels: int = Field(32, ge=4, le=1024, description="channels and hidden units of the value head")
    reply_head: bool = Field(True, description="also predict the opponent's reply (KataGo 2019)")
    ownership_head: bool = Field(False, description="also predict whose each cell will be at the end (Go, Othello)")
    score_head: bool = Field(False, description="also predict the final margin (Go, Othello)")
    grow: tuple[tuple[float, int, int], ...] = Field(
        (), description="[share, blocks, channels] of larger sizes, each from that share of the run on; [[0.3, 4, 64]]"
    )
    module: str = Field("", description="a torch module of one's own, as FILE.py:CLASS, in place of all of the above")
    settings: dict[str, Any] = Field(default_factory=dict, description="what that module is made with")

    @classmethod
    def preset(cls, name: str, **changes: Any) -> NetworkConfig:
        """One of PRESETS, with `changes` on top."""
        return cls.model_validate({"preset": name, **changes})

    @classmethod
    def preset_settings(cls, content: dict[str, Any]) -> dict[str, Any]:
        """A table with the preset that it names put into settings. Each says the size, whatever lies beneath it."""
        changes = dict(content)
        name = str(changes.pop("preset"))
        if name not in cls.PRESETS:
            raise ConfigError(unknown_setting("network.preset." + name, name, list(cls.PRESETS)))
        size = {key: cls.model_fields[key].default for key in ("blocks", "channels")}
        return {**size, **cls.PRESETS[name], **changes}

    @model_validator(mode="before")
    @classmethod
    def _expand_preset(cls, content: Any) -> Any:
        if isinstance(content, str):
            return {"module": content}
        return cls.preset_settings(content) if isinstance(content, dict) and "preset" in content else content

    @model_validator(mode="after")
    def _score_needs_value(self) -> NetworkConfig:
        if self.kind == "policy" and self.score_head:
            raise ValueError("the margin is predicted by the value head, which a network of kind 'policy' has not")
        return self

    @model_validator(mode="after")
    def _grows_as_one(self) -> NetworkConfig:
        if self.kind == "separate" and self.grow:
            raise ValueError("networks of kind 'separate' do not grow; leave network.grow empty")
        return self

    @field_validator("grow")
    @classmethod
    def _rising(cls, value: tuple[tuple[float, int, int], ...]) -> tuple[tuple[float, int, int], ...]:
        shares = [share for share, _, _ in value]
        if not all(0.0 < share < 1.0 for share in shares) or sorted(set(shares)) != shares:
            raise ValueError("the shares of the run must rise, between 0 and 1")
        return value

    @model_validator(mode="after")
    def _only_larger(self) -> NetworkConfig:
        if self.grow and self.module:
            raise ValueError("a module of one's own can't grow; leave network.grow out")
        for before, after in pairwise([(self.blocks, self.channels), *(size for _, *size in self.grow)]):
            if not (before[0] <= after[0] <= 60 and before[1] <= after[1] <= 1024):
                raise ValueError("each size of network.grow has at least the blocks and channels of the one before")
        return self

    @property
    def sizes(self) -> tuple[NetworkConfig, ...]:
        """The network as it begins, and after each growth."""
        grown = [{"blocks": blocks, "channels": channels, "grow": ()} for _, blocks, channels in self.grow]
        return (self.model_copy(update={"grow": ()}), *(self.model_copy(update=size) for size in grown))

    def growths_at(self, progress: float) -> int:
        """How often it has grown when this share of the run is done."""
        return sum(share <= progress for share, _, _ in self.grow)

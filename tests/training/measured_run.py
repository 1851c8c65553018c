"""A process that runs what the config on its standard input says, and prints as JSON what memory it stated and took."""

import json
import sys
from pathlib import Path

from tengen.base.memory import memory_in_use
from tengen.config import load_config
from tengen.report import IterationReport, RunReport
from tengen.train import train


class Memory:
    """An observer that keeps the figures."""

    def __init__(self) -> None:
        self.figures: dict[str, int] = {}

    def run_started(self, report: RunReport) -> None:
        self.figures |= {"stated": report.memory_limit, "at_first": memory_in_use()}

    def stage(self, name: str, done: int, total: int) -> None:
        pass

    def iteration_finished(self, report: IterationReport) -> None:
        self.figures["reported"] = report.memory


memory = Memory()
train(load_config(**json.load(sys.stdin)), Path(sys.argv[1]), memory)
print(json.dumps(memory.figures | {"taken": memory_in_use()}))

"""The AlphaZero loop: self-play, replay, learning, measuring, promoting; again until the run is done.

A run is a folder (run_folder.py). The same call goes on with it, and ends with the same bits as if never stopped.
"""

from __future__ import annotations

import resource
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np

from tengen import games
from tengen.arena import play_match
from tengen.config import RunConfig
from tengen.diagnostics import warnings_of
from tengen.learner import Learner
from tengen.network.checkpoint import NetworkFile
from tengen.network.evaluator import NetworkEvaluator, make_evaluator
from tengen.players import SearchPlayer, make_player
from tengen.replay import ReplayWindow
from tengen.report import SILENT, IterationReport, Observer, RunReport, StrengthReport
from tengen.run_folder import RunFolder
from tengen.selfplay import GamesInFlight, play_games

__all__ = ["train"]

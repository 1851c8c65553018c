"""What the page can play with: networks that come with tengen, those of given folders and of runs, and two searches
without any: `rollout`, the classic one, and `uniform`, which knows only the rules.

A model is known by a name from the list, never by a path. A network is loaded when it is first asked for, evaluated by
one thread for each search, and given up when too many others were asked for since.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tengen import Evaluation, Game, SearchParams, State, TengenError
from tengen.base.bundled import bundled_folder, bundled_names
from tengen.interfaces.web.shapes import LevelWord
from tengen.network import NetworkEvaluator, make_evaluator
from tengen.network.checkpoint import NetworkFile, check_fits, find_network, load_network
from tengen.network.evaluator import Planes
from tengen.players import playing_evaluator, playing_params

__all__ = ["DEFAULT_LEVEL", "LEVELS", "Model", "Models", "UnknownModelError"]

KEPT_NETWORKS = 8  # loaded at a time; a 6x64 network and its compiled shapes take some 50 MB

LEVELS = (  # how strong the page plays, from the number of simulations and how often it errs on purpose
    LevelWord(name="beginner", simulations=8, temperature=1.0),
    LevelWord(name="easy", simulations=50, temperature=0.5),
    LevelWord(name="medium", simulations=200, temperature=0.2),
    LevelWord(name="hard", simulations=800, temperature=0.0),
    LevelWord(name="expert", simulations=3000, temperature=0.0),
)
DEFAULT_LEVEL = "medium"
WARM_BATCHES = (1, 4, 16)  # positions; a search asks for no more at a time

WITHOUT_NETWORK = {
    "rollout": SearchParams(selection="uct", rollout_weight=1.0),
    "uniform": SearchParams(),
}


class UnknownModelError(TengenError):
    """No model of that name, for this game."""


@dataclass(frozen=True)
class Model:
    """How to search with it. Without an evaluator the search knows nothing but the rules."""

    name: str
    params: SearchParams
    evaluator: NetworkEvaluator | None = None

    def ownership(self, state: State) -> list[float] | None:
        """For each cell +1 if the first player will own it, -1 if the second; None if the network has no idea."""
        if self.evaluator is None or not self.evaluator.network.has_ownership or state.outcome is not None:
            return None
        chances = self.evaluator.ownership(state.planes()[None])  # [1, H, W] of the player to move
        assert chances is not None
        owned: list[float] = ((2.0 * chances[0] - 1.0) * (1.0 if state.to_move == 0 else -1.0)).ravel().tolist()
        return owned

    def lead(self, state: State) -> float | None:
        """The final margin of the player to move, in what the game counts; None if the network has no idea."""
        if self.evaluator is None or not self.evaluator.network.has_score or state.outcome is not None:
            return None
        planes = state.planes()
        margins = self.evaluator.score(planes[None])
        assert margins is not None
        cells: int = planes.shape[1] * planes.shape[2]
        return float(margins[0]) * cells

    def warm_up(self, game: Game) -> None:
        """Compiles what a search will need, so that the first answer comes as soon as the others."""
        if self.evaluator is not None and self.evaluator.network.architecture.tables is None:
            for rows in WARM_BATCHES:
                self.evaluator(np.repeat(game.initial_state().planes()[None], rows, axis=0))


class Shared:
    """A network's evaluator for all workers: whoever calls gets a clone that nobody else uses meanwhile."""

    def __init__(self, evaluator: NetworkEvaluator) -> None:
        self.network = evaluator.network
        self.description = evaluator.description
        self.tables = getattr(evaluator, "tables", None)  # of an n-tuple network: all workers use the same
        self._evaluator = evaluator
        self._idle = [evaluator]  # the one used last at the end: it has compiled most

    def __call__(self, planes: Planes, /) -> Evaluation:
        with self._one() as evaluator:
            return evaluator(planes)

    def ownership(self, planes: Planes, /) -> Planes | None:
        with self._one() as evaluator:
            return evaluator.ownership(planes)

    def score(self, planes: Planes, /) -> NDArray[np.float32] | None:
        with self._one() as evaluator:
            return evaluator.score(planes)

    def clone(self) -> Shared:
        return self

    @contextmanager
    def _one(self) -> Iterator[NetworkEvaluator]:
        try:
            evaluator = self._idle.pop()
        except IndexError:
            evaluator = self._evaluator.clone()
        try:
            yield evaluator
        finally:
            self._idle.append(evaluator)


@dataclass
class _File:
    """A network on disk, as it was when we looked."""

    path: Path
    changed: tuple[int, int]  # time and size: a run writes anew
    network: NetworkFile  # without its weights
    model: Model | None = None  # if it is loaded
    loading: threading.Lock = field(default_factory=threading.Lock)


class Models:
    """Models by name. Any thread may ask."""

    def __init__(self, folders: Sequence[Path] = (), runs: Path | None = None) -> None:
        self._folders = folders
        self._runs = runs
        self._files: OrderedDict[str, _File] = OrderedDict()  # the one used last at the end
        self._lock = threading.Lock()

    def names(self, game: Game) -> list[str]:
        """Of those that play this game, the one to take without being told first."""
        return [*self._networks(game), *WITHOUT_NETWORK]

    def trained_on(self, game: Game) -> str:
        """The options of the game that the first of its networks knows best; empty if it has no network."""
        return next((file.network.options_text for file in self._networks(game).values()), "")

    def get(self, name: str, game: Game) -> Model:
        """The model of that name, loaded. Takes a second the first time."""
        if name in WITHOUT_NETWORK:
            return Model(name, WITHOUT_NETWORK[name])
        path = self._paths().get(name)
        if path is None:
            raise UnknownModelError(
                f"There is no model '{name[:60]}' for {game.spec.name}; there are: {', '.join(self.names(game))}."
            )
        file = self._look_at(name, path)
        with file.loading:
            loaded = file.model
            if loaded is None or loaded.evaluator is None:
                network = load_network(file.path)
                check_fits(network, game)
                evaluator = make_evaluator(network, threads=1, game=game)
                loaded = file.model = Model(name, playing_params(network, 1, game), Shared(evaluator))
            else:
                check_fits(loaded.evaluator.network, game)
        self._make_room(file)
        assert loaded.evaluator is not None
        return replace(loaded, evaluator=playing_evaluator(loaded.evaluator, game))  # for this size of the board

    def is_loaded(self, name: str) -> bool:
        with self._lock:
            return name in WITHOUT_NETWORK or (name in self._files and self._files[name].model is not None)

    def _paths(self) -> dict[str, Path]:
        """Every network there is, by the name that the page knows it by."""
        found: dict[str, Path] = {}
        for name in bundled_names("models"):
            with suppress(TengenError):
                found[name] = find_network(bundled_folder("models") / name)
        for folder in self._folders:
            for path in sorted([*folder.glob("*.safetensors"), *(p for p in folder.glob("*") if p.is_dir())]):
                with suppress(TengenError):
                    found.setdefault(path.stem, find_network(path))
        if self._runs is not None and self._runs.is_dir():
            for run in sorted(self._runs.iterdir()):
                with suppress(TengenError):
                    if (run / "networks").is_dir():
                        found[f"run:{run.name}"] = find_network(run)
        return found

    def _networks(self, game: Game) -> dict[str, _File]:
        """Those that play this game, by name."""
        found: dict[str, _File] = {}
        for name, path in self._paths().items():
            with suppress(TengenError, OSError):
                file = self._look_at(name, path)
                if file.network.plays(game):
                    found[name] = file
        return found

    def _look_at(self, name: str, path: Path) -> _File:
        """What we know of a file, read anew if it is another one than it was."""
        status = path.stat()
        changed = (status.st_mtime_ns, status.st_size)
        with self._lock:
            known = self._files.get(name)
            if known is not None and (known.path, known.changed) == (path, changed):
                return known
        network = load_network(path)
        file = _File(path, changed, replace(network, weights={}))
        with self._lock:
            self._files[name] = file
        return file

    def _make_room(self, used: _File) -> None:
        with self._lock:
            for name in [name for name, file in self._files.items() if file is used]:
                self._files.move_to_end(name)
            loaded = [file for file in self._files.values() if file.model is not None]
            for file in loaded[:-KEPT_NETWORKS]:
                file.model = None

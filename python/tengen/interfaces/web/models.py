"""What the page can play with: networks that come with tengen, those of given folders and of runs, and two searches
without any: `rollout`, the classic one, and `uniform`, which knows only the rules.

A model is known by a name from the list, never by a path. A network is loaded when it is first asked for, evaluated by
one thread for each worker, and given up when too many others were asked for since.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tengen import Evaluation, Evaluator, Game, SearchParams, TengenError
from tengen.bundled import bundled_folder, bundled_names
from tengen.interfaces.web.words import LevelWord
from tengen.network import NetworkEvaluator, make_evaluator
from tengen.network.checkpoint import NetworkFile, check_fits, find_network, load_network
from tengen.network.evaluator import Planes
from tengen.players import playing_params

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
    evaluator: Evaluator | None = None
    description: str = ""

    @property
    def is_rollout(self) -> bool:
        return self.params.rollout_weight >= 1.0


class PerThread:
    """An evaluator for all workers: each thread that calls gets a clone of its own."""

    def __init__(self, evaluator: NetworkEvaluator) -> None:
        self._evaluator = evaluator
        self._clones = threading.local()

    def __call__(self, planes: Planes, /) -> Evaluation:
        clone: NetworkEvaluator | None = getattr(self._clones, "evaluator", None)
        if clone is None:
            clone = self._clones.evaluator = self._evaluator.clone()
        return clone(planes)


@dataclass
class _File:
    """A network on disk, as it was when we looked."""

    path: Path
    changed: tuple[int, int]  # time and size: a run writes anew
    game: str
    network: NetworkFile | None = None  # it and the model: if it is loaded
    model: Model | None = None
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
        networks = [name for name, path in self._paths().items() if self._game_of(name, path) == game.spec.source]
        return [*networks, *WITHOUT_NETWORK]

    def get(self, name: str, game: Game) -> Model:
        """The model of that name, loaded. Takes a second the first time."""
        if name in WITHOUT_NETWORK:
            return Model(name, WITHOUT_NETWORK[name], description="no network")
        path = self._paths().get(name)
        if path is None:
            raise UnknownModelError(
                f"There is no model '{name[:60]}' for {game.spec.name}; there are: {', '.join(self.names(game))}."
            )
        file = self._look_at(name, path)
        with file.loading:
            if file.network is None or file.model is None:
                network = load_network(file.path)
                check_fits(network, game)  # before anything is evaluated: that may load the game it names
                evaluator = make_evaluator(network, threads=1)
                model = Model(name, playing_params(network, 1), PerThread(evaluator), evaluator.description)
                file.network, file.model = network, model
            else:
                check_fits(file.network, game)
                model = file.model
        self._make_room(file)
        return model

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

    def _game_of(self, name: str, path: Path) -> str | None:
        try:
            return self._look_at(name, path).game
        except (TengenError, OSError):
            return None

    def _look_at(self, name: str, path: Path) -> _File:
        """What we know of a file, read anew if it is another one than it was."""
        status = path.stat()
        changed = (status.st_mtime_ns, status.st_size)
        with self._lock:
            known = self._files.get(name)
            if known is not None and (known.path, known.changed) == (path, changed):
                return known
        file = _File(path, changed, load_network(path).game)
        with self._lock:
            self._files[name] = file
        return file

    def _make_room(self, used: _File) -> None:
        with self._lock:
            for name in [name for name, file in self._files.items() if file is used]:
                self._files.move_to_end(name)
            loaded = [file for file in self._files.values() if file.model is not None]
            for file in loaded[:-KEPT_NETWORKS]:
                file.network = file.model = None

"""The games of a page: the built-in ones, and files of rules that the server was started with. No others are loaded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock

from tengen import Game, State, UnknownGameError, load
from tengen.games import OptionKind, game_entries
from tengen.games.lines import played_texts
from tengen.games.options import parse_options
from tengen.interfaces.web.shapes import Position

__all__ = ["Games"]

TITLES = {"tic_tac_toe": "Tic-tac-toe", "connect_four": "Connect Four", "mnk": "m,n,k-game"}
KEPT_GAMES = 64  # with other options than the default


class Games:
    """Games by name. Any thread may ask."""

    def __init__(self, files: Sequence[Game] = (), broken: Mapping[str, str] | None = None) -> None:
        self.broken = dict(broken or {})  # what the server was started with and can't show, with the reason
        self._entries = {entry.name: entry for entry in game_entries()}
        self._files: dict[str, Game] = {}
        for game in files:
            self._files[self._free_name(game)] = game
        self._kept: OrderedDict[tuple[object, ...], Game] = OrderedDict()
        self._lock = Lock()

    def names(self) -> list[str]:
        return [*self._entries, *self._files]

    def title(self, name: str) -> str:
        if name not in self._files:
            return TITLES.get(name, name.replace("_", " ").capitalize())
        spec = self._files[name].spec
        title = spec.name.replace("_", " ").capitalize()
        return title if name == spec.name else f"{title} ({Path(spec.source).name})"

    def summary(self, name: str) -> str:
        if name in self._entries:
            return self._entries[name].summary
        return f"from {Path(self._files[name].spec.source).name}"

    def options(self, name: str, preferred: str = "") -> dict[str, bool | int | float]:
        """All options of a game: those preferred, the others by default. A file has those it was given at the start."""
        if name not in self._entries:
            return {}
        kinds = {OptionKind.FLAG: bool, OptionKind.INTEGER: int, OptionKind.NUMBER: float}
        given = parse_options(preferred)
        return {
            option.name: kinds[option.kind](given.get(option.name, option.default))
            for option in self._entries[name].options
        }

    def load(self, name: str, options: dict[str, bool | int | float] | None = None) -> Game:
        """The game of that name, if it is one of the page's."""
        if name in self._files:
            if options:
                raise UnknownGameError(f"{name} is served with the options that the server was started with.")
            return self._files[name]
        if name in self.broken:
            raise UnknownGameError(f"{name} can't be shown: {self.broken[name]}")
        if name not in self._entries:
            raise UnknownGameError(f"There is no game called '{name[:40]}'; there are: {', '.join(self.names())}.")
        key = (name, *sorted((options or {}).items()))
        with self._lock:
            game = self._kept.get(key)
        if game is None:
            game = load(name, **(options or {}))
        with self._lock:
            self._kept[key] = game
            self._kept.move_to_end(key)
            if len(self._kept) > KEPT_GAMES:
                self._kept.popitem(last=False)
        return game

    def state(self, position: Position) -> State:
        """The state of a position."""
        game = self.load(position.game, position.options)
        return game.state(list(position.moves), board=position.start or None)

    def position(self, state: State) -> Position:
        """The words for a state of one of these games."""
        spec = state.game.spec
        name = next((name for name, game in self._files.items() if game == state.game), spec.source)
        if name not in self.names():
            raise UnknownGameError(f"This page does not have the game {spec.name}.")
        return Position(
            game=name,
            options=self.options(name, spec.options_text),
            start=state.start_board or "",
            moves=played_texts(state),
        )

    def _free_name(self, game: Game) -> str:
        name, number = game.spec.name, 2
        while name in self._entries or name in self._files:
            name, number = f"{game.spec.name}_{number}", number + 1
        return name

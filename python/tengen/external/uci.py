"""Programs of the Universal Chess Interface, and of its sister for shogi (USI), as players.

UCI: https://backscattering.de/chess/uci/; USI: http://hgm.nubati.net/usi.html. The two differ in a few words. Moves are
texts as the game writes them, so any game will do that the program knows by the same texts.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen._core import ArgumentError, Game, State
from tengen.base.spelling import did_you_mean
from tengen.external.programs import ExternalPlayer

__all__ = ["UciProgram", "UsiProgram", "Verdict"]

LIMITS = ("movetime", "nodes", "depth", "mate", "byoyomi")
# Games that Fairy-Stockfish and others know by a name, by source and width.
VARIANTS = {("minichess", 5): "gardner", ("minichess", 6): "losalamos", ("minishogi", 5): "minishogi"}
ILLEGAL = -1  # no action of any game
DEFAULT_LIMITS = {"movetime": "100"}  # milliseconds


@dataclass(frozen=True)
class Verdict:
    """What a program says of a position, for the player to move."""

    action: int
    value: float  # in [-1, 1]
    line: tuple[int, ...]  # the action first


class UciProgram(ExternalPlayer):
    """A program of UCI. The options of a player's text are LIMITS of every move, or options of the program."""

    QUIT = "quit"
    HELLO = "uci"
    NEW_GAME = "ucinewgame"
    POSITION = "fen"  # before the text of a position that is not the initial one

    _moves: tuple[int, ...] = ()  # of the last position
    _last_info: str = ""  # of the last search, about its best line

    @classmethod
    def check(cls, game: Game) -> None:
        """Any game."""

    def _greet(self) -> None:
        self._send(self.HELLO)
        known: dict[str, str] = {}  # lower case -> as the program writes it
        for line in self._lines():
            if line == f"{self.HELLO}ok":
                break
            if line.startswith("option name ") and " type " in line:
                option = line.removeprefix("option name ").partition(" type ")[0].strip()
                known[option.lower()] = option
        for name, value in self._options_for(known).items():
            self._send(f"setoption name {name} value {value}")
        self._new_game()

    def _options_for(self, known: dict[str, str]) -> dict[str, str]:
        """What to set: what the player's text asks for, in the program's own spelling."""
        asked = {name: value for name, value in self._options.items() if name.lower() not in LIMITS}
        for name in asked:
            if name.lower() not in known:
                raise ArgumentError(f"{self.name} has no option '{name}'; {did_you_mean(name, known.values())}")
        told = {known[name.lower()]: value for name, value in asked.items()}
        if "uci_showwdl" in known:
            told.setdefault(known["uci_showwdl"], "true")
        variant = VARIANTS.get((self._game.spec.source, self._game.spec.width))
        for name in ("uci_variant", "usi_variant"):
            if variant is not None and name in known:
                told.setdefault(known[name], variant)
        if _is_chess960(self._game) and "uci_chess960" in known:
            told.setdefault(known["uci_chess960"], "true")
        return told

    def _new_game(self) -> None:
        self._send(self.NEW_GAME)
        self._ready()

    def _ready(self) -> None:
        """Waits until it has done what it was told."""
        self._send("isready")
        self._wait_for("readyok", never="bestmove")

    def analyse(self, state: State) -> Verdict:
        """What the program thinks of a position, within the limits of its text. ExternalEngineError if it fails."""
        [action] = self.choose([state], [0])
        words = self._last_info.split()
        line = _line(state, words[words.index("pv") + 1 :]) if "pv" in words else ()
        return Verdict(action, _value(words), line if line[:1] == (action,) else (action,))

    def _ask_move(self, state: State) -> str:
        if state.moves[: len(self._moves)] != self._moves:
            self._new_game()
        self._moves = state.moves
        self._send(self._position(state))
        self._ready()
        limits = {name.lower(): value for name, value in self._options.items() if name.lower() in LIMITS}
        self._send("go " + " ".join(f"{name} {value}" for name, value in (limits or DEFAULT_LIMITS).items()))
        self._last_info = ""
        for line in self._lines():
            if line.startswith("info ") and " score " in line and (" multipv " not in line or " multipv 1 " in line):
                self._last_info = line
            elif line.startswith("bestmove"):
                break
        said = line.removeprefix("bestmove").partition(" ponder")[0].strip()
        if said == "resign":
            raise self._resigned()
        return said

    def _position(self, state: State) -> str:
        start = "startpos"
        if state.start_board is not None or _is_chess960(state.game):
            text = state.game.state(board=state.start_board).position_text
            if "\n" in text:  # a drawing
                raise ArgumentError(
                    f"{self.name} can only play games from the initial position: a position of "
                    f"{state.game.spec.name} that was set up has no text of one line."
                )
            start = f"{self.POSITION} {text}"
        return f"position {start} moves {state.moves_text}" if state.moves else f"position {start}"

    def _action(self, state: State, said: str) -> int | None:
        texts = {state.action_text(action): action for action in state.legal_actions}
        return texts.get(said, ILLEGAL) if said else None


class UsiProgram(UciProgram):
    """A program of USI, the protocol of shogi."""

    HELLO = "usi"
    NEW_GAME = "usinewgame"
    POSITION = "sfen"


def _is_chess960(game: Game) -> bool:
    """Whether its options ask for a start position of Chess960, with its rules."""
    return int(game.spec.options.get("chess960", -1)) >= 0


def _value(words: list[str]) -> float:
    """The value in a line `info`: by its chances if it has them, else by its score; 0 if it says nothing."""
    try:
        if "wdl" in words:
            win, draw, loss = (int(word) for word in words[words.index("wdl") + 1 :][:3])
            return (win - loss) / max(1, win + draw + loss)
        kind, number = words[words.index("score") + 1 :][:2]
        if kind == "mate":
            return -1.0 if number.startswith("-") else 1.0
        pawns = max(-50.0, min(50.0, int(number) / 100.0))
        return float(2.0 / (1.0 + 10.0 ** (-pawns / 4.0)) - 1.0)  # as if a pawn were 100 points of Elo
    except ValueError:
        return 0.0


def _line(state: State, texts: list[str]) -> tuple[int, ...]:
    """The actions of a line, up to the first that is not legal."""
    actions: list[int] = []
    for text in texts:
        action = state.parse_action(text)
        if action is None or not state.is_legal(action):
            break
        actions.append(action)
        state = state.play(action)
    return tuple(actions)

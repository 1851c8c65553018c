"""`tengen play`: a person against a player, in the terminal.

Whatever is typed, the game goes on: what is neither a move nor a command gets a sentence. Ctrl-C twice or the end of
the input leaves. States are values, so a turn that was interrupted leaves nothing behind and is simply taken again.
"""

import random
import textwrap
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Annotated

import tyro
from rich.console import Console

from tengen import Game, SearchResult, State, TengenError
from tengen.arena import move_seed
from tengen.base.spelling import did_you_mean
from tengen.games.lines import line_texts
from tengen.interfaces.cli.game_argument import GameArgument, parse_game
from tengen.interfaces.cli.player_argument import HELP as PLAYER_HELP
from tengen.interfaces.cli.player_argument import check_seed
from tengen.interfaces.cli.show import reason_text, result_text
from tengen.interfaces.terminal import Typist, draw, printable
from tengen.players import Player, SearchPlayer, make_player

DEFAULT_HELP = PLAYER_HELP + "; if it is left out, rollout:N with as many simulations as take half a second"
OptionalPlayer = Annotated[str | None, tyro.conf.Positional, tyro.conf.arg(metavar="[PLAYER]", help=DEFAULT_HELP)]
Flag = Annotated[bool, tyro.conf.FlagCreatePairsOff]

SECONDS_A_MOVE = 0.5  # that the default player may take on this machine
SIMULATIONS = (10_000, 5000, 2000, 1000, 500, 200, 100, 50, 20, 10)  # that it may have
LONGEST_SHOWN_LINE = 8  # actions of a principal variation
MOST_MEANT = 8  # moves that are named to someone who typed only their beginning

HELP = """\
a move   play it, as in {example}
undo     take back your last move and the answer to it
hint     what the machine would play in your place
moves    every legal move; moves {example}: those with {example} in their name
board    draw the board again
resign   give this game up
quit     leave"""


def run(
    game: GameArgument,
    player: OptionalPlayer = None,
    *,
    first: Flag = False,
    second: Flag = False,
    seed: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
) -> None:
    """Plays a game against you in the terminal.

    Args:
        first: you move first; this is the default
        second: the machine moves first
        seed: the seed of the machine; with the same seed it answers the same moves alike
    """
    if first and second:
        raise TengenError("--first and --second exclude each other.")
    rules = parse_game(game)
    opponent = make_player(player or default_player(rules), rules)
    if seed is None:
        seed = random.getrandbits(32)
    check_seed(seed)
    try:
        Sitting(rules, opponent, seed).play(person=1 if second else 0)
    except Leave:
        print("Goodbye.")


def default_player(game: Game) -> str:
    """Classic MCTS with as many simulations as take about half a second on this machine, but not beyond reach."""
    games, seconds = 1, 0.0
    while seconds < 0.02:
        games *= 2
        start = time.perf_counter()
        game.random_playouts(games, seed=0)
        seconds = time.perf_counter() - start
    affordable = [n for n in SIMULATIONS if n * seconds / games <= SECONDS_A_MOVE]
    return f"rollout:{max(affordable, default=min(SIMULATIONS))}"


class Leave(Exception):
    """The person has had enough."""


class Sitting:
    """A person and a player at one board, for one game or more."""

    def __init__(self, game: Game, opponent: Player, seed: int) -> None:
        self._game = game
        self._opponent = opponent
        self._seed = seed
        self._games = 0  # played to the end
        self._person = 0
        self._states: list[State] = []  # from the start; the last is on the board
        self._resigned = False
        self._interrupted = False  # Ctrl-C was the last thing we heard
        self._typist = Typist()
        self._console = Console(highlight=False, soft_wrap=True)
        self._commands: dict[str, Callable[[], None]] = {
            "undo": self._undo,
            "hint": self._hint,
            "moves": self._show_moves,
            "board": self._show_board,
            "resign": self._resign,
            "help": self._help,
            "quit": self._quit,
        }
        self._aliases = {"?": "help", "q": "quit", "exit": "quit", "takeback": "undo"}

    def play(self, person: int) -> None:
        """Games until the person leaves, who moves first and second in turn."""
        while True:
            self._person = person
            self._states = [self._game.initial_state()]
            self._greet()
            self._play_to_the_end()
            while not self._wants_another():
                self._play_to_the_end()  # a move was taken back
            self._games += 1
            person = 1 - person

    def _play_to_the_end(self) -> None:
        self._resigned = False
        while self._state.outcome is None and not self._resigned:
            try:
                if self._state.to_move == self._person:
                    self._persons_turn()
                else:
                    self._machines_turn()
            except KeyboardInterrupt:
                self._heard_interrupt()
        self._announce()

    def _greet(self) -> None:
        mine, yours = self._name(self._person), self._name(1 - self._person)
        print(
            f"{self._game.spec.name}: you are {mine}, {self._opponent.name} is {yours}. help tells what you can type."
        )
        if self._state.to_move == self._person:
            self._show_board()

    # --- Turns ------------------------------------------------------------------------------------------------------

    def _persons_turn(self) -> None:
        typed = self._ask("your move: ")
        action = self._action(typed)
        if action is not None:
            if self._state.is_legal(action):
                self._states.append(self._state.play(action))
            else:
                print(f"{self._state.action_text(action)} is not legal here; moves lists what is.")
        elif typed:
            self._obey(typed)

    def _obey(self, typed: str) -> None:
        name = self._aliases.get(typed.lower(), typed.lower())
        if name in self._commands:
            self._commands[name]()
            return
        if name.startswith("moves "):
            self._show_moves(_squeezed(name.removeprefix("moves ")))
            return
        part = _squeezed(typed)
        begun = [text for text in self._legal_texts() if part and _squeezed(text).startswith(part)]
        if begun:
            some = ", ".join(begun[:MOST_MEANT]) + (", ..." if len(begun) > MOST_MEANT else "")
            print(f"'{printable(typed)}' is only the beginning of a move: {some}. Type the whole name.")
            return
        hint = did_you_mean(name[:20], self._commands, "moves lists the moves, help the commands.")
        print(f"'{printable(typed)}' is neither a move nor a command; {hint}")

    def _machines_turn(self) -> None:
        state, name = self._state, self._name(self._state.to_move)
        action, opinion = self._think(self._opponent, whose=f"{name}'s")
        self._states.append(state.play(action))
        print(f"{name} plays {state.action_text(action)}{opinion}")
        self._show_board()

    def _think(self, player: Player, whose: str) -> tuple[int, str]:
        """The player's choice and, if it searched, what it thought of it, in a few words."""
        state = self._state
        seed = move_seed(self._seed, self._games, len(state.moves))
        with self._console.status("thinking") if self._console.is_terminal else nullcontext():
            if not isinstance(player, SearchPlayer):
                return player.choose([state], [seed])[0], ""
            result = player.think([state], [seed])[0]
        return result.best_action, f"  ({_opinion(result, whose)})"

    def _action(self, typed: str) -> int | None:
        """The action of that name, in capitals or not, with or without a space or a dash in it, as in a2-b3."""
        for text in (typed, typed.lower(), typed.upper()):
            if (action := self._state.parse_action(text)) is not None:
                return action
        squeezed = _squeezed(typed)
        alike = [a for a in self._state.legal_actions if _squeezed(self._state.action_text(a)) == squeezed]
        return alike[0] if len(alike) == 1 else None

    def _legal_texts(self) -> list[str]:
        return [self._state.action_text(action) for action in self._state.legal_actions]

    # --- Commands ---------------------------------------------------------------------------------------------------

    def _undo(self) -> None:
        if not self._take_back():
            print("You have no move to take back yet.")
            return
        self._show_board()

    def _take_back(self) -> bool:
        """Back to where the person last chose a move; False if there was no such choice."""
        choices = [i for i, state in enumerate(self._states[:-1]) if state.to_move == self._person]
        if choices:
            del self._states[choices[-1] + 1 :]
        return bool(choices)

    def _hint(self) -> None:
        knows = isinstance(self._opponent, SearchPlayer)
        adviser = self._opponent if knows else make_player(default_player(self._game), self._game)
        action, opinion = self._think(adviser, whose="your")
        print(f"hint: {self._state.action_text(action)}{opinion}")

    def _show_moves(self, part: str = "") -> None:
        found = [text for text in self._legal_texts() if part in _squeezed(text)]
        print(textwrap.fill(" ".join(found), 100) if found else f"No legal move has '{printable(part)}' in its name.")

    def _show_board(self) -> None:
        self._console.print(draw(self._state, self._states[-2] if len(self._states) > 1 else None))
        if len(self._state.legal_actions) == 1 and self._state.to_move == self._person:
            print(f"The only legal move is {self._state.action_text(self._state.legal_actions[0])}.")

    def _resign(self) -> None:
        self._resigned = True

    def _help(self) -> None:
        print(HELP.format(example=self._state.action_text(self._state.legal_actions[0])))

    def _quit(self) -> None:
        raise Leave

    # --- The end of a game ------------------------------------------------------------------------------------------

    def _announce(self) -> None:
        if self._resigned:
            print(f"You resigned: {self._name(1 - self._person)} wins.")
            return
        outcome = self._state.outcome
        assert outcome is not None
        if self._state.moves and self._states[-2].to_move == self._person:
            self._show_board()  # the machine's own moves are shown already
        value = outcome.value_for(self._person)
        verdict = "" if outcome.is_draw else ", you won" if value > 0 else ", you lost"
        print(f"The game is over: {result_text(self._state)}{verdict}{reason_text(self._state)}.")

    def _wants_another(self) -> bool:
        """Whether to start anew; False if the game that just ended goes on, with a move taken back."""
        while True:
            try:
                answer = self._ask("Another game, with sides swapped? yes, no or undo: ").lower()
            except KeyboardInterrupt:
                self._heard_interrupt()
                continue
            if answer in ("y", "yes"):
                return True
            if answer in ("n", "no", "q", "quit", "exit", "resign"):
                raise Leave
            if answer == "undo" and self._take_back():
                self._show_board()
                return False

    # --- Talk -------------------------------------------------------------------------------------------------------

    def _ask(self, prompt: str) -> str:
        typed = self._typist.read(prompt)
        if typed is None:
            raise Leave
        self._interrupted = False
        return typed

    def _heard_interrupt(self) -> None:
        """Ctrl-C: leaves if it comes twice."""
        if self._interrupted:
            raise KeyboardInterrupt
        self._interrupted = True
        print("\nCtrl-C once more, or quit, leaves.")

    @property
    def _state(self) -> State:
        return self._states[-1]

    def _name(self, player: int) -> str:
        return self._game.spec.player_names[player]


def _squeezed(text: str) -> str:
    """A name as it is compared: small letters, without spaces and dashes."""
    return "".join(c for c in text.lower() if not c.isspace() and c not in "->")


def _opinion(result: SearchResult, whose: str) -> str:
    """What a search thought, in a few words: the chances of the player to move and the line it expects."""
    if result.proven is None:
        said = f"{whose} chances {50 * (1 + result.root_value):.0f} %"
    elif result.proven.is_draw:
        said = "a certain draw"
    else:
        won = result.proven.winner == result.state.to_move
        said = f"a certain {'win' if won else 'loss'} in {result.distance} plies"
    line = " ".join(line_texts(result.state, result.line[:LONGEST_SHOWN_LINE]))
    return f"{said}; best line {line}"

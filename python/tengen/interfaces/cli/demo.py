"""`tengen demo`: what there is so far, in half a minute."""

import random
import time

from tengen import State, load
from tengen.games import names
from tengen.games.speed import measure
from tengen.interfaces.cli.bench_games import print_table
from tengen.interfaces.cli.show import result_text

SECONDS_A_GAME = 2.0  # in a terminal; elsewhere nobody watches


def run(seed: int = 0) -> None:
    """Plays a random game of each engine in the terminal, then shows how fast they are.

    Args:
        seed: another seed, other games
    """
    chance = random.Random(seed)
    for name in names():
        _play(load(name).initial_state(), chance)
    print_table(measure(slices=3, seconds=0.1))


def _play(state: State, chance: random.Random) -> None:
    """A random game, drawn move by move if someone watches."""
    from rich.console import Console
    from rich.live import Live
    from rich.panel import Panel

    console = Console()
    states = [state]
    while states[-1].outcome is None:
        states.append(states[-1].play(chance.choice(states[-1].legal_actions)))
    title = f"{state.game.spec.name}, {len(states) - 1} random moves: {result_text(states[-1])}"
    with Live(console=console, auto_refresh=False) as live:
        for shown in states if console.is_terminal else states[-1:]:
            live.update(Panel.fit(_board(shown), title=title, title_align="left"), refresh=True)
            time.sleep(SECONDS_A_GAME / len(states) if console.is_terminal else 0)


def _board(state: State) -> object:
    """The drawing, the first player's stones in one colour and the second's in another."""
    from rich.text import Text

    text = Text(str(state))
    text.highlight_regex(r"\bX\b", "bold cyan")
    text.highlight_regex(r"\bO\b", "bold yellow")
    return text

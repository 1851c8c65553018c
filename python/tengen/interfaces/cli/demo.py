"""`tengen demo`: what there is so far, in half a minute."""

import random
import time
from typing import TYPE_CHECKING

from tengen import State, load
from tengen.bench.games import measure
from tengen.games import names
from tengen.interfaces.cli.bench_games import print_table
from tengen.interfaces.cli.show import result_text
from tengen.interfaces.terminal import draw

if TYPE_CHECKING:
    from rich.panel import Panel

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

    states = [state]
    while states[-1].outcome is None:
        states.append(states[-1].play(chance.choice(states[-1].legal_actions)))
    title = f"{state.game.spec.name}, {len(states) - 1} random moves: {result_text(states[-1])}"
    console = Console()
    if not console.is_terminal:
        console.print(_drawing(states[-1], title))
        return
    with Live(console=console, auto_refresh=False) as live:
        for shown in states:
            live.update(_drawing(shown, title), refresh=True)
            time.sleep(SECONDS_A_GAME / len(states))


def _drawing(state: State, title: str) -> "Panel":
    """The board in a frame."""
    from rich.panel import Panel

    return Panel.fit(draw(state), title=title, title_align="left")

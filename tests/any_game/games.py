"""Games that none of us wrote a feature for: what every feature is tried with.

Rules files of ours and of the tutorial, and games of OpenSpiel: few and many actions, from-to moves, a player who moves
twice, no board at all.
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class AnyGame:
    """A game as the command line names it."""

    label: str
    argument: str  # {rules}: the folder with the rules files of the tutorial
    is_drawn: bool = False  # by nature: nobody can win clearly


RULES_FILES = [
    AnyGame("connect_four.py", f"{ROOT}/examples/connect_four.py"),
    AnyGame("hex.py", f"{ROOT}/examples/hex.py:size=5"),
    AnyGame("breakthrough.py", f"{ROOT}/examples/breakthrough.py:size=5"),
    AnyGame("dots_and_boxes.py", f"{ROOT}/examples/dots_and_boxes.py"),
    AnyGame("domineering.py", "{rules}/domineering.py:size=5"),
]

OPENSPIEL = [
    AnyGame("breakthrough", "openspiel:breakthrough(rows=6,columns=6)"),
    AnyGame("clobber", "openspiel:clobber(rows=5,columns=5)"),
    AnyGame("hex", "openspiel:hex(board_size=5)"),
    AnyGame("havannah", "openspiel:havannah(board_size=4)"),
    AnyGame("y", "openspiel:y(board_size=7)"),
    AnyGame("dots_and_boxes", "openspiel:dots_and_boxes(num_rows=2,num_cols=2)"),
    AnyGame("mancala", "openspiel:mancala"),
    AnyGame("nine_mens_morris", "openspiel:nine_mens_morris"),
    AnyGame("checkers", "openspiel:checkers"),
    AnyGame("amazons", "openspiel:amazons"),
    AnyGame("oware", "openspiel:oware"),
    AnyGame("pentago", "openspiel:pentago"),
    AnyGame("ultimate_tic_tac_toe", "openspiel:ultimate_tic_tac_toe"),
    AnyGame("chess", "openspiel:chess:longest_game=40"),
]

GAMES = [*RULES_FILES, *OPENSPIEL]


def write_tutorial_rules(folder: Path) -> None:
    """The tutorial's Domineering, with the symmetries that the page finds to be wrong taken back."""
    page = (ROOT / "docs" / "tutorial_own_game.md").read_text()
    parts = re.findall(r"^```python\n# domineering\.py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert parts
    text = "\n\n".join(parts).replace('symmetries = "dihedral"', 'symmetries = "none"')
    (folder / "domineering.py").write_text(text)

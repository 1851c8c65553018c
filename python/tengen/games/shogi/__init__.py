"""Games of shogi in files: KIF (kif.py) and CSA (csa.py), read and written.

>>> import tengen
>>> state = tengen.load("shogi").state("7g7f 3c3d 8h2b+")
>>> read_csa(write_csa(ShogiGame(state.game.initial_state(), state.moves))).state == state
True
"""

from tengen.games.shogi.csa import read_csa, write_csa
from tengen.games.shogi.file import LARGEST_FILE, ShogiFileError, ShogiGame
from tengen.games.shogi.kif import read_kif, write_kif

__all__ = ["LARGEST_FILE", "ShogiFileError", "ShogiGame", "read_csa", "read_kif", "write_csa", "write_kif"]

"""UCI, the protocol of chess programs, and USI, its sister for shogi, over an Engine.

UCI: https://backscattering.de/chess/uci/. USI: http://hgm.nubati.net/usi.html. They differ in a few words, which are
in `dialect.py`.
"""

from tengen.interfaces.uci.dialect import UCI, USI, Dialect
from tengen.interfaces.uci.session import Brain, Uci

__all__ = ["UCI", "USI", "Brain", "Dialect", "Uci"]

"""The Go Text Protocol, version 2: lets Go programs use an Engine. The specification: https://www.lysator.liu.se/~gunnar/gtp/"""

from tengen.interfaces.gtp.session import Gtp

__all__ = ["Gtp"]

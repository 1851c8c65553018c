"""The search as Python drives it: `loop.py` asks and answers a forest, `tree.py` is a finished tree to walk through."""

from tengen.search.loop import SearchResult, Stepper, evaluate_leaves, run, search

__all__ = ["SearchResult", "Stepper", "evaluate_leaves", "run", "search"]

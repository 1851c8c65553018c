"""The same examples in every run, and no deadline on a busy machine."""

from hypothesis import settings

settings.register_profile("search", deadline=None, derandomize=True)
settings.load_profile("search")

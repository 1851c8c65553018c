"""What a visitor may ask for, so that one never takes what belongs to all. `/api/about` states every limit."""

from dataclasses import dataclass

from tengen import TengenError

__all__ = [
    "Limits",
    "MessageTooLargeError",
    "SecondsLimitError",
    "SimulationsLimitError",
    "TooManyConnectionsError",
    "TooManyExplorersError",
    "TooManyRequestsError",
    "TreesFullError",
]


@dataclass(frozen=True)
class Limits:
    message_bytes: int = 65_536  # of a message; the connection of one sixteen times as long is closed
    body_bytes: int = 262_144  # of an HTTP request
    request_seconds: float = 20.0  # until an HTTP request has arrived whole
    http_connections: int = 200  # of all kinds
    connections: int = 100  # pages: WebSockets
    requests: int = 8  # under way, per connection
    explorers: int = 4  # per connection
    simulations: int = 1_000_000  # of a search
    seconds: float = 600.0  # of a search
    tree_bytes: int = 512 << 20  # of all trees together
    runs: int = 1  # under way at a time: training takes the whole machine


class MessageTooLargeError(TengenError):
    """A message longer than any that makes sense."""


class TooManyConnectionsError(TengenError):
    """As many pages are open as this server takes."""


class TooManyRequestsError(TengenError):
    """One page asks for more at once than it may."""


class TooManyExplorersError(TengenError):
    """One page has as many explorers open as it may."""


class SimulationsLimitError(TengenError):
    """A search with more simulations than this server gives."""


class SecondsLimitError(TengenError):
    """A search that would take longer than this server gives."""


class TreesFullError(TengenError):
    """All trees together take as much memory as the server gives them."""

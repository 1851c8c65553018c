"""How the server listens: bounded in connections, and in the time that a request may take to arrive."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from tengen.interfaces.web.limits import Limits

__all__ = ["server_config"]

HEADER_BYTES = 32_768


def server_config(app: ASGIApp, limits: Limits, **settings: Any) -> uvicorn.Config:
    """The configuration of uvicorn for an application of `create_app` with these limits."""

    class Bounded(_Bounded):
        most_connections = limits.http_connections
        request_seconds = limits.request_seconds

    return uvicorn.Config(
        app,
        http=Bounded,
        h11_max_incomplete_event_size=HEADER_BYTES,
        ws_max_size=16 * limits.message_bytes,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
        **{"log_level": "warning", **settings},
    )


class _Bounded(H11Protocol):
    """One connection. It is cut off if there are too many, or while its request has not arrived whole in time."""

    most_connections: int
    request_seconds: float
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.most_connections:
            transport.abort()
            return
        self._deadline = self.loop.call_later(self.request_seconds, self._cut_off)

    def data_received(self, data: bytes) -> None:
        if self._deadline is None:  # another request on the same connection begins
            self._deadline = self.loop.call_later(self.request_seconds, self._cut_off)
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        super().connection_lost(exc)

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _cut_off(self) -> None:
        if self.transport.get_protocol() is self:  # not that of a WebSocket meanwhile
            self.transport.abort()

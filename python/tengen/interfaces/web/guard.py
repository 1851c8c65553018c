"""Who may speak to the server: programs, and pages that came from it. In front of everything else.

An address or `localhost` as the host can't be somebody else's name that was made to point here (DNS rebinding); any
other name must be known. A program that is no browser sends no Origin, and may do what it likes: it runs as the user.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard"]

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, *, hosts: Sequence[str], body_bytes: int) -> None:
        self._app = app
        self._hosts = {"localhost", *(host.lower() for host in hosts)}
        self._body_bytes = body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(headers)
        if scope["type"] == "websocket" and scope["path"] != "/ws":
            refusal = "PathError", "The WebSocket is at /ws."
        if refusal is not None and scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": refusal[1]})  # before accept: HTTP 403
            return
        length = headers.get("content-length", "0")
        if refusal is None and length.isdecimal() and int(length) > self._body_bytes:
            refusal = "BodyTooLargeError", f"A request has at most {self._body_bytes} bytes."
        if refusal is not None:
            status = 413 if refusal[0] == "BodyTooLargeError" else 403
            answer = JSONResponse({"error": refusal[0], "message": refusal[1]}, status, HEADERS)
            await answer(scope, receive, send)
            return
        await self._app(scope, self._bounded(receive), _with_headers(send))

    def _refusal(self, headers: Headers) -> tuple[str, str] | None:
        host = headers.get("host", "")
        if not self._knows(host):
            return "HostError", f"This server does not answer to the name '{host[:100]}'."
        origin = headers.get("origin")
        if origin is not None and origin.lower().partition("://")[2] != host.lower():
            return "OriginError", f"This server does not talk to pages of '{origin[:100]}'."
        return None

    def _knows(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _bounded(self, receive: Receive) -> Receive:
        """A body that comes without its length is cut off where it gets too long."""
        seen = 0

        async def bounded() -> Message:
            nonlocal seen
            message = await receive()
            if message["type"] == "http.request":
                seen += len(message.get("body", b""))
                if seen > self._body_bytes:
                    return {"type": "http.disconnect"}
            return message

        return bounded


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            more = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
            message["headers"] = [*message.get("headers", ()), *more]
        await send(message)

    return with_headers

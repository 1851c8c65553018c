"""Who may speak to the server: programs, and pages that came from it. In front of everything else.

An address or `localhost` as the host can't be somebody else's name that was made to point here (DNS rebinding); any
other name must be known. A program that is no browser sends no Origin, and may do what it likes: it runs as the user.

Beyond this machine that is not so. There a token is asked for, which was made for this session and is in the link that
the server printed: as `?token=` or, once a browser has come by that link, as a cookie.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Sequence
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse
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

    def __init__(self, app: ASGIApp, *, hosts: Sequence[str], body_bytes: int, token: str | None = None) -> None:
        self._app = app
        self._token = token  # None: everybody who can reach the server is the user
        self._hosts = {"localhost", *(host.lower() for host in hosts)}
        self._body_bytes = body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(headers) or self._stranger(scope, headers)
        if scope["type"] == "websocket" and scope["path"] != "/ws":
            refusal = "PathError", "The WebSocket is at /ws."
        if refusal is not None and scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": refusal[1]})  # before accept: HTTP 403
            return
        if refusal is None and self._token is not None and _has_token(scope) and scope["path"] == "/":
            await self._let_in(scope, receive, send)
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
        if origin is not None and origin.lower() not in (f"http://{host.lower()}", f"https://{host.lower()}"):
            return "OriginError", f"This server does not talk to pages of '{origin[:100]}'."
        return None

    def _stranger(self, scope: Scope, headers: Headers) -> tuple[str, str] | None:
        """The refusal of whoever does not have the token."""
        if self._token is None:
            return None
        given = [*_query(scope).get("token", []), _cookie(headers.get("cookie", ""), _cookie_name(scope))]
        if any(_same(self._token, text) for text in given):
            return None
        return "TokenError", "This server is open to those who have its link; the terminal that started it shows it."

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Keeps the token as a cookie, out of the address: a copied address or a picture of it gives nothing away."""
        assert self._token is not None
        rest = [(name, value) for name, values in _query(scope).items() if name != "token" for value in values]
        place = f"/?{urlencode(rest)}" if rest else "/"
        answer = RedirectResponse(place, 303, {**HEADERS, "Cache-Control": "no-store"})
        answer.set_cookie(_cookie_name(scope), self._token, httponly=True, samesite="strict")
        await answer(scope, receive, send)

    def _knows(self, host: str) -> bool:
        if "@" in host or "/" in host:  # a name and a password, or a path: no browser sends that
            return False
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


def _query(scope: Scope) -> dict[str, list[str]]:
    return parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=20, errors="replace")


def _has_token(scope: Scope) -> bool:
    return "token" in _query(scope)


def _cookie_name(scope: Scope) -> str:
    """Browsers share the cookies of a machine among its ports, so the port is part of the name."""
    server = scope.get("server")
    return f"tengen_token_{server[1] if server else ''}"


def _cookie(header: str, name: str) -> str:
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _same(token: str, given: str) -> bool:
    return hmac.compare_digest(token.encode(), given.encode(errors="replace"))

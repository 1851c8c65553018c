"""What a page may say over the WebSocket, checked before anything is done about it."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from tengen import TengenError
from tengen.interfaces.web.shapes import ActionText, Asked, Name, Position

__all__ = [
    "Analyse",
    "Choose",
    "Close",
    "Explore",
    "MessageError",
    "Play",
    "Request",
    "RequestId",
    "Show",
    "Step",
    "Stop",
    "parse_request",
    "request_id",
]

LARGEST_WHOLE = 2**53 - 1  # that JavaScript can count to

RequestId = Annotated[int, Field(ge=-LARGEST_WHOLE, le=LARGEST_WHOLE)] | Annotated[str, Field(max_length=64)]
Simulations = Annotated[int, Field(ge=1, le=LARGEST_WHOLE)]


class MessageError(TengenError):
    """A message that is none of the protocol's."""


class Show(Asked):
    type: Literal["show"]
    id: RequestId
    position: Position


class Play(Asked):
    type: Literal["play"]
    id: RequestId
    position: Position
    action: ActionText


class Choose(Asked):
    type: Literal["choose"]
    id: RequestId
    position: Position
    model: Name
    level: Name | None = None
    simulations: Simulations | None = None
    temperature: float | None = Field(default=None, ge=0.0, le=100.0)


class Analyse(Asked):
    type: Literal["analyse"]
    id: RequestId
    position: Position
    model: Name
    simulations: Simulations | None = None
    seconds: float | None = Field(default=None, gt=0.0)


class Stop(Asked):
    type: Literal["stop"]
    id: RequestId
    target: RequestId


class Explore(Asked):
    type: Literal["explore"]
    id: RequestId
    position: Position
    model: Name
    params: dict[str, bool | int | float | str] = Field(default={}, max_length=40)
    seed: int = Field(default=0, ge=0, le=LARGEST_WHOLE)


class Step(Asked):
    type: Literal["step"]
    id: RequestId
    explorer: int
    count: int = Field(default=1, ge=0, le=100)
    last: bool = False  # whether only the last of the traces is told
    whole: bool = False  # whether the tree comes with the nodes that few simulations went through


class Close(Asked):
    type: Literal["close"]
    id: RequestId
    explorer: int


Request = Annotated[
    Show | Play | Choose | Analyse | Stop | Explore | Step | Close,
    Field(discriminator="type"),
]
_REQUEST: TypeAdapter[Request] = TypeAdapter(Request)
_ID: TypeAdapter[RequestId] = TypeAdapter(RequestId)


def parse_request(text: str) -> Request:
    """The request that a message makes; MessageError if it makes none."""
    try:
        return _REQUEST.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"][1:]))[:100]
        raise MessageError(f"{where}: {first['msg']}" if where else first["msg"]) from None


def request_id(text: str | bytes) -> int | str | None:
    """The id of a message, if it has one, whatever else is wrong with it."""
    try:
        content = json.loads(text)
        return _ID.validate_python(content["id"], strict=True)
    except (ValueError, TypeError, LookupError, RecursionError):
        return None

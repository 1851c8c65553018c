"""The tables of docs/settings.md, from the models: `python tests/support/settings_page.py` writes them anew."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tengen._core import param_specs
from tengen.config import RENAMED, NetworkConfig, RunConfig, SelfPlayConfig, search_defaults

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
# Where a value was first used, if a description says so: "(KataGo: 0.25)", "(MiniZero 2023)".
SOURCES = "AlphaZero|AlphaGo|KataGo|MiniZero|Gumbel|mctx|MCTS-Solver|He |Hu "
ORIGIN = re.compile(rf" ?\((?P<origin>(?:{SOURCES})[^()]*)\)")

MARK = "<!-- What follows is made from the models. -->"


def page(written: str) -> str:
    """The page with its tables made anew; what is written above the mark stays."""
    above, mark, _ = written.partition(MARK)
    assert mark, f"{PAGE} lacks the line {MARK}"
    parts = [f"{above}{mark}\n", "## The run\n", _table(RunConfig)]
    for name, field in RunConfig.model_fields.items():
        if isinstance(model := field.annotation, type) and issubclass(model, BaseModel):
            about = (model.__doc__ or "").strip().partition("\n")[0]
            parts += [f"## `[{name}]`\n", f"{about}\n", _table(model)]
            if model is NetworkConfig:
                parts.append(_presets())
            if model is SelfPlayConfig:
                parts += ["## `[self_play.search]`\n", _search()]
    renamed = "\n".join(f"| `{old}` | `{new}` |" for old, new in RENAMED.items())
    parts += [
        "## Older names\n",
        f"Configs with these names are still read.\n\n| before | now |\n|---|---|\n{renamed}\n",
    ]
    return "\n".join(parts)


def _table(model: type[BaseModel]) -> str:
    rows = [row for name, field in model.model_fields.items() for row in _row(name, field)]
    return _rows("| setting | default | unit | range | meaning | origin |", rows)


def _row(name: str, field: FieldInfo) -> Iterator[str]:
    if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
        return
    if name == "search":
        return
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    default = "" if field.is_required() else f"`{_value(field.get_default(call_default_factory=True))}`"
    meaning, origin = _split(field.description or "")
    yield f"| `{name}` | {default} | {extra.get('unit', '')} | {_range(field)} | {meaning} | {origin} |"


def _range(field: FieldInfo) -> str:
    if get_origin(field.annotation) is Literal:
        return ", ".join(f"`{choice}`" for choice in get_args(field.annotation))
    signs = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}
    bounds = [
        f"{sign} {bound:g}"
        for part in field.metadata
        for key, sign in signs.items()
        if (bound := getattr(part, key, None)) is not None
    ]
    return ", ".join(bounds)


def _search() -> str:
    rows = []
    for spec in param_specs():
        if spec.name not in search_defaults():
            continue
        default = SelfPlayConfig.SEARCH.get(spec.name, spec.default)
        span = ", ".join(f"`{choice}`" for choice in spec.choices)
        if not span and not isinstance(spec.default, bool):
            span = f"{spec.lowest:g} to {spec.highest:g}"
        meaning, origin = _split(spec.help)
        rows.append(f"| `{spec.name}` | `{_value(default)}` | {span} | {meaning} | {origin} |")
    return _rows("| setting | default of self-play | range | meaning | origin |", rows)


def _presets() -> str:
    rows = [
        f"| `{name}` | {', '.join(f'{key} = {_value(value)}' for key, value in settings.items()) or 'the defaults'} |"
        for name, settings in NetworkConfig.PRESETS.items()
    ]
    return "`preset` stands for several of these:\n\n" + _rows("| preset | stands for |", rows)


def _rows(head: str, rows: list[str]) -> str:
    return "\n".join([head, "|" + "---|" * (head.count("|") - 1), *rows, ""])


def _split(text: str) -> tuple[str, str]:
    """The meaning, and the origin that stands in it in brackets."""
    origins = [found["origin"] for found in ORIGIN.finditer(text)]
    return ORIGIN.sub("", text), "; ".join(origins)


def _value(value: Any) -> str:
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, bool | str | dict):
        return json.dumps(value)
    return f"{value:,}".replace(",", "_") if isinstance(value, int) else f"{value:g}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))

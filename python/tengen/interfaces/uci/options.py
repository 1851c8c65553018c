"""The options of a session: what `uci` lists and `setoption` changes."""

from __future__ import annotations

import os
from dataclasses import dataclass

from tengen.interfaces.lines import Refusal
from tengen.interfaces.skill import FULL, HIGHEST_ELO, LOWEST_ELO
from tengen.interfaces.uci.dialect import Dialect

__all__ = ["Button", "Check", "Option", "Options", "Spin", "standard_options"]


@dataclass(frozen=True)
class Spin:
    """A whole number."""

    default: int
    least: int
    most: int

    def __str__(self) -> str:
        return f"type spin default {self.default} min {self.least} max {self.most}"

    def parse(self, text: str) -> int:
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdecimal() and len(digits) < 16 and self.least <= int(text) <= self.most):
            raise Refusal(f"it is a whole number from {self.least} to {self.most}, not '{text[:40]}'")
        return int(text)


@dataclass(frozen=True)
class Check:
    """Yes or no."""

    default: bool

    def __str__(self) -> str:
        return f"type check default {str(self.default).lower()}"

    def parse(self, text: str) -> bool:
        if text.lower() not in ("true", "false"):
            raise Refusal(f"it is true or false, not '{text[:40]}'")
        return text.lower() == "true"


@dataclass(frozen=True)
class Button:
    """Something to be done."""

    default = False

    def __str__(self) -> str:
        return "type button"

    def parse(self, text: str) -> bool:
        return True


Option = Spin | Check | Button


def standard_options(*, simulations: int, most_lines: int, megabytes: int, chess960: bool | None) -> dict[str, Option]:
    """The options of every session. `chess960` is None in a game without it."""
    cores = os.cpu_count() or 1
    options: dict[str, Option] = {
        "Threads": Spin(cores, 1, 1024),
        "Hash": Spin(megabytes, 1, 1 << 20),  # megabytes
        "Clear Hash": Button(),
        "Ponder": Check(False),
        "MultiPV": Spin(1, 1, most_lines),
        "Simulations": Spin(simulations, 0, 10**9),  # of a move; 0: no bound
        "Move Overhead": Spin(50, 0, 10_000),  # milliseconds
        "Skill Level": Spin(int(FULL), 0, int(FULL)),
        "UCI_LimitStrength": Check(False),
        "UCI_Elo": Spin(1500, LOWEST_ELO, HIGHEST_ELO),
        "UCI_ShowWDL": Check(False),
    }
    if chess960 is not None:
        options["UCI_Chess960"] = Check(chess960)
    return options


class Options:
    """The options with their values, by the names of a dialect. Names are read without regard to case."""

    def __init__(self, options: dict[str, Option], dialect: Dialect) -> None:
        special = {"Hash": dialect.hash_option, "Ponder": dialect.ponder_option}
        self._options = options
        self._values: dict[str, int | bool] = {name: option.default for name, option in options.items()}
        self._shown = {name: special.get(name, dialect.option(name)) for name in options}
        self._known = {shown.lower(): name for name, shown in self._shown.items()}

    def lines(self) -> list[str]:
        """As the greeting lists them."""
        return [f"option name {self._shown[name]} {option}" for name, option in self._options.items()]

    def set(self, words: list[str]) -> str:
        """Obeys the words after `setoption`: name <name> value <value>. Returns our name of it."""
        if words[:1] != ["name"]:
            raise Refusal("setoption needs a name, as in: setoption name MultiPV value 3")
        middle = words.index("value") if "value" in words else len(words)
        given, value = " ".join(words[1:middle]), " ".join(words[middle + 1 :])
        name = self._known.get(given.lower())
        if name is None:
            raise Refusal(f"there is no option '{given[:40]}'")
        try:
            self._values[name] = self._options[name].parse(value)
        except Refusal as refusal:
            raise Refusal(f"option {given}: {refusal}") from None
        return name

    def number(self, name: str) -> int:
        return int(self._values[name])

    def is_on(self, name: str) -> bool:
        return bool(self._values.get(name, False))

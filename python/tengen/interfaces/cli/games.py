"""`tengen games`: what can be played."""

from tengen.games import OptionKind, OptionSpec, game_entries

INDENT = 13  # names of games to the left of it, options below it


def run() -> None:
    """Lists the built-in games and their options, as they are written behind the name: go:size=9,komi=7."""
    for entry in game_entries():
        print(f"{entry.name:{INDENT}}{entry.summary}")
        settings = [f"{option.name}={_value(option, option.default)}" for option in entry.options]
        width = max(map(len, settings), default=0)
        for option, setting in zip(entry.options, settings, strict=True):
            print(f"{'':{INDENT}}  {setting:{width}}  {_allowed(option)}: {option.help}")


def _value(option: OptionSpec, value: float) -> str:
    if option.kind == OptionKind.FLAG:
        return "true" if value else "false"
    return f"{value:g}"


def _allowed(option: OptionSpec) -> str:
    between = " or " if option.kind == OptionKind.FLAG else " to "
    return _value(option, option.lowest) + between + _value(option, option.highest)

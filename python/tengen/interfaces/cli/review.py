"""`tengen review`: a game looked at again, move by move."""

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from tengen import Game, State, TengenError
from tengen.engine import Limit
from tengen.interfaces.cli.game_argument import parse_game, split_game
from tengen.strength.review import MISTAKE, Judge, Review, ReviewedMove, ReviewError

WHAT_HELP = (
    "a game of Go, Othello or Gomoku in SGF, of chess in PGN, or of shogi in KIF or CSA; a text file with the moves of "
    "a game that --game names; with --moves, the game that they are of"
)
What = Annotated[str | None, tyro.conf.Positional, tyro.conf.arg(metavar="[FILE|GAME]", help=WHAT_HELP)]
GAME_FILES = (".sgf", ".pgn", ".kif", ".kifu", ".csa")
MOST_TOLD = 5  # mistakes below the table
GREAT_MISTAKE = 0.2


def run(
    what: What = None,
    *,
    moves: Annotated[str | None, tyro.conf.arg(metavar="TEXT")] = None,
    game: Annotated[str | None, tyro.conf.arg(metavar="GAME")] = None,
    model: Annotated[str | None, tyro.conf.arg(metavar="FILE|RUN|NAME|PROGRAM")] = None,
    simulations: Annotated[int | None, tyro.conf.arg(metavar="INT")] = None,
    seconds: Annotated[float | None, tyro.conf.arg(metavar="FLOAT")] = None,
    html: Annotated[Path | None, tyro.conf.arg(metavar="OUT")] = None,
    as_json: Annotated[bool, tyro.conf.arg(name="json"), tyro.conf.FlagCreatePairsOff] = False,
) -> None:
    """Reviews a game of any kind that there is a network for: what every move was worth, and what was better.

    Args:
        moves: the moves of the game instead of a file, such as 'd3 c3 c4'
        game: the game that the moves are of, as in go:size=9,komi=7 or my_game.py
        model: the network that judges the moves: its file, a run or a bundled name; or a program that does, such as
            uci:nodes=20000:stockfish; if it is left out, the bundled network of that game
        simulations: search each position with at most this many simulations; 400 if neither this nor --seconds is given
        seconds: search each position for at most this many seconds
        html: also write a page to this file, with the curve of the game, its mistakes and all of its moves
        as_json: print one JSON object instead of a table
    """
    from tengen.agent import Agent
    from tengen.games import names
    from tengen.network.checkpoint import check_fits
    from tengen.strength.review import program_judge, review_game

    if seconds is not None and not 0.0 < seconds < 1e6:
        raise ReviewError(f"--seconds must be more than 0 and less than a million, not {seconds:g}.")
    asked = _asked(what, moves, game)
    start, _, _ = _game_of(asked, like=None)
    model = model or bundled_model(start.game)
    built_in = start.game.spec.source in names()
    judge: Judge
    if model.startswith(("uci:", "usi:")):
        if simulations is not None or seconds is not None:
            raise ReviewError("A program has its limits in its own text, as in uci:nodes=2000:stockfish.")
        start, played, players = _game_of(asked, like=None)
        judge, limit = program_judge(model, start), Limit()
        about = f"every position judged by {model}"
    else:
        agent = Agent(model, simulations=simulations, seconds=seconds, game=None if built_in else start.game)
        start, played, players = _game_of(asked, like=agent.game)
        check_fits(agent.evaluator.network, start.game)
        judge, limit = agent.engine, agent.limit
        about = f"{_limit(limit)} with the network {model}"
    with _progress(len(played)) as on_move:
        review = review_game(judge, start, played, limit, on_move)
    if html is not None:
        title = " against ".join(players) if all(players) else asked.title
        _write_page(html, review, title, f"{start.game.spec.name}, {about}")
    print(json.dumps(_as_dict(review, players, model, limit)) if as_json else report(review))


def bundled_model(game: Game) -> str:
    """The name of the bundled network for this game and board; ReviewError if there is none."""
    from tengen.base.bundled import bundled_names
    from tengen.network.checkpoint import find_network, load_network

    spec = game.spec
    for name in (f"{spec.source}_{spec.height}x{spec.width}", spec.source):
        if name in bundled_names("models"):
            network = load_network(find_network(name))
            if network.source == spec.source and network.planes_shape[1:] == (spec.height, spec.width):
                return name
    raise ReviewError(
        f"No network for {spec.source} on {spec.height}x{spec.width} comes with tengen; name one with --model, or "
        "train one with tengen train."
    )


def report(review: Review) -> str:
    """A table of all moves, and what to learn from it."""
    names = review.start.game.spec.player_names
    wide = max(5, *(len(move.text) for move in review.moves), *(len(move.best_text) for move in review.moves))
    rows = [f"{'move':>4}  {'player':6} {'played':>{wide + 1}}  {'before':>6}  {'after':>6}  {'lost':>6}    best  line"]
    for move in review.moves:
        sign = "??" if move.lost >= GREAT_MISTAKE else "? " if move.lost >= MISTAKE else "  "
        lost = f"{move.lost:6.1%}" if move.lost > 0 else " " * 6
        rows.append(
            f"{move.number:>4}  {names[move.player]:6} {move.text:>{wide + 1}}  {move.before:6.1%}  {move.after:6.1%}  "
            f"{lost} {sign} {move.best_text:>{wide}}  {move.line_text}"
        )
    rows.append("")
    rows += [review.summary(player) for player in (0, 1)]
    mistakes = review.mistakes()[:MOST_TOLD]
    if mistakes:
        rows += ["", "The worst mistakes:"]
    for rank, move in enumerate(mistakes, 1):
        rows.append(
            f"{rank}. move {move.number}, {names[move.player]} {move.text}: {move.lost:.0%} lost, "
            f"from {move.before:.0%} to {move.after:.0%}; better was {move.line_text}"
        )
    return "\n".join(rows)


@dataclass(frozen=True)
class _Asked:
    """The game to review, as it was named: a file with a game, or a game and its moves."""

    title: str
    file: bytes | None = None
    game: str = ""
    moves: tuple[str, ...] = ()


def _asked(what: str | None, moves: str | None, game: str | None) -> _Asked:
    from tengen.games.files import FORMATS, file_format

    if moves is not None:
        if what is not None and (game is not None or Path(what).suffix.lower() in GAME_FILES):
            raise ReviewError(f"--moves are the moves themselves, so {what} must be the game that they are of.")
        if (named := game if what is None else what) is None:
            raise ReviewError("Name the game that the moves are of, as in tengen review othello --moves 'd3 c3 c4'.")
        return _Asked("a list of moves", game=named, moves=_moves(moves))
    if what is None:
        raise ReviewError(
            f"Name a file in {FORMATS}, or a game and its moves, as in tengen review othello --moves 'd3 c3 c4'."
        )
    content = _read(Path(what))
    found = file_format(content)
    if game is None and found is not None:
        return _Asked(Path(what).name, file=content)
    if game is None:
        raise ReviewError(f"{what} is not in {FORMATS}; if it is a list of moves, say of which game: --game GAME.")
    if found is not None:
        raise ReviewError(f"A file in {found} says itself which game it is; --game is for lists of moves.")
    return _Asked(Path(what).name, game=game, moves=_moves(content.decode(errors="replace")))


def _moves(text: str) -> tuple[str, ...]:
    """The moves of a text, with or without numbers ('1. d3 c3 2. c4') and commas."""
    return tuple(re.sub(r"(?<!\S)\d+\.+(?=\s|[^\s\d])", " ", text).replace(",", " ").replace(";", " ").split())


def _read(file: Path) -> bytes:
    from tengen.games.files import LARGEST

    try:
        if not file.is_file():
            raise ReviewError(f"There is no file {file}. To review a list of moves, give them with --moves.")
        with file.open("rb") as opened:
            return opened.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise ReviewError(f"{file} can't be read: {error}.") from None


def _game_of(asked: _Asked, like: Game | None) -> tuple[State, tuple[int, ...], tuple[str, str]]:
    """The start, the moves and the players' names. What nobody tells is as in `like`, the network's own game."""
    from tengen.games import load, names
    from tengen.games.files import parse_file
    from tengen.interfaces.gtp.positions import without_end

    if asked.file is not None:
        read = parse_file(asked.file, like)
        return read.start, read.moves, read.players
    rules = parse_game(asked.game)
    if like is not None and like.spec.source == rules.spec.source and rules.spec.source in names():
        told = {**without_end(like).spec.options, **split_game(asked.game)[1]}
        rules = load(like.spec.source, **told)
    return rules.initial_state(), rules.state(asked.moves).moves, ("", "")


def _write_page(path: Path, review: Review, title: str, about: str) -> None:
    from tengen.base.durable import write_text
    from tengen.interfaces.review_page import build_review_page

    try:
        write_text(path, build_review_page(review, title, about))
    except OSError as error:
        raise TengenError(f"The page can't be written to {path}: {os.strerror(error.errno or 0)}.") from None


def _limit(limit: Limit) -> str:
    parts = [f"{limit.simulations} simulations"] if limit.simulations is not None else []
    parts += [f"{limit.seconds:g} seconds"] if limit.seconds is not None else []
    return f"every position searched with {' or '.join(parts)}"


def _as_dict(review: Review, names: tuple[str, str], model: str, limit: Limit) -> dict[str, object]:
    spec = review.start.game.spec
    return {
        "game": spec.source,
        "options": spec.options_text,
        "players": list(names),
        "model": model,
        "simulations": limit.simulations,
        "seconds": limit.seconds,
        "win_rates": [round(rate, 4) for rate in review.win_rates],
        "moves": [_move_as_dict(move) for move in review.moves],
        "mistakes": [move.number for move in review.mistakes()],
        "summary": [review.summary(player) for player in (0, 1)],
    }


def _move_as_dict(move: ReviewedMove) -> dict[str, object]:
    return {
        "number": move.number,
        "player": move.state.game.spec.player_names[move.player],
        "move": move.text,
        "before": round(move.before, 4),
        "after": round(move.after, 4),
        "lost": round(move.lost, 4),
        "best": move.best_text,
        "line": move.line_text,
    }


@contextmanager
def _progress(moves: int) -> Iterator[Callable[[ReviewedMove], None]]:
    """A bar while the game is looked at, on a terminal only, gone when it is over."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)  # so that the answer can go into a file while one watches
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("moves"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=moves)
        yield lambda _: progress.update(task, advance=1)

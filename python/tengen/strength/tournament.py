"""Tournaments: many players, a table, ratings with intervals. After a kill the same plan continues.

A tournament is a folder: tournament.json (what its games depend on), games.jsonl (a line for every finished game,
written to disk as soon as it ends), games/ (a readable file for each game) and table.md. Every game has a number and
seeds of its own, so the result does not depend on a kill, the number of threads, or the order of the games.
"""

from __future__ import annotations

import json
import queue
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tengen._core import Game, Outcome, State, TengenError
from tengen.arena import PlayedGame, in_threads, make_openings, play_games
from tengen.base.crew import Crew
from tengen.base.durable import append_bytes, run_lock, write_bytes, write_text
from tengen.games.pgn import has_pgn, write_pgn
from tengen.games.sgf import has_sgf, write_sgf
from tengen.players import Player, SharedModels, check_kind, make_player
from tengen.strength.jobs import Meetings, Seats, Table
from tengen.strength.ratings import Result, bootstrap, rate

__all__ = [
    "Meeting",
    "Plan",
    "Standing",
    "Tournament",
    "TournamentError",
    "TournamentGame",
    "game_file",
    "gauntlet",
    "neighbours",
    "play_tournament",
    "round_robin",
    "table",
]

MOST_AT_ONCE = 16  # games that one thread plays side by side, so that they share batches

Meeting = tuple[int, int]  # indices of two players of the plan


class TournamentError(TengenError):
    """A tournament that can't be played, or a folder that holds another one."""


def round_robin(players: Sequence[str]) -> tuple[Meeting, ...]:
    """Every player against every other."""
    return tuple(combinations(range(len(players)), 2))


def gauntlet(players: Sequence[str]) -> tuple[Meeting, ...]:
    """The first player against all others."""
    return tuple((0, i) for i in range(1, len(players)))


def neighbours(players: Sequence[str]) -> tuple[Meeting, ...]:
    """Every player against the next in the list."""
    return tuple(pairwise(range(len(players))))


@dataclass(frozen=True)
class Plan:
    """Everything that the games of a tournament depend on, and their number."""

    game: Game
    players: tuple[str, ...]  # as texts
    meetings: tuple[Meeting, ...]
    games: int  # of each meeting
    seed: int = 0
    opening_plies: int | None = None  # random plies at the start; None: 4, fewer in short games
    openings: tuple[State, ...] = ()  # instead of random ones
    swapped: bool = True  # games 2k and 2k + 1 share an opening; if False, a meeting's first player begins
    zero: str | None = None  # the player that has 0 Elo; None: the one in the middle of the table

    def __post_init__(self) -> None:
        if len(self.players) < 2:
            raise TournamentError("A tournament needs at least two players.")
        twice = [player for player, count in Counter(self.players).items() if count > 1]
        if twice:
            raise TournamentError(f"A player can take part only once, and '{twice[0]}' is listed more than once.")
        if self.games < 1 or (self.swapped and self.games % 2):
            raise TournamentError(
                f"Two players play an even number of games, so that both have both colours; not {self.games}."
            )
        if self.openings and len(self.openings) < self.openings_needed:
            raise TournamentError(f"{self.games} games need {self.openings_needed} openings, not {len(self.openings)}.")

    @property
    def openings_needed(self) -> int:
        return self.games // 2 if self.swapped else self.games

    @property
    def numbers(self) -> range:
        """The numbers of the games of a meeting; in games with even numbers its first player moves first."""
        return range(self.games) if self.swapped else range(0, 2 * self.games, 2)

    def settings(self) -> dict[str, Any]:
        """What must be unchanged to continue a folder; the number of games may grow."""
        return {
            "game": repr(self.game),
            "players": list(self.players),
            "meetings": [list(meeting) for meeting in self.meetings],
            "seed": self.seed,
            "opening plies": self.opening_plies,
            "openings": [_opening_text(opening) for opening in self.openings],
            "colours swapped": self.swapped,
        }


def _opening_text(opening: State) -> str:
    """The moves, behind the board that they begin at if that is not the start."""
    return " ".join(text for text in (opening.start_board, opening.moves_text) if text)


@dataclass(frozen=True)
class TournamentGame:
    """A finished game of a meeting. `played.first` is 0 or 1: the player of the meeting who moved first."""

    meeting: Meeting
    players: tuple[str, str]
    played: PlayedGame

    @property
    def key(self) -> tuple[Meeting, int]:
        return self.meeting, self.played.number

    @property
    def colours(self) -> tuple[str, str]:
        """Who moved first, and who second."""
        a, b = self.players
        return (a, b) if self.played.first == 0 else (b, a)


def game_file(game: TournamentGame) -> tuple[str, str]:
    """The readable file of a game: its name and content. SGF or PGN if the format has the game, else plain text."""
    a, b = game.meeting
    name = f"{a + 1}-{b + 1}-{game.played.number + 1:04d}"
    if has_sgf(game.played.final.game):
        return f"{name}.sgf", _as_sgf(game) + "\n"
    if has_pgn(game.played.final.game):
        return f"{name}.pgn", _as_pgn(game)
    return f"{name}.txt", _as_text(game)


def _as_sgf(game: TournamentGame) -> str:
    reason = game.played.reason
    if not reason:
        return write_sgf(game.played.final, players=game.colours)
    winner = game.played.outcome.winner
    assert winner is not None  # who fails has lost
    final = game.played.final
    result, last_words = f"{'BW'[winner]}+F", {len(final.moves): reason}
    return write_sgf(final, players=game.colours, result=result, comments=last_words)


def _as_pgn(game: TournamentGame) -> str:
    winner, reason, final = game.played.outcome.winner, game.played.reason, game.played.final
    result = "1/2-1/2" if winner is None else ("1-0", "0-1")[winner]
    return write_pgn(final, players=game.colours, result=result, comments={len(final.moves): reason})


def _as_text(game: TournamentGame) -> str:
    winner = game.played.outcome.winner
    lines = [
        f"first: {game.colours[0]}",
        f"second: {game.colours[1]}",
        f"result: {'draw' if winner is None else ('first wins', 'second wins')[winner]}",
        *([f"reason: {game.played.reason}"] if game.played.reason else []),
        f"moves: {game.played.final.moves_text}",
    ]
    return "\n".join(lines) + "\n"


# ---- The table


@dataclass(frozen=True)
class Standing:
    """The results of a player. Elo is relative to the plan's `zero`, or to the player in the middle of the table."""

    player: str
    elo: float
    interval: tuple[float, float]  # 95 %
    points: float
    games: int
    against: dict[str, tuple[float, int]]  # opponent -> points, games
    reasons: dict[str, int]  # why it lost games before they were over -> number of these games


@dataclass(frozen=True)
class Tournament:
    """A tournament that has been played."""

    plan: Plan
    games: tuple[TournamentGame, ...]
    notes: tuple[str, ...] = ()  # sentences about damaged files in its folder
    standings: tuple[Standing, ...] = field(init=False)  # the strongest first

    def __post_init__(self) -> None:
        object.__setattr__(self, "standings", _standings(self))


def _standings(tournament: Tournament) -> tuple[Standing, ...]:
    against: dict[str, dict[str, tuple[float, int]]] = {player: {} for player in tournament.plan.players}
    reasons: dict[str, Counter[str]] = {player: Counter() for player in tournament.plan.players}
    for game in tournament.games:
        for side in (0, 1):
            player, opponent = game.players[side], game.players[1 - side]
            points, games = against[player].get(opponent, (0.0, 0))
            against[player][opponent] = points + game.played.points(side), games + 1
            if game.played.reason and game.played.points(side) == 0.0:
                reasons[player][game.played.reason] += 1
    totals = {
        player: (sum(points for points, _ in row.values()), sum(games for _, games in row.values()))
        for player, row in against.items()
    }
    by_score = sorted(totals, key=lambda player: totals[player][0] / max(1, totals[player][1]), reverse=True)
    zero = tournament.plan.zero or by_score[len(by_score) // 2]
    blocks = _blocks(tournament.games)
    ratings, intervals = rate(blocks, zero), bootstrap(blocks, zero, tournament.plan.seed)
    found = [
        Standing(player, ratings[player].elo, intervals[player], *totals[player], against[player], {**reasons[player]})
        for player in tournament.plan.players
        if player in ratings
    ]
    return tuple(sorted(found, key=lambda standing: standing.elo, reverse=True))


def _blocks(games: Sequence[TournamentGame]) -> list[Result]:
    """Results by opening: the two games of an opening are not independent, so they form one block."""
    found: dict[tuple[Meeting, int], list[TournamentGame]] = {}
    for game in games:
        found.setdefault((game.meeting, game.played.number // 2), []).append(game)
    return [
        Result(*block[0].players, len(block), sum(game.played.points(0) for game in block)) for block in found.values()
    ]


def table(tournament: Tournament) -> str:
    """The cross table, in Markdown that is aligned to be readable as plain text."""
    standings = tournament.standings
    rows = [["#", "player", "Elo", "95 % interval", "points", "games", *(str(i + 1) for i in range(len(standings)))]]
    for place, standing in enumerate(standings, 1):
        low, high = (f"{end:+.0f}" for end in standing.interval)
        cells = [_score(standing.against.get(other.player)) for other in standings]
        row = [
            str(place),
            standing.player.replace("|", "\\|"),
            f"{standing.elo:+.0f}",
            f"{low} to {high}" if low != high else "",
        ]
        rows.append([*row, f"{standing.points:g}", str(standing.games), *cells])
    widths = [max(2, *(len(row[column]) for row in rows)) for column in range(len(rows[0]))]
    aligned = [
        [
            cell.ljust(width) if column == 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in rows
    ]
    aligned.insert(1, ["-" * width if column == 1 else "-" * (width - 1) + ":" for column, width in enumerate(widths)])
    return "\n".join(f"| {' | '.join(row)} |" for row in aligned)


def _score(against: tuple[float, int] | None) -> str:
    return "" if against is None else f"{against[0]:g}/{against[1]}"


# ---- Playing


def play_tournament(
    plan: Plan,
    folder: Path,
    *,
    threads: int = 1,
    crew: Crew | None = None,
    on_start: Callable[[int], None] = lambda done: None,
    on_game: Callable[[TournamentGame], None] = lambda game: None,
) -> Tournament:
    """Plays the missing games and writes the table. `on_start` is called with the number of games already played. A
    `crew`, such as a cluster, plays them instead of so many threads.

    A player that can't be made raises an error at once; a player that fails later loses the games in which it fails.
    """
    for player in plan.players:
        check_kind(player)
    with _open(folder, plan) as log:
        on_start(len(log.games))
        missing = _missing(plan, log.games)
        if missing:

            def keep(game: TournamentGame) -> None:
                log.append(game)
                on_game(game)

            if crew is not None:
                _play_by(crew, plan, missing, keep)
            else:
                _play(plan, missing, min(threads, len(missing)), keep)
        log.write_game_files()
        tournament = Tournament(plan, tuple(log.games[key] for key in sorted(log.games)), tuple(log.notes))
        write_text(folder / "table.md", table(tournament) + "\n")
        return tournament


def _missing(plan: Plan, played: dict[tuple[Meeting, int], TournamentGame]) -> list[tuple[Meeting, int]]:
    """Ordered by game number first, so that a table of an unfinished tournament is fair."""
    keys = [(meeting, number) for number in plan.numbers for meeting in plan.meetings]
    return [key for key in keys if key not in played]


def _play(
    plan: Plan, missing: Sequence[tuple[Meeting, int]], threads: int, on_game: Callable[[TournamentGame], None]
) -> None:
    openings = plan.openings or make_openings(plan.game, plan.openings_needed, plan.opening_plies, plan.seed)
    tasks: queue.SimpleQueue[tuple[Meeting, list[int]]] = queue.SimpleQueue()
    for task in _tasks(missing, threads):
        tasks.put(task)
    models = SharedModels()
    wanted = sorted({place for meeting, _ in missing for place in meeting})
    seats: list[dict[int, Player]] = [
        {place: make_player(plan.players[place], plan.game, models) for place in wanted} for _ in range(threads)
    ]
    cancelled = threading.Event()
    told = threading.Lock()

    def work(thread: int) -> None:
        while not cancelled.is_set():
            try:
                meeting, numbers = tasks.get_nowait()
            except queue.Empty:
                return
            names = plan.players[meeting[0]], plan.players[meeting[1]]

            def tell(played: PlayedGame, meeting: Meeting = meeting, names: tuple[str, str] = names) -> None:
                with told:
                    on_game(TournamentGame(meeting, names, played))

            pair = seats[thread][meeting[0]], seats[thread][meeting[1]]
            seed = _meeting_seed(plan.seed, meeting)
            play_games(pair, openings, numbers, seed=seed, cancelled=cancelled, on_game=tell)

    in_threads(work, threads, [player for seat in seats for player in seat.values()], cancelled)


def _play_by(
    crew: Crew, plan: Plan, missing: Sequence[tuple[Meeting, int]], on_game: Callable[[TournamentGame], None]
) -> None:
    """Games are kept as soon as their table has ended."""
    openings = plan.openings or make_openings(plan.game, plan.openings_needed, plan.opening_plies, plan.seed)
    tasks = list(_tasks(missing, crew.threads))
    names = [(plan.players[a], plan.players[b]) for (a, b), _ in tasks]
    tables = [
        Table(pair, tuple(numbers), _meeting_seed(plan.seed, meeting))
        for pair, (meeting, numbers) in zip(names, tasks, strict=True)
    ]

    def on_answer(number: int, played: list[PlayedGame]) -> None:
        for game in played:
            on_game(TournamentGame(tasks[number][0], names[number], game))

    texts = tuple(dict.fromkeys(text for pair in names for text in pair))
    crew.do(Meetings(Seats.of(plan.game, texts), texts, tuple(openings)), tables, on_answer=on_answer)


def _tasks(missing: Sequence[tuple[Meeting, int]], threads: int) -> Iterator[tuple[Meeting, list[int]]]:
    """Groups of games of one meeting that a thread plays side by side, small enough to keep all threads busy."""
    at_once = max(1, min(MOST_AT_ONCE, len(missing) // (4 * threads)))
    numbers: dict[Meeting, list[int]] = {}
    for meeting, number in missing:
        numbers.setdefault(meeting, []).append(number)
    for start in range(0, max(map(len, numbers.values())), at_once):
        for meeting, mine in numbers.items():
            if some := mine[start : start + at_once]:
                yield meeting, some


def _meeting_seed(seed: int, meeting: Meeting) -> int:
    return int(np.random.SeedSequence([seed, *meeting]).generate_state(1, np.uint64)[0])


# ---- The folder


class _Log:
    """The games in the folder of a tournament. Damaged lines are dropped, and their games are played again."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.games: dict[tuple[Meeting, int], TournamentGame] = {}
        self.notes: list[str] = []
        self._folder = folder
        self._path = folder / "games.jsonl"
        self._read(plan)

    def append(self, game: TournamentGame) -> None:
        append_bytes(self._path, _line(game))
        self.games[game.key] = game
        self._write_game_file(game)

    def write_game_files(self) -> None:
        """Writes the game files that are missing after a kill."""
        for game in self.games.values():
            if not (self._folder / "games" / game_file(game)[0]).exists():
                self._write_game_file(game)

    def _write_game_file(self, game: TournamentGame) -> None:
        name, text = game_file(game)
        write_text(self._folder / "games" / name, text)

    def _read(self, plan: Plan) -> None:
        whole = self._path.read_bytes() if self._path.exists() else b""
        kept: list[bytes] = []
        dropped = 0
        for line in whole.splitlines(keepends=True):
            try:
                game = _parse(line, plan)
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                dropped += 1
                continue
            self.games[game.key] = game
            kept.append(line)
        if dropped:
            what = "1 damaged line" if dropped == 1 else f"{dropped} damaged lines"
            self.notes.append(f"Ignored {what} of {self._path}; the missing games are played again.")
            write_bytes(self._path, b"".join(kept))


def _line(game: TournamentGame) -> bytes:
    content = {
        "meeting": list(game.meeting),
        "players": list(game.players),
        "number": game.played.number,
        "first": game.played.first,
        "winner": game.played.outcome.winner,
        "reason": game.played.reason,
        "moves": game.played.final.moves_text,
    }
    return _dumped({**content, "crc": zlib.crc32(_dumped(content))})


def _dumped(content: dict[str, Any]) -> bytes:
    return json.dumps(content).encode() + b"\n"


def _parse(line: bytes, plan: Plan) -> TournamentGame:
    content = json.loads(line)
    crc = content.pop("crc")
    if not line.endswith(b"\n") or zlib.crc32(_dumped(content)) != crc:
        raise TournamentError("The checksum of this line is wrong.")
    a, b = content["meeting"]
    final = plan.game.state(content["moves"])
    played = PlayedGame(final, content["first"], Outcome(content["winner"]), content["reason"], content["number"])
    return TournamentGame((a, b), (plan.players[a], plan.players[b]), played)


@contextmanager
def _open(folder: Path, plan: Plan) -> Iterator[_Log]:
    """Opens the folder of a plan and locks it against other processes."""
    try:
        (folder / "games").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TournamentError(f"{folder} can't be a tournament's folder: {error.strerror}.") from error
    with run_lock(folder):
        _check_settings(folder, plan)
        yield _Log(folder, plan)


def _check_settings(folder: Path, plan: Plan) -> None:
    path = folder / "tournament.json"
    settings = plan.settings()
    log = folder / "games.jsonl"
    if not log.exists() or not log.stat().st_size:  # no games yet: the plan may be corrected
        write_text(path, json.dumps(settings, indent=2) + "\n")
        return
    try:
        kept = dict(json.loads(path.read_text()))
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise TournamentError(f"{path} is damaged; choose another folder.") from error
    for name, value in settings.items():
        if kept.get(name) != value:
            raise TournamentError(
                f"{folder} holds another tournament: its {name} {_said(kept.get(name))}, not {_said(value, '')}; "
                "choose another folder."
            )


def _said(value: object, verb: str | None = None) -> str:
    if isinstance(value, list):
        verb = "are " if verb is None else verb
        return verb + ", ".join(map(str, value))
    return ("is " if verb is None else verb) + str(value)

"""Reads and writes games of chess as PGN, with variations, comments and NAGs.

A game is its tags, a start and a line of moves. A move may have comments, NAGs and variations, which are lines that
could have been played instead of it. Moves are read in standard algebraic notation or as UCI writes them, and written
in standard algebraic notation.

The format: https://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm

>>> read = parse_pgn('[White "A"] 1. e4 $1 {best by test} (1. d4 d5) e5 2. Nf3 1/2-1/2')
>>> read.state.moves_text
'e2e4 e7e5 g1f3'
>>> read.line[0].comment, len(read.line[0].variations)
('best by test', 1)
>>> parse_pgn(write_pgn(read)) == read
True
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from tengen._core import BoardTextError, Game, Reason, State, TengenError
from tengen.games import load
from tengen.games.lines import first_state, last_state

__all__ = [
    "LARGEST_PGN",
    "PgnError",
    "PgnGame",
    "PgnMove",
    "has_pgn",
    "iterate_pgn",
    "looks_like_pgn",
    "parse_pgn",
    "write_pgn",
]

LARGEST_PGN = 1 << 22  # characters of one game
DEEPEST = 100  # variations inside variations
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
ROSTER = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?", "Result": "*"}
GLYPHS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}  # NAGs that people write behind a move
MOST_NAG = 255
CHESS960 = re.compile(r"chess\W?960|fischer\W?random", re.IGNORECASE)
VARIANTS = {"gardner": 5, "minichess": 5, "losalamos": 6}  # sizes of minichess by the tag Variant

# Games of people go on after a third repetition and after fifty moves, if nobody claims the draw.
AS_PEOPLE_PLAY = {"late_draws": True, "max_moves": 0}

TAG = re.compile(r'\[\s*([A-Za-z0-9_+#=:-]+)\s*"((?:[^"\\]|\\.)*)"\s*\]')
TOKEN = re.compile(
    r"""(?P<space>\s+|^%[^\n]*)
      | (?P<comment>\{[^}]*\}|;[^\n]*)
      | (?P<nag>\$\d+)
      | (?P<glyph>[!?]{1,2})
      | (?P<open>\()
      | (?P<close>\))
      | (?P<result>1-0|0-1|1/2-1/2|\*)
      | (?P<number>\d+(?:\.+|(?=\s)))
      | (?P<move>[A-Za-z0-9][A-Za-z0-9=+#:/x-]*|--)
      | (?P<tag>\[)
      | (?P<other>.)""",
    re.VERBOSE | re.MULTILINE,
)


class PgnError(TengenError):
    """Invalid PGN, a game that tengen can't play, or a move that is not legal."""


@dataclass(frozen=True)
class PgnMove:
    """A move with what is said about it. `variations` could have been played instead of it."""

    action: int
    comment: str = ""  # behind it
    before: str = ""  # a comment in front of it, at the beginning of a line
    nags: tuple[int, ...] = ()
    variations: tuple[Line, ...] = ()


Line = tuple[PgnMove, ...]


@dataclass(frozen=True)
class PgnGame:
    """One game of a file. Its moves are legal."""

    start: State
    line: Line = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    comment: str = ""  # of a game without moves
    result: str = "*"
    left_out: int = 0  # moves of the main line after the end by the rules, which players and arbiter did not notice

    @property
    def game(self) -> Game:
        return self.start.game

    @property
    def state(self) -> State:
        """The position after the last move of the main line."""
        return last_state(self.start, (move.action for move in self.line))

    @property
    def players(self) -> tuple[str, str]:
        """The names of white and black; empty if they are not known."""
        white, black = (self.tags.get(colour, "") for colour in ("White", "Black"))
        return ("" if white == "?" else white, "" if black == "?" else black)


def has_pgn(game: Game) -> bool:
    """Whether games of it can be written as PGN."""
    return game.spec.source in ("chess", "minichess")


def looks_like_pgn(text: str | bytes) -> bool:
    """Whether a text begins with a tag, as PGN does."""
    start = text[:5000] if isinstance(text, str) else text[:5000].decode("latin-1")
    return TAG.match(start.lstrip("\ufeff\xef\xbb\xbf \t\r\n")) is not None


def parse_pgn(text: str | bytes, like: Game | None = None) -> PgnGame:
    """The first game of a file. See iterate_pgn."""
    for read in iterate_pgn(text, like):
        return read
    raise PgnError("There is no game in this PGN.")


def iterate_pgn(text: str | bytes, like: Game | None = None) -> Iterator[PgnGame]:
    """The games of a file, one after another.

    They are played by the rules of `like`, if it is chess too. If it is not given, draws by repetition and by the
    fifty-move rule end a game as late as the rules of FIDE allow, because the players may not have claimed them
    (`late_draws`). Then moves after a fifth repetition, after 75 moves, or where nobody has the pieces to give mate are
    left out.
    """
    if isinstance(text, bytes):
        text = _decoded(text)
    at = _skip_space(text, 0)
    while at < len(text):
        at, read = _parse_game(text, at, like)
        if read is not None:
            yield read
        at = _skip_space(text, at)


def write_pgn(
    played: State | PgnGame,
    *,
    players: tuple[str, str] = ("", ""),
    result: str | None = None,
    date: str = "",
    event: str = "",
    comments: Mapping[int, str] | None = None,
) -> str:
    """The text of a game, ended by a newline.

    `played` is the final position, or a PgnGame. `result` defaults to the outcome of a finished game. `comments` are
    keyed by the number of moves made before them: 1 is a comment on the first move.
    """
    if isinstance(played, State):
        start, line = _past(played)
        read = PgnGame(start, line, result=result_of_pgn(played))
    else:
        read = played
    if not has_pgn(read.game):
        raise PgnError(f"PGN can be written for chess and minichess, not for {read.game.spec.name}.")
    if comments:
        read = _with_comments(read, comments)
    result = read.result if result is None else result
    if result not in RESULTS:
        raise PgnError(f"The result of a PGN is one of {', '.join(RESULTS)}, not '{result[:20]}'.")
    given = {"Event": event, "Date": date.replace("-", "."), "White": players[0], "Black": players[1]}
    tags = {**ROSTER, **read.tags, **{name: value for name, value in given.items() if value}, "Result": result}
    tags |= _start_tags(read.start)
    head = [f'[{name} "{_quoted(value)}"]' for name, value in tags.items()]
    words = [*_comment_words(read.comment), *_line_words(read.start, read.line), result]
    body = textwrap.fill(" ".join(words), 79, break_long_words=False, break_on_hyphens=False)
    return "\n".join([*head, "", body, ""])


# --- Reading ----------------------------------------------------------------------------------------------------------


def _decoded(text: bytes) -> str:
    """UTF-8, or else Latin-1, which is what the standard says."""
    try:
        return text.decode("utf-8-sig")
    except ValueError:
        return text.decode("latin-1")


def _skip_space(text: str, at: int) -> int:
    while found := re.compile(r"[\s\ufeff]+|^%[^\n]*", re.MULTILINE).match(text, at):
        if found.end() == at:
            break
        at = found.end()
    return at


def _parse_game(text: str, at: int, like: Game | None) -> tuple[int, PgnGame | None]:
    """The game that begins there, and where it ends; None if there are only tags and nothing else."""
    first = at
    tags: dict[str, str] = {}
    while found := TAG.match(text, at):
        tags[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
        at = _skip_space(text, found.end())
    start = _start(tags, like)
    reader = _Reader(text, at, first, cuts=like is None or bool(like.spec.options.get("late_draws")))
    line = reader.line(start, 0)
    result = reader.result or (tags["Result"] if tags.get("Result") in RESULTS else "*")
    if reader.at == first:
        raise PgnError(f"This is not PGN: {_excerpt(text, first)}")
    return reader.at, PgnGame(start, tuple(line), tags, reader.comment, result, reader.left_out)


def _start(tags: Mapping[str, str], like: Game | None) -> State:
    game = _game(tags, like)
    if "FEN" not in tags:
        return game.initial_state()
    try:
        return game.state(board=tags["FEN"])
    except BoardTextError as error:
        raise PgnError(f"The tag FEN of this PGN is no position: {error}") from None


def _game(tags: Mapping[str, str], like: Game | None) -> Game:
    variant = tags.get("Variant", "")
    size = VARIANTS.get(re.sub(r"\W", "", variant).lower())
    if like is not None and has_pgn(like):
        name, options = like.spec.source, dict(like.spec.options)
        fits = name == "minichess" and options["size"] == size if size else name == "chess" or not variant
        if fits and (not CHESS960.search(variant) or options.get("chess960", -1) >= 0):
            return like
    if size:
        return load("minichess", size=size, max_moves=0)
    if CHESS960.search(variant):
        return load("chess", chess960=518, **AS_PEOPLE_PLAY)
    if variant and variant.lower() not in ("standard", "chess", "normal", "from position"):
        raise PgnError(f"This PGN is of a variant that tengen can't play: '{variant[:40]}'.")
    return load("chess", **AS_PEOPLE_PLAY)


@dataclass
class _Line:
    """A line while it is read."""

    state: State
    before: State  # before the last move
    depth: int  # 0 is the main line
    moves: list[PgnMove] = field(default_factory=list)
    said: str = ""  # in front of the first move


class _Reader:
    """The moves of one game. If it `cuts`, moves after a draw by the rules are left out; else they are refused."""

    def __init__(self, text: str, at: int, first: int, *, cuts: bool) -> None:
        self.text, self.at, self.first = text, at, first
        self.cuts = cuts
        self.left_out = 0
        self.result = ""
        self.comment = ""  # of a game without moves
        self._read: dict[str, Callable[[_Line, str], None]] = {
            "comment": self._add_comment,
            "nag": self._add_nag,
            "glyph": self._add_nag,
            "open": self._add_variation,
            "move": self._add_move,
            "other": self._refuse,
        }

    def line(self, state: State, depth: int) -> list[PgnMove]:
        """Moves up to the end of the line, which for the main line is the end of the game."""
        line = _Line(state, state, depth)
        while (found := TOKEN.match(self.text, self.at)) and found.lastgroup != "tag":
            kind, token = found.lastgroup or "", found[0]
            self.at = found.end()
            if self.at - self.first > LARGEST_PGN:
                raise PgnError(f"A game of this PGN is too large; the limit is {LARGEST_PGN:,} characters.")
            if kind == "close" and depth:
                return line.moves
            if kind == "close":
                raise PgnError(f"A variation of this PGN ends that did not begin: {self._where()}")
            if kind == "result" and not depth:
                self.result = token
                break
            if kind == "move" and self.cuts and _is_drawn(line.state):
                self.at = found.start()
                self._leave_out_rest(depth)
            elif kind in self._read:
                self._read[kind](line, token)
        if depth:
            raise PgnError(f"A variation of this PGN is not closed: {self._where(30)}")
        if not line.moves:
            self.comment = line.said
        return line.moves

    def _leave_out_rest(self, depth: int) -> None:
        """Goes to the end of a line, past its moves and what belongs to them."""
        inside = 0  # of variations
        while (found := TOKEN.match(self.text, self.at)) and found.lastgroup not in ("tag", "other"):
            if not inside and (found.lastgroup == "close" or (found.lastgroup == "result" and not depth)):
                return
            inside += {"open": 1, "close": -1}.get(found.lastgroup or "", 0)
            self.left_out += found.lastgroup == "move" and not inside and not depth
            self.at = found.end()

    def _add_comment(self, line: _Line, token: str) -> None:
        text = " ".join((token[1:-1] if token[0] == "{" else token[1:]).split())
        if line.moves:
            line.moves[-1] = replace(line.moves[-1], comment=_joined(line.moves[-1].comment, text))
        else:
            line.said = _joined(line.said, text)

    def _add_nag(self, line: _Line, token: str) -> None:
        nag = int(token[1:5]) if token[0] == "$" else GLYPHS[token]
        if not line.moves or nag > MOST_NAG:
            raise PgnError(f"A NAG is a number from 0 to {MOST_NAG} behind a move: {self._where(len(token))}")
        line.moves[-1] = replace(line.moves[-1], nags=(*line.moves[-1].nags, nag))

    def _add_variation(self, line: _Line, token: str) -> None:
        if not line.moves or line.depth >= DEEPEST:
            raise PgnError(f"There is no move that this variation is of: {self._where()}")
        if variation := tuple(self.line(line.before, line.depth + 1)):
            line.moves[-1] = replace(line.moves[-1], variations=(*line.moves[-1].variations, variation))

    def _add_move(self, line: _Line, token: str) -> None:
        state = line.state
        if state.outcome is not None:
            raise PgnError(f"The game is over before this move ({state.outcome.sentence}): {self._where(len(token))}")
        action = state.parse_action(token)
        if action is None or not state.is_legal(action):
            raise PgnError(f"'{token[:20]}' is not a legal move in the position {state.position_text}.")
        line.moves.append(PgnMove(action, before="" if line.moves else line.said))
        line.before, line.state = state, state.play(action)

    def _refuse(self, line: _Line, token: str) -> None:
        raise PgnError(f"This is not PGN: {self._where(len(token))}")

    def _where(self, back: int = 1) -> str:
        return _excerpt(self.text, max(self.first, self.at - back))


def _joined(one: str, other: str) -> str:
    return f"{one} {other}".strip()


def _is_drawn(state: State) -> bool:
    """Whether the game is over, but there are moves to go on with."""
    return state.outcome is not None and state.outcome.winner is None and state.outcome.reason != Reason.STALEMATE


def _excerpt(text: str, at: int) -> str:
    return repr(text[at : at + 30])


# --- Writing ----------------------------------------------------------------------------------------------------------


def _past(state: State) -> tuple[State, Line]:
    """The position that a state's game began with, and its moves."""
    return first_state(state), tuple(PgnMove(action) for action in state.moves)


def result_of_pgn(state: State) -> str:
    """Of a position: 1-0, 0-1, 1/2-1/2, or * while the game goes on."""
    if state.outcome is None:
        return "*"
    return "1/2-1/2" if state.outcome.winner is None else RESULTS[state.outcome.winner]


def _with_comments(read: PgnGame, comments: Mapping[int, str]) -> PgnGame:
    line = [
        replace(move, comment=_joined(move.comment, " ".join(comments.get(number, "").split())))
        for number, move in enumerate(read.line, 1)
    ]
    return replace(read, line=tuple(line))


def _start_tags(start: State) -> dict[str, str]:
    spec = start.game.spec
    tags = {}
    if spec.source == "minichess":
        tags["Variant"] = "Gardner" if spec.width == 5 else "Los Alamos"
    elif spec.options["chess960"] >= 0:
        tags["Variant"] = "Chess960"
    if start.position_text != load(spec.source, **_shared(spec.options)).initial_state().position_text:
        tags |= {"SetUp": "1", "FEN": start.position_text}
    return tags


def _shared(options: Mapping[str, float]) -> dict[str, float]:
    """The options that a PGN has a word for: what a reader without `like` begins with."""
    found = {name: value for name, value in options.items() if name == "size"}
    return {**found, "chess960": 518} if options.get("chess960", -1) >= 0 else found


def _quoted(value: str) -> str:
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')


def _comment_words(comment: str) -> list[str]:
    return [f"{{{comment.replace('}', ')')}}}"] if comment else []


def _line_words(state: State, line: Line) -> Iterator[str]:
    """Moves with their numbers; a black move has one at the beginning of a line and behind anything but a move."""
    apart = True
    for move in line:
        yield from _comment_words(move.before)
        number = int(state.position_text.rsplit(" ", 1)[1])
        if state.to_move == 0:
            yield f"{number}."
        elif apart:
            yield f"{number}..."
        yield state.notation(move.action)
        yield from (f"${nag}" for nag in move.nags)
        yield from _comment_words(move.comment)
        for variation in move.variations:
            first, *rest = [*_line_words(state, variation)]
            words = [f"({first}", *rest]
            words[-1] += ")"
            yield from words
        apart = bool(move.comment or move.variations or move.nags)
        state = state.play(move.action)

"""A game with its variations and comments, whatever file it came from: SGF, PGN, KIF or CSA.

>>> tree = read_tree('1. e4 {best by test} (1. d4 d5) e5')
>>> [(move.parent, move.text, move.comment) for move in tree.moves]
[(-1, '', ''), (0, 'e2e4', 'best by test'), (1, 'e7e5', ''), (0, 'd2d4', ''), (3, 'd7d5', '')]
>>> print(write_tree(tree).splitlines()[-1])
1. e4 {best by test} (1. d4 d5) 1... e5 *
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sgfmill import sgf_grammar

from tengen._core import Game, State, TengenError
from tengen.games.files import FileGame, file_format, parse_file
from tengen.games.notation import notation
from tengen.games.pgn import Line, PgnGame, PgnMove, has_pgn, parse_pgn, result_of_pgn, write_pgn
from tengen.games.sgf import (
    COLOURS,
    SET_UP,
    SgfError,
    SgfGame,
    escaped,
    moves_of,
    parse_sgf,
    parsed_tree,
    play_sgf_move,
    point_of,
    properties_of,
    result_of,
    serialised,
    write_sgf,
)
from tengen.games.shogi import ShogiGame
from tengen.games.shogi.kif import kif_comment, kif_head, kif_move, kif_variation, read_kif_lines
from tengen.games.shogi.western import SHOGI

__all__ = ["MOST_MOVES", "GameTree", "TreeError", "TreeMove", "read_tree", "write_tree"]

MOST_MOVES = 20_000  # of a tree
DEEPEST = 200  # variations inside variations, which a writer follows by recursion


class TreeError(TengenError):
    """A tree of moves that is none: too large, out of order, or with an illegal move."""


@dataclass(frozen=True)
class TreeMove:
    """A move of a tree, or its start."""

    parent: int  # the index of the move before it; -1: this is the start, the first entry of its tree
    text: str  # as State.action_text has it; empty at the start
    comment: str = ""
    notation: str = ""  # as State.notation has it


@dataclass(frozen=True)
class GameTree:
    """A game with its variations, parents first. Of the moves that follow one, the first belongs to the main line."""

    start: State
    moves: tuple[TreeMove, ...]

    def following(self) -> dict[int, list[int]]:
        """For each entry those that follow it. TreeError if a parent does not come before its moves."""
        found: dict[int, list[int]] = defaultdict(list)
        for index, move in enumerate(self.moves[1:], 1):
            if not 0 <= move.parent < index:
                raise TreeError(f"Entry {index} of the tree follows entry {move.parent}, which is not before it.")
            found[move.parent].append(index)
        return found

    def play(self, state: State, index: int) -> State:
        """The position after an entry, from the one before it."""
        text = self.moves[index].text
        action = state.parse_action(text) if state.outcome is None else None
        if action is None or not state.is_legal(action):
            raise TreeError(f"Entry {index} of the tree, '{text[:20]}', is not a legal move there.")
        return state.play(action)

    @property
    def main_line(self) -> State:
        """The position at the end of the main line."""
        following, state, at = self.following(), self.start, 0
        while after := following.get(at):
            at, state = after[0], self.play(state, after[0])
        return state


def read_tree(text: str | bytes, like: Game | None = None) -> GameTree:
    """The first game of a file, with all its variations, checked against the rules. CSA has none.

    What the file leaves open is taken from `like` if it is the same game.
    """
    content = text.encode(errors="replace") if isinstance(text, str) else text
    found = file_format(content)
    if found == "KIF":
        return _read_kif(content, like)
    if found == "CSA":
        return _main_line(parse_file(content, like))
    return _read_sgf(text, like) if found == "SGF" else _read_pgn(text, like)


def write_tree(tree: GameTree) -> str:
    """The text of a file: PGN for chess, KIF for shogi, else SGF. The result is the main line's."""
    if tree.start.game.spec.source in SHOGI:
        return _write_kif(tree)
    return _write_pgn(tree) if has_pgn(tree.start.game) else _write_sgf(tree)


def _main_line(read: FileGame) -> GameTree:
    growing, at, state = _Growing(), 0, read.start
    for action in read.moves:
        at = growing.add(at, state, action)
        state = state.play(action)
    return GameTree(read.start, growing.moves())


class _Growing:
    """A tree that is being read. A move that a file has twice after the same one is one move."""

    def __init__(self) -> None:
        self._moves = [("", "", -1)]
        self._comments = [""]
        self._known: dict[tuple[int, str], int] = {}

    def add(self, parent: int, state: State, action: int) -> int:
        """The number of a move of `state`, which is the position after `parent`."""
        text = state.action_text(action)
        known = self._known.get((parent, text))
        if known is not None:
            return known
        if len(self._moves) >= MOST_MOVES:
            raise TreeError(f"This game has more than {MOST_MOVES:,} moves in its variations.")
        self._moves.append((text, notation(state, action), parent))
        self._comments.append("")
        self._known[parent, text] = len(self._moves) - 1
        return len(self._moves) - 1

    def comment(self, at: int, text: str) -> None:
        if text:
            self._comments[at] = f"{self._comments[at]}\n{text}".strip()

    def moves(self) -> tuple[TreeMove, ...]:
        return tuple(
            TreeMove(parent, text, comment, notation)
            for (text, notation, parent), comment in zip(self._moves, self._comments, strict=True)
        )


# --- PGN --------------------------------------------------------------------------------------------------------------


def _read_pgn(text: str | bytes, like: Game | None) -> GameTree:
    read = parse_pgn(text, like)
    growing = _Growing()
    growing.comment(0, read.comment)
    waiting: list[tuple[Line, State, int]] = [(read.line, read.start, 0)]
    while waiting:
        line, state, at = waiting.pop()
        aside: list[tuple[Line, State, int]] = []
        for move in line:
            growing.comment(at, move.before)
            after = growing.add(at, state, move.action)
            growing.comment(after, move.comment)
            aside += [(variation, state, at) for variation in move.variations]
            at, state = after, state.play(move.action)
        waiting += reversed(aside)
    return GameTree(read.start, growing.moves())


def _write_pgn(tree: GameTree) -> str:
    following = tree.following()

    def line(at: int, state: State, depth: int) -> Line:
        if depth > DEEPEST:
            raise TreeError(f"This game has variations inside variations, more than {DEEPEST} deep.")
        moves: list[PgnMove] = []
        while after := following.get(at):
            others = tuple(branch(index, state, depth + 1) for index in after[1:])
            played = tree.play(state, after[0]).moves[-1]
            moves.append(PgnMove(played, _one_line(tree.moves[after[0]].comment), variations=others))
            at, state = after[0], tree.play(state, after[0])
        return tuple(moves)

    def branch(index: int, state: State, depth: int) -> Line:
        after = tree.play(state, index)
        first = PgnMove(after.moves[-1], _one_line(tree.moves[index].comment))
        return (first, *line(index, after, depth))

    end = tree.main_line
    comment = _one_line(tree.moves[0].comment) if tree.moves else ""
    moves = line(0, tree.start, 0)
    if moves and comment:
        moves = (PgnMove(moves[0].action, moves[0].comment, comment, (), moves[0].variations), *moves[1:])
        comment = ""
    return write_pgn(PgnGame(tree.start, moves, comment=comment, result=result_of_pgn(end)))


def _one_line(comment: str) -> str:
    return " ".join(comment.split())


# --- SGF --------------------------------------------------------------------------------------------------------------


def _read_sgf(text: str | bytes, like: Game | None) -> GameTree:
    start = parse_sgf(text, like).start
    growing = _Growing()
    waiting = [(parsed_tree(text), start, 0)]  # subtrees, the position before each, and the move before it
    while waiting:
        tree, state, at = waiting.pop()
        for node in map(properties_of, tree.sequence):
            if len(state.moves) > len(start.moves) and SET_UP.keys() & node.keys():
                raise SgfError(
                    "This SGF sets up stones in the middle of a line; tengen reads a position and then moves."
                )
            for player, action in moves_of(start.game, node):
                name = (
                    f"Move {len(state.moves) + 1} of a line of the SGF, {COLOURS[player]} {state.action_text(action)},"
                )
                after = play_sgf_move(state, player, action, name)
                for played in after.moves[len(state.moves) :]:  # two of them where the file leaves out a pass
                    at = growing.add(at, state, played)
                    state = state.play(played)
            growing.comment(at, "\n".join(node.get("C", [])).strip())
        waiting += [(child, state, at) for child in reversed(tree.children)]
    return GameTree(start, growing.moves())


def _write_sgf(tree: GameTree) -> str:
    following = tree.following()
    written = parsed_tree(write_sgf(SgfGame(tree.start, result=result_of(tree.main_line))))
    waiting = [(0, tree.start, written)]  # an entry, the position after it, and the sequence that it is in
    while waiting:
        at, state, sequence = waiting.pop()
        _write_comment(tree, at, sequence)
        while len(after := following.get(at, [])) == 1:
            at, state = after[0], _write_move(tree, after[0], state, sequence)
            _write_comment(tree, at, sequence)
        sequence.children = [sgf_grammar.Coarse_game_tree() for _ in after]
        waiting += [
            (index, _write_move(tree, index, state, branch), branch)
            for index, branch in zip(after, sequence.children, strict=True)
        ]
    return serialised(written)


def _write_move(tree: GameTree, index: int, state: State, sequence: sgf_grammar.Coarse_game_tree) -> State:
    after = tree.play(state, index)
    sequence.sequence.append(escaped({"BW"[state.to_move]: [point_of(state.game, after.moves[-1])]}))
    return after


def _write_comment(tree: GameTree, index: int, sequence: sgf_grammar.Coarse_game_tree) -> None:
    entries: Sequence[TreeMove] = tree.moves
    if index < len(entries) and entries[index].comment:
        sequence.sequence[-1] |= escaped({"C": [entries[index].comment]})


# --- KIF --------------------------------------------------------------------------------------------------------------


def _read_kif(content: bytes, like: Game | None) -> GameTree:
    start, comment, lines = read_kif_lines(content, like)
    growing = _Growing()
    growing.comment(0, comment)
    path = [(0, start)]  # of the line that was read last: its moves, and the positions after them
    for line in lines:
        del path[line.first :]
        for action, said in zip(line.moves, line.comments, strict=True):
            at, state = path[-1]
            at = growing.add(at, state, action)
            growing.comment(at, said)
            path.append((at, state.play(action)))
    return GameTree(start, growing.moves())


def _write_kif(tree: GameTree) -> str:
    """A variation is written after the line that it leaves, the latest first."""
    following = tree.following()
    lines = kif_head(ShogiGame(tree.start))
    lines += kif_comment(tree.moves[0].comment) if tree.moves else []
    waiting = [(index, tree.start, 1) for index in reversed(following.get(0, []))]
    while waiting:
        index, state, number = waiting.pop()
        move = tree.moves[index]
        if index != following[move.parent][0]:
            lines.append(kif_variation(number))
        after = tree.play(state, index)
        lines.append(kif_move(number, state, state.action_text(after.moves[-1]), move.comment))
        waiting += [(child, after, number + 1) for child in reversed(following.get(index, []))]
    return "\n".join(lines) + "\n"

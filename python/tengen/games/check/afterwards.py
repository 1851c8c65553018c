"""The checks that are made of all games together. Each gives what it found."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from tengen._core import BoardTextError, Game
from tengen.base.spelling import nearest
from tengen.games.check.laws import views
from tengen.games.check.report import Finding, question, wrong
from tengen.games.check.symmetries import symmetries
from tengen.games.check.walk import Material, after, difference, has_stones, look, some
from tengen.games.check.winners import both_players_move, scores, winners

INTERPRETED_POSITIONS = 500  # about so many: they are slow


def view(game: Game, material: Material) -> Iterator[Finding]:
    """Own and opponent's stones change places when the turn passes, and only then."""
    if not has_stones(game.spec):
        return
    same = {True: 0.0, False: 0.0}  # stones that stay in their plane, by whether the turn passed
    changed = {True: np.zeros(3), False: np.zeros(3)}  # stones that change it, on the board as either side sees it
    for walk in material.walks:
        for before, now in zip(walk.seen, walk.seen[1:], strict=False):
            turn = before.to_move != now.to_move
            old, new = (seen.planes_of(game.spec)[:2] != 0 for seen in (before, now))
            same[turn] += np.count_nonzero(old & new)
            changed[turn] += [np.count_nonzero(old & seen) for seen in views(new[::-1])]
    name = game.spec.plane_names[0]
    if same[True] > changed[True].max():
        text = f"The plane '{name}' keeps showing the same player's stones whoever is to move"
        yield wrong("planes from the wrong side", f"{text}; planes() must show those of the player to move.")
    elif changed[False].max() > same[False]:
        text = f"The plane '{name}' shows the other player's stones when a player moves twice in a row"
        yield wrong("planes from the wrong side", f"{text}; do to_move() and planes() agree on whose turn it is?")


def planes_tell_positions_apart(game: Game, material: Material) -> Iterator[Finding]:
    """A network must see something."""
    if len({seen.planes for walk in material.walks for seen in walk.seen}) == 1:
        yield wrong("planes say nothing", "planes() writes the same for every position; a network would see nothing.")


def something_to_show(game: Game, material: Material) -> Iterator[Finding]:
    """Where moves go to cells, people want to see what stands there."""
    spec = game.spec
    if spec.source.endswith(".py") and spec.action_layout != "dense" and not spec.pieces:
        yield question(
            "nothing to show",
            "Moves go to cells, but nothing says what stands on them, so the drawing and the page have no board. Call "
            "the first two planes 'own ...' and 'opponent's ...' if they are the stones, or give `pieces` and "
            "cells(state, out).",
        )


def names_nearly_right(game: Game, material: Material) -> Iterator[Finding]:
    """A misspelt constant or function is left out without a word, if it is one that a rules file need not have."""
    if not game.spec.source.endswith(".py"):
        return
    from tengen.games.rules.declaration import CONSTANTS, FUNCTIONS

    tree = ast.parse(Path(game.spec.source).read_bytes())
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    written: set[str] = set()
    for statement in tree.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                written.add(name)
            case ast.Assign(targets=targets):
                written.update(target.id for target in targets if isinstance(target, ast.Name))
    known = {*CONSTANTS, *FUNCTIONS}
    for name in sorted(written - used - known):
        if close := nearest(name, sorted(known - written), likeness=0.8):
            text = f"The file has a name `{name}`, which nothing in it uses and tengen does not know."
            yield question("unknown name", f"{text} Is it meant to be `{close}`?")


def action_texts(game: Game, material: Material) -> Iterator[Finding]:
    """Every action has a name of its own that reads back."""
    names: dict[str, int] = {}
    for action in some(range(game.spec.num_actions), 2000):
        text = game.action_text(action)
        if names.setdefault(text, action) != action:
            yield wrong("action texts", f"The actions {names[text]} and {action} are both written '{text}'.")
        elif not text or set(text) & set(" ,\t\n"):
            yield wrong("action texts", f"Action {action} is written '{text}'; it must be one word without commas.")
        elif game.parse_action(text) != action:
            text = f"Action {action} is written '{text}', but parse_action('{text}') gives {game.parse_action(text)}."
            yield wrong("action texts", text)


def legal_texts(game: Game, material: Material) -> Iterator[Finding]:
    """Where names depend on the state, those of the legal actions read back there."""
    for walk in some(material.walks, 8):
        for state in some(walk.states, 4):
            for action in state.legal_actions:
                for text in {state.action_text(action), state.notation(action)}:
                    if (read := state.parse_action(text)) != action:
                        where = f"Action {action} is written '{text}' {after(state)}"
                        yield wrong("action texts", f"{where}, but it is read as {read}.")
                        return


def drawings(game: Game, material: Material) -> Iterator[Finding]:
    """A drawing that can be read is read as what was drawn."""
    for walk in some(material.walks, 8):
        for state in some(walk.states, 4):
            try:
                read = game.state(board=str(state)), game.state(board=state.position_text)
            except BoardTextError:
                continue
            for drawing in map(str, read):
                if drawing != str(state):
                    yield wrong("drawings", f"This drawing\n{state}\nis read back as\n{drawing}")


def compiled_as_interpreted(game: Game, material: Material) -> Iterator[Finding]:
    """The compiled rules of a file do what Python itself does, move by move. Equal hashes are equal bytes here."""
    if game.backend != "compiled":
        return
    from tengen.games.rules import load_interpreted

    twin = load_interpreted(game.spec.source, **game.spec.options)
    length = sum(len(walk.states) for walk in material.walks) / len(material.walks)
    ways = [walk.actions for walk in some(material.walks, max(1, int(INTERPRETED_POSITIONS / length)))]
    ways += [list(state.moves) for state in some(material.positions, max(1, int(INTERPRETED_POSITIONS / length)))]
    for actions in ways:
        state, compiled = twin.initial_state(), game.initial_state()
        for action in [*actions, None]:
            now, seen = look(twin, state), look(game, compiled)
            if now != seen:
                text = f"The compiled rules and Python itself disagree {after(state)}: {difference(seen, now)}."
                why = "Often a number outgrows its type when it is compiled, which Python's numbers never do."
                yield wrong("compiled differs", f"{text} {why}")
                return
            if action is not None:
                state, compiled = state.play(action), compiled.play(action)


Check = Callable[[Game, Material], Iterator[Finding]]

CHECKS: tuple[Check, ...] = (
    both_players_move,
    winners,
    scores,
    view,
    planes_tell_positions_apart,
    something_to_show,
    names_nearly_right,
    action_texts,
    legal_texts,
    drawings,
    symmetries,
    compiled_as_interpreted,
)

"""The same game on a turned board has turned planes, turned actions, the same players and the same end."""

from collections.abc import Iterator, Sequence

import numpy as np

from tengen._core import BoardTextError, Game, State, Symmetry
from tengen.games.check.report import Finding, question, wrong
from tengen.games.check.walk import Material, Walk, after, has_stones, look, some

GAME_POSITIONS = 300  # about so many for each symmetry, in whole games
WALK_POSITIONS = 2000  # about so many for all together, each reached anew on the turned board


def symmetries(game: Game, material: Material) -> Iterator[Finding]:
    """Symmetries that the game declares are symmetries of its rules."""
    walks = material.walks
    few = list(some(walks, max(2, _fewer(game, GAME_POSITIONS) // len(walks[0].states))))
    broken: dict[str, str] = {}
    for symmetry in game.symmetries[1:]:
        start = _turned(game, walks[0].states[0], symmetry)
        if start is None:
            text = f"'{symmetry.name}' turns the first position into another one, which can't be set up to check more."
            why = "Is it a symmetry of your game? If so, a function set_board() would help."
            yield question("symmetries", f"{text} {why}")
            continue
        differences = (found for walk in few if (found := _turns_differently(game, walk, symmetry, start)))
        found = next(differences, None) or _differs_on_the_walk(game, material, symmetry, start)
        if found:
            broken[symmetry.name] = found
    if broken:
        names = ", ".join(f"'{name}'" for name in broken)
        yield wrong("symmetries", f"Not symmetries of the game: {names}. {next(iter(broken.values()))}")


def _differs_on_the_walk(game: Game, material: Material, symmetry: Symmetry, start: State) -> str | None:
    """The same of positions of the walk. On the way to each, nothing is compared unless it can't be gone."""
    for state in some(material.positions, _fewer(game, WALK_POSITIONS) // len(game.symmetries)):
        turned = start
        for action in state.moves:
            if not turned.is_legal(symmetry.action(action)):
                states = [game.initial_state()]
                for way in state.moves:
                    states.append(states[-1].play(way))
                walk = Walk(states, [look(game, passed) for passed in states], list(state.moves))
                return _turns_differently(game, walk, symmetry, start)
            turned = turned.play(symmetry.action(action))
        if found := _turns_differently(game, Walk([state], [look(game, state)], []), symmetry, turned):
            return found
    return None


def _fewer(game: Game, positions: int) -> int:
    return positions // 4 if game.backend == "interpreted" else positions


def _turns_differently(game: Game, walk: Walk, symmetry: Symmetry, turned: State) -> str | None:
    """What is not as it should be when the game is played on the turned board, too."""
    for action, state, answers in zip([*walk.actions, None], walk.states, walk.seen, strict=True):
        where = f"with '{symmetry.name}' {after(state)}"
        legal = tuple(sorted(symmetry.action(action) for action in answers.legal))
        if turned.legal_actions != legal:
            return (
                f"The legal actions do not turn with the board {where}: on the turned board "
                f"{_texts(turned, turned.legal_actions)} are legal, not {_texts(turned, legal)}."
            )
        if not np.array_equal(symmetry.planes(answers.planes_of(game.spec)), turned.planes()):
            return (
                f"The planes do not turn with the board {where}: the turned planes are not those of the same game on "
                "the turned board. Do planes() and the actions number the cells alike?"
            )
        if (turned.to_move, turned.outcome) != (answers.to_move, answers.outcome):
            return f"The turned game has another player to move or another outcome {where}."
        if action is not None:
            turned = turned.play(symmetry.action(action))
    return None


def _turned(game: Game, state: State, symmetry: Symmetry) -> State | None:
    """The position on the turned board: the same one, or set up from a drawing, or None."""
    planes = symmetry.planes(state.planes())
    if np.array_equal(planes, state.planes()):
        return state
    letters = {piece.owner: piece.letter for piece in game.spec.pieces}
    if not has_stones(game.spec) or len(game.spec.pieces) != 2 or letters.keys() != {0, 1}:
        return None
    own, opponents = planes[:2] != 0
    mine, others = letters[state.to_move], letters[1 - state.to_move]
    marks = np.where(own, mine, np.where(opponents, others, "."))  # [H, W]
    try:
        return game.state(board="\n".join("".join(row) for row in marks) + f"\n{mine} to move")
    except BoardTextError:
        return None


def _texts(state: State, actions: Sequence[int]) -> str:
    return " ".join(state.action_text(action) for action in actions[:12]) + (" ..." if len(actions) > 12 else "")

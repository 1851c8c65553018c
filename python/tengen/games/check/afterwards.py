"""The checks that are made of all random games together. Each gives what it found."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tengen._core import BoardTextError, Game, State, Symmetry
from tengen.games.check.report import Finding, question, wrong
from tengen.games.check.walk import Walk, after, difference, has_stones, look, some

FEW_GAMES = 20  # below this the winners say nothing
SYMMETRY_POSITIONS = 150  # about so many for each
INTERPRETED_POSITIONS = 400  # about so many: they are slow


def both_players_move(game: Game, walks: Sequence[Walk]) -> Iterator[Finding]:
    """to_move() is not always the same."""
    movers = {seen.to_move for walk in walks for seen in walk.seen[:-1]}
    if len(movers) == 1 and max(len(walk.actions) for walk in walks) > 1:
        yield question("one player moves", f"to_move() is {movers.pop()} in every position. Is that meant?")


def winners(game: Game, walks: Sequence[Walk]) -> Iterator[Finding]:
    """In most games the last move can win, and both players can."""
    decided = [walk for walk in walks if walk.winner is not None]
    if len(decided) < FEW_GAMES:
        return
    if not any(walk.winner == walk.last_mover for walk in decided):
        text = f"In all {len(decided)} decided games the player who moved last lost. Is that how your game is lost?"
        why = "If not, outcome() names the wrong side: after play() it is already the other player's turn."
        yield question("outcome from the wrong side", f"{text} {why}")
    elif len({walk.last_mover for walk in decided}) == 2 and len({walk.winner for walk in decided}) == 1:
        text = f"Player {decided[0].winner} won all {len(decided)} decided games, whoever moved last. Is that meant?"
        why = "outcome() returns the number of the winner, not whether the player to move has won."
        yield question("outcome from the wrong side", f"{text} {why}")


def view(game: Game, walks: Sequence[Walk]) -> Iterator[Finding]:
    """Own and opponent's stones change places when the turn passes."""
    if not has_stones(game.spec):
        return
    turned = kept = 0.0
    for walk in walks:
        for before, now in zip(walk.seen, walk.seen[1:], strict=False):
            if before.to_move != now.to_move:
                own, opponents = before.planes_of(game.spec)[:2]
                own_now, opponents_now = now.planes_of(game.spec)[:2]
                turned += float((own * opponents_now).sum() + (opponents * own_now).sum())
                kept += float((own * own_now).sum() + (opponents * opponents_now).sum())
    if kept > turned:
        text = f"The plane '{game.spec.plane_names[0]}' keeps showing the same player's stones whoever is to move"
        yield wrong("planes from the wrong side", f"{text}; planes() must show those of the player to move.")


def planes_tell_positions_apart(game: Game, walks: Sequence[Walk]) -> Iterator[Finding]:
    """A network must see something."""
    if len({seen.planes for walk in walks for seen in walk.seen}) == 1:
        yield wrong("planes say nothing", "planes() writes the same for every position; a network would see nothing.")


def action_texts(game: Game, walks: Sequence[Walk]) -> Iterator[Finding]:
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


def drawings(game: Game, walks: Sequence[Walk]) -> Iterator[Finding]:
    """A drawing that can be read is read as what was drawn."""
    for walk in some(walks, 5):
        for state in some(walk.states, 4):
            try:
                read = game.state(board=str(state))
            except BoardTextError:
                continue
            if str(read) != str(state):
                yield wrong("drawings", f"This drawing\n{state}\nis read back as\n{read}")


def symmetries(game: Game, walks: Sequence[Walk]) -> Iterator[Finding]:
    """The same game on a turned board has turned planes, turned actions, the same players and the same end."""
    few = list(some(walks, max(2, SYMMETRY_POSITIONS // len(walks[0].states))))
    broken: dict[str, str] = {}
    for symmetry in game.symmetries[1:]:
        start = _turned(game, walks[0].states[0], symmetry)
        if start is None:
            text = f"'{symmetry.name}' turns the first position into another one, which can't be set up to check more."
            why = "Is it a symmetry of your game? If so, a function set_board() would help."
            yield question("symmetries", f"{text} {why}")
        elif differences := [found for walk in few if (found := _turns_differently(game, walk, symmetry, start))]:
            broken[symmetry.name] = differences[0]
    if broken:
        names = ", ".join(f"'{name}'" for name in broken)
        yield wrong("symmetries", f"Not symmetries of the game: {names}. {next(iter(broken.values()))}")


def _turns_differently(game: Game, walk: Walk, symmetry: Symmetry, turned: State) -> str | None:
    """What is not as it should be when the game is played on the turned board, too."""
    for action, state, seen in zip([*walk.actions, None], walk.states, walk.seen, strict=True):
        where = f"with '{symmetry.name}' {after(state)}"
        legal = tuple(sorted(symmetry.action(action) for action in seen.legal))
        if turned.legal_actions != legal:
            return (
                f"The legal actions do not turn with the board {where}: on the turned board "
                f"{_texts(game, turned.legal_actions)} are legal, not {_texts(game, legal)}."
            )
        if not np.array_equal(symmetry.planes(seen.planes_of(game.spec)), turned.planes()):
            return (
                f"The planes do not turn with the board {where}: the turned planes are not those of the same game on "
                "the turned board. Do planes() and the actions number the cells alike?"
            )
        if (turned.to_move, turned.outcome) != (seen.to_move, seen.outcome):
            return f"The turned game has another player to move or another outcome {where}."
        if action is not None:
            turned = turned.play(symmetry.action(action))
    return None


def _turned(game: Game, state: State, symmetry: Symmetry) -> State | None:
    """The position on the turned board: the same one, or set up from a drawing, or None."""
    planes = symmetry.planes(state.planes())
    if np.array_equal(planes, state.planes()):
        return state
    if not has_stones(game.spec):
        return None
    own, opponents = planes[:2] != 0
    marks = np.where(own, "XO"[state.to_move], np.where(opponents, "OX"[state.to_move], "."))  # [H, W]
    try:
        return game.state(board="\n".join("".join(row) for row in marks) + f"\n{'XO'[state.to_move]} to move")
    except BoardTextError:
        return None


def _texts(game: Game, actions: Sequence[int]) -> str:
    return " ".join(game.action_text(action) for action in actions[:12]) + (" ..." if len(actions) > 12 else "")


def compiled_as_interpreted(game: Game, walks: Sequence[Walk]) -> Iterator[Finding]:
    """The compiled rules of a file do what Python itself does. Equal hashes are equal bytes here."""
    if game.backend != "compiled":
        return
    from tengen.games.rules import load_interpreted

    twin = load_interpreted(game.spec.source, **game.spec.options)
    for walk in some(walks, max(1, INTERPRETED_POSITIONS // len(walks[0].states))):
        state = twin.initial_state()
        for action, seen in zip([*walk.actions, None], walk.seen, strict=True):
            now = look(twin, state)
            if now != seen:
                text = f"The compiled rules and Python itself disagree {after(state)}: {difference(seen, now)}."
                why = "Often a number outgrows its type when it is compiled, which Python's numbers never do."
                yield wrong("compiled differs", f"{text} {why}")
                return
            if action is not None:
                state = state.play(action)


CHECKS: tuple[Callable[[Game, Sequence[Walk]], Iterator[Finding]], ...] = (
    both_players_move,
    winners,
    view,
    planes_tell_positions_apart,
    action_texts,
    drawings,
    symmetries,
    compiled_as_interpreted,
)

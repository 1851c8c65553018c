"""The laws of laws.py on generated games, and on texts and drawings that nobody would write."""

from collections.abc import Callable

import laws
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen

generated = settings(derandomize=True, database=None, deadline=None, max_examples=150)

games = st.sampled_from(laws.VARIANTS).map(laws.Variant.load)


def some_state(draw: st.DrawFn, game: tengen.Game) -> tengen.State:
    """Moves are drawn as fractions of the legal ones, so that any number means something."""
    state = game.initial_state()
    for fraction in draw(st.lists(st.integers(0, 999), max_size=60)):
        if state.outcome is not None:
            break
        state = state.play(state.legal_actions[fraction * len(state.legal_actions) // 1000])
    return state


@st.composite
def states(draw: st.DrawFn) -> tengen.State:
    return some_state(draw, draw(games))


@st.composite
def pairs_of_states(draw: st.DrawFn) -> tuple[tengen.State, tengen.State]:
    game = draw(games)
    return some_state(draw, game), some_state(draw, game)


@settings(generated, max_examples=600)
@given(states(), st.sampled_from(laws.STATE_LAWS))
def test_states_keep_the_laws(state: tengen.State, law: Callable[[tengen.State], None]) -> None:
    law(state)


@generated
@given(states(), st.integers(0, 7))
def test_symmetries_are_shared_by_the_rules(state: tengen.State, number: int) -> None:
    symmetry = state.game.symmetries[number % len(state.game.symmetries)]
    laws.check_symmetry_is_shared_by_the_rules(state.game, state.moves, symmetry)


@generated
@given(pairs_of_states())
def test_equal_states_look_the_same(pair: tuple[tengen.State, tengen.State]) -> None:
    one, other = pair
    if one == other:
        assert laws.everything(one)[2:8] == laws.everything(other)[2:8]
        assert str(one) == str(other)
    if str(one) != str(other):
        assert one != other
        assert hash(one) != hash(other)


@generated
@given(st.sampled_from(["gomoku", "mnk"]), st.permutations(range(6)))
def test_the_order_of_the_moves_does_not_matter_where_stones_stay(name: str, order: list[int]) -> None:
    game = tengen.load("mnk", m=6, n=5, k=4) if name == "mnk" else tengen.load("gomoku")
    moves = [0, 3, 6, 2, 9, 11]
    firsts = [move for move in order if move % 2 == 0]
    seconds = [move for move in order if move % 2 == 1]
    shuffled = [moves[move] for pair in zip(firsts, seconds, strict=True) for move in pair]
    one, other = game.state(moves), game.state(shuffled)
    assert one == other
    assert hash(one) == hash(other)


@generated
@given(games, st.text(max_size=6) | st.from_regex(r"[a-zA-Z]?[0-9]{0,3}", fullmatch=True))
def test_any_text_is_an_action_or_none(game: tengen.Game, text: str) -> None:
    action = game.parse_action(text)
    if action is None:
        assert not game.initial_state().is_legal(text)
    else:
        assert game.parse_action(game.action_text(action)) == action
        assert text.lower() == game.action_text(action).lower()


@generated
@given(states(), st.data())
def test_a_damaged_drawing_is_refused_or_is_a_position(state: tengen.State, data: st.DataObject) -> None:
    drawing = list(str(state))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(drawing) - 1))
        drawing[place] = data.draw(st.sampled_from(["X", "O", ".", "", "\n", " ", "7", "?"]))
    try:
        drawn = state.game.state(board="".join(drawing))
    except tengen.BoardTextError:
        return
    for law in laws.STATE_LAWS:
        law(drawn)


@generated
@given(games, st.text(alphabet="XO. \n12ab天", max_size=80))
def test_any_text_as_a_board_is_refused_or_is_a_position(game: tengen.Game, text: str) -> None:
    try:
        drawn = game.state(board=text)
    except tengen.BoardTextError:
        return
    for law in laws.STATE_LAWS:
        law(drawn)

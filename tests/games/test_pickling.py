"""Games, states and outcomes go through a pickle, in this process and into another."""

import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tengen

EXAMPLES = Path(__file__).parents[2] / "examples"
GAMES = [
    tengen.load("go", size=5, komi=0.5),
    tengen.load("connect_four"),
    tengen.load(str(EXAMPLES / "breakthrough.py"), size=5),
    tengen.load("openspiel:hex(board_size=4)", longest_game=9),
]


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_games_and_states_come_back_equal(game: tengen.Game) -> None:
    again = pickle.loads(pickle.dumps(game))
    assert again == game
    assert again.spec.options == game.spec.options
    state = game.initial_state()
    while state.outcome is None:
        state = state.play(state.legal_actions[len(state.moves) % len(state.legal_actions)])
        back = pickle.loads(pickle.dumps(state))
        assert (back, back.moves, str(back)) == (state, state.moves, str(state))
    outcome = pickle.loads(pickle.dumps(state.outcome))
    assert repr(outcome) == repr(state.outcome)


def test_a_state_from_a_drawing_keeps_its_start() -> None:
    game = tengen.load("go", size=3)
    state = game.state("A1 pass", board=". X .\nX . O\n. O .\nX to move")
    back = pickle.loads(pickle.dumps(state))
    assert back == state
    assert repr(back) == repr(state)


def test_another_process_reads_it(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "breakthrough.py", tmp_path)
    state = tengen.load(str(tmp_path / "breakthrough.py")).state("a2a3 a5a4 b2b3")
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer).moves_text)"
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(state), capture_output=True, check=True)
    assert done.stdout.decode().strip() == "a2a3 a5a4 b2b3"


def test_changed_rules_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "breakthrough.py"
    # A text of its own: a node of a cluster, as other tests are, may have a copy of the example.
    path.write_text((EXAMPLES / "breakthrough.py").read_text() + "# changed later\n")
    kept = pickle.dumps(tengen.load(str(path)))
    path.write_text(path.read_text().replace('symmetries = "mirror"', 'symmetries = "none"'))
    with pytest.raises(tengen.RulesError, match=r"is not the one that was pickled: its text has changed \(SHA-256 "):
        pickle.loads(kept)


def test_many_states_share_one_game() -> None:
    """Or else a rules file would be read and compiled again for every state."""
    game = tengen.load(str(EXAMPLES / "breakthrough.py"))
    states = pickle.loads(pickle.dumps([game.initial_state()] * 1 + [game.state("a2a3") for _ in range(50)]))
    assert len({id(state) for state in states}) == 51
    assert all(state.game == game for state in states)


def test_the_same_rules_in_another_folder_are_the_same_game(tmp_path: Path) -> None:
    copy = tmp_path / "breakthrough.py"
    shutil.copy(EXAMPLES / "breakthrough.py", copy)
    here, there = tengen.load(str(EXAMPLES / "breakthrough.py")), tengen.load(str(copy))
    assert here == there
    assert hash(here) == hash(there)
    assert here.spec.rules_digest == there.spec.rules_digest != ""
    assert here != tengen.load(str(copy), size=5)
    copy.write_text(copy.read_text() + "\n# changed\n")
    assert here != tengen.load(str(copy))

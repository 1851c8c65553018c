"""DQN and REINFORCE: their losses by hand, runs that learn and go on bit for bit, and networks that play everywhere."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from small_runs import SMALL, what_counts
from torch.nn import functional

import tengen
from tengen.arena import play_match
from tengen.config import ConfigError, RunConfig, SelfPlayConfig, load_config
from tengen.learner.loss import TensorSamples
from tengen.learner.policy_gradient import MOST_RATIO, DrawnSamples, policy_gradient_terms
from tengen.learner.q_learning import TEMPERATURE, MoveSamples, move_targets, q_terms
from tengen.methods import Dqn, Reinforce, method_of, reinforce
from tengen.network import UniformEvaluator
from tengen.network.torch_net import NetworkOutput
from tengen.players import make_player
from tengen.records.shards import read_games
from tengen.replay import ReplayWindow
from tengen.run import folder
from tengen.run.folder import read_reports
from tengen.run.settings import resolve
from tengen.selfplay.without_search import drawn_move, play_round, random_or_best_move
from tengen.train import train

METHODS = ("dqn", "reinforce")
DOTS = str(Path(__file__).parents[2] / "examples" / "dots_and_boxes.py")


def small(method: str, iterations: int = 3, game: str = "tic_tac_toe", **changes: dict[str, object]) -> RunConfig:
    stages = {name: {**content, **changes.get(name, {})} for name, content in SMALL.items()}
    return load_config(game=game, iterations=iterations, method=method, **stages)


def window_of_random_games(game: tengen.Game, games: int = 40) -> ReplayWindow:
    window = ReplayWindow(game, load_config(game="tic_tac_toe").replay)
    played = play_round(
        game,
        UniformEvaluator(game),
        drawn_move,
        SelfPlayConfig(random_start_share=0.0),
        numbers=range(games),
        seed=1,
        iteration=0,
        network="",
    )
    for record in played.records:
        window.add(record)
    return window


# ---- Games


def test_every_position_is_recorded_with_the_move_that_was_played() -> None:
    game = tengen.load("connect_four")
    played = play_round(
        game,
        UniformEvaluator(game),
        random_or_best_move(1.0),
        SelfPlayConfig(random_start_share=1.0, random_start_plies=4),
        numbers=range(30),
        seed=3,
        iteration=2,
        network="abc",
    )
    assert played.positions == sum(len(record.recorded) for record in played.records) == played.evaluations
    for record in played.records:
        record.validate(game)
        assert record.recorded.tolist() == list(range(record.opening_plies, len(record.moves)))
        assert record.actions.tolist() == record.moves[record.opening_plies :].tolist()
    assert len({record.moves.tobytes() for record in played.records}) > 25
    assert {record.opening_plies for record in played.records} == {0, 1, 2, 3, 4}


def test_against_older_networks_only_the_own_moves_are_recorded() -> None:
    game = tengen.load("tic_tac_toe")
    asked: list[int] = []

    class Older(UniformEvaluator):
        def __call__(self, planes):  # type: ignore[no-untyped-def]
            asked.append(len(planes))
            return super().__call__(planes)

    played = play_round(
        game,
        UniformEvaluator(game),
        drawn_move,
        SelfPlayConfig(random_start_share=0.0),
        numbers=range(40),
        seed=1,
        iteration=0,
        network="",
        older=[Older(game), Older(game)],
        older_share=1.0,
    )
    assert sum(asked) == played.evaluations - played.positions > 0
    firsts = set()
    for record in played.records:
        plies = record.recorded.tolist()
        assert all(after - before == 2 for before, after in pairwise(plies))
        firsts.add(plies[0])
    assert firsts == {0, 1}  # it plays both sides


def test_random_or_best() -> None:
    rng = np.random.default_rng(1)
    logits = np.array([0.0, 3.0, 1.0], np.float32)
    assert {random_or_best_move(0.0)(logits, rng) for _ in range(50)} == {1}
    chosen = [random_or_best_move(0.5)(logits, rng) for _ in range(3000)]
    assert np.bincount(chosen) / 3000 == pytest.approx([1 / 6, 2 / 3, 1 / 6], abs=0.04)
    drawn = [drawn_move(logits, rng) for _ in range(3000)]
    assert np.bincount(drawn) / 3000 == pytest.approx(np.exp(logits) / np.exp(logits).sum(), abs=0.04)


# ---- Targets and losses


@pytest.mark.parametrize("name", ["tic_tac_toe", DOTS])
def test_the_value_of_a_move_is_the_opponents_loss_unless_one_moves_again(name: str) -> None:
    """Dots and Boxes: who closes a box moves again."""
    game = tengen.load(name)
    window = window_of_random_games(game)
    before, after = window.sample_moves(400, np.random.default_rng(1))
    values = np.random.default_rng(2).uniform(-1.5, 1.5, 400)
    targets = move_targets(before, after, values, discount=0.9)
    last = before.plies_left == 1
    again = before.player == after.player
    assert last.any()
    assert (again & ~last).any() == (name == DOTS)
    expected = np.where(again, 0.9, -0.9) * np.clip(values, -1, 1)
    np.testing.assert_allclose(targets[~last], expected[~last], rtol=1e-6)
    np.testing.assert_array_equal(targets[last], before.value_outcome[last])
    np.testing.assert_array_equal(before.plies_left[~last] - 1, after.plies_left[~last])


def test_the_position_after_a_move_is_under_the_same_symmetry() -> None:
    """In tic-tac-toe one stone more, on the cell of the move."""
    game = tengen.load("tic_tac_toe")
    before, after = window_of_random_games(game).sample_moves(200, np.random.default_rng(1))
    for row in np.flatnonzero(before.plies_left > 1):
        gone = before.legal[row] & ~after.legal[row]
        assert gone.sum() == 1
        assert before.policy[row][gone] == 1.0


def samples_of(game: tengen.Game, batch: int = 64) -> TensorSamples:
    return TensorSamples.of(window_of_random_games(game).sample(batch, np.random.default_rng(1)))


def test_the_loss_of_q_is_about_the_move_that_was_played() -> None:
    samples = samples_of(tengen.load("tic_tac_toe"))
    logits = torch.randn((64, 9), generator=torch.Generator().manual_seed(1)).requires_grad_()
    wdl = torch.zeros((64, 3))
    target = torch.linspace(-1, 1, 64)
    moves = MoveSamples(**{name: getattr(samples, name) for name in samples.__dataclass_fields__}, q_target=target)
    terms = q_terms(NetworkOutput(logits, wdl), moves)
    q = TEMPERATURE * logits[samples.policy == 1.0]
    assert terms.policy.item() == pytest.approx(functional.smooth_l1_loss(q, target, beta=0.5).item())
    terms.policy.backward()
    assert (logits.grad[samples.policy == 0.0] == 0.0).all()
    best = (TEMPERATURE * logits).masked_fill(~samples.legal, -9.0).amax(1).clamp(-1, 1).detach()
    mean = (terms.mean_target[0] - terms.mean_target[2]).item()
    assert mean == pytest.approx(best.mean().item(), abs=1e-6)


def drawn_samples_of(game: tengen.Game, times: float = 1.0) -> DrawnSamples:
    """Moves that a uniform policy would draw so many times as often as the one that drew them."""
    samples = samples_of(game)
    log_p = -torch.log(times * samples.legal.sum(1).float())
    return DrawnSamples(**{name: getattr(samples, name) for name in samples.__dataclass_fields__}, log_p_drawn=log_p)


def test_the_policy_gradient_follows_the_result_beyond_the_baseline() -> None:
    samples = drawn_samples_of(tengen.load("tic_tac_toe"))
    logits = torch.zeros((64, 9), requires_grad=True)
    terms = policy_gradient_terms(NetworkOutput(logits, torch.zeros((64, 3))), samples, 0.0, 1.0)
    terms.policy.backward()
    advantage = samples.outcome - samples.search
    pushed = -64 * logits.grad[samples.policy == 1.0]  # towards the move that was played
    share = 1.0 / samples.legal.sum(1)
    np.testing.assert_allclose(pushed, (1 - share) * advantage, atol=1e-5)
    assert (logits.grad[~samples.legal] == 0.0).all()


@pytest.mark.parametrize("times", [0.1, 1.5, 4.0])
def test_a_move_counts_as_much_as_it_is_still_played(times: float) -> None:
    """What has become improbable is hardly pushed any more; what has become far more probable, only down."""
    samples = drawn_samples_of(tengen.load("tic_tac_toe"), times)
    logits = torch.zeros((64, 9), requires_grad=True)
    policy_gradient_terms(NetworkOutput(logits, torch.zeros((64, 3))), samples, 0.0, 1.0).policy.backward()
    advantage = samples.outcome - samples.search
    share = 1.0 / samples.legal.sum(1)
    expected = torch.where((advantage > 0) & (times > MOST_RATIO), 0.0, times * (1 - share) * advantage)
    np.testing.assert_allclose(-64 * logits.grad[samples.policy == 1.0], expected, atol=1e-5)


def test_the_policy_gradient_sees_every_position_once_as_it_was_played() -> None:
    game = tengen.load("tic_tac_toe")
    window = window_of_random_games(game)
    config = small("reinforce", learner={"batch": 16})
    learner = Reinforce.new_learner(game, config)
    seen: list[bytes] = []
    take = learner._samples

    def watched(*arguments):  # type: ignore[no-untyped-def]
        samples = take(*arguments)
        seen.extend(planes.tobytes() for planes in samples.planes.numpy())
        return samples

    learner._samples = watched  # type: ignore[method-assign]
    learner.learn(window, window.positions // 16, np.random.default_rng(1), progress=(0.0, 1.0))
    every = np.arange(window.positions)
    left = [planes.tobytes() for planes in window.samples_of(every, np.zeros_like(every)).planes]
    for planes in seen:
        left.remove(planes)
    assert len(left) == window.positions % 16


def test_the_entropy_keeps_the_policy_open() -> None:
    samples = drawn_samples_of(tengen.load("tic_tac_toe"))
    terms = policy_gradient_terms(NetworkOutput(torch.zeros((64, 9)), None), samples, 0.5, 1.0)
    uniform = torch.log(samples.legal.sum(1).float()).mean()
    assert terms.own["entropy"].item() == pytest.approx(-0.5 * uniform.item())
    assert terms.value.item() == 0.0


# ---- Runs


@pytest.mark.parametrize("method", METHODS)
def test_a_run_that_was_stopped_ends_with_the_same_bits(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped after older networks were met: here every network is kept for good, so from the second iteration on."""
    for module in (folder, reinforce):
        monkeypatch.setattr(module, "KEPT_NETWORKS", 1)
    config = small(method, 4)
    train(config, tmp_path / "whole")

    class Stops:
        def run_started(self, report: object) -> None: ...
        def stage(self, name: str, done: int, total: int) -> None: ...
        def iteration_finished(self, report) -> None:  # type: ignore[no-untyped-def]
            if report.iteration == 3:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path / "parts", Stops())
    train(config, tmp_path / "parts")
    assert what_counts(tmp_path / "parts") == what_counts(tmp_path / "whole")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("game", ["connect_four", DOTS])
def test_every_game_can_be_learned_so(method: str, game: str, tmp_path: Path) -> None:
    config = small(method, 2, game)
    train(config, tmp_path)
    rules = tengen.load(game)
    records = list(read_games(tmp_path / "games", rules))
    assert records
    assert all(record.outcome is not None for record in records)
    reports = read_reports(tmp_path)
    assert [report.iteration for report in reports] == [1, 2]
    assert reports[-1].learner.steps > 0
    assert reports[-1].self_play.prior_entropy > 0.0
    for text in (f"network:{tmp_path}", f"search:{tmp_path}:8"):
        [action] = make_player(text, rules).choose([rules.initial_state()], [1])
        assert action in rules.initial_state().legal_actions


def learned(method: str, game: str, place: Path, sets: tuple[str, ...] = ()) -> Path:
    settings = resolve(game, method=method, sets=("arena.every=0", "arena.final_strength=false", *sets), cores=1)
    train(settings.config, place)
    return place


def losses_and_score(game: str, model: Path, games: int) -> tuple[int, float]:
    rules = tengen.load(game)
    players = make_player(f"network:{model}", rules), make_player("random", rules)
    match = play_match(rules, players, games=games, seed=1, opening_plies=0)
    return sum(played.points(0) == 0.0 for played in match.games), match.score


@pytest.mark.verify
@pytest.mark.parametrize("method", METHODS)
def test_a_few_iterations_beat_random_at_tic_tac_toe(method: str, tmp_path: Path) -> None:
    _, before = losses_and_score("tic_tac_toe", learned(method, "tic_tac_toe", tmp_path / "0", SHORT[0]), 200)
    _, after = losses_and_score("tic_tac_toe", learned(method, "tic_tac_toe", tmp_path / "1", SHORT[1]), 200)
    assert after > 0.85
    assert after > before


SHORT = [("iterations=1", "self_play.positions=64"), ("iterations=8", "self_play.positions=1024")]


@pytest.mark.verify
@pytest.mark.parametrize("method", METHODS)
def test_it_never_loses_to_random_at_tic_tac_toe(method: str, tmp_path: Path) -> None:
    lost, _ = losses_and_score("tic_tac_toe", learned(method, "tic_tac_toe", tmp_path), 1000)
    assert lost == 0


@pytest.mark.verify
@pytest.mark.parametrize("method", METHODS)
def test_it_beats_random_at_connect_four(method: str, tmp_path: Path) -> None:
    _, score = losses_and_score("connect_four", learned(method, "connect_four", tmp_path), 1000)
    assert score >= 0.9


# ---- Settings


def test_the_setting_chooses_the_method() -> None:
    assert method_of(small("dqn")) is Dqn
    assert method_of(small("reinforce")) is Reinforce
    with pytest.raises(ConfigError, match=r"'dqn' and network\.kind = 'ntuple'"):
        method_of(small("dqn", network={"kind": "ntuple"}))


def test_a_method_brings_its_settings_below_those_that_someone_gave() -> None:
    settings = resolve("connect_four", method="dqn", sets=("learner.batch=64",))
    assert settings.config.method == "dqn"
    assert settings.config.learner.batch == 64
    assert settings.config.self_play.simulations == 1
    assert settings.origins["self_play.simulations"] == "method dqn"
    assert settings.origins["method"] == "--method"


def test_an_unknown_method_is_refused(refused) -> None:  # type: ignore[no-untyped-def]
    assert "method" in refused("train", "tic_tac_toe", "--method", "dqm", "--show-config")


def test_epsilon_falls_until_half_of_the_run() -> None:
    dqn = small("dqn").dqn
    assert dqn.epsilon_at(0.0) == dqn.epsilon
    assert dqn.epsilon_at(0.25) == pytest.approx((dqn.epsilon + dqn.final_epsilon) / 2)
    assert dqn.epsilon_at(0.5) == dqn.epsilon_at(1.0) == pytest.approx(dqn.final_epsilon)

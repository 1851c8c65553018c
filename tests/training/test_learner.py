"""The learner's arithmetic against versions written by hand, and that it can be stopped and gone on with."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from small_runs import small_config

import tengen
from tengen.config import ConfigError, LearnerConfig, ReplayConfig
from tengen.learner import Learner, TrainingDivergedError, learning_rate_at
from tengen.learner.loss import TensorSamples, loss_terms, value_target
from tengen.network import make_evaluator
from tengen.network.torch_net import NetworkOutput, TorchNet
from tengen.records import GameRecord
from tengen.replay import ReplayWindow, Samples
from tengen.selfplay import play_games

GAME = tengen.load("tic_tac_toe")
BATCH, ACTIONS = 7, 9


def policies(rng: np.random.Generator, legal: NDArray[np.bool_]) -> NDArray[np.float32]:
    weights = rng.random(legal.shape) * legal
    return (weights / weights.sum(1, keepdims=True)).astype(np.float32)


def random_samples(seed: int) -> TensorSamples:
    rng = np.random.default_rng(seed)
    legal = rng.random((BATCH, ACTIONS)) < 0.6
    legal[:, 0] = True
    reply = policies(rng, legal)
    reply[0] = 0.0  # the game ended with that move
    nothing = np.zeros(BATCH, np.float32)
    return TensorSamples.of(
        Samples(
            planes=rng.random((BATCH, 2, 3, 3)).astype(np.float32),
            legal=legal,
            policy=policies(rng, legal),
            value_outcome=rng.integers(-1, 2, BATCH).astype(np.float32),
            value_search=rng.uniform(-1, 1, BATCH).astype(np.float32),
            reply=reply,
            reply_weight=nothing,
            plies_left=rng.integers(0, 9, BATCH).astype(np.float32),
            player=nothing.astype(np.int8),
            played_out=(rng.random(BATCH) < 0.5).astype(np.float32),
            ownership=rng.integers(-1, 2, (BATCH, 3, 3)).astype(np.float32),
            score=rng.integers(-9, 10, BATCH).astype(np.float32),
        )
    )


def random_output(seed: int) -> NetworkOutput:
    rng = np.random.default_rng(seed)
    shapes = ((BATCH, ACTIONS), (BATCH, 3), (BATCH, ACTIONS), (BATCH, 3, 3), (BATCH,))
    return NetworkOutput(*(torch.from_numpy(rng.normal(size=shape).astype(np.float32)) for shape in shapes))


def likelihood_of_ownership(logits: NDArray[np.float32], ownership: NDArray[np.float32]) -> float:
    """The mean over the cells of -log P(own) for own cells, -log P(not own) for others; half of each for nobody's."""
    own = 1 / (1 + np.exp(-logits.astype(np.float64)))
    return float(
        np.mean(
            [
                -(1 + o) / 2 * math.log(p) - (1 - o) / 2 * math.log(1 - p)
                for o, p in zip(ownership.flat, own.flat, strict=True)
            ]
        )
    )


def cross_entropy(target: list[float], logits: list[float]) -> float:
    total = sum(math.exp(logit) for logit in logits)
    return -sum(t * math.log(math.exp(logit) / total) for t, logit in zip(target, logits, strict=True) if t > 0)


@pytest.mark.parametrize("seed", range(5))
def test_loss_is_the_one_written_by_hand(seed: int) -> None:
    samples, output, share, discount = random_samples(seed), random_output(seed + 100), 0.3, 0.9
    policy = value = reply = ownership = score = 0.0
    for i in range(BATCH):
        legal = [a for a in range(ACTIONS) if samples.legal[i, a]]
        policy += cross_entropy(samples.policy[i, legal].tolist(), output.logits[i, legal].tolist())
        z = float(samples.outcome[i]) * discount ** float(samples.plies_left[i])
        q = float(samples.search[i])
        win = (1 - share) * max(z, 0) + share * (1 + q) / 2
        loss = (1 - share) * max(-z, 0) + share * (1 - q) / 2
        value += cross_entropy([win, 1 - win - loss, loss], output.wdl_logits[i].tolist())
        assert output.reply_logits is not None
        assert output.ownership is not None
        assert output.score is not None
        assert samples.ownership is not None
        assert samples.score is not None
        reply += cross_entropy(samples.reply[i].tolist(), output.reply_logits[i].tolist())
        if samples.played_out[i]:  # a resigned game does not tell whose the cells would have been
            ownership += likelihood_of_ownership(output.ownership[i].numpy(), samples.ownership[i].numpy())
            away = abs(float(output.score[i]) - float(samples.score[i]) / 9)
            score += away**2 / 0.2 if away < 0.1 else away - 0.05
    terms = loss_terms(output, samples, share, discount)
    assert float(terms.policy) == pytest.approx(policy / BATCH, rel=1e-5)
    assert float(terms.value) == pytest.approx(value / BATCH, rel=1e-5)
    assert float(terms.reply) == pytest.approx(reply / BATCH, rel=1e-5)
    assert float(terms.ownership) == pytest.approx(ownership / BATCH, rel=1e-5)
    assert float(terms.score) == pytest.approx(score / BATCH, rel=1e-5)
    config = LearnerConfig(value_weight=0.7, reply_weight=0.3, ownership_weight=0.2, score_weight=0.1)
    total = policy + 0.7 * value + 0.3 * reply + 0.2 * ownership + 0.1 * score
    assert float(terms.total(config)) == pytest.approx(total / BATCH, rel=1e-5)


def test_illegal_actions_take_no_part_in_the_loss() -> None:
    samples, output = random_samples(0), random_output(1)
    confident = replace_logits(output, output.logits + 50.0 * ~samples.legal)
    assert float(loss_terms(confident, samples, 0.5, 1.0).policy) == pytest.approx(
        float(loss_terms(output, samples, 0.5, 1.0).policy)
    )


def replace_logits(output: NetworkOutput, logits: torch.Tensor) -> NetworkOutput:
    return output._replace(logits=logits)


@pytest.mark.parametrize(
    ("outcome", "search", "plies", "share", "discount", "expected"),
    [
        (1, 0.0, 3, 0.0, 1.0, [1, 0, 0]),
        (0, 0.0, 3, 0.0, 1.0, [0, 1, 0]),
        (-1, 0.0, 3, 0.0, 1.0, [0, 0, 1]),
        (1, 0.0, 2, 0.0, 0.5, [0.25, 0.75, 0]),
        (-1, 0.0, 2, 0.0, 0.5, [0, 0.75, 0.25]),
        (-1, 1.0, 0, 1.0, 0.5, [1, 0, 0]),
        (1, -1.0, 0, 1.0, 1.0, [0, 0, 1]),
        (1, 0.0, 0, 0.5, 1.0, [0.75, 0, 0.25]),
    ],
)
def test_value_target(  # noqa: PLR0917 (as in the table)
    outcome: float, search: float, plies: float, share: float, discount: float, expected: list[float]
) -> None:
    numbers = (torch.tensor([float(number)]) for number in (outcome, search, plies))
    assert value_target(*numbers, share, discount).tolist() == [pytest.approx(expected)]


@pytest.mark.parametrize("seed", range(3))
def test_value_target_means_what_it_mixes(seed: int) -> None:
    """Whatever is mixed, win - loss is the mixture of result and search value, and the three sum to 1."""
    samples = random_samples(seed)
    target = value_target(samples.outcome, samples.search, samples.plies_left, 0.3, 0.9)
    mixed = 0.7 * samples.outcome * 0.9**samples.plies_left + 0.3 * samples.search
    assert torch.allclose(target[:, 0] - target[:, 2], mixed, atol=1e-6)
    assert torch.allclose(target.sum(1), torch.ones(BATCH))
    assert bool((target >= 0).all())


def test_learning_rate_rises_stays_and_falls() -> None:
    config = LearnerConfig(learning_rate=1.0, warmup=0.1, flat_until=0.6, final_rate=0.02)
    rates = [learning_rate_at(config, progress / 100) for progress in range(101)]
    assert rates[0] == pytest.approx(0.05)
    assert rates[:11] == sorted(rates[:11])
    assert set(rates[10:61]) == {1.0}
    assert rates[60:] == sorted(rates[60:], reverse=True)
    assert rates[80] == pytest.approx(0.51)  # half way down the cosine
    assert rates[100] == pytest.approx(0.02)


def test_learning_rate_without_warmup_or_fall() -> None:
    config = LearnerConfig(learning_rate=0.5, warmup=0.0, flat_until=1.0)
    assert {learning_rate_at(config, progress / 10) for progress in range(11)} == {0.5}


# ---- The learner itself


def new_learner(seed: int = 1, **changes: object) -> Learner:
    config = small_config(seed=seed, learner=changes)
    return Learner(GAME, config.network, config.learner, seed=seed, discount=1.0)


@pytest.fixture(scope="module")
def window() -> ReplayWindow:
    config = small_config()
    played = play_games(GAME, [tengen.UniformEvaluator(GAME)], config.self_play, seed=1, iteration=0)
    window = ReplayWindow(GAME, config.replay)
    for record in played.records:
        window.add(record)
    return window


def learn(learner: Learner, window: ReplayWindow, steps: int, seed: int = 0) -> float:
    report = learner.learn(window, steps, np.random.default_rng(seed), progress=(0.3, 0.4))
    return report.policy_loss + report.value_loss


@pytest.mark.parametrize(("optimizer", "rate"), [("muon", 0.01), ("adamw", 0.01), ("sgd", 0.1)])
def test_learns_what_it_is_shown(window: ReplayWindow, optimizer: str, rate: float) -> None:
    learner = new_learner(optimizer=optimizer, learning_rate=rate, precision="f32")
    before = learn(learner, window, 1)
    learn(learner, window, 60)
    assert learn(learner, window, 1) < before - 0.1


@pytest.mark.parametrize("optimizer", ["muon", "adamw", "sgd"])
@pytest.mark.parametrize("precision", ["bf16", "f32"])
def test_goes_on_from_its_state_bit_for_bit(window: ReplayWindow, optimizer: str, precision: str) -> None:
    whole = new_learner(optimizer=optimizer, precision=precision)
    learn(whole, window, 3, seed=1)
    other = new_learner(seed=2, optimizer=optimizer, precision=precision)
    other.load_state(whole.state())
    for learner in (whole, other):
        learn(learner, window, 3, seed=2)
    assert whole.network_file().digest == other.network_file().digest
    first, second = whole.state(), other.state()
    assert first.keys() == second.keys()
    assert all(first[name].tobytes() == second[name].tobytes() for name in first)


def test_seed_gives_the_first_weights() -> None:
    assert new_learner(1).network_file().digest == new_learner(1).network_file().digest
    assert new_learner(1).network_file().digest != new_learner(2).network_file().digest


def test_averaged_weights_follow_slowly(window: ReplayWindow) -> None:
    """First the plain mean of all networks but the blank one, then an exponential one."""
    learner = new_learner(average_decay=0.6)
    expected = {name: 0.0 * value for name, value in weights_of(learner).items()}
    for decay in (0.0, 0.5, 0.6, 0.6):
        learn(learner, window, 2)
        for name, value in weights_of(learner).items():
            expected[name] = decay * expected[name] + (1.0 - decay) * value
            np.testing.assert_allclose(learner.state()[f"average.{name}"], expected[name], rtol=1e-5, atol=1e-7)


def weights_of(learner: Learner) -> dict[str, NDArray[np.float32]]:
    return {key.removeprefix("net."): value for key, value in learner.state().items() if key.startswith("net.")}


def test_a_loss_that_is_no_number_is_not_learned_from(window: ReplayWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    learner = new_learner()
    before = learner.state()

    def broken(output: NetworkOutput, *rest: object) -> object:
        terms = loss_terms(output, *rest)  # type: ignore[arg-type]
        return replace(terms, value=terms.value * float("nan"))

    monkeypatch.setattr("tengen.learner.learner.loss_terms", broken)
    with pytest.raises(TrainingDivergedError, match=r"loss is no number.*learner\.learning_rate = 0\.001"):
        learn(learner, window, 1)
    assert all(np.array_equal(before[name], value) for name, value in learner.state().items() if "norm" not in name)


def test_a_gradient_that_is_no_number_is_not_learned_from(
    window: ReplayWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = new_learner()
    before = learner.state()

    def broken(output: NetworkOutput, *rest: object) -> object:
        terms = loss_terms(output, *rest)  # type: ignore[arg-type]
        endless = (output.wdl_logits.float() * 0.0).sqrt().sum()  # 0, with a slope that is not finite
        return replace(terms, value=terms.value + endless)

    monkeypatch.setattr("tengen.learner.learner.loss_terms", broken)
    with pytest.raises(TrainingDivergedError, match="gradient is no number"):
        learn(learner, window, 1)
    assert all(np.array_equal(before[name], value) for name, value in learner.state().items() if "norm" not in name)


def test_report_compares_the_value_with_the_average(window: ReplayWindow) -> None:
    """The entropy of the average target is what guessing it would cost."""
    learner = new_learner(search_value_share=0.0)
    report = learner.learn(window, 40, np.random.default_rng(0), progress=(0.5, 0.5))
    drawn = window.sample(5000, np.random.default_rng(1)).value_outcome
    chances = np.array([(drawn == result).mean() for result in (1, 0, -1)])
    expected = -sum(chance * math.log(chance) for chance in chances if chance > 0)
    assert report.value_loss_of_mean == pytest.approx(expected, abs=0.05)
    assert report.samples == 40 * 128


# ---- One step


@pytest.mark.parametrize("replicas", [1, 2])
def test_a_step_goes_down_the_loss(window: ReplayWindow, replicas: int) -> None:
    """SGD's first: w - rate * (gradient + decay * w), with the mean gradient of the parts of the batch."""
    settings = {
        "optimizer": "sgd",
        "weight_decay": 0.01,
        "learning_rate": 0.1,
        "gradient_clip": 100.0,
        "precision": "f32",
    }
    mixed = {"value_weight": 0.7, "reply_weight": 0.3, "search_value_share": 0.4, "search_value_ramp": 0.0}
    config = small_config(learner={**settings, **mixed, "threads": replicas})
    learner = new_learner(**settings, **mixed, threads=replicas)
    before = learner.state()
    learn(learner, window, 1, seed=3)
    after = learner.state()

    samples = TensorSamples.of(window.sample(config.learner.batch, np.random.default_rng(3)))
    net = TorchNet(GAME.spec, config.network, seed=1).train()
    losses = [loss_terms(net(part.planes), part, 0.4, 1.0).total(config.learner) for part in samples.split(replicas)]
    names, parameters = zip(*net.named_parameters(), strict=True)
    for name, gradient in zip(names, torch.autograd.grad(sum(losses) / replicas, parameters), strict=True):  # type: ignore[arg-type]
        weight = before[f"net.{name}"]
        expected = weight - 0.1 * (gradient.numpy() + 0.01 * weight)
        np.testing.assert_allclose(after[f"net.{name}"], expected, rtol=1e-4, atol=1e-6)


def test_gradients_are_clipped(window: ReplayWindow) -> None:
    learner = new_learner(optimizer="sgd", weight_decay=0.0, learning_rate=1.0, gradient_clip=1e-3, precision="f32")
    before = learner.state()
    learn(learner, window, 1)
    after = learner.state()
    moved = [after[name] - before[name] for name in before if name.startswith("net.") and "running" not in name]
    assert math.sqrt(sum(float((change**2).sum()) for change in moved)) == pytest.approx(1e-3, rel=1e-2)


# ---- Signs, from the first move to the network that has learned


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def winner_of(moves: list[int]) -> int | None:
    """By the rules alone, written anew."""
    return next((player for player in (0, 1) for line in LINES if set(line) <= set(moves[player::2])), None)


@pytest.fixture(scope="module")
def won_games() -> list[GameRecord]:
    """Played to the end by a search that proves what it can, some won by each side."""
    config = small_config(self_play={"simulations": 64, "positions": 400, "resign_below": -1.0}).self_play
    played = play_games(GAME, [tengen.UniformEvaluator(GAME)], config, seed=3, iteration=0)
    won = [record for record in played.records if winner_of(record.moves.tolist()) is not None]
    assert {winner_of(record.moves.tolist()) for record in won} == {0, 1}
    return won


def samples_of(records: list[GameRecord]) -> tuple[Samples, NDArray[np.float32]]:
    """Of every position, under the first symmetry, with 1 where the one to move is going to win and -1 elsewhere."""
    window = ReplayWindow(GAME, ReplayConfig())
    signs = []
    for record in records:
        window.add(record)
        winner = winner_of(record.moves.tolist())
        signs += [1.0 if ply % 2 == winner else -1.0 for ply in record.recorded.tolist()]
    positions = np.arange(window.positions)
    return window.samples_of(positions, np.zeros_like(positions)), np.array(signs, np.float32)


def test_signs_of_targets_are_those_of_who_has_won(won_games: list[GameRecord]) -> None:
    samples, signs = samples_of(won_games)
    assert (samples.value_outcome == signs).all()
    last = samples.plies_left == 1  # the winner is to move, and the search has seen that
    assert (samples.value_search[last] == 1.0).all()
    tensors = TensorSamples.of(samples)
    for share, discount in ((0.0, 1.0), (0.0, 0.9)):
        target = value_target(tensors.outcome, tensors.search, tensors.plies_left, share, discount).numpy()
        assert (np.sign(target[:, 0] - target[:, 2]) == signs).all()
    only_search = value_target(tensors.outcome, tensors.search, tensors.plies_left, 1.0, 1.0).numpy()
    np.testing.assert_allclose(only_search[:, 0] - only_search[:, 2], samples.value_search, atol=1e-6)


@pytest.mark.parametrize("winner", [0, 1])
def test_a_network_that_saw_one_side_win_expects_it_to(won_games: list[GameRecord], winner: int) -> None:
    """All the way: what has learned from such games gives the winner's positions a value above 0, the others below."""
    games = [record for record in won_games if winner_of(record.moves.tolist()) == winner]
    window = ReplayWindow(GAME, ReplayConfig())
    for record in games:
        window.add(record)
    learner = new_learner(learning_rate=0.02, average_decay=0.0, search_value_share=0.0, precision="f32")
    for seed in range(4):
        learn(learner, window, 20, seed)
    samples, signs = samples_of(games)
    answer = make_evaluator(learner.network_file(), backend="torch", precision="f32")(samples.planes)
    values = answer.values @ np.array([1.0, 0.0, -1.0], np.float32)
    assert (np.sign(values) == signs).mean() > 0.95


def test_heads_that_the_game_has_nothing_for_are_refused() -> None:
    config = small_config(network={"ownership_head": True})
    with pytest.raises(ConfigError, match=r"network\.ownership_head.*tic_tac_toe has neither"):
        Learner(GAME, config.network, config.learner, seed=1, discount=1.0)


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_a_batch_is_split_without_loss(parts: int) -> None:
    samples = random_samples(1)
    split = samples.split(parts)
    assert len(split) == parts
    assert torch.equal(torch.cat([part.policy for part in split]), samples.policy)
    assert torch.equal(torch.cat([part.planes for part in split]), samples.planes)

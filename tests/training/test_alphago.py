"""AlphaGo's four stages on small boards: each learns, a stopped run ends with the same bits, its player searches."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_runs import SMALL, what_counts

import tengen
from tengen import Game
from tengen.config import ConfigError, RunConfig, load_config
from tengen.network.checkpoint import NetworkFileError, load_network
from tengen.network.rollout_file import load_rollout
from tengen.players import PlayerSpecError, make_player
from tengen.records import ShardWriter
from tengen.records.record import RecordBuilder
from tengen.records.shards import read_games
from tengen.run.folder import read_reports
from tengen.train import train

STAGES = {
    "imitation_share": 0.25,
    "rollout_share": 0.25,
    "gradient_share": 0.25,
    "gradient_games": 12,
    "value_games": 24,
    "pool_every": 1,
    "match_games": 8,
}


def write_records(folder: Path, game: Game, games: int = 30, seed: int = 1) -> Path:
    """Games in which everyone plays the first legal action two times in three, so that there is something to learn."""
    rng = np.random.default_rng(seed)
    writer = ShardWriter(folder, game)
    for number in range(games):
        state, record = game.initial_state(), RecordBuilder(seed=number)
        while state.outcome is None:
            legal = state.legal_actions
            action = legal[0] if rng.random() < 0.67 else int(rng.choice(legal))
            record.play(action)
            state = state.play(action)
        writer.append([record.finish(state.outcome)])
    writer.close()
    return folder


def small_alphago(game: str, records: Path, iterations: int = 8, **changes: Any) -> RunConfig:
    stages = {name: SMALL[name] for name in ("network", "self_play", "replay", "learner", "arena")}
    name, _, options = game.partition(":")
    given = {key: int(value) for key, _, value in (each.partition("=") for each in options.split(",") if each)}
    stages["imitation"] = {"records": str(records), "test_share": 0.2, "steps": 4, "positions": 200}
    stages["alphago"] = {**STAGES, **changes}
    return load_config(game=name, options=given, iterations=iterations, seed=3, method="alphago", **stages)


@pytest.fixture(scope="module")
def go_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alphago")
    records = write_records(folder / "records", tengen.load("go", size=5))
    train(small_alphago("go:size=5", records, share_players=True), folder / "run")
    return folder / "run"


def test_the_stages_come_one_after_the_other(go_run: Path) -> None:
    reports = read_reports(go_run)
    assert [report.self_play.games for report in reports] == [30, 0, 0, 0, 12, 12, 24, 24]
    foretold = [report.imitation.validation for report in reports if report.imitation is not None]
    assert len(foretold) == 4
    assert foretold[3].top1 > 0.25  # by chance it would be about 0.07
    assert foretold[3].policy_loss < foretold[2].policy_loss
    gates = [report.gate for report in reports]
    assert [gate is not None for gate in gates] == [False] * 6 + [True, False]
    assert gates[6] is not None
    assert gates[6].games == 8
    assert {path.name for path in (go_run / "stages").iterdir()} == {
        "imitation.safetensors",
        "rollout.safetensors",
        "gradient.safetensors",
        "value.safetensors",
    }


def test_each_stage_trains_its_own_network(go_run: Path) -> None:
    kinds = {
        name: load_network(go_run / "stages" / f"{name}.safetensors") for name in ("imitation", "gradient", "value")
    }
    assert kinds["imitation"].architecture.outputs == {"logits"}
    assert kinds["value"].architecture.outputs == {"wdl_logits"}
    assert kinds["gradient"].digest != kinds["imitation"].digest
    champion = load_network(max((go_run / "networks").glob("*.safetensors")))
    for name, tower in (("imitation", "policy_net"), ("value", "value_net")):  # the prior is that of imitation
        for weight, numbers in kinds[name].weights.items():
            assert np.array_equal(champion.weights[f"{tower}.{weight}"], numbers)


def test_one_position_of_each_game_teaches_the_value(go_run: Path) -> None:
    game = tengen.load("go", size=5)
    for record in read_games(go_run / "games", game):
        record.validate(game)
        if record.iteration >= 6:
            assert len(record.recorded) <= 1


@pytest.mark.parametrize("stop_after", [1, 3, 5, 7])
def test_a_run_that_was_stopped_in_any_stage_ends_with_the_same_bits(
    go_run: Path, tmp_path: Path, stop_after: int
) -> None:
    class Stops:
        def run_started(self, report: object) -> None: ...
        def stage(self, name: str, done: int, total: int) -> None: ...
        def iteration_finished(self, report: Any) -> None:
            if report.iteration == stop_after:
                raise KeyboardInterrupt

    config = small_alphago("go:size=5", go_run.parent / "records", share_players=True)
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path / "run", Stops())
    train(config, tmp_path / "run")
    stopped, whole = what_counts(tmp_path / "run"), what_counts(go_run)
    assert stopped.keys() == whole.keys()
    assert [name for name in whole if stopped[name] != whole[name]] == []
    for path in (go_run / "stages").iterdir():
        if path.name == "rollout.safetensors":
            assert path.read_bytes() == (tmp_path / "run" / "stages" / path.name).read_bytes()
        else:
            assert load_network(path).digest == load_network(tmp_path / "run" / "stages" / path.name).digest


def test_the_player_mixes_value_and_playouts(go_run: Path) -> None:
    game = tengen.load("go", size=5)
    state = game.state("C3 B2")
    values = []
    for share in (0, 0.5, 1):
        player = make_player(f"alphago:{go_run}:40:lambda={share}", game)
        [first] = player.think([state], [1])  # type: ignore[attr-defined]
        [again] = player.think([state], [1])  # type: ignore[attr-defined]
        assert first.visits.tolist() == again.visits.tolist()
        assert first.simulations == 40
        values.append(first.root_value)
    assert len(set(values)) == 3
    assert make_player(f"alphago:{go_run}:40", game).choose([state], [1])[0] in state.legal_actions
    assert make_player(f"search:{go_run}:8", game).choose([state], [1])[0] in state.legal_actions
    assert make_player(f"network:{go_run}/stages/gradient.safetensors", game).choose([state], [1])


def test_a_player_that_cannot_be_is_refused(go_run: Path, tmp_path: Path) -> None:
    game = tengen.load("go", size=5)
    for text in (f"alphago:{go_run}:40:lambda=2", f"alphago:{go_run}:40:lambda=x", f"alphago:{go_run}", "alphago"):
        with pytest.raises(PlayerSpecError):
            make_player(text, game)
    with pytest.raises(NetworkFileError, match="no rollout policy"):
        load_rollout(tmp_path / "absent", game)
    with pytest.raises(NetworkFileError, match="not of"):
        load_rollout(go_run / "stages" / "rollout.safetensors", tengen.load("go", size=6))


@pytest.mark.parametrize("name", ["tic_tac_toe", "examples/breakthrough.py", "connect_four"])
def test_any_game_can_be_learned_so(name: str, tmp_path: Path) -> None:
    game = tengen.load(name)
    records = write_records(tmp_path / "records", game)
    train(small_alphago(name, records, iterations=4, match_games=0), tmp_path / "run")
    policy = load_rollout(tmp_path / "run" / "stages" / "rollout.safetensors", game)
    state = game.initial_state()
    probabilities = policy.probabilities(state)
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-5)
    assert probabilities[state.legal_actions[0]] > 1.2 / len(state.legal_actions)
    counts = policy.playouts(50, seed=1)
    assert counts.games == sum(counts.wins) + counts.draws == 50
    player = make_player(f"alphago:{tmp_path / 'run'}:20", game)
    assert player.choose([state], [1])[0] in state.legal_actions


def test_without_records_nothing_begins(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"imitation\.records"):
        train(small_alphago("tic_tac_toe", tmp_path / "absent"), tmp_path / "run")
    few = write_records(tmp_path / "few", tengen.load("tic_tac_toe"), games=1)
    with pytest.raises(ConfigError, match="too few"):
        train(small_alphago("tic_tac_toe", few), tmp_path / "run")


def test_shares_leave_time_for_the_value() -> None:
    with pytest.raises(ConfigError, match="below 1"):
        load_config(game="go", alphago={"imitation_share": 0.5, "rollout_share": 0.3, "gradient_share": 0.3})

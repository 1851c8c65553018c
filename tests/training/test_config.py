"""Settings: refused with their path and the likely name, and the same after a round trip through a file."""

from pathlib import Path

import pytest
import tomli_w

from tengen.config import ConfigError, NetworkConfig, RunConfig, load_config

EXPERIMENTS = sorted((Path(__file__).parents[2] / "experiments").glob("*.toml"))


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("sede = 3", "no setting 'sede'; did you mean 'seed'?"),
        ("[self_play]\nsimulatons = 3", "no setting 'self_play.simulatons'; did you mean 'simulations'?"),
        ("[self_play.search]\ncpuct = 3", "no setting 'self_play.search.cpuct'; did you mean 'c_puct'?"),
        ("[learner]\nxyzzy = 3", "no setting 'learner.xyzzy'; there are: batch"),
        ("[network]\npreset = 'smal'", "no setting 'network.preset.smal'; did you mean 'small'?"),
        ("[learner]\nbatch = 0", "learner.batch: input should be greater than or equal to 1 (it is 0)."),
        (
            "[learner]\noptimizer = 'adam'",
            "optimizer: input should be 'muon', 'adamw' or 'sgd' (it is 'adam').",
        ),
        ("[learner]\nlearning_rate = 'fast'", "learner.learning_rate: "),
        ("[self_play]\nprecision = 'int4'", "self_play.precision: "),
        ("[self_play.search]\nc_puct = -1", "c_puct"),
        ("seed = -1", "seed: "),
        ("learner = 3", "learner: "),
        ("seed = ", "is not TOML"),
        ("options = {size = 'large'}", "options.size: "),
    ],
)
def test_wrong_settings_are_refused(tmp_path: Path, toml: str, message: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f"{toml}\n")
    with pytest.raises(ConfigError) as refused:
        load_config(path, game="tic_tac_toe")
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_config_needs_a_game() -> None:
    with pytest.raises(ConfigError, match="game: "):
        load_config()


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere.toml can't be read: No such file"):
        load_config(tmp_path / "nowhere.toml")


def test_settings_go_on_top_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('game = "othello"\nseed = 3\n[learner]\nbatch = 7\nlearning_rate = 0.1\n')
    config = load_config(path, seed=4, learner={"batch": 8})
    assert (config.game, config.seed, config.learner.batch, config.learner.learning_rate) == ("othello", 4, 8, 0.1)


def test_presets() -> None:
    assert NetworkConfig.preset("alphago_zero").blocks == 19
    assert NetworkConfig.preset("tiny", channels=20).channels == 20
    assert NetworkConfig.preset("small") == NetworkConfig()


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_experiments_are_read_and_written_back(path: Path, tmp_path: Path) -> None:
    config = load_config(path)
    kept = tmp_path / "kept.toml"
    kept.write_text(tomli_w.dumps(config.model_dump(mode="json")))
    assert load_config(kept) == config


def test_there_are_experiments() -> None:
    assert {"tic_tac_toe", "connect_four"} <= {path.stem for path in EXPERIMENTS}


def test_a_config_does_not_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        load_config(game="othello").seed = 2  # type: ignore[misc]
    assert isinstance(load_config(game="othello"), RunConfig)

"""Settings: refused with their path and the likely name, and the same after a round trip through a file."""

from pathlib import Path

import pytest
import tomli_w

from tengen.config import ConfigError, NetworkConfig, RunConfig, SelfPlayConfig, load_config

MODELS = sorted((Path(__file__).parents[2] / "models").glob("*/config.toml"))
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


def test_a_search_table_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[self_play.search]\nc_puct = 2.0\n")
    search = load_config(path, game="othello").self_play.search
    assert search == {**SelfPlayConfig.SEARCH, "c_puct": 2.0}
    assert search["selection"] == "gumbel"


def test_a_search_parameter_at_its_default_need_not_be_said() -> None:
    assert SelfPlayConfig(search={"c_puct": 1.25}) == SelfPlayConfig()
    assert SelfPlayConfig(search={"random_symmetry": False}).search_params.random_symmetry is False


def test_simulations_have_one_place() -> None:
    with pytest.raises(ConfigError, match=r"no setting 'self_play.search.simulations'"):
        load_config(game="othello", self_play={"search": {"simulations": 5}})


def test_older_names_are_read_from_files(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[self_play]\ngames_per_thread = 7\n")
    assert load_config(path, game="othello").self_play.games_per_unit == 7


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.parent.name)
def test_configs_of_the_bundled_networks_are_read(path: Path) -> None:
    assert load_config(path).game in path.parent.name


def test_options_keep_their_kind(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('game = "go"\noptions = { size = 9, komi = 7.5, suicide = true }\n')
    options = load_config(path).options
    assert {name: type(value) for name, value in options.items()} == {"size": int, "komi": float, "suicide": bool}


def test_a_preset_of_the_network_says_its_size_whatever_lies_beneath(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('game = "go"\n[network]\nblocks = 2\nchannels = 32\n')
    assert load_config(path, network={"preset": "small"}).network == NetworkConfig()


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

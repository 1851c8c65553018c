"""Which settings suit a game: what covers what, where each value comes from, and how large a run is."""

from pathlib import Path

import pytest

import tengen
from tengen.config import ConfigError, RunConfig, load_config
from tengen.run.settings import changed_settings, find_experiment, laid_over, resolve, settings_toml
from tengen.run.sizing import GameFacts, facts_of, sizes_for


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---- What covers what


def test_each_layer_covers_the_ones_beneath_it_setting_by_setting(place: Path) -> None:
    """One setting that every layer names, in turn; the others stay with the layer that named them last."""
    (place / "experiments").mkdir()
    (place / "experiments" / "othello.toml").write_text(
        'game = "othello"\nseed = 2\n[self_play]\nsimulations = 2\nresign_below = -0.5\n'
    )
    file = place / "my.toml"
    file.write_text("[self_play]\nsimulations = 4\ntemperature_plies = 7\n")

    def simulations(**said: object) -> tuple[int, str]:
        found = resolve("othello", **said)  # type: ignore[arg-type]
        return found.config.self_play.simulations, found.origins["self_play.simulations"]

    assert simulations() == (2, "experiments/othello.toml")
    assert simulations(preset="paper") == (800, "preset paper")
    assert simulations(preset="paper", file=file) == (4, str(file))
    assert simulations(preset="paper", file=file, sets=["self_play.simulations=5"]) == (5, "--set")
    all_of_them = resolve(
        "othello", file=file, preset="paper", sets=["learner.batch=9"], seed=6, iterations=8, minutes=3
    )
    config, origins = all_of_them.config, all_of_them.origins
    assert (config.learner.batch, origins["learner.batch"]) == (9, "--set")
    assert (config.self_play.temperature_plies, origins["self_play.temperature_plies"]) == (7, str(file))
    assert (config.self_play.resign_below, origins["self_play.resign_below"]) == (-0.9, "preset paper")
    assert (config.seed, origins["seed"]) == (6, "--seed")
    assert (config.iterations, origins["iterations"]) == (8, "--iterations")
    assert origins["network.blocks"] == "sized for the game and 3 minutes"
    assert origins["learner.gradient_clip"] == "preset paper"
    assert origins["learner.device"] == "default"
    assert origins["game"] == "GAME"


def test_a_config_lies_on_top_of_the_experiment_of_the_game(place: Path) -> None:
    """One setting in a file used to drop all that suits the game."""
    file = place / "my.toml"
    file.write_text("[self_play.search]\nc_puct = 2.0\n")
    plain, changed = resolve("connect_four").config, resolve("connect_four", file=file).config
    assert changed_settings(plain, changed) == {"self_play.search.c_puct": (1.25, 2.0)}
    assert changed.self_play.search["discount"] == 0.99
    assert changed.self_play.search["selection"] == "gumbel"


def test_a_preset_of_the_file_lies_beneath_the_file(place: Path) -> None:
    file = place / "my.toml"
    file.write_text('preset = "paper"\n[self_play]\nsimulations = 9\n')
    found = resolve("othello", file=file)
    assert found.config.self_play.simulations == 9
    assert found.origins["learner.optimizer"] == "preset paper"


def test_a_preset_of_the_network_covers_the_size_that_suits_the_game(place: Path) -> None:
    network = resolve("othello", minutes=1, sets=["network.preset=medium"]).config.network
    assert (network.blocks, network.channels) == (6, 96)


# ---- The game


def test_a_file_can_name_the_game(place: Path) -> None:
    file = place / "my.toml"
    file.write_text('game = "go"\noptions = { size = 7 }\n')
    found = resolve(file=file)
    assert (found.config.game, found.config.options["size"]) == ("go", 7)
    assert (found.origins["game"], found.origins["options.size"]) == (str(file), str(file))
    assert found.origins["options.komi"] == "default"
    given = resolve("go:komi=6", file=file)
    assert (given.config.options["size"], given.config.options["komi"]) == (7, 6)
    assert given.origins["options.komi"] == "GAME"
    with pytest.raises(ConfigError, match=r"my.toml is of go, not of othello"):
        resolve("othello", file=file)


def test_there_must_be_a_game(place: Path) -> None:
    (place / "my.toml").write_text("seed = 3\n")
    with pytest.raises(ConfigError, match=r"Which game\? .*my.toml names none"):
        resolve(file=place / "my.toml")
    with pytest.raises(ConfigError, match=r"Which game\?"):
        resolve()


@pytest.mark.parametrize(
    "text", ["tic_tac_toe", "connect_four", "connect_four:rows=5", "go:komi=6.5", "mnk:m=4,n=4,k=3"]
)
def test_a_game_and_its_text_have_the_same_settings(place: Path, text: str) -> None:
    """So do the command line, which has a text, and whoever has loaded the game."""
    found = resolve(text).config
    assert resolve(tengen.load(found.game, **found.options)).config == found


# ---- Experiments


@pytest.mark.parametrize(
    ("game", "options", "name"),
    [
        ("connect_four", {}, "connect_four"),
        ("connect_four", {"rows": 5}, None),
        ("go", {}, "go_9x9"),  # though the experiment has another komi
        ("go", {"komi": 5}, "go_9x9"),
        ("go", {"size": 13}, None),
        ("gomoku", {"size": 9}, "gomoku_9x9"),
        ("gomoku", {"size": 9, "exactly_five": True}, "gomoku_9x9"),
        ("gomoku", {}, None),
        ("othello", {"size": 6}, None),
    ],
)
def test_an_experiment_is_for_a_game_on_a_board(
    place: Path, game: str, options: dict[str, float], name: str | None
) -> None:
    found = find_experiment(tengen.load(game, **options))
    assert (found.stem if found else None) == name


def test_the_options_stay_those_of_the_user(place: Path) -> None:
    assert resolve("go").config.options["komi"] == 7.5
    assert resolve("go:komi=5").config.options["komi"] == 5


def test_an_experiment_of_ones_own_goes_before(place: Path) -> None:
    (place / "experiments").mkdir()
    (place / "experiments" / "zz.toml").write_text('game = "othello"\nseed = 3\n')
    assert resolve("othello").config.seed == 3
    assert resolve("othello:size=6").config.seed == 1
    (place / "experiments" / "othello.toml").write_text("seed = 4\n")  # called after its game, of any board
    assert resolve("othello").config.seed == resolve("othello:size=6").config.seed == 4


def test_a_broken_experiment_is_named_if_it_is_of_this_game(place: Path) -> None:
    (place / "experiments").mkdir()
    (place / "experiments" / "othello.toml").write_text("seed =")
    assert resolve("connect_four").config.seed == 1
    with pytest.raises(ConfigError, match=r"experiments/othello.toml is not TOML"):
        resolve("othello")


# ---- --set


def test_values_are_typed_as_in_a_file(place: Path) -> None:
    config = resolve(
        "go:size=5",
        sets=[
            "arena.gating = true",
            'arena.anchors=["random"]',
            "learner.learning_rate=1e-4",
            "self_play.precision=f32",
            "self_play.search.selection=puct",
            "options.komi=3",
        ],
    ).config
    assert (config.arena.gating, config.arena.anchors, config.learner.learning_rate) == (True, ("random",), 1e-4)
    assert (config.self_play.precision, config.self_play.search["selection"]) == ("f32", "puct")
    assert config.options["komi"] == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("simulations=3", "did you mean 'self_play.simulations' or 'arena.simulations'?"),
        ("self_play.simulatons=3", "no setting 'self_play.simulatons'; did you mean 'self_play.simulations'?"),
        ("self_play.search.cpuct=3", "did you mean 'self_play.search.c_puct'?"),
        ("qqqqq=3", "There is no setting 'qqqqq'; tengen train GAME --show-config lists them."),
        ("self_play.simulations", "--set takes NAME=VALUE"),
        ("self_play.simulations=many", "self_play.simulations: input should be a valid integer"),
        ("self_play.simulations=0", "self_play.simulations: input should be greater than or equal to 1"),
        ("game=othello", "The game of a run is given as GAME"),
        ("options.size=big", "options.size: an option is a number, true or false"),
        ("options.sice=5", "no option 'sice'"),
        ("preset=papre", "no setting 'preset.papre'; did you mean 'paper'?"),
    ],
)
def test_wrong_sets_are_refused_in_a_sentence(place: Path, text: str, words: str) -> None:
    with pytest.raises(tengen.TengenError) as refused:
        resolve("go", sets=[text])
    assert words in str(refused.value)


# ---- Shown


@pytest.mark.parametrize("text", ["tic_tac_toe", "go:komi=6.5", "openspiel:breakthrough(rows=6,columns=6)"])
def test_what_is_shown_can_be_read_again(place: Path, text: str) -> None:
    found = resolve(text, minutes=2, sets=["self_play.search.c_puct=2", 'arena.anchors=["random", "greedy"]'])
    shown = settings_toml(found)
    (place / "shown.toml").write_text(shown)
    assert load_config(place / "shown.toml") == found.config
    assert "c_puct = 2 " in shown
    assert all("#" in line for line in shown.splitlines() if "=" in line)


def test_every_setting_has_an_origin(place: Path) -> None:
    found = resolve("othello", minutes=2)
    assert all(found.origins.values())
    assert len(found.origins) == settings_toml(found).count(" = ")


# ---- A begun run


def test_settings_on_top_of_a_begun_run(place: Path) -> None:
    kept = resolve("othello").config
    assert laid_over(kept) == kept
    assert laid_over(kept, iterations=7).iterations == 7
    changed = laid_over(kept, sets=["learner.batch=3"], seed=2)
    assert changed_settings(kept, changed) == {"learner.batch": (128, 3), "seed": (1, 2)}


# ---- Sizes

CONNECT_FOUR, GO_9, GO_19 = GameFacts(42, 42), GameFacts(81, 162), GameFacts(361, 722)
SLOW = GameFacts(36, 109, interpreted=True)


@pytest.mark.parametrize(
    ("game", "minutes", "cores", "network", "simulations"),
    [
        (CONNECT_FOUR, 1, 2, (2, 32), (32, 0)),
        (CONNECT_FOUR, 5, 2, (3, 48), (32, 0)),
        (CONNECT_FOUR, 20, 2, (4, 64), (32, 0)),
        (CONNECT_FOUR, 60, 2, (5, 96), (32, 64)),
        (CONNECT_FOUR, 1, 16, (3, 48), (32, 0)),  # eight times the cores are worth eight times the minutes
        (GameFacts(9, 9), 60, 2, (2, 32), (32, 64)),  # a small board needs no more, however long
        (GameFacts(64, 119), 60, 2, (4, 64), (16, 64)),  # Othello, as we trained it
        (GO_9, 1, 2, (2, 32), (8, 0)),
        (GO_9, 20, 2, (4, 64), (8, 16)),
        (GO_9, 120, 2, (5, 96), (8, 32)),  # Go, as we trained it
        (GO_19, 60, 2, (3, 48), (8, 32)),
        (SLOW, 1, 2, (2, 32), (8, 0)),
        (SLOW, 60, 2, (5, 96), (8, 32)),
    ],
)
def test_network_and_simulations_follow_from_game_and_minutes(
    game: GameFacts, minutes: float, cores: int, network: tuple[int, int], simulations: tuple[int, int]
) -> None:
    sizes = sizes_for(game, minutes, cores)
    assert tuple(sizes["network"].values()) == network
    assert (sizes["self_play"]["simulations"], sizes["self_play"]["final_simulations"]) == simulations


@pytest.mark.parametrize(
    "game", [GameFacts(9, 9), CONNECT_FOUR, GO_9, GO_19, SLOW, GameFacts(1, 1), GameFacts(400, 9999)]
)
@pytest.mark.parametrize("cores", [1, 2, 64])
def test_sizes_make_a_config_and_fit_each_other(game: GameFacts, cores: int) -> None:
    before = 0
    for minutes in (0.01, 0.5, 1, 3, 5, 10, 29, 30, 60, 600, 1e5):
        sizes = sizes_for(game, minutes, cores)
        config = RunConfig(game="any", **sizes)
        play = config.self_play
        # Every game in flight gets on by a ply an iteration, and the window holds at least what comes first.
        assert play.positions >= cores * play.games_per_unit or play.positions == 16_384
        assert config.replay.window_start <= config.replay.window_most
        size = config.network.blocks * config.network.channels**2
        assert size >= before, "more time never makes the network smaller"
        before = size


def test_interpreted_rules_get_less_of_what_costs_time() -> None:
    fast, slow = (sizes_for(GameFacts(36, 60, interpreted), 1, 2)["self_play"] for interpreted in (False, True))
    assert slow["simulations"] < fast["simulations"]
    assert slow["games_per_unit"] < fast["games_per_unit"]
    assert slow["positions"] < fast["positions"]


def test_a_first_try_is_small(place: Path) -> None:
    """Of a game that nobody has trained: by its sizes an hour at most, where the defaults would have taken four."""
    found = resolve("connect_four:rows=5")
    assert found.config.iterations * found.config.self_play.positions < 200 * 16_384 / 4
    assert found.origins["iterations"] == "sized for the game and a first try of 20 minutes"
    assert facts_of(tengen.load("connect_four", rows=5)) == GameFacts(35, 35)

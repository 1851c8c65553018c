"""`tengen compare`: which of several runs is better, at equal time and at equal positions, and how sure that is."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import pytest
import tomli_w
from reports import report

from tengen.config import load_config
from tengen.report import AccuracyReport, RatingReport
from tengen.run.compare import AXES, MEASURES, compare, measures_of, read_groups, t_cdf, t_quantile

Maker = Callable[..., Path]


@pytest.fixture
def make_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Maker:
    """Writes a run: its Elo after every minute, and how many positions it searched in each."""
    monkeypatch.chdir(tmp_path)

    def make(
        name: str,
        elos: Sequence[float | None],
        *,
        seed: int = 1,
        positions: int = 1000,
        loss: float = 1.0,
        game: str = "othello",
        zero: str = "rollout:100",
        **settings: object,
    ) -> Path:
        folder = Path(name)
        folder.mkdir(parents=True)
        config = load_config(game=game, seed=seed, **settings)
        (folder / "config.toml").write_text(tomli_w.dumps(config.model_dump(mode="json")))
        lines = []
        for number, elo in enumerate(elos, 1):
            rating = None if elo is None else RatingReport(f"{number}", elo, 30.0, zero, 1.0)
            line = report(
                number,
                {"positions": positions},
                {"policy_loss": loss / number},
                seconds=60.0 * number,
                rating=rating,
            )
            lines.append(json.dumps(asdict(line)))
        (folder / "metrics.jsonl").write_text("\n".join(lines) + "\n")
        return folder

    return make


def test_the_better_one_is_named_with_interval_and_certainty(make_run: Maker, cli) -> None:
    for seed, elo in ((1, 300.0), (2, 310.0), (3, 290.0)):
        make_run(f"runs/new/seed{seed}", [0.0, 150.0, elo], seed=seed, learner={"batch": 64})
        make_run(f"runs/old/seed{seed}", [0.0, 100.0, elo - 100.0], seed=seed)
    said = cli("compare", "runs/new", "runs/old")
    assert "runs/new: seeds 1, 2, 3; 3.0 minutes, 3,000 positions" in said
    better = "runs/new is better than runs/old by 100 Elo (95 % interval +77.3 to +123, over 99 % sure)."
    assert f"At equal time (3 minutes): {better}" in said
    assert f"At equal positions (3,000): {better}" in said
    assert "300 ± 10" in said


def test_what_seeds_can_explain_is_no_difference(make_run: Maker, cli) -> None:
    for seed, (a, b) in enumerate(((300.0, 100.0), (100.0, 280.0)), 1):
        make_run(f"a/{seed}", [a], seed=seed, learner={"batch": 64})
        make_run(f"b/{seed}", [b], seed=seed)
    said = cli("compare", "b", "a")
    assert "no clear difference between a and b: 10 Elo (95 % interval " in said
    assert "is better than" not in said


def test_more_positions_in_the_same_time(make_run: Maker, cli) -> None:
    """The faster one is ahead at equal time; at equal positions it is behind."""
    for seed in (1, 2):
        make_run(f"fast/{seed}", [0.0, 100.0, 200.0, 300.0 + seed], seed=seed, positions=2000, learner={"batch": 64})
        make_run(f"slow/{seed}", [0.0, 80.0, 160.0, 240.0 + seed], seed=seed)
    said = cli("compare", "fast", "slow")
    assert "At equal time (4 minutes): fast is better than slow by 60 Elo" in said
    assert "At equal positions (4,000): slow is better than fast by 142 Elo" in said


def test_one_seed_says_what_it_does_not_know(make_run: Maker, cli) -> None:
    make_run("a", [200.0], learner={"batch": 64})
    make_run("b", [100.0])
    said = cli("compare", "a", "b")
    assert "a is better than b by 100 Elo (95 % interval +57.6 to +142, over 99 % sure). That is how precisely" in said
    assert "with one seed, how much seeds differ is not known" in said


def test_runs_without_measurements_are_compared_by_loss_and_say_so(make_run: Maker, cli) -> None:
    make_run("a", [None, None], loss=1.0, learner={"batch": 64})
    make_run("b", [None, 50.0], loss=0.5)
    said = cli("compare", "a", "b")
    assert "b is ahead of a by 0.25 policy loss; whether that is chance is not known" in said
    assert "A loss is not strength" in said


def test_the_truth_counts_where_every_run_was_compared_with_it(make_run: Maker) -> None:
    folders = [make_run("a", [None, None], learner={"batch": 64}), make_run("b", [None, None])]
    for folder, share in zip(folders, (0.9, 0.8), strict=True):
        path = folder / "metrics.jsonl"
        first, last = path.read_text().splitlines()
        accuracy = asdict(AccuracyReport(1000, "positions", network=share, search=None, simulations=0, seconds=1.0))
        path.write_text(f"{first}\n{json.dumps({**json.loads(last), 'accuracy': accuracy})}\n")
    groups = read_groups(folders)
    measure = measures_of(groups)[0]
    assert measure.name == "good moves"
    (difference,) = compare(groups, measure, "minutes")
    assert (difference.better, difference.amount, difference.is_clear) == ("a", pytest.approx(10.0), True)


def test_seeds_of_one_setting_are_one_group(make_run: Maker, cli) -> None:
    make_run("x", [100.0], seed=1)
    make_run("y", [110.0], seed=2)
    said = cli("compare", "x", "y")
    assert "x, y: seeds 1, 2" in said
    assert "These runs differ in their seed alone" in said


def test_elo_from_another_zero_does_not_count(make_run: Maker) -> None:
    groups = read_groups([make_run("a", [1.0], learner={"batch": 64}), make_run("b", [1.0], zero="random")])
    assert [measure.name for measure in measures_of(groups)] == ["policy loss", "value loss"]


def test_runs_that_were_not_measured_at_the_same_time(make_run: Maker) -> None:
    early = make_run("early", [10.0, None, None], learner={"batch": 64})
    late = make_run("late", [None, None, 10.0])
    assert all(compare(read_groups([early, late]), MEASURES[0], axis) == [] for axis in AXES)


def test_a_page_has_the_curves_and_the_verdict(make_run: Maker, cli, tmp_path: Path) -> None:
    for seed in (1, 2):
        make_run(f"<a>/{seed}", [0.0, 100.0 + seed], seed=seed, learner={"batch": 64})
        make_run(f"b/{seed}", [0.0, 50.0 + seed], seed=seed)
    assert "Written: compared.html" in cli("compare", "<a>", "b", "--html", "compared.html")
    page = (tmp_path / "compared.html").read_text()
    assert "&lt;a&gt; is better than b by 50 Elo" in page
    assert page.count("<polyline") == 2 * 2 * 3  # two groups, two axes; Elo and both losses
    assert "<polygon" in page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "nowhere is no run and no folder of runs"),
        (["a", "other"], "Runs of different games can't be compared: a is of othello, other is of go"),
        (["a", "fresh"], "fresh has not finished an iteration yet"),
    ],
)
def test_what_can_not_be_compared_is_refused(make_run: Maker, refused, arguments: list[str], words: str) -> None:
    make_run("a", [1.0])
    make_run("other", [1.0], game="go")
    make_run("fresh", [])
    assert words in refused("compare", *arguments)


@pytest.mark.parametrize(("degrees", "quantile"), [(1, 12.706), (2, 4.303), (4, 2.776), (10, 2.228), (1e9, 1.960)])
def test_students_distribution_is_that_of_the_tables(degrees: float, quantile: float) -> None:
    assert t_quantile(0.975, degrees) == pytest.approx(quantile, rel=2e-3)
    assert t_cdf(quantile, degrees) == pytest.approx(0.975, abs=2e-4)
    assert t_cdf(-quantile, degrees) == pytest.approx(0.025, abs=2e-4)

"""An observer of one's own: the example of the documentation runs, and what can't be one is refused in a sentence."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
import tomli_w
from small_runs import SMALL

from tengen.interfaces.own_observer import ObserverError, load_observer

PAGE = Path(__file__).parents[2] / "docs" / "training.md"


@pytest.fixture
def example(tmp_path: Path) -> Path:
    [code] = [
        block
        for block in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
        if block.startswith("# wandb_logger.py")
    ]
    path = tmp_path / "wandb_logger.py"
    path.write_text(code)
    return path


def test_the_example_logs_every_iteration(example: Path, tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch) -> None:
    logged: list[tuple[int, dict[str, float]]] = []

    class Run:
        def log(self, figures: dict[str, float], step: int) -> None:
            logged.append((step, figures))

    wandb = ModuleType("wandb")
    wandb.init = lambda **about: Run()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(tomli_w.dumps({**SMALL, "game": "tic_tac_toe"}))
    cli("train", "--config", "small.toml", "--iterations", "2", "--observer", f"{example}:WandbLogger")
    assert [step for step, _ in logged] == [1, 2]
    assert all({"policy_loss", "value_loss"} <= figures.keys() for _, figures in logged)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("MyLogger", "is named as my_file.py:MyObserver"),
        ("nowhere.py:MyLogger", "There is no file nowhere.py"),
        ("{here}/some.py:Missing", "has no class Missing"),
        ("{here}/some.py:number", "has no class number"),
        ("{here}/some.py:Deaf", "has no run_started and no stage and no iteration_finished; begin with class"),
        ("{here}/some.py:Demanding", "can't be made without arguments"),
        ("{here}/broken.py:Some", "can't be run: ZeroDivisionError"),
    ],
)
def test_what_is_no_observer_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "some.py").write_text(
        "from tengen.report import SilentObserver\n"
        "number = 3\n"
        "class Deaf: pass\n"
        "class Demanding(SilentObserver):\n    def __init__(self, more): pass\n"
    )
    (tmp_path / "broken.py").write_text("1 / 0\n")
    with pytest.raises(ObserverError, match=words):
        load_observer(text.format(here=tmp_path))

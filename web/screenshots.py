"""Writes docs/images/*.png: every screen of the page, in light and dark, wide and as on a phone.

    python web/screenshots.py [--only play] [--out docs/images] [--address http://127.0.0.1:8000]

Starts a server of its own unless an address is given. Needs playwright, a chromium, and looks best with the font Inter;
the one in Chinese needs a font that has its characters.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[1]
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-sync",
]
WIDE, LARGE, PHONE = (1240, 860), (1600, 950), (390, 844)
FOUR = "4,4,3,5,4,4,5,6,3,3"  # a game of Connect Four in the middle of it
READY = "button[aria-label='+10 simulations']:enabled"
EXPLORE = ("label:has-text('Fast')", "button[aria-label='+10 simulations']", "button[aria-label='+100 simulations']")
STEPPED = "output[data-simulations='110'][data-busy=false]"
CORNERS = "b2,a3,c1"
BISHOPS = "7g7f,3c3d,8h2b%2B,3a2b"


@dataclass(frozen=True)
class Shot:
    """A picture: where, how large, which colours, and what to do before it is taken."""

    name: str
    place: str
    size: tuple[int, int] = WIDE
    theme: str = "light"
    press: tuple[str, ...] = ()  # controls, one after the other
    wait_for: str = "svg.board"
    then: str = "main"  # is there when the controls have done their work
    settle: float = 1.5  # seconds
    whole: bool = False  # the page below the window too
    locale: str = "en-GB"


SHOTS = (
    Shot("play", f"#/play/connect_four?moves={FOUR}&side=0&level=medium"),
    Shot("play-dark", f"#/play/connect_four?moves={FOUR}&side=0&level=medium", theme="dark"),
    Shot("play-phone", f"#/play/tic_tac_toe?moves={CORNERS},a1&side=0&level=medium", size=PHONE),
    Shot("play-othello", "#/play/othello?moves=d3,c3,c4,e3&side=0&level=easy"),
    Shot("play-go", "#/play/go?moves=E5,E7,C4,G4,G6&side=1&level=easy"),
    Shot("play-hex", "#/play/hex?moves=f6,d7,h4,g7,e8,f4&side=0&level=easy"),
    Shot("play-hex-phone", "#/play/hex?moves=f6,d7,h4,g7,e8,f4&side=0&level=easy", size=PHONE, theme="dark"),
    Shot("play-chess", "#/play/chess?moves=e2e4,e7e5,g1f3,b8c6,f1c4&side=1&level=easy&model=uniform"),
    Shot("play-shogi", f"#/play/shogi?moves={BISHOPS}&side=0&level=easy&clock=300%2B0"),
    Shot("play-shogi-dark", f"#/play/shogi?moves={BISHOPS}&side=0&level=easy&clock=300%2B0", theme="dark"),
    Shot("play-chinese", "#/play/go?moves=E5,E7,C4,G4,G6&side=1&level=easy", locale="zh-CN"),
    Shot("analyse-go", "#/analyse/go?moves=E5,E7,C4,G4,G6", wait_for="[data-label]", settle=6),
    Shot(
        "explore-all-nodes",
        "#/explore/connect_four",
        press=(*EXPLORE, "button[aria-label='+1000 simulations']", ".tree-legend input"),
        wait_for=READY,
        then=".tree-crowd",
        settle=4,
    ),
    Shot(
        "analyse-wide",
        f"#/analyse/connect_four?moves={FOUR}&at=8&review=yes",
        size=LARGE,
        wait_for="[data-review=done]",
    ),
    Shot(
        "analyse-wide-dark",
        f"#/analyse/connect_four?moves={FOUR}&at=8&review=yes",
        size=LARGE,
        theme="dark",
        wait_for="[data-review=done]",
    ),
    Shot("tour", "#/explore/tic_tac_toe?moves=b2,b3&tour=4", wait_for="output[data-simulations='3'][data-busy=false]"),
    Shot(
        "train-compared",
        "#/train/bundled.connect_four?with=bundled.othello,bundled.go_9x9&x=time",
        size=LARGE,
        wait_for=".uplot",
    ),
    Shot("play-breakthrough", "#/play/breakthrough?moves=c2c3,d5c4&side=0&level=easy", press=("[data-cell='20']",)),
    Shot("analyse-breakthrough", "#/analyse/breakthrough?moves=c2c3,d5c4", wait_for="[data-label]", settle=3),
    Shot("analyse", f"#/analyse/connect_four?moves={FOUR}", wait_for="[data-label]", settle=6),
    Shot("analyse-network", f"#/analyse/connect_four?moves={FOUR}", press=("text=Network >> nth=0",), settle=2),
    Shot("analyse-dark", f"#/analyse/connect_four?moves={FOUR}", theme="dark", wait_for="[data-label]", settle=6),
    Shot("analyse-phone", "#/analyse/tic_tac_toe?moves=b2,a3", size=PHONE, wait_for="[data-label]", whole=True),
    Shot("explore", "#/explore/tic_tac_toe?moves=b2,a3", press=EXPLORE, wait_for=READY, then=STEPPED),
    Shot(
        "explore-dark", "#/explore/tic_tac_toe?moves=b2,a3", theme="dark", press=EXPLORE, wait_for=READY, then=STEPPED
    ),
    Shot("explore-phone", "#/explore/tic_tac_toe", size=PHONE, press=EXPLORE, wait_for=READY, then=STEPPED),
    Shot("train", "#/train/bundled.connect_four", wait_for=".uplot", whole=True),
    Shot("train-dark", "#/train/bundled.connect_four", theme="dark", wait_for=".uplot"),
    Shot("train-phone", "#/train/bundled.connect_four", size=PHONE, wait_for=".uplot"),
)


def main() -> None:
    arguments = argparse.ArgumentParser(description="Pictures of every screen of the page.")
    arguments.add_argument("--only", default="", help="pictures whose name begins with this")
    arguments.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    arguments.add_argument("--address", default=None, help="of a server that is running")
    asked = arguments.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    server = contextlib.nullcontext(asked.address) if asked.address else serving()
    with server as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_FLAGS)
        for shot in SHOTS:
            if shot.name.startswith(asked.only):
                take(browser, address, shot, asked.out / f"{shot.name}.png")
        browser.close()


def take(browser: Browser, address: str, shot: Shot, path: Path) -> None:
    width, height = shot.size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        device_scale_factor=2 if shot.size == PHONE else 1.5,
        color_scheme="dark" if shot.theme == "dark" else "light",
        locale=shot.locale,
    )
    page: Page = context.new_page()
    page.goto(address.rstrip("/") + "/" + shot.place)
    page.wait_for_selector(shot.wait_for)
    for control in shot.press:
        page.click(control)
    page.wait_for_selector(shot.then)
    page.wait_for_timeout(1000 * shot.settle)
    page.screenshot(path=path, full_page=shot.whole)
    context.close()
    print(path)


def find_chromium() -> str:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        sys.exit("There is no chromium; install one, for instance: apt-get install chromium")
    return found


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """A server at a free port; its address."""
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder) / "runs"
        command = [sys.executable, "-c", "from tengen.interfaces.cli import main; main()"]
        games = [str(ROOT / "examples" / name) for name in ("hex.py", "breakthrough.py")]
        options = ["serve", "--port", "0", "--no-browser", "--runs", str(runs), "--game", *games]
        with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            yield next(word for word in server.stdout.readline().split() if word.startswith("http"))
            server.terminate()


if __name__ == "__main__":
    main()

"""`tengen` with a network and games so small that an iteration takes no time: what the tests start runs with."""

import sys
from pathlib import Path

from tengen.interfaces.cli import main

SMALL = """
iterations = 100000
[network]
blocks = 1
channels = 8
policy_channels = 4
value_channels = 4
[self_play]
threads = 1
games_per_unit = 4
positions = 64
simulations = 4
[replay]
window_start = 40
[learner]
batch = 32
threads = 1
[arena]
every = 0
"""

if "--run" in sys.argv:
    folder = Path(sys.argv[sys.argv.index("--run") + 1])
    if not (folder / "config.toml").exists():
        (folder / "small.toml").write_text(SMALL)
        sys.argv += ["--config", str(folder / "small.toml")]
main()

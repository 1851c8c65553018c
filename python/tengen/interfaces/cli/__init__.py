"""The command `tengen`: one file a command, imported only when that command is asked for, so that each starts at once.

A command is a function `run`; tyro makes its arguments and its help from the signature and the docstring. `run` returns
the exit code, or None for 0.
"""

import importlib
import os
import signal
import sys
import warnings
from types import ModuleType

from tengen import TengenError, __version__
from tengen.base.spelling import did_you_mean

COMMANDS = {
    "games": "games",
    "show": "show",
    "perft": "perft",
    "check-game": "check_game",
    "doctor": "doctor",
    "cluster": "cluster",
    "train": "train",
    "selfplay": "selfplay",
    "learn": "learn",
    "imitate": "imitate",
    "records import": "records_import",
    "records export": "records_export",
    "report": "report",
    "verify-run": "verify_run",
    "compare": "compare",
    "evaluate": "evaluate",
    "match": "match",
    "tournament": "tournament",
    "lineage": "lineage",
    "play": "play",
    "gtp": "gtp",
    "gomocup": "gomocup",
    "uci": "uci",
    "usi": "usi",
    "serve": "serve",
    "review": "review",
    "export kaggle": "export_kaggle",
    "export onnx": "export_onnx",
    "bench games": "bench_games",
    "bench search": "bench_search",
    "bench selfplay": "bench_selfplay",
    "bench learning": "bench_learning",
}

USER_ERROR = 2  # the exit code of argparse and tyro for a wrong command line
# Packages that are not always installed, and the extra that brings each.
EXTRAS = {
    "fastapi": "web",
    "llvmlite": "rules",
    "numba": "rules",
    "onnx": "export",
    "openvino": "openvino",
    "pyarrow": "parquet",
    "pyspiel": "openspiel",
    "ray": "cluster",
    "torch": "train",
    "uvicorn": "web",
    "websockets": "web",
}
INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def main() -> None:
    """The entry point of the program: runs one command and leaves with its exit code."""
    warnings.formatwarning = lambda message, *_, **__: f"tengen: {message}\n"
    code = run(sys.argv[1:])
    if code == INTERRUPTED:  # someone may press Ctrl-C once more, while Python is on its way out
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Runs the command that these arguments ask for; gives the exit code."""
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
        return code
    except TengenError as error:
        return _complain(str(error))
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        return _complain(f"This needs {package}, which is not installed: pip install 'tengen[{EXTRAS[package]}]'.")
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (`tengen ... | head`): so does the rest of the output, without a word at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _dispatch(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_overview())
        return 0
    if arguments[0] == "--version":
        print(f"tengen {__version__}")
        return 0
    for length in (2, 1):
        name = " ".join(arguments[:length])
        if name in COMMANDS:
            import tyro

            return tyro.cli(_module(name).run, prog=f"tengen {name}", args=arguments[length:]) or 0
    return _complain(_unknown(arguments))


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{COMMANDS[name]}")


def _overview() -> str:
    summaries = {name: _module(name).run.__doc__.partition("\n")[0] for name in COMMANDS}
    width = max(map(len, summaries))
    rows = [f"  {name:{width}}  {summary}" for name, summary in summaries.items()]
    more = "tengen COMMAND --help explains a command. tengen --version prints the version."
    return "\n".join(["usage: tengen COMMAND ...", "", *rows, "", more])


def _unknown(arguments: list[str]) -> str:
    given = arguments[0]
    below = [name for name in COMMANDS if name.startswith(f"{given} ")]
    if below:
        return f"'{given}' is the beginning of several commands: {', '.join(below)}."
    return f"There is no command '{given}'; {did_you_mean(given, COMMANDS, 'tengen --help lists them.')}"


def _complain(sentence: str) -> int:
    print(f"tengen: {' '.join(sentence.split())}", file=sys.stderr)
    return USER_ERROR

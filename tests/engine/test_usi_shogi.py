"""`tengen usi` in shogi, driven by the client of cshogi, and a shogi program as an opponent."""

import sys
from pathlib import Path

import cshogi
from cshogi.usi import Engine
from tiny_networks import save_tiny

import tengen
from tengen.arena import play_match
from tengen.external.uci import UsiProgram
from tengen.players import make_player


def test_cshogi_plays_whole_games(tmp_path: Path) -> None:
    """By byoyomi, by clocks and by nodes; every move of the engine is legal for cshogi."""
    model = save_tiny(tmp_path / "shogi.safetensors", tengen.load("shogi"))
    script = tmp_path / "engine.sh"
    code = "from tengen.interfaces.cli import main; main()"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{code}" usi {model} --simulations 30\n')
    script.chmod(0o755)
    engine = Engine(str(script), connect=True)
    engine.setoption("Threads", 1)
    engine.setoption("USI_Hash", 64)
    engine.isready()
    engine.usinewgame()
    board, moves = cshogi.Board(), list[str]()
    limits = ({"byoyomi": 1000, "btime": 0, "wtime": 0}, {"btime": 9000, "wtime": 9000, "binc": 10}, {"nodes": 8})
    while not board.is_game_over() and len(moves) < 300:
        engine.position(moves=moves)
        move, _ = engine.go(**limits[len(moves) % 3])
        if move == "resign":
            break
        assert board.is_legal(board.move_from_usi(move))
        board.push_usi(move)
        moves.append(move)
    assert len(moves) > 20
    engine.quit()


def test_fairy_stockfish_plays_shogi() -> None:
    for name in ("shogi", "minishogi"):
        game = tengen.load(name)
        program = UsiProgram("usi", "/usr/games/fairy-stockfish", game, options={"nodes": "100"})
        match = play_match(game, (program, make_player("random", game)), games=2, seed=1)
        assert match.reasons == {}
        assert all(played.final.outcome == played.outcome for played in match.games)

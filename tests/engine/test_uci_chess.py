"""`tengen uci` in chess, driven by python-chess, and chess programs as opponents."""

import random
import subprocess
import sys
from pathlib import Path

import chess
import chess.engine
import pytest
from tiny_networks import save_tiny
from uci_talk import Talk

import tengen
from tengen.engine import Limit
from tengen.external.uci import UciProgram
from tengen.strength.review import ProgramJudge, review_game

COMMAND = [sys.executable, "-c", "from tengen.interfaces.cli import main; main()", "uci"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("uci") / "chess.safetensors", tengen.load("chess"))


def test_python_chess_plays_whole_games(model: Path) -> None:
    """Every move of the engine is legal for python-chess, which knows more ways to go on than we do."""
    with chess.engine.SimpleEngine.popen_uci([*COMMAND, str(model)], timeout=120.0) as engine:
        engine.configure({"Threads": 1, "Skill Level": 5, "UCI_ShowWDL": True})
        for start in (chess.STARTING_FEN, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"):
            board = chess.Board(start)
            while not board.is_game_over():  # draws by repetition and fifty moves only where nobody has to claim them
                limit = (
                    chess.engine.Limit(nodes=8)
                    if board.turn
                    else chess.engine.Limit(white_clock=60.0, black_clock=2.0, white_inc=0.0, black_inc=0.01, nodes=30)
                )
                played = engine.play(board, limit, info=chess.engine.INFO_ALL)
                assert played.move in board.legal_moves
                assert "wdl" in played.info
                board.push(played.move)
            assert board.outcome() is not None


def test_python_chess_analyses(model: Path) -> None:
    mate = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    with chess.engine.SimpleEngine.popen_uci([*COMMAND, str(model)], timeout=120.0) as engine:
        [line] = engine.analyse(mate, chess.engine.Limit(nodes=2000), multipv=1)
        assert line["score"].white() == chess.engine.Mate(1)
        lines = engine.analyse(chess.Board(), chess.engine.Limit(nodes=200), multipv=3)
        assert [line["multipv"] for line in lines] == [1, 2, 3]
        found = engine.play(mate, chess.engine.Limit(nodes=50), root_moves=[chess.Move.from_uci("g1f1")])
        assert found.move == chess.Move.from_uci("g1f1")
        with engine.analysis(chess.Board()) as analysis:  # until it is stopped
            for info in analysis:
                if info.get("nodes", 0) > 10:
                    break
        assert analysis.would_block() or analysis.wait().move is not None


def test_a_bot_plays_as_lichess_bot_does(model: Path) -> None:
    """With options of its configuration, clocks and pondering; the score of a move decides on draws and resigning."""
    rng, hits = random.Random(4), 0
    with chess.engine.SimpleEngine.popen_uci([*COMMAND, str(model)], timeout=120.0) as engine:
        engine.configure({"Threads": 1, "Hash": 64, "Move Overhead": 200, "UCI_ShowWDL": True})
        with pytest.raises(chess.engine.EngineError, match="does not support option SyzygyPath"):
            engine.configure({"SyzygyPath": "./syzygy"})  # the client refuses what the engine does not list
        engine.send_opponent_information(opponent=chess.engine.Opponent("a bot", None, 1500, True), engine_rating=1500)
        for start in (chess.Board(), chess.Board.from_chess960_pos(700)):
            board, clocks = start, {"white_clock": 60.0, "black_clock": 60.0, "white_inc": 1.0, "black_inc": 1.0}
            while not board.is_game_over() and board.fullmove_number < 14:
                limit = chess.engine.Limit(**clocks, nodes=24)
                played = engine.play(board, limit, info=chess.engine.INFO_ALL, ponder=True, draw_offered=False)
                assert played.move in board.legal_moves
                assert isinstance(played.info["score"].relative.score(mate_score=40000), int)
                assert {"wdl", "nodes", "nps", "depth", "pv", "hashfull"} <= played.info.keys()
                assert board.variation_san(played.info["pv"])
                board.push(played.move)
                if board.is_game_over():
                    break
                # Every second answer is the expected one: `ponderhit`. After the others pondering is stopped.
                expected = played.ponder is not None and rng.random() < 0.5
                hits += expected
                board.push(played.ponder if expected else rng.choice(list(board.legal_moves)))
            engine.send_game_result(board)
            engine.ping()
    assert hits > 2


def test_castling_of_chess960_through_python_chess(model: Path) -> None:
    ready = chess.Board("1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1", chess960=True)
    with chess.engine.SimpleEngine.popen_uci([*COMMAND, str(model)], timeout=120.0) as engine:
        for text in ("O-O", "O-O-O"):
            castling = ready.parse_san(text)
            played = engine.play(ready, chess.engine.Limit(nodes=5), root_moves=[castling])
            assert (played.move, ready.san(castling)) == (castling, text)
        usual = chess.Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
        castling = usual.parse_san("O-O")
        assert engine.play(usual, chess.engine.Limit(nodes=5), root_moves=[castling]).move == castling


@pytest.fixture
def talk() -> Talk:
    return Talk("chess", instant_wins=True)


def test_moves_of_chess(talk: Talk) -> None:
    assert talk("position startpos moves f2f3 e7e5 g2g4", "go nodes 3000") == "d8h4"
    assert " score mate 1 " in talk.before[-1]
    assert talk("position startpos moves f2f3 e7e5 g2g4 d8h4", "go nodes 3000") == "(none)"
    assert talk("position fen 8/P6k/8/8/8/8/8/K7 w - - 0 1", "go nodes 20 searchmoves a7a8n") == "a7a8n"
    castles = "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    assert talk(castles, "go nodes 20 searchmoves e1g1") == "e1g1"
    talk.send("setoption name UCI_Chess960 value true")
    assert talk(castles, "go nodes 20 searchmoves e1h1") == "e1h1"
    talk.send("setoption name UCI_Chess960 value false")
    assert talk(castles, "go nodes 20 searchmoves e1c1") == "e1c1"


def test_a_game_that_nobody_claims_drawn_goes_on(talk: Talk) -> None:
    """By our rules a third repetition or fifty moves without progress end it; programs may play on."""
    shuffle = " ".join(["g1f3 g8f6 f3g1 f6g8"] * 4)
    assert talk.game.state("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8").outcome is not None
    board = chess.Board()
    for move in shuffle.split():
        board.push_uci(move)
    assert chess.Move.from_uci(talk(f"position startpos moves {shuffle}", "go nodes 20")) in board.legal_moves
    assert talk("position fen 8/8/4k3/8/8/3RK3/8/8 w - - 100 120", "go nodes 20") != "(none)"
    assert talk("position fen 8/8/4k3/8/8/4K3/8/8 w - - 0 1", "go nodes 20") == "(none)"  # nobody can win


def test_a_game_as_long_as_the_rules_allow_arrives_whole() -> None:
    """The line is longer than what a pipe holds; one that is cut would be another position, or none."""
    moves = " ".join(["g1f3 g8f6 f3g1 f6g8"] * 4400)
    lines = f"position startpos moves e2e4 e7e5 {moves} f1b5\nd\nquit\n"
    talked = subprocess.run([*COMMAND, "rollout"], input=lines, capture_output=True, text=True, check=True)
    assert "rnbqkbnr/pppp1ppp/8/1B2p3/4P3/8/PPPP1PPP/RNBQK1NR b KQkq" in talked.stdout


@pytest.mark.parametrize(
    "fen", ["8/8/8", "nonsense w - - 0 1", "8/8/8/8/8/8/8/8 w - - 0 1", "k7/8/8/8/8/8/8/K7 x - - 0 1"]
)
def test_bad_positions_are_told(talk: Talk, fen: str) -> None:
    talk.send(f"position fen {fen}")
    assert talk.wait_for("info string")
    assert talk("go nodes 5")


STOCKFISH = "/usr/games/stockfish"


def test_stockfish_plays_and_judges() -> None:
    """A whole game of Stockfish against itself by our rules, from a position that was set up, and its review."""
    game = tengen.load("chess")
    start = game.state(board="r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 1")
    player = UciProgram("uci", STOCKFISH, game, options={"nodes": "300", "Skill Level": "3", "Threads": "1"})
    [mate] = player.choose([start], [0])
    state = start
    while state.outcome is None:
        [action] = player.choose([state], [0])
        state = state.play(action)
    assert state.outcome.reason in set(tengen.Reason)
    judge = UciProgram("uci", STOCKFISH, game, options={"depth": "6", "Threads": "1"})
    blunder = start.play("a2a3").play("a7a6")
    review = review_game(ProgramJudge(judge, start), start, (*blunder.moves, blunder.parse_action("f3f7")), Limit())
    assert [move.best_text for move in review.moves[::2]] == ["f3f7", "f3f7"]  # mate, seen and then played
    assert review.moves[0].before == 1.0
    assert start.action_text(mate)
    for program in (player, judge):
        program.close()


def test_chess960_reaches_the_program() -> None:
    game = tengen.load("chess", chess960=5)
    player = UciProgram("uci", STOCKFISH, game, options={"nodes": "200", "Threads": "1"})
    state = game.initial_state()
    for _ in range(12):
        [action] = player.choose([state], [0])
        state = state.play(action)
    player.close()
    assert chess.Board(game.initial_state().position_text, chess960=True).chess960_pos() == 5

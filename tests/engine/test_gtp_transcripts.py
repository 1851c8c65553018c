"""The Go Text Protocol, command by command: what is sent, and what is answered."""

import re

import pytest
from gtp_talk import Talk

import tengen

# Lines that begin with > are sent; what follows is the answer. VERTEX is any, ... is anything.
GO = """\
> protocol_version
= 2
> 17 name
=17 tengen
> known_command genmove
= true
> 3 known_command castle
=3 false
> castle
? unknown command
> 12
?12 unknown command
> boardsize 5
=
> komi 3.5
=
> clear_board
=
> play b C3
=
> play W c3
? illegal move
> play white c4
=
> 4 play black pass
=4
> showboard
=
  A B C D E
5 . . . . .
4 . . O . .
3 . . X . .
2 . . . . .
1 . . . . .
white (O) to move
> play black B4
=
> final_score
= W+2.5
> final_status_list dead
=
> undo
=
> undo
=
> undo
=
> undo
=
> undo
? cannot undo
> final_score
= W+3.5
> play B Q99
? syntax error
> play X A1
? syntax error
> play B
? syntax error
> boardsize 200
? unacceptable size
> boardsize -5
? syntax error
> komi many
? syntax error
> komi 9999
? unacceptable komi
> komi nan
? syntax error
> genmove
? syntax error
> loadsgf /no/such/file
? cannot load file
> time_settings 10 5
? syntax error
> fixed_handicap 2
? invalid number of stones
> boardsize 9
=
> fixed_handicap 5
= C3 G7 C7 G3 E5
> fixed_handicap 5
? board not empty
> undo
=
> set_free_handicap A1 A2 A3
=
> play w B1
=
> printsgf
= (;FF[4]AP[tengen]CA[UTF-8]GM[1]KM[3.5]SZ[9];B[ai];B[ah];B[ag];W[bi])
> clear_board
=
> set_free_handicap A1 A1
? bad vertex list
> set_free_handicap A1 pass
? bad vertex list
> 99999 quit
=99999
"""

MOVES_OF_OURS = """\
> version
= ...
> list_commands
= protocol_version
...
> known_command
? syntax error
> boardsize 5
=
> reg_genmove b
= VERTEX
> printsgf
= (;FF[4]AP[tengen]CA[UTF-8]GM[1]KM[7.5]SZ[5])
> time_settings 60 10 5
=
> time_left b 30 0
=
> 7 genmove b
=7 VERTEX
> time_left w 9 2
=
> genmove white
= VERTEX
> time_left w 9
? syntax error
> time_left x 9 2
? syntax error
> 8 lz-genmove_analyze b 1
=8
...
play VERTEX
> kata-genmove_analyze w interval 1 minmoves 2
=
...
play VERTEX
> undo
=
> lz-analyze b 1 1
? syntax error
> lz-analyze x
? syntax error
> kata-genmove_analyze b 1 1
? syntax error
> boardsize 9
=
> place_free_handicap 3
= C3 G7 C7
> undo
=
> place_free_handicap 10
? invalid number of stones
> loadsgf
? syntax error
> quit
=
"""

OTHELLO = """\
> boardsize 8
=
> komi 7.5
=
> play b d3
=
> play b c4
? illegal move
> play w C3
=
> play b D9
? syntax error
> play b pass
? illegal move
> showboard
=
  a b c d e f g h
1 . . . . . . . .
2 . . . . . . . .
3 . . O X . . . .
4 . . . O X . . .
5 . . . X O . . .
6 . . . . . . . .
7 . . . . . . . .
8 . . . . . . . .
black (X) to move
> genmove b
= VERTEX
> undo
=
> printsgf
= (;FF[4]AP[tengen]CA[UTF-8]GM[2]SZ[8];B[dc];W[cc])
> final_score
= 0
> boardsize 7
? unacceptable size
> boardsize 6
=
> fixed_handicap 2
? invalid number of stones
"""

GOMOKU = """\
> play b E5
=
> play w E6
=
> play w E7
? illegal move
> play b pass
? illegal move
> final_score
? the game is not over
> reg_genmove b
= VERTEX
> kgs-genmove_cleanup b
= VERTEX
> undo
=
> play b I5
? syntax error
> play b J5
=
> printsgf
= (;FF[4]AP[tengen]CA[UTF-8]GM[4]SZ[9];B[ee];W[ed];B[ie])
> set_free_handicap A1 A2
? handicap is for Go
> boardsize 15
=
> boardsize 3
? unacceptable size
"""
TRANSCRIPTS = {"go": GO, "moves of ours": MOVES_OF_OURS, "othello": OTHELLO, "gomoku": GOMOKU}


@pytest.mark.parametrize("about", TRANSCRIPTS)
def test_transcripts(about: str) -> None:
    name = about if about in tengen.games.names() else "go"
    talk = Talk(name, **({"size": 9} if name == "gomoku" else {}))
    for exchange in TRANSCRIPTS[about].split("> ")[1:]:
        line, _, expected = exchange.partition("\n")
        pattern = re.escape(expected.strip()).replace("VERTEX", r"([A-HJ-T]\d+|pass)").replace(r"\.\.\.", "(.+\n?)+?")
        answer = "\n".join(row.rstrip() for row in talk(line).splitlines())
        assert re.fullmatch(pattern, answer), f"{line!r} was answered with {answer!r}"


def test_every_command_is_in_a_transcript() -> None:
    """Streams have tests of their own."""
    sent = {word for text in TRANSCRIPTS.values() for word in re.findall(r"^> (?:\d+ )?(\S+)", text, re.MULTILINE)}
    assert set(Talk()("list_commands")[2:].split("\n")) - sent == {"kata-analyze"}

"""Inputs of fuzzing: good ones, changed in some places."""

import random

TOKENS = [
    b"(",
    b")",
    b";",
    b"[",
    b"]",
    b"\\",
    b"B[aa]",
    b"SZ[19]",
    b"AB[aa:ss]",
    b"\xff",
    b"\0",
    b"\n",
    b"{",
    b"}",
    b'"',
]
TOKENS += [
    b"-1",
    b"0",
    b"99999999999999999999",
    b"1e308",
    b"nan",
    b"[[",
    b"=",
    b"X",
    b"O",
    b".",
    b"pass",
    b"\xed\xa0\x80",
]


def mutated(seeds: list[bytes], rng: random.Random, words: list[bytes]) -> bytes:
    """One of the seeds, changed in some places: bits, bytes, pieces of others, and words of the format."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(data) + 1)
        what = rng.randrange(8)
        if what == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif what == 1 and at < len(data):
            data[at] = rng.randrange(256)
        elif what == 2:
            del data[at : at + rng.choice((1, 2, 8, 64))]
        elif what == 3:
            data[at:at] = rng.choice(words)
        elif what == 4:
            other = rng.choice(seeds)
            start = rng.randrange(len(other) + 1)
            data[at:at] = other[start : start + rng.choice((1, 8, 64))]
        elif what == 5:
            data[at:at] = data[at : at + rng.choice((1, 8, 64))] * rng.choice((1, 2, 50))
        elif what == 6 and at + 4 <= len(data):
            data[at : at + 4] = rng.choice((0, 1, 255, 1 << 31, (1 << 32) - 1)).to_bytes(4, "little")
        else:
            data[at : at + 1] = rng.choice((b"", b"-", b"9", b"\x7f", b"\x80"))
    return bytes(data[: 1 << 16])


def words_of(seeds: list[bytes]) -> list[bytes]:
    """Tokens of every format, and the words of these seeds."""
    found = {word for seed in seeds for word in seed[:20_000].replace(b'"', b" ").split()[:400] if len(word) < 40}
    return TOKENS + sorted(found)

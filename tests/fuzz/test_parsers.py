"""Every parser on its corpus and on inputs made of it: each is answered or refused by a sentence, and none crashes.

`make sanitize` runs this with a core that reports every wrong memory access, `make fuzz` for a minute a parser.
TENGEN_FUZZ_SECONDS sets the time, TENGEN_FUZZ_SEED where the inputs begin.
"""

import itertools
import os
import random
import time

import pytest
from shapes import SHAPES
from targets import TARGETS, attempt, corpus, inputs

INPUTS = 300  # of each parser where no time is given
SECONDS = float(os.environ.get("TENGEN_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("TENGEN_FUZZ_SEED", "0"))


@pytest.mark.parametrize("name", TARGETS)
def test_the_corpus_is_answered(name: str) -> None:
    seeds = corpus(name)
    accepted = [attempt(name, seed) for seed in seeds]
    assert any(accepted), f"no input of {name} is a good one"


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_made_of_the_corpus_are_answered(name: str) -> None:
    end = time.monotonic() + SECONDS
    tried = accepted = 0
    for data in itertools.chain(itertools.islice(inputs(name, SEED), INPUTS), inputs(name, SEED + 1)):
        if tried >= INPUTS and time.monotonic() >= end:
            break
        tried += 1
        try:
            accepted += attempt(name, data)
        except BaseException:
            print(f"\n{name} crashed on {data!r}")
            raise
    print(f"\n{name}: {tried} inputs, {accepted} accepted")
    assert tried >= INPUTS


@pytest.mark.parametrize("name", ["fen", "sfen", "pgn"])
def test_inputs_of_a_shape_reach_what_is_behind_the_first_look(name: str) -> None:
    """Of inputs that are all refused, or all accepted, nothing is learned."""
    rng = random.Random(1)
    accepted = sum(attempt(name, SHAPES[name](rng)) for _ in range(INPUTS))
    assert INPUTS / 5 < accepted < INPUTS * 4 / 5

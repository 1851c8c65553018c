"""Work on 64-bit words for the compiled random play-out: the random numbers of base/rng.h, and a choice from a mask.

A mask holds a byte of 0 or 1 for each action; eight of them are read as one word. Single machine instructions that
Numba has no name for are written as intrinsics.
"""
# mypy: ignore-errors
# Numba gives these functions their types.

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic

U64 = np.uint64
RNG_STEP = U64(0x9E3779B97F4A7C15)
ONES = U64(0x0101010101010101)  # one in each byte: word * ONES holds in byte i the sum of bytes 0 .. i of the word
HIGH = U64(0x8080808080808080)

HAS_BIT_DEPOSIT = "+bmi2" in cpu_target.target_context.codegen().magic_tuple()[2]


@njit
def mix(x):
    """mix64 of rng.h."""
    x = (x ^ (x >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> U64(27))) * U64(0x94D049BB133111EB)
    return x ^ (x >> U64(31))


@intrinsic
def high_product(typing, number, bound):
    """The high word of number * bound: Rng::below of rng.h."""

    def generate(context, builder, signature, arguments):
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(argument, wide) for argument in arguments))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic
def count_ones(typing, word):
    """How many bits of the word are 1."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def _deposited_one(typing, word, n):
    """The position of the n-th 1 among the bits of the word."""

    def generate(context, builder, signature, arguments):
        word, n = arguments
        i64 = ir.IntType(64)
        deposit = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(i64, [i64, i64]), "llvm.x86.bmi.pdep.64"
        )
        bit = builder.call(deposit, [builder.shl(ir.Constant(i64, 1), n), word])
        return builder.cttz(bit, ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64, types.uint64), generate


def stack_bytes(size):
    """A function that gives `size` bytes which belong to its caller alone, so that the compiler can use registers."""

    @intrinsic
    def allocate(typing):
        def generate(context, builder, signature, arguments):
            room = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(8), size))
            room.align = 16
            return builder.bitcast(room, context.get_value_type(types.voidptr))

        return types.voidptr(), generate

    return allocate


def copier(size):
    """A function that copies `size` bytes from one address to another."""

    @intrinsic
    def copy(typing, target, source):
        def generate(context, builder, signature, arguments):
            cgutils.raw_memcpy(builder, *arguments, ir.Constant(ir.IntType(64), size), 1)
            return context.get_dummy_value()

        return types.void(target, source), generate

    return copy


def _nth_one_by_deposit(word, n):
    return np.int64(_deposited_one(word, n) >> U64(3))


def _nth_one_by_sums(word, n):
    """Without a branch: as many running sums as are not above n stand before the n-th 1."""
    above = ((word * ONES | HIGH) - (n + U64(1)) * ONES) & HIGH
    return np.int64(U64(8) - (((above >> U64(7)) * ONES) >> U64(56)))


# Which byte of the word is the n-th that is 1; n is below their count.
nth_one = njit(_nth_one_by_deposit if HAS_BIT_DEPOSIT else _nth_one_by_sums)


@njit
def count_all_ones(words):
    """How many bytes of a mask are 1."""
    count = U64(0)
    for word in words:
        count += count_ones(word)
    return count


@njit
def nth_of_all_ones(words, n):
    """The n-th action of a mask; n is below their count."""
    i = 0
    while n >= count_ones(words[i]):
        n -= count_ones(words[i])
        i += 1
    return 8 * i + nth_one(words[i], n)

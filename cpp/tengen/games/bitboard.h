// Small bit tricks shared by the bitboard games.
#pragma once

#include <bit>
#include <cstdint>

#if defined(__BMI2__)
#include <immintrin.h>
#endif

namespace tengen {

// The position of the n-th set bit (n counts from 0, below popcount(word)).
inline int nth_set_bit(std::uint64_t word, std::uint32_t n) {
#if defined(__BMI2__)
  return std::countr_zero(_pdep_u64(1ULL << n, word));
#else
  while (n-- > 0) word &= word - 1;
  return std::countr_zero(word);
#endif
}

}  // namespace tengen

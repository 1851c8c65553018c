// Small bit tricks shared by the bitboard games.
#pragma once

#include <array>
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

// Where each cell of a board is in a word of bits, kept so that a plane is written eight cells at a time.
class CellBits {
 public:
  void set(int cell, int bit) {
    const auto i = static_cast<std::size_t>(cell);
    low_[i] = static_cast<std::uint32_t>(1ULL << bit);
    high_[i] = static_cast<std::uint32_t>((1ULL << bit) >> 32);
    num_cells_ = cell + 1 > num_cells_ ? cell + 1 : num_cells_;
  }

  // plane[cell] is 1 where the cell's bit is set and 0 elsewhere.
  void write(std::uint64_t word, float* plane) const {
    const auto low = static_cast<std::uint32_t>(word);
    const auto high = static_cast<std::uint32_t>(word >> 32);
    for (int cell = 0; cell < num_cells_; ++cell) {
      const auto i = static_cast<std::size_t>(cell);
      plane[i] = ((low & low_[i]) | (high & high_[i])) != 0 ? 1.0F : 0.0F;
    }
  }

 private:
  int num_cells_ = 0;
  std::array<std::uint32_t, 64> low_{};   // [cell] the cell's bit if it is one of the lower 32
  std::array<std::uint32_t, 64> high_{};  // [cell] or one of the upper 32
};

}  // namespace tengen

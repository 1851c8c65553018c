// Small bit tricks shared by the bitboard games.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

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

// The lines of a board run in four directions: along a row, a column and the two diagonals.
struct Directions {
  alignas(32) std::array<std::uint64_t, 4> step;  // between neighbouring bits
  alignas(32) std::array<std::uint64_t, 4> mask;  // what it means is up to the game
};

// The OR of f(step, mask) over the four directions. With AVX2 all four are computed at once, one to a lane of a vector;
// so f is a generic lambda that does to words what it would do to vectors of words.
template <class F>
std::uint64_t joined_directions(const Directions& directions, const F& f) {
#if defined(__AVX2__)
  using Lanes = std::uint64_t __attribute__((vector_size(32)));
  Lanes step;
  Lanes mask;
  std::memcpy(&step, directions.step.data(), sizeof(step));
  std::memcpy(&mask, directions.mask.data(), sizeof(mask));
  const Lanes found = f(step, mask);
  return (found[0] | found[2]) | (found[1] | found[3]);
#else
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < 4; ++i) found |= f(directions.step[i], directions.mask[i]);
  return found;
#endif
}

// Tells whether a word of stones has `in_a_row` of them in a row anywhere. The board has `lines` lines of `length`
// cells, an empty guard cell after each: neighbours are 1 and length + 1 bits apart.
class RowTest {
 public:
  RowTest(int lines, int length, int in_a_row) {
    const auto across = static_cast<std::uint64_t>(length + 1);
    const std::uint64_t along_fits = in_a_row <= length ? ~0ULL : 0;
    const std::uint64_t across_fits = in_a_row <= lines ? ~0ULL : 0;
    fits_.lanes = {along_fits, across_fits, along_fits & across_fits, along_fits & across_fits};
    const std::array<std::uint64_t, 4> step = {1, across, across - 1, across + 1};
    for (int reach = 1; reach < in_a_row;) {
      const int more = std::min(reach, in_a_row - reach);
      for (std::size_t i = 0; i < 4; ++i) {  // where no row fits, no shift past the word either
        shifts_[num_shifts_].lanes[i] = fits_.lanes[i] & (static_cast<std::uint64_t>(more) * step[i]);
      }
      ++num_shifts_;
      reach += more;
    }
    const auto bits = static_cast<std::uint64_t>(lines) * across;
    if (bits > kTableBits) return;
    for (std::uint64_t stones = 0; stones < 1ULL << bits; ++stones) {
      if (has_row(stones)) table_[stones / 64] |= 1ULL << stones % 64;
    }
    in_table_ = true;
  }

  bool operator()(std::uint64_t stones) const {
    return in_table_ ? (table_[stones / 64] >> stones % 64 & 1) != 0 : has_row(stones);
  }

 private:
  // `ends` keeps the stones that have as many stones in a row with them as the shifts so far reach; that doubles from
  // shift to shift until it is long enough.
  bool has_row(std::uint64_t stones) const {
#if defined(__AVX2__)
    auto ends = stones & fits_.vector();
    for (std::size_t i = 0; i < num_shifts_; ++i) ends &= ends >> shifts_[i].vector();
    return ((ends[0] | ends[2]) | (ends[1] | ends[3])) != 0;
#else
    std::uint64_t found = 0;
    for (std::size_t lane = 0; lane < 4; ++lane) {
      std::uint64_t ends = stones & fits_.lanes[lane];
      for (std::size_t i = 0; i < num_shifts_; ++i) ends &= ends >> shifts_[i].lanes[lane];
      found |= ends;
    }
    return found != 0;
#endif
  }

  static constexpr std::uint64_t kTableBits = 12;  // tic-tac-toe with its guards: all answers fit into 512 bytes

  // A number for each of the four directions.
  struct Lanes {
    alignas(32) std::array<std::uint64_t, 4> lanes{};
#if defined(__AVX2__)
    using Vector = std::uint64_t __attribute__((vector_size(32)));
    Vector vector() const {
      Vector read;
      std::memcpy(&read, lanes.data(), sizeof(read));
      return read;
    }
#endif
  };

  Lanes fits_;                   // all ones where a line is long enough to win, else zero
  std::array<Lanes, 6> shifts_;  // a row of 64 is reached by six doublings
  std::size_t num_shifts_ = 0;
  bool in_table_ = false;
  std::array<std::uint64_t, (1ULL << kTableBits) / 64> table_{};  // by the stones, one bit for each set of them
};

// Where the cells of a board are in a word of bits, kept so that a plane is written eight cells at a time.
class CellBits {
 public:
  // Cells are added in increasing order, without a gap.
  void add(int cell, int bit) {
    if (size_ == 0) first_cell_ = cell;
    low_[size_] = static_cast<std::uint32_t>(1ULL << bit);
    high_[size_] = static_cast<std::uint32_t>(1ULL << bit >> 32);
    ++size_;
  }

  // plane[cell] becomes 1 where the cell's bit is set and 0 where it is not.
  void write(std::uint64_t word, float* plane) const {
    const auto low = static_cast<std::uint32_t>(word);
    const auto high = static_cast<std::uint32_t>(word >> 32);
    float* const out = plane + first_cell_;
    for (std::size_t i = 0; i < size_; ++i) out[i] = ((low & low_[i]) | (high & high_[i])) != 0 ? 1.0F : 0.0F;
  }

 private:
  int first_cell_ = 0;
  std::size_t size_ = 0;
  std::array<std::uint32_t, 64> low_{};   // [i] the bit of cell first_cell_ + i, if it is in the lower half
  std::array<std::uint32_t, 64> high_{};  // [i] and if it is in the upper
};

}  // namespace tengen

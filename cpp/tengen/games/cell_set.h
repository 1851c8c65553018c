// A set of board cells as bits: bit i is cell i. For boards that do not fit into one word, such as Go.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tengen/games/bitboard.h"

namespace tengen {

template <int kCells>
class CellSet {
 public:
  static constexpr std::size_t kWords = (kCells + 63) / 64;

  constexpr bool has(int cell) const { return ((words_[word(cell)] >> (cell % 64)) & 1) != 0; }
  constexpr void insert(int cell) { words_[word(cell)] |= 1ULL << (cell % 64); }
  constexpr void erase(int cell) { words_[word(cell)] &= ~(1ULL << (cell % 64)); }

  constexpr int size() const {
    int count = 0;
    for (const std::uint64_t bits : words_) count += std::popcount(bits);
    return count;
  }

  constexpr bool empty() const {
    std::uint64_t any = 0;
    for (const std::uint64_t bits : words_) any |= bits;
    return any == 0;
  }

  // The lowest and the highest cell of a set that is not empty.
  constexpr int first() const {
    std::size_t w = 0;
    while (words_[w] == 0) ++w;
    return static_cast<int>(w) * 64 + std::countr_zero(words_[w]);
  }
  constexpr int last() const {
    std::size_t w = kWords - 1;
    while (words_[w] == 0) --w;
    return static_cast<int>(w) * 64 + 63 - std::countl_zero(words_[w]);
  }

  constexpr bool operator==(const CellSet&) const = default;
  constexpr CellSet operator|(const CellSet& other) const {
    return zip(other, [](std::uint64_t a, std::uint64_t b) { return a | b; });
  }
  constexpr CellSet operator&(const CellSet& other) const {
    return zip(other, [](std::uint64_t a, std::uint64_t b) { return a & b; });
  }
  constexpr CellSet without(const CellSet& other) const {
    return zip(other, [](std::uint64_t a, std::uint64_t b) { return a & ~b; });
  }

  // Every cell moved `distance` further on, or back; distance is 1 .. 63, and what leaves the words is lost.
  constexpr CellSet forward(int distance) const {
    CellSet moved;
    for (std::size_t w = 0; w < kWords; ++w) {
      moved.words_[w] = words_[w] << distance | (w > 0 ? words_[w - 1] >> (64 - distance) : 0);
    }
    return moved;
  }
  constexpr CellSet back(int distance) const {
    CellSet moved;
    for (std::size_t w = 0; w < kWords; ++w) {
      moved.words_[w] = words_[w] >> distance | (w + 1 < kWords ? words_[w + 1] << (64 - distance) : 0);
    }
    return moved;
  }

  // Calls visit(cell) in increasing order.
  template <class Visit>
  constexpr void for_each(Visit&& visit) const {
    for (std::size_t w = 0; w < kWords; ++w) {
      for (std::uint64_t bits = words_[w]; bits != 0; bits &= bits - 1) {
        visit(static_cast<int>(w) * 64 + std::countr_zero(bits));
      }
    }
  }

  // The same in decreasing order.
  template <class Visit>
  constexpr void for_each_back(Visit&& visit) const {
    for (std::size_t w = kWords; w-- > 0;) {
      for (std::uint64_t bits = words_[w]; bits != 0;) {
        const int bit = 63 - std::countl_zero(bits);
        visit(static_cast<int>(w) * 64 + bit);
        bits ^= 1ULL << bit;
      }
    }
  }

  // The n-th cell of the set; n counts from 0, below size(). Without branches: n is random wherever this matters.
  int nth(std::uint32_t n) const {
    std::size_t found = 0;
    std::uint32_t before = 0;
    std::uint32_t sum = 0;
    for (std::size_t w = 0; w + 1 < kWords; ++w) {
      sum += static_cast<std::uint32_t>(std::popcount(words_[w]));
      found = n >= sum ? w + 1 : found;
      before = n >= sum ? sum : before;
    }
    return static_cast<int>(found) * 64 + nth_set_bit(words_[found], n - before);
  }

  // 1 for the cells of the set and 0 for the others, for the first `count` cells.
  void write(int count, float* out) const {
    for (std::uint64_t bits : words_) {
      int left = std::min(count, 64);
      count -= left;
      for (; left >= 4; left -= 4, bits >>= 4, out += 4) std::memcpy(out, kFloats[bits & 15].data(), sizeof kFloats[0]);
      for (; left > 0; --left, bits >>= 1) *out++ = static_cast<float>(bits & 1);
    }
  }

  constexpr std::uint64_t operator[](std::size_t w) const { return words_[w]; }

 private:
  // Four bits as four floats: one load and one store instead of four of each.
  static constexpr auto kFloats = [] {
    std::array<std::array<float, 4>, 16> floats{};
    for (std::size_t bits = 0; bits < 16; ++bits) {
      for (std::size_t i = 0; i < 4; ++i) floats[bits][i] = static_cast<float>((bits >> i) & 1);
    }
    return floats;
  }();

  static constexpr std::size_t word(int cell) { return static_cast<std::size_t>(cell) / 64; }

  template <class Combine>
  constexpr CellSet zip(const CellSet& other, Combine&& combine) const {
    CellSet result;
    for (std::size_t w = 0; w < kWords; ++w) result.words_[w] = combine(words_[w], other.words_[w]);
    return result;
  }

  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace tengen

// Random numbers: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
// A seed is always passed in, never global; split() gives a child stream, so that a tree's numbers do not depend on
// how many other trees run beside it.
#pragma once

#include <cstdint>

namespace tengen {

// A bijection on 64 bits in which every input bit changes about half of the output bits.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) : state_(mix64(seed + kStep)) {}

  constexpr std::uint64_t next() { return mix64(state_ += kStep); }

  // Uniform in 0 .. bound-1. The bias is below bound / 2^64.
  constexpr std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

  // Uniform in [0, 1).
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // An independent stream: the same parent and the same number give the same child.
  constexpr Rng split(std::uint64_t stream) const { return Rng(state_ ^ mix64(stream * kStep + 1)); }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;
  std::uint64_t state_;
};

}  // namespace tengen

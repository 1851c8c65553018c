// Zobrist keys: one random word per feature of a position; the hash of a position is the XOR of its features.
// The keys are a function of their index, so that a hash means the same in every process and on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tengen/base/rng.h"

namespace tengen {

template <std::size_t kCount>
constexpr std::array<std::uint64_t, kCount> zobrist_keys(std::uint64_t seed) {
  std::array<std::uint64_t, kCount> keys{};
  Rng rng(seed);
  for (auto& key : keys) key = rng.next();
  return keys;
}

}  // namespace tengen

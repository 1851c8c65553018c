// Evaluations a forest remembers, keyed by the hash of the state. Bounded: a new entry takes the place of the old one
// in its slot. One per forest, so that what is found never depends on the timing of threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace tengen {

class EvaluationCache {
 public:
  // `width`: the most legal actions an entry must hold.
  EvaluationCache(int entries, int width) : width_(static_cast<std::size_t>(width)) {
    if (entries <= 0) return;
    const std::size_t slots = std::bit_floor(static_cast<std::size_t>(entries));
    keys_.assign(slots, 0);
    values_.resize(slots);
    priors_.resize(slots * width_);
  }

  bool enabled() const { return !keys_.empty(); }
  void clear() { std::fill(keys_.begin(), keys_.end(), 0); }

  // The priors of the legal actions in increasing order, or null. `value` is for the first player.
  const float* find(std::uint64_t hash, float& value) const {
    if (!enabled() || keys_[slot(hash)] != key(hash)) return nullptr;
    value = values_[slot(hash)];
    return priors_.data() + slot(hash) * width_;
  }

  void store(std::uint64_t hash, const float* priors, int count, float value) {
    if (!enabled()) return;
    keys_[slot(hash)] = key(hash);
    values_[slot(hash)] = value;
    std::copy(priors, priors + count, priors_.data() + slot(hash) * width_);
  }

  std::size_t bytes() const { return keys_.size() * (sizeof(std::uint64_t) + sizeof(float) * (1 + width_)); }

 private:
  static std::uint64_t key(std::uint64_t hash) { return hash | 1; }  // 0 marks an empty slot
  std::size_t slot(std::uint64_t hash) const { return (hash >> 1) & (keys_.size() - 1); }

  std::size_t width_;
  std::vector<std::uint64_t> keys_;  // [slots]
  std::vector<float> values_;        // [slots]
  std::vector<float> priors_;        // [slots, width]
};

}  // namespace tengen

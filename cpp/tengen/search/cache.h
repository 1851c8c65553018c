// Evaluations a forest remembers, keyed by what an evaluation depends on (evaluation_key in games/derived.h). Bounded: a
// new entry takes the place of the old one in its slot. One per forest, so that what is found never depends on the
// timing of threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace tengen {

class EvaluationCache {
 public:
  // A state with more legal actions than this is not remembered, so that 32,768 entries take 34 MB at most.
  static constexpr int kWidest = 256;

  // `legal_bound`: no state has more legal actions.
  EvaluationCache(int entries, int legal_bound) : width_(std::min(legal_bound, kWidest)) {
    if (entries <= 0) return;
    const std::size_t slots = std::bit_floor(static_cast<std::size_t>(entries));
    keys_.assign(slots, 0);
    values_.resize(slots);
    counts_.resize(slots);
    priors_.resize(slots * static_cast<std::size_t>(width_));
  }

  bool enabled() const { return !keys_.empty(); }
  void clear() { std::fill(keys_.begin(), keys_.end(), 0); }

  // The priors of the `count` legal actions in increasing order, or null. `value` is for the player to move.
  const float* find(std::uint64_t key, int count, float& value) const {
    if (!holds(count)) return nullptr;
    const std::size_t at = slot(key);
    if (keys_[at] != marked(key) || counts_[at] != count) return nullptr;
    value = values_[at];
    return priors_.data() + at * static_cast<std::size_t>(width_);
  }

  void store(std::uint64_t key, const float* priors, int count, float value) {
    if (!holds(count)) return;
    const std::size_t at = slot(key);
    keys_[at] = marked(key);
    values_[at] = value;
    counts_[at] = static_cast<std::uint16_t>(count);
    std::copy(priors, priors + count, priors_.data() + at * static_cast<std::size_t>(width_));
  }

  std::size_t bytes() const {
    return keys_.capacity() * sizeof(std::uint64_t) + counts_.capacity() * sizeof(std::uint16_t) +
           (values_.capacity() + priors_.capacity()) * sizeof(float);
  }

 private:
  bool holds(int count) const { return enabled() && count <= width_; }
  static std::uint64_t marked(std::uint64_t key) { return key | 1; }  // 0 marks an empty slot
  std::size_t slot(std::uint64_t key) const { return (key >> 1) & (keys_.size() - 1); }

  int width_;
  std::vector<std::uint64_t> keys_;    // [slots]
  std::vector<float> values_;          // [slots] for the player to move
  std::vector<std::uint16_t> counts_;  // [slots] legal actions
  std::vector<float> priors_;          // [slots, width]
};

}  // namespace tengen

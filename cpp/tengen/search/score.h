// The formulas of the search: pure functions, the paper's line beside each.
// Symbols as in the papers: q value for the player who chooses, p prior, n visits of the child, N visits of its parent.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tengen {

// exp(x) to about 1e-7, the same bits on every machine, and fit for vector registers (std::exp is neither).
// exp(x) = 2^k exp(r) with |r| <= ln(2) / 2; the polynomial is the Taylor series of exp around 0.
inline float fast_exp(float x) {
  x = std::clamp(x, -87.0F, 88.0F);
  const float shifted = x * 1.44269504F + 12582912.0F;  // adding 1.5 * 2^23 rounds to an integer
  const float k = shifted - 12582912.0F;
  const float r = (x - k * 0.693359375F) - k * -2.12194440e-4F;  // ln(2) in two parts (Cody and Waite)
  float y = 1.0F / 5040;
  y = y * r + 1.0F / 720;
  y = y * r + 1.0F / 120;
  y = y * r + 1.0F / 24;
  y = y * r + 1.0F / 6;
  y = y * r + 0.5F;
  y = y * r + 1.0F;
  y = y * r + 1.0F;
  const auto exponent = static_cast<std::uint32_t>(static_cast<std::int32_t>(k) + 127) << 23;
  return y * std::bit_cast<float>(exponent);
}

// Turns logits into probabilities in place.
inline void softmax(float* values, int count) {
  float highest = values[0];
  for (int i = 1; i < count; ++i) highest = std::max(highest, values[i]);
  for (int i = 0; i < count; ++i) values[i] = fast_exp(values[i] - highest);
  float sum = 0.0F;
  for (int i = 0; i < count; ++i) sum += values[i];
  const float scale = 1.0F / sum;
  for (int i = 0; i < count; ++i) values[i] *= scale;
}

// 1 / n, 1 / sqrt(n) and sqrt(ln n) of small whole numbers, which is what visit counts mostly are: the search computes
// these more often than anything else, and a division or a root takes several times as long as a look into a table.
class CountTable {
 public:
  static constexpr std::uint32_t kSize = 16384;

  CountTable() {
    for (std::uint32_t n = 1; n < kSize; ++n) {
      inverse_[n] = 1.0F / static_cast<float>(n);
      inverse_root_[n] = 1.0F / std::sqrt(static_cast<float>(n));
      root_log_[n] = std::sqrt(std::log(static_cast<float>(n)));
    }
  }

  // `kSmall`: n is known to be below kSize.
  template <bool kSmall = false>
  float inverse(std::uint32_t n) const {
    if (kSmall || n < kSize) [[likely]]
      return inverse_[n];
    return 1.0F / static_cast<float>(n);
  }
  template <bool kSmall = false>
  float inverse_root(std::uint32_t n) const {
    if (kSmall || n < kSize) [[likely]]
      return inverse_root_[n];
    return 1.0F / std::sqrt(static_cast<float>(n));
  }
  float root_log(std::uint32_t n) const {
    if (n < kSize) [[likely]]
      return root_log_[n];
    return std::sqrt(std::log(static_cast<float>(n)));
  }

 private:
  // [0]: without visits a value is 0, and the bonus that of one visit.
  std::array<float, kSize> inverse_{0.0F};
  std::array<float, kSize> inverse_root_{1.0F};
  std::array<float, kSize> root_log_{0.0F};
};
inline const CountTable kCounts;

// c(N) = c_puct + log((N + base + 1) / base): grows slowly with the visits. base 0: constant.
inline float puct_factor(float c_puct, float base, float parent_visits) {
  return base > 0.0F ? c_puct + std::log((parent_visits + base + 1.0F) / base) : c_puct;
}

// U(s, a) = c P(s, a) sqrt(sum_b N(s, b)) / (1 + N(s, a))
inline float puct_bonus(float c, float p, float sqrt_total, std::uint32_t n) {
  return c * p * sqrt_total * kCounts.inverse(n + 1);
}

// c sqrt(ln sum_b N(s, b) / N(s, a)), what UCT adds to Q(s, a)
template <bool kSmall = false>
float uct_bonus(float c, float sqrt_log_total, std::uint32_t n) {
  return c * sqrt_log_total * kCounts.inverse_root<kSmall>(n);
}

// First play urgency: an unvisited child is worth a little less than its parent, and the less the more of the prior
// has been looked at already.
inline float unvisited_q(float parent_q, float reduction, float visited_prior) {
  return parent_q - reduction * std::sqrt(visited_prior);
}

// P'(a) = (1 - eps) P(a) + eps Dir(alpha), the noise in a root prior
inline float mix_noise(float p, float noise, float eps) { return (1.0F - eps) * p + eps * noise; }

// n_forced = sqrt(k P(a) sum_b N(b)): the least visits of a root child in KataGo's self-play.
inline float forced_visits(float k, float p, float total) { return std::sqrt(k * p * total); }

// sigma(q) = (c_visit + max_b N(b)) c_scale q
inline float gumbel_sigma(float q, float c_visit, float c_scale, float max_visits) {
  return (c_visit + max_visits) * c_scale * q;
}

// v_mix = (v + (sum_b N(b) / sum_{visited} p(b)) sum_{visited} p(b) q(b)) / (1 + sum_b N(b)): the value that stands in
// for the q of an unvisited action.
inline float mixed_value(float v, float total_visits, float visited_prior, float visited_prior_q) {
  if (total_visits <= 0.0F || visited_prior <= 0.0F) return v;
  return (v + total_visits * visited_prior_q / visited_prior) / (1.0F + total_visits);
}

// How many visits a root action must have to be considered in each simulation of sequential halving: m actions share
// the budget in rounds; after each round the better half goes on.
inline std::vector<int> halving_schedule(int considered, int simulations) {
  std::vector<int> schedule;
  if (considered <= 1) {
    for (int i = 0; i < simulations; ++i) schedule.push_back(i);
    return schedule;
  }
  int rounds = 0;  // ceil(log2(considered))
  while ((1 << rounds) < considered) ++rounds;
  std::vector<int> visits(static_cast<std::size_t>(considered), 0);
  int left = considered;
  while (static_cast<int>(schedule.size()) < simulations) {
    const int extra = std::max(1, simulations / (rounds * left));
    for (int i = 0; i < extra; ++i) {
      for (int a = 0; a < left; ++a) schedule.push_back(visits[static_cast<std::size_t>(a)]++);
    }
    left = std::max(2, left / 2);
  }
  schedule.resize(static_cast<std::size_t>(simulations));
  return schedule;
}

// pi(a) = N(a)^(1/tau) / sum_b N(b)^(1/tau), in place; tau 0 puts all on the most visited (the first of equals).
inline void apply_temperature(double* weights, int count, double tau) {
  const auto best = std::max_element(weights, weights + count);
  const double highest = *best;
  if (tau <= 0.0) {
    std::fill(weights, weights + count, 0.0);
    *best = 1.0;
    return;
  }
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    weights[i] = std::pow(weights[i] / highest, 1.0 / tau);
    sum += weights[i];
  }
  for (int i = 0; i < count; ++i) weights[i] /= sum;
}

}  // namespace tengen

// Distributions: what the search draws from an Rng besides uniform numbers. The same bits on every machine whose libm
// rounds alike.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "tengen/base/rng.h"

namespace tengen {

// Standard normal, by Box and Muller.
inline double random_normal(Rng& rng) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - rng.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * rng.uniform());
}

// Gamma(shape, 1), by Marsaglia and Tsang (2000); a shape below 1 is lifted by one and scaled back.
inline double random_gamma(Rng& rng, double shape) {
  if (shape < 1.0) return random_gamma(rng, shape + 1.0) * std::pow(1.0 - rng.uniform(), 1.0 / shape);
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = random_normal(rng);
    const double v = std::pow(1.0 + c * x, 3);
    if (v > 0.0 && std::log(1.0 - rng.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

// Dir(alpha, ..., alpha), [count]
inline std::vector<float> random_dirichlet(Rng& rng, double alpha, int count) {
  std::vector<double> gammas;
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += gammas.emplace_back(random_gamma(rng, alpha));
  std::vector<float> drawn;
  // A sum of 0 means that every gamma was too small for a double; then all shares are equal.
  for (const double gamma : gammas) drawn.push_back(static_cast<float>(sum > 0.0 ? gamma / sum : 1.0 / count));
  return drawn;
}

// The standard Gumbel distribution.
inline float random_gumbel(Rng& rng) {
  return static_cast<float>(-std::log(-std::log(rng.uniform() * (1.0 - 2e-16) + 1e-16)));
}

}  // namespace tengen

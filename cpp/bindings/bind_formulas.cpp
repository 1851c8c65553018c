// The formulas of the search (score.h, puct.h) and its distributions (base/random.h), for the tests and the tutorial.
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {

void bind_formulas(nb::module_& parent) {
  // A class and not a module, because one stub file cannot hold a module in a module.
  struct Formulas {};
  nb::class_<Formulas> formulas(parent, "formulas", "The formulas of the search, as the search computes them.");
  formulas.def_static("puct_factor", &puct_factor, "c_puct"_a, "base"_a, "parent_visits"_a);
  formulas.def_static("puct_bonus", &puct_bonus, "c"_a, "p"_a, "sqrt_total"_a, "n"_a);
  formulas.def_static("uct_bonus", &uct_bonus<>, "c"_a, "sqrt_log_total"_a, "n"_a);
  formulas.def_static("unvisited_q", &unvisited_q, "parent_q"_a, "reduction"_a, "visited_prior"_a);
  formulas.def_static("forced_visits", &forced_visits, "k"_a, "p"_a, "total"_a);
  formulas.def_static("gumbel_sigma", &gumbel_sigma, "q"_a, "c_visit"_a, "c_scale"_a, "max_visits"_a);
  formulas.def_static("mixed_value", &mixed_value, "v"_a, "total_visits"_a, "visited_prior"_a, "visited_prior_q"_a);
  formulas.def_static("halving_schedule", &halving_schedule, "considered"_a, "simulations"_a);
  formulas.def_static("fast_exp", &fast_exp, "x"_a);
  formulas.def_static(
      "softmax",
      [](std::vector<float> logits) {
        if (!logits.empty()) softmax(logits.data(), static_cast<int>(logits.size()));
        return logits;
      },
      "logits"_a);
  formulas.def_static(
      "apply_temperature",
      [](std::vector<double> weights, double tau) {
        if (!weights.empty()) apply_temperature(weights.data(), static_cast<int>(weights.size()), tau);
        return weights;
      },
      "weights"_a, "tau"_a);
  formulas.def_static(
      "random_dirichlet",
      [](std::uint64_t seed, double alpha, int count) {
        Rng rng(seed);
        return random_dirichlet(rng, alpha, count);
      },
      "seed"_a, "alpha"_a, "count"_a);
  formulas.def_static(
      "mix_noise",
      [](std::vector<float> priors, const std::vector<float>& noise, float eps) {
        if (noise.size() != priors.size()) throw nb::value_error("priors and noise must have the same length");
        for (std::size_t i = 0; i < priors.size(); ++i) priors[i] = mix_noise(priors[i], noise[i], eps);
        return priors;
      },
      "priors"_a, "noise"_a, "eps"_a);
  formulas.def_static(
      "prune_forced",
      [](std::vector<double> visits, const std::vector<float>& q, const std::vector<float>& priors, float c, float k) {
        if (q.size() != visits.size() || priors.size() != visits.size())
          throw nb::value_error("lengths must be the same");
        prune_forced(visits, q, priors, c, k);
        return visits;
      },
      "visits"_a, "q"_a, "priors"_a, "c"_a, "k"_a);
}

}  // namespace tengen

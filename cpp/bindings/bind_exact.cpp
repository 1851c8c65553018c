// Results by the rules alone: positions that a bounded alpha-beta settles, of any game.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bindings/arguments.h"
#include "bindings/bindings.h"
#include "bindings/gil.h"
#include "bindings/interrupt.h"
#include "tengen/base/error.h"
#include "tengen/search/exact.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

constexpr std::int64_t kMostPositions = 100'000'000;

std::vector<std::optional<ExactLine>> exact_lines(const std::vector<PyState>& states, Integer most_positions,
                                                  const std::vector<Seed>& seeds) {
  if (most_positions.value < 1 || most_positions.value > kMostPositions) {
    throw ArgumentError("The positions to look at must be between 1 and " + std::to_string(kMostPositions) + ".");
  }
  if (seeds.size() != states.size()) {
    throw ArgumentError("There must be a seed for each of the " + std::to_string(states.size()) + " states, not " +
                        std::to_string(seeds.size()) + ".");
  }
  for (const PyState& state : states) {
    if (state.game->outcome(*state.value)) throw ArgumentError("The game is over; there is no result to look for.");
  }
  Interrupt interrupt;
  const WithoutGil release;
  std::vector<std::optional<ExactLine>> lines;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const PyState& state = states[i];
    auto line = state.game->exact_line(*state.value, most_positions.value, seeds[i].value, std::ref(interrupt));
    lines.push_back(line.positions.empty() ? std::nullopt : std::optional(std::move(line)));
  }
  return lines;
}

}  // namespace

void bind_exact(nb::module_& module) {
  nb::class_<ExactPosition>(module, "ExactPosition", "Which actions are best by the rules. Any thread may use it.")
      .def_ro("best", &ExactPosition::best, "All actions that keep the result and its distance, or the best score.")
      .def_ro("played", &ExactPosition::played, "One of them.");
  nb::class_<ExactLine>(module, "ExactLine", "Best play by the rules to the end of a game. Any thread may use it.")
      .def_ro("outcome", &ExactLine::outcome)
      .def_ro("positions", &ExactLine::positions, "From the one that was asked about to the last before the end.");
  module.def("exact_lines", &exact_lines, "states"_a, "most_positions"_a, "seeds"_a,
             "For each state best play to the end of the game, or None if settling one of the positions on the way "
             "takes more than `most_positions`. Among equally good actions the seed chooses.");
}

}  // namespace tengen

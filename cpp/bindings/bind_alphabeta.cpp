// Minimax with alpha-beta pruning, of any game.
#include "bindings/arguments.h"
#include "bindings/bindings.h"
#include "bindings/gil.h"
#include "bindings/interrupt.h"
#include "tengen/base/error.h"
#include "tengen/search/alphabeta.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

constexpr int kMostDepth = 64;

AlphaBetaResult alphabeta(const PyState& state, Integer depth, Seed seed) {
  if (depth.value < 1 || depth.value > kMostDepth) {
    throw ArgumentError("The depth must be between 1 and " + std::to_string(kMostDepth) + ".");
  }
  if (state.game->outcome(*state.value)) throw ArgumentError("The game is over; there is no move to search for.");
  Interrupt interrupt;
  const WithoutGil release;
  return state.game->alphabeta(*state.value, static_cast<int>(depth.value), seed.value, std::ref(interrupt));
}

}  // namespace

void bind_alphabeta(nb::module_& module) {
  nb::class_<AlphaBetaResult>(module, "AlphaBetaResult", "What a minimax search found. A value: any thread may use it.")
      .def_ro("best_action", &AlphaBetaResult::best_action)
      .def_ro("value", &AlphaBetaResult::value, "For the player to move; beyond 0.9 or -0.9 the result is forced.")
      .def_ro("depth", &AlphaBetaResult::depth, "Plies searched: fewer than asked for where the result is forced.")
      .def_ro("positions", &AlphaBetaResult::positions, "Positions looked at.")
      .def("__repr__", [](const AlphaBetaResult& self) {
        return nb::str("<AlphaBetaResult: action {}, value {:.3f}, depth {}, {} positions>")
            .format(self.best_action, self.value, self.depth, self.positions);
      });
  module.def("alphabeta", &alphabeta, "state"_a, "depth"_a, "seed"_a,
             "Minimax with alpha-beta pruning to that depth; the seed chooses among moves of equal value.");
}

}  // namespace tengen

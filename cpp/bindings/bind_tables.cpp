// n-tuple networks: tables that evaluate positions, and the learner that makes them. The work is done without the
// interpreter's lock.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "bindings/arguments.h"
#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/interrupt.h"
#include "bindings/one_thread.h"
#include "tengen/base/error.h"
#include "tengen/tables/learner.h"
#include "tengen/tables/reader.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

using Numbers = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;

std::vector<float> to_vector(const Numbers& numbers) { return {numbers.data(), numbers.data() + numbers.size()}; }

using WeightsShape = std::tuple<std::size_t, std::size_t, std::size_t>;

// [banks, tuples, entries] of the weights.
WeightsShape weights_shape(const TablesLayout& layout) {
  return {static_cast<std::size_t>(layout.num_banks()), static_cast<std::size_t>(layout.num_tuples()),
          static_cast<std::size_t>(layout.entries())};
}

PyTables make_tables(const PyGame& game, const TablesShape& shape, const Numbers& weights, float temperature) {
  return {game.game, std::make_shared<const Tables>(game.game->spec(), shape, to_vector(weights), temperature)};
}

// Logits [B, A] and values [B] for the player to move.
std::pair<Array<float>, Array<float>> evaluate(const PyTables& self, const std::vector<PyState>& states) {
  const auto actions = static_cast<std::size_t>(self.game->spec().num_actions);
  for (const PyState& state : states) {
    if (!same_game(*state.game, *self.game)) {
      throw Error("These tables are of " + self.game->spec().name + ", not of " + state.game->spec().name + ".");
    }
  }
  auto logits = new_array<float>({states.size(), actions});
  auto values = new_array<float>({states.size()});
  {
    const WithoutGil release;
    for (std::size_t i = 0; i < states.size(); ++i) {
      values.data()[i] = self.game->evaluate(*self.tables, *states[i].value, logits.data() + i * actions);
    }
  }
  return {logits, values};
}

using Games = std::vector<std::pair<std::vector<Action>, int>>;  // moves, and how many of them were random

// A learner as Python holds it. One thread at a time: a second one is refused.
class PyTablesLearner {
 public:
  PyTablesLearner(const PyGame& game, const TablesShape& shape)
      : game_(game.game),
        layout_(game_->spec(), shape),
        tables_(layout_.num_weights()),
        learner_(game_->make_tables_learner(layout_)) {}

  std::pair<TablesFigures, Games> play(std::int64_t first, std::int64_t games, const Seed& seed,
                                       const TablesLearning& how, std::int64_t kept) {
    TablesFigures figures;
    Games last;
    one_thread_.alone([&] {
      Interrupt interrupt;
      PlayedGame played;
      const Rng rng(seed.value);
      for (std::int64_t game = 0; game < games; ++game) {
        interrupt();
        learner_->play(tables_, how, rng.split(static_cast<std::uint64_t>(first + game)), figures, played);
        if (game >= games - kept) last.emplace_back(played.moves, played.opening_plies);
      }
    });
    return {figures, std::move(last)};
  }

  Array<float> weights() const {
    one_thread_.check();
    const auto [banks, tuples, entries] = weights_shape(layout_);
    auto array = new_array<float>({banks, tuples, entries});
    std::copy(tables_.weights.begin(), tables_.weights.end(), array.data());
    return array;
  }

  Array<float> sums() const {
    one_thread_.check();
    const auto [banks, tuples, entries] = weights_shape(layout_);
    auto array = new_array<float>({banks, tuples, entries, 2});
    std::copy(tables_.sums.begin(), tables_.sums.end(), array.data());
    return array;
  }

  void load(const Numbers& weights, const Numbers& sums) {
    one_thread_.check();
    if (weights.size() != tables_.weights.size() || sums.size() != tables_.sums.size()) {
      throw ArgumentError("These tables have " + std::to_string(tables_.weights.size()) + " weights, not " +
                          std::to_string(weights.size()) + ".");
    }
    tables_.weights = to_vector(weights);
    tables_.sums = to_vector(sums);
  }

 private:
  std::shared_ptr<const AnyGame> game_;
  TablesLayout layout_;
  LearnedTables tables_;
  std::unique_ptr<AnyTablesLearner> learner_;
  OneThread one_thread_{"This learner is in use by another thread; give each thread its own."};
};

}  // namespace

void bind_tables(nb::module_& module) {
  nb::class_<TablesShape>(module, "TablesShape", "What the tables of an n-tuple network look at.")
      .def(
          "__init__",
          [](TablesShape* self, std::vector<std::vector<std::int32_t>> tuples, int stages, bool shares_players,
             bool marks_targets) { new (self) TablesShape{std::move(tuples), stages, shares_players, marks_targets}; },
          nb::kw_only(), "tuples"_a, "stages"_a = 1, "shares_players"_a = false, "marks_targets"_a = false)
      .def_ro("tuples", &TablesShape::tuples, "The cells of each tuple, [T][length].")
      .def_ro("stages", &TablesShape::stages, "Tables apart for positions with few and with many pieces.")
      .def_ro("shares_players", &TablesShape::shares_players,
              "Whether both players have the same tables; the second then sees the colours swapped.")
      .def_ro("marks_targets", &TablesShape::marks_targets,
              "Whether an empty cell that the mover can move to has a code of its own.")
      .def(
          "weights_shape",
          [](const TablesShape& self, const PyGame& game) {
            return weights_shape(TablesLayout(game.game->spec(), self));
          },
          "game"_a, "[banks, tuples, entries] of the weights; ArgumentError if the game has no such tables.");

  nb::class_<TablesLearning>(module, "TablesLearning", "How tables learn; docs/networks.md has the meanings.")
      .def(
          "__init__",
          [](TablesLearning* self, float rate, float lambda, float epsilon, float random_start_share,
             int random_start_plies, bool coherence) {
            const bool good = rate >= 0.0F && std::isfinite(rate) && lambda >= 0.0F && lambda <= 1.0F &&
                              epsilon >= 0.0F && epsilon <= 1.0F && random_start_plies >= 0;
            if (!good) throw ArgumentError("A rate and a number of plies are 0 or more, shares from 0 to 1.");
            new (self) TablesLearning{rate, lambda, epsilon, random_start_share, random_start_plies, coherence};
          },
          nb::kw_only(), "rate"_a, "return_share"_a, "epsilon"_a, "random_start_share"_a, "random_start_plies"_a,
          "coherence"_a = true);

  nb::class_<TablesFigures>(module, "TablesFigures", "What came of some games of learning.")
      .def_ro("games", &TablesFigures::games)
      .def_ro("positions", &TablesFigures::positions)
      .def_ro("evaluations", &TablesFigures::evaluations)
      .def_ro("plies", &TablesFigures::plies)
      .def_ro("first_wins", &TablesFigures::first_wins)
      .def_ro("draws", &TablesFigures::draws)
      .def_ro("squared_error", &TablesFigures::squared_error)
      .def_ro("squared_target", &TablesFigures::squared_target);

  nb::class_<PyTables>(module, "Tables", "An n-tuple network that evaluates. Threads can share it.")
      .def(
          "__init__",
          [](PyTables* self, const PyGame& game, const TablesShape& shape, const Numbers& weights, float temperature) {
            new (self) PyTables(make_tables(game, shape, weights, temperature));
          },
          "game"_a, "shape"_a, "weights"_a, "temperature"_a)
      .def("evaluate", &evaluate, "states"_a,
           "Logits [B, A], 0 where an action is not legal, and values [B] for the player to move.");

  nb::class_<PyTablesLearner>(module, "TablesLearner", "Tables that learn by playing themselves.")
      .def(nb::init<const PyGame&, const TablesShape&>(), "game"_a, "shape"_a)
      .def("play", &PyTablesLearner::play, "first"_a, "games"_a, "seed"_a, "how"_a, "kept"_a = 0,
           "Plays the games `first` to `first + games - 1` of a seed and learns from each. Returns the figures, and of "
           "the last `kept` games the moves and how many of them opened the game at random.")
      .def("weights", &PyTablesLearner::weights, "A copy, [banks, tuples, entries].")
      .def("sums", &PyTablesLearner::sums, "A copy, [banks, tuples, entries, 2]: of the errors, and of their sizes.")
      .def("load", &PyTablesLearner::load, "weights"_a, "sums"_a);

  module.def(
      "random_tuples",
      [](const PyGame& game, int count, int length, const Seed& seed, bool marks_targets, std::int64_t most_entries) {
        const GameSpec& spec = game.game->spec();
        const int cells = length > 0 ? length : longest_tuple(spec, marks_targets, most_entries);
        return random_tuples(spec, count, cells, seed.value);
      },
      "game"_a, "count"_a, "length"_a, "seed"_a, "marks_targets"_a = false, "most_entries"_a = 65536,
      "Cells of tuples by random walks on the board. length 0: as many as keep a table within `most_entries`.");
}

}  // namespace tengen

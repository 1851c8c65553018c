// Rollout policies: a fast softmax over patterns for play-outs, and the learner that makes one of recorded games. The
// work is done without the interpreter's lock.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "bindings/arguments.h"
#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/interrupt.h"
#include "bindings/one_thread.h"
#include "tengen/base/error.h"
#include "tengen/rollout/learner.h"
#include "tengen/rollout/policy.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

using Numbers = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;

std::vector<float> to_vector(const Numbers& numbers) { return {numbers.data(), numbers.data() + numbers.size()}; }

PyRolloutPolicy make_policy(const PyGame& game, const Numbers& weights, bool share_players) {
  return {game.game, std::make_shared<const RolloutPolicy>(game.game->spec(), share_players, to_vector(weights))};
}

void check_game(const PyRolloutPolicy& self, const PyState& state) {
  if (same_game(*state.game, *self.game)) return;
  throw Error("This rollout policy is of " + self.game->spec().name + ", not of " + state.game->spec().name + ".");
}

Array<float> probabilities(const PyRolloutPolicy& self, const PyState& state) {
  check_game(self, state);
  auto out = new_array<float>({static_cast<std::size_t>(self.game->spec().num_actions)});
  if (!self.game->outcome(*state.value)) {
    self.game->write_probabilities(*self.policy, *state.value, last_targets(state), out.data());
  }
  return out;
}

PlayoutCounts playouts(const PyRolloutPolicy& self, Integer games, Seed seed, const std::optional<PyState>& state) {
  if (games.value < 0) throw ArgumentError("The number of games must be 0 or more.");
  if (state) check_game(self, *state);
  const std::shared_ptr<const AnyState> from = state ? state->value : self.game->initial_state();
  const LastTargets past = state ? last_targets(*state) : LastTargets{};
  Interrupt interrupt;
  const WithoutGil release;
  return self.game->policy_playouts(*self.policy, *from, past, games.value, seed.value, std::ref(interrupt));
}

// A learner as Python holds it. One thread at a time: a second one is refused.
class PyRolloutLearner {
 public:
  PyRolloutLearner(const PyGame& game, bool share_players)
      : game_(game.game),
        layout_(game_->spec(), share_players),
        rollout_(layout_),
        learner_(game_->make_rollout_learner(layout_)) {}

  using Moves = nb::ndarray<const std::uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using Starts = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using FirstPlies = Starts;

  RolloutFigures learn(const Moves& moves, const Starts& starts, const FirstPlies& first_plies,
                       const std::vector<std::string>& boards, float rate, float decay) {
    if (!(rate >= 0.0F) || !(decay >= 0.0F) || !std::isfinite(rate) || !std::isfinite(decay)) {
      throw ArgumentError("A learning rate and a decay are numbers of 0 or more.");
    }
    const RolloutLearning how{rate, decay};
    return read(moves, starts, first_plies, boards, &how);
  }

  RolloutFigures measure(const Moves& moves, const Starts& starts, const FirstPlies& first_plies,
                         const std::vector<std::string>& boards) {
    return read(moves, starts, first_plies, boards, nullptr);
  }

  Array<float> weights() const { return copy_of(rollout_.weights); }
  Array<float> sums() const { return copy_of(rollout_.sums); }

  void load(const Numbers& weights, const Numbers& sums) {
    one_thread_.check();
    if (weights.size() != rollout_.weights.size() || sums.size() != rollout_.sums.size()) {
      throw ArgumentError("A rollout policy of " + game_->spec().name + " has " +
                          std::to_string(rollout_.weights.size()) + " weights, not " + std::to_string(weights.size()) +
                          ".");
    }
    rollout_.weights = to_vector(weights);
    rollout_.sums = to_vector(sums);
  }

 private:
  RolloutFigures read(const Moves& moves, const Starts& starts, const FirstPlies& first_plies,
                      const std::vector<std::string>& boards, const RolloutLearning* how) {
    check_games(moves, starts, first_plies, boards);
    RolloutFigures figures;
    one_thread_.alone([&] {
      Interrupt interrupt;
      const std::string initial;
      for (std::size_t i = 0; i + 1 < starts.shape(0); ++i) {
        interrupt();
        const auto first = static_cast<std::size_t>(starts.data()[i]);
        const auto last = static_cast<std::size_t>(starts.data()[i + 1]);
        const RolloutGame played{{moves.data() + first, last - first}, static_cast<std::size_t>(first_plies.data()[i])};
        learner_->read(rollout_, played, boards.empty() ? initial : boards[i], how, figures);
      }
    });
    return figures;
  }

  static void check_games(const Moves& moves, const Starts& starts, const FirstPlies& first_plies,
                          const std::vector<std::string>& boards) {
    const std::int64_t* from = starts.data();
    const std::size_t count = starts.shape(0);
    const bool fits =
        count > 0 && from[0] == 0 && std::is_sorted(from, from + count) &&
        from[count - 1] == static_cast<std::int64_t>(moves.shape(0)) && first_plies.shape(0) == count - 1 &&
        (boards.empty() || boards.size() == count - 1) &&
        std::all_of(first_plies.data(), first_plies.data() + count - 1, [](auto ply) { return ply >= 0; });
    if (!fits) throw RecordError("The arrays of the recorded games do not fit together.");
  }

  Array<float> copy_of(const std::vector<float>& numbers) const {
    one_thread_.check();
    auto array = new_array<float>(
        {static_cast<std::size_t>(layout_.num_banks()), static_cast<std::size_t>(layout_.bank_size())});
    std::copy(numbers.begin(), numbers.end(), array.data());
    return array;
  }

  std::shared_ptr<const AnyGame> game_;
  PatternLayout layout_;
  LearnedRollout rollout_;
  std::unique_ptr<AnyRolloutLearner> learner_;
  OneThread one_thread_{"This learner is in use by another thread; give each thread its own."};
};

}  // namespace

void bind_rollout(nb::module_& module) {
  nb::class_<RolloutFigures>(module, "RolloutFigures", "How well a rollout policy foretold the moves of some games.")
      .def_ro("positions", &RolloutFigures::positions, "With more than one legal action.")
      .def_ro("first", &RolloutFigures::first, "Positions whose move the policy held for the likeliest.")
      .def_ro("first_five", &RolloutFigures::first_five, "Positions whose move was among the five likeliest.")
      .def_ro("log_loss", &RolloutFigures::log_loss, "The sum of -log p of the moves played.");

  nb::class_<PyRolloutPolicy>(module, "RolloutPolicy",
                              "A softmax over small patterns, fast enough for play-outs. Threads can share it.")
      .def(
          "__init__",
          [](PyRolloutPolicy* self, const PyGame& game, const Numbers& weights, bool share_players) {
            new (self) PyRolloutPolicy(make_policy(game, weights, share_players));
          },
          "game"_a, "weights"_a, "share_players"_a)
      .def("probabilities", &probabilities, "state"_a, "Of each action [A]; all 0 if the game is over.")
      .def("playouts", &playouts, "games"_a, "seed"_a, "state"_a = nb::none(),
           "Plays games of the policy to their end, as Game.random_playouts does at random.");

  nb::class_<PyRolloutLearner>(module, "RolloutLearner", "Makes a rollout policy of recorded games.")
      .def(nb::init<const PyGame&, bool>(), "game"_a, "share_players"_a)
      .def("learn", &PyRolloutLearner::learn, nb::kw_only(), "moves"_a, "starts"_a, "first_plies"_a, "boards"_a,
           "rate"_a, "decay"_a,
           "Learns from these games in their order: game i has moves[starts[i] : starts[i + 1]], of which those before "
           "first_plies[i] were drawn at random, and starts at the drawing boards[i]; no boards: all start initially. "
           "The figures are of each move before it was learned from.")
      .def("measure", &PyRolloutLearner::measure, nb::kw_only(), "moves"_a, "starts"_a, "first_plies"_a, "boards"_a,
           "How well the moves of these games are foretold; nothing is learned.")
      .def("weights", &PyRolloutLearner::weights, "A copy, [banks, weights].")
      .def("sums", &PyRolloutLearner::sums, "A copy, [banks, weights]: of the squared gradients.")
      .def("load", &PyRolloutLearner::load, "weights"_a, "sums"_a);
}

}  // namespace tengen

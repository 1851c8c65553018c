// Forest: many trees, one batch. The work is done without the interpreter's lock.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <limits>
#include <tuple>

#include "bindings/arguments.h"
#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/interrupt.h"
#include "bindings/one_thread.h"
#include "bindings/tree_arrays.h"
#include "tengen/base/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

// A forest as Python holds it. One thread at a time: a second one is refused, not awaited.
class PyForest {
 public:
  PyForest(const PyGame& game, int num_trees, const SearchParams& params, std::uint64_t seed,
           const std::optional<PyRolloutPolicy>& rollouts)
      : game_(game.game), params_(params), seed_(seed), has_rollout_policy_(rollouts.has_value()) {
    if (num_trees < 1 || num_trees > 1'000'000) throw SearchParamError("A forest has 1 to 1000000 trees.");
    if (rollouts && !same_game(*rollouts->game, *game_)) {
      throw Error("This rollout policy is of " + rollouts->game->spec().name + ", and the forest searches " +
                  game_->spec().name + " or has other options.");
    }
    forest_ = game_->make_forest(num_trees, params, seed, rollouts ? rollouts->policy : nullptr);
  }

  const AnyGame& game() const { return *game_; }
  const SearchParams& params() const { return params_; }

  void set_root(int tree, const PyState& state, std::optional<std::uint64_t> seed) {
    check_tree(tree);
    const GameSpec& own = game_->spec();
    const GameSpec& other = state.game->spec();
    if (!same_game(*state.game, *game_)) {
      throw Error("The forest searches " + own.name + " (" + options_text(own.options) + "), not " + other.name + " (" +
                  options_text(other.options) + ").");
    }
    const std::uint64_t own_seed = seed ? *seed : mix64(mix64(seed_) + static_cast<std::uint64_t>(tree));
    const LastTargets past = has_rollout_policy_ ? last_targets(state) : LastTargets{};
    alone([&](AnyForest& forest) { forest.set_root(tree, *state.value, own_seed, past); });
  }

  void begin(std::optional<int> tree, std::optional<int> simulations, bool noise) {
    if (tree) check_tree(*tree);
    const int budget = simulations.value_or(params_.simulations);
    if (budget < 0) throw SearchParamError("simulations must be 0 or more, not " + std::to_string(budget) + ".");
    alone([&](AnyForest& forest) {
      const int first = tree.value_or(0);
      const int last = tree ? *tree + 1 : forest.num_trees();
      for (int i = first; i < last; ++i) forest.begin(i, budget, noise);
    });
  }

  // A batch of planes [B, C, H, W]. As long as the batches stay in one place and have one size, the array is the same.
  nb::object select(int max_leaves) {
    std::size_t count = 0;
    alone([&](AnyForest& forest) { count = select_from(forest, max_leaves); });
    return planes_array(count);
  }

  using Numbers = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;

  void update(const Numbers& logits, const Numbers& values) {
    const bool win_draw_loss = check_shapes(logits, values);
    alone([&](AnyForest& forest) { forest.update(logits.data(), values.data(), win_draw_loss); });
  }

  // Both in one: with several threads, each time the lock is let go and taken again may mean waiting.
  nb::object update_and_select(const Numbers& logits, const Numbers& values, int max_leaves) {
    const bool win_draw_loss = check_shapes(logits, values);
    std::size_t count = 0;
    alone([&](AnyForest& forest) {
      forest.update(logits.data(), values.data(), win_draw_loss);
      count = select_from(forest, max_leaves);
    });
    return planes_array(count);
  }

  // Answers the next leaves by tables, all of it here. Returns how many they were asked about.
  int settle(const PyTables& tables, int max_leaves) {
    if (!same_game(*tables.game, *game_)) {
      throw Error("These tables are of " + tables.game->spec().name + ", and the forest searches " +
                  game_->spec().name + " or has other options.");
    }
    int count = 0;
    alone([&](AnyForest& forest) {
      Interrupt interrupt;
      count = forest.settle(*tables.tables, max_leaves, std::ref(interrupt));
    });
    return count;
  }

  void advance(int tree, Action action) {
    check_tree(tree);
    check_action(action);
    alone([&](AnyForest& forest) { forest.advance(tree, action); });
  }

  void restrict_root(int tree, const std::vector<Action>& only) {
    check_tree(tree);
    for (const Action action : only) check_action(action);
    alone([&](AnyForest& forest) { forest.restrict_root(tree, only); });
  }

  void cancel() {
    alone([](AnyForest& forest) { forest.cancel(); });
  }
  void clear_cache() {
    alone([](AnyForest& forest) { forest.clear_cache(); });
  }

  TreeResult result(int tree) const {
    check_tree(tree);
    return idle().result(tree);
  }

  // visits, policy_target, q, prior: each [T, A], of the trees given or of all
  std::tuple<Array<std::int32_t>, Array<float>, Array<float>, Array<float>> root_arrays(
      const std::optional<std::vector<int>>& wanted) const {
    const AnyForest& forest = idle();
    std::vector<int> numbers = wanted.value_or(std::vector<int>());
    for (int i = 0; !wanted && i < forest.num_trees(); ++i) numbers.push_back(i);
    for (const int tree : numbers) check_tree(tree);
    const std::size_t trees = numbers.size();
    const auto actions = static_cast<std::size_t>(game_->spec().num_actions);
    auto visits = new_array<std::int32_t>({trees, actions});
    auto target = new_array<float>({trees, actions});
    auto q = new_array<float>({trees, actions});
    auto prior = new_array<float>({trees, actions});
    std::fill(q.data(), q.data() + trees * actions, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t tree = 0; tree < trees; ++tree) {
      const std::size_t at = tree * actions;
      forest.write_root(numbers[tree], visits.data() + at, target.data() + at, q.data() + at, prior.data() + at);
    }
    return {visits, target, q, prior};
  }

  TreeArrays tree(int tree) const {
    check_tree(tree);
    return tree_arrays(idle().tree(tree));
  }

  void trace(bool on) { idle().set_trace(on ? &trace_ : nullptr); }
  SimulationTrace last_trace() const {
    idle();
    return trace_;
  }
  int num_trees() const { return forest_->num_trees(); }
  int num_pending() const { return idle().num_pending(); }
  bool searching() const { return idle().searching(); }
  std::vector<int> stopped_trees() const { return idle().stopped_trees(); }
  std::size_t bytes() const { return idle().bytes(); }

 private:
  static std::size_t select_from(AnyForest& forest, int max_leaves) {
    Interrupt interrupt;
    return static_cast<std::size_t>(forest.select(max_leaves, std::ref(interrupt)));
  }

  nb::object planes_array(std::size_t count) {
    const auto planes = forest_->planes();
    if (planes.get() == array_of_ && count == array_count_) return array_;
    const GameSpec& spec = game_->spec();
    auto* owner = new std::shared_ptr<std::vector<float>>(planes);
    nb::capsule capsule(owner, [](void* p) noexcept { delete static_cast<std::shared_ptr<std::vector<float>>*>(p); });
    const Array<float> array(planes->data(),
                             {count, static_cast<std::size_t>(spec.num_planes), static_cast<std::size_t>(spec.height),
                              static_cast<std::size_t>(spec.width)},
                             capsule);
    array_ = nb::cast(array);
    array_of_ = planes.get();
    array_count_ = count;
    return array_;
  }

  // Whether the values are win, draw and loss.
  bool check_shapes(const Numbers& logits, const Numbers& values) const {
    const auto n = static_cast<std::size_t>(num_pending());
    const auto actions = static_cast<std::size_t>(game_->spec().num_actions);
    if (logits.ndim() != 2 || logits.shape(0) != n || logits.shape(1) != actions) {
      throw EvaluatorError("The policy logits must be [" + std::to_string(n) + ", " + std::to_string(actions) +
                           "] (leaves, actions), not " + shape_text(logits) + ".");
    }
    const bool win_draw_loss = values.ndim() == 2 && values.shape(1) == 3;
    if (values.ndim() < 1 || values.shape(0) != n || (values.ndim() != 1 && !win_draw_loss)) {
      throw EvaluatorError("The values must be [" + std::to_string(n) + "] or [" + std::to_string(n) +
                           ", 3] (win, draw, loss), not " + shape_text(values) + ".");
    }
    return win_draw_loss;
  }

  static std::string shape_text(const Numbers& array) {
    std::string text = "[";
    for (std::size_t i = 0; i < array.ndim(); ++i) text += (i > 0 ? ", " : "") + std::to_string(array.shape(i));
    return text + "]";
  }

  void check_tree(int tree) const {
    if (tree < 0 || tree >= forest_->num_trees()) {
      throw SearchParamError("There is no tree " + std::to_string(tree) + "; this forest has 0 to " +
                             std::to_string(forest_->num_trees() - 1) + ".");
    }
  }

  void check_action(Action action) const {
    if (action < 0 || action >= game_->spec().num_actions) {
      throw IllegalActionError("Actions of " + game_->spec().name + " are 0 to " +
                               std::to_string(game_->spec().num_actions - 1) + ", not " + std::to_string(action) + ".");
    }
  }

  AnyForest& idle() const {
    one_thread_.check();
    return *forest_;
  }

  template <class Work>
  void alone(Work&& work) {
    one_thread_.alone([&] { work(*forest_); });
  }

  std::shared_ptr<const AnyGame> game_;
  SearchParams params_;
  std::uint64_t seed_;
  bool has_rollout_policy_;
  std::unique_ptr<AnyForest> forest_;
  SimulationTrace trace_;
  nb::object array_;  // the last batch of planes, a view of array_of_
  const std::vector<float>* array_of_ = nullptr;
  std::size_t array_count_ = 0;
  OneThread one_thread_{"This forest is in use by another thread; give each thread its own."};
};

}  // namespace

void bind_forest(nb::module_& module) {
  nb::class_<PyForest>(module, "Forest",
                       "Many trees, one batch: select() asks for evaluations, update() takes them.\n\n"
                       "For one thread at a time: a call during another thread's raises InUseError. Threads with a "
                       "forest each may share games, states and parameters.")
      .def(nb::init<const PyGame&, int, const SearchParams&, std::uint64_t, const std::optional<PyRolloutPolicy>&>(),
           "game"_a, "num_trees"_a, "params"_a, "seed"_a, "rollouts"_a = nb::none(),
           "`rollouts` is the policy of the play-outs that params.rollout_weight asks for; uniformly random without.")
      .def_prop_ro("params", [](const PyForest& self) { return self.params(); })
      .def_prop_ro("num_trees", &PyForest::num_trees)
      .def_prop_ro("num_pending", &PyForest::num_pending, "Leaves that wait for update().")
      .def_prop_ro("bytes", &PyForest::bytes,
                   "Memory that grows with trees, nodes, leaves and the cache, in use or in reserve.")
      .def("set_root", &PyForest::set_root, "tree"_a, "state"_a, "seed"_a = nb::none(),
           "A new position for a tree, without memory of the old one.")
      .def("restrict_root", &PyForest::restrict_root, "tree"_a, "only"_a,
           "Searches only these legal actions at the root, until it is another; all if there are none. The tree begins "
           "anew.")
      .def("begin", &PyForest::begin, "tree"_a = nb::none(), "simulations"_a = nb::none(), "noise"_a = false,
           "Starts a search on one tree, or on all. `noise`: explore at the root, as self-play does.")
      .def("searching", &PyForest::searching)
      .def("stopped_trees", &PyForest::stopped_trees, "Trees whose search has stopped.")
      .def("select", &PyForest::select, "max_leaves"_a = 0,
           nb::sig("def select(self, max_leaves: int = 0) -> NDArray[numpy.float32]"),
           "Planes [B, C, H, W] of the next leaves to evaluate; the next call writes over them. B may be 0.")
      .def("update", &PyForest::update, "logits"_a, "values"_a,
           "Policy logits [B, A] and values for the player to move, [B] or win/draw/loss [B, 3], for those leaves.")
      .def("update_and_select", &PyForest::update_and_select, "logits"_a, "values"_a, "max_leaves"_a = 0,
           nb::sig("def update_and_select(self, logits: NDArray[numpy.float32], values: NDArray[numpy.float32], "
                   "max_leaves: int = 0) -> NDArray[numpy.float32]"),
           "update() and the next select() in one call.")
      .def("settle", &PyForest::settle, "tables"_a, "max_leaves"_a = 0,
           "select() and update() in one, answered by tables; returns how many leaves they were asked about.")
      .def("cancel", &PyForest::cancel, "Takes the last select() back: the next one asks for the same leaves.")
      .def("advance", &PyForest::advance, "tree"_a, "action"_a, "Plays an action at the root and keeps its subtree.")
      .def("clear_cache", &PyForest::clear_cache, "Forgets all evaluations; needed when the network changes.")
      .def("result", &PyForest::result, "tree"_a)
      .def("root_arrays", &PyForest::root_arrays, "trees"_a = nb::none(),
           "visits, policy_target, q and prior of these roots, or of all, each [T, A].")
      .def("tree", &PyForest::tree, "tree"_a, "A copy of the whole tree as arrays.")
      .def("trace", &PyForest::trace, "on"_a, "Step mode: whether to record what each simulation does.")
      .def_prop_ro("last_trace", &PyForest::last_trace, "What the last simulation did.")
      .def("__repr__", [](const PyForest& self) {
        const int trees = self.num_trees();
        return "<Forest of " + std::to_string(trees) + (trees == 1 ? " tree" : " trees") + " for " +
               self.game().spec().name + ">";
      });
}

}  // namespace tengen

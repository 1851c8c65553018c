// SearchParams, Forest, what a search answers, and the formulas of score.h and root.h for the tests and the tutorial.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>

#include "bindings/arguments.h"
#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "tengen/base/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

// --- SearchParams ---------------------------------------------------------------------------------------------------

template <class T>
std::vector<std::pair<std::string, T>> enum_names();
template <>
std::vector<std::pair<std::string, Selection>> enum_names() {
  return {{"puct", Selection::kPuct}, {"uct", Selection::kUct}, {"gumbel", Selection::kGumbel}};
}
template <>
std::vector<std::pair<std::string, UnvisitedValue>> enum_names() {
  return {{"parent", UnvisitedValue::kParent}, {"zero", UnvisitedValue::kZero}};
}

// What Python reads for a parameter: str, int, bool or float.
template <class T>
auto to_python(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    std::string text;
    for (const auto& [name, entry] : enum_names<T>()) {
      if (entry == value) text = name;
    }
    return text;
  } else if constexpr (std::is_same_v<T, float>) {
    // The shortest decimal that is this float, so that 0.2F reads 0.2.
    return std::stod(nb::cast<std::string>(nb::str("{:.7g}").attr("format")(static_cast<double>(value))));
  } else {
    return value;
  }
}

template <class T>
void from_python(const char* name, nb::handle given, double lowest, double highest, T& value) {
  const auto refuse = [&](const std::string& wanted) {
    throw SearchParamError(std::string(name) + " must be " + wanted + ", not " +
                           nb::cast<std::string>(nb::repr(given)) + ".");
  };
  if constexpr (std::is_enum_v<T>) {
    std::string known;
    for (const auto& [text, entry] : enum_names<T>()) {
      if (nb::isinstance<nb::str>(given) && nb::cast<Text>(given).value == text) {
        value = entry;
        return;
      }
      known += (known.empty() ? "'" : " or '") + text + "'";
    }
    refuse(known);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!nb::isinstance<nb::bool_>(given)) refuse("True or False");
    value = nb::cast<bool>(given);
  } else {
    constexpr bool kWhole = std::is_integral_v<T>;
    const std::string range = (kWhole ? "a whole number from " : "a number from ") +
                              std::to_string(static_cast<long long>(lowest)) + " to " +
                              std::to_string(static_cast<long long>(highest));
    double number = std::numeric_limits<double>::quiet_NaN();
    if (nb::isinstance<nb::bool_>(given) || !nb::try_cast<double>(given, number)) refuse(range);
    if (!(number >= lowest && number <= highest) || (kWhole && number != std::floor(number))) refuse(range);
    value = static_cast<T>(number);
  }
}

void set_params(SearchParams& params, const nb::kwargs& given) {
  for (const auto& [key, value] : given) {
    const std::string wanted = nb::cast<Text>(key).value;
    bool found = false;
    for_each_param([&](const char* name, auto member, double lowest, double highest, const char*) {
      if (wanted != name) return;
      found = true;
      from_python(name, value, lowest, std::min(highest, 2147483647.0), params.*member);
    });
    if (!found) throw SearchParamError("There is no search parameter called '" + wanted + "'.");
  }
}

std::string params_repr(const SearchParams& params) {
  const SearchParams defaults;
  std::string text;
  for_each_param([&](const char* name, auto member, double, double, const char*) {
    if (params.*member == defaults.*member) return;
    text += (text.empty() ? "" : ", ") + std::string(name) + "=" +
            nb::cast<std::string>(nb::repr(nb::cast(to_python(params.*member))));
  });
  return "SearchParams(" + text + ")";
}

struct ParamSpec {
  std::string name;
  nb::object default_value;
  double lowest;
  double highest;
  std::vector<std::string> choices;
  std::string help;
};

std::vector<ParamSpec> param_specs() {
  std::vector<ParamSpec> specs;
  const SearchParams defaults;
  for_each_param([&](const char* name, auto member, double lowest, double highest, const char* help) {
    using T = std::remove_cvref_t<decltype(defaults.*member)>;
    ParamSpec& spec =
        specs.emplace_back(ParamSpec{name, nb::cast(to_python(defaults.*member)), lowest, highest, {}, help});
    if constexpr (std::is_enum_v<T>) {
      for (const auto& [text, entry] : enum_names<T>()) spec.choices.push_back(text);
    }
  });
  return specs;
}

void bind_params(nb::module_& module) {
  nb::class_<ParamSpec>(module, "ParamSpec", "One search parameter.")
      .def_ro("name", &ParamSpec::name)
      .def_ro("default", &ParamSpec::default_value)
      .def_ro("lowest", &ParamSpec::lowest)
      .def_ro("highest", &ParamSpec::highest)
      .def_ro("choices", &ParamSpec::choices)
      .def_ro("help", &ParamSpec::help);
  module.def("param_specs", &param_specs, "Every search parameter with its default, range and origin.");

  auto params =
      nb::class_<SearchParams>(module, "SearchParams", "Every number the search uses. A value: it never changes.");
  params
      .def(
          "__init__",
          [](SearchParams* self, const nb::kwargs& given) {
            SearchParams made;
            set_params(made, given);
            new (self) SearchParams(made);
          },
          nb::sig("def __init__(self, **parameters: object) -> None"))
      .def(
          "replace",
          [](const SearchParams& self, const nb::kwargs& given) {
            SearchParams changed = self;
            set_params(changed, given);
            return changed;
          },
          nb::sig("def replace(self, **parameters: object) -> SearchParams"),
          "The same parameters but for those given.")
      .def(
          "__eq__", [](const SearchParams& self, const SearchParams& other) { return self == other; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const SearchParams& self) { return nb::hash(nb::str(params_repr(self).c_str())); })
      .def("__repr__", &params_repr);
  for_each_param([&](const char* name, auto member, double, double, const char* help) {
    params.def_prop_ro(name, [member](const SearchParams& self) { return to_python(self.*member); }, help);
  });
}

// --- What a search answers ------------------------------------------------------------------------------------------

const char* stop_text(StopReason reason) {
  switch (reason) {
    case StopReason::kNotStarted:
      return "not started";
    case StopReason::kSearching:
      return "searching";
    case StopReason::kSimulations:
      return "simulations";
    case StopReason::kProven:
      return "proven";
    case StopReason::kNodeCap:
      return "node cap";
    case StopReason::kGameOver:
      return "game over";
  }
  return "";
}

const char* leaf_text(LeafKind kind) {
  switch (kind) {
    case LeafKind::kEvaluated:
      return "evaluated";
    case LeafKind::kCached:
      return "cached";
    case LeafKind::kRollout:
      return "rollout";
    case LeafKind::kProven:
      return "proven";
  }
  return "";
}

std::optional<Outcome> proven_outcome(Proven proven) {
  switch (proven) {
    case Proven::kUnknown:
      return std::nullopt;
    case Proven::kFirstWins:
      return Outcome::win(Player::kFirst);
    case Proven::kSecondWins:
      return Outcome::win(Player::kSecond);
    case Proven::kDraw:
      return Outcome::draw();
  }
  return std::nullopt;
}

// Arrays over the nodes of a tree, parents before children; node 0 is the root. A copy: the search may go on.
struct TreeArrays {
  Array<std::int32_t> parent;       // [n] -1 for the root
  Array<std::int32_t> action;       // [n] that led here; -1 for the root
  Array<std::int32_t> player;       // [n] to move
  Array<std::int64_t> visits;       // [n]
  Array<double> value_sum;          // [n] for the first player
  Array<float> value;               // [n] evaluation of the node itself, for the first player
  Array<float> prior;               // [n] of the edge that led here; 1 for the root
  Array<std::int8_t> proven;        // [n] 0 unknown, 1 first wins, 2 second wins, 3 draw
  Array<std::int32_t> distance;     // [n] plies to the end, if proven
  Array<std::int64_t> edges_from;   // [n + 1] edges of node i are [edges_from[i], edges_from[i + 1])
  Array<std::int32_t> edge_action;  // [e]
  Array<float> edge_prior;          // [e]
  Array<std::int32_t> edge_child;   // [e] node, or -1 if it was never visited
};

TreeArrays tree_arrays(const Tree& tree) {
  const std::size_t n = tree.num_nodes();
  std::size_t num_edges = 0;
  for (NodeId node = 0; node < n; ++node) num_edges += tree.links(node).num_edges;
  TreeArrays out{new_array<std::int32_t>({n}),
                 new_array<std::int32_t>({n}),
                 new_array<std::int32_t>({n}),
                 new_array<std::int64_t>({n}),
                 new_array<double>({n}),
                 new_array<float>({n}),
                 new_array<float>({n}),
                 new_array<std::int8_t>({n}),
                 new_array<std::int32_t>({n}),
                 new_array<std::int64_t>({n + 1}),
                 new_array<std::int32_t>({num_edges}),
                 new_array<float>({num_edges}),
                 new_array<std::int32_t>({num_edges})};
  out.parent.data()[0] = -1;
  out.action.data()[0] = -1;
  out.prior.data()[0] = 1.0F;
  std::size_t edge = 0;
  for (NodeId node = 0; node < n; ++node) {
    const Tree::Stats& stats = tree.stats(node);
    const Tree::Links& links = tree.links(node);
    out.player.data()[node] = index(stats.to_move);
    out.visits.data()[node] = stats.visits;
    out.value_sum.data()[node] = stats.value_sum;
    out.value.data()[node] = links.value;
    out.proven.data()[node] = static_cast<std::int8_t>(stats.proven);
    out.distance.data()[node] = links.distance;
    out.edges_from.data()[node] = static_cast<std::int64_t>(edge);
    for (int i = 0; i < links.num_edges; ++i, ++edge) {
      out.edge_action.data()[edge] = tree.actions(node)[i];
      out.edge_prior.data()[edge] = tree.priors(node)[i];
      out.edge_child.data()[edge] = -1;
      if (i >= links.num_children) continue;
      const NodeId child = tree.child(node, i);
      out.edge_child.data()[edge] = static_cast<std::int32_t>(child);
      out.parent.data()[child] = static_cast<std::int32_t>(node);
      out.action.data()[child] = tree.actions(node)[i];
      out.prior.data()[child] = tree.priors(node)[i];
    }
  }
  out.edges_from.data()[n] = static_cast<std::int64_t>(edge);
  return out;
}

void bind_answers(nb::module_& module) {
  module.def(
      "outcome_of_proof", [](int proven) { return proven_outcome(static_cast<Proven>(proven)); }, "proven"_a,
      "The outcome that a number in TreeArrays.proven stands for; None for 0.");
  nb::class_<TreeResult>(module, "TreeResult", "What the search of one tree came to.")
      .def_prop_ro(
          "stopped", [](const TreeResult& self) { return stop_text(self.stopped); },
          "'simulations', 'proven', 'node cap', 'game over', 'searching' or 'not started'.")
      .def_ro("simulations", &TreeResult::simulations, "Done in this search.")
      .def_ro("nodes", &TreeResult::nodes)
      .def_ro("root_value", &TreeResult::root_value, "For the player to move.")
      .def_ro("network_value", &TreeResult::network_value, "The evaluation of the root itself, for the player to move.")
      .def_prop_ro(
          "proven", [](const TreeResult& self) { return proven_outcome(self.proven); },
          "The result under best play, if it is known for certain.")
      .def_ro("distance", &TreeResult::distance, "Plies to the end in the line that proves it.")
      .def_ro("best_action", &TreeResult::best_action)
      .def_ro("line", &TreeResult::line, "The principal variation.");

  nb::class_<ChildScore>(module, "ChildScore", "The terms of one child's score in one selection.")
      .def_ro("action", &ChildScore::action)
      .def_ro("visits", &ChildScore::visits)
      .def_ro("q", &ChildScore::q, "Mean value for the player who chooses.")
      .def_ro("prior", &ChildScore::prior)
      .def_ro("bonus", &ChildScore::bonus, "The exploration term; U in PUCT.")
      .def_ro("score", &ChildScore::score, "The highest is taken.");
  nb::class_<SimulationTrace::Step>(module, "SelectionStep", "One choice on the way down.")
      .def_ro("node", &SimulationTrace::Step::node)
      .def_ro("children", &SimulationTrace::Step::children)
      .def_ro("chosen", &SimulationTrace::Step::chosen, "The action taken.");
  nb::class_<SimulationTrace::Change>(module, "BackupChange", "What the backup changed in one node.")
      .def_ro("node", &SimulationTrace::Change::node)
      .def_ro("visits_before", &SimulationTrace::Change::visits_before)
      .def_ro("visits_after", &SimulationTrace::Change::visits_after)
      .def_ro("value_sum_before", &SimulationTrace::Change::value_sum_before, "For the first player.")
      .def_ro("value_sum_after", &SimulationTrace::Change::value_sum_after, "For the first player.");
  nb::class_<SimulationTrace>(module, "SimulationTrace", "What one simulation did.")
      .def_ro("steps", &SimulationTrace::steps, "The choices, from the root down.")
      .def_ro("leaf", &SimulationTrace::leaf, "The node the simulation ended in.")
      .def_prop_ro(
          "kind", [](const SimulationTrace& self) { return leaf_text(self.kind); },
          "How the leaf got its value: 'evaluated', 'cached', 'rollout' or 'proven'.")
      .def_ro("actions", &SimulationTrace::actions, "Legal actions of the leaf, if it was expanded.")
      .def_ro("priors", &SimulationTrace::priors, "Their priors.")
      .def_ro("value", &SimulationTrace::value, "What was backed up, for the first player.")
      .def_ro("changes", &SimulationTrace::changes, "What the backup changed, from the root down.");

  nb::class_<TreeArrays>(module, "TreeArrays", "A tree as arrays over its nodes and edges; node 0 is the root.")
      .def_ro("parent", &TreeArrays::parent, nb::rv_policy::automatic)
      .def_ro("action", &TreeArrays::action, nb::rv_policy::automatic)
      .def_ro("player", &TreeArrays::player, nb::rv_policy::automatic)
      .def_ro("visits", &TreeArrays::visits, nb::rv_policy::automatic)
      .def_ro("value_sum", &TreeArrays::value_sum, nb::rv_policy::automatic, "For the first player.")
      .def_ro("value", &TreeArrays::value, nb::rv_policy::automatic,
              "The evaluation of the node itself, for the first player.")
      .def_ro("prior", &TreeArrays::prior, nb::rv_policy::automatic)
      .def_ro("proven", &TreeArrays::proven, nb::rv_policy::automatic,
              "0 unknown, 1 first player wins, 2 second player wins, 3 draw.")
      .def_ro("distance", &TreeArrays::distance, nb::rv_policy::automatic)
      .def_ro("edges_from", &TreeArrays::edges_from, nb::rv_policy::automatic)
      .def_ro("edge_action", &TreeArrays::edge_action, nb::rv_policy::automatic)
      .def_ro("edge_prior", &TreeArrays::edge_prior, nb::rv_policy::automatic)
      .def_ro("edge_child", &TreeArrays::edge_child, nb::rv_policy::automatic);
}

// --- Forest ---------------------------------------------------------------------------------------------------------

// A forest as Python holds it. One thread at a time: a second one is refused, not awaited.
class PyForest {
 public:
  PyForest(const PyGame& game, int num_trees, const SearchParams& params, std::uint64_t seed)
      : game_(game.game), params_(params), seed_(seed) {
    if (num_trees < 1 || num_trees > 1'000'000) throw SearchParamError("A forest has 1 to 1000000 trees.");
    forest_ = game_->make_forest(num_trees, params, seed);
  }

  const AnyGame& game() const { return *game_; }
  const SearchParams& params() const { return params_; }

  void set_root(int tree, const PyState& state, std::optional<std::uint64_t> seed) {
    check_tree(tree);
    const GameSpec& own = game_->spec();
    const GameSpec& other = state.game->spec();
    if (!same_game(*state.game, *game_)) {
      throw Error("The forest searches " + own.name + " (" + own.options + "), not " + other.name + " (" +
                  other.options + ").");
    }
    const std::uint64_t own_seed = seed ? *seed : mix64(mix64(seed_) + static_cast<std::uint64_t>(tree));
    alone([&](AnyForest& forest) { forest.set_root(tree, *state.value, own_seed); });
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

  Array<float> select(int max_leaves) {
    std::size_t count = 0;
    std::shared_ptr<std::vector<float>> planes;
    alone([&](AnyForest& forest) {
      count = static_cast<std::size_t>(forest.select(max_leaves));
      planes = forest.planes();
    });
    const GameSpec& spec = game_->spec();
    auto* owner = new std::shared_ptr<std::vector<float>>(planes);
    nb::capsule capsule(owner, [](void* p) noexcept { delete static_cast<std::shared_ptr<std::vector<float>>*>(p); });
    return Array<float>(planes->data(),
                        {count, static_cast<std::size_t>(spec.num_planes), static_cast<std::size_t>(spec.height),
                         static_cast<std::size_t>(spec.width)},
                        capsule);
  }

  using Numbers = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;

  void update(const Numbers& logits, const Numbers& values) {
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
    alone([&](AnyForest& forest) { forest.update(logits.data(), values.data(), win_draw_loss); });
  }

  void advance(int tree, Action action) {
    check_tree(tree);
    if (action < 0 || action >= game_->spec().num_actions) {
      throw IllegalActionError("Actions of " + game_->spec().name + " are 0 to " +
                               std::to_string(game_->spec().num_actions - 1) + ", not " + std::to_string(action) + ".");
    }
    alone([&](AnyForest& forest) { forest.advance(tree, action); });
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

  [[noreturn]] static void refuse_thread() {
    throw Error("This forest is in use by another thread; give each thread its own.");
  }

  // The forest, for a look while the interpreter's lock is held: nobody can start to change it meanwhile.
  AnyForest& idle() const {
    if (busy_) refuse_thread();
    return *forest_;
  }

  // Runs `work` without the interpreter's lock, and refuses a second thread meanwhile.
  template <class Work>
  void alone(Work&& work) {
    if (busy_.exchange(true)) refuse_thread();
    struct Done {
      std::atomic<bool>& busy;
      ~Done() { busy = false; }
    } done{busy_};
    nb::gil_scoped_release release;
    work(*forest_);
  }

  std::shared_ptr<const AnyGame> game_;
  SearchParams params_;
  std::uint64_t seed_;
  std::unique_ptr<AnyForest> forest_;
  SimulationTrace trace_;
  std::atomic<bool> busy_{false};
};

void bind_forest(nb::module_& module) {
  nb::class_<PyForest>(module, "Forest", "Many trees, one batch: select() asks for evaluations, update() takes them.")
      .def(nb::init<const PyGame&, int, const SearchParams&, std::uint64_t>(), "game"_a, "num_trees"_a, "params"_a,
           "seed"_a)
      .def_prop_ro("params", [](const PyForest& self) { return self.params(); })
      .def_prop_ro("num_trees", &PyForest::num_trees)
      .def_prop_ro("num_pending", &PyForest::num_pending, "Leaves that wait for update().")
      .def_prop_ro("bytes", &PyForest::bytes, "Memory held by trees, cache and batch.")
      .def("set_root", &PyForest::set_root, "tree"_a, "state"_a, "seed"_a = nb::none(),
           "A new position for a tree, without memory of the old one.")
      .def("begin", &PyForest::begin, "tree"_a = nb::none(), "simulations"_a = nb::none(), "noise"_a = false,
           "Starts a search on one tree, or on all. `noise`: explore at the root, as self-play does.")
      .def("searching", &PyForest::searching)
      .def("stopped_trees", &PyForest::stopped_trees, "Trees whose search has stopped.")
      .def("select", &PyForest::select, "max_leaves"_a = 0,
           "Planes [B, C, H, W] of the next leaves to evaluate; the next call writes over them. B may be 0.")
      .def("update", &PyForest::update, "logits"_a, "values"_a,
           "Policy logits [B, A] and values for the player to move, [B] or win/draw/loss [B, 3], for those leaves.")
      .def("cancel", &PyForest::cancel, "Takes the last select() back: the next one asks for the same leaves.")
      .def("advance", &PyForest::advance, "tree"_a, "action"_a, "Plays an action at the root and keeps its subtree.")
      .def("clear_cache", &PyForest::clear_cache, "Forgets all evaluations; needed when the network changes.")
      .def("result", &PyForest::result, "tree"_a)
      .def("root_arrays", &PyForest::root_arrays, "trees"_a = nb::none(),
           "visits, policy_target, q and prior of these roots, or of all, each [T, A].")
      .def("tree", &PyForest::tree, "tree"_a, "A copy of the whole tree as arrays.")
      .def("trace", &PyForest::trace, "on"_a, "Step mode: whether to record what each simulation does.")
      .def_prop_ro("last_trace", &PyForest::last_trace, "What the last simulation did.");
}

void bind_formulas(nb::module_& parent) {
  // A class and not a module, because one stub file cannot hold a module in a module.
  struct Formulas {};
  nb::class_<Formulas> formulas(parent, "formulas", "The formulas of the search, as the search computes them.");
  formulas.def_static("puct_factor", &puct_factor, "c_puct"_a, "base"_a, "parent_visits"_a);
  formulas.def_static("puct_bonus", &puct_bonus, "c"_a, "p"_a, "sqrt_total"_a, "n"_a);
  formulas.def_static("uct_bonus", &uct_bonus, "c"_a, "sqrt_log_total"_a, "n"_a);
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
        mix_noise(priors.data(), noise.data(), static_cast<int>(priors.size()), eps);
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

}  // namespace

void bind_search(nb::module_& module) {
  bind_params(module);
  bind_answers(module);
  bind_forest(module);
  bind_formulas(module);
}

}  // namespace tengen

// What module.cpp calls, in dependency order, and the classes that several binding files share.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include "bindings/any_game.h"
#include "tengen/games/options.h"

namespace tengen {

// A state as Python sees it: the value, the game it belongs to, and how it came about.
struct PyState {
  std::shared_ptr<const AnyGame> game;
  std::shared_ptr<const AnyState> value;  // never changed once made
  std::vector<Action> moves;              // from `start_board`, or from the initial state
  std::optional<std::string> start_board;
};

struct PyGame {
  std::shared_ptr<const AnyGame> game;
};

// What tells the rules of two games apart, besides their options: the name and the text of a rules file, wherever it
// lies, or else what load() takes.
inline std::string rules_key(const GameSpec& spec) {
  return spec.rules_digest.empty() ? spec.source : spec.name + " " + spec.rules_digest;
}

// The same rules, as far as names go, and the same kind of state.
inline bool same_game(const AnyGame& a, const AnyGame& b) {
  return &a == &b ||
         (typeid(a) == typeid(b) && rules_key(a.spec()) == rules_key(b.spec()) && a.spec().options == b.spec().options);
}

// Tables as Python holds them: constant, so that threads share them.
struct PyTables {
  std::shared_ptr<const AnyGame> game;
  std::shared_ptr<const Tables> tables;
};

// A rollout policy as Python holds it: constant, so that threads share it.
struct PyRolloutPolicy {
  std::shared_ptr<const AnyGame> game;
  std::shared_ptr<const RolloutPolicy> policy;
};

// Where the last moves before a state went.
inline LastTargets last_targets(const PyState& state) {
  return state.game->last_targets(state.moves, state.start_board.value_or(""));
}

void bind_errors(nanobind::module_& module);
void bind_outcome(nanobind::module_& module);
void bind_spec(nanobind::module_& module);
void bind_games(nanobind::module_& module);
void bind_table_game(nanobind::module_& module);
void bind_params(nanobind::module_& module);
void bind_answers(nanobind::module_& module);
void bind_tables(nanobind::module_& module);
void bind_rollout(nanobind::module_& module);
void bind_alphabeta(nanobind::module_& module);
void bind_exact(nanobind::module_& module);
void bind_forest(nanobind::module_& module);
void bind_formulas(nanobind::module_& module);
void bind_samples(nanobind::module_& module);

}  // namespace tengen

namespace nanobind::detail {

// Python has one class for how a game ended, Outcome, which holds an Ending; an outcome without a reason becomes one.
template <>
struct type_caster<tengen::Outcome> {
  NB_TYPE_CASTER(tengen::Outcome, make_caster<tengen::Ending>::Name)

  bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) noexcept {
    make_caster<tengen::Ending> ending;
    if (!ending.from_python(source, flags, cleanup) || source.is_none()) return false;
    value = ending.operator tengen::Ending&().outcome;
    return true;
  }

  static handle from_cpp(const tengen::Outcome& outcome, rv_policy /*policy*/, cleanup_list* cleanup) noexcept {
    return make_caster<tengen::Ending>::from_cpp(tengen::Ending{outcome, tengen::Reason::kRules, ""}, rv_policy::move,
                                                 cleanup);
  }
};

}  // namespace nanobind::detail

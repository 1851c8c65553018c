// What module.cpp calls, in dependency order, and the classes that several binding files share.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include "bindings/any_game.h"

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

// The same rules, as far as names go, and the same kind of state.
inline bool same_game(const AnyGame& a, const AnyGame& b) {
  return &a == &b ||
         (typeid(a) == typeid(b) && a.spec().source == b.spec().source && a.spec().options == b.spec().options);
}

void bind_errors(nanobind::module_& module);
void bind_games(nanobind::module_& module);
void bind_table_game(nanobind::module_& module);
void bind_params(nanobind::module_& module);
void bind_answers(nanobind::module_& module);
void bind_forest(nanobind::module_& module);
void bind_formulas(nanobind::module_& module);
void bind_samples(nanobind::module_& module);

}  // namespace tengen

// Games whose rules are Python: a table of compiled functions given by their addresses, or one whose functions call
// back. `rules` is the Python object behind either (games/rules/interpreted.py says what it must answer); it lives as
// long as the game and any state of it.
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings/bindings.h"
#include "bindings/gil.h"
#include "tengen/games/symmetry.h"
#include "tengen/games/table_game.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

// The search runs without the GIL, so every call takes it. A Python error passes through C++ as nb::python_error.
struct Callbacks {
  nb::object rules;
  std::size_t state_size;
  std::size_t num_actions;
  std::size_t planes_size;
  std::size_t num_cells;

  nb::bytes bytes(const std::uint8_t* state) const { return nb::bytes(state, state_size); }

  nb::bytes answer(const char* rule, const nb::object& answered, std::size_t size) const {
    if (nb::isinstance<nb::bytes>(answered) && nb::len(answered) == size) return nb::borrow<nb::bytes>(answered);
    throw RulesError(std::string("the interpreted ") + rule + "() must answer with " + std::to_string(size) +
                     " bytes.");
  }
};

Callbacks& of(void* context) { return *static_cast<Callbacks*>(context); }

std::int32_t call_start(void* context, std::uint8_t* state) {
  const WithGil gil;
  const Callbacks& self = of(context);
  const nb::bytes made = self.answer("start", self.rules.attr("start")(), self.state_size);
  std::memcpy(state, made.data(), self.state_size);
  return kRuleDone;
}

std::int32_t call_legal(void* context, const std::uint8_t* state, std::uint8_t* mask) {
  const WithGil gil;
  const Callbacks& self = of(context);
  const nb::bytes made = self.answer("legal", self.rules.attr("legal")(self.bytes(state)), self.num_actions);
  const auto* allowed = static_cast<const std::uint8_t*>(made.data());
  for (std::size_t action = 0; action < self.num_actions; ++action) mask[action] = allowed[action] != 0;
  return kRuleDone;
}

std::int32_t call_play(void* context, std::uint8_t* state, std::int32_t action) {
  const WithGil gil;
  const Callbacks& self = of(context);
  const nb::bytes made = self.answer("play", self.rules.attr("play")(self.bytes(state), action), self.state_size);
  std::memcpy(state, made.data(), self.state_size);
  return kRuleDone;
}

std::int32_t call_to_move(void* context, const std::uint8_t* state) {
  const WithGil gil;
  return nb::cast<std::int32_t>(of(context).rules.attr("to_move")(of(context).bytes(state)));
}

std::int32_t call_outcome(void* context, const std::uint8_t* state) {
  const WithGil gil;
  return nb::cast<std::int32_t>(of(context).rules.attr("outcome")(of(context).bytes(state)));
}

std::int32_t call_planes(void* context, const std::uint8_t* state, float* planes) {
  const WithGil gil;
  const Callbacks& self = of(context);
  const std::size_t size = sizeof(float) * self.planes_size;
  const nb::bytes made = self.answer("planes", self.rules.attr("planes")(self.bytes(state)), size);
  std::memcpy(planes, made.data(), size);
  return kRuleDone;
}

RulesTable interpreted_table(Callbacks* callbacks) {
  return {callbacks, &call_start, &call_legal, &call_play, &call_to_move, &call_outcome, &call_planes, nullptr};
}

RulesTable compiled_table(const std::map<std::string, std::uintptr_t>& addresses) {
  RulesTable table;
  const auto set = [&](const char* rule, auto& function) {
    const auto found = addresses.find(rule);
    if (found == addresses.end()) throw RulesError(std::string("there is no compiled ") + rule + "().");
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found->second);
  };
  set("start", table.start);
  set("legal", table.legal);
  set("play", table.play);
  set("to_move", table.to_move);
  set("outcome", table.outcome);
  set("planes", table.planes);
  set("playout", table.playout);
  return table;
}

// The functions of RulesText that the Python object has; an attribute that is None is not there.
RulesText text_functions(Callbacks* self) {
  RulesText text;
  const auto has = [&](const char* name) { return !self->rules.attr(name).is_none(); };
  if (has("action_text")) {
    text.action_text = [self](Action action) {
      const WithGil gil;
      return nb::cast<std::string>(self->rules.attr("action_text")(action));
    };
  }
  if (has("parse_action")) {
    text.parse_action = [self](std::string_view given) {
      const WithGil gil;
      return nb::cast<std::optional<Action>>(self->rules.attr("parse_action")(nb::str(given.data(), given.size())));
    };
  }
  if (has("board_text")) {
    text.board_text = [self](const std::uint8_t* state) {
      const WithGil gil;
      return nb::cast<std::string>(self->rules.attr("board_text")(self->bytes(state)));
    };
  }
  if (has("set_board")) {
    text.set_board = [self](std::uint8_t* state, const BoardDrawing& drawing) {
      const WithGil gil;
      const int to_move = drawing.to_move ? index(*drawing.to_move) : -1;
      const nb::object made = self->rules.attr("set_board")(drawing.cells, to_move);
      std::memcpy(state, self->answer("set_board", made, self->state_size).data(), self->state_size);
    };
  }
  if (has("cells")) {
    text.cells = [self](const std::uint8_t* state, std::int8_t* out) {
      const WithGil gil;
      const nb::bytes made = self->answer("cells", self->rules.attr("cells")(self->bytes(state)), self->num_cells);
      std::memcpy(out, made.data(), self->num_cells);
    };
  }
  if (has("score")) {
    text.score = [self](const std::uint8_t* state) {
      const WithGil gil;
      return nb::cast<double>(self->rules.attr("score")(self->bytes(state)));
    };
  }
  if (has("reason")) {
    text.reason = [self](const std::uint8_t* state) {
      const WithGil gil;
      return nb::cast<std::string>(self->rules.attr("reason")(self->bytes(state)));
    };
  }
  return text;
}

using SymmetryIn = std::tuple<std::string, std::vector<std::int32_t>, std::vector<std::int32_t>>;

using PieceIn = std::tuple<std::string, std::string, std::optional<int>, std::string>;  // name, letter, owner, colour
using ActionCellsIn = std::pair<int, int>;                                              // source, target; -1: none

ActionLayout layout_named(const std::string& text) {
  for (std::size_t i = 0; i < kActionLayoutTexts.size(); ++i) {
    if (kActionLayoutTexts[i] == text) return static_cast<ActionLayout>(i);
  }
  throw ArgumentError("There is no layout of actions called '" + text + "'.");
}

OptionValues ordered_options(const nb::dict& options) {
  OptionValues values;
  for (const auto& item : options) {
    values.emplace_back(nb::cast<std::string>(item.first), nb::cast<OptionValue>(item.second));
  }
  return values;
}

PyGame make_table_game(nb::object rules, const std::string& name, const std::string& source,
                       const nb::typed<nb::dict, std::string, OptionValue>& options, const std::string& rules_digest,
                       std::pair<int, int> board, const std::string& action_layout, int num_actions, int most_legal,
                       const std::vector<ActionCellsIn>& action_cells, bool numbered_actions, int longest_game,
                       const std::vector<std::string>& plane_names, const std::array<std::string, 2>& player_names,
                       const std::vector<SymmetryIn>& symmetries, const std::vector<PieceIn>& pieces,
                       const std::string& shape, const std::string& score_name, std::size_t state_size,
                       const std::optional<std::map<std::string, std::uintptr_t>>& addresses) {
  TableRules made;
  made.spec = {.name = name,
               .source = source,
               .options = ordered_options(options),
               .rules_digest = rules_digest,
               .num_planes = static_cast<int>(plane_names.size()),
               .height = board.first,
               .width = board.second,
               .num_actions = num_actions,
               .most_legal = most_legal,
               .action_layout = layout_named(action_layout),
               .longest_game = longest_game,
               .plane_names = plane_names,
               .player_names = player_names,
               .symmetries = {},
               .pieces = {},
               .hands = {},
               .shape = shape == "hex" ? BoardShape::kHex : BoardShape::kSquare,
               .score_name = score_name};
  for (const auto& [title, letter, owner, colour] : pieces) {
    const auto player = owner ? std::optional(static_cast<Player>(*owner)) : std::nullopt;
    made.spec.pieces.push_back({title, letter, player, colour});
  }
  const auto cell = [](int given) { return given < 0 ? std::nullopt : std::optional(given); };
  for (const auto& [from, to] : action_cells) made.action_cells.push_back({cell(from), cell(to), std::nullopt});
  if (!made.action_cells.empty() && made.action_cells.size() != static_cast<std::size_t>(num_actions)) {
    throw ArgumentError("There must be cells for every action, or for none.");
  }
  for (const auto& [title, cell_source, action_source] : symmetries) {
    made.spec.symmetries.push_back({title, cell_source, action_source});
  }
  made.state_size = state_size;
  made.numbered_actions = numbered_actions;
  made.backend = addresses ? "compiled" : "interpreted";

  auto* callbacks =
      new Callbacks{std::move(rules), state_size, static_cast<std::size_t>(num_actions),
                    static_cast<std::size_t>(made.spec.planes_size()), static_cast<std::size_t>(made.spec.num_cells())};
  made.owner = std::shared_ptr<void>(callbacks, [](void* owned) {
    if (!Py_IsInitialized()) return;  // Python is gone, and its objects with it
    const WithGil gil;
    delete static_cast<Callbacks*>(owned);
  });
  made.table = addresses ? compiled_table(*addresses) : interpreted_table(callbacks);
  made.text = text_functions(callbacks);
  made.explain = [callbacks](const char* rule, const std::uint8_t* state, Action action) {
    const WithGil gil;
    return nb::cast<std::string>(callbacks->rules.attr("explain")(rule, callbacks->bytes(state), action));
  };
  if (state_size <= 512) return {erase(TableGame<512>(std::move(made)))};
  return {erase(TableGame<kLargestTableState>(std::move(made)))};
}

// A symmetry of the board by its name ("mirror columns" ...): its cell_source and action_source, or None.
std::optional<std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>> symmetry_named(
    const std::string& name, std::pair<int, int> board, int num_actions, const std::string& action_layout) {
  for (int transform = 0; transform < 8; ++transform) {
    const Symmetry found =
        board_symmetry(transform, board.first, board.second, num_actions, layout_named(action_layout));
    if (found.name == name) return std::pair(found.cell_source, found.action_source);
  }
  return std::nullopt;
}

}  // namespace

void bind_table_game(nb::module_& module) {
  module.attr("LARGEST_TABLE_STATE") = kLargestTableState;
  module.def("make_table_game", &make_table_game, "rules"_a, nb::kw_only(), "name"_a, "source"_a, "options"_a,
             "rules_digest"_a = "", "board"_a, "action_layout"_a, "num_actions"_a, "most_legal"_a = 0,
             "action_cells"_a = std::vector<ActionCellsIn>(), "numbered_actions"_a = false, "longest_game"_a,
             "plane_names"_a, "player_names"_a, "symmetries"_a, "pieces"_a = std::vector<PieceIn>(),
             "shape"_a = "square", "score_name"_a = "", "state_size"_a, "addresses"_a.none(),
             "A game whose rules are compiled functions at `addresses`, or, without them, methods of `rules`.");
  module.def("symmetry_named", &symmetry_named, "name"_a, "board"_a, "num_actions"_a, "action_layout"_a,
             "The cell_source and action_source of a symmetry of the board, or None.");
}

}  // namespace tengen

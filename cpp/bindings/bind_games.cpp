// Game, State and Symmetry.
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <variant>

#include "bindings/arguments.h"
#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/gil.h"
#include "bindings/interrupt.h"
#include "bindings/values.h"
#include "tengen/base/error.h"
#include "tengen/games/board_text.h"
#include "tengen/games/registry.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

std::string joined_moves(const AnyGame& game, const std::vector<Action>& moves) {
  std::string text;
  for (const Action action : moves) text += (text.empty() ? "" : " ") + game.action_text(action);
  return text;
}

std::string game_repr(const GameSpec& spec) {
  return "tengen.load(" + quoted(spec.source) + (spec.options.empty() ? "" : ", " + options_text(spec.options)) + ")";
}

// The action of that number or text, if the game has one.
std::optional<Action> find_action(const AnyGame& game, const ActionOrText& given) {
  if (const auto* text = std::get_if<Text>(&given)) return game.parse_action(text->value);
  const std::int64_t number = std::get<Integer>(given).value;
  if (number < 0 || number >= game.spec().num_actions) return std::nullopt;
  return static_cast<Action>(number);
}

Action to_action(const AnyGame& game, const ActionOrText& given) {
  if (const auto action = find_action(game, given)) return *action;
  const Action last = game.spec().num_actions - 1;
  if (const auto* text = std::get_if<Text>(&given)) {
    throw ActionTextError(excerpt(text->value) + " is not an action of " + game.spec().name + "; it looks like '" +
                          game.action_text(0) + "' or '" + game.action_text(last) + "'.");
  }
  throw IllegalActionError("Actions of " + game.spec().name + " are 0 to " + std::to_string(last) + ", not " +
                           std::to_string(std::get<Integer>(given).value) + ".");
}

std::string action_text(const AnyGame& game, Integer action) { return game.action_text(to_action(game, action)); }

bool is_legal_action(const PyState& state, const ActionOrText& given) {
  const auto action = find_action(*state.game, given);
  return action && state.game->is_legal(*state.value, *action);
}

Action to_legal_action(const PyState& state, const ActionOrText& given) {
  const Action action = to_action(*state.game, given);
  if (state.game->is_legal(*state.value, action)) return action;
  const std::string text = state.game->action_text(action);
  throw IllegalActionError(state.game->outcome(*state.value)
                               ? "The game is over; no action is legal, nor is " + text + "."
                               : text + " is not legal here; legal_actions lists what is.");
}

PyState play(const PyState& state, const ActionOrText& given) {
  const Action action = to_legal_action(state, given);
  PyState next{state.game, state.game->after(*state.value, action), state.moves, state.start_board};
  next.moves.push_back(action);
  return next;
}

constexpr const char* kSeparators = " \t\r\n,";  // between the moves of a text

std::vector<ActionOrText> split_words(const std::string& text) {
  std::vector<ActionOrText> words;
  std::size_t start = 0;
  while ((start = text.find_first_not_of(kSeparators, start)) != std::string::npos) {
    const std::size_t end = std::min(text.find_first_of(kSeparators, start), text.size());
    words.emplace_back(Text{text.substr(start, end - start)});
    start = end;
  }
  return words;
}

PyState make_state(const PyGame& self, const std::variant<Text, std::vector<ActionOrText>>& moves,
                   const std::optional<Text>& board) {
  PyState state{self.game, self.game->initial_state(), {}, {}};
  if (board) {
    state.value = self.game->parse_board(board->value);
    state.start_board = board->value;
  }
  const auto* text = std::get_if<Text>(&moves);
  for (const auto& move : text ? split_words(text->value) : std::get<std::vector<ActionOrText>>(moves)) {
    state = play(state, move);
  }
  return state;
}

// The moves as state() takes them: their names, or their numbers where a name would not be read back (it may hold a
// space in a game from elsewhere).
std::string moves_argument(const PyState& state) {
  const auto is_readable = [&](Action action) {
    const std::string text = state.game->action_text(action);
    return text.find_first_of(kSeparators) == std::string::npos && state.game->parse_action(text) == action;
  };
  if (std::all_of(state.moves.begin(), state.moves.end(), is_readable)) {
    return quoted(joined_moves(*state.game, state.moves));
  }
  std::string numbers;
  for (const Action action : state.moves) numbers += (numbers.empty() ? "" : ", ") + std::to_string(action);
  return "[" + numbers + "]";
}

std::string state_repr(const PyState& state) {
  std::string arguments;
  if (!state.moves.empty()) arguments = moves_argument(state);
  if (state.start_board) arguments += (arguments.empty() ? "board=" : ", board=") + quoted(*state.start_board);
  return game_repr(state.game->spec()) + ".state(" + arguments + ")";
}

Tuple<Action> legal_actions(const PyState& state) {
  ActionList list(state.game->spec().num_actions);
  state.game->legal_actions(*state.value, list);
  return to_tuple<Action>(list);
}

Array<bool> legal_mask(const PyState& state) {
  const auto num_actions = static_cast<std::size_t>(state.game->spec().num_actions);
  ActionList list(static_cast<int>(num_actions));
  state.game->legal_actions(*state.value, list);
  auto mask = new_array<bool>({num_actions});
  for (const Action action : list) mask.data()[action] = true;
  return mask;
}

using PlanesOut = nb::ndarray<nb::numpy, float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

PlanesOut planes(const PyState& state, std::optional<PlanesOut> out) {
  const GameSpec& spec = state.game->spec();
  const std::array<std::size_t, 3> shape{static_cast<std::size_t>(spec.num_planes),
                                         static_cast<std::size_t>(spec.height), static_cast<std::size_t>(spec.width)};
  if (!out) out = PlanesOut(new_array<float>({shape[0], shape[1], shape[2]}));
  if (out->shape(0) != shape[0] || out->shape(1) != shape[1] || out->shape(2) != shape[2]) {
    throw ArgumentError("Planes of " + spec.name + " are written into an array of the shape " +
                        nb::cast<std::string>(nb::repr(nb::cast(shape))) + ", which is game.spec.planes_shape.");
  }
  state.game->write_planes(*state.value, out->data());
  return *out;
}

// A symmetry keeps its game alive: its tables live in the game's spec.
struct PySymmetry {
  std::shared_ptr<const AnyGame> game;
  const Symmetry* symmetry;
};

using PlanesIn = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using PolicyIn = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Array<float> symmetric_planes(const PySymmetry& self, const PlanesIn& planes) {
  const GameSpec& spec = self.game->spec();
  if (planes.shape(1) != static_cast<std::size_t>(spec.height) ||
      planes.shape(2) != static_cast<std::size_t>(spec.width)) {
    throw ArgumentError("Planes of " + spec.name + " have the shape [C, " + std::to_string(spec.height) + ", " +
                        std::to_string(spec.width) + "], not [" + std::to_string(planes.shape(0)) + ", " +
                        std::to_string(planes.shape(1)) + ", " + std::to_string(planes.shape(2)) + "].");
  }
  auto out = new_array<float>({planes.shape(0), planes.shape(1), planes.shape(2)});
  const auto cells = static_cast<std::size_t>(spec.num_cells());
  for (std::size_t plane = 0; plane < planes.shape(0); ++plane) {
    for (std::size_t cell = 0; cell < cells; ++cell) {
      out.data()[plane * cells + cell] =
          planes.data()[plane * cells + static_cast<std::size_t>(self.symmetry->cell_source[cell])];
    }
  }
  return out;
}

Array<float> symmetric_policy(const PySymmetry& self, const PolicyIn& policy) {
  if (policy.shape(0) != self.symmetry->action_source.size()) {
    throw ArgumentError("A policy of " + self.game->spec().name + " has a number for each of its " +
                        std::to_string(self.symmetry->action_source.size()) + " actions, not " +
                        std::to_string(policy.shape(0)) + ".");
  }
  auto out = new_array<float>({policy.shape(0)});
  for (std::size_t action = 0; action < policy.shape(0); ++action) {
    out.data()[action] = policy.data()[self.symmetry->action_source[action]];
  }
  return out;
}

Action symmetric_action(const PySymmetry& self, Integer given) {
  const auto& source = self.symmetry->action_source;
  const auto found = std::find(source.begin(), source.end(), to_action(*self.game, given));
  return static_cast<Action>(found - source.begin());
}

PyState state_or_start(const PyGame& self, const std::optional<PyState>& state) {
  if (!state) return PyState{self.game, self.game->initial_state(), {}, {}};
  if (same_game(*self.game, *state->game)) return *state;
  throw ArgumentError("This is a state of " + game_repr(state->game->spec()) + ", not of " +
                      game_repr(self.game->spec()) + ".");
}

Perft count_perft(const PyGame& self, Integer depth, const std::optional<PyState>& state) {
  if (depth.value < 0) throw ArgumentError("The depth must be 0 or more.");
  const PyState start = state_or_start(self, state);
  const auto deepest = std::min<std::int64_t>(depth.value, self.game->spec().longest_game);
  Interrupt interrupt;
  const WithoutGil release;
  return start.game->perft(*start.value, static_cast<int>(deepest), std::ref(interrupt));
}

PlayoutCounts count_playouts(const PyGame& self, Integer games, Seed seed, const std::optional<PyState>& state) {
  if (games.value < 0) throw ArgumentError("The number of games must be 0 or more.");
  const PyState start = state_or_start(self, state);
  Interrupt interrupt;
  const WithoutGil release;
  return start.game->random_playouts(*start.value, games.value, seed.value, std::ref(interrupt));
}

std::optional<Array<std::int8_t>> piece_codes(const PyState& state) {
  const GameSpec& spec = state.game->spec();
  auto codes = new_array<std::int8_t>({static_cast<std::size_t>(spec.height), static_cast<std::size_t>(spec.width)});
  if (!state.game->write_cells(*state.value, codes.data())) return std::nullopt;
  return codes;
}

using HandDict = nb::typed<nb::dict, int, int>;

std::pair<HandDict, HandDict> held_pieces(const PyState& state) {
  const auto held = state.game->hands(*state.value);
  const auto to_dict = [](const Hand& hand) {
    nb::dict counts;
    for (const auto& [piece, count] : hand) counts[nb::int_(piece)] = count;
    return nb::borrow<HandDict>(counts);
  };
  return {to_dict(held[0]), to_dict(held[1])};
}

ActionCells find_action_cells(const PyGame& self, const PyState& state, const ActionOrText& given) {
  if (!same_game(*self.game, *state.game)) {
    throw ArgumentError("This is a state of " + game_repr(state.game->spec()) + ", not of " +
                        game_repr(self.game->spec()) + ".");
  }
  return state.game->action_cells(*state.value, to_action(*state.game, given));
}

// A state is pickled by the way it came about, a game by what load() takes (tengen/games/pickling.py).
nb::object pickling(const char* function) { return nb::module_::import_("tengen.games.pickling").attr(function); }

nb::tuple reduce_game(const PyGame& self) {
  const GameSpec& spec = self.game->spec();
  return nb::make_tuple(pickling("load_game"), nb::make_tuple(spec.source, options_dict(spec), spec.rules_digest));
}

nb::tuple reduce_state(const PyState& self) {
  return nb::make_tuple(pickling("play_moves"),
                        nb::make_tuple(PyGame{self.game}, to_tuple<Action>(self.moves), self.start_board));
}

int player_index(Player player) { return index(player); }

// A copy of what never changes.
nb::object itself(nb::object self) { return self; }
nb::object itself_deep(nb::object self, const nb::object& /*memo*/) { return self; }

}  // namespace

void bind_games(nb::module_& module) {
  nb::class_<PySymmetry>(module, "Symmetry", "A symmetry of the board, acting on planes, policies and actions.")
      .def_prop_ro("name", [](const PySymmetry& self) { return self.symmetry->name; })
      .def("planes", &symmetric_planes, "planes"_a, "The planes [C, H, W] of the symmetric position.")
      .def("policy", &symmetric_policy, "policy"_a, "The policy [A] of the symmetric position.")
      .def("action", &symmetric_action, "action"_a,
           "The action that does on the symmetric board what `action` does here.")
      .def("__repr__", [](const PySymmetry& self) { return "<Symmetry " + self.symmetry->name + ">"; });

  nb::class_<PyState>(module, "State", "A position: a value that never changes. play() gives the next one.")
      .def_prop_ro(
          "game", [](const PyState& self) { return PyGame{self.game}; }, "The rules it is played by.")
      .def_prop_ro(
          "to_move", [](const PyState& self) { return player_index(self.game->to_move(*self.value)); },
          "0 for the first player, 1 for the second.")
      .def_prop_ro("legal_actions", &legal_actions, "Legal actions in increasing order; empty when the game is over.")
      .def("legal_mask", &legal_mask, "The same as an array of bool, one for each action.")
      .def("is_legal", &is_legal_action, "action"_a,
           "Whether play(action) would do; False too for what is no action at all.")
      .def("play", &play, "action"_a, "The state after `action`, given as a number or as text.")
      .def_prop_ro(
          "outcome", [](const PyState& self) { return self.game->ending(*self.value); },
          "Who won and why; None while the game goes on.")
      .def_prop_ro("cells", &piece_codes, nb::rv_policy::automatic,
                   "Piece codes, int8 [H, W], 0 for an empty cell; None if the game does not say.")
      .def_prop_ro("hands", &held_pieces, "What the first and the second player hold: counts by piece code.")
      .def_prop_ro(
          "score", [](const PyState& self) { return self.game->score(*self.value); },
          "For the first player, in spec.score_name; None in a game without a score.")
      .def_prop_ro(
          "evaluation_key", [](const PyState& self) { return self.game->evaluation_key(*self.value); },
          "States with equal keys have equal planes and equal legal actions.")
      .def_prop_ro(
          "moves", [](const PyState& self) { return to_tuple<Action>(self.moves); }, "The actions played so far.")
      .def_prop_ro(
          "moves_text", [](const PyState& self) { return joined_moves(*self.game, self.moves); },
          "The same as text, as state() takes it.")
      .def("planes", &planes, "out"_a.noconvert() = nb::none(),
           "What a network sees: float32 [C, H, W], from the side of the player to move; written into `out` if given.")
      .def(
          "action_text", [](const PyState& self, Integer action) { return action_text(*self.game, action); },
          "action"_a, "The name of an action, as people write it.")
      .def(
          "__eq__",
          [](const PyState& self, const PyState& other) {
            return same_game(*self.game, *other.game) && self.game->equal(*self.value, *other.value);
          },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const PyState& self) { return static_cast<Py_hash_t>(self.game->hash(*self.value) >> 3); })
      .def("__copy__", &itself, nb::sig("def __copy__(self) -> State"))
      .def("__deepcopy__", &itself_deep, nb::sig("def __deepcopy__(self, memo: object, /) -> State"))
      .def("__str__", [](const PyState& self) { return self.game->board_text(*self.value); })
      .def("__reduce__", &reduce_state, nb::sig("def __reduce__(self) -> tuple[object, ...]"))
      .def("__repr__", &state_repr);

  nb::class_<PyGame>(module, "Game", "Rules and sizes. Made by tengen.load().")
      .def_prop_ro(
          "spec", [](const PyGame& self) -> const GameSpec& { return self.game->spec(); }, "Names and sizes.")
      .def_prop_ro(
          "backend", [](const PyGame& self) { return self.game->backend(); },
          "What runs the rules: 'c++', or for a Python file 'compiled' or 'interpreted'.")
      .def_prop_ro(
          "symmetries",
          [](const PyGame& self) {
            std::vector<PySymmetry> symmetries;
            for (const Symmetry& symmetry : self.game->spec().symmetries) symmetries.push_back({self.game, &symmetry});
            return to_tuple<PySymmetry>(symmetries);
          },
          "Symmetries of the board, the identity first.")
      .def(
          "initial_state", [](const PyGame& self) { return PyState{self.game, self.game->initial_state(), {}, {}}; },
          "The state that every game starts from.")
      .def("state", &make_state, "moves"_a = "", "board"_a = nb::none(),
           "The state after `moves` (a text or a list) from the start, or from a board drawing.")
      .def(
          "action_text", [](const PyGame& self, Integer action) { return action_text(*self.game, action); }, "action"_a,
          "The name of an action, as people write it.")
      .def(
          "parse_action", [](const PyGame& self, const Text& text) { return self.game->parse_action(text.value); },
          "text"_a, "The action of that name, or None.")
      .def("action_cells", &find_action_cells, "state"_a, "action"_a,
           "Where an action happens in that state: the cells it goes from and to.")
      .def("perft", &count_perft, "depth"_a, "state"_a = nb::none(),
           "Counts every action sequence up to `depth`, or to the end of the longest game.")
      .def("random_playouts", &count_playouts, "games"_a, "seed"_a, "state"_a = nb::none(),
           "Plays uniformly random games to their end.")
      .def(
          "__eq__", [](const PyGame& self, const PyGame& other) { return same_game(*self.game, *other.game); },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const PyGame& self) {
             const GameSpec& spec = self.game->spec();
             return static_cast<Py_hash_t>(std::hash<std::string>()(rules_key(spec) + options_text(spec.options)));
           })
      .def("__copy__", &itself, nb::sig("def __copy__(self) -> Game"))
      .def("__deepcopy__", &itself_deep, nb::sig("def __deepcopy__(self, memo: object, /) -> Game"))
      .def("__reduce__", &reduce_game, nb::sig("def __reduce__(self) -> tuple[object, ...]"))
      .def("__repr__", [](const PyGame& self) { return game_repr(self.game->spec()); });

  module.def(
      "make_game",
      [](const std::string& name, const std::map<std::string, double>& options) {
        return std::visit([](auto game) { return PyGame{erase(std::move(game))}; }, make_game(name, options));
      },
      "name"_a, "options"_a);
}

}  // namespace tengen

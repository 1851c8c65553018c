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

std::string game_repr(const GameSpec& spec) {
  return "tengen.load(" + quoted(spec.source) + (spec.options.empty() ? "" : ", " + options_text(spec.options)) + ")";
}

bool has_action(const AnyGame& game, Integer number) {
  return number.value >= 0 && number.value < game.spec().num_actions;
}

Action to_action(const AnyGame& game, Integer number) {
  if (has_action(game, number)) return static_cast<Action>(number.value);
  throw IllegalActionError("Actions of " + game.spec().name + " are 0 to " +
                           std::to_string(game.spec().num_actions - 1) + ", not " + std::to_string(number.value) + ".");
}

std::string text_of_action(const PyState& state, Integer action) {
  return state.game->action_text_in(*state.value, to_action(*state.game, action));
}

// The action that has that text in that state, or that number, if there is one.
std::optional<Action> find_action(const PyState& state, const ActionOrText& given) {
  if (const auto* text = std::get_if<Text>(&given)) return state.game->parse_action_in(*state.value, text->value);
  const auto number = std::get<Integer>(given);
  return has_action(*state.game, number) ? std::optional(static_cast<Action>(number.value)) : std::nullopt;
}

// Two texts of actions that are legal in that state; of a finished game, of any two.
std::string example_texts(const PyState& state) {
  const int num_actions = state.game->spec().num_actions;
  ActionList list(num_actions);
  state.game->legal_actions(*state.value, list);
  const bool any = list.size() > 0;
  const auto text = [&](Action action) { return "'" + state.game->action_text_in(*state.value, action) + "'"; };
  return text(any ? list[0] : 0) + " or " + text(any ? list[list.size() - 1] : num_actions - 1);
}

Action to_action(const PyState& state, const ActionOrText& given) {
  const auto* text = std::get_if<Text>(&given);
  if (text == nullptr) return to_action(*state.game, std::get<Integer>(given));
  if (const auto action = find_action(state, given)) return *action;
  throw ActionTextError(excerpt(text->value) + " is not an action of " + state.game->spec().name + "; it looks like " +
                        example_texts(state) + ".");
}

bool is_legal_action(const PyState& state, const ActionOrText& given) {
  const auto action = find_action(state, given);
  return action && state.game->is_legal(*state.value, *action);
}

Action to_legal_action(const PyState& state, const ActionOrText& given) {
  const Action action = to_action(state, given);
  if (state.game->is_legal(*state.value, action)) return action;
  const std::string text = state.game->action_text_in(*state.value, action);
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

// Where a game begins: at a board, or at the initial state if there is none.
std::unique_ptr<AnyState> first_value(const AnyGame& game, const std::optional<std::string>& board) {
  return board ? game.parse_board(*board) : game.initial_state();
}

PyState make_state(const PyGame& self, const std::variant<Text, std::vector<ActionOrText>>& moves,
                   const std::optional<Text>& board) {
  const auto start = board ? std::optional(board->value) : std::nullopt;
  PyState state{self.game, first_value(*self.game, start), {}, start};
  const auto* text = std::get_if<Text>(&moves);
  for (const auto& move : text ? split_words(text->value) : std::get<std::vector<ActionOrText>>(moves)) {
    state = play(state, move);
  }
  return state;
}

// The texts of a state's moves, each as it is called where it was played.
struct MoveTexts {
  std::string joined;
  bool readable = true;  // state() reads them back; it does not if one holds a space, in a game from elsewhere
};

MoveTexts move_texts(const PyState& state) {
  MoveTexts texts;
  auto at = first_value(*state.game, state.start_board);  // the way is gone again: a state keeps no others
  for (const Action action : state.moves) {
    const std::string text = state.game->action_text_in(*at, action);
    texts.joined += (texts.joined.empty() ? "" : " ") + text;
    texts.readable &=
        text.find_first_of(kSeparators) == std::string::npos && state.game->parse_action_in(*at, text) == action;
    at = state.game->after(*at, action);
  }
  return texts;
}

// The moves as state() takes them: their names, or their numbers where a name would not be read back.
std::string moves_argument(const PyState& state) {
  const MoveTexts texts = move_texts(state);
  if (texts.readable) return quoted(texts.joined);
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

std::uint64_t count_action_sequences(const PyGame& self, Integer length, const std::optional<PyState>& state) {
  if (length.value < 0) throw ArgumentError("The length must be 0 or more.");
  const PyState start = state_or_start(self, state);
  if (length.value > self.game->spec().longest_game) return 0;
  Interrupt interrupt;
  const WithoutGil release;
  return start.game->count_sequences(*start.value, static_cast<int>(length.value), std::ref(interrupt));
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
  return state.game->action_cells(*state.value, to_action(state, given));
}

std::string notation_of_action(const PyState& state, const ActionOrText& given) {
  return state.game->notation(*state.value, to_legal_action(state, given));
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
  nb::class_<PySymmetry>(module, "Symmetry",
                         "A symmetry of the board, acting on planes, policies and actions. Any thread may use it.")
      .def_prop_ro("name", [](const PySymmetry& self) { return self.symmetry->name; })
      .def("planes", &symmetric_planes, "planes"_a, "The planes [C, H, W] of the symmetric position.")
      .def("policy", &symmetric_policy, "policy"_a, "The policy [A] of the symmetric position.")
      .def("action", &symmetric_action, "action"_a,
           "The action that does on the symmetric board what `action` does here.")
      .def("__repr__", [](const PySymmetry& self) { return "<Symmetry " + self.symmetry->name + ">"; });

  nb::class_<PyState>(module, "State",
                      "A position: a value that never changes, so any thread may use it. play() gives the next one.")
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
          "start_board", [](const PyState& self) { return self.start_board; },
          "The board that the moves began at, as state(board=...) got it; None if that was the initial state.")
      .def_prop_ro(
          "moves_text", [](const PyState& self) { return move_texts(self).joined; },
          "The same as text, as state() takes it.")
      .def("planes", &planes, "out"_a.noconvert() = nb::none(),
           "What a network sees: float32 [C, H, W], from the side of the player to move; written into `out` if given.")
      .def("action_text", &text_of_action, "action"_a, "The name that an action has here, as people write it.")
      .def(
          "parse_action",
          [](const PyState& self, const Text& text) { return self.game->parse_action_in(*self.value, text.value); },
          "text"_a, "The action that has that name here, or None; not all of them are legal.")
      .def("notation", &notation_of_action, "action"_a,
           "A legal action as game records for people have it (Nf3 in chess); its name in other games.")
      .def_prop_ro(
          "position_text", [](const PyState& self) { return self.game->position_text(*self.value); },
          "The position as programs exchange it (FEN in chess), or the drawing; state(board=...) reads it.")
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

  nb::class_<PyGame>(module, "Game", "Rules and sizes. Made by tengen.load(). It never changes: any thread may use it.")
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
           "The state after `moves` (a text or a list) from the start, or from a board: a drawing or a position_text.")
      .def(
          "action_text",
          [](const PyGame& self, Integer action) { return self.game->action_text(to_action(*self.game, action)); },
          "action"_a, "The name of an action; where names depend on the state, its name for the first player.")
      .def(
          "parse_action", [](const PyGame& self, const Text& text) { return self.game->parse_action(text.value); },
          "text"_a, "The action of that name, or None; where names depend on the state, as for the first player.")
      .def("action_cells", &find_action_cells, "state"_a, "action"_a,
           "Where an action happens in that state: the cells it goes from and to.")
      .def("perft", &count_perft, "depth"_a, "state"_a = nb::none(),
           "Counts every action sequence up to `depth`, or to the end of the longest game.")
      .def("count_sequences", &count_action_sequences, "length"_a, "state"_a = nb::none(),
           "The number of action sequences of that length: perft(length).positions[-1], counted faster.")
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

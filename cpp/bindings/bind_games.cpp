// Game, State, Outcome, Symmetry and the registry.
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <variant>

#include "bindings/arguments.h"
#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/interrupt.h"
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

std::string quoted(const std::string& text) {
  return nb::cast<std::string>(nb::repr(nb::str(text.data(), text.size())));
}

std::string game_repr(const GameSpec& spec) {
  return "tengen.load(" + quoted(spec.source) + (spec.options.empty() ? "" : ", " + spec.options) + ")";
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

template <class T>
using Tuple = nb::typed<nb::tuple, T, nb::ellipsis>;

template <class T, class Items>
Tuple<T> to_tuple(const Items& items) {
  nb::list list;
  for (const auto& item : items) list.append(item);
  return nb::borrow<Tuple<T>>(nb::tuple(list));
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
  const nb::gil_scoped_release release;
  return start.game->perft(*start.value, static_cast<int>(deepest), std::ref(interrupt));
}

PlayoutCounts count_playouts(const PyGame& self, Integer games, Seed seed, const std::optional<PyState>& state) {
  if (games.value < 0) throw ArgumentError("The number of games must be 0 or more.");
  const PyState start = state_or_start(self, state);
  Interrupt interrupt;
  const nb::gil_scoped_release release;
  return start.game->random_playouts(*start.value, games.value, seed.value, std::ref(interrupt));
}

int player_index(Player player) { return index(player); }

Player to_player(Integer number) {
  if (number.value == 0 || number.value == 1) return static_cast<Player>(number.value);
  throw ArgumentError("A player is 0 (the first) or 1 (the second).");
}

// A copy of what never changes.
nb::object itself(nb::object self) { return self; }
nb::object itself_deep(nb::object self, const nb::object& /*memo*/) { return self; }

}  // namespace

void bind_games(nb::module_& module) {
  nb::class_<Outcome>(module, "Outcome", "How a finished game ended.")
      .def(nb::new_([](std::optional<Integer> winner) {
             return winner ? Outcome::win(to_player(*winner)) : Outcome::draw();
           }),
           "winner"_a.none())
      .def_prop_ro(
          "winner",
          [](const Outcome& self) { return self.winner ? std::optional<int>(index(*self.winner)) : std::nullopt; },
          "0 for the first player, 1 for the second, None for a draw.")
      .def_prop_ro(
          "is_draw", [](const Outcome& self) { return !self.winner; }, "Whether nobody won.")
      .def_prop_ro(
          "returns",
          [](const Outcome& self) {
            return std::pair(value_for(self, Player::kFirst), value_for(self, Player::kSecond));
          },
          "+1, -1 or 0 for each player, the first player's first.")
      .def(
          "value_for", [](const Outcome& self, Integer player) { return value_for(self, to_player(player)); },
          "player"_a, "The result as a value for that player.")
      .def(
          "__eq__", [](const Outcome& self, const Outcome& other) { return self == other; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Outcome& self) { return self.winner ? 1 + index(*self.winner) : 0; })
      .def("__repr__", [](const Outcome& self) {
        return self.winner ? "Outcome(winner=" + std::to_string(index(*self.winner)) + ")"
                           : std::string("Outcome(winner=None)");
      });

  nb::class_<PySymmetry>(module, "Symmetry", "A symmetry of the board, acting on planes, policies and actions.")
      .def_prop_ro("name", [](const PySymmetry& self) { return self.symmetry->name; })
      .def("planes", &symmetric_planes, "planes"_a, "The planes [C, H, W] of the symmetric position.")
      .def("policy", &symmetric_policy, "policy"_a, "The policy [A] of the symmetric position.")
      .def("action", &symmetric_action, "action"_a,
           "The action that does on the symmetric board what `action` does here.")
      .def("__repr__", [](const PySymmetry& self) { return "<Symmetry " + self.symmetry->name + ">"; });

  nb::class_<GameSpec>(module, "GameSpec", "Names and sizes of a game.")
      .def_ro("name", &GameSpec::name)
      .def_ro("source", &GameSpec::source, "What load() takes to make this game.")
      .def_ro("options", &GameSpec::options, "The options in force, as they are written in a call of load().")
      .def_ro("num_planes", &GameSpec::num_planes)
      .def_ro("height", &GameSpec::height)
      .def_ro("width", &GameSpec::width)
      .def_ro("num_actions", &GameSpec::num_actions)
      .def_prop_ro(
          "action_layout",
          [](const GameSpec& self) {
            return self.action_layout == ActionLayout::kCells     ? "cells"
                   : self.action_layout == ActionLayout::kColumns ? "columns"
                                                                  : "other";
          },
          "What actions are: 'cells' (and then passes), 'columns' or 'other'.")
      .def_ro("longest_game", &GameSpec::longest_game, "No game has more actions than this.")
      .def_ro("plane_names", &GameSpec::plane_names)
      .def_ro("player_names", &GameSpec::player_names)
      .def_prop_ro(
          "planes_shape", [](const GameSpec& self) { return std::tuple(self.num_planes, self.height, self.width); },
          "The shape [C, H, W] of State.planes().")
      .def("__repr__", [](const GameSpec& self) {
        return "<GameSpec " + self.name + ": planes [" + std::to_string(self.num_planes) + ", " +
               std::to_string(self.height) + ", " + std::to_string(self.width) + "], " +
               std::to_string(self.num_actions) + " actions, at most " + std::to_string(self.longest_game) + " moves>";
      });

  nb::class_<Perft>(module, "Perft", "Counts of a full enumeration, one entry per depth from 0.")
      .def_ro("positions", &Perft::positions, "Action sequences of that length.")
      .def_ro("finished", &Perft::finished, "Those of them that end the game.")
      .def("__repr__", [](const Perft& self) {
        return "<Perft: " + std::to_string(self.positions.back()) + " positions at depth " +
               std::to_string(self.positions.size() - 1) + ">";
      });

  nb::class_<PlayoutCounts>(module, "PlayoutCounts", "What many random games came to.")
      .def_ro("games", &PlayoutCounts::games)
      .def_ro("actions", &PlayoutCounts::actions, "Of all games together.")
      .def_ro("wins", &PlayoutCounts::wins, "By player.")
      .def_ro("draws", &PlayoutCounts::draws)
      .def("__repr__", [](const PlayoutCounts& self) {
        return "<PlayoutCounts: " + std::to_string(self.games) + " games, won by the first " +
               std::to_string(self.wins[0]) + ", by the second " + std::to_string(self.wins[1]) + ", drawn " +
               std::to_string(self.draws) + ">";
      });

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
          "outcome", [](const PyState& self) { return self.game->outcome(*self.value); },
          "None while the game goes on.")
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
      .def("perft", &count_perft, "depth"_a, "state"_a = nb::none(),
           "Counts every action sequence up to `depth`, or to the end of the longest game.")
      .def("random_playouts", &count_playouts, "games"_a, "seed"_a, "state"_a = nb::none(),
           "Plays uniformly random games to their end.")
      .def(
          "__eq__", [](const PyGame& self, const PyGame& other) { return same_game(*self.game, *other.game); },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const PyGame& self) {
             return static_cast<Py_hash_t>(
                 std::hash<std::string>()(self.game->spec().source + self.game->spec().options));
           })
      .def("__copy__", &itself, nb::sig("def __copy__(self) -> Game"))
      .def("__deepcopy__", &itself_deep, nb::sig("def __deepcopy__(self, memo: object, /) -> Game"))
      .def("__repr__", [](const PyGame& self) { return game_repr(self.game->spec()); });

  nb::enum_<OptionSpec::Kind>(module, "OptionKind")
      .value("INTEGER", OptionSpec::Kind::kInteger)
      .value("NUMBER", OptionSpec::Kind::kNumber)
      .value("FLAG", OptionSpec::Kind::kFlag);
  nb::class_<OptionSpec>(module, "OptionSpec", "One option of a game.")
      .def_ro("name", &OptionSpec::name)
      .def_ro("kind", &OptionSpec::kind)
      .def_ro("default", &OptionSpec::default_value)
      .def_ro("lowest", &OptionSpec::lowest)
      .def_ro("highest", &OptionSpec::highest)
      .def_ro("help", &OptionSpec::help);
  nb::class_<GameEntry>(module, "GameEntry", "A game of the registry.")
      .def_ro("name", &GameEntry::name)
      .def_ro("summary", &GameEntry::summary)
      .def_ro("options", &GameEntry::options);
  module.def("game_entries", &game_entries, "The built-in games.");
  module.def(
      "make_game",
      [](const std::string& name, const std::map<std::string, double>& options) {
        return std::visit([](auto game) { return PyGame{erase(std::move(game))}; }, make_game(name, options));
      },
      "name"_a, "options"_a);
}

}  // namespace tengen

// Game, State, Outcome, Symmetry and the registry.
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <variant>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "tengen/base/error.h"
#include "tengen/games/registry.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

using ActionOrText = std::variant<Action, std::string>;

std::string joined_moves(const AnyGame& game, const std::vector<Action>& moves) {
  std::string text;
  for (const Action action : moves) text += (text.empty() ? "" : " ") + game.action_text(action);
  return text;
}

std::string quoted(const std::string& text) { return nb::cast<std::string>(nb::repr(nb::str(text.c_str()))); }

std::string game_repr(const GameSpec& spec) {
  return "tengen.load(" + quoted(spec.source) + (spec.options.empty() ? "" : ", " + spec.options) + ")";
}

Action to_action(const PyState& state, const ActionOrText& given) {
  const AnyGame& game = *state.game;
  if (const auto* action = std::get_if<Action>(&given)) {
    if (game.is_legal(*state.value, *action)) return *action;
    const int last = game.spec().num_actions - 1;
    if (*action < 0 || *action > last) {
      throw IllegalActionError("Actions of " + game.spec().name + " are 0 to " + std::to_string(last) + ", not " +
                               std::to_string(*action) + ".");
    }
  }
  std::string text;
  std::optional<Action> action;
  if (const auto* written = std::get_if<std::string>(&given)) {
    text = *written;
    action = game.parse_action(text);
    if (!action) {
      throw ActionTextError("'" + text.substr(0, 40) + "' is not an action of " + game.spec().name +
                            "; it looks like '" + game.action_text(0) + "' or '" +
                            game.action_text(game.spec().num_actions - 1) + "'.");
    }
    if (game.is_legal(*state.value, *action)) return *action;
  } else {
    action = std::get<Action>(given);
    text = game.action_text(*action);
  }
  if (game.outcome(*state.value))
    throw IllegalActionError("The game is over; no action is legal, nor is " + text + ".");
  throw IllegalActionError(text + " is not legal here; legal_actions lists what is.");
}

PyState play(const PyState& state, const ActionOrText& given) {
  const Action action = to_action(state, given);
  PyState next{state.game, state.game->after(*state.value, action), state.moves, state.start_board};
  next.moves.push_back(action);
  return next;
}

std::vector<ActionOrText> split_words(const std::string& text) {
  std::vector<ActionOrText> words;
  std::size_t start = 0;
  while ((start = text.find_first_not_of(" \t\r\n,", start)) != std::string::npos) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n,", start), text.size());
    words.emplace_back(text.substr(start, end - start));
    start = end;
  }
  return words;
}

PyState make_state(const PyGame& self, const std::variant<std::string, std::vector<ActionOrText>>& moves,
                   const std::optional<std::string>& board) {
  PyState state{self.game, board ? self.game->parse_board(*board) : self.game->initial_state(), {}, board};
  const auto* text = std::get_if<std::string>(&moves);
  for (const auto& move : text ? split_words(*text) : std::get<std::vector<ActionOrText>>(moves)) {
    state = play(state, move);
  }
  return state;
}

std::string state_repr(const PyState& state) {
  std::string arguments;
  if (!state.moves.empty()) arguments = quoted(joined_moves(*state.game, state.moves));
  if (state.start_board) arguments += (arguments.empty() ? "board=" : ", board=") + quoted(*state.start_board);
  return game_repr(state.game->spec()) + ".state(" + arguments + ")";
}

nb::tuple legal_actions(const PyState& state) {
  ActionList list(state.game->spec().num_actions);
  state.game->legal_actions(*state.value, list);
  nb::list actions;
  for (const Action action : list) actions.append(action);
  return nb::tuple(actions);
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
    throw nb::value_error("out must have the shape game.spec.planes_shape");
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
    throw nb::value_error("planes must be [C, height, width] of this game's board");
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
    throw nb::value_error("a policy has one number for each action of the game");
  }
  auto out = new_array<float>({policy.shape(0)});
  for (std::size_t action = 0; action < policy.shape(0); ++action) {
    out.data()[action] = policy.data()[self.symmetry->action_source[action]];
  }
  return out;
}

Action symmetric_action(const PySymmetry& self, Action action) {
  const auto& source = self.symmetry->action_source;
  const auto found = std::find(source.begin(), source.end(), action);
  if (found == source.end()) throw IllegalActionError("There is no action " + std::to_string(action) + ".");
  return static_cast<Action>(found - source.begin());
}

int player_index(Player player) { return index(player); }

}  // namespace

void bind_games(nb::module_& module) {
  nb::class_<Outcome>(module, "Outcome", "How a finished game ended.")
      .def_prop_ro(
          "winner",
          [](const Outcome& self) { return self.winner ? std::optional<int>(index(*self.winner)) : std::nullopt; },
          "0 for the first player, 1 for the second, None for a draw.")
      .def_prop_ro("is_draw", [](const Outcome& self) { return !self.winner; })
      .def_prop_ro(
          "returns",
          [](const Outcome& self) {
            return nb::make_tuple(value_for(self, Player::kFirst), value_for(self, Player::kSecond));
          },
          "+1, -1 or 0 for each player, the first player's first.")
      .def(
          "value_for",
          [](const Outcome& self, int player) {
            if (player != 0 && player != 1) throw nb::value_error("a player is 0 or 1");
            return value_for(self, static_cast<Player>(player));
          },
          "player"_a, "The result as a value for that player.")
      .def(
          "__eq__", [](const Outcome& self, const Outcome& other) { return self == other; }, nb::is_operator())
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
      .def_ro("longest_game", &GameSpec::longest_game, "No game has more actions than this.")
      .def_ro("plane_names", &GameSpec::plane_names)
      .def_ro("player_names", &GameSpec::player_names)
      .def_prop_ro("planes_shape",
                   [](const GameSpec& self) { return nb::make_tuple(self.num_planes, self.height, self.width); })
      .def("__repr__", [](const GameSpec& self) {
        return "<GameSpec " + self.name + ": planes [" + std::to_string(self.num_planes) + ", " +
               std::to_string(self.height) + ", " + std::to_string(self.width) + "], " +
               std::to_string(self.num_actions) + " actions, at most " + std::to_string(self.longest_game) + " moves>";
      });

  nb::class_<Perft>(module, "Perft", "Counts of a full enumeration, one entry per depth from 0.")
      .def_ro("positions", &Perft::positions, "Action sequences of that length.")
      .def_ro("finished", &Perft::finished, "Those of them that end the game.");

  nb::class_<PlayoutCounts>(module, "PlayoutCounts", "What many random games came to.")
      .def_ro("games", &PlayoutCounts::games)
      .def_ro("actions", &PlayoutCounts::actions)
      .def_ro("wins", &PlayoutCounts::wins, "By player.")
      .def_ro("draws", &PlayoutCounts::draws);

  nb::class_<PyState>(module, "State", "A position: a value that never changes. play() gives the next one.")
      .def_prop_ro("game", [](const PyState& self) { return PyGame{self.game}; })
      .def_prop_ro(
          "to_move", [](const PyState& self) { return player_index(self.game->to_move(*self.value)); },
          "0 for the first player, 1 for the second.")
      .def_prop_ro("legal_actions", &legal_actions, "Legal actions in increasing order; empty when the game is over.")
      .def("legal_mask", &legal_mask, "The same as an array of bool, one for each action.")
      .def(
          "is_legal",
          [](const PyState& self, const ActionOrText& given) {
            const auto* text = std::get_if<std::string>(&given);
            const auto action = text ? self.game->parse_action(*text) : std::get<Action>(given);
            return action && self.game->is_legal(*self.value, *action);
          },
          "action"_a)
      .def("play", &play, "action"_a, "The state after `action`, given as a number or as text.")
      .def_prop_ro(
          "outcome", [](const PyState& self) { return self.game->outcome(*self.value); },
          "None while the game goes on.")
      .def_prop_ro(
          "moves", [](const PyState& self) { return nb::tuple(nb::cast(self.moves)); }, "The actions played so far.")
      .def_prop_ro(
          "move_texts", [](const PyState& self) { return joined_moves(*self.game, self.moves); }, "The same as text.")
      .def("planes", &planes, "out"_a.noconvert().none() = nb::none(),
           "What a network sees: float32 [C, H, W], from the side of the player to move; written into `out` if given.")
      .def(
          "action_text", [](const PyState& self, Action action) { return self.game->action_text(action); }, "action"_a)
      .def(
          "__eq__",
          [](const PyState& self, const PyState& other) {
            const GameSpec& a = self.game->spec();
            const GameSpec& b = other.game->spec();
            return self.game == other.game || (a.source == b.source && a.options == b.options)
                       ? self.game->equal(*self.value, *other.value)
                       : false;
          },
          nb::is_operator())
      .def("__hash__", [](const PyState& self) { return static_cast<Py_hash_t>(self.game->hash(*self.value) >> 3); })
      .def("__str__", [](const PyState& self) { return self.game->board_text(*self.value); })
      .def("__repr__", &state_repr);

  nb::class_<PyGame>(module, "Game", "Rules and sizes. Made by tengen.load().")
      .def_prop_ro("spec", [](const PyGame& self) { return self.game->spec(); })
      .def_prop_ro(
          "backend", [](const PyGame& self) { return self.game->backend(); },
          "What runs the rules: 'c++', or for a Python file 'compiled' or 'interpreted'.")
      .def_prop_ro(
          "symmetries",
          [](const PyGame& self) {
            nb::list symmetries;
            for (const Symmetry& symmetry : self.game->spec().symmetries) {
              symmetries.append(PySymmetry{self.game, &symmetry});
            }
            return nb::tuple(symmetries);
          },
          "Symmetries of the board, the identity first.")
      .def("initial_state", [](const PyGame& self) { return PyState{self.game, self.game->initial_state(), {}, {}}; })
      .def("state", &make_state, "moves"_a = "", "board"_a = nb::none(),
           "The state after `moves` (a text or a list) from the start, or from a board drawing.")
      .def(
          "action_text",
          [](const PyGame& self, Action action) {
            if (action < 0 || action >= self.game->spec().num_actions) {
              throw IllegalActionError("Actions of " + self.game->spec().name + " are 0 to " +
                                       std::to_string(self.game->spec().num_actions - 1) + ", not " +
                                       std::to_string(action) + ".");
            }
            return self.game->action_text(action);
          },
          "action"_a)
      .def(
          "parse_action", [](const PyGame& self, std::string_view text) { return self.game->parse_action(text); },
          "text"_a, "The action of that name, or None.")
      .def(
          "perft",
          [](const PyGame& self, int depth, const std::optional<PyState>& state) {
            if (depth < 0) throw nb::value_error("depth must be 0 or more");
            nb::gil_scoped_release release;
            const auto start = state ? state->value : std::shared_ptr<const AnyState>(self.game->initial_state());
            return self.game->perft(*start, depth);
          },
          "depth"_a, "state"_a = nb::none(), "Counts every action sequence up to `depth`.")
      .def(
          "random_playouts",
          [](const PyGame& self, std::int64_t games, std::uint64_t seed, const std::optional<PyState>& state) {
            nb::gil_scoped_release release;
            const auto start = state ? state->value : std::shared_ptr<const AnyState>(self.game->initial_state());
            return self.game->random_playouts(*start, games, seed);
          },
          "games"_a, "seed"_a, "state"_a = nb::none(), "Plays uniformly random games to their end.")
      .def(
          "__eq__",
          [](const PyGame& self, const PyGame& other) {
            const GameSpec& a = self.game->spec();
            const GameSpec& b = other.game->spec();
            return self.game == other.game || (a.source == b.source && a.options == b.options);
          },
          nb::is_operator())
      .def("__hash__",
           [](const PyGame& self) {
             return static_cast<Py_hash_t>(
                 std::hash<std::string>()(self.game->spec().source + self.game->spec().options));
           })
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

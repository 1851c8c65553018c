// What a game says about itself and its positions: GameSpec, its options and pieces, and counts of games and positions.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "bindings/values.h"
#include "tengen/games/registry.h"

namespace nb = nanobind;

namespace tengen {

void bind_spec(nb::module_& module) {
  nb::class_<Piece>(module, "Piece", "A kind of piece. A value: any thread may use it.")
      .def_ro("name", &Piece::name)
      .def_ro("letter", &Piece::letter, "One character, in drawings.")
      .def_prop_ro(
          "owner", [](const Piece& self) { return self.owner ? std::optional(index(*self.owner)) : std::nullopt; },
          "0 or 1; None if it belongs to neither player.")
      .def_ro("colour", &Piece::colour, "'#rrggbb', or '' if the game leaves it open.")
      .def("__repr__", [](const Piece& self) {
        return "<Piece " + self.letter + ": " + self.name +
               (self.owner ? " of player " + std::to_string(index(*self.owner)) : "") + ">";
      });
  nb::class_<ActionCells>(module, "ActionCells",
                          "Where an action happens; a pass happens nowhere. A value: any thread may use it.")
      .def_ro("source", &ActionCells::source, "The cell that a piece leaves.")
      .def_ro("target", &ActionCells::target, "The cell that a piece or stone comes to.")
      .def_ro("piece", &ActionCells::piece, "The code of a piece that comes from the hand.")
      .def(
          "__eq__", [](const ActionCells& self, const ActionCells& other) { return self == other; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__repr__", [](const ActionCells& self) {
        return "ActionCells(source=" + optional_text(self.source) + ", target=" + optional_text(self.target) +
               ", piece=" + optional_text(self.piece) + ")";
      });

  nb::class_<GameSpec>(module, "GameSpec", "Names and sizes of a game. A value: any thread may use it.")
      .def_ro("name", &GameSpec::name)
      .def_ro("source", &GameSpec::source, "What load() takes to make this game.")
      .def_prop_ro("options", &options_dict, "Every option with its value, in order.")
      .def_prop_ro(
          "options_text", [](const GameSpec& self) { return options_text(self.options); },
          "The same as it is written in a call of load(): 'size=9, komi=7.5'.")
      .def_ro("rules_digest", &GameSpec::rules_digest, "SHA-256 of the text of a rules file; '' for all other games.")
      .def_ro("num_planes", &GameSpec::num_planes)
      .def_ro("height", &GameSpec::height)
      .def_ro("width", &GameSpec::width)
      .def_ro("num_actions", &GameSpec::num_actions)
      .def_prop_ro("most_legal", &GameSpec::legal_bound, "No state has more legal actions than this.")
      .def_prop_ro(
          "action_layout", [](const GameSpec& self) { return action_layout_text(self.action_layout); },
          "What actions are on the board: 'cells', 'columns', 'planes' (plane * cells + cell) or 'dense' (nothing).")
      .def_prop_ro(
          "pieces", [](const GameSpec& self) { return to_tuple<Piece>(self.pieces); },
          "What can stand on a cell; its code in State.cells is its index + 1. Empty: the game does not say.")
      .def_prop_ro(
          "hands", [](const GameSpec& self) { return to_tuple<int>(self.hands); }, "Codes of pieces that can be held.")
      .def_prop_ro(
          "shape", [](const GameSpec& self) { return self.shape == BoardShape::kHex ? "hex" : "square"; },
          "How the board is drawn: 'square' or 'hex'.")
      .def_ro("score_name", &GameSpec::score_name, "What State.score counts, such as 'points'; '' if there is none.")
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
}

}  // namespace tengen

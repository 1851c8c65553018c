// Outcome and Reason: how and why a game ended.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cctype>

#include "bindings/arguments.h"
#include "bindings/bindings.h"
#include "bindings/values.h"
#include "tengen/base/error.h"
#include "tengen/games/board_text.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

Player to_player(Integer number) {
  if (number.value == 0 || number.value == 1) return static_cast<Player>(number.value);
  throw ArgumentError("A player is 0 (the first) or 1 (the second).");
}

std::optional<int> winner_index(const Ending& self) {
  return self.outcome.winner ? std::optional(index(*self.outcome.winner)) : std::nullopt;
}

Ending make_outcome(std::optional<Integer> winner, const Text& reason, const std::string& sentence) {
  const auto known = parse_reason(reason.value);
  if (!known) {
    std::string texts;
    for (const std::string_view text : kReasonTexts) texts += (texts.empty() ? "" : ", ") + std::string(text);
    throw ArgumentError(excerpt(reason.value) + " is not a reason for the end of a game; the reasons are: " + texts +
                        ".");
  }
  return {winner ? Outcome::win(to_player(*winner)) : Outcome::draw(), *known, sentence};
}

std::string outcome_repr(const Ending& self) {
  std::string text = "Outcome(winner=" + optional_text(winner_index(self));
  if (self.reason != Reason::kRules) text += ", reason=" + quoted(std::string(reason_text(self.reason)));
  if (!self.sentence.empty()) text += ", sentence=" + quoted(self.sentence);
  return text + ")";
}

// tengen.Reason, a StrEnum: its members are equal to their texts.
nb::object make_reasons() {
  nb::list members;
  for (const std::string_view text : kReasonTexts) {
    std::string name(text);
    for (char& letter : name) letter = static_cast<char>(letter == ' ' ? '_' : std::toupper(letter));
    members.append(nb::make_tuple(name, std::string(text)));
  }
  return nb::module_::import_("enum").attr("StrEnum")("Reason", members, "module"_a = "tengen._core");
}

}  // namespace

void bind_outcome(nb::module_& module) {
  const nb::object reasons = make_reasons();
  reasons.attr("__doc__") =
      "Why a game ended, as a word: Reason.LINE is equal to 'line'. A value: any thread may use it.";
  module.attr("Reason") = reasons;
  nb::class_<Ending>(module, "Outcome",
                     "How a finished game ended, and why. Outcomes are equal if the same player won, or neither. "
                     "A value: any thread may use it.")
      .def(nb::new_(&make_outcome), "winner"_a.none(), "reason"_a = "rules", "sentence"_a = "")
      .def_prop_ro("winner", &winner_index, "0 for the first player, 1 for the second, None for a draw.")
      .def_prop_ro(
          "reason",
          [](const Ending& self) {
            const std::string text(reason_text(self.reason));
            return nb::module_::import_("tengen._core").attr("Reason")(text);
          },
          nb::sig("def reason(self) -> Reason"), "Why it ended: Reason.LINE, which is equal to 'line'.")
      .def_ro("sentence", &Ending::sentence, "The same for people: 'four in a row'; may be empty.")
      .def_prop_ro(
          "is_draw", [](const Ending& self) { return !self.outcome.winner; }, "Whether nobody won.")
      .def_prop_ro(
          "returns",
          [](const Ending& self) {
            return std::pair(value_for(self.outcome, Player::kFirst), value_for(self.outcome, Player::kSecond));
          },
          "+1, -1 or 0 for each player, the first player's first.")
      .def(
          "value_for", [](const Ending& self, Integer player) { return value_for(self.outcome, to_player(player)); },
          "player"_a, "The result as a value for that player.")
      .def(
          "__eq__", [](const Ending& self, const Ending& other) { return self.outcome == other.outcome; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Ending& self) { return self.outcome.winner ? 1 + index(*self.outcome.winner) : 0; })
      .def(
          "__reduce__",
          [](nb::handle self) {
            const auto& ending = nb::cast<const Ending&>(self);
            return nb::make_tuple(
                self.type(),
                nb::make_tuple(winner_index(ending), std::string(reason_text(ending.reason)), ending.sentence));
          },
          nb::sig("def __reduce__(self) -> tuple[object, ...]"))
      .def("__repr__", &outcome_repr);
}

}  // namespace tengen

// What a search answers: its result, its tree, and what one simulation of it did.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "bindings/bindings.h"
#include "bindings/tree_arrays.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

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
    case LeafKind::kExact:
      return "exact";
    case LeafKind::kProven:
      return "proven";
  }
  return "";
}

const char* standing_text(Standing standing) {
  switch (standing) {
    case Standing::kCompared:
      return "compared";
    case Standing::kWinning:
      return "winning";
    case Standing::kForced:
      return "forced";
    case Standing::kUntried:
      return "untried";
    case Standing::kWaiting:
      return "waiting";
    case Standing::kSettled:
      return "settled";
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

// A number with three decimals, and with a sign: values and scores may be negative.
std::string text(const char* format, double number) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, number);
  return buffer;
}
std::string number_text(float number) { return text("%.3f", static_cast<double>(number)); }
std::string value_text(double value) { return text("%+.3f", std::abs(value) < 0.0005 ? 0.0 : value); }

std::string repr(const TreeResult& result) {
  const auto proven = proven_outcome(result.proven);
  return "<TreeResult: best action " + std::to_string(result.best_action) + ", value " +
         value_text(static_cast<double>(result.root_value)) + ", " + std::to_string(result.simulations) +
         " simulations, " + std::to_string(result.nodes) + " nodes, stopped by '" + stop_text(result.stopped) + "'" +
         (proven ? ", proven " + nb::cast<std::string>(nb::repr(nb::cast(*proven))) : "") + ">";
}

std::string repr(const ChildScore& child) {
  const bool compared = child.standing == Standing::kCompared;
  return "<ChildScore of action " + std::to_string(child.action) + ": N=" + std::to_string(child.visits) +
         " Q=" + value_text(static_cast<double>(child.q)) + " P=" + number_text(child.prior) +
         " bonus=" + number_text(child.bonus) + " score=" + value_text(static_cast<double>(child.score)) +
         (compared ? "" : std::string(", ") + standing_text(child.standing)) + ">";
}

std::string repr(const SimulationTrace::Step& step) {
  return "<SelectionStep at node " + std::to_string(step.node) + ": action " + std::to_string(step.chosen) +
         " chosen among " + std::to_string(step.children.size()) + ">";
}

std::string repr(const SimulationTrace::Change& change) {
  return "<BackupChange of node " + std::to_string(change.node) + ": N " + std::to_string(change.visits_before) +
         " -> " + std::to_string(change.visits_after) + ", W " + value_text(change.value_sum_before) + " -> " +
         value_text(change.value_sum_after) + ">";
}

std::string repr(const SimulationTrace& trace) {
  std::string line;
  for (const SimulationTrace::Step& step : trace.steps) line += " " + std::to_string(step.chosen);
  return "<SimulationTrace: " + (line.empty() ? "the root" : "actions" + line) + ", leaf is node " +
         std::to_string(trace.leaf) + ", " + leaf_text(trace.kind) + ", value " +
         value_text(static_cast<double>(trace.value)) + " for the first player>";
}

std::string repr(const TreeArrays& tree) {
  return "<TreeArrays: " + std::to_string(tree.parent.shape(0)) + " nodes, " +
         std::to_string(tree.edge_action.shape(0)) + " edges>";
}

}  // namespace

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
      .def_ro("line", &TreeResult::line, "The principal variation.")
      .def("__repr__", [](const TreeResult& self) { return repr(self); });

  nb::class_<ChildScore>(module, "ChildScore", "The terms of one child's score in one selection.")
      .def_ro("action", &ChildScore::action)
      .def_ro("visits", &ChildScore::visits)
      .def_ro("q", &ChildScore::q, "Mean value for the player who chooses.")
      .def_ro("prior", &ChildScore::prior)
      .def_ro("bonus", &ChildScore::bonus, "The exploration term; U in PUCT.")
      .def_ro("score", &ChildScore::score, "Of the children that are compared, the highest is taken.")
      .def_prop_ro(
          "standing", [](const ChildScore& self) { return standing_text(self.standing); },
          "What puts the child before or behind its siblings, whatever its score: 'winning' (at once), 'forced' (by "
          "forced playouts) and 'untried' (in UCT) go first, 'waiting' (in sequential halving) and 'settled' (its "
          "result is certain) are passed over; all others are 'compared'.")
      .def("__repr__", [](const ChildScore& self) { return repr(self); });
  nb::class_<SimulationTrace::Step>(module, "SelectionStep", "One choice on the way down.")
      .def_ro("node", &SimulationTrace::Step::node)
      .def_ro("children", &SimulationTrace::Step::children)
      .def_ro("chosen", &SimulationTrace::Step::chosen, "The action taken.")
      .def("__repr__", [](const SimulationTrace::Step& self) { return repr(self); });
  nb::class_<SimulationTrace::Change>(module, "BackupChange", "What the backup changed in one node.")
      .def_ro("node", &SimulationTrace::Change::node)
      .def_ro("visits_before", &SimulationTrace::Change::visits_before)
      .def_ro("visits_after", &SimulationTrace::Change::visits_after)
      .def_ro("value_sum_before", &SimulationTrace::Change::value_sum_before, "For the first player.")
      .def_ro("value_sum_after", &SimulationTrace::Change::value_sum_after, "For the first player.")
      .def("__repr__", [](const SimulationTrace::Change& self) { return repr(self); });
  nb::class_<SimulationTrace>(module, "SimulationTrace", "What one simulation did.")
      .def_ro("steps", &SimulationTrace::steps, "The choices, from the root down.")
      .def_ro("leaf", &SimulationTrace::leaf, "The node the simulation ended in.")
      .def_prop_ro(
          "kind", [](const SimulationTrace& self) { return leaf_text(self.kind); },
          "How the leaf got its value: 'evaluated', 'cached', 'rollout', 'exact' or 'proven'.")
      .def_ro("actions", &SimulationTrace::actions, "Legal actions of the leaf, if it was expanded.")
      .def_ro("priors", &SimulationTrace::priors, "Their priors.")
      .def_ro("value", &SimulationTrace::value, "What was backed up, for the first player.")
      .def_ro("changes", &SimulationTrace::changes, "What the backup changed, from the root down.")
      .def("__repr__", [](const SimulationTrace& self) { return repr(self); });

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
      .def_ro("edge_child", &TreeArrays::edge_child, nb::rv_policy::automatic)
      .def("__repr__", [](const TreeArrays& self) { return repr(self); });
}

}  // namespace tengen

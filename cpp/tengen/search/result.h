// What the search of one tree came to, read off the tree and the plan of its root.
#pragma once

#include <cstdint>
#include <vector>

#include "tengen/search/params.h"
#include "tengen/search/root.h"
#include "tengen/search/simulate.h"
#include "tengen/search/tree.h"

namespace tengen {

enum class StopReason : std::uint8_t {
  kNotStarted,   // begin() has not been called
  kSearching,    // not stopped yet
  kSimulations,  // the budget is spent
  kProven,       // the result of the root is known for certain
  kNodeCap,      // the tree has max_nodes nodes
  kGameOver,     // there was nothing to search
};

struct TreeResult {
  StopReason stopped = StopReason::kNotStarted;
  int simulations = 0;  // done in this search
  std::uint32_t nodes = 0;
  float root_value = 0.0F;     // for the player to move
  float network_value = 0.0F;  // the evaluation of the root itself, for the player to move
  Proven proven = Proven::kUnknown;
  int distance = 0;  // plies to the end, if proven
  Action best_action = 0;
  std::vector<Action> line;  // principal variation
};

// The answer of a tree, but for what only its search knows: why it stopped, and after how many simulations.
inline TreeResult read_result(const Tree& tree, const RootPlan& plan, const SearchParams& params) {
  const Tree::Stats& root = tree.stats(kRoot);
  const Tree::Links& links = tree.links(kRoot);
  const float sign = sign_of(root.to_move);
  TreeResult result;
  result.nodes = tree.num_nodes();
  result.network_value = sign * links.value;
  result.proven = root.proven;
  result.distance = links.distance;
  if (root.proven != Proven::kUnknown) {
    result.root_value = sign * exact_value(tree, kRoot, params.discount);
  } else if (root.visits > 0) {
    result.root_value = sign * static_cast<float>(root.value_sum / root.visits);
  }
  if (links.num_edges == 0) return result;
  std::vector<float> target(plan.priors.size());  // [A]
  policy_target(tree, plan, params, target.data());
  result.best_action = best_action(tree, plan, params, target.data());
  result.line = principal_variation(tree, result.best_action);
  return result;
}

// Writes what is known of every root action, each [A]; untouched where an action is not legal.
inline void read_root(const Tree& tree, const RootPlan& plan, const SearchParams& params, std::int32_t* visits,
                      float* target, float* q, float* prior) {
  const Tree::Links& links = tree.links(kRoot);
  if (links.num_edges == 0) return;
  const float sign = sign_of(tree.stats(kRoot).to_move);
  const std::uint16_t* actions = tree.actions(kRoot);
  policy_target(tree, plan, params, target);
  for (int i = 0; i < links.num_edges; ++i) {
    prior[actions[i]] = plan.priors[actions[i]];
    if (i >= links.num_children) continue;
    const Tree::Stats& child = tree.stats(tree.child(kRoot, i));
    visits[actions[i]] = static_cast<std::int32_t>(child.visits);
    if (child.visits > 0) q[actions[i]] = child_q(child, sign, 0.0F);
  }
}

}  // namespace tengen

// The way back of a simulation: its value is added to every node of the path, and what is proven goes before what is
// estimated (MCTS-Solver, Winands et al. 2008; score-bounded MCTS, Cazenave and Saffidine 2010).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tengen/search/params.h"
#include "tengen/search/tree.h"

namespace tengen {

// What the children prove about their parent: a win if one wins, else nothing until all are proven, then the best.
// Sets the proof and the distance to the end: the shortest win, the longest loss or draw that is known.
inline bool prove_from_children(Tree& tree, NodeId node) {
  Tree::Stats& parent = tree.stats(node);
  Tree::Links& links = tree.links(node);
  const Proven win = proven_win(parent.to_move);
  bool all_proven = links.num_children == links.num_edges;
  int shortest_win = -1;
  int longest_draw = -1;
  int longest_loss = -1;
  for (int i = 0; i < links.num_children; ++i) {
    const NodeId child = tree.child(node, i);
    const int distance = tree.links(child).distance + 1;
    const Proven proven = tree.stats(child).proven;
    if (proven == Proven::kUnknown) {
      all_proven = false;
    } else if (proven == win) {
      shortest_win = shortest_win < 0 ? distance : std::min(shortest_win, distance);
    } else if (proven == Proven::kDraw) {
      longest_draw = std::max(longest_draw, distance);
    } else {
      longest_loss = std::max(longest_loss, distance);
    }
  }
  links.has_draw = longest_draw >= 0;
  if (shortest_win < 0 && !all_proven) return false;
  const int distance = shortest_win >= 0 ? shortest_win : longest_draw >= 0 ? longest_draw : longest_loss;
  parent.proven = shortest_win >= 0 ? win : longest_draw >= 0 ? Proven::kDraw : proven_win(opponent(parent.to_move));
  links.distance = static_cast<std::uint16_t>(distance);
  return true;
}

// The value of a proven node for the first player: its result, discounted by the way to it.
inline float exact_value(const Tree& tree, NodeId node, float discount) {
  const float result = proven_value(tree.stats(node).proven);
  return discount < 1.0F ? result * std::pow(discount, static_cast<float>(tree.links(node).distance)) : result;
}

// Adds `value` (for the first player) to every node from the leaf to the root, discounted ply by ply. With `solve`, a
// leaf that is proven may prove its ancestors, and what is known for certain goes before the estimate: the exact value of a proven node, also
// for its visits so far, and at least a draw for a player who can have one.
inline void back_up(Tree& tree, const NodeId* path, int length, float value, const SearchParams& params) {
  bool proving = params.solve;  // the node below is proven, or there is none
  for (int i = length - 1; i >= 0; --i, value *= params.discount) {
    Tree::Stats& stats = tree.stats(path[i]);
    if (stats.proven != Proven::kUnknown) {
      proving = params.solve;  // it may have been proven while this leaf was on its way to the evaluator
    } else if (proving) {
      proving = i < length - 1 && prove_from_children(tree, path[i]);
      if (proving) stats.value_sum = static_cast<double>(exact_value(tree, path[i], params.discount)) * stats.visits;
    }
    if (proving) {
      value = exact_value(tree, path[i], params.discount);
    } else if (tree.links(path[i]).has_draw && value * sign_of(stats.to_move) < 0.0F) {
      value = 0.0F;
    }
    stats.value_sum += static_cast<double>(value);
    stats.visits += 1;
  }
}

}  // namespace tengen

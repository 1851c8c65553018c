// What a selection reads of the children of a node, whichever kind of selection it is.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tengen/search/params.h"
#include "tengen/search/tree.h"

namespace tengen {

// What puts a child before or behind its siblings, whatever its score.
enum class Standing : std::uint8_t {
  kCompared,  // nothing: the score decides
  kWinning,   // it wins at once, so it is taken
  kForced,    // it has fewer visits than forced playouts ask for; before all that are compared
  kUntried,   // UCT takes every child once before it compares any; its score is infinite
  kWaiting,   // sequential halving visits others in this round
  kSettled,   // its result is known for certain; behind all that are compared
};

// The terms of one child's score, for those who want to look (step mode).
struct ChildScore {
  Action action = 0;
  std::uint32_t visits = 0;
  std::uint32_t pending = 0;
  float q = 0.0F;  // for the player who chooses
  float prior = 0.0F;
  float bonus = 0.0F;  // U in PUCT, the radius in UCT; in Gumbel g + logit at the root, the score itself below it
  float score = 0.0F;
  Standing standing = Standing::kCompared;
};

// Visits of a child, leaves on their way included.
inline std::uint32_t visits_with_pending(const Tree::Stats& child) { return child.visits + child.pending; }

// Visits of all children, leaves on their way included.
inline float child_visits(const Tree::Stats& parent) {
  const auto all = parent.visits + parent.pending;
  return all > 0 ? static_cast<float>(all - 1) : 0.0F;
}

// Whether there is anything to go by: a value that came back, or losses that are counted meanwhile.
inline bool has_value(const Tree::Stats& child, float virtual_loss) {
  return child.visits > 0 || (child.pending > 0 && virtual_loss > 0.0F);
}

// Mean value of a child for the player who chooses, each leaf on its way counted as `virtual_loss` losses:
// (W - l pending) / (N + l pending); 0 while there is nothing to go by.
inline float child_q(const Tree::Stats& child, float sign, float virtual_loss = 0.0F) {
  const float lost = virtual_loss * static_cast<float>(child.pending);
  const float n = static_cast<float>(child.visits) + lost;
  return n > 0.0F ? (sign * static_cast<float>(child.value_sum) - lost) / n : 0.0F;
}

// A child that is lost for certain for the player who chooses: not worth a simulation while there are others.
inline bool is_lost(const Tree::Stats& child, Player chooser, const SearchParams& params) {
  return params.solve && child.proven == proven_win(opponent(chooser));
}

// Children about which nothing is left to find out give way to the others: certain losses always, certain draws below
// the root (at the root the share of visits is the policy target, and a draw may deserve it). They are never all
// settled: then the parent would be proven, and no child of it chosen.
inline Standing standing_of(const Tree::Stats& child, NodeId parent, Player chooser, const SearchParams& params) {
  if (!params.solve || child.proven == Proven::kUnknown) return Standing::kCompared;
  const bool drawn = child.proven == Proven::kDraw && parent != kRoot;
  return drawn || is_lost(child, chooser, params) ? Standing::kSettled : Standing::kCompared;
}

// The end of the edges that a selection looks at: the existing children and the edge to be tried next; with `every`
// (step mode) all the others too, which are never taken.
inline int last_edge(const Tree::Links& links, bool every) {
  return every ? links.num_edges : std::min<int>(links.num_children + 1, links.num_edges);
}

// Calls use(i, child) for every child that exists.
template <class Use>
void for_each_child(const Tree& tree, NodeId node, Use&& use) {
  for (int i = 0; i < tree.links(node).num_children; ++i) use(i, tree.child(node, i));
}

}  // namespace tengen

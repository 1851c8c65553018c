// One simulation's way through a tree: which child to take, and what to write on the way back.
// Everything here works on the tree alone; the game is played along in forest.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tengen/search/params.h"
#include "tengen/search/score.h"
#include "tengen/search/tree.h"

namespace tengen {

// The terms of one child's score, for those who want to look (step mode).
struct ChildScore {
  Action action = 0;
  std::uint32_t visits = 0;
  std::uint32_t pending = 0;
  float q = 0.0F;  // for the player who chooses
  float prior = 0.0F;
  float bonus = 0.0F;  // the exploration term: U, the UCT radius, or pi' - N / (1 + sum N)
  float score = 0.0F;
};

// Visits of a child, leaves on their way included.
inline std::uint32_t visits_with_pending(const Tree::Stats& child) { return child.visits + child.pending; }

// Whether there is anything to go by: a value that came back, or losses that are counted meanwhile.
inline bool has_value(const Tree::Stats& child, float virtual_loss) {
  return child.visits > 0 || (child.pending > 0 && virtual_loss > 0.0F);
}

// Mean value of a child for the player who chooses, each leaf on its way counted as `virtual_loss` losses:
// (W - l pending) / (N + l pending); 0 while there is nothing to go by.
inline float child_q(const Tree::Stats& child, float sign, float virtual_loss) {
  const float lost = virtual_loss * static_cast<float>(child.pending);
  const float n = static_cast<float>(child.visits) + lost;
  return n > 0.0F ? (sign * static_cast<float>(child.value_sum) - lost) / n : 0.0F;
}

// A child that is lost for certain for the player who chooses: not worth a simulation while there are others.
inline bool is_lost(const Tree::Stats& child, Player chooser, const SearchParams& params) {
  return params.solve && child.proven == proven_win(opponent(chooser));
}

// Children about which nothing is left to find out give way to the others: certain losses always, certain draws below
// the root (at the root the share of visits is the policy target, and a draw may deserve it).
inline float settled_penalty(const Tree::Stats& child, NodeId parent, Player chooser, const SearchParams& params) {
  if (!params.solve || child.proven == Proven::kUnknown) return 0.0F;
  if (is_lost(child, chooser, params)) return 2e6F;
  return child.proven == Proven::kDraw && parent != kRoot ? 1e6F : 0.0F;
}

// Visits of all children, those on their way included.
inline float child_visits(const Tree::Stats& parent) {
  const auto all = parent.visits + parent.pending;
  return all > 0 ? static_cast<float>(all - 1) : 0.0F;
}

// Each for_each_* calls visit(edge, ChildScore) for every existing child and then for the edge to be tried next; with
// `every` (step mode) for all the other edges too, which never win. Like std::for_each they take the visitor by value
// and return it, so that it can stay in registers.
inline int last_edge(const Tree::Links& links, bool every) {
  return every ? links.num_edges : std::min<int>(links.num_children + 1, links.num_edges);
}

// PUCT: a = argmax Q(s, a) + c P(s, a) sqrt(sum_b N(s, b)) / (1 + N(s, a))
template <class Visit>
Visit for_each_puct(const Tree& tree, NodeId node, const SearchParams& params, float forced, bool every, Visit visit) {
  const Tree::Stats& parent = tree.stats(node);
  const Tree::Links& links = tree.links(node);
  const float sign = sign_of(parent.to_move);
  const float total = child_visits(parent);
  const float sqrt_total = std::sqrt(total);
  const float c = puct_factor(params.c_puct, params.c_puct_base, total);
  const float parent_q = params.unvisited_value == UnvisitedValue::kZero || parent.visits == 0
                             ? 0.0F
                             : sign * static_cast<float>(parent.value_sum) / static_cast<float>(parent.visits);
  const float reduction = params.unvisited_value == UnvisitedValue::kZero ? 0.0F : params.fpu_reduction;
  const float* priors = tree.priors(node);
  const std::uint16_t* actions = tree.actions(node);
  const NodeId* children = tree.children(node);
  float visited_prior = 0.0F;
  for (int i = 0; i < links.num_children; ++i) {
    const Tree::Stats& child = tree.stats(children[i]);
    const std::uint32_t n = visits_with_pending(child);
    const float q = has_value(child, params.virtual_loss) ? child_q(child, sign, params.virtual_loss)
                                                          : unvisited_q(parent_q, reduction, visited_prior);
    const float u = puct_bonus(c, priors[i], sqrt_total, n);
    float score = q + u;
    if (forced > 0.0F && n > 0 && static_cast<float>(n) < forced_visits(forced, priors[i], total)) score += 1e6F;
    score -= settled_penalty(child, node, parent.to_move, params);
    visited_prior += priors[i];
    visit(i, ChildScore{actions[i], child.visits, child.pending, q, priors[i], u, score});
  }
  for (int i = links.num_children; i < last_edge(links, every); ++i) {
    const float q = unvisited_q(parent_q, reduction, visited_prior);
    const float u = puct_bonus(c, priors[i], sqrt_total, 0);
    visit(i, ChildScore{actions[i], 0, 0, q, priors[i], u, q + u});
  }
  return visit;
}

// The children of for_each_uct. `kQuick`: none is on its way to an evaluation, and all visits are in the table; that
// holds for all children if it holds for the parent, and saves the tests for each.
template <bool kQuick, class Visit>
Visit for_each_uct_child(const Tree& tree, NodeId node, const SearchParams& params, float sqrt_log_total, Visit visit) {
  const Player chooser = tree.stats(node).to_move;
  const float sign = sign_of(chooser);
  const int num_children = tree.links(node).num_children;
  const float* priors = tree.priors(node);
  const std::uint16_t* actions = tree.actions(node);
  const NodeId* children = tree.children(node);
  for (int i = 0; i < num_children; ++i) {
    const Tree::Stats& child = tree.stats(children[i]);
    const float q = kQuick || child.pending == 0
                        ? sign * static_cast<float>(child.value_sum) * kCounts.inverse<kQuick>(child.visits)
                        : child_q(child, sign, params.virtual_loss);
    const float bonus = uct_bonus<kQuick>(params.c_uct, sqrt_log_total, child.visits + (kQuick ? 0U : child.pending));
    const float score = q + bonus - settled_penalty(child, node, chooser, params);
    visit(i, ChildScore{actions[i], child.visits, child.pending, q, priors[i], bonus, score});
  }
  return visit;
}

// UCT: untried children first, then argmax Q(s, a) + c sqrt(ln sum_b N(s, b) / N(s, a)).
template <class Visit>
Visit for_each_uct(const Tree& tree, NodeId node, const SearchParams& params, bool every, Visit visit) {
  const Tree::Stats& parent = tree.stats(node);
  const Tree::Links& links = tree.links(node);
  const float sqrt_log_total = kCounts.root_log(std::max(2U, parent.visits + parent.pending) - 1);
  // Nothing is better than an untried child: the scores of the others matter only to those who look.
  if (every || links.num_children == links.num_edges) {
    if (parent.pending == 0 && parent.visits < CountTable::kSize) {
      visit = for_each_uct_child<true>(tree, node, params, sqrt_log_total, std::move(visit));
    } else {
      visit = for_each_uct_child<false>(tree, node, params, sqrt_log_total, std::move(visit));
    }
  }
  const float* priors = tree.priors(node);
  const std::uint16_t* actions = tree.actions(node);
  for (int i = links.num_children; i < last_edge(links, every); ++i) {
    visit(i, ChildScore{actions[i], 0, 0, 0.0F, priors[i], 1e6F, 1e6F});
  }
  return visit;
}

// What Gumbel AlphaZero needs to know of a node to complete the values of its unvisited actions.
struct CompletedQ {
  float unvisited = 0.0F;  // v_mix, stands in for the q of an unvisited action
  float lowest = 0.0F;
  float highest = 0.0F;
  float max_visits = 0.0F;

  // sigma(q), the value on the scale of logits.
  float sigma(float q, const SearchParams& params) const {
    const float scaled = params.gumbel_rescale ? (q - lowest) / std::max(highest - lowest, 1e-8F) : (q + 1.0F) * 0.5F;
    return gumbel_sigma(scaled, params.gumbel_c_visit, params.gumbel_c_scale, max_visits);
  }
};

inline CompletedQ complete_q(const Tree& tree, NodeId node) {
  const Tree::Stats& parent = tree.stats(node);
  const Tree::Links& links = tree.links(node);
  const float sign = sign_of(parent.to_move);
  const float* priors = tree.priors(node);
  CompletedQ completed{0.0F, std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest(), 0.0F};
  float total = 0.0F;
  float visited_prior = 0.0F;
  float visited_prior_q = 0.0F;
  int visited = 0;
  for (int i = 0; i < links.num_children; ++i) {
    const Tree::Stats& child = tree.stats(tree.child(node, i));
    if (child.visits == 0) continue;
    const float q = child_q(child, sign, 0.0F);
    const auto n = static_cast<float>(child.visits);
    ++visited;
    total += n;
    visited_prior += priors[i];
    visited_prior_q += priors[i] * q;
    completed.lowest = std::min(completed.lowest, q);
    completed.highest = std::max(completed.highest, q);
    completed.max_visits = std::max(completed.max_visits, n);
  }
  completed.unvisited = mixed_value(sign * links.value, total, visited_prior, visited_prior_q);
  if (visited < links.num_edges) {
    completed.lowest = std::min(completed.lowest, completed.unvisited);
    completed.highest = std::max(completed.highest, completed.unvisited);
  }
  return completed;
}

// Gumbel AlphaZero below the root: argmax pi'(a) - N(a) / (1 + sum_b N(b)), pi' = softmax(logits + sigma(completed q)).
// All unvisited actions share one q, so the sum behind pi' needs only the visited ones and the prior that is left.
template <class Visit>
Visit for_each_gumbel(const Tree& tree, NodeId node, const SearchParams& params, bool every, Visit visit) {
  const Tree::Stats& parent = tree.stats(node);
  const Tree::Links& links = tree.links(node);
  const float sign = sign_of(parent.to_move);
  const float* priors = tree.priors(node);
  const std::uint16_t* actions = tree.actions(node);
  const NodeId* children = tree.children(node);
  const CompletedQ completed = complete_q(tree, node);
  const float base = completed.sigma(completed.highest, params);  // keeps the exponents at or below 0
  const float unvisited_weight = fast_exp(completed.sigma(completed.unvisited, params) - base);
  const float per_visit = 1.0F / (1.0F + child_visits(parent));

  const auto weight_of = [&](const Tree::Stats& child) {
    if (child.visits == 0) return unvisited_weight;
    return fast_exp(completed.sigma(child_q(child, sign, 0.0F), params) - base);
  };
  float sum = 0.0F;
  float prior_left = 1.0F;
  for (int i = 0; i < links.num_children; ++i) {
    sum += priors[i] * weight_of(tree.stats(children[i]));
    prior_left -= priors[i];
  }
  // Once every action has a child, what is left of the prior is rounding, and v_mix may lie far above all of them.
  if (links.num_children < links.num_edges) sum += std::max(0.0F, prior_left) * unvisited_weight;
  for (int i = 0; i < links.num_children; ++i) {
    const Tree::Stats& child = tree.stats(children[i]);
    const float q = child.visits == 0 ? completed.unvisited : child_q(child, sign, 0.0F);
    const float n = static_cast<float>(visits_with_pending(child));
    const float score = priors[i] * weight_of(child) / sum - n * per_visit;
    visit(i, ChildScore{actions[i], child.visits, child.pending, q, priors[i], score,
                        score - settled_penalty(child, node, parent.to_move, params)});
  }
  for (int i = links.num_children; i < last_edge(links, every); ++i) {
    const float score = priors[i] * unvisited_weight / sum;
    visit(i, ChildScore{actions[i], 0, 0, completed.unvisited, priors[i], score, score});
  }
  return visit;
}

template <class Visit>
Visit for_each_score(const Tree& tree, NodeId node, const SearchParams& params, float forced, bool every,
                     Visit&& visit) {
  switch (params.selection) {
    case Selection::kPuct:
      return for_each_puct(tree, node, params, forced, every, std::move(visit));
    case Selection::kUct:
      return for_each_uct(tree, node, params, every, std::move(visit));
    case Selection::kGumbel:
      return for_each_gumbel(tree, node, params, every, std::move(visit));
  }
  return visit;
}

// Keeps every score, for step mode.
struct Collect {
  std::vector<ChildScore>* children;
  void operator()(int, const ChildScore& child) { children->push_back(child); }
};

// Finds the edge with the highest score; of equals the earliest, so that ties go to the higher prior.
// The selects need no branch, which nobody could predict.
class Highest {
 public:
  void operator()(int edge, const ChildScore& child) {
    edge_ = child.score > score_ ? edge : edge_;
    score_ = std::max(score_, child.score);
  }

  int edge() const { return edge_; }

 private:
  float score_ = -std::numeric_limits<float>::infinity();
  int edge_ = 0;
};

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

// Adds `value` (for the first player) to every node from the leaf to the root. With `solve`, a leaf that is proven may
// prove its ancestors, and what is known for certain goes before the estimate: the exact value of a proven node, also
// for its visits so far, and at least a draw for a player who can have one (as in score-bounded MCTS, Cazenave and
// Saffidine 2010).
inline void back_up(Tree& tree, const NodeId* path, int length, float value, const SearchParams& params) {
  bool proving = params.solve;  // the node below is proven
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

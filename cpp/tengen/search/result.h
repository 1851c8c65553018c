// What the search of one tree came to, read off the tree and the plan of its root: the policy target, the action to
// play, the line both sides would take.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tengen/search/backup.h"
#include "tengen/search/child.h"
#include "tengen/search/params.h"
#include "tengen/search/root.h"
#include "tengen/search/selection.h"
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

// The first root edge that leads to the shortest proven win, or -1.
inline int winning_edge(const Tree& tree, const SearchParams& params) {
  const Tree::Stats& root = tree.stats(kRoot);
  if (!params.solve || root.proven != proven_win(root.to_move)) return -1;
  for (int i = 0; i < tree.links(kRoot).num_children; ++i) {
    const NodeId child = tree.child(kRoot, i);
    const bool shortest = tree.links(child).distance + 1 == tree.links(kRoot).distance;
    if (shortest && tree.stats(child).proven == root.proven) return i;
  }
  return -1;
}

// The policy that the network should learn from this search, by root edge, summing to 1: what the kind of selection
// says, or the prior if there is nothing else to go by. What is proven goes first: all on the shortest win, nothing on
// a certain loss unless the root is lost itself. Where an exact search has settled the root, its best actions share
// all.
inline std::vector<float> policy_target(const Tree& tree, const RootPlan& plan, const SearchParams& params) {
  const Tree::Stats& root = tree.stats(kRoot);
  const Tree::Links& links = tree.links(kRoot);
  std::vector<float> target(links.num_edges, 0.0F);
  if (!plan.exact.empty()) {
    for (const Action action : plan.exact) {
      const int i = tree.edge_of(kRoot, action);
      if (i < links.num_edges) target[static_cast<std::size_t>(i)] = 1.0F / static_cast<float>(plan.exact.size());
    }
    return target;
  }
  if (const int wins = winning_edge(tree, params); wins >= 0) {
    target[static_cast<std::size_t>(wins)] = 1.0F;
    return target;
  }

  std::vector<double> weights;
  if (links.num_children > 0) {
    weights = with_selection(params.selection, [&](auto kind) { return kind.target_weights(tree, plan, params); });
  }
  weights.resize(links.num_edges, 0.0);
  const bool lost = root.proven == proven_win(opponent(root.to_move));
  const auto share_out = [&] {  // whether there was anything
    double sum = 0.0;
    for (int i = 0; i < links.num_edges; ++i) {
      auto& weight = weights[static_cast<std::size_t>(i)];
      const bool loses = i < links.num_children && is_lost(tree.stats(tree.child(kRoot, i)), root.to_move, params);
      if (loses && !lost) weight = 0.0;
      sum += weight;
    }
    for (std::size_t i = 0; sum > 0.0 && i < weights.size(); ++i) target[i] = static_cast<float>(weights[i] / sum);
    return sum > 0.0;
  };
  if (!share_out()) {
    for (int i = 0; i < links.num_edges; ++i) {
      weights[static_cast<std::size_t>(i)] = static_cast<double>(plan.prior_of(tree, i));
    }
    share_out();
  }
  return target;
}

// The action to play without any randomness of its own: a proven win at once, the longest way to a certain loss, else
// what the kind of selection says, else the policy target's best. Of the best actions by an exact search, the one with
// the highest prior. target: by root edge
inline Action best_action(const Tree& tree, const RootPlan& plan, const SearchParams& params,
                          const std::vector<float>& target) {
  const Tree::Stats& root = tree.stats(kRoot);
  const Tree::Links& links = tree.links(kRoot);
  const std::uint16_t* actions = tree.actions(kRoot);
  if (!plan.exact.empty()) {
    const auto prior = [&](Action action) { return plan.prior_of(tree, tree.edge_of(kRoot, action)); };
    return *std::max_element(plan.exact.begin(), plan.exact.end(),
                             [&](Action a, Action b) { return prior(a) < prior(b); });
  }
  if (params.solve && root.proven == proven_win(opponent(root.to_move))) {
    int longest = 0;
    for (int i = 1; i < links.num_children; ++i) {
      if (tree.links(tree.child(kRoot, i)).distance > tree.links(tree.child(kRoot, longest)).distance) longest = i;
    }
    return actions[longest];
  }
  if (links.num_children > 0 && root.proven == Proven::kUnknown) {
    const auto own = with_selection(params.selection, [&](auto kind) -> std::optional<Action> {
      if constexpr (requires { kind.best_action(tree, plan, params); }) return kind.best_action(tree, plan, params);
      return std::nullopt;
    });
    if (own) return *own;
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < target.size(); ++i) {
    if (target[i] > target[best] || (target[i] == target[best] && actions[i] < actions[best])) best = i;
  }
  return actions[best];
}

// The line both sides would take: from the root the best action, then the most visited child each time; a proven win
// goes before all.
inline std::vector<Action> principal_variation(const Tree& tree, Action first) {
  std::vector<Action> line;
  NodeId node = kRoot;
  while (tree.links(node).num_children > 0) {
    const std::uint16_t* actions = tree.actions(node);
    int best = 0;
    std::uint64_t best_rank = 0;
    for (int i = 0; i < tree.links(node).num_children; ++i) {
      const Tree::Stats& child = tree.stats(tree.child(node, i));
      std::uint64_t rank = child.visits;
      if (child.proven == proven_win(tree.stats(node).to_move)) rank += 1ULL << 32;
      if (node == kRoot && actions[i] == first) rank += 1ULL << 40;
      if (rank > best_rank) {
        best_rank = rank;
        best = i;
      }
    }
    if (best_rank == 0) break;
    if (node == kRoot && actions[best] != first) return {first};  // never visited: there is no more to say
    line.push_back(actions[best]);
    node = tree.child(node, best);
  }
  return line;
}

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
  result.best_action = best_action(tree, plan, params, policy_target(tree, plan, params));
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
  const std::vector<float> shares = policy_target(tree, plan, params);
  for (int i = 0; i < links.num_edges; ++i) {
    target[actions[i]] = shares[static_cast<std::size_t>(i)];
    prior[actions[i]] = plan.prior_of(tree, i);
    if (i >= links.num_children) continue;
    const Tree::Stats& child = tree.stats(tree.child(kRoot, i));
    visits[actions[i]] = static_cast<std::int32_t>(child.visits);
    if (child.visits > 0) q[actions[i]] = child_q(child, sign);
  }
}

}  // namespace tengen

// What one search keeps about its root besides the tree: the evaluator's priors, the noise it drew, whom it considers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "tengen/search/params.h"
#include "tengen/search/tree.h"

namespace tengen {

struct RootAction {
  Action action = 0;
  float prior = 0.0F;               // as the evaluator gave it, without noise
  float gumbel = 0.0F;              // drawn for this search, times gumbel_scale; 0 without noise
  std::uint32_t visits_before = 0;  // from earlier searches of the same tree
};

// The root's side of one search. Constant while it selects.
struct RootPlan {
  bool noise = false;                    // explore at the root, as self-play does
  std::optional<Action> winning_action;  // it wins at once; only if such actions are looked for
  // [legal] In increasing order of their actions, because the root's edges change their order as they are tried.
  std::vector<RootAction> actions;
  std::vector<Action> exact;    // the best actions by the rules, if an exact search has settled the root
  std::vector<int> considered;  // Gumbel: entries of `actions` that were sampled, best first
  std::vector<int> schedule;    // Gumbel: [simulations], see halving_schedule

  // The entry of a legal action, once the root is prepared.
  int index_of(Action action) const {
    const auto found = std::lower_bound(actions.begin(), actions.end(), action,
                                        [](const RootAction& entry, Action wanted) { return entry.action < wanted; });
    return static_cast<int>(found - actions.begin());
  }
  RootAction& operator[](int i) { return actions[static_cast<std::size_t>(i)]; }
  const RootAction& operator[](int i) const { return actions[static_cast<std::size_t>(i)]; }

  // The evaluator's prior of a root edge. Until the search has prepared its root, the tree has it.
  float prior_of(const Tree& tree, int edge) const {
    const Action action = tree.actions(kRoot)[edge];
    const auto i = static_cast<std::size_t>(index_of(action));
    return i < actions.size() && actions[i].action == action ? actions[i].prior : tree.priors(kRoot)[edge];
  }

  std::size_t bytes() const {
    return actions.capacity() * sizeof(RootAction) + exact.capacity() * sizeof(Action) +
           (considered.capacity() + schedule.capacity()) * sizeof(int);
  }
};

// The plan of a root on which no search has begun: its priors as they are, nothing drawn, nothing considered.
inline void forget_plan(const Tree& tree, RootPlan& plan) {
  plan.noise = false;
  plan.exact.clear();
  plan.considered.clear();
  plan.actions.clear();
  for (int i = 0; i < tree.links(kRoot).num_edges; ++i) {
    plan.actions.push_back({.action = tree.actions(kRoot)[i], .prior = tree.priors(kRoot)[i]});
  }
  std::sort(plan.actions.begin(), plan.actions.end(),
            [](const RootAction& a, const RootAction& b) { return a.action < b.action; });
}

}  // namespace tengen

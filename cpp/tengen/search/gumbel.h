// Gumbel AlphaZero (Danihelka et al. 2022): at the root, actions sampled without replacement share the simulations by
// sequential halving; below it, visits follow the improved policy pi' = softmax(logits + sigma(completed q)).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "tengen/base/random.h"
#include "tengen/search/child.h"
#include "tengen/search/root.h"
#include "tengen/search/score.h"

namespace tengen {

inline float log_prior(float prior) { return std::log(std::max(prior, 1e-30F)); }

// What is needed of a node to complete the values of its unvisited actions.
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

  float of(const Tree::Stats& child, float sign) const { return child.visits > 0 ? child_q(child, sign) : unvisited; }
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
    const float q = child_q(child, sign);
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

struct Gumbel {
  static constexpr bool kSamplesMoves = true;  // the best action is a sample, by the noise that was drawn
  static constexpr bool kNeedsBudget = true;   // halving divides the simulations among its rounds

  // Draws the noise, samples the actions to be considered, divides the simulations among them.
  static void prepare(Tree&, RootPlan& plan, const SearchParams& params, int simulations, Rng& rng) {
    if (plan.noise) {
      for (RootAction& entry : plan.actions) entry.gumbel = params.gumbel_scale * random_gumbel(rng);
    }
    const auto key = [&](int entry) { return plan[entry].gumbel + log_prior(plan[entry].prior); };
    plan.considered.resize(plan.actions.size());
    std::iota(plan.considered.begin(), plan.considered.end(), 0);
    std::stable_sort(plan.considered.begin(), plan.considered.end(), [&](int a, int b) { return key(a) > key(b); });
    plan.considered.resize(std::min(plan.considered.size(), static_cast<std::size_t>(params.gumbel_considered)));
    plan.schedule = halving_schedule(static_cast<int>(plan.considered.size()), simulations);
  }

  template <class Visit>
  static Visit for_each_score(const Tree& tree, NodeId node, const RootPlan& plan, const SearchParams& params,
                              int simulation, bool every, Visit visit) {
    if (node == kRoot) {
      const auto wanted = visits_wanted(tree, plan, params, simulation);
      if (wanted) return for_each_candidate(tree, plan, params, *wanted, std::move(visit));
    }
    return for_each_by_policy(tree, node, params, every, std::move(visit));
  }

  // pi' = softmax(logits + sigma(completed q)) of the evaluator's logits
  static std::vector<double> target_weights(const Tree& tree, const RootPlan& plan, const SearchParams& params) {
    const Tree::Links& links = tree.links(kRoot);
    const float sign = sign_of(tree.stats(kRoot).to_move);
    const CompletedQ completed = complete_q(tree, kRoot);
    std::vector<float> logits(links.num_edges);
    for (int i = 0; i < links.num_edges; ++i) {
      const float q =
          i < links.num_children ? completed.of(tree.stats(tree.child(kRoot, i)), sign) : completed.unvisited;
      logits[static_cast<std::size_t>(i)] =
          log_prior(plan.of(tree.actions(kRoot)[i]).prior) + completed.sigma(q, params);
    }
    softmax(logits.data(), links.num_edges);
    return {logits.begin(), logits.end()};
  }

  // Of the considered actions that were visited most in this search, the one with the highest g + logit + sigma(q).
  static std::optional<Action> best_action(const Tree& tree, const RootPlan& plan, const SearchParams& params) {
    const Player chooser = tree.stats(kRoot).to_move;
    const CompletedQ completed = complete_q(tree, kRoot);
    std::optional<Action> best;
    std::uint32_t best_visits = 0;
    float best_score = 0.0F;
    for_each_child(tree, kRoot, [&](int i, NodeId node) {
      const Tree::Stats& child = tree.stats(node);
      const int entry = plan.index_of(tree.actions(kRoot)[i]);
      if (std::find(plan.considered.begin(), plan.considered.end(), entry) == plan.considered.end()) return;
      if (child.visits == 0 || is_lost(child, chooser, params)) return;
      const std::uint32_t visits = child.visits - plan[entry].visits_before;
      const float score = plan[entry].gumbel + log_prior(tree.priors(kRoot)[i]) +
                          completed.sigma(child_q(child, sign_of(chooser)), params);
      if (!best || visits > best_visits || (visits == best_visits && score > best_score)) {
        best = plan[entry].action;
        best_visits = visits;
        best_score = score;
      }
    });
    return best;
  }

 private:
  // Calls use(edge, entry, child, visits in this search) for every considered action that is not lost for certain.
  template <class Use>
  static void for_each_open(const Tree& tree, const RootPlan& plan, const SearchParams& params, Use&& use) {
    const int num_children = tree.links(kRoot).num_children;
    const Player chooser = tree.stats(kRoot).to_move;
    for (const int considered : plan.considered) {
      const RootAction& entry = plan[considered];
      const int i = tree.edge_of(kRoot, entry.action);
      const Tree::Stats child = i < num_children ? tree.stats(tree.child(kRoot, i)) : Tree::Stats{};
      if (!is_lost(child, chooser, params)) use(i, entry, child, visits_with_pending(child) - entry.visits_before);
    }
  }

  // The visits of the actions whose turn it is: what the schedule asks for; should no action have them (some are proven
  // lost), the least there are. None if every considered action is lost: another may still save the game, and the root
  // is searched as any other node.
  static std::optional<std::uint32_t> visits_wanted(const Tree& tree, const RootPlan& plan, const SearchParams& params,
                                                    int simulation) {
    const auto last = static_cast<int>(plan.schedule.size()) - 1;
    const auto asked = static_cast<std::uint32_t>(plan.schedule[static_cast<std::size_t>(std::min(simulation, last))]);
    std::optional<std::uint32_t> wanted;
    for_each_open(tree, plan, params, [&](int, const RootAction&, const Tree::Stats&, std::uint32_t visits) {
      if (wanted != asked) wanted = visits == asked ? asked : std::min(wanted.value_or(visits), visits);
    });
    return wanted;
  }

  // g(a) + logit(a) + sigma(q(a)) for every considered action that is not lost; it is the turn of those that have the
  // wanted visits.
  template <class Visit>
  static Visit for_each_candidate(const Tree& tree, const RootPlan& plan, const SearchParams& params,
                                  std::uint32_t wanted, Visit visit) {
    const float sign = sign_of(tree.stats(kRoot).to_move);
    const float* priors = tree.priors(kRoot);
    const CompletedQ completed = complete_q(tree, kRoot);
    for_each_open(tree, plan, params,
                  [&](int i, const RootAction& entry, const Tree::Stats& child, std::uint32_t visits) {
                    const float q = completed.of(child, sign);
                    const float bonus = entry.gumbel + log_prior(priors[i]);
                    visit(i, ChildScore{entry.action, child.visits, child.pending, q, priors[i], bonus,
                                        bonus + completed.sigma(q, params),
                                        visits == wanted ? Standing::kCompared : Standing::kWaiting});
                  });
    return visit;
  }

  // argmax pi'(a) - N(a) / (1 + sum_b N(b)). All unvisited actions share one q, so the sum behind pi' needs only the
  // visited ones and the prior that is left.
  template <class Visit>
  static Visit for_each_by_policy(const Tree& tree, NodeId node, const SearchParams& params, bool every, Visit visit) {
    const Tree::Stats& parent = tree.stats(node);
    const Tree::Links& links = tree.links(node);
    const float sign = sign_of(parent.to_move);
    const float* priors = tree.priors(node);
    const std::uint16_t* actions = tree.actions(node);
    const NodeId* children = tree.children(node);
    const CompletedQ completed = complete_q(tree, node);
    const float base = completed.sigma(completed.highest, params);  // keeps the exponents at or below 0
    const auto weight_of = [&](float q) { return fast_exp(completed.sigma(q, params) - base); };
    const float unvisited_weight = weight_of(completed.unvisited);
    const float per_visit = 1.0F / (1.0F + child_visits(parent));

    float sum = 0.0F;
    float prior_left = 1.0F;
    for (int i = 0; i < links.num_children; ++i) {
      sum += priors[i] * weight_of(completed.of(tree.stats(children[i]), sign));
      prior_left -= priors[i];
    }
    // Once every action has a child, what is left of the prior is rounding, and v_mix may lie far above all of them.
    if (links.num_children < links.num_edges) sum += std::max(0.0F, prior_left) * unvisited_weight;
    for (int i = 0; i < links.num_children; ++i) {
      const Tree::Stats& child = tree.stats(children[i]);
      const float q = completed.of(child, sign);
      const auto n = static_cast<float>(visits_with_pending(child));
      const float score = priors[i] * weight_of(q) / sum - n * per_visit;
      visit(i, ChildScore{actions[i], child.visits, child.pending, q, priors[i], score, score,
                          standing_of(child, node, parent.to_move, params)});
    }
    for (int i = links.num_children; i < last_edge(links, every); ++i) {
      const float score = priors[i] * unvisited_weight / sum;
      visit(i, ChildScore{actions[i], 0, 0, completed.unvisited, priors[i], score, score});
    }
    return visit;
  }
};

}  // namespace tengen

// What is special about the root: noise in self-play, the Gumbel sample with sequential halving, and what is read off
// it when the search is done (policy target, best action, principal variation).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/search/params.h"
#include "tengen/search/score.h"
#include "tengen/search/simulate.h"
#include "tengen/search/tree.h"

namespace tengen {

// Standard normal, by Box and Muller.
inline double random_normal(Rng& rng) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - rng.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * rng.uniform());
}

// Gamma(shape, 1), by Marsaglia and Tsang (2000); a shape below 1 is lifted by one and scaled back.
inline double random_gamma(Rng& rng, double shape) {
  if (shape < 1.0) return random_gamma(rng, shape + 1.0) * std::pow(1.0 - rng.uniform(), 1.0 / shape);
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = random_normal(rng);
    const double v = std::pow(1.0 + c * x, 3);
    if (v > 0.0 && std::log(1.0 - rng.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

// Dir(alpha, ..., alpha)
inline std::vector<float> random_dirichlet(Rng& rng, double alpha, int count) {
  std::vector<double> gammas;
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += gammas.emplace_back(random_gamma(rng, alpha));
  std::vector<float> noise;
  // A sum of 0 means that every gamma was too small for a double; then the noise is even.
  for (const double gamma : gammas) noise.push_back(static_cast<float>(sum > 0.0 ? gamma / sum : 1.0 / count));
  return noise;
}

// The standard Gumbel distribution.
inline float random_gumbel(Rng& rng) {
  return static_cast<float>(-std::log(-std::log(rng.uniform() * (1.0 - 2e-16) + 1e-16)));
}

// P'(a) = (1 - eps) P(a) + eps Dir(alpha)
inline void mix_noise(float* priors, const float* noise, int count, float eps) {
  for (int i = 0; i < count; ++i) priors[i] = (1.0F - eps) * priors[i] + eps * noise[i];
}

// The root's side of one search. Indexed by action, because the root's edges change their order as they are tried.
struct RootPlan {
  bool noise = false;
  std::vector<float> priors;                 // [A] as the evaluator gave them, without noise
  std::vector<float> gumbels;                // [A] times gumbel_scale; 0 without noise
  std::vector<std::uint32_t> visits_before;  // [A] from earlier searches of the same tree
  std::vector<Action> considered;            // the actions sampled, best first
  std::vector<int> schedule;                 // [simulations], see halving_schedule
};

inline float log_prior(float prior) { return std::log(std::max(prior, 1e-30F)); }

// Calls use(i, child) for every root child that exists.
template <class Use>
void for_each_child(const Tree& tree, NodeId node, Use&& use) {
  for (int i = 0; i < tree.links(node).num_children; ++i) use(i, tree.child(node, i));
}

// The plan of a root that no search has begun on: its priors as they are, nothing drawn, nothing considered.
inline void forget_plan(const Tree& tree, RootPlan& plan) {
  plan.noise = false;
  plan.considered.clear();
  for (int i = 0; i < tree.links(kRoot).num_edges; ++i) {
    const std::uint16_t action = tree.actions(kRoot)[i];
    plan.priors[action] = tree.priors(kRoot)[i];
    plan.gumbels[action] = 0.0F;
    plan.visits_before[action] = 0;
  }
}

// Once the root is expanded: keeps its priors, draws the noise of this search. `fresh`: the priors in the tree are the
// evaluator's; else they carry the noise of an earlier search and are put back first.
inline void prepare_root(Tree& tree, RootPlan& plan, const SearchParams& params, int simulations, bool noise,
                         bool fresh, Rng& rng) {
  const Tree::Links& links = tree.links(kRoot);
  const int count = links.num_edges;
  float* priors = tree.priors(kRoot);
  const std::uint16_t* actions = tree.actions(kRoot);
  plan.noise = noise;
  for (int i = 0; i < count; ++i) {
    if (fresh) {
      plan.priors[actions[i]] = priors[i];
    } else {
      priors[i] = plan.priors[actions[i]];
    }
    plan.gumbels[actions[i]] = 0.0F;
    plan.visits_before[actions[i]] = 0;
  }
  for_each_child(tree, kRoot, [&](int i, NodeId child) { plan.visits_before[actions[i]] = tree.stats(child).visits; });

  // Noise is drawn in the order of the actions, so that it does not depend on the order of the edges.
  std::vector<std::pair<Action, int>> order;
  for (int i = 0; i < count; ++i) order.emplace_back(actions[i], i);
  std::sort(order.begin(), order.end());

  if (params.selection == Selection::kPuct && noise && params.noise_fraction > 0.0F) {
    const double alpha = params.dirichlet_alpha > 0.0F ? params.dirichlet_alpha : params.dirichlet_total / count;
    const std::vector<float> drawn = random_dirichlet(rng, std::max(alpha, 1e-3), count);
    for (int k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      mix_noise(&priors[order[at].second], &drawn[at], 1, params.noise_fraction);
    }
  }
  if (params.selection == Selection::kGumbel) {
    if (noise) {
      for (const auto& [action, i] : order)
        plan.gumbels[static_cast<std::size_t>(action)] = params.gumbel_scale * random_gumbel(rng);
    }
    const auto key = [&](const std::pair<Action, int>& edge) {
      return plan.gumbels[static_cast<std::size_t>(edge.first)] + log_prior(priors[edge.second]);
    };
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) { return key(a) > key(b); });
    const int m = std::min(params.gumbel_considered, count);
    plan.considered.clear();
    for (int k = 0; k < m; ++k) plan.considered.push_back(order[static_cast<std::size_t>(k)].first);
    plan.schedule = halving_schedule(m, simulations);
  }
  tree.next_edge_first(kRoot);
}

// Whether an action that sequential halving considers is not lost for certain. If all are, another may still save the
// game, and the root is searched as any other node.
inline bool has_open_candidate(const Tree& tree, const RootPlan& plan, const SearchParams& params) {
  return std::any_of(plan.considered.begin(), plan.considered.end(), [&](Action action) {
    const int i = tree.edge_of(kRoot, action);
    return i >= tree.links(kRoot).num_children ||
           !is_lost(tree.stats(tree.child(kRoot, i)), tree.stats(kRoot).to_move, params);
  });
}

// Gumbel at the root: g(a) + logit(a) + sigma(q(a)) for every considered action. The highest among those that have the
// visits the schedule asks for is next; should there be none (some are proven lost), the least visited.
template <class Visit>
Visit for_each_gumbel_root(const Tree& tree, const RootPlan& plan, const SearchParams& params, int simulation,
                           Visit visit) {
  const Tree::Links& links = tree.links(kRoot);
  const Player chooser = tree.stats(kRoot).to_move;
  const float* priors = tree.priors(kRoot);
  const std::uint16_t* actions = tree.actions(kRoot);
  const CompletedQ completed = complete_q(tree, kRoot);
  const auto for_each_open = [&](auto&& use) {  // use(edge, child, visits in this search)
    for (const Action action : plan.considered) {
      const int i = tree.edge_of(kRoot, action);
      const Tree::Stats child = i < links.num_children ? tree.stats(tree.child(kRoot, i)) : Tree::Stats{};
      if (is_lost(child, chooser, params)) continue;
      use(i, child, child.visits + child.pending - plan.visits_before[static_cast<std::size_t>(action)]);
    }
  };
  const auto last = static_cast<int>(plan.schedule.size()) - 1;
  const auto asked = static_cast<std::uint32_t>(plan.schedule[static_cast<std::size_t>(std::min(simulation, last))]);
  std::uint32_t wanted = std::numeric_limits<std::uint32_t>::max();
  for_each_open([&](int, const Tree::Stats&, std::uint32_t visits) {
    if (wanted != asked) wanted = visits == asked ? asked : std::min(wanted, visits);
  });
  for_each_open([&](int i, const Tree::Stats& child, std::uint32_t visits) {
    const float q = child.visits > 0 ? child_q(child, sign_of(chooser), 0.0F) : completed.unvisited;
    const float bonus = plan.gumbels[actions[i]] + log_prior(priors[i]);
    float score = bonus + completed.sigma(q, params);
    if (visits != wanted) score -= 1e6F;
    visit(i, ChildScore{actions[i], child.visits, child.pending, q, priors[i], bonus, score});
  });
  return visit;
}

// KataGo's target pruning: takes the forced visits back from every child but the most visited one, as long as its PUCT
// score stays below that one's; what is left with a single visit is dropped. `visits` and `q`, `priors` by child.
inline void prune_forced(std::vector<double>& visits, const std::vector<float>& q, const std::vector<float>& priors,
                         float c, float k) {
  if (visits.empty()) return;
  double total = 0.0;
  for (const double n : visits) total += n;
  const auto best = static_cast<std::size_t>(std::max_element(visits.begin(), visits.end()) - visits.begin());
  const auto sqrt_total = static_cast<float>(std::sqrt(total));
  const float best_score = q[best] + puct_bonus(c, priors[best], sqrt_total, static_cast<std::uint32_t>(visits[best]));
  for (std::size_t i = 0; i < visits.size(); ++i) {
    if (i == best) continue;
    const auto forced = static_cast<int>(forced_visits(k, priors[i], static_cast<float>(total)));
    for (int taken = 0; taken < forced && visits[i] > 0.0; ++taken) {
      if (q[i] + puct_bonus(c, priors[i], sqrt_total, static_cast<std::uint32_t>(visits[i] - 1.0)) >= best_score) break;
      visits[i] -= 1.0;
    }
    if (visits[i] <= 1.0) visits[i] = 0.0;
  }
}

// The policy that the network should learn from this search, [A], summing to 1.
// PUCT and UCT: the share of visits. Gumbel: pi' = softmax(logits + sigma(completed q)). Without simulations: the
// prior. What is proven goes first: all on the shortest win, nothing on a certain loss while there is something else.
inline void policy_target(const Tree& tree, const RootPlan& plan, const SearchParams& params, float* target) {
  const Tree::Stats& root = tree.stats(kRoot);
  const Tree::Links& links = tree.links(kRoot);
  const float sign = sign_of(root.to_move);
  const std::uint16_t* actions = tree.actions(kRoot);

  if (params.solve && root.proven == proven_win(root.to_move)) {
    for (int i = 0; i < links.num_children; ++i) {
      const NodeId child = tree.child(kRoot, i);
      if (tree.stats(child).proven == root.proven && tree.links(child).distance + 1 == links.distance) {
        target[actions[i]] = 1.0F;
        return;
      }
    }
  }

  std::vector<double> weights(links.num_edges, 0.0);
  if (params.selection == Selection::kGumbel && links.num_children > 0) {
    const CompletedQ completed = complete_q(tree, kRoot);
    std::vector<float> logits(links.num_edges);
    for (int i = 0; i < links.num_edges; ++i) {
      float q = completed.unvisited;
      if (i < links.num_children && tree.stats(tree.child(kRoot, i)).visits > 0) {
        q = child_q(tree.stats(tree.child(kRoot, i)), sign, 0.0F);
      }
      logits[static_cast<std::size_t>(i)] = log_prior(plan.priors[actions[i]]) + completed.sigma(q, params);
    }
    softmax(logits.data(), links.num_edges);
    weights.assign(logits.begin(), logits.end());
  } else if (links.num_children > 0) {
    std::vector<double> visits;
    std::vector<float> q;
    std::vector<float> priors;
    for_each_child(tree, kRoot, [&](int i, NodeId child) {
      visits.push_back(tree.stats(child).visits);
      q.push_back(tree.stats(child).visits > 0 ? child_q(tree.stats(child), sign, 0.0F) : 0.0F);
      priors.push_back(tree.priors(kRoot)[i]);
    });
    if (params.forced_playouts > 0.0F && plan.noise && params.selection == Selection::kPuct) {
      const float c = puct_factor(params.c_puct, params.c_puct_base, child_visits(root));
      prune_forced(visits, q, priors, c, params.forced_playouts);
    }
    std::copy(visits.begin(), visits.end(), weights.begin());
  }

  // A certain loss gets nothing unless the root is lost itself. Where nothing else has weight, the prior decides.
  const bool lost = root.proven == proven_win(opponent(root.to_move));
  const auto spread = [&](auto&& weight_of) {
    double sum = 0.0;
    for (int i = 0; i < links.num_edges; ++i) {
      auto& weight = weights[static_cast<std::size_t>(i)];
      weight = weight_of(i);
      if (!lost && i < links.num_children && is_lost(tree.stats(tree.child(kRoot, i)), root.to_move, params))
        weight = 0;
      sum += weight;
    }
    for (int i = 0; i < links.num_edges; ++i) {
      target[actions[i]] = sum > 0.0 ? static_cast<float>(weights[static_cast<std::size_t>(i)] / sum) : 0.0F;
    }
    return sum > 0.0;
  };
  if (!spread([&](int i) { return weights[static_cast<std::size_t>(i)]; })) {
    spread([&](int i) { return static_cast<double>(plan.priors[actions[i]]); });
  }
}

// The action to play without any randomness: a proven win at once, the longest way to a certain loss, else the policy
// target's best. Gumbel: the best of the considered actions that were visited most, by g + logit + sigma(q).
inline Action best_action(const Tree& tree, const RootPlan& plan, const SearchParams& params, const float* target) {
  const Tree::Stats& root = tree.stats(kRoot);
  const Tree::Links& links = tree.links(kRoot);
  const std::uint16_t* actions = tree.actions(kRoot);
  if (params.solve && root.proven == proven_win(opponent(root.to_move))) {
    int longest = 0;
    for (int i = 1; i < links.num_children; ++i) {
      if (tree.links(tree.child(kRoot, i)).distance > tree.links(tree.child(kRoot, longest)).distance) longest = i;
    }
    return actions[longest];
  }
  if (params.selection == Selection::kGumbel && links.num_children > 0 && root.proven == Proven::kUnknown) {
    const CompletedQ completed = complete_q(tree, kRoot);
    int best = -1;
    std::uint32_t best_visits = 0;
    float best_score = 0.0F;
    for (int i = 0; i < links.num_children; ++i) {
      const Tree::Stats& child = tree.stats(tree.child(kRoot, i));
      const auto action = static_cast<std::size_t>(actions[i]);
      if (std::find(plan.considered.begin(), plan.considered.end(), actions[i]) == plan.considered.end()) continue;
      if (child.visits == 0 || is_lost(child, root.to_move, params)) continue;
      const std::uint32_t visits = child.visits - plan.visits_before[action];
      const float score = plan.gumbels[action] + log_prior(tree.priors(kRoot)[i]) +
                          completed.sigma(child_q(child, sign_of(root.to_move), 0.0F), params);
      if (best < 0 || visits > best_visits || (visits == best_visits && score > best_score)) {
        best = actions[i];
        best_visits = visits;
        best_score = score;
      }
    }
    if (best >= 0) return best;
  }
  int best = 0;
  for (int i = 1; i < links.num_edges; ++i) {
    const float here = target[actions[i]];
    const float there = target[actions[best]];
    if (here > there || (here == there && actions[i] < actions[best])) best = i;
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

}  // namespace tengen

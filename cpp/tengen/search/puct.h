// PUCT, as AlphaGo Zero and AlphaZero choose: a = argmax Q(s, a) + c P(s, a) sqrt(sum_b N(s, b)) / (1 + N(s, a)).
// In self-play with Dirichlet noise in the root's priors, and with KataGo's forced playouts.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tengen/base/random.h"
#include "tengen/search/child.h"
#include "tengen/search/root.h"
#include "tengen/search/score.h"

namespace tengen {

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

struct Puct {
  static constexpr bool kSamplesMoves = false;
  static constexpr bool kNeedsBudget = false;

  static void prepare(Tree& tree, RootPlan& plan, const SearchParams& params, int /*simulations*/, Rng& rng) {
    const int count = tree.links(kRoot).num_edges;
    if (!plan.noise || params.noise_fraction <= 0.0F || count == 0) return;
    const double alpha = params.dirichlet_alpha > 0.0F ? params.dirichlet_alpha : params.dirichlet_total / count;
    const std::vector<float> drawn = random_dirichlet(rng, std::max(alpha, 1e-3), count);  // by action
    for (int i = 0; i < count; ++i) {
      const auto entry = static_cast<std::size_t>(plan.index_of(tree.actions(kRoot)[i]));
      tree.priors(kRoot)[i] = mix_noise(tree.priors(kRoot)[i], drawn[entry], params.noise_fraction);
    }
  }

  template <class Visit>
  static Visit for_each_score(const Tree& tree, NodeId node, const RootPlan& plan, const SearchParams& params,
                              int /*simulation*/, bool every, Visit visit) {
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
    const float forced = node == kRoot && plan.noise ? params.forced_playouts : 0.0F;
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
      Standing standing = standing_of(child, node, parent.to_move, params);
      if (forced > 0.0F && standing == Standing::kCompared && n > 0 &&
          static_cast<float>(n) < forced_visits(forced, priors[i], total)) {
        standing = Standing::kForced;
      }
      visited_prior += priors[i];
      visit(i, ChildScore{actions[i], child.visits, child.pending, q, priors[i], u, q + u, standing});
    }
    for (int i = links.num_children; i < last_edge(links, every); ++i) {
      const float q = unvisited_q(parent_q, reduction, visited_prior);
      const float u = puct_bonus(c, priors[i], sqrt_total, 0);
      visit(i, ChildScore{actions[i], 0, 0, q, priors[i], u, q + u});
    }
    return visit;
  }

  // The share of visits, less those that were forced.
  static std::vector<double> target_weights(const Tree& tree, const RootPlan& plan, const SearchParams& params) {
    const Tree::Stats& root = tree.stats(kRoot);
    const float sign = sign_of(root.to_move);
    std::vector<double> visits;
    std::vector<float> q;
    std::vector<float> priors;
    for_each_child(tree, kRoot, [&](int i, NodeId child) {
      visits.push_back(tree.stats(child).visits);
      q.push_back(child_q(tree.stats(child), sign));
      priors.push_back(tree.priors(kRoot)[i]);
    });
    if (params.forced_playouts > 0.0F && plan.noise) {
      const float c = puct_factor(params.c_puct, params.c_puct_base, child_visits(root));
      prune_forced(visits, q, priors, c, params.forced_playouts);
    }
    return visits;
  }
};

}  // namespace tengen

// UCT, the classic (Kocsis and Szepesvari 2006): untried children first, in random order, then
// a = argmax Q(s, a) + c sqrt(ln sum_b N(s, b) / N(s, a)).
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/search/child.h"
#include "tengen/search/root.h"
#include "tengen/search/score.h"

namespace tengen {

struct Uct {
  static constexpr bool kSamplesMoves = false;
  static constexpr bool kNeedsBudget = false;

  static void prepare(Tree&, RootPlan&, const SearchParams&, int /*simulations*/, Rng&) {}

  // Makes a random one of the untried edges the next.
  static void draw_next(Tree& tree, NodeId node, Rng& rng) {
    const Tree::Links& links = tree.links(node);
    if (links.num_children >= links.num_edges) return;
    const auto untried = static_cast<std::uint32_t>(links.num_edges - links.num_children);
    tree.put_next(node, links.num_children + static_cast<int>(rng.below(untried)));
  }

  template <class Visit>
  static Visit for_each_score(const Tree& tree, NodeId node, const RootPlan& /*plan*/, const SearchParams& params,
                              int /*simulation*/, bool every, Visit visit) {
    const Tree::Stats& parent = tree.stats(node);
    const Tree::Links& links = tree.links(node);
    const float sqrt_log_total = kCounts.root_log(std::max(2U, parent.visits + parent.pending) - 1);
    // Nothing is better than an untried child: the scores of the others matter only to those who look.
    if (every || links.num_children == links.num_edges) {
      if (parent.pending == 0 && parent.visits < CountTable::kSize) {
        visit = for_each_tried<true>(tree, node, params, sqrt_log_total, std::move(visit));
      } else {
        visit = for_each_tried<false>(tree, node, params, sqrt_log_total, std::move(visit));
      }
    }
    constexpr float kInfinite = std::numeric_limits<float>::infinity();
    const float* priors = tree.priors(node);
    const std::uint16_t* actions = tree.actions(node);
    for (int i = links.num_children; i < last_edge(links, every); ++i) {
      visit(i, ChildScore{actions[i], 0, 0, 0.0F, priors[i], kInfinite, kInfinite, Standing::kUntried});
    }
    return visit;
  }

  // The share of visits.
  static std::vector<double> target_weights(const Tree& tree, const RootPlan& /*plan*/, const SearchParams&) {
    std::vector<double> visits;
    for_each_child(tree, kRoot, [&](int, NodeId child) { visits.push_back(tree.stats(child).visits); });
    return visits;
  }

 private:
  // `kQuick`: none is on its way to an evaluation, and all visits are in the table; that holds for all children if it
  // holds for the parent, and saves the tests for each.
  template <bool kQuick, class Visit>
  static Visit for_each_tried(const Tree& tree, NodeId node, const SearchParams& params, float sqrt_log_total,
                              Visit visit) {
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
      visit(i, ChildScore{actions[i], child.visits, child.pending, q, priors[i], bonus, q + bonus,
                          standing_of(child, node, chooser, params)});
    }
    return visit;
  }
};

}  // namespace tengen

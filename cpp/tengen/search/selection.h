// Choosing a child, the root's included: the one place that knows which kinds of selection there are. A kind is a struct
// in a file of its own (puct.h, uct.h, gumbel.h) with
//   prepare         what one search draws at its root
//   for_each_score  visit(edge, ChildScore) for every existing child and then for the edge to be tried next; with
//                   `every` (step mode) for the other edges too. As std::for_each it takes the visitor by value and
//                   returns it, so that the visitor can stay in registers
//   target_weights  what the root's edges deserve as policy target, in their order; edges past the end deserve nothing
//   draw_next       (optional) which untried edge is the next
//   best_action     (optional) the action to play, if it is not the policy target's best
//   kSamplesMoves   whether the best action is a sample, so that whoever plays has nothing more to draw
//   kNeedsBudget    whether the course of a search depends on how many simulations it will have
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/search/child.h"
#include "tengen/search/gumbel.h"
#include "tengen/search/params.h"
#include "tengen/search/puct.h"
#include "tengen/search/root.h"
#include "tengen/search/trace.h"
#include "tengen/search/tree.h"
#include "tengen/search/uct.h"

namespace tengen {

// Calls use(Kind()) with the kind of selection that is meant.
template <class Use>
decltype(auto) with_selection(Selection selection, Use&& use) {
  if (selection == Selection::kUct) return use(Uct());
  if (selection == Selection::kGumbel) return use(Gumbel());
  return use(Puct());
}

inline bool samples_moves(Selection selection) {
  return with_selection(selection, [](auto kind) { return decltype(kind)::kSamplesMoves; });
}
inline bool needs_budget(Selection selection) {
  return with_selection(selection, [](auto kind) { return decltype(kind)::kNeedsBudget; });
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
  [[gnu::always_inline]] void operator()(int edge, const ChildScore& child) {
    const bool forced = child.standing == Standing::kForced;
    const bool last = child.standing == Standing::kSettled || child.standing == Standing::kWaiting;
    const float score = last ? -std::numeric_limits<float>::infinity() : child.score;
    const bool better = forced == forced_ ? score > score_ : forced;
    edge_ = better ? edge : edge_;
    score_ = better ? score : score_;
    forced_ = forced_ || forced;
  }

  int edge() const { return edge_; }

 private:
  float score_ = -std::numeric_limits<float>::infinity();
  int edge_ = 0;
  bool forced_ = false;  // the best so far is
};

// Once the root is expanded: keeps its priors, draws the noise of this search. `fresh`: the priors in the tree are the
// evaluator's; else they carry the noise of an earlier search and are put back first.
inline void prepare_root(Tree& tree, RootPlan& plan, const SearchParams& params, int simulations, bool noise,
                         bool fresh, Rng& rng) {
  const std::uint16_t* actions = tree.actions(kRoot);
  if (fresh) {
    forget_plan(tree, plan);
  } else {
    for (RootAction& entry : plan.actions) entry.gumbel = 0.0F;
    for (int i = 0; i < tree.links(kRoot).num_edges; ++i) tree.priors(kRoot)[i] = plan.of(actions[i]).prior;
  }
  plan.noise = noise;
  for_each_child(tree, kRoot, [&](int i, NodeId child) {
    plan[plan.index_of(actions[i])].visits_before = tree.stats(child).visits;
  });
  // What is drawn goes by the order of the actions, so that it does not depend on the order of the edges.
  with_selection(params.selection, [&](auto kind) { kind.prepare(tree, plan, params, simulations, rng); });
  tree.next_edge_first(kRoot);
}

// The edge to take from `node`, which is expanded; one without a child is put next. `simulation`: its number in this
// search. `trace`: where to write every score, or null.
inline int choose_child(Tree& tree, NodeId node, const RootPlan& plan, const SearchParams& params, int simulation,
                        Rng& rng, SimulationTrace* trace) {
  return with_selection(params.selection, [&](auto kind) {
    if constexpr (requires { kind.draw_next(tree, node, rng); }) kind.draw_next(tree, node, rng);
    const bool wins = node == kRoot && plan.winning_action;
    int choice = wins ? tree.edge_of(kRoot, *plan.winning_action)
                      : kind.for_each_score(tree, node, plan, params, simulation, false, Highest()).edge();
    if (trace != nullptr) {
      SimulationTrace::Step& step = trace->steps.emplace_back();
      step.node = node;
      step.chosen = tree.actions(node)[choice];
      kind.for_each_score(tree, node, plan, params, simulation, true, Collect{&step.children});
      for (ChildScore& child : step.children) {
        if (wins && child.action == step.chosen) child.standing = Standing::kWinning;
      }
    }
    if (choice > tree.links(node).num_children) {
      tree.put_next(node, choice);
      choice = tree.links(node).num_children;
    }
    return choice;
  });
}

}  // namespace tengen

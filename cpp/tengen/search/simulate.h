// One simulation: down a tree with the game played along, to a leaf, and back if the leaf's value is known at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/games/derived.h"
#include "tengen/games/game.h"
#include "tengen/rollout/policy.h"
#include "tengen/search/backup.h"
#include "tengen/search/exact.h"
#include "tengen/search/exact_gate.h"
#include "tengen/search/params.h"
#include "tengen/search/result.h"
#include "tengen/search/root.h"
#include "tengen/search/selection.h"
#include "tengen/search/trace.h"
#include "tengen/search/tree.h"

namespace tengen {

// One tree and where its search stands. Mutated during search.
template <Game G>
struct TreeSearch {
  TreeSearch(typename G::State root, Rng random) : state(std::move(root)), rng(random) {}

  Tree tree;
  typename G::State state;   // of the root
  LastTargets past;          // of the moves before it; asked only if rollouts have a policy
  std::vector<Action> only;  // the root's actions that are searched; all if empty
  RootPlan plan;
  Rng rng;
  int budget = 0;                     // simulations wanted
  int started = 0;                    // simulations begun, those on their way included
  ExactGate gate;                     // which new nodes an exact search is asked about
  int plies = 0;                      // from the first root of the tree to this one
  std::int64_t asked_exact = 0;       // positions that an exact search could look at to settle the root, so far
  std::optional<ExactAnswer> answer;  // of that, if it has settled the root, until it is written into the tree
  bool noise = false;
  bool root_ready = false;   // the root is expanded and its noise drawn
  bool fresh_priors = true;  // the root's priors are the evaluator's, without noise of an earlier search
  StopReason stopped = StopReason::kNotStarted;
};

// How a simulation ended.
enum class Arrival {
  kSettled,  // the value of its leaf was known and is backed up
  kLeaf,     // its leaf needs an evaluation
  kBlocked,  // its leaf waits for its evaluation already
  kFull,     // there is no room for its leaf
};

template <Game G>
class Simulator {
 public:
  using State = typename G::State;
  using Search = TreeSearch<G>;

  // `rollouts`: the policy of the play-outs; uniformly random without.
  Simulator(const G& game, const SearchParams& params, std::shared_ptr<const RolloutPolicy> rollouts)
      : game_(game), params_(params), policy_(std::move(rollouts)), legal_(game.spec().legal_bound()) {
    if (policy_ != nullptr) player_.emplace(game_, *policy_);
    if (params.solve && (params.exact_leaf_nodes > 0 || params.exact_root_nodes > 0)) {
      solver_.emplace(game_, std::max(params.exact_leaf_nodes, params.exact_root_nodes));
    }
  }
  Simulator(const Simulator&) = delete;  // its player points to its game
  Simulator& operator=(const Simulator&) = delete;

  const G& game() const { return game_; }
  const SearchParams& params() const { return params_; }
  SimulationTrace* trace() const { return trace_; }
  void set_trace(SimulationTrace* trace) { trace_ = trace; }

  // Of the last simulation: the nodes from the root to its leaf, and what a play-out from the leaf came to, for the
  // first player, if they count.
  const std::vector<NodeId>& path() const { return path_; }
  std::optional<float> rollout() const { return rollout_; }
  // Actions of all play-outs so far.
  std::int64_t actions_played() const { return actions_played_; }
  // Working memory for legal actions.
  ActionList& legal() { return legal_; }

  bool rollouts_only() const { return params_.rollout_weight >= 1.0F; }
  bool seeks_wins() const { return params_.solve && params_.instant_wins; }

  // One simulation. `state` comes as the root's and leaves as the leaf's.
  Arrival run(Search& search, State& state) {
    Tree& tree = search.tree;
    if (trace_ != nullptr) *trace_ = {};
    path_.clear();
    LastTargets past = search.past;

    // 1. Select: down to a node that has not been evaluated, or about which nothing is left to find out.
    NodeId node = kRoot;
    LeafKind proven_kind = LeafKind::kProven;
    while (true) {
      path_.push_back(node);
      if (tree.stats(node).proven != Proven::kUnknown && (params_.solve || tree.links(node).num_edges == 0)) {
        return settle(search, exact_value(tree, node, params_.discount), proven_kind);
      }
      if (!tree.links(node).expanded && !expand_to_win(tree, node, state)) {
        // Rollouts need no priors: a node gets its edges when it is visited for the second time.
        if (!rollouts_only() || tree.stats(node).visits == 0) break;
        expand_evenly(tree, node, state);
      }
      const int choice = choose_child(tree, node, search.plan, params_, search.started, search.rng, trace_);
      const Action action = tree.actions(node)[choice];
      const bool is_new = choice == tree.links(node).num_children;
      if (is_new && tree.is_full(static_cast<std::uint32_t>(params_.max_nodes))) return Arrival::kFull;
      const NodeId child = is_new ? tree.add_child(node) : tree.child(node, choice);
      play(state, action, past);
      if (is_new) {
        look_at(tree, child, state);
        if (solve_leaf(search, child, state)) proven_kind = LeafKind::kExact;
      }
      node = child;
    }

    // 2. A leaf that waits for its evaluation already must not be asked for twice.
    if (tree.stats(node).pending > 0) return Arrival::kBlocked;

    // 3. A play-out, if they count.
    rollout_.reset();
    if (params_.rollout_weight > 0.0F) {
      State end = state;
      const Playout played =
          player_ ? player_->playout(end, past, search.rng) : random_playout(game_, end, search.rng, legal_);
      rollout_ = value_for(played.outcome, Player::kFirst);
      actions_played_ += played.actions;
      if (rollouts_only()) {
        tree.links(node).value = *rollout_;
        if (node == kRoot) expand_evenly(tree, node, state);
        return settle(search, *rollout_, LeafKind::kRollout);
      }
    }
    return Arrival::kLeaf;
  }

  // Backs the value of a leaf (for the first player) up its path.
  void settle(Search& search, const NodeId* path, int length, float value, LeafKind kind) {
    if (trace_ != nullptr) {
      for (int i = 0; i < length; ++i) {
        const Tree::Stats& stats = search.tree.stats(path[i]);
        trace_->changes.push_back({path[i], stats.visits, stats.visits + 1, stats.value_sum, 0.0});
      }
      trace_->leaf = path[length - 1];
      trace_->kind = kind;
      trace_->value = value;
    }
    back_up(search.tree, path, length, value, params_);
    if (trace_ != nullptr) {
      for (auto& change : trace_->changes) change.value_sum_after = search.tree.stats(change.node).value_sum;
    }
  }

  // Plays an action, and remembers where it went if rollouts ask for that.
  void play(State& state, Action action, LastTargets& past) const {
    if (player_) past.add(action_cells(game_, state, action).target);
    game_.play(state, action);
  }

  // What the rules say about a node that was just made.
  void look_at(Tree& tree, NodeId node, const State& state) const {
    tree.stats(node).to_move = game_.to_move(state);
    if (const auto outcome = game_.outcome(state)) {
      tree.stats(node).proven = proven_as(*outcome);
      tree.links(node).value = value_for(*outcome, Player::kFirst);
      tree.links(node).expanded = true;  // with no edges
    }
  }

  // Gives a node its edges with equal priors.
  void expand_evenly(Tree& tree, NodeId node, const State& state) {
    game_.legal_actions(state, legal_);
    edges_.assign(legal_.begin(), legal_.end());
    priors_.assign(edges_.size(), 1.0F / static_cast<float>(edges_.size()));
    tree.expand(node, edges_.data(), priors_.data(), legal_.size());
  }

  // Whether a node was expanded by expand_to_win: it was never evaluated and has one edge of many, too little for a
  // root.
  bool was_expanded_to_win(const Tree& tree, NodeId node) const {
    const Tree::Stats& stats = tree.stats(node);
    return seeks_wins() && stats.proven == proven_win(stats.to_move) && tree.links(node).distance == 1;
  }

  // Whether a node was settled by an exact search, and has no edges: too little for a root.
  static bool was_settled_exactly(const Tree& tree, NodeId node) {
    const Tree::Links& links = tree.links(node);
    return links.expanded && links.num_edges == 0 && links.distance > 0;
  }

  // Asks an exact search about the root, if the end of the game looks near; again only if it may look at twice as many
  // positions as before.
  template <class Poll>
  void solve_root(Search& search, Poll& poll) {
    if (!solver_) return;
    if (search.gate.is_new()) search.gate.start(solver_->looks_short(search.state));
    const std::int64_t most =
        std::min<std::int64_t>(params_.exact_root_nodes, std::int64_t{kRootNodesPerSimulation} * search.budget);
    if (most < std::max<std::int64_t>(1, 2 * search.asked_exact)) return;
    if (solver_->looks_short(search.state)) search.answer = solver_->answer(search.state, most, std::ref(poll));
    search.asked_exact = most;
  }

  // Once the root is expanded: writes what an exact search has found about it into the tree and the plan. The best
  // actions get a visit each, so that whoever looks at the moves sees them.
  void write_answer(Search& search) {
    Tree& tree = search.tree;
    const ExactAnswer answer = *std::exchange(search.answer, std::nullopt);
    Tree::Stats& root = tree.stats(kRoot);
    root.proven = proven_as(answer.result.outcome);
    tree.links(kRoot).distance = static_cast<std::uint16_t>(answer.result.distance);
    root.value_sum = static_cast<double>(exact_value(tree, kRoot, params_.discount)) * root.visits;
    search.plan.exact = answer.best;
    for (const Action action : answer.best) {
      int edge = tree.edge_of(kRoot, action);
      if (edge >= tree.links(kRoot).num_children) {
        if (tree.is_full(static_cast<std::uint32_t>(params_.max_nodes))) return;
        tree.put_next(kRoot, edge);
        edge = tree.links(kRoot).num_children;
        State state = search.state;
        game_.play(state, action);
        look_at(tree, tree.add_child(kRoot), state);
      }
      const NodeId child = tree.child(kRoot, edge);
      if (tree.stats(child).proven == Proven::kUnknown) {
        write_proof(tree, child, {answer.result.outcome, std::max(1, answer.result.distance - 1)});
        Tree::Stats& stats = tree.stats(child);
        stats.value_sum = static_cast<double>(exact_value(tree, child, params_.discount)) * stats.visits;
      }
      const std::array<NodeId, 2> path = {kRoot, child};
      back_up(tree, path.data(), 2, exact_value(tree, child, params_.discount), params_);
    }
  }

  std::size_t bytes() const {
    return (solver_ ? solver_->bytes() : 0) + path_.capacity() * sizeof(NodeId) +
           edges_.capacity() * sizeof(std::uint16_t) + priors_.capacity() * sizeof(float) +
           static_cast<std::size_t>(game_.spec().legal_bound()) * sizeof(Action);
  }

 private:
  static constexpr int kRootNodesPerSimulation = 50;

  // Asks an exact search about a node that was just made, if that is worth while; true if it was settled.
  bool solve_leaf(Search& search, NodeId node, const State& state) {
    if (!solver_ || params_.exact_leaf_nodes == 0 || search.tree.stats(node).proven != Proven::kUnknown) return false;
    const int ply = search.plies + static_cast<int>(path_.size());
    if (!search.gate.is_open(ply)) return false;
    const bool is_hopeful = solver_->looks_short(state);
    const auto result = is_hopeful ? solver_->result(state, params_.exact_leaf_nodes, [] {}) : std::nullopt;
    search.gate.learn(ply, result.has_value());
    if (result) write_proof(search.tree, node, *result);
    return result.has_value();
  }

  // A node that has no edges yet gets none.
  static void write_proof(Tree& tree, NodeId node, const ExactResult& result) {
    tree.stats(node).proven = proven_as(result.outcome);
    Tree::Links& links = tree.links(node);
    links.distance = static_cast<std::uint16_t>(result.distance);
    if (links.expanded) return;
    links.value = value_for(result.outcome, Player::kFirst);
    links.expanded = true;
  }

  Arrival settle(Search& search, float value, LeafKind kind) {
    settle(search, path_.data(), static_cast<int>(path_.size()), value, kind);
    return Arrival::kSettled;
  }

  // Where the player to move can win at once, nothing else matters: the node gets that one edge, and no evaluation. The
  // root is evaluated all the same, for whoever looks at it.
  bool expand_to_win(Tree& tree, NodeId node, const State& state) {
    if (!seeks_wins() || node == kRoot || tree.stats(node).pending > 0) return false;
    const std::optional<Action> action = winning_action(game_, state, legal_);
    if (!action) return false;
    const auto edge = static_cast<std::uint16_t>(*action);
    const float prior = 1.0F;
    tree.expand(node, &edge, &prior, 1);
    return true;
  }

  // Constant during search.
  G game_;
  SearchParams params_;
  std::shared_ptr<const RolloutPolicy> policy_;  // null: play-outs are uniformly random

  SimulationTrace* trace_ = nullptr;  // owned elsewhere

  // Of the last simulation.
  std::vector<NodeId> path_;
  std::optional<float> rollout_;

  std::int64_t actions_played_ = 0;

  // Working memory, kept to avoid allocation.
  std::vector<std::uint16_t> edges_;
  std::vector<float> priors_;
  ActionList legal_;
  std::optional<RolloutPlayer<G>> player_;  // of policy_
  std::optional<ExactSolver<G>> solver_;    // if nodes or roots are to be settled exactly
};

}  // namespace tengen

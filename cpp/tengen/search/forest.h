// Many trees, one batch. A forest searches several positions of one game side by side: select() walks each tree to
// leaves that need an evaluation and hands their planes out together; update() takes the answers, expands the leaves
// and backs the values up. Whoever owns the forest evaluates in between: the forest knows no network and no Python.
//
//   forest.set_root(tree, state, seed); forest.begin(tree, simulations, noise);
//   while (forest.searching()) { n = forest.select(); evaluate forest.planes() [n, C, H, W]; forest.update(...); }
//
// A tree's course depends on its root, its seed and the evaluations alone: not on the trees beside it, nor on how many
// leaves a call of select() may gather. Not thread-safe: one forest, one thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tengen/base/error.h"
#include "tengen/base/rng.h"
#include "tengen/games/derived.h"
#include "tengen/games/game.h"
#include "tengen/search/batch.h"
#include "tengen/search/cache.h"
#include "tengen/search/params.h"
#include "tengen/search/result.h"
#include "tengen/search/root.h"
#include "tengen/search/simulate.h"
#include "tengen/search/trace.h"
#include "tengen/search/tree.h"

namespace tengen {

template <Game G>
class Forest {
 public:
  using State = typename G::State;

  Forest(const G& game, int num_trees, const SearchParams& params, std::uint64_t seed)
      : game_(game),
        params_(params),
        seed_(seed),
        cache_(params.cache_entries, game.spec().num_actions),
        batch_(game.spec(), params.random_symmetry, seed),
        legal_(game.spec().num_actions) {
    const auto actions = static_cast<std::size_t>(game.spec().num_actions);
    if (actions > 65535) throw Error("The search holds games of at most 65535 actions.");
    for (int i = 0; i < num_trees; ++i) {
      Search& search = searches_.emplace_back(game_.initial_state(), Rng(seed).split(static_cast<std::uint64_t>(i)));
      search.plan.priors.resize(actions);
      search.plan.gumbels.resize(actions);
      search.plan.visits_before.resize(actions);
      reset_tree(search);
    }
  }

  const G& game() const { return game_; }
  const SearchParams& params() const { return params_; }
  int num_trees() const { return static_cast<int>(searches_.size()); }
  const State& root_state(int tree) const { return at(tree).state; }
  const Tree& tree(int tree) const { return at(tree).tree; }
  const RootPlan& plan(int tree) const { return at(tree).plan; }
  // [leaves of the last select(), C, H, W]; the next select() writes over them.
  const std::shared_ptr<std::vector<float>>& planes() const { return batch_.planes(); }
  // Leaves that wait for update().
  int num_pending() const { return asked_ ? batch_.num_rows() : 0; }

  // A new position for a tree, without memory of the old one.
  void set_root(int tree, State state, std::uint64_t seed) {
    leave_batch("set_root()");
    Search& search = at(tree);
    search.state = std::move(state);
    search.rng = Rng(seed);
    reset_tree(search);
  }

  // Plays `action` on a tree's position and keeps what the search knows about it.
  void advance(int tree, Action action) {
    leave_batch("advance()");
    Search& search = at(tree);
    if (!is_legal(game_, search.state, action)) {
      throw IllegalActionError(game_.action_text(action) + " is not legal at the root of tree " + std::to_string(tree) +
                               ".");
    }
    game_.play(search.state, action);
    const int i = search.tree.edge_of(kRoot, action);
    if (i >= search.tree.links(kRoot).num_children || was_expanded_to_win(search.tree, search.tree.child(kRoot, i))) {
      reset_tree(search);
      return;
    }
    search.tree.keep_subtree(search.tree.child(kRoot, i), spare_);
    forget_plan(search.tree, search.plan);
    search.fresh_priors = true;
    search.stopped = StopReason::kNotStarted;
  }

  // Starts a search on a tree. `noise`: explore at the root, as self-play does.
  void begin(int tree, int simulations, bool noise) {
    leave_batch("begin()");
    Search& search = at(tree);
    search.budget = simulations;
    search.started = 0;
    search.noise = noise;
    search.root_ready = false;
    search.stopped = StopReason::kSearching;
    search.winning_action.reset();
    if (game_.outcome(search.state)) {
      search.stopped = StopReason::kGameOver;
    } else if (seeks_wins()) {
      search.winning_action = winning_action(game_, search.state, legal_);
    }
    const bool kept = search.tree.stats(kRoot).visits > 0;  // from an earlier search, by advance()
    if (rollouts_only() && kept && !search.tree.links(kRoot).expanded) expand_evenly(search.tree, kRoot, search.state);
  }

  bool searching() const {
    return !batch_.leaves().empty() || std::any_of(searches_.begin(), searches_.end(), [](const Search& search) {
      return search.stopped == StopReason::kSearching;
    });
  }

  // Trees whose search has stopped, in order: their owner may read the answer and begin anew at any time.
  std::vector<int> stopped_trees() const {
    std::vector<int> trees;
    for (int i = 0; i < num_trees(); ++i) {
      if (at(i).stopped != StopReason::kSearching) trees.push_back(i);
    }
    return trees;
  }

  // Gathers the next leaves, at most `max_leaves` (0: as many as there are; never less than one tree's share). Trees
  // take turns. Returns how many need an evaluation; that can be 0 when terminal, proven, cached and rolled-out leaves
  // settle everything. `poll` is called now and then on the way; it may throw to end the call, not the search: the next
  // call goes on.
  template <class Poll>
  int select(int max_leaves, Poll&& poll) {
    require_no_pending("select()");
    const int share = params_.leaves_per_batch;
    const int limit = max_leaves > 0 ? std::max(max_leaves, share) : std::numeric_limits<int>::max();
    if (batch_.num_rows() == 0 || batch_.num_rows() > limit) drop_leaves();
    if (batch_.leaves().empty()) {  // else they were cancelled, and are asked for again
      // A tree takes its whole share or none, so that its course does not depend on the room that was left.
      for (int i = 0; i < num_trees() && limit - batch_.num_rows() >= share; ++i) {
        gather(next_tree_, poll);
        next_tree_ = (next_tree_ + 1) % num_trees();
      }
    }
    asked_ = batch_.num_rows() > 0;
    return num_pending();
  }

  int select(int max_leaves = 0) {
    return select(max_leaves, [] {});
  }

  // Answers for the leaves of the last select(): logits [n, A] and values for the player to move, [n] in [-1, 1], or
  // [n, 3] as probabilities of win, draw and loss. Throws EvaluatorError, and changes nothing, if a number is no good.
  void update(const float* logits, const float* values, bool win_draw_loss) {
    if (!asked_) return;
    batch_.check_answers(logits, values, win_draw_loss);
    for (const Leaf& leaf : batch_.leaves()) {
      if (leaf.is_known()) {
        settle_known(leaf);
        continue;
      }
      batch_.read_priors(leaf, logits, priors_);
      const auto b = static_cast<std::size_t>(leaf.row);
      const float value = win_draw_loss ? values[3 * b] - values[3 * b + 2] : values[b];
      const Player to_move = search_of(leaf).tree.stats(batch_.path(leaf)[leaf.length - 1]).to_move;
      const float first_player = std::clamp(value, -1.0F, 1.0F) * sign_of(to_move);
      cache_.store(leaf.hash, priors_.data(), leaf.num_actions, first_player);
      settle_leaf(leaf, first_player, LeafKind::kEvaluated);
    }
    clear_batch();
    for (Search& search : searches_) finish_if_done(search);
  }

  // Takes the last select() back, as when the evaluator failed: the next one asks for the same leaves again, so that
  // the trees go on as if nothing had happened. A call of set_root(), advance() or begin() gives them up.
  void cancel() { asked_ = false; }

  void clear_cache() { cache_.clear(); }

  TreeResult result(int tree) const {
    const Search& search = at(tree);
    TreeResult result = read_result(search.tree, search.plan, params_);
    const bool expanded = search.tree.links(kRoot).expanded;
    result.stopped = search.stopped;
    result.simulations = search.started - (expanded ? search.tree.stats(kRoot).pending : 0);
    return result;
  }

  // Per action [A]; untouched where an action is not legal.
  void write_root(int tree, std::int32_t* visits, float* target, float* q, float* prior) const {
    read_root(at(tree).tree, at(tree).plan, params_, visits, target, q, prior);
  }

  // Step mode: while `trace` is set, select() runs one simulation per tree and every simulation overwrites the trace.
  void set_trace(SimulationTrace* trace) { trace_ = trace; }

  std::size_t bytes() const {
    std::size_t sum = cache_.bytes() + spare_.bytes() + batch_.planes()->capacity() * sizeof(float);
    for (const Search& search : searches_) sum += search.tree.bytes();
    return sum;
  }

 private:
  // One tree and where its search stands. Mutated during search.
  struct Search {
    Search(State root, Rng random) : state(std::move(root)), rng(random) {}
    Tree tree;
    State state;  // of the root
    RootPlan plan;
    Rng rng;
    int budget = 0;   // simulations wanted
    int started = 0;  // simulations begun, those on their way included
    bool noise = false;
    bool root_ready = false;               // the root is expanded and its noise drawn
    bool fresh_priors = true;              // the root's priors are the evaluator's, without noise of an earlier search
    std::optional<Action> winning_action;  // at the root, if they are looked for
    StopReason stopped = StopReason::kNotStarted;
  };

  static constexpr int kMostAtOnce = 10'000;
  static constexpr unsigned kPollEvery = 64;  // simulations

  // Simulations that came to a leaf under evaluation. While a share is gathered each counts as one on its way, so that
  // the next goes elsewhere; they are no visits, and nothing comes of them.
  class Collisions {
   public:
    Collisions(Tree& tree, std::vector<NodeId>& nodes) : tree_(tree), nodes_(nodes) {}
    Collisions(const Collisions&) = delete;
    Collisions& operator=(const Collisions&) = delete;
    ~Collisions() {
      for (const NodeId node : nodes_) --tree_.stats(node).pending;
      nodes_.clear();
    }

    int count() const { return count_; }
    void add(const std::vector<NodeId>& path) {
      for (const NodeId node : path) ++tree_.stats(node).pending;
      nodes_.insert(nodes_.end(), path.begin(), path.end());
      ++count_;
    }

   private:
    Tree& tree_;
    std::vector<NodeId>& nodes_;  // of all their paths
    int count_ = 0;
  };

  enum class Step { kSettled, kQueued, kBlocked, kStopped };

  Search& at(int tree) { return searches_.at(static_cast<std::size_t>(tree)); }
  const Search& at(int tree) const { return searches_.at(static_cast<std::size_t>(tree)); }
  Search& search_of(const Leaf& leaf) { return searches_[static_cast<std::size_t>(leaf.tree)]; }
  bool rollouts_only() const { return params_.rollout_weight >= 1.0F; }
  bool seeks_wins() const { return params_.solve && params_.instant_wins; }

  void require_no_pending(const char* call) const {
    if (!asked_) return;
    throw Error(std::string(call) + " came while " + std::to_string(batch_.num_rows()) +
                " leaves wait for update(); answer them or give them up with cancel().");
  }

  // Before the trees change in another way than by their search.
  void leave_batch(const char* call) {
    require_no_pending(call);
    drop_leaves();
  }

  void drop_leaves() {
    for (const Leaf& leaf : batch_.leaves()) {
      Search& search = search_of(leaf);
      const NodeId* path = batch_.path(leaf);
      for (int i = 0; i < leaf.length; ++i) --search.tree.stats(path[i]).pending;
      if (leaf.length > 1) --search.started;
    }
    clear_batch();
  }

  void clear_batch() {
    batch_.clear();
    asked_ = false;
  }

  void reset_tree(Search& search) {
    search.tree.clear();
    look_at(search.tree, kRoot, search.state);
    search.fresh_priors = true;
    search.stopped = StopReason::kNotStarted;
  }

  void finish_if_done(Search& search) {
    if (search.stopped != StopReason::kSearching || !search.tree.links(kRoot).expanded) return;
    prepare_if_needed(search);
    if (params_.solve && search.tree.stats(kRoot).proven != Proven::kUnknown) {
      search.stopped = StopReason::kProven;
    } else if (search.started >= search.budget && search.tree.stats(kRoot).pending == 0) {
      search.stopped = StopReason::kSimulations;
    }
  }

  void prepare_if_needed(Search& search) {
    if (search.root_ready) return;
    prepare_root(search.tree, search.plan, params_, search.budget, search.noise, search.fresh_priors, search.rng);
    search.fresh_priors = false;
    search.root_ready = true;
  }

  // Simulations of one tree until it has leaves that wait for the evaluator, or is done.
  template <class Poll>
  void gather(int tree, Poll& poll) {
    Search& search = searches_[static_cast<std::size_t>(tree)];
    const std::size_t first = batch_.leaves().size();
    do {
      fill_share(search, tree, poll);
    } while (settle_if_known(first) && trace_ == nullptr);
    finish_if_done(search);
  }

  // A share that the cache answers as a whole is settled at once. In any other, the leaves it knows wait with the rest:
  // else the virtual losses, and with them the course of the tree, would depend on what the cache holds.
  bool settle_if_known(std::size_t first) {
    const auto share = batch_.leaves().begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = batch_.leaves().end();
    if (share == end || !std::all_of(share, end, [](const Leaf& leaf) { return leaf.is_known(); })) return false;
    std::for_each(share, end, [&](const Leaf& leaf) { settle_known(leaf); });
    batch_.drop_known_from(first);
    return true;
  }

  // Simulations of one tree until its share of the batch is full or there is nothing to do before the next update().
  // With nothing to ask for it comes back now and then, so that whoever calls can stop a search of rollouts.
  template <class Poll>
  void fill_share(Search& search, int tree, Poll& poll) {
    int queued = 0;
    Collisions collisions(search.tree, collided_);
    for (int done = 0; queued < params_.leaves_per_batch; ++done) {
      if (queued == 0) {  // only then: a poll that throws must not cut a share in two
        if (done >= kMostAtOnce) return;
        if (++unpolled_ % kPollEvery == 0) poll();
      }
      finish_if_done(search);
      if (search.stopped != StopReason::kSearching) return;
      const bool root_waits = !search.tree.links(kRoot).expanded;
      if (root_waits ? queued > 0 : search.started >= search.budget) return;
      const Step step = simulate(search, tree);
      if (step == Step::kBlocked) {
        if (collisions.count() == params_.most_collisions) return;
        collisions.add(path_);
        continue;
      }
      if (step == Step::kStopped) {
        search.stopped = StopReason::kNodeCap;
        return;
      }
      if (!root_waits) ++search.started;
      if (step == Step::kQueued) ++queued;
      if (trace_ != nullptr) return;  // step mode: one simulation per select()
    }
  }

  // One simulation, from the root to a leaf that is settled on the spot or queued for evaluation.
  Step simulate(Search& search, int tree_index) {
    Tree& tree = search.tree;
    if (trace_ != nullptr) *trace_ = {};
    path_.clear();

    // 1. Start at the root, with a copy of its state.
    State state = search.state;
    NodeId node = kRoot;

    // 2. Select: down to a node that has not been evaluated, or about which nothing is left to find out.
    while (true) {
      path_.push_back(node);
      if (tree.stats(node).proven != Proven::kUnknown && (params_.solve || tree.links(node).num_edges == 0)) {
        return settle(search, exact_value(tree, node, params_.discount), LeafKind::kProven);
      }
      if (!tree.links(node).expanded && !expand_to_win(tree, node, state)) {
        // Rollouts need no priors: a node gets its edges when it is visited for the second time.
        if (!rollouts_only() || tree.stats(node).visits == 0) break;
        expand_evenly(tree, node, state);
      }
      const int choice = choose(search, node);
      const Action action = tree.actions(node)[choice];
      const bool is_new = choice == tree.links(node).num_children;
      if (is_new && tree.is_full(static_cast<std::uint32_t>(params_.max_nodes))) return Step::kStopped;
      const NodeId child = is_new ? tree.add_child(node) : tree.child(node, choice);
      game_.play(state, action);
      if (is_new) look_at(tree, child, state);
      node = child;
    }

    // 3. A leaf that waits for its evaluation already must not be asked for twice.
    if (tree.stats(node).pending > 0) return Step::kBlocked;

    // 4. A random play-out, if they count.
    std::optional<float> rollout;
    if (params_.rollout_weight > 0.0F) {
      State end = state;
      rollout = value_for(random_playout(game_, end, search.rng, legal_).outcome, Player::kFirst);
      if (rollouts_only()) {
        tree.links(node).value = *rollout;
        if (node == kRoot) expand_evenly(tree, node, state);
        return settle(search, *rollout, LeafKind::kRollout);
      }
    }

    // 5. Queue the leaf, and count it as lost until the answer comes, so that the next simulation goes elsewhere.
    queue(tree_index, state, rollout);
    for (const NodeId visited : path_) ++tree.stats(visited).pending;
    return Step::kQueued;
  }

  int choose(Search& search, NodeId node) {
    const Tree& tree = search.tree;
    const bool at_root = node == kRoot;
    if (params_.selection == Selection::kUct && tree.links(node).num_children < tree.links(node).num_edges) {
      const auto untried = static_cast<std::uint32_t>(tree.links(node).num_edges - tree.links(node).num_children);
      search.tree.put_next(node, tree.links(node).num_children + static_cast<int>(search.rng.below(untried)));
    }
    const float forced = at_root && search.noise ? params_.forced_playouts : 0.0F;
    const bool gumbel_root =
        at_root && params_.selection == Selection::kGumbel && has_open_candidate(tree, search.plan, params_);
    const auto visit_scores = [&](bool every, auto visit) {
      return gumbel_root ? for_each_gumbel_root(tree, search.plan, params_, search.started, std::move(visit))
                         : for_each_score(tree, node, params_, forced, every, std::move(visit));
    };
    int choice = at_root && search.winning_action ? tree.edge_of(kRoot, *search.winning_action)
                                                  : visit_scores(false, Highest()).edge();
    if (trace_ != nullptr) {
      auto& step = trace_->steps.emplace_back();
      step.node = node;
      step.chosen = tree.actions(node)[choice];
      visit_scores(true, Collect{&step.children});
    }
    if (choice > tree.links(node).num_children) {
      search.tree.put_next(node, choice);
      choice = tree.links(node).num_children;
    }
    return choice;
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

  // Such a node was never evaluated and has one edge of many: too little for a root.
  bool was_expanded_to_win(const Tree& tree, NodeId node) const {
    const Tree::Stats& stats = tree.stats(node);
    return seeks_wins() && stats.proven == proven_win(stats.to_move) && tree.links(node).distance == 1;
  }

  void expand_evenly(Tree& tree, NodeId node, const State& state) {
    game_.legal_actions(state, legal_);
    cached_actions_.assign(legal_.begin(), legal_.end());
    priors_.assign(static_cast<std::size_t>(legal_.size()), 1.0F / static_cast<float>(legal_.size()));
    tree.expand(node, cached_actions_.data(), priors_.data(), legal_.size());
  }

  void queue(int tree, const State& state, std::optional<float> rollout) {
    game_.legal_actions(state, legal_);
    Leaf leaf{.tree = tree, .hash = game_.hash(state), .rollout = rollout};
    const float* known_priors = cache_.find(leaf.hash, leaf.known_value);
    if (known_priors == nullptr) batch_.ask(leaf, game_, state);
    batch_.add(leaf, path_, legal_, known_priors);
  }

  void settle_known(const Leaf& leaf) {
    const float* priors = batch_.known_priors(leaf);
    priors_.assign(priors, priors + leaf.num_actions);
    settle_leaf(leaf, leaf.known_value, LeafKind::kCached);
  }

  // Expands a leaf with priors_ and backs its value (for the first player) up.
  void settle_leaf(const Leaf& leaf, float value, LeafKind kind) {
    Search& search = search_of(leaf);
    const NodeId* path = batch_.path(leaf);
    const std::uint16_t* actions = batch_.actions(leaf);
    for (int i = 0; i < leaf.length; ++i) --search.tree.stats(path[i]).pending;
    search.tree.links(path[leaf.length - 1]).value = value;
    search.tree.expand(path[leaf.length - 1], actions, priors_.data(), leaf.num_actions);
    if (trace_ != nullptr) {
      trace_->actions.assign(actions, actions + leaf.num_actions);
      trace_->priors = priors_;
    }
    // (1 - lambda) v + lambda z
    if (leaf.rollout) value = (1.0F - params_.rollout_weight) * value + params_.rollout_weight * *leaf.rollout;
    settle_path(search, path, leaf.length, value, kind);
  }

  Step settle(Search& search, float value, LeafKind kind) {
    settle_path(search, path_.data(), static_cast<int>(path_.size()), value, kind);
    return Step::kSettled;
  }

  void settle_path(Search& search, const NodeId* path, int length, float value, LeafKind kind) {
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

  // Constant during search.
  G game_;
  SearchParams params_;
  std::uint64_t seed_;

  // Mutated during search.
  std::vector<Search> searches_;
  EvaluationCache cache_;
  Tree spare_;  // for keep_subtree
  int next_tree_ = 0;
  SimulationTrace* trace_ = nullptr;  // owned elsewhere

  LeafBatch batch_;
  bool asked_ = false;     // its leaves wait for update(); false with leaves: they were cancelled
  unsigned unpolled_ = 0;  // counts simulations

  // Working memory, kept to avoid allocation.
  std::vector<NodeId> path_;
  std::vector<NodeId> collided_;  // for Collisions
  std::vector<float> priors_;
  std::vector<std::uint16_t> cached_actions_;
  ActionList legal_;
};

}  // namespace tengen

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
#include <cstdint>
#include <limits>
#include <memory>
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

  // `rollouts`: the policy of the play-outs, if params.rollout_weight asks for them; uniformly random without.
  Forest(const G& game, int num_trees, const SearchParams& params, std::uint64_t seed,
         std::shared_ptr<const RolloutPolicy> rollouts = nullptr)
      : simulator_(game, params, std::move(rollouts)),
        cache_(params.cache_entries, game.spec().legal_bound()),
        batch_(game.spec(), params.random_symmetry, seed) {
    if (game.spec().num_actions > 65535) throw Error("The search holds games of at most 65535 actions.");
    for (int i = 0; i < num_trees; ++i) {
      reset_tree(searches_.emplace_back(game.initial_state(), Rng(seed).split(static_cast<std::uint64_t>(i))));
    }
  }

  const G& game() const { return simulator_.game(); }
  const SearchParams& params() const { return simulator_.params(); }
  int num_trees() const { return static_cast<int>(searches_.size()); }
  const State& root_state(int tree) const { return at(tree).state; }
  const Tree& tree(int tree) const { return at(tree).tree; }
  // [leaves of the last select(), C, H, W]; the next select() writes over them.
  const std::shared_ptr<std::vector<float>>& planes() const { return batch_.planes(); }
  // Leaves that wait for update().
  int num_pending() const { return asked_ ? batch_.num_rows() : 0; }

  // A new position for a tree, without memory of the old one. `past` is where the last moves went, for rollouts.
  void set_root(int tree, State state, std::uint64_t seed, const LastTargets& past = {}) {
    leave_batch("set_root()");
    Search& search = at(tree);
    search.state = std::move(state);
    search.past = past;
    search.rng = Rng(seed);
    reset_tree(search);
    forget_exact(search);
  }

  // Searches only these legal actions at a tree's root, until it has another root. The tree begins anew.
  void restrict_root(int tree, std::vector<Action> only) {
    leave_batch("restrict_root()");
    Search& search = at(tree);
    for (const Action action : only) require_legal(search, tree, action);
    reset_tree(search);
    forget_exact(search);
    search.only = std::move(only);
  }

  // Plays `action` on a tree's position and keeps what the search knows about it.
  void advance(int tree, Action action) {
    leave_batch("advance()");
    Search& search = at(tree);
    require_legal(search, tree, action);
    simulator_.play(search.state, action, search.past);
    ++search.plies;
    const int i = search.tree.edge_of(kRoot, action);
    if (i >= search.tree.links(kRoot).num_children ||
        simulator_.was_expanded_to_win(search.tree, search.tree.child(kRoot, i)) ||
        simulator_.was_settled_exactly(search.tree, search.tree.child(kRoot, i))) {
      reset_tree(search);
      return;
    }
    search.tree.keep_subtree(search.tree.child(kRoot, i), spare_);
    forget_search(search);
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
    search.plan.winning_action.reset();
    if (game().outcome(search.state)) {
      search.stopped = StopReason::kGameOver;
    } else if (simulator_.seeks_wins() && search.only.empty()) {
      search.plan.winning_action = winning_action(game(), search.state, simulator_.legal());
    }
    const bool kept = search.tree.stats(kRoot).visits > 0;  // from an earlier search, by advance()
    if (simulator_.rollouts_only() && kept && !search.tree.links(kRoot).expanded) {
      simulator_.expand_evenly(search.tree, kRoot, search.state);
    }
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
    const int share = params().leaves_per_batch;
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
      const float value = std::clamp(win_draw_loss ? values[3 * b] - values[3 * b + 2] : values[b], -1.0F, 1.0F);
      cache_.store(leaf.key, priors_.data(), leaf.num_actions, value);
      settle_leaf(leaf, value, LeafKind::kEvaluated);
    }
    clear_batch();
    for (Search& search : searches_) finish_if_done(search);
  }

  // select() and update() in one, for an evaluator that reads states instead of planes: `evaluate(state, logits)`
  // writes a finite logit for each legal action [A] and returns the value for the player to move. Returns how many
  // leaves it was asked about. If it throws, the trees are as they were before.
  template <class Evaluate, class Poll>
  int settle(int max_leaves, Evaluate&& evaluate, Poll&& poll) {
    leave_batch("settle()");
    struct Keeping {
      Forest& forest;
      ~Keeping() {
        forest.keeps_states_ = false;
        forest.states_.clear();
        forest.drop_leaves();  // none are left unless something has thrown
      }
    } keeping{*this};
    keeps_states_ = true;
    const auto rows = static_cast<std::size_t>(select(max_leaves, poll));
    const auto num_actions = static_cast<std::size_t>(game().spec().num_actions);
    logits_.resize(rows * num_actions);
    values_.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      values_[row] = evaluate(states_[row], logits_.data() + row * num_actions);
    }
    update(logits_.data(), values_.data(), false);
    return static_cast<int>(rows);
  }

  // Takes the last select() back, as when the evaluator failed: the next one asks for the same leaves again, so that
  // the trees go on as if nothing had happened. A call of set_root(), advance() or begin() gives them up.
  void cancel() { asked_ = false; }

  void clear_cache() { cache_.clear(); }

  TreeResult result(int tree) const {
    const Search& search = at(tree);
    TreeResult result = read_result(search.tree, search.plan, params());
    const bool expanded = search.tree.links(kRoot).expanded;
    result.stopped = search.stopped;
    result.simulations = search.started - (expanded ? search.tree.stats(kRoot).pending : 0);
    return result;
  }

  // Per action [A]; untouched where an action is not legal.
  void write_root(int tree, std::int32_t* visits, float* target, float* q, float* prior) const {
    read_root(at(tree).tree, at(tree).plan, params(), visits, target, q, prior);
  }

  // Step mode: while `trace` is set, select() runs one simulation per tree and every simulation overwrites the trace.
  void set_trace(SimulationTrace* trace) { simulator_.set_trace(trace); }

  // All memory that grows with trees, nodes, leaves and the cache, whether it is in use or in reserve.
  std::size_t bytes() const {
    std::size_t sum = cache_.bytes() + spare_.bytes() + batch_.bytes() + simulator_.bytes() +
                      searches_.capacity() * sizeof(Search) + collided_.capacity() * sizeof(NodeId) +
                      states_.capacity() * sizeof(State) +
                      (priors_.capacity() + logits_.capacity() + values_.capacity()) * sizeof(float);
    for (const Search& search : searches_) sum += search.tree.bytes() + search.plan.bytes() + search.gate.bytes();
    return sum;
  }

 private:
  using Search = TreeSearch<G>;

  // A search of rollouts comes back after so many simulations, or actions of its random games: within a millisecond in
  // every game, so that a search can end in time.
  static constexpr int kMostAtOnce = 512;
  static constexpr std::int64_t kMostPlayedAtOnce = 4096;
  static constexpr unsigned kPollEvery = 64;  // simulations

  Search& at(int tree) { return searches_.at(static_cast<std::size_t>(tree)); }
  const Search& at(int tree) const { return searches_.at(static_cast<std::size_t>(tree)); }
  Search& search_of(const Leaf& leaf) { return searches_[static_cast<std::size_t>(leaf.tree)]; }

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

  void require_legal(const Search& search, int tree, Action action) const {
    if (is_legal(game(), search.state, action)) return;
    throw IllegalActionError(action_text(game(), search.state, action) + " is not legal at the root of tree " +
                             std::to_string(tree) + ".");
  }

  void reset_tree(Search& search) {
    search.tree.clear();
    simulator_.look_at(search.tree, kRoot, search.state);
    forget_search(search);
  }

  // What exact searches have shown of a tree's other positions.
  static void forget_exact(Search& search) {
    search.gate.clear();
    search.plies = 0;
  }

  // The tree has a new root.
  void forget_search(Search& search) {
    forget_plan(search.tree, search.plan);
    search.only.clear();
    search.answer.reset();
    search.asked_exact = 0;
    search.fresh_priors = true;
    search.stopped = StopReason::kNotStarted;
  }

  void finish_if_done(Search& search) {
    if (search.stopped != StopReason::kSearching || !search.tree.links(kRoot).expanded) return;
    prepare_if_needed(search);
    if (params().solve && search.tree.stats(kRoot).proven != Proven::kUnknown) {
      search.stopped = StopReason::kProven;
    } else if (search.started >= search.budget && search.tree.stats(kRoot).pending == 0) {
      search.stopped = StopReason::kSimulations;
    }
  }

  void prepare_if_needed(Search& search) {
    if (search.root_ready) return;
    const bool untouched = search.tree.links(kRoot).num_children == 0;
    if (!search.only.empty() && untouched) search.tree.keep_edges(kRoot, search.only);
    prepare_root(search.tree, search.plan, params(), search.budget, search.noise, search.fresh_priors, search.rng);
    search.fresh_priors = false;
    search.root_ready = true;
    if (search.answer) simulator_.write_answer(search);
  }

  // Simulations of one tree until it has leaves that wait for the evaluator, or is done.
  template <class Poll>
  void gather(int tree, Poll& poll) {
    Search& search = searches_[static_cast<std::size_t>(tree)];
    const std::size_t first = batch_.leaves().size();
    if (is_root_open(search)) simulator_.solve_root(search, poll);
    do {
      fill_share(search, tree, poll);
    } while (settle_if_known(first) && simulator_.trace() == nullptr);
    finish_if_done(search);
  }

  // Whether an exact search may be asked about the root: not if only some actions are searched, nor where the answer is
  // known. What wins at once is seen without.
  bool is_root_open(const Search& search) const {
    return search.stopped == StopReason::kSearching && search.only.empty() && !search.plan.winning_action &&
           search.tree.stats(kRoot).proven == Proven::kUnknown;
  }

  // A share that the cache answers as a whole is settled at once. In any other, the leaves it knows wait with the rest:
  // else which leaves are on their way, and with it the course of the tree, would depend on what the cache holds.
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
    const std::int64_t enough = simulator_.actions_played() + kMostPlayedAtOnce;
    for (int done = 0; queued < params().leaves_per_batch; ++done) {
      if (queued == 0) {  // only then: a poll that throws must not cut a share in two
        if (done >= kMostAtOnce || simulator_.actions_played() >= enough) return;
        if (++unpolled_ % kPollEvery == 0) poll();
      }
      finish_if_done(search);
      if (search.stopped != StopReason::kSearching) return;
      const bool root_waits = !search.tree.links(kRoot).expanded;
      if (root_waits ? queued > 0 : search.started >= search.budget) return;
      State state = search.state;
      const Arrival arrival = simulator_.run(search, state);
      if (arrival == Arrival::kBlocked) {
        if (collisions.count() == params().most_collisions) return;
        collisions.add(simulator_.path());
        continue;
      }
      if (arrival == Arrival::kFull) {
        search.stopped = StopReason::kNodeCap;
        return;
      }
      if (arrival == Arrival::kLeaf) {
        queue(search, tree, state);
        ++queued;
      }
      if (!root_waits) ++search.started;
      if (simulator_.trace() != nullptr) return;  // step mode: one simulation per select()
    }
  }

  // Queues the leaf of the last simulation. Until its answer comes it counts as a visit on its way (and as
  // `virtual_loss` losses), so that the next simulation goes elsewhere.
  void queue(Search& search, int tree, const State& state) {
    game().legal_actions(state, simulator_.legal());
    Leaf leaf{.tree = tree, .rollout = simulator_.rollout()};
    if (cache_.enabled() || batch_.draws_symmetries()) leaf.key = evaluation_key(game(), state);
    const float* known_priors = cache_.find(leaf.key, simulator_.legal().size(), leaf.known_value);
    if (known_priors == nullptr && keeps_states_) {
      batch_.ask_state(leaf);
      states_.push_back(state);
    } else if (known_priors == nullptr) {
      batch_.ask(leaf, game(), state);
    }
    batch_.add(leaf, simulator_.path(), simulator_.legal(), known_priors);
    for (const NodeId visited : simulator_.path()) ++search.tree.stats(visited).pending;
  }

  void settle_known(const Leaf& leaf) {
    const float* priors = batch_.known_priors(leaf);
    priors_.assign(priors, priors + leaf.num_actions);
    settle_leaf(leaf, leaf.known_value, LeafKind::kCached);
  }

  // Expands a leaf with priors_ and backs its value (for the player to move) up.
  void settle_leaf(const Leaf& leaf, float value, LeafKind kind) {
    Search& search = search_of(leaf);
    const NodeId* path = batch_.path(leaf);
    const NodeId node = path[leaf.length - 1];
    const std::uint16_t* actions = batch_.actions(leaf);
    for (int i = 0; i < leaf.length; ++i) --search.tree.stats(path[i]).pending;
    value *= sign_of(search.tree.stats(node).to_move);  // from here on for the first player
    search.tree.links(node).value = value;
    search.tree.expand(node, actions, priors_.data(), leaf.num_actions);
    if (SimulationTrace* trace = simulator_.trace()) {
      trace->actions.assign(actions, actions + leaf.num_actions);
      trace->priors = priors_;
    }
    // (1 - lambda) v + lambda z
    const float lambda = params().rollout_weight;
    if (leaf.rollout) value = (1.0F - lambda) * value + lambda * *leaf.rollout;
    simulator_.settle(search, path, leaf.length, value, kind);
  }

  // Mutated during search.
  Simulator<G> simulator_;
  std::vector<Search> searches_;
  EvaluationCache cache_;
  Tree spare_;  // for keep_subtree
  int next_tree_ = 0;

  LeafBatch batch_;
  bool asked_ = false;     // its leaves wait for update(); false with leaves: they were cancelled
  unsigned unpolled_ = 0;  // counts simulations

  // Working memory, kept to avoid allocation.
  std::vector<NodeId> collided_;  // for Collisions
  std::vector<float> priors_;

  // Of settle(): the states of the leaves, by row, and what was said of them.
  bool keeps_states_ = false;
  std::vector<State> states_;
  std::vector<float> logits_;  // [rows, A]
  std::vector<float> values_;  // [rows]
};

}  // namespace tengen

// The search under the sanitizers: long and deep trees, every call in random order, the cap on nodes, memory.
// TENGEN_LONG=1 runs the long test with a million simulations instead of ten thousand.
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "tengen/games/connect_four.h"
#include "tengen/games/go.h"
#include "tengen/games/mnk.h"
#include "tengen/games/othello.h"
#include "tengen/search/forest.h"
#include "tests/test.h"

using namespace tengen;

namespace {

// Answers for a batch, drawn at random.
struct Answers {
  std::vector<float> logits;
  std::vector<float> values;

  void draw(Rng& rng, int rows, int actions, float logit_scale) {
    logits.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(actions));
    values.resize(static_cast<std::size_t>(rows));
    for (float& logit : logits) logit = logit_scale * static_cast<float>(rng.uniform());
    for (float& value : values) value = static_cast<float>(2.0 * rng.uniform() - 1.0);
  }
};

template <Game G>
void run(Forest<G>& forest, Rng& rng, float logit_scale = 3.0F) {
  Answers answers;
  while (forest.searching()) {
    const int rows = forest.select();
    answers.draw(rng, rows, forest.game().spec().num_actions, logit_scale);
    forest.update(answers.logits.data(), answers.values.data(), false);
  }
}

bool is_proven(const Tree::Stats& stats) { return stats.proven != Proven::kUnknown; }

// What holds for every tree between two searches. `unevaluated`: nodes that a cancelled batch left without a visit.
template <Game G>
void check_tree(const Forest<G>& forest, int index, bool unevaluated) {
  const Tree& tree = forest.tree(index);
  std::vector<int> parents(tree.num_nodes(), 0);
  for (NodeId node = 0; node < tree.num_nodes(); ++node) {
    const Tree::Stats& stats = tree.stats(node);
    const Tree::Links& links = tree.links(node);
    CHECK_EQ(stats.pending, 0);
    CHECK(links.num_children <= links.num_edges);
    CHECK(std::abs(stats.value_sum) <= static_cast<double>(stats.visits) + 1e-3);
    if (stats.visits == 0 && node != kRoot) CHECK(unevaluated);
    std::uint32_t below = 0;
    for (int i = 0; i < links.num_children; ++i) {
      const NodeId child = tree.child(node, i);
      CHECK(child > node && child < tree.num_nodes());
      ++parents[child];
      below += tree.stats(child).visits;
    }
    // A simulation that meets a proven node goes no further; one that sees a win goes on to it without an evaluation.
    if (links.num_children > 0) CHECK(below == stats.visits - 1 || (below <= stats.visits && is_proven(stats)));
    float prior = 0.0F;
    for (int i = 0; i < links.num_edges; ++i) prior += tree.priors(node)[i];
    if (links.num_edges > 0) CHECK(std::abs(prior - 1.0F) < 1e-3F);
  }
  for (NodeId node = 1; node < tree.num_nodes(); ++node) CHECK_EQ(parents[node], 1);
}

// A game of many actions of which few are legal, as chess has them: 4672, of which 30 to 218.
class ManyActions {
 public:
  struct State {
    std::uint64_t key = 0;
    int ply = 0;
    bool operator==(const State&) const = default;
  };

  ManyActions() {
    spec_.name = "many_actions";
    spec_.num_planes = 1;
    spec_.height = 8;
    spec_.width = 8;
    spec_.num_actions = 4672;
    spec_.most_legal = 218;
  }

  const GameSpec& spec() const { return spec_; }
  State initial_state() const { return {}; }
  Player to_move(const State& state) const { return static_cast<Player>(state.ply % 2); }
  void legal_actions(const State& state, ActionList& list) const {
    list.clear();
    const auto count = static_cast<Action>(30 + state.key % 189);
    for (Action i = 0; i < count; ++i) list.push(static_cast<Action>(state.key % 21) + 21 * i);
  }
  void play(State& state, Action action) const {
    state = {mix64(state.key + static_cast<std::uint64_t>(action) + 1), state.ply + 1};
  }
  std::optional<Outcome> outcome(const State&) const { return std::nullopt; }
  void write_planes(const State& state, float* planes) const {
    for (int i = 0; i < 64; ++i) planes[i] = static_cast<float>((state.key >> i) & 1);
  }
  std::uint64_t hash(const State& state) const { return mix64(state.key + static_cast<std::uint64_t>(state.ply)); }
  std::string action_text(Action action) const { return std::to_string(action); }
  std::optional<Action> parse_action(std::string_view) const { return std::nullopt; }
  std::string board_text(const State&) const { return ""; }
  State parse_board(std::string_view) const { return {}; }

 private:
  GameSpec spec_;
};

// A game in which many states look alike to a network: the cells that are taken, in whatever order, and whoever is to
// move. The winner follows from the order.
class TakeCells {
 public:
  static constexpr int kCells = 10;
  struct State {
    unsigned taken = 0;
    std::uint64_t past = 0;
    Player to_move = Player::kFirst;
    bool operator==(const State&) const = default;
  };

  TakeCells() {
    spec_.name = "take_cells";
    spec_.num_planes = 1;
    spec_.height = 1;
    spec_.width = kCells;
    spec_.num_actions = kCells;
    spec_.symmetries.resize(2);
    for (int i = 0; i < kCells; ++i) {
      for (auto* source : {&spec_.symmetries[0].cell_source, &spec_.symmetries[0].action_source}) source->push_back(i);
      for (auto* source : {&spec_.symmetries[1].cell_source, &spec_.symmetries[1].action_source})
        source->push_back(kCells - 1 - i);
    }
  }

  const GameSpec& spec() const { return spec_; }
  State initial_state() const { return {}; }
  Player to_move(const State& state) const { return state.to_move; }
  void legal_actions(const State& state, ActionList& list) const {
    list.clear();
    for (Action i = 0; i < kCells; ++i) {
      if ((state.taken >> i & 1U) == 0) list.push(i);
    }
  }
  void play(State& state, Action action) const {
    state.taken |= 1U << action;
    state.past = mix64(state.past + static_cast<std::uint64_t>(action) + 1);
    if (state.past % 3 != 0) state.to_move = opponent(state.to_move);  // else the same player moves again
  }
  std::optional<Outcome> outcome(const State& state) const {
    if (state.taken != (1U << kCells) - 1) return std::nullopt;
    return state.past % 2 == 0 ? Outcome::win(Player::kFirst) : Outcome::win(Player::kSecond);
  }
  void write_planes(const State& state, float* planes) const {
    for (int i = 0; i < kCells; ++i) planes[i] = static_cast<float>(state.taken >> i & 1U);
  }
  std::uint64_t hash(const State& state) const {
    return mix64(state.past + state.taken) + static_cast<std::uint64_t>(state.to_move);
  }
  std::uint64_t evaluation_key(const State& state) const { return mix64(state.taken + 1); }
  std::string action_text(Action action) const { return std::to_string(action); }
  std::optional<Action> parse_action(std::string_view) const { return std::nullopt; }
  std::string board_text(const State&) const { return ""; }
  State parse_board(std::string_view) const { return {}; }

 private:
  GameSpec spec_;
};

// Answers that depend on the planes alone, and on which way round they are. Returns how many rows there were.
int run_by_planes(Forest<TakeCells>& forest) {
  constexpr std::size_t kCells = TakeCells::kCells;
  int asked = 0;
  std::vector<float> logits;
  std::vector<float> values;
  while (forest.searching()) {
    const auto rows = static_cast<std::size_t>(forest.select());
    asked += static_cast<int>(rows);
    logits.assign(rows * kCells, 0.0F);
    values.assign(rows, 0.0F);
    for (std::size_t row = 0; row < rows; ++row) {
      std::uint64_t seen = 0;
      for (std::size_t i = 0; i < kCells; ++i) {
        seen = mix64(seen + ((*forest.planes())[row * kCells + i] > 0.0F ? 2 : 1));
      }
      Rng rng(seen);
      for (std::size_t i = 0; i < kCells; ++i) logits[row * kCells + i] = static_cast<float>(rng.uniform());
      values[row] = static_cast<float>(rng.uniform() - 0.5);
    }
    forest.update(logits.data(), values.data(), false);
  }
  return asked;
}

SearchParams random_params(Rng& rng) {
  SearchParams params;
  params.selection = static_cast<Selection>(rng.below(3));
  params.simulations = static_cast<int>(rng.below(80));
  params.leaves_per_batch = 1 + static_cast<int>(rng.below(6));
  params.virtual_loss = static_cast<float>(rng.below(4));
  params.most_collisions = static_cast<int>(rng.below(10));
  params.solve = rng.below(3) > 0;
  params.instant_wins = rng.below(2) > 0;
  params.exact_leaf_nodes = rng.below(2) > 0 ? static_cast<int>(rng.below(200)) : 0;
  params.exact_root_nodes = rng.below(3) == 0 ? static_cast<int>(rng.below(2000)) : 0;
  params.random_symmetry = rng.below(2) > 0;
  params.cache_entries = rng.below(2) > 0 ? 64 : 0;
  params.rollout_weight = std::vector<float>{0.0F, 0.5F, 1.0F}[rng.below(3)];
  params.forced_playouts = rng.below(2) > 0 ? 2.0F : 0.0F;
  params.max_nodes = rng.below(4) == 0 ? 40 : 1'000'000;
  return params;
}

// A forest may be read at any time, also before a search has prepared its root.
template <Game G>
void read_all(const Forest<G>& forest) {
  const auto actions = static_cast<std::size_t>(forest.game().spec().num_actions);
  for (int tree = 0; tree < forest.num_trees(); ++tree) {
    std::vector<std::int32_t> visits(actions);
    std::vector<float> target(actions);
    std::vector<float> q(actions);
    std::vector<float> prior(actions);
    forest.write_root(tree, visits.data(), target.data(), q.data(), prior.data());
    const float shares = std::accumulate(target.begin(), target.end(), 0.0F);
    const int edges = forest.tree(tree).links(kRoot).num_edges;
    CHECK(edges == 0 ? shares == 0.0F : std::abs(shares - 1.0F) < 1e-3F);
    if (edges > 0) CHECK(is_legal(forest.game(), forest.root_state(tree), forest.result(tree).best_action));
  }
}

// Calls of a forest in random order, answered, cancelled or answered badly.
template <Game G>
void random_calls(const G& game, std::uint64_t seed) {
  Rng rng(seed);
  const int actions = game.spec().num_actions;
  Forest<G> forest(game, 1 + static_cast<int>(rng.below(4)), random_params(rng), rng.next());
  ActionList legal(actions);
  Answers answers;
  bool cancelled = false;
  for (int call = 0; call < 60; ++call) {
    const int tree = static_cast<int>(rng.below(static_cast<std::uint32_t>(forest.num_trees())));
    switch (rng.below(5)) {
      case 0:
        forest.begin(tree, static_cast<int>(rng.below(60)), rng.below(2) > 0);
        break;
      case 1:
        forest.set_root(tree, game.initial_state(), rng.next());
        break;
      case 2:
        game.legal_actions(forest.root_state(tree), legal);
        if (legal.size() > 0)
          forest.advance(tree, legal[static_cast<int>(rng.below(static_cast<std::uint32_t>(legal.size())))]);
        break;
      default:
        for (int round = 0; round < 10 && forest.searching(); ++round) {
          const int rows = forest.select(static_cast<int>(rng.below(8)));
          answers.draw(rng, rows, actions, 3.0F);
          if (rows > 0 && rng.below(5) == 0) {
            answers.values[rng.below(static_cast<std::uint32_t>(rows))] = std::nanf("");
            CHECK_THROWS(EvaluatorError, forest.update(answers.logits.data(), answers.values.data(), false));
            forest.cancel();
            cancelled = true;
          } else {
            forest.update(answers.logits.data(), answers.values.data(), false);
          }
        }
    }
    read_all(forest);
  }
  forest.cancel();
  for (int tree = 0; tree < forest.num_trees(); ++tree) forest.begin(tree, 20, false);  // gives up what was cancelled
  for (int tree = 0; tree < forest.num_trees(); ++tree) check_tree(forest, tree, cancelled);
  run(forest, rng);
  for (int tree = 0; tree < forest.num_trees(); ++tree) check_tree(forest, tree, cancelled);
}

template <Game G>
void long_search(const G& game, int simulations) {
  SearchParams params;
  params.leaves_per_batch = 64;
  Forest<G> forest(game, 1, params, 1);
  forest.begin(0, simulations, true);
  Rng rng(2);
  run(forest, rng);
  CHECK_EQ(forest.result(0).simulations, simulations);
  CHECK_EQ(forest.tree(0).stats(kRoot).visits, static_cast<std::uint32_t>(simulations) + 1);
  check_tree(forest, 0, false);
}

}  // namespace

TEST(calls_in_random_order) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    random_calls(Mnk<1>("tic_tac_toe", {}, {3, 3, 3}), seed);
    random_calls(ConnectFour("connect_four", {}, {}), seed);
    random_calls(Othello("othello", {}, 4), seed);
  }
}

namespace {

// The state of every node, by walking the tree.
template <Game G>
std::vector<typename G::State> node_states(const Forest<G>& forest, int index) {
  const Tree& tree = forest.tree(index);
  std::vector<typename G::State> states(tree.num_nodes(), forest.root_state(index));
  for (NodeId node = 0; node < tree.num_nodes(); ++node) {  // children come after their parents
    for (int i = 0; i < tree.links(node).num_children; ++i) {
      states[tree.child(node, i)] = states[node];
      forest.game().play(states[tree.child(node, i)], tree.actions(node)[i]);
    }
  }
  return states;
}

// Random positions searched with exact leaves: what the trees hold to be proven is what an unbounded search finds.
// Returns how many nodes without edges were proven that are not the end of a game.
template <Game G>
int check_proofs(const G& game, int plies, int leaf_nodes) {
  SearchParams params;
  params.exact_leaf_nodes = leaf_nodes;
  int settled = 0;
  ActionList scratch(game.spec().num_actions);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Rng rng(seed);
    auto state = game.initial_state();
    for (int ply = 0; ply < plies && !game.outcome(state); ++ply) play_random(game, state, rng, scratch);
    if (game.outcome(state)) continue;
    Forest<G> forest(game, 1, params, 1);
    forest.set_root(0, state, seed);
    forest.begin(0, 40, false);
    run(forest, rng);
    check_tree(forest, 0, false);
    const auto states = node_states(forest, 0);
    ExactSolver<G> solver(game, 1'000'000);
    for (NodeId node = 0; node < states.size(); ++node) {
      if (!is_proven(forest.tree(0).stats(node)) || game.outcome(states[node])) continue;
      settled += forest.tree(0).links(node).num_edges == 0;
      const auto truth = solver.result(states[node], 1'000'000, [] {});
      CHECK(truth.has_value());
      if (truth) CHECK(forest.tree(0).stats(node).proven == proven_as(truth->outcome));
    }
  }
  return settled;
}

}  // namespace

TEST(exact_leaves_are_right) {
  CHECK(check_proofs(Mnk<1>("tic_tac_toe", {}, {3, 3, 3}), 2, 100) > 20);
  CHECK(check_proofs(ConnectFour("connect_four", {}, {}), 14, 300) > 20);
  CHECK(check_proofs(Othello("othello", {}, 6), 20, 1000) > 20);
}

// The course of a tree with exact leaves and an exact root depends on its root, its seed and the evaluations alone.
TEST(exact_searches_keep_trees_apart) {
  const ConnectFour game("connect_four", {}, {});
  SearchParams params;
  params.exact_leaf_nodes = 300;
  params.exact_root_nodes = 1000;
  params.leaves_per_batch = 3;
  const std::vector<float> logits(64 * 7);
  const std::vector<float> values(64, 0.1F);
  const auto search = [&](Forest<ConnectFour>& forest, int limit) {
    for (int move = 0; move < 4; ++move) {
      for (int tree = 0; tree < forest.num_trees(); ++tree) forest.begin(tree, 60, false);
      while (forest.searching()) {
        forest.select(limit);
        forest.update(logits.data(), values.data(), false);
      }
      if (move == 3) return;
      for (int tree = 0; tree < forest.num_trees(); ++tree) {
        if (!game.outcome(forest.root_state(tree))) forest.advance(tree, forest.result(tree).best_action);
      }
    }
  };
  std::vector<ConnectFour::State> states;
  ActionList scratch(7);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Rng rng(seed);
    auto state = game.initial_state();
    for (int ply = 0; ply < 18 && !game.outcome(state); ++ply) play_random(game, state, rng, scratch);
    if (!game.outcome(state)) states.push_back(state);
  }
  Forest<ConnectFour> all(game, static_cast<int>(states.size()), params, 1);
  for (std::size_t i = 0; i < states.size(); ++i) all.set_root(static_cast<int>(i), states[i], i);
  search(all, 0);
  for (std::size_t i = 0; i < states.size(); ++i) {
    Forest<ConnectFour> alone(game, 1, params, 99);
    alone.set_root(0, states[i], i);
    search(alone, 3);
    const Tree& one = alone.tree(0);
    const Tree& other = all.tree(static_cast<int>(i));
    CHECK_EQ(one.num_nodes(), other.num_nodes());
    for (NodeId node = 0; node < std::min(one.num_nodes(), other.num_nodes()); ++node) {
      CHECK_EQ(one.stats(node).visits, other.stats(node).visits);
      CHECK(one.stats(node).proven == other.stats(node).proven);
    }
  }
}

// The best actions of a root that is settled share the target; the evaluator's favourite among them is played.
TEST(exact_roots) {
  const ConnectFour game("connect_four", {}, {});
  auto state = game.initial_state();
  for (const Action action : {3, 3, 2, 2}) game.play(state, action);  // two open ends: columns 1 and 4 win soonest
  SearchParams params;
  params.exact_root_nodes = 1000;
  Forest<ConnectFour> forest(game, 1, params, 1);
  const auto search = [&](const std::vector<Action>& only) {
    forest.set_root(0, state, 1);
    if (!only.empty()) forest.restrict_root(0, only);
    forest.begin(0, 30, false);
    std::vector<float> logits = {0.0F, 0.5F, 3.0F, 2.0F, 1.0F, 0.0F, 0.0F};
    const float value = -0.5F;
    while (forest.searching()) {
      forest.select();
      forest.update(logits.data(), &value, false);
    }
  };
  search({});
  const TreeResult result = forest.result(0);
  CHECK(result.stopped == StopReason::kProven);
  CHECK_EQ(result.simulations, 0);
  CHECK_EQ(result.root_value, 1.0F);
  CHECK(result.proven == Proven::kFirstWins);
  CHECK_EQ(result.distance, 3);
  CHECK_EQ(result.best_action, 4);
  std::vector<std::int32_t> visits(7);
  std::vector<float> target(7);
  std::vector<float> q(7);
  std::vector<float> prior(7);
  forest.write_root(0, visits.data(), target.data(), q.data(), prior.data());
  CHECK((target == std::vector<float>{0.0F, 0.5F, 0.0F, 0.0F, 0.5F, 0.0F, 0.0F}));
  CHECK((visits == std::vector<std::int32_t>{0, 1, 0, 0, 1, 0, 0}));
  CHECK_EQ(q[4], 1.0F);
  CHECK(prior[2] > prior[4]);
  check_tree(forest, 0, false);

  // Its children have no edges, so the next root begins anew; another search of the same root has the same answer.
  forest.begin(0, 60, false);
  CHECK_EQ(forest.select(), 0);
  CHECK_EQ(forest.result(0).best_action, 4);
  forest.advance(0, 4);
  CHECK_EQ(forest.tree(0).num_nodes(), 1U);
  CHECK(!is_proven(forest.tree(0).stats(kRoot)));

  // With some actions only, the tree is searched: what the others are worth does not count.
  search({0, 6});
  CHECK(forest.result(0).stopped == StopReason::kSimulations);
  CHECK(forest.result(0).best_action == 0 || forest.result(0).best_action == 6);
}

TEST(exact_searches_count_as_memory) {
  const ConnectFour game("connect_four", {}, {});
  SearchParams params;
  const std::size_t without = Forest<ConnectFour>(game, 1, params, 1).bytes();
  params.exact_root_nodes = 100'000;
  CHECK(Forest<ConnectFour>(game, 1, params, 1).bytes() > without + 2'000'000);
  params.solve = false;  // then there is none
  CHECK_EQ(Forest<ConnectFour>(game, 1, params, 1).bytes(), without);
}

TEST(many_simulations_in_one_large_tree) {
  const bool all = std::getenv("TENGEN_LONG") != nullptr;
  const Go<19> game("go", {}, {.size = 19});
  long_search(game, all ? 1'000'000 : 10'000);
}

// An evaluator that is sure of itself: the tree is one line, hundreds of nodes deep.
TEST(deep_trees) {
  const Mnk<6> game("gomoku", {}, {19, 19, 19});
  SearchParams params;
  params.solve = false;
  Forest<Mnk<6>> forest(game, 1, params, 1);
  forest.begin(0, 2000, false);
  std::vector<float> logits(361);
  for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = -5.0F * static_cast<float>(i);
  const float value = 0.0F;
  while (forest.searching()) {
    forest.select();
    forest.update(logits.data(), &value, false);
  }
  CHECK(forest.result(0).line.size() > 100);
  check_tree(forest, 0, false);
  for (const Action action : forest.result(0).line) {
    forest.advance(0, action);
    check_tree(forest, 0, false);
  }
}

// A poll that throws ends a call of select(), whatever it has gathered so far; the search goes on as if it had not.
TEST(polls_that_throw) {
  struct Stop {};
  const ConnectFour game("connect_four", {}, {});
  SearchParams params;
  params.selection = Selection::kUct;
  params.solve = false;
  for (const float rollout_weight : {0.5F, 1.0F}) {
    params.rollout_weight = rollout_weight;
    params.cache_entries = 64;
    Forest<ConnectFour> whole(game, 70, params, 1);
    Forest<ConnectFour> stopped(game, 70, params, 1);
    int stops = 0;
    const auto search = [&](Forest<ConnectFour>& forest, bool stop) {
      const std::vector<float> logits(70 * 7);
      const std::vector<float> values(70);
      for (int tree = 0; tree < 70; ++tree) forest.begin(tree, 200, false);
      while (forest.searching()) {
        try {
          forest.select(0, [&] {
            if (stop && ++stops % 3 == 0) throw Stop();
          });
        } catch (const Stop&) {
          if (stops < 100) read_all(forest);
          continue;
        }
        forest.update(logits.data(), values.data(), false);
      }
    };
    search(whole, false);
    search(stopped, true);
    CHECK(stops > 100);
    for (int tree = 0; tree < 70; ++tree) {
      check_tree(stopped, tree, false);
      CHECK_EQ(whole.tree(tree).num_nodes(), stopped.tree(tree).num_nodes());
      CHECK(whole.result(tree).line == stopped.result(tree).line);
    }
  }
}

TEST(cap_on_nodes) {
  const ConnectFour game("connect_four", {}, {});
  for (const float rollout_weight : {0.0F, 0.5F, 1.0F}) {
    for (const int leaves : {1, 7}) {
      SearchParams params;
      params.max_nodes = 1000;
      params.leaves_per_batch = leaves;
      params.rollout_weight = rollout_weight;
      Forest<ConnectFour> forest(game, 1, params, 3);
      Rng rng(4);
      for (int ply = 0; ply < 6; ++ply) {
        forest.begin(0, 100'000, false);
        run(forest, rng);
        const TreeResult result = forest.result(0);
        CHECK(result.stopped == StopReason::kNodeCap);
        CHECK_EQ(result.nodes, 1000U);
        check_tree(forest, 0, true);  // leaves on their way when the cap was met are still evaluated
        forest.advance(0, result.best_action);
        CHECK(forest.tree(0).num_nodes() < 1000U);
      }
    }
  }
}

// After the first games a tree needs no more memory, but for a path that is the longest so far.
TEST(advance_keeps_memory) {
  const ConnectFour game("connect_four", {}, {});
  SearchParams params;
  params.max_nodes = 100;
  Forest<ConnectFour> forest(game, 2, params, 3);
  Rng rng(5);
  std::size_t after_warm_up = 0;
  for (int move = 0; move < 6000; ++move) {
    const int tree = move % 2;
    if (game.outcome(forest.root_state(tree))) forest.set_root(tree, game.initial_state(), rng.next());
    forest.begin(tree, 50, true);
    run(forest, rng);
    forest.advance(tree, forest.result(tree).best_action);
    if (move == 2000) after_warm_up = forest.bytes();
  }
  CHECK(forest.bytes() <= after_warm_up + after_warm_up / 100);
}

// Trees, cache and batch count by legal actions, not by the actions of the game.
TEST(memory_by_legal_actions) {
  constexpr std::size_t kMegabyte = 1'000'000;
  const ManyActions game;
  SearchParams params;
  CHECK(Forest<ManyActions>(game, 128, params, 1).bytes() < kMegabyte);
  params.cache_entries = 32'768;
  CHECK(Forest<ManyActions>(game, 1, params, 1).bytes() < 40 * kMegabyte);
  params.cache_entries = 0;
  params.max_nodes = 100'000;
  params.leaves_per_batch = 64;
  Forest<ManyActions> forest(game, 1, params, 1);
  forest.begin(0, 1'000'000, true);
  Rng rng(2);
  run(forest, rng);
  CHECK_EQ(forest.result(0).nodes, 100'000U);
  CHECK(forest.bytes() > 50 * kMegabyte);
  CHECK(forest.bytes() < 200 * kMegabyte);
}

TEST(cache_holds_states_with_few_legal_actions) {
  const EvaluationCache wide(32'768, 4672);
  CHECK(wide.bytes() < 40'000'000);
  EvaluationCache cache(64, 4672);
  const std::vector<float> priors(300, 0.25F);
  float value = 0.0F;
  cache.store(7, priors.data(), EvaluationCache::kWidest + 1, 0.5F);
  CHECK(cache.find(7, EvaluationCache::kWidest + 1, value) == nullptr);
  cache.store(7, priors.data(), EvaluationCache::kWidest, 0.5F);
  CHECK(cache.find(7, EvaluationCache::kWidest, value) != nullptr);
  CHECK_EQ(value, 0.5F);
  CHECK(cache.find(7, 5, value) == nullptr);  // not the same state
  CHECK(cache.find(9, EvaluationCache::kWidest, value) == nullptr);
  cache.clear();
  CHECK(cache.find(7, EvaluationCache::kWidest, value) == nullptr);
}

// States that look alike share one evaluation, whoever is to move; the trees are those without a cache.
TEST(cache_goes_by_the_evaluation_key) {
  const TakeCells game;
  for (const Selection selection : {Selection::kPuct, Selection::kGumbel}) {
    for (const int leaves : {1, 4}) {
      SearchParams params;
      params.selection = selection;
      params.leaves_per_batch = leaves;
      params.random_symmetry = true;
      std::vector<int> asked;
      std::vector<TreeResult> results;
      std::vector<double> sums;
      for (const int entries : {0, 64, 65'536}) {
        params.cache_entries = entries;
        Forest<TakeCells> forest(game, 2, params, 1);
        for (int tree = 0; tree < 2; ++tree) forest.begin(tree, 600, true);
        asked.push_back(run_by_planes(forest));
        results.push_back(forest.result(1));
        double sum = 0.0;
        for (NodeId node = 0; node < forest.tree(1).num_nodes(); ++node) {
          const Tree::Stats& stats = forest.tree(1).stats(node);
          sum += (stats.value_sum + stats.visits) * static_cast<double>(node + 1);
        }
        sums.push_back(sum);
      }
      CHECK(asked[1] < asked[0]);
      CHECK(asked[2] < asked[0] / 2);
      CHECK(asked[2] <= 1 << TakeCells::kCells);
      for (const std::size_t i : {1U, 2U}) {
        CHECK_EQ(results[i].nodes, results[0].nodes);
        CHECK(results[i].line == results[0].line);
        CHECK_EQ(sums[i], sums[0]);
      }
    }
  }
}

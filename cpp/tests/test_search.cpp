// The search under the sanitizers: long and deep trees, every call in random order, the cap on nodes.
// TENGEN_LONG=1 runs the long test with a million simulations instead of ten thousand.
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tengen/games/connect_four.h"
#include "tengen/games/go.h"
#include "tengen/games/mnk.h"
#include "tengen/games/othello.h"
#include "tengen/search/forest.h"
#include "tests/test.h"

using namespace tengen;

namespace {

// Answers for a batch that depend on nothing but the number of the call and the row.
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

SearchParams random_params(Rng& rng) {
  SearchParams params;
  params.selection = static_cast<Selection>(rng.below(3));
  params.simulations = static_cast<int>(rng.below(80));
  params.leaves_per_batch = 1 + static_cast<int>(rng.below(6));
  params.virtual_loss = static_cast<float>(rng.below(4));
  params.most_collisions = static_cast<int>(rng.below(10));
  params.solve = rng.below(3) > 0;
  params.instant_wins = rng.below(2) > 0;
  params.random_symmetry = rng.below(2) > 0;
  params.cache_entries = rng.below(2) > 0 ? 64 : 0;
  params.rollout_weight = std::vector<float>{0.0F, 0.5F, 1.0F}[rng.below(3)];
  params.forced_playouts = rng.below(2) > 0 ? 2.0F : 0.0F;
  params.max_nodes = rng.below(4) == 0 ? 40 : 1'000'000;
  return params;
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
    (void)forest.result(tree);
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

// After the first games a tree needs no more memory.
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
  CHECK_EQ(forest.bytes(), after_warm_up);
}

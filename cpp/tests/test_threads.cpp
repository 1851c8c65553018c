// Threads that share what never changes (games, states, parameters), each with a forest of its own: they find what one
// thread alone finds. `make tsan` runs this under ThreadSanitizer, which reports every access that is not ordered.
#include <thread>
#include <vector>

#include "tengen/games/connect_four.h"
#include "tengen/games/derived.h"
#include "tengen/games/go.h"
#include "tengen/games/mnk.h"
#include "tengen/games/othello.h"
#include "tengen/games/registry.h"
#include "tengen/records/samples.h"
#include "tengen/search/forest.h"
#include "tests/test.h"

using namespace tengen;

namespace {

constexpr int kThreads = 4;

// A number that depends on everything that a thread did with the game and the states they share.
template <Game G>
std::uint64_t work(const G& game, const typename G::State& start, const SearchParams& params, std::uint64_t seed) {
  Rng rng(seed);
  Forest<G> forest(game, 3, params, seed);
  std::vector<float> logits, values;
  std::uint64_t sum = game.hash(start);
  for (int search = 0; search < 3; ++search) {
    for (int tree = 0; tree < forest.num_trees(); ++tree) {
      forest.set_root(tree, start, rng.next());
      forest.begin(tree, params.simulations, true);
    }
    while (forest.searching()) {
      const auto rows = static_cast<std::size_t>(forest.select());
      logits.assign(rows * static_cast<std::size_t>(game.spec().num_actions), 0.0F);
      values.assign(rows, static_cast<float>(rng.uniform()));
      forest.update(logits.data(), values.data(), false);
    }
    for (int tree = 0; tree < forest.num_trees(); ++tree) {
      sum = mix64(sum + static_cast<std::uint64_t>(forest.result(tree).best_action));
    }
  }
  auto state = start;
  ActionList legal(game.spec().num_actions);
  std::vector<float> planes(static_cast<std::size_t>(game.spec().num_planes * game.spec().height * game.spec().width));
  for (int ply = 0; ply < 60 && !game.outcome(state); ++ply) {
    game.legal_actions(state, legal);
    const Action action = legal[rng.below(static_cast<std::uint32_t>(legal.size()))];
    sum = mix64(sum + std::hash<std::string>()(game.board_text(state) + game.action_text(action)));
    game.write_planes(state, planes.data());
    game.play(state, action);
    sum = mix64(sum + game.hash(state));
  }
  return sum;
}

template <Game G>
void share(const G& game) {
  const auto start = game.initial_state();
  for (const Selection selection : {Selection::kPuct, Selection::kUct, Selection::kGumbel}) {
    SearchParams params;
    params.selection = selection;
    params.simulations = 24;
    params.leaves_per_batch = 4;
    params.random_symmetry = true;
    params.instant_wins = true;
    params.rollout_weight = selection == Selection::kUct ? 0.5F : 0.0F;
    params.cache_entries = 64;
    std::vector<std::uint64_t> found(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] { found[static_cast<std::size_t>(i)] = work(game, start, params, 7); });
    }
    for (std::thread& thread : threads) thread.join();
    const std::uint64_t alone = work(game, start, params, 7);
    for (const std::uint64_t sum : found) CHECK_EQ(sum, alone);
  }
}

}  // namespace

TEST(games_and_states_are_shared_by_forests_in_several_threads) {
  for (const char* name : {"tic_tac_toe", "gomoku", "connect_four", "othello", "go", "chess"}) {
    std::visit([](const auto& game) { share(game); }, make_game(name, {}));
  }
}

// The list of games, the keys of their hashes and other things that are made when they are first asked for.
TEST(games_are_made_by_several_threads_at_once) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([] {
      for (const GameEntry& entry : game_entries()) {
        std::visit([](const auto& game) { CHECK(game.hash(game.initial_state()) == game.hash(game.initial_state())); },
                   make_game(entry.name, {}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

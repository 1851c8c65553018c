// Rollout policies: the same in every symmetry, tactics of Go counted by hand, learning what games show, and play-outs
// in the search.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/games/connect_four.h"
#include "tengen/games/derived.h"
#include "tengen/games/go.h"
#include "tengen/games/mnk.h"
#include "tengen/games/othello.h"
#include "tengen/rollout/learner.h"
#include "tengen/rollout/policy.h"
#include "tengen/search/forest.h"
#include "tests/test.h"

namespace tengen {
namespace {

using Go9 = Go<9>;

Go9 go(int size) { return {"go", {}, {.size = size}}; }
Mnk<1> tic_tac_toe() { return {"tic_tac_toe", {}, {3, 3, 3}}; }
ConnectFour connect_four() { return {"connect_four", {}, {}}; }
Othello othello() { return {"othello", {}, 8}; }

std::vector<float> random_weights(const PatternLayout& layout, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> weights(static_cast<std::size_t>(layout.num_weights()));
  for (float& weight : weights) weight = static_cast<float>(rng.uniform() - 0.5);
  return weights;
}

template <Game G>
std::vector<Action> random_moves(const G& game, int plies, std::uint64_t seed) {
  Rng rng(seed);
  ActionList scratch(game.spec().legal_bound());
  auto state = game.initial_state();
  std::vector<Action> moves;
  for (int ply = 0; ply < plies && !game.outcome(state); ++ply) {
    moves.push_back(random_action(game, state, rng, scratch));
    game.play(state, moves.back());
  }
  return moves;
}

template <Game G>
std::vector<float> probabilities(const G& game, const RolloutPolicy& policy, const std::vector<Action>& moves) {
  auto state = game.initial_state();
  for (const Action action : moves) game.play(state, action);
  std::vector<float> out(static_cast<std::size_t>(game.spec().num_actions));
  RolloutPlayer<G> player(game, policy);
  player.write_probabilities(state, last_targets(game, game.initial_state(), moves), out.data());
  return out;
}

template <Game G>
void check_symmetries(const G& game, int plies) {
  const PatternLayout layout(game.spec(), true);
  const RolloutPolicy policy(game.spec(), true, random_weights(layout, 3));
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto moves = random_moves(game, plies, seed);
    const auto expected = probabilities(game, policy, moves);
    CHECK(std::abs(std::accumulate(expected.begin(), expected.end(), 0.0) - 1.0) < 1e-5);
    for (const Symmetry& symmetry : game.spec().symmetries) {
      std::vector<Action> to(symmetry.action_source.size());  // where an action goes
      for (std::size_t a = 0; a < to.size(); ++a) {
        to[static_cast<std::size_t>(symmetry.action_source[a])] = static_cast<Action>(a);
      }
      std::vector<Action> turned;
      for (const Action action : moves) turned.push_back(to[static_cast<std::size_t>(action)]);
      const auto found = probabilities(game, policy, turned);
      for (std::size_t a = 0; a < to.size(); ++a) {
        CHECK(std::abs(found[static_cast<std::size_t>(to[a])] - expected[a]) < 1e-5F);
      }
    }
  }
}

TEST(a_policy_is_the_same_in_every_symmetry) {
  check_symmetries(go(5), 12);
  check_symmetries(tic_tac_toe(), 4);
  check_symmetries(connect_four(), 9);
}

TEST(only_legal_actions_have_a_probability) {
  const Othello game = othello();
  const RolloutPolicy policy(game.spec(), false, random_weights(PatternLayout(game.spec(), false), 4));
  const auto moves = random_moves(game, 20, 7);
  auto state = game.initial_state();
  for (const Action action : moves) game.play(state, action);
  const auto found = probabilities(game, policy, moves);
  for (Action a = 0; a < game.spec().num_actions; ++a) {
    CHECK_EQ(found[static_cast<std::size_t>(a)] > 0.0F, is_legal(game, state, a));
  }
}

// Play-outs keep weights from move to move; write_probabilities() reads each position anew.
template <Game G>
void check_kept_weights(const G& game, bool shares_players, std::uint64_t games) {
  CHECK(CellPlayouts<G>::suits(game));
  const PatternLayout layout(game.spec(), shares_players);
  const RolloutPolicy policy(game.spec(), shares_players, random_weights(layout, 5));
  RolloutPlayer<G> player(game, policy);
  CellPlayouts<G> kept(game, policy.layout, policy.factors);
  const auto size = static_cast<std::size_t>(game.spec().num_actions);
  std::vector<float> found(size);
  std::vector<float> expected(size);
  for (std::uint64_t seed = 0; seed < games; ++seed) {
    const auto opening = random_moves(game, static_cast<int>(seed % 3) * 10, seed);
    auto state = game.initial_state();
    for (const Action action : opening) game.play(state, action);
    LastTargets past = last_targets(game, game.initial_state(), opening);
    Rng rng(seed + 1);
    kept.begin(state, past);
    while (!game.outcome(state)) {
      player.write_probabilities(state, past, expected.data());
      kept.write_probabilities(state, found.data());
      float furthest = 0.0F;
      for (std::size_t a = 0; a < size; ++a) furthest = std::max(furthest, std::abs(found[a] - expected[a]));
      CHECK(furthest < 1e-5F);
      const Action action = kept.draw(state, rng);
      CHECK(is_legal(game, state, action));
      past.add(action_cells(game, state, action).target);
      kept.play(state, action);
    }
  }
}

TEST(weights_that_are_kept_are_those_of_the_position) {
  check_kept_weights(go(9), true, 6);
  check_kept_weights(go(5), false, 12);
  check_kept_weights(Go9("go", {}, {.size = 4, .suicide = true}), true, 12);
  check_kept_weights(Go<19>("go", {}, {.size = 13}), true, 2);
  check_kept_weights(othello(), false, 6);
  check_kept_weights(tic_tac_toe(), true, 6);
  CHECK(!CellPlayouts<ConnectFour>::suits(connect_four()));
}

TEST(a_play_out_draws_by_its_weights) {
  // The first move of many play-outs, among moves of which some are not legal.
  const Go9 game = go(4);
  const RolloutPolicy policy(game.spec(), true, random_weights(PatternLayout(game.spec(), true), 6));
  const auto opening = random_moves(game, 14, 3);
  auto state = game.initial_state();
  for (const Action action : opening) game.play(state, action);
  CHECK(!game.outcome(state));
  const LastTargets past = last_targets(game, game.initial_state(), opening);
  const auto expected = probabilities(game, policy, opening);
  CellPlayouts<Go9> kept(game, policy.layout, policy.factors);
  Rng rng(2);
  std::vector<int> counts(expected.size());
  constexpr int kDraws = 40000;
  kept.begin(state, past);
  for (int i = 0; i < kDraws; ++i) ++counts[static_cast<std::size_t>(kept.draw(state, rng))];
  for (std::size_t a = 0; a < counts.size(); ++a) {
    CHECK(std::abs(static_cast<float>(counts[a]) / kDraws - expected[a]) < 0.01F);  // four standard deviations
  }
}

int tactics_at(const Go9& game, const char* board, const char* vertex) {
  const auto state = game.parse_board(board);
  ActionList list(game.spec().legal_bound());
  game.legal_actions(state, list);
  std::vector<std::uint8_t> found(static_cast<std::size_t>(list.size()));
  game.tactics(state, list, found.data());
  for (int i = 0; i < list.size(); ++i) {
    if (list[i] == *game.parse_action(vertex)) return found[static_cast<std::size_t>(i)];
  }
  return -1;
}

TEST(go_says_what_a_stone_does_at_once) {
  using Board = GoBoard<9>;
  const Go9 game = go(5);
  const char* board =
      "  A B C D E\n"
      "5 O X . . .\n"
      "4 . . . X .\n"
      "3 . . X O X\n"
      "2 . . . . .\n"
      "1 . . . . X\n"
      "X to move";
  CHECK_EQ(tactics_at(game, board, "D2"), int(Board::kTakes));  // the white stone on D3
  CHECK_EQ(tactics_at(game, board, "A4"), int(Board::kTakes));  // the white stone on A5
  CHECK_EQ(tactics_at(game, board, "E5"), 0);
  CHECK_EQ(tactics_at(game, board, "B1"), 0);
  CHECK_EQ(tactics_at(game, board, "pass"), Board::kTactics);
  const char* attacked =
      "  A B C D E\n"
      "5 . O . . .\n"
      "4 . . . . .\n"
      "3 . . O . .\n"
      "2 . O X O .\n"
      "1 . . . . .\n"
      "X to move";
  CHECK_EQ(tactics_at(game, attacked, "C1"), int(Board::kSaves));      // C2 had one liberty and has two now
  CHECK_EQ(tactics_at(game, attacked, "A5"), int(Board::kSelfAtari));  // A4 is its only liberty
}

template <Game G>
RolloutFigures read_games(RolloutLearner<G>& learner, LearnedRollout& rollout, const G& game,
                          const std::vector<std::vector<std::uint16_t>>& games, const RolloutLearning* how) {
  RolloutFigures figures;
  for (const auto& moves : games) learner.read(rollout, {moves, 0}, game.initial_state(), how, figures);
  return figures;
}

TEST(a_policy_learns_what_games_show) {
  // Games in which everybody moves next to the last stone if they can.
  const Go9 game = go(5);
  const PatternLayout layout(game.spec(), true);
  std::vector<std::vector<std::uint16_t>> games;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    ActionList legal(game.spec().legal_bound());
    auto state = game.initial_state();
    auto& moves = games.emplace_back();
    for (int ply = 0; ply < 12; ++ply) {
      game.legal_actions(state, legal);
      std::vector<Action> near;
      for (const Action action : legal) {
        if (action >= 25 || moves.empty()) continue;
        if (std::abs(action / 5 - moves.back() / 5) < 2 && std::abs(action % 5 - moves.back() % 5) < 2) {
          near.push_back(action);
        }
      }
      const Action action = near.empty()
                                ? legal[static_cast<int>(rng.below(static_cast<std::uint32_t>(legal.size() - 1)))]
                                : near[rng.below(static_cast<std::uint32_t>(near.size()))];
      moves.push_back(static_cast<std::uint16_t>(action));
      game.play(state, action);
    }
  }
  const std::vector<std::vector<std::uint16_t>> unseen(games.begin() + 50, games.end());
  games.resize(50);
  LearnedRollout rollout(layout);
  RolloutLearner<Go9> learner(game, layout);
  const RolloutFigures before = read_games(learner, rollout, game, unseen, nullptr);
  CHECK_EQ(before.positions, 120);
  const RolloutLearning how{.rate = 0.1F, .decay = 1e-4F};
  for (int epoch = 0; epoch < 3; ++epoch) read_games(learner, rollout, game, games, &how);
  const RolloutFigures after = read_games(learner, rollout, game, unseen, nullptr);
  CHECK(after.log_loss < 0.8 * before.log_loss);
  CHECK(after.first > 1.5 * before.first);
  CHECK(after.first_five > 1.5 * before.first_five);

  // The same games give the same weights, to the last bit.
  LearnedRollout again(layout);
  RolloutLearner<Go9> second(game, layout);
  for (int epoch = 0; epoch < 3; ++epoch) read_games(second, again, game, games, &how);
  CHECK(again.weights == rollout.weights);
  CHECK(again.sums == rollout.sums);
}

TEST(a_move_that_is_not_legal_is_refused) {
  const Mnk<1> game = tic_tac_toe();
  const PatternLayout layout(game.spec(), false);
  LearnedRollout rollout(layout);
  RolloutLearner<Mnk<1>> learner(game, layout);
  RolloutFigures figures;
  const std::vector<std::uint16_t> moves = {4, 4};
  CHECK_THROWS(RecordError, learner.read(rollout, RolloutGame{moves, 0}, game.initial_state(), nullptr, figures));
}

TEST(weights_of_another_size_are_refused) {
  const Mnk<1> game = tic_tac_toe();
  CHECK_THROWS(ArgumentError, RolloutPolicy(game.spec(), false, std::vector<float>(7)));
}

TEST(equal_weights_play_uniformly) {
  const Mnk<1> game = tic_tac_toe();
  const PatternLayout layout(game.spec(), false);
  const RolloutPolicy policy(game.spec(), false, std::vector<float>(static_cast<std::size_t>(layout.num_weights())));
  RolloutPlayer<Mnk<1>> player(game, policy);
  Rng rng(1);
  int first = 0;
  int draws = 0;
  constexpr int kGames = 20000;
  for (int i = 0; i < kGames; ++i) {
    auto state = game.initial_state();
    const Outcome outcome = player.playout(state, {}, rng).outcome;
    first += outcome == Outcome::win(Player::kFirst) ? 1 : 0;
    draws += outcome == Outcome::draw() ? 1 : 0;
  }
  CHECK(std::abs(double(first) / kGames - 0.585) < 0.015);  // of random games of tic-tac-toe 58.5 % are won by X
  CHECK(std::abs(double(draws) / kGames - 0.127) < 0.01);
}

TEST(a_search_plays_out_by_the_policy) {
  const Go9 game = go(5);
  const PatternLayout layout(game.spec(), true);
  SearchParams params;
  params.selection = Selection::kUct;
  params.rollout_weight = 1.0F;
  params.simulations = 60;
  const auto visits = [&](std::shared_ptr<const RolloutPolicy> policy) {
    Forest<Go9> forest(game, 1, params, 5, std::move(policy));
    forest.set_root(0, game.initial_state(), 9);
    forest.begin(0, params.simulations, false);
    while (forest.searching()) forest.select();
    std::vector<std::int32_t> found(26);
    std::vector<float> rest(26 * 3);
    forest.write_root(0, found.data(), rest.data(), rest.data() + 26, rest.data() + 52);
    return found;
  };
  const auto policy = std::make_shared<const RolloutPolicy>(game.spec(), true, random_weights(layout, 8));
  CHECK(visits(policy) == visits(policy));
  CHECK(visits(policy) != visits(nullptr));
}

}  // namespace
}  // namespace tengen

// Alpha-beta against plain minimax: the same values, for games with and without a score and for every seed.
#include <algorithm>

#include "tengen/games/connect_four.h"
#include "tengen/games/mnk.h"
#include "tengen/games/othello.h"
#include "tengen/search/alphabeta.h"
#include "tests/test.h"

using namespace tengen;

namespace {

// The result with perfect play, for the player to move: every line to its end.
template <Game G>
float minimax(const G& game, const typename G::State& state) {
  if (const auto outcome = game.outcome(state)) return value_for(*outcome, game.to_move(state));
  ActionList legal(game.spec().num_actions);
  game.legal_actions(state, legal);
  float best = -1.0F;
  for (const Action action : legal) {
    auto next = state;
    game.play(next, action);
    const float value = minimax(game, next);
    best = std::max(best, game.to_move(next) == game.to_move(state) ? value : -value);
  }
  return best;
}

int sign(float value) { return value > 0.9F ? 1 : value < -0.9F ? -1 : 0; }

// From `plies` random moves on, with a search that sees the end.
template <Game G>
void check_against_minimax(const G& game, int plies, int games) {
  ActionList scratch(game.spec().num_actions);
  for (int seed = 0; seed < games; ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    auto state = game.initial_state();
    for (int ply = 0; ply < plies && !game.outcome(state); ++ply) play_random(game, state, rng, scratch);
    if (game.outcome(state)) continue;
    AlphaBeta<G> search(game, game.spec().longest_game, static_cast<std::uint64_t>(seed));
    const auto found = search.search(state, [] {});
    CHECK(is_legal(game, state, found.best_action));
    CHECK_EQ(sign(found.value), static_cast<int>(minimax(game, state)));
    auto next = state;
    game.play(next, found.best_action);
    const float after = minimax(game, next);
    CHECK_EQ(game.to_move(next) == game.to_move(state) ? after : -after, minimax(game, state));
  }
}

}  // namespace

TEST(tic_tac_toe_is_solved) { check_against_minimax(Mnk<1>("tic_tac_toe", {}, {3, 3, 3}), 2, 20); }

TEST(a_small_connect_four_is_solved) {
  check_against_minimax(ConnectFour("connect_four", {}, ConnectFour::Rules{4, 4, 3}), 6, 20);
}

// Players pass there, and a search that sees the end does not need the score.
TEST(the_end_of_othello_is_solved) { check_against_minimax(Othello("othello", {}, 4), 5, 20); }

TEST(a_deeper_search_wins_sooner) {
  const ConnectFour game("connect_four", {}, {});
  auto state = game.initial_state();
  for (const Action action : {3, 3, 2, 2}) game.play(state, action);  // two open ends: a win in three plies
  AlphaBeta search(game, 5, 1);
  const auto found = search.search(state, [] {});
  CHECK_EQ(found.depth, 3);
  CHECK(found.value > 0.9F);
}

TEST(a_draw_from_the_start) {
  const Mnk<1> game("tic_tac_toe", {}, {3, 3, 3});
  AlphaBeta search(game, 9, 1);
  CHECK_EQ(search.search(game.initial_state(), [] {}).value, 0.0F);
}

#include "tengen/games/derived.h"
#include "tengen/games/mnk.h"
#include "tengen/games/registry.h"
#include "tests/test.h"

using namespace tengen;

TEST(tic_tac_toe_has_255168_games) {
  const Mnk<1> game("tic_tac_toe", "", {3, 3, 3});
  std::uint64_t games = 0;
  for (const std::uint64_t finished : perft(game, game.initial_state(), 9).finished) games += finished;
  CHECK_EQ(games, 255168U);
}

TEST(exactly_five_does_not_count_six) {
  for (const bool exactly : {false, true}) {
    const Mnk<4> game("gomoku", "", {9, 9, 5, exactly});
    auto state = game.parse_board(
        "XX.XXX...\nOO.OO.O..\n.........\n.........\n.........\n.........\n.........\n.........\n.........\n");
    CHECK(game.to_move(state) == Player::kFirst);
    game.play(state, 2);
    CHECK_EQ(game.outcome(state).has_value(), !exactly);
  }
}

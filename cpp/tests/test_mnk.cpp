// k in a row: known counts, a slow reference that looks along every line, and the choice of random actions.
#include <cstdlib>

#include "tengen/games/derived.h"
#include "tengen/games/mnk.h"
#include "tengen/games/registry.h"
#include "tests/test.h"

using namespace tengen;

namespace {

struct ReferenceBoard {
  int height;
  int width;
  std::string cells = std::string(static_cast<std::size_t>(height * width), '.');

  char at(int row, int column) const {
    const bool inside = row >= 0 && row < height && column >= 0 && column < width;
    return inside ? cells[static_cast<std::size_t>(row * width + column)] : '#';
  }

  // Whether the stone at `cell` is in a row of at least, or exactly, `in_a_row`.
  bool wins(int cell, int in_a_row, bool exactly) const {
    const int row = cell / width;
    const int column = cell % width;
    for (const auto& [down, right] : {std::array{0, 1}, {1, 0}, {1, 1}, {1, -1}}) {
      int length = 1;
      for (const int sign : {1, -1}) {
        for (int n = sign; at(row + n * down, column + n * right) == at(row, column); n += sign) ++length;
      }
      if (exactly ? length == in_a_row : length >= in_a_row) return true;
    }
    return false;
  }

  std::string drawing() const {
    std::string rows;
    for (int row = 0; row < height; ++row) {
      rows += cells.substr(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width)) + "\n";
    }
    return rows;
  }
};

// One random game, each move compared with the reference. X plays only in the columns and rows from `corner` on where
// it can, so that long rows come about.
template <int kWords>
void compare_with_reference(const Mnk<kWords>& game, int in_a_row, bool exactly, int corner, Rng& rng) {
  const GameSpec& spec = game.spec();
  ReferenceBoard board{spec.height, spec.width};
  ActionList list(spec.num_actions);
  auto state = game.initial_state();
  for (int ply = 0; !game.outcome(state); ++ply) {
    const Player mover = game.to_move(state);
    Action action = random_action(game, state, rng, list);
    const auto in_corner = [&](Action a) { return a / spec.width >= corner && a % spec.width >= corner; };
    for (int tries = 0; tries < 200 && in_corner(action) != (mover == Player::kFirst); ++tries) {
      action = random_action(game, state, rng, list);
    }
    CHECK(is_legal(game, state, action) && board.cells[static_cast<std::size_t>(action)] == '.');
    board.cells[static_cast<std::size_t>(action)] = stone_char(mover);
    game.play(state, action);

    const bool won = board.wins(action, in_a_row, exactly);
    const bool full = ply + 1 == spec.num_actions;
    const auto outcome = game.outcome(state);
    CHECK_EQ(outcome.has_value(), won || full);
    if (outcome) CHECK(*outcome == (won ? Outcome::win(mover) : Outcome::draw()));
    if (!outcome && full) return;
    CHECK(game.parse_board(board.drawing()) == state);
    game.legal_actions(state, list);
    CHECK_EQ(list.size(), outcome ? 0 : spec.num_actions - ply - 1);
    for (const Action legal : list) CHECK(board.cells[static_cast<std::size_t>(legal)] == '.');
  }
}

}  // namespace

TEST(tic_tac_toe_has_255168_games) {
  const Mnk<1> game("tic_tac_toe", {}, {3, 3, 3});
  std::uint64_t games = 0;
  for (const std::uint64_t finished : perft(game, game.initial_state(), 9).finished) games += finished;
  CHECK_EQ(games, 255168U);
}

TEST(boards_of_every_size_play_as_the_reference_says) {
  Rng rng(1);
  for (const auto& [height, width, in_a_row] : {std::array{3, 3, 3},
                                                {1, 1, 1},
                                                {1, 19, 3},
                                                {19, 1, 2},
                                                {5, 4, 4},
                                                {4, 5, 6},
                                                {7, 7, 5},
                                                {7, 8, 4},
                                                {9, 9, 5},
                                                {15, 15, 5},
                                                {12, 19, 3},
                                                {19, 12, 6},
                                                {19, 19, 5},
                                                {16, 16, 4},
                                                {19, 19, 2},
                                                {8, 8, 1},
                                                {13, 14, 9}}) {
    for (const bool exactly : {false, true}) {
      const GameVariant game = make_mnk("mnk", {}, height, width, in_a_row, exactly);
      for (const int corner : {0, 0, 0, height / 3, height / 2, height - std::min(height, in_a_row + 1)}) {
        const auto play = [&](const auto& g) {
          if constexpr (requires { compare_with_reference(g, in_a_row, exactly, corner, rng); }) {
            for (int i = 0; i < 4; ++i) compare_with_reference(g, in_a_row, exactly, corner, rng);
          }
        };
        std::visit(play, game);
      }
    }
  }
}

TEST(exactly_five_does_not_count_six) {
  for (const bool exactly : {false, true}) {
    const Mnk<4> game("gomoku", {}, {9, 9, 5, exactly});
    auto state = game.parse_board(
        "XX.XXX...\nOO.OO.O..\n.........\n.........\n.........\n.........\n.........\n.........\n.........\n");
    CHECK(game.to_move(state) == Player::kFirst);
    game.play(state, 2);
    CHECK_EQ(game.outcome(state).has_value(), !exactly);
  }
}

TEST(random_actions_are_uniform) {
  // Both ways to choose: cells are tried while most are empty, counted when few are.
  const Mnk<4> game("mnk", {}, {9, 9, 9});
  for (const int stones : {30, 70}) {
    Rng rng(7);
    ActionList list(81);
    auto state = game.initial_state();
    for (int n = 0; n < stones; ++n) game.play(state, random_action(game, state, rng, list));
    std::array<int, 81> count{};
    for (int n = 0; n < 4000 * (81 - stones); ++n) {
      ++count[static_cast<std::size_t>(random_action(game, state, rng, list))];
    }
    for (Action action = 0; action < 81; ++action) {
      const int seen = count[static_cast<std::size_t>(action)];
      CHECK(is_legal(game, state, action) ? std::abs(seen - 4000) < 400 : seen == 0);  // six standard deviations
    }
  }
}

TEST(random_play_takes_the_action_that_would_be_drawn) {
  for (const bool exactly : {false, true}) {
    const Mnk<1> game("mnk", {}, {5, 6, 4, exactly});
    ActionList list(30);
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      Rng rng(seed);
      Rng same(seed);
      auto state = game.initial_state();
      auto expected = state;
      while (!game.outcome(expected)) {
        game.play(expected, random_action(game, expected, same, list));
        play_random(game, state, rng, list);
        CHECK(state == expected);
      }
    }
  }
}

TEST(drawings_that_are_no_position_are_refused) {
  const Mnk<1> game("tic_tac_toe", {}, {3, 3, 3});
  CHECK(game.outcome(game.parse_board("XXX\nOO.\n...")).has_value());
  CHECK_THROWS(BoardTextError, game.parse_board("XX.\n...\n..."));             // X moved twice
  CHECK_THROWS(BoardTextError, game.parse_board("OOO\nXX.\nXX."));             // O has won, and X moved on
  CHECK_THROWS(BoardTextError, game.parse_board("X..\n.O."));                  // a row is missing
  CHECK_THROWS(BoardTextError, game.parse_board("X..\n.O.\n...\n..."));        // or one too many
  CHECK_THROWS(BoardTextError, game.parse_board("X..\n.O..\n..."));            // too long
  CHECK_THROWS(BoardTextError, game.parse_board("X..\n.?.\n..."));             // a stray mark
  CHECK_THROWS(BoardTextError, game.parse_board("X..\n.O.\n...\nO to move"));  // not O's turn
  CHECK_THROWS(BoardTextError, game.parse_board("...\n...\n...\nX to move\nO to move"));
}

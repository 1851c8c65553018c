// Connect Four: known counts, a slow reference with columns as strings, and the drawings.
#include "tengen/games/connect_four.h"
#include "tengen/games/derived.h"
#include "tests/test.h"

using namespace tengen;

namespace {

struct ReferenceBoard {
  ConnectFour::Rules rules;
  std::vector<std::string> columns = std::vector<std::string>(static_cast<std::size_t>(rules.columns));  // bottom first

  char at(int column, int height) const {
    if (column < 0 || column >= rules.columns || height < 0) return '#';
    const auto& stones = columns[static_cast<std::size_t>(column)];
    return height < static_cast<int>(stones.size()) ? stones[static_cast<std::size_t>(height)] : '.';
  }
  bool is_full(int column) const { return at(column, rules.rows - 1) != '.'; }

  bool wins(int column) const {  // by the topmost stone of the column
    const int height = static_cast<int>(columns[static_cast<std::size_t>(column)].size()) - 1;
    for (const auto& [right, up] : {std::array{0, 1}, {1, 0}, {1, 1}, {1, -1}}) {
      int length = 1;
      for (const int sign : {1, -1}) {
        for (int n = sign; at(column + n * right, height + n * up) == at(column, height); n += sign) ++length;
      }
      if (length >= rules.in_a_row) return true;
    }
    return false;
  }
};

void compare_with_reference(const ConnectFour& game, ConnectFour::Rules rules, Rng& rng) {
  ReferenceBoard board{rules};
  ActionList list(rules.columns);
  auto state = game.initial_state();
  std::vector<float> planes(static_cast<std::size_t>(game.spec().planes_size()));
  for (int ply = 1; !game.outcome(state); ++ply) {
    game.legal_actions(state, list);
    int open = 0;
    for (int column = 0; column < rules.columns; ++column) open += board.is_full(column) ? 0 : 1;
    CHECK_EQ(list.size(), open);
    for (const Action legal : list) CHECK(!board.is_full(legal));

    const Action action = random_action(game, state, rng, list);
    CHECK(is_legal(game, state, action));
    const Player mover = game.to_move(state);
    board.columns[static_cast<std::size_t>(action)] += stone_char(mover);
    game.play(state, action);
    const bool won = board.wins(action);
    const bool full = ply == rules.rows * rules.columns;
    const auto outcome = game.outcome(state);
    CHECK_EQ(outcome.has_value(), won || full);
    if (outcome) CHECK(*outcome == (won ? Outcome::win(mover) : Outcome::draw()));
    if (!outcome && full) return;
    CHECK(game.parse_board(game.board_text(state)) == state);

    game.write_planes(state, planes.data());
    for (int cell = 0; cell < game.spec().num_cells(); ++cell) {
      const char mark = board.at(cell % rules.columns, rules.rows - 1 - cell / rules.columns);
      const char own = stone_char(game.to_move(state));
      CHECK_EQ(planes[static_cast<std::size_t>(cell)], mark == own ? 1.0F : 0.0F);
      CHECK_EQ(planes[static_cast<std::size_t>(game.spec().num_cells() + cell)],
               mark != own && mark != '.' ? 1.0F : 0.0F);
      CHECK_EQ(planes[static_cast<std::size_t>(2 * game.spec().num_cells() + cell)], own == 'X' ? 1.0F : 0.0F);
    }
  }
}

}  // namespace

TEST(perft_to_depth_6) {
  const ConnectFour game("connect_four", {}, {});
  CHECK((perft(game, game.initial_state(), 6).positions ==
         std::vector<std::uint64_t>{1, 7, 49, 343, 2401, 16807, 117649}));
}

TEST(boards_of_every_size_play_as_the_reference_says) {
  Rng rng(1);
  for (const ConnectFour::Rules rules : {ConnectFour::Rules{6, 7, 4},
                                         {1, 1, 1},
                                         {1, 32, 4},
                                         {63, 1, 3},
                                         {7, 8, 4},
                                         {7, 8, 7},
                                         {5, 10, 5},
                                         {4, 4, 3},
                                         {9, 6, 2},
                                         {6, 9, 8},
                                         {3, 3, 4},
                                         {15, 4, 6}}) {
    const ConnectFour game("connect_four", {}, rules);
    for (int i = 0; i < 50; ++i) compare_with_reference(game, rules, rng);
  }
}

TEST(boards_that_do_not_fit_64_bits_are_refused) {
  CHECK_THROWS(GameOptionError, ConnectFour("connect_four", {}, {8, 8, 4}));
  CHECK_THROWS(GameOptionError, ConnectFour("connect_four", {}, {63, 2, 4}));
}

TEST(drawings_that_are_no_position_are_refused) {
  const ConnectFour game("connect_four", {}, {2, 3, 3});
  CHECK(game.to_move(game.parse_board("...\nXO.\n1 2 3")) == Player::kFirst);
  CHECK(game.to_move(game.parse_board("X..\nXO.")) == Player::kSecond);
  CHECK_THROWS(BoardTextError, game.parse_board("X..\n..."));             // floats
  CHECK_THROWS(BoardTextError, game.parse_board("...\nXX."));             // X moved twice
  CHECK_THROWS(BoardTextError, game.parse_board("...\nXO.\nO to move"));  // not O's turn
  CHECK_THROWS(BoardTextError, game.parse_board("XXX\nOOO"));             // X moved on after O had won
}

TEST(random_play_takes_the_action_that_would_be_drawn) {
  const ConnectFour game("connect_four", {}, {});
  ActionList list(7);
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

TEST(action_texts_are_column_numbers) {
  const ConnectFour game("connect_four", {}, {});
  CHECK_EQ(game.action_text(0), "1");
  CHECK(game.parse_action("7") == Action{6});
  for (const char* text : {"", "0", "8", "04", "4x", "-1", "100", " 4"}) CHECK(!game.parse_action(text));
}

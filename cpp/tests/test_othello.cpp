// Othello: known counts, a slow reference that walks along every line, passes and the end of the game.
#include <algorithm>
#include <numeric>

#include "tengen/games/derived.h"
#include "tengen/games/othello.h"
#include "tests/test.h"

using namespace tengen;

namespace {

struct ReferenceBoard {
  int size;
  std::string cells;  // 'X', 'O' or '.'

  char at(int row, int column) const {
    const bool inside = row >= 0 && row < size && column >= 0 && column < size;
    return inside ? cells[static_cast<std::size_t>(row * size + column)] : '#';
  }

  std::vector<int> turned(int cell, char own) const {
    std::vector<int> all;
    if (cells[static_cast<std::size_t>(cell)] != '.') return all;
    const char other = own == 'X' ? 'O' : 'X';
    for (int down = -1; down <= 1; ++down) {
      for (int right = -1; right <= 1; ++right) {
        if (down == 0 && right == 0) continue;
        std::vector<int> line;
        int row = cell / size + down;
        int column = cell % size + right;
        for (; at(row, column) == other; row += down, column += right) line.push_back(row * size + column);
        if (at(row, column) == own) all.insert(all.end(), line.begin(), line.end());
      }
    }
    return all;
  }

  std::vector<Action> placements(char own) const {
    std::vector<Action> found;
    for (int cell = 0; cell < size * size; ++cell) {
      if (!turned(cell, own).empty()) found.push_back(cell);
    }
    return found;
  }

  void place(int cell, char own) {
    for (const int other : turned(cell, own)) cells[static_cast<std::size_t>(other)] = own;
    cells[static_cast<std::size_t>(cell)] = own;
  }
};

std::string cells_of(const Othello& game, const Othello::State& state) {
  std::string cells;
  for (const char mark : game.board_text(state).substr(0, game.board_text(state).rfind('\n'))) {
    if (mark == 'X' || mark == 'O' || mark == '.') cells += mark;
  }
  return cells;
}

// One random game, each move compared with the reference; the number of passes in it.
int compare_with_reference(const Othello& game, Rng& rng) {
  auto state = game.initial_state();
  const Action pass = game.spec().num_actions - 1;
  ReferenceBoard board{game.spec().height, cells_of(game, state)};
  ActionList list(game.spec().num_actions);
  int passes = 0;
  for (int ply = 0;; ++ply) {
    const char own = stone_char(game.to_move(state));
    const char other = stone_char(opponent(game.to_move(state)));
    std::vector<Action> expected = board.placements(own);
    const bool finished = expected.empty() && board.placements(other).empty();
    if (expected.empty() && !finished) expected.push_back(pass);
    game.legal_actions(state, list);
    CHECK(std::vector<Action>(list.begin(), list.end()) == expected);
    CHECK_EQ(game.outcome(state).has_value(), finished);
    CHECK(game.parse_board(game.board_text(state)) == state);
    CHECK(ply <= game.spec().longest_game);

    std::vector<float> planes(static_cast<std::size_t>(game.spec().planes_size()), -1.0F);
    game.write_planes(state, planes.data());
    const auto empty = std::count(board.cells.begin(), board.cells.end(), '.');
    for (std::size_t i = 0; i < board.cells.size(); ++i) {
      const auto plane = [&](std::size_t number) { return planes[number * board.cells.size() + i]; };
      CHECK_EQ(plane(0), board.cells[i] == own ? 1.0F : 0.0F);
      CHECK_EQ(plane(1), board.cells[i] == other ? 1.0F : 0.0F);
      CHECK_EQ(plane(2), static_cast<float>(std::count(list.begin(), list.end(), static_cast<Action>(i))));
      CHECK_EQ(plane(3), empty % 2 == 1 ? 1.0F : 0.0F);
    }
    std::vector<std::int8_t> owner(board.cells.size());
    game.ownership(state, owner.data());
    for (std::size_t i = 0; i < owner.size(); ++i) {
      CHECK_EQ(int{owner[i]}, board.cells[i] == 'X' ? 1 : board.cells[i] == 'O' ? -1 : 0);
    }
    const int difference = std::accumulate(owner.begin(), owner.end(), 0);
    CHECK_EQ(game.score(state), double(difference));
    if (finished) {
      CHECK_EQ(value_for(*game.outcome(state), Player::kFirst), difference > 0 ? 1.0F : difference < 0 ? -1.0F : 0.0F);
      return passes;
    }
    const Action action = random_action(game, state, rng, list);
    CHECK(is_legal(game, state, action));
    if (action == pass) ++passes;
    if (action != pass) board.place(action, own);
    game.play(state, action);
    CHECK_EQ(cells_of(game, state), board.cells);
  }
}

}  // namespace

TEST(perft_to_depth_7) {
  const Othello game("othello", {}, 8);
  CHECK((perft(game, game.initial_state(), 7).positions ==
         std::vector<std::uint64_t>{1, 4, 12, 56, 244, 1396, 8200, 55092}));
}

TEST(boards_of_every_size_play_as_the_reference_says) {
  Rng rng(1);
  for (const int size : {4, 6, 8}) {
    const Othello game("othello", {}, size);
    int passes = 0;
    for (int i = 0; i < 150; ++i) passes += compare_with_reference(game, rng);
    CHECK(passes > 0);
  }
}

TEST(black_starts_with_d3_c4_f5_e6) {
  const Othello game("othello", {}, 8);
  ActionList list(65);
  game.legal_actions(game.initial_state(), list);
  std::string texts;
  for (const Action action : list) texts += game.action_text(action) + " ";
  CHECK_EQ(texts, "d3 c4 f5 e6 ");
  CHECK(game.parse_action("A1") == Action{0});
  CHECK(game.parse_action("pass") == Action{64});
}

TEST(a_pass_is_legal_exactly_without_a_placement) {
  const Othello game("othello", {}, 4);
  CHECK(!is_legal(game, game.initial_state(), 16));
  auto state = game.parse_board("OXXX\n.OOO\nOXXX\n.XXX\nX to move");
  ActionList list(17);
  game.legal_actions(state, list);
  CHECK_EQ(list.size(), 1);
  CHECK_EQ(game.action_text(list[0]), "pass");
  game.play(state, list[0]);
  CHECK(game.to_move(state) == Player::kSecond);
  game.legal_actions(state, list);
  CHECK_EQ(list.size(), 1);
  CHECK_EQ(game.action_text(list[0]), "a4");
}

TEST(a_board_of_one_colour_is_over) {
  const Othello game("othello", {}, 4);
  const auto state = game.parse_board("....\n.OO.\n.OO.\n....\nX to move");
  CHECK(game.outcome(state) == Outcome::win(Player::kSecond));
  CHECK_EQ(game.score(state), -4);
}

TEST(sizes_and_drawings_that_do_not_exist_are_refused) {
  CHECK_THROWS(GameOptionError, Othello("othello", {}, 5));
  const Othello game("othello", {}, 4);
  CHECK_THROWS(BoardTextError, game.parse_board("....\n.OX.\n..O.\n...."));
}

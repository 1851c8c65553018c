// Go against a slow reference that follows the rules to the letter (flood fill, the set of all past boards), and
// superko, suicide, passes and the move limit by hand.
#include <functional>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "tengen/games/derived.h"
#include "tengen/games/go.h"
#include "tests/test.h"

using namespace tengen;

namespace {

// Nothing incremental: a board is a string of 'X', 'O' and '.', row by row from the top.
struct SlowGo {
  int size;
  bool suicide;
  int max_moves;
  std::string board = std::string(static_cast<std::size_t>(size * size), '.');
  std::vector<std::string> boards = {board};  // one for every move, passes too
  std::set<std::string> past = {board};
  std::vector<int> moves = {};

  int pass() const { return size * size; }
  char own() const { return moves.size() % 2 == 0 ? 'X' : 'O'; }
  char other() const { return moves.size() % 2 == 0 ? 'O' : 'X'; }

  std::vector<int> around(int cell) const {
    std::vector<int> cells;
    if (cell >= size) cells.push_back(cell - size);
    if (cell % size > 0) cells.push_back(cell - 1);
    if (cell % size < size - 1) cells.push_back(cell + 1);
    if (cell < size * (size - 1)) cells.push_back(cell + size);
    return cells;
  }
  static char& at(std::string& on, int cell) { return on[static_cast<std::size_t>(cell)]; }
  static char at(const std::string& on, int cell) { return on[static_cast<std::size_t>(cell)]; }

  // The cells of one mark that hang together, and the cells of other marks next to them.
  struct Region {
    std::set<int> cells, border;
  };
  Region region(const std::string& on, int from) const {
    Region found;
    std::vector<int> open = {from};
    while (!open.empty()) {
      const int cell = open.back();
      open.pop_back();
      if (!found.cells.insert(cell).second) continue;
      for (const int n : around(cell)) {
        if (at(on, n) == at(on, from)) {
          open.push_back(n);
        } else {
          found.border.insert(n);
        }
      }
    }
    return found;
  }
  int liberties(const std::string& on, int stone) const {
    int count = 0;
    for (const int cell : region(on, stone).border) count += at(on, cell) == '.' ? 1 : 0;
    return count;
  }

  std::string after(int cell) const {
    std::string next = board;
    at(next, cell) = own();
    const auto take = [&](int stone) {
      if (at(next, stone) == '.' || liberties(next, stone) > 0) return;
      for (const int taken : region(next, stone).cells) at(next, taken) = '.';
    };
    for (const int n : around(cell)) {
      if (at(next, n) == other()) take(n);
    }
    take(cell);
    return next;
  }

  bool finished() const {
    const std::size_t n = moves.size();
    return static_cast<int>(n) >= max_moves || (n >= 2 && moves[n - 1] == pass() && moves[n - 2] == pass());
  }
  bool legal(int action) const {
    if (finished() || action < 0 || action > pass()) return false;
    if (action == pass()) return true;
    if (at(board, action) != '.') return false;
    const std::string next = after(action);
    return (suicide || at(next, action) == own()) && !past.contains(next);
  }
  void play(int action) {
    if (action != pass()) board = after(action);
    past.insert(board);
    boards.push_back(board);
    moves.push_back(action);
  }

  // +1 black's, -1 white's, 0 nobody's.
  std::vector<int> ownership() const {
    std::vector<int> owners;
    for (int cell = 0; cell < pass(); ++cell) {
      std::set<char> touched = {at(board, cell)};
      if (at(board, cell) == '.') {
        for (const int n : region(board, cell).border) touched.insert(at(board, n));
      }
      owners.push_back(int(touched.contains('X')) - int(touched.contains('O')));
    }
    return owners;
  }

  // Everything that the future or the planes of history=1 depend on.
  std::string key() const {
    std::string text = std::to_string(moves.size());
    for (std::size_t ago = 1; ago <= 2 && ago <= moves.size(); ++ago) {
      text += " " + std::to_string(moves[moves.size() - ago]);
    }
    for (const std::string& position : past) text += " " + position;
    return text + " " + board;
  }
};

template <class G>
std::string cells_of(const G& game, const typename G::State& state) {
  std::string cells;
  for (int cell = 0; cell < game.spec().num_cells(); ++cell) {
    cells += state.position.stones[0].has(cell) ? 'X' : state.position.stones[1].has(cell) ? 'O' : '.';
  }
  return cells;
}

std::string listed(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += std::to_string(number) + " ";
  return text;
}

template <class G>
std::vector<int> legal_list(const G& game, const typename G::State& state) {
  ActionList list(game.spec().num_actions);
  game.legal_actions(state, list);
  return {list.begin(), list.end()};
}

template <class G>
void check_position(const G& game, const typename G::State& state, const SlowGo& slow) {
  std::vector<int> legal;
  for (int action = -1; action <= slow.pass() + 1; ++action) {
    const bool expected = slow.legal(action);
    if (expected) legal.push_back(action);
    CHECK_EQ(game.is_legal(state, action), expected);
  }
  CHECK_EQ(listed(legal_list(game, state)), listed(legal));
  CHECK_EQ(index(game.to_move(state)), slow.own() == 'X' ? 0 : 1);

  std::vector<float> planes(static_cast<std::size_t>(game.spec().planes_size()), -1.0F);
  game.write_planes(state, planes.data());
  const auto plane = [&](int number, int cell) {
    return planes[static_cast<std::size_t>(number * slow.pass() + cell)];
  };
  const auto move_ago = [&](std::size_t n) { return slow.moves.size() < n ? -1 : slow.moves[slow.moves.size() - n]; };
  for (int cell = 0; cell < slow.pass(); ++cell) {
    const char mark = SlowGo::at(slow.board, cell);
    CHECK_EQ(plane(0, cell), mark == slow.own() ? 1.0F : 0.0F);
    CHECK_EQ(plane(1, cell), mark == slow.other() ? 1.0F : 0.0F);
    CHECK_EQ(plane(2, cell), move_ago(1) == cell ? 1.0F : 0.0F);
    CHECK_EQ(plane(3, cell), move_ago(2) == cell ? 1.0F : 0.0F);
    CHECK_EQ(plane(4, cell), slow.legal(cell) ? 1.0F : 0.0F);
    const int liberties = mark == '.' ? 0 : slow.liberties(slow.board, cell);
    for (int n = 1; n <= 3; ++n) {
      CHECK_EQ(plane(4 + n, cell), mark == slow.own() && liberties == n ? 1.0F : 0.0F);
      CHECK_EQ(plane(7 + n, cell), mark == slow.other() && liberties == n ? 1.0F : 0.0F);
    }
    CHECK_EQ(plane(11, cell), move_ago(1) == slow.pass() ? 1.0F : 0.0F);
    CHECK_EQ(plane(12, cell), slow.own() == 'X' ? 1.0F : 0.0F);
  }
}

template <class G>
void check_score(const G& game, const typename G::State& state, const SlowGo& slow, double komi) {
  const std::vector<int> owners = slow.ownership();
  std::vector<std::int8_t> ownership(owners.size());
  game.ownership(state, ownership.data());
  CHECK_EQ(listed({ownership.begin(), ownership.end()}), listed(owners));
  double score = -komi;
  for (const int owner : owners) score += owner;
  CHECK_EQ(game.score(state), score);

  const auto outcome = game.outcome(state);
  CHECK_EQ(outcome.has_value(), slow.finished());
  if (outcome) CHECK_EQ(value_for(*outcome, Player::kFirst), score > 0 ? 1.0F : score < 0 ? -1.0F : 0.0F);
}

// One random game, compared in full at every `every`-th move.
template <int kMaxSize>
void compare_random_game(const GoRules& rules, std::size_t every, std::uint64_t seed) {
  const Go<kMaxSize> game("go", {}, rules);
  SlowGo slow{rules.size, rules.suicide, game.spec().longest_game};
  auto state = game.initial_state();
  Rng rng(seed);
  const int failures = testing::failures();
  while (!slow.finished() && testing::failures() == failures) {
    if (slow.moves.size() % every == 0) {
      check_position(game, state, slow);
      check_score(game, state, slow, rules.komi);
      // The hash from scratch: stone by stone, in another order and without captures.
      CHECK_EQ(game.parse_board(game.board_text(state)).position.hash, state.position.hash);
    }
    const Action action = game.random_action(state, rng);
    CHECK(slow.legal(action));
    game.play(state, action);
    slow.play(action);
    CHECK_EQ(cells_of(game, state), slow.board);
  }
  check_position(game, state, slow);
  check_score(game, state, slow, rules.komi);
}

using Go9 = Go<9>;
static_assert(Game<Go9> && std::is_trivially_copyable_v<Go9::State>);

Action parse(const Go9& game, const std::string& text) { return game.parse_action(text).value(); }

// Plays the moves, each of which must be legal.
void play_all(const Go9& game, Go9::State& state, const std::vector<std::string>& moves) {
  for (const std::string& move : moves) {
    CHECK(game.is_legal(state, parse(game, move)));
    game.play(state, parse(game, move));
  }
}

}  // namespace

TEST(small_boards_agree_with_the_slow_reference) {
  for (const bool suicide : {false, true}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      for (const int size : {2, 3, 4}) {
        compare_random_game<9>({.size = size, .komi = 0, .suicide = suicide, .max_moves = 100}, 1, seed);
      }
    }
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      compare_random_game<9>({.size = 5, .komi = 0.5, .suicide = suicide, .max_moves = 100}, 1, seed);
      compare_random_game<9>({.size = 7, .komi = -3, .suicide = suicide}, 3, seed);
    }
  }
}

TEST(large_boards_agree_with_the_slow_reference) {
  for (const bool suicide : {false, true}) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) compare_random_game<9>({.size = 9, .suicide = suicide}, 3, seed);
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      compare_random_game<13>({.size = 10, .suicide = suicide}, 10, seed);
      compare_random_game<13>({.size = 13, .suicide = suicide}, 25, seed);
      compare_random_game<19>({.size = 14, .suicide = suicide}, 40, seed);
      compare_random_game<19>({.size = 19, .suicide = suicide}, 100, seed);
    }
  }
}

TEST(counts_of_all_games_agree_with_the_slow_reference) {
  const std::function<void(const SlowGo&, std::vector<std::uint64_t>&, std::size_t)> count =
      [&](const SlowGo& slow, std::vector<std::uint64_t>& counts, std::size_t ply) {
        counts[ply] += 1;
        if (ply + 1 == counts.size()) return;
        for (int action = 0; action <= slow.pass(); ++action) {
          if (!slow.legal(action)) continue;
          SlowGo next = slow;
          next.play(action);
          count(next, counts, ply + 1);
        }
      };
  for (const bool suicide : {false, true}) {
    for (const auto& [size, depth] : {std::pair{2, 7}, std::pair{3, 4}}) {
      const Go9 game("go", {}, {.size = size, .suicide = suicide});
      std::vector<std::uint64_t> counts(static_cast<std::size_t>(depth) + 1);
      count(SlowGo{size, suicide, game.spec().longest_game}, counts, 0);
      CHECK(perft(game, game.initial_state(), depth).positions == counts);
    }
  }
}

TEST(states_are_equal_and_hash_alike_exactly_when_nothing_that_matters_differs) {
  const Go9 game("go", {}, {.size = 2, .max_moves = 40});
  std::map<std::string, std::pair<std::uint64_t, Go9::State>> by_key;
  std::map<std::uint64_t, std::string> by_hash;
  std::map<std::string, std::vector<Go9::State>> by_board;  // states with the same stones after as many moves
  std::size_t visited = 0;
  const std::function<void(const SlowGo&, const Go9::State&, int)> visit = [&](const SlowGo& slow,
                                                                               const Go9::State& state, int depth) {
    ++visited;
    const auto hash = game.hash(state);
    const auto [known, is_new] = by_key.try_emplace(slow.key(), hash, state);
    CHECK(known->second.first == hash && known->second.second == state);
    const auto [same_hash, new_hash] = by_hash.try_emplace(hash, slow.key());
    CHECK(same_hash->second == slow.key());
    if (is_new && depth > 2) {
      auto& alike = by_board[slow.board + std::to_string(slow.moves.size())];
      for (const auto& other : alike) CHECK(state != other);
      alike.push_back(state);
    }
    if (depth == 0) return;
    for (const int action : legal_list(game, state)) {
      SlowGo next_slow = slow;
      next_slow.play(action);
      auto next = state;
      game.play(next, action);
      CHECK(next != state);
      visit(next_slow, next, depth - 1);
    }
  };
  visit(SlowGo{2, false, 40}, game.initial_state(), 10);
  CHECK_EQ(visited, 16651U);
  CHECK_EQ(by_key.size(), 16611U);  // so 40 times two ways through the same positions meet
}

TEST(random_action_is_uniform_over_the_legal_actions) {
  for (const bool suicide : {false, true}) {
    const Go9 game("go", {}, {.size = 4, .suicide = suicide});
    auto state = game.initial_state();
    Rng rng(7);
    for (int move = 0; move < 20 && !game.outcome(state); ++move) {
      const std::vector<int> legal = legal_list(game, state);
      std::map<int, int> drawn;
      const int draws = 400 * static_cast<int>(legal.size());
      for (int i = 0; i < draws; ++i) ++drawn[game.random_action(state, rng)];
      double chi_square = 0;
      for (const int action : legal) chi_square += (drawn[action] - 400.0) * (drawn[action] - 400.0) / 400.0;
      CHECK_EQ(drawn.size(), legal.size());
      CHECK(chi_square < 50);  // at most 16 degrees of freedom: exceeded once in 40,000
      game.play(state, legal[rng.below(static_cast<std::uint32_t>(legal.size() - 1))]);  // no pass
    }
  }
}

TEST(a_ko_is_not_retaken_at_once) {
  const Go9 game("go", {}, {.size = 5});
  auto state = game.parse_board(". X O . .\nX . X O .\n. X O . .\n. . . . .\n. . . . .\nO to move");
  play_all(game, state, {"B4"});
  CHECK(!game.is_legal(state, parse(game, "C4")));
  play_all(game, state, {"E1", "A1", "C4"});  // after a threat and its answer
  CHECK(!game.is_legal(state, parse(game, "B4")));
}

TEST(sending_two_returning_one_is_a_repetition) {
  const Go9 game("go", {}, {.size = 5});
  auto state = game.parse_board(". . . . .\n. . . . .\n. . . . .\nO O X X .\n. X . X .");
  play_all(game, state, {"A1", "C1"});
  CHECK_EQ(cells_of(game, state), std::string("...............OOXX...OX."));
  CHECK(!game.is_legal(state, parse(game, "B1")));
  CHECK(game.is_legal(state, parse(game, "A1")));
  play_all(game, state, {"E5", "D5", "B1"});  // on another board it is another position
}

TEST(triple_ko_ends_with_the_sixth_move) {
  const Go9 game("go", {}, {.size = 9});
  const std::string ko_of_black = ". X O . . . . . .\nX . X O . . . . .\n. X O . . . . . .\n";
  const std::string ko_of_white = ". X O . . . . . .\nX O . O . . . . .\n. X O . . . . . .\n";
  auto state = game.parse_board(ko_of_black + ko_of_white + ko_of_black + "O to move");
  play_all(game, state, {"B8", "C5", "B2", "C8", "B5"});
  CHECK(!game.is_legal(state, parse(game, "C2")));
  CHECK(!game.is_legal(state, parse(game, "C5")));  // the ordinary ko
  CHECK_EQ(legal_list(game, state).size(), 82U - 21U - 2U);
  play_all(game, state, {"J1", "J9", "C2"});
}

TEST(suicide_is_legal_only_by_option_and_never_of_one_stone) {
  const std::string board = ". X . X .\nO X X . X\nX . . X .\n. . . . .\n. . . . .\nO to move";
  for (const bool suicide : {false, true}) {
    const Go9 game("go", {}, {.size = 5, .suicide = suicide});
    auto state = game.parse_board(board);
    CHECK_EQ(game.is_legal(state, parse(game, "A5")), suicide);
    CHECK(!game.is_legal(state, parse(game, "C5")) && !game.is_legal(state, parse(game, "D4")));
    if (!suicide) continue;
    play_all(game, state, {"A5"});
    CHECK_EQ(cells_of(game, state), std::string(".X.X..XX.XX..X..........."));
    // The stone that is there now would be the position before it, again.
    play_all(game, state, {"E1"});
    play_all(game, state, {"A4", "pass"});
    CHECK(!game.is_legal(state, parse(game, "A5")));
  }
}

TEST(two_passes_end_the_game_and_equal_areas_are_a_draw) {
  for (const auto& [komi, value] : {std::pair{0.0, 0.0F}, std::pair{0.5, -1.0F}, std::pair{-0.5, 1.0F}}) {
    const Go9 game("go", {}, {.size = 5, .komi = komi});
    auto state = game.initial_state();
    play_all(game, state, {"pass", "C3", "A1", "pass"});
    CHECK(!game.outcome(state));
    play_all(game, state, {"PASS"});
    CHECK_EQ(value_for(game.outcome(state).value(), Player::kFirst), value);
    CHECK_EQ(game.score(state), -komi);
    CHECK_EQ(legal_list(game, state).size(), 0U);
    CHECK(!game.is_legal(state, parse(game, "pass")));
  }
}

TEST(the_game_is_scored_as_it_stands_at_the_move_limit) {
  const Go9 game("go", {}, {.size = 5, .komi = 24.5, .max_moves = 3});
  auto state = game.initial_state();
  play_all(game, state, {"C3", "pass"});
  CHECK(!game.outcome(state));
  play_all(game, state, {"C4"});
  CHECK(game.outcome(state)->winner == Player::kFirst);
  const Go9 nine("go", {}, {.size = 9});
  const Go<19> nineteen("go", {}, {.size = 19});
  CHECK_EQ(nine.spec().longest_game, 162);
  CHECK_EQ(nineteen.spec().longest_game, 722);
}

TEST(eight_positions_are_those_of_alphago_zero) {
  const Go9 game("go", {}, {.size = 4, .history = 8});
  CHECK_EQ(game.spec().num_planes, 17);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SlowGo slow{4, false, game.spec().longest_game};
    auto state = game.initial_state();
    Rng rng(seed);
    while (!game.outcome(state)) {
      std::vector<float> planes(static_cast<std::size_t>(game.spec().planes_size()), -1.0F);
      game.write_planes(state, planes.data());
      for (std::size_t i = 0; i < planes.size(); ++i) {
        const std::size_t plane = i / 16;
        const std::size_t ago = plane / 2;
        float expected = slow.own() == 'X' ? 1.0F : 0.0F;
        if (plane < 16) {
          const char mark = ago < slow.boards.size() ? slow.boards[slow.boards.size() - 1 - ago][i % 16] : '.';
          expected = mark == (plane % 2 == 0 ? slow.own() : slow.other()) ? 1.0F : 0.0F;
        }
        CHECK_EQ(planes[i], expected);
      }
      const Action action = game.random_action(state, rng);
      game.play(state, action);
      slow.play(action);
    }
  }
}

TEST(states_that_differ_in_one_thing_are_different) {
  const Go9 game("go", {}, {.size = 9, .history = 8});
  auto state = game.initial_state();
  play_all(game, state, {"C3", "G7", "pass"});
  const auto differs = [&](auto&& change) {
    auto other = state;
    CHECK(other == state && game.hash(other) == game.hash(state));
    change(other);
    return other != state && game.hash(other) != game.hash(state);
  };
  CHECK(differs([](auto& other) { other.to_move = Player::kFirst; }));
  CHECK(differs([](auto& other) { other.passes = 0; }));
  CHECK(differs([](auto& other) { other.last = 5; }));
  CHECK(differs([](auto& other) { other.before_last = 5; }));
  CHECK(differs([](auto& other) { other.num_moves = 5; }));
  CHECK(differs([](auto& other) { other.position.past_sum = 5; }));
  CHECK(differs([](auto& other) { other.recent[6][1].insert(5); }));
}

TEST(drawings_without_liberties_are_refused) {
  const Go9 game("go", {}, {.size = 3});
  CHECK_THROWS(BoardTextError, game.parse_board("XO.\nO..\n..."));
  CHECK_THROWS(BoardTextError, game.parse_board("XXX\nXXX\nXXX"));
  CHECK_THROWS(BoardTextError, game.parse_board("XX\nXX"));
  CHECK(game.to_move(game.parse_board("XX.\nO..\n...")) == Player::kFirst);
  CHECK(game.to_move(game.parse_board("XX.\nO..\n...\nO to move")) == Player::kSecond);
  CHECK(game.outcome(game.parse_board("XX.\nO..\n...\ngame over")).has_value());
}

TEST(options_out_of_range_are_refused) {
  CHECK_THROWS(GameOptionError, Go9("go", {}, {.komi = 7.25}));
  CHECK_THROWS(GameOptionError, Go9("go", {}, {.history = 2}));
  CHECK_THROWS(GameOptionError, Go9("go", {}, {.max_moves = 163}));
}

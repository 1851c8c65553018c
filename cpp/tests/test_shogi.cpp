// Shogi and minishogi: known counts, what a position remembers, forced promotion, pawns that may not be dropped,
// repetition, declaration, texts and planes. tests/games/test_shogi_oracle.py compares whole games with other programs.
#include <map>

#include "tengen/games/derived.h"
#include "tengen/games/shogi.h"
#include "tests/test.h"

using namespace tengen;

namespace {

const Shogi<9> kShogi("shogi", {}, {});
const Shogi<5> kMinishogi("minishogi", {}, {});

template <class G>
typename G::State after(const G& game, typename G::State state, std::string_view moves) {
  while (!moves.empty()) {
    const std::size_t end = std::min(moves.find(' '), moves.size());
    const auto action = game.parse_action(state, moves.substr(0, end));
    CHECK(action && is_legal(game, state, *action));
    if (!action || !is_legal(game, state, *action)) {
      std::cerr << "not legal: " << moves.substr(0, end) << " in\n" << game.board_text(state) << "\n";
      return state;
    }
    game.play(state, *action);
    moves.remove_prefix(std::min(end + 1, moves.size()));
  }
  return state;
}

template <class G>
bool allows(const G& game, const typename G::State& state, std::string_view move) {
  const auto action = game.parse_action(state, move);
  return action && is_legal(game, state, *action);
}

template <class G>
std::vector<float> planes_of(const G& game, const typename G::State& state) {
  std::vector<float> planes(static_cast<std::size_t>(game.spec().planes_size()), -1.0F);
  game.write_planes(state, planes.data());
  return planes;
}

// A random game; everything that is kept up from move to move is compared with the same read from text.
template <class G>
void check_random_game(const G& game, Rng& rng) {
  auto state = game.initial_state();
  ActionList list(game.spec().legal_bound());
  while (!game.outcome(state)) {
    game.legal_actions(state, list);
    CHECK(list.size() > 0 && list.size() <= game.spec().legal_bound());
    CHECK(std::is_sorted(list.begin(), list.end()));
    const auto read = game.parse_board(game.position_text(state));
    CHECK(read.position == state.position);
    CHECK_EQ(read.position.key, state.position.key);
    CHECK(read.position.of == state.position.of);
    CHECK(read.position.ways == state.position.ways);
    CHECK_EQ(read.check, state.check);
    CHECK(game.parse_board(game.board_text(state)) == read);
    ActionList again(game.spec().legal_bound());
    game.legal_actions(read, again);
    CHECK(std::equal(list.begin(), list.end(), again.begin(), again.end()));
    const Action action = list[static_cast<int>(rng.below(static_cast<std::uint32_t>(list.size())))];
    CHECK(game.parse_action(state, game.action_text(state, action)) == action);
    if (const auto mate = game.winning_action(state)) {
      auto next = state;
      game.play(next, *mate);
      CHECK(game.outcome(next) == Outcome::win(game.to_move(state)));
    }
    game.play(state, action);
  }
}

}  // namespace

TEST(perft_of_shogi) {
  CHECK((perft(kShogi, kShogi.initial_state(), 4).positions == std::vector<std::uint64_t>{1, 30, 900, 25470, 719731}));
}

TEST(perft_of_minishogi) {
  CHECK((perft(kMinishogi, kMinishogi.initial_state(), 5).positions ==
         std::vector<std::uint64_t>{1, 14, 181, 2512, 35401, 533203}));
}

TEST(the_position_with_the_most_moves_has_593) {
  const auto state = kShogi.parse_board("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1");
  ActionList list(593);
  kShogi.legal_actions(state, list);
  CHECK_EQ(list.size(), 593);
}

TEST(random_games_keep_up_what_they_know) {
  Rng rng(1);
  for (const bool alphazero : {false, true}) {
    const Shogi<9> game("shogi", {}, {.alphazero = alphazero});
    const Shogi<5> small("minishogi", {}, {.alphazero = alphazero});
    for (int i = 0; i < 5; ++i) check_random_game(game, rng);
    for (int i = 0; i < 20; ++i) check_random_game(small, rng);
  }
}

TEST(every_action_has_a_name_of_its_own_in_every_state) {
  for (const bool alphazero : {false, true}) {
    const Shogi<9> game("shogi", {}, {.alphazero = alphazero, .declaration = true});
    for (const auto& state : {game.initial_state(), after(game, game.initial_state(), "7g7f 3c3d 8h2b+ 3a2b B*5e")}) {
      std::map<std::string, Action> names;
      for (Action action = 0; action < game.spec().num_actions; ++action) {
        const std::string name = game.action_text(state, action);
        CHECK(names.emplace(name, action).second);
        CHECK(game.parse_action(state, name) == action);
        CHECK(game.parse_action(game.action_text(action)) == action);
      }
    }
  }
}

TEST(actions_are_seen_from_the_side_of_the_player_to_move) {
  const auto black = kShogi.initial_state();
  const auto white = after(kShogi, black, "7g7f");
  CHECK(kShogi.parse_action(black, "2g2f") == kShogi.parse_action(white, "8c8d"));
  const Action up = *kShogi.parse_action("2g2f");
  CHECK_EQ(up / 81, 0);          // the plane of the direction up
  CHECK_EQ(up % 81, 5 * 9 + 7);  // its target: row f, column 2
  CHECK_EQ(kShogi.action_text(up), "2f:up");
  CHECK(!kShogi.parse_action(black, "2h2f"));  // a pawn is in between
}

TEST(a_piece_that_could_not_move_again_must_promote) {
  const auto state = kShogi.parse_board("8k/P3L4/9/2N6/9/9/9/9/4K4 b PLN 1");
  for (const char* move : {"9b9a", "5b5a", "7d8b", "7d6b", "P*6a", "L*6a", "N*6a", "N*6b"}) {
    CHECK(!allows(kShogi, state, move));
  }
  for (const char* move : {"9b9a+", "5b5a+", "7d8b+", "7d6b+", "P*6b", "L*6b", "N*6c"}) {
    CHECK(allows(kShogi, state, move));
  }
}

TEST(no_second_pawn_in_a_column) {
  const auto state = kShogi.parse_board("4k4/9/9/9/9/9/P3+P4/9/4K4 b P 1");
  CHECK(!allows(kShogi, state, "P*9e"));
  CHECK(allows(kShogi, state, "P*5e"));  // a promoted pawn is none
  CHECK(allows(kShogi, state, "P*8e"));
}

TEST(no_mate_by_a_dropped_pawn) {
  const auto mate = kShogi.parse_board("8k/9/8G/9/9/9/9/9/K6R1 b GP 1");
  CHECK(!allows(kShogi, mate, "P*1b"));
  CHECK(allows(kShogi, mate, "G*1b"));
  CHECK(allows(kShogi, mate, "P*1d"));
  const auto escape = kShogi.parse_board("8k/9/8G/9/9/9/9/9/K8 b P 1");
  CHECK(allows(kShogi, escape, "P*1b"));
  const auto pushed = kShogi.parse_board("8k/9/8P/7G1/9/9/9/9/K6R1 b - 1");  // a pawn on the board may
  CHECK(allows(kShogi, pushed, "1c1b"));
  const auto taken = kShogi.parse_board("7nk/9/8G/9/9/9/9/9/K8 b P 1");
  CHECK(!allows(kShogi, taken, "P*1b") || kShogi.outcome(after(kShogi, taken, "P*1b")) == std::nullopt);
}

TEST(mates_are_found_and_won) {
  const auto state = kShogi.parse_board("8k/9/8G/9/9/9/9/9/K6R1 b GP 1");
  const auto action = kShogi.winning_action(state);
  CHECK(action.has_value());
  const auto end = after(kShogi, state, kShogi.action_text(state, *action));
  CHECK(kShogi.outcome(end) == Outcome::win(Player::kFirst));
  CHECK(kShogi.ending(end).reason == Reason::kCheckmate);
  CHECK(!kShogi.winning_action(kShogi.initial_state()));
}

TEST(a_player_without_a_move_has_lost) {
  const auto state = kMinishogi.parse_board("k4/5/1G3/5/4K w - 1");
  CHECK(!state.check);
  CHECK(kMinishogi.outcome(kMinishogi.parse_board("k4/2+R2/1G3/5/4K w - 1")) == Outcome::win(Player::kFirst));
  CHECK(kMinishogi.ending(kMinishogi.parse_board("k4/2+R2/1G3/5/4K w - 1")).reason == Reason::kNoMove);
}

TEST(a_position_that_occurs_four_times_is_a_draw) {
  const std::string round = "2h3h 8b7b 3h2h 7b8b";
  auto state = after(kShogi, kShogi.initial_state(), round + " " + round + " 2h3h 8b7b 3h2h");
  CHECK(!kShogi.outcome(state));
  state = after(kShogi, state, "7b8b");
  CHECK(kShogi.outcome(state) == Outcome::draw());
  CHECK(kShogi.ending(state).reason == Reason::kRepetition);
  ActionList list(593);
  kShogi.legal_actions(state, list);
  CHECK_EQ(list.size(), 0);
}

TEST(perpetual_check_loses) {
  const std::string round = "8i9i 9a8a 9i8i 8a9a";
  const auto state =
      after(kShogi, kShogi.parse_board("k8/9/9/9/9/9/9/9/1R6K b - 1"), round + " " + round + " " + round);
  CHECK(kShogi.outcome(state) == Outcome::win(Player::kSecond));
  CHECK(kShogi.ending(state).reason == Reason::kPerpetualCheck);
  // The same with white to move first: it is still black who gives check.
  const auto other = after(kShogi, kShogi.parse_board("k8/9/9/9/9/9/9/9/R7K w - 1"),
                           "9a8a 9i8i 8a9a 8i9i 9a8a 9i8i 8a9a 8i9i 9a8a 9i8i 8a9a 8i9i");
  CHECK(kShogi.ending(other).reason == Reason::kPerpetualCheck);
  CHECK(kShogi.outcome(other) == Outcome::win(Player::kSecond));
}

TEST(a_check_that_was_left_out_once_is_no_perpetual_check) {
  const auto start = kShogi.parse_board("k8/9/9/9/9/9/9/9/1R6K b - 1");
  const std::string quiet = "1i1h 9a9b 1h1i 9b9a";
  const std::string round = "8i9i 9a8a 9i8i 8a9a";
  const auto state = after(kShogi, start, quiet + " " + round + " " + round);
  CHECK(kShogi.ending(state).reason == Reason::kRepetition);
  CHECK(kShogi.outcome(state) == Outcome::draw());
}

TEST(in_minishogi_the_first_player_loses_a_repetition) {
  const std::string round = "1e1d 5a5b 1d1e 5b5a";
  const auto state = after(kMinishogi, kMinishogi.initial_state(), round + " " + round + " " + round);
  CHECK(kMinishogi.ending(state).reason == Reason::kRepetition);
  CHECK(kMinishogi.outcome(state) == Outcome::win(Player::kSecond));
}

TEST(a_long_game_is_drawn_unless_the_last_move_mates) {
  const Shogi<9> game("shogi", {}, {.max_moves = 1});
  CHECK(game.ending(after(game, game.initial_state(), "7g7f")).reason == Reason::kLength);
  CHECK(game.outcome(after(game, game.initial_state(), "7g7f")) == Outcome::draw());
  const auto mate = after(game, game.parse_board("8k/9/8G/9/9/9/9/9/K6R1 b GP 1"), "G*1b");
  CHECK(game.ending(mate).reason == Reason::kCheckmate);
}

TEST(an_entered_king_declares_with_28_points_or_as_white_with_27) {
  const Shogi<9> game("shogi", {}, {.declaration = true});
  CHECK_EQ(game.spec().num_actions, 27 * 81 + 1);
  const auto state = game.parse_board("KRRBBGG2/GGSSSS3/9/9/9/9/9/9/8k b - 1");  // 28
  CHECK(allows(game, state, "win"));
  CHECK(game.winning_action(state) == game.parse_action("win"));
  const auto end = after(game, state, "win");
  CHECK(game.outcome(end) == Outcome::win(Player::kFirst));
  CHECK(game.ending(end).reason == Reason::kDeclaration);
  CHECK_EQ(game.ending(end).sentence, "entering king declared with 28 points");
  CHECK(!allows(game, game.parse_board("KRRBBGG2/GGSSS4/9/9/9/9/9/9/8k b - 1"), "win"));   // 27
  CHECK(allows(game, game.parse_board("8K/9/9/9/9/9/9/4sssgg/2ggbbrrk w - 1"), "win"));    // 27, white
  CHECK(!allows(game, game.parse_board("8K/9/9/9/9/9/9/5ssgg/2ggbbrrk w - 1"), "win"));    // 26
  CHECK(allows(game, game.parse_board("8K/9/9/9/9/9/9/4pppgg/2ggbbrrk w p 1"), "win"));    // one in hand
  CHECK(!allows(game, game.parse_board("9/9/9/KRRBBGG2/GGSSSS3/9/9/9/8k b - 1"), "win"));  // not entered
  CHECK(!allows(game, game.parse_board("KRRBB4/9/9/9/9/9/9/9/8k b 4G4S 1"), "win"));       // too few entered
  CHECK(!allows(kShogi, kShogi.parse_board("KRRBBGG2/GGSSSS3/9/9/9/9/9/9/8k b - 1"), "win"));
}

TEST(planes_show_the_board_from_the_side_of_the_player_to_move) {
  const auto& names = kShogi.spec().plane_names;
  const auto shown = [&](const std::vector<float>& planes, const std::string& name, int cell = 0) {
    const auto plane = std::find(names.begin(), names.end(), name) - names.begin();
    CHECK(plane < static_cast<std::ptrdiff_t>(names.size()));
    return planes[static_cast<std::size_t>(plane * 81 + cell)];
  };
  const auto black = planes_of(kShogi, kShogi.initial_state());
  CHECK_EQ(shown(black, "own rook", 7 * 9 + 7), 1.0F);
  CHECK_EQ(shown(black, "opponent's rook", 1 * 9 + 1), 1.0F);
  CHECK_EQ(shown(black, "black to move"), 1.0F);
  const auto state = after(kShogi, kShogi.initial_state(), "7g7f 3c3d 8h2b+ 3a2b");
  const auto seen = planes_of(kShogi, after(kShogi, state, "5i5h"));
  CHECK_EQ(shown(seen, "own silver", 7 * 9 + 1), 1.0F);  // 2b, turned
  CHECK_EQ(shown(seen, "own bishop in hand"), 0.5F);
  CHECK_EQ(shown(seen, "opponent's bishop in hand"), 0.5F);
  CHECK_EQ(shown(seen, "black to move"), 0.0F);
  CHECK_EQ(shown(seen, "moves played"), 5.0F / 512.0F);
  const auto twice = planes_of(kShogi, after(kShogi, kShogi.initial_state(), "2h3h 8b7b 3h2h 7b8b"));
  CHECK_EQ(shown(twice, "was there once before"), 1.0F);
  CHECK_EQ(shown(twice, "was there twice before"), 0.0F);
  const auto checked = planes_of(kShogi, after(kShogi, kShogi.initial_state(), "7g7f 9c9d 8h3c+"));
  CHECK_EQ(shown(checked, "in check"), 1.0F);
  CHECK_EQ(shown(seen, "in check"), 0.0F);
}

// With history, the planes of n moves ago are those that the position then had, seen from today's side.
TEST(history_shows_the_positions_before) {
  const Shogi<9> game("shogi", {}, {.history = 8});
  CHECK_EQ(game.spec().num_planes, 8 * 45 + 3);
  Rng rng(3);
  for (int i = 0; i < 5; ++i) {
    auto state = game.initial_state();
    ActionList list(593);
    std::vector<std::vector<float>> before;
    while (!game.outcome(state)) {
      const auto planes = planes_of(game, state);
      for (std::size_t ago = 2; ago < 8 && ago <= before.size(); ago += 2) {  // by the same player
        const auto& then = before[before.size() - ago];
        CHECK(std::equal(then.begin(), then.begin() + 45 * 81,
                         planes.begin() + static_cast<std::ptrdiff_t>(ago) * 45 * 81));
      }
      if (before.size() < 7)
        CHECK(std::all_of(planes.begin() + static_cast<std::ptrdiff_t>(before.size() + 1) * 45 * 81,
                          planes.begin() + 8 * 45 * 81, [](float x) { return x == 0; }));
      before.push_back(planes);
      play_random(game, state, rng, list);
    }
  }
}

// draw_move() rejects what is not legal; every legal action must be as likely as the others.
TEST(random_moves_are_uniform) {
  Rng rng(5);
  const auto state = kMinishogi.parse_board("4k/5/4G/R4/K4 b 2P 1");
  ActionList list(kMinishogi.spec().legal_bound());
  kMinishogi.legal_actions(state, list);
  std::map<std::uint64_t, int> counts;
  const int draws = 2000 * list.size();
  for (int i = 0; i < draws; ++i) {
    auto next = state;
    kMinishogi.play_random(next, rng);
    ++counts[kMinishogi.hash(next)];
  }
  CHECK_EQ(static_cast<int>(counts.size()), list.size());
  for (const auto& [hash, count] : counts) CHECK(count > 1700 && count < 2300);  // six standard deviations
}

TEST(boards_that_can_not_be_are_refused) {
  for (const char* text : {
           "",
           "x",
           "9/9/9/9/9/9/9/9/9 b - 1",
           "4k4/9/9/9/9/9/9/9/4K4",
           "4k4/9/9/9/9/9/9/9/4K4 x - 1",
           "4k4/9/9/9/9/9/9/9/4K4 b 19P 1",
           "4k4/9/9/9/9/9/9/9/4K4 b 3R 1",
           "4k4/9/9/9/9/9/9/9/4K4 b K 1",
           "4k4/9/9/9/9/9/9/9/4K4 b - 0x1",
           "4k4/9/9/9/9/9/9/9/4K5 b - 1",
           "4k4/9/9/9/9/9/9/4K4 b - 1",
           "P3k4/9/9/9/9/9/9/9/4K4 b - 1",
           "4k4/9/9/P8/P8/9/9/9/4K4 b - 1",
           "4k4/9/9/9/9/9/9/9/4R3K b - 1",
           "4k4/9/9/9/9/9/9/9/3+G1K3 b - 1",
           "4k4/9/9/9/9/9/9/9/4+K4 b - 1",
           "4k4/9/9/9/9/9/9/9/4K4+ b - 1",
           "4k4/9/9/9/9/9/9/9/4T4 b - 1",
           "4k4/9/9/9/9/9/9/9/4K4/9 b - 1",
           "RRR1k4/9/9/9/9/9/9/9/4K4 b - 1",
       }) {
    CHECK_THROWS(BoardTextError, kShogi.parse_board(text));
  }
  CHECK_THROWS(BoardTextError, kMinishogi.parse_board("rbsgk/4p/5/L4/KGSBR b - 1"));
  CHECK_THROWS(GameOptionError, Shogi<9>("shogi", {}, {.history = 3}));
}

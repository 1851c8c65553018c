// The exact search against plain minimax: the same results and the same best actions, all the way to the end.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "tengen/games/connect_four.h"
#include "tengen/games/mnk.h"
#include "tengen/games/othello.h"
#include "tengen/search/exact.h"
#include "tests/test.h"

using namespace tengen;

namespace {

// A number is claimed by whoever moves; whoever took 1 or 5 moves again. Whoever has the larger sum wins.
class MoveAgain {
 public:
  static constexpr int kNumbers = 8;
  struct State {
    unsigned taken = 0;
    int margin = 0;  // of the first player
    Player to_move = Player::kFirst;
    bool operator==(const State&) const = default;
  };

  MoveAgain() {
    spec_.name = "move_again";
    spec_.num_actions = kNumbers;
    spec_.longest_game = kNumbers;
  }

  const GameSpec& spec() const { return spec_; }
  State initial_state() const { return {}; }
  Player to_move(const State& state) const { return state.to_move; }
  void legal_actions(const State& state, ActionList& list) const {
    list.clear();
    for (Action i = 0; i < kNumbers; ++i) {
      if ((state.taken >> i & 1U) == 0) list.push(i);
    }
  }
  void play(State& state, Action action) const {
    state.taken |= 1U << action;
    state.margin += state.to_move == Player::kFirst ? action : -action;
    if (action % 4 != 1) state.to_move = opponent(state.to_move);
  }
  std::optional<Outcome> outcome(const State& state) const {
    if (std::abs(state.margin) > 12) return Outcome::win(state.margin > 0 ? Player::kFirst : Player::kSecond);
    if (state.taken != (1U << kNumbers) - 1) return std::nullopt;
    if (state.margin == 0) return Outcome::draw();
    return Outcome::win(state.margin > 0 ? Player::kFirst : Player::kSecond);
  }
  void write_planes(const State&, float*) const {}
  std::uint64_t hash(const State& state) const {
    return mix64(state.taken + (static_cast<std::uint64_t>(state.margin + 100) << 20)) +
           static_cast<std::uint64_t>(state.to_move);
  }
  std::string action_text(Action action) const { return std::to_string(action); }
  std::optional<Action> parse_action(std::string_view) const { return std::nullopt; }
  std::string board_text(const State&) const { return ""; }
  State parse_board(std::string_view) const { return {}; }

 private:
  GameSpec spec_;
};

// What a player wants most first: the result, then the score, or without one a soon win and a late loss.
template <Game G>
double minimax(const G& game, const typename G::State& state, int ply) {
  const double sign = game.to_move(state) == Player::kFirst ? 1.0 : -1.0;
  if (const auto outcome = game.outcome(state)) {
    const double result = value_for(*outcome, game.to_move(state));
    if (const auto points = score(game, state)) return 1000.0 * result + sign * *points;
    return result * (1000.0 - ply);
  }
  ActionList legal(game.spec().num_actions);
  game.legal_actions(state, legal);
  double best = -1e9;
  for (const Action action : legal) {
    auto next = state;
    game.play(next, action);
    const double value = minimax(game, next, ply + 1);
    best = std::max(best, game.to_move(next) == game.to_move(state) ? value : -value);
  }
  return best;
}

template <Game G>
std::vector<Action> best_actions(const G& game, const typename G::State& state) {
  ActionList legal(game.spec().num_actions);
  game.legal_actions(state, legal);
  std::vector<Action> best;
  const double value = minimax(game, state, 0);
  for (const Action action : legal) {
    auto next = state;
    game.play(next, action);
    const double after = minimax(game, next, 1);
    if ((game.to_move(next) == game.to_move(state) ? after : -after) == value) best.push_back(action);
  }
  return best;
}

// The two questions about one position: the same as minimax says, also from a solver that has been asked before.
template <Game G>
void check_questions(const G& game, const typename G::State& state, ExactSolver<G>& used) {
  constexpr std::int64_t kMost = 1'000'000;
  const double expected = minimax(game, state, 0);
  const float sign = expected > 500.0 ? 1.0F : expected < -500.0 ? -1.0F : 0.0F;
  ExactSolver<G> fresh(game, kMost);
  const auto result = fresh.result(state, kMost, [] {});
  CHECK(result.has_value());
  CHECK_EQ(value_for(result->outcome, game.to_move(state)), sign);
  CHECK(used.result(state, kMost, [] {}) == result);
  const bool has_score = score(game, state).has_value();
  if (!has_score && sign != 0.0F) CHECK(result->distance >= static_cast<int>(1000.0 - std::abs(expected)));
  const auto answer = used.answer(state, kMost, [] {});
  CHECK(answer.has_value() && answer->is_whole);
  CHECK(answer->best == best_actions(game, state));
  CHECK_EQ(value_for(answer->result.outcome, game.to_move(state)), sign);
  if (!has_score && sign != 0.0F) CHECK_EQ(answer->result.distance, static_cast<int>(1000.0 - std::abs(expected)));
  // With less to look at, an answer may be partial, and is never wrong.
  for (const std::int64_t few : {4, 16, 64, 256}) {
    const auto partial = used.answer(state, few, [] {});
    if (!partial) continue;
    CHECK_EQ(value_for(partial->result.outcome, game.to_move(state)), sign);
    if (partial->is_whole) CHECK(partial->best == answer->best);
    for (const Action action : answer->best) {
      CHECK(std::find(partial->best.begin(), partial->best.end(), action) != partial->best.end());
    }
  }
}

// From `plies` random moves on. Gives how many of the results were wins, draws and losses of the player to move.
template <Game G>
std::array<int, 3> check_against_minimax(const G& game, int plies, int games) {
  std::array<int, 3> results{};
  ActionList scratch(game.spec().num_actions);
  ExactSolver<G> used(game, 1'000'000);
  for (int seed = 0; seed < games; ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    auto state = game.initial_state();
    for (int ply = 0; ply < plies && !game.outcome(state); ++ply) play_random(game, state, rng, scratch);
    if (game.outcome(state)) continue;
    ExactSolver<G> solver(game, 1'000'000);
    const auto line = solver.line(state, Rng(1), [] {});
    CHECK(!line.positions.empty());
    check_questions(game, state, used);
    const float result = value_for(line.outcome, game.to_move(state));
    const double expected = minimax(game, state, 0);
    CHECK_EQ(result, expected > 500.0 ? 1.0F : expected < -500.0 ? -1.0F : 0.0F);
    ++results[static_cast<std::size_t>(1.0F - result)];
    for (const ExactPosition& position : line.positions) {
      CHECK(!game.outcome(state));
      CHECK(position.best == best_actions(game, state));
      CHECK(std::find(position.best.begin(), position.best.end(), position.played) != position.best.end());
      game.play(state, position.played);
    }
    CHECK(game.outcome(state) == line.outcome);
  }
  return results;
}

}  // namespace

TEST(tic_tac_toe) {
  const Mnk<1> game("tic_tac_toe", {}, {3, 3, 3});
  check_against_minimax(game, 1, 3);
  const auto [wins, draws, losses] = check_against_minimax(game, 3, 40);
  CHECK(wins > 0 && draws > 0 && losses > 0);
}

TEST(small_mnk) { check_against_minimax(Mnk<1>("gomoku", {}, {3, 4, 3}), 5, 20); }

TEST(small_connect_four) {
  check_against_minimax(ConnectFour("connect_four", {}, ConnectFour::Rules{4, 4, 3}), 6, 20);
  check_against_minimax(ConnectFour("connect_four", {}, ConnectFour::Rules{5, 4, 4}), 10, 12);
}

// With a score, and with passes.
TEST(small_othello) {
  const auto results = check_against_minimax(Othello("othello", {}, 4), 4, 40);
  CHECK(results[0] > 0 && results[2] > 0);
}

TEST(a_player_who_moves_again) {
  const auto [wins, draws, losses] = check_against_minimax(MoveAgain(), 3, 60);
  CHECK(wins > 0 && draws > 0 && losses > 0);
}

// A small table: most of its entries are overwritten, and the answers stay the same.
TEST(the_bound_holds) {
  const ConnectFour game("connect_four", {}, {});
  ActionList scratch(game.spec().num_actions);
  int settled = 0;
  int given_up = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    auto state = game.initial_state();
    for (int ply = 0; ply < 20 && !game.outcome(state); ++ply) play_random(game, state, rng, scratch);
    if (game.outcome(state)) continue;
    ExactSolver small(game, 500);
    ExactSolver large(game, 200'000);
    const auto line = small.line(state, Rng(1), [] {});
    if (line.positions.empty()) {
      ++given_up;
      CHECK(small.positions() <= 500 * game.spec().longest_game);
      continue;
    }
    ++settled;
    const auto same = large.line(state, Rng(1), [] {});
    CHECK(line.outcome == same.outcome);
    CHECK(line.positions.front().best == same.positions.front().best);
    CHECK_EQ(line.positions.size(), same.positions.size());  // the soonest win, the latest loss
  }
  CHECK(settled > 20 && given_up > 20);
  ExactSolver hopeless(game, 500);
  CHECK(hopeless.line(game.initial_state(), Rng(1), [] {}).positions.empty());
  CHECK_EQ(hopeless.positions(), 500);
}

// What a solver finds with few positions does not depend on what it was asked before, nor on how large its table is.
TEST(one_solver_for_many_positions) {
  const ConnectFour game("connect_four", {}, {});
  ActionList scratch(game.spec().num_actions);
  ExactSolver<ConnectFour> used(game, 20'000);
  int settled = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed);
    auto state = game.initial_state();
    for (int ply = 0; ply < 22 && !game.outcome(state); ++ply) play_random(game, state, rng, scratch);
    if (game.outcome(state)) continue;
    ExactSolver<ConnectFour> fresh(game, 300);
    const auto result = fresh.result(state, 300, [] {});
    const std::int64_t before = used.positions();
    CHECK(used.result(state, 300, [] {}) == result);
    CHECK_EQ(used.positions() - before, fresh.positions());
    CHECK(fresh.positions() <= 300);
    const auto truth = used.result(state, 20'000, [] {});
    if (result && truth) CHECK(result->outcome == truth->outcome);
    settled += result.has_value();
  }
  CHECK(settled > 20);
}

// The same question has the same answer, whatever was asked before.
TEST(answers_are_pure) {
  const ConnectFour game("connect_four", {}, {});
  auto state = game.initial_state();
  for (const Action action : {3, 3, 2, 2}) game.play(state, action);
  const auto ask = [&](std::uint64_t seed) { return ExactSolver(game, 1000).line(state, Rng(seed), [] {}); };
  const auto first = ask(7);
  const auto second = ask(7);
  CHECK_EQ(first.positions.size(), 3U);  // two open ends
  CHECK((first.positions.front().best == std::vector<Action>{1, 4}));
  CHECK(first.outcome == Outcome::win(Player::kFirst));
  for (std::size_t i = 0; i < first.positions.size(); ++i) {
    CHECK_EQ(first.positions[i].played, second.positions[i].played);
  }
}

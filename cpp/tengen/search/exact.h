// The result of a position by the rules alone, for every game: alpha-beta to the end of the game, or nothing if a
// bounded number of positions does not settle it.
//
// Where the game has no score, the search deepens ply by ply, and what it finds is the soonest win or the latest loss.
// Where it has one (Go, Othello), the search goes straight to the end, and what it finds is the best score among the
// best results. Nothing is remembered between two calls, so an answer follows from the position and the bound.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/games/derived.h"
#include "tengen/games/game.h"
#include "tengen/search/move_order.h"

namespace tengen {

struct ExactPosition {
  std::vector<Action> best;  // all actions that keep the result, its distance and the score; increasing
  Action played = -1;        // one of them
};

// Best play from a position to the end of the game; no positions if that was not settled.
struct ExactLine {
  Outcome outcome;
  std::vector<ExactPosition> positions;
};

template <Game G>
class ExactSolver {
 public:
  using State = typename G::State;

  // At most `most_positions` are looked at to settle one position.
  ExactSolver(const G& game, std::int64_t most_positions)
      : game_(game),
        most_positions_(most_positions),
        table_(table_entries(most_positions)),
        order_(game),
        legal_(game.spec().num_actions),
        has_score_(score(game, game.initial_state()).has_value()) {}

  // `state` must not be the end of a game. Among equally good actions, the random numbers choose.
  template <class Poll>
  ExactLine line(State state, Rng rng, Poll poll) {
    ExactLine line;
    int depth = has_score_ ? most_plies() : 1;
    while (true) {
      if (const auto outcome = game_.outcome(state)) {
        line.outcome = *outcome;
        return line;
      }
      ExactPosition& here = line.positions.emplace_back();
      const int plies = settle(state, depth, here.best, poll);
      if (plies == kOpen) return {};
      here.played = here.best[rng.below(static_cast<std::uint32_t>(here.best.size()))];
      game_.play(state, here.played);
      depth = std::max(1, plies - 1);  // what is left of a result at that distance
    }
  }

  // Positions that all calls have looked at.
  std::int64_t positions() const { return positions_; }

 private:
  // Values are whole numbers: a win in n plies is kWin - n; with a score, a win by n halves of a point is kWin + n. An
  // unfinished game at the depth limit is 0, and so is a draw.
  static constexpr int kWin = 1'000'000;
  static constexpr int kForced = kWin / 2;  // beyond, a player wins
  static constexpr int kMostMargin = kWin / 4;
  static constexpr int kInfinite = 2 * kWin;
  static constexpr int kMostPlies = 128;  // that are looked ahead
  static constexpr int kAnyDepth = std::numeric_limits<std::int16_t>::max();
  static constexpr int kOpen = -1;

  enum class Bound : std::uint8_t { kNone, kExact, kLower, kUpper };
  struct Entry {
    std::uint64_t key = 0;
    std::int32_t value = 0;  // a forced one counts plies from this position
    Action best = -1;
    std::int16_t depth = 0;  // kAnyDepth: no line below was cut off by the depth limit
    Bound bound = Bound::kNone;
  };

  static std::size_t table_entries(std::int64_t most_positions) {
    constexpr std::int64_t kMostEntries = std::int64_t{1} << 22;
    std::size_t entries = 64;
    while (static_cast<std::int64_t>(entries) < std::min(most_positions, kMostEntries)) entries *= 2;
    return entries;
  }

  int most_plies() const { return std::min(game_.spec().longest_game, kMostPlies); }
  static constexpr bool is_forced(int value) { return value > kForced || value < -kForced; }
  // A forced value seen from `plies` further away.
  int nearer_by(int value, int plies) const {
    if (has_score_ || !is_forced(value)) return value;
    return value > 0 ? value + plies : value - plies;
  }

  // The best actions, and how many plies away the result is (with a draw or a score: at most); kOpen if it takes too
  // many positions. The search starts with `depth`.
  template <class Poll>
  int settle(const State& state, int depth, std::vector<Action>& best, Poll& poll) {
    limit_ = positions_ + most_positions_;
    is_over_limit_ = false;
    for (; depth <= most_plies(); ++depth) {
      const std::int64_t open_before = open_leaves_;
      const int value = value_of(state, depth, 0, -kInfinite, kInfinite, poll);
      if (is_over_limit_) return kOpen;
      const bool is_whole = open_leaves_ == open_before;  // no line was cut off by the depth limit
      if (!is_whole && (has_score_ || !is_forced(value))) continue;
      game_.legal_actions(state, legal_);
      for (const Action action : legal_) {
        if (value_of_move(state, action, depth, 0, value - 1, value, poll) >= value) best.push_back(action);
        if (is_over_limit_) return kOpen;
      }
      return has_score_ || !is_forced(value) ? depth : kWin - std::abs(value);
    }
    return kOpen;
  }

  // Of a legal move, for the player who makes it, if it is between alpha and beta; else a bound beyond them.
  template <class Poll>
  int value_of_move(const State& state, Action action, int depth, int ply, int alpha, int beta, Poll& poll) {
    State next = state;
    game_.play(next, action);
    const bool again = game_.to_move(next) == game_.to_move(state);
    return again ? value_of(next, depth - 1, ply + 1, alpha, beta, poll)
                 : -value_of(next, depth - 1, ply + 1, -beta, -alpha, poll);
  }

  // For the player to move at `ply` plies from the root, with `depth` more to look ahead. Means nothing over the limit.
  template <class Poll>
  int value_of(const State& state, int depth, int ply, int alpha, int beta, Poll& poll) {
    const Player player = game_.to_move(state);
    if (const auto outcome = game_.outcome(state)) return value_at_end(state, *outcome, player, ply);
    if (depth == 0) {
      ++open_leaves_;
      return 0;
    }
    if (positions_ >= limit_) {
      is_over_limit_ = true;
      return 0;
    }
    ++positions_;
    poll();

    const std::uint64_t key = game_.hash(state);
    Entry& entry = table_[key & (table_.size() - 1)];
    Action first = -1;
    if (entry.bound != Bound::kNone && entry.key == key) {
      first = entry.best;
      const int known = nearer_by(entry.value, -ply);
      // A forced result without a score stays the same when more plies are looked ahead.
      const bool is_final = entry.depth == kAnyDepth || (!has_score_ && is_forced(known));
      if ((is_final || entry.depth >= depth) &&
          (entry.bound == Bound::kExact || (entry.bound == Bound::kLower && known >= beta) ||
           (entry.bound == Bound::kUpper && known <= alpha))) {
        if (!is_final) ++open_leaves_;
        return known;
      }
    }

    const std::int64_t open_before = open_leaves_;
    int best = -kInfinite;
    Action best_action = -1;
    int reached = alpha;
    for (const auto& [_, action] : order_.ordered(state, player, ply, first)) {
      const int value = value_of_move(state, action, depth, ply, reached, beta, poll);
      if (is_over_limit_) return 0;
      if (value > best) best = value, best_action = action;
      reached = std::max(reached, best);
      if (reached >= beta) {
        order_.remember_cut(player, ply, action, depth);
        break;
      }
    }
    const Bound bound = best >= beta ? Bound::kLower : best > alpha ? Bound::kExact : Bound::kUpper;
    const int looked_ahead = open_leaves_ == open_before ? kAnyDepth : depth;
    entry = {key, nearer_by(best, ply), best_action, static_cast<std::int16_t>(looked_ahead), bound};
    return best;
  }

  int value_at_end(const State& state, const Outcome& outcome, Player player, int ply) const {
    const int sign = static_cast<int>(value_for(outcome, player));
    if (!has_score_) return sign * (kWin - ply);
    const double points = std::clamp(2.0 * score(game_, state).value_or(0.0), -1.0 * kMostMargin, 1.0 * kMostMargin);
    const int margin = static_cast<int>(std::lround(points));
    return sign * kWin + (player == Player::kFirst ? margin : -margin);
  }

  const G& game_;
  std::int64_t most_positions_;
  std::vector<Entry> table_;  // the newest entry stays
  MoveOrder<G> order_;
  ActionList legal_;
  bool has_score_;
  std::int64_t positions_ = 0;
  std::int64_t limit_ = 0;        // of positions_, for the position being settled
  std::int64_t open_leaves_ = 0;  // times that the depth limit cut off a line
  bool is_over_limit_ = false;
};

}  // namespace tengen

// Minimax with alpha-beta pruning (Knuth and Moore 1975): what game programs did before Monte Carlo, for every game.
//
// Iterative deepening, a transposition table, and moves in the order that prunes most (move_order.h). The players need
// not alternate: a value changes its sign only when the player to move changes.
//
// A position at the depth limit is valued by the game's score, where it has one (Go, Othello); elsewhere by the mean of
// a few short random play-outs, whose chance follows from the seed and the position.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/games/derived.h"
#include "tengen/games/game.h"
#include "tengen/search/move_order.h"

namespace tengen {

struct AlphaBetaResult {
  Action best_action = -1;
  float value = 0.0F;  // for the player to move; beyond +-0.9 the result is forced
  int depth = 0;       // that was searched completely: less than asked for where the result is forced
  std::int64_t positions = 0;
};

template <Game G>
class AlphaBeta {
 public:
  using State = typename G::State;

  AlphaBeta(const G& game, int depth, std::uint64_t seed)
      : game_(game),
        depth_(depth),
        rng_(seed),
        scratch_(game.spec().num_actions),
        table_(std::size_t{1} << std::min(20, 8 + 2 * depth)),
        order_(game) {}

  // `state` must not be the end of a game. `poll` is called again and again; it may throw to end the search.
  template <class Poll>
  AlphaBetaResult search(const State& state, Poll poll) {
    AlphaBetaResult result;
    game_.legal_actions(state, scratch_);
    std::vector<Action> order(scratch_.begin(), scratch_.end());
    for (std::size_t i = order.size(); i > 1; --i) {  // moves of equal value: any of them
      std::swap(order[i - 1], order[rng_.below(static_cast<std::uint32_t>(i))]);
    }
    for (int depth = 1; depth <= depth_; ++depth) {
      int best = -kInfinite;
      std::size_t best_at = 0;
      for (std::size_t i = 0; i < order.size(); ++i) {
        const int value = value_of_move(state, order[i], depth, 0, best, kInfinite, poll);
        if (value > best) best = value, best_at = i;
      }
      std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(best_at),
                  order.begin() + static_cast<std::ptrdiff_t>(best_at) + 1);
      result.best_action = order.front();
      result.value = static_cast<float>(best) / kWin;
      result.depth = depth;
      if (is_forced(best)) break;
    }
    result.positions = positions_;
    return result;
  }

 private:
  // Values are whole numbers, so that equal ones are equal: a win in n plies is kWin - n.
  static constexpr int kWin = 1'000'000;
  static constexpr int kInfinite = kWin + 1;
  static constexpr int kHighestGuess = kWin * 9 / 10;  // of an unfinished game
  static constexpr int kPlayouts = 8;
  static constexpr int kPlayoutPlies = 60;  // a play-out that is longer counts as a draw

  enum class Bound : std::uint8_t { kNone, kExact, kLower, kUpper };
  struct Entry {
    std::uint64_t key = 0;
    std::int32_t value = 0;  // a forced one counts plies from this position
    Action best = -1;
    std::int16_t depth = 0;
    Bound bound = Bound::kNone;
  };

  static constexpr bool is_forced(int value) { return value > kHighestGuess || value < -kHighestGuess; }
  // A forced value seen from `plies` further away.
  static constexpr int nearer_by(int value, int plies) {
    if (!is_forced(value)) return value;
    return value > 0 ? value + plies : value - plies;
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

  // For the player to move at `ply` plies from the root, with `depth` more to look ahead.
  template <class Poll>
  int value_of(const State& state, int depth, int ply, int alpha, int beta, Poll& poll) {
    ++positions_;
    const Player player = game_.to_move(state);
    if (const auto outcome = game_.outcome(state)) {
      return static_cast<int>(value_for(*outcome, player)) * (kWin - ply);
    }
    if (depth == 0) return guess(state, player);
    poll();

    const std::uint64_t key = game_.hash(state);
    Entry& entry = table_[key & (table_.size() - 1)];
    Action first = -1;
    if (entry.bound != Bound::kNone && entry.key == key) {
      first = entry.best;
      const int known = nearer_by(entry.value, -ply);
      if (entry.depth >= depth && (entry.bound == Bound::kExact || (entry.bound == Bound::kLower && known >= beta) ||
                                   (entry.bound == Bound::kUpper && known <= alpha))) {
        return known;
      }
    }

    int best = -kInfinite;
    Action best_action = -1;
    int reached = alpha;
    for (const auto& [_, action] : order_.ordered(state, player, ply, first)) {
      const int value = value_of_move(state, action, depth, ply, reached, beta, poll);
      if (value > best) best = value, best_action = action;
      reached = std::max(reached, best);
      if (reached >= beta) {
        order_.remember_cut(player, ply, action, depth);
        break;
      }
    }
    const Bound bound = best >= beta ? Bound::kLower : best > alpha ? Bound::kExact : Bound::kUpper;
    entry = {key, nearer_by(best, ply), best_action, static_cast<std::int16_t>(depth), bound};
    return best;
  }

  // The value of an unfinished position without looking ahead.
  int guess(const State& state, Player player) {
    if (const auto points = score(game_, state)) {  // of all cells; a margin beyond that is as good as all of them
      const double share = std::clamp(*points / game_.spec().num_cells(), -1.0, 1.0);
      const int value = static_cast<int>(share * kHighestGuess);
      return player == Player::kFirst ? value : -value;
    }
    Rng rng = rng_.split(game_.hash(state));
    float sum = 0.0F;
    for (int playout = 0; playout < kPlayouts; ++playout) {
      State at = state;
      auto outcome = game_.outcome(at);
      for (int ply = 0; ply < kPlayoutPlies && !outcome; ++ply) {
        play_random(game_, at, rng, scratch_);
        outcome = game_.outcome(at);
      }
      if (outcome) sum += value_for(*outcome, player);
    }
    return static_cast<int>(sum / kPlayouts * kHighestGuess);
  }

  const G& game_;
  int depth_;
  Rng rng_;
  ActionList scratch_;
  std::vector<Entry> table_;  // the newest entry stays
  MoveOrder<G> order_;
  std::int64_t positions_ = 0;
};

}  // namespace tengen

// The result of a position by the rules alone, for every game: alpha-beta to the end of the game, or nothing if a
// bounded number of positions does not settle it.
//
// There are two questions. result() asks who wins, and how far away that is in the line that proves it; answer() asks
// for all best actions besides, which win soonest or lose latest, or keep the best score where the game has one (Go,
// Othello). The first is cheaper: only three values are told apart.
//
// Without a score, the search deepens ply by ply, which finds what is near, and goes straight to the end where that is
// near; with one, it goes straight to the end at once. An answer follows from the position and the bound alone,
// whatever was asked before: entries of the table carry the number of the question they belong to.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/games/derived.h"
#include "tengen/games/game.h"
#include "tengen/search/move_order.h"

namespace tengen {

// Who wins under best play, and in how many plies the line that proves it ends.
struct ExactResult {
  Outcome outcome;
  int distance = 0;
  bool operator==(const ExactResult&) const = default;
};

struct ExactAnswer {
  ExactResult result;
  std::vector<Action> best;  // all actions that keep the result, its distance and the score; increasing
  bool is_whole = true;      // false: they keep the result, and which of them is best was not settled
};

struct ExactPosition {
  std::vector<Action> best;  // as in ExactAnswer
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

  // At most `most_positions` are looked at to settle one position; a question may set a lower bound.
  ExactSolver(const G& game, std::int64_t most_positions)
      : game_(game),
        most_positions_(most_positions),
        table_(table_entries(most_positions)),
        order_(game),
        scratch_(game.spec().num_actions),
        has_score_(score(game, game.initial_state()).has_value()) {}
  ExactSolver(const ExactSolver&) = delete;  // its move order points to its game
  ExactSolver& operator=(const ExactSolver&) = delete;

  // Who wins. `state` must not be the end of a game, here and below. `poll` is called again and again; it may throw to
  // end the question.
  template <class Poll>
  std::optional<ExactResult> result(const State& state, std::int64_t most_positions, Poll poll) {
    begin(most_positions, false);
    const Found found = settle(state, false, poll);
    if (!found.is_settled) return std::nullopt;
    return result_of(state, found);
  }

  // Who wins, and by which actions. Half of the positions must be enough for the first, three quarters for actions that
  // keep the result, and all for the best of them; without the last, the answer is one only if it rules out an action.
  template <class Poll>
  std::optional<ExactAnswer> answer(const State& state, std::int64_t most_positions, Poll poll) {
    most_positions = std::min(most_positions, most_positions_);
    begin(most_positions, false);
    const std::int64_t end = limit_;
    limit_ = end - most_positions / 2;
    Found found = settle(state, false, poll);
    if (!found.is_settled) return std::nullopt;
    ExactAnswer answer{result_of(state, found), {}};
    const bool is_drawn = !is_forced(found.value);
    if (!found.is_soonest) {
      limit_ = end - most_positions / 4;
      if (!find_keeping(state, found, answer.best, poll)) return std::nullopt;
      if (is_drawn && !has_score_) return answer;
    }
    limit_ = end;
    if (has_score_) {
      ask(true);
      found = settle(state, true, poll);
    } else if (!found.is_soonest) {
      found = soonest(state, found, 1, poll);
    }
    std::vector<Action> best;
    if (found.is_settled && find_best(state, found, best, poll)) {
      if (!has_score_) answer.result = result_of(state, found);
      answer.best = std::move(best);
      return answer;
    }
    answer.is_whole = false;
    game_.legal_actions(state, scratch_);
    if (answer.best.empty() || static_cast<int>(answer.best.size()) == scratch_.size()) return std::nullopt;
    return answer;
  }

  // Best play to the end of the game. Among equally good actions, the random numbers choose.
  template <class Poll>
  ExactLine line(State state, Rng rng, Poll poll) {
    begin(most_positions_, has_score_);
    ExactLine line;
    while (true) {
      if (const auto outcome = game_.outcome(state)) {
        line.outcome = *outcome;
        return line;
      }
      ExactPosition& here = line.positions.emplace_back();
      limit_ = positions_ + most_positions_;
      const Found found = settle(state, true, poll);
      if (!found.is_settled || !find_best(state, found, here.best, poll)) return {};
      here.played = here.best[rng.below(static_cast<std::uint32_t>(here.best.size()))];
      game_.play(state, here.played);
    }
  }

  // Whether the end of the game is so near that there is hope, for a fraction of what a question costs: some random
  // games end soon, and with few actions to choose from on the way. Their chance follows from the position.
  bool looks_short(const State& state) {
    Rng rng(game_.hash(state));
    longest_ = 0;
    for (int games = 0; games < kRandomGames; ++games) {
      State at = state;
      int choices = 0;
      for (int plies = 1; !game_.outcome(at); ++plies) {
        longest_ = std::max(longest_, plies);
        game_.legal_actions(at, scratch_);
        choices += scratch_.size();
        if (choices > kShort) return false;
        game_.play(at, scratch_[static_cast<int>(rng.below(static_cast<std::uint32_t>(scratch_.size())))]);
      }
    }
    return true;
  }

  // Positions that all calls have looked at: unfinished ones whose moves were tried.
  std::int64_t positions() const { return positions_; }
  std::int64_t most_positions() const { return most_positions_; }

  // All memory that it holds, but for what the states of a game keep elsewhere.
  std::size_t bytes() const {
    std::size_t sum = table_.capacity() * sizeof(Entry) + order_.bytes() +
                      static_cast<std::size_t>(game_.spec().num_actions) * sizeof(Action);
    for (const Level& level : levels_) {
      sum += sizeof(Level) + static_cast<std::size_t>(game_.spec().num_actions) * sizeof(Action) +
             level.moves.capacity() * sizeof(Move) + level.children.capacity() * sizeof(State);
    }
    return sum;
  }

 private:
  // Values are whole numbers: a win in n plies is kWin - n; if the score counts, a win by n halves of a point is
  // kWin + n. An unfinished game at the depth limit is 0, and so is a draw.
  static constexpr int kWin = 1'000'000;
  static constexpr int kForced = kWin / 2;  // beyond, a player wins
  static constexpr int kMostMargin = kWin / 4;
  static constexpr int kInfinite = 2 * kWin;
  static constexpr int kMostPlies = 128;  // that are looked ahead
  static constexpr int kAnyDepth = std::numeric_limits<std::int16_t>::max();

  // What a look at every move of a position costs is worth it where at least so many positions are below it on average.
  static constexpr std::int64_t kTablePays = 3;
  static constexpr std::int64_t kRepliesPay = 12;
  static constexpr std::int64_t kThreatsPay = 2;
  static constexpr std::int64_t kDearThreatsPay = 8;  // for each move, where a look at wins is a look at all moves

  // Without a score: the share of the positions that deepening may take before the search goes straight to the end,
  // where that looks near: legal actions of all positions of a random game together.
  static constexpr std::int64_t kDeepeningShare = 32;
  static constexpr int kShort = 256;
  static constexpr int kRandomGames = 6;

  enum class Bound : std::uint8_t { kNone, kExact, kLower, kUpper };
  struct Entry {
    std::uint64_t key = 0;
    std::int32_t value = 0;  // a forced one counts plies from this position
    Action best = -1;
    std::uint32_t question = 0;  // the entry belongs to
    std::int16_t depth = 0;      // kAnyDepth: no line below was cut off by the depth limit
    Bound bound = Bound::kNone;
  };

  struct Found {
    bool is_settled = false;
    int value = 0;
    int plies = 0;            // to the result (with a draw or a score: at most)
    bool is_soonest = false;  // the result comes no sooner
  };

  struct Move {
    std::int64_t rank = 0;
    Action action = 0;
    int child = -1;  // the position after it in Level::children, if it was made already
  };

  // What a position on the way needs, kept for the next one at this ply.
  struct Level {
    explicit Level(int num_actions) : legal(num_actions) {}

    // Where the position after a move can be made from `state`.
    State& child(std::size_t i, const State& state) {
      if (i == children.size()) return children.emplace_back(state);
      return children[i] = state;
    }

    ActionList legal;
    std::vector<Move> moves;      // the best first
    std::vector<State> children;  // after moves; may have more than are in use
    std::int64_t below = 0;       // 16 times how many positions were looked at for one at this ply, on average
    bool is_known = false;        // `below` is
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
    if (counts_score_ || !is_forced(value)) return value;
    return value > 0 ? value + plies : value - plies;
  }

  // A new question, which knows nothing of those before it. A small one uses a small part of the table, which stays in
  // the cache of the processor.
  void begin(std::int64_t most_positions, bool counts_score) {
    most_positions = std::min(most_positions, most_positions_);
    limit_ = positions_ + most_positions;
    mask_ = std::min(table_entries(most_positions), table_.size()) - 1;
    deepest_ = 0;
    order_.forget();
    for (Level& level : levels_) level.is_known = false;
    ask(counts_score);
  }

  // From here on the entries of the table so far do not count.
  void ask(bool counts_score) {
    counts_score_ = counts_score;
    if (++question_ == 0) {  // after 2^32 questions
      std::fill(table_.begin(), table_.end(), Entry{});
      question_ = 1;
    }
  }

  ExactResult result_of(const State& state, const Found& found) const {
    const Player player = game_.to_move(state);
    if (!is_forced(found.value)) return {Outcome::draw(), found.plies};
    return {Outcome::win(found.value > 0 ? player : opponent(player)), found.plies};
  }

  // Who wins, by how much if the score counts, and how soon if that counts.
  template <class Poll>
  Found settle(const State& state, bool counts_plies, Poll& poll) {
    is_over_limit_ = is_endless_ = false;
    if (has_score_) return straight(state, poll);
    const std::int64_t enough = positions_ + (limit_ - positions_) / kDeepeningShare;
    const bool is_short = looks_short(state);
    int depth = 1;
    for (; depth <= most_plies() && !(is_short && positions_ > enough); ++depth) {
      Found found = within(state, depth, -1, 1, poll);
      found.is_soonest = is_forced(found.value);  // there was none within fewer plies
      if (found.is_settled || is_over_limit_) return found;
    }
    if (depth > most_plies()) return {};
    const Found found = straight(state, poll);
    if (is_endless_ && counts_plies) {  // what is near may still be found
      is_over_limit_ = false;
      for (; depth <= most_plies(); ++depth) {
        Found near = within(state, depth, -1, 1, poll);
        near.is_soonest = is_forced(near.value);
        if (near.is_settled || is_over_limit_) return near;
      }
      return {};
    }
    if (!found.is_settled || !counts_plies || !is_forced(found.value)) return found;
    return soonest(state, found, depth, poll);
  }

  // To the end of the game. Where random games look short and a line is far longer than they are, as in endgames of
  // chess in which pieces wander about, there is no hope, and the search gives up at once.
  template <class Poll>
  Found straight(const State& state, Poll& poll) {
    const int window = counts_score_ ? kInfinite : 1;
    const std::int64_t open_before = open_leaves_;
    end_ply_ = looks_short(state) ? 2 * longest_ + 8 : kMostPlies + 1;
    const int value = value_of(state, most_plies(), 0, -window, window, poll);
    end_ply_ = kMostPlies + 1;
    if (is_over_limit_ || open_leaves_ != open_before) return {};
    return {true, value, counts_score_ || !is_forced(value) ? deepest_ : kWin - std::abs(value)};
  }

  // A win or a loss within `depth` plies, or a draw by all that can follow.
  template <class Poll>
  Found within(const State& state, int depth, int alpha, int beta, Poll& poll) {
    const std::int64_t open_before = open_leaves_;
    const int value = value_of(state, depth, 0, alpha, beta, poll);
    if (is_over_limit_) return {};
    const bool is_whole = open_leaves_ == open_before;  // no line was cut off by the depth limit
    if (!is_whole && !is_forced(value)) return {};
    return {true, value, is_forced(value) ? kWin - std::abs(value) : deepest_};
  }

  // How soon a result comes that was found straight, if it is not within fewer than `depth` plies.
  template <class Poll>
  Found soonest(const State& state, const Found& found, int depth, Poll& poll) {
    const bool wins = found.value > 0;
    for (; depth < found.plies; ++depth) {
      const Found sooner = within(state, depth, wins ? 0 : -1, wins ? 1 : 0, poll);
      if (is_over_limit_) return {};
      if (sooner.is_settled && is_forced(sooner.value)) return sooner;
    }
    return found;
  }

  // All actions that keep the result. False if it takes too many positions.
  template <class Poll>
  bool find_keeping(const State& state, const Found& found, std::vector<Action>& keeping, Poll& poll) {
    const int wanted = found.value > kForced ? 1 : found.value < -kForced ? -kInfinite : 0;
    return find_at_least(state, wanted, most_plies(), keeping, poll);
  }

  // All actions that keep what was found. False if it takes too many positions.
  template <class Poll>
  bool find_best(const State& state, const Found& found, std::vector<Action>& best, Poll& poll) {
    const bool wins = !counts_score_ && found.value > kForced;
    const bool loses = !counts_score_ && found.value < -kForced;
    // A win within so many plies, or no loss within fewer; else whatever comes in the end.
    const int depth = wins ? found.plies : loses ? found.plies - 1 : most_plies();
    const int wanted = wins ? 1 : loses ? 0 : found.value;
    return find_at_least(state, wanted, depth, best, poll);
  }

  // All actions with at least the wanted value, if `depth` plies are looked ahead: all of them, unless a win or a loss
  // within that many is what is asked about. False if it takes too many positions, or if there is none: the hashes of
  // two positions were equal.
  template <class Poll>
  bool find_at_least(const State& state, int wanted, int depth, std::vector<Action>& found, Poll& poll) {
    const std::int64_t open_before = open_leaves_;
    game_.legal_actions(state, scratch_);
    const std::vector<Action> legal(scratch_.begin(), scratch_.end());
    for (const Action action : legal) {
      State next = state;
      game_.play(next, action);
      if (wanted == -kInfinite ||
          value_after(next, game_.to_move(state), depth, 0, wanted - 1, wanted, poll) >= wanted) {
        found.push_back(action);
      }
      if (is_over_limit_) return false;
    }
    return !found.empty() && (depth < most_plies() || open_leaves_ == open_before);
  }

  // Of the position `next` after a move of `player` at `ply`, for that player, if it is between alpha and beta; else a
  // bound beyond them. `depth` counts the move.
  template <class Poll>
  int value_after(const State& next, Player player, int depth, int ply, int alpha, int beta, Poll& poll) {
    const auto outcome = depth > 0 ? game_.outcome(next) : std::nullopt;
    if (outcome) return value_at_end(next, *outcome, player, ply + 1);
    if (depth <= 1) {
      ++open_leaves_;
      return 0;
    }
    return game_.to_move(next) == player ? value_of(next, depth - 1, ply + 1, alpha, beta, poll)
                                         : -value_of(next, depth - 1, ply + 1, -beta, -alpha, poll);
  }

  // Of an unfinished position for the player to move at `ply` plies from the root, with `depth` more to look ahead, at
  // least one. Means nothing over the limit.
  template <class Poll>
  int value_of(const State& state, int depth, int ply, int alpha, int beta, Poll& poll) {
    if (positions_ >= limit_ || ply > end_ply_) {
      is_endless_ = ply > end_ply_;
      is_over_limit_ = true;
      return 0;
    }
    const std::int64_t positions_before = positions_++;
    poll();

    // 1. A win at once is the best there is, unless the score counts.
    if constexpr (HasWinningAction<G>) {
      const bool looks = !counts_score_ && (kSeesWinsCheaply || has_score_ || depth <= 2);
      if (looks && game_.winning_action(state)) return kWin - (ply + 1);
    }
    if (depth == 1 && !has_score_) return value_of_last(state, ply);

    // 2. What the table says.
    Level& level = at(ply);
    const Player player = game_.to_move(state);
    const bool uses_table = is_worth(level, kTablePays);
    Entry* entry = nullptr;
    std::uint64_t key = 0;
    Action first = -1;
    if (uses_table) {
      key = game_.hash(state);
      entry = &table_[key & mask_];
      if (entry->question == question_ && entry->key == key) {
        first = entry->best;
        const int known = nearer_by(entry->value, -ply);
        // A win or a loss stays the same when more plies are looked ahead, and holds within fewer if it is that near.
        const bool is_near = kWin - std::abs(entry->value) <= depth;
        const bool is_final = !counts_score_ && is_forced(known) ? is_near : entry->depth == kAnyDepth;
        if ((is_final || (entry->depth >= depth && !is_forced(known))) &&
            (entry->bound == Bound::kExact || (entry->bound == Bound::kLower && known >= beta) ||
             (entry->bound == Bound::kUpper && known <= alpha))) {
          if (!is_final) ++open_leaves_;
          return known;
        }
      }
    }

    // 3. The moves in order. Some results are seen on the way, and those moves need no search.
    const std::int64_t open_before = open_leaves_;
    int best = -kInfinite;
    Action best_action = -1;
    const auto consider = [&](int value, Action action) {
      if (value > best) best = value, best_action = action;
    };
    if (order_moves(state, level, player, depth, ply, first, consider)) return kWin - (ply + 1);

    // 4. One after the other. If the score counts, those after the first are only asked whether they are better.
    int reached = std::max(alpha, best);
    bool is_first = true;
    for (const Move& move : level.moves) {
      if (reached >= beta) break;
      if (move.child < 0) {
        game_.play(level.child(0, state), move.action);
      }
      const State& next = level.children[static_cast<std::size_t>(std::max(0, move.child))];
      const bool asks = counts_score_ && !is_first && reached + 1 < beta;
      int value = value_after(next, player, depth, ply, reached, asks ? reached + 1 : beta, poll);
      if (is_over_limit_) return 0;
      if (asks && value > reached && value < beta) {
        value = value_after(next, player, depth, ply, reached, beta, poll);
        if (is_over_limit_) return 0;
      }
      is_first = false;
      consider(value, move.action);
      reached = std::max(reached, best);
      if (reached >= beta) order_.remember_cut(player, ply, move.action, depth);
    }
    if (entry != nullptr) {
      const Bound bound = best >= beta ? Bound::kLower : best > alpha ? Bound::kExact : Bound::kUpper;
      const int looked_ahead = open_leaves_ == open_before ? kAnyDepth : depth;
      *entry = {key, nearer_by(best, ply), best_action, question_, static_cast<std::int16_t>(looked_ahead), bound};
    }
    const std::int64_t spent = 16 * (positions_ - positions_before);
    level.below = level.is_known ? level.below + (spent - level.below) / 8 : spent;
    level.is_known = true;
    return best;
  }

  // The same with one ply to look ahead, in a game without a score: the moves need no order.
  int value_of_last(const State& state, int ply) {
    Level& level = at(ply);
    const Player player = game_.to_move(state);
    game_.legal_actions(state, level.legal);
    int best = -kInfinite;
    bool is_open = false;
    for (const Action action : level.legal) {
      State& next = level.child(0, state);
      game_.play(next, action);
      if (const auto outcome = game_.outcome(next)) {
        best = std::max(best, value_at_end(next, *outcome, player, ply + 1));
        if (best > kForced) return best;
      } else {
        is_open = true;
        if constexpr (HasWinningAction<G>) break;  // there is no win
      }
    }
    if (!is_open) return best;
    ++open_leaves_;
    return std::max(best, 0);
  }

  // Whether so many positions are below one of this level; true until one was looked at.
  static bool is_worth(const Level& level, std::int64_t positions) {
    return !level.is_known || level.below >= 16 * positions;
  }

  // Fills level.moves with the moves that need a search; consider(value, action) hears of the others. True if a move
  // wins at once, and nothing else matters.
  template <class Consider>
  bool order_moves(const State& state, Level& level, Player player, int depth, int ply, Action first,
                   Consider& consider) {
    const bool counts_replies = has_score_ && is_worth(level, kRepliesPay);
    const bool sees_wins = !counts_score_ && !has_score_ && !HasWinningAction<G>;
    game_.legal_actions(state, level.legal);
    const auto num_legal = static_cast<std::int64_t>(level.legal.size());
    const bool sees_threats = !has_score_ && depth > 2 && num_legal > 1 &&
                              (kSeesWinsCheaply ? is_worth(level, kThreatsPay)
                                                : level.is_known && is_worth(level, kDearThreatsPay * num_legal));
    const bool makes_all = counts_replies || sees_wins || sees_threats;
    level.moves.clear();
    std::size_t made = 0;
    for (const Action action : level.legal) {
      Move move{order_.rank(player, ply, action, first), action};
      if (makes_all) {
        move.child = static_cast<int>(made);
        State& next = level.child(made++, state);
        game_.play(next, action);
        if (sees_wins || sees_threats) {
          if (const auto outcome = game_.outcome(next)) {
            const int value = value_at_end(next, *outcome, player, ply + 1);
            if (value > kForced) return true;
            consider(value, action);
            --made;
            continue;
          }
        }
        if (sees_threats && game_.to_move(next) != player && winning_action(game_, next, scratch_)) {
          consider(-(kWin - (ply + 2)), action);
          --made;
          continue;
        }
        if constexpr (HasPromise<G>) {
          if (action != first) move.rank = (move.rank & kHistory) + game_.promise(next) * (kHistory + 1);
        }
        if (counts_replies && action != first) {
          game_.legal_actions(next, scratch_);
          move.rank = (move.rank & kHistory) - scratch_.size() * (kHistory + 1);
        }
      }
      level.moves.push_back(move);
      // Into its place, after its equals. The lists are short, and a sort of the library would allocate.
      for (std::size_t i = level.moves.size() - 1; i > 0 && level.moves[i - 1].rank < move.rank; --i) {
        std::swap(level.moves[i - 1], level.moves[i]);
      }
    }
    return false;
  }

  int value_at_end(const State& state, const Outcome& outcome, Player player, int ply) {
    deepest_ = std::max(deepest_, ply);
    const int sign = static_cast<int>(value_for(outcome, player));
    if (!counts_score_) return sign * (kWin - ply);
    const double points = std::clamp(2.0 * score(game_, state).value_or(0.0), -1.0 * kMostMargin, 1.0 * kMostMargin);
    const int margin = static_cast<int>(std::lround(points));
    return sign * kWin + (player == Player::kFirst ? margin : -margin);
  }

  Level& at(int ply) {
    while (levels_.size() <= static_cast<std::size_t>(ply)) levels_.emplace_back(game_.spec().num_actions);
    return levels_[static_cast<std::size_t>(ply)];
  }

  static constexpr bool kSeesWinsCheaply = HasWinningAction<G> && HasPromise<G>;
  static constexpr std::int64_t kHistory = (std::int64_t{1} << 40) - 1;  // the part of a rank that breaks ties

  const G& game_;
  std::int64_t most_positions_;
  std::vector<Entry> table_;  // the newest entry stays
  MoveOrder<G> order_;
  std::deque<Level> levels_;  // [ply] as many as were reached; a deque never moves them
  ActionList scratch_;
  bool has_score_;
  std::int64_t positions_ = 0;

  // Of the question that is asked.
  bool counts_score_ = false;  // else only the result, and how soon it comes
  std::uint32_t question_ = 0;
  std::size_t mask_ = 0;          // of the part of the table that is in use
  std::int64_t limit_ = 0;        // of positions_, for the position being settled
  std::int64_t open_leaves_ = 0;  // times that the depth limit cut off a line
  bool is_over_limit_ = false;
  int longest_ = 0;               // plies of the random games of looks_short()
  int end_ply_ = kMostPlies + 1;  // no line may be longer
  bool is_endless_ = false;       // one was
  int deepest_ = 0;               // plies to the furthest end of a game that was seen
};

}  // namespace tengen

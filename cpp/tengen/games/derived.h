// What follows from the Game concept: written once here, for every game.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tengen/base/error.h"
#include "tengen/base/rng.h"
#include "tengen/games/game.h"

namespace tengen {

template <Game G>
bool is_legal(const G& game, const typename G::State& state, Action action) {
  if constexpr (HasIsLegal<G>) {
    return game.is_legal(state, action);
  } else {
    ActionList list(game.spec().num_actions);
    game.legal_actions(state, list);
    return std::binary_search(list.begin(), list.end(), action);
  }
}

// What a network's answer depends on: states with equal keys have equal planes and equal legal actions. A game may
// offer one of its own (`evaluation_key(state)`) that forgets what only the future rules need, such as the positions
// that a superko rule forbids. `hash` tells states apart; this tells evaluations apart.
template <Game G>
std::uint64_t evaluation_key(const G& game, const typename G::State& state) {
  if constexpr (HasEvaluationKey<G>) {
    return game.evaluation_key(state);
  } else {
    return game.hash(state);
  }
}

// Uniform over the legal actions of an unfinished game. A game may offer a faster way of its own
// (`random_action(state, rng)`); the distribution must be the same.
template <Game G>
Action random_action(const G& game, const typename G::State& state, Rng& rng, ActionList& scratch) {
  if constexpr (HasRandomAction<G>) {
    return game.random_action(state, rng);
  } else {
    game.legal_actions(state, scratch);
    return scratch[static_cast<int>(rng.below(static_cast<std::uint32_t>(scratch.size())))];
  }
}

// Plays such an action. A game may offer a faster way (`play_random(state, rng)`) if it can do without the action's
// name; the distribution must be the same.
template <Game G>
void play_random(const G& game, typename G::State& state, Rng& rng, ActionList& scratch) {
  if constexpr (HasPlayRandom<G>) {
    game.play_random(state, rng);
  } else {
    game.play(state, random_action(game, state, rng, scratch));
  }
}

// An action that wins at once for the player to move, if there is one. A game may offer a way of its own
// (`winning_action(state)`): a faster one, or one that looks only where it is worth while.
template <Game G>
std::optional<Action> winning_action(const G& game, const typename G::State& state, ActionList& scratch) {
  if constexpr (HasWinningAction<G>) {
    return game.winning_action(state);
  } else {
    const Player player = game.to_move(state);
    game.legal_actions(state, scratch);
    for (const Action action : scratch) {
      auto next = state;
      game.play(next, action);
      if (game.outcome(next) == Outcome::win(player)) return action;
    }
    return std::nullopt;
  }
}

// Plays uniformly random legal actions until the game is over. A game may offer a faster way of its own
// (`random_playout(state, rng)`); the distribution must be the same.
template <Game G>
Playout random_playout(const G& game, typename G::State& state, Rng& rng, ActionList& scratch) {
  if constexpr (HasRandomPlayout<G>) {
    return game.random_playout(state, rng);
  } else {
    for (std::int64_t actions = 0;; ++actions) {
      if (const auto outcome = game.outcome(state)) return {*outcome, actions};
      play_random(game, state, rng, scratch);
    }
  }
}

// Writes the piece code of every cell, [height * width]; false if the game does not say what stands on its board.
template <Game G>
bool write_cells(const G& game, const typename G::State& state, std::int8_t* out) {
  if constexpr (HasCells<G>) {
    if (!game.spec().pieces.empty()) {
      game.cells(state, out);
      return true;
    }
  }
  return false;
}

// What each player holds.
template <Game G>
std::array<Hand, 2> hands(const G& game, const typename G::State& state) {
  if constexpr (HasHands<G>) {
    if (!game.spec().hands.empty()) return game.hands(state);
  }
  return {};
}

// For the first player; empty if the game has no score.
template <Game G>
std::optional<double> score(const G& game, const typename G::State& state) {
  if constexpr (HasScore<G>) {
    if (!game.spec().score_name.empty()) return game.score(state);
  }
  return std::nullopt;
}

// How and why the game ended; empty while it goes on. A game that gives no reason has ended by its rules.
template <Game G>
std::optional<Ending> ending(const G& game, const typename G::State& state) {
  const auto outcome = game.outcome(state);
  if (!outcome) return std::nullopt;
  if constexpr (HasEnding<G>) {
    return game.ending(state);
  } else {
    return Ending{*outcome, Reason::kRules, ""};
  }
}

// The name of any action in that state, legal or not. Without a word of the game's own it is the same in every state.
template <Game G>
std::string action_text(const G& game, const typename G::State& state, Action action) {
  if constexpr (HasActionTextIn<G>) {
    return game.action_text(state, action);
  } else {
    return game.action_text(action);
  }
}

// The action that has that name in that state.
template <Game G>
std::optional<Action> parse_action(const G& game, const typename G::State& state, std::string_view text) {
  if constexpr (HasActionTextIn<G>) {
    return game.parse_action(state, text);
  } else {
    return game.parse_action(text);
  }
}

// A legal action as game records for people have it. Without a notation of its own, the name of the action.
template <Game G>
std::string notation(const G& game, const typename G::State& state, Action action) {
  if constexpr (HasNotation<G>) {
    return game.notation(state, action);
  } else {
    return action_text(game, state, action);
  }
}

// The position as programs exchange it. Without such a form, the drawing.
template <Game G>
std::string position_text(const G& game, const typename G::State& state) {
  if constexpr (HasPositionText<G>) {
    return game.position_text(state);
  } else {
    return game.board_text(state);
  }
}

// Where an action happens. Without a word of the game's own, an action that is a cell happens there.
template <Game G>
ActionCells action_cells(const G& game, const typename G::State& state, Action action) {
  if constexpr (HasActionCells<G>) {
    return game.action_cells(state, action);
  } else {
    const GameSpec& spec = game.spec();
    if (spec.action_layout != ActionLayout::kCells || action >= spec.num_cells()) return {};
    return {.source = {}, .target = action, .piece = {}};
  }
}

template <Game G>
std::string backend(const G& game) {
  if constexpr (HasBackend<G>) {
    return game.backend();
  } else {
    return "c++";
  }
}

// Counts of a full enumeration, one entry per depth 0 .. depth.
struct Perft {
  std::vector<std::uint64_t> positions;  // action sequences of that length
  std::vector<std::uint64_t> finished;   // those of them that end the game
};

template <Game G, class Poll>
void perft_below(const G& game, const typename G::State& state, std::size_t ply, Perft& counts, Poll& poll) {
  counts.positions[ply] += 1;
  if (game.outcome(state)) {
    counts.finished[ply] += 1;
    return;
  }
  if (ply + 1 == counts.positions.size()) return;
  poll();
  ActionList list(game.spec().num_actions);
  game.legal_actions(state, list);
  for (const Action action : list) {
    auto next = state;
    game.play(next, action);
    perft_below(game, next, ply + 1, counts, poll);
  }
}

// `poll` is called again and again on the way; it may throw to end the count.
template <Game G, class Poll>
Perft perft(const G& game, const typename G::State& state, int depth, Poll poll) {
  const auto entries = static_cast<std::size_t>(depth) + 1;
  Perft counts{std::vector<std::uint64_t>(entries), std::vector<std::uint64_t>(entries)};
  perft_below(game, state, 0, counts, poll);
  return counts;
}

// The number of action sequences of that length: the last of perft's positions, at which it does not look ("bulk
// counting"). A game may count a few plies in its own way (`count_sequences(state, length)`).
inline constexpr int kMostCounted = 4;

template <Game G, class Poll>
std::uint64_t count_sequences(const G& game, const typename G::State& state, int length, Poll& poll) {
  if (length == 0) return 1;
  poll();
  if constexpr (HasCountSequences<G>) {
    if (length <= kMostCounted) return game.count_sequences(state, length);
  }
  if (game.outcome(state)) return 0;
  ActionList list(game.spec().legal_bound());
  game.legal_actions(state, list);
  if (length == 1) return static_cast<std::uint64_t>(list.size());
  std::uint64_t count = 0;
  for (const Action action : list) {
    auto next = state;
    game.play(next, action);
    count += count_sequences(game, next, length - 1, poll);
  }
  return count;
}

template <Game G>
Perft perft(const G& game, const typename G::State& state, int depth) {
  return perft(game, state, depth, [] {});
}

}  // namespace tengen

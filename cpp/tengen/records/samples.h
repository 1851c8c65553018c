// Training samples out of game records. A record keeps moves and search results only; the planes, the legal actions and
// whose turn it is are rebuilt here by playing the moves again, and a symmetry is applied on the way out.
// Every move is checked: a damaged record gives a RecordError.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tengen/base/error.h"
#include "tengen/games/derived.h"
#include "tengen/games/game.h"

namespace tengen {

// A probability is kept as a whole number of 65535ths.
constexpr float kPolicyUnit = 1.0F / 65535.0F;

// Many games, one after another in flat arrays; owned elsewhere, constant during a call. G games, P recorded positions,
// E policy entries. `starts` count from the first thing that was ever recorded, so starts[0] need not be 0; the last
// entry is where the next one would start.
struct RecordedGames {
  std::span<const std::uint16_t> moves;           // actions
  std::span<const std::int64_t> move_starts;      // [G + 1]
  std::span<const std::int64_t> position_starts;  // [G + 1]
  std::span<const std::int8_t> winners;           // [G] player, or -1 for a draw
  std::span<const bool> played_out;               // [G] whether the game was played to its end
  std::span<const std::int8_t> ownership;         // [G, H * W] at the end, for the first player; empty: not known
  std::span<const float> score;                   // [G] at the end, for the first player; empty: not known
  std::span<const std::uint16_t> plies;           // [P] moves before the position
  std::span<const float> values;                  // [P] by the search, for the player to move
  std::span<const std::int64_t> policy_starts;    // [P + 1]
  std::span<const std::uint16_t> actions;         // [E]
  std::span<const std::uint16_t> parts;           // [E] 65535ths
  std::span<const std::string> boards;            // [G] drawings that the games start from, "": the initial state;
                                                  // empty: all start there

  bool has_ownership() const { return !ownership.empty(); }
};

// Where thing `i` starts, counted from the first one still there. Wraps instead of overflowing: whatever the numbers,
// one that is not an index is too large to be one.
inline std::uint64_t start_of(std::span<const std::int64_t> starts, std::size_t i) {
  return static_cast<std::uint64_t>(starts[i]) - static_cast<std::uint64_t>(starts[0]);
}

// Where B samples are written; every array comes zeroed. Values, ownership and score are for the player to move.
struct SampleArrays {
  float* planes;         // [B, C, H, W]
  bool* legal;           // [B, A]
  float* policy;         // [B, A]
  float* value_outcome;  // [B] -1, 0 or 1
  float* value_search;   // [B]
  float* reply;          // [B, A] policy at the next ply
  float* reply_weight;   // [B] 0 if there is no next ply
  float* plies_left;     // [B]
  std::int8_t* player;   // [B] who is to move
  float* played_out;     // [B]
  float* ownership;      // [B, H, W], or null
  float* score;          // [B], or null
};

// How a recorded game ended.
struct RecordEnd {
  std::optional<Outcome> outcome;      // empty: by the rules the game goes on
  std::vector<std::int8_t> ownership;  // [H * W] for the first player; empty if the game has none
  std::optional<float> score;          // for the first player
};

// Ownership and score for the first player.
template <Game G>
void read_end(const G& game, const typename G::State& state, RecordEnd& end) {
  if constexpr (HasOwnership<G>) {
    end.ownership.resize(static_cast<std::size_t>(game.spec().num_cells()));
    game.ownership(state, end.ownership.data());
    if (const auto points = score(game, state)) end.score = static_cast<float>(*points);
  }
}

// Where a recorded game starts: at a drawing, or at the initial state if there is none.
template <Game G>
typename G::State recorded_start(const G& game, const std::string& board) {
  if (board.empty()) return game.initial_state();
  try {
    return game.parse_board(board);
  } catch (const BoardTextError& error) {
    throw RecordError(std::string("The start of a recorded game is no position: ") + error.what());
  }
}

template <Game G>
[[noreturn]] void refuse_move(const G& game, const typename G::State& state, std::size_t ply, Action action) {
  const bool exists = action < game.spec().num_actions;
  throw RecordError("Move " + std::to_string(ply + 1) + " of a recorded game is " +
                    (exists ? "'" + action_text(game, state, action) + "'" : "action " + std::to_string(action)) +
                    (game.outcome(state) ? ", after the end of the game." : ", which is not legal there."));
}

template <Game G>
void play_recorded(const G& game, typename G::State& state, std::span<const std::uint16_t> moves, std::size_t first,
                   std::size_t last) {
  for (std::size_t ply = first; ply < last; ++ply) {
    if (!is_legal(game, state, moves[ply])) refuse_move(game, state, ply, moves[ply]);
    game.play(state, moves[ply]);
  }
}

// Plays a whole record and checks that every move, and every action of a policy target, is legal where it stands.
// plies: [P]; policy_starts: [P + 1]; actions: [E]
template <Game G>
RecordEnd replay_record(const G& game, std::span<const std::uint16_t> moves, std::span<const std::uint16_t> plies,
                        std::span<const std::int64_t> policy_starts, std::span<const std::uint16_t> actions,
                        const std::string& board = "") {
  auto state = recorded_start(game, board);
  ActionList legal(game.spec().num_actions);
  std::size_t ply = 0;
  for (std::size_t i = 0; i < plies.size(); ++i) {
    if (plies[i] < ply || plies[i] > moves.size() || (i > 0 && plies[i] == ply)) {
      throw RecordError("The recorded plies of a game must increase and be within its " + std::to_string(moves.size()) +
                        " moves.");
    }
    play_recorded(game, state, moves, ply, plies[i]);
    ply = plies[i];
    game.legal_actions(state, legal);
    for (std::int64_t entry = policy_starts[i]; entry < policy_starts[i + 1]; ++entry) {
      const Action action = actions[static_cast<std::size_t>(entry)];
      if (!std::binary_search(legal.begin(), legal.end(), action)) {
        throw RecordError("The policy target at ply " + std::to_string(ply) + " of a recorded game has action " +
                          std::to_string(action) + ", which is not legal there.");
      }
    }
  }
  play_recorded(game, state, moves, ply, moves.size());
  RecordEnd end{.outcome = game.outcome(state), .ownership = {}, .score = {}};
  read_end(game, state, end);
  return end;
}

template <Game G>
class Sampler {
 public:
  Sampler(const G& game, const RecordedGames& games, const SampleArrays& out)
      : game_(game),
        games_(games),
        out_(out),
        list_(game.spec().num_actions),
        planes_(static_cast<std::size_t>(game.spec().planes_size())) {
    for (const Symmetry& symmetry : game.spec().symmetries) {
      auto& target = action_target_.emplace_back(symmetry.action_source.size());
      for (std::size_t a = 0; a < target.size(); ++a) target[static_cast<std::size_t>(symmetry.action_source[a])] = a;
    }
  }

  // Writes sample `b`: the recorded position `position` under a symmetry.
  void write(std::size_t b, std::int64_t position, int symmetry) {
    if (symmetry < 0 || symmetry >= static_cast<int>(action_target_.size())) {
      throw RecordError("There is no symmetry " + std::to_string(symmetry) + ".");
    }
    const std::size_t game = game_of(position);
    const auto at = static_cast<std::size_t>(position);
    const auto moves = part(games_.moves, games_.move_starts, game);
    const std::size_t ply = games_.plies[at];
    if (ply > moves.size()) throw RecordError("A recorded ply is past the last move of its game.");

    auto state = games_.boards.empty() ? game_.initial_state() : recorded_start(game_, games_.boards[game]);
    play_recorded(game_, state, moves, 0, ply);
    write_position(b, state, symmetry);
    write_targets(b, game, at, symmetry, game_.to_move(state));

    const bool same_game = at + 1 < games_.plies.size() && at + 1 < start_of(games_.position_starts, game + 1);
    const bool next_recorded = same_game && games_.plies[at + 1] == ply + 1;
    float* reply = out_.reply + b * static_cast<std::size_t>(game_.spec().num_actions);
    if (next_recorded) {
      write_policy(at + 1, symmetry, reply);
    } else if (ply + 1 < moves.size()) {
      reply[target_of(moves[ply + 1], symmetry)] = 1.0F;
    }
    out_.reply_weight[b] = next_recorded || ply + 1 < moves.size() ? 1.0F : 0.0F;
    out_.plies_left[b] = static_cast<float>(moves.size() - ply);
    out_.player[b] = static_cast<std::int8_t>(index(game_.to_move(state)));
  }

 private:
  std::size_t game_of(std::int64_t position) const {
    const auto& starts = games_.position_starts;
    const auto at = static_cast<std::uint64_t>(position);
    std::size_t first = 0;  // the game is one of first .. last - 1
    std::size_t last = games_.winners.size();
    while (last - first > 1) {
      const std::size_t middle = (first + last) / 2;
      (start_of(starts, middle) <= at ? first : last) = middle;
    }
    if (at >= games_.plies.size() || first == last || start_of(starts, first) > at) {
      throw RecordError("There is no recorded position " + std::to_string(position) + ".");
    }
    return first;
  }

  // Where an action goes under a symmetry.
  std::size_t target_of(Action action, int symmetry) const {
    const auto& target = action_target_[static_cast<std::size_t>(symmetry)];
    if (static_cast<std::size_t>(action) < target.size()) return target[static_cast<std::size_t>(action)];
    throw RecordError("A recorded game has action " + std::to_string(action) + "; " + game_.spec().name + " has " +
                      std::to_string(target.size()) + ".");
  }

  // Thing `i` of a flat array.
  template <class T>
  static std::span<const T> part(std::span<const T> all, std::span<const std::int64_t> starts, std::size_t i) {
    const std::uint64_t first = start_of(starts, i);
    const std::uint64_t last = start_of(starts, i + 1);
    if (first > last || last > all.size()) {
      throw RecordError("The arrays of the recorded games do not fit together.");
    }
    return all.subspan(first, last - first);
  }

  void write_position(std::size_t b, const typename G::State& state, int symmetry) {
    const GameSpec& spec = game_.spec();
    const auto cells = static_cast<std::size_t>(spec.num_cells());
    float* planes = out_.planes + b * planes_.size();
    if (symmetry == 0) {
      game_.write_planes(state, planes);
    } else {
      game_.write_planes(state, planes_.data());
      const std::int32_t* source = spec.symmetries[static_cast<std::size_t>(symmetry)].cell_source.data();
      for (const float* plane = planes_.data(); plane != planes_.data() + planes_.size(); plane += cells) {
        for (std::size_t cell = 0; cell < cells; ++cell) *planes++ = plane[source[cell]];
      }
    }
    bool* legal = out_.legal + b * static_cast<std::size_t>(spec.num_actions);
    game_.legal_actions(state, list_);
    for (const Action action : list_) legal[target_of(action, symmetry)] = true;
  }

  void write_targets(std::size_t b, std::size_t game, std::size_t position, int symmetry, Player to_move) {
    const auto num_actions = static_cast<std::size_t>(game_.spec().num_actions);
    write_policy(position, symmetry, out_.policy + b * num_actions);
    const std::int8_t winner = games_.winners[game];
    const Outcome outcome = winner < 0 ? Outcome::draw() : Outcome::win(static_cast<Player>(winner));
    out_.value_outcome[b] = value_for(outcome, to_move);
    out_.value_search[b] = games_.values[position];
    out_.played_out[b] = games_.played_out[game] ? 1.0F : 0.0F;
    if (!games_.has_ownership()) return;
    const float sign = to_move == Player::kFirst ? 1.0F : -1.0F;
    const auto cells = static_cast<std::size_t>(game_.spec().num_cells());
    const std::int8_t* owned = games_.ownership.data() + game * cells;
    const auto& source = game_.spec().symmetries[static_cast<std::size_t>(symmetry)].cell_source;
    for (std::size_t cell = 0; cell < cells; ++cell) out_.ownership[b * cells + cell] = sign * owned[source[cell]];
    out_.score[b] = sign * games_.score[game];
  }

  void write_policy(std::size_t position, int symmetry, float* out) {
    const auto actions = part(games_.actions, games_.policy_starts, position);
    const auto parts = part(games_.parts, games_.policy_starts, position);
    for (std::size_t i = 0; i < actions.size(); ++i) {
      out[target_of(actions[i], symmetry)] = static_cast<float>(parts[i]) * kPolicyUnit;
    }
  }

  const G& game_;
  const RecordedGames& games_;
  const SampleArrays& out_;
  ActionList list_;
  std::vector<float> planes_;                            // [C, H, W], before the symmetry
  std::vector<std::vector<std::size_t>> action_target_;  // [S][A] where an action goes
};

// positions: [B] of all recorded positions; symmetries: [B]
template <Game G>
void write_samples(const G& game, const RecordedGames& games, std::span<const std::int64_t> positions,
                   std::span<const std::int64_t> symmetries, const SampleArrays& out) {
  Sampler<G> sampler(game, games, out);
  for (std::size_t b = 0; b < positions.size(); ++b) {
    sampler.write(b, positions[b], static_cast<int>(symmetries[b]));
  }
}

}  // namespace tengen

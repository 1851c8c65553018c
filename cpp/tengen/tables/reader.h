// Looks positions up in tables: values of positions, and priors from the values after each move.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tengen/games/derived.h"
#include "tengen/games/game.h"
#include "tengen/tables/tables.h"

namespace tengen {

// Tables that play: nobody changes them any more, so that threads can share them.
struct Tables {
  Tables(const GameSpec& spec, TablesShape shape, std::vector<float> given, float given_temperature)
      : layout(spec, std::move(shape)), weights(std::move(given)), temperature(given_temperature) {
    if (static_cast<std::int64_t>(weights.size()) != layout.num_weights()) {
      throw ArgumentError("These tables have " + std::to_string(layout.num_weights()) + " weights, not " +
                          std::to_string(weights.size()) + ".");
    }
    if (!(temperature > 0.0F)) throw ArgumentError("The temperature of the priors is above 0.");
  }

  TablesLayout layout;
  std::vector<float> weights;  // [banks, tuples, entries]
  float temperature;           // of the priors: softmax(value after the move / temperature)
};

// The sum of the weights in these slots, in a fixed order: eight sums side by side, and then those.
inline float sum_at(const float* weights, const std::int32_t* slots, int lookups) {
  constexpr int kLanes = 8;
  float lanes[kLanes] = {};
  int i = 0;
  for (; i + kLanes <= lookups; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane] += weights[slots[i + lane]];
  }
  for (; i < lookups; ++i) lanes[i % kLanes] += weights[slots[i]];
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

// Reads positions of one game, which must outlive it. It has working memory, so every thread takes its own.
template <Game G>
class TablesReader {
 public:
  using State = typename G::State;

  TablesReader(const G& game, const TablesLayout& layout)
      : game_(game),
        layout_(layout),
        codes_(static_cast<std::size_t>(layout.num_cells())),
        slots_(static_cast<std::size_t>(layout.num_lookups())),
        legal_(game.spec().legal_bound()),
        moves_(game.spec().legal_bound()) {}

  const G& game() const { return game_; }

  // Writes where the weights of a position are, [num_lookups].
  void write_slots(const State& state, std::int32_t* slots) {
    write_cells(game_, state, codes_.data());
    int num_pieces = 0;
    for (const std::int8_t code : codes_) num_pieces += code != 0 ? 1 : 0;
    const Player player = game_.to_move(state);
    if (layout_.shape().shares_players && player == Player::kSecond) {
      for (std::int8_t& code : codes_) code = layout_.swapped()[code];
    }
    if (layout_.shape().marks_targets) mark_targets(state);
    layout_.write_slots(codes_.data(), layout_.bank_start(player, num_pieces), slots);
  }

  // For the player to move, in (-1, 1). The game is not over.
  float value(const State& state, const float* weights) {
    write_slots(state, slots_.data());
    return value_at(weights, slots_.data());
  }

  float value_at(const float* weights, const std::int32_t* slots) const {
    return std::tanh(sum_at(weights, slots, layout_.num_lookups()));
  }

  // The value of a position for `player`: what the rules say of a finished game, else the tables.
  float value_for_player(const State& state, Player player, const float* weights) {
    if (const auto outcome = game_.outcome(state)) return value_for(*outcome, player);
    const float own = value(state, weights);
    return game_.to_move(state) == player ? own : -own;
  }

  // Calls visit(action, state after it, its value for the player who moves) for every legal action.
  template <class Visit>
  void visit_moves(const State& state, const float* weights, Visit&& visit) {
    const Player player = game_.to_move(state);
    game_.legal_actions(state, moves_);
    for (const Action action : moves_) {
      State next = state;
      game_.play(next, action);
      visit(action, next, value_for_player(next, player, weights));
    }
  }

  // An evaluation as the search takes it: a logit for each legal action (the others are left as they are), and the
  // value for the player to move.
  float evaluate(const State& state, const Tables& tables, float* logits) {
    visit_moves(state, tables.weights.data(), [&](Action action, const State& /*next*/, float value) {
      logits[action] = value / tables.temperature;
    });
    return value(state, tables.weights.data());
  }

 private:
  void mark_targets(const State& state) {
    game_.legal_actions(state, legal_);
    for (const Action action : legal_) {
      const auto target = action_cells(game_, state, action).target;
      if (target && codes_[static_cast<std::size_t>(*target)] == 0) {
        codes_[static_cast<std::size_t>(*target)] = layout_.target_code();
      }
    }
  }

  // Constant, owned elsewhere.
  const G& game_;
  const TablesLayout& layout_;

  // Working memory.
  std::vector<std::int8_t> codes_;
  std::vector<std::int32_t> slots_;
  ActionList legal_;
  ActionList moves_;
};

}  // namespace tengen

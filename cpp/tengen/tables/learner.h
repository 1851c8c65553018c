// Tables learn by playing themselves: temporal differences on the positions after each move, with a look one move
// ahead as their only search.
//
// A position's target is the lambda-return: its own best move's value mixed with what came of it later. Behind a random
// move the return is cut off, because it says nothing about the best one (Watkins 1989). Every weight has a step size
// of its own, large while its errors agree in sign (temporal coherence: Beal and Smith 1999; for n-tuples Bagheri,
// Thill and Konen 2014). The result of the rules stands at the end of every return, so that the last positions of both
// players learn the result itself (the "final adaptation" of Konen and Bagheri 2020).
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/games/derived.h"
#include "tengen/games/game.h"
#include "tengen/tables/reader.h"
#include "tengen/tables/tables.h"

namespace tengen {

struct TablesLearning {
  float rate = 1.0F;     // of a whole position: its lookups share it
  float lambda = 0.5F;   // 0: the value of the best move alone, 1: the result alone
  float epsilon = 0.1F;  // share of random moves
  float random_start_share = 0.5F;
  int random_start_plies = 8;  // at most
  bool coherence = true;       // step sizes by temporal coherence
};

// What came of some games.
struct TablesFigures {
  std::int64_t games = 0;
  std::int64_t positions = 0;    // learned from
  std::int64_t evaluations = 0;  // positions looked up
  std::int64_t plies = 0;
  std::int64_t first_wins = 0;
  std::int64_t draws = 0;
  double squared_error = 0.0;   // of the targets, summed over the positions
  double squared_target = 0.0;  // of always saying 0
};

struct PlayedGame {
  std::vector<Action> moves;
  int opening_plies = 0;
};

// Weights, and the sums by which each finds its step size.
struct LearnedTables {
  explicit LearnedTables(std::int64_t count)
      : weights(static_cast<std::size_t>(count)), sums(2 * static_cast<std::size_t>(count)) {}

  std::vector<float> weights;
  std::vector<float> sums;  // [weights, 2]: of the errors, and of their sizes
};

template <Game G>
class TablesLearner {
 public:
  using State = typename G::State;

  TablesLearner(const G& game, const TablesLayout& layout)
      : reader_(game, layout), layout_(layout), scratch_(game.spec().legal_bound()) {}

  // Plays one game and learns from it.
  void play(LearnedTables& tables, const TablesLearning& how, Rng rng, TablesFigures& figures, PlayedGame& played) {
    const G& game = reader_.game();
    State state = game.initial_state();
    begin(state, how, rng, played);
    plies_.clear();
    const float* weights = tables.weights.data();
    while (!game.outcome(state)) {
      State best = state;
      Action action = 0;
      float value = -2.0F;
      std::uint32_t ties = 0;
      int moves = 0;
      reader_.visit_moves(state, weights, [&](Action move, const State& next, float worth) {
        ++moves;
        if (worth < value) return;
        ties = worth > value ? 1 : ties + 1;
        if (ties > 1 && rng.below(ties) != 0) return;
        value = worth;
        action = move;
        best = next;
      });
      figures.evaluations += moves;
      Ply& ply = next_ply();
      ply.sign = game.to_move(state) == Player::kFirst ? 1.0F : -1.0F;
      ply.best = ply.sign * value;
      ply.is_random = moves > 1 && rng.uniform() < static_cast<double>(how.epsilon);
      reader_.write_slots(state, ply.slots.data());
      if (ply.is_random) {
        action = random_action(game, state, rng, scratch_);
        game.play(state, action);
      } else {
        state = std::move(best);
      }
      played.moves.push_back(action);
    }
    const Outcome outcome = *game.outcome(state);
    count(outcome, played, figures);
    learn(tables, how, value_for(outcome, Player::kFirst), figures);
  }

 private:
  struct Ply {
    std::vector<std::int32_t> slots;  // [lookups]
    float sign = 1.0F;                // 1 if the first player is to move, else -1
    float best = 0.0F;                // value of its best move, for the first player
    bool is_random = false;           // whether another move was played
  };

  // Random plies, in a share of the games. A game that they would end begins without.
  void begin(State& state, const TablesLearning& how, Rng& rng, PlayedGame& played) {
    const G& game = reader_.game();
    played.moves.clear();
    if (rng.uniform() < static_cast<double>(how.random_start_share)) {
      const auto plies = rng.below(static_cast<std::uint32_t>(how.random_start_plies) + 1);
      for (std::uint32_t ply = 0; ply < plies && !game.outcome(state); ++ply) {
        const Action action = random_action(game, state, rng, scratch_);
        game.play(state, action);
        played.moves.push_back(action);
      }
      if (game.outcome(state)) {
        state = game.initial_state();
        played.moves.clear();
      }
    }
    played.opening_plies = static_cast<int>(played.moves.size());
  }

  Ply& next_ply() {
    if (plies_.size() == plies_.capacity()) plies_.reserve(2 * plies_.size() + 64);
    if (spare_.empty()) {
      plies_.emplace_back();
      plies_.back().slots.resize(static_cast<std::size_t>(layout_.num_lookups()));
    } else {
      plies_.push_back(std::move(spare_.back()));
      spare_.pop_back();
    }
    return plies_.back();
  }

  static void count(const Outcome& outcome, const PlayedGame& played, TablesFigures& figures) {
    ++figures.games;
    figures.plies += static_cast<std::int64_t>(played.moves.size());
    if (!outcome.winner) ++figures.draws;
    if (outcome.winner == Player::kFirst) ++figures.first_wins;
  }

  // From the end to the start, so that a position's target is made of those behind it.
  void learn(LearnedTables& tables, const TablesLearning& how, float result, TablesFigures& figures) {
    float reached = result;  // for the first player
    while (!plies_.empty()) {
      Ply ply = std::move(plies_.back());
      plies_.pop_back();
      reached = ply.is_random ? ply.best : (1.0F - how.lambda) * ply.best + how.lambda * reached;
      const float target = ply.sign * reached;
      const float error = target - reader_.value_at(tables.weights.data(), ply.slots.data());
      adjust(tables, how, ply.slots.data(), error);
      ++figures.positions;
      figures.squared_error += static_cast<double>(error) * static_cast<double>(error);
      figures.squared_target += static_cast<double>(target) * static_cast<double>(target);
      spare_.push_back(std::move(ply));
    }
  }

  // The gradient of the cross-entropy: the slope of tanh does not stand in the way of positions that are misjudged.
  void adjust(LearnedTables& tables, const TablesLearning& how, const std::int32_t* slots, float error) const {
    const int lookups = layout_.num_lookups();
    const float step = how.rate * error / static_cast<float>(lookups);
    const float size = std::abs(error);
    for (int i = 0; i < lookups; ++i) {
      const auto slot = static_cast<std::size_t>(slots[i]);
      float* sums = tables.sums.data() + 2 * slot;
      const float coherence = how.coherence && sums[1] > 0.0F ? std::abs(sums[0]) / sums[1] : 1.0F;
      tables.weights[slot] += step * coherence;
      sums[0] += error;
      sums[1] += size;
    }
  }

  TablesReader<G> reader_;
  const TablesLayout& layout_;  // owned elsewhere

  // Working memory.
  ActionList scratch_;
  std::vector<Ply> plies_;
  std::vector<Ply> spare_;
};

}  // namespace tengen

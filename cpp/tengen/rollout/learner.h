// A rollout policy learns to foretell the moves of recorded games, one position after the other: stochastic gradient on
// the log-likelihood of the move that was played, with a step size for each weight (AdaGrad, Duchi et al. 2011), so
// that a pattern seen once moves as far as one seen always.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tengen/base/error.h"
#include "tengen/games/derived.h"
#include "tengen/games/game.h"
#include "tengen/rollout/patterns.h"
#include "tengen/rollout/reader.h"

namespace tengen {

struct RolloutLearning {
  float rate = 0.1F;
  float decay = 0.0F;  // of a weight towards 0, at each step that it takes
};

// How well moves were foretold.
struct RolloutFigures {
  std::int64_t positions = 0;  // with more than one legal action
  double first = 0.0;          // that the policy held for the likeliest; of moves that tie, each has its share
  double first_five = 0.0;     // that were among the five likeliest
  double log_loss = 0.0;       // sum of -log p of the moves played
};

// Weights, and the sums by which each finds its step size. Of weights that a symmetry joins, the owner's count.
struct LearnedRollout {
  explicit LearnedRollout(const PatternLayout& layout)
      : weights(static_cast<std::size_t>(layout.num_weights())), sums(weights.size()) {}

  std::vector<float> weights;
  std::vector<float> sums;  // of squared gradients
};

// One game: its moves, and from which ply on they were chosen (those before were drawn at random).
struct RolloutGame {
  std::span<const std::uint16_t> moves;
  std::size_t first_ply = 0;
};

template <Game G>
class RolloutLearner {
 public:
  using State = typename G::State;

  RolloutLearner(const G& game, const PatternLayout& layout)
      : reader_(game, layout),
        layout_(layout),
        logits_(static_cast<std::size_t>(game.spec().legal_bound())),
        slots_(static_cast<std::size_t>(game.spec().legal_bound())),
        gradients_(static_cast<std::size_t>(layout.num_weights())) {}

  // Learns from a game if `how` is given; else only measures.
  void read(LearnedRollout& rollout, const RolloutGame& played, State state, const RolloutLearning* how,
            RolloutFigures& figures) {
    const G& game = reader_.game();
    LastTargets past;
    for (std::size_t ply = 0; ply < played.moves.size(); ++ply) {
      const Action action = played.moves[ply];
      if (!is_legal(game, state, action)) {
        throw RecordError("Move " + std::to_string(ply + 1) + " of a recorded game is not legal there.");
      }
      if (ply >= played.first_ply) read_position(rollout, state, past, action, how, figures);
      past.add(action_cells(game, state, action).target);
      game.play(state, action);
    }
  }

 private:
  void read_position(LearnedRollout& rollout, const State& state, const LastTargets& past, Action played,
                     const RolloutLearning* how, RolloutFigures& figures) {
    reader_.look(state, past);
    const auto count = static_cast<std::size_t>(reader_.legal().size());
    if (count < 2) return;
    std::size_t chosen = 0;
    float most = -1e30F;
    for (std::size_t i = 0; i < count; ++i) {
      if (reader_.legal()[static_cast<int>(i)] == played) chosen = i;
      slots_[i] = reader_.slots(static_cast<int>(i));
      float logit = 0.0F;
      for (std::int32_t& slot : slots_[i]) {
        slot = owner_of(slot);
        logit += rollout.weights[static_cast<std::size_t>(slot)];
      }
      logits_[i] = logit;
      most = std::max(most, logit);
    }
    double total = 0.0;
    for (std::size_t i = 0; i < count; ++i) total += std::exp(static_cast<double>(logits_[i] - most));
    measure(chosen, count, most, total, figures);
    if (how != nullptr) step(rollout, *how, chosen, count, most, total);
  }

  std::int32_t owner_of(std::int32_t slot) const {
    const std::int32_t within = slot % layout_.bank_size();
    return slot - within + layout_.owner()[static_cast<std::size_t>(within)];
  }

  void measure(std::size_t chosen, std::size_t count, float most, double total, RolloutFigures& figures) const {
    int better = 0;
    int equal = 0;  // itself included
    for (std::size_t i = 0; i < count; ++i) {
      better += logits_[i] > logits_[chosen] ? 1 : 0;
      equal += logits_[i] == logits_[chosen] ? 1 : 0;
    }
    const auto share = [&](int places) { return std::clamp(double(places - better) / equal, 0.0, 1.0); };
    ++figures.positions;
    figures.first += share(1);
    figures.first_five += share(5);
    figures.log_loss += std::log(total) - static_cast<double>(logits_[chosen] - most);
  }

  void step(LearnedRollout& rollout, const RolloutLearning& how, std::size_t chosen, std::size_t count, float most,
            double total) {
    touched_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const double probability = std::exp(static_cast<double>(logits_[i] - most)) / total;
      const auto push = static_cast<float>((i == chosen ? 1.0 : 0.0) - probability);
      for (const std::int32_t slot : slots_[i]) {
        float& gradient = gradients_[static_cast<std::size_t>(slot)];
        if (gradient == 0.0F) touched_.push_back(slot);  // may come twice, and is 0 the second time
        gradient += push;
      }
    }
    constexpr float kSmall = 1e-6F;
    for (const std::int32_t slot : touched_) {
      const auto at = static_cast<std::size_t>(slot);
      const float gradient = gradients_[at] - how.decay * rollout.weights[at];
      if (gradients_[at] == 0.0F) continue;
      gradients_[at] = 0.0F;
      rollout.sums[at] += gradient * gradient;
      rollout.weights[at] += how.rate * gradient / (std::sqrt(rollout.sums[at]) + kSmall);
    }
  }

  PatternReader<G> reader_;
  const PatternLayout& layout_;  // owned elsewhere

  // Working memory.
  std::vector<float> logits_;                            // [legal]
  std::vector<typename PatternReader<G>::Slots> slots_;  // [legal] owners
  std::vector<float> gradients_;                         // [weights] 0 but during a step
  std::vector<std::int32_t> touched_;                    // weights of a step
};

}  // namespace tengen

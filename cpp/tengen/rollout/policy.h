// A rollout policy that plays: a fast softmax over patterns in place of the uniform choice of a random play-out.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tengen/base/error.h"
#include "tengen/base/rng.h"
#include "tengen/games/derived.h"
#include "tengen/games/game.h"
#include "tengen/rollout/cell_playouts.h"
#include "tengen/rollout/patterns.h"
#include "tengen/rollout/reader.h"

namespace tengen {

// Nobody changes it once it is made, so that threads can share it.
struct RolloutPolicy {
  static constexpr float kMostLogit = 10.0F;  // a product of a factor of each kind stays finite in float

  // weights: [banks, bank_size]. Those that a symmetry joins are all as the one that owns them.
  RolloutPolicy(const GameSpec& spec, bool shares_players, const std::vector<float>& weights)
      : layout(spec, shares_players) {
    if (static_cast<std::int64_t>(weights.size()) != layout.num_weights()) {
      throw ArgumentError("A rollout policy of " + spec.name + " has " + std::to_string(layout.num_weights()) +
                          " weights, not " + std::to_string(weights.size()) + ".");
    }
    const auto size = static_cast<std::size_t>(layout.bank_size());
    factors.resize(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const float weight = weights[i - i % size + static_cast<std::size_t>(layout.owner()[i % size])];
      if (!std::isfinite(weight)) throw ArgumentError("A weight of a rollout policy is not a number.");
      factors[i] = std::exp(std::clamp(weight, -kMostLogit, kMostLogit));
    }
  }

  PatternLayout layout;
  std::vector<float> factors;  // exp(weight): the probability of an action is the product of its factors, normalised
};

// Plays a policy. It has working memory, so every thread takes its own; game and policy must outlive it.
template <Game G>
class RolloutPlayer {
 public:
  using State = typename G::State;

  RolloutPlayer(const G& game, const RolloutPolicy& policy)
      : policy_(policy), reader_(game, policy.layout), running_(static_cast<std::size_t>(game.spec().legal_bound())) {
    if (CellPlayouts<G>::suits(game)) on_cells_.emplace(game, policy.layout, policy.factors);
  }

  // Plays actions of the policy until the game is over. `past` is what came before the state.
  Playout playout(State& state, LastTargets past, Rng& rng) {
    const G& game = reader_.game();
    if (on_cells_) {
      on_cells_->begin(state, past);
      for (std::int64_t actions = 0;; ++actions) {
        if (const auto outcome = game.outcome(state)) return {*outcome, actions};
        on_cells_->play(state, on_cells_->draw(state, rng));
      }
    }
    for (std::int64_t actions = 0;; ++actions) {
      if (const auto outcome = game.outcome(state)) return {*outcome, actions};
      const float total = look(state, past);
      const float drawn = static_cast<float>(rng.uniform()) * total;
      const int last = reader_.legal().size() - 1;
      int choice = 0;
      while (choice < last && running_[static_cast<std::size_t>(choice)] <= drawn) ++choice;
      past.add(reader_.target(choice));
      game.play(state, reader_.legal()[choice]);
    }
  }

  // The probability of each action, [A]; 0 where it is not legal. The game is not over.
  void write_probabilities(const State& state, const LastTargets& past, float* out) {
    const float total = look(state, past);
    std::fill_n(out, reader_.game().spec().num_actions, 0.0F);
    float before = 0.0F;
    for (int i = 0; i < reader_.legal().size(); ++i) {
      const float here = running_[static_cast<std::size_t>(i)];
      out[reader_.legal()[i]] = (here - before) / total;
      before = here;
    }
  }

 private:
  // Fills the running sums of what speaks for each legal action; returns the whole.
  float look(const State& state, const LastTargets& past) {
    reader_.look(state, past);
    const float* factors = policy_.factors.data();
    const auto count = static_cast<std::size_t>(reader_.legal().size());
    for (std::size_t i = 0; i < count; ++i) {  // apart from the sums, so that the processor can work ahead
      const auto slots = reader_.slots(static_cast<int>(i));
      running_[i] = (factors[slots[0]] * factors[slots[1]]) * (factors[slots[2]] * factors[slots[3]]) *
                    (factors[slots[4]] * factors[slots[5]]);
    }
    for (std::size_t i = 1; i < count; ++i) running_[i] += running_[i - 1];
    return running_[count - 1];
  }

  const RolloutPolicy& policy_;  // owned elsewhere
  PatternReader<G> reader_;
  std::vector<float> running_;               // [legal]
  std::optional<CellPlayouts<G>> on_cells_;  // the faster way, for games that it suits
};

// The targets of the last two of some moves from a position, each of them legal.
template <Game G>
LastTargets last_targets(const G& game, typename G::State state, const std::vector<Action>& moves) {
  LastTargets past;
  for (const Action action : moves) {
    past.add(action_cells(game, state, action).target);
    game.play(state, action);
  }
  return past;
}

}  // namespace tengen

// In which order alpha-beta tries the moves of a position: the one that the table remembers, then those that cut off
// beside this position (killers), then those that often did (history).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include "tengen/games/game.h"

namespace tengen {

template <Game G>
class MoveOrder {
 public:
  using Ranked = std::vector<std::pair<std::int64_t, Action>>;  // (rank, action), the highest rank first

  explicit MoveOrder(const G& game)
      : game_(game),
        history_{std::vector<std::int64_t>(static_cast<std::size_t>(game.spec().num_actions)),
                 std::vector<std::int64_t>(static_cast<std::size_t>(game.spec().num_actions))} {}

  // Forgets what cut off where, for a search that is to know nothing of those before it.
  void forget() {
    if (!remembers_) return;
    remembers_ = false;
    for (auto& history : history_) std::fill(history.begin(), history.end(), 0);
    for (Ply& ply : plies_) ply.killers = {-1, -1};
  }

  // Of an action at `ply` plies from the root; the highest is tried first. `first` goes before all others.
  std::int64_t rank(Player player, int ply, Action action, Action first) {
    constexpr auto kFirst = std::numeric_limits<std::int64_t>::max();
    if (action == first) return kFirst;
    const auto& killers = at(ply).killers;
    if (action == killers[0]) return kFirst - 1;
    if (action == killers[1]) return kFirst - 2;
    return history_[static_cast<std::size_t>(index(player))][static_cast<std::size_t>(action)];
  }

  // The legal actions at `ply` plies from the root, the best first. Valid until the next call for this ply.
  const Ranked& ordered(const typename G::State& state, Player player, int ply, Action first) {
    Ply& here = at(ply);
    game_.legal_actions(state, here.legal);
    here.ranked.clear();
    for (const Action action : here.legal) {
      const std::int64_t rank_here = rank(player, ply, action, first);
      here.ranked.emplace_back(rank_here, action);
      // Into its place, after its equals. The lists are short, and a sort of the library would allocate.
      for (std::size_t i = here.ranked.size() - 1; i > 0 && here.ranked[i - 1].first < rank_here; --i) {
        std::swap(here.ranked[i - 1], here.ranked[i]);
      }
    }
    return here.ranked;
  }

  // `action` made the others at `ply` needless, with `depth` more plies to look ahead.
  void remember_cut(Player player, int ply, Action action, int depth) {
    remembers_ = true;
    auto& killers = at(ply).killers;
    if (killers[0] != action) killers = {action, killers[0]};
    history_[static_cast<std::size_t>(index(player))][static_cast<std::size_t>(action)] += std::int64_t{depth} * depth;
  }

  std::size_t bytes() const {
    const auto num_actions = static_cast<std::size_t>(game_.spec().num_actions);
    std::size_t sum = 2 * num_actions * sizeof(std::int64_t);
    for (const Ply& ply : plies_) {
      sum += sizeof(Ply) + num_actions * sizeof(Action) + ply.ranked.capacity() * sizeof(Ranked::value_type);
    }
    return sum;
  }

 private:
  struct Ply {  // what a position on the way needs, kept for the next one at this ply
    explicit Ply(int num_actions) : legal(num_actions) {}
    ActionList legal;
    Ranked ranked;
    std::array<Action, 2> killers = {-1, -1};
  };

  Ply& at(int ply) {
    while (plies_.size() <= static_cast<std::size_t>(ply)) plies_.emplace_back(game_.spec().num_actions);
    return plies_[static_cast<std::size_t>(ply)];
  }

  const G& game_;
  std::array<std::vector<std::int64_t>, 2> history_;  // [player][action] how much it has cut off
  std::deque<Ply> plies_;                             // [ply] as many as were reached; a deque never moves them
  bool remembers_ = false;                            // anything since forget()
};

}  // namespace tengen

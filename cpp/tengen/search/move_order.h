// In which order alpha-beta tries the moves of a position: the one that the table remembers, then those that cut off
// beside this position (killers), then those that often did (history).
#pragma once

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

  // The legal actions at `ply` plies from the root, `first` before all others. Valid until the next call for this ply.
  const Ranked& ordered(const typename G::State& state, Player player, int ply, Action first) {
    constexpr auto kFirst = std::numeric_limits<std::int64_t>::max();
    Ply& here = at(ply);
    const auto& history = history_[static_cast<std::size_t>(index(player))];
    game_.legal_actions(state, here.legal);
    here.ranked.clear();
    for (const Action action : here.legal) {
      std::int64_t rank = history[static_cast<std::size_t>(action)];
      if (action == first)
        rank = kFirst;
      else if (action == here.killers[0])
        rank = kFirst - 1;
      else if (action == here.killers[1])
        rank = kFirst - 2;
      here.ranked.emplace_back(rank, action);
      // Into its place, after its equals. The lists are short, and a sort of the library would allocate.
      for (std::size_t i = here.ranked.size() - 1; i > 0 && here.ranked[i - 1].first < rank; --i) {
        std::swap(here.ranked[i - 1], here.ranked[i]);
      }
    }
    return here.ranked;
  }

  // `action` made the others at `ply` needless, with `depth` more plies to look ahead.
  void remember_cut(Player player, int ply, Action action, int depth) {
    auto& killers = at(ply).killers;
    if (killers[0] != action) killers = {action, killers[0]};
    history_[static_cast<std::size_t>(index(player))][static_cast<std::size_t>(action)] += std::int64_t{depth} * depth;
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
};

}  // namespace tengen

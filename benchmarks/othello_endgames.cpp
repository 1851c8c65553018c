// Writes Othello endgames with the exact score of every move, for `tengen evaluate othello --positions FILE`.
//
//     g++ -std=c++20 -O3 -march=native -I cpp benchmarks/othello_endgames.cpp -o build/othello_endgames
//     build/othello_endgames 500 1 > positions.jsonl       # count and seed
//
// A score is the difference of the discs at the end for the player to move, under best play of both; -99 marks a move
// that is not legal. Positions have 8 to 16 empty cells and come from games in which two moves of three leave the
// opponent the fewest replies and the others are random; the moves of each differ in win, draw or loss.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/games/othello.h"

namespace {

using tengen::Action;
using tengen::ActionList;
using tengen::Othello;
using State = Othello::State;

constexpr int kIllegal = -99;
constexpr int kLeastEmpty = 8;
constexpr int kMostEmpty = 16;
constexpr int kOrdered = 5;  // empty cells from which on moves are ordered and results remembered

int empty_cells(const State& state) { return 64 - std::popcount(state.own | state.opponent); }
int difference(const State& state) { return std::popcount(state.own) - std::popcount(state.opponent); }

// Alpha-beta to the end of the game.
class Solver {
 public:
  explicit Solver(const Othello& game) : game_(game) {}

  // For the player to move, if it lies between alpha and beta; else a bound.
  int solve(const State& state, int alpha, int beta) {
    if (state.finished) return difference(state);
    const bool ordered = empty_cells(state) >= kOrdered;
    if (ordered) {
      if (const auto known = known_.find(game_.hash(state)); known != known_.end()) {
        const auto [low, high] = known->second;
        if (low >= beta || low == high) return low;
        if (high <= alpha) return high;
        alpha = std::max<int>(alpha, low);
        beta = std::min<int>(beta, high);
      }
    }
    std::array<std::pair<int, State>, 34> children;  // replies and state
    int count = 0;
    ActionList legal(65);
    game_.legal_actions(state, legal);
    for (const Action action : legal) {
      State child = state;
      game_.play(child, action);
      children[count++] = {std::popcount(child.legal), child};
    }
    if (ordered) {
      std::stable_sort(children.begin(), children.begin() + count,
                       [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    int best = -65;
    int lower = alpha;
    for (int i = 0; i < count && lower < beta; ++i) {
      best = std::max(best, -solve(children[i].second, -beta, -lower));
      lower = std::max(lower, best);
    }
    if (ordered) {
      auto& [low, high] =
          known_.try_emplace(game_.hash(state), std::pair<std::int8_t, std::int8_t>(-64, 64)).first->second;
      if (best > alpha) low = static_cast<std::int8_t>(best);
      if (best < beta) high = static_cast<std::int8_t>(best);
    }
    return best;
  }

  void forget() { known_.clear(); }

 private:
  const Othello& game_;
  std::unordered_map<std::uint64_t, std::pair<std::int8_t, std::int8_t>> known_;  // lower and upper bound
};

Action chosen(const Othello& game, const State& state, tengen::Rng& rng) {
  const Action any = game.random_action(state, rng);
  if (rng.below(3) == 0) return any;
  ActionList legal(65);
  game.legal_actions(state, legal);
  Action best = any;
  int fewest = 65;
  for (const Action action : legal) {
    State child = state;
    game.play(child, action);
    const int replies = std::popcount(child.legal);
    if (replies < fewest) std::tie(fewest, best) = std::pair(replies, action);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 500;
  tengen::Rng rng(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  const Othello game("othello", {{"size", 8}}, 8);
  Solver solver(game);
  std::set<std::uint64_t> seen;
  while (seen.size() < count) {
    const int empty = kLeastEmpty + static_cast<int>(rng.below(kMostEmpty - kLeastEmpty + 1));
    State state = game.initial_state();
    std::string moves;
    while (!state.finished && empty_cells(state) > empty) {
      const Action action = chosen(game, state, rng);
      moves += (moves.empty() ? "" : " ") + game.action_text(action);
      game.play(state, action);
    }
    if (state.finished || std::popcount(state.legal) < 2 || seen.contains(game.hash(state))) continue;
    std::array<int, 65> scores;
    scores.fill(kIllegal);
    std::set<int> signs;
    ActionList legal(65);
    game.legal_actions(state, legal);
    for (const Action action : legal) {
      State child = state;
      game.play(child, action);
      scores[static_cast<std::size_t>(action)] = -solver.solve(child, -64, 64);
      const int score = scores[static_cast<std::size_t>(action)];
      signs.insert((score > 0) - (score < 0));
    }
    solver.forget();
    if (signs.size() < 2) continue;
    seen.insert(game.hash(state));
    std::printf("{\"moves\": \"%s\", \"score\": %d, \"move score\": [", moves.c_str(),
                *std::max_element(scores.begin(), scores.end()));
    for (std::size_t i = 0; i < scores.size(); ++i) std::printf("%s%d", i == 0 ? "" : ", ", scores[i]);
    std::printf("]}\n");
    std::fflush(stdout);
  }
}

// Writes chess positions with a mate in two and in three moves, for tests of the search.
//
//     g++ -std=c++20 -O3 -march=native -I cpp benchmarks/chess_mates.cpp -o build/chess_mates
//     build/chess_mates 100 1 > mates.txt       # positions of each kind, and seed
//
// Positions come from random games in which a player who can take something mostly does. A mate in two is found by full
// search; a mate in three by checks, where a full search finds none in two. One line each: the moves to mate and a FEN.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "tengen/base/rng.h"
#include "tengen/games/chess.h"

namespace {

using tengen::ChessMove;
using Actions = tengen::ChessActions<8>;
using Game = tengen::Chess<8>;
using Position = tengen::ChessPosition<8>;

// Whether the player to move mates within so many moves, by checks alone or by any moves.
bool mates(const Actions& actions, const Position& position, int moves, bool by_checks) {
  return Actions::any(actions.legal_moves(position), [&](ChessMove move) {
    Position next = position;
    next.make(actions.attacks(), move);
    const bool check = next.in_check(actions.attacks());
    if (!check && (by_checks || moves == 1)) return false;
    const tengen::ChessMoves replies = actions.legal_moves(next);
    if (replies.total() == 0) return check;
    if (moves == 1) return false;
    const bool escapes = Actions::any(replies, [&](ChessMove reply) {
      Position after = next;
      after.make(actions.attacks(), reply);
      return !mates(actions, after, moves - 1, by_checks);
    });
    return !escapes;
  });
}

// 2 or 3; 0 if there is no such mate, or a sooner one.
int moves_to_mate(const Actions& actions, const Position& position) {
  if (mates(actions, position, 1, false)) return 0;
  if (mates(actions, position, 2, false)) return 2;
  return mates(actions, position, 3, true) ? 3 : 0;
}

ChessMove greedy_move(const Actions& actions, const Position& position, tengen::Rng& rng) {
  const tengen::ChessMoves moves = actions.legal_moves(position);
  ChessMove move = Actions::random_move(moves, rng);
  for (int tries = 0; tries < 12 && (position.others() >> move.to & 1) == 0; ++tries) {
    move = Actions::random_move(moves, rng);
  }
  return move;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: chess_mates COUNT SEED\n");
    return 2;
  }
  const auto count = static_cast<std::size_t>(std::atoi(argv[1]));
  const Game game("chess", {}, tengen::ChessRules{});
  const Actions actions(false);
  tengen::Rng rng(static_cast<std::uint64_t>(std::atoll(argv[2])));
  std::array<std::set<std::string>, 4> found;
  while (found[2].size() < count || found[3].size() < count) {
    Game::State state = game.initial_state();
    for (int ply = 0; ply < 120 && !game.outcome(state); ++ply) {
      if (ply > 16 && rng.below(8) == 0) {
        const auto moves = static_cast<std::size_t>(moves_to_mate(actions, state.position));
        if (moves > 0 && found[moves].size() < count) {
          state.clock = 0;
          const std::string fen = game.position_text(state);
          if (found[moves].insert(fen).second) std::printf("%zu %s\n", moves, fen.c_str());
          break;  // one of a game
        }
      }
      game.play(state, actions.action_of(greedy_move(actions, state.position, rng)));
    }
  }
}

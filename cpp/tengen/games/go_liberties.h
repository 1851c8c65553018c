// The liberties of all chains, kept up to date from move to move: what a play-out by a policy needs to know a stone's
// tactics (GoBoard::tactics) without counting the whole board again. Uniform play-outs do without, so it is apart.
#pragma once

#include "tengen/games/go_board.h"

namespace tengen {

template <int kMaxSize>
class GoLiberties {
  using Board = GoBoard<kMaxSize>;
  using Mark = typename Board::Mark;
  using Position = typename Board::Position;

 public:
  using Cells = typename Board::Cells;

  // Of the last move: stones that it took, and empty cells of which the tactics may have changed. Those of the cells
  // next to its stone or to stones that it took have changed in any case, and need not be among them.
  Cells taken;
  Cells touched;

  // By the name of a chain, as GoBoard::count_liberties() has them.
  const typename Board::template PerCell<typename Board::Count>& counts() const { return counts_; }

  void count(const Board& board, const Position& position) {
    sets_ = {};
    position.empty.for_each([&](int cell) {
      for (const auto n : board.around(cell)) sets_[position.chain[n]].insert(cell);
    });
    counts_ = board.count_liberties(position);
  }

  // Plays a legal move.
  void play(const Board& board, Position& position, int cell, Mark stone) {
    taken = touched = {};
    Cells joined;  // the liberties of the stone's chain
    for (const auto n : board.around(cell)) {
      const auto chain = position.chain[n];
      if (position.mark[n] == Board::kEmpty) {
        joined.insert(n);
      } else if (position.mark[n] == stone) {
        joined = joined | sets_[chain];
        if (counts_[chain] < kMany) touched = touched | sets_[chain];
      } else if (position.mark[n] == Board::other(stone) && sets_[chain].has(cell)) {
        sets_[chain].erase(cell);
        --counts_[chain];
        if (counts_[chain] == 0) mark_taken(position, chain);
        if (counts_[chain] < kMany) touched = touched | sets_[chain];
      }
    }
    joined.erase(cell);
    board.play(position, cell, stone);
    if (position.mark[static_cast<std::size_t>(cell)] == Board::kEmpty) return start_again(board, position);
    const auto chain = position.chain[static_cast<std::size_t>(cell)];
    sets_[chain] = joined;
    set_count(chain);
    if (!taken.empty()) free(board, position);
    if (counts_[chain] < kMany) touched = touched | joined;
  }

 private:
  // A chain with so many liberties, or more, always means the same to a stone next to it: whether it was attacked or
  // attacks is asked of chains with two at most; a stone that joins it has two liberties at least, and three where it
  // joins another one with two.
  static constexpr int kMany = 3;

  void set_count(std::size_t chain) { counts_[chain] = static_cast<typename Board::Count>(sets_[chain].size()); }

  void mark_taken(const Position& position, std::size_t chain) {
    std::size_t stone = chain;
    do {
      taken.insert(static_cast<int>(stone));
      stone = position.next[stone];
    } while (stone != chain);
  }

  // The cells of the stones that were taken are liberties of their neighbours.
  void free(const Board& board, const Position& position) {
    taken.for_each([&](int cell) {
      for (const auto n : board.around(cell)) sets_[position.chain[n]].insert(cell);
    });
    taken.for_each([&](int cell) {
      for (const auto n : board.around(cell)) {
        const auto chain = position.chain[n];
        if (position.mark[n] < Board::kEmpty && counts_[chain] < kMany) touched = touched | sets_[chain];
        set_count(chain);
      }
    });
  }

  // After a suicide, which is rare: the stones that are gone were those that the move would have joined.
  void start_again(const Board& board, const Position& position) {
    count(board, position);
    taken = touched = position.empty;
  }

  typename Board::template PerCell<Cells> sets_{};  // by the name of a chain; what has no chain is at GoBoard's kNone
  typename Board::template PerCell<typename Board::Count> counts_{};
};

}  // namespace tengen

// The Go board, kept up incrementally: chains, captures, superko and area, without turns, passes or results (go.h).
//
// A chain is a circular list of its stones, named by one of them, with a count of its pseudo-liberties: pairs of a
// stone and an empty neighbour. A liberty shared by two stones counts twice, but the count is zero exactly when the
// chain has no liberty, and it is right again after every move by additions alone. So a move costs the same on every
// board, but for the stones it takes and the chains it joins.
//
// Superko forbids a move that recreates a past position. Three tests, each far cheaper than the next and nearly always
// enough: a past position had such a stone there only if one was taken from there since; a filter with one bit for each
// past position; the list of their hashes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "tengen/base/rng.h"
#include "tengen/base/zobrist.h"
#include "tengen/games/cell_set.h"

namespace tengen {

// kMaxSize: the largest board it holds; a smaller one makes smaller and faster positions.
template <int kMaxSize>
class GoBoard {
 public:
  static constexpr int kCells = kMaxSize * kMaxSize;
  static constexpr int kLongest = 2 * kCells;  // as many moves as a position can remember

  enum Mark : std::uint8_t { kBlack, kWhite, kEmpty, kOutside };  // a stone is the index of its player
  static constexpr Mark other(Mark stone) { return static_cast<Mark>(1 - stone); }

  using Cells = CellSet<kCells>;
  using Cell = std::conditional_t<(kCells < 256), std::uint8_t, std::uint16_t>;
  // A pseudo-liberty is an edge of the grid, and there are 2 * kMaxSize * (kMaxSize - 1).
  using Count = std::conditional_t<(2 * kMaxSize * (kMaxSize - 1) < 256), std::uint8_t, std::uint16_t>;
  template <class T>
  using PerCell = std::array<T, kCells + 1>;  // one more, for kNone

 private:
  static constexpr Cell kNone = kCells;  // the cell off the board, and the chain of whatever is not a stone
  static constexpr int kFilterBits = static_cast<int>(std::bit_ceil(4U * kLongest));

 public:
  using Around = std::array<Cell, 4>;  // the neighbours of a cell, kNone for those off the board

  // The stones and the positions that were before them.
  struct Position {
    std::array<Cells, 2> stones{};  // by player
    Cells empty{};
    PerCell<std::uint8_t> mark{};  // the same again, quicker to ask
    PerCell<Cell> chain{};         // of a stone: the name of its chain, the cell of one of its stones
    PerCell<Cell> next{};          // of a stone: the next one of its chain, round in a circle
    PerCell<Count> liberties{};    // of a chain, by its name: pseudo-liberties; [kNone] counts nothing
    std::uint64_t hash = 0;        // of the stones

    std::array<Cells, 2> taken{};                          // where stones of a player have been taken
    std::array<std::uint64_t, kFilterBits / 64> filter{};  // one bit for each past position
    std::array<std::uint64_t, kLongest + 1> past{};        // hashes of all positions, this one last
    std::uint64_t past_sum = 0;                            // of their mixed hashes: the past as a set
    std::int16_t num_past = 0;
    std::int16_t num_empty = 0;

    // The same stones and the same past. The past is compared as superko sees it: by hash, in any order.
    bool operator==(const Position& other) const {
      return stones == other.stones && num_past == other.num_past && past_sum == other.past_sum;
    }
  };

  GoBoard(int size, bool suicide) : size_(size), suicide_(suicide) {
    start_.mark.fill(kOutside);
    start_.chain.fill(kNone);
    for (int cell = 0; cell < size * size; ++cell) {
      const int row = cell / size;
      const int column = cell % size;
      around_[at(cell)] = {row > 0 ? static_cast<Cell>(cell - size) : kNone,
                           column > 0 ? static_cast<Cell>(cell - 1) : kNone,
                           column < size - 1 ? static_cast<Cell>(cell + 1) : kNone,
                           row < size - 1 ? static_cast<Cell>(cell + size) : kNone};
      if (column == 0) first_column_.insert(cell);
      if (column == size - 1) last_column_.insert(cell);
      start_.mark[at(cell)] = kEmpty;
      start_.empty.insert(cell);
    }
    start_.num_empty = static_cast<std::int16_t>(size * size);
    remember(start_);
  }

  const Position& start() const { return start_; }
  const Around& around(int cell) const { return around_[at(cell)]; }

  // A legal move: the stone is placed, and what has no liberty then is taken.
  void play(Position& position, int cell, Mark stone) const {
    put(position, cell, stone);
    const auto dead = [&](Cell n) {
      return (position.mark[n] == other(stone)) & (position.liberties[position.chain[n]] == 0);
    };
    const Around& around = around_[at(cell)];
    if (dead(around[0]) | dead(around[1]) | dead(around[2]) | dead(around[3])) {
      for (const Cell n : around) {
        if (dead(n)) take(position, n);
      }
    }
    if (position.liberties[position.chain[at(cell)]] == 0) take(position, cell);  // suicide
    remember(position);
  }

  // Adds a stone and joins it to its neighbours; what that leaves without liberties stays. Always inlined: every move
  // of a play-out calls it, and whether GCC inlines it by itself depends on what else is in the file that it compiles.
  [[gnu::always_inline]] void put(Position& position, int cell, Mark stone) const {
    position.stones[stone].insert(cell);
    position.empty.erase(cell);
    --position.num_empty;
    position.mark[at(cell)] = stone;
    position.hash ^= key(stone, cell);

    const Around& around = around_[at(cell)];
    int free = 0;
    unsigned friends = 0;  // bit i: the i-th neighbour
    for (std::size_t i = 0; i < 4; ++i) {
      const Cell n = around[i];
      free += position.mark[n] == kEmpty;
      friends |= static_cast<unsigned>(position.mark[n] == stone) << i;
      --position.liberties[position.chain[n]];
    }
    position.liberties[at(cell)] = static_cast<Count>(free);
    position.chain[at(cell)] = position.next[at(cell)] = static_cast<Cell>(cell);
    for (; friends != 0; friends &= friends - 1) {
      const Cell chain = position.chain[around[at(std::countr_zero(friends))]];
      if (chain != position.chain[at(cell)]) join(position, chain, position.chain[at(cell)]);
    }
  }

  // The past begins here.
  void forget(Position& position) const {
    position.filter = {};
    position.num_past = 0;
    position.past_sum = 0;
    remember(position);
  }

  // Whether `stone` may be played on that empty cell.
  bool is_legal(const Position& position, int cell, Mark stone) const {
    const Around& around = around_[at(cell)];
    const bool free = (position.mark[around[0]] == kEmpty) | (position.mark[around[1]] == kEmpty) |
                      (position.mark[around[2]] == kEmpty) | (position.mark[around[3]] == kEmpty);
    const bool may_repeat = position.taken[stone].has(cell);
    if (free && !may_repeat) return true;
    const Contact contact = contact_of(position, cell, stone);
    if (!free && !contact.connects && contact.takes == 0) return suicide_ && is_legal_suicide(position, cell, stone);
    if (!may_repeat) return true;
    return !seen(position, position.hash ^ key(stone, cell) ^ chains_hash(position, cell, contact.takes, other(stone)));
  }

  Cells legal_cells(const Position& position, Mark stone) const {
    Cells legal = position.empty;
    const Cells crowded = position.empty.without(grown(position.empty));
    (crowded | (position.empty & position.taken[stone])).for_each([&](int cell) {
      if (!is_legal(position, cell, stone)) legal.erase(cell);
    });
    return legal;
  }

  // The empty cells that only the past forbids.
  Cells superko_cells(const Position& position, Mark stone) const {
    Cells found;
    Cells doubtful = position.empty & position.taken[stone];
    if (suicide_) doubtful = doubtful | position.empty.without(grown(position.empty));
    doubtful.for_each([&](int cell) {
      if (only_superko_forbids(position, cell, stone)) found.insert(cell);
    });
    return found;
  }

  // The stones of that colour and the empty cells with a way over empty cells to one of them (Tromp-Taylor's
  // "reaches").
  Cells reached(const Position& position, Mark stone) const {
    Cells reached = position.stones[stone];
    while (true) {
      const Cells more = reached | (grown(reached) & position.empty);
      if (more == reached) return reached;
      reached = more;
    }
  }

  // By the name of a chain: its liberties, each counted once.
  PerCell<Count> count_liberties(const Position& position) const {
    PerCell<Count> liberties{};
    (position.empty & grown(position.stones[0] | position.stones[1])).for_each([&](int cell) {
      const Around& around = around_[at(cell)];
      for (std::size_t i = 0; i < 4; ++i) {
        const Cell chain = position.chain[around[i]];
        bool first = true;  // of this cell's neighbours in that chain
        for (std::size_t j = 0; j < i; ++j) first &= position.chain[around[j]] != chain;
        liberties[chain] += first;
      }
    });
    return liberties;
  }

  // What a stone does at once, as a sum of these.
  enum Tactic : std::uint8_t {
    kTakes = 1,        // a chain of the opponent
    kSaves = 2,        // a chain of its own from being taken
    kSelfAtari = 4,    // leaves its chain one liberty at most
    kGivesAtari = 8,   // leaves a chain of the opponent one liberty
    kStrengthens = 16  // a chain of its own that had two liberties has more
  };
  static constexpr int kTactics = 32;

  // Of a stone on a legal cell. `liberties` are those of count_liberties(); liberties that two joined chains share are
  // counted twice here, so an atari of its own may be missed.
  int tactics(const Position& position, const PerCell<Count>& liberties, int cell, Mark stone) const {
    const Around& around = around_[at(cell)];
    int own = 0;                    // liberties of the new chain
    int weakest = 3;                // liberties of the weakest chain that it joins
    unsigned takes = 0, gives = 0;  // flags. No branches: they could not be foretold
    for (std::size_t i = 0; i < 4; ++i) {
      const auto mark = position.mark[around[i]];
      const Cell chain = position.chain[around[i]];
      const int count = liberties[chain];
      const unsigned opposes = mark == other(stone);
      const unsigned joins = mark == stone;
      unsigned first = joins;  // of its neighbours in that chain
      for (std::size_t j = 0; j < i; ++j) first &= static_cast<unsigned>(position.chain[around[j]] != chain);
      const unsigned dies = opposes & static_cast<unsigned>(count == 1);
      takes |= dies;
      gives |= opposes & static_cast<unsigned>(count == 2);
      own += static_cast<int>(dies | static_cast<unsigned>(mark == kEmpty)) + (count - 1) * static_cast<int>(first);
      weakest = std::min(weakest, joins != 0 ? count : 3);
    }
    const auto flag = [](bool condition, Tactic tactic) { return condition ? int{tactic} : 0; };
    const int attacks = flag(takes != 0, kTakes) | flag(gives != 0, kGivesAtari);
    const int weak = attacks | flag(takes == 0, kSelfAtari);
    const int strong = attacks | flag(weakest == 1, kSaves) | flag((weakest == 2) & (own > 2), kStrengthens);
    return own <= 1 ? weak : strong;
  }

 private:
  static constexpr std::size_t at(int cell) { return static_cast<std::size_t>(cell); }
  static constexpr std::uint64_t key(int stone, int cell) { return kKeys[at(stone * kCells + cell)]; }

  void join(Position& position, std::size_t kept, std::size_t renamed) const {
    // The chain with fewer liberties is nearly always the smaller one, and so the cheaper to rename.
    if (position.liberties[kept] < position.liberties[renamed]) std::swap(kept, renamed);
    position.liberties[kept] = static_cast<Count>(position.liberties[kept] + position.liberties[renamed]);
    std::size_t stone = renamed;
    do {
      position.chain[stone] = static_cast<Cell>(kept);
      stone = position.next[stone];
    } while (stone != renamed);
    std::swap(position.next[kept], position.next[renamed]);  // two circles become one
  }

  void take(Position& position, int first) const {
    const auto stone = position.mark[at(first)];
    int cell = first;
    do {
      position.stones[stone].erase(cell);
      position.taken[stone].insert(cell);
      position.empty.insert(cell);
      ++position.num_empty;
      position.mark[at(cell)] = kEmpty;
      position.chain[at(cell)] = kNone;
      position.hash ^= key(stone, cell);
      for (const Cell n : around_[at(cell)]) ++position.liberties[position.chain[n]];
      cell = position.next[at(cell)];
    } while (cell != first);
  }

  // What a stone would touch.
  struct Contact {
    bool connects = false;  // to a chain of its colour that has another liberty
    unsigned takes = 0;     // bit i: the i-th neighbour is the opponent's and its chain has no other liberty
  };

  Contact contact_of(const Position& position, int cell, Mark stone) const {
    const Around& around = around_[at(cell)];
    Contact contact;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto mark = position.mark[around[i]];
      const Cell chain = position.chain[around[i]];
      int here = 0;  // pseudo-liberties of that chain which are this cell
      for (const Cell n : around) here += position.chain[n] == chain;
      const bool last = position.liberties[chain] == here;
      contact.connects |= mark == stone && !last;
      contact.takes |= static_cast<unsigned>(mark == other(stone) && last) << i;
    }
    return contact;
  }

  // is_legal() asked the other way, of an empty cell.
  bool only_superko_forbids(const Position& position, int cell, Mark stone) const {
    const Contact contact = contact_of(position, cell, stone);
    bool free = false;
    for (const Cell n : around_[at(cell)]) free |= position.mark[n] == kEmpty;
    if (!free && !contact.connects && contact.takes == 0) return suicide_ && !is_legal_suicide(position, cell, stone);
    if (!position.taken[stone].has(cell)) return false;
    return seen(position, position.hash ^ key(stone, cell) ^ chains_hash(position, cell, contact.takes, other(stone)));
  }

  // Of a stone that finds no liberty and takes nothing. Alone, it leaves the position as it is: a repetition.
  bool is_legal_suicide(const Position& position, int cell, Mark stone) const {
    unsigned friends = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      friends |= static_cast<unsigned>(position.mark[around_[at(cell)][i]] == stone) << i;
    }
    return !seen(position, position.hash ^ chains_hash(position, cell, friends, stone));
  }

  // XOR of the keys of the stones in the chains of those neighbours of `cell` whose bit is set.
  std::uint64_t chains_hash(const Position& position, int cell, unsigned neighbours, Mark stone) const {
    const Around& around = around_[at(cell)];
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      bool counts = ((neighbours >> i) & 1) != 0;
      for (std::size_t j = 0; j < i; ++j) counts &= position.chain[around[j]] != position.chain[around[i]];
      if (!counts) continue;
      std::size_t next = around[i];
      do {
        hash ^= key(stone, static_cast<int>(next));
        next = position.next[next];
      } while (next != around[i]);
    }
    return hash;
  }

  void remember(Position& position) const {
    position.past[at(position.num_past++)] = position.hash;
    position.past_sum += mix64(position.hash + 1);  // not 0 for the empty board
    const std::uint64_t bit = position.hash % kFilterBits;
    position.filter[bit / 64] |= 1ULL << (bit % 64);
  }

  bool seen(const Position& position, std::uint64_t hash) const {
    const std::uint64_t bit = hash % kFilterBits;
    if (((position.filter[bit / 64] >> (bit % 64)) & 1) == 0) return false;
    bool found = false;  // no early way out: the compiler compares several at a time
    for (int i = 0; i < position.num_past; ++i) found |= position.past[at(i)] == hash;
    return found;
  }

  // The cells next to a cell of the set; may run over the end of the board.
  Cells grown(const Cells& cells) const {
    return cells.without(last_column_).forward(1) | cells.without(first_column_).back(1) | cells.forward(size_) |
           cells.back(size_);
  }

  static constexpr std::array<std::uint64_t, 2 * kCells> kKeys = zobrist_keys<2 * kCells>(0x676f);

  int size_;
  bool suicide_;
  std::array<Around, kCells> around_{};
  Cells first_column_;
  Cells last_column_;
  Position start_;
};

}  // namespace tengen

// An n-tuple network: tables of weights over small sets of cells. What stands on the cells of a tuple is the number of
// an entry of its table, and the value of a position is the squashed sum of the entries that it looks up (Bledsoe and
// Browning 1959; Lucas 2008 for Othello). Every symmetric copy of a tuple uses the same table.
//
// Here is what the tables look at (TablesShape), and how tuples are chosen for any game with pieces on cells;
// reader.h looks positions up, learner.h learns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tengen/base/error.h"
#include "tengen/base/rng.h"
#include "tengen/games/game.h"

namespace tengen {

struct TablesShape {
  std::vector<std::vector<std::int32_t>> tuples;  // [T][length] cells
  int stages = 1;                                 // tables apart for positions with few and with many pieces
  bool shares_players = false;                    // one set of tables: the second player sees the colours swapped
  bool marks_targets = false;                     // an empty cell that the mover can move to has a code of its own
};

// The numbers that follow from a game and a shape. Constant once made, so that threads can share it.
class TablesLayout {
 public:
  static constexpr std::int64_t kMostWeights = 1 << 26;  // 256 MB
  static constexpr int kMostTuples = 1024;

  TablesLayout(const GameSpec& spec, TablesShape shape) : shape_(std::move(shape)), num_cells_(spec.num_cells()) {
    check(spec);
    const int num_pieces = static_cast<int>(spec.pieces.size());
    num_codes_ = 1 + num_pieces + (shape_.marks_targets ? 1 : 0);
    target_code_ = num_pieces + 1;
    swapped_ = swapped_codes(spec);
    entries_ = 1;
    for (std::size_t i = 0; i < shape_.tuples.front().size() && entries_ <= kMostWeights; ++i) entries_ *= num_codes_;
    check_size();
    for (const Symmetry& symmetry : spec.symmetries) views_.push_back(symmetry.cell_source);
    bank_size_ = entries_ * num_tuples();
    add_slots();
  }

  const TablesShape& shape() const { return shape_; }
  int num_cells() const { return num_cells_; }
  int num_codes() const { return num_codes_; }
  std::int8_t target_code() const { return static_cast<std::int8_t>(target_code_); }
  int num_tuples() const { return static_cast<int>(shape_.tuples.size()); }
  std::int64_t entries() const { return entries_; }  // of one table
  int num_banks() const { return shape_.stages * (shape_.shares_players ? 1 : 2); }
  std::int64_t num_weights() const { return bank_size_ * num_banks(); }
  // Entries that a position looks up: one for each tuple in each symmetry.
  int num_lookups() const { return num_tuples() * static_cast<int>(views_.size()); }

  // [num_codes] The code of the same piece of the other player.
  const std::int8_t* swapped() const { return swapped_.data(); }

  // First weight of the tables for this player and number of pieces.
  std::int32_t bank_start(Player player, int num_pieces) const {
    const int stage = std::min(num_pieces * shape_.stages / (num_cells_ + 1), shape_.stages - 1);
    const int bank = shape_.shares_players ? stage : 2 * stage + index(player);
    return static_cast<std::int32_t>(bank * bank_size_);
  }

  // Writes the slot of every entry that a position looks up, [num_lookups]. `codes` [num_cells] as the player sees it.
  void write_slots(const std::int8_t* codes, std::int32_t bank_start, std::int32_t* slots) const {
    const auto lookups = static_cast<std::size_t>(num_lookups());
    for (std::size_t i = 0; i < lookups; ++i) slots[i] = first_slot_[i] + bank_start;
    for (std::size_t cell = 0; cell < static_cast<std::size_t>(num_cells_); ++cell) {
      if (codes[cell] == 0) continue;
      const std::int32_t* steps =
          steps_.data() +
          (cell * static_cast<std::size_t>(num_codes_ - 1) + static_cast<std::size_t>(codes[cell] - 1)) * lookups;
      for (std::size_t i = 0; i < lookups; ++i) slots[i] += steps[i];
    }
  }

 private:
  void check(const GameSpec& spec) const {
    if (spec.pieces.empty()) {
      throw ArgumentError("Tables look at the pieces on the cells, and " + spec.name +
                          " does not say what stands on its board (spec.pieces); use a network of layers.");
    }
    if (shape_.tuples.empty() || shape_.tuples.size() > kMostTuples || shape_.tuples.front().empty()) {
      throw ArgumentError("Tables need 1 to " + std::to_string(kMostTuples) + " tuples of cells.");
    }
    if (shape_.stages < 1 || shape_.stages > 64) throw ArgumentError("Tables have 1 to 64 stages.");
    for (const auto& tuple : shape_.tuples) {
      if (tuple.size() != shape_.tuples.front().size())
        throw ArgumentError("All tuples have the same number of cells.");
      std::vector<std::int32_t> sorted = tuple;
      std::sort(sorted.begin(), sorted.end());
      const bool repeats = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
      if (repeats || sorted.front() < 0 || sorted.back() >= num_cells_) {
        throw ArgumentError("A tuple is of different cells from 0 to " + std::to_string(num_cells_ - 1) + ".");
      }
    }
  }

  void check_size() const {
    if (entries_ <= kMostWeights && entries_ * num_tuples() * num_banks() <= kMostWeights) return;
    throw ArgumentError("These tables would have more than " + std::to_string(kMostWeights) +
                        " weights; take fewer or shorter tuples, or fewer stages.");
  }

  // The code of the same piece of the other player: the k-th of one is the k-th of the other.
  std::vector<std::int8_t> swapped_codes(const GameSpec& spec) const {
    std::vector<std::int8_t> swapped(static_cast<std::size_t>(num_codes_));
    std::vector<int> of[2];
    for (std::size_t i = 0; i < swapped.size(); ++i) swapped[i] = static_cast<std::int8_t>(i);
    for (std::size_t i = 0; i < spec.pieces.size(); ++i) {
      if (spec.pieces[i].owner) of[index(*spec.pieces[i].owner)].push_back(static_cast<int>(i) + 1);
    }
    if (of[0].size() != of[1].size()) {
      if (!shape_.shares_players) return swapped;
      throw ArgumentError("The players of " + spec.name + " have different pieces and can't share tables.");
    }
    for (std::size_t k = 0; k < of[0].size(); ++k) {
      swapped[static_cast<std::size_t>(of[0][k])] = static_cast<std::int8_t>(of[1][k]);
      swapped[static_cast<std::size_t>(of[1][k])] = static_cast<std::int8_t>(of[0][k]);
    }
    return swapped;
  }

  // What each cell and code adds to each slot.
  void add_slots() {
    const auto lookups = static_cast<std::size_t>(num_lookups());
    first_slot_.assign(lookups, 0);
    steps_.assign(static_cast<std::size_t>(num_cells_) * static_cast<std::size_t>(num_codes_ - 1) * lookups, 0);
    std::size_t lookup = 0;
    for (std::size_t t = 0; t < shape_.tuples.size(); ++t) {
      for (const auto& view : views_) {
        first_slot_[lookup] = static_cast<std::int32_t>(static_cast<std::int64_t>(t) * entries_);
        std::int64_t factor = 1;
        for (const std::int32_t cell : shape_.tuples[t]) {
          const auto seen = static_cast<std::size_t>(view[static_cast<std::size_t>(cell)]);
          for (int code = 1; code < num_codes_; ++code) {
            steps_[(seen * static_cast<std::size_t>(num_codes_ - 1) + static_cast<std::size_t>(code - 1)) * lookups +
                   lookup] = static_cast<std::int32_t>(factor * code);
          }
          factor *= num_codes_;
        }
        ++lookup;
      }
    }
  }

  TablesShape shape_;
  int num_cells_;
  int num_codes_ = 0;
  int target_code_ = 0;
  std::int64_t entries_ = 0;
  std::int64_t bank_size_ = 0;
  std::vector<std::int8_t> swapped_;              // [num_codes]
  std::vector<std::vector<std::int32_t>> views_;  // [symmetries][num_cells]
  std::vector<std::int32_t> first_slot_;          // [num_lookups] of an empty board
  std::vector<std::int32_t> steps_;               // [num_cells, num_codes - 1, num_lookups]
};

// The largest number of cells whose table has at most so many entries.
inline int longest_tuple(const GameSpec& spec, bool marks_targets, std::int64_t most_entries) {
  const auto codes = static_cast<std::int64_t>(spec.pieces.size()) + (marks_targets ? 2 : 1);
  int length = 1;
  for (std::int64_t entries = codes; length < spec.num_cells() && entries * codes <= most_entries; entries *= codes) {
    ++length;
  }
  return length;
}

// Cells that touch, at a side or at a corner; on a board of hexagons at a side.
inline std::vector<int> neighbours(const GameSpec& spec, int cell) {
  std::vector<int> found;
  for (int down = -1; down <= 1; ++down) {
    for (int right = -1; right <= 1; ++right) {
      const int row = cell / spec.width + down;
      const int column = cell % spec.width + right;
      const bool touches = (down != 0 || right != 0) && (spec.shape != BoardShape::kHex || down != right);
      if (touches && row >= 0 && row < spec.height && column >= 0 && column < spec.width) {
        found.push_back(row * spec.width + column);
      }
    }
  }
  return found;
}

// Tuples by random walks on the board (Lucas 2008): from a random cell to a random neighbour until enough cells were
// met. No two are the same up to symmetry, as long as there are others to be found.
inline std::vector<std::vector<std::int32_t>> random_tuples(const GameSpec& spec, int count, int length,
                                                            std::uint64_t seed) {
  if (length < 1 || length > spec.num_cells()) {
    throw ArgumentError("A tuple of " + spec.name + " has 1 to " + std::to_string(spec.num_cells()) + " cells, not " +
                        std::to_string(length) + ".");
  }
  constexpr int kTries = 200;
  const auto turned = [&](const std::vector<std::int32_t>& tuple, const Symmetry& symmetry) {
    std::vector<std::int32_t> cells;
    for (const std::int32_t cell : tuple) cells.push_back(symmetry.cell_source[static_cast<std::size_t>(cell)]);
    std::sort(cells.begin(), cells.end());
    return cells;
  };
  Rng rng(seed);
  std::vector<std::vector<std::int32_t>> tuples;
  for (int tries = 0; static_cast<int>(tuples.size()) < count; ++tries) {
    std::vector<std::int32_t> tuple;
    int cell = static_cast<int>(rng.below(static_cast<std::uint32_t>(spec.num_cells())));
    for (int steps = 0; static_cast<int>(tuple.size()) < length; ++steps) {
      if (std::find(tuple.begin(), tuple.end(), cell) == tuple.end()) tuple.push_back(cell);
      const std::vector<int> near = neighbours(spec, cell);
      // A walk on a board of one cell, or one that is caught for long, goes on elsewhere.
      cell = near.empty() || steps % 1000 == 999
                 ? static_cast<int>(rng.below(static_cast<std::uint32_t>(spec.num_cells())))
                 : near[rng.below(static_cast<std::uint32_t>(near.size()))];
    }
    std::sort(tuple.begin(), tuple.end());
    const bool is_known = std::any_of(spec.symmetries.begin(), spec.symmetries.end(), [&](const Symmetry& symmetry) {
      return std::find(tuples.begin(), tuples.end(), turned(tuple, symmetry)) != tuples.end();
    });
    if (is_known && tries < kTries * count) continue;
    if (is_known && !tuples.empty()) break;  // a small board has no more of them
    tuples.push_back(std::move(tuple));
  }
  return tuples;
}

}  // namespace tengen

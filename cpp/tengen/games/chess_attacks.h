// What the pieces of chess attack on a board of 8x8 bits (bit = row * 8 + column, row 0 at the top). Smaller boards lie
// in the upper left corner; the bits outside them count as occupied, so that no line leaves the board.
//
// Lines of rooks and bishops come from a table that is indexed by the occupied cells of the line (PEXT), on processors
// that have the instruction; on all others they are cut off behind the first piece in each direction.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__BMI2__)
#include <immintrin.h>
#endif

namespace tengen {

class ChessAttacks {
 public:
  // The tables are the same for all games: built once, when the first game asks.
  static const ChessAttacks& get() {
    static const ChessAttacks tables;
    return tables;
  }

  std::uint64_t king(int from) const { return king_[at(from)]; }
  std::uint64_t knight(int from) const { return knight_[at(from)]; }
  // The cells between two cells of one line, without both; nothing if they are not on a line.
  std::uint64_t between(int from, int to) const { return between_[at(from)][at(to)]; }

#if defined(__BMI2__)
  std::uint64_t rook(int from, std::uint64_t occupied) const { return lookup(rook_[at(from)], occupied); }
  std::uint64_t bishop(int from, std::uint64_t occupied) const { return lookup(bishop_[at(from)], occupied); }
#else
  std::uint64_t rook(int from, std::uint64_t occupied) const { return lines(from, occupied, 0); }
  std::uint64_t bishop(int from, std::uint64_t occupied) const { return lines(from, occupied, 1); }
#endif

 private:
  // Clockwise from above: {rows, columns}. Rooks have the even ones.
  static constexpr int kDirections[8][2] = {{-1, 0}, {-1, 1}, {0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}};

  ChessAttacks() {
    for (int from = 0; from < 64; ++from) {
      for (int direction = 0; direction < 8; ++direction) {
        const auto [rows, columns] = kDirections[direction];
        king_[at(from)] |= bit(from / 8 + rows, from % 8 + columns);
        std::uint64_t passed = 0;
        for (int step = 1; step < 8; ++step) {
          const std::uint64_t cell = bit(from / 8 + step * rows, from % 8 + step * columns);
          if (cell == 0) break;
          between_[at(from)][at(std::countr_zero(cell))] = passed;
          passed |= cell;
        }
        rays_[at(from)][at(direction)] = passed;
      }
      for (const int sign : {-1, 1}) {
        for (const int other : {-1, 1}) {
          knight_[at(from)] |= bit(from / 8 + 2 * sign, from % 8 + other) | bit(from / 8 + sign, from % 8 + 2 * other);
        }
      }
    }
#if defined(__BMI2__)
    for (int from = 0; from < 64; ++from) rook_[at(from)] = add_lines(from, 0);
    for (int from = 0; from < 64; ++from) bishop_[at(from)] = add_lines(from, 1);
#endif
  }

  static constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }
  static constexpr std::uint64_t bit(int row, int column) {
    return row < 0 || row > 7 || column < 0 || column > 7 ? 0 : 1ULL << (row * 8 + column);
  }

  // Every second direction from `first` on, each up to its first occupied cell.
  std::uint64_t lines(int from, std::uint64_t occupied, int first) const {
    std::uint64_t found = 0;
    for (int direction = first; direction < 8; direction += 2) {
      const std::uint64_t ray = rays_[at(from)][at(direction)];
      const std::uint64_t blockers = ray & occupied;
      const bool upwards =
          kDirections[direction][0] < 0 || (kDirections[direction][0] == 0 && kDirections[direction][1] < 0);
      found |= ray;
      if (blockers == 0) continue;
      const int nearest = upwards ? 63 - std::countl_zero(blockers) : std::countr_zero(blockers);
      found ^= rays_[at(nearest)][at(direction)];
    }
    return found;
  }

#if defined(__BMI2__)
  struct Lines {
    std::uint64_t blockers = 0;               // the cells that can cut a line off: all but the last of each direction
    std::uint64_t cells = 0;                  // all cells of the lines
    const std::uint16_t* attacked = nullptr;  // by the occupied blockers: which of `cells`, at most 14
  };

  std::uint64_t lookup(const Lines& lines, std::uint64_t occupied) const {
    return _pdep_u64(lines.attacked[_pext_u64(occupied, lines.blockers)], lines.cells);
  }

  Lines add_lines(int from, int first) {
    Lines found;
    for (int direction = first; direction < 8; direction += 2) {
      const std::uint64_t ray = rays_[at(from)][at(direction)];
      found.cells |= ray;
      for (std::uint64_t left = ray; left != 0; left &= left - 1) {
        // A cell is the last of its direction if its own ray goes nowhere.
        const int cell = std::countr_zero(left);
        if (rays_[at(cell)][at(direction)] != 0) found.blockers |= 1ULL << cell;
      }
    }
    const std::size_t entries = std::size_t{1} << std::popcount(found.blockers);
    tables_.emplace_back(entries);
    for (std::size_t i = 0; i < entries; ++i) {
      const std::uint64_t attacked = lines(from, _pdep_u64(i, found.blockers), first);
      tables_.back()[i] = static_cast<std::uint16_t>(_pext_u64(attacked, found.cells));
    }
    found.attacked = tables_.back().data();
    return found;
  }

  std::array<Lines, 64> rook_{};
  std::array<Lines, 64> bishop_{};
  std::vector<std::vector<std::uint16_t>> tables_;  // 210 KB in all
#endif

  std::array<std::uint64_t, 64> king_{};
  std::array<std::uint64_t, 64> knight_{};
  std::array<std::array<std::uint64_t, 8>, 64> rays_{};      // [from][direction]
  std::array<std::array<std::uint64_t, 64>, 64> between_{};  // [from][to]
};

}  // namespace tengen

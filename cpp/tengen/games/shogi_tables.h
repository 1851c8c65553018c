// What never changes on a shogi board: kinds of pieces and how they move, directions, rays.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "tengen/games/cell_set.h"
#include "tengen/games/game.h"

namespace tengen::shogi {

// What a piece is. A promoted piece is its kind + kPromoted; gold and king do not promote.
enum Kind : std::uint8_t {
  kPawn,
  kLance,
  kKnight,
  kSilver,
  kBishop,
  kRook,
  kGold,
  kKing,
  kPromoted = 8,
  kHorse = kBishop + kPromoted,
  kDragon = kRook + kPromoted,
};
constexpr int kNumKinds = 14;
constexpr int kNumHeld = 7;  // the kinds before the king can be held

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
constexpr std::size_t at(Player player) { return at(index(player)); }

// Calls visit(constant d) for d = 0 .. 7: a direction that the compiler knows makes shifts without a branch.
template <class Visit>
constexpr void for_each_step(const Visit& visit) {
  [&]<int... kDirection>(std::integer_sequence<int, kDirection...>) {
    (visit(std::integral_constant<int, kDirection>{}), ...);
  }(std::make_integer_sequence<int, 8>{});
}

// Directions as the board is drawn. Those before kRight lead to cells of lower numbers; the opposite of d is 7 - d. The
// two jumps of a knight are the last ones, and only as its owner sees them.
enum Direction { kUp, kUpLeft, kUpRight, kLeft, kRight, kDownLeft, kDownRight, kDown, kJumpLeft, kJumpRight };
constexpr int kSteps = 8;  // without the jumps
constexpr int kDirections = 10;
constexpr int opposite(int direction) { return 7 - direction; }
// A direction as a player sees it, on the board as drawn; and the same back.
constexpr int turned(Player player, int direction) {
  return player == Player::kFirst ? direction : opposite(direction);
}

constexpr std::array<int, kDirections> kRowStep = {-1, -1, -1, 0, 0, 1, 1, 1, -2, -2};
constexpr std::array<int, kDirections> kColumnStep = {0, -1, 1, -1, 1, -1, 1, 0, -1, 1};

// Directions in which a kind steps and slides, a bit for each, as its owner sees them.
constexpr std::uint32_t direction_bits(std::initializer_list<int> directions) {
  std::uint32_t bits = 0;
  for (const int d : directions) bits |= 1U << d;
  return bits;
}
constexpr std::uint32_t kSilverSteps = direction_bits({kUp, kUpLeft, kUpRight, kDownLeft, kDownRight});
constexpr std::uint32_t kGoldSteps = direction_bits({kUp, kUpLeft, kUpRight, kLeft, kRight, kDown});
constexpr std::uint32_t kStraight = direction_bits({kUp, kLeft, kRight, kDown});
constexpr std::uint32_t kDiagonal = direction_bits({kUpLeft, kUpRight, kDownLeft, kDownRight});
constexpr std::array<std::uint32_t, kNumKinds> kStepsOf = {
    1U << kUp,  0,          0,          kSilverSteps, 0,         0,        kGoldSteps, kStraight | kDiagonal,
    kGoldSteps, kGoldSteps, kGoldSteps, kGoldSteps,   kStraight, kDiagonal};
constexpr std::array<std::uint32_t, kNumKinds> kSlidesOf = {0, 1U << kUp, 0, 0, kDiagonal, kStraight, 0,
                                                            0, 0,         0, 0, 0,         kDiagonal, kStraight};

template <int kSize>
struct Tables {
  static constexpr int kCells = kSize * kSize;
  static constexpr int kZone = kSize == 9 ? 3 : 1;  // rows in which pieces promote
  using Cells = CellSet<kCells>;

  // A cell as a player sees it: the second player sits at the top.
  static constexpr int seen(Player player, int cell) { return player == Player::kFirst ? cell : kCells - 1 - cell; }

  static constexpr bool inside(int row, int column) { return row >= 0 && row < kSize && column >= 0 && column < kSize; }

  // The cell that is so many steps away in a direction as the player sees it; -1: off the board.
  static constexpr int moved(Player player, int direction, int cell, int steps) {
    const int start = seen(player, cell);
    const int row = start / kSize + steps * kRowStep[at(direction)];
    const int column = start % kSize + steps * kColumnStep[at(direction)];
    return inside(row, column) ? seen(player, row * kSize + column) : -1;
  }

  static constexpr Cells single(int cell) {
    Cells cells;
    cells.insert(cell);
    return cells;
  }

  template <class Test>
  static constexpr Cells cells_where(const Test& is_in) {
    Cells cells;
    for (int cell = 0; cell < kCells; ++cell) {
      if (is_in(cell / kSize, cell % kSize)) cells.insert(cell);
    }
    return cells;
  }

  static constexpr Cells kBoard = cells_where([](int, int) { return true; });

  static constexpr auto kColumns = [] {
    std::array<Cells, kSize> columns;
    for (int i = 0; i < kSize; ++i) {
      columns[at(i)] = cells_where([i](int, int column) { return column == i; });
    }
    return columns;
  }();

  // [player][n]: the n rows that are farthest from a player.
  static constexpr auto kFarRows = [] {
    std::array<std::array<Cells, 4>, 2> rows;
    for (int n = 0; n < 4; ++n) {
      rows[0][at(n)] = cells_where([n](int row, int) { return row < n; });
      rows[1][at(n)] = cells_where([n](int row, int) { return row >= kSize - n; });
    }
    return rows;
  }();
  static constexpr const Cells& far_rows(Player player, int rows) { return kFarRows[at(player)][at(rows)]; }
  static constexpr const Cells& zone(Player player) { return far_rows(player, kZone); }

  // Where a piece could never move again: it must promote there, and can't be dropped there.
  static constexpr const Cells& dead_end(Player player, int kind) {
    return far_rows(player, kind == kPawn || kind == kLance ? 1 : kind == kKnight ? 2 : 0);
  }

  // [direction]: the cells from which a step stays on the board.
  static constexpr auto kStepFrom = [] {
    std::array<Cells, kSteps> cells;
    for (std::size_t d = 0; d < kSteps; ++d) {
      cells[d] = cells_where([d](int row, int column) { return inside(row + kRowStep[d], column + kColumnStep[d]); });
    }
    return cells;
  }();

  // [direction][cell]: all cells from there to the edge.
  static constexpr auto kRays = [] {
    std::array<std::array<Cells, kCells>, kSteps> rays;
    for (int d = 0; d < kSteps; ++d) {
      for (int cell = 0; cell < kCells; ++cell) {
        for (int to = moved(Player::kFirst, d, cell, 1); to >= 0; to = moved(Player::kFirst, d, to, 1)) {
          rays[at(d)][at(cell)].insert(to);
        }
      }
    }
    return rays;
  }();

  // [cell][other cell]: the direction from one to the other; kNoDirection: they are not on a line.
  static constexpr std::uint8_t kNoDirection = 15;
  static constexpr auto kDirectionTo = [] {
    std::array<std::array<std::uint8_t, kCells>, kCells> directions;
    for (int cell = 0; cell < kCells; ++cell) {
      directions[at(cell)].fill(kNoDirection);
      for (int d = 0; d < kSteps; ++d) {
        kRays[at(d)][at(cell)].for_each([&](int to) { directions[at(cell)][at(to)] = static_cast<std::uint8_t>(d); });
      }
    }
    return directions;
  }();

  // [direction][cell]: -1 off the board.
  static constexpr auto kNeighbour = [] {
    std::array<std::array<std::int8_t, kCells>, kSteps> neighbours;
    for (int d = 0; d < kSteps; ++d) {
      for (int cell = 0; cell < kCells; ++cell) {
        neighbours[at(d)][at(cell)] = static_cast<std::int8_t>(moved(Player::kFirst, d, cell, 1));
      }
    }
    return neighbours;
  }();

  // [cell]: its neighbours, and all cells on a line with it.
  static constexpr auto kAround = [] {
    std::array<Cells, kCells> around;
    for (int cell = 0; cell < kCells; ++cell) {
      for (int d = 0; d < kSteps; ++d) {
        if (const int to = moved(Player::kFirst, d, cell, 1); to >= 0) around[at(cell)].insert(to);
      }
    }
    return around;
  }();
  static constexpr auto kInLine = [] {
    std::array<Cells, kCells> lines;
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      for (std::size_t d = 0; d < kSteps; ++d) lines[cell] = lines[cell] | kRays[d][cell];
    }
    return lines;
  }();

  // [player][cell]: where a knight of the player jumps to.
  static constexpr auto kJumps = [] {
    std::array<std::array<Cells, kCells>, 2> jumps;
    for (const Player player : {Player::kFirst, Player::kSecond}) {
      for (int cell = 0; cell < kCells; ++cell) {
        for (const int d : {kJumpLeft, kJumpRight}) {
          if (const int to = moved(player, d, cell, 1); to >= 0) jumps[at(player)][at(cell)].insert(to);
        }
      }
    }
    return jumps;
  }();

  // All of them one step further.
  template <int kDirection>
  static Cells step(const Cells& cells) {
    constexpr int kDistance = kRowStep[at(kDirection)] * kSize + kColumnStep[at(kDirection)];
    const Cells from = cells & kStepFrom[at(kDirection)];
    if constexpr (kDistance < 0) {
      return from.back(-kDistance);
    } else {
      return from.forward(kDistance);
    }
  }
  template <Player kPlayer, int kDirection>
  static Cells jump(const Cells& knights) {
    constexpr int kSideways = kDirection == kJumpLeft ? kUpLeft : kUpRight;
    return step<turned(kPlayer, kSideways)>(step<turned(kPlayer, kUp)>(knights));
  }

  // The cell before or beside a cell, as a set; empty off the board.
  static Cells neighbour(int cell, int direction) {
    const int to = kNeighbour[at(direction)][at(cell)];
    return to < 0 ? Cells{} : single(to);
  }

  // The nearest of `pieces` in a direction from a cell; -1: there is none.
  static int nearest(const Cells& pieces, int direction, int cell) {
    const Cells met = pieces & kRays[at(direction)][at(cell)];
    if (met.empty()) return -1;
    return direction < kRight ? met.last() : met.first();
  }

  // Where a piece slides to: up to the first piece in its way, which it may take.
  static Cells slide(const Cells& occupied, int direction, int cell) {
    const Cells& ray = kRays[at(direction)][at(cell)];
    const int end = nearest(occupied, direction, cell);
    return end < 0 ? ray : ray.without(kRays[at(direction)][at(end)]);
  }

  // The cells between two cells of a line.
  static Cells between(int cell, int direction, int other) {
    return kRays[at(direction)][at(cell)] & kRays[at(opposite(direction))][at(other)];
  }
};

}  // namespace tengen::shogi

// Builders for the symmetry tables of a GameSpec.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tengen/games/game.h"

namespace tengen {

// Where the cell at (row, column) of the new board comes from. Bits: 1 mirror columns, 2 mirror rows, 4 transpose.
inline int source_cell(int transform, int row, int column, int height, int width) {
  if ((transform & 4) != 0) std::swap(row, column);
  if ((transform & 2) != 0) row = height - 1 - row;
  if ((transform & 1) != 0) column = width - 1 - column;
  return row * width + column;
}

// What an action of a plane means must be the same on the turned board (a drop is, a step in one direction is not: a
// rules file with moves says itself what becomes of them).
inline Symmetry board_symmetry(int transform, int height, int width, int num_actions, ActionLayout layout) {
  static const char* const kNames[8] = {"identity",  "mirror columns", "mirror rows",  "rotate 180",
                                        "transpose", "rotate left",    "rotate right", "anti-transpose"};
  Symmetry symmetry;
  symmetry.name = kNames[transform];
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      symmetry.cell_source.push_back(source_cell(transform, row, column, height, width));
    }
  }
  for (int action = 0; action < num_actions; ++action) {
    int source = action;
    const int cells = height * width;
    const bool has_cell = (layout == ActionLayout::kCells && action < cells) ||
                          (layout == ActionLayout::kPlanes && action < num_actions / cells * cells);
    if (has_cell) {
      source = action / cells * cells + symmetry.cell_source[static_cast<std::size_t>(action % cells)];
    } else if (layout == ActionLayout::kColumns && (transform & 1) != 0) {
      source = width - 1 - action;
    }
    symmetry.action_source.push_back(source);
  }
  return symmetry;
}

// All eight of a square board, the four of a rectangle.
inline std::vector<Symmetry> dihedral_symmetries(int height, int width, int num_actions) {
  std::vector<Symmetry> symmetries;
  for (int transform = 0; transform < (height == width ? 8 : 4); ++transform) {
    symmetries.push_back(board_symmetry(transform, height, width, num_actions, ActionLayout::kCells));
  }
  return symmetries;
}

// Left and right only, as in games with gravity.
inline std::vector<Symmetry> mirror_symmetries(int height, int width, int num_actions, ActionLayout layout) {
  return {board_symmetry(0, height, width, num_actions, layout), board_symmetry(1, height, width, num_actions, layout)};
}

}  // namespace tengen

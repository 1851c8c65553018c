// What a network sees of chess, from the side of the player to move: pieces of this position and of earlier ones,
// rights, and the clock of the fifty moves. docs/games/chess.md lists the planes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tengen/games/chess_actions.h"
#include "tengen/games/chess_position.h"
#include "tengen/games/chess_state.h"
#include "tengen/games/chess_text.h"

namespace tengen {

template <int kSize>
class ChessPlanes {
  using Position = ChessPosition<kSize>;
  static constexpr int kCells = kSize * kSize;

 public:
  // history: positions that are shown, this one included.
  explicit ChessPlanes(int history) : history_(history) {
    for (const ChessPiece piece : kChessPieces) {
      if (piece != ChessPiece::kBishop || ChessActions<kSize>::has_bishops()) pieces_.push_back(piece);
    }
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (int i = 0; i < history_; ++i) {
      const std::string when = i == 0 ? "" : ", " + std::to_string(i) + (i == 1 ? " ply ago" : " plies ago");
      for (const std::string side : {"own ", "opponent's "}) {
        for (const ChessPiece piece : pieces_) names.push_back(side + plural(piece) + when);
      }
      names.push_back("repeated" + when);
    }
    if (kSize == 8) names.insert(names.end(), {"rooks that may castle", "en passant"});
    names.push_back("clock of the fifty moves");
    return names;
  }
  // Into planes of zeros, [names().size()][kSize][kSize].
  void write(const ChessState<kSize>& state, float* planes) const {
    const auto write_cells = [&planes](std::uint64_t bits) {
      for (; bits != 0; bits &= bits - 1) planes[ChessActions<kSize>::cell_of(std::countr_zero(bits))] = 1.0F;
      planes += kCells;
    };
    const auto write_all = [&planes](float value) {
      if (value != 0.0F) std::fill_n(planes, kCells, value);
      planes += kCells;
    };
    const auto write_pieces = [&](const Position& position, bool repeated) {
      for (const std::uint64_t side : {position.own, position.others()}) {
        for (const ChessPiece piece : pieces_) write_cells(position.of(piece) & side);
      }
      write_all(repeated ? 1.0F : 0.0F);
    };
    write_pieces(state.position, state.repeats > 0);
    for (int i = 0; i + 1 < history_; ++i) {
      if (i >= state.num_past) {
        planes += kCells * (2 * static_cast<int>(pieces_.size()) + 1);
        continue;
      }
      const auto& past = state.past[static_cast<std::size_t>(i)];
      Position position;
      position.own = past.own;
      position.kind = past.kind;
      write_pieces(i % 2 == 0 ? position.turned() : position, past.repeated);
    }
    if constexpr (kSize == 8) {
      write_cells(state.position.castling);
      write_cells(state.position.en_passant == Position::kNone ? 0 : 1ULL << state.position.en_passant);
    }
    write_all(static_cast<float>(std::min<int>(state.clock, 100)) / 100.0F);
  }

 private:
  static std::string plural(ChessPiece piece) {
    static const std::array<std::string, 8> kNames = {"", "pawns", "knights", "king", "", "bishops", "rooks", "queens"};
    return kNames[static_cast<std::size_t>(piece)];
  }

  int history_;
  std::vector<ChessPiece> pieces_;  // in the order of the planes
};

}  // namespace tengen

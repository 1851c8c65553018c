// Chess positions from and for elsewhere (FEN, drawings): what can't be on a board is refused with a sentence.
#pragma once

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tengen/base/error.h"
#include "tengen/games/board_text.h"
#include "tengen/games/chess_actions.h"
#include "tengen/games/chess_position.h"
#include "tengen/games/chess_text.h"
#include "tengen/games/game.h"

namespace tengen {

// `actions` must outlive it.
template <int kSize>
class ChessSetups {
  using Position = ChessPosition<kSize>;
  using Actions = ChessActions<kSize>;
  static constexpr int kCells = kSize * kSize;

 public:
  explicit ChessSetups(const Actions& actions) : actions_(actions) {}

  // As the player to move sees it. Throws BoardTextError.
  Position position_of(const ChessSetup& setup) const {
    Position position;
    for (int cell = 0; cell < kCells; ++cell) {
      const char letter = setup.cells[static_cast<std::size_t>(cell)];
      if (letter == '.') continue;
      const bool white = std::isupper(static_cast<unsigned char>(letter)) != 0;
      position.put(Actions::bit_of(Actions::seen_cell(setup.to_move, cell)), chess_piece(letter),
                   white == (setup.to_move == Player::kFirst));
    }
    check_pieces(position, setup.to_move);
    if constexpr (kSize == 8) {
      set_castling(position, setup.to_move, setup.castling);
      set_en_passant(position, setup.to_move, setup.en_passant);
    }
    return position;
  }

  // All that a position tells; its counters are the caller's.
  ChessSetup setup_of(const Position& position, Player to_move) const {
    ChessSetup setup;
    for (int cell = 0; cell < kCells; ++cell) setup.cells += letter_on(position, to_move, cell);
    setup.to_move = to_move;
    setup.castling = castling_text(position, to_move);
    if (position.en_passant != Position::kNone) setup.en_passant = actions_.square(to_move, position.en_passant);
    return setup;
  }

  // The piece on a cell of the board as drawn: a capital for white, '.' for none.
  static char letter_on(const Position& position, Player to_move, int cell) {
    const int bit = Actions::bit_of(Actions::seen_cell(to_move, cell));
    const char letter = chess_letter(position.piece(bit));
    const bool is_own = (position.own >> bit & 1) != 0;
    const bool white = is_own == (to_move == Player::kFirst);
    return white ? letter : static_cast<char>(std::tolower(letter));
  }

 private:
  // One king each, no pawn on the last rows, no more pieces than promotions allow, and nobody can take a king.
  void check_pieces(const Position& position, Player to_move) const {
    for (const bool mover : {true, false}) {
      const std::uint64_t side = mover ? position.own : position.others();
      const std::string who(chess_colour(mover ? to_move : opponent(to_move)));
      const auto count = [&](std::uint64_t pieces) { return std::popcount(pieces & side); };
      if (count(position.kings()) != 1) {
        throw BoardTextError("Each side has one king; " + who + " has " + std::to_string(count(position.kings())) +
                             ".");
      }
      const auto extra = [&](std::uint64_t pieces, int at_start) { return std::max(0, count(pieces) - at_start); };
      const int pairs = kSize == 5 ? 1 : 2;
      const int promoted = extra(position.queens(), 1) + extra(position.rooks(), pairs) +
                           extra(position.knights(), pairs) +
                           extra(position.bishops(), Actions::has_bishops() ? pairs : 0);
      if (count(position.pawns()) + promoted > kSize) {
        throw BoardTextError("A side has " + std::to_string(kSize) + " pawns, and pieces that they were promoted to; " +
                             who + " has more than that.");
      }
      if (!Actions::has_bishops() && count(position.bishops()) > 0) throw BoardTextError("This game has no bishops.");
    }
    if ((position.pawns() & (Position::kRow | Position::kBottomRow)) != 0) {
      throw BoardTextError("There are no pawns on the first and the last row.");
    }
    if (position.turned().in_check(actions_.attacks())) {
      throw BoardTextError("It is the turn of " + std::string(chess_colour(to_move)) + ", who could take the king of " +
                           std::string(chess_colour(opponent(to_move))) + ".");
    }
  }

  // X-FEN: KQkq for the outermost rook on that side of the king, or the letter of a rook's column. Rights without a
  // king and a rook in their places are left out.
  void set_castling(Position& position, Player to_move, const std::string& text) const {
    if (text == "-") return;
    for (const char letter : text) {
      const bool white = std::isupper(static_cast<unsigned char>(letter)) != 0;
      const bool mover = white == (to_move == Player::kFirst);
      const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
      if (lower != 'k' && lower != 'q' && (lower < 'a' || lower > 'h')) {
        throw BoardTextError("Castling is written with KQkq or the columns of rooks, or '-'; not " + excerpt(text) +
                             ".");
      }
      const std::uint64_t side = mover ? position.own : position.others();
      const std::uint64_t row = mover ? Position::kBottomRow : Position::kRow;
      const std::uint64_t king = position.kings() & side & row;
      const std::uint64_t rooks = position.rooks() & side & row;
      if (king == 0) continue;
      const std::uint64_t right = rooks & ~(king | (king - 1));
      const std::uint64_t left = rooks & (king - 1);
      std::uint64_t rook = 0;
      if (lower == 'k') {
        rook = right == 0 ? 0 : 1ULL << (63 - std::countl_zero(right));
      } else if (lower == 'q') {
        rook = left == 0 ? 0 : 1ULL << std::countr_zero(left);
      } else {
        rook = rooks & (Position::kFirstColumn << (lower - 'a'));
      }
      if (!actions_.chess960()) {  // the king on e, the rook on a or h
        if ((king & Position::kFirstColumn << 4) == 0) continue;
        rook &= Position::kFirstColumn | Position::kLastColumn;
      }
      const std::uint64_t same_side = rook > king ? ~(king | (king - 1)) : king - 1;
      if (rook != 0) position.castling = (position.castling & ~(row & same_side)) | rook;
    }
  }

  std::string castling_text(const Position& position, Player to_move) const {
    std::string text;
    for (const Player player : {Player::kFirst, Player::kSecond}) {
      const bool mover = player == to_move;
      const std::uint64_t row = mover ? Position::kBottomRow : Position::kRow;
      const std::uint64_t side = (mover ? position.own : position.others()) & row;
      const std::uint64_t king = position.kings() & side;
      const std::uint64_t right = king == 0 ? 0 : ~(king | (king - 1));
      for (const std::uint64_t cells : {right, ~right & ~king}) {
        const std::uint64_t rook = position.castling & row & cells;
        if (rook == 0) continue;
        const std::uint64_t rooks = position.rooks() & side & cells;
        const bool outermost = cells == right ? rook > (rooks ^ rook) : (rook & -rooks) != 0;
        const char letter = !outermost       ? static_cast<char>('a' + std::countr_zero(rook) % 8)
                            : cells == right ? 'k'
                                             : 'q';
        text += player == Player::kFirst ? static_cast<char>(std::toupper(letter)) : letter;
      }
    }
    return text.empty() ? "-" : text;
  }

  void set_en_passant(Position& position, Player to_move, const std::string& text) const {
    if (text == "-") return;
    const auto cell = actions_.names().parse(text);
    const int seen = cell ? Actions::seen_cell(to_move, *cell) : -1;
    if (!cell || seen / kSize != 2) {
      throw BoardTextError(
          "The cell of en passant is behind a pawn of the opponent that has just made a double step, or '-'; not " +
          excerpt(text) + ".");
    }
    const int bit = Actions::bit_of(seen);
    const std::uint64_t pawn = position.pawns() & position.others();
    const bool stepped = (pawn >> (bit + 8) & 1) != 0 && (position.occupied() >> bit & 1) == 0 &&
                         (position.occupied() >> (bit - 8) & 1) == 0;
    if (stepped) position.allow_en_passant(actions_.attacks(), bit);
  }

  const Actions& actions_;
};

}  // namespace tengen

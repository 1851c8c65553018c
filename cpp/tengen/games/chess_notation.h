// The notation of chess records, standard algebraic notation: Nf3, exd5, O-O, e8=Q+.
#pragma once

#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include "tengen/games/chess_actions.h"
#include "tengen/games/chess_position.h"
#include "tengen/games/chess_text.h"
#include "tengen/games/game.h"

namespace tengen {

// Of a legal action.
template <int kSize>
std::string chess_notation(const ChessActions<kSize>& actions, const ChessPosition<kSize>& position, Player to_move,
                           Action action) {
  const ChessMove move = actions.move_of(position, action);
  ChessPosition<kSize> next = position;
  next.make(actions.attacks(), move);
  std::string mark;
  if (next.in_check(actions.attacks())) mark = actions.has_move(next) ? "+" : "#";
  if (move.castles) return (move.to > move.from ? "O-O" : "O-O-O") + mark;
  const ChessPiece piece = position.piece(move.from);
  const std::string from = actions.square(to_move, move.from);
  const std::string to = actions.square(to_move, move.to);
  const bool takes =
      (position.others() >> move.to & 1) != 0 || (piece == ChessPiece::kPawn && move.to == position.en_passant);
  std::string text;
  if (piece == ChessPiece::kPawn) {
    if (takes) text += from[0];
  } else {
    text += chess_letter(piece);
    bool ambiguous = false;
    bool same_column = false;
    bool same_row = false;
    actions.any(actions.legal_moves(position), [&](ChessMove other) {
      if (other.to != move.to || other.from == move.from || other.castles) return false;
      if (position.piece(other.from) != piece) return false;
      ambiguous = true;
      same_column |= other.from % 8 == move.from % 8;
      same_row |= other.from / 8 == move.from / 8;
      return false;
    });
    if (ambiguous && (!same_column || same_row)) text += from[0];
    if (same_column) text += from.substr(1);
  }
  text += (takes ? "x" : "") + to;
  if (move.promotion != ChessPiece::kNone) text += std::string("=") + chess_letter(move.promotion);
  return text + mark;
}

// Reads it with or without its marks (+, #, !, ?), x and =; also Ng1-f3.
template <int kSize>
std::optional<Action> parse_chess_notation(const ChessActions<kSize>& actions, const ChessPosition<kSize>& position,
                                           Player to_move, std::string_view given) {
  std::string text;
  for (const char mark : given) {
    if (std::string_view("+#!?x=-:").find(mark) == std::string_view::npos) text += mark;
  }
  if (text.empty() || text.size() > 6) return std::nullopt;
  const bool castles = text == "OO" || text == "00" || text == "OOO" || text == "000";
  ChessPiece piece = ChessPiece::kPawn;
  ChessPiece promotion = ChessPiece::kNone;
  std::string from;
  int to = -1;
  if (!castles) {
    if (std::isupper(static_cast<unsigned char>(text[0])) != 0) {
      piece = chess_piece(text[0]);
      text.erase(0, 1);
    }
    if (!text.empty() && std::isdigit(static_cast<unsigned char>(text.back())) == 0) {
      promotion = chess_piece(text.back());
      if (promotion == ChessPiece::kNone || piece != ChessPiece::kPawn) return std::nullopt;
      text.pop_back();
    }
    if (piece == ChessPiece::kNone || text.size() < 2 || text.size() > 4) return std::nullopt;
    const auto cell = actions.names().parse(text.substr(text.size() - 2));
    if (!cell) return std::nullopt;
    to = actions.bit_of(actions.seen_cell(to_move, *cell));
    from = text.substr(0, text.size() - 2);
  }
  std::optional<Action> found;
  const bool ambiguous = actions.any(actions.legal_moves(position), [&](ChessMove move) {
    if (move.castles != castles || move.promotion != promotion) return false;
    if (castles ? (move.to > move.from) != (text.size() == 2) : move.to != to || position.piece(move.from) != piece) {
      return false;
    }
    const std::string name = actions.square(to_move, move.from);
    for (const char mark : from) {
      if (name.find(mark) == std::string::npos) return false;
    }
    if (found) return true;
    found = actions.action_of(move);
    return false;
  });
  return ambiguous ? std::nullopt : found;
}

}  // namespace tengen

// Chess positions and moves as text: FEN, the drawing, squares, UCI's moves (e2e4) and the notation of records (Nf3).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tengen/base/error.h"
#include "tengen/games/board_text.h"
#include "tengen/games/chess_position.h"
#include "tengen/games/game.h"

namespace tengen {

inline constexpr std::string_view kChessLetters = "PNBRQKpnbrqk";  // in the order of GameSpec::pieces
inline constexpr std::array<ChessPiece, 6> kChessPieces = {ChessPiece::kPawn, ChessPiece::kKnight, ChessPiece::kBishop,
                                                           ChessPiece::kRook, ChessPiece::kQueen,  ChessPiece::kKing};

// Upper case.
constexpr char chess_letter(ChessPiece piece) { return ".PNK.BRQ"[static_cast<std::size_t>(piece)]; }

// In upper or lower case; kNone for any other character.
inline ChessPiece chess_piece(char letter) {
  const auto at = kChessLetters.find(static_cast<char>(std::toupper(static_cast<unsigned char>(letter))));
  return at == std::string_view::npos ? ChessPiece::kNone : kChessPieces[at];
}

// A position as people and programs write it, before anybody looked whether it can be.
struct ChessSetup {
  std::string cells;  // [kSize * kSize] from the top left, white at the bottom: a letter each, or '.'
  Player to_move = Player::kFirst;
  std::string castling = "-";
  std::string en_passant = "-";
  int clock = 0;  // plies since the last capture or move of a pawn
  int move = 1;   // it is white's and black's n-th move
};

inline std::vector<std::string> chess_words(std::string_view text, std::string_view separators = " \t\r\n") {
  std::vector<std::string> words;
  std::size_t start = 0;
  while ((start = text.find_first_not_of(separators, start)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
    words.emplace_back(text.substr(start, end - start));
    start = end;
  }
  return words;
}

inline int parse_chess_count(const std::string& word, const std::string& what, int highest) {
  int number = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 0 || number > highest) {
    throw BoardTextError(what + " of a FEN is a whole number from 0 to " + std::to_string(highest) + ", not " +
                         excerpt(word) + ".");
  }
  return number;
}

inline std::string parse_fen_board(const std::string& board, int size) {
  std::string cells;
  int rows = 1;
  for (const char mark : board) {
    if (mark == '/') {
      ++rows;
    } else if (mark >= '1' && mark <= '9') {
      cells.append(static_cast<std::size_t>(mark - '0'), '.');
    } else if (kChessLetters.find(mark) != std::string_view::npos) {
      cells += mark;
    } else {
      throw BoardTextError("The board of a FEN is written with the letters " + std::string(kChessLetters) +
                           ", digits and '/'; there is something else in " + excerpt(board) + ".");
    }
    const auto in_rows = static_cast<std::size_t>((mark == '/' ? rows - 1 : rows) * size);
    if (mark == '/' ? cells.size() != in_rows : cells.size() > in_rows) rows = -1000;  // a row of another length
  }
  if (rows != size || static_cast<int>(cells.size()) != size * size) {
    throw BoardTextError("The board of this FEN has " + std::to_string(size) + " rows of " + std::to_string(size) +
                         " cells, with '/' between them; " + excerpt(board) + " has not.");
  }
  return cells;
}

// "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"; what is missing at the end is as at the start of a game.
inline ChessSetup parse_fen(std::string_view text, int size) {
  const std::vector<std::string> words = chess_words(text);
  if (words.empty() || words.size() > 6) {
    throw BoardTextError("A FEN has up to six fields: board, w or b, castling, en passant, two counters; " +
                         excerpt(std::string(text)) + " has " + std::to_string(words.size()) + ".");
  }
  ChessSetup setup;
  setup.cells = parse_fen_board(words[0], size);
  if (words.size() > 1) {
    if (words[1] != "w" && words[1] != "b") {
      throw BoardTextError("The second field of a FEN is w or b, for the player to move, not " + excerpt(words[1]) +
                           ".");
    }
    setup.to_move = words[1] == "w" ? Player::kFirst : Player::kSecond;
  }
  if (words.size() > 2) setup.castling = words[2];
  if (words.size() > 3) setup.en_passant = words[3];
  if (words.size() > 4) setup.clock = parse_chess_count(words[4], "The fifth field", 9999);
  if (words.size() > 5) setup.move = std::max(1, parse_chess_count(words[5], "The sixth field", 9999));
  return setup;
}

inline std::string fen_text(const ChessSetup& setup, int size) {
  std::string text;
  for (int row = 0; row < size; ++row) {
    if (row > 0) text += '/';
    int empty = 0;
    for (int column = 0; column < size; ++column) {
      const char mark = setup.cells[static_cast<std::size_t>(row * size + column)];
      if (mark == '.') {
        ++empty;
        continue;
      }
      if (empty > 0) text += std::to_string(empty);
      empty = 0;
      text += mark;
    }
    if (empty > 0) text += std::to_string(empty);
  }
  return text + (setup.to_move == Player::kFirst ? " w " : " b ") + setup.castling + " " + setup.en_passant + " " +
         std::to_string(setup.clock) + " " + std::to_string(setup.move);
}

constexpr std::string_view chess_colour(Player player) { return player == Player::kFirst ? "white" : "black"; }

// The drawing: the board, a line that says whose turn it is, a line with the rest.
inline std::string draw_chess(const SquareNames& names, const GameSpec& spec, const ChessSetup& setup, bool finished) {
  return draw_board(names, setup.cells, turn_line(spec, setup.to_move, finished)) + "\ncastling " + setup.castling +
         ", en passant " + setup.en_passant + ", clock " + std::to_string(setup.clock) + ", move " +
         std::to_string(setup.move);
}

// Reads what draw_chess writes; the last two lines may be missing.
inline ChessSetup parse_chess_drawing(std::string_view text, const GameSpec& spec) {
  ChessSetup setup;
  std::string board;
  for (const std::string& line : chess_words(text, "\r\n")) {
    const std::vector<std::string> words = chess_words(line, " \t,");
    const auto value = [&words](std::size_t i) { return i < words.size() ? words[i] : std::string(); };
    if (!words.empty() && words[0] == "castling") {  // castling KQkq, en passant -, clock 0, move 1
      setup.castling = value(1);
      setup.en_passant = value(4);
      setup.clock = parse_chess_count(value(6), "The clock", 9999);
      setup.move = std::max(1, parse_chess_count(value(8), "The move", 9999));
    } else {
      board += line + "\n";
    }
  }
  const BoardDrawing drawing = parse_drawing(board, spec);
  setup.cells = drawing.cells;
  setup.to_move = drawing.to_move.value_or(Player::kFirst);
  return setup;
}

inline ChessSetup parse_chess_setup(std::string_view text, const GameSpec& spec) {
  return text.find('/') != std::string_view::npos ? parse_fen(text, spec.height) : parse_chess_drawing(text, spec);
}

// The back row of a Chess960 number, as white has it (Scharnagl's numbering; 518 is RNBQKBNR).
inline std::string chess960_row(int number) {
  std::string row(8, '.');
  const auto put_free = [&row](int nth, char letter) {  // on the n-th cell that is free
    for (char& cell : row) {
      if (cell == '.' && nth-- == 0) {
        cell = letter;
        return;
      }
    }
  };
  row[static_cast<std::size_t>(number % 4 * 2 + 1)] = 'B';
  row[static_cast<std::size_t>(number / 4 % 4 * 2)] = 'B';
  put_free(number / 16 % 6, 'Q');
  static constexpr int kKnights[10][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2},
                                          {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}};
  const auto [first, second] = kKnights[number / 96];
  put_free(second, 'N');  // the later one first: it does not move the cells before it
  put_free(first, 'N');
  for (const char letter : {'R', 'K', 'R'}) put_free(0, letter);
  return row;
}

}  // namespace tengen

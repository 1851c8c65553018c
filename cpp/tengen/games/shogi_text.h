// Shogi as text: squares, moves as USI has them, positions as SFEN has them, and a drawing of the board.
//
//     9 8 7 6 5 4 3 2 1
//   a l n s g k g s n l
//   b . r . . . . . b .
//   ...
//   i L N S G K G S N L
//   white holds nothing
//   black holds 2P B
//   black to move, move 12
//
// Black's pieces are capitals and move up. Promoted pieces have letters of their own, because a cell is one character:
// T U V W for pawn, lance, knight and silver, H and D for bishop and rook.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tengen/base/error.h"
#include "tengen/games/board_text.h"
#include "tengen/games/shogi_board.h"

namespace tengen {

template <int kSize>
class ShogiText {
  using Board = ShogiBoard<kSize>;

 public:
  using Position = typename Board::Position;

  static constexpr std::string_view kLetters = "PLNSBRGKTUVWHD";  // by kind
  static constexpr std::string_view kHandOrder = "RBGSNLP";       // as SFEN has it

  // How many pieces of a kind there are in a game, promoted or not.
  static constexpr int pieces_of(int kind) {
    constexpr std::array<int, 8> kNine = {18, 4, 4, 4, 2, 2, 4, 2};
    constexpr std::array<int, 8> kFive = {2, 0, 0, 2, 2, 2, 2, 2};
    return (kSize == 9 ? kNine : kFive)[shogi::at(kind % shogi::kPromoted)];
  }

  static char letter(int kind, Player player) {
    const char upper = kLetters[shogi::at(kind)];
    return player == Player::kFirst ? upper : lower(upper);
  }

  static std::optional<int> kind_of(char letter) {
    const auto kind = kLetters.find(static_cast<char>(std::toupper(static_cast<unsigned char>(letter))));
    if (kind == std::string_view::npos || pieces_of(static_cast<int>(kind)) == 0) return std::nullopt;
    return static_cast<int>(kind);
  }

  static std::string square_text(int cell) {
    return {static_cast<char>('0' + kSize - cell % kSize), static_cast<char>('a' + cell / kSize)};
  }

  static std::optional<int> parse_square(std::string_view text) {
    if (text.size() != 2) return std::nullopt;
    const int column = kSize - (text[0] - '0');
    const int row = text[1] - 'a';
    if (column < 0 || column >= kSize || row < 0 || row >= kSize) return std::nullopt;
    return row * kSize + column;
  }

  // The position and how many moves came before it.
  struct Placed {
    Position position;
    int num_moves = 0;
  };

  // "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
  static std::string sfen(const Position& position, int num_moves) {
    std::string text;
    for (int cell = 0; cell < Board::kCells; ++cell) {
      if (cell > 0 && cell % kSize == 0) text += '/';
      const std::uint8_t piece = position.piece[shogi::at(cell)];
      if (piece == Board::kEmpty) {
        const bool counting = cell % kSize > 0 && std::isdigit(static_cast<unsigned char>(text.back())) != 0;
        if (counting) {
          ++text.back();
        } else {
          text += '1';
        }
        continue;
      }
      const int kind = Board::kind_of(piece);
      if (kind >= shogi::kPromoted) text += '+';
      text += letter(kind % shogi::kPromoted, Board::owner_of(piece));
    }
    text += position.to_move == Player::kFirst ? " b " : " w ";
    const std::string held = hand_text(position, Player::kFirst) + hand_text(position, Player::kSecond);
    return text + (held.empty() ? "-" : held) + " " + std::to_string(num_moves + 1);
  }

  // Whether a text is meant as SFEN: a drawing has no '/'.
  static bool is_sfen(std::string_view text) { return text.find('/') != std::string_view::npos; }

  // With or without the word "sfen" before it; without a move number it is 1.
  static Placed parse_sfen(std::string_view text) {
    std::vector<std::string> fields = words_of(text);
    if (!fields.empty() && fields[0] == "sfen") fields.erase(fields.begin());
    if (fields.size() < 3 || fields.size() > 4) {
      throw BoardTextError(
          "An SFEN has the board, the player to move (b or w), the hands (- for none) and the number of "
          "the move; " +
          excerpt(std::string(text)) + " has " + std::to_string(fields.size()) + " words.");
    }
    Placed placed;
    parse_rows(fields[0], placed.position);
    if (fields[1] != "b" && fields[1] != "w") {
      throw BoardTextError("The second word of an SFEN is b or w for the player to move, not " + excerpt(fields[1]) +
                           ".");
    }
    if (fields[1] == "w") Board::pass_turn(placed.position);
    if (fields[2] != "-") parse_hands(fields[2], placed.position);
    if (fields.size() == 4) placed.num_moves = move_number(fields[3]) - 1;
    check(placed.position);
    return placed;
  }

  static std::string draw(const Position& position, int num_moves, bool finished) {
    std::string text = " ";
    for (int column = 0; column < kSize; ++column) text += {' ', static_cast<char>('0' + kSize - column)};
    for (int cell = 0; cell < Board::kCells; ++cell) {
      if (cell % kSize == 0) text += {'\n', static_cast<char>('a' + cell / kSize)};
      const std::uint8_t piece = position.piece[shogi::at(cell)];
      text += {' ', piece == Board::kEmpty ? '.' : letter(Board::kind_of(piece), Board::owner_of(piece))};
    }
    for (const Player player : {Player::kSecond, Player::kFirst}) {
      text += std::string("\n") + name(player) + " holds";
      std::string held;
      for (const char kind : kHandOrder) {
        if (const int count = held_count(position, player, kind)) held += " " + count_text(count) + cased(kind, player);
      }
      text += held.empty() ? " nothing" : held;
    }
    text += std::string("\n") + name(position.to_move) + " to move, move " + std::to_string(num_moves + 1);
    return text + (finished ? ", game over" : "");
  }

  // Reads what draw() writes.
  static Placed parse_drawing(std::string_view text) {
    Placed placed;
    int rows = 0;
    std::size_t start = 0;
    while (start <= text.size()) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      const std::string line(text.substr(start, end - start));
      start = end + 1;
      parse_line(line, rows, placed);
    }
    if (rows != kSize) {
      throw BoardTextError("The drawing has " + std::to_string(rows) + " rows; this board has " +
                           std::to_string(kSize) + ".");
    }
    check(placed.position);
    return placed;
  }

 private:
  static char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }
  static char cased(char letter, Player player) { return player == Player::kFirst ? letter : lower(letter); }
  static std::string name(Player player) { return player == Player::kFirst ? "black" : "white"; }
  static std::string count_text(int count) { return count == 1 ? "" : std::to_string(count); }

  static int held_count(const Position& position, Player player, char letter) {
    return position.hands[shogi::at(player)][kLetters.find(letter)];
  }

  static std::string hand_text(const Position& position, Player player) {
    std::string text;
    for (const char kind : kHandOrder) {
      if (const int count = held_count(position, player, kind)) text += count_text(count) + cased(kind, player);
    }
    return text;
  }

  static std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::size_t start = 0;
    while ((start = text.find_first_not_of(" \t\r\n,", start)) != std::string_view::npos) {
      const std::size_t end = std::min(text.find_first_of(" \t\r\n,", start), text.size());
      words.emplace_back(text.substr(start, end - start));
      start = end;
    }
    return words;
  }

  static constexpr int kLastMoveNumber = 9999;
  static int move_number(const std::string& text) {
    int number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || number < 0 || number > kLastMoveNumber) {
      throw BoardTextError("The number of the move is a whole number from 1 to 9999, not " + excerpt(text) + ".");
    }
    return std::max(number, 1);
  }

  static Player owner_of(char letter) {
    return std::isupper(static_cast<unsigned char>(letter)) != 0 ? Player::kFirst : Player::kSecond;
  }

  static void parse_rows(const std::string& rows, Position& position) {
    int row = 0;
    int column = 0;
    bool promoted = false;
    const auto wrong = [&](const std::string& why) {
      return BoardTextError("The board of an SFEN: " + why + " (" + excerpt(rows) + ").");
    };
    for (const char mark : rows) {
      if (mark == '/') {
        if (column != kSize || promoted)
          throw wrong("row " + std::to_string(row + 1) + " has not " + std::to_string(kSize) + " cells");
        ++row;
        column = 0;
        continue;
      }
      if (row >= kSize) throw wrong("there are more than " + std::to_string(kSize) + " rows");
      if (mark == '+' && !promoted) {
        promoted = true;
        continue;
      }
      if (mark >= '1' && mark <= '9' && !promoted) {
        column += mark - '0';
      } else {
        const auto kind = kind_of(mark);
        if (!kind || *kind >= shogi::kPromoted || (promoted && *kind >= shogi::kGold)) {
          throw wrong(std::string("'") + (promoted ? "+" : "") + printable(mark) + "' is not a piece");
        }
        if (column < kSize)
          Board::put(position, row * kSize + column, *kind + (promoted ? shogi::kPromoted : 0), owner_of(mark));
        promoted = false;
        ++column;
      }
      if (column > kSize)
        throw wrong("row " + std::to_string(row + 1) + " has more than " + std::to_string(kSize) + " cells");
    }
    if (row != kSize - 1 || column != kSize || promoted)
      throw wrong("it ends before " + std::to_string(kSize) + " rows of " + std::to_string(kSize) + " cells");
  }

  static std::string printable(char mark) {
    return std::isprint(static_cast<unsigned char>(mark)) != 0 ? std::string(1, mark) : std::string("?");
  }

  static constexpr int kMostHeld = 18;
  static void parse_hands(const std::string& text, Position& position) {
    int count = 0;
    const auto wrong = [&] {
      return BoardTextError(
          "The hands of an SFEN are counts and pieces such as 2P3b, black's in capitals, or '-', not " + excerpt(text) +
          ".");
    };
    for (const char mark : text) {
      if (std::isdigit(static_cast<unsigned char>(mark)) != 0) {
        count = count * 10 + (mark - '0');
        if (count == 0 || count > kMostHeld) throw wrong();
        continue;
      }
      const auto kind = kind_of(mark);
      if (!kind || *kind >= shogi::kNumHeld) throw wrong();
      add_to_hand(position, owner_of(mark), *kind, std::max(count, 1));
      count = 0;
    }
    if (count != 0) throw wrong();
  }

  static void add_to_hand(Position& position, Player player, int kind, int count) {
    const int held = position.hands[shogi::at(player)][shogi::at(kind)] + count;
    if (held > pieces_of(kind)) throw too_many(kind);
    Board::set_hand(position, player, kind, held);
  }

  static BoardTextError too_many(int kind) {
    return BoardTextError("There are at most " + std::to_string(pieces_of(kind)) + " pieces " +
                          kLetters[shogi::at(kind)] + " on the board and in the hands together.");
  }

  static void parse_line(const std::string& line, int& rows, Placed& placed) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty() || words[0] == std::to_string(kSize)) return;  // the numbers of the columns
    if (words.size() >= 3 && words[1] == "holds" && (words[0] == "black" || words[0] == "white")) {
      for (std::size_t i = 2; i < words.size(); ++i) {
        if (words[i] != "nothing") parse_hands(words[i], placed.position);
      }
    } else if (words.size() >= 3 && words[1] == "to" && words[2] == "move" &&
               (words[0] == "black" || words[0] == "white")) {
      if ((words[0] == "white") != (placed.position.to_move == Player::kSecond)) Board::pass_turn(placed.position);
      if (words.size() >= 5 && words[3] == "move") placed.num_moves = move_number(words[4]) - 1;
    } else {
      parse_row(line, words, rows, placed.position);
    }
  }

  // A row with its letter before it, if it has one: "a l n s g k g s n l".
  static void parse_row(const std::string& line, const std::vector<std::string>& words, int& rows, Position& position) {
    std::string marks;
    for (const std::string& word : words) marks += word;
    if (marks.size() == kSize + 1) marks.erase(0, 1);
    if (marks.size() != kSize || rows >= kSize) {
      throw BoardTextError("The drawing has " + std::to_string(kSize) + " rows of " + std::to_string(kSize) +
                           " pieces or '.'; " + excerpt(line) + " does not belong there.");
    }
    for (int column = 0; column < kSize; ++column) {
      const char mark = marks[shogi::at(column)];
      if (mark == '.') continue;
      const auto kind = kind_of(mark);
      if (!kind)
        throw BoardTextError(
            "A board is drawn with the letters of the pieces and '.'; there is something else in the line " +
            excerpt(line) + ".");
      Board::put(position, rows * kSize + column, *kind, owner_of(mark));
    }
    ++rows;
  }

  // What can't be on a board of this game. The number of legal moves is bounded only because of it.
  static void check(const Position& position) {
    std::array<int, shogi::kKing + 1> counts{};  // by kind, promoted or not
    std::array<int, 2> kings{};
    std::array<std::array<int, kSize>, 2> pawns{};  // by player and column
    for (int cell = 0; cell < Board::kCells; ++cell) {
      const std::uint8_t piece = position.piece[shogi::at(cell)];
      if (piece == Board::kEmpty) continue;
      const int kind = Board::kind_of(piece);
      const Player player = Board::owner_of(piece);
      ++counts[shogi::at(kind % shogi::kPromoted)];
      if (kind == shogi::kKing) ++kings[shogi::at(player)];
      if (Board::dead_end(player, kind).has(cell)) {
        throw BoardTextError(std::string("The piece ") + letter(kind, player) + " at " + square_text(cell) +
                             " could never move again; it must be promoted.");
      }
      if (kind == shogi::kPawn && ++pawns[shogi::at(player)][shogi::at(cell % kSize)] > 1) {
        throw BoardTextError("There are two pawns of " + name(player) + " in column " +
                             std::to_string(kSize - cell % kSize) + ".");
      }
    }
    for (const Player player : {Player::kFirst, Player::kSecond}) {
      if (kings[shogi::at(player)] != 1) {
        throw BoardTextError("Each player has one king; " + name(player) + " has " +
                             std::to_string(kings[shogi::at(player)]) + ".");
      }
      for (std::size_t kind = 0; kind < shogi::kNumHeld; ++kind)
        counts[kind] += position.hands[shogi::at(player)][kind];
    }
    for (int kind = 0; kind < shogi::kNumHeld; ++kind) {
      if (counts[shogi::at(kind)] > pieces_of(kind)) throw too_many(kind);
    }
    if (Board::is_attacked(position, opponent(position.to_move))) {
      throw BoardTextError("The king of " + name(opponent(position.to_move)) +
                           " could be taken, but it is the turn of " + name(position.to_move) + ".");
    }
  }
};

}  // namespace tengen

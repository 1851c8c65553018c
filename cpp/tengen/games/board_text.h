// Boards and squares as text, shared by the games: the letters of the pieces ('X' and 'O' for stones), '.' empty, and
// below the board whose turn it is.
//
//      a b c
//    3 . X .          rows numbered from the bottom (Go, Gomoku) or from the top (Othello);
//    2 . O .          or only columns, numbered below the board (Connect Four)
//    1 . . .
//    black (X) to move
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tengen/base/error.h"
#include "tengen/games/game.h"

namespace tengen {

// The pieces of a game of stones.
inline std::vector<Piece> stones_named(const std::string& name) {
  return {{name, "X", Player::kFirst, ""}, {name, "O", Player::kSecond, ""}};
}

// A character for each cell, row by row from the top: the letter of its piece, or '.'.
template <class G>
std::string cell_letters(const G& game, const typename G::State& state) {
  const GameSpec& spec = game.spec();
  std::vector<std::int8_t> codes(static_cast<std::size_t>(spec.num_cells()));
  game.cells(state, codes.data());
  std::string letters(codes.size(), '.');
  for (std::size_t cell = 0; cell < codes.size(); ++cell) {
    if (codes[cell] != 0) letters[cell] = spec.pieces[static_cast<std::size_t>(codes[cell]) - 1].letter[0];
  }
  return letters;
}

// "four in a row"
inline std::string row_text(int in_a_row) {
  static const char* const kWords[] = {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};
  return (in_a_row <= 10 ? kWords[in_a_row - 1] : std::to_string(in_a_row)) + std::string(" in a row");
}

constexpr char stone_char(Player player) { return player == Player::kFirst ? 'X' : 'O'; }

// How a board names its squares.
struct SquareNames {
  int height = 0;
  int width = 0;
  bool rows_from_top = false;
  bool upper_case = false;
  bool skip_i = false;  // Go leaves out the letter I

  // a to z, then aa, ab ... as in spreadsheets.
  std::string column_name(int column) const {
    const int num_letters = skip_i ? 25 : 26;
    std::string name;
    for (int left = column + 1; left > 0; left = (left - 1) / num_letters) {
      const int number = (left - 1) % num_letters;
      const char letter = static_cast<char>((upper_case ? 'A' : 'a') + number + (skip_i && number >= 8 ? 1 : 0));
      name.insert(name.begin(), letter);
    }
    return name;
  }
  int row_number(int row) const { return rows_from_top ? row + 1 : height - row; }

  std::string text(int cell) const { return column_name(cell % width) + std::to_string(row_number(cell / width)); }

  // Upper or lower case; empty if it names no square of this board.
  std::optional<int> parse(std::string_view text) const {
    int column = 0;  // counted from 1
    std::size_t i = 0;
    for (; i < text.size(); ++i) {
      const char letter = static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
      if (letter < 'a' || letter > 'z') break;
      if ((skip_i && letter == 'i') || column > width) return std::nullopt;
      column = column * (skip_i ? 25 : 26) + letter - 'a' + (skip_i && letter > 'i' ? 0 : 1);
    }
    if (i == 0 || i == text.size() || text[i] == '0') return std::nullopt;
    int number = 0;
    for (; i < text.size(); ++i) {
      if (text[i] < '0' || text[i] > '9' || number > height) return std::nullopt;
      number = number * 10 + (text[i] - '0');
    }
    const int row = rows_from_top ? number - 1 : height - number;
    if (column > width || row < 0 || row >= height) return std::nullopt;
    return row * width + column - 1;
  }
};

// The letter that a player's pieces are drawn with; empty if there is none, or more than one kind.
inline std::string letter_of(const GameSpec& spec, Player player) {
  std::string letters;
  for (const Piece& piece : spec.pieces) {
    if (piece.owner == player) letters += piece.letter;
  }
  return letters.size() == 1 ? letters : "";
}

// "X"; "black (X)" where the letter on the board is not the player's name.
inline std::string player_text(const GameSpec& spec, Player player) {
  const std::string& name = spec.player_names[static_cast<std::size_t>(index(player))];
  const std::string letter = letter_of(spec, player);
  return letter.empty() || letter == name ? name : name + " (" + letter + ")";
}

// The line below a board: who is to move, or that nobody is.
inline std::string turn_text(const std::string& player) { return player + " to move"; }
inline std::string last_mover_text(const std::string& player) { return "game over, " + player + " moved last"; }
inline std::string next_mover_text(const std::string& player) { return "game over, " + player + " would be next"; }

// Of a game whose players take turns, so that the opponent of the player to move has moved last.
inline std::string turn_line(const GameSpec& spec, Player to_move, bool finished) {
  return finished ? last_mover_text(player_text(spec, opponent(to_move))) : turn_text(player_text(spec, to_move));
}

// Of a game in which a player may move twice in a row: a state does not tell who moved last.
inline std::string free_turn_line(const GameSpec& spec, Player to_move, bool finished) {
  return finished ? next_mover_text(player_text(spec, to_move)) : turn_text(player_text(spec, to_move));
}

// `cells` is one character per cell, row by row from the top; `turn` the line below the board.
inline std::string draw_board(const SquareNames& names, std::string_view cells, const std::string& turn) {
  const std::size_t label = std::to_string(names.height).size();
  const std::size_t wide = names.column_name(names.width - 1).size();
  const auto padded = [](const std::string& mark, std::size_t size) {
    return std::string(size - mark.size(), ' ') + mark;
  };
  std::string text(label, ' ');
  for (int column = 0; column < names.width; ++column) text += " " + padded(names.column_name(column), wide);
  for (int row = 0; row < names.height; ++row) {
    text += "\n" + padded(std::to_string(names.row_number(row)), label);
    for (int column = 0; column < names.width; ++column) {
      const char mark = cells[static_cast<std::size_t>(row * names.width + column)];
      text += " " + padded(std::string(1, mark), wide);
    }
  }
  return text + "\n" + turn;
}

// The same for a board whose actions are columns: no row labels, the columns numbered from 1 below.
inline std::string draw_columns(int height, int width, std::string_view cells, const std::string& turn) {
  const std::size_t label = std::to_string(width).size();
  const auto padded = [label](int column, const std::string& mark) {
    return std::string(column > 0 ? 1 : 0, ' ') + std::string(label - mark.size(), ' ') + mark;
  };
  std::string text;
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      text += padded(column, std::string(1, cells[static_cast<std::size_t>(row * width + column)]));
    }
    text += "\n";
  }
  for (int column = 0; column < width; ++column) text += padded(column, std::to_string(column + 1));
  return text + "\n" + turn;
}

// A drawing read back: the cells row by row from the top, and who is to move if the drawing says so.
struct BoardDrawing {
  std::string cells;  // [height * width], each the letter of a piece or '.'
  std::optional<Player> to_move;
};

// Enough of a line to recognize it by, cut between characters (UTF-8 continues them with bytes 10xxxxxx).
inline std::string excerpt(const std::string& line) {
  std::size_t size = std::min<std::size_t>(line.size(), 80);
  while (size < line.size() && size > 0 && (line[size] & 0xc0) == 0x80) --size;
  return "'" + line.substr(0, size) + "'";
}

// The player to move, if `line` is a line below a board of that game; a player may be called by name, letter or both.
inline std::optional<Player> parse_turn(std::string_view line, const GameSpec& spec) {
  for (const Player player : {Player::kFirst, Player::kSecond}) {
    const std::string& name = spec.player_names[static_cast<std::size_t>(index(player))];
    for (const std::string& called : {player_text(spec, player), name, letter_of(spec, player)}) {
      if (called.empty()) continue;
      if (line == turn_text(called) || line == next_mover_text(called)) return player;
      if (line == last_mover_text(called)) return opponent(player);
    }
  }
  if (line.ends_with(" to move")) {
    throw BoardTextError("The players of " + spec.name + " are " + player_text(spec, Player::kFirst) + " and " +
                         player_text(spec, Player::kSecond) + "; the drawing says " + excerpt(std::string(line)) + ".");
  }
  return std::nullopt;
}

// The cells of one line of a drawing; empty if the line is not a row of the board. A row begins with a cell or with
// its number; a number may also stand behind it.
inline std::string parse_row(const std::string& line, const std::string& letters) {
  const auto content = line.find_first_not_of("0123456789 ");
  if (content == std::string::npos) return "";
  const bool numbered = std::isdigit(static_cast<unsigned char>(line[0])) != 0;
  const auto is_cell = [&](char mark) { return mark == '.' || letters.find(mark) != std::string::npos; };
  if (!numbered && !is_cell(line[content])) return "";
  std::string row;
  for (const char mark : line.substr(content)) {
    if (is_cell(mark)) {
      row += mark;
    } else if (mark != ' ' && std::isdigit(static_cast<unsigned char>(mark)) == 0) {
      std::string known;
      for (const char letter : letters) known += (known.empty() ? "" : ", ") + std::string(1, letter);
      throw BoardTextError("A board is drawn with " + known + " and '.'; there is something else in the line " +
                           excerpt(line) + ".");
    }
  }
  return row;
}

// Reads what draw_board and draw_columns write, with or without the labels. Lines that are neither a row nor tell whose
// turn it is (letters, numbers, blanks) are passed over.
inline BoardDrawing parse_drawing(std::string_view text, const GameSpec& spec) {
  std::string letters;
  for (const Piece& piece : spec.pieces) letters += piece.letter;
  if (letters.empty()) letters = "XO";
  BoardDrawing drawing;
  int rows = 0;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string line(text.substr(start, end - start));
    start = end + 1;
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos) continue;
    line = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
    if (const auto turn = parse_turn(line, spec)) {
      if (drawing.to_move.value_or(*turn) != *turn) throw BoardTextError("The drawing says twice whose turn it is.");
      drawing.to_move = turn;
      continue;
    }
    const std::string row = parse_row(line, letters);
    if (row.empty()) continue;
    if (static_cast<int>(row.size()) != spec.width) {
      throw BoardTextError("The line " + excerpt(line) + " has " + std::to_string(row.size()) +
                           " cells; this board has " + std::to_string(spec.width) + " columns.");
    }
    drawing.cells += row;
    ++rows;
  }
  if (rows != spec.height) {
    throw BoardTextError("The drawing has " + std::to_string(rows) + " rows; this board has " +
                         std::to_string(spec.height) + ".");
  }
  return drawing;
}

// Who is to move in a game of one stone a turn, X first: the stones tell, and the drawing must not say otherwise.
inline Player turn_by_stones(const BoardDrawing& drawing) {
  const auto first = std::count(drawing.cells.begin(), drawing.cells.end(), 'X');
  const auto second = std::count(drawing.cells.begin(), drawing.cells.end(), 'O');
  if (first != second && first != second + 1) {
    throw BoardTextError("X moves first, so X has as many stones as O or one more; the drawing has " +
                         std::to_string(first) + " X and " + std::to_string(second) + " O.");
  }
  const Player to_move = first == second ? Player::kFirst : Player::kSecond;
  if (drawing.to_move && *drawing.to_move != to_move) {
    throw BoardTextError(std::string("By the number of stones it is the turn of ") + stone_char(to_move) +
                         ", but the drawing says otherwise.");
  }
  return to_move;
}

}  // namespace tengen

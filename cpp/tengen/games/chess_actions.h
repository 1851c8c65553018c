// The actions of chess: numbers and texts of the moves of a position.
//
// As in AlphaZero they are seen by the player to move: plane * num_cells + the cell that a piece leaves, on a board
// that black sees turned over. The planes are queen moves by direction and distance, knight moves, underpromotions.
#pragma once

#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/games/board_text.h"
#include "tengen/games/chess_attacks.h"
#include "tengen/games/chess_position.h"
#include "tengen/games/chess_text.h"
#include "tengen/games/game.h"

namespace tengen {

template <int kSize>
class ChessActions {
  using Position = ChessPosition<kSize>;
  static constexpr int kCells = kSize * kSize;
  static constexpr int kFar = kSize - 1;  // the longest distance on the board
  static constexpr bool kFull = kSize == 8;

 public:
  static constexpr std::size_t kMostPlanes = 73;  // those of 8x8

  explicit ChessActions(bool chess960) : chess960_(chess960), names_{.height = kSize, .width = kSize} { make_planes(); }

  bool chess960() const { return chess960_; }
  std::size_t num_planes() const { return steps_.size(); }
  int num_actions() const { return static_cast<int>(steps_.size()) * kCells; }
  const ChessAttacks& attacks() const { return *attacks_; }

  static constexpr bool has_bishops() { return kSize != 6; }
  static constexpr int bit_of(int cell) { return cell / kSize * 8 + cell % kSize; }
  static constexpr int cell_of(int bit) { return bit / 8 * kSize + bit % 8; }

  // From the board of the player to move to the board as drawn, or back.
  static constexpr int seen_cell(Player to_move, int cell) {
    return to_move == Player::kFirst ? cell : (kSize - 1 - cell / kSize) * kSize + cell % kSize;
  }
  std::string square(Player to_move, int bit) const { return names_.text(seen_cell(to_move, cell_of(bit))); }
  const SquareNames& names() const { return names_; }

  // --- the moves of a position

  ChessMoves legal_moves(const Position& position) const {
    ChessMoves moves(kNumPromotions);
    position.legal_moves(*attacks_, moves);
    return moves;
  }

  bool has_move(const Position& position) const {
    ChessMoves moves(kNumPromotions);
    position.template legal_moves<true>(*attacks_, moves);
    return moves.total() > 0;
  }

  // Calls visit(move) for each of them, until it returns true; whether one did.
  template <class Visit>
  static bool any(const ChessMoves& moves, Visit visit) {
    return moves.any(kPromotions, visit);
  }

  static ChessMove random_move(const ChessMoves& moves, Rng& rng) {
    return moves.nth(static_cast<int>(rng.below(static_cast<std::uint32_t>(moves.total()))), kPromotions);
  }

  // --- moves and actions

  int plane_of(ChessMove move) const {
    if (move.castles && !chess960_) move.to = static_cast<std::int8_t>(Position::castled_king(move.from, move.to));
    const int columns = move.to % 8 - move.from % 8;
    if (move.promotion != ChessPiece::kNone && move.promotion != ChessPiece::kQueen) {
      return plane_of_promotion_[static_cast<std::size_t>(move.promotion)][static_cast<std::size_t>(columns + 1)];
    }
    return plane_of_step_[step_index(move.to / 8 - move.from / 8, columns)];
  }

  Action action_of(ChessMove move) const { return plane_of(move) * kCells + cell_of(move.from); }

  // The move of a legal action.
  ChessMove move_of(const Position& position, Action action) const {
    const Step step = steps_[static_cast<std::size_t>(action / kCells)];
    const int from = bit_of(action % kCells);
    ChessMove move{static_cast<std::int8_t>(from), static_cast<std::int8_t>(from + 8 * step.rows + step.columns),
                   step.promotion, false};
    const ChessPiece piece = position.piece(from);
    if (piece == ChessPiece::kPawn && move.to < 8 && move.promotion == ChessPiece::kNone) {
      move.promotion = ChessPiece::kQueen;
    }
    if (kFull && piece == ChessPiece::kKing && step.rows == 0) {
      if (chess960_) {
        move.castles = (position.own >> move.to & 1) != 0;
      } else if (step.columns == 2 || step.columns == -2) {
        move.castles = true;
        move.to = static_cast<std::int8_t>(from / 8 * 8 + (step.columns > 0 ? 7 : 0));
      }
    }
    return move;
  }

  // The cell that an action leads to, as the player to move sees it; empty if it leaves the board.
  std::optional<int> target(Action action) const {
    return target(action % kCells, steps_[static_cast<std::size_t>(action / kCells)]);
  }

  // --- texts: UCI's moves, such as e2e4 and e7e8q

  // As white sees it.
  std::string text(Action action) const {
    return step_text(action, [](int cell) { return cell; }, false);
  }
  std::optional<Action> parse(std::string_view text) const {
    return parse_step(text, [](int cell) { return cell; }, [](int) { return false; });
  }

  // A castling king goes to its cell (e1g1), in Chess960 to the rook's.
  std::string text(const Position& position, Player to_move, Action action) const {
    const bool promotes = promotes_to_queen(position, action);
    return step_text(action, [&](int cell) { return seen_cell(to_move, cell); }, promotes);
  }
  std::optional<Action> parse(const Position& position, Player to_move, std::string_view text) const {
    return parse_step(
        text, [&](int cell) { return seen_cell(to_move, cell); },
        [&](int cell) { return is_own_pawn(position, cell) && cell < 2 * kSize; });
  }

 private:
  // A move as a plane of the policy has it.
  struct Step {
    std::int8_t rows;
    std::int8_t columns;
    ChessPiece promotion;  // kNone: no underpromotion
  };

  static constexpr int kDirections[8][2] = {{-1, 0}, {-1, 1}, {0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}};
  static constexpr int kKnightSteps[8][2] = {{-2, 1}, {-1, 2}, {1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}};

  static constexpr std::array<ChessPiece, 4> kPromotions = {ChessPiece::kQueen, ChessPiece::kRook, ChessPiece::kKnight,
                                                            ChessPiece::kBishop};
  static constexpr int kNumPromotions = has_bishops() ? 4 : 3;

  void make_planes() {
    const auto add = [this](int rows, int columns, ChessPiece promotion) {
      const auto plane = static_cast<std::int8_t>(steps_.size());
      steps_.push_back({static_cast<std::int8_t>(rows), static_cast<std::int8_t>(columns), promotion});
      if (promotion == ChessPiece::kNone) {
        plane_of_step_[step_index(rows, columns)] = plane;
      } else {
        plane_of_promotion_[static_cast<std::size_t>(promotion)][static_cast<std::size_t>(columns + 1)] = plane;
      }
    };
    for (const auto& [rows, columns] : kDirections) {
      for (int distance = 1; distance <= kFar; ++distance) add(rows * distance, columns * distance, ChessPiece::kNone);
    }
    for (const auto& [rows, columns] : kKnightSteps) add(rows, columns, ChessPiece::kNone);
    for (const ChessPiece piece : {ChessPiece::kKnight, ChessPiece::kBishop, ChessPiece::kRook}) {
      if (piece == ChessPiece::kBishop && !has_bishops()) continue;
      for (const int columns : {-1, 0, 1}) add(-1, columns, piece);
    }
  }
  static constexpr std::size_t step_index(int rows, int columns) {
    return static_cast<std::size_t>((rows + 7) * 15 + columns + 7);
  }

  static std::optional<int> target(int cell, Step step) {
    const int row = cell / kSize + step.rows;
    const int column = cell % kSize + step.columns;
    if (row < 0 || row >= kSize || column < 0 || column >= kSize) return std::nullopt;
    return row * kSize + column;
  }

  static bool is_own_pawn(const Position& position, int cell) {
    return (position.own & position.pawns()) >> bit_of(cell) & 1;
  }

  // Whether the action is a pawn's step to the last row, and no underpromotion.
  bool promotes_to_queen(const Position& position, Action action) const {
    const Step step = steps_[static_cast<std::size_t>(action / kCells)];
    const int from = action % kCells;
    const auto to = target(from, step);
    return to && *to < kSize && step.rows == -1 && std::abs(step.columns) <= 1 && step.promotion == ChessPiece::kNone &&
           is_own_pawn(position, from);
  }

  // The cells it goes from and to, and the letter of a promotion; a number, if it would leave the board.
  template <class View>
  std::string step_text(Action action, View view, bool promotes) const {
    const Step step = steps_[static_cast<std::size_t>(action / kCells)];
    const int from = action % kCells;
    const auto to = target(from, step);
    if (!to || (step.promotion != ChessPiece::kNone && *to >= kSize)) return std::to_string(action);
    std::string text = names_.text(view(from)) + names_.text(view(*to));
    if (step.promotion != ChessPiece::kNone) {
      text += static_cast<char>(std::tolower(chess_letter(step.promotion)));
    } else if (promotes) {
      text += 'q';
    }
    return text;
  }

  // `is_promoting(cell)`: a pawn that stands there goes to the last row with its next step.
  template <class View, class IsPromoting>
  std::optional<Action> parse_step(std::string_view text, View view, IsPromoting is_promoting) const {
    if (!text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0) {
      Action action = -1;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), action);
      const bool read = error == std::errc() && end == text.data() + text.size();
      if (!read || action < 0 || action >= num_actions() || std::to_string(action) != text) return std::nullopt;
      return step_text(action, view, false) == text ? std::optional(action) : std::nullopt;
    }
    if (text.size() != 4 && text.size() != 5) return std::nullopt;
    if (std::islower(static_cast<unsigned char>(text[0])) == 0) return std::nullopt;  // Bb4 is no cell but a bishop
    const auto seen_from = names_.parse(text.substr(0, 2));
    const auto seen_to = names_.parse(text.substr(2, 2));
    if (!seen_from || !seen_to) return std::nullopt;
    const int from = view(*seen_from);
    const int to = view(*seen_to);
    const int rows = to / kSize - from / kSize;
    const int columns = to % kSize - from % kSize;
    int plane = plane_of_step_[step_index(rows, columns)];
    const bool to_last_row = rows == -1 && to < kSize && std::abs(columns) <= 1;
    if (text.size() == 5) {
      const ChessPiece promotion = chess_piece(text[4]);
      if (!to_last_row) return std::nullopt;
      if (promotion == ChessPiece::kQueen) {
        if (!is_promoting(from)) return std::nullopt;
      } else {
        plane = plane_of_promotion_[static_cast<std::size_t>(promotion)][static_cast<std::size_t>(columns + 1)];
      }
    } else if (to_last_row && is_promoting(from)) {
      return std::nullopt;  // it does not say to what
    }
    if (plane < 0) return std::nullopt;
    return plane * kCells + from;
  }

  bool chess960_;
  const ChessAttacks* attacks_ = &ChessAttacks::get();  // the tables of the whole program
  SquareNames names_;
  std::vector<Step> steps_;  // by plane
  std::array<std::int8_t, 15 * 15> plane_of_step_ = [] {
    std::array<std::int8_t, 15 * 15> none{};
    none.fill(-1);
    return none;
  }();
  std::array<std::array<std::int8_t, 3>, 8> plane_of_promotion_ = [] {  // [ChessPiece][column + 1]
    std::array<std::array<std::int8_t, 3>, 8> none{};
    for (auto& row : none) row.fill(-1);
    return none;
  }();
};

}  // namespace tengen

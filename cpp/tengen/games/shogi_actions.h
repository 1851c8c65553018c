// The actions of shogi: their numbers, seen from the side of the player to move, and their names.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tengen/games/game.h"
#include "tengen/games/shogi_board.h"
#include "tengen/games/shogi_text.h"

namespace tengen {

template <int kSize>
class ShogiActions {
  using Board = ShogiBoard<kSize>;
  using Text = ShogiText<kSize>;
  using Position = typename Board::Position;
  using Move = typename Board::Move;
  static constexpr int kCells = Board::kCells;
  static constexpr int kDistances = kSize - 1;

 public:
  static constexpr int kDirections = kSize == 9 ? shogi::kDirections : shogi::kSteps;  // no knight on the small board

  ShogiActions(bool alphazero, bool declaration) : alphazero_(alphazero), declaration_(declaration) {
    for (int kind = 0; kind < shogi::kNumHeld; ++kind) {
      if (Text::pieces_of(kind) > 0) held_.push_back(kind);
    }
    board_planes_ = 2 * (alphazero ? kSourcePlanes : kDirections);
    declare_ = (board_planes_ + static_cast<int>(held_.size())) * kCells;
  }

  int num_actions() const { return declare_ + (declaration_ ? 1 : 0); }
  Action declare() const { return declare_; }             // the number past the planes; an action only with the option
  const std::vector<int>& held() const { return held_; }  // kinds that can be held, in the order of their planes

  // What an action says. Cells as drawn; -1: none.
  struct Parts {
    int direction = -1;  // as the player sees it
    bool promotes = false;
    int drop = -1;  // kind
    int source = -1;
    int target = -1;
  };

  // Compact: a plane for each direction, for each direction with promotion and for each kind in hand; the cell is the
  // target, as the player to move sees it.
  static Action compact_action(const Position& position, int plane, int target) {
    return plane * kCells + Board::seen(position.to_move, target);
  }

  Action action_of(const Position& position, int plane, int target) const {
    if (!alphazero_) return compact_action(position, plane, target);
    const Player own = position.to_move;
    if (plane >= 2 * kDirections) return (plane + board_planes_ - 2 * kDirections) * kCells + Board::seen(own, target);
    const int source = Board::source_of(position, plane % kDirections, target);
    return source_plane(plane % kDirections, distance(source, target), plane >= kDirections) * kCells +
           Board::seen(own, source);
  }

  Parts parts_of(const Position& position, Action action) const {
    const Player own = position.to_move;
    const int plane = action / kCells;
    const int cell = Board::seen(own, action % kCells);
    Parts parts;
    if (plane >= board_planes_) {
      parts.drop = held_[at(plane - board_planes_)];
      parts.target = cell;
      return parts;
    }
    parts.promotes = plane >= board_planes_ / 2;
    const int rest = plane % (board_planes_ / 2);
    if (!alphazero_) {
      parts.direction = rest;
      parts.target = cell;
      parts.source = Board::source_of(position, rest, cell);
    } else {
      const bool jumps = rest >= shogi::kSteps * kDistances;
      parts.direction = jumps ? rest - shogi::kSteps * (kDistances - 1) : rest / kDistances;
      parts.source = cell;
      parts.target = Board::moved(own, parts.direction, cell, jumps ? 1 : rest % kDistances + 1);
    }
    return parts;
  }

  Move move_of(const Position& position, Action action) const {
    const Parts parts = parts_of(position, action);
    if (parts.drop >= 0) return {-1, parts.target, parts.drop};
    return {parts.source, parts.target,
            Board::kind_of(position.piece[at(parts.source)]) + (parts.promotes ? int{shogi::kPromoted} : 0)};
  }

  // Moves as USI has them: 7g7f, 7g7f+, P*5e; "win" declares. An action that starts from no piece is named by its
  // direction.
  std::string text(const Position& position, Action action) const {
    if (action == declare_) return kDeclareText;
    const Parts parts = parts_of(position, action);
    if (parts.drop >= 0) return drop_text(parts);
    if (parts.source < 0 || parts.target < 0) return named_by_direction(position.to_move, action);
    return Text::square_text(parts.source) + Text::square_text(parts.target) + (parts.promotes ? "+" : "");
  }

  std::optional<Action> parse(const Position& position, std::string_view text) const {
    const Player player = position.to_move;
    if (const auto action = parse_named(player, text)) return action;
    const auto move = parse_usi(text);
    if (!move) return std::nullopt;
    if (move->source < 0) return drop_action(player, move->kind, move->target);
    const auto action = action_from(player, *move);
    if (!action) return std::nullopt;
    const Parts parts = parts_of(position, *action);
    return parts.source == move->source ? action : std::nullopt;
  }

  // The same without a position, for the first player: a move has no source then, only a direction.
  std::string text(Action action) const {
    if (action == declare_) return kDeclareText;
    const int plane = action / kCells;
    return plane >= board_planes_ ? drop_text(parts_of(Position(), action))
                                  : named_by_direction(Player::kFirst, action);
  }

  std::optional<Action> parse(std::string_view text) const {
    if (const auto action = parse_named(Player::kFirst, text)) return action;
    const auto move = parse_usi(text);
    if (!move) return std::nullopt;
    return move->source < 0 ? drop_action(Player::kFirst, move->kind, move->target)
                            : action_from(Player::kFirst, *move);
  }

 private:
  static constexpr std::size_t at(int i) { return shogi::at(i); }
  static constexpr const char* kDeclareText = "win";

  // AlphaZero's: the cell of a move on the board is its source, and its plane is direction and distance; jumps have no
  // distance.
  static constexpr int kSourcePlanes = shogi::kSteps * kDistances + kDirections - shogi::kSteps;
  static int source_plane(int direction, int distance, bool promotes) {
    const int plane = direction < shogi::kSteps ? direction * kDistances + distance - 1
                                                : shogi::kSteps * (kDistances - 1) + direction;
    return plane + (promotes ? kSourcePlanes : 0);
  }

  static int distance(int a, int b) {
    return std::max(std::abs(a / kSize - b / kSize), std::abs(a % kSize - b % kSize));
  }

  static constexpr std::array<std::string_view, shogi::kDirections> kDirectionNames = {
      "up", "up-left", "up-right", "left", "right", "down-left", "down-right", "down", "jump-left", "jump-right"};

  static std::string drop_text(const Parts& parts) {
    return std::string(1, Text::letter(parts.drop, Player::kFirst)) + "*" + Text::square_text(parts.target);
  }

  // "5e:up", the cell of the action and its direction; with AlphaZero's actions also the distance: "5g:up2".
  std::string named_by_direction(Player player, Action action) const {
    const int plane = action / kCells % (board_planes_ / 2);
    const bool promotes = action / kCells >= board_planes_ / 2;
    std::string name = Text::square_text(Board::seen(player, action % kCells)) + ":";
    if (!alphazero_) {
      name += kDirectionNames[at(plane)];
    } else if (plane >= shogi::kSteps * kDistances) {
      name += kDirectionNames[at(plane - shogi::kSteps * (kDistances - 1))];
    } else {
      name += std::string(kDirectionNames[at(plane / kDistances)]) + std::to_string(plane % kDistances + 1);
    }
    return name + (promotes ? "+" : "");
  }

  // What is not a move of USI: the declaration and names by direction.
  std::optional<Action> parse_named(Player player, std::string_view text) const {
    if (text == kDeclareText && declaration_) return declare_;
    if (text.size() < 3 || text[2] != ':') return std::nullopt;
    const auto cell = Text::parse_square(text.substr(0, 2));
    if (!cell) return std::nullopt;
    for (int plane = 0; plane < board_planes_; ++plane) {
      const Action action = plane * kCells + Board::seen(player, *cell);
      if (named_by_direction(player, action) == text) return action;
    }
    return std::nullopt;
  }

  // kind is 1 for a promotion and 0 for none; of a drop it is the kind that is dropped.
  static std::optional<Move> parse_usi(std::string_view text) {
    if (text.size() == 4 && text[1] == '*') {
      const auto target = Text::parse_square(text.substr(2));
      const auto kind = Text::kind_of(text[0]);
      if (!target || !kind || *kind >= shogi::kNumHeld || text[0] != Text::letter(*kind, Player::kFirst))
        return std::nullopt;
      return Move{-1, *target, *kind};
    }
    if (text.size() != 4 && !(text.size() == 5 && text[4] == '+')) return std::nullopt;
    const auto source = Text::parse_square(text.substr(0, 2));
    const auto target = Text::parse_square(text.substr(2, 2));
    if (!source || !target) return std::nullopt;
    return Move{*source, *target, text.size() == 5 ? 1 : 0};
  }

  Action drop_action(Player player, int kind, int target) const {
    const auto i = std::find(held_.begin(), held_.end(), kind) - held_.begin();
    return (board_planes_ + static_cast<int>(i)) * kCells + Board::seen(player, target);
  }

  // Of a move on the board as parse_usi() gives it, if it goes in one of the directions.
  std::optional<Action> action_from(Player player, const Move& move) const {
    const int far = distance(move.source, move.target);
    for (int d = 0; d < kDirections; ++d) {
      const int steps = d < shogi::kSteps ? far : 1;
      if (Board::moved(player, d, move.source, steps) != move.target || far == 0) continue;
      const int plane = alphazero_ ? source_plane(d, far, move.kind == 1) : d + (move.kind == 1 ? kDirections : 0);
      return plane * kCells + Board::seen(player, alphazero_ ? move.source : move.target);
    }
    return std::nullopt;
  }

  bool alphazero_;
  bool declaration_;
  std::vector<int> held_;
  int board_planes_ = 0;  // planes of actions that move a piece on the board; half of them promote
  Action declare_ = 0;
};

}  // namespace tengen

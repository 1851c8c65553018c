// Reads positions for a rollout policy: the legal actions and, for each, where its weights are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tengen/games/derived.h"
#include "tengen/games/game.h"
#include "tengen/rollout/patterns.h"

namespace tengen {

// Reads positions of one game, which must outlive it. It has working memory, so every thread takes its own.
template <Game G>
class PatternReader {
 public:
  using State = typename G::State;
  using Slots = std::array<std::int32_t, kPatternKinds>;

  PatternReader(const G& game, const PatternLayout& layout)
      : game_(game),
        layout_(layout),
        legal_(game.spec().legal_bound()),
        moves_(at(game.spec().legal_bound())),
        tactics_(at(game.spec().legal_bound())),
        codes_(at(game.spec().num_cells())),
        places_(codes_.size()),
        stride_(at(game.spec().width) + 2),
        board_((at(game.spec().height) + 2) * stride_, PatternLayout::kOutside),
        triples_(board_.size()),
        around_(board_.size()) {
    for (int cell = 0; cell < game.spec().num_cells(); ++cell) {
      const std::size_t bordered = (at(cell / game.spec().width) + 1) * stride_ + at(cell % game.spec().width) + 1;
      places_[at(cell)] = {static_cast<std::int32_t>(bordered), layout.grid(cell)};
    }
  }

  const G& game() const { return game_; }
  const PatternLayout& layout() const { return layout_; }

  // Looks at an unfinished position. What is asked afterwards is about that one.
  void look(const State& state, const LastTargets& past) {
    player_ = game_.to_move(state);
    bank_ = layout_.bank_start(player_);
    answer_ = {bank_ + (past.last < 0 ? layout_.answer_to_unknown() : layout_.answer_from(past.last)), past.last >= 0};
    follow_ = {bank_ + (past.before < 0 ? layout_.follow_of_unknown() : layout_.follow_from(past.before)),
               past.before >= 0};
    game_.legal_actions(state, legal_);
    if (layout_.has_pieces()) read_board(state, past.last);
    for (int i = 0; i < legal_.size(); ++i) moves_[at(i)] = move_of(state, legal_[i]);
    if constexpr (HasTactics<G>) game_.tactics(state, legal_, tactics_.data());
  }

  const ActionList& legal() const { return legal_; }
  std::optional<int> target(int i) const {
    const int target = moves_[at(i)].target;
    return target < 0 ? std::nullopt : std::optional<int>(target);
  }

  // Where the weights of the i-th legal action are.
  Slots slots(int i) const {
    const Move& move = moves_[at(i)];
    Slots slots;
    slots[kTacticsOf] = bank_ + layout_.tactics(tactics_[at(i)]);
    slots[kActionOf] = bank_ + layout_.action(fullness_, legal_[i]);
    slots[kStep] = bank_ + move.step;
    if (move.target < 0) {
      slots[kAround] = bank_ + layout_.around(PatternLayout::kNowhere, false);
      slots[kAnswer] = bank_ + layout_.answer_without_target();
      slots[kFollow] = bank_ + layout_.follow_without_target();
    } else {
      const Place& place = places_[at(move.target)];
      slots[kAround] = bank_ + around_[at(place.bordered)];
      slots[kAnswer] = answer_.first + answer_.step * place.grid;
      slots[kFollow] = follow_.first + follow_.step * place.grid;
    }
    return slots;
  }

 private:
  struct Move {
    std::int32_t target;  // cell, or -1
    std::int32_t step;    // its weight, within a bank
  };
  struct Place {
    std::int32_t bordered;  // of a cell, in arrays with a border
    std::int32_t grid;      // PatternLayout::grid
  };
  struct Row {
    std::int32_t first = 0;
    std::int32_t step = 0;
  };

  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

  Move move_of(const State& state, Action action) const {
    if constexpr (!HasActionCells<G>) {
      if (game_.spec().action_layout == ActionLayout::kCells) {
        if (action >= static_cast<int>(codes_.size())) return {-1, layout_.step(player_, 0, 0)};
        return {action, layout_.step(player_, 0, codes_[at(action)])};
      }
    }
    const ActionCells cells = action_cells(game_, state, action);
    const int moved = cells.source ? codes_[at(*cells.source)] : cells.piece.value_or(0);
    const int taken = cells.target ? codes_[at(*cells.target)] : 0;
    return {cells.target.value_or(-1), layout_.step(player_, moved, taken)};
  }

  // The pattern of every cell, two bits for each of its eight neighbours: three cells above, three below, left, right.
  void read_board(const State& state, int last) {
    write_cells(game_, state, codes_.data());
    write_seen();
    const std::size_t size = board_.size();
    for (std::size_t i = 1; i + 1 < size; ++i) {
      triples_[i] = static_cast<std::uint16_t>(board_[i - 1] | (board_[i] << 2) | (board_[i + 1] << 4));
    }
    const std::size_t first = stride_ + 1;
    const std::size_t end = size - stride_ - 1;  // before and after them there is only the border
    for (std::size_t i = first; i < end; ++i) {
      around_[i] = triples_[i - stride_] | (triples_[i + stride_] << 6) | (board_[i - 1] << 12) | (board_[i + 1] << 14);
    }
    if (last < 0) return;
    const std::size_t middle = at(places_[at(last)].bordered);  // what touches the last move counts as near
    for (const std::size_t row : {middle - stride_, middle, middle + stride_}) {
      for (const std::size_t i : {row - 1, row, row + 1}) {
        if (i >= first && i < end) around_[i] = layout_.around(around_[i], true);
      }
    }
  }

  // What each cell is to the player to move, and how full the board is.
  void write_seen() {
    const std::uint8_t* seen = layout_.seen_by(player_);
    const auto width = at(layout_.width());
    int num_pieces = 0;
    for (std::size_t row = 0; row < at(layout_.height()); ++row) {
      const std::int8_t* from = codes_.data() + row * width;
      std::uint16_t* to = board_.data() + (row + 1) * stride_ + 1;
      if (layout_.num_codes() == 3) {  // stones of two colours: sums, which the compiler does for many cells at once
        const int first = seen[1];
        const int second = seen[2];
        for (std::size_t column = 0; column < width; ++column) {
          const int code = from[column];
          to[column] = static_cast<std::uint16_t>((code & 1) * first + (code >> 1) * second);
          num_pieces += (code & 1) + (code >> 1);
        }
      } else {
        for (std::size_t column = 0; column < width; ++column) {
          to[column] = seen[from[column]];
          num_pieces += from[column] != 0 ? 1 : 0;
        }
      }
    }
    fullness_ = layout_.fullness(num_pieces);
  }

  // Constant, owned elsewhere.
  const G& game_;
  const PatternLayout& layout_;

  // Of the position that was looked at.
  Player player_ = Player::kFirst;
  int bank_ = 0;
  int fullness_ = 0;
  Row answer_;
  Row follow_;
  ActionList legal_;
  std::vector<Move> moves_;            // [legal]
  std::vector<std::uint8_t> tactics_;  // [legal]
  std::vector<std::int8_t> codes_;     // [cells]
  std::vector<Place> places_;          // [cells], constant

  // Working memory, with a border of one cell: [height + 2, width + 2]
  std::size_t stride_;
  std::vector<std::uint16_t> board_;
  std::vector<std::uint16_t> triples_;
  std::vector<std::int32_t> around_;
};

}  // namespace tengen

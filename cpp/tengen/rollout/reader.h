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
        targets_(static_cast<std::size_t>(game.spec().legal_bound())),
        tactics_(static_cast<std::size_t>(game.spec().legal_bound())),
        codes_(static_cast<std::size_t>(game.spec().num_cells())),
        stride_(static_cast<std::size_t>(game.spec().width) + 2),
        board_((static_cast<std::size_t>(game.spec().height) + 2) * stride_, PatternLayout::kOutside),
        triples_(board_.size()),
        around_(board_.size()) {}

  const G& game() const { return game_; }
  const PatternLayout& layout() const { return layout_; }

  // Looks at an unfinished position. What is asked afterwards is about that one.
  void look(const State& state, const LastTargets& past) {
    past_ = past;
    player_ = game_.to_move(state);
    bank_ = layout_.bank_start(player_);
    game_.legal_actions(state, legal_);
    for (int i = 0; i < legal_.size(); ++i) {
      const ActionCells cells = action_cells(game_, state, legal_[i]);
      targets_[at(i)] = {cells.target, cells.source, cells.piece};
    }
    if (layout_.has_pieces()) read_board(state);
    if constexpr (HasTactics<G>) game_.tactics(state, legal_, tactics_.data());
  }

  const ActionList& legal() const { return legal_; }
  std::optional<int> target(int i) const { return targets_[at(i)].target; }

  // Where the weights of the i-th legal action are.
  Slots slots(int i) const {
    const Target& cells = targets_[at(i)];
    Slots slots;
    slots[kAround] = bank_ + around_of(cells.target);
    slots[kTacticsOf] = bank_ + layout_.tactics(tactics_[at(i)]);
    slots[kAnswer] = bank_ + layout_.answer(past_.last, cells.target);
    slots[kFollow] = bank_ + layout_.follow(past_.before, cells.target);
    slots[kActionOf] = bank_ + layout_.action(fullness_, legal_[i]);
    const int moved = cells.source ? codes_[at(*cells.source)] : cells.piece.value_or(0);
    slots[kStep] = bank_ + layout_.step(player_, moved, cells.target ? codes_[at(*cells.target)] : 0);
    return slots;
  }

 private:
  struct Target {
    std::optional<int> target;
    std::optional<int> source;
    std::optional<int> piece;
  };

  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

  int around_of(std::optional<int> target) const {
    if (!target) return layout_.around(kNowhere, false);
    const auto row = at(*target / layout_.width());
    const auto column = at(*target % layout_.width());
    return layout_.around(around_[(row + 1) * stride_ + column + 1], layout_.is_near(past_.last, *target));
  }

  // The pattern of every cell, two bits for each of its eight neighbours: three cells above, three below, left, right.
  void read_board(const State& state) {
    write_cells(game_, state, codes_.data());
    const std::uint8_t* seen = layout_.seen_by(player_);
    const auto width = static_cast<std::size_t>(layout_.width());
    const auto height = static_cast<std::size_t>(layout_.height());
    int num_pieces = 0;
    for (std::size_t row = 0; row < height; ++row) {
      const std::int8_t* from = codes_.data() + row * width;
      std::uint16_t* to = board_.data() + (row + 1) * stride_ + 1;
      for (std::size_t column = 0; column < width; ++column) {
        num_pieces += from[column] != 0 ? 1 : 0;
        to[column] = seen[from[column]];
      }
    }
    fullness_ = layout_.fullness(num_pieces);
    const std::size_t size = board_.size();
    for (std::size_t i = 1; i + 1 < size; ++i) {
      triples_[i] = static_cast<std::uint16_t>(board_[i - 1] | (board_[i] << 2) | (board_[i + 1] << 4));
    }
    for (std::size_t i = stride_ + 1; i + stride_ + 1 < size; ++i) {
      around_[i] = static_cast<std::uint16_t>(triples_[i - stride_] | (triples_[i + stride_] << 6) |
                                              (board_[i - 1] << 12) | (board_[i + 1] << 14));
    }
  }

  static constexpr int kNowhere = PatternLayout::kAroundCodes - 1;  // off the board on all sides, which no cell is

  // Constant, owned elsewhere.
  const G& game_;
  const PatternLayout& layout_;

  // Of the position that was looked at.
  LastTargets past_;
  Player player_ = Player::kFirst;
  int bank_ = 0;
  int fullness_ = 0;
  ActionList legal_;
  std::vector<Target> targets_;        // [legal]
  std::vector<std::uint8_t> tactics_;  // [legal]
  std::vector<std::int8_t> codes_;     // [cells]

  // Working memory, with a border of one cell: [height + 2, width + 2]
  std::size_t stride_;
  std::vector<std::uint16_t> board_;
  std::vector<std::uint16_t> triples_;
  std::vector<std::uint16_t> around_;
};

}  // namespace tengen

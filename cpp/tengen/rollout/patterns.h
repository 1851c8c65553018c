// What a rollout policy looks at: small patterns around the cell that an action goes to. A policy is a softmax over the
// legal actions of a sum of weights, a few for each action (AlphaGo 2016, "rollout policy"); here is which weights
// those are, for any game with pieces on cells.
//
// Each action has one weight of every kind:
//   near, far   the eight cells around its target, for targets that touch the last move and for all others
//   tactics     what it does at once, in games that say so: Go's captures and ataris (HasTactics)
//   answer      where its target is, as seen from the target of the last move
//   follow      the same, from the target of the move before it
//   action      which action it is, by how full the board is
//   step        which piece moves, and what stands on its target
// Weights that a symmetry of the board turns into each other are one weight.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tengen/base/error.h"
#include "tengen/games/game.h"

namespace tengen {

// Cells that the last two moves went to; -1: there was none, or it is not known.
struct LastTargets {
  int last = -1;
  int before = -1;

  void add(std::optional<int> target) {
    before = last;
    last = target.value_or(-1);
  }
  bool operator==(const LastTargets&) const = default;
};

enum PatternKind : std::uint8_t { kAround, kTacticsOf, kAnswer, kFollow, kActionOf, kStep };
constexpr int kPatternKinds = 6;  // weights of one action; near and far are one kind

// The numbers that follow from a game: where the weights of each kind start, and which of them are the same. Constant
// once made, so that threads can share it.
class PatternLayout {
 public:
  static constexpr int kAroundCodes = 1 << 16;       // eight cells: empty, own, the opponent's, off the board
  static constexpr int kNowhere = kAroundCodes - 1;  // off the board on all sides, which no cell is
  static constexpr int kFullness = 4;                // stages of a game, by the share of cells that are taken

  PatternLayout(const GameSpec& spec, bool shares_players)
      : height_(spec.height), width_(spec.width), shares_players_(shares_players) {
    const int num_pieces = static_cast<int>(spec.pieces.size());
    num_codes_ = num_pieces + 1;
    has_pieces_ = num_pieces > 0;
    seen_[0].assign(static_cast<std::size_t>(num_codes_), kEmpty);
    seen_[1].assign(static_cast<std::size_t>(num_codes_), kEmpty);
    for (std::size_t i = 0; i < spec.pieces.size(); ++i) {
      for (const Player player : {Player::kFirst, Player::kSecond}) {
        const auto& owner = spec.pieces[i].owner;
        seen_[index(player)][i + 1] = !owner ? kOutside : *owner == player ? kOwn : kOther;
      }
    }
    swapped_ = swapped_codes(spec);
    starts_[kAround] = 0;
    starts_[kTacticsOf] = has_pieces_ ? 2 * kAroundCodes : 1;
    starts_[kAnswer] = starts_[kTacticsOf] + kMostTactics;
    starts_[kFollow] = starts_[kAnswer] + num_offsets() + 2;
    starts_[kActionOf] = starts_[kFollow] + num_offsets() + 2;
    starts_[kStep] = starts_[kActionOf] + kFullness * spec.num_actions;
    bank_size_ = starts_[kStep] + num_codes_ * num_codes_;
    num_actions_ = spec.num_actions;
    tie(spec);
  }

  bool shares_players() const { return shares_players_; }
  bool has_pieces() const { return has_pieces_; }
  int height() const { return height_; }
  int width() const { return width_; }
  int num_banks() const { return shares_players_ ? 1 : 2; }
  int bank_size() const { return bank_size_; }
  std::int64_t num_weights() const { return static_cast<std::int64_t>(bank_size_) * num_banks(); }
  int bank_start(Player player) const { return shares_players_ ? 0 : index(player) * bank_size_; }

  // [num_codes] What a piece code is to this player: one of the four codes of a pattern.
  const std::uint8_t* seen_by(Player player) const { return seen_[index(player)].data(); }

  // Within a bank.
  int around(int code, bool near) const { return has_pieces_ ? code + (near ? kAroundCodes : 0) : 0; }
  int num_codes() const { return num_codes_; }
  int tactics(int code) const { return starts_[kTacticsOf] + code; }
  // Of an action without a target, or of any with one if the earlier target is not known.
  int answer_without_target() const { return starts_[kAnswer] + num_offsets(); }
  int follow_without_target() const { return starts_[kFollow] + num_offsets(); }
  int answer_to_unknown() const { return starts_[kAnswer] + num_offsets() + 1; }
  int follow_of_unknown() const { return starts_[kFollow] + num_offsets() + 1; }
  // Of a target on the cell c, as answer_from(last) + grid(c): numbers that need no division.
  int answer_from(int last) const { return starts_[kAnswer] + offset_of(0, 0) - grid(last); }
  int follow_from(int before) const { return starts_[kFollow] + offset_of(0, 0) - grid(before); }
  int grid(int cell) const { return (cell / width_) * (2 * width_ - 1) + cell % width_; }
  int action(int fullness, Action action) const { return starts_[kActionOf] + fullness * num_actions_ + action; }
  int step(Player player, int moved, int taken) const {
    if (shares_players_ && player == Player::kSecond) {
      moved = swapped_[static_cast<std::size_t>(moved)];
      taken = swapped_[static_cast<std::size_t>(taken)];
    }
    return starts_[kStep] + moved * num_codes_ + taken;
  }
  int fullness(int num_pieces) const { return std::min(kFullness - 1, kFullness * num_pieces / (height_ * width_)); }

  // [bank_size] The weight that stands for this one and for all that a symmetry turns it into.
  const std::vector<std::int32_t>& owner() const { return owner_; }

  enum Seen : std::uint8_t { kEmpty, kOwn, kOther, kOutside };

 private:
  using Turn = std::array<int, 4>;  // what a symmetry does to (row, column) steps: a matrix

  int num_offsets() const { return (2 * height_ - 1) * (2 * width_ - 1); }

  int offset_of(int rows, int columns) const { return (rows + height_ - 1) * (2 * width_ - 1) + columns + width_ - 1; }

  std::vector<std::int8_t> swapped_codes(const GameSpec& spec) const {
    std::vector<std::int8_t> swapped(static_cast<std::size_t>(num_codes_));
    std::iota(swapped.begin(), swapped.end(), std::int8_t{0});
    std::vector<std::size_t> of[2];
    for (std::size_t i = 0; i < spec.pieces.size(); ++i) {
      if (spec.pieces[i].owner) of[index(*spec.pieces[i].owner)].push_back(i + 1);
    }
    if (of[0].size() != of[1].size()) {
      if (!shares_players_) return swapped;
      throw ArgumentError("The players of " + spec.name + " have different pieces and can't share a rollout policy.");
    }
    for (std::size_t k = 0; k < of[0].size(); ++k) {
      swapped[of[0][k]] = static_cast<std::int8_t>(of[1][k]);
      swapped[of[1][k]] = static_cast<std::int8_t>(of[0][k]);
    }
    return swapped;
  }

  // Joins the weights that a symmetry turns into each other; the smallest of them is the owner.
  void tie(const GameSpec& spec) {
    owner_.resize(static_cast<std::size_t>(bank_size_));
    std::iota(owner_.begin(), owner_.end(), 0);
    for (const Symmetry& symmetry : spec.symmetries) {
      for (Action a = 0; a < num_actions_; ++a) {
        const Action turned = symmetry.action_source[static_cast<std::size_t>(a)];
        for (int fullness = 0; fullness < kFullness; ++fullness) join(action(fullness, a), action(fullness, turned));
      }
      if (const auto turn = turn_of(symmetry)) tie_board(*turn);
    }
    for (std::size_t i = 0; i < owner_.size(); ++i) owner_[i] = root(static_cast<std::int32_t>(i));
  }

  void tie_board(const Turn& turn) {
    for (int rows = 1 - height_; rows < height_; ++rows) {
      for (int columns = 1 - width_; columns < width_; ++columns) {
        const int turned_rows = turn[0] * rows + turn[1] * columns;
        const int turned_columns = turn[2] * rows + turn[3] * columns;
        if (std::abs(turned_rows) >= height_ || std::abs(turned_columns) >= width_) continue;
        const int to = offset_of(turned_rows, turned_columns);
        join(starts_[kAnswer] + offset_of(rows, columns), starts_[kAnswer] + to);
        join(starts_[kFollow] + offset_of(rows, columns), starts_[kFollow] + to);
      }
    }
    if (!has_pieces_) return;
    for (int code = 0; code < kAroundCodes; ++code) {
      const int turned = turned_code(turn, code);
      join(around(code, false), around(turned, false));
      join(around(code, true), around(turned, true));
    }
  }

  // The eight cells in the order of their bits in a code (reader.h writes them): above, below, left, right.
  static constexpr std::array<std::pair<int, int>, 8> kDirections = {
      {{-1, -1}, {-1, 0}, {-1, 1}, {1, -1}, {1, 0}, {1, 1}, {0, -1}, {0, 1}}};

  static int turned_code(const Turn& turn, int code) {
    int turned = 0;
    for (std::size_t i = 0; i < kDirections.size(); ++i) {
      const auto [rows, columns] = kDirections[i];
      const std::pair<int, int> to = {turn[0] * rows + turn[1] * columns, turn[2] * rows + turn[3] * columns};
      const auto found = static_cast<int>(std::find(kDirections.begin(), kDirections.end(), to) - kDirections.begin());
      turned |= ((code >> (2 * i)) & 3) << (2 * found);
    }
    return turned;
  }

  // What a symmetry does to steps, if it is a turn or a mirror of the whole board.
  std::optional<Turn> turn_of(const Symmetry& symmetry) const {
    const auto place = [&](int row, int column) {
      const int cell = symmetry.cell_source[static_cast<std::size_t>(row * width_ + column)];
      return std::pair<int, int>{cell / width_, cell % width_};
    };
    if (height_ < 2 || width_ < 2) return std::nullopt;
    const auto [row, column] = place(0, 0);
    const auto down = place(1, 0);
    const auto right = place(0, 1);
    const Turn turn = {down.first - row, right.first - row, down.second - column, right.second - column};
    for (int r = 0; r < height_; ++r) {
      for (int c = 0; c < width_; ++c) {
        const std::pair<int, int> expected = {row + turn[0] * r + turn[1] * c, column + turn[2] * r + turn[3] * c};
        if (place(r, c) != expected) return std::nullopt;
      }
    }
    for (const auto& [r, c] : kDirections) {
      if (std::abs(turn[0] * r + turn[1] * c) > 1 || std::abs(turn[2] * r + turn[3] * c) > 1) return std::nullopt;
    }
    return turn;
  }

  std::int32_t root(std::int32_t weight) {
    while (owner_[static_cast<std::size_t>(weight)] != weight) weight = owner_[static_cast<std::size_t>(weight)];
    return weight;
  }

  void join(std::int32_t a, std::int32_t b) {
    const auto [low, high] = std::minmax({root(a), root(b)});
    owner_[static_cast<std::size_t>(high)] = low;
  }

  int height_;
  int width_;
  bool shares_players_;
  bool has_pieces_ = false;
  int num_codes_ = 1;
  int num_actions_ = 0;
  int bank_size_ = 0;
  std::array<int, kPatternKinds> starts_{};
  std::array<std::vector<std::uint8_t>, 2> seen_;  // by player
  std::vector<std::int8_t> swapped_;               // [num_codes] the same piece of the other player
  std::vector<std::int32_t> owner_;
};

}  // namespace tengen

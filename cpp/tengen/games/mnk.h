// k in a row on an m by n board: tic-tac-toe (3, 3, 3), Gomoku (15, 15, 5) and all others.
// Stones are bitboards with one empty guard column at the right, so that a run never wraps into the next row.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "tengen/base/rng.h"
#include "tengen/games/bitboard.h"
#include "tengen/games/board_text.h"
#include "tengen/games/game.h"
#include "tengen/games/symmetry.h"

namespace tengen {

// kWords: 64-bit words that hold height * (width + 1) bits.
template <int kWords>
class Mnk {
 public:
  using Bits = std::array<std::uint64_t, kWords>;
  enum class Status : std::uint8_t { kOngoing, kWon, kDrawn };  // kWon: by the player who moved last

  struct State {
    std::array<Bits, 2> stones{};
    std::int16_t num_stones = 0;
    Player to_move = Player::kFirst;
    Status status = Status::kOngoing;
    bool operator==(const State&) const = default;
  };

  struct Rules {
    int height;
    int width;
    int in_a_row;
    bool exactly = false;  // a longer row does not win
  };

  Mnk(const std::string& name, std::string options, Rules rules) : rules_(rules), stride_(rules.width + 1) {
    names_ = {.height = rules.height, .width = rules.width};
    const int cells = rules.height * rules.width;
    spec_ = {.name = name,
             .source = name,
             .options = std::move(options),
             .num_planes = 2,
             .height = rules.height,
             .width = rules.width,
             .num_actions = cells,
             .longest_game = cells,
             .plane_names = {"own stones", "opponent's stones"},
             .player_names = {"X", "O"},
             .symmetries = dihedral_symmetries(rules.height, rules.width, cells)};
    if (rules.in_a_row <= rules.width) steps_[num_steps_++] = 1;
    if (rules.in_a_row <= rules.height) steps_[num_steps_++] = stride_;
    if (num_steps_ == 2) {
      steps_[num_steps_++] = stride_ - 1;
      steps_[num_steps_++] = stride_ + 1;
    }
    for (int cell = 0; cell < cells; ++cell) {
      const int bit = cell / rules.width * stride_ + cell % rules.width;
      bit_of_cell_[static_cast<std::size_t>(cell)] = static_cast<std::int16_t>(bit);
      cell_of_bit_[static_cast<std::size_t>(bit)] = static_cast<std::int16_t>(cell);
      set(board_, bit);
    }
  }

  const GameSpec& spec() const { return spec_; }
  State initial_state() const { return {}; }
  Player to_move(const State& state) const { return state.to_move; }

  void legal_actions(const State& state, ActionList& list) const {
    list.clear();
    if (state.status != Status::kOngoing) return;
    for (int w = 0; w < kWords; ++w) {
      for (std::uint64_t left = empty_word(state, w); left != 0; left &= left - 1) {
        list.push(cell_of_bit_[static_cast<std::size_t>(w * 64 + std::countr_zero(left))]);
      }
    }
  }

  bool is_legal(const State& state, Action action) const {
    if (state.status != Status::kOngoing || action < 0 || action >= spec_.num_actions) return false;
    const int bit = bit_of_cell_[static_cast<std::size_t>(action)];
    return !has(state.stones[0], bit) && !has(state.stones[1], bit);
  }

  Action random_action(const State& state, Rng& rng) const {
    auto n = rng.below(static_cast<std::uint32_t>(spec_.num_actions - state.num_stones));
    for (int w = 0;; ++w) {
      const std::uint64_t empty = empty_word(state, w);
      const auto here = static_cast<std::uint32_t>(std::popcount(empty));
      if (n < here || w == kWords - 1) return cell_of_bit_[static_cast<std::size_t>(w * 64 + nth_set_bit(empty, n))];
      n -= here;
    }
  }

  void play(State& state, Action action) const {
    const int bit = bit_of_cell_[static_cast<std::size_t>(action)];
    Bits& own = state.stones[static_cast<std::size_t>(index(state.to_move))];
    set(own, bit);
    ++state.num_stones;
    state.to_move = opponent(state.to_move);
    if (wins(own, bit)) {
      state.status = Status::kWon;
    } else if (state.num_stones == spec_.num_actions) {
      state.status = Status::kDrawn;
    }
  }

  std::optional<Outcome> outcome(const State& state) const {
    if (state.status == Status::kOngoing) return std::nullopt;
    return state.status == Status::kDrawn ? Outcome::draw() : Outcome::win(opponent(state.to_move));
  }

  void write_planes(const State& state, float* planes) const {
    const auto own = static_cast<std::size_t>(index(state.to_move));
    for (int cell = 0; cell < spec_.num_actions; ++cell) {
      const int bit = bit_of_cell_[static_cast<std::size_t>(cell)];
      planes[cell] = has(state.stones[own], bit) ? 1.0F : 0.0F;
      planes[spec_.num_actions + cell] = has(state.stones[1 - own], bit) ? 1.0F : 0.0F;
    }
  }

  std::uint64_t hash(const State& state) const {
    auto h = static_cast<std::uint64_t>(index(state.to_move));
    for (const Bits& stones : state.stones) {
      for (const std::uint64_t word : stones) h = mix64(h + 0x9e3779b97f4a7c15ULL) ^ word;
    }
    return mix64(h);
  }

  std::string action_text(Action action) const { return names_.text(action); }
  std::optional<Action> parse_action(std::string_view text) const { return names_.parse(text); }

  std::string board_text(const State& state) const {
    std::string cells;
    for (int cell = 0; cell < spec_.num_actions; ++cell) {
      const int bit = bit_of_cell_[static_cast<std::size_t>(cell)];
      cells += has(state.stones[0], bit) ? 'X' : has(state.stones[1], bit) ? 'O' : '.';
    }
    return draw_board(names_, cells, state.to_move, state.status != Status::kOngoing);
  }

  State parse_board(std::string_view text) const {
    const BoardDrawing drawing = parse_drawing(text, rules_.height, rules_.width);
    State state;
    std::array<int, 2> count{};
    for (int cell = 0; cell < spec_.num_actions; ++cell) {
      const char mark = drawing.cells[static_cast<std::size_t>(cell)];
      if (mark == '.') continue;
      const std::size_t player = mark == 'X' ? 0 : 1;
      set(state.stones[player], bit_of_cell_[static_cast<std::size_t>(cell)]);
      ++count[player];
    }
    if (count[0] != count[1] && count[0] != count[1] + 1) {
      throw BoardTextError("X moves first, so X has as many stones as O or one more; the drawing has " +
                           std::to_string(count[0]) + " X and " + std::to_string(count[1]) + " O.");
    }
    state.num_stones = static_cast<std::int16_t>(count[0] + count[1]);
    state.to_move = count[0] == count[1] ? Player::kFirst : Player::kSecond;
    const bool won_by_last = wins_anywhere(state.stones[static_cast<std::size_t>(index(opponent(state.to_move)))]);
    if (wins_anywhere(state.stones[static_cast<std::size_t>(index(state.to_move))])) {
      throw BoardTextError("The player to move has already won in this drawing; that cannot come about in play.");
    }
    if (won_by_last) {
      state.status = Status::kWon;
    } else if (state.num_stones == spec_.num_actions) {
      state.status = Status::kDrawn;
    }
    return state;
  }

 private:
  static void set(Bits& bits, int bit) { bits[static_cast<std::size_t>(bit / 64)] |= 1ULL << (bit % 64); }
  static bool has(const Bits& bits, int bit) {
    return ((bits[static_cast<std::size_t>(bit / 64)] >> (bit % 64)) & 1) != 0;
  }

  std::uint64_t empty_word(const State& state, int w) const {
    const auto i = static_cast<std::size_t>(w);
    return board_[i] & ~(state.stones[0][i] | state.stones[1][i]);
  }

  // Own stones in a row from `bit` in steps of `step`, without `bit` itself. The guard column stops a run at the
  // right edge and, because it is also the cell before column 0, at the left.
  int run(const Bits& own, int bit, int step) const {
    int length = 0;
    for (int at = bit + step; at >= 0 && at < 64 * kWords && has(own, at); at += step) ++length;
    return length;
  }

  bool wins(const Bits& own, int bit) const {
    if constexpr (kWords == 1) {
      if (!rules_.exactly) return has_row_of(own[0]);
    }
    for (std::size_t i = 0; i < num_steps_; ++i) {
      const int step = steps_[i];
      const int length = 1 + run(own, bit, step) + run(own, bit, -step);
      if (rules_.exactly ? length == rules_.in_a_row : length >= rules_.in_a_row) return true;
    }
    return false;
  }

  // All rows of a one-word board at once: a stone survives in_a_row - 1 steps only at the end of a long enough run.
  bool has_row_of(std::uint64_t own) const {
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < num_steps_; ++i) {
      std::uint64_t ends = own;
      for (int n = 1; n < rules_.in_a_row; ++n) ends &= own >> (n * steps_[i]);
      found |= ends;
    }
    return found != 0;
  }

  bool wins_anywhere(const Bits& own) const {
    for (int cell = 0; cell < spec_.num_actions; ++cell) {
      const int bit = bit_of_cell_[static_cast<std::size_t>(cell)];
      if (has(own, bit) && wins(own, bit)) return true;
    }
    return false;
  }

  Rules rules_;
  int stride_;
  std::array<int, 4> steps_{};  // between neighbouring bits of a row, column or diagonal that is long enough to win
  std::size_t num_steps_ = 0;
  SquareNames names_;
  GameSpec spec_;
  Bits board_{};  // every cell of the board, no guards
  std::array<std::int16_t, 64 * kWords> bit_of_cell_{};
  std::array<std::int16_t, 64 * kWords> cell_of_bit_{};
};

}  // namespace tengen

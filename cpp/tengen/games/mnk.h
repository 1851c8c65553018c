// k in a row on an m by n board: tic-tac-toe (3, 3, 3), Gomoku (15, 15, 5) and all others.
// Stones are bitboards with one empty guard column at the right, so that a run never wraps into the next row; a board
// of several words has an empty guard word at each end, so that nothing near the edge needs a test.
#pragma once

#include <algorithm>
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
  static constexpr std::size_t kFirstWord = kWords > 1 ? 1 : 0;
  static constexpr std::size_t kEndWord = kFirstWord + kWords;
  using Bits = std::array<std::uint64_t, kEndWord + kFirstWord>;
  enum class Status : std::uint8_t { kOngoing, kWon, kDrawn };  // kWon: by the player who moved last

  struct State {
    std::array<Bits, 2> stones{};  // see stones_of()
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

  Mnk(const std::string& name, OptionValues options, Rules rules)
      : rules_(rules), has_row_(rules.height, rules.width, rules.in_a_row) {
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
             .symmetries = dihedral_symmetries(rules.height, rules.width, cells),
             .pieces = stones_named("stone")};
    const int stride = rules.width + 1;
    const bool row_fits = rules.in_a_row <= rules.width;
    const bool column_fits = rules.in_a_row <= rules.height;
    if (row_fits) lines_[num_lines_++] = Line(1, rules.in_a_row);
    if (column_fits) lines_[num_lines_++] = Line(stride, rules.in_a_row);
    if (row_fits && column_fits) {
      lines_[num_lines_++] = Line(stride - 1, rules.in_a_row);
      lines_[num_lines_++] = Line(stride + 1, rules.in_a_row);
    }
    for (int cell = 0; cell < cells; ++cell) {
      const auto bit = 64 * kFirstWord + static_cast<std::size_t>(cell / rules.width * stride + cell % rules.width);
      bit_of_cell_[static_cast<std::size_t>(cell)] = static_cast<std::uint16_t>(bit);
      cell_of_bit_[bit] = static_cast<std::int16_t>(cell);
      set(board_, bit);
      cells_[bit / 64].add(cell, static_cast<int>(bit % 64));
    }
  }

  const GameSpec& spec() const { return spec_; }
  State initial_state() const { return {}; }
  Player to_move(const State& state) const { return state.to_move; }

  void legal_actions(const State& state, ActionList& list) const {
    list.clear();
    if (state.status != Status::kOngoing) return;
    for (std::size_t w = kFirstWord; w < kEndWord; ++w) {
      for (std::uint64_t left = empty_word(state, w); left != 0; left &= left - 1)
        list.push(cell_of_bit_[w * 64 + static_cast<std::size_t>(std::countr_zero(left))]);
    }
  }

  bool is_legal(const State& state, Action action) const {
    return state.status == Status::kOngoing && action >= 0 && action < spec_.num_actions &&
           is_empty(state, bit_of(action));
  }

  // On a large board that is less than half full, trying cells (two at a time, for fewer wrong guesses of the
  // processor) is faster than counting bits.
  Action random_action(const State& state, Rng& rng) const {
    if (kWords > 1 && 2 * state.num_stones < spec_.num_actions) {
      while (true) {
        const Action first = random_cell(rng);
        const Action second = random_cell(rng);
        const Action action = is_empty(state, bit_of(first)) ? first : second;
        if (is_empty(state, bit_of(action))) return action;
      }
    }
    auto n = rng.below(static_cast<std::uint32_t>(spec_.num_actions - state.num_stones));
    for (std::size_t w = kFirstWord;; ++w) {
      const std::uint64_t empty = empty_word(state, w);
      const auto here = static_cast<std::uint32_t>(std::popcount(empty));
      if (w == kEndWord - 1 || n < here) return cell_of_bit_[w * 64 + static_cast<std::size_t>(nth_set_bit(empty, n))];
      n -= here;
    }
  }

  void play(State& state, Action action) const { put_stone(state, bit_of(action)); }

  // The same action as random_action() draws, but on a board of one word its bit is enough.
  void play_random(State& state, Rng& rng) const
    requires(kWords == 1)
  {
    const auto n = rng.below(static_cast<std::uint32_t>(spec_.num_actions - state.num_stones));
    put_stone(state, static_cast<std::size_t>(nth_set_bit(empty_word(state, 0), n)));
  }

  Playout random_playout(State& state, Rng& rng) const
    requires(kWords == 1)
  {
    const int before = state.num_stones;
    State now = state;  // copies that nothing else points to stay in registers
    Rng own = rng;
    while (now.status == Status::kOngoing) play_random(now, own);
    state = now;
    rng = own;
    return {*outcome(now), now.num_stones - before};
  }

  std::optional<Outcome> outcome(const State& state) const {
    if (state.status == Status::kOngoing) return std::nullopt;
    return state.status == Status::kDrawn ? Outcome::draw() : Outcome::win(opponent(state.to_move));
  }

  void write_planes(const State& state, float* planes) const {
    for (std::size_t w = kFirstWord; w < kEndWord; ++w) {
      cells_[w].write(stones_of(state, state.to_move)[w], planes);
      cells_[w].write(stones_of(state, opponent(state.to_move))[w], planes + spec_.num_actions);
    }
  }

  void cells(const State& state, std::int8_t* out) const {
    for (Action cell = 0; cell < spec_.num_actions; ++cell) {
      const std::size_t bit = bit_of(cell);
      out[cell] = is_empty(state, bit) ? 0 : has(stones_of(state, Player::kFirst), bit) ? 1 : 2;
    }
  }

  Ending ending(const State& state) const {
    if (state.status == Status::kDrawn) return {Outcome::draw(), Reason::kFullBoard, "the board is full"};
    return {*outcome(state), Reason::kLine, row_text(rules_.in_a_row)};
  }

  std::uint64_t hash(const State& state) const {
    auto h = static_cast<std::uint64_t>(index(state.to_move));
    for (const Player player : {Player::kFirst, Player::kSecond}) {
      const Bits& stones = stones_of(state, player);
      for (std::size_t w = kFirstWord; w < kEndWord; ++w) h = mix64(h + 0x9e3779b97f4a7c15ULL) ^ stones[w];
    }
    return mix64(h);
  }

  std::string action_text(Action action) const { return names_.text(action); }
  std::optional<Action> parse_action(std::string_view text) const { return names_.parse(text); }

  std::string board_text(const State& state) const {
    return draw_board(names_, cell_letters(*this, state),
                      turn_line(spec_, state.to_move, state.status != Status::kOngoing));
  }

  State parse_board(std::string_view text) const {
    const BoardDrawing drawing = parse_drawing(text, spec_);
    State state;
    state.to_move = turn_by_stones(drawing);
    for (Action cell = 0; cell < spec_.num_actions; ++cell) {
      const char mark = drawing.cells[static_cast<std::size_t>(cell)];
      if (mark == '.') continue;
      set(stones_of(state, mark == 'X' ? Player::kFirst : Player::kSecond), bit_of(cell));
      ++state.num_stones;
    }
    if (wins_anywhere(stones_of(state, state.to_move))) {
      throw BoardTextError("The player to move has already won in this drawing; that cannot come about in play.");
    }
    if (wins_anywhere(stones_of(state, opponent(state.to_move)))) {
      state.status = Status::kWon;
    } else if (state.num_stones == spec_.num_actions) {
      state.status = Status::kDrawn;
    }
    return state;
  }

 private:
  // One of the directions in which a row can be long enough to win.
  struct Line {
    int step = 1;                  // between neighbouring bits
    int threshold = 129;           // see may_win(); a line that is not in use never reaches it
    std::uint64_t ahead = ~0ULL;   // bits 0, step and 2 * step
    std::uint64_t behind = ~0ULL;  // the same counted from bit 63 down

    Line() = default;
    Line(int step_, int in_a_row)
        : step(step_),
          threshold(std::min(in_a_row - 1, 3) * step),
          ahead(1ULL | 1ULL << step | 1ULL << 2 * step),
          behind(1ULL << 63 | 1ULL << (63 - step) | 1ULL << (63 - 2 * step)) {}
  };

  // On a board of one word the stones of the player to move are first: they change places at every move, but no index
  // has to be computed, and a compiler can keep them in registers. On a larger one that would take too long.
  static auto& stones_of(auto& state, Player player) {
    return state.stones[kWords == 1 ? player != state.to_move : static_cast<std::size_t>(index(player))];
  }

  void put_stone(State& state, std::size_t bit) const {
    ++state.num_stones;
    state.to_move = opponent(state.to_move);
    bool won = false;
    if constexpr (kWords == 1) {
      // No std::swap: as GCC 12 compiles it, the processor would have to wait for the stone that was just set.
      Bits own = state.stones[0];
      set(own, bit);
      state.stones[0] = state.stones[1];
      state.stones[1] = own;
      won = wins(own, bit);
    } else {
      Bits& own = stones_of(state, opponent(state.to_move));
      set(own, bit);
      won = wins(own, bit);
    }
    state.status = won ? Status::kWon : state.num_stones == spec_.num_actions ? Status::kDrawn : Status::kOngoing;
  }

  static std::size_t word_of(std::size_t bit) { return kWords == 1 ? 0 : bit / 64; }
  static void set(Bits& bits, std::size_t bit) { bits[word_of(bit)] |= 1ULL << bit % 64; }
  static bool has(const Bits& bits, std::size_t bit) { return (bits[word_of(bit)] >> bit % 64 & 1) != 0; }
  static bool is_empty(const State& state, std::size_t bit) {
    return ((state.stones[0][bit / 64] | state.stones[1][bit / 64]) >> bit % 64 & 1) == 0;
  }
  // The 64 bits that start at `bit`.
  static std::uint64_t word_at(const Bits& bits, std::size_t bit) {
    return bits[bit / 64] >> bit % 64 | bits[bit / 64 + 1] << 1 << (63 - bit % 64);
  }
  std::uint64_t empty_word(const State& state, std::size_t w) const {
    return board_[w] & ~(state.stones[0][w] | state.stones[1][w]);
  }
  std::size_t bit_of(Action cell) const { return bit_of_cell_[static_cast<std::size_t>(cell)]; }
  Action random_cell(Rng& rng) const {
    return static_cast<Action>(rng.below(static_cast<std::uint32_t>(spec_.num_actions)));
  }

  // Own stones in a row from `bit` in steps of `step`, without `bit` itself. The guard column stops a run at the
  // right edge and, because it is also the cell before column 0, at the left.
  static int run(const Bits& own, std::size_t bit, int step) {
    const auto end = static_cast<int>(64 * own.size());
    int length = 0;
    int at = static_cast<int>(bit) + step;
    for (; at >= 0 && at < end && has(own, static_cast<std::size_t>(at)); at += step) ++length;
    return length;
  }

  bool wins(const Bits& own, std::size_t bit) const {
    if constexpr (kWords == 1) {
      if (!rules_.exactly) return has_row_(own[0]);
    } else {
      if (!may_win(own, bit)) return false;
    }
    for (std::size_t i = 0; i < num_lines_; ++i) {
      const int length = 1 + run(own, bit, lines_[i].step) + run(own, bit, -lines_[i].step);
      if (rules_.exactly ? length == rules_.in_a_row : length >= rules_.in_a_row) return true;
    }
    return false;
  }

  // A quick test that lets few moves through: whether `bit` and the three cells on both sides of it have at least
  // min(in_a_row, 4) own stones in a row, in some direction. A run of n < 3 stones leaves n * step zeros before the
  // first missing stone; a run of 3 leaves 64, which is at least 3 * step.
  bool may_win(const Bits& own, std::size_t bit) const {
    const std::uint64_t missing_ahead = ~word_at(own, bit + 1);
    const std::uint64_t missing_behind = ~word_at(own, bit - 64);
    bool found = false;
    for (const Line& line : lines_) {
      const int zeros_ahead = std::countr_zero(missing_ahead >> (line.step - 1) & line.ahead);
      const int zeros_behind = std::countl_zero(missing_behind << (line.step - 1) & line.behind);
      found |= zeros_ahead + zeros_behind >= line.threshold;
    }
    return found;
  }

  bool wins_anywhere(const Bits& own) const {
    for (Action cell = 0; cell < spec_.num_actions; ++cell) {
      if (has(own, bit_of(cell)) && wins(own, bit_of(cell))) return true;
    }
    return false;
  }

  Rules rules_;
  SquareNames names_;
  GameSpec spec_;
  RowTest has_row_;              // for boards of one word
  std::array<Line, 4> lines_{};  // for the others
  std::size_t num_lines_ = 0;
  Bits board_{};  // every cell of the board, no guards
  std::array<std::uint16_t, 64 * kWords> bit_of_cell_{};
  std::array<std::int16_t, 64 * kEndWord> cell_of_bit_{};
  std::array<CellBits, kEndWord> cells_;
};

}  // namespace tengen

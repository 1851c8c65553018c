// Connect Four on any board that fits 64 bits: stones fall to the lowest free cell of a column.
// A column is rows + 1 bits, the lowest cell first; the bit above the top cell is a guard that stays empty, so that a
// run never wraps into the next column (the layout of John Tromp's Fhourstones).
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

class ConnectFour {
 public:
  enum class Status : std::uint8_t { kOngoing, kWon, kDrawn };  // kWon: by the player who moved last

  struct State {
    std::uint64_t own = 0;       // stones of the player to move
    std::uint64_t opponent = 0;  // stones of the player who moved last
    Player to_move = Player::kFirst;
    Status status = Status::kOngoing;
    bool operator==(const State&) const = default;
  };

  struct Rules {
    int rows = 6;
    int columns = 7;
    int in_a_row = 4;
  };

  ConnectFour(const std::string& name, OptionValues options, Rules rules)
      : rules_(rules), stride_(rules.rows + 1), has_row_(rules.columns, rules.rows, rules.in_a_row) {
    if (stride_ * rules.columns > 64) {
      throw GameOptionError(name + ": (rows + 1) * columns must be at most 64, not " +
                            std::to_string(stride_ * rules.columns) + ".");
    }
    spec_ = {.name = name,
             .source = name,
             .options = std::move(options),
             .num_planes = 3,
             .height = rules.rows,
             .width = rules.columns,
             .num_actions = rules.columns,
             .action_layout = ActionLayout::kColumns,
             .longest_game = rules.rows * rules.columns,
             .plane_names = {"own stones", "opponent's stones", "X to move"},
             .player_names = {"X", "O"},
             .symmetries = mirror_symmetries(rules.rows, rules.columns, rules.columns, ActionLayout::kColumns),
             .pieces = stones_named("stone")};
    for (int column = 0; column < rules.columns; ++column) {
      const std::uint64_t bottom = 1ULL << (column * stride_);
      bottom_ |= bottom;
      column_[static_cast<std::size_t>(column)] = (bottom << rules.rows) - bottom;
      board_ |= column_[static_cast<std::size_t>(column)];
      for (int height = 0; height < rules.rows; ++height) {
        column_of_bit_[static_cast<std::size_t>(column * stride_ + height)] = static_cast<std::int8_t>(column);
      }
    }
    for (int cell = 0; cell < spec_.num_cells(); ++cell) cells_.add(cell, bit_of_cell(cell));
  }

  const GameSpec& spec() const { return spec_; }
  State initial_state() const { return {}; }
  Player to_move(const State& state) const { return state.to_move; }

  void legal_actions(const State& state, ActionList& list) const {
    list.clear();
    if (state.status != Status::kOngoing) return;
    for (std::uint64_t left = landing_cells(state); left != 0; left &= left - 1) list.push(column_of(left));
  }

  bool is_legal(const State& state, Action action) const {
    return state.status == Status::kOngoing && action >= 0 && action < rules_.columns &&
           (landing_cells(state) & column_[static_cast<std::size_t>(action)]) != 0;
  }

  void play(State& state, Action action) const {
    put_stone(state, landing_cells(state) & column_[static_cast<std::size_t>(action)]);
  }

  // Needs no column: the cell that the stone falls to is enough.
  void play_random(State& state, Rng& rng) const {
    const std::uint64_t landing = landing_cells(state);
    const auto n = rng.below(static_cast<std::uint32_t>(std::popcount(landing)));
    put_stone(state, 1ULL << nth_set_bit(landing, n));
  }

  Playout random_playout(State& state, Rng& rng) const {
    State now = state;  // copies that nothing else points to stay in registers
    Rng own = rng;
    std::int64_t actions = 0;
    for (; now.status == Status::kOngoing; ++actions) play_random(now, own);
    state = now;
    rng = own;
    return {*outcome(now), actions};
  }

  // Of several the leftmost.
  std::optional<Action> winning_action(const State& state) const {
    if (state.status != Status::kOngoing) return std::nullopt;
    const std::uint64_t wins = completing_cells(state.own) & landing_cells(state);
    return wins != 0 ? std::optional(column_of(wins)) : std::nullopt;
  }

  // Free cells that would complete a row of the player who moved last.
  int promise(const State& state) const {
    return std::popcount(completing_cells(state.opponent) & board_ & ~(state.own | state.opponent));
  }

  std::optional<Outcome> outcome(const State& state) const {
    if (state.status == Status::kOngoing) return std::nullopt;
    return state.status == Status::kDrawn ? Outcome::draw() : Outcome::win(opponent(state.to_move));
  }

  // Whose turn it is follows from the number of stones, but a network is bad at counting, and all depends on it: at the
  // end, when nobody wants to fill a column, X gets the cells of odd rows.
  void write_planes(const State& state, float* planes) const {
    const int cells = spec_.num_cells();
    cells_.write(state.own, planes);
    cells_.write(state.opponent, planes + cells);
    std::fill_n(planes + 2 * cells, cells, state.to_move == Player::kFirst ? 1.0F : 0.0F);
  }

  void cells(const State& state, std::int8_t* out) const {
    const bool first_moves = state.to_move == Player::kFirst;
    for (int cell = 0; cell < spec_.num_cells(); ++cell) {
      const std::uint64_t bit = 1ULL << bit_of_cell(cell);
      out[cell] = (state.own & bit) != 0        ? (first_moves ? 1 : 2)
                  : (state.opponent & bit) != 0 ? (first_moves ? 2 : 1)
                                                : 0;
    }
  }

  // The cell that the stone falls to; none if the column is full.
  ActionCells action_cells(const State& state, Action action) const {
    const std::uint64_t bit = landing_cells(state) & column_[static_cast<std::size_t>(action)];
    if (bit == 0) return {};
    const int height = std::countr_zero(bit) % stride_;
    return {.source = {}, .target = (rules_.rows - 1 - height) * rules_.columns + action, .piece = {}};
  }

  Ending ending(const State& state) const {
    if (state.status == Status::kDrawn) return {Outcome::draw(), Reason::kFullBoard, "the board is full"};
    return {*outcome(state), Reason::kLine, row_text(rules_.in_a_row)};
  }

  // The stones of both players tell who is to move, and whether the game is over.
  std::uint64_t hash(const State& state) const {
    return mix64(mix64(state.own + 0x9e3779b97f4a7c15ULL) ^ state.opponent);
  }

  std::string action_text(Action action) const { return std::to_string(action + 1); }

  std::optional<Action> parse_action(std::string_view text) const {
    if (text.empty() || text.size() > 2 || text[0] == '0') return std::nullopt;
    int number = 0;
    for (const char digit : text) {
      if (digit < '0' || digit > '9') return std::nullopt;
      number = number * 10 + (digit - '0');
    }
    return number <= rules_.columns ? std::optional(number - 1) : std::nullopt;
  }

  std::string board_text(const State& state) const {
    return draw_columns(rules_.rows, rules_.columns, cell_letters(*this, state),
                        turn_line(spec_, state.to_move, state.status != Status::kOngoing));
  }

  State parse_board(std::string_view text) const {
    const BoardDrawing drawing = parse_drawing(text, spec_);
    State state;
    state.to_move = turn_by_stones(drawing);
    for (int cell = 0; cell < spec_.num_cells(); ++cell) {
      const char mark = drawing.cells[static_cast<std::size_t>(cell)];
      if (mark == '.') continue;
      (mark == stone_char(state.to_move) ? state.own : state.opponent) |= 1ULL << bit_of_cell(cell);
      if (cell + rules_.columns < spec_.num_cells() &&
          drawing.cells[static_cast<std::size_t>(cell + rules_.columns)] == '.') {
        throw BoardTextError("A stone of column " + action_text(cell % rules_.columns) +
                             " floats above an empty cell; stones fall to the bottom.");
      }
    }
    if (has_row_(state.own)) {
      throw BoardTextError("The player to move has already won in this drawing; that cannot come about in play.");
    }
    state.status = status_after(state);
    return state;
  }

 private:
  int bit_of_cell(int cell) const { return cell % rules_.columns * stride_ + rules_.rows - 1 - cell / rules_.columns; }
  Action column_of(std::uint64_t bits) const {
    return column_of_bit_[static_cast<std::size_t>(std::countr_zero(bits))];
  }

  // The lowest free cell of every column that is not full: adding a bit at the bottom carries up through the stones.
  std::uint64_t landing_cells(const State& state) const { return ((state.own | state.opponent) + bottom_) & board_; }

  // Cells, also such that are taken or outside of the board, that make a row together with `stones`: in each direction
  // with some of them before the cell and the rest behind it.
  std::uint64_t completing_cells(std::uint64_t stones) const {
    std::uint64_t found = 0;
    for (const int step : {1, stride_ - 1, stride_, stride_ + 1}) {
      if (step > 63) continue;  // on a board of one column
      if (rules_.in_a_row == 4) {
        const std::uint64_t one = stones << step;
        const std::uint64_t two = one & stones << step << step;
        const std::uint64_t three = two & stones << step << step << step;
        const std::uint64_t one_behind = stones >> step;
        const std::uint64_t two_behind = one_behind & stones >> step >> step;
        const std::uint64_t three_behind = two_behind & stones >> step >> step >> step;
        found |= three | (two & one_behind) | (one & two_behind) | three_behind;
        continue;
      }
      // all[j]: the j cells before it have stones. Then those behind it, one more each time.
      std::array<std::uint64_t, 65> all;
      const auto others = static_cast<std::size_t>(rules_.in_a_row - 1);
      all[0] = ~0ULL;
      std::uint64_t shifted = stones;
      for (std::size_t j = 1; j <= others; ++j) all[j] = all[j - 1] & (shifted <<= step);
      std::uint64_t behind = ~0ULL;
      shifted = stones;
      for (std::size_t j = others; j > 0; --j) {
        found |= all[j] & behind;
        behind &= shifted >>= step;
      }
      found |= behind;
    }
    return found;
  }

  void put_stone(State& state, std::uint64_t cell) const {
    const std::uint64_t stones = state.own | cell;
    state.own = state.opponent;
    state.opponent = stones;
    state.to_move = opponent(state.to_move);
    state.status = status_after(state);
  }

  Status status_after(const State& state) const {
    if (has_row_(state.opponent)) return Status::kWon;
    return (state.own | state.opponent) == board_ ? Status::kDrawn : Status::kOngoing;
  }

  Rules rules_;
  int stride_;
  RowTest has_row_;
  GameSpec spec_;
  std::uint64_t board_ = 0;   // every cell of the board, no guards
  std::uint64_t bottom_ = 0;  // the lowest cell of every column
  std::array<std::uint64_t, 64> column_{};
  std::array<std::int8_t, 64> column_of_bit_{};
  CellBits cells_;
};

}  // namespace tengen

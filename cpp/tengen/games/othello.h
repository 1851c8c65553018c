// Othello (Reversi) on 8x8, 6x6 or 4x4: a disc must turn over at least one line of the opponent's discs.
// Every board lives in the upper left corner of 8x8 bits (bit = row * 8 + column). Lines are filled in all eight
// directions at once, four to a vector, by doubling steps (Kogge-Stone fills), without a branch.
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

class Othello {
 public:
  struct State {
    std::uint64_t own = 0;       // discs of the player to move
    std::uint64_t opponent = 0;  // discs of the player who moved last
    std::uint64_t legal = 0;     // where the player to move may place a disc: a function of the discs, kept for speed
    Player to_move = Player::kFirst;
    bool finished = false;  // neither player can place a disc: a function of the discs too
    bool operator==(const State&) const = default;
  };

  Othello(const std::string& name, OptionValues options, int size) : pass_(size * size) {
    if (size != 4 && size != 6 && size != 8) {
      throw GameOptionError(name + ": size must be 4, 6 or 8, not " + std::to_string(size) + ".");
    }
    names_ = {.height = size, .width = size, .rows_from_top = true};
    const int discs_to_place = size * size - 4;
    spec_ = {.name = name,
             .source = name,
             .options = std::move(options),
             .num_planes = 4,
             .height = size,
             .width = size,
             .num_actions = size * size + 1,
             // A pass is legal only if the opponent can then place a disc, so a placement follows every pass; and
             // the first action is no pass.
             .longest_game = 2 * discs_to_place - 1,
             .plane_names = {"own discs", "opponent's discs", "legal", "odd number of empty cells"},
             .player_names = {"black", "white"},
             .symmetries = dihedral_symmetries(size, size, size * size + 1),
             .pieces = stones_named("disc"),
             .score_name = "discs"};
    for (int cell = 0; cell < pass_; ++cell) {
      const int bit = cell / size * 8 + cell % size;
      bit_of_cell_[static_cast<std::size_t>(cell)] = static_cast<std::int8_t>(bit);
      cell_of_bit_[static_cast<std::size_t>(bit)] = static_cast<std::int8_t>(cell);
      cells_.add(cell, bit);
      board_ |= 1ULL << bit;
    }
    const int middle = size / 2 - 1;  // the row and the column of the upper left of the four discs of the start
    const std::uint64_t upper_left = 1ULL << (middle * 8 + middle);
    start_.own = upper_left << 1 | upper_left << 8;
    start_.opponent = upper_left | upper_left << 9;
    update_legal(start_);
  }

  const GameSpec& spec() const { return spec_; }
  State initial_state() const { return start_; }
  Player to_move(const State& state) const { return state.to_move; }

  void legal_actions(const State& state, ActionList& list) const {
    list.clear();
    if (state.finished) return;
    for (std::uint64_t left = state.legal; left != 0; left &= left - 1) list.push(cell_of_bit(std::countr_zero(left)));
    if (state.legal == 0) list.push(pass_);
  }

  bool is_legal(const State& state, Action action) const {
    if (state.finished || action < 0 || action > pass_) return false;
    if (action == pass_) return state.legal == 0;
    return ((state.legal >> bit_of_cell(action)) & 1) != 0;
  }

  Action random_action(const State& state, Rng& rng) const {
    if (state.legal == 0) return pass_;
    const auto n = rng.below(static_cast<std::uint32_t>(std::popcount(state.legal)));
    return cell_of_bit(nth_set_bit(state.legal, n));
  }

  void play(State& state, Action action) const {
    if (action != pass_) {
      const std::uint64_t disc = 1ULL << bit_of_cell(action);
      const std::uint64_t turned = turned_by(disc, state.own, state.opponent);
      state.own |= turned | disc;
      state.opponent &= ~turned;
    }
    std::swap(state.own, state.opponent);
    state.to_move = opponent(state.to_move);
    update_legal(state);
  }

  std::optional<Outcome> outcome(const State& state) const {
    if (!state.finished) return std::nullopt;
    const int difference = disc_difference(state);
    if (difference == 0) return Outcome::draw();
    return Outcome::win(difference > 0 ? state.to_move : opponent(state.to_move));
  }

  // Black's discs less white's.
  double score(const State& state) const {
    const int difference = disc_difference(state);
    return state.to_move == Player::kFirst ? difference : -difference;
  }

  Ending ending(const State& state) const {
    const int own = std::popcount(state.own);
    const int others = std::popcount(state.opponent);
    const std::string sentence =
        own == others ? std::to_string(own) + " discs each"
                      : std::to_string(std::max(own, others)) + " discs to " + std::to_string(std::min(own, others));
    return {*outcome(state), Reason::kMajority, sentence};
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

  // A cell belongs to whoever's disc is on it.
  void ownership(const State& state, std::int8_t* out) const {
    cells(state, out);
    for (int cell = 0; cell < pass_; ++cell) out[cell] = static_cast<std::int8_t>(out[cell] == 2 ? -1 : out[cell]);
  }

  // An odd number of empty cells gives the player to move the last move, unless somebody passes.
  void write_planes(const State& state, float* planes) const {
    cells_.write(state.own, planes);
    cells_.write(state.opponent, planes + pass_);
    cells_.write(state.legal, planes + 2 * pass_);
    const bool odd = (std::popcount(state.own | state.opponent) & 1) != 0;  // there is an even number of cells
    std::fill_n(planes + 3 * pass_, pass_, odd ? 1.0F : 0.0F);
  }

  std::uint64_t hash(const State& state) const {
    return mix64(mix64(state.own + 0x9e3779b97f4a7c15ULL) ^ mix64(state.opponent) ^
                 static_cast<std::uint64_t>(index(state.to_move)));
  }

  std::string action_text(Action action) const { return action == pass_ ? "pass" : names_.text(action); }

  std::optional<Action> parse_action(std::string_view text) const {
    if (text == "pass" || text == "PASS" || text == "Pass") return pass_;
    return names_.parse(text);
  }

  std::string board_text(const State& state) const {
    return draw_board(names_, cell_letters(*this, state), turn_line(spec_, state.to_move, state.finished));
  }

  // Without a line that says who is to move, it is the player whose turn it would be if nobody had passed.
  State parse_board(std::string_view text) const {
    const BoardDrawing drawing = parse_drawing(text, spec_);
    std::uint64_t x = 0;
    std::uint64_t o = 0;
    for (int cell = 0; cell < pass_; ++cell) {
      const char mark = drawing.cells[static_cast<std::size_t>(cell)];
      if (mark != '.') (mark == 'X' ? x : o) |= 1ULL << bit_of_cell(cell);
    }
    const std::uint64_t middle = start_.own | start_.opponent;
    if (((x | o) & middle) != middle) {
      throw BoardTextError("The four cells in the middle are never empty in Othello.");
    }
    const bool even = (std::popcount(x | o) & 1) == 0;
    State state;
    state.to_move = drawing.to_move.value_or(even ? Player::kFirst : Player::kSecond);
    state.own = state.to_move == Player::kFirst ? x : o;
    state.opponent = state.to_move == Player::kFirst ? o : x;
    update_legal(state);
    return state;
  }

 private:
  // Discs of the player to move less those of the opponent.
  int disc_difference(const State& state) const { return std::popcount(state.own) - std::popcount(state.opponent); }

  // The mask is what a line may pass over: the edge columns end every row and diagonal, and leaving them out stops a
  // line from wrapping around.
  static constexpr std::uint64_t kInner = 0x7e7e7e7e7e7e7e7eULL;
  static constexpr Directions kDirections = {{1, 8, 7, 9}, {kInner, ~0ULL, kInner, kInner}};

  // The discs of `line` in an unbroken row from beside a bit of `from`, towards higher bits: at most six, found by
  // steps of one, one, two and two.
  template <class Word>
  static Word row_above(std::uint64_t from, Word line, Word step) {
    Word row = line & (from << step);
    row |= line & (row << step);
    const Word pairs = line & (line << step);
    row |= pairs & (row << 2 * step);
    row |= pairs & (row << 2 * step);
    return row;
  }
  template <class Word>
  static Word row_below(std::uint64_t from, Word line, Word step) {
    Word row = line & (from >> step);
    row |= line & (row >> step);
    const Word pairs = line & (line >> step);
    row |= pairs & (row >> 2 * step);
    row |= pairs & (row >> 2 * step);
    return row;
  }

  // Empty cells at the far end of a row of the opponent's discs that starts beside an own disc.
  std::uint64_t placements(std::uint64_t own, std::uint64_t opponent) const {
    const std::uint64_t ends = joined_directions(kDirections, [&](auto step, auto inner) {
      const auto line = opponent & inner;
      return (row_above(own, line, step) << step) | (row_below(own, line, step) >> step);
    });
    return ends & board_ & ~(own | opponent);
  }

  // The opponent's discs between the new disc and the next own disc, in each direction.
  static std::uint64_t turned_by(std::uint64_t disc, std::uint64_t own, std::uint64_t opponent) {
    return joined_directions(kDirections, [&](auto step, auto inner) {
      const auto line = opponent & inner;
      const auto above = row_above(disc, line, step);
      const auto below = row_below(disc, line, step);
      const auto none = 0 * step;
      return (((above << step) & own) != 0 ? above : none) | (((below >> step) & own) != 0 ? below : none);
    });
  }

  void update_legal(State& state) const {
    state.legal = placements(state.own, state.opponent);
    state.finished = state.legal == 0 && placements(state.opponent, state.own) == 0;
  }

  int bit_of_cell(int cell) const { return bit_of_cell_[static_cast<std::size_t>(cell)]; }
  int cell_of_bit(int bit) const { return cell_of_bit_[static_cast<std::size_t>(bit)]; }

  Action pass_;
  SquareNames names_;
  GameSpec spec_;
  State start_;
  std::uint64_t board_ = 0;
  std::array<std::int8_t, 64> bit_of_cell_{};
  std::array<std::int8_t, 64> cell_of_bit_{};
  CellBits cells_;
};

}  // namespace tengen

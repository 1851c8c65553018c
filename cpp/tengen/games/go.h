// Go by the Tromp-Taylor rules: area scoring, positional superko, two passes end the game. The board and its speed are
// in go_board.h; here are turns, results, planes and texts. docs/games/go.md is the page for players.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tengen/base/error.h"
#include "tengen/base/rng.h"
#include "tengen/games/board_text.h"
#include "tengen/games/game.h"
#include "tengen/games/go_board.h"
#include "tengen/games/go_liberties.h"
#include "tengen/games/options.h"
#include "tengen/games/symmetry.h"

namespace tengen {

struct GoRules {
  int size = 9;
  double komi = 7.5;     // a multiple of 0.5
  bool suicide = false;  // of several stones; of one stone is a repetition
  int history = 1;       // positions in the planes: 1, or 8 as in AlphaGo Zero
  int max_moves = 0;     // 0: 2 * size * size, which is AlphaGo Zero's 722 on the large board
};

// kMaxSize: the largest board it holds.
template <int kMaxSize>
class Go {
  using Board = GoBoard<kMaxSize>;
  using Mark = typename Board::Mark;
  using Cells = typename Board::Cells;
  using Stones = std::array<Cells, 2>;  // by player
  static constexpr int kHistory = 8;    // positions in the planes of AlphaGo Zero, this one included
  static constexpr std::int16_t kNoMove = -1;

 public:
  struct State {
    typename Board::Position position;
    std::array<Stones, kHistory - 1> recent{};  // before move n at n % (kHistory - 1); unused if history = 1
    std::int16_t num_moves = 0;
    std::int16_t last = kNoMove;         // action
    std::int16_t before_last = kNoMove;  // action
    std::uint8_t passes = 0;             // in a row
    Player to_move = Player::kFirst;

    // Equal in all that the future or the planes depend on.
    bool operator==(const State&) const = default;
  };

  Go(const std::string& name, OptionValues options, const GoRules& rules)
      : rules_(checked(name, rules)), pass_(rules.size * rules.size), board_(rules.size, rules.suicide) {
    names_ = {.height = rules.size, .width = rules.size, .upper_case = true, .skip_i = true};
    spec_ = {.name = name,
             .source = name,
             .options = std::move(options),
             .num_planes = 0,
             .height = rules.size,
             .width = rules.size,
             .num_actions = pass_ + 1,
             .longest_game = rules_.max_moves,
             .plane_names = plane_names(),
             .player_names = {"black", "white"},
             .symmetries = dihedral_symmetries(rules.size, rules.size, pass_ + 1),
             .pieces = stones_named("stone"),
             .score_name = "points"};
    spec_.num_planes = static_cast<int>(spec_.plane_names.size());
  }

  const GameSpec& spec() const { return spec_; }
  State initial_state() const { return {.position = board_.start()}; }
  Player to_move(const State& state) const { return state.to_move; }

  void legal_actions(const State& state, ActionList& list) const {
    list.clear();
    if (finished(state)) return;
    board_.legal_cells(state.position, own(state)).for_each([&](int cell) { list.push(cell); });
    list.push(pass_);
  }

  bool is_legal(const State& state, Action action) const {
    if (finished(state) || action < 0 || action > pass_) return false;
    return action == pass_ || (state.position.empty.has(action) && board_.is_legal(state.position, action, own(state)));
  }

  // Draws among the empty cells and the pass until one is legal.
  Action random_action(const State& state, Rng& rng) const {
    const auto num_empty = static_cast<std::uint32_t>(state.position.num_empty);
    while (true) {
      const std::uint32_t n = rng.below(num_empty + 1);
      if (n == num_empty) return pass_;
      const int cell = state.position.empty.nth(n);
      if (board_.is_legal(state.position, cell, own(state))) return cell;
    }
  }

  // A function of its own: inlined into its callers, GCC makes it slower by a sixth on 19x19.
  [[gnu::noinline]] Playout random_playout(State& state, Rng& rng) const {
    for (std::int64_t actions = 0;; ++actions) {
      if (finished(state)) return {*outcome(state), actions};
      play(state, random_action(state, rng));
    }
  }

  void play(State& state, Action action) const {
    begin_move(state, action);
    if (action != pass_) board_.play(state.position, action, own(state));
    state.to_move = opponent(state.to_move);
  }

  std::optional<Outcome> outcome(const State& state) const {
    if (!finished(state)) return std::nullopt;
    const double points = score(state);
    if (points == 0) return Outcome::draw();
    return Outcome::win(points > 0 ? Player::kFirst : Player::kSecond);
  }

  // Passing, if the opponent has passed and the count is won. Of all other moves only one at the limit of a game's
  // length could end it.
  std::optional<Action> winning_action(const State& state) const {
    if (state.passes == 0) return std::nullopt;
    const double points = score(state);
    const bool wins = state.to_move == Player::kFirst ? points > 0 : points < 0;
    return wins ? std::optional<Action>(pass_) : std::nullopt;
  }

  // Black's area less white's area and komi, of the board as it stands: all stones are alive.
  double score(const State& state) const {
    const auto [black, white] = points(state);
    return black - white;
  }

  Ending ending(const State& state) const {
    const auto [black, white] = points(state);
    const bool passed = state.passes >= 2;
    const std::string how = passed ? "two passes: " : std::to_string(state.num_moves) + " moves played: ";
    const std::string count = black == white
                                  ? number_text(black) + " points each"
                                  : number_text(std::max(black, white)) + " to " + number_text(std::min(black, white));
    return {*outcome(state), passed ? Reason::kTwoPasses : Reason::kLength, how + count};
  }

  void cells(const State& state, std::int8_t* out) const {
    for (int cell = 0; cell < pass_; ++cell) {
      const auto mark = state.position.mark[at(cell)];
      out[cell] = static_cast<std::int8_t>(mark == Board::kEmpty ? 0 : mark + 1);
    }
  }

  // Whose area each cell is.
  void ownership(const State& state, std::int8_t* out) const {
    const Cells black = board_.reached(state.position, Board::kBlack);
    const Cells white = board_.reached(state.position, Board::kWhite);
    for (int cell = 0; cell < pass_; ++cell) {
      out[cell] = static_cast<std::int8_t>(int(black.has(cell)) - int(white.has(cell)));
    }
  }

  // A sum of GoBoard's tactics for a stone; for a pass, whether the opponent has passed.
  void tactics(const State& state, const ActionList& list, std::uint8_t* out) const {
    const auto liberties = board_.count_liberties(state.position);
    for (const Action action : list) *out++ = static_cast<std::uint8_t>(tactics_of(state, liberties, action));
  }

  // The same for play-outs, with liberties that are kept up to date.
  using Tracked = GoLiberties<kMaxSize>;
  void track(const State& state, Tracked& tracked) const { tracked.count(board_, state.position); }
  void play(State& state, Action action, Tracked& tracked) const {
    begin_move(state, action);
    if (action != pass_) tracked.play(board_, state.position, action, own(state));
    state.to_move = opponent(state.to_move);
  }
  int tactics(const State& state, const Tracked& tracked, Action action) const {
    return tactics_of(state, tracked.counts(), action);
  }

  void write_planes(const State& state, float* planes) const {
    std::fill_n(planes, spec_.planes_size(), 0.0F);
    if (rules_.history == 1) {
      write_features(state, planes);
    } else {
      write_history(state, planes);
    }
    if (state.to_move == Player::kFirst) std::fill_n(planes + (spec_.num_planes - 1) * pass_, pass_, 1.0F);
  }

  std::uint64_t hash(const State& state) const {
    const auto field = [](int value, int shift) { return static_cast<std::uint64_t>(value) << shift; };
    std::uint64_t h = field(index(state.to_move), 0) | field(state.passes, 1) | field(state.last + 1, 8) |
                      field(state.before_last + 1, 24) | field(state.num_moves, 40);
    h = mix64(h ^ state.position.hash) + state.position.past_sum;
    if (rules_.history > 1) {
      for (const Stones& stones : state.recent) {
        for (std::size_t w = 0; w < Cells::kWords; ++w) h = mix64(h ^ stones[0][w]) + stones[1][w];
      }
    }
    return mix64(h);
  }

  // The past matters to planes and legal moves only by the cells that superko forbids now, and, with history, by the
  // positions that are shown; the number of moves only by whether the game is over.
  std::uint64_t evaluation_key(const State& state) const {
    const auto field = [](int value, int shift) { return static_cast<std::uint64_t>(value) << shift; };
    std::uint64_t h = field(index(state.to_move), 0) | field(state.passes, 1) | field(finished(state) ? 1 : 0, 4) |
                      field(state.last + 1, 8) | field(state.before_last + 1, 24);
    h = mix64((h ^ state.position.hash) + 0x9e3779b97f4a7c15ULL);
    board_.superko_cells(state.position, own(state)).for_each([&](int cell) {
      h = mix64(h + static_cast<std::uint64_t>(cell) + 1);
    });
    if (rules_.history > 1) {
      const int shown = std::min<int>(kHistory - 1, state.num_moves);
      h += static_cast<std::uint64_t>(shown);
      for (int ago = 1; ago <= shown; ++ago) {
        const Stones& stones = recent(state, state.num_moves - ago);
        for (std::size_t w = 0; w < Cells::kWords; ++w) h = mix64(mix64(h ^ stones[0][w]) + stones[1][w]);
      }
    }
    return mix64(h);
  }

  std::string action_text(Action action) const { return action == pass_ ? "pass" : names_.text(action); }

  std::optional<Action> parse_action(std::string_view text) const {
    std::string lower(text);
    for (char& letter : lower) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    if (lower == "pass") return pass_;
    return names_.parse(text);
  }

  std::string board_text(const State& state) const {
    return draw_board(names_, cell_letters(*this, state), turn_line(spec_, state.to_move, finished(state)));
  }

  // The past begins with the drawing. One that says "game over" is a finished game, as after two passes.
  State parse_board(std::string_view text) const {
    const BoardDrawing drawing = parse_drawing(text, spec_);
    State state = initial_state();
    auto& position = state.position;
    for (int cell = 0; cell < pass_; ++cell) {
      const char mark = drawing.cells[at(cell)];
      if (mark != '.') board_.put(position, cell, mark == 'X' ? Board::kBlack : Board::kWhite);
    }
    for (int cell = 0; cell < pass_; ++cell) {
      if (position.mark[at(cell)] != Board::kEmpty && position.liberties[position.chain[at(cell)]] == 0) {
        throw BoardTextError("The stones at " + names_.text(cell) + " have no liberty; they would have been taken.");
      }
    }
    board_.forget(position);
    state.to_move = drawing.to_move.value_or(Player::kFirst);
    if (text.find("game over") != std::string_view::npos) state.passes = 2;
    return state;
  }

 private:
  static constexpr std::size_t at(int cell) { return static_cast<std::size_t>(cell); }
  static Mark own(const State& state) { return static_cast<Mark>(index(state.to_move)); }

  // Of black and of white, komi included.
  std::pair<double, double> points(const State& state) const {
    const Cells black = board_.reached(state.position, Board::kBlack);
    const Cells white = board_.reached(state.position, Board::kWhite);
    return {black.without(white).size(), white.without(black).size() + rules_.komi};
  }

  void begin_move(State& state, Action action) const {
    if (rules_.history > 1) recent(state, state.num_moves) = state.position.stones;
    ++state.num_moves;
    state.before_last = state.last;
    state.last = static_cast<std::int16_t>(action);
    state.passes = action == pass_ ? static_cast<std::uint8_t>(state.passes + 1) : std::uint8_t{0};
  }

  template <class Liberties>
  int tactics_of(const State& state, const Liberties& liberties, Action action) const {
    if (action == pass_) return Board::kTactics + (state.passes > 0 ? 1 : 0);
    return board_.tactics(state.position, liberties, action, own(state));
  }

  bool finished(const State& state) const { return state.passes >= 2 || state.num_moves >= rules_.max_moves; }

  template <class AnyState>  // State or const State
  static auto& recent(AnyState& state, int move) {
    return state.recent[at(move % (kHistory - 1))];
  }

  // The planes of history = 1; the last plane, whose turn it is, is the same in both. "Few" are three planes each: the
  // chains with 1, 2 and 3 liberties.
  enum Plane { kOwnStones, kOtherStones, kLastMove, kMoveBefore, kLegal, kOwnFew, kOtherFew = 8, kPassed = 11 };

  std::vector<std::string> plane_names() const {
    std::vector<std::string> names;
    if (rules_.history == 1) {
      names = {"own stones", "opponent's stones", "last move", "move before it", "legal cells"};
      for (const std::string whose : {"own", "opponent's"}) {
        for (const std::string liberties : {"1 liberty", "2 liberties", "3 liberties"}) {
          names.push_back(whose + " chains with " + liberties);
        }
      }
      names.push_back("opponent has just passed");
    } else {
      for (int ago = 0; ago < kHistory; ++ago) {
        const std::string when = ago == 0 ? "" : ", " + std::to_string(ago) + (ago == 1 ? " move ago" : " moves ago");
        names.push_back("own stones" + when);
        names.push_back("opponent's stones" + when);
      }
    }
    names.push_back("black to move");
    return names;
  }

  // Both write into planes of zeros: [num_planes][size][size]
  void write_features(const State& state, float* planes) const {
    const auto& position = state.position;
    const auto plane = [&](int number) { return planes + number * pass_; };
    const auto mark_move = [&](int number, Action action) {
      if (action >= 0 && action < pass_) plane(number)[action] = 1.0F;
    };
    const auto liberties = board_.count_liberties(position);
    const auto write_stones = [&](Mark stone, float* stones, float* few) {
      position.stones[stone].for_each([&](int cell) {
        const int n = liberties[position.chain[at(cell)]];
        stones[cell] = 1.0F;
        few[(std::min(n, 3) - 1) * pass_ + cell] = n <= 3 ? 1.0F : 0.0F;
      });
    };
    write_stones(own(state), plane(kOwnStones), plane(kOwnFew));
    write_stones(Board::other(own(state)), plane(kOtherStones), plane(kOtherFew));
    mark_move(kLastMove, state.last);
    mark_move(kMoveBefore, state.before_last);
    if (!finished(state)) board_.legal_cells(position, own(state)).write(pass_, plane(kLegal));
    if (state.passes > 0) std::fill_n(plane(kPassed), pass_, 1.0F);
  }

  void write_history(const State& state, float* planes) const {
    const int num_positions = std::min<int>(kHistory, state.num_moves + 1);
    for (int ago = 0; ago < num_positions; ++ago) {
      const Stones& stones = ago == 0 ? state.position.stones : recent(state, state.num_moves - ago);
      stones[own(state)].write(pass_, planes + (2 * ago) * pass_);
      stones[Board::other(own(state))].write(pass_, planes + (2 * ago + 1) * pass_);
    }
  }

  // The rules with the default filled in.
  static GoRules checked(const std::string& name, GoRules rules) {
    if (rules.komi * 2 != std::floor(rules.komi * 2)) {
      throw GameOptionError(name + ": komi must be a multiple of 0.5, such as 7 or 7.5, not " +
                            number_text(rules.komi) + ".");
    }
    if (rules.history != 1 && rules.history != kHistory) {
      throw GameOptionError(name + ": history must be 1 or 8 (the planes of AlphaGo Zero), not " +
                            std::to_string(rules.history) + ".");
    }
    if (rules.max_moves > Board::kLongest) {
      throw GameOptionError(name + ": max_moves on a board of this size is at most " + std::to_string(Board::kLongest) +
                            ", not " + std::to_string(rules.max_moves) + ".");
    }
    if (rules.max_moves == 0) rules.max_moves = 2 * rules.size * rules.size;
    return rules;
  }

  GoRules rules_;
  Action pass_;  // the last action, and the number of cells
  Board board_;
  SquareNames names_;
  GameSpec spec_;
};

}  // namespace tengen

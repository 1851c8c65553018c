// Chess by the rules of FIDE, Chess960, and chess on small boards (Gardner's 5x5, Los Alamos 6x6): counters, results
// and planes. How pieces move is in chess_position.h, the numbers of moves are in chess_actions.h, positions from texts
// in chess_setup.h, records' notation in chess_notation.h. docs/games/chess.md is the page for players.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/games/board_text.h"
#include "tengen/games/chess_actions.h"
#include "tengen/games/chess_notation.h"
#include "tengen/games/chess_planes.h"
#include "tengen/games/chess_position.h"
#include "tengen/games/chess_setup.h"
#include "tengen/games/chess_state.h"
#include "tengen/games/chess_text.h"
#include "tengen/games/game.h"
#include "tengen/games/options.h"
#include "tengen/games/symmetry.h"

namespace tengen {

struct ChessRules {
  int chess960 = -1;        // the number of the start position; -1: chess
  int history = 1;          // positions in the planes: 1, or up to 8 as in AlphaZero
  int max_moves = 512;      // plies, then the game is a draw
  bool late_draws = false;  // by the fifth repetition and 75 moves, as if nobody claimed the third and 50
};

template <int kSize>
class Chess {
  using Position = ChessPosition<kSize>;
  using Actions = ChessActions<kSize>;
  using Setups = ChessSetups<kSize>;
  static constexpr int kCells = kSize * kSize;
  // No game is longer, even if only the 75th move without progress ends it.
  static constexpr int kMostPlies = 17697;
  static constexpr bool kFull = kSize == 8;

 public:
  using State = ChessState<kSize>;

  Chess(const std::string& name, OptionValues options, const ChessRules& rules)
      : rules_(rules), actions_(rules.chess960 >= 0), planes_(rules.history) {
    if (rules_.max_moves == 0) rules_.max_moves = kMostPlies;
    spec_ = {.name = name,
             .source = name,
             .options = std::move(options),
             .num_planes = 0,
             .height = kSize,
             .width = kSize,
             .num_actions = actions_.num_actions(),
             .most_legal = kFull        ? 218
                           : kSize == 6 ? 184
                                        : 128,
             .action_layout = ActionLayout::kPlanes,
             .longest_game = rules_.max_moves,
             .plane_names = planes_.names(),
             .player_names = {"white", "black"},
             .symmetries = {},
             .pieces = piece_list()};
    spec_.num_planes = static_cast<int>(spec_.plane_names.size());
    spec_.symmetries = {board_symmetry(0, kSize, kSize, spec_.num_actions, ActionLayout::kPlanes)};
    start_ = parse_board(start_fen());
  }

  const GameSpec& spec() const { return spec_; }
  State initial_state() const { return start_; }
  Player to_move(const State& state) const { return state.to_move; }

  void legal_actions(const State& state, ActionList& list) const {
    list.clear();
    if (is_drawn(state)) return;
    // Sorted by plane and cell: each plane collects the cells that a piece leaves.
    std::array<std::uint64_t, Actions::kMostPlanes> planes{};
    Actions::any(actions_.legal_moves(state.position), [&](ChessMove move) {
      planes[static_cast<std::size_t>(actions_.plane_of(move))] |= 1ULL << move.from;
      return false;
    });
    for (std::size_t plane = 0; plane < actions_.num_planes(); ++plane) {
      for (std::uint64_t left = planes[plane]; left != 0; left &= left - 1) {
        if (list.size() == spec_.most_legal) return;  // of positions that no game reaches
        list.push(static_cast<Action>(plane) * kCells + cell_of(std::countr_zero(left)));
      }
    }
  }

  bool is_legal(const State& state, Action action) const {
    if (action < 0 || action >= spec_.num_actions || is_drawn(state)) return false;
    const int from = bit_of(action % kCells);
    if ((state.position.own >> from & 1) == 0) return false;
    return Actions::any(actions_.legal_moves(state.position), [&](ChessMove move) {
      return move.from == from && actions_.plane_of(move) == action / kCells;
    });
  }

  Action random_action(const State& state, Rng& rng) const {
    return actions_.action_of(Actions::random_move(actions_.legal_moves(state.position), rng));
  }

  void play_random(State& state, Rng& rng) const {
    make(state, Actions::random_move(actions_.legal_moves(state.position), rng));
  }

  Playout random_playout(State& state, Rng& rng) const {
    for (std::int64_t actions = 0;; ++actions) {
      const ChessMoves moves = actions_.legal_moves(state.position);
      if (moves.total() == 0) return {*outcome(state), actions};
      if (is_drawn(state)) return {Outcome::draw(), actions};
      make(state, Actions::random_move(moves, rng));
    }
  }

  void play(State& state, Action action) const { make(state, actions_.move_of(state.position, action)); }

  std::uint64_t count_sequences(const State& state, int length) const {
    if (is_drawn(state)) return length == 0 ? 1 : 0;
    // Within so few plies of a capture or a pawn's move nothing comes up for the third time, and no limit is reached.
    if (length < 8 && state.num_keys == 0 && state.clock + length < clock_limit() &&
        state.ply + length <= rules_.max_moves) {
      return count_moves(state.position, length);
    }
    const ChessMoves moves = actions_.legal_moves(state.position);
    if (length <= 1) return length == 0 ? 1 : static_cast<std::uint64_t>(moves.total());
    std::uint64_t count = 0;
    Actions::any(moves, [&](ChessMove move) {
      State next = state;
      make(next, move);
      count += count_sequences(next, length - 1);
      return false;
    });
    return count;
  }

  // A mate.
  std::optional<Action> winning_action(const State& state) const {
    std::optional<Action> found;
    if (is_drawn(state)) return found;
    Actions::any(actions_.legal_moves(state.position), [&](ChessMove move) {
      Position next = state.position;
      next.make(actions_.attacks(), move);
      if (!next.in_check(actions_.attacks()) || actions_.has_move(next)) return false;
      found = actions_.action_of(move);
      return true;
    });
    return found;
  }

  std::optional<Outcome> outcome(const State& state) const {
    if (!actions_.has_move(state.position)) {
      return state.position.in_check(actions_.attacks()) ? Outcome::win(opponent(state.to_move)) : Outcome::draw();
    }
    if (is_drawn(state)) return Outcome::draw();
    return std::nullopt;
  }

  Ending ending(const State& state) const {
    const Outcome result = *outcome(state);
    if (result.winner) return {result, Reason::kCheckmate, "checkmate"};
    if (!actions_.has_move(state.position))
      return {result, Reason::kStalemate, "stalemate: no legal move, and no check"};
    if (state.position.lacks_material()) return {result, Reason::kMaterial, "neither side has the pieces to give mate"};
    if (state.repeats >= repeats_limit()) {
      return {result, Reason::kRepetition,
              rules_.late_draws ? "the same position for the fifth time" : "the same position for the third time"};
    }
    if (state.clock >= clock_limit()) {
      return {result, Reason::kFiftyMoves,
              std::string(rules_.late_draws ? "75" : "fifty") + " moves without a capture or a move of a pawn"};
    }
    return {result, Reason::kLength, std::to_string(rules_.max_moves) + " plies, the longest game"};
  }

  void cells(const State& state, std::int8_t* out) const {
    for (int cell = 0; cell < kCells; ++cell) {
      const auto at = kChessLetters.find(Setups::letter_on(state.position, state.to_move, cell));
      out[cell] = static_cast<std::int8_t>(at == std::string_view::npos ? 0 : index_of_letter(at) + 1);
    }
  }

  ActionCells action_cells(const State& state, Action action) const {
    const auto to = actions_.target(action);
    if (!to) return {};
    return {.source = Actions::seen_cell(state.to_move, action % kCells),
            .target = Actions::seen_cell(state.to_move, *to),
            .piece = {}};
  }

  void write_planes(const State& state, float* planes) const {
    std::fill_n(planes, spec_.planes_size(), 0.0F);
    planes_.write(state, planes);
  }

  std::uint64_t hash(const State& state) const {
    std::uint64_t hash = mix64(state.key ^ mix64(std::uint64_t{state.ply} << 32 | std::uint64_t{state.clock} << 1 |
                                                 static_cast<std::uint64_t>(index(state.to_move))));
    for (int i = 0; i < state.num_keys; ++i) hash = mix64(hash ^ state.keys[static_cast<std::size_t>(i)]);
    return state.hash_past(hash);
  }

  // The planes show no more than this, from the side of the player to move.
  std::uint64_t evaluation_key(const State& state) const {
    const std::uint64_t counters = std::uint64_t{state.clock} << 1 | (state.repeats > 0 ? 1U : 0U);
    return state.hash_past(mix64(state.key ^ mix64(counters)));
  }

  // As white sees it.
  std::string action_text(Action action) const { return actions_.text(action); }
  std::optional<Action> parse_action(std::string_view text) const { return actions_.parse(text); }

  std::string action_text(const State& state, Action action) const {
    return actions_.text(state.position, state.to_move, action);
  }
  // Besides UCI's moves, the notation of records.
  std::optional<Action> parse_action(const State& state, std::string_view text) const {
    const auto action = actions_.parse(state.position, state.to_move, text);
    return action ? action : parse_chess_notation(actions_, state.position, state.to_move, text);
  }

  std::string notation(const State& state, Action action) const {
    return chess_notation(actions_, state.position, state.to_move, action);
  }

  std::string position_text(const State& state) const { return fen_text(setup_of(state), kSize); }

  // A drawing does not show earlier positions, so it does not say that a repetition ended the game.
  std::string board_text(const State& state) const {
    State alone = state;
    alone.repeats = 0;
    return draw_chess(actions_.names(), spec_, setup_of(state), outcome(alone).has_value());
  }

  // A drawing, or a FEN.
  State parse_board(std::string_view text) const {
    const ChessSetup setup = parse_chess_setup(text, spec_);
    State state;
    state.to_move = setup.to_move;
    state.clock = static_cast<std::uint16_t>(setup.clock);
    state.ply = static_cast<std::uint16_t>(2 * (setup.move - 1) + index(setup.to_move));
    state.position = Setups(actions_).position_of(setup);
    state.key = state.position.key();
    return state;
  }

 private:
  static constexpr bool has_bishops() { return Actions::has_bishops(); }
  static constexpr int bit_of(int cell) { return Actions::bit_of(cell); }
  static constexpr int cell_of(int bit) { return Actions::cell_of(bit); }

  std::vector<Piece> piece_list() const {
    static const std::array<std::string, 6> kNames = {"pawn", "knight", "bishop", "rook", "queen", "king"};
    std::vector<Piece> list;
    for (std::size_t i = 0; i < kChessLetters.size(); ++i) {
      if (kChessPieces[i % 6] == ChessPiece::kBishop && !has_bishops()) continue;
      list.push_back({kNames[i % 6], std::string(1, kChessLetters[i]), i < 6 ? Player::kFirst : Player::kSecond, ""});
    }
    return list;
  }
  // From the index in kChessLetters to the index in spec().pieces.
  static constexpr int index_of_letter(std::size_t at) {
    const int i = static_cast<int>(at);
    return has_bishops() ? i : i - (i > 2 ? 1 : 0) - (i > 8 ? 1 : 0);
  }

  std::string start_fen() const {
    if constexpr (kSize == 5) return "rnbqk/ppppp/5/PPPPP/RNBQK w - - 0 1";
    if constexpr (kSize == 6) return "rnqknr/pppppp/6/6/PPPPPP/RNQKNR w - - 0 1";
    const std::string white = chess960_row(rules_.chess960 < 0 ? 518 : rules_.chess960);
    std::string black = white;
    for (char& letter : black) letter = static_cast<char>(std::tolower(letter));
    return black + "/pppppppp/8/8/8/8/PPPPPPPP/" + white + " w KQkq - 0 1";
  }

  // Sequences of moves, if no draw but by material can come up.
  std::uint64_t count_moves(const Position& position, int length) const {
    if (length == 0) return 1;
    const ChessMoves moves = actions_.legal_moves(position);
    if (position.lacks_material()) return 0;
    if (length == 1) return static_cast<std::uint64_t>(moves.total());
    std::uint64_t count = 0;
    Actions::any(moves, [&](ChessMove move) {
      Position next = position;
      next.make(actions_.attacks(), move);
      count += count_moves(next, length - 1);
      return false;
    });
    return count;
  }

  int clock_limit() const { return rules_.late_draws ? 150 : 100; }
  int repeats_limit() const { return rules_.late_draws ? 4 : 2; }

  // A draw that does not depend on legal moves. With mate on the board the game is lost all the same.
  bool is_drawn(const State& state) const {
    if (state.repeats < repeats_limit() && state.clock < clock_limit() && state.ply < rules_.max_moves &&
        !state.position.lacks_material()) {
      return false;
    }
    return actions_.has_move(state.position);
  }

  void make(State& state, ChessMove move) const {
    if (rules_.history > 1) state.remember(rules_.history - 1);
    const std::uint64_t key = state.key;
    const bool final = state.position.make(actions_.attacks(), move);
    state.key = state.position.key();
    state.to_move = opponent(state.to_move);
    ++state.ply;
    state.repeats = 0;
    if (final) {
      state.clock = 0;
      state.num_keys = 0;
      return;
    }
    ++state.clock;
    state.keys[state.num_keys++] = key;
    for (int i = state.num_keys - 4; i >= 0; i -= 2) {
      if (state.keys[static_cast<std::size_t>(i)] == state.key) ++state.repeats;
    }
  }

  ChessSetup setup_of(const State& state) const {
    ChessSetup setup = Setups(actions_).setup_of(state.position, state.to_move);
    setup.clock = state.clock;
    setup.move = state.ply / 2 + 1;
    return setup;
  }

  ChessRules rules_;
  Actions actions_;
  ChessPlanes<kSize> planes_;
  GameSpec spec_;
  State start_;
};

}  // namespace tengen

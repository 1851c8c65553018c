// Chess by the rules of FIDE, Chess960, and chess on small boards (Gardner's 5x5, Los Alamos 6x6). How pieces move is
// in chess_position.h; here are counters, results, planes and texts. docs/games/chess.md is the page for players.
//
// Actions are seen by the player to move, as in AlphaZero: plane * num_cells + the cell that a piece leaves, on a board
// that black sees turned over. The planes are queen moves by direction and distance, knight moves, underpromotions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tengen/base/error.h"
#include "tengen/base/rng.h"
#include "tengen/games/board_text.h"
#include "tengen/games/chess_position.h"
#include "tengen/games/chess_text.h"
#include "tengen/games/game.h"
#include "tengen/games/options.h"

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
  static constexpr int kCells = kSize * kSize;
  static constexpr int kFar = kSize - 1;  // the longest distance on the board
  static constexpr int kQueenPlanes = 8 * kFar;
  static constexpr int kMostReversible = 150;  // plies without a capture or a move of a pawn
  // No game is longer, even if only the 75th move without progress ends it.
  static constexpr int kMostPlies = 17697;
  static constexpr int kHistory = 8;  // positions in the planes of AlphaZero, this one included
  static constexpr bool kFull = kSize == 8;

  // An earlier position for the planes, as its player to move saw it.
  struct Past {
    std::uint64_t own = 0;
    std::array<std::uint64_t, 3> kind{};
    bool repeated = false;
    bool operator==(const Past&) const = default;
  };

 public:
  class State {
   public:
    State() = default;
    State(const State& other) { *this = other; }
    // Copies the part of the history that is in use.
    State& operator=(const State& other) {
      position = other.position;
      key = other.key;
      ply = other.ply;
      clock = other.clock;
      num_keys = other.num_keys;
      num_past = other.num_past;
      repeats = other.repeats;
      to_move = other.to_move;
      std::copy_n(other.keys.data(), num_keys, keys.data());
      std::copy_n(other.past.data(), num_past, past.data());
      return *this;
    }

    // Equal in all that the future or the planes depend on.
    bool operator==(const State& other) const {
      return position == other.position && ply == other.ply && clock == other.clock && to_move == other.to_move &&
             std::equal(keys.data(), keys.data() + num_keys, other.keys.data(), other.keys.data() + other.num_keys) &&
             std::equal(past.data(), past.data() + num_past, other.past.data(), other.past.data() + other.num_past);
    }

    Position position;          // as the player to move sees it
    std::uint64_t key = 0;      // of the position
    std::uint16_t ply = 0;      // since the start of the game
    std::uint16_t clock = 0;    // plies since the last capture or move of a pawn
    std::uint8_t num_keys = 0;  // earlier positions since then, as far as they are known
    std::uint8_t num_past = 0;  // earlier positions that the planes show
    std::uint8_t repeats = 0;   // how often this position stood on the board before
    Player to_move = Player::kFirst;
    std::array<std::uint64_t, kMostReversible> keys;  // [num_keys], the latest last
    std::array<Past, kHistory - 1> past;              // [num_past], the latest first
  };

  Chess(const std::string& name, OptionValues options, const ChessRules& rules)
      : rules_(rules), attacks_(&ChessAttacks::get()) {
    if (rules_.max_moves == 0) rules_.max_moves = kMostPlies;
    names_ = {.height = kSize, .width = kSize};
    promotions_ = {ChessPiece::kQueen, ChessPiece::kRook, ChessPiece::kKnight, ChessPiece::kBishop};
    num_promotions_ = has_bishops() ? 4 : 3;
    for (const ChessPiece piece : kChessPieces) {
      if (piece != ChessPiece::kBishop || has_bishops()) pieces_.push_back(piece);
    }
    make_planes();
    spec_ = {.name = name,
             .source = name,
             .options = std::move(options),
             .num_planes = 0,
             .height = kSize,
             .width = kSize,
             .num_actions = static_cast<int>(steps_.size()) * kCells,
             .most_legal = kFull        ? 218
                           : kSize == 6 ? 184
                                        : 128,
             .action_layout = ActionLayout::kPlanes,
             .longest_game = rules_.max_moves,
             .plane_names = plane_names(),
             .player_names = {"white", "black"},
             .symmetries = {identity()},
             .pieces = piece_list()};
    spec_.num_planes = static_cast<int>(spec_.plane_names.size());
    start_ = parse_board(start_fen());
  }

  const GameSpec& spec() const { return spec_; }
  State initial_state() const { return start_; }
  Player to_move(const State& state) const { return state.to_move; }

  void legal_actions(const State& state, ActionList& list) const {
    list.clear();
    if (is_drawn(state)) return;
    // Sorted by plane and cell: each plane collects the cells that a piece leaves.
    std::array<std::uint64_t, 73> planes{};
    const ChessMoves moves = legal_moves(state.position);
    moves.any(promotions_, [&](ChessMove move) {
      planes[static_cast<std::size_t>(plane_of(move))] |= 1ULL << move.from;
      return false;
    });
    for (std::size_t plane = 0; plane < steps_.size(); ++plane) {
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
    return legal_moves(state.position).any(promotions_, [&](ChessMove move) {
      return move.from == from && plane_of(move) == action / kCells;
    });
  }

  Action random_action(const State& state, Rng& rng) const {
    const ChessMove move = random_move(legal_moves(state.position), rng);
    return plane_of(move) * kCells + cell_of(move.from);
  }

  void play_random(State& state, Rng& rng) const { make(state, random_move(legal_moves(state.position), rng)); }

  Playout random_playout(State& state, Rng& rng) const {
    for (std::int64_t actions = 0;; ++actions) {
      const ChessMoves moves = legal_moves(state.position);
      if (moves.total() == 0) return {*outcome(state), actions};
      if (is_drawn(state)) return {Outcome::draw(), actions};
      make(state, random_move(moves, rng));
    }
  }

  void play(State& state, Action action) const { make(state, move_of(state, action)); }

  std::uint64_t count_sequences(const State& state, int length) const {
    if (is_drawn(state)) return length == 0 ? 1 : 0;
    // Within so few plies of a capture or a pawn's move nothing comes up for the third time, and no limit is reached.
    if (length < 8 && state.num_keys == 0 && state.clock + length < clock_limit() &&
        state.ply + length <= rules_.max_moves) {
      return count_moves(state.position, length);
    }
    const ChessMoves moves = legal_moves(state.position);
    if (length <= 1) return length == 0 ? 1 : static_cast<std::uint64_t>(moves.total());
    std::uint64_t count = 0;
    moves.any(promotions_, [&](ChessMove move) {
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
    legal_moves(state.position).any(promotions_, [&](ChessMove move) {
      Position next = state.position;
      next.make(*attacks_, move);
      if (!next.in_check(*attacks_) || has_move(next)) return false;
      found = plane_of(move) * kCells + cell_of(move.from);
      return true;
    });
    return found;
  }

  std::optional<Outcome> outcome(const State& state) const {
    if (!has_move(state.position)) {
      return state.position.in_check(*attacks_) ? Outcome::win(opponent(state.to_move)) : Outcome::draw();
    }
    if (is_drawn(state)) return Outcome::draw();
    return std::nullopt;
  }

  Ending ending(const State& state) const {
    const Outcome result = *outcome(state);
    if (result.winner) return {result, Reason::kCheckmate, "checkmate"};
    if (!has_move(state.position)) return {result, Reason::kStalemate, "stalemate: no legal move, and no check"};
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
      const auto at = kChessLetters.find(letter_on(state, cell));
      out[cell] = static_cast<std::int8_t>(at == std::string_view::npos ? 0 : index_of_letter(at) + 1);
    }
  }

  ActionCells action_cells(const State& state, Action action) const {
    const Step step = steps_[static_cast<std::size_t>(action / kCells)];
    const auto to = target(action % kCells, step);
    if (!to) return {};
    return {.source = seen_cell(state, action % kCells), .target = seen_cell(state, *to), .piece = {}};
  }

  void write_planes(const State& state, float* planes) const {
    std::fill_n(planes, spec_.planes_size(), 0.0F);
    const auto write_cells = [&planes](std::uint64_t bits) {
      for (; bits != 0; bits &= bits - 1) planes[cell_of(std::countr_zero(bits))] = 1.0F;
      planes += kCells;
    };
    const auto write_all = [&planes](float value) {
      if (value != 0.0F) std::fill_n(planes, kCells, value);
      planes += kCells;
    };
    const auto write_pieces = [&](const Position& position, bool repeated) {
      for (const std::uint64_t side : {position.own, position.others()}) {
        for (const ChessPiece piece : pieces_) write_cells(position.of(piece) & side);
      }
      write_all(repeated ? 1.0F : 0.0F);
    };
    write_pieces(state.position, state.repeats > 0);
    for (int i = 0; i + 1 < rules_.history; ++i) {
      if (i >= state.num_past) {
        planes += kCells * (2 * static_cast<int>(pieces_.size()) + 1);
        continue;
      }
      const Past& past = state.past[static_cast<std::size_t>(i)];
      Position position;
      position.own = past.own;
      position.kind = past.kind;
      write_pieces(i % 2 == 0 ? position.turned() : position, past.repeated);
    }
    if constexpr (kFull) {
      write_cells(state.position.castling);
      write_cells(state.position.en_passant == Position::kNone ? 0 : 1ULL << state.position.en_passant);
    }
    write_all(static_cast<float>(std::min<int>(state.clock, 100)) / 100.0F);
  }

  std::uint64_t hash(const State& state) const {
    std::uint64_t hash = mix64(state.key ^ mix64(std::uint64_t{state.ply} << 32 | std::uint64_t{state.clock} << 1 |
                                                 static_cast<std::uint64_t>(index(state.to_move))));
    for (int i = 0; i < state.num_keys; ++i) hash = mix64(hash ^ state.keys[static_cast<std::size_t>(i)]);
    return hash_past(state, hash);
  }

  // The planes show no more than this, from the side of the player to move.
  std::uint64_t evaluation_key(const State& state) const {
    const std::uint64_t counters = std::uint64_t{state.clock} << 1 | (state.repeats > 0 ? 1U : 0U);
    return hash_past(state, mix64(state.key ^ mix64(counters)));
  }

  // --- texts -----------------------------------------------------------------------------------------------------

  // As white sees it.
  std::string action_text(Action action) const {
    return step_text(action, [](int cell) { return cell; }, false);
  }
  std::optional<Action> parse_action(std::string_view text) const {
    return parse_step(text, [](int cell) { return cell; }, [](int) { return false; });
  }

  // UCI's moves: e2e4, e7e8q; a castling king goes to its cell (e1g1), in Chess960 to the rook's.
  std::string action_text(const State& state, Action action) const {
    const bool promotes = promotes_to_queen(state, action);
    return step_text(action, [&](int cell) { return seen_cell(state, cell); }, promotes);
  }
  // Besides UCI's moves, the notation of records: Nf3, exd5, O-O, e8=Q+.
  std::optional<Action> parse_action(const State& state, std::string_view text) const {
    const auto action = parse_step(
        text, [&](int cell) { return seen_cell(state, cell); },
        [&](int cell) { return is_own_pawn(state, cell) && cell < 2 * kSize; });
    return action ? action : parse_notation(state, text);
  }

  // Standard algebraic notation.
  std::string notation(const State& state, Action action) const {
    const ChessMove move = move_of(state, action);
    Position next = state.position;
    next.make(*attacks_, move);
    std::string mark;
    if (next.in_check(*attacks_)) mark = has_move(next) ? "+" : "#";
    if (move.castles) return (move.to > move.from ? "O-O" : "O-O-O") + mark;
    const ChessPiece piece = state.position.piece(move.from);
    const std::string from = square(state, move.from);
    const std::string to = square(state, move.to);
    const bool takes = (state.position.others() >> move.to & 1) != 0 ||
                       (piece == ChessPiece::kPawn && move.to == state.position.en_passant);
    std::string text;
    if (piece == ChessPiece::kPawn) {
      if (takes) text += from[0];
    } else {
      text += chess_letter(piece);
      bool ambiguous = false;
      bool same_column = false;
      bool same_row = false;
      legal_moves(state.position).any(promotions_, [&](ChessMove other) {
        if (other.to != move.to || other.from == move.from || other.castles) return false;
        if (state.position.piece(other.from) != piece) return false;
        ambiguous = true;
        same_column |= other.from % 8 == move.from % 8;
        same_row |= other.from / 8 == move.from / 8;
        return false;
      });
      if (ambiguous && (!same_column || same_row)) text += from[0];
      if (same_column) text += from.substr(1);
    }
    text += (takes ? "x" : "") + to;
    if (move.promotion != ChessPiece::kNone) text += std::string("=") + chess_letter(move.promotion);
    return text + mark;
  }

  std::string position_text(const State& state) const { return fen_text(setup_of(state), kSize); }

  // A drawing does not show earlier positions, so it does not say that a repetition ended the game.
  std::string board_text(const State& state) const {
    State alone = state;
    alone.repeats = 0;
    return draw_chess(names_, setup_of(state), outcome(alone).has_value());
  }

  // A drawing, or a FEN.
  State parse_board(std::string_view text) const {
    const ChessSetup setup = parse_chess_setup(text, kSize);
    State state;
    state.to_move = setup.to_move;
    state.clock = static_cast<std::uint16_t>(setup.clock);
    state.ply = static_cast<std::uint16_t>(2 * (setup.move - 1) + index(setup.to_move));
    for (int cell = 0; cell < kCells; ++cell) {
      const char letter = setup.cells[static_cast<std::size_t>(cell)];
      if (letter == '.') continue;
      const bool white = std::isupper(static_cast<unsigned char>(letter)) != 0;
      state.position.put(bit_of(seen_cell(state, cell)), chess_piece(letter),
                         white == (setup.to_move == Player::kFirst));
    }
    check_pieces(state);
    if constexpr (kFull) {
      set_castling(state, setup.castling);
      set_en_passant(state, setup.en_passant);
    }
    state.key = state.position.key();
    return state;
  }

 private:
  // A move as a plane of the policy has it.
  struct Step {
    std::int8_t rows;
    std::int8_t columns;
    ChessPiece promotion;  // kNone: no underpromotion
  };

  static constexpr int kDirections[8][2] = {{-1, 0}, {-1, 1}, {0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}};
  static constexpr int kKnightSteps[8][2] = {{-2, 1}, {-1, 2}, {1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}};

  static constexpr bool has_bishops() { return kSize != 6; }
  static constexpr int bit_of(int cell) { return cell / kSize * 8 + cell % kSize; }
  static constexpr int cell_of(int bit) { return bit / 8 * kSize + bit % 8; }

  // From the board of the player to move to the board as drawn, or back.
  static int seen_cell(const State& state, int cell) {
    return state.to_move == Player::kFirst ? cell : (kSize - 1 - cell / kSize) * kSize + cell % kSize;
  }
  std::string square(const State& state, int bit) const { return names_.text(seen_cell(state, cell_of(bit))); }

  void make_planes() {
    const auto add = [this](int rows, int columns, ChessPiece promotion) {
      const auto plane = static_cast<std::int8_t>(steps_.size());
      steps_.push_back({static_cast<std::int8_t>(rows), static_cast<std::int8_t>(columns), promotion});
      if (promotion == ChessPiece::kNone) {
        plane_of_step_[step_index(rows, columns)] = plane;
      } else {
        plane_of_promotion_[static_cast<std::size_t>(promotion)][static_cast<std::size_t>(columns + 1)] = plane;
      }
    };
    for (const auto& [rows, columns] : kDirections) {
      for (int distance = 1; distance <= kFar; ++distance) add(rows * distance, columns * distance, ChessPiece::kNone);
    }
    for (const auto& [rows, columns] : kKnightSteps) add(rows, columns, ChessPiece::kNone);
    for (const ChessPiece piece : {ChessPiece::kKnight, ChessPiece::kBishop, ChessPiece::kRook}) {
      if (piece == ChessPiece::kBishop && !has_bishops()) continue;
      for (const int columns : {-1, 0, 1}) add(-1, columns, piece);
    }
  }
  static constexpr std::size_t step_index(int rows, int columns) {
    return static_cast<std::size_t>((rows + 7) * 15 + columns + 7);
  }

  Symmetry identity() const {
    Symmetry same{"identity", {}, {}};
    for (int cell = 0; cell < kCells; ++cell) same.cell_source.push_back(cell);
    for (int action = 0; action < static_cast<int>(steps_.size()) * kCells; ++action)
      same.action_source.push_back(action);
    return same;
  }

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

  std::vector<std::string> plane_names() const {
    std::vector<std::string> names;
    for (int i = 0; i < rules_.history; ++i) {
      const std::string when = i == 0 ? "" : ", " + std::to_string(i) + (i == 1 ? " ply ago" : " plies ago");
      for (const std::string side : {"own ", "opponent's "}) {
        for (const ChessPiece piece : pieces_) names.push_back(side + plural(piece) + when);
      }
      names.push_back("repeated" + when);
    }
    if (kFull) names.insert(names.end(), {"rooks that may castle", "en passant"});
    names.push_back("clock of the fifty moves");
    return names;
  }
  static std::string plural(ChessPiece piece) {
    static const std::array<std::string, 8> kNames = {"", "pawns", "knights", "king", "", "bishops", "rooks", "queens"};
    return kNames[static_cast<std::size_t>(piece)];
  }

  std::string start_fen() const {
    if constexpr (kSize == 5) return "rnbqk/ppppp/5/PPPPP/RNBQK w - - 0 1";
    if constexpr (kSize == 6) return "rnqknr/pppppp/6/6/PPPPPP/RNQKNR w - - 0 1";
    const std::string white = chess960_row(rules_.chess960 < 0 ? 518 : rules_.chess960);
    std::string black = white;
    for (char& letter : black) letter = static_cast<char>(std::tolower(letter));
    return black + "/pppppppp/8/8/8/8/PPPPPPPP/" + white + " w KQkq - 0 1";
  }

  // --- moves -----------------------------------------------------------------------------------------------------

  ChessMoves legal_moves(const Position& position) const {
    ChessMoves moves(num_promotions_);
    position.legal_moves(*attacks_, moves);
    return moves;
  }

  // Sequences of moves, if no draw but by material can come up.
  std::uint64_t count_moves(const Position& position, int length) const {
    if (length == 0) return 1;
    const ChessMoves moves = legal_moves(position);
    if (position.lacks_material()) return 0;
    if (length == 1) return static_cast<std::uint64_t>(moves.total());
    std::uint64_t count = 0;
    moves.any(promotions_, [&](ChessMove move) {
      Position next = position;
      next.make(*attacks_, move);
      count += count_moves(next, length - 1);
      return false;
    });
    return count;
  }

  int clock_limit() const { return rules_.late_draws ? 150 : 100; }
  int repeats_limit() const { return rules_.late_draws ? 4 : 2; }

  bool has_move(const Position& position) const {
    ChessMoves moves(num_promotions_);
    position.template legal_moves<true>(*attacks_, moves);
    return moves.total() > 0;
  }

  ChessMove random_move(const ChessMoves& moves, Rng& rng) const {
    return moves.nth(static_cast<int>(rng.below(static_cast<std::uint32_t>(moves.total()))), promotions_);
  }

  // A draw that does not depend on legal moves. With mate on the board the game is lost all the same.
  bool is_drawn(const State& state) const {
    if (state.repeats < repeats_limit() && state.clock < clock_limit() && state.ply < rules_.max_moves &&
        !state.position.lacks_material()) {
      return false;
    }
    return has_move(state.position);
  }

  void make(State& state, ChessMove move) const {
    if (rules_.history > 1) remember(state);
    const std::uint64_t key = state.key;
    const bool final = state.position.make(*attacks_, move);
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

  void remember(State& state) const {
    const int kept = std::min<int>(state.num_past + 1, rules_.history - 1);
    for (int i = kept - 1; i > 0; --i)
      state.past[static_cast<std::size_t>(i)] = state.past[static_cast<std::size_t>(i - 1)];
    state.past[0] = {state.position.own, state.position.kind, state.repeats > 0};
    state.num_past = static_cast<std::uint8_t>(kept);
  }

  std::uint64_t hash_past(const State& state, std::uint64_t hash) const {
    for (int i = 0; i < state.num_past; ++i) {
      const Past& past = state.past[static_cast<std::size_t>(i)];
      hash = mix64(hash ^ mix64(past.own ^ mix64(past.kind[0] ^ mix64(past.kind[1] ^ mix64(past.kind[2] + 1)))) ^
                   (past.repeated ? 1U : 0U));
    }
    return hash;
  }

  int plane_of(ChessMove move) const {
    if (move.castles && rules_.chess960 < 0)
      move.to = static_cast<std::int8_t>(Position::castled_king(move.from, move.to));
    const int columns = move.to % 8 - move.from % 8;
    if (move.promotion != ChessPiece::kNone && move.promotion != ChessPiece::kQueen) {
      return plane_of_promotion_[static_cast<std::size_t>(move.promotion)][static_cast<std::size_t>(columns + 1)];
    }
    return plane_of_step_[step_index(move.to / 8 - move.from / 8, columns)];
  }

  // The cell that a step leads to from a cell; empty if it leaves the board.
  static std::optional<int> target(int cell, Step step) {
    const int row = cell / kSize + step.rows;
    const int column = cell % kSize + step.columns;
    if (row < 0 || row >= kSize || column < 0 || column >= kSize) return std::nullopt;
    return row * kSize + column;
  }

  // Of a legal action.
  ChessMove move_of(const State& state, Action action) const {
    const Step step = steps_[static_cast<std::size_t>(action / kCells)];
    const int from = bit_of(action % kCells);
    ChessMove move{static_cast<std::int8_t>(from), static_cast<std::int8_t>(from + 8 * step.rows + step.columns),
                   step.promotion, false};
    const ChessPiece piece = state.position.piece(from);
    if (piece == ChessPiece::kPawn && move.to < 8 && move.promotion == ChessPiece::kNone) {
      move.promotion = ChessPiece::kQueen;
    }
    if (kFull && piece == ChessPiece::kKing && step.rows == 0) {
      if (rules_.chess960 >= 0) {
        move.castles = (state.position.own >> move.to & 1) != 0;
      } else if (step.columns == 2 || step.columns == -2) {
        move.castles = true;
        move.to = static_cast<std::int8_t>(from / 8 * 8 + (step.columns > 0 ? 7 : 0));
      }
    }
    return move;
  }

  // --- texts -----------------------------------------------------------------------------------------------------

  bool is_own_pawn(const State& state, int cell) const {
    return (state.position.own & state.position.pawns()) >> bit_of(cell) & 1;
  }

  // Whether the action is a pawn's step to the last row, and no underpromotion.
  bool promotes_to_queen(const State& state, Action action) const {
    const Step step = steps_[static_cast<std::size_t>(action / kCells)];
    const int from = action % kCells;
    const auto to = target(from, step);
    return to && *to < kSize && step.rows == -1 && std::abs(step.columns) <= 1 && step.promotion == ChessPiece::kNone &&
           is_own_pawn(state, from);
  }

  // The cells it goes from and to, and the letter of a promotion; a number, if it would leave the board.
  template <class View>
  std::string step_text(Action action, View view, bool promotes) const {
    const Step step = steps_[static_cast<std::size_t>(action / kCells)];
    const int from = action % kCells;
    const auto to = target(from, step);
    if (!to || (step.promotion != ChessPiece::kNone && *to >= kSize)) return std::to_string(action);
    std::string text = names_.text(view(from)) + names_.text(view(*to));
    if (step.promotion != ChessPiece::kNone) {
      text += static_cast<char>(std::tolower(chess_letter(step.promotion)));
    } else if (promotes) {
      text += 'q';
    }
    return text;
  }

  // `is_promoting(cell)`: a pawn that stands there goes to the last row with its next step.
  template <class View, class IsPromoting>
  std::optional<Action> parse_step(std::string_view text, View view, IsPromoting is_promoting) const {
    if (!text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0) {
      Action action = -1;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), action);
      const bool read = error == std::errc() && end == text.data() + text.size();
      if (!read || action < 0 || action >= spec_.num_actions || std::to_string(action) != text) return std::nullopt;
      return step_text(action, view, false) == text ? std::optional(action) : std::nullopt;
    }
    if (text.size() != 4 && text.size() != 5) return std::nullopt;
    if (std::islower(static_cast<unsigned char>(text[0])) == 0) return std::nullopt;  // Bb4 is no cell but a bishop
    const auto seen_from = names_.parse(text.substr(0, 2));
    const auto seen_to = names_.parse(text.substr(2, 2));
    if (!seen_from || !seen_to) return std::nullopt;
    const int from = view(*seen_from);
    const int to = view(*seen_to);
    const int rows = to / kSize - from / kSize;
    const int columns = to % kSize - from % kSize;
    int plane = plane_of_step_[step_index(rows, columns)];
    const bool to_last_row = rows == -1 && to < kSize && std::abs(columns) <= 1;
    if (text.size() == 5) {
      const ChessPiece promotion = chess_piece(text[4]);
      if (!to_last_row) return std::nullopt;
      if (promotion == ChessPiece::kQueen) {
        if (!is_promoting(from)) return std::nullopt;
      } else {
        plane = plane_of_promotion_[static_cast<std::size_t>(promotion)][static_cast<std::size_t>(columns + 1)];
      }
    } else if (to_last_row && is_promoting(from)) {
      return std::nullopt;  // it does not say to what
    }
    if (plane < 0) return std::nullopt;
    return plane * kCells + from;
  }

  // Standard algebraic notation, with or without its marks (+, #, !, ?), x and =; also Ng1-f3.
  std::optional<Action> parse_notation(const State& state, std::string_view given) const {
    std::string text;
    for (const char mark : given) {
      if (std::string_view("+#!?x=-:").find(mark) == std::string_view::npos) text += mark;
    }
    if (text.empty() || text.size() > 6) return std::nullopt;
    const bool castles = text == "OO" || text == "00" || text == "OOO" || text == "000";
    ChessPiece piece = ChessPiece::kPawn;
    ChessPiece promotion = ChessPiece::kNone;
    std::string from;
    int to = -1;
    if (!castles) {
      if (std::isupper(static_cast<unsigned char>(text[0])) != 0) {
        piece = chess_piece(text[0]);
        text.erase(0, 1);
      }
      if (!text.empty() && std::isdigit(static_cast<unsigned char>(text.back())) == 0) {
        promotion = chess_piece(text.back());
        if (promotion == ChessPiece::kNone || piece != ChessPiece::kPawn) return std::nullopt;
        text.pop_back();
      }
      if (piece == ChessPiece::kNone || text.size() < 2 || text.size() > 4) return std::nullopt;
      const auto cell = names_.parse(text.substr(text.size() - 2));
      if (!cell) return std::nullopt;
      to = bit_of(seen_cell(state, *cell));
      from = text.substr(0, text.size() - 2);
    }
    std::optional<Action> found;
    const bool ambiguous = legal_moves(state.position).any(promotions_, [&](ChessMove move) {
      if (move.castles != castles || move.promotion != promotion) return false;
      if (castles ? (move.to > move.from) != (text.size() == 2)
                  : move.to != to || state.position.piece(move.from) != piece) {
        return false;
      }
      const std::string name = square(state, move.from);
      for (const char mark : from) {
        if (name.find(mark) == std::string::npos) return false;
      }
      if (found) return true;
      found = plane_of(move) * kCells + cell_of(move.from);
      return false;
    });
    return ambiguous ? std::nullopt : found;
  }

  char letter_on(const State& state, int cell) const {
    const int bit = bit_of(seen_cell(state, cell));
    const char letter = chess_letter(state.position.piece(bit));
    const bool is_own = (state.position.own >> bit & 1) != 0;
    const bool white = is_own == (state.to_move == Player::kFirst);
    return white ? letter : static_cast<char>(std::tolower(letter));
  }

  ChessSetup setup_of(const State& state) const {
    ChessSetup setup;
    for (int cell = 0; cell < kCells; ++cell) setup.cells += letter_on(state, cell);
    setup.to_move = state.to_move;
    setup.castling = castling_text(state);
    if (state.position.en_passant != Position::kNone) setup.en_passant = square(state, state.position.en_passant);
    setup.clock = state.clock;
    setup.move = state.ply / 2 + 1;
    return setup;
  }

  // --- positions from elsewhere ------------------------------------------------------------------------------------

  // One king each, no pawn on the last rows, no more pieces than promotions allow, and nobody can take a king.
  void check_pieces(const State& state) const {
    const Position& position = state.position;
    for (const bool mover : {true, false}) {
      const std::uint64_t side = mover ? position.own : position.others();
      const std::string who(chess_colour(mover ? state.to_move : opponent(state.to_move)));
      const auto count = [&](std::uint64_t pieces) { return std::popcount(pieces & side); };
      if (count(position.kings()) != 1) {
        throw BoardTextError("Each side has one king; " + who + " has " + std::to_string(count(position.kings())) +
                             ".");
      }
      const auto extra = [&](std::uint64_t pieces, int at_start) { return std::max(0, count(pieces) - at_start); };
      const int pairs = kSize == 5 ? 1 : 2;
      const int promoted = extra(position.queens(), 1) + extra(position.rooks(), pairs) +
                           extra(position.knights(), pairs) + extra(position.bishops(), has_bishops() ? pairs : 0);
      if (count(position.pawns()) + promoted > kSize) {
        throw BoardTextError("A side has " + std::to_string(kSize) + " pawns, and pieces that they were promoted to; " +
                             who + " has more than that.");
      }
      if (!has_bishops() && count(position.bishops()) > 0) throw BoardTextError("This game has no bishops.");
    }
    if ((position.pawns() & (Position::kRow | Position::kBottomRow)) != 0) {
      throw BoardTextError("There are no pawns on the first and the last row.");
    }
    if (position.turned().in_check(*attacks_)) {
      throw BoardTextError("It is the turn of " + std::string(chess_colour(state.to_move)) +
                           ", who could take the king of " + std::string(chess_colour(opponent(state.to_move))) + ".");
    }
  }

  // X-FEN: KQkq for the outermost rook on that side of the king, or the letter of a rook's column. Rights without a
  // king and a rook in their places are left out.
  void set_castling(State& state, const std::string& text) const {
    if (text == "-") return;
    for (const char letter : text) {
      const bool white = std::isupper(static_cast<unsigned char>(letter)) != 0;
      const bool mover = white == (state.to_move == Player::kFirst);
      const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
      if (lower != 'k' && lower != 'q' && (lower < 'a' || lower > 'h')) {
        throw BoardTextError("Castling is written with KQkq or the columns of rooks, or '-'; not " + excerpt(text) +
                             ".");
      }
      const Position& position = state.position;
      const std::uint64_t side = mover ? position.own : position.others();
      const std::uint64_t row = mover ? Position::kBottomRow : Position::kRow;
      const std::uint64_t king = position.kings() & side & row;
      const std::uint64_t rooks = position.rooks() & side & row;
      if (king == 0) continue;
      const std::uint64_t right = rooks & ~(king | (king - 1));
      const std::uint64_t left = rooks & (king - 1);
      std::uint64_t rook = 0;
      if (lower == 'k') {
        rook = right == 0 ? 0 : 1ULL << (63 - std::countl_zero(right));
      } else if (lower == 'q') {
        rook = left == 0 ? 0 : 1ULL << std::countr_zero(left);
      } else {
        rook = rooks & (Position::kFirstColumn << (lower - 'a'));
      }
      if (rules_.chess960 < 0) {  // the king on e, the rook on a or h
        if ((king & Position::kFirstColumn << 4) == 0) continue;
        rook &= Position::kFirstColumn | Position::kLastColumn;
      }
      const std::uint64_t same_side = rook > king ? ~(king | (king - 1)) : king - 1;
      if (rook != 0) state.position.castling = (state.position.castling & ~(row & same_side)) | rook;
    }
  }

  std::string castling_text(const State& state) const {
    std::string text;
    for (const Player player : {Player::kFirst, Player::kSecond}) {
      const Position& position = state.position;
      const bool mover = player == state.to_move;
      const std::uint64_t row = mover ? Position::kBottomRow : Position::kRow;
      const std::uint64_t side = (mover ? position.own : position.others()) & row;
      const std::uint64_t king = position.kings() & side;
      const std::uint64_t right = king == 0 ? 0 : ~(king | (king - 1));
      for (const std::uint64_t cells : {right, ~right & ~king}) {
        const std::uint64_t rook = position.castling & row & cells;
        if (rook == 0) continue;
        const std::uint64_t rooks = position.rooks() & side & cells;
        const bool outermost = cells == right ? rook > (rooks ^ rook) : (rook & -rooks) != 0;
        const char letter = !outermost       ? static_cast<char>('a' + std::countr_zero(rook) % 8)
                            : cells == right ? 'k'
                                             : 'q';
        text += player == Player::kFirst ? static_cast<char>(std::toupper(letter)) : letter;
      }
    }
    return text.empty() ? "-" : text;
  }

  void set_en_passant(State& state, const std::string& text) const {
    if (text == "-") return;
    const auto cell = names_.parse(text);
    const int seen = cell ? seen_cell(state, *cell) : -1;
    if (!cell || seen / kSize != 2) {
      throw BoardTextError(
          "The cell of en passant is behind a pawn of the opponent that has just made a double step, or '-'; not " +
          excerpt(text) + ".");
    }
    const int bit = bit_of(seen);
    const std::uint64_t pawn = state.position.pawns() & state.position.others();
    const bool stepped = (pawn >> (bit + 8) & 1) != 0 && (state.position.occupied() >> bit & 1) == 0 &&
                         (state.position.occupied() >> (bit - 8) & 1) == 0;
    if (stepped) state.position.allow_en_passant(*attacks_, bit);
  }

  ChessRules rules_;
  const ChessAttacks* attacks_;  // the tables of the whole program
  SquareNames names_;
  std::array<ChessPiece, 4> promotions_{};
  int num_promotions_ = 4;
  std::vector<ChessPiece> pieces_;  // in the order of the planes
  std::vector<Step> steps_;         // by plane of the policy
  std::array<std::int8_t, 15 * 15> plane_of_step_ = [] {
    std::array<std::int8_t, 15 * 15> none{};
    none.fill(-1);
    return none;
  }();
  std::array<std::array<std::int8_t, 3>, 8> plane_of_promotion_ = [] {  // [ChessPiece][column + 1]
    std::array<std::array<std::int8_t, 3>, 8> none{};
    for (auto& row : none) row.fill(-1);
    return none;
  }();
  GameSpec spec_;
  State start_;
};

}  // namespace tengen

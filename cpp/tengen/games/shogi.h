// Shogi and, on 5x5, minishogi: turns, repetition, results, actions and planes. The board is in shogi_board.h, texts
// are in shogi_text.h; docs/games/shogi.md is the page for players.
#pragma once

#include <algorithm>
#include <array>
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
#include "tengen/games/shogi_actions.h"
#include "tengen/games/shogi_board.h"
#include "tengen/games/shogi_past.h"
#include "tengen/games/shogi_text.h"
#include "tengen/games/symmetry.h"

namespace tengen {

struct ShogiRules {
  int max_moves = 512;       // then it is a draw; AlphaZero's length
  int history = 1;           // positions in the planes: 1, or 8 as in AlphaZero
  bool alphazero = false;    // actions by source, direction and distance, as in AlphaZero
  bool declaration = false;  // a player whose king has entered may declare a win (27 points)
};

template <int kSize>
class Shogi {
  using Board = ShogiBoard<kSize>;
  using Text = ShogiText<kSize>;
  using Position = typename Board::Position;
  using Cells = typename Board::Cells;
  using Moves = typename Board::Moves;
  using Move = typename Board::Move;
  using King = typename Board::King;
  static constexpr int kCells = Board::kCells;
  static constexpr int kHistory = 8;      // positions in AlphaZero's planes, this one included
  static constexpr int kRepetitions = 4;  // of a position end the game
  static constexpr int kDirections = ShogiActions<kSize>::kDirections;
  static constexpr int kNumSets = 2 * kDirections + shogi::kNumHeld;

 public:
  struct State {
    Position position;
    ShogiPast past;
    std::array<typename Board::Undo, kHistory - 1> recent{};  // move n at n % (kHistory - 1); unused if history = 1
    std::int16_t num_moves = 0;
    bool check = false;     // the player to move is in check
    bool declared = false;  // the player who moved last has declared a win

    // Equal in all that the future or the planes depend on; the rest follows from it.
    bool operator==(const State& other) const {
      return position == other.position && num_moves == other.num_moves && declared == other.declared &&
             past == other.past;
    }
  };

  Shogi(const std::string& name, OptionValues options, const ShogiRules& rules)
      : rules_(checked(name, rules)), actions_(rules.alphazero, rules.declaration) {
    for (int kind = 0; kind < shogi::kNumKinds; ++kind) {
      if (Text::pieces_of(kind) > 0) kinds_.push_back(kind);
    }
    spec_ = {.name = name,
             .source = name,
             .options = std::move(options),
             .num_planes = 0,
             .height = kSize,
             .width = kSize,
             .num_actions = actions_.num_actions(),
             // On 9x9 the known maximum of shogi. On 5x5 an upper bound: five kinds dropped on 23 cells, and one piece
             // of each kind and the king moving: 16 + 16 + 10 + 6 + 2 + 8.
             .most_legal = (kSize == 9 ? 593 : 5 * 23 + 58) + (rules_.declaration ? 1 : 0),
             .action_layout = ActionLayout::kPlanes,
             .longest_game = rules_.max_moves,
             .plane_names = plane_names(),
             .player_names = {"black", "white"},
             .symmetries = {},
             .pieces = pieces()};
    spec_.num_planes = static_cast<int>(spec_.plane_names.size());
    spec_.symmetries = {board_symmetry(0, kSize, kSize, spec_.num_actions, ActionLayout::kPlanes)};
    for (const Player player : {Player::kFirst, Player::kSecond}) {
      for (const int kind : actions_.held()) spec_.hands.push_back(piece_code(kind, player));
    }
    start_ = parse_board(kSize == 9 ? "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
                                    : "rbsgk/4p/5/P4/KGSBR b - 1");
  }

  const GameSpec& spec() const { return spec_; }
  State initial_state() const { return start_; }
  Player to_move(const State& state) const { return state.position.to_move; }

  void legal_actions(const State& state, ActionList& list) const {
    list.clear();
    if (stopped(state)) return;
    const Moves moves = legal_moves(state.position);
    if (rules_.alphazero) {
      list_by_source(state.position, moves, list);
    } else {
      for_each_move(state.position, moves, [&](int plane, int target) {
        list.push(ShogiActions<kSize>::compact_action(state.position, plane, target));
      });
    }
    if (may_declare(state)) list.push(actions_.declare());
  }

  void play(State& state, Action action) const {
    if (action == actions_.declare()) {
      state.declared = true;
      Board::pass_turn(state.position);
      ++state.num_moves;
      state.check = false;
      state.past.push(state.position.key, state.check);
    } else {
      make(state, actions_.move_of(state.position, action));
    }
  }

  void play_random(State& state, Rng& rng) const {
    draw_move(state, Board::look_at_king(state.position, state.position.to_move), rng);
  }

  Playout random_playout(State& state, Rng& rng) const {
    King king = Board::look_at_king(state.position, state.position.to_move);
    for (std::int64_t actions = 0;; ++actions) {
      if (stopped(state)) return {*outcome(state), actions};
      const auto next = draw_move(state, king, rng);
      if (!next) return {Outcome::win(opponent(state.position.to_move)), actions};
      king = *next;
    }
  }

  std::optional<Outcome> outcome(const State& state) const {
    if (const auto reason = reason_of(state)) return outcome_by(state, *reason);
    return std::nullopt;
  }

  Ending ending(const State& state) const {
    const Reason reason = *reason_of(state);
    return {outcome_by(state, reason), reason, sentence_of(state, reason)};
  }

  // A declaration, or a move that mates. A move without check that leaves no move at all is not looked for.
  std::optional<Action> winning_action(const State& state) const {
    if (stopped(state)) return std::nullopt;
    if (may_declare(state)) return actions_.declare();
    Moves moves = legal_moves(state.position);
    for (const int kind : actions_.held()) {
      Cells& drops = moves.drops[at(kind)];
      if (!drops.empty()) drops = drops & Board::checks_from(state.position, kind);
    }
    std::optional<Action> found;
    for_each_move(state.position, moves, [&](int plane, int target) {
      if (found) return;
      Position next = state.position;
      Board::play(next, planned(state.position, plane, target));
      if (Board::is_attacked(next, next.to_move) && !Board::can_move(next))
        found = actions_.action_of(state.position, plane, target);
    });
    return found;
  }

  void cells(const State& state, std::int8_t* out) const {
    for (int cell = 0; cell < kCells; ++cell) {
      const std::uint8_t piece = state.position.piece[at(cell)];
      out[cell] = piece == Board::kEmpty
                      ? std::int8_t{0}
                      : static_cast<std::int8_t>(piece_code(Board::kind_of(piece), Board::owner_of(piece)));
    }
  }

  std::array<Hand, 2> hands(const State& state) const {
    std::array<Hand, 2> held;
    for (const Player player : {Player::kFirst, Player::kSecond}) {
      for (const int kind : actions_.held()) {
        const int count = state.position.hands[at(player)][at(kind)];
        if (count > 0) held[at(player)].emplace_back(piece_code(kind, player), count);
      }
    }
    return held;
  }

  ActionCells action_cells(const State& state, Action action) const {
    if (action == actions_.declare()) return {};
    const auto parts = actions_.parts_of(state.position, action);
    if (parts.drop >= 0)
      return {.source = {}, .target = parts.target, .piece = piece_code(parts.drop, state.position.to_move)};
    if (parts.source < 0 || parts.target < 0) return {};
    return {.source = parts.source, .target = parts.target, .piece = {}};
  }

  void write_planes(const State& state, float* planes) const {
    std::fill_n(planes, spec_.planes_size(), 0.0F);
    const Player viewer = state.position.to_move;
    float* out = planes;
    const auto fill_plane = [&](double value) {
      std::fill_n(out, kCells, static_cast<float>(value));
      out += kCells;
    };
    Position position = state.position;
    const int shown = std::min<int>(rules_.history, static_cast<int>(state.past.size()));
    for (int ago = 0; ago < rules_.history; ++ago) {
      if (ago >= shown) {
        out += position_planes() * kCells;
        continue;
      }
      if (ago > 0) Board::undo(position, recent(state, state.num_moves - ago));
      write_position(position, viewer, out);
      const std::size_t i = state.past.size() - 1 - static_cast<std::size_t>(ago);
      const int repeats = ago == 0 ? state.past.repeats() : state.past.repeats(i);
      for (int n = 1; n < kRepetitions; ++n) fill_plane(repeats >= n ? 1 : 0);
    }
    fill_plane(state.check ? 1 : 0);
    fill_plane(viewer == Player::kFirst ? 1 : 0);
    fill_plane(double(state.num_moves) / rules_.max_moves);
  }

  std::uint64_t hash(const State& state) const {
    return mix64(state.past.digest() ^
                 mix64(static_cast<std::uint64_t>(state.num_moves) << 1 | (state.declared ? 1 : 0)));
  }

  // The past matters to planes and legal moves by the repetitions of the position and, with history, by the positions
  // that are shown.
  std::uint64_t evaluation_key(const State& state) const {
    const auto numbers = static_cast<std::uint64_t>(state.num_moves) << 8 |
                         static_cast<std::uint64_t>(state.past.repeats()) << 1 | (state.declared ? 1 : 0);
    std::uint64_t h = mix64(state.position.key ^ mix64(numbers + 0x9e3779b97f4a7c15ULL));
    for (std::size_t ago = 1; ago < static_cast<std::size_t>(rules_.history) && ago < state.past.size(); ++ago) {
      const std::size_t i = state.past.size() - 1 - ago;
      h = mix64(h + state.past[i]) + static_cast<std::uint64_t>(state.past.repeats(i));
    }
    return h;
  }

  std::string action_text(const State& state, Action action) const { return actions_.text(state.position, action); }
  std::optional<Action> parse_action(const State& state, std::string_view text) const {
    return actions_.parse(state.position, text);
  }
  std::string action_text(Action action) const { return actions_.text(action); }
  std::optional<Action> parse_action(std::string_view text) const { return actions_.parse(text); }

  std::string position_text(const State& state) const { return Text::sfen(state.position, state.num_moves); }

  // A drawing shows neither earlier positions nor a declaration, so it does not say that one of them ended the game.
  std::string board_text(const State& state) const {
    const bool finished = state.num_moves >= rules_.max_moves || !Board::can_move(state.position);
    return Text::draw(state.position, state.num_moves, finished);
  }

  // The past begins with the drawing.
  State parse_board(std::string_view text) const {
    const auto placed = Text::is_sfen(text) ? Text::parse_sfen(text) : Text::parse_drawing(text);
    State state;
    state.position = placed.position;
    state.num_moves = static_cast<std::int16_t>(placed.num_moves);
    state.check = Board::is_attacked(state.position, state.position.to_move);
    state.past.push(state.position.key, state.check);
    return state;
  }

 private:
  static constexpr std::size_t at(int i) { return shogi::at(i); }
  static constexpr std::size_t at(Player player) { return shogi::at(player); }

  // ---- results

  // Whether the game is over for another reason than that there is no move.
  bool stopped(const State& state) const {
    return state.past.repeats() + 1 >= kRepetitions || state.num_moves >= rules_.max_moves || state.declared;
  }

  std::optional<Reason> reason_of(const State& state) const {
    if (state.declared) return Reason::kDeclaration;
    if (state.past.repeats() + 1 >= kRepetitions) {
      const auto [first, second] = always_checked(state);
      return first != second ? Reason::kPerpetualCheck : Reason::kRepetition;
    }
    if (!Board::can_move(state.position)) return state.check ? Reason::kCheckmate : Reason::kNoMove;
    if (state.num_moves >= rules_.max_moves) return Reason::kLength;
    return std::nullopt;
  }

  // A player without a move has lost, in check or not. A repetition is a draw in shogi and lost for the first player in
  // minishogi; but whoever gave check all the time loses it, and if both did it is a draw.
  Outcome outcome_by(const State& state, Reason reason) const {
    switch (reason) {
      case Reason::kLength:
        return Outcome::draw();
      case Reason::kRepetition:
        return kSize == 9 || always_checked(state)[0] ? Outcome::draw() : Outcome::win(Player::kSecond);
      case Reason::kPerpetualCheck:
        return Outcome::win(always_checked(state)[0] ? Player::kSecond : Player::kFirst);
      default:
        return Outcome::win(opponent(state.position.to_move));
    }
  }

  std::string sentence_of(const State& state, Reason reason) const {
    switch (reason) {
      case Reason::kDeclaration:
        return "entering king declared with " +
               std::to_string(points(state.position, opponent(state.position.to_move))) + " points";
      case Reason::kPerpetualCheck:
        return "the position occurred four times by perpetual check";
      case Reason::kRepetition:
        return "the position occurred four times";
      case Reason::kCheckmate:
        return "checkmate";
      case Reason::kNoMove:
        return "no legal move";
      default:
        return std::to_string(state.num_moves) + " moves played";
    }
  }

  // By player: whether he gave check with every move since the position was there for the first time.
  static std::array<bool, 2> always_checked(const State& state) {
    std::array<bool, 2> always = {true, true};
    const std::size_t last = state.past.size() - 1;
    for (std::size_t i = state.past.first_time() + 1; i <= last; ++i) {
      // Position i came about by a move of who is to move now if an odd number of moves followed.
      const Player mover = (last - i) % 2 == 1 ? state.position.to_move : opponent(state.position.to_move);
      if (!state.past.check(i)) always[at(mover)] = false;
    }
    return always;
  }

  // The rule of 27 points: a player who is not in check, with the king and ten more pieces in the zone, and there and
  // in the hand 28 points (black) or 27 (white). Rooks and bishops count five points, the others one, the king none.
  bool may_declare(const State& state) const {
    if (!rules_.declaration || state.check) return false;
    const Player own = state.position.to_move;
    const Cells zone = Board::zone(own);
    const Cells entered = zone & state.position.of[at(own)];
    return zone.has(state.position.king[at(own)]) && entered.size() - 1 >= 10 &&
           points(state.position, own) >= (own == Player::kFirst ? 28 : 27);
  }

  static int points(const Position& position, Player player) {
    const Cells entered = Board::zone(player) & position.of[at(player)];
    int sum = 0;
    entered.for_each([&](int cell) { sum += points_of(Board::kind_of(position.piece[at(cell)])); });
    for (int kind = 0; kind < shogi::kNumHeld; ++kind) sum += points_of(kind) * position.hands[at(player)][at(kind)];
    return sum;
  }

  static int points_of(int kind) {
    const int base = kind % shogi::kPromoted;
    return base == shogi::kKing ? 0 : base == shogi::kRook || base == shogi::kBishop ? 5 : 1;
  }

  // ---- moves

  static Moves legal_moves(const Position& position) {
    Moves moves;
    Board::legal_moves(position, Board::look_at_king(position, position.to_move), moves);
    return moves;
  }

  // Plays a move, and looks at the king of who is to move then.
  King make(State& state, const Move& move) const {
    if (rules_.history > 1) recent(state, state.num_moves) = Board::undo_of(state.position, move);
    Board::play(state.position, move);
    ++state.num_moves;
    const King king = Board::look_at_king(state.position, state.position.to_move);
    state.check = !king.checkers.empty();
    state.past.push(state.position.key, state.check);
    return king;
  }

  template <class AnyState>  // State or const State
  static auto& recent(AnyState& state, int move) {
    return state.recent[at(move % (kHistory - 1))];
  }

  // The sets of Moves have numbers, which are the planes of the compact actions: directions, directions with promotion,
  // drops. Calls visit(plane, target) in the order of the compact actions.
  template <class Visit>
  void for_each_move(const Position& position, const Moves& moves, const Visit& visit) const {
    const auto visit_all = [&](int plane, const Cells& targets) {
      if (position.to_move == Player::kFirst) {
        targets.for_each([&](int cell) { visit(plane, cell); });
      } else {
        targets.for_each_back([&](int cell) { visit(plane, cell); });
      }
    };
    for (int d = 0; d < kDirections; ++d) visit_all(d, moves.plain[at(d)]);
    for (int d = 0; d < kDirections; ++d) visit_all(kDirections + d, moves.promoting[at(d)]);
    for (std::size_t i = 0; i < actions_.held().size(); ++i)
      visit_all(2 * kDirections + static_cast<int>(i), moves.drops[at(actions_.held()[i])]);
  }

  Move planned(const Position& position, int plane, int target) const {
    if (plane >= 2 * kDirections) return {-1, target, actions_.held()[at(plane - 2 * kDirections)]};
    return Board::board_move(position, plane % kDirections, target, plane >= kDirections);
  }

  // Plays a legal move, each as likely as the others, and looks at the other king; empty: there is none. A move is
  // drawn from the possible ones until it is legal: that is cheaper than to make a list of the legal ones.
  std::optional<King> draw_move(State& state, const King& king, Rng& rng) const {
    Moves moves;
    Board::possible_moves(state.position, king, moves);
    std::array<Cells*, kNumSets> sets;
    std::array<std::uint32_t, kNumSets> sizes;
    std::size_t num_sets = 0;
    std::uint32_t total = may_declare(state) ? 1 : 0;
    const auto add = [&](Cells& cells) {
      sets[num_sets] = &cells;
      total += sizes[num_sets++] = static_cast<std::uint32_t>(cells.size());
    };
    for (int d = 0; d < kDirections; ++d) add(moves.plain[at(d)]);
    for (int d = 0; d < kDirections; ++d) add(moves.promoting[at(d)]);
    for (const int kind : actions_.held()) add(moves.drops[at(kind)]);
    for (; total > 0; --total) {
      std::uint32_t n = rng.below(total);
      std::size_t plane = 0;
      while (plane < num_sets && n >= sizes[plane]) n -= sizes[plane++];
      if (plane == num_sets) {
        play(state, actions_.declare());
        return King{};
      }
      const int target = sets[plane]->nth(n);
      const Move move = planned(state.position, static_cast<int>(plane), target);
      if (!Board::is_forbidden(state.position, move)) return make(state, move);
      sets[plane]->erase(target);
      --sizes[plane];
    }
    return std::nullopt;
  }

  void list_by_source(const Position& position, const Moves& moves, ActionList& list) const {
    std::vector<Action> actions;
    actions.reserve(static_cast<std::size_t>(spec_.most_legal));
    for_each_move(position, moves,
                  [&](int plane, int target) { actions.push_back(actions_.action_of(position, plane, target)); });
    std::sort(actions.begin(), actions.end());
    for (const Action action : actions) list.push(action);
  }

  // ---- pieces and planes

  int piece_code(int kind, Player player) const {
    const auto i = std::find(kinds_.begin(), kinds_.end(), kind) - kinds_.begin();
    return 1 + static_cast<int>(i) + index(player) * static_cast<int>(kinds_.size());
  }

  static std::string kind_name(int kind) {
    static const char* const kNames[] = {
        "pawn", "lance",         "knight",         "silver",          "bishop",          "rook",  "gold",
        "king", "promoted pawn", "promoted lance", "promoted knight", "promoted silver", "horse", "dragon"};
    return kNames[kind];
  }

  std::vector<Piece> pieces() const {
    std::vector<Piece> all;
    for (const Player player : {Player::kFirst, Player::kSecond}) {
      for (const int kind : kinds_)
        all.push_back({kind_name(kind), std::string(1, Text::letter(kind, player)), player, ""});
    }
    return all;
  }

  // Of one position of the history: pieces and hands of both players, repetitions.
  int position_planes() const {
    return 2 * static_cast<int>(kinds_.size() + actions_.held().size()) + kRepetitions - 1;
  }

  std::vector<std::string> plane_names() const {
    std::vector<std::string> names;
    for (int ago = 0; ago < rules_.history; ++ago) {
      const std::string when = ago == 0 ? "" : ", " + std::to_string(ago) + (ago == 1 ? " move ago" : " moves ago");
      for (const std::string whose : {"own ", "opponent's "}) {
        for (const int kind : kinds_) names.push_back(whose + kind_name(kind) + when);
      }
      for (const std::string whose : {"own ", "opponent's "}) {
        for (const int kind : actions_.held()) names.push_back(whose + kind_name(kind) + " in hand" + when);
      }
      for (const std::string times : {"once", "twice", "three times"})
        names.push_back("was there " + times + " before" + when);
    }
    for (const char* name : {"in check", "black to move", "moves played"}) names.emplace_back(name);
    return names;
  }

  // Pieces and hands, [2 * kinds + 2 * held][kSize][kSize], into planes of zeros; `out` moves past them.
  void write_position(const Position& position, Player viewer, float*& out) const {
    const int num_kinds = static_cast<int>(kinds_.size());
    for (const Player player : {viewer, opponent(viewer)}) {
      position.of[at(player)].for_each([&](int cell) {
        const int plane = piece_code(Board::kind_of(position.piece[at(cell)]), Player::kFirst) - 1;
        out[plane * kCells + Board::seen(viewer, cell)] = 1.0F;
      });
      out += num_kinds * kCells;
    }
    for (const Player player : {viewer, opponent(viewer)}) {
      for (const int kind : actions_.held()) {
        const int count = position.hands[at(player)][at(kind)];
        if (count > 0) std::fill_n(out, kCells, static_cast<float>(count) / static_cast<float>(Text::pieces_of(kind)));
        out += kCells;
      }
    }
  }

  static ShogiRules checked(const std::string& name, const ShogiRules& rules) {
    if (rules.history != 1 && rules.history != kHistory) {
      throw GameOptionError(name + ": history must be 1 or 8 (the planes of AlphaZero), not " +
                            std::to_string(rules.history) + ".");
    }
    return rules;
  }

  ShogiRules rules_;
  ShogiActions<kSize> actions_;
  std::vector<int> kinds_;  // those of this board
  GameSpec spec_;
  State start_;
};

}  // namespace tengen

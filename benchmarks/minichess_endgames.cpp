// Writes minichess endgames with the exact score of every move, for `tengen evaluate minichess --positions FILE`.
//
//     g++ -std=c++20 -O3 -march=native -I cpp benchmarks/minichess_endgames.cpp -o build/minichess_endgames
//     build/minichess_endgames 400 1 > positions.jsonl       # count and seed
//
// All positions of two kings and one or two more pieces are solved backwards from the mates (retrograde analysis): the
// plies to mate under best play, or a draw. A win in n plies scores 200 - n, a loss n - 200, a draw 0. The longest win
// is far shorter than the fifty moves, and a side that comes closer to its mate repeats nothing, so that no draw by
// counting interferes. The moves of each position that is written differ in win, draw or loss.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/games/chess.h"

namespace {

using tengen::ChessMove;
using tengen::ChessPiece;
using Actions = tengen::ChessActions<5>;
using Game = tengen::Chess<5>;
using Position = tengen::ChessPosition<5>;

constexpr int kCells = 25;
constexpr int kPlaces = kCells * kCells * kCells * kCells;  // of both kings and two pieces
constexpr int kNumTypes = 10;                               // own P N B R Q, the opponent's P N B R Q
constexpr int kNoPiece = 10;
constexpr int kWorth = 200;  // more than the longest mate
constexpr std::array<ChessPiece, 5> kPieces = {ChessPiece::kPawn, ChessPiece::kKnight, ChessPiece::kBishop,
                                               ChessPiece::kRook, ChessPiece::kQueen};
// What is known of a position, for the player to move: won in n plies is n, lost in n is -n - 1.
using Value = std::int16_t;
constexpr Value kDraw = 0;  // or not known yet
constexpr Value kImpossible = std::numeric_limits<Value>::min();

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
int cell_of(int bit) { return Actions::cell_of(bit); }
int bit_of(int cell) { return Actions::bit_of(cell); }

// Two pieces by type, the lower type first: a number for each table.
int table_of(int first, int second) { return first * (kNumTypes + 1) + second; }

// A position as table and place in it.
struct Place {
  int table = 0;
  int number = 0;
};

Place place_of(const Position& position) {
  std::array<std::pair<int, int>, 2> men = {{{kNoPiece, 0}, {kNoPiece, 0}}};  // type and cell
  std::size_t found = 0;
  for (std::uint64_t left = position.occupied() & ~position.kings(); left != 0; left &= left - 1) {
    const int bit = std::countr_zero(left);
    const auto kind = std::find(kPieces.begin(), kPieces.end(), position.piece(bit)) - kPieces.begin();
    const bool own = (position.own >> bit & 1) != 0;
    men[found++] = {static_cast<int>(kind) + (own ? 0 : 5), cell_of(bit)};
  }
  std::sort(men.begin(), men.end());
  const int own_king = cell_of(position.king_cell());
  const int other_king = cell_of(std::countr_zero(position.kings() & position.others()));
  return {table_of(men[0].first, men[1].first),
          ((own_king * kCells + other_king) * kCells + men[0].second) * kCells + men[1].second};
}

// Whether there is such a position; `position` is set if so.
bool set_up(int first, int second, int number, Position& position, const tengen::ChessAttacks& attacks) {
  const int cell_2 = number % kCells;
  const int cell_1 = number / kCells % kCells;
  const int other_king = number / (kCells * kCells) % kCells;
  const int own_king = number / (kCells * kCells * kCells);
  position = {};
  std::uint64_t used = 0;
  const auto put = [&](int cell, ChessPiece piece, bool own) {
    const bool free = (used >> cell & 1) == 0;
    used |= 1ULL << cell;
    position.put(bit_of(cell), piece, own);
    return free && (piece != ChessPiece::kPawn || (cell >= 5 && cell < kCells - 5));
  };
  if (!put(own_king, ChessPiece::kKing, true) || !put(other_king, ChessPiece::kKing, false)) return false;
  for (const auto& [type, cell] : {std::pair(first, cell_1), std::pair(second, cell_2)}) {
    if (type == kNoPiece ? cell != 0 : !put(cell, kPieces[at(type % 5)], type < 5)) return false;
  }
  if (first == second && first != kNoPiece && cell_1 > cell_2) return false;  // the same position again
  return !position.turned().in_check(attacks);
}

class Tables {
 public:
  Tables() : actions_(false), values_(at(table_of(kNoPiece, kNoPiece) + 1)) {
    // Captures and promotions lead to tables that come first: of fewer pieces, then of fewer pawns.
    solve(kNoPiece, kNoPiece);
    std::vector<std::pair<int, int>> all;
    for (int first = 0; first < kNumTypes; ++first) {
      for (int second = first; second <= kNoPiece; ++second) {
        if (second != kNumTypes) all.emplace_back(first, second);
      }
      all.emplace_back(first, kNoPiece);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    const auto pawns = [](int type) { return type % 5 == 0 && type != kNoPiece ? 1 : 0; };
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
      const auto rank = [&](const auto& men) {
        return (men.second == kNoPiece ? 0 : 10) + pawns(men.first) + pawns(men.second);
      };
      return rank(a) < rank(b);
    });
    for (const auto& [first, second] : all) solve(first, second);
  }

  const Actions& actions() const { return actions_; }
  Value value(const Position& position) const {
    const Place place = place_of(position);
    return values_[at(place.table)][at(place.number)];
  }
  int longest() const { return longest_; }  // plies to mate

 private:
  // The same pieces as the other player sees them.
  static std::pair<int, int> swapped(int first, int second) {
    const auto other = [](int type) { return type == kNoPiece ? type : (type + 5) % 10; };
    return std::minmax({other(first), other(second)});
  }

  // A table and the one of the other player, between which the moves without captures and promotions go.
  void solve(int first, int second) {
    const auto [other_first, other_second] = swapped(first, second);
    const std::array<int, 2> tables = {table_of(first, second), table_of(other_first, other_second)};
    if (!values_[at(tables[0])].empty()) return;
    for (const int table : tables) {
      values_[at(table)].assign(kPlaces, kDraw);
      open_[at(table)].assign(kPlaces, 0);
      late_[at(table)].assign(kPlaces, 0);
    }
    levels_.assign(kWorth, {});
    begin(first, second);
    if (tables[1] != tables[0]) begin(other_first, other_second);
    for (int plies = 0; plies < kWorth; ++plies) {
      for (std::size_t i = 0; i < levels_[at(plies)].size(); ++i) {
        const Place place = levels_[at(plies)][i];
        Value& value = values_[at(place.table)][at(place.number)];
        if (value != kDraw) continue;  // decided sooner
        value = static_cast<Value>(plies % 2 == 1 ? plies : -plies - 1);
        longest_ = std::max(longest_, plies);
        Position position;
        set_up(place.table / (kNumTypes + 1), place.table % (kNumTypes + 1), place.number, position,
               actions_.attacks());
        tell_positions_before(position, plies);
      }
    }
    for (const int table : tables) {
      open_[at(table)] = {};
      late_[at(table)] = {};
    }
  }

  static constexpr std::uint8_t kNeverLost = 255;

  // Counts the moves of every position that stay in the two tables, and takes the results of those that leave them.
  void begin(int first, int second) {
    const int table = table_of(first, second);
    const auto [other_first, other_second] = swapped(first, second);
    const int next_table = table_of(other_first, other_second);
    Position position;
    for (int number = 0; number < kPlaces; ++number) {
      if (!set_up(first, second, number, position, actions_.attacks())) {
        values_[at(table)][at(number)] = kImpossible;
        continue;
      }
      int inside = 0;
      int sooner = kWorth;  // plies to the soonest win by leaving
      int later = -1;       // plies to the latest loss by leaving
      bool draws = false;
      Actions::any(actions_.legal_moves(position), [&](ChessMove move) {
        Position next = position;
        next.make(actions_.attacks(), move);
        const Place place = place_of(next);
        if (place.table == next_table) {
          ++inside;
          return false;
        }
        const Value value = values_[at(place.table)][at(place.number)];
        if (value < 0) sooner = std::min(sooner, -value);
        if (value > 0) later = std::max(later, value + 1);
        if (value == kDraw) draws = true;
        return false;
      });
      const bool moves = inside > 0 || sooner < kWorth || later >= 0 || draws;
      std::uint8_t& open = open_[at(table)][at(number)];
      open = static_cast<std::uint8_t>(inside);
      late_[at(table)][at(number)] = static_cast<Value>(later);
      if (!moves && position.in_check(actions_.attacks())) {
        levels_[0].push_back({table, number});
      } else if (!moves || position.lacks_material()) {
        open = kNeverLost;
        drawn_.insert({table, number});
      } else if (sooner < kWorth) {
        levels_[at(sooner)].push_back({table, number});
        open = kNeverLost;
      } else if (draws) {
        open = kNeverLost;
      } else if (inside == 0) {
        levels_[at(later)].push_back({table, number});
      }
    }
  }

  // A position is decided in so many plies: what does it mean for those from which a move leads to it?
  void tell_positions_before(const Position& position, int plies) {
    const Position moved = position.turned();  // as the player sees it who moved last
    const std::uint64_t blocked = moved.occupied() | ~Position::kBoard;
    for (std::uint64_t men = moved.own; men != 0; men &= men - 1) {
      const int to = std::countr_zero(men);
      const ChessPiece piece = moved.piece(to);
      for (std::uint64_t left = came_from(piece, to, blocked) & ~blocked; left != 0; left &= left - 1) {
        Position before = moved;
        before.put(to, ChessPiece::kNone, false);
        before.put(std::countr_zero(left), piece, true);
        const Place place = place_of(before);
        if (values_[at(place.table)][at(place.number)] != kDraw || drawn_.count(place) > 0) continue;
        if (plies % 2 == 0) {  // lost for who is to move there
          levels_[at(plies + 1)].push_back(place);
          continue;
        }
        std::uint8_t& open = open_[at(place.table)][at(place.number)];
        if (open == kNeverLost || --open > 0) continue;
        levels_[at(std::max(plies + 1, int{late_[at(place.table)][at(place.number)]}))].push_back(place);
      }
    }
  }

  std::uint64_t came_from(ChessPiece piece, int to, std::uint64_t blocked) const {
    const tengen::ChessAttacks& attacks = actions_.attacks();
    switch (piece) {
      case ChessPiece::kPawn:
        return (1ULL << to) << 8 & ~Position::kBottomRow;
      case ChessPiece::kKnight:
        return attacks.knight(to);
      case ChessPiece::kKing:
        return attacks.king(to);
      case ChessPiece::kBishop:
        return attacks.bishop(to, blocked);
      case ChessPiece::kRook:
        return attacks.rook(to, blocked);
      default:
        return attacks.bishop(to, blocked) | attacks.rook(to, blocked);
    }
  }

  struct Before {
    bool operator()(const Place& a, const Place& b) const {
      return a.table != b.table ? a.table < b.table : a.number < b.number;
    }
  };

  Actions actions_;
  std::vector<std::vector<Value>> values_;           // [table][place]
  std::array<std::vector<std::uint8_t>, 121> open_;  // moves that are not known to lose
  std::array<std::vector<Value>, 121> late_;         // the latest loss by a move that leaves
  std::vector<std::vector<Place>> levels_;           // by plies to mate, if nothing sooner is found
  std::set<Place, Before> drawn_;                    // by stalemate or lack of pieces
  int longest_ = 0;
};

// The line of a position: its FEN, and the score of every move for the player to move. Empty if no move can be wrong.
std::string line_of(const Game& game, const Tables& tables, const Game::State& state) {
  tengen::ActionList legal(game.spec().legal_bound());
  game.legal_actions(state, legal);
  std::set<int> results;
  std::string scores;
  int best = -kWorth;
  for (const tengen::Action action : legal) {
    Position next = state.position;
    next.make(tables.actions().attacks(), tables.actions().move_of(state.position, action));
    const Value value = tables.value(next);
    const int score = value < 0 ? kWorth + value : value > 0 ? value + 1 - kWorth : 0;
    best = std::max(best, score);
    results.insert((score > 0) - (score < 0));
    scores += (scores.empty() ? "\"" : ", \"") + game.action_text(state, action) + "\": " + std::to_string(score);
  }
  if (results.size() < 2) return {};
  return "{\"position\": \"" + game.position_text(state) + "\", \"score\": " + std::to_string(best) +
         ", \"move score\": {" + scores + "}}";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: minichess_endgames COUNT SEED\n");
    return 2;
  }
  const Tables tables;
  std::fprintf(stderr, "the longest mate takes %d plies\n", tables.longest());
  const Game game("minichess", {}, tengen::ChessRules{});
  tengen::Rng rng(static_cast<std::uint64_t>(std::atoll(argv[2])));
  std::set<std::string> written;
  while (written.size() < static_cast<std::size_t>(std::atoi(argv[1]))) {
    const int first = static_cast<int>(rng.below(kNumTypes));
    const int second = rng.below(4) == 0 ? kNoPiece : static_cast<int>(rng.below(kNumTypes));
    Game::State state;
    if (!set_up(std::min(first, second), std::max(first, second), static_cast<int>(rng.below(kPlaces)), state.position,
                tables.actions().attacks())) {
      continue;
    }
    state.to_move = rng.below(2) == 0 ? tengen::Player::kFirst : tengen::Player::kSecond;
    state.key = state.position.key();
    const std::string line = line_of(game, tables, state);
    if (!line.empty() && written.insert(line).second) std::printf("%s\n", line.c_str());
  }
}

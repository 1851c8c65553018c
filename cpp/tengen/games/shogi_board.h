// The shogi board: pieces, hands and legal moves, without results, planes or texts (shogi.h). One engine for 9x9 and
// for the 5x5 of minishogi.
//
// Everything is said by direction. A piece steps or slides in some of eight directions (a knight jumps in two more),
// and a move is its direction, its target and whether it promotes: the piece that moves is the nearest one behind the
// target. So the legal moves of a position are a set of target cells for each direction, found with a few shifts of
// whole sets of pieces, and no move is made to find out whether it is legal.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tengen/base/rng.h"
#include "tengen/base/zobrist.h"
#include "tengen/games/cell_set.h"
#include "tengen/games/game.h"
#include "tengen/games/shogi_tables.h"

namespace tengen {

template <int kSize>
class ShogiBoard : public shogi::Tables<kSize> {
  using T = shogi::Tables<kSize>;
  static constexpr std::size_t at(int i) { return shogi::at(i); }
  static constexpr std::size_t at(Player player) { return shogi::at(player); }

  // Pieces are kept by the way they move: a promoted pawn, lance, knight or silver is a gold.
  enum Way { kPawns, kLances, kKnights, kSilvers, kBishops, kRooks, kGolds, kKings, kHorses, kDragons, kNumWays };
  static constexpr std::array<std::uint8_t, shogi::kNumKinds> kWayOf = {kPawns, kLances, kKnights, kSilvers, kBishops,
                                                                        kRooks, kGolds,  kKings,   kGolds,   kGolds,
                                                                        kGolds, kGolds,  kHorses,  kDragons};

 public:
  using Cells = typename T::Cells;

  static constexpr std::uint8_t kEmpty = 255;
  static constexpr std::uint8_t code(int kind, Player player) {
    return static_cast<std::uint8_t>(kind | index(player) << 4);
  }
  static constexpr int kind_of(std::uint8_t code) { return code & 15; }
  static constexpr Player owner_of(std::uint8_t code) { return static_cast<Player>(code >> 4); }

  struct Position {
    std::array<std::uint8_t, T::kCells> piece;                         // code or kEmpty
    std::array<std::array<std::uint8_t, shogi::kNumHeld>, 2> hands{};  // by player and kind
    std::array<Cells, 2> of{};                                         // pieces by player
    std::array<Cells, kNumWays> ways{};                                // pieces of both players by the way they move
    std::array<std::uint8_t, 2> king{};                                // cells
    Player to_move = Player::kFirst;
    std::uint64_t key = 0;  // of all of this

    Position() { piece.fill(kEmpty); }
    // The rest follows from these.
    bool operator==(const Position& other) const {
      return piece == other.piece && hands == other.hands && to_move == other.to_move;
    }
    Cells occupied() const { return of[0] | of[1]; }
    Cells own(Way way) const { return ways[way] & of[at(to_move)]; }
  };

  struct Move {
    int source;  // cell; of a drop: -1
    int target;  // cell
    int kind;    // as it arrives
  };

  // Moves as sets of targets; directions as the player to move sees them, cells as drawn.
  struct Moves {
    std::array<Cells, shogi::kDirections> plain{};
    std::array<Cells, shogi::kDirections> promoting{};
    std::array<Cells, shogi::kNumHeld> drops{};

    int size() const {
      int count = 0;
      for (const Cells& cells : plain) count += cells.size();
      for (const Cells& cells : promoting) count += cells.size();
      for (const Cells& cells : drops) count += cells.size();
      return count;
    }
  };

  // What the king of a player must know: who gives check, and which own pieces may not leave a line to it.
  struct King {
    Cells checkers;
    Cells between;                     // the cells that stop the check of a single slider
    Cells pinned;                      // own pieces
    std::array<Cells, 4> pinned_on{};  // the same by line: min(direction, opposite direction)
  };

  static void put(Position& position, int cell, int kind, Player player) {
    position.piece[at(cell)] = code(kind, player);
    position.of[at(player)].insert(cell);
    position.ways[kWayOf[at(kind)]].insert(cell);
    if (kind == shogi::kKing) position.king[at(player)] = static_cast<std::uint8_t>(cell);
    position.key ^= piece_key(cell, kind, player);
  }

  static void set_hand(Position& position, Player player, int kind, int count) {
    std::uint8_t& held = position.hands[at(player)][at(kind)];
    position.key ^= hand_key(player, kind, held) ^ hand_key(player, kind, count);
    held = static_cast<std::uint8_t>(count);
  }

  static void pass_turn(Position& position) {
    position.to_move = opponent(position.to_move);
    position.key ^= kTurnKey;
  }

  static void play(Position& position, const Move& move) {
    const Player own = position.to_move;
    if (move.source < 0) {
      set_hand(position, own, move.kind, position.hands[at(own)][at(move.kind)] - 1);
    } else {
      if (const std::uint8_t taken = position.piece[at(move.target)]; taken != kEmpty) {
        take(position, move.target);
        const int kind = kind_of(taken) % shogi::kPromoted;
        set_hand(position, own, kind, position.hands[at(own)][at(kind)] + 1);
      }
      take(position, move.source);
    }
    put(position, move.target, move.kind, own);
    pass_turn(position);
  }

  // What is needed to take a move back.
  struct Undo {
    std::int8_t source = -1;  // cell; of a drop: -1
    std::int8_t target = 0;   // cell
    std::uint8_t kind = 0;    // before the move
    std::uint8_t taken = 0;   // code or kEmpty
  };

  static Undo undo_of(const Position& position, const Move& move) {
    const int before = move.source < 0 ? move.kind : kind_of(position.piece[at(move.source)]);
    return {static_cast<std::int8_t>(move.source), static_cast<std::int8_t>(move.target),
            static_cast<std::uint8_t>(before), position.piece[at(move.target)]};
  }

  static void undo(Position& position, const Undo& last) {
    pass_turn(position);
    const Player own = position.to_move;
    take(position, last.target);
    if (last.source < 0) {
      set_hand(position, own, last.kind, position.hands[at(own)][last.kind] + 1);
      return;
    }
    put(position, last.source, last.kind, own);
    if (last.taken == kEmpty) return;
    const int kind = kind_of(last.taken) % shogi::kPromoted;
    set_hand(position, own, kind, position.hands[at(own)][at(kind)] - 1);
    put(position, last.target, kind_of(last.taken), opponent(own));
  }

  // Where a move of a direction (as the player to move sees it) to a target would come from: the nearest piece behind
  // the target. -1: there is none.
  static int source_of(const Position& position, int direction, int target) {
    const Player own = position.to_move;
    if (direction >= shogi::kSteps) {
      const int source = T::moved(own, direction, target, -1);
      return source >= 0 && position.piece[at(source)] != kEmpty ? source : -1;
    }
    return T::nearest(position.occupied(), shogi::opposite(shogi::turned(own, direction)), target);
  }

  // The move of that direction, if Moves has it.
  static Move board_move(const Position& position, int direction, int target, bool promotes) {
    const int source = source_of(position, direction, target);
    return {source, target, kind_of(position.piece[at(source)]) + (promotes ? int{shogi::kPromoted} : 0)};
  }

  static King look_at_king(const Position& position, Player player) {
    King king;
    const int cell = position.king[at(player)];
    const Cells occupied = position.occupied();
    king.checkers = near_attackers(position, player, cell);
    for_each_slider(position, player, cell, [&](int slider, int direction) {
      const Cells between = T::between(cell, direction, slider);
      const Cells blockers = between & occupied;
      if (blockers.empty()) {
        king.checkers.insert(slider);
        king.between = king.between | between;
      } else if (blockers.size() == 1 && !(blockers & position.of[at(player)]).empty()) {
        king.pinned = king.pinned | blockers;
        Cells& line = king.pinned_on[at(line_of(direction))];
        line = line | blockers;
      }
    });
    return king;
  }

  // Whether the king of `player` could be taken.
  static bool is_attacked(const Position& position, Player player) {
    return can_be_taken(position, player, position.king[at(player)], position.occupied());
  }

  // Whether the player to move has a legal move.
  static bool can_move(const Position& position) {
    const King king = look_at_king(position, position.to_move);
    if (king.checkers.empty()) {  // nearly always there is a piece that may step forward
      const Cells movers = position.of[at(position.to_move)].without(king.pinned);
      const Cells stepping = (position.ways[kPawns] | position.ways[kGolds]) & movers;
      const Cells reached = position.to_move == Player::kFirst ? T::template step<shogi::kUp>(stepping)
                                                               : T::template step<shogi::kDown>(stepping);
      if (!reached.without(position.of[at(position.to_move)]).empty()) return true;
    }
    Moves moves;
    legal_moves(position, king, moves);
    return moves.size() > 0;
  }

  static void legal_moves(const Position& position, const King& king, Moves& moves) {
    possible_moves(position, king, moves);
    const Player own = position.to_move;
    for (int d = 0; d < shogi::kSteps; ++d) {
      const int target = T::kNeighbour[at(shogi::turned(own, d))][position.king[at(own)]];
      if (target >= 0 && moves.plain[at(d)].has(target) && leaves_king_unsafe(position, target)) {
        moves.plain[at(d)].erase(target);
      }
    }
    Cells& pawns = moves.drops[shogi::kPawn];
    const Cells check = pawns & before_king(position);
    if (!check.empty() && is_mate(position, {-1, check.first(), shogi::kPawn})) pawns = pawns.without(check);
  }

  // The same with moves of the king to where it could be taken, and with mates by a dropped pawn.
  static void possible_moves(const Position& position, const King& king, Moves& moves) {
    const Player own = position.to_move;
    const Cells free = T::kBoard.without(position.of[at(own)]);
    const int num_checkers = king.checkers.size();
    if (num_checkers < 2) {
      const Cells stop = king.checkers | king.between;
      const Cells targets = num_checkers == 0 ? free : free & stop;
      if (own == Player::kFirst) {
        find_piece_moves<Player::kFirst>(position, king, targets, moves);
      } else {
        find_piece_moves<Player::kSecond>(position, king, targets, moves);
      }
      const Cells empty = free.without(position.of[at(opponent(own))]);
      find_drops(position, num_checkers == 0 ? empty : king.between, moves);
    }
    for (int d = 0; d < shogi::kSteps; ++d) {
      const int target = T::kNeighbour[at(shogi::turned(own, d))][position.king[at(own)]];
      if (target >= 0 && free.has(target)) moves.plain[at(d)].insert(target);
    }
  }

  // Whether a possible move is not legal.
  static bool is_forbidden(const Position& position, const Move& move) {
    if (move.kind == shogi::kKing) return leaves_king_unsafe(position, move.target);
    return move.source < 0 && move.kind == shogi::kPawn && before_king(position).has(move.target) &&
           is_mate(position, move);
  }

  // The cells from which a piece of the player to move would give check.
  static Cells checks_from(const Position& position, int kind) {
    const Player own = position.to_move;
    const int king = position.king[at(opponent(own))];
    if (kind == shogi::kKnight) return T::kJumps[at(opponent(own))][at(king)];
    Cells cells;
    for (int d = 0; d < shogi::kSteps; ++d) {
      const int back = shogi::opposite(shogi::turned(own, d));
      if ((shogi::kStepsOf[at(kind)] >> d & 1) != 0) cells = cells | T::neighbour(king, back);
      if ((shogi::kSlidesOf[at(kind)] >> d & 1) != 0) cells = cells | T::slide(position.occupied(), back, king);
    }
    return cells;
  }

 private:
  static void take(Position& position, int cell) {
    const std::uint8_t taken = position.piece[at(cell)];
    position.piece[at(cell)] = kEmpty;
    position.of[at(owner_of(taken))].erase(cell);
    position.ways[kWayOf[at(kind_of(taken))]].erase(cell);
    position.key ^= piece_key(cell, kind_of(taken), owner_of(taken));
  }

  static constexpr std::size_t kMostHeld = 18;  // pawns
  static constexpr auto kPieceKeys = zobrist_keys<std::size_t{2} * shogi::kNumKinds * T::kCells>(0x5309);
  static constexpr auto kHandKeys = zobrist_keys<std::size_t{2} * shogi::kNumHeld*(kMostHeld + 1)>(0x5310);
  static constexpr std::uint64_t kTurnKey = zobrist_keys<1>(0x5311)[0];
  static std::uint64_t piece_key(int cell, int kind, Player player) {
    return kPieceKeys[at((index(player) * shogi::kNumKinds + kind) * T::kCells + cell)];
  }
  static std::uint64_t hand_key(Player player, int kind, int count) {
    return count == 0 ? 0 : kHandKeys[at((index(player) * shogi::kNumHeld + kind) * (int{kMostHeld} + 1) + count)];
  }

  static constexpr int line_of(int direction) { return std::min(direction, shogi::opposite(direction)); }

  // ---- attacks on a cell of `player`

  // The opponent's pieces that reach the cell with one step or jump.
  static Cells near_attackers(const Position& position, Player player, int cell) {
    const Player other = opponent(player);
    Cells found = (T::kAround[at(cell)] & position.of[at(other)]);
    found.for_each([&](int from) {
      const int direction = shogi::turned(other, T::kDirectionTo[at(from)][at(cell)]);
      if ((shogi::kStepsOf[at(kind_of(position.piece[at(from)]))] >> direction & 1) == 0) found.erase(from);
    });
    // A knight attacks a cell from where a knight of the player would jump to.
    return found | (T::kJumps[at(player)][at(cell)] & position.ways[kKnights] & position.of[at(other)]);
  }

  static Cells all_sliders(const Position& position) {
    const auto& ways = position.ways;
    return ways[kLances] | ways[kBishops] | ways[kRooks] | ways[kHorses] | ways[kDragons];
  }

  // Calls visit(cell, direction to it) for every slider of the opponent that would reach the cell on an empty board.
  template <class Visit>
  static void for_each_slider(const Position& position, Player player, int cell, const Visit& visit) {
    const Player other = opponent(player);
    (all_sliders(position) & position.of[at(other)] & T::kInLine[at(cell)]).for_each([&](int slider) {
      const int direction = T::kDirectionTo[at(cell)][at(slider)];
      const int towards = shogi::turned(other, shogi::opposite(direction));  // as its owner sees it
      if ((shogi::kSlidesOf[at(kind_of(position.piece[at(slider)]))] >> towards & 1) != 0) visit(slider, direction);
    });
  }

  static bool can_be_taken(const Position& position, Player player, int cell, const Cells& occupied) {
    if (!near_attackers(position, player, cell).empty()) return true;
    bool taken = false;
    for_each_slider(position, player, cell, [&](int slider, int direction) {
      taken = taken || (T::between(cell, direction, slider) & occupied).empty();
    });
    return taken;
  }

  // The king does not hide the cells behind it.
  static bool leaves_king_unsafe(const Position& position, int target) {
    const Player own = position.to_move;
    return can_be_taken(position, own, target, position.occupied().without(T::single(position.king[at(own)])));
  }

  // Where a pawn of the player to move would give check.
  static Cells before_king(const Position& position) {
    const Player other = opponent(position.to_move);
    return T::neighbour(position.king[at(other)], shogi::turned(other, shogi::kUp));
  }

  static bool is_mate(Position position, const Move& move) {
    play(position, move);
    return !can_move(position);
  }

  // ---- moves

  // The pieces of both players, but for kings, that step in a direction as their owner sees it.
  template <int kDirection>
  static Cells steppers(const Position& position) {
    const auto& ways = position.ways;
    if constexpr (kDirection == shogi::kUp) {
      return ways[kPawns] | ways[kSilvers] | ways[kGolds] | ways[kHorses];
    } else if constexpr (kDirection == shogi::kUpLeft || kDirection == shogi::kUpRight) {
      return ways[kSilvers] | ways[kGolds] | ways[kDragons];
    } else if constexpr (kDirection == shogi::kDownLeft || kDirection == shogi::kDownRight) {
      return ways[kSilvers] | ways[kDragons];
    } else {
      return ways[kGolds] | ways[kHorses];
    }
  }

  template <Player kOwn>
  static void find_piece_moves(const Position& position, const King& king, const Cells& targets, Moves& moves) {
    const Cells free_movers = position.of[at(kOwn)].without(king.pinned);
    const Cells zone = T::zone(kOwn);
    shogi::for_each_step([&](auto direction) {
      constexpr int kDirection = direction;
      constexpr int kDrawn = shogi::turned(kOwn, kDirection);
      const Cells movers = free_movers | king.pinned_on[at(line_of(kDirection))];
      Cells plain = T::template step<kDrawn>(steppers<kDirection>(position) & movers) & targets;
      if constexpr ((shogi::kSilverSteps >> kDirection & 1) != 0) {
        Cells promotable = position.ways[kSilvers] & movers;
        if constexpr (kDirection == shogi::kUp) {
          const Cells pawns = position.ways[kPawns] & movers;
          promotable = promotable | pawns;
          plain = plain.without(T::template step<kDrawn>(pawns) & T::far_rows(kOwn, 1));
        }
        const Cells reached =
            (T::template step<kDrawn>(promotable) & zone) | T::template step<kDrawn>(promotable & zone);
        moves.promoting[kDirection] = reached & targets;
      }
      moves.plain[kDirection] = plain;
    });
    find_slides(position, king, targets, moves);
    if constexpr (kSize == 9) {
      const Cells knights = position.ways[kKnights] & free_movers;
      const auto add = [&](int direction, const Cells& reached) {
        moves.plain[at(direction)] = reached.without(T::far_rows(kOwn, 2));
        moves.promoting[at(direction)] = reached & zone;
      };
      add(shogi::kJumpLeft, T::template jump<kOwn, shogi::kJumpLeft>(knights) & targets);
      add(shogi::kJumpRight, T::template jump<kOwn, shogi::kJumpRight>(knights) & targets);
    }
  }

  static void find_slides(const Position& position, const King& king, const Cells& targets, Moves& moves) {
    const Player own = position.to_move;
    const Cells occupied = position.occupied();
    const Cells zone = T::zone(own);
    (all_sliders(position) & position.of[at(own)]).for_each([&](int cell) {
      const int kind = kind_of(position.piece[at(cell)]);
      const bool pinned = king.pinned.has(cell);
      for (std::uint32_t left = shogi::kSlidesOf[at(kind)]; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        if (pinned && !king.pinned_on[at(line_of(d))].has(cell)) continue;
        const Cells reached = T::slide(occupied, shogi::turned(own, d), cell) & targets;
        moves.plain[at(d)] = moves.plain[at(d)] | reached.without(T::dead_end(own, kind));
        if (kind < shogi::kPromoted) {
          moves.promoting[at(d)] = moves.promoting[at(d)] | (zone.has(cell) ? reached : reached & zone);
        }
      }
    });
  }

  static void find_drops(const Position& position, const Cells& targets, Moves& moves) {
    const Player own = position.to_move;
    const auto& hand = position.hands[at(own)];
    for (int kind = 0; kind < shogi::kNumHeld; ++kind) {
      if (hand[at(kind)] > 0) moves.drops[at(kind)] = targets.without(T::dead_end(own, kind));
    }
    if (hand[shogi::kPawn] == 0) return;
    Cells& pawns = moves.drops[shogi::kPawn];
    position.own(kPawns).for_each([&](int cell) {
      pawns = pawns.without(T::kColumns[at(cell % kSize)]);  // no second pawn in a column
    });
  }
};

}  // namespace tengen

// What stands on a chess board, and how it moves: legal moves, check, and moves made. No counters, no results.
//
// A position is always seen by the player to move, whose pawns go up the board: making a move turns the board over. So
// one piece of code serves both sides, and a network sees all positions from one side. kSize is 8 for chess; 5 and 6
// are its small relatives, without castling and without double steps of pawns.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tengen/base/rng.h"
#include "tengen/games/bitboard.h"
#include "tengen/games/chess_attacks.h"

namespace tengen {

// The bits of a kind are those of the three words of a position. Bit 2 marks the pieces that move along lines, bit 0 or
// 1 of which are diagonals or rows and columns.
enum class ChessPiece : std::uint8_t {
  kNone = 0,
  kPawn = 1,
  kKnight = 2,
  kKing = 3,
  kBishop = 5,
  kRook = 6,
  kQueen = 7,
};

struct ChessMove {
  std::int8_t from = 0;  // bits of the board
  std::int8_t to = 0;    // of a castling king: where its rook stands
  ChessPiece promotion = ChessPiece::kNone;
  bool castles = false;
  bool operator==(const ChessMove&) const = default;
};

// Legal moves in groups: a piece and where it can go, or pawns that all go the same way.
class ChessMoves {
 public:
  enum class Kind : std::uint8_t { kPiece, kPawns, kPromotions, kCastling };
  struct Group {
    std::uint64_t targets;
    std::int8_t from;  // a bit of the board; of pawns: what to add to a target
    Kind kind;
  };

  explicit ChessMoves(int num_promotions) : num_promotions_(num_promotions) {}

  void add(Kind kind, int from, std::uint64_t targets) {
    if (targets == 0) return;
    groups_[size_++] = {targets, static_cast<std::int8_t>(from), kind};
    total_ += std::popcount(targets) * (kind == Kind::kPromotions ? num_promotions_ : 1);
  }

  int total() const { return total_; }
  const Group* begin() const { return groups_.data(); }
  const Group* end() const { return groups_.data() + size_; }

  // Calls f(ChessMove) for each of them, until it returns true; whether one did.
  template <class F>
  bool any(const std::array<ChessPiece, 4>& promotions, F f) const {
    for (const Group& group : *this) {
      for (std::uint64_t left = group.targets; left != 0; left &= left - 1) {
        const int to = std::countr_zero(left);
        const bool pawns = group.kind == Kind::kPawns || group.kind == Kind::kPromotions;
        ChessMove move{static_cast<std::int8_t>(pawns ? to + group.from : group.from), static_cast<std::int8_t>(to),
                       ChessPiece::kNone, group.kind == Kind::kCastling};
        if (group.kind != Kind::kPromotions) {
          if (f(move)) return true;
          continue;
        }
        for (int i = 0; i < num_promotions_; ++i) {
          move.promotion = promotions[static_cast<std::size_t>(i)];
          if (f(move)) return true;
        }
      }
    }
    return false;
  }

  // The n-th of them; n is below total().
  ChessMove nth(int n, const std::array<ChessPiece, 4>& promotions) const;

 private:
  // At most 16 pieces, 8 of them pinned pawns with two groups each; 7 ways of all other pawns; en passant and castling
  // twice each.
  static constexpr std::size_t kMostGroups = 40;
  std::array<Group, kMostGroups> groups_;  // the first size_ are set
  std::size_t size_ = 0;
  int total_ = 0;
  int num_promotions_;
};

template <int kSize>
struct ChessPosition {
  static constexpr bool kFull = kSize == 8;
  static constexpr std::uint64_t kRow = (1ULL << kSize) - 1;  // the top row
  static constexpr std::uint64_t kBoard = [] {
    std::uint64_t board = 0;
    for (int row = 0; row < kSize; ++row) board |= kRow << (8 * row);
    return board;
  }();
  static constexpr std::uint64_t kBottomRow = kRow << (8 * (kSize - 1));
  static constexpr std::uint64_t kFirstColumn = kBoard & 0x0101010101010101ULL;
  static constexpr std::uint64_t kLastColumn = kFirstColumn << (kSize - 1);
  static constexpr std::int8_t kNone = -1;
  // Cells of one colour, for bishops.
  static constexpr std::uint64_t kLight = 0xaa55aa55aa55aa55ULL & kBoard;

  std::uint64_t own = 0;                // pieces of the player to move
  std::array<std::uint64_t, 3> kind{};  // bit i of the ChessPiece on each cell
  std::uint64_t castling = 0;           // rooks that may castle, of both players
  std::int8_t en_passant = kNone;       // where a pawn may take in passing: a cell, only if a pawn legally can
  bool operator==(const ChessPosition&) const = default;

  std::uint64_t occupied() const { return kind[0] | kind[1] | kind[2]; }
  std::uint64_t others() const { return occupied() & ~own; }
  std::uint64_t pawns() const { return kind[0] & ~kind[1] & ~kind[2]; }
  std::uint64_t knights() const { return kind[1] & ~kind[0] & ~kind[2]; }
  std::uint64_t kings() const { return kind[0] & kind[1] & ~kind[2]; }
  std::uint64_t bishops() const { return kind[2] & kind[0] & ~kind[1]; }
  std::uint64_t rooks() const { return kind[2] & kind[1] & ~kind[0]; }
  std::uint64_t queens() const { return kind[0] & kind[1] & kind[2]; }
  std::uint64_t diagonal() const { return kind[2] & kind[0]; }  // bishops and queens
  std::uint64_t straight() const { return kind[2] & kind[1]; }  // rooks and queens
  std::uint64_t of(ChessPiece piece) const {
    std::uint64_t cells = occupied();
    for (std::size_t i = 0; i < 3; ++i) cells &= ((static_cast<unsigned>(piece) >> i) & 1) != 0 ? kind[i] : ~kind[i];
    return cells;
  }

  ChessPiece piece(int cell) const {
    return static_cast<ChessPiece>((kind[0] >> cell & 1) | (kind[1] >> cell & 1) << 1 | (kind[2] >> cell & 1) << 2);
  }

  void put(int cell, ChessPiece piece, bool is_own) {
    const std::uint64_t bit = 1ULL << cell;
    own = is_own ? own | bit : own & ~bit;
    for (std::size_t i = 0; i < 3; ++i) {
      kind[i] = ((static_cast<unsigned>(piece) >> i) & 1) != 0 ? kind[i] | bit : kind[i] & ~bit;
    }
  }

  // The board upside down.
  static constexpr std::uint64_t turned(std::uint64_t cells) { return __builtin_bswap64(cells) >> (8 * (8 - kSize)); }
  static constexpr int turned_cell(int cell) { return (kSize - 1 - cell / 8) * 8 + cell % 8; }

  // The same seen by the other player.
  ChessPosition turned() const {
    ChessPosition view;
    view.own = turned(others());
    for (std::size_t i = 0; i < 3; ++i) view.kind[i] = turned(kind[i]);
    view.castling = turned(castling);
    view.en_passant = en_passant == kNone ? kNone : static_cast<std::int8_t>(turned_cell(en_passant));
    return view;
  }

  // Cells that pawns going up from `pawns` attack, to the left and to the right.
  static constexpr std::uint64_t up_left(std::uint64_t pawns) { return (pawns & ~kFirstColumn) >> 9; }
  static constexpr std::uint64_t up_right(std::uint64_t pawns) { return (pawns & ~kLastColumn) >> 7; }

  // The opponent's pieces that attack a cell, if these cells are occupied.
  std::uint64_t attackers(const ChessAttacks& attacks, int cell, std::uint64_t occupied_cells) const {
    const std::uint64_t blocked = occupied_cells | ~kBoard;
    const std::uint64_t bit = 1ULL << cell;
    return ((attacks.rook(cell, blocked) & straight()) | (attacks.bishop(cell, blocked) & diagonal()) |
            (attacks.knight(cell) & knights()) | (attacks.king(cell) & kings()) |
            ((up_left(bit) | up_right(bit)) & pawns())) &
           others() & occupied_cells;
  }

  int king_cell() const { return std::countr_zero(kings() & own); }
  bool in_check(const ChessAttacks& attacks) const { return attackers(attacks, king_cell(), occupied()) != 0; }

  // Where the king and the rook stand after castling with that rook.
  static constexpr int castled_king(int king, int rook) { return king / 8 * 8 + (rook > king ? 6 : 2); }
  static constexpr int castled_rook(int king, int rook) { return king / 8 * 8 + (rook > king ? 5 : 3); }

  // kAny: it is enough to know whether there are any.
  template <bool kAny = false>
  void legal_moves(const ChessAttacks& attacks, ChessMoves& moves) const {
    using Kind = ChessMoves::Kind;
    const std::uint64_t all = occupied();
    const std::uint64_t theirs = all & ~own;
    const std::uint64_t blocked = all | ~kBoard;
    const int king = king_cell();
    const std::uint64_t king_bit = 1ULL << king;

    // The king leaves its cell: a line that goes through it goes on behind it.
    std::uint64_t king_targets = attacks.king(king) & kBoard & ~own;
    for (std::uint64_t left = king_targets; left != 0; left &= left - 1) {
      const int to = std::countr_zero(left);
      if (attackers(attacks, to, (all ^ king_bit) | 1ULL << to) != 0) king_targets ^= 1ULL << to;
    }
    moves.add(Kind::kPiece, king, king_targets);
    if (kAny && moves.total() > 0) return;

    // In check, other pieces must take the piece that checks or step in between; in double check, they can't.
    const std::uint64_t checkers = attackers(attacks, king, all);
    std::uint64_t useful = kBoard & ~own;
    if (checkers != 0) {
      if ((checkers & (checkers - 1)) != 0) return;
      useful = checkers | attacks.between(king, std::countr_zero(checkers));
    }

    // A piece that stands alone between the king and a line of the opponent moves on that line only.
    std::uint64_t free = own & ~king_bit;
    const std::uint64_t walls = theirs | ~kBoard;
    std::uint64_t snipers =
        ((attacks.rook(king, walls) & straight()) | (attacks.bishop(king, walls) & diagonal())) & theirs;
    for (; snipers != 0; snipers &= snipers - 1) {
      const int sniper = std::countr_zero(snipers);
      const std::uint64_t line = attacks.between(king, sniper);
      const std::uint64_t pinned = line & own;
      if (pinned == 0 || (pinned & (pinned - 1)) != 0) continue;
      free ^= pinned;
      const int from = std::countr_zero(pinned);
      const std::uint64_t targets = useful & (line | 1ULL << sniper);
      if ((pinned & pawns()) != 0) {
        add_pawns(moves, pinned, all, theirs, targets);
      } else {
        moves.add(Kind::kPiece, from, targets & piece_attacks(attacks, from, blocked));
      }
    }

    add_pawns(moves, free & pawns(), all, theirs, useful);
    if (kAny && moves.total() > 0) return;
    for (std::uint64_t left = free & knights(); left != 0; left &= left - 1) {
      const int from = std::countr_zero(left);
      moves.add(Kind::kPiece, from, attacks.knight(from) & useful);
    }
    for (std::uint64_t left = free & bishops(); left != 0; left &= left - 1) {
      const int from = std::countr_zero(left);
      moves.add(Kind::kPiece, from, attacks.bishop(from, blocked) & useful);
    }
    for (std::uint64_t left = free & rooks(); left != 0; left &= left - 1) {
      const int from = std::countr_zero(left);
      moves.add(Kind::kPiece, from, attacks.rook(from, blocked) & useful);
    }
    for (std::uint64_t left = free & queens(); left != 0; left &= left - 1) {
      const int from = std::countr_zero(left);
      moves.add(Kind::kPiece, from, (attacks.rook(from, blocked) | attacks.bishop(from, blocked)) & useful);
    }

    if constexpr (kFull) {
      if (en_passant != kNone) add_en_passant(attacks, moves);
      if (checkers == 0 && (castling & kBottomRow) != 0) add_castling(attacks, moves, king);
    }
  }

  // Makes a legal move and turns the board over. Whether it can't be taken back: a capture or a move of a pawn.
  bool make(const ChessAttacks& attacks, ChessMove move) {
    const std::uint64_t from = 1ULL << move.from;
    const std::uint64_t to = 1ULL << move.to;
    const ChessPiece piece_moved = piece(move.from);
    const bool takes = (others() & to) != 0;
    bool double_step = false;
    if (move.castles) {
      const int row = move.from / 8 * 8;
      put(move.from, ChessPiece::kNone, false);
      put(move.to, ChessPiece::kNone, false);
      put(row + (move.to > move.from ? 6 : 2), ChessPiece::kKing, true);
      put(row + (move.to > move.from ? 5 : 3), ChessPiece::kRook, true);
    } else {
      const auto placed = static_cast<unsigned>(move.promotion == ChessPiece::kNone ? piece_moved : move.promotion);
      std::uint64_t cleared = from | to;
      if (piece_moved == ChessPiece::kPawn) {
        if (move.to == en_passant) cleared |= to << 8;
        double_step = move.from - move.to == 16;
      }
      own = (own & ~cleared) | to;
      for (std::size_t i = 0; i < 3; ++i) kind[i] = (kind[i] & ~cleared) | ((placed >> i & 1) != 0 ? to : 0);
    }
    if constexpr (kFull) {
      castling &= ~(from | to);
      if (piece_moved == ChessPiece::kKing) castling &= ~kBottomRow;
    }
    en_passant = kNone;
    *this = turned();
    if constexpr (kFull) {
      if (double_step) allow_en_passant(attacks, turned_cell(move.to) - 8);
    }
    return takes || piece_moved == ChessPiece::kPawn;
  }

  // A pawn of the opponent has passed over `cell` with its double step: notes it, if a pawn can legally take it.
  void allow_en_passant(const ChessAttacks& attacks, int cell) {
    if ((takers_in_passing(cell) & pawns() & own) == 0) return;
    en_passant = static_cast<std::int8_t>(cell);
    ChessMoves moves(4);
    add_en_passant(attacks, moves);
    if (moves.total() == 0) en_passant = kNone;
  }

  // Neither side has the pieces to give mate: bare kings, one knight, or bishops on cells of one colour.
  bool lacks_material() const {
    if ((pawns() | straight()) != 0) return false;
    if (knights() != 0) return std::popcount(occupied()) == 3;
    return (bishops() & kLight) == 0 || (bishops() & ~kLight) == 0;
  }

  // Different positions differ but for chance. It does not say who is to move.
  std::uint64_t key() const {
    const std::uint64_t board = folded(own ^ 0x9e3779b97f4a7c15ULL, kind[0] ^ 0xc2b2ae3d27d4eb4fULL) ^
                                folded(kind[1] ^ 0x165667b19e3779f9ULL, kind[2] ^ 0xd6e8feb86659fd93ULL);
    const std::uint64_t rights =
        castling + (static_cast<std::uint64_t>(en_passant + 1) << 16);  // middle rows: no rooks
    return folded(board ^ 0xa0761d6478bd642fULL, rights ^ 0xe7037ed1a0b428dbULL) ^ board;
  }

 private:
  // Both halves of the product.
  static std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  std::uint64_t piece_attacks(const ChessAttacks& attacks, int from, std::uint64_t blocked) const {
    switch (piece(from)) {
      case ChessPiece::kBishop:
        return attacks.bishop(from, blocked);
      case ChessPiece::kRook:
        return attacks.rook(from, blocked);
      case ChessPiece::kQueen:
        return attacks.bishop(from, blocked) | attacks.rook(from, blocked);
      default:
        return 0;  // a pinned knight does not move
    }
  }

  // Moves of these pawns to cells of `useful`, but for en passant.
  static void add_pawns(ChessMoves& moves, std::uint64_t pawns, std::uint64_t all, std::uint64_t theirs,
                        std::uint64_t useful) {
    using Kind = ChessMoves::Kind;
    const std::uint64_t steps = (pawns >> 8) & ~all;
    const auto add = [&](int back, std::uint64_t targets) {
      moves.add(Kind::kPawns, back, targets & ~kRow);
      moves.add(Kind::kPromotions, back, targets & kRow);
    };
    add(8, steps & useful);
    if constexpr (kFull) moves.add(Kind::kPawns, 16, ((steps & (kRow << 40)) >> 8) & ~all & useful);
    add(9, up_left(pawns) & theirs & useful);
    add(7, up_right(pawns) & theirs & useful);
  }

  // Where a pawn must stand to take on `cell` in passing.
  static constexpr std::uint64_t takers_in_passing(int cell) {
    const std::uint64_t bit = 1ULL << cell;
    return (bit & ~kFirstColumn) << 7 | (bit & ~kLastColumn) << 9;
  }

  // Two pawns leave their row at once, so the king is looked at as if the move were made.
  void add_en_passant(const ChessAttacks& attacks, ChessMoves& moves) const {
    const std::uint64_t to = 1ULL << en_passant;
    for (std::uint64_t left = takers_in_passing(en_passant) & pawns() & own; left != 0; left &= left - 1) {
      const int from = std::countr_zero(left);
      if (attackers(attacks, king_cell(), (occupied() ^ 1ULL << from ^ to << 8) | to) == 0) {
        moves.add(ChessMoves::Kind::kPiece, from, to);
      }
    }
  }

  // The king passes over no attacked cell, and all cells on the ways of both are empty but for themselves. In Chess960
  // the rook may have stood between the king and an attacker, so the last cell is looked at with both moved.
  void add_castling(const ChessAttacks& attacks, ChessMoves& moves, int king) const {
    for (std::uint64_t left = castling & kBottomRow; left != 0; left &= left - 1) {
      const int rook = std::countr_zero(left);
      const int king_to = castled_king(king, rook);
      const int rook_to = castled_rook(king, rook);
      const std::uint64_t both = 1ULL << king | 1ULL << rook;
      const std::uint64_t ways =
          attacks.between(king, king_to) | attacks.between(rook, rook_to) | 1ULL << king_to | 1ULL << rook_to;
      if ((ways & occupied() & ~both) != 0) continue;
      const std::uint64_t without_king = occupied() & ~(1ULL << king);
      bool attacked = attackers(attacks, king_to, (occupied() & ~both) | 1ULL << king_to | 1ULL << rook_to) != 0;
      for (std::uint64_t way = attacks.between(king, king_to); way != 0 && !attacked; way &= way - 1) {
        const int passed = std::countr_zero(way);
        attacked = attackers(attacks, passed, without_king | 1ULL << passed) != 0;
      }
      if (!attacked) moves.add(ChessMoves::Kind::kCastling, king, 1ULL << rook);
    }
  }
};

inline ChessMove ChessMoves::nth(int n, const std::array<ChessPiece, 4>& promotions) const {
  for (const Group& group : *this) {
    const int each = group.kind == Kind::kPromotions ? num_promotions_ : 1;
    const int count = std::popcount(group.targets) * each;
    if (n >= count) {
      n -= count;
      continue;
    }
    const int to = nth_set_bit(group.targets, static_cast<std::uint32_t>(n / each));
    const bool pawns = group.kind == Kind::kPawns || group.kind == Kind::kPromotions;
    return {static_cast<std::int8_t>(pawns ? to + group.from : group.from), static_cast<std::int8_t>(to),
            group.kind == Kind::kPromotions ? promotions[static_cast<std::size_t>(n % each)] : ChessPiece::kNone,
            group.kind == Kind::kCastling};
  }
  return {};
}

}  // namespace tengen

// A position of a game of chess with its counters, and what repetition and the planes need of the past.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "tengen/base/rng.h"
#include "tengen/games/chess_position.h"
#include "tengen/games/game.h"

namespace tengen {

template <int kSize>
class ChessState {
 public:
  using Position = ChessPosition<kSize>;
  static constexpr int kMostReversible = 150;  // plies without a capture or a move of a pawn
  static constexpr int kHistory = 8;           // positions in the planes of AlphaZero, this one included

  // An earlier position for the planes, as its player to move saw it.
  struct Past {
    std::uint64_t own = 0;
    std::array<std::uint64_t, 3> kind{};
    bool repeated = false;
    bool operator==(const Past&) const = default;
  };

  ChessState() = default;
  ChessState(const ChessState& other) { *this = other; }
  // Copies the part of the history that is in use.
  ChessState& operator=(const ChessState& other) {
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
  bool operator==(const ChessState& other) const {
    return position == other.position && ply == other.ply && clock == other.clock && to_move == other.to_move &&
           std::equal(keys.data(), keys.data() + num_keys, other.keys.data(), other.keys.data() + other.num_keys) &&
           std::equal(past.data(), past.data() + num_past, other.past.data(), other.past.data() + other.num_past);
  }

  // The position becomes the latest of the earlier ones, of which `most` are kept.
  void remember(int most) {
    const int kept = std::min<int>(num_past + 1, most);
    for (int i = kept - 1; i > 0; --i) past[static_cast<std::size_t>(i)] = past[static_cast<std::size_t>(i - 1)];
    past[0] = {position.own, position.kind, repeats > 0};
    num_past = static_cast<std::uint8_t>(kept);
  }

  // A hash that tells also what the planes show of the past.
  std::uint64_t hash_past(std::uint64_t hash) const {
    for (int i = 0; i < num_past; ++i) {
      const Past& shown = past[static_cast<std::size_t>(i)];
      hash = mix64(hash ^ mix64(shown.own ^ mix64(shown.kind[0] ^ mix64(shown.kind[1] ^ mix64(shown.kind[2] + 1)))) ^
                   (shown.repeated ? 1U : 0U));
    }
    return hash;
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

}  // namespace tengen

// The Game concept: what a game must say about itself, and nothing more.
//
// A game object holds rules and sizes only and never changes. A State is a value: copy it, compare it, hash it.
// Everything else (random play-outs, perft, legality of one action, symmetric copies) is derived in derived.h.
//
// Conventions, the same for every game:
//   cells    row 0 is the top row as drawn; cell = row * width + column; planes are [planes][height][width]
//   actions  0 .. num_actions-1, the index into the policy
//   values   an Outcome is per player; a value is for one player (value_for converts, the only place that does)
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tengen {

using Action = std::int32_t;

enum class Player : std::int8_t { kFirst = 0, kSecond = 1 };

constexpr Player opponent(Player player) { return player == Player::kFirst ? Player::kSecond : Player::kFirst; }
constexpr int index(Player player) { return static_cast<int>(player); }

// How a finished game ended. A draw is said, never encoded as a number.
struct Outcome {
  std::optional<Player> winner;  // empty: a draw

  static constexpr Outcome win(Player player) { return {player}; }
  static constexpr Outcome draw() { return {std::nullopt}; }
  constexpr bool operator==(const Outcome&) const = default;
};

// +1 for a win of `player`, -1 for a loss, 0 for a draw.
constexpr float value_for(const Outcome& outcome, Player player) {
  if (!outcome.winner) return 0.0F;
  return *outcome.winner == player ? 1.0F : -1.0F;
}

// One symmetry of the board. Reading order: new_planes[c][i] = planes[c][cell_source[i]] and
// new_policy[a] = policy[action_source[a]]; so an action `a` played on the old board is the action b with
// action_source[b] == a on the new one.
struct Symmetry {
  std::string name;
  std::vector<std::int32_t> cell_source;    // [height * width]
  std::vector<std::int32_t> action_source;  // [num_actions]
};

// What the actions of a game are on its board: symmetries and the shape of a policy head follow from it.
enum class ActionLayout {
  kCells,    // action i is cell i; actions past the last cell (a pass) belong to the board as a whole
  kColumns,  // action i is column i
  kOther,    // no relation to the board
};

struct GameSpec {
  std::string name;     // for people and file names: "go"
  std::string source;   // what load() takes: "go", "my_game.py"
  std::string options;  // and with it: "size=9, komi=7.5"; source and options rebuild the game
  int num_planes = 0;
  int height = 0;
  int width = 0;
  int num_actions = 0;
  int most_legal = 0;  // no state has more legal actions; 0: num_actions. Trees, caches and records count by it
  ActionLayout action_layout = ActionLayout::kCells;
  int longest_game = 0;                     // no game has more actions than this
  std::vector<std::string> plane_names;     // [num_planes]
  std::array<std::string, 2> player_names;  // first, second: "black", "white"
  std::vector<Symmetry> symmetries;         // the identity first
  constexpr int num_cells() const { return height * width; }
  constexpr int legal_bound() const { return most_legal > 0 ? most_legal : num_actions; }
  constexpr int planes_size() const { return num_planes * height * width; }
};

// Legal actions in increasing order, written by a game into storage the caller keeps.
class ActionList {
 public:
  explicit ActionList(int capacity) : actions_(static_cast<std::size_t>(capacity)) {}

  void clear() { size_ = 0; }
  void push(Action action) { actions_[size_++] = action; }
  int size() const { return static_cast<int>(size_); }
  Action operator[](int i) const { return actions_[static_cast<std::size_t>(i)]; }
  const Action* begin() const { return actions_.data(); }
  const Action* end() const { return begin() + size(); }

 private:
  std::vector<Action> actions_;
  std::size_t size_ = 0;  // not the type of an action, or every push would have to read it again
};

template <class G>
concept Game = std::copyable<typename G::State> && std::equality_comparable<typename G::State> &&
               requires(const G game, typename G::State& state, const typename G::State& seen, Action action,
                        ActionList& list, float* planes, std::string_view text) {
                 { game.spec() } -> std::same_as<const GameSpec&>;
                 { game.initial_state() } -> std::same_as<typename G::State>;
                 { game.to_move(seen) } -> std::same_as<Player>;
                 // Clears the list and fills it; left empty when the game is over.
                 { game.legal_actions(seen, list) } -> std::same_as<void>;
                 // `action` must be legal: callers check, so that the search does not pay for it twice.
                 { game.play(state, action) } -> std::same_as<void>;
                 { game.outcome(seen) } -> std::same_as<std::optional<Outcome>>;
                 // Writes all planes_size() floats, as seen by the player to move.
                 { game.write_planes(seen, planes) } -> std::same_as<void>;
                 // Equal states have equal hashes; different states differ but for chance (2^-64).
                 { game.hash(seen) } -> std::same_as<std::uint64_t>;
                 { game.action_text(action) } -> std::same_as<std::string>;
                 { game.parse_action(text) } -> std::same_as<std::optional<Action>>;
                 // The board as people draw it; parse_board reads it back (BoardTextError if it can't).
                 { game.board_text(seen) } -> std::same_as<std::string>;
                 { game.parse_board(text) } -> std::same_as<typename G::State>;
               };

}  // namespace tengen

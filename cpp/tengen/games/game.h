// The Game concept: what a game must say about itself, and nothing more.
//
// A game object holds rules and sizes only and never changes. A State is a value: copy it, compare it, hash it.
// Everything else (random play-outs, perft, legality of one action, what stands on the board) is derived in derived.h;
// a game may say some of it itself, faster or better: the optional members are listed at the end of this file.
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
#include <utility>
#include <variant>
#include <vector>

#include "tengen/base/rng.h"

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

// Why a game ended. reason_text() is the word that Python and records have for it.
enum class Reason : std::uint8_t {
  kLine,            // stones in a row
  kFullBoard,       // no cell is left
  kNoMove,          // the player to move has no legal action
  kTwoPasses,       // in a row
  kLength,          // the game reached its longest length
  kMajority,        // who has more at the end
  kConnection,      // two sides of the board are joined
  kCapture,         // something that decides the game was taken
  kCheckmate,       //
  kStalemate,       //
  kRepetition,      // of a position
  kPerpetualCheck,  // a repetition in which one side gave check with every move
  kFiftyMoves,      // without progress
  kMaterial,        // too little of it to win
  kDeclaration,     // a player declared a win that the rules allow, as by an entering king
  kResignation,     // a player gave up
  kForfeit,         // a player broke the rules or ran out of time
  kAgreement,       // the players, or a judge, agreed on the result
  kRules,           // the rules say no more than that it is over
};

constexpr std::array<std::string_view, 19> kReasonTexts = {
    "line",      "full board", "no move",    "two passes",      "length",      "majority", "connection",  "capture",
    "checkmate", "stalemate",  "repetition", "perpetual check", "fifty moves", "material", "declaration", "resignation",
    "forfeit",   "agreement",  "rules"};

constexpr std::string_view reason_text(Reason reason) { return kReasonTexts[static_cast<std::size_t>(reason)]; }

constexpr std::optional<Reason> parse_reason(std::string_view text) {
  for (std::size_t i = 0; i < kReasonTexts.size(); ++i) {
    if (kReasonTexts[i] == text) return static_cast<Reason>(i);
  }
  return std::nullopt;
}

// An outcome with its reason, for people and records. The search and play-outs do without.
struct Ending {
  Outcome outcome;
  Reason reason = Reason::kRules;
  std::string sentence;  // "four in a row", "two passes: 47 to 34.5"; may be empty
};

// A kind of piece. Its code in cells() is its index in GameSpec::pieces + 1; 0 is an empty cell.
struct Piece {
  std::string name;             // "stone", "knight"
  std::string letter;           // one character, unique in its game: "X", "N"
  std::optional<Player> owner;  // empty: of neither player
  std::string colour;           // "#rrggbb", or empty: the one that draws it chooses
};

// Where an action happens: from and to, to alone (a stone), or a held piece and to (a drop). All empty: a pass, or an
// action without a place.
struct ActionCells {
  std::optional<int> source;  // cell
  std::optional<int> target;  // cell
  std::optional<int> piece;   // code of the piece that comes from the hand
  bool operator==(const ActionCells&) const = default;
};

// The pieces that a player holds: (code, count).
using Hand = std::vector<std::pair<int, int>>;

// How a random game ended, and after how many actions.
struct Playout {
  Outcome outcome;
  std::int64_t actions;
};

// One symmetry of the board. Reading order: new_planes[c][i] = planes[c][cell_source[i]] and
// new_policy[a] = policy[action_source[a]]; so an action `a` played on the old board is the action b with
// action_source[b] == a on the new one.
struct Symmetry {
  std::string name;
  std::vector<std::int32_t> cell_source;    // [height * width]
  std::vector<std::int32_t> action_source;  // [num_actions]
};

// What the actions of a game are on its board: names, symmetries and the shape of a policy head follow from it.
enum class ActionLayout {
  kCells,    // action i is cell i; actions past the last cell (a pass) belong to the board as a whole
  kColumns,  // action i is column i
  kPlanes,   // action = plane * num_cells + cell, as in from-to moves; past the last whole plane as with kCells
  kDense,    // no relation to the board
};

constexpr std::array<std::string_view, 4> kActionLayoutTexts = {"cells", "columns", "planes", "dense"};

constexpr std::string_view action_layout_text(ActionLayout layout) {
  return kActionLayoutTexts[static_cast<std::size_t>(layout)];
}

// How the board is drawn.
enum class BoardShape { kSquare, kHex };

// An option of a game as it was given, or its default: a flag, a whole number or a number.
using OptionValue = std::variant<bool, std::int64_t, double>;
using OptionValues = std::vector<std::pair<std::string, OptionValue>>;  // in the order in which the game declares them

struct GameSpec {
  std::string name;            // for people and file names: "go"
  std::string source;          // what load() takes: "go", "my_game.py"
  OptionValues options;        // and with it: size=9, komi=7.5; source and options rebuild the game
  std::string rules_digest{};  // sha256 of a rules file's text; empty for all other games
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
  std::vector<Piece> pieces{};              // empty: the game does not say what stands on its board
  std::vector<int> hands{};                 // codes of pieces that can be held
  BoardShape shape = BoardShape::kSquare;
  std::string score_name{};  // what score() counts: "points", "discs"; empty: the game has no score

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

// The one list of members that a game may have besides. derived.h has a function for each, which uses the member if
// there is one and says what is done without.
template <class G>
using StateOf = typename G::State;

// For speed. The answers, and the distribution of what is drawn, must be the same as without.
template <class G>  // any action, of a finished game too
concept HasIsLegal = requires(const G game, const StateOf<G> state, Action action) {
  { game.is_legal(state, action) } -> std::same_as<bool>;
};
template <class G>  // uniform over the legal actions of an unfinished game
concept HasRandomAction = requires(const G game, const StateOf<G> state, Rng& rng) {
  { game.random_action(state, rng) } -> std::same_as<Action>;
};
template <class G>  // plays such an action, if that can be done without its number
concept HasPlayRandom = requires(const G game, StateOf<G>& state, Rng& rng) {
  { game.play_random(state, rng) } -> std::same_as<void>;
};
template <class G>  // plays such actions until the game is over
concept HasRandomPlayout = requires(const G game, StateOf<G>& state, Rng& rng) {
  { game.random_playout(state, rng) } -> std::same_as<Playout>;
};
template <class G>  // the number of action sequences of that length, at most kMostCounted
concept HasCountSequences = requires(const G game, const StateOf<G> state, int length) {
  { game.count_sequences(state, length) } -> std::same_as<std::uint64_t>;
};
template <class G>  // an action that wins at once; may look only where it is worth while
concept HasWinningAction = requires(const G game, const StateOf<G> state) {
  { game.winning_action(state) } -> std::same_as<std::optional<Action>>;
};
template <class G>  // how good the last move looks for whoever made it; only the order of moves depends on it
concept HasPromise = requires(const G game, const StateOf<G> state) {
  { game.promise(state) } -> std::same_as<int>;
};

// For the network: states with equal keys have equal planes and equal legal actions.
template <class G>
concept HasEvaluationKey = requires(const G game, const StateOf<G> state) {
  { game.evaluation_key(state) } -> std::same_as<std::uint64_t>;
};

// For games whose actions are seen from the side of the player to move: one number is e2e4 for white and e7e5 for
// black. action_text(action) and parse_action(text), which every game has, then read it as the first player's.
template <class G>  // of any action, legal or not; parse_action reads it back, and may read other notations besides
concept HasActionTextIn = requires(const G game, const StateOf<G> state, Action action, std::string_view text) {
  { game.action_text(state, action) } -> std::same_as<std::string>;
  { game.parse_action(state, text) } -> std::same_as<std::optional<Action>>;
};
template <class G>  // a legal action as game records for people have it (SAN); parse_action(state, text) reads it too
concept HasNotation = requires(const G game, const StateOf<G> state, Action action) {
  { game.notation(state, action) } -> std::same_as<std::string>;
};
template <class G>  // the position as programs exchange it (FEN, SFEN); parse_board reads it besides the drawing
concept HasPositionText = requires(const G game, const StateOf<G> state) {
  { game.position_text(state) } -> std::same_as<std::string>;
};

// For people, and for programs that show a position. The search does not ask.
template <class G>  // writes a piece code for each cell, [height * width]; asked only if spec.pieces has any
concept HasCells = requires(const G game, const StateOf<G> state, std::int8_t* out) {
  { game.cells(state, out) } -> std::same_as<void>;
};
template <class G>  // what each player holds; asked only if spec.hands has any
concept HasHands = requires(const G game, const StateOf<G> state) {
  { game.hands(state) } -> std::same_as<std::array<Hand, 2>>;
};
template <class G>  // of any action of the game, legal or not
concept HasActionCells = requires(const G game, const StateOf<G> state, Action action) {
  { game.action_cells(state, action) } -> std::same_as<ActionCells>;
};
template <class G>  // of a finished game
concept HasEnding = requires(const G game, const StateOf<G> state) {
  { game.ending(state) } -> std::same_as<Ending>;
};

// For rollout policies: what each of these legal actions does at once, [list.size()], numbers below kMostTactics.
inline constexpr int kMostTactics = 64;

template <class G>
concept HasTactics = requires(const G game, const StateOf<G> state, const ActionList& list, std::uint8_t* out) {
  { game.tactics(state, list, out) } -> std::same_as<void>;
};
// The same from move to move, for a game whose actions put a stone of the player (code 1 or 2) on an empty cell:
// `tracked` follows the play-out and says what the last action did: `taken`, cells that it emptied, and `touched`,
// cells whose tactics may have changed.
template <class G>
concept HasTrackedTactics =
    requires(const G game, StateOf<G>& state, typename G::Tracked& tracked, Action action, int cell) {
      { game.track(state, tracked) } -> std::same_as<void>;
      { game.play(state, action, tracked) } -> std::same_as<void>;
      { game.tactics(state, tracked, action) } -> std::same_as<int>;
      { tracked.taken.has(cell) } -> std::same_as<bool>;
      { tracked.touched.has(cell) } -> std::same_as<bool>;
    };

// What a game is counted by, for people and as targets of the learner.
template <class G>  // for the first player, at any time; asked only if spec.score_name is set
concept HasScore = requires(const G game, const StateOf<G> state) {
  { game.score(state) } -> std::same_as<double>;
};
template <class G>  // [height * width]: 1 the first player's, -1 the second's, 0 neither's
concept HasOwnership = requires(const G game, const StateOf<G> state, std::int8_t* out) {
  { game.ownership(state, out) } -> std::same_as<void>;
};

// What runs the rules: "compiled" or "interpreted"; "c++" without.
template <class G>
concept HasBackend = requires(const G game) {
  { game.backend() } -> std::convertible_to<std::string>;
};

}  // namespace tengen

// A game given as a table of C functions over a fixed number of state bytes: how rules written in Python reach the
// search. Numba compiles a rules file into such a table; rules that can't be compiled are called back through the same
// table (bindings/bind_table_game.cpp). No Python here.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tengen/base/error.h"
#include "tengen/base/rng.h"
#include "tengen/games/board_text.h"
#include "tengen/games/derived.h"
#include "tengen/games/game.h"

namespace tengen {

// What a function of the table returns. Every other negative number of a function that has a result is wrong, too.
enum RuleResult : std::int32_t {
  kRuleDone = 0,
  kRuleOngoing = -1,  // of outcome: the game goes on; 0 and 1: that player won
  kRuleDraw = 2,      // of outcome
  kRuleFailed = -100  // the rule raised an error; TableRules::explain says which
};

// The rules. `context` is handed back to every function; states are 16-byte aligned; masks and planes come zeroed.
struct RulesTable {
  void* context = nullptr;
  std::int32_t (*start)(void* context, std::uint8_t* state) = nullptr;  // null: the start is all zeros
  std::int32_t (*legal)(void* context, const std::uint8_t* state, std::uint8_t* mask) = nullptr;  // none if it is over
  std::int32_t (*play)(void* context, std::uint8_t* state, std::int32_t action) = nullptr;
  std::int32_t (*to_move)(void* context, const std::uint8_t* state) = nullptr;
  std::int32_t (*outcome)(void* context, const std::uint8_t* state) = nullptr;
  std::int32_t (*planes)(void* context, const std::uint8_t* state, float* planes) = nullptr;
  // A whole random game in one call, or null. It advances the state, the SplitMix64 word of Rng and `actions` exactly
  // as steps would, and gives the outcome; kRuleFailed, state and Rng untouched, for whatever steps would find wrong.
  std::int32_t (*playout)(void* context, std::uint8_t* state, std::uint64_t* rng, std::int64_t* actions) = nullptr;
};

// What people read and what programs show is off the hot path: each of these may be empty, and has a default made from
// the spec or is not asked.
struct RulesText {
  std::function<std::string(Action)> action_text;
  std::function<std::optional<Action>(std::string_view)> parse_action;
  std::function<std::string(const std::uint8_t* state)> board_text;
  std::function<void(std::uint8_t* state, const BoardDrawing& drawing)> set_board;
  std::function<void(const std::uint8_t* state, std::int8_t* out)> cells;
  std::function<double(const std::uint8_t* state)> score;
  std::function<std::string(const std::uint8_t* state)> reason;
};

struct TableRules {
  GameSpec spec;
  std::size_t state_size = 0;             // bytes
  bool numbered_actions = false;          // actions are written as their numbers, whatever the layout
  std::vector<ActionCells> action_cells;  // [num_actions], or empty: what follows from the layout
  std::string backend;                    // "compiled", "interpreted"
  RulesTable table;
  RulesText text;
  // A sentence on what went wrong when `rule` ("play" ...) failed on that state; `action` only for play.
  std::function<std::string(const char* rule, const std::uint8_t* state, Action action)> explain;
  std::shared_ptr<void> owner;  // keeps the functions alive
};

constexpr std::size_t kLargestTableState = 16384;

// kCapacity: bytes a State can hold; it bounds memory only, because copies copy no more than the game's state_size.
template <std::size_t kCapacity>
class TableGame {
 public:
  class State {
   public:
    explicit State(std::size_t size) : num_words_(static_cast<std::uint32_t>((size + 7) / 8)) {
      std::memset(words_.data(), 0, num_bytes());  // padding too, so that equal positions are equal bytes
    }
    State(const State& other) : num_words_(other.num_words_) {
      std::memcpy(words_.data(), other.words_.data(), num_bytes());
    }
    State& operator=(const State& other) {
      if (this == &other) return *this;
      num_words_ = other.num_words_;
      std::memcpy(words_.data(), other.words_.data(), num_bytes());
      return *this;
    }
    bool operator==(const State& other) const {
      return num_words_ == other.num_words_ && std::memcmp(words_.data(), other.words_.data(), num_bytes()) == 0;
    }

    std::uint8_t* bytes() { return reinterpret_cast<std::uint8_t*>(words_.data()); }
    const std::uint8_t* bytes() const { return reinterpret_cast<const std::uint8_t*>(words_.data()); }

    std::uint64_t hash() const {
      std::uint64_t h = num_words_;
      for (std::size_t i = 0; i < num_words_; ++i) h = mix64(h + 0x9e3779b97f4a7c15ULL) ^ words_[i];
      return mix64(h);
    }

   private:
    std::size_t num_bytes() const { return std::size_t{8} * num_words_; }

    std::uint32_t num_words_;
    alignas(16) std::array<std::uint64_t, kCapacity / 8> words_;  // only the first num_words_ mean anything
  };

  explicit TableGame(TableRules rules)
      : rules_(std::move(rules)), squares_{.height = rules_.spec.height, .width = rules_.spec.width} {
    if (rules_.state_size > kCapacity) {
      throw RulesError("A state of " + rules_.spec.name + " takes " + std::to_string(rules_.state_size) +
                       " bytes; at most " + std::to_string(kCapacity) + " fit.");
    }
  }

  const GameSpec& spec() const { return rules_.spec; }
  const std::string& backend() const { return rules_.backend; }

  State initial_state() const {
    State state(rules_.state_size);
    if (rules_.table.start && rules_.table.start(rules_.table.context, state.bytes()) != kRuleDone) {
      fail("start", State(rules_.state_size));
    }
    return state;
  }

  Player to_move(const State& state) const {
    const std::int32_t player = rules_.table.to_move(rules_.table.context, state.bytes());
    if (player == 0 || player == 1) return static_cast<Player>(player);
    if (player == kRuleFailed) fail("to_move", state);
    throw RulesError("to_move() of " + rules_.spec.name + " returned " + std::to_string(player) +
                     "; it returns 0 for the first player or 1 for the second.");
  }

  void legal_actions(const State& state, ActionList& list) const {
    list.clear();
    Mask mask(rules_.spec.num_actions);
    if (rules_.table.legal(rules_.table.context, state.bytes(), mask.bytes()) != kRuleDone) fail("legal", state);
    const int count = mask.count();
    if (count > rules_.spec.legal_bound()) {  // lists and trees have room for no more
      throw RulesError("legal() of " + rules_.spec.name + " allows " + std::to_string(count) +
                       " actions, although its most_legal is " + std::to_string(rules_.spec.legal_bound()) + ".");
    }
    mask.append_to(list);
    // A search takes it for granted that a game which goes on has a legal action.
    if (count == 0 && !outcome(state)) {
      throw NoLegalActionError("legal() of " + rules_.spec.name +
                               " allows nothing, but outcome() says that the game goes on. Allow a pass, or end the "
                               "game:\n" +
                               board_text(state));
    }
  }

  void play(State& state, Action action) const {
    const State before = state;
    if (rules_.table.play(rules_.table.context, state.bytes(), action) == kRuleDone) return;
    state = before;
    fail("play", state, action);
  }

  std::optional<Outcome> outcome(const State& state) const {
    return to_outcome(rules_.table.outcome(rules_.table.context, state.bytes()), state);
  }

  void write_planes(const State& state, float* planes) const {
    std::memset(planes, 0, sizeof(float) * static_cast<std::size_t>(rules_.spec.planes_size()));
    if (rules_.table.planes(rules_.table.context, state.bytes(), planes) != kRuleDone) fail("planes", state);
  }

  std::uint64_t hash(const State& state) const { return state.hash(); }

  Playout random_playout(State& state, Rng& rng) const {
    if (rules_.table.playout) {
      std::int64_t actions = 0;
      const auto result = rules_.table.playout(rules_.table.context, state.bytes(), word_of(rng), &actions);
      if (result != kRuleFailed) return {*to_outcome(result, state), actions};
    }
    return playout_by_steps(state, rng);  // which says what is wrong
  }

  // Squares such as b3, moves such as a2b3, columns from 1; one action past them is "pass"; or else numbers from 0.
  std::string action_text(Action action) const {
    if (rules_.text.action_text) return rules_.text.action_text(action);
    const GameSpec& spec = rules_.spec;
    if (rules_.numbered_actions) return std::to_string(action);
    if (spec.action_layout == ActionLayout::kColumns) return std::to_string(action + 1);
    if (spec.action_layout != ActionLayout::kDense && action + 1 == spec.num_actions &&
        spec.num_actions % spec.num_cells() == 1 && action > 0) {
      return "pass";
    }
    const ActionCells where = fixed_cells(action);
    if (!where.target) return std::to_string(action);
    return (where.source ? squares_.text(*where.source) : "") + squares_.text(*where.target);
  }

  // Without a function of the rules' own, whatever action_text writes is read, in upper or lower case.
  std::optional<Action> parse_action(std::string_view text) const {
    if (rules_.text.parse_action) {
      const auto action = rules_.text.parse_action(text);
      return action && *action >= 0 && *action < rules_.spec.num_actions ? action : std::nullopt;
    }
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    for (Action action = 0; action < rules_.spec.num_actions; ++action) {
      const std::string name = action_text(action);
      if (std::equal(name.begin(), name.end(), text.begin(), text.end(),
                     [&](char a, char b) { return lower(a) == lower(b); })) {
        return action;
      }
    }
    return std::nullopt;
  }

  // Without a function of the rules' own, the first two planes are the stones of the player to move and of the
  // opponent: pieces 1 and 2 are the first and the second player's.
  void cells(const State& state, std::int8_t* out) const {
    const auto num_cells = static_cast<std::size_t>(rules_.spec.num_cells());
    std::memset(out, 0, num_cells);
    if (rules_.text.cells) {
      rules_.text.cells(state.bytes(), out);
      return;
    }
    std::vector<float> planes(static_cast<std::size_t>(rules_.spec.planes_size()));
    write_planes(state, planes.data());
    const int mover = index(to_move(state));
    for (std::size_t cell = 0; cell < num_cells; ++cell) {
      if (planes[cell] != 0) out[cell] = static_cast<std::int8_t>(1 + mover);
      if (planes[num_cells + cell] != 0) out[cell] = static_cast<std::int8_t>(2 - mover);
    }
  }

  double score(const State& state) const { return rules_.text.score(state.bytes()); }

  // The reason is the word that the text begins with, if it is one of ours: "two passes: 12 to 9".
  Ending ending(const State& state) const {
    Ending ending{*outcome(state), Reason::kRules, ""};
    if (rules_.text.reason) ending.sentence = rules_.text.reason(state.bytes());
    const std::string_view sentence = ending.sentence;
    ending.reason = parse_reason(sentence.substr(0, sentence.find(':'))).value_or(Reason::kRules);
    return ending;
  }

  // In a game of columns: the cell that changes.
  ActionCells action_cells(const State& state, Action action) const {
    const GameSpec& spec = rules_.spec;
    if (spec.action_layout != ActionLayout::kColumns || !rules_.action_cells.empty()) return fixed_cells(action);
    if (spec.pieces.empty() || !is_legal(*this, state, action)) return {};
    const auto num_cells = static_cast<std::size_t>(spec.num_cells());
    std::vector<std::int8_t> before(num_cells);
    std::vector<std::int8_t> after(num_cells);
    State next = state;
    play(next, action);
    cells(state, before.data());
    cells(next, after.data());
    for (int cell = action; cell < spec.num_cells(); cell += spec.width) {
      const auto i = static_cast<std::size_t>(cell);
      if (before[i] == 0 && after[i] != 0) return {.source = {}, .target = cell, .piece = {}};
    }
    return {};
  }

  std::string board_text(const State& state) const {
    if (rules_.text.board_text) return rules_.text.board_text(state.bytes());
    const std::string letters = cell_letters(*this, state);
    const std::string turn = free_turn_line(rules_.spec, to_move(state), outcome(state).has_value());
    if (rules_.spec.action_layout == ActionLayout::kColumns) {
      return draw_columns(squares_.height, squares_.width, letters, turn);
    }
    return draw_board(squares_, letters, turn);
  }

  State parse_board(std::string_view text) const {
    if (!rules_.text.set_board) {
      throw BoardTextError(rules_.spec.name +
                           " cannot be set up from a drawing: its rules have no function set_board(state, cells, "
                           "to_move); give the moves instead.");
    }
    const BoardDrawing drawing = parse_drawing(text, rules_.spec);
    State state(rules_.state_size);
    rules_.text.set_board(state.bytes(), drawing);
    return state;
  }

 private:
  // A legal mask, one byte for each action, padded to whole words. Small games keep it on the stack.
  class Mask {
   public:
    explicit Mask(int num_actions) : num_words_((static_cast<std::size_t>(num_actions) + 7) / 8) {
      if (num_words_ > near_.size()) far_.resize(num_words_);
      std::memset(words(), 0, 8 * num_words_);
    }
    std::uint8_t* bytes() { return reinterpret_cast<std::uint8_t*>(words()); }

    int count() {
      int sum = 0;
      for (std::size_t i = 0; i < num_words_; ++i) sum += std::popcount(words()[i]);
      return sum;
    }

    void append_to(ActionList& list) {
      for (std::size_t i = 0; i < num_words_; ++i) {
        std::uint64_t left;
        std::memcpy(&left, bytes() + 8 * i, 8);
        for (; left != 0; left &= left - 1) list.push(static_cast<Action>(8 * i + first_byte(left)));
      }
    }

   private:
    static std::size_t first_byte(std::uint64_t word) {
      static_assert(std::endian::native == std::endian::little);
      return static_cast<std::size_t>(std::countr_zero(word)) / 8;
    }
    std::uint64_t* words() { return far_.empty() ? near_.data() : far_.data(); }

    std::size_t num_words_;
    std::array<std::uint64_t, 64> near_;
    std::vector<std::uint64_t> far_;
  };

  // What the rules say, or what follows from the layout whatever the position.
  ActionCells fixed_cells(Action action) const {
    if (!rules_.action_cells.empty()) return rules_.action_cells[static_cast<std::size_t>(action)];
    if (rules_.spec.action_layout != ActionLayout::kCells || action >= rules_.spec.num_cells()) return {};
    return {.source = {}, .target = action, .piece = {}};
  }

  static std::uint64_t* word_of(Rng& rng) {
    static_assert(sizeof(Rng) == sizeof(std::uint64_t) && std::is_standard_layout_v<Rng>);
    return reinterpret_cast<std::uint64_t*>(&rng);
  }

  Playout playout_by_steps(State& state, Rng& rng) const {
    ActionList list(rules_.spec.num_actions);
    for (std::int64_t actions = 0;; ++actions) {
      if (const auto result = outcome(state)) return {*result, actions};
      if (actions == rules_.spec.longest_game) {
        throw RulesError("A game of " + rules_.spec.name + " went on after " + std::to_string(actions) +
                         " actions, although its longest_game is " + std::to_string(actions) + ".");
      }
      legal_actions(state, list);
      play(state, list[static_cast<int>(rng.below(static_cast<std::uint32_t>(list.size())))]);
    }
  }

  std::optional<Outcome> to_outcome(std::int32_t result, const State& state) const {
    if (result == kRuleOngoing) return std::nullopt;
    if (result == kRuleDraw) return Outcome::draw();
    if (result == 0 || result == 1) return Outcome::win(static_cast<Player>(result));
    if (result == kRuleFailed) fail("outcome", state);
    throw RulesError("outcome() of " + rules_.spec.name + " returned " + std::to_string(result) +
                     "; it returns ONGOING, DRAW, or the number of the winner, 0 or 1.");
  }

  [[noreturn]] void fail(const char* rule, const State& state, Action action = 0) const {
    throw RulesError(rules_.explain ? rules_.explain(rule, state.bytes(), action)
                                    : std::string(rule) + "() of " + rules_.spec.name + " failed.");
  }

  TableRules rules_;
  SquareNames squares_;
};

}  // namespace tengen

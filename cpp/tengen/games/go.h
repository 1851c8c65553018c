// Go by the Tromp-Taylor rules: area scoring, positional superko, two passes end the game. docs/games/go.md is the
// page for players.
//
// The board is kept up incrementally. A chain is a circular list of its stones, named by one of them, with a count of
// its pseudo-liberties (pairs of a stone and an empty neighbour: counted twice where two stones share a liberty, but
// zero exactly when the chain has none). So a move costs the same on every board, but for the stones it takes.
//
// Superko forbids a move that recreates a past position. Three tests, each far cheaper and far more often enough than
// the next: a past position had a stone there only if such a stone was taken from there since; a filter with one bit
// for each past position; the list of their hashes.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "tengen/base/error.h"
#include "tengen/base/rng.h"
#include "tengen/base/zobrist.h"
#include "tengen/games/board_text.h"
#include "tengen/games/cell_set.h"
#include "tengen/games/game.h"
#include "tengen/games/options.h"
#include "tengen/games/symmetry.h"

namespace tengen {

struct GoRules {
  int size = 9;
  double komi = 7.5;     // a multiple of 0.5
  bool suicide = false;  // of several stones; of one stone is a repetition
  int history = 1;       // positions in the planes: 1, or 8 as in AlphaGo Zero
  int max_moves = 0;     // 0: 2 * size * size, which is AlphaGo Zero's 722 on the large board
};

// kMaxSize: the largest board it holds; a smaller one makes smaller and faster states.
template <int kMaxSize>
class Go {
 public:
  static constexpr int kCells = kMaxSize * kMaxSize;
  static constexpr int kLongest = 2 * kCells;  // the largest max_moves
  static constexpr int kHistory = 8;           // positions in the planes of AlphaGo Zero, this one included

 private:
  static constexpr int kNone = kCells;  // the cell off the board, and the chain of whatever is not a stone
  static constexpr std::int16_t kNoMove = -1;
  enum Mark : std::uint8_t { kBlack, kWhite, kEmpty, kOutside };  // a stone is the index of its player
  static constexpr int kFilterBits = static_cast<int>(std::bit_ceil(4U * kLongest));

  using Cells = CellSet<kCells + 1>;
  using Cell = std::conditional_t<(kNone < 256), std::uint8_t, std::uint16_t>;
  // A pseudo-liberty is an edge of the board, and there are 2 * kMaxSize * (kMaxSize - 1).
  using Count = std::conditional_t<(2 * kMaxSize * (kMaxSize - 1) < 256), std::uint8_t, std::uint16_t>;
  using Around = std::array<Cell, 4>;  // the neighbours of a cell, kNone for those off the board
  template <class T>
  using PerCell = std::array<T, kCells + 1>;

 public:
  struct State {
    // The board.
    std::array<Cells, 2> stones{};  // by player
    Cells empty{};
    PerCell<std::uint8_t> mark{};  // the same again, quicker to ask
    PerCell<Cell> chain{};         // of a stone: the name of its chain, the cell of one of its stones
    PerCell<Cell> next{};          // of a stone: another one of its chain, all of them in a circle
    PerCell<Count> liberties{};    // of a chain, by name: its pseudo-liberties; [kNone] counts nothing
    std::uint64_t position = 0;    // hash of the stones

    // The past.
    std::array<Cells, 2> taken{};                          // where stones of a player have been taken
    std::array<std::uint64_t, kFilterBits / 64> filter{};  // one bit for each past position
    std::array<std::uint64_t, kLongest + 1> past{};        // hashes of all positions, this one last
    std::uint64_t past_sum = 0;                            // of their mixed hashes: the past as a set
    // The last positions, if the planes show them: the stones before move n at n % (kHistory - 1).
    std::array<std::array<Cells, 2>, kHistory - 1> recent{};
    std::int16_t num_past = 0;
    std::int16_t num_empty = 0;
    std::int16_t num_moves = 0;
    std::int16_t last = kNoMove;         // action
    std::int16_t before_last = kNoMove;  // action
    std::uint8_t passes = 0;             // in a row
    Player to_move = Player::kFirst;

    // Equal in all that the future or the planes depend on. The past is compared as superko sees it: by hash.
    bool operator==(const State& other) const {
      return stones == other.stones && to_move == other.to_move && passes == other.passes && last == other.last &&
             before_last == other.before_last && num_moves == other.num_moves && num_past == other.num_past &&
             past_sum == other.past_sum && recent == other.recent;
    }
  };

  Go(const std::string& name, std::string options, const GoRules& rules)
      : rules_(rules), pass_(rules.size * rules.size) {
    check_rules(name);
    if (rules.max_moves == 0) rules_.max_moves = 2 * pass_;
    names_ = {.height = rules.size, .width = rules.size, .upper_case = true, .skip_i = true};
    spec_ = {.name = name,
             .source = name,
             .options = std::move(options),
             .num_planes = 0,
             .height = rules.size,
             .width = rules.size,
             .num_actions = pass_ + 1,
             .longest_game = rules_.max_moves,
             .plane_names = plane_names(),
             .player_names = {"black", "white"},
             .symmetries = dihedral_symmetries(rules.size, rules.size, pass_ + 1)};
    spec_.num_planes = static_cast<int>(spec_.plane_names.size());
    lay_out_board();
  }

  const GameSpec& spec() const { return spec_; }
  State initial_state() const { return start_; }
  Player to_move(const State& state) const { return state.to_move; }

  void legal_actions(const State& state, ActionList& list) const {
    list.clear();
    if (finished(state)) return;
    legal_cells(state).for_each([&](int cell) { list.push(cell); });
    list.push(pass_);
  }

  bool is_legal(const State& state, Action action) const {
    if (finished(state) || action < 0 || action > pass_) return false;
    return action == pass_ || (state.empty.has(action) && is_legal_cell(state, action));
  }

  // Draws among the empty cells and the pass until one is legal.
  Action random_action(const State& state, Rng& rng) const {
    const auto num_empty = static_cast<std::uint32_t>(state.num_empty);
    while (true) {
      const std::uint32_t n = rng.below(num_empty + 1);
      if (n == num_empty) return pass_;
      const int cell = state.empty.nth(n);
      if (is_legal_cell(state, cell)) return cell;
    }
  }

  void play(State& state, Action action) const {
    if (rules_.history > 1) recent(state, state.num_moves) = state.stones;
    ++state.num_moves;
    state.before_last = state.last;
    state.last = static_cast<std::int16_t>(action);
    if (action == pass_) {
      ++state.passes;
    } else {
      state.passes = 0;
      place(state, action);
      remember(state);
    }
    state.to_move = opponent(state.to_move);
  }

  std::optional<Outcome> outcome(const State& state) const {
    if (!finished(state)) return std::nullopt;
    const double score = area_score(state);
    if (score == 0) return Outcome::draw();
    return Outcome::win(score > 0 ? Player::kFirst : Player::kSecond);
  }

  // Black's area less white's area and komi, of the board as it stands.
  double area_score(const State& state) const {
    const Cells black = reached(state, kBlack);
    const Cells white = reached(state, kWhite);
    return black.without(white).size() - white.without(black).size() - rules_.komi;
  }

  // Whose area each cell is: +1 black's, -1 white's, 0 nobody's. out: [size * size]
  void ownership(const State& state, std::int8_t* out) const {
    const Cells black = reached(state, kBlack);
    const Cells white = reached(state, kWhite);
    for (int cell = 0; cell < pass_; ++cell) {
      out[cell] = static_cast<std::int8_t>(int(black.has(cell)) - int(white.has(cell)));
    }
  }

  void write_planes(const State& state, float* planes) const {
    std::fill_n(planes, spec_.planes_size(), 0.0F);
    if (rules_.history == 1) {
      write_features(state, planes);
    } else {
      write_history(state, planes);
    }
    if (state.to_move == Player::kFirst) std::fill_n(planes + (spec_.num_planes - 1) * pass_, pass_, 1.0F);
  }

  std::uint64_t hash(const State& state) const {
    std::uint64_t h = static_cast<std::uint64_t>(index(state.to_move)) | static_cast<std::uint64_t>(state.passes) << 1 |
                      static_cast<std::uint64_t>(state.last + 1) << 8 |
                      static_cast<std::uint64_t>(state.before_last + 1) << 24 |
                      static_cast<std::uint64_t>(state.num_moves) << 40;
    h = mix64(h ^ state.position) + state.past_sum;
    if (rules_.history > 1) {
      for (const auto& position : state.recent) {
        for (std::size_t w = 0; w < Cells::kWords; ++w) {
          h = mix64(h ^ position[0][w]) + position[1][w];
        }
      }
    }
    return mix64(h);
  }

  std::string action_text(Action action) const { return action == pass_ ? "pass" : names_.text(action); }

  std::optional<Action> parse_action(std::string_view text) const {
    std::string lower(text);
    for (char& letter : lower) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    if (lower == "pass") return pass_;
    return names_.parse(text);
  }

  std::string board_text(const State& state) const {
    std::string cells;
    for (int cell = 0; cell < pass_; ++cell) cells += "XO."[state.mark[at(cell)]];
    return draw_board(names_, cells, state.to_move, finished(state));
  }

  // The past begins with the drawing. One that says "game over" is a finished game, as after two passes.
  State parse_board(std::string_view text) const {
    const BoardDrawing drawing = parse_drawing(text, rules_.size, rules_.size);
    State state = start_;
    for (int cell = 0; cell < pass_; ++cell) {
      const char mark = drawing.cells[at(cell)];
      if (mark != '.') put(state, cell, mark == 'X' ? kBlack : kWhite);
    }
    for (int cell = 0; cell < pass_; ++cell) {
      if (state.mark[at(cell)] != kEmpty && state.liberties[state.chain[at(cell)]] == 0) {
        throw BoardTextError("The stones at " + names_.text(cell) + " have no liberty; they would have been taken.");
      }
    }
    state.to_move = drawing.to_move.value_or(Player::kFirst);
    if (text.find("game over") != std::string_view::npos) state.passes = 2;
    forget(state);
    remember(state);
    return state;
  }

 private:
  static constexpr std::size_t at(int cell) { return static_cast<std::size_t>(cell); }
  static constexpr std::uint64_t key(int mark, int cell) { return kKeys[at(mark * kCells + cell)]; }

  bool is_cell(Action action) const { return action >= 0 && action < pass_; }
  bool finished(const State& state) const { return state.passes >= 2 || state.num_moves >= rules_.max_moves; }

  // ---- Making a move

  // Adds a stone and joins it to its neighbours; what that leaves without liberties is still there.
  void put(State& state, int cell, Mark colour) const {
    state.stones[colour].insert(cell);
    state.empty.erase(cell);
    --state.num_empty;
    state.mark[at(cell)] = colour;
    state.position ^= key(colour, cell);

    const Around& around = around_[at(cell)];
    int free = 0;
    unsigned friends = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const Cell n = around[i];
      free += state.mark[n] == kEmpty;
      friends |= static_cast<unsigned>(state.mark[n] == colour) << i;
      --state.liberties[state.chain[n]];
    }
    state.liberties[at(cell)] = static_cast<Count>(free);
    state.chain[at(cell)] = static_cast<Cell>(cell);
    state.next[at(cell)] = static_cast<Cell>(cell);
    for (; friends != 0; friends &= friends - 1) {
      const Cell n = around[at(std::countr_zero(friends))];
      if (state.chain[n] != state.chain[at(cell)]) join(state, state.chain[n], state.chain[at(cell)]);
    }
  }

  void join(State& state, std::size_t kept, std::size_t renamed) const {
    // The chain with fewer liberties is nearly always the smaller one, and so the cheaper to rename.
    if (state.liberties[kept] < state.liberties[renamed]) std::swap(kept, renamed);
    state.liberties[kept] = static_cast<Count>(state.liberties[kept] + state.liberties[renamed]);
    std::size_t stone = renamed;
    do {
      state.chain[stone] = static_cast<Cell>(kept);
      stone = state.next[stone];
    } while (stone != renamed);
    std::swap(state.next[kept], state.next[renamed]);  // two circles become one
  }

  void place(State& state, int cell) const {
    const auto own = static_cast<Mark>(index(state.to_move));
    const auto other = static_cast<Mark>(1 - own);
    put(state, cell, own);
    const auto dead = [&](Cell n) { return (state.mark[n] == other) & (state.liberties[state.chain[n]] == 0); };
    const Around& around = around_[at(cell)];
    if (dead(around[0]) | dead(around[1]) | dead(around[2]) | dead(around[3])) {
      for (const Cell n : around) {
        if (dead(n)) take(state, n);
      }
    }
    if (state.liberties[state.chain[at(cell)]] == 0) take(state, cell);  // suicide
  }

  void take(State& state, int first) const {
    const auto colour = state.mark[at(first)];
    int stone = first;
    do {
      state.stones[colour].erase(stone);
      state.taken[colour].insert(stone);
      state.empty.insert(stone);
      ++state.num_empty;
      state.mark[at(stone)] = kEmpty;
      state.chain[at(stone)] = kNone;
      state.position ^= key(colour, stone);
      for (const Cell n : around_[at(stone)]) ++state.liberties[state.chain[n]];
      stone = state.next[at(stone)];
    } while (stone != first);
  }

  // ---- Legality

  // What a stone at a cell would touch.
  struct Contact {
    bool free = false;       // an empty cell
    bool connects = false;   // a chain of its own that has another liberty
    std::uint8_t takes = 0;  // bit i: the i-th neighbour's chain has no other liberty and is the opponent's
  };

  Contact contact(const State& state, int cell) const {
    const Around& around = around_[at(cell)];
    const int own = index(state.to_move);
    Contact contact;
    for (std::size_t i = 0; i < 4; ++i) {
      const int mark = state.mark[around[i]];
      const Cell chain = state.chain[around[i]];
      int shared = 0;  // pseudo-liberties of that chain which are this cell
      for (const Cell n : around) shared += state.chain[n] == chain;
      const bool last = state.liberties[chain] == shared;
      contact.free |= mark == kEmpty;
      contact.connects |= mark == own && !last;
      contact.takes |= static_cast<std::uint8_t>((mark == 1 - own && last) << i);
    }
    return contact;
  }

  // Of an empty cell.
  bool is_legal_cell(const State& state, int cell) const {
    const Around& around = around_[at(cell)];
    const auto own = static_cast<std::size_t>(index(state.to_move));
    const bool free = (state.mark[around[0]] == kEmpty) | (state.mark[around[1]] == kEmpty) |
                      (state.mark[around[2]] == kEmpty) | (state.mark[around[3]] == kEmpty);
    const bool may_repeat = state.taken[own].has(cell);
    if (free && !may_repeat) return true;
    const Contact touched = contact(state, cell);
    if (!touched.free && !touched.connects && touched.takes == 0)
      return rules_.suicide && is_legal_suicide(state, cell);
    return !may_repeat || !seen(state, position_after(state, cell, touched.takes));
  }

  // The hash of the position after a move that takes the chains marked in `takes`.
  std::uint64_t position_after(const State& state, int cell, unsigned takes) const {
    const int own = index(state.to_move);
    return state.position ^ key(own, cell) ^ chains_hash(state, cell, takes, 1 - own);
  }

  // A single stone would leave the position as it is, and so repeat it.
  bool is_legal_suicide(const State& state, int cell) const {
    const int own = index(state.to_move);
    unsigned chains = 0;
    for (std::size_t i = 0; i < 4; ++i) chains |= static_cast<unsigned>(state.mark[around_[at(cell)][i]] == own) << i;
    return chains != 0 && !seen(state, state.position ^ chains_hash(state, cell, chains, own));
  }

  // XOR of the keys of the chains of those neighbours of `cell` whose bit is set, each chain once.
  std::uint64_t chains_hash(const State& state, int cell, unsigned neighbours, int colour) const {
    const Around& around = around_[at(cell)];
    std::uint64_t h = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      bool counts = ((neighbours >> i) & 1) != 0;
      for (std::size_t j = 0; j < i; ++j) counts &= state.chain[around[j]] != state.chain[around[i]];
      if (!counts) continue;
      std::size_t stone = around[i];
      do {
        h ^= key(colour, static_cast<int>(stone));
        stone = state.next[stone];
      } while (stone != around[i]);
    }
    return h;
  }

  Cells legal_cells(const State& state) const {
    Cells legal = state.empty;
    const Cells free = state.empty & grown(state.empty);
    const Cells doubtful = state.empty.without(free) | (state.empty & state.taken[at(index(state.to_move))]);
    doubtful.for_each([&](int cell) {
      if (!is_legal_cell(state, cell)) legal.erase(cell);
    });
    return legal;
  }

  // ---- The past

  void remember(State& state) const {
    state.past[at(state.num_past++)] = state.position;
    state.past_sum += mix64(state.position);
    const std::uint64_t bit = state.position % kFilterBits;
    state.filter[bit / 64] |= 1ULL << (bit % 64);
  }

  // A new past, without a position.
  void forget(State& state) const {
    state.filter = {};
    state.num_past = 0;
    state.past_sum = 0;
  }

  bool seen(const State& state, std::uint64_t position) const {
    const std::uint64_t bit = position % kFilterBits;
    if (((state.filter[bit / 64] >> (bit % 64)) & 1) == 0) return false;
    bool found = false;  // no early way out: compared eight at a time
    for (int i = 0; i < state.num_past; ++i) found |= state.past[at(i)] == position;
    return found;
  }

  // ---- Whole boards

  // The cells next to a cell of the set; may run over the end of the board.
  Cells grown(const Cells& cells) const {
    return cells.without(last_column_).forward(1) | cells.without(first_column_).back(1) | cells.forward(rules_.size) |
           cells.back(rules_.size);
  }

  // The player's stones and the empty cells with a way over empty cells to one of them.
  Cells reached(const State& state, Mark colour) const {
    Cells reached = state.stones[colour];
    while (true) {
      const Cells more = reached | (grown(reached) & state.empty);
      if (more == reached) return reached;
      reached = more;
    }
  }

  // ---- Planes; all of them are zero before

  enum Plane { kOwnStones, kOtherStones, kLastMove, kMoveBefore, kLegal, kOwnFew, kOtherFew = 8, kPassed = 11 };

  std::vector<std::string> plane_names() const {
    std::vector<std::string> names;
    if (rules_.history == 1) {
      names = {"own stones", "opponent's stones", "last move", "move before it", "legal cells"};
      for (const std::string whose : {"own", "opponent's"}) {
        for (const std::string liberties : {"1 liberty", "2 liberties", "3 liberties"}) {
          names.push_back(whose + " chains with " + liberties);
        }
      }
      names.push_back("opponent has just passed");
    } else {
      for (int ago = 0; ago < kHistory; ++ago) {
        const std::string when = ago == 0 ? "" : ", " + std::to_string(ago) + (ago == 1 ? " move ago" : " moves ago");
        names.push_back("own stones" + when);
        names.push_back("opponent's stones" + when);
      }
    }
    names.push_back("black to move");
    return names;
  }

  void write_features(const State& state, float* planes) const {
    const auto plane = [&](int number) { return planes + number * pass_; };
    const int own = index(state.to_move);
    const PerCell<Count> liberties = count_liberties(state);
    for (const int side : {0, 1}) {  // own, opponent's
      float* stones = plane(kOwnStones + side);
      float* few = plane(side == 0 ? kOwnFew : kOtherFew);
      state.stones[at(side == 0 ? own : 1 - own)].for_each([&](int cell) {
        const int n = liberties[state.chain[at(cell)]];
        stones[cell] = 1.0F;
        few[(std::min(n, 3) - 1) * pass_ + cell] = n <= 3 ? 1.0F : 0.0F;
      });
    }
    if (is_cell(state.last)) plane(kLastMove)[state.last] = 1.0F;
    if (is_cell(state.before_last)) plane(kMoveBefore)[state.before_last] = 1.0F;
    if (!finished(state)) legal_cells(state).write(pass_, plane(kLegal));
    if (state.passes > 0) std::fill_n(plane(kPassed), pass_, 1.0F);
  }

  void write_history(const State& state, float* planes) const {
    const auto own = at(index(state.to_move));
    for (int ago = 0; ago < std::min<int>(kHistory, state.num_moves + 1); ++ago) {
      const auto& stones = ago == 0 ? state.stones : recent(state, state.num_moves - ago);
      stones[own].write(pass_, planes + (2 * ago) * pass_);
      stones[1 - own].write(pass_, planes + (2 * ago + 1) * pass_);
    }
  }

  template <class AnyState>
  static auto& recent(AnyState& state, int move) {
    return state.recent[at(move % (kHistory - 1))];
  }

  // By the name of the chain: its liberties, each counted once.
  PerCell<Count> count_liberties(const State& state) const {
    PerCell<Count> liberties{};
    (state.empty & grown(state.stones[0] | state.stones[1])).for_each([&](int cell) {
      const Around& around = around_[at(cell)];
      for (std::size_t i = 0; i < 4; ++i) {
        bool first = true;  // of this cell's neighbours in that chain
        for (std::size_t j = 0; j < i; ++j) first &= state.chain[around[j]] != state.chain[around[i]];
        liberties[state.chain[around[i]]] += first;
      }
    });
    return liberties;
  }

  // ---- Setting up

  void check_rules(const std::string& name) const {
    if (rules_.komi * 2 != std::floor(rules_.komi * 2)) {
      throw GameOptionError(name + ": komi must be a multiple of 0.5, such as 7 or 7.5, not " +
                            option_text(OptionSpec::Kind::kNumber, rules_.komi) + ".");
    }
    if (rules_.history != 1 && rules_.history != kHistory) {
      throw GameOptionError(name + ": history must be 1 or 8 (the planes of AlphaGo Zero), not " +
                            std::to_string(rules_.history) + ".");
    }
    if (rules_.max_moves > kLongest) {
      throw GameOptionError(name + ": max_moves on a board of this size is at most " + std::to_string(kLongest) +
                            ", not " + std::to_string(rules_.max_moves) + ".");
    }
  }

  void lay_out_board() {
    const int size = rules_.size;
    start_.mark.fill(kOutside);
    start_.chain.fill(kNone);
    for (int cell = 0; cell < pass_; ++cell) {
      const int row = cell / size;
      const int column = cell % size;
      around_[at(cell)] = {static_cast<Cell>(row > 0 ? cell - size : kNone),
                           static_cast<Cell>(column > 0 ? cell - 1 : kNone),
                           static_cast<Cell>(column < size - 1 ? cell + 1 : kNone),
                           static_cast<Cell>(row < size - 1 ? cell + size : kNone)};
      if (column == 0) first_column_.insert(cell);
      if (column == size - 1) last_column_.insert(cell);
      start_.mark[at(cell)] = kEmpty;
      start_.empty.insert(cell);
    }
    start_.num_empty = static_cast<std::int16_t>(pass_);
    remember(start_);
  }

  static constexpr std::array<std::uint64_t, 2 * kCells> kKeys = zobrist_keys<2 * kCells>(0x676f);

  GoRules rules_;
  Action pass_;  // the last action, and the number of cells of this board
  SquareNames names_;
  GameSpec spec_;
  std::array<Around, kCells> around_{};
  Cells first_column_;
  Cells last_column_;
  State start_;
};

}  // namespace tengen

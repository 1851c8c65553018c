// Play-outs by a rollout policy in games whose actions are cells, with the weights kept from move to move.
//
// What speaks for an action is a product of one factor of each kind (patterns.h). Three of them change only where the
// last moves changed something: far pattern, tactics and step. Their product is kept for each player and cell, and
// computed again for the cells that a move has touched. Answer, follow and action are arrays over the whole board that
// change at once, so they are multiplied in for all cells together. Cells that touch the last move have the factor of
// the near pattern in place of the far one until the next move is made.
//
// PatternReader does the same for one position of any game. Both give the same probabilities; tests compare them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/games/derived.h"
#include "tengen/games/game.h"
#include "tengen/rollout/patterns.h"

namespace tengen {

template <class G>
concept CanHaveCellPlayouts = !HasActionCells<G> && (HasTrackedTactics<G> || !HasTactics<G>);

// What a game tracks, if it does.
template <class G>
struct TrackedType {
  using type = std::nullptr_t;
};
template <HasTrackedTactics G>
struct TrackedType<G> {
  using type = typename G::Tracked;
};

// It has working memory, so every thread takes its own; game, layout and factors must outlive it.
template <Game G>
class CellPlayouts {
 public:
  using State = typename G::State;

  static bool suits(const G& game) {
    const GameSpec& spec = game.spec();
    return CanHaveCellPlayouts<G> && spec.action_layout == ActionLayout::kCells && spec.num_actions >= spec.num_cells();
  }

  CellPlayouts(const G& game, const PatternLayout& layout, const std::vector<float>& factors)
      : game_(game),
        layout_(layout),
        factors_(factors.data()),
        num_cells_(game.spec().num_cells()),
        stride_(at(layout.width()) + 2),
        words_((at(num_cells_) + 63) / 64),
        size_((at(layout.grid(num_cells_ - 1)) + kLanes) / kLanes * kLanes),
        bordered_(at(num_cells_)),
        grid_(at(num_cells_)),
        action_at_(size_),
        block_(at(num_cells_) * words_),
        empty_around_((at(layout.height()) + 2) * stride_),
        actions_(2 * PatternLayout::kFullness * size_),
        codes_(at(num_cells_)),
        next_codes_(at(num_cells_)),
        around_(empty_around_.size()),
        full_(words_),
        kept_{std::vector<float>(size_), std::vector<float>(size_)},
        dirty_{std::vector<std::uint64_t>(words_), std::vector<std::uint64_t>(words_)},
        changed_(at(num_cells_)),
        unknown_{std::vector<float>(size_), std::vector<float>(size_)},
        weights_(size_),
        sums_(size_),
        others_(at(game.spec().num_actions - num_cells_)),
        legal_(game.spec().legal_bound()),
        running_(at(game.spec().legal_bound())) {
    for (int cell = 0; cell < num_cells_; ++cell) {
      const int row = cell / layout.width();
      const int column = cell % layout.width();
      bordered_[at(cell)] = (at(row) + 1) * stride_ + at(column) + 1;
      grid_[at(cell)] = at(layout.grid(cell));
      action_at_[grid_[at(cell)]] = cell;
      for (const Player player : {Player::kFirst, Player::kSecond}) {
        for (int fullness = 0; fullness < PatternLayout::kFullness; ++fullness) {
          actions_[actions_start(player, fullness) + grid_[at(cell)]] =
              factors_[layout.bank_start(player) + layout.action(fullness, cell)];
        }
      }
      for (int r = std::max(0, row - 1); r <= std::min(layout.height() - 1, row + 1); ++r) {
        for (int c = std::max(0, column - 1); c <= std::min(layout.width() - 1, column + 1); ++c) {
          const std::size_t near = at(r * layout.width() + c);
          block_[at(cell) * words_ + near / 64] |= 1ULL << (near % 64);
        }
      }
    }
    for (std::size_t i = 0; i < empty_around_.size(); ++i) {  // the border is off the board
      const std::size_t row = i / stride_;
      const std::size_t column = i % stride_;
      const bool inside = row > 0 && row <= at(layout.height()) && column > 0 && column <= at(layout.width());
      if (!inside) turn_neighbours(empty_around_, i, PatternLayout::kOutside);
    }
  }

  // Begins a play-out. `past` is what came before the state.
  void begin(const State& state, const LastTargets& past) {
    past_ = past;
    lifted_.clear();
    std::fill(codes_.begin(), codes_.end(), std::int8_t{0});
    std::fill(full_.begin(), full_.end(), 0);
    around_ = empty_around_;
    num_pieces_ = 0;
    for (auto& kept : kept_) std::fill(kept.begin(), kept.end(), 0.0F);
    if (layout_.has_pieces()) take_over_board(state);
    fullness_ = layout_.fullness(num_pieces_);
    if constexpr (HasTrackedTactics<G>) game_.track(state, tracked_);
    all_dirty();
  }

  // An action of an unfinished game, drawn from the policy.
  Action draw(const State& state, Rng& rng) {
    update(state);
    if constexpr (HasTrackedTactics<G>) {
      return draw_from_all(state, rng);
    } else {
      return draw_from_legal(state, rng);
    }
  }

  void play(State& state, Action action) {
    past_.add(action < num_cells_ ? std::optional<int>(action) : std::nullopt);
    put_down();
    if constexpr (HasTrackedTactics<G>) {
      const int piece = index(game_.to_move(state)) + 1;
      game_.play(state, action, tracked_);
      if (action >= num_cells_) return;
      set_code(action, static_cast<std::int8_t>(piece));
      tracked_.taken.for_each([&](int cell) { set_code(cell, 0); });
      for (auto& dirty : dirty_) {
        for (std::size_t w = 0; w < words_; ++w) dirty[w] |= tracked_.touched[w];
      }
    } else {
      game_.play(state, action);
      if (layout_.has_pieces()) take_over_board(state);
    }
    fullness_ = layout_.fullness(num_pieces_);
  }

  // As RolloutPlayer::write_probabilities(), of the position that the play-out has come to.
  void write_probabilities(const State& state, float* out) {
    update(state);
    game_.legal_actions(state, legal_);
    std::fill_n(out, game_.spec().num_actions, 0.0F);
    float total = 0.0F;
    for (const Action action : legal_) total += out[action] = weight_of(action);
    for (const Action action : legal_) out[action] /= total;
  }

 private:
  static constexpr std::size_t kLanes = 8;  // of the sums, each over every eighth weight

  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

  std::size_t actions_start(Player player, int fullness) const {
    return at(index(player) * PatternLayout::kFullness + fullness) * size_;
  }

  void all_dirty() {
    for (auto& dirty : dirty_) {
      for (int cell = 0; cell < num_cells_; ++cell) dirty[at(cell) / 64] |= 1ULL << (at(cell) % 64);
    }
  }

  // ---- What stands on the board

  void take_over_board(const State& state) {
    write_cells(game_, state, next_codes_.data());
    for (int cell = 0; cell < num_cells_; ++cell) {
      if (next_codes_[at(cell)] != codes_[at(cell)]) set_code(cell, next_codes_[at(cell)]);
    }
  }

  void set_code(int cell, std::int8_t code) {
    std::int8_t& before = codes_[at(cell)];
    const std::uint8_t* seen = layout_.seen_by(Player::kFirst);
    num_pieces_ += (code != 0 ? 1 : 0) - (before != 0 ? 1 : 0);
    turn_neighbours(around_, bordered_[at(cell)], seen[before] ^ seen[code]);
    before = code;
    if constexpr (HasTrackedTactics<G>) {
      const std::uint64_t bit = 1ULL << (at(cell) % 64);
      std::uint64_t& word = full_[at(cell) / 64];
      word = code != 0 ? word | bit : word & ~bit;
      for (auto& kept : kept_) kept[grid_[at(cell)]] = 0.0F;
    }
    const std::uint64_t* block = block_.data() + at(cell) * words_;
    for (auto& dirty : dirty_) {
      for (std::size_t w = 0; w < words_; ++w) dirty[w] |= block[w];
    }
  }

  // Turns bits of a cell in the patterns of its eight neighbours (their order is PatternLayout's), and of the border.
  void turn_neighbours(std::vector<std::uint16_t>& around, std::size_t cell, int bits) const {
    const auto turn = [&](std::size_t neighbour, int shift) {
      if (neighbour < around.size())
        around[neighbour] = static_cast<std::uint16_t>(around[neighbour] ^ (bits << shift));
    };
    turn(cell + stride_ + 1, 0);
    turn(cell + stride_, 2);
    turn(cell + stride_ - 1, 4);
    turn(cell - stride_ + 1, 6);
    turn(cell - stride_, 8);
    turn(cell - stride_ - 1, 10);
    turn(cell + 1, 12);
    turn(cell - 1, 14);
  }

  // The pattern as the second player sees it: own and other change places.
  static int swapped(int around) { return ((around & 0x5555) << 1) | ((around >> 1) & 0x5555); }

  // ---- Weights

  // Computes what has changed for the player to move, and for this position: answer, follow, and what has no cell.
  void update(const State& state) {
    const Player player = game_.to_move(state);
    const float* factors = factors_ + layout_.bank_start(player);
    std::vector<std::uint64_t>& dirty = dirty_[at(index(player))];
    put_down();
    kept_now_ = kept_[at(index(player))].data();
    std::size_t num_changed = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      for (std::uint64_t bits = dirty[w] & ~full_[w]; bits != 0; bits &= bits - 1) {
        changed_[num_changed++] = static_cast<int>(w * 64) + std::countr_zero(bits);
      }
      dirty[w] = 0;
    }
    // Two loops: the processor fetches patterns from memory all at once if nothing else is to be decided.
    for (std::size_t i = 0; i < num_changed; ++i) {
      const int cell = changed_[i];
      kept_now_[grid_[at(cell)]] = factors[layout_.around(around(player, cell), false)];
    }
    for (std::size_t i = 0; i < num_changed; ++i) {
      const int cell = changed_[i];
      kept_now_[grid_[at(cell)]] *= rest_of_product(state, player, factors, cell);
    }
    if (past_.last >= 0) lift(player, factors, block_.data() + at(past_.last) * words_);
    actions_now_ = actions_.data() + actions_start(player, fullness_);
    answer_ = past_.last < 0 ? all_of(unknown_[0], factors[layout_.answer_to_unknown()])
                             : factors + layout_.answer_from(past_.last);
    follow_ = past_.before < 0 ? all_of(unknown_[1], factors[layout_.follow_of_unknown()])
                               : factors + layout_.follow_from(past_.before);
    for (std::size_t i = 0; i < others_.size(); ++i) {
      others_[i] = product_without_cell(state, player, factors, num_cells_ + static_cast<Action>(i));
    }
  }

  // Gives the cells that touch the last move the factor of their near pattern; put_down() takes it back.
  void lift(Player player, const float* factors, const std::uint64_t* near) {
    for (std::size_t w = 0; w < words_; ++w) {
      for (std::uint64_t bits = near[w] & ~full_[w]; bits != 0; bits &= bits - 1) {
        const int cell = static_cast<int>(w * 64) + std::countr_zero(bits);
        const int pattern = around(player, cell);
        float& kept = kept_now_[grid_[at(cell)]];
        lifted_.push_back({&kept, kept});
        kept *= factors[layout_.around(pattern, true)] / factors[layout_.around(pattern, false)];
      }
    }
  }

  void put_down() {
    for (const auto& [kept, far] : lifted_) *kept = far;
    lifted_.clear();
  }

  // The pattern of a cell as a player sees it.
  int around(Player player, int cell) const {
    const int seen = around_[bordered_[at(cell)]];
    return player == Player::kFirst ? seen : swapped(seen);
  }

  static const float* all_of(std::vector<float>& array, float value) {
    std::fill(array.begin(), array.end(), value);
    return array.data();
  }

  // Tactics and step of an action on a cell.
  float rest_of_product(const State& state, Player player, const float* factors, int cell) const {
    if constexpr (HasTrackedTactics<G>) {
      return factors[layout_.tactics(game_.tactics(state, tracked_, cell))] * factors[layout_.step(player, 0, 0)];
    }
    return factors[layout_.tactics(0)] * factors[layout_.step(player, 0, codes_[at(cell)])];
  }

  float product_without_cell(const State& state, Player player, const float* factors, Action action) const {
    int tactics = 0;
    if constexpr (HasTrackedTactics<G>) tactics = game_.tactics(state, tracked_, action);
    return (factors[layout_.around(PatternLayout::kNowhere, false)] * factors[layout_.tactics(tactics)]) *
           (factors[layout_.answer_without_target()] * factors[layout_.follow_without_target()]) *
           (factors[layout_.action(fullness_, action)] * factors[layout_.step(player, 0, 0)]);
  }

  float weight_of(Action action) const {
    if (action >= num_cells_) return others_[at(action - num_cells_)];
    const std::size_t i = grid_[at(action)];
    return (kept_now_[i] * actions_now_[i]) * (answer_[i] * follow_[i]);
  }

  // ---- Drawing

  Action draw_from_legal(const State& state, Rng& rng) {
    game_.legal_actions(state, legal_);
    float total = 0.0F;
    for (int i = 0; i < legal_.size(); ++i) running_[at(i)] = total += weight_of(legal_[i]);
    const float drawn = static_cast<float>(rng.uniform()) * total;
    int choice = 0;
    while (choice < legal_.size() - 1 && running_[at(choice)] <= drawn) ++choice;
    return legal_[choice];
  }

  // Among all empty cells, again until the drawn one is legal: which ones are is not asked of all. Where the drawn
  // number lies is counted, not searched for: how a search goes on could not be foretold.
  Action draw_from_all(const State& state, Rng& rng) {
    for (std::size_t k = 0; k < size_; ++k) {
      weights_[k] = (kept_now_[k] * actions_now_[k]) * (answer_[k] * follow_[k]);
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums_[lane] = weights_[lane];
    for (std::size_t k = kLanes; k < size_; ++k) sums_[k] = sums_[k - kLanes] + weights_[k];
    while (true) {
      std::array<float, kLanes> ends;  // of the lanes, one after the other
      float total = 0.0F;
      for (std::size_t lane = 0; lane < kLanes; ++lane) ends[lane] = total += sums_[size_ - kLanes + lane];
      for (const float weight : others_) total += weight;
      float left = static_cast<float>(rng.uniform()) * total;
      for (std::size_t i = 0; i < others_.size(); ++i) {
        if (left < others_[i]) return num_cells_ + static_cast<Action>(i);
        left -= others_[i];
      }
      std::size_t lane = 0;
      for (std::size_t i = 0; i + 1 < kLanes; ++i) lane += ends[i] <= left ? 1 : 0;
      left -= lane > 0 ? ends[lane - 1] : 0.0F;
      std::size_t found = lane;
      for (std::size_t k = lane; k < size_; k += kLanes) found += sums_[k] <= left ? kLanes : 0;
      if (found >= size_) continue;  // rounding has led beyond the last weight
      const Action action = action_at_[found];
      if (is_legal(game_, state, action)) return action;
      float sum = found < kLanes ? 0.0F : sums_[found - kLanes];
      weights_[found] = 0.0F;
      for (std::size_t k = found; k < size_; k += kLanes) sums_[k] = sum += weights_[k];
    }
  }

  // Constant.
  const G& game_;                // owned elsewhere
  const PatternLayout& layout_;  // owned elsewhere
  const float* factors_;         // owned elsewhere
  int num_cells_;
  std::size_t stride_;                 // of arrays with a border of one cell
  std::size_t words_;                  // of a set of cells
  std::size_t size_;                   // of arrays on PatternLayout's grid, a multiple of kLanes; their gaps are 0
  std::vector<std::size_t> bordered_;  // [cells] where a cell is in arrays with a border
  std::vector<std::size_t> grid_;      // [cells] where it is on the grid
  std::vector<Action> action_at_;      // [size] the cell there
  std::vector<std::uint64_t> block_;   // [cells, words] a cell and its neighbours
  std::vector<std::uint16_t> empty_around_;  // [height + 2, width + 2] patterns of the empty board
  std::vector<float> actions_;               // [players, fullness, size] factors of the actions

  // Of the play-out.
  LastTargets past_;
  int num_pieces_ = 0;
  int fullness_ = 0;
  std::vector<std::int8_t> codes_;                   // [cells]
  std::vector<std::int8_t> next_codes_;              // [cells] working memory
  std::vector<std::uint16_t> around_;                // [height + 2, width + 2] patterns as the first player sees them
  std::vector<std::uint64_t> full_;                  // [words] cells where no action can go, if tactics are tracked
  std::array<std::vector<float>, 2> kept_;           // by player: [size] products of the factors that are kept
  std::array<std::vector<std::uint64_t>, 2> dirty_;  // by player: [words] cells whose product is to be computed
  typename TrackedType<G>::type tracked_{};

  // Of the position that update() saw.
  struct Lifted {
    float* kept;
    float far;  // what it was
  };
  std::vector<int> changed_;                   // [cells] working memory
  std::vector<Lifted> lifted_;                 // cells that have their near factor in kept_now_
  float* kept_now_ = nullptr;                  // [size]
  const float* actions_now_ = nullptr;         // [size]
  const float* answer_ = nullptr;              // [size]
  const float* follow_ = nullptr;              // [size]
  std::array<std::vector<float>, 2> unknown_;  // [size] answer and follow, where the earlier target is not known
  std::vector<float> weights_;                 // [size]
  std::vector<float> sums_;                    // [size] of every eighth weight up to this one
  std::vector<float> others_;                  // [actions - cells] weights of actions without a cell
  ActionList legal_;
  std::vector<float> running_;  // [legal]
};

}  // namespace tengen

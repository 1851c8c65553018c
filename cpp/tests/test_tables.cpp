// Tables of an n-tuple network: tuples by walks, the same value in every symmetry, slots counted by hand, and learning.
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/games/connect_four.h"
#include "tengen/games/derived.h"
#include "tengen/games/mnk.h"
#include "tengen/games/othello.h"
#include "tengen/search/forest.h"
#include "tengen/tables/learner.h"
#include "tengen/tables/reader.h"
#include "tengen/tables/tables.h"
#include "tests/test.h"

namespace tengen {
namespace {

Othello othello() { return {"othello", {}, 8}; }
Mnk<1> tic_tac_toe() { return {"tic_tac_toe", {}, {3, 3, 3}}; }
ConnectFour connect_four() { return {"connect_four", {}, {}}; }

template <Game G>
typename G::State after_random_plies(const G& game, int plies, std::uint64_t seed) {
  Rng rng(seed);
  ActionList scratch(game.spec().legal_bound());
  auto state = game.initial_state();
  for (int ply = 0; ply < plies && !game.outcome(state); ++ply) play_random(game, state, rng, scratch);
  return state;
}

std::vector<float> random_weights(std::int64_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> weights(static_cast<std::size_t>(count));
  for (float& weight : weights) weight = static_cast<float>(rng.uniform() - 0.5) * 0.1F;
  return weights;
}

TEST(tuples_are_connected_and_differ_in_every_symmetry) {
  const Othello game = othello();
  const auto tuples = random_tuples(game.spec(), 30, 6, 5);
  CHECK_EQ(tuples.size(), 30U);
  CHECK(tuples == random_tuples(game.spec(), 30, 6, 5));
  CHECK(tuples != random_tuples(game.spec(), 30, 6, 6));
  std::set<std::vector<std::int32_t>> seen;
  for (const auto& tuple : tuples) {
    CHECK_EQ(std::set<std::int32_t>(tuple.begin(), tuple.end()).size(), 6U);
    for (const std::int32_t cell : tuple) {
      bool touches = false;
      for (const int near : neighbours(game.spec(), cell)) {
        touches = touches || std::find(tuple.begin(), tuple.end(), near) != tuple.end();
      }
      CHECK(touches);
    }
    for (const Symmetry& symmetry : game.spec().symmetries) {
      std::vector<std::int32_t> turned;
      for (const std::int32_t cell : tuple) turned.push_back(symmetry.cell_source[static_cast<std::size_t>(cell)]);
      std::sort(turned.begin(), turned.end());
      CHECK(seen.count(turned) == 0);
    }
    seen.insert(tuple);
  }
}

TEST(a_board_of_few_cells_has_few_tuples) {
  const Mnk<1> game = tic_tac_toe();
  CHECK_EQ(random_tuples(game.spec(), 50, 9, 1).size(), 1U);
  CHECK_EQ(longest_tuple(game.spec(), false, 65536), 9);
  CHECK_EQ(longest_tuple(othello().spec(), false, 65536), 10);
  CHECK_EQ(longest_tuple(othello().spec(), true, 65536), 8);
  CHECK_THROWS(ArgumentError, random_tuples(game.spec(), 1, 10, 1));
}

TEST(slots_are_numbers_with_a_digit_for_each_cell) {
  const Mnk<1> game = tic_tac_toe();
  const TablesLayout layout(game.spec(), {.tuples = {{0, 1, 2}}});
  CHECK_EQ(layout.entries(), 27);
  CHECK_EQ(layout.num_banks(), 2);
  CHECK_EQ(layout.num_lookups(), 8);
  const std::int8_t codes[9] = {1, 2, 0, 0, 0, 0, 0, 0, 0};
  std::vector<std::int32_t> slots(8);
  layout.write_slots(codes, layout.bank_start(Player::kSecond, 2), slots.data());
  CHECK_EQ(slots[0], 27 + 1 + 3 * 2);      // as it stands: the second player's bank, then cell 0 and cell 1
  CHECK_EQ(slots[1], 27 + 9 * 1 + 3 * 2);  // mirrored, the stone of cell 0 is on cell 2
}

TEST(the_value_is_the_same_in_every_symmetry) {
  const Othello game = othello();
  const TablesLayout layout(game.spec(), {.tuples = random_tuples(game.spec(), 5, 7, 3), .stages = 3});
  const auto weights = random_weights(layout.num_weights(), 1);
  const auto state = after_random_plies(game, 20, 2);
  std::vector<std::int8_t> codes(64);
  write_cells(game, state, codes.data());
  std::vector<std::int32_t> slots(static_cast<std::size_t>(layout.num_lookups()));
  layout.write_slots(codes.data(), layout.bank_start(game.to_move(state), 24), slots.data());
  const float expected = sum_at(weights.data(), slots.data(), layout.num_lookups());
  for (const Symmetry& symmetry : game.spec().symmetries) {
    std::vector<std::int8_t> turned;
    for (const std::int32_t source : symmetry.cell_source) turned.push_back(codes[static_cast<std::size_t>(source)]);
    layout.write_slots(turned.data(), layout.bank_start(game.to_move(state), 24), slots.data());
    CHECK(std::abs(sum_at(weights.data(), slots.data(), layout.num_lookups()) - expected) < 1e-5F);
  }
}

TEST(players_who_share_tables_see_each_their_own_colour) {
  const Othello game = othello();
  const TablesLayout layout(game.spec(), {.tuples = random_tuples(game.spec(), 4, 6, 3), .shares_players = true});
  CHECK_EQ(layout.num_banks(), 1);
  const auto weights = random_weights(layout.num_weights(), 1);
  auto state = after_random_plies(game, 15, 4);
  TablesReader<Othello> reader(game, layout);
  const float value = reader.value(state, weights.data());
  state.to_move = opponent(state.to_move);  // own and opponent's discs stay, so that the colours are swapped
  CHECK_EQ(reader.value(state, weights.data()), value);
}

TEST(stages_are_told_by_the_number_of_pieces) {
  const Othello game = othello();
  const TablesLayout layout(game.spec(), {.tuples = {{0, 1}}, .stages = 4, .shares_players = true});
  CHECK_EQ(layout.bank_start(Player::kFirst, 4), 0);
  CHECK_EQ(layout.bank_start(Player::kFirst, 64), 3 * 9);
  CHECK_EQ(layout.bank_start(Player::kSecond, 33), 2 * 9);
}

TEST(cells_that_can_be_moved_to_have_a_code_of_their_own) {
  const ConnectFour game = connect_four();
  const TablesLayout layout(game.spec(), {.tuples = {{35, 28}}, .marks_targets = true});  // the first column
  CHECK_EQ(layout.entries(), 16);
  TablesReader<ConnectFour> reader(game, layout);
  std::vector<std::int32_t> slots(static_cast<std::size_t>(layout.num_lookups()));
  auto state = game.initial_state();
  reader.write_slots(state, slots.data());
  CHECK_EQ(slots[0], 3);
  game.play(state, 0);
  reader.write_slots(state, slots.data());
  CHECK_EQ(slots[0], 16 + 1 + 4 * 3);
  CHECK_EQ(slots[1], 16 + 3);  // the last column
}

TEST(tables_that_do_not_fit_are_refused) {
  const Othello game = othello();
  CHECK_THROWS(ArgumentError, TablesLayout(game.spec(), {.tuples = {}}));
  CHECK_THROWS(ArgumentError, TablesLayout(game.spec(), {.tuples = {{1, 1}}}));
  CHECK_THROWS(ArgumentError, TablesLayout(game.spec(), {.tuples = {{1, 64}}}));
  CHECK_THROWS(ArgumentError, TablesLayout(game.spec(), {.tuples = {{1, 2}, {1}}}));
  CHECK_THROWS(ArgumentError, TablesLayout(game.spec(), {.tuples = {{1}}, .stages = 0}));
  std::vector<std::int32_t> long_one;
  for (std::int32_t cell = 0; cell < 64; ++cell) long_one.push_back(cell);
  CHECK_THROWS(ArgumentError, TablesLayout(game.spec(), {.tuples = {long_one}}));
  GameSpec bare = game.spec();
  bare.pieces.clear();
  CHECK_THROWS(ArgumentError, TablesLayout(bare, {.tuples = {{1}}}));
  CHECK_THROWS(ArgumentError, Tables(game.spec(), {.tuples = {{1}}}, {0.0F}, 0.1F));
}

// Share of all games that the tables win or draw as either player against random moves, with a look one move ahead.
float score_against_random(const Mnk<1>& game, const TablesLayout& layout, const float* weights, int games) {
  TablesReader<Mnk<1>> reader(game, layout);
  ActionList scratch(game.spec().legal_bound());
  Rng rng(7);
  int lost = 0;
  for (int number = 0; number < games; ++number) {
    const Player own = number % 2 == 0 ? Player::kFirst : Player::kSecond;
    auto state = game.initial_state();
    while (!game.outcome(state)) {
      auto chosen = state;
      if (game.to_move(state) == own) {
        float best = -2.0F;
        reader.visit_moves(state, weights, [&](Action, const Mnk<1>::State& next, float value) {
          if (value > best) chosen = next;
          best = std::max(best, value);
        });
      } else {
        play_random(game, chosen, rng, scratch);
      }
      state = chosen;
    }
    if (game.outcome(state) == Outcome::win(opponent(own))) ++lost;
  }
  return 1.0F - static_cast<float>(lost) / static_cast<float>(games);
}

TEST(learning_makes_a_player_and_is_a_function_of_the_seed) {
  const Mnk<1> game = tic_tac_toe();
  const TablesLayout layout(game.spec(), {.tuples = random_tuples(game.spec(), 4, 6, 1)});
  const auto learned = [&](std::uint64_t seed, int games) {
    LearnedTables tables(layout.num_weights());
    TablesLearner<Mnk<1>> learner(game, layout);
    TablesFigures figures;
    PlayedGame played;
    for (int number = 0; number < games; ++number) {
      learner.play(tables, {}, Rng(seed).split(static_cast<std::uint64_t>(number)), figures, played);
    }
    CHECK_EQ(figures.games, games);
    CHECK(figures.evaluations > figures.positions);
    return tables.weights;
  };
  const LearnedTables blank(layout.num_weights());
  CHECK(score_against_random(game, layout, blank.weights.data(), 400) < 0.95F);
  const auto weights = learned(3, 4000);
  CHECK(score_against_random(game, layout, weights.data(), 400) > 0.99F);
  CHECK(learned(3, 100) == learned(3, 100));
  CHECK(learned(3, 100) != learned(4, 100));
}

TEST(a_forest_that_is_settled_inside_searches_as_one_that_is_answered_outside) {
  const ConnectFour game = connect_four();
  SearchParams params;
  params.simulations = 200;
  params.leaves_per_batch = 4;
  Forest<ConnectFour> inside(game, 2, params, 1);
  Forest<ConnectFour> outside(game, 2, params, 1);
  for (int tree = 0; tree < 2; ++tree) {
    inside.begin(tree, params.simulations, false);
    outside.begin(tree, params.simulations, false);
  }
  const std::vector<float> even(8 * 7);
  while (outside.searching()) {
    outside.select();
    outside.update(even.data(), even.data(), false);
  }
  int calls = 0;
  const auto evaluate = [&](const ConnectFour::State&, float* logits) {
    if (++calls == 50) throw Error("once");
    for (int action = 0; action < 7; ++action) logits[action] = 0.0F;
    return 0.0F;
  };
  int failures = 0;
  while (inside.searching()) {
    try {
      inside.settle(0, evaluate, [] {});
    } catch (const Error&) {
      ++failures;
      CHECK_EQ(inside.num_pending(), 0);
    }
  }
  CHECK_EQ(failures, 1);
  for (int tree = 0; tree < 2; ++tree) {
    CHECK_EQ(inside.result(tree).simulations, 200);
    CHECK_EQ(inside.result(tree).best_action, outside.result(tree).best_action);
    CHECK_EQ(inside.result(tree).nodes, outside.result(tree).nodes);
  }
}

}  // namespace
}  // namespace tengen

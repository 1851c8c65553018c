// Samples from hand-made records: planes, signs and replies; and records that are damaged.
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/games/mnk.h"
#include "tengen/games/othello.h"
#include "tengen/records/samples.h"
#include "tests/test.h"

namespace tengen {
namespace {

// Arrays of a RecordedGames, to be filled and damaged.
struct Games {
  std::vector<std::uint16_t> moves;
  std::vector<std::int64_t> move_starts{100};  // as if others had been here before
  std::vector<std::int64_t> position_starts{50};
  std::vector<std::int8_t> winners;
  std::vector<char> played_out;
  std::vector<std::int8_t> ownership;
  std::vector<float> score;
  std::vector<std::uint16_t> plies;
  std::vector<float> values;
  std::vector<std::int64_t> policy_starts{70};
  std::vector<std::uint16_t> actions;
  std::vector<std::uint16_t> parts;

  // Every position is recorded; the policy is the move played.
  template <Game G>
  void add(const G& game, const std::vector<std::uint16_t>& played) {
    auto state = game.initial_state();
    for (std::size_t ply = 0; ply < played.size(); ++ply) {
      moves.push_back(played[ply]);
      plies.push_back(static_cast<std::uint16_t>(ply));
      values.push_back(0.25F);
      actions.push_back(played[ply]);
      parts.push_back(65535);
      policy_starts.push_back(policy_starts.back() + 1);
      game.play(state, played[ply]);
    }
    const auto count = static_cast<std::int64_t>(played.size());
    move_starts.push_back(move_starts.back() + count);
    position_starts.push_back(position_starts.back() + count);
    const auto outcome = game.outcome(state);
    winners.push_back(outcome && outcome->winner ? static_cast<std::int8_t>(index(*outcome->winner)) : -1);
    played_out.push_back(outcome.has_value());
    RecordEnd end;
    read_end(game, state, end);
    ownership.insert(ownership.end(), end.ownership.begin(), end.ownership.end());
    if (end.score) score.push_back(*end.score);
  }

  RecordedGames view() const {
    return {moves,
            move_starts,
            position_starts,
            winners,
            {reinterpret_cast<const bool*>(played_out.data()), played_out.size()},
            ownership,
            score,
            plies,
            values,
            policy_starts,
            actions,
            parts};
  }
};

struct Batch {
  std::vector<float> planes, policy, value_outcome, value_search, reply, reply_weight, plies_left, played_out;
  std::vector<float> ownership, score;
  std::vector<char> legal;
  std::vector<std::int8_t> player;

  Batch(const GameSpec& spec, std::size_t size)
      : planes(size * static_cast<std::size_t>(spec.planes_size())),
        policy(size * static_cast<std::size_t>(spec.num_actions)),
        value_outcome(size),
        value_search(size),
        reply(policy.size()),
        reply_weight(size),
        plies_left(size),
        played_out(size),
        ownership(size * static_cast<std::size_t>(spec.num_cells())),
        score(size),
        legal(policy.size()),
        player(size) {}

  SampleArrays arrays() {
    return {.planes = planes.data(),
            .legal = reinterpret_cast<bool*>(legal.data()),
            .policy = policy.data(),
            .value_outcome = value_outcome.data(),
            .value_search = value_search.data(),
            .reply = reply.data(),
            .reply_weight = reply_weight.data(),
            .plies_left = plies_left.data(),
            .player = player.data(),
            .played_out = played_out.data(),
            .ownership = ownership.data(),
            .score = score.data()};
  }
};

template <Game G>
Batch sample(const G& game, const Games& games, const std::vector<std::int64_t>& positions, std::int64_t symmetry) {
  Batch batch(game.spec(), positions.size());
  const std::vector<std::int64_t> symmetries(positions.size(), symmetry);
  write_samples(game, games.view(), std::span<const std::int64_t>(positions), symmetries, batch.arrays());
  return batch;
}

template <Game G>
std::vector<std::uint16_t> random_game(const G& game, std::uint64_t seed) {
  Rng rng(seed);
  ActionList list(game.spec().num_actions);
  std::vector<std::uint16_t> moves;
  for (auto state = game.initial_state(); !game.outcome(state);) {
    const Action action = random_action(game, state, rng, list);
    moves.push_back(static_cast<std::uint16_t>(action));
    game.play(state, action);
  }
  return moves;
}

const Mnk<1> kTicTacToe("tic_tac_toe", {}, {3, 3, 3});
const Othello kOthello("othello", {}, 4);

}  // namespace

TEST(a_win_is_plus_one_for_the_winner_and_minus_one_for_the_loser) {
  Games games;
  games.add(kTicTacToe, {0, 3, 1, 4, 2});     // the first player wins
  games.add(kTicTacToe, {0, 3, 1, 4, 8, 5});  // the second player wins
  const std::vector<float> expected = {1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1};
  for (std::int64_t symmetry = 0; symmetry < 8; ++symmetry) {
    const Batch batch = sample(kTicTacToe, games, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, symmetry);
    CHECK(batch.value_outcome == expected);
    CHECK(batch.plies_left == std::vector<float>({5, 4, 3, 2, 1, 6, 5, 4, 3, 2, 1}));
    CHECK(batch.reply_weight == std::vector<float>({1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0}));
  }
}

TEST(a_symmetry_moves_planes_policy_reply_and_legal_actions_together) {
  Games games;
  games.add(kTicTacToe, {0, 5, 1, 4, 2});
  const Batch batch = sample(kTicTacToe, games, {1}, 1);  // columns mirrored
  CHECK_EQ(batch.planes[9 + 2], 1.0F);                    // the opponent's stone, at the top right now
  CHECK_EQ(batch.policy[3], 1.0F);                        // 5 is the right of the middle row, 3 the left
  CHECK_EQ(batch.reply[1], 1.0F);                         // the middle column stays
  CHECK(!batch.legal[2]);
  CHECK(batch.legal[0]);
}

TEST(ownership_and_score_are_for_the_player_to_move) {
  Games games;
  games.add(kOthello, random_game(kOthello, 3));
  const Batch batch = sample(kOthello, games, {0, 1}, 0);
  float sum = 0;
  for (std::size_t cell = 0; cell < 16; ++cell) {
    CHECK_EQ(batch.ownership[cell], -batch.ownership[16 + cell]);
    sum += batch.ownership[cell];
  }
  CHECK_EQ(batch.score[0], sum);
  CHECK_EQ(batch.score[1], -sum);
  CHECK_EQ(batch.value_outcome[0], sum > 0 ? 1.0F : sum < 0 ? -1.0F : 0.0F);
}

TEST(a_record_is_checked_move_by_move) {
  using Numbers = std::vector<std::uint16_t>;
  const auto replay = [](const Numbers& moves, const Numbers& plies, const Numbers& actions) {
    std::vector<std::int64_t> starts;
    for (std::size_t i = 0; i <= plies.size(); ++i) starts.push_back(static_cast<std::int64_t>(i));
    return replay_record(kTicTacToe, moves, plies, starts, actions);
  };
  CHECK(replay({0, 3, 1, 4, 2}, {0, 4}, {8, 8}).outcome == Outcome::win(Player::kFirst));
  CHECK(!replay({0, 3}, {2}, {1}).outcome);
  CHECK_THROWS(RecordError, replay({0, 0}, {}, {}));
  CHECK_THROWS(RecordError, replay({9}, {}, {}));
  CHECK_THROWS(RecordError, replay({65535}, {}, {}));
  CHECK_THROWS(RecordError, replay({0, 3, 1, 4, 2, 5}, {}, {}));
  CHECK_THROWS(RecordError, replay({0, 3}, {3}, {1}));
  CHECK_THROWS(RecordError, replay({0, 3}, {1, 1}, {1, 1}));
  CHECK_THROWS(RecordError, replay({0, 3}, {1}, {0}));
  CHECK_THROWS(RecordError, replay({0, 3, 1, 4, 2}, {5}, {8}));
}

TEST(positions_and_symmetries_that_do_not_exist_are_refused) {
  Games games;
  CHECK_THROWS(RecordError, sample(kTicTacToe, games, {0}, 0));
  games.add(kTicTacToe, {0, 3, 1, 4, 2});
  CHECK_THROWS(RecordError, sample(kTicTacToe, games, {5}, 0));
  CHECK_THROWS(RecordError, sample(kTicTacToe, games, {-1}, 0));
  CHECK_THROWS(RecordError, sample(kTicTacToe, games, {0}, 8));
  CHECK_THROWS(RecordError, sample(kTicTacToe, games, {0}, -1));
}

// Whatever number is in the arrays: samples or a RecordError (under the sanitizers: and nothing else).
template <class T>
void damage(std::vector<T>& numbers, Rng& rng) {
  const std::array<T, 5> choices = {std::numeric_limits<T>::max(), std::numeric_limits<T>::min(), T(0),
                                    T(rng.below(99)), T(rng.next())};
  numbers[rng.below(static_cast<std::uint32_t>(numbers.size()))] = choices[rng.below(5)];
}

TEST(damaged_records_are_refused_by_name) {
  Games whole;
  for (std::uint64_t seed = 0; seed < 5; ++seed) whole.add(kOthello, random_game(kOthello, seed));
  std::vector<std::int64_t> positions;
  for (std::size_t i = 0; i < whole.plies.size(); ++i) positions.push_back(static_cast<std::int64_t>(i));
  Rng rng(1);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    Games games = whole;
    switch (rng.below(8)) {
      case 0:
        damage(games.moves, rng);
        break;
      case 1:
        damage(games.move_starts, rng);
        break;
      case 2:
        damage(games.position_starts, rng);
        break;
      case 3:
        damage(games.winners, rng);
        break;
      case 4:
        damage(games.plies, rng);
        break;
      case 5:
        damage(games.policy_starts, rng);
        break;
      case 6:
        damage(games.actions, rng);
        break;
      default:
        damage(games.parts, rng);
        break;
    }
    try {
      (void)sample(kOthello, games, positions, round % 8);
    } catch (const RecordError&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
}

}  // namespace tengen

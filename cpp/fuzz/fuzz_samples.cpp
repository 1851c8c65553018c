// Recorded games whose numbers are anything: they are replayed and sampled, or refused.
#include <memory>
#include <vector>

#include "fuzz/input.h"
#include "tengen/base/error.h"
#include "tengen/records/samples.h"

using namespace tengen;

namespace {

template <class T>
std::vector<T> numbers_of(fuzz::Input& input, std::size_t count, int bound) {
  std::vector<T> numbers(count);
  for (T& number : numbers) number = static_cast<T>(input.below(bound) - (input.byte() == 255 ? 1 : 0));
  return numbers;
}

// Starts that mostly rise, as those of true records do.
std::vector<std::int64_t> starts_of(fuzz::Input& input, std::size_t count) {
  std::vector<std::int64_t> starts{static_cast<std::int64_t>(input.byte())};
  for (std::size_t i = 0; i < count; ++i) starts.push_back(starts.back() + input.below(6) - (input.byte() == 255));
  return starts;
}

template <Game G>
void run(const G& game, fuzz::Input& input) {
  const auto& spec = game.spec();
  const auto games = static_cast<std::size_t>(1 + input.below(3));
  const auto positions = static_cast<std::size_t>(1 + input.below(6));
  const auto entries = static_cast<std::size_t>(input.below(12));
  const auto moves = numbers_of<std::uint16_t>(input, static_cast<std::size_t>(input.below(40)), spec.num_actions + 1);
  const auto plies = numbers_of<std::uint16_t>(input, positions, 12);
  const auto actions = numbers_of<std::uint16_t>(input, entries, spec.num_actions + 1);
  const auto parts = numbers_of<std::uint16_t>(input, entries, 65536);
  const auto winners = numbers_of<std::int8_t>(input, games, 3);
  const auto move_starts = starts_of(input, games);
  const auto position_starts = starts_of(input, games);
  const auto policy_starts = starts_of(input, positions);
  const std::vector<float> values(positions, 0.5F);
  std::vector<std::string> boards;
  if (input.flag()) {
    for (std::size_t i = 0; i < games; ++i) boards.emplace_back(input.text());
  }
  const bool played_out[3] = {true, false, true};
  try {
    const std::vector<std::int64_t> own_starts = starts_of(input, plies.size());
    (void)replay_record(game, moves, plies, own_starts, actions, boards.empty() ? "" : boards[0]);
  } catch (const Error&) {  // a sentence of ours
  }
  RecordedGames recorded;
  recorded.moves = moves;
  recorded.move_starts = move_starts;
  recorded.position_starts = position_starts;
  recorded.winners = winners;
  recorded.played_out = std::span<const bool>(played_out, games);
  recorded.plies = plies;
  recorded.values = values;
  recorded.policy_starts = policy_starts;
  recorded.actions = actions;
  recorded.parts = parts;
  recorded.boards = boards;
  const std::size_t cells = static_cast<std::size_t>(spec.height * spec.width);
  const auto num_actions = static_cast<std::size_t>(spec.num_actions);
  std::vector<float> planes(cells * static_cast<std::size_t>(spec.num_planes)), policy(num_actions), reply(num_actions);
  const auto legal = std::make_unique<bool[]>(num_actions);
  float numbers[5] = {};
  const std::int64_t position = input.below(8) - 1;
  const std::int64_t symmetry = 0;
  std::int8_t player = 0;
  SampleArrays out{planes.data(), legal.get(), policy.data(), &numbers[0], &numbers[1], reply.data(),
                   &numbers[2],   &numbers[3], &player,       &numbers[4], nullptr,     nullptr};
  try {
    write_samples(game, recorded, std::span(&position, 1), std::span(&symmetry, 1), out);
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::with_game(data, size, [](const auto& game, fuzz::Input& input) { run(game, input); });
  return 0;
}

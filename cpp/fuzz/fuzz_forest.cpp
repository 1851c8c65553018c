// Calls of a forest in any order, with parameters and answers of any kind.
#include <cmath>
#include <limits>
#include <vector>

#include "fuzz/input.h"
#include "tengen/base/error.h"
#include "tengen/search/forest.h"

using namespace tengen;

namespace {

constexpr int kMostCalls = 200;

SearchParams params_of(fuzz::Input& input) {
  SearchParams params;
  params.selection = static_cast<Selection>(input.below(3));
  params.simulations = input.below(40);
  params.leaves_per_batch = 1 + input.below(8);
  params.virtual_loss = static_cast<float>(input.below(4));
  params.most_collisions = input.below(40);
  params.max_nodes = 2 + input.below(300);
  params.rollout_weight = static_cast<float>(input.below(3)) / 2.0F;
  params.solve = input.flag();
  params.instant_wins = input.flag();
  params.exact_leaf_nodes = input.flag() ? 1 + 8 * input.below(20) : 0;
  params.exact_root_nodes = input.flag() ? 1 + 32 * input.below(20) : 0;
  params.discount = input.flag() ? 0.9F : 1.0F;
  params.random_symmetry = input.flag();
  params.cache_entries = input.flag() ? 16 : 0;
  params.forced_playouts = input.flag() ? 2.0F : 0.0F;
  params.gumbel_considered = 1 + input.below(20);
  return params;
}

float number_of(fuzz::Input& input) {
  const std::uint8_t byte = input.byte();
  if (byte == 255) return std::numeric_limits<float>::quiet_NaN();
  if (byte == 254) return std::numeric_limits<float>::infinity();
  return (static_cast<float>(byte) - 127.0F) / 64.0F;
}

template <Game G>
void run(const G& game, fuzz::Input& input) {
  if (game.spec().num_actions > 200) return;  // larger boards are only slower
  Forest<G> forest(game, 1 + input.below(3), params_of(input), input.byte());
  const auto actions = static_cast<std::size_t>(game.spec().num_actions);
  for (int calls = 0; calls < kMostCalls && !input.empty(); ++calls) {
    const int tree = input.below(forest.num_trees());
    try {
      switch (input.below(9)) {
        case 0:
          forest.set_root(tree, game.parse_board(input.text()), input.byte());
          break;
        case 1:
          forest.begin(tree, input.below(50), input.flag());
          break;
        case 2:
          forest.select(input.below(4));
          break;
        case 3: {
          const bool win_draw_loss = input.flag();
          const auto rows = static_cast<std::size_t>(forest.num_pending());
          std::vector<float> logits(rows * actions), values(rows * (win_draw_loss ? 3 : 1));
          for (float& logit : logits) logit = number_of(input);
          for (float& value : values) value = win_draw_loss ? std::abs(number_of(input)) : number_of(input);
          forest.update(logits.data(), values.data(), win_draw_loss);
          break;
        }
        case 4:
          forest.advance(tree, input.below(game.spec().num_actions));
          break;
        case 5:
          forest.cancel();
          break;
        case 6:
          forest.clear_cache();
          break;
        case 7: {
          std::vector<std::int32_t> visits(actions);
          std::vector<float> target(actions), q(actions), prior(actions);
          (void)forest.result(tree);
          forest.write_root(tree, visits.data(), target.data(), q.data(), prior.data());
          break;
        }
        default:
          (void)forest.bytes();
          (void)forest.stopped_trees();
          (void)forest.searching();
      }
    } catch (const Error&) {  // a sentence of ours
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::with_game(data, size, [](const auto& game, fuzz::Input& input) { run(game, input); });
  return 0;
}

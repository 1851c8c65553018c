// Rules: drawings, names of actions and moves in any order. What a drawing says is drawn back, and every answer of a
// position agrees with the others.
#include <cstdlib>
#include <vector>

#include "fuzz/input.h"
#include "tengen/base/error.h"
#include "tengen/games/derived.h"

using namespace tengen;

namespace {

void require(bool truth) {
  if (!truth) std::abort();
}

template <Game G>
void ask_everything(const G& game, const typename G::State& state) {
  const auto& spec = game.spec();
  ActionList legal(spec.num_actions);
  game.legal_actions(state, legal);
  require(game.outcome(state).has_value() == (legal.size() == 0));
  std::vector<float> planes(static_cast<std::size_t>(spec.num_planes * spec.height * spec.width));
  game.write_planes(state, planes.data());
  const std::string drawing = game.board_text(state);
  (void)game.hash(state);
  (void)evaluation_key(game, state);
  for (const Action action : legal) require(game.parse_action(game.action_text(action)) == action);
  try {
    require(game.board_text(game.parse_board(drawing)) == drawing);
  } catch (const BoardTextError&) {  // a position that play reaches but no drawing can say, as one with a ko
  }
}

template <Game G>
void run(const G& game, fuzz::Input& input) {
  auto state = game.initial_state();
  while (!input.empty()) {
    try {
      switch (input.below(4)) {
        case 0:
          state = game.parse_board(input.text());
          ask_everything(game, state);
          break;
        case 1:
          (void)game.parse_action(input.text());
          break;
        default:
          if (game.outcome(state)) state = game.initial_state();
          const Action action = input.below(game.spec().num_actions);
          if (!is_legal(game, state, action)) break;
          game.play(state, action);
          if (input.flag()) ask_everything(game, state);
      }
    } catch (const Error&) {  // a sentence of ours
    }
  }
  ask_everything(game, state);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::with_game(data, size, [](const auto& game, fuzz::Input& input) { run(game, input); });
  return 0;
}

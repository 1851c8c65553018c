// The definition of erase(), for the erased_*.cpp files only.
#pragma once

#include "bindings/any_game.h"

namespace tengen {

template <Game G>
std::shared_ptr<const AnyGame> erase(G game) {
  return std::make_shared<ErasedGame<G>>(std::move(game));
}

}  // namespace tengen

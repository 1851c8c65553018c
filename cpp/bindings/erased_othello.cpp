#include "bindings/erase.h"
#include "tengen/games/othello.h"

namespace tengen {
template std::shared_ptr<const AnyGame> erase(Othello);
}  // namespace tengen

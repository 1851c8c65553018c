#include "bindings/erase.h"
#include "tengen/games/shogi.h"

namespace tengen {
template std::shared_ptr<const AnyGame> erase(Shogi<9>);
template std::shared_ptr<const AnyGame> erase(Shogi<5>);
}  // namespace tengen

#include "bindings/erase.h"
#include "tengen/games/chess.h"

namespace tengen {
template std::shared_ptr<const AnyGame> erase(Chess<5>);
template std::shared_ptr<const AnyGame> erase(Chess<6>);
template std::shared_ptr<const AnyGame> erase(Chess<8>);
}  // namespace tengen

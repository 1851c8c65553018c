#include "bindings/erase.h"
#include "tengen/games/go.h"

namespace tengen {
template std::shared_ptr<const AnyGame> erase(Go<9>);
template std::shared_ptr<const AnyGame> erase(Go<13>);
template std::shared_ptr<const AnyGame> erase(Go<19>);
}  // namespace tengen

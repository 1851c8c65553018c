#include "bindings/erase.h"
#include "tengen/games/connect_four.h"

namespace tengen {
template std::shared_ptr<const AnyGame> erase(ConnectFour);
}  // namespace tengen

#include "bindings/erase.h"
#include "tengen/games/mnk.h"

namespace tengen {
template std::shared_ptr<const AnyGame> erase(Mnk<1>);
template std::shared_ptr<const AnyGame> erase(Mnk<4>);
template std::shared_ptr<const AnyGame> erase(Mnk<6>);
}  // namespace tengen

#include "bindings/erase.h"
#include "tengen/games/table_game.h"

namespace tengen {
template std::shared_ptr<const AnyGame> erase(TableGame<512>);
template std::shared_ptr<const AnyGame> erase(TableGame<kLargestTableState>);
}  // namespace tengen

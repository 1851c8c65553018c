// What one simulation did, as data: step mode fills it in, the explorer and the tutorial draw it.
#pragma once

#include <cstdint>
#include <vector>

#include "tengen/search/child.h"
#include "tengen/search/tree.h"

namespace tengen {

// How a simulation got the value it backed up.
enum class LeafKind : std::uint8_t { kEvaluated, kCached, kRollout, kProven, kExact };

struct SimulationTrace {
  struct Step {
    NodeId node = 0;
    std::vector<ChildScore> children;
    Action chosen = 0;
  };
  struct Change {
    NodeId node = 0;
    std::uint32_t visits_before = 0;
    std::uint32_t visits_after = 0;
    double value_sum_before = 0.0;  // for the first player
    double value_sum_after = 0.0;   // for the first player
  };
  std::vector<Step> steps;  // from the root down
  NodeId leaf = 0;
  LeafKind kind = LeafKind::kEvaluated;
  std::vector<Action> actions;  // of the leaf, if it was expanded
  std::vector<float> priors;    // [actions]
  float value = 0.0F;           // that was backed up, for the first player
  std::vector<Change> changes;  // from the root down
};

}  // namespace tengen

// A search tree as arrays, for Python to walk through.
#pragma once

#include <cstdint>

#include "bindings/arrays.h"
#include "tengen/search/tree.h"

namespace tengen {

// Arrays over the nodes of a tree, parents before children; node 0 is the root. A copy: the search may go on.
struct TreeArrays {
  Array<std::int32_t> parent;       // [n] -1 for the root
  Array<std::int32_t> action;       // [n] that led here; -1 for the root
  Array<std::int32_t> player;       // [n] to move
  Array<std::int64_t> visits;       // [n]
  Array<double> value_sum;          // [n] for the first player
  Array<float> value;               // [n] evaluation of the node itself, for the first player
  Array<float> prior;               // [n] of the edge that led here; 1 for the root
  Array<std::int8_t> proven;        // [n] 0 unknown, 1 first wins, 2 second wins, 3 draw
  Array<std::int32_t> distance;     // [n] plies to the end, if proven
  Array<std::int64_t> edges_from;   // [n + 1] edges of node i are [edges_from[i], edges_from[i + 1])
  Array<std::int32_t> edge_action;  // [e]
  Array<float> edge_prior;          // [e]
  Array<std::int32_t> edge_child;   // [e] node, or -1 if it was never visited
};

inline TreeArrays tree_arrays(const Tree& tree) {
  const std::size_t n = tree.num_nodes();
  std::size_t num_edges = 0;
  for (NodeId node = 0; node < n; ++node) num_edges += tree.links(node).num_edges;
  TreeArrays out{new_array<std::int32_t>({n}),
                 new_array<std::int32_t>({n}),
                 new_array<std::int32_t>({n}),
                 new_array<std::int64_t>({n}),
                 new_array<double>({n}),
                 new_array<float>({n}),
                 new_array<float>({n}),
                 new_array<std::int8_t>({n}),
                 new_array<std::int32_t>({n}),
                 new_array<std::int64_t>({n + 1}),
                 new_array<std::int32_t>({num_edges}),
                 new_array<float>({num_edges}),
                 new_array<std::int32_t>({num_edges})};
  out.parent.data()[0] = -1;
  out.action.data()[0] = -1;
  out.prior.data()[0] = 1.0F;
  std::size_t edge = 0;
  for (NodeId node = 0; node < n; ++node) {
    const Tree::Stats& stats = tree.stats(node);
    const Tree::Links& links = tree.links(node);
    out.player.data()[node] = index(stats.to_move);
    out.visits.data()[node] = stats.visits;
    out.value_sum.data()[node] = stats.value_sum;
    out.value.data()[node] = links.value;
    out.proven.data()[node] = static_cast<std::int8_t>(stats.proven);
    out.distance.data()[node] = links.distance;
    out.edges_from.data()[node] = static_cast<std::int64_t>(edge);
    for (int i = 0; i < links.num_edges; ++i, ++edge) {
      out.edge_action.data()[edge] = tree.actions(node)[i];
      out.edge_prior.data()[edge] = tree.priors(node)[i];
      out.edge_child.data()[edge] = -1;
      if (i >= links.num_children) continue;
      const NodeId child = tree.child(node, i);
      out.edge_child.data()[edge] = static_cast<std::int32_t>(child);
      out.parent.data()[child] = static_cast<std::int32_t>(node);
      out.action.data()[child] = tree.actions(node)[i];
      out.prior.data()[child] = tree.priors(node)[i];
    }
  }
  out.edges_from.data()[n] = static_cast<std::int64_t>(edge);
  return out;
}

}  // namespace tengen

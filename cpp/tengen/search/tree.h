// The search tree: arrays in one arena per tree, ids instead of pointers, nothing allocated per node once the arrays
// have grown.
//
// A node exists for every position that was visited. Its legal actions are edges (prior and action), made when the
// node is expanded. The edges are kept so that
//     edges [0, num_children)   lead to children that exist, in the order they were first visited,
//     edge  num_children        is the next to be tried (the highest prior of the rest),
// so a selection looks at the visited children and one more, however many actions are legal.
//
// Values are sums for the FIRST player; sign_of() turns them to the side of whoever chooses. So a backup adds the same
// number all the way up, and games in which a player moves twice need nothing special.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tengen/base/growing_array.h"
#include "tengen/games/game.h"

namespace tengen {

using NodeId = std::uint32_t;
using EdgeId = std::uint32_t;

constexpr NodeId kRoot = 0;
constexpr NodeId kNoNode = 0xffffffffU;

// What is known for certain about a position.
enum class Proven : std::uint8_t { kUnknown, kFirstWins, kSecondWins, kDraw };

constexpr Proven proven_win(Player player) {
  return player == Player::kFirst ? Proven::kFirstWins : Proven::kSecondWins;
}
constexpr Proven proven_as(const Outcome& outcome) {
  return outcome.winner ? proven_win(*outcome.winner) : Proven::kDraw;
}
// The value for the first player of a position that is proven.
constexpr float proven_value(Proven proven) {
  return proven == Proven::kFirstWins ? 1.0F : proven == Proven::kSecondWins ? -1.0F : 0.0F;
}
// Turns a value for the first player into one for `player`, and back.
constexpr float sign_of(Player player) { return player == Player::kFirst ? 1.0F : -1.0F; }

class Tree {
 public:
  // What a selection reads of a child: together, so that it is one memory access.
  struct Stats {
    double value_sum = 0.0;     // for the first player
    std::uint32_t visits = 0;   // simulations backed up through the node, its own evaluation included
    std::uint16_t pending = 0;  // simulations on their way to an evaluation here or below: virtual visits
    Proven proven = Proven::kUnknown;
    Player to_move = Player::kFirst;
  };

  struct Links {
    float value = 0.0F;            // the evaluation of the node itself, for the first player
    EdgeId first_edge = 0;         // num_edges edges from here
    std::uint32_t first_slot = 0;  // children [first_slot, first_slot + num_children) in slots_
    std::uint16_t num_edges = 0;   // 0: not expanded, or the game is over
    std::uint16_t num_children = 0;
    std::uint16_t distance = 0;  // plies to the end of the game, if proven
    bool expanded = false;
    bool has_draw = false;  // a child is a proven draw, so the player to move here has that much for certain
  };

  Tree() { clear(); }

  void clear() {
    drop_all();
    add_node();
  }

  std::uint32_t num_nodes() const { return static_cast<std::uint32_t>(stats_.size()); }
  // No room for another node: the cap is reached, or edges come near the end of their 32-bit ids. The leaves of a batch
  // still get their edges, at most 4096 * 65535.
  bool is_full(std::uint32_t max_nodes) const {
    return num_nodes() >= max_nodes || priors_.size() > 0xffffffffU - (1U << 28);
  }
  std::size_t bytes() const {
    return stats_.capacity() * sizeof(Stats) + links_.capacity() * sizeof(Links) + priors_.capacity() * sizeof(float) +
           actions_.capacity() * sizeof(std::uint16_t) + slots_.capacity() * sizeof(NodeId);
  }

  Stats& stats(NodeId node) { return stats_[node]; }
  const Stats& stats(NodeId node) const { return stats_[node]; }
  Links& links(NodeId node) { return links_[node]; }
  const Links& links(NodeId node) const { return links_[node]; }

  const NodeId* children(NodeId node) const { return slots_.data() + links_[node].first_slot; }
  NodeId child(NodeId node, int i) const { return slots_[links_[node].first_slot + static_cast<std::uint32_t>(i)]; }
  float* priors(NodeId node) { return priors_.data() + links_[node].first_edge; }
  const float* priors(NodeId node) const { return priors_.data() + links_[node].first_edge; }
  std::uint16_t* actions(NodeId node) { return actions_.data() + links_[node].first_edge; }
  const std::uint16_t* actions(NodeId node) const { return actions_.data() + links_[node].first_edge; }

  // The edge of a legal action; num_edges if the node has none of it.
  int edge_of(NodeId node, Action action) const {
    const std::uint16_t* first = actions(node);
    return static_cast<int>(std::find(first, first + links_[node].num_edges, action) - first);
  }

  // Gives `node` its edges, with the priors in the order of the actions; then next_edge_first() puts the best in front.
  void expand(NodeId node, const std::uint16_t* actions, const float* priors, int count) {
    Links& links = links_[node];
    links.first_edge = static_cast<EdgeId>(priors_.size());
    links.num_edges = static_cast<std::uint16_t>(count);
    links.expanded = true;
    priors_.append(priors, links.num_edges);
    actions_.append(actions, links.num_edges);
    next_edge_first(node);
  }

  // Leaves a node that has no children yet only the edges of these actions. Their priors sum to 1 again.
  void keep_edges(NodeId node, const std::vector<Action>& kept) {
    Links& links = links_[node];
    float* prior = priors(node);
    std::uint16_t* action = actions(node);
    int count = 0;
    float sum = 0.0F;
    for (int i = 0; i < links.num_edges; ++i) {
      if (std::find(kept.begin(), kept.end(), action[i]) == kept.end()) continue;
      std::swap(prior[i], prior[count]);
      std::swap(action[i], action[count]);
      sum += prior[count++];
    }
    links.num_edges = static_cast<std::uint16_t>(count);
    for (int i = 0; i < count; ++i) prior[i] = sum > 0.0F ? prior[i] / sum : 1.0F / static_cast<float>(count);
    next_edge_first(node);
  }

  // The child behind edge num_children, which must not exist yet.
  NodeId add_child(NodeId node) {
    const NodeId child = add_node();
    Links& links = links_[node];
    if (links.num_children == 0) {
      links.first_slot = static_cast<std::uint32_t>(slots_.size());
      slots_.append(links.num_edges, kNoNode);
    }
    slots_[links.first_slot + links.num_children] = child;
    ++links.num_children;
    next_edge_first(node);
    return child;
  }

  // Makes edge `i`, which has no child yet, the next to be tried.
  void put_next(NodeId node, int i) {
    const int next = links_[node].num_children;
    std::swap(priors(node)[next], priors(node)[i]);
    std::swap(actions(node)[next], actions(node)[i]);
  }

  // Puts the highest prior among the edges without children in front of them.
  void next_edge_first(NodeId node) {
    const Links& links = links_[node];
    if (links.num_children >= links.num_edges) return;
    const float* prior = priors(node);
    int best = links.num_children;
    for (int i = best + 1; i < links.num_edges; ++i) {
      if (prior[i] > prior[best]) best = i;
    }
    put_next(node, best);
  }

  // Keeps only what is below `node`, which becomes the root. `spare` is working memory; its content is lost.
  void keep_subtree(NodeId node, Tree& spare) {
    spare.drop_all();
    spare.stats_.push_back(stats_[node]);
    spare.links_.push_back(links_[node]);
    // Breadth first: `at` runs over the copied nodes, whose links still speak of this tree until their turn comes.
    for (NodeId at = 0; at < spare.links_.size(); ++at) {
      Links links = spare.links_[at];
      const auto edges_from = links.first_edge;
      const auto slots_from = links.first_slot;
      links.first_edge = static_cast<EdgeId>(spare.priors_.size());
      links.first_slot = static_cast<std::uint32_t>(spare.slots_.size());
      spare.priors_.append(priors_.data() + edges_from, links.num_edges);
      spare.actions_.append(actions_.data() + edges_from, links.num_edges);
      if (links.num_children > 0) {
        spare.slots_.append(links.num_edges, kNoNode);
        for (std::uint32_t i = 0; i < links.num_children; ++i) {
          const NodeId child = slots_[slots_from + i];
          spare.slots_[links.first_slot + i] = static_cast<NodeId>(spare.stats_.size());
          spare.stats_.push_back(stats_[child]);
          spare.links_.push_back(links_[child]);
        }
      }
      spare.links_[at] = links;
    }
    std::swap(*this, spare);
  }

 private:
  void drop_all() {
    stats_.clear();
    links_.clear();
    priors_.clear();
    actions_.clear();
    slots_.clear();
  }

  NodeId add_node() {
    stats_.push_back({});
    links_.push_back({});
    return static_cast<NodeId>(stats_.size() - 1);
  }

  GrowingArray<Stats> stats_;            // [nodes]
  GrowingArray<Links> links_;            // [nodes]
  GrowingArray<float> priors_;           // [edges]
  GrowingArray<std::uint16_t> actions_;  // [edges]
  GrowingArray<NodeId> slots_;           // children of the nodes that have any
};

}  // namespace tengen

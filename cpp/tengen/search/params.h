// Every number the search uses, once: its default, its range, what it does and where it comes from.
// Python reads the same table (bind_params.cpp), so a parameter has one name and one default in both languages.
#pragma once

#include <cstdint>
#include <string>

namespace tengen {

enum class Selection : std::uint8_t {
  kPuct,    // AlphaGo Zero and AlphaZero: prior, value and visits
  kUct,     // classic MCTS: value and visits (Kocsis and Szepesvari 2006)
  kGumbel,  // Gumbel AlphaZero: sampled root, sequential halving (Danihelka et al. 2022)
};

enum class UnvisitedValue : std::uint8_t {
  kParent,  // the parent's value, less fpu_reduction * sqrt(prior already visited)
  kZero,    // 0, as even chances
};

struct SearchParams {
  Selection selection = Selection::kPuct;
  int simulations = 400;
  int leaves_per_batch = 1;
  float virtual_loss = 0.0F;
  int most_collisions = 32;
  int max_nodes = 10'000'000;

  float c_puct = 1.25F;
  float c_puct_base = 0.0F;
  UnvisitedValue unvisited_value = UnvisitedValue::kParent;
  float fpu_reduction = 0.2F;
  float c_uct = 1.4142135F;

  float rollout_weight = 0.0F;
  bool solve = true;
  bool instant_wins = false;
  int exact_leaf_nodes = 0;
  int exact_root_nodes = 0;
  float discount = 1.0F;
  bool random_symmetry = false;
  int cache_entries = 0;

  float noise_fraction = 0.25F;
  float dirichlet_alpha = 0.0F;
  float dirichlet_total = 10.83F;
  float forced_playouts = 0.0F;

  int gumbel_considered = 16;
  float gumbel_scale = 1.0F;
  float gumbel_c_visit = 50.0F;
  float gumbel_c_scale = 0.1F;
  bool gumbel_rescale = true;

  bool operator==(const SearchParams&) const = default;
};

// Calls visit(name, member pointer, lowest, highest, help) for every parameter, in the order of the struct.
// Enumerations and flags have no range of their own and pass 0, 0.
template <class Visit>
void for_each_param(Visit&& visit) {
  using P = SearchParams;
  visit("selection", &P::selection, 0, 0, "how a child is chosen: puct, uct or gumbel");
  visit("simulations", &P::simulations, 0, 1e9, "simulations per search; 0 is the raw network");
  visit("leaves_per_batch", &P::leaves_per_batch, 1, 4096,
        "leaves one tree may have in a batch, kept apart by counting their visits at once");
  visit("virtual_loss", &P::virtual_loss, 0, 10,
        "losses a leaf under evaluation counts for meanwhile (AlphaGo 2016: 3; 0 counts its visit only)");
  visit("most_collisions", &P::most_collisions, 0, 4096,
        "times that a batch may come to a leaf it has already before it stops looking for others");
  visit("max_nodes", &P::max_nodes, 2, 2e9, "nodes one tree may have; the search of that tree stops there and says so");
  visit("c_puct", &P::c_puct, 0, 100, "weight of prior and visits against value (AlphaZero: 1.25)");
  visit("c_puct_base", &P::c_puct_base, 0, 1e9,
        "c_puct grows by log((N + base + 1) / base); 0: it does not (AlphaZero: 19652)");
  visit("unvisited_value", &P::unvisited_value, 0, 0,
        "value of a child without visits: parent (less fpu_reduction) or zero");
  visit("fpu_reduction", &P::fpu_reduction, 0, 2,
        "first play urgency: how far below its parent an unvisited child starts (KataGo: 0.2)");
  visit("c_uct", &P::c_uct, 0, 100, "exploration of UCT (sqrt 2 in theory)");
  visit("rollout_weight", &P::rollout_weight, 0, 1,
        "lambda in (1 - lambda) v + lambda z: 0 network only, 1 random rollouts only (AlphaGo 2016: 0.5)");
  visit("solve", &P::solve, 0, 0, "back up proven wins, losses and draws (MCTS-Solver, Winands 2008)");
  visit("instant_wins", &P::instant_wins, 0, 0,
        "with solve: where the player to move can win at once, that is seen without an evaluation");
  visit("exact_leaf_nodes", &P::exact_leaf_nodes, 0, 1e6,
        "with solve: positions that an exact search by the rules may look at to settle a new node, which then needs no "
        "evaluation; nodes as far from the end as those where it failed are rarely asked about; 0: off");
  visit("exact_root_nodes", &P::exact_root_nodes, 0, 1e8,
        "with solve: positions that an exact search by the rules may look at to settle the root when a search begins, "
        "at most 50 for each simulation; 0: off");
  visit("discount", &P::discount, 0, 1,
        "a result n plies away counts discount^n: below 1, an early win is better than a late one");
  visit("random_symmetry", &P::random_symmetry, 0, 0,
        "evaluate each leaf in one symmetry, drawn from its evaluation key (AlphaGo Zero)");
  visit("cache_entries", &P::cache_entries, 0, 1e9,
        "evaluations a forest remembers, of states with at most 256 legal actions; 0: none");
  visit("noise_fraction", &P::noise_fraction, 0, 1, "epsilon of the root noise in self-play (AlphaZero: 0.25)");
  visit("dirichlet_alpha", &P::dirichlet_alpha, 0, 100,
        "alpha of the root noise (AlphaZero: chess 0.3, Go 0.03); 0: dirichlet_total / legal actions");
  visit("dirichlet_total", &P::dirichlet_total, 0, 1e4,
        "sum of all alphas when scaled to the legal actions (KataGo: 10.83 = 0.03 * 361)");
  visit("forced_playouts", &P::forced_playouts, 0, 100,
        "k in sqrt(k P N): visits a root child gets at least, pruned from the target (KataGo: 2; 0: off)");
  visit("gumbel_considered", &P::gumbel_considered, 1, 1e6, "m: actions sampled at the root (Gumbel AlphaZero: 16)");
  visit("gumbel_scale", &P::gumbel_scale, 0, 100, "size of the Gumbel noise when there is noise (1 in theory)");
  visit("gumbel_c_visit", &P::gumbel_c_visit, 0, 1e6,
        "c_visit in sigma(q) = (c_visit + max N) c_scale q (Gumbel AlphaZero: 50)");
  visit("gumbel_c_scale", &P::gumbel_c_scale, 0, 1e3,
        "c_scale of the same (0.1 with rescaled q as in mctx; 1 in the paper)");
  visit("gumbel_rescale", &P::gumbel_rescale, 0, 0,
        "rescale q to [0, 1] between the least and the greatest of a node (mctx)");
}

}  // namespace tengen

// The leaves of one batch: from select(), which finds them, to update(), which brings their evaluations. Their planes
// lie together as the evaluator wants them; a leaf that the cache knows waits with the others but takes no row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tengen/base/error.h"
#include "tengen/base/rng.h"
#include "tengen/games/game.h"
#include "tengen/search/score.h"
#include "tengen/search/tree.h"

namespace tengen {

// A leaf on its way to the evaluator.
struct Leaf {
  static constexpr int kKnown = -1;  // the cache had the answer

  int tree = 0;
  std::uint64_t key = 0;         // what its evaluation depends on
  std::optional<float> rollout;  // for the first player
  float known_value = 0.0F;      // the cache's, for the player to move
  int row = kKnown;              // in the batch
  int symmetry = 0;              // in which it is evaluated

  // Where the batch has the path from the root, the legal actions and the cache's priors.
  std::size_t first_node = 0;
  int length = 0;
  std::size_t first_action = 0;
  int num_actions = 0;
  std::size_t first_prior = 0;

  bool is_known() const { return row == kKnown; }
};

// Simulations that came to a leaf under evaluation. While a share is gathered each counts as one on its way, so that
// the next goes elsewhere; they are no visits, and nothing comes of them.
class Collisions {
 public:
  Collisions(Tree& tree, std::vector<NodeId>& nodes) : tree_(tree), nodes_(nodes) {}
  Collisions(const Collisions&) = delete;
  Collisions& operator=(const Collisions&) = delete;
  ~Collisions() {
    for (const NodeId node : nodes_) --tree_.stats(node).pending;
    nodes_.clear();
  }

  int count() const { return count_; }
  void add(const std::vector<NodeId>& path) {
    for (const NodeId node : path) ++tree_.stats(node).pending;
    nodes_.insert(nodes_.end(), path.begin(), path.end());
    ++count_;
  }

 private:
  Tree& tree_;
  std::vector<NodeId>& nodes_;  // of all their paths
  int count_ = 0;
};

class LeafBatch {
 public:
  LeafBatch(const GameSpec& spec, bool random_symmetry, std::uint64_t seed)
      : num_actions_(static_cast<std::size_t>(spec.num_actions)),
        planes_size_(static_cast<std::size_t>(spec.planes_size())),
        num_symmetries_(random_symmetry ? static_cast<std::uint32_t>(spec.symmetries.size()) : 1),
        symmetry_seed_(mix64(seed)) {
    if (!draws_symmetries()) return;
    upright_.resize(planes_size_);
    for (const Symmetry& symmetry : spec.symmetries) {
      std::vector<std::int32_t> target(symmetry.action_source.size());
      for (std::size_t a = 0; a < target.size(); ++a) {
        target[static_cast<std::size_t>(symmetry.action_source[a])] = static_cast<std::int32_t>(a);
      }
      action_targets_.push_back(std::move(target));
    }
  }

  // Whether each leaf is evaluated in a symmetry of its own.
  bool draws_symmetries() const { return num_symmetries_ > 1; }

  const std::vector<Leaf>& leaves() const { return leaves_; }
  int num_rows() const { return num_rows_; }
  const NodeId* path(const Leaf& leaf) const { return paths_.data() + leaf.first_node; }
  const std::uint16_t* actions(const Leaf& leaf) const { return actions_.data() + leaf.first_action; }
  const float* known_priors(const Leaf& leaf) const { return known_priors_.data() + leaf.first_prior; }
  // [rows, C, H, W]. Shared, so that a reader can hold on to it; the next batch writes over it.
  const std::shared_ptr<std::vector<float>>& planes() const { return planes_; }

  // Gives a leaf the next row without planes: its state itself is what will be evaluated.
  void ask_state(Leaf& leaf) const { leaf.row = num_rows_; }

  // Writes the planes of a leaf into the next row, in a symmetry drawn for it if that is wanted. It is drawn from the
  // key, as the cache is: whoever finds the answer there would have asked in the same symmetry.
  template <Game G>
  void ask(Leaf& leaf, const G& game, const typename G::State& state) {
    const auto row = static_cast<std::size_t>(num_rows_);
    leaf.row = num_rows_;
    if (planes_->size() < (row + 1) * planes_size_) {  // never resized in place: somebody may be reading it
      auto larger = std::make_shared<std::vector<float>>(std::max(planes_->size() * 2, planes_size_ * 64));
      std::copy(planes_->begin(), planes_->end(), larger->begin());
      planes_ = std::move(larger);
    }
    float* out = planes_->data() + row * planes_size_;
    if (draws_symmetries()) leaf.symmetry = static_cast<int>(Rng(leaf.key ^ symmetry_seed_).below(num_symmetries_));
    if (leaf.symmetry == 0) {
      game.write_planes(state, out);
      return;
    }
    game.write_planes(state, upright_.data());
    const auto& source = game.spec().symmetries[static_cast<std::size_t>(leaf.symmetry)].cell_source;
    const std::size_t cells = source.size();
    for (std::size_t plane = 0; plane < planes_size_; plane += cells) {
      for (std::size_t cell = 0; cell < cells; ++cell) {
        out[plane + cell] = upright_[plane + static_cast<std::size_t>(source[cell])];
      }
    }
  }

  // Adds a leaf, which has either asked or brings the priors that the cache knows. Comes last, so that rules that throw
  // leave no half a leaf behind.
  void add(Leaf leaf, const std::vector<NodeId>& path, const ActionList& legal, const float* known_priors) {
    leaf.first_node = paths_.size();
    leaf.length = static_cast<int>(path.size());
    leaf.first_action = actions_.size();
    leaf.num_actions = legal.size();
    leaf.first_prior = known_priors_.size();
    paths_.insert(paths_.end(), path.begin(), path.end());
    actions_.insert(actions_.end(), legal.begin(), legal.end());
    if (leaf.is_known()) {
      known_priors_.insert(known_priors_.end(), known_priors, known_priors + leaf.num_actions);
    } else {
      ++num_rows_;
    }
    leaves_.push_back(leaf);
  }

  // The priors of a leaf's legal actions, from logits [rows, A].
  void read_priors(const Leaf& leaf, const float* logits, std::vector<float>& priors) const {
    const float* row = logits + static_cast<std::size_t>(leaf.row) * num_actions_;
    const std::uint16_t* legal = actions(leaf);
    priors.resize(static_cast<std::size_t>(leaf.num_actions));
    if (leaf.symmetry == 0) {
      for (std::size_t i = 0; i < priors.size(); ++i) priors[i] = row[legal[i]];
    } else {
      const std::int32_t* target = action_targets_[static_cast<std::size_t>(leaf.symmetry)].data();
      for (std::size_t i = 0; i < priors.size(); ++i) priors[i] = row[target[legal[i]]];
    }
    softmax(priors.data(), leaf.num_actions);
  }

  // Throws EvaluatorError if a number that will be needed is no good.
  void check_answers(const float* logits, const float* values, bool win_draw_loss) const {
    for (const Leaf& leaf : leaves_) {
      if (leaf.is_known()) continue;
      const auto b = static_cast<std::size_t>(leaf.row);
      check_logits(leaf, logits + b * num_actions_);
      if (win_draw_loss) {
        check_chances(b, values + 3 * b);
      } else if (!(std::abs(values[b]) <= 1.001F)) {  // NaN neither
        throw EvaluatorError("Row " + std::to_string(b) + " has the value " + std::to_string(values[b]) +
                             "; values are from -1 (lost) to 1 (won) for the player to move.");
      }
    }
  }

  // Forgets the leaves from number `first` on, none of which has a row.
  void drop_known_from(std::size_t first) {
    paths_.resize(leaves_[first].first_node);
    actions_.resize(leaves_[first].first_action);
    known_priors_.resize(leaves_[first].first_prior);
    leaves_.erase(leaves_.begin() + static_cast<std::ptrdiff_t>(first), leaves_.end());
  }

  std::size_t bytes() const {
    std::size_t sum = (planes_->capacity() + upright_.capacity() + known_priors_.capacity()) * sizeof(float) +
                      leaves_.capacity() * sizeof(Leaf) + paths_.capacity() * sizeof(NodeId) +
                      actions_.capacity() * sizeof(std::uint16_t);
    for (const auto& target : action_targets_) sum += target.capacity() * sizeof(std::int32_t);
    return sum;
  }

  void clear() {
    leaves_.clear();
    paths_.clear();
    actions_.clear();
    known_priors_.clear();
    num_rows_ = 0;
  }

 private:
  void check_logits(const Leaf& leaf, const float* logits) const {
    const std::uint16_t* legal = actions(leaf);
    bool good = true;
    for (int i = 0; i < leaf.num_actions; ++i) {
      const std::uint16_t action = legal[i];
      const auto symmetry = static_cast<std::size_t>(leaf.symmetry);
      good = good && std::isfinite(logits[symmetry == 0 ? action : action_targets_[symmetry][action]]);
    }
    if (good) return;
    throw EvaluatorError("Row " + std::to_string(leaf.row) +
                         " of the logits has a legal action without a finite number.");
  }

  static void check_chances(std::size_t row, const float* chances) {
    const bool whole = std::abs(chances[0] + chances[1] + chances[2] - 1.0F) <= 0.02F;  // false for NaN
    if (whole && std::min({chances[0], chances[1], chances[2]}) >= -0.001F) return;
    throw EvaluatorError("Row " + std::to_string(row) + " of the values is (" + std::to_string(chances[0]) + ", " +
                         std::to_string(chances[1]) + ", " + std::to_string(chances[2]) +
                         "); it must be the probabilities of win, draw and loss.");
  }

  // Constant.
  std::size_t num_actions_;
  std::size_t planes_size_;
  std::uint32_t num_symmetries_;
  std::uint64_t symmetry_seed_;
  std::vector<std::vector<std::int32_t>> action_targets_;  // [symmetries][A] where the turned policy has it; or empty

  // The leaves, and what belongs to them in their order.
  std::vector<Leaf> leaves_;
  std::vector<NodeId> paths_;
  std::vector<std::uint16_t> actions_;
  std::vector<float> known_priors_;
  int num_rows_ = 0;  // leaves that need an evaluation
  std::shared_ptr<std::vector<float>> planes_ = std::make_shared<std::vector<float>>();

  std::vector<float> upright_;  // working memory: planes before they are turned
};

}  // namespace tengen

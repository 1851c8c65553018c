// When a tree asks an exact search about a new node: often where that has settled nodes, rarely where it has failed.
// What it learns is by how far from the tree's first root a node is, because in most games the end comes nearer move by
// move.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tengen {

class ExactGate {
 public:
  void clear() { plies_.clear(); }
  bool is_new() const { return plies_.empty(); }

  // Begins a new one. `hopeful`: the game looks near its end already.
  void start(bool hopeful) { at(0).level = hopeful ? 0 : kDoubt; }

  // Whether to ask about this node, `ply` plies from the first root of the tree. The answer goes to learn().
  bool is_open(int ply) {
    Ply& here = at(ply);
    if (here.wait == 0) return true;
    --here.wait;
    return false;
  }

  void learn(int ply, bool settled) {
    Ply& here = at(ply);
    here.level = settled ? std::max(0, here.level - kStepDown) : std::min(here.level + 1, kMostLevel);
    here.wait = wait_at(here.level);
  }

  std::size_t bytes() const { return plies_.capacity() * sizeof(Ply); }

 private:
  // After a failure the wait doubles; a success takes two failures back, so that a third of the attempts must succeed
  // for the gate to stay open. In a game in which none ever does, one node of 256 is asked about.
  static constexpr int kMostLevel = 8;
  static constexpr int kStepDown = 2;
  static constexpr int kDoubt = 5;

  struct Ply {
    int level = 0;
    int wait = 0;  // nodes that pass before the next is asked about
  };

  static int wait_at(int level) { return (1 << level) - 1; }

  // A ply that is seen for the first time begins as the one before it stands, a little more hopeful.
  Ply& at(int ply) {
    while (plies_.size() <= static_cast<std::size_t>(ply)) {
      const int level = plies_.empty() ? 0 : std::max(0, plies_.back().level - 1);
      plies_.push_back({level, wait_at(level)});
    }
    return plies_[static_cast<std::size_t>(ply)];
  }

  std::vector<Ply> plies_;  // [ply]
};

}  // namespace tengen

// The games behind one face: the templates of tengen/games are erased here, once, for Python.
// A Forest for a game is made through its AnyGame too, so that the search runs on the concrete type.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tengen/games/derived.h"
#include "tengen/games/game.h"
#include "tengen/records/samples.h"
#include "tengen/rollout/learner.h"
#include "tengen/rollout/policy.h"
#include "tengen/search/alphabeta.h"
#include "tengen/search/exact.h"
#include "tengen/search/forest.h"
#include "tengen/tables/learner.h"
#include "tengen/tables/reader.h"

namespace tengen {

class AnyState {
 public:
  virtual ~AnyState() = default;
};

template <Game G>
struct StateBox final : AnyState {
  explicit StateBox(typename G::State value) : state(std::move(value)) {}
  typename G::State state;
};

template <Game G>
const typename G::State& open_state(const AnyState& state) {
  return static_cast<const StateBox<G>&>(state).state;
}

// Called again and again during long work; it may throw to end it.
using Poll = std::function<void()>;

class AnyForest {
 public:
  virtual ~AnyForest() = default;

  virtual int num_trees() const = 0;
  virtual int num_pending() const = 0;
  virtual void set_root(int tree, const AnyState& state, std::uint64_t seed, const LastTargets& past) = 0;
  virtual void restrict_root(int tree, std::vector<Action> only) = 0;
  virtual void begin(int tree, int simulations, bool noise) = 0;
  virtual bool searching() const = 0;
  virtual std::vector<int> stopped_trees() const = 0;
  virtual int select(int max_leaves, const Poll& poll) = 0;
  virtual std::shared_ptr<std::vector<float>> planes() const = 0;
  virtual void update(const float* logits, const float* values, bool win_draw_loss) = 0;
  virtual int settle(const Tables& tables, int max_leaves, const Poll& poll) = 0;
  virtual void cancel() = 0;
  virtual void advance(int tree, Action action) = 0;
  virtual void clear_cache() = 0;
  virtual TreeResult result(int tree) const = 0;
  virtual void write_root(int tree, std::int32_t* visits, float* target, float* q, float* prior) const = 0;
  virtual const Tree& tree(int tree) const = 0;
  virtual void set_trace(SimulationTrace* trace) = 0;
  virtual std::size_t bytes() const = 0;
};

template <Game G>
class ErasedForest final : public AnyForest {
 public:
  ErasedForest(const G& game, int num_trees, const SearchParams& params, std::uint64_t seed,
               std::shared_ptr<const RolloutPolicy> rollouts)
      : forest_(game, num_trees, params, seed, std::move(rollouts)) {}

  int num_trees() const override { return forest_.num_trees(); }
  int num_pending() const override { return forest_.num_pending(); }
  void set_root(int tree, const AnyState& state, std::uint64_t seed, const LastTargets& past) override {
    forest_.set_root(tree, open_state<G>(state), seed, past);
  }
  void restrict_root(int tree, std::vector<Action> only) override { forest_.restrict_root(tree, std::move(only)); }
  void begin(int tree, int simulations, bool noise) override { forest_.begin(tree, simulations, noise); }
  bool searching() const override { return forest_.searching(); }
  std::vector<int> stopped_trees() const override { return forest_.stopped_trees(); }
  int select(int max_leaves, const Poll& poll) override { return forest_.select(max_leaves, poll); }
  std::shared_ptr<std::vector<float>> planes() const override { return forest_.planes(); }
  void update(const float* logits, const float* values, bool win_draw_loss) override {
    forest_.update(logits, values, win_draw_loss);
  }
  int settle(const Tables& tables, int max_leaves, const Poll& poll) override {
    TablesReader<G> reader(forest_.game(), tables.layout);
    const auto evaluate = [&](const typename G::State& state, float* logits) {
      return reader.evaluate(state, tables, logits);
    };
    return forest_.settle(max_leaves, evaluate, poll);
  }
  void cancel() override { forest_.cancel(); }
  void advance(int tree, Action action) override { forest_.advance(tree, action); }
  void clear_cache() override { forest_.clear_cache(); }
  TreeResult result(int tree) const override { return forest_.result(tree); }
  void write_root(int tree, std::int32_t* visits, float* target, float* q, float* prior) const override {
    forest_.write_root(tree, visits, target, q, prior);
  }
  const Tree& tree(int tree) const override { return forest_.tree(tree); }
  void set_trace(SimulationTrace* trace) override { forest_.set_trace(trace); }
  std::size_t bytes() const override { return forest_.bytes(); }

 private:
  Forest<G> forest_;
};

// What many random games came to.
struct PlayoutCounts {
  std::int64_t games = 0;
  std::int64_t actions = 0;
  std::array<std::int64_t, 2> wins{};
  std::int64_t draws = 0;

  void add(const Playout& playout) {
    ++games;
    actions += playout.actions;
    if (playout.outcome.winner) {
      ++wins[static_cast<std::size_t>(index(*playout.outcome.winner))];
    } else {
      ++draws;
    }
  }
};

// Learns a rollout policy from games of one kind.
class AnyRolloutLearner {
 public:
  virtual ~AnyRolloutLearner() = default;

  // `board`: the drawing that the game starts from, or "".
  virtual void read(LearnedRollout& rollout, const RolloutGame& played, const std::string& board,
                    const RolloutLearning* how, RolloutFigures& figures) = 0;
};

template <Game G>
class ErasedRolloutLearner final : public AnyRolloutLearner {
 public:
  ErasedRolloutLearner(const G& game, const PatternLayout& layout) : game_(game), learner_(game_, layout) {}

  void read(LearnedRollout& rollout, const RolloutGame& played, const std::string& board, const RolloutLearning* how,
            RolloutFigures& figures) override {
    learner_.read(rollout, played, recorded_start(game_, board), how, figures);
  }

 private:
  G game_;
  RolloutLearner<G> learner_;
};

// Plays games of one kind and learns tables from them.
class AnyTablesLearner {
 public:
  virtual ~AnyTablesLearner() = default;

  virtual void play(LearnedTables& tables, const TablesLearning& how, Rng rng, TablesFigures& figures,
                    PlayedGame& played) = 0;
};

template <Game G>
class ErasedTablesLearner final : public AnyTablesLearner {
 public:
  ErasedTablesLearner(const G& game, const TablesLayout& layout) : learner_(game, layout) {}

  void play(LearnedTables& tables, const TablesLearning& how, Rng rng, TablesFigures& figures,
            PlayedGame& played) override {
    learner_.play(tables, how, rng, figures, played);
  }

 private:
  TablesLearner<G> learner_;
};

class AnyGame {
 public:
  virtual ~AnyGame() = default;

  virtual const GameSpec& spec() const = 0;
  virtual std::string backend() const = 0;  // what runs the rules: "c++", "compiled", "interpreted"
  virtual std::unique_ptr<AnyState> initial_state() const = 0;
  virtual std::unique_ptr<AnyState> parse_board(std::string_view text) const = 0;
  virtual std::unique_ptr<AnyState> after(const AnyState& state, Action action) const = 0;
  virtual Player to_move(const AnyState& state) const = 0;
  virtual void legal_actions(const AnyState& state, ActionList& list) const = 0;
  virtual bool is_legal(const AnyState& state, Action action) const = 0;
  virtual std::optional<Outcome> outcome(const AnyState& state) const = 0;
  virtual std::optional<Ending> ending(const AnyState& state) const = 0;
  virtual bool write_cells(const AnyState& state, std::int8_t* out) const = 0;
  virtual std::array<Hand, 2> hands(const AnyState& state) const = 0;
  virtual std::optional<double> score(const AnyState& state) const = 0;
  virtual ActionCells action_cells(const AnyState& state, Action action) const = 0;
  virtual std::uint64_t evaluation_key(const AnyState& state) const = 0;
  virtual void write_planes(const AnyState& state, float* planes) const = 0;
  virtual std::uint64_t hash(const AnyState& state) const = 0;
  virtual bool equal(const AnyState& a, const AnyState& b) const = 0;
  virtual std::string action_text(Action action) const = 0;
  virtual std::optional<Action> parse_action(std::string_view text) const = 0;
  virtual std::string action_text_in(const AnyState& state, Action action) const = 0;
  virtual std::optional<Action> parse_action_in(const AnyState& state, std::string_view text) const = 0;
  virtual std::string notation(const AnyState& state, Action action) const = 0;
  virtual std::string board_text(const AnyState& state) const = 0;
  virtual std::string position_text(const AnyState& state) const = 0;
  virtual Perft perft(const AnyState& state, int depth, const Poll& poll) const = 0;
  virtual std::uint64_t count_sequences(const AnyState& state, int length, const Poll& poll) const = 0;
  virtual AlphaBetaResult alphabeta(const AnyState& state, int depth, std::uint64_t seed, const Poll& poll) const = 0;
  virtual PlayoutCounts random_playouts(const AnyState& from, std::int64_t games, std::uint64_t seed,
                                        const Poll& poll) const = 0;
  virtual PlayoutCounts policy_playouts(const RolloutPolicy& policy, const AnyState& from, const LastTargets& past,
                                        std::int64_t games, std::uint64_t seed, const Poll& poll) const = 0;
  // [A]
  virtual void write_probabilities(const RolloutPolicy& policy, const AnyState& state, const LastTargets& past,
                                   float* out) const = 0;
  // Where the last two of these moves went; `board` is the drawing that they start from, or "".
  virtual LastTargets last_targets(const std::vector<Action>& moves, const std::string& board) const = 0;
  virtual std::unique_ptr<AnyForest> make_forest(int num_trees, const SearchParams& params, std::uint64_t seed,
                                                 std::shared_ptr<const RolloutPolicy> rollouts) const = 0;
  // `layout` must outlive the learner.
  virtual std::unique_ptr<AnyRolloutLearner> make_rollout_learner(const PatternLayout& layout) const = 0;
  // `layout` must outlive the learner.
  virtual std::unique_ptr<AnyTablesLearner> make_tables_learner(const TablesLayout& layout) const = 0;
  // Logits [A] of the legal actions, and the value for the player to move.
  virtual float evaluate(const Tables& tables, const AnyState& state, float* logits) const = 0;
  virtual RecordEnd replay_record(std::span<const std::uint16_t> moves, std::span<const std::uint16_t> plies,
                                  std::span<const std::int64_t> policy_starts, std::span<const std::uint16_t> actions,
                                  const std::string& board) const = 0;
  virtual void write_samples(const RecordedGames& games, std::span<const std::int64_t> positions,
                             std::span<const std::int64_t> symmetries, const SampleArrays& out) const = 0;
  virtual ExactLine exact_line(const AnyState& state, std::int64_t most_positions, std::uint64_t seed,
                               const Poll& poll) const = 0;
};

template <Game G>
class ErasedGame final : public AnyGame {
 public:
  using State = typename G::State;

  explicit ErasedGame(G game) : game_(std::move(game)) {}

  const GameSpec& spec() const override { return game_.spec(); }
  std::string backend() const override { return tengen::backend(game_); }
  std::unique_ptr<AnyState> initial_state() const override { return box(game_.initial_state()); }
  std::unique_ptr<AnyState> parse_board(std::string_view text) const override { return box(game_.parse_board(text)); }
  std::unique_ptr<AnyState> after(const AnyState& state, Action action) const override {
    State next = open(state);
    game_.play(next, action);
    return box(std::move(next));
  }
  Player to_move(const AnyState& state) const override { return game_.to_move(open(state)); }
  void legal_actions(const AnyState& state, ActionList& list) const override { game_.legal_actions(open(state), list); }
  bool is_legal(const AnyState& state, Action action) const override {
    return tengen::is_legal(game_, open(state), action);
  }
  std::optional<Outcome> outcome(const AnyState& state) const override { return game_.outcome(open(state)); }
  std::optional<Ending> ending(const AnyState& state) const override { return tengen::ending(game_, open(state)); }
  bool write_cells(const AnyState& state, std::int8_t* out) const override {
    return tengen::write_cells(game_, open(state), out);
  }
  std::array<Hand, 2> hands(const AnyState& state) const override { return tengen::hands(game_, open(state)); }
  std::optional<double> score(const AnyState& state) const override { return tengen::score(game_, open(state)); }
  ActionCells action_cells(const AnyState& state, Action action) const override {
    return tengen::action_cells(game_, open(state), action);
  }
  std::uint64_t evaluation_key(const AnyState& state) const override {
    return tengen::evaluation_key(game_, open(state));
  }
  void write_planes(const AnyState& state, float* planes) const override { game_.write_planes(open(state), planes); }
  std::uint64_t hash(const AnyState& state) const override { return game_.hash(open(state)); }
  bool equal(const AnyState& a, const AnyState& b) const override { return open(a) == open(b); }
  std::string action_text(Action action) const override { return game_.action_text(action); }
  std::optional<Action> parse_action(std::string_view text) const override { return game_.parse_action(text); }
  std::string action_text_in(const AnyState& state, Action action) const override {
    return tengen::action_text(game_, open(state), action);
  }
  std::optional<Action> parse_action_in(const AnyState& state, std::string_view text) const override {
    return tengen::parse_action(game_, open(state), text);
  }
  std::string notation(const AnyState& state, Action action) const override {
    return tengen::notation(game_, open(state), action);
  }
  std::string board_text(const AnyState& state) const override { return game_.board_text(open(state)); }
  std::string position_text(const AnyState& state) const override { return tengen::position_text(game_, open(state)); }
  Perft perft(const AnyState& state, int depth, const Poll& poll) const override {
    return tengen::perft(game_, open(state), depth, std::cref(poll));
  }
  std::uint64_t count_sequences(const AnyState& state, int length, const Poll& poll) const override {
    return tengen::count_sequences(game_, open(state), length, poll);
  }

  AlphaBetaResult alphabeta(const AnyState& state, int depth, std::uint64_t seed, const Poll& poll) const override {
    return AlphaBeta<G>(game_, depth, seed).search(open(state), std::cref(poll));
  }
  ExactLine exact_line(const AnyState& state, std::int64_t most_positions, std::uint64_t seed,
                       const Poll& poll) const override {
    return ExactSolver<G>(game_, most_positions).line(open(state), Rng(seed), std::cref(poll));
  }

  PlayoutCounts random_playouts(const AnyState& from, std::int64_t games, std::uint64_t seed,
                                const Poll& poll) const override {
    PlayoutCounts counts;
    ActionList scratch(game_.spec().num_actions);
    Rng rng(seed);
    while (counts.games < games) {
      poll();
      State state = open(from);
      counts.add(random_playout(game_, state, rng, scratch));
    }
    return counts;
  }

  PlayoutCounts policy_playouts(const RolloutPolicy& policy, const AnyState& from, const LastTargets& past,
                                std::int64_t games, std::uint64_t seed, const Poll& poll) const override {
    PlayoutCounts counts;
    RolloutPlayer<G> player(game_, policy);
    Rng rng(seed);
    while (counts.games < games) {
      poll();
      State state = open(from);
      counts.add(player.playout(state, past, rng));
    }
    return counts;
  }
  void write_probabilities(const RolloutPolicy& policy, const AnyState& state, const LastTargets& past,
                           float* out) const override {
    RolloutPlayer<G>(game_, policy).write_probabilities(open(state), past, out);
  }
  LastTargets last_targets(const std::vector<Action>& moves, const std::string& board) const override {
    return tengen::last_targets(game_, recorded_start(game_, board), moves);
  }

  std::unique_ptr<AnyForest> make_forest(int num_trees, const SearchParams& params, std::uint64_t seed,
                                         std::shared_ptr<const RolloutPolicy> rollouts) const override {
    return std::make_unique<ErasedForest<G>>(game_, num_trees, params, seed, std::move(rollouts));
  }

  std::unique_ptr<AnyRolloutLearner> make_rollout_learner(const PatternLayout& layout) const override {
    return std::make_unique<ErasedRolloutLearner<G>>(game_, layout);
  }

  std::unique_ptr<AnyTablesLearner> make_tables_learner(const TablesLayout& layout) const override {
    return std::make_unique<ErasedTablesLearner<G>>(game_, layout);
  }
  float evaluate(const Tables& tables, const AnyState& state, float* logits) const override {
    return TablesReader<G>(game_, tables.layout).evaluate(open(state), tables, logits);
  }

  RecordEnd replay_record(std::span<const std::uint16_t> moves, std::span<const std::uint16_t> plies,
                          std::span<const std::int64_t> policy_starts, std::span<const std::uint16_t> actions,
                          const std::string& board) const override {
    return tengen::replay_record(game_, moves, plies, policy_starts, actions, board);
  }
  void write_samples(const RecordedGames& games, std::span<const std::int64_t> positions,
                     std::span<const std::int64_t> symmetries, const SampleArrays& out) const override {
    tengen::write_samples(game_, games, positions, symmetries, out);
  }

 private:
  static std::unique_ptr<AnyState> box(State state) { return std::make_unique<StateBox<G>>(std::move(state)); }
  static const State& open(const AnyState& state) { return open_state<G>(state); }

  G game_;
};

// Defined for each game in a file of its own (erased_*.cpp), so that they compile side by side.
template <Game G>
std::shared_ptr<const AnyGame> erase(G game);

}  // namespace tengen

// The table of C functions, filled here with the functions of the tic-tac-toe engine: the same game must come out.
#include "tengen/games/mnk.h"
#include "tengen/games/table_game.h"
#include "tests/test.h"

using namespace tengen;

namespace {

using Engine = Mnk<1>;

const Engine& engine() {
  static const Engine game("tic_tac_toe", {}, {3, 3, 3});
  return game;
}

Engine::State opened(const std::uint8_t* bytes) {
  Engine::State state;
  std::memcpy(static_cast<void*>(&state), bytes, sizeof state);
  return state;
}
void close(const Engine::State& state, std::uint8_t* bytes) { std::memcpy(bytes, &state, sizeof state); }

std::int32_t start(void*, std::uint8_t* state) {
  close(engine().initial_state(), state);
  return kRuleDone;
}
std::int32_t legal(void*, const std::uint8_t* state, std::uint8_t* mask) {
  ActionList list(9);
  engine().legal_actions(opened(state), list);
  for (const Action action : list) mask[action] = 1;
  return kRuleDone;
}
std::int32_t play(void*, std::uint8_t* state, std::int32_t action) {
  Engine::State next = opened(state);
  engine().play(next, action);
  close(next, state);
  return kRuleDone;
}
std::int32_t to_move(void*, const std::uint8_t* state) { return index(opened(state).to_move); }
std::int32_t outcome(void*, const std::uint8_t* state) {
  const auto result = engine().outcome(opened(state));
  if (!result) return kRuleOngoing;
  return result->winner ? index(*result->winner) : std::int32_t{kRuleDraw};
}
std::int32_t planes(void*, const std::uint8_t* state, float* out) {
  engine().write_planes(opened(state), out);
  return kRuleDone;
}

TableRules tic_tac_toe() {
  TableRules rules;
  rules.spec = engine().spec();
  rules.state_size = sizeof(Engine::State);
  rules.backend = "compiled";
  rules.table = {nullptr, &start, &legal, &play, &to_move, &outcome, &planes, nullptr};
  return rules;
}

using Small = TableGame<512>;
static_assert(Game<Small>);

}  // namespace

TEST(a_table_of_the_engines_functions_is_the_same_game) {
  const Small game(tic_tac_toe());
  std::uint64_t games = 0;
  for (const std::uint64_t finished : perft(game, game.initial_state(), 9).finished) games += finished;
  CHECK_EQ(games, 255168U);

  Rng ours(1), theirs(1);
  ActionList scratch(9);
  for (int i = 0; i < 100; ++i) {
    auto state = game.initial_state();
    auto other = engine().initial_state();
    const Playout one = random_playout(game, state, ours, scratch);
    const Playout two = random_playout(engine(), other, theirs, scratch);
    CHECK(one.outcome == two.outcome);
    CHECK_EQ(one.actions, two.actions);
    // A table does not say who moved last, only who would be next: the boards above that line are the same.
    const std::string drawn = game.board_text(state), expected = engine().board_text(other);
    CHECK_EQ(drawn.substr(0, drawn.rfind('\n')), expected.substr(0, expected.rfind('\n')));
    const std::string next = game.to_move(state) == Player::kFirst ? "X" : "O";
    CHECK_EQ(drawn.substr(drawn.rfind('\n')), "\ngame over, " + next + " would be next");
  }
}

TEST(states_are_values) {
  const Small game(tic_tac_toe());
  const auto first = game.initial_state();
  auto second = first;
  CHECK(first == second);
  CHECK_EQ(game.hash(first), game.hash(second));
  game.play(second, 4);
  CHECK(!(first == second));
  CHECK(game.hash(first) != game.hash(second));
  second = first;
  CHECK(first == second);
}

// The second player names the cells from the other end of the board.
struct Turned : Small {
  using Small::action_text;
  using Small::parse_action;
  using Small::Small;
  std::string action_text(const State& state, Action action) const { return action_text(turned(state, action)); }
  std::optional<Action> parse_action(const State& state, std::string_view text) const {
    const auto action = parse_action(text);
    return action ? std::optional(turned(state, *action)) : std::nullopt;
  }
  std::string notation(const State& state, Action action) const { return "to " + action_text(state, action); }
  std::string position_text(const State& state) const { return to_move(state) == Player::kFirst ? "first" : "second"; }

 private:
  Action turned(const State& state, Action action) const {
    return to_move(state) == Player::kFirst ? action : 8 - action;
  }
};

TEST(texts_may_depend_on_the_state) {
  const Small plain(tic_tac_toe());
  auto state = plain.initial_state();
  plain.play(state, 4);
  CHECK_EQ(action_text(plain, state, 0), "a3");
  CHECK_EQ(parse_action(plain, state, "a3").value_or(-1), 0);
  CHECK_EQ(notation(plain, state, 0), "a3");
  CHECK_EQ(position_text(plain, state), plain.board_text(state));

  const Turned game(tic_tac_toe());
  CHECK_EQ(action_text(game, game.initial_state(), 0), "a3");
  CHECK_EQ(action_text(game, state, 0), "c1");
  CHECK_EQ(parse_action(game, state, "c1").value_or(-1), 0);
  CHECK(!parse_action(game, state, "c9"));
  CHECK_EQ(notation(game, state, 0), "to c1");
  CHECK_EQ(position_text(game, state), "second");
}

TEST(default_texts) {
  TableRules rules = tic_tac_toe();
  CHECK_EQ(Small(rules).action_text(3), "a2");
  CHECK_EQ(Small(rules).parse_action("A2").value_or(-1), 3);
  CHECK(!Small(rules).parse_action("pass"));
  rules.spec.num_actions = 10;
  CHECK_EQ(Small(rules).action_text(9), "pass");
  CHECK_EQ(Small(rules).parse_action("Pass").value_or(-1), 9);
  rules.spec.action_layout = ActionLayout::kColumns;
  CHECK_EQ(Small(rules).action_text(3), "4");
  rules.spec.action_layout = ActionLayout::kDense;
  CHECK_EQ(Small(rules).action_text(3), "3");
  CHECK_THROWS(BoardTextError, Small(rules).parse_board("...\n...\n..."));
  rules.text.set_board = [](std::uint8_t* state, const BoardDrawing& drawing) {
    close(engine().parse_board(drawing.cells.substr(0, 3) + "\n" + drawing.cells.substr(3, 3) + "\n" +
                               drawing.cells.substr(6)),
          state);
  };
  CHECK_EQ(Small(rules).to_move(Small(rules).parse_board("X..\n...\n...")) == Player::kSecond, true);
}

TEST(a_rule_that_fails_is_explained_and_leaves_the_state_alone) {
  TableRules rules = tic_tac_toe();
  rules.table.play = [](void*, std::uint8_t* state, std::int32_t) -> std::int32_t {
    state[0] = 77;
    return kRuleFailed;
  };
  std::string told;
  rules.explain = [&](const char* rule, const std::uint8_t* state, Action action) {
    told = std::string(rule) + " " + std::to_string(action) + " " + std::to_string(state[0]);
    return told;
  };
  const Small game(rules);
  auto state = game.initial_state();
  CHECK_THROWS(RulesError, (game.play(state, 5), 0));
  CHECK_EQ(told, "play 5 0");
  CHECK(state == game.initial_state());
}

TEST(answers_out_of_range_are_errors) {
  TableRules rules = tic_tac_toe();
  rules.table.outcome = [](void*, const std::uint8_t*) -> std::int32_t { return 3; };
  rules.table.to_move = [](void*, const std::uint8_t*) -> std::int32_t { return -1; };
  const Small game(rules);
  CHECK_THROWS(RulesError, game.outcome(game.initial_state()));
  CHECK_THROWS(RulesError, game.to_move(game.initial_state()));
}

TEST(games_without_an_end_or_without_an_action_are_errors) {
  Rng rng(1);
  TableRules rules = tic_tac_toe();
  rules.table.outcome = [](void*, const std::uint8_t*) -> std::int32_t { return kRuleOngoing; };
  rules.table.play = [](void*, std::uint8_t*, std::int32_t) -> std::int32_t { return kRuleDone; };
  auto endless = Small(rules).initial_state();
  CHECK_THROWS(RulesError, Small(rules).random_playout(endless, rng));
  rules.table.legal = [](void*, const std::uint8_t*, std::uint8_t*) -> std::int32_t { return kRuleDone; };
  auto stuck = Small(rules).initial_state();
  CHECK_THROWS(RulesError, Small(rules).random_playout(stuck, rng));
}

TEST(a_failed_playout_is_replayed_by_steps) {
  TableRules rules = tic_tac_toe();
  rules.table.playout = [](void*, std::uint8_t*, std::uint64_t*, std::int64_t*) -> std::int32_t { return kRuleFailed; };
  const Small game(rules), plain(tic_tac_toe());
  Rng ours(3), theirs(3);
  auto one = game.initial_state(), two = plain.initial_state();
  CHECK(game.random_playout(one, ours).outcome == plain.random_playout(two, theirs).outcome);
  CHECK(one == two);
  CHECK_EQ(ours.next(), theirs.next());
}

TEST(many_actions_and_large_states) {
  TableRules rules = tic_tac_toe();
  rules.state_size = 600;
  CHECK_THROWS(RulesError, Small(rules));
  rules.spec.num_actions = 1000;
  rules.table.legal = [](void*, const std::uint8_t*, std::uint8_t* mask) -> std::int32_t {
    mask[0] = mask[511] = mask[512] = mask[999] = 1;
    return kRuleDone;
  };
  const TableGame<kLargestTableState> game(rules);
  ActionList list(1000);
  game.legal_actions(game.initial_state(), list);
  CHECK(std::vector<Action>(list.begin(), list.end()) == (std::vector<Action>{0, 511, 512, 999}));
}

TEST(a_state_with_more_legal_actions_than_the_rules_promise_is_refused) {
  TableRules rules = tic_tac_toe();
  rules.spec.most_legal = 8;
  const Small game(rules);
  ActionList list(9);
  auto state = game.initial_state();
  CHECK_THROWS(RulesError, game.legal_actions(state, list));
  game.play(state, 4);
  game.legal_actions(state, list);
  CHECK_EQ(list.size(), 8);
}

TEST(stones_come_from_the_first_two_planes) {
  const Small game(tic_tac_toe());
  auto state = game.initial_state();
  for (const Action action : {4, 0, 8}) game.play(state, action);
  std::array<std::int8_t, 9> cells;
  CHECK(write_cells(game, state, cells.data()));
  CHECK(cells == (std::array<std::int8_t, 9>{2, 0, 0, 0, 1, 0, 0, 0, 1}));
  TableRules unknown = tic_tac_toe();
  unknown.spec.pieces.clear();
  CHECK(!write_cells(Small(unknown), state, cells.data()));
}

TEST(a_reason_is_the_word_that_the_text_begins_with) {
  TableRules rules = tic_tac_toe();
  const auto ended = [&](const std::string& text) {
    rules.text.reason = [text](const std::uint8_t*) { return text; };
    const Small game(rules);
    auto state = game.initial_state();
    for (const Action action : {0, 3, 1, 4, 2}) game.play(state, action);
    return *ending(game, state);
  };
  CHECK(ended("line: three of them").reason == Reason::kLine);
  CHECK(ended("line").reason == Reason::kLine);
  CHECK(ended("lines of wool").reason == Reason::kRules);
  CHECK_EQ(ended("lines of wool").sentence, "lines of wool");
  CHECK(ended("").outcome == Outcome::win(Player::kFirst));
}

TEST(moves_have_names_and_places) {
  TableRules rules = tic_tac_toe();
  rules.spec.action_layout = ActionLayout::kPlanes;
  rules.spec.num_actions = 10;
  rules.action_cells.resize(10);
  rules.action_cells[3] = {.source = 3, .target = 0, .piece = {}};
  const Small game(rules);
  CHECK_EQ(game.action_text(3), "a2a3");
  CHECK_EQ(game.action_text(4), "4");
  CHECK_EQ(game.action_text(9), "pass");
  CHECK(action_cells(game, game.initial_state(), 3) == rules.action_cells[3]);
  CHECK(action_cells(game, game.initial_state(), 9) == ActionCells{});
}

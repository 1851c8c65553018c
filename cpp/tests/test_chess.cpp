// Chess: published counts, fast ways against slow ones, and texts that nobody would write.
#include "tengen/games/chess.h"
#include "tengen/games/derived.h"
#include "tests/test.h"

using namespace tengen;

namespace {

static_assert(Game<Chess<5>> && Game<Chess<6>> && Game<Chess<8>>);
static_assert(HasActionTextIn<Chess<8>> && HasNotation<Chess<8>> && HasPositionText<Chess<8>>);

const std::string kKiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

const Chess<8>& chess() {
  static const Chess<8> game("chess", {}, {});
  return game;
}

// The same game without the members that are there for speed.
struct Plain {
  using State = Chess<8>::State;
  const GameSpec& spec() const { return chess().spec(); }
  State initial_state() const { return chess().initial_state(); }
  Player to_move(const State& state) const { return chess().to_move(state); }
  void legal_actions(const State& state, ActionList& list) const { chess().legal_actions(state, list); }
  void play(State& state, Action action) const { chess().play(state, action); }
  std::optional<Outcome> outcome(const State& state) const { return chess().outcome(state); }
  void write_planes(const State& state, float* planes) const { chess().write_planes(state, planes); }
  std::uint64_t hash(const State& state) const { return chess().hash(state); }
  std::string action_text(Action action) const { return chess().action_text(action); }
  std::optional<Action> parse_action(std::string_view text) const { return chess().parse_action(text); }
  std::string board_text(const State& state) const { return chess().board_text(state); }
  State parse_board(std::string_view text) const { return chess().parse_board(text); }
};

}  // namespace

TEST(perft_is_the_published_one) {
  const auto state = chess().parse_board(kKiwipete);
  const Perft counts = perft(chess(), state, 3);
  CHECK_EQ(counts.positions[3], 97862U);
  CHECK_EQ(chess().count_sequences(state, 3), 97862U);
  CHECK_EQ(chess().count_sequences(chess().initial_state(), 4), 197281U);
}

TEST(what_is_there_for_speed_answers_the_same) {
  const Plain plain;
  Rng rng(3);
  ActionList list(chess().spec().num_actions);
  for (int i = 0; i < 3; ++i) {
    auto state = chess().initial_state();
    while (!chess().outcome(state)) {
      chess().legal_actions(state, list);
      CHECK_EQ(chess().count_sequences(state, 1), static_cast<std::uint64_t>(list.size()));
      CHECK(winning_action(chess(), state, list).has_value() == winning_action(plain, state, list).has_value());
      for (int n = 0; n < 20; ++n) {
        const auto action = static_cast<Action>(rng.below(4672));
        CHECK_EQ(is_legal(chess(), state, action), is_legal(plain, state, action));
      }
      chess().play_random(state, rng);
    }
    CHECK_EQ(chess().count_sequences(state, 2), 0U);
  }
}

TEST(a_copy_has_the_whole_history) {
  auto state = chess().initial_state();
  for (const char* text : {"g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"}) {
    auto copy = state;
    CHECK(copy == state);
    copy = chess().initial_state();
    copy = state;
    chess().play(copy, chess().parse_action(copy, text).value());
    state = copy;
  }
  CHECK(!chess().outcome(state));
  chess().play(state, chess().parse_action(state, "f6g8").value());
  CHECK(ending(chess(), state)->reason == Reason::kRepetition);
}

// A named error for each of them, and no crash: this runs under the sanitizers too.
TEST(damaged_texts_are_refused) {
  Rng rng(5);
  const std::string drawing = chess().board_text(chess().initial_state());
  const std::string marks = "KQRBNPkqrbnp/12345678 -wbegh0x=+#O\n\xc3\xa9";
  ActionList list(chess().spec().num_actions);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = i % 4 == 0 ? drawing : kKiwipete;
    for (auto changes = rng.below(4) + 1; changes > 0; --changes) {
      text[rng.below(static_cast<std::uint32_t>(text.size()))] =
          marks[rng.below(static_cast<std::uint32_t>(marks.size()))];
    }
    try {
      auto state = chess().parse_board(text);
      ++read;
      CHECK(chess().parse_board(chess().position_text(state)) == state);
      for (int ply = 0; ply < 4 && !chess().outcome(state); ++ply) {
        chess().legal_actions(state, list);
        CHECK(list.size() <= chess().spec().most_legal);
        for (const Action action : list) {
          CHECK(chess().parse_action(state, chess().notation(state, action)) == action);
        }
        chess().play_random(state, rng);
      }
    } catch (const BoardTextError&) {
    }
    std::string move;
    for (auto size = rng.below(8); size > 0; --size) move += marks[rng.below(static_cast<std::uint32_t>(marks.size()))];
    const auto action = chess().parse_action(chess().initial_state(), move);
    CHECK(!action || (*action >= 0 && *action < chess().spec().num_actions));
  }
  CHECK(read > 100);
}

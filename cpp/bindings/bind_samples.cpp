// Records replayed: a whole one to check it, many positions at once to train on them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <span>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/gil.h"
#include "tengen/base/error.h"
#include "tengen/records/samples.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const In<T>& array) {
  return {array.data(), array.shape(0)};
}

struct PyRecordEnd {
  std::optional<Outcome> outcome;
  std::optional<Array<std::int8_t>> ownership;  // [H, W]
  std::optional<float> score;
};

PyRecordEnd replay(const PyGame& self, const In<std::uint16_t>& moves, const In<std::uint16_t>& plies,
                   const In<std::int64_t>& policy_starts, const In<std::uint16_t>& actions, const std::string& board) {
  const auto starts = view(policy_starts);
  if (starts.size() != plies.shape(0) + 1 || starts.front() != 0 ||
      starts.back() != static_cast<std::int64_t>(actions.shape(0)) || !std::is_sorted(starts.begin(), starts.end())) {
    throw RecordError("The policy targets of a record do not fit its recorded plies.");
  }
  RecordEnd end;
  {
    WithoutGil release;
    end = self.game->replay_record(view(moves), view(plies), starts, view(actions), board);
  }
  PyRecordEnd result{end.outcome, std::nullopt, end.score};
  if (!end.ownership.empty()) {
    const GameSpec& spec = self.game->spec();
    auto out = new_array<std::int8_t>({static_cast<std::size_t>(spec.height), static_cast<std::size_t>(spec.width)});
    std::copy(end.ownership.begin(), end.ownership.end(), out.data());
    result.ownership = out;
  }
  return result;
}

void check_lengths(const RecordedGames& games, const GameSpec& spec) {
  const std::size_t num_games = games.winners.size();
  const auto cells = static_cast<std::size_t>(spec.num_cells());
  const bool fits =
      games.move_starts.size() == num_games + 1 && games.position_starts.size() == num_games + 1 &&
      games.played_out.size() == num_games && games.values.size() == games.plies.size() &&
      games.policy_starts.size() == games.plies.size() + 1 && games.parts.size() == games.actions.size() &&
      start_of(games.position_starts, num_games) == games.plies.size() &&
      (games.boards.empty() || games.boards.size() == num_games) &&
      (!games.has_ownership() || (games.ownership.size() == num_games * cells && games.score.size() == num_games));
  if (!fits) throw RecordError("The arrays of the recorded games do not fit together.");
}

// A dict, which the frozen type of replay.py is made from.
nb::typed<nb::dict, nb::str, nb::any> samples(const PyGame& self, const In<std::int64_t>& positions,
                                              const In<std::int64_t>& symmetries, const In<std::uint16_t>& moves,
                                              const In<std::int64_t>& move_starts,
                                              const In<std::int64_t>& position_starts, const In<std::int8_t>& winners,
                                              const In<bool>& played_out, const In<std::int8_t>& ownership,
                                              const In<float>& score, const In<std::uint16_t>& plies,
                                              const In<float>& values, const In<std::int64_t>& policy_starts,
                                              const In<std::uint16_t>& actions, const In<std::uint16_t>& parts,
                                              const std::vector<std::string>& boards) {
  const GameSpec& spec = self.game->spec();
  const RecordedGames games{
      view(moves), view(move_starts), view(position_starts), view(winners),       view(played_out), view(ownership),
      view(score), view(plies),       view(values),          view(policy_starts), view(actions),    view(parts),
      boards};
  check_lengths(games, spec);
  if (positions.shape(0) != symmetries.shape(0)) throw RecordError("Every position needs a symmetry.");
  const std::size_t batch = positions.shape(0);
  const auto num_actions = static_cast<std::size_t>(spec.num_actions);
  const auto height = static_cast<std::size_t>(spec.height);
  const auto width = static_cast<std::size_t>(spec.width);
  const bool owned = games.has_ownership();
  auto planes_out = new_array<float>({batch, static_cast<std::size_t>(spec.num_planes), height, width});
  auto legal_out = new_array<bool>({batch, num_actions});
  auto policy_out = new_array<float>({batch, num_actions});
  auto outcome_out = new_array<float>({batch});
  auto search_out = new_array<float>({batch});
  auto reply_out = new_array<float>({batch, num_actions});
  auto reply_weight_out = new_array<float>({batch});
  auto plies_left_out = new_array<float>({batch});
  auto player_out = new_array<std::int8_t>({batch});
  auto played_out_out = new_array<float>({batch});
  auto ownership_out = new_array<float>({owned ? batch : 0, height, width});
  auto score_out = new_array<float>({owned ? batch : 0});
  const SampleArrays out{.planes = planes_out.data(),
                         .legal = legal_out.data(),
                         .policy = policy_out.data(),
                         .value_outcome = outcome_out.data(),
                         .value_search = search_out.data(),
                         .reply = reply_out.data(),
                         .reply_weight = reply_weight_out.data(),
                         .plies_left = plies_left_out.data(),
                         .player = player_out.data(),
                         .played_out = played_out_out.data(),
                         .ownership = ownership_out.data(),
                         .score = score_out.data()};
  {
    WithoutGil release;
    self.game->write_samples(games, view(positions), view(symmetries), out);
  }
  nb::dict result;
  result["planes"] = planes_out;
  result["legal"] = legal_out;
  result["policy"] = policy_out;
  result["value_outcome"] = outcome_out;
  result["value_search"] = search_out;
  result["reply"] = reply_out;
  result["reply_weight"] = reply_weight_out;
  result["plies_left"] = plies_left_out;
  result["player"] = player_out;
  result["played_out"] = played_out_out;
  result["ownership"] = owned ? nb::cast(ownership_out) : nb::none();
  result["score"] = owned ? nb::cast(score_out) : nb::none();
  return result;
}

}  // namespace

void bind_samples(nb::module_& module) {
  nb::class_<PyRecordEnd>(module, "RecordEnd", "How a recorded game ended. A value: any thread may use it.")
      .def_ro("outcome", &PyRecordEnd::outcome, "None if by the rules the game goes on.")
      .def_ro("ownership", &PyRecordEnd::ownership, nb::rv_policy::automatic,
              "int8 [H, W], 1 the first player's; None if the game has none.")
      .def_ro("score", &PyRecordEnd::score, "For the first player; None if the game has none.")
      .def("__repr__", [](const PyRecordEnd& self) {
        const auto outcome = self.outcome ? nb::cast(*self.outcome) : nb::none();
        const auto score = self.score ? nb::cast(*self.score) : nb::none();
        return nb::str("<RecordEnd: {!r}, score {}>").format(outcome, score);
      });
  module.def("replay_record", &replay, "game"_a, "moves"_a, "plies"_a, "policy_starts"_a, "actions"_a, "board"_a = "",
             "Plays a record to its end and checks that every move and every action of a policy target is legal.");
  module.def("write_samples", &samples, "game"_a, nb::kw_only(), "positions"_a, "symmetries"_a, "moves"_a,
             "move_starts"_a, "position_starts"_a, "winners"_a, "played_out"_a, "ownership"_a, "score"_a, "plies"_a,
             "values"_a, "policy_starts"_a, "actions"_a, "parts"_a, "boards"_a = std::vector<std::string>(),
             "The arrays of a batch, for positions of recorded games (records/samples.h tells what is what).");
}

}  // namespace tengen

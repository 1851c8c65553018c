// The one list of games. To add a game: its header, its type in GameVariant, its entry in game_entries(), a page in
// docs/games/.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "tengen/games/chess.h"
#include "tengen/games/connect_four.h"
#include "tengen/games/go.h"
#include "tengen/games/mnk.h"
#include "tengen/games/options.h"
#include "tengen/games/othello.h"
#include "tengen/games/shogi.h"

namespace tengen {

using GameVariant = std::variant<Mnk<1>, Mnk<4>, Mnk<6>, ConnectFour, Othello, Go<9>, Go<13>, Go<19>, Chess<5>,
                                 Chess<6>, Chess<8>, Shogi<9>, Shogi<5>>;

struct GameEntry {
  std::string name;
  std::string summary;
  std::vector<OptionSpec> options;
  GameVariant (*make)(const std::string& name, const Options& options);
};

// The smallest board representation that holds it.
inline GameVariant make_mnk(const std::string& name, const OptionValues& options, int height, int width, int in_a_row,
                            bool exactly) {
  const int bits = height * (width + 1);
  if (bits <= 64) return Mnk<1>(name, options, {height, width, in_a_row, exactly});
  if (bits <= 256) return Mnk<4>(name, options, {height, width, in_a_row, exactly});
  return Mnk<6>(name, options, {height, width, in_a_row, exactly});
}

inline GameVariant make_go(const std::string& name, const Options& o) {
  const GoRules rules{o.integer("size"), o.number("komi"), o.flag("suicide"), o.integer("history"),
                      o.integer("max_moves")};
  if (rules.size <= 9) return Go<9>(name, o.values(), rules);
  if (rules.size <= 13) return Go<13>(name, o.values(), rules);
  return Go<19>(name, o.values(), rules);
}

inline GameVariant make_minichess(const std::string& name, const Options& o) {
  const ChessRules rules{.history = o.integer("history"), .max_moves = o.integer("max_moves")};
  if (o.integer("size") == 5) return Chess<5>(name, o.values(), rules);
  return Chess<6>(name, o.values(), rules);
}

inline std::vector<OptionSpec> shogi_options(int max_moves) {
  return {integer_option("max_moves", max_moves, 1, ShogiPast::kLongest, "then the game is drawn"),
          integer_option("history", 1, 1, 8, "positions in the planes: 1, or 8 as in AlphaZero"),
          flag_option("alphazero_actions", false, "actions by source, direction and distance, as in AlphaZero")};
}

template <int kSize>
GameVariant make_shogi(const std::string& name, const Options& o) {
  const ShogiRules rules{o.integer("max_moves"), o.integer("history"), o.flag("alphazero_actions"),
                         kSize == 9 && o.flag("declaration")};
  return Shogi<kSize>(name, o.values(), rules);
}

inline const std::vector<GameEntry>& game_entries() {
  static const std::vector<GameEntry> entries = {
      {"tic_tac_toe",
       "Three in a row on a 3x3 board.",
       {},
       [](const std::string& name, const Options& o) { return make_mnk(name, o.values(), 3, 3, 3, false); }},
      {"gomoku",
       "Five in a row on a Go board; no opening rule.",
       {integer_option("size", 15, 5, 19, "rows and columns"),
        flag_option("exactly_five", false, "six or more in a row do not win")},
       [](const std::string& name, const Options& o) {
         return make_mnk(name, o.values(), o.integer("size"), o.integer("size"), 5, o.flag("exactly_five"));
       }},
      {"mnk",
       "k in a row on a board of m columns and n rows.",
       {integer_option("m", 3, 1, 19, "columns"), integer_option("n", 3, 1, 19, "rows"),
        integer_option("k", 3, 1, 19, "stones in a row that win")},
       [](const std::string& name, const Options& o) {
         return make_mnk(name, o.values(), o.integer("n"), o.integer("m"), o.integer("k"), false);
       }},
      {"connect_four",
       "Four in a row; stones fall to the bottom of a column.",
       {integer_option("rows", 6, 1, 63, "rows; (rows + 1) * columns is at most 64"),
        integer_option("columns", 7, 1, 32, "columns"),
        integer_option("in_a_row", 4, 1, 63, "stones in a row that win")},
       [](const std::string& name, const Options& o) -> GameVariant {
         return ConnectFour(name, o.values(), {o.integer("rows"), o.integer("columns"), o.integer("in_a_row")});
       }},
      {"othello",
       "Turn over the opponent's discs; the most discs win.",
       {integer_option("size", 8, 4, 8, "rows and columns: 4, 6 or 8")},
       [](const std::string& name, const Options& o) -> GameVariant {
         return Othello(name, o.values(), o.integer("size"));
       }},
      {"go",
       "Go: area scoring, positional superko, two passes end it.",
       {integer_option("size", 9, 2, 19, "rows and columns"),
        number_option("komi", 7.5, -400, 400, "points for white, a multiple of 0.5"),
        flag_option("suicide", false, "a move may take one's own stones, if more than one"),
        integer_option("history", 1, 1, 8, "positions in the planes: 1, or 8 as in AlphaGo Zero"),
        integer_option("max_moves", 0, 0, 722, "then the board is scored as it stands; 0: 2 * size * size")},
       make_go},
      {"chess",
       "Chess by the rules of FIDE, and Chess960.",
       {integer_option("chess960", -1, -1, 959, "the number of a start position of Chess960 and its rules; -1: chess"),
        integer_option("history", 1, 1, 8, "positions in the planes: 1, or 8 as in AlphaZero"),
        integer_option("max_moves", 512, 0, 17697, "plies from white's first move, then a draw; 0: 17697"),
        flag_option("late_draws", false, "the 5th repetition and 75 moves end the game, not the 3rd and 50")},
       [](const std::string& name, const Options& o) -> GameVariant {
         return Chess<8>(name, o.values(),
                         {o.integer("chess960"), o.integer("history"), o.integer("max_moves"), o.flag("late_draws")});
       }},
      {"minichess",
       "Chess on small boards: Gardner's 5x5, Los Alamos on 6x6.",
       {integer_option("size", 5, 5, 6, "rows and columns: 5 (Gardner's) or 6 (Los Alamos)"),
        integer_option("history", 1, 1, 8, "positions in the planes: 1, or 8 as in AlphaZero"),
        integer_option("max_moves", 256, 0, 17697, "plies from white's first move, then a draw; 0: 17697")},
       make_minichess},
      {"shogi", "Shogi: captured pieces come back as drops; checkmate wins.",
       [] {
         std::vector<OptionSpec> options = shogi_options(512);
         options.push_back(flag_option("declaration", false, "a king that has entered may declare a win: 27 points"));
         return options;
       }(),
       make_shogi<9>},
      {"minishogi", "Shogi on a 5x5 board with six pieces each.", shogi_options(256), make_shogi<5>},
  };
  return entries;
}

inline GameVariant make_game(const std::string& name, const std::map<std::string, double>& given) {
  for (const GameEntry& entry : game_entries()) {
    if (entry.name == name) return entry.make(name, Options(name, entry.options, given));
  }
  throw UnknownGameError("There is no game called '" + name + "'.");
}

}  // namespace tengen

// What a fuzz target reads of its input, piece by piece; an input that has ended reads as zeros.
//
// A target is a file fuzz_*.cpp with libFuzzer's LLVMFuzzerTestOneInput. A TengenError is an answer; anything else that
// goes wrong (a sanitizer's report, another exception, an endless loop) is a crash. `make fuzz` runs all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tengen/base/error.h"
#include "tengen/games/registry.h"

namespace tengen::fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  bool empty() const { return left_ == 0; }

  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  // A number from 0 to `bound` - 1.
  int below(int bound) { return ((byte() << 8) | byte()) % bound; }
  bool flag() { return (byte() & 1) != 0; }

  // As many bytes as the next byte says, or all that are left if it says 255.
  std::string_view text() {
    const std::size_t asked = byte();
    const std::size_t size = asked == 255 || asked > left_ ? left_ : asked;
    const std::string_view text(reinterpret_cast<const char*>(data_), size);
    data_ += size;
    left_ -= size;
    return text;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

// One of the games, with options in and out of their ranges.
inline GameVariant game_of(Input& input) {
  const auto& entries = game_entries();
  const GameEntry& entry = entries[static_cast<std::size_t>(input.below(static_cast<int>(entries.size())))];
  std::map<std::string, double> options;
  for (const OptionSpec& option : entry.options) {
    if (input.flag()) options[option.name] = option.lowest - 1 + input.below(24) * (entry.name == "go" ? 0.5 : 1.0);
  }
  return make_game(entry.name, options);
}

// Calls run(game, input) with one of the games.
template <class Run>
void with_game(const std::uint8_t* data, std::size_t size, Run&& run) {
  Input input(data, size);
  try {
    const GameVariant game = game_of(input);
    std::visit([&](const auto& rules) { run(rules, input); }, game);
  } catch (const GameOptionError&) {  // options that do not fit together
  }
}

}  // namespace tengen::fuzz

// The positions that a game of shogi has been through, as repetition needs them. No move of shogi is irreversible, so
// that none of them can be forgotten.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tengen/base/rng.h"

namespace tengen {

// The keys of all positions of a game, the last one is the present. A copy copies only what is there.
class ShogiPast {
 public:
  static constexpr int kLongest = 1024;  // moves

  ShogiPast() = default;
  ShogiPast(const ShogiPast& other) { *this = other; }
  ShogiPast& operator=(const ShogiPast& other) {
    size_ = other.size_;
    digest_ = other.digest_;
    filter_ = other.filter_;
    repeats_ = other.repeats_;
    std::memmove(keys_.data(), other.keys_.data(), size_ * sizeof keys_[0]);
    return *this;
  }
  bool operator==(const ShogiPast& other) const {
    return digest_ == other.digest_ && std::equal(begin(), end(), other.begin(), other.end());
  }

  // Whether the player to move is in check is a part of the key.
  void push(std::uint64_t key, bool check) {
    keys_[size_++] = (key & ~1ULL) | (check ? 1 : 0);
    digest_ = mix64(digest_ ^ keys_[size_ - 1]) + size_;
    std::uint64_t& word = filter_[key >> 60];
    const std::uint64_t bit = 1ULL << (key >> 54 & 63);
    repeats_ = (word & bit) == 0 ? 0 : repeats(size_ - 1);
    word |= bit;
  }

  std::size_t size() const { return size_; }
  int repeats() const { return repeats_; }  // how often the present position was there before
  bool check(std::size_t i) const { return (keys_[i] & 1) != 0; }
  std::uint64_t operator[](std::size_t i) const { return keys_[i]; }
  std::uint64_t digest() const { return digest_; }  // of all keys in their order

  // How often the i-th position was there before.
  int repeats(std::size_t i) const { return static_cast<int>(std::count(begin(), begin() + i, keys_[i])); }

  // Where the present position was for the first time.
  std::size_t first_time() const {
    return static_cast<std::size_t>(std::find(begin(), end(), keys_[size_ - 1]) - begin());
  }

 private:
  const std::uint64_t* begin() const { return keys_.data(); }
  const std::uint64_t* end() const { return keys_.data() + size_; }

  std::array<std::uint64_t, kLongest + 1> keys_;
  std::size_t size_ = 0;
  std::uint64_t digest_ = 0;
  std::array<std::uint64_t, 16> filter_{};  // a bit for each position: most new ones are known by it to be new
  int repeats_ = 0;
};

}  // namespace tengen

// A vector for plain numbers and structs that may become very large. Past a certain size it grows by an eighth, not to
// double, so that little memory is held in reserve, and by realloc(), which moves pages instead of copying them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace tengen {

template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

 public:
  GrowingArray() = default;
  GrowingArray(GrowingArray&& other) noexcept { swap(other); }
  GrowingArray& operator=(GrowingArray&& other) noexcept {
    swap(other);
    return *this;
  }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }

  void clear() { size_ = 0; }  // the memory stays

  void push_back(T value) {
    make_room(1);
    data_.get()[size_++] = value;
  }

  void append(const T* values, std::size_t count) {
    make_room(count);
    if (count > 0) std::memcpy(static_cast<void*>(data() + size_), values, count * sizeof(T));
    size_ += count;
  }

  void append(std::size_t count, T value) {
    make_room(count);
    for (std::size_t i = 0; i < count; ++i) data_.get()[size_ + i] = value;
    size_ += count;
  }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };

  static constexpr std::size_t kDoublesBelow = 1 << 16;

  void make_room(std::size_t count) {
    if (size_ + count > capacity_) [[unlikely]]
      grow(size_ + count);
  }

  void grow(std::size_t least) {
    std::size_t wanted = capacity_ + (capacity_ < kDoublesBelow ? capacity_ : capacity_ / 8);
    if (wanted < least) wanted = least;
    if (wanted < 16) wanted = 16;
    void* larger = std::realloc(static_cast<void*>(data_.get()), wanted * sizeof(T));
    if (larger == nullptr) throw std::bad_alloc();
    (void)data_.release();
    data_.reset(static_cast<T*>(larger));
    capacity_ = wanted;
  }

  void swap(GrowingArray& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace tengen

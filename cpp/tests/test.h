// A test runner in one page: TEST(name) { CHECK(...); CHECK_EQ(a, b); CHECK_THROWS(Type, expression); }
// Include it in one file per executable; it brings its own main().
#pragma once

#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace tengen::testing {

struct Test {
  std::string name;
  std::function<void()> body;
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}
inline int& failures() {
  static int count = 0;
  return count;
}
inline bool add(std::string name, std::function<void()> body) {
  tests().push_back({std::move(name), std::move(body)});
  return true;
}
inline std::ostream& fail(const char* file, int line) {
  ++failures();
  return std::cerr << file << ":" << line << ": ";
}

}  // namespace tengen::testing

#define TEST(name)                                                           \
  static void test_##name();                                                 \
  static const bool added_##name = tengen::testing::add(#name, test_##name); \
  static void test_##name()

#define CHECK(condition)                                                                            \
  do {                                                                                              \
    if (!(condition)) tengen::testing::fail(__FILE__, __LINE__) << "not true: " #condition << "\n"; \
  } while (false)

#define CHECK_EQ(left, right)                                                                                     \
  do {                                                                                                            \
    const auto& left_value = (left);                                                                              \
    const auto& right_value = (right);                                                                            \
    if (!(left_value == right_value)) {                                                                           \
      tengen::testing::fail(__FILE__, __LINE__) << #left " is " << left_value << ", not " << right_value << "\n"; \
    }                                                                                                             \
  } while (false)

#define CHECK_THROWS(type, expression)                                                                  \
  do {                                                                                                  \
    bool thrown = false;                                                                                \
    try {                                                                                               \
      (void)(expression);                                                                               \
    } catch (const type&) {                                                                             \
      thrown = true;                                                                                    \
    }                                                                                                   \
    if (!thrown) tengen::testing::fail(__FILE__, __LINE__) << #expression " did not throw " #type "\n"; \
  } while (false)

int main() {
  for (const auto& test : tengen::testing::tests()) {
    const int before = tengen::testing::failures();
    test.body();
    std::cout << (tengen::testing::failures() == before ? "ok    " : "FAILED ") << test.name << "\n";
  }
  std::cout << tengen::testing::tests().size() << " tests, " << tengen::testing::failures() << " failed checks\n";
  return tengen::testing::failures() == 0 ? 0 : 1;
}

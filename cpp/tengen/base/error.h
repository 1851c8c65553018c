// Errors that reach the user by name. Each becomes the Python exception of the same name (bindings/bind_errors.cpp);
// the text is one sentence that says what was wrong and what would be right.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace tengen {

// What a user wrote may be quoted in a sentence, with whatever characters there are; a NUL would even end it.
inline std::string printable(std::string sentence) {
  for (char& c : sentence) {
    if ((static_cast<unsigned char>(c) < ' ' && c != '\n') || c == '\x7f') c = '?';
  }
  return sentence;
}

struct Error : std::runtime_error {
  explicit Error(std::string sentence) : std::runtime_error(printable(std::move(sentence))) {}
};

struct UnknownGameError : Error {  // no game of that name
  using Error::Error;
};
struct GameOptionError : Error {  // an option that does not exist, or a value out of its range
  using Error::Error;
};
struct IllegalActionError : Error {  // an action that the rules do not allow in this state
  using Error::Error;
};
struct ActionTextError : Error {  // a text that names no action of this game
  using Error::Error;
};
struct BoardTextError : Error {  // a drawing that is not a board of this game
  using Error::Error;
};
struct ArgumentError : Error {  // a number, count or shape that the function cannot use
  using Error::Error;
};
struct RulesError : Error {  // a game written by a user broke its promise
  using Error::Error;
};
struct NoLegalActionError : RulesError {  // its rules allow no action in a game that goes on
  using RulesError::RulesError;
};
struct EvaluatorError : Error {  // an evaluator answered with numbers the search can't use
  using Error::Error;
};
struct SearchParamError : Error {  // a search parameter that does not exist, or a value out of its range
  using Error::Error;
};
struct InUseError : Error {  // another thread is using an object that is for one thread at a time
  using Error::Error;
};
struct RecordError : Error {  // a game record, or a file of them, that can't be true
  using Error::Error;
};

}  // namespace tengen

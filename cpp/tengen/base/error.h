// Errors that reach the user by name. Each becomes the Python exception of the same name (bindings/bind_errors.cpp);
// the text is one sentence that says what was wrong and what would be right.
#pragma once

#include <stdexcept>
#include <string>

namespace tengen {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
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
struct RulesError : Error {  // a game written by a user broke its promise
  using Error::Error;
};
struct EvaluatorError : Error {  // an evaluator answered with numbers the search can't use
  using Error::Error;
};
struct SearchParamError : Error {  // a search parameter that does not exist, or a value out of its range
  using Error::Error;
};
struct RecordError : Error {  // a game record, or a file of them, that can't be true
  using Error::Error;
};

}  // namespace tengen

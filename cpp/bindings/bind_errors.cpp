// Every C++ error of base/error.h as a Python exception of the same name; all are TengenError, and so ValueError.
#include "bindings/bindings.h"
#include "tengen/base/error.h"

namespace nb = nanobind;

namespace tengen {

void bind_errors(nb::module_& module) {
  const auto base = nb::exception<Error>(module, "TengenError", PyExc_ValueError);
  nb::exception<UnknownGameError>(module, "UnknownGameError", base);
  nb::exception<GameOptionError>(module, "GameOptionError", base);
  nb::exception<IllegalActionError>(module, "IllegalActionError", base);
  nb::exception<ActionTextError>(module, "ActionTextError", base);
  nb::exception<BoardTextError>(module, "BoardTextError", base);
  nb::exception<RulesError>(module, "RulesError", base);
  nb::exception<EvaluatorError>(module, "EvaluatorError", base);
  nb::exception<SearchParamError>(module, "SearchParamError", base);
  nb::exception<RecordError>(module, "RecordError", base);
}

}  // namespace tengen

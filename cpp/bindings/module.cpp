// tengen._core: the native core as Python sees it. No logic here or in the bind_* files: they convert and forward.
#include "bindings/bindings.h"
#include "bindings/gil.h"

NB_MODULE(_core, module) {
  nanobind::set_leak_warnings(false);  // a Game that is still referred to at exit, by a cache say, is no leak
  module.doc() = "The C++ core of tengen.";
  tengen::bind_errors(module);
  tengen::bind_outcome(module);
  tengen::bind_spec(module);
  tengen::bind_games(module);
  tengen::bind_table_game(module);
  tengen::bind_params(module);
  tengen::bind_answers(module);
  tengen::bind_tables(module);
  tengen::bind_rollout(module);
  tengen::bind_alphabeta(module);
  tengen::bind_exact(module);
  tengen::bind_forest(module);
  tengen::bind_formulas(module);
  tengen::bind_samples(module);
  nanobind::module_::import_("atexit").attr("register")(nanobind::cpp_function(&tengen::Shutdown::begin));
}

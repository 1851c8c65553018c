/* tengen._cpu: which build of the core this processor can run. Plain C, compiled for the oldest processor. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject* level(PyObject* self, PyObject* args) {
  (void)self;
  (void)args;
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
      __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt")) {
    return PyUnicode_FromString("v3");
  }
#endif
  return PyUnicode_FromString("baseline");
}

static PyMethodDef methods[] = {{"level", level, METH_NOARGS, "The best build level: 'v3' or 'baseline'."},
                                {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_cpu", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__cpu(void) { return PyModule_Create(&definition); }

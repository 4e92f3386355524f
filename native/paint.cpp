#include <nanobind/nanobind.h>

namespace nb = nanobind;

void register_paint(nb::module_ &) {}

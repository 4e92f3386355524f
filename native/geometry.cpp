#include <nanobind/nanobind.h>

namespace nb = nanobind;

void register_geometry(nb::module_ &) {}

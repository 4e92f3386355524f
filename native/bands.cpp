#include <nanobind/nanobind.h>

namespace nb = nanobind;

void register_bands(nb::module_ &) {}

#include <nanobind/nanobind.h>

namespace nb = nanobind;

void register_pairs(nb::module_ &) {}

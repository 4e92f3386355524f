// One-dimensional numpy arrays for results, and read access to one-dimensional int64 arguments.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace segmetry {

namespace nb = nanobind;

using Int64Array = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Numpy allocates: it asks for huge pages where that helps, and the array needs no capsule.
template <class T>
struct NewArray {
    nb::object array;
    T *data;

    explicit NewArray(std::size_t size) {
        const char *dtype = std::is_signed_v<T> ? "int64" : "uint64";
        static_assert(sizeof(T) == 8, "results are 64-bit integers");
        array = nb::module_::import_("numpy").attr("empty")(size, dtype);
        data = nb::cast<nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(array).data();
    }
};

inline nb::object to_numpy(const std::vector<std::int64_t> &values) {
    NewArray<std::int64_t> result(values.size());
    if (!values.empty()) std::memcpy(result.data, values.data(), values.size() * sizeof(std::int64_t));
    return result.array;
}

}  // namespace segmetry

// One-dimensional numpy arrays for results, and read access to one-dimensional int64 arguments.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "compat.hpp"
#include "large_buffer.hpp"

namespace segmetry {

namespace nb = nanobind;

using Int64Array = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A copy of an argument. Another thread may change the argument at any time: what is checked here and then decides about
// places in memory must be checked in a copy.
template <typename Array>
auto private_copy(const Array &array) {
    return std::vector<std::remove_const_t<typename Array::Scalar>>(array.data(), array.data() + array.size());
}

// numpy.empty. Looked up once, when the module is imported, and never released: results of small inputs are mostly
// overhead. A lookup in the first call could deadlock, for an import may let another thread run that waits for it.
inline nb::handle &numpy_empty() {
    static nb::handle empty;
    return empty;
}

inline void look_up_numpy() { numpy_empty() = nb::object(nb::module_::import_("numpy").attr("empty")).release(); }

// An array of the first `size` numbers of existing memory, which the array then owns.
template <typename T>
nb::object to_numpy(LargeBuffer<std::uint64_t> &&memory, std::size_t size) {
    static_assert(sizeof(T) == 8, "results are 64-bit numbers");
    std::uint64_t *const data = memory.data();
    const nb::capsule owner(data, [](void *p) noexcept { free_aligned(p); });
    memory.release();
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(reinterpret_cast<T *>(data), {size}, owner).cast();
}

// Memory of numpy, which needs no capsule; large arrays in memory of ours, which begins with a huge page.
template <typename T>
struct NewArray {
    nb::object array;
    T *data;

    explicit NewArray(std::size_t size) {
        static_assert(sizeof(T) == 8, "results are 64-bit numbers");
        if (size >= kLarge) {
            LargeBuffer<std::uint64_t> memory(size);
            data = reinterpret_cast<T *>(memory.data());
            array = to_numpy<T>(std::move(memory), size);
            return;
        }
        array = numpy_empty()(size, std::is_floating_point_v<T> ? "float64" : std::is_signed_v<T> ? "int64" : "uint64");
        Py_buffer buffer;
        if (PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_WRITABLE) != 0) {
            throw nb::python_error();
        }
        data = static_cast<T *>(buffer.buf);
        PyBuffer_Release(&buffer);  // `array` keeps the memory
    }

  private:
    static constexpr std::size_t kLarge = std::size_t{1} << 19;
};

inline nb::object to_numpy(const std::vector<std::int64_t> &values) {
    NewArray<std::int64_t> result(values.size());
    if (!values.empty()) {
        std::memcpy(result.data, values.data(), values.size() * sizeof(std::int64_t));
    }
    return result.array;
}

// Two columns of numbers, (first, second).
inline nb::tuple columns_of(const std::vector<std::pair<std::int64_t, std::int64_t>> &rows) {
    NewArray<std::int64_t> first(rows.size()), second(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
        first.data[r] = rows[r].first;
        second.data[r] = rows[r].second;
    }
    return nb::make_tuple(first.array, second.array);
}

}  // namespace segmetry

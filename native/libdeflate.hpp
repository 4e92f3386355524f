// The functions of libdeflate in an extension module of Python that is loaded already: the package deflate, which exports
// them on most systems. With them a kernel inflates without the interpreter lock between its other steps.
#pragma once

#include <cstddef>
#include <cstdint>

namespace segmetry {

// Declared as in libdeflate.h, whose interface is stable.
struct Libdeflate {
    void *(*allocate)() = nullptr;
    void (*release)(void *decompressor) = nullptr;
    int (*inflate_zlib)(void *decompressor, const void *from, std::size_t from_size, void *to, std::size_t to_size,
                        std::size_t *size) = nullptr;
    std::uint32_t (*crc32)(std::uint32_t before, const void *data, std::size_t size) = nullptr;

    bool is_loaded() const {
        return allocate != nullptr && release != nullptr && inflate_zlib != nullptr && crc32 != nullptr;
    }

    // Whether zlib data inflates to exactly `to_size` bytes. Bytes after its end are ignored.
    bool inflates(const unsigned char *from, std::size_t from_size, unsigned char *to, std::size_t to_size) const;
};

// What load_libdeflate() found; nothing before.
const Libdeflate &libdeflate();

// Finds the functions in a module that is loaded; false if it does not have them.
bool load_libdeflate(const char *module);

}  // namespace segmetry

#include "libdeflate.hpp"

#if !defined(_WIN32)
#include <dlfcn.h>
#endif

namespace segmetry {

namespace {

Libdeflate loaded;

#if !defined(_WIN32)

template <typename Function>
void find(void *module, const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(module, name));
}

#endif

}  // namespace

const Libdeflate &libdeflate() { return loaded; }

bool Libdeflate::inflates(const unsigned char *from, std::size_t from_size, unsigned char *to,
                          std::size_t to_size) const {
    void *const decompressor = allocate();
    if (decompressor == nullptr) {
        return false;
    }
    std::size_t size = 0;
    const int result = inflate_zlib(decompressor, from, from_size, to, to_size, &size);
    release(decompressor);
    return result == 0 && size == to_size;
}

bool load_libdeflate(const char *module) {
    Libdeflate functions;
#if !defined(_WIN32)
    // The module is not loaded again, and never unloaded: the interpreter keeps it.
    void *const handle = dlopen(module, RTLD_NOW | RTLD_NOLOAD);
    if (handle != nullptr) {
        find(handle, "libdeflate_alloc_decompressor", functions.allocate);
        find(handle, "libdeflate_free_decompressor", functions.release);
        find(handle, "libdeflate_zlib_decompress", functions.inflate_zlib);
        find(handle, "libdeflate_crc32", functions.crc32);
    }
#else
    static_cast<void>(module);  // a .pyd file exports nothing but its entry
#endif
    if (functions.is_loaded()) {
        loaded = functions;
    }
    return functions.is_loaded();
}

}  // namespace segmetry

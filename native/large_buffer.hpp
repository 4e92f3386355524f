// Memory for millions of numbers: not cleared before use, in huge pages where the system offers them.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "compat.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace segmetry {

template <typename T>
class LargeBuffer {
  public:
    LargeBuffer() = default;
    explicit LargeBuffer(std::size_t capacity) : capacity_(capacity) {
        if (capacity == 0) {
            return;
        }
        const std::size_t page = capacity * sizeof(T) >= kHugePage ? kHugePage : kPage;
        const std::size_t bytes = (capacity * sizeof(T) + page - 1) / page * page;
        data_.reset(static_cast<T *>(allocate_aligned(page, bytes)));
        if (!data_) {
            throw std::bad_alloc();
        }
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        // Page by page, first use of such a buffer costs as much as sorting it. A refusal is harmless.
        if (page == kHugePage) {
            madvise(data_.get(), bytes, MADV_HUGEPAGE);
        }
#endif
    }

    T *data() { return data_.get(); }
    const T *data() const { return data_.get(); }
    std::size_t capacity() const { return capacity_; }
    // Releases ownership of the memory, which `free_aligned` frees; the buffer is then empty.
    T *release() {
        capacity_ = 0;
        return data_.release();
    }

  private:
    static constexpr std::size_t kPage = 4096;
    static constexpr std::size_t kHugePage = std::size_t{1} << 21;
    struct Free {
        void operator()(T *data) const { free_aligned(data); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t capacity_ = 0;
};

}  // namespace segmetry

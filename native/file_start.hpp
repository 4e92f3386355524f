// The first bytes of a file, read without Python.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "interrupts.hpp"

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace segmetry {

// A file that is open as long as this exists. Of one that cannot be opened or read there are no bytes: the caller leaves
// it to Python, which says why. That holds for pipes and devices, which have no size, and for all files of Windows.
class FileStart {
  public:
#if defined(_WIN32)
    FileStart(const char *, bool) {}
    const std::vector<unsigned char> &read(std::size_t, InterruptCheck &) { return bytes_; }
#else
    // Without `follow_links` the path must not be that of a link; folders above may be links.
    FileStart(const char *path, bool follow_links)
        : file_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follow_links ? 0 : O_NOFOLLOW))) {
        struct stat status;
        if (file_ >= 0 && fstat(file_, &status) == 0 && S_ISREG(status.st_mode)) {
            size_ = static_cast<std::size_t>(status.st_size);
        }
    }
    ~FileStart() {
        if (file_ >= 0) {
            close(file_);
        }
    }

    // The first `most` bytes, or all of a shorter file. What was read before is not read again.
    const std::vector<unsigned char> &read(std::size_t most, InterruptCheck &interrupts) {
        constexpr std::size_t piece = std::size_t{1} << 22;  // so that a slow disk is not waited for after Ctrl-C
        std::size_t filled = bytes_.size();
        bytes_.resize(std::max(filled, std::min(most, size_)));
        while (filled < bytes_.size()) {
            const ssize_t more = ::read(file_, bytes_.data() + filled, std::min(piece, bytes_.size() - filled));
            if (more > 0) {
                filled += static_cast<std::size_t>(more);
                interrupts.look(static_cast<std::size_t>(more));
            } else if (more < 0 && errno == EINTR) {
                interrupts.look_now();
            } else {
                break;
            }
        }
        bytes_.resize(filled);
        return bytes_;
    }
#endif
    FileStart(const FileStart &) = delete;
    FileStart &operator=(const FileStart &) = delete;

  private:
#if !defined(_WIN32)
    int file_;
    std::size_t size_ = 0;
#endif
    std::vector<unsigned char> bytes_;
};

}  // namespace segmetry

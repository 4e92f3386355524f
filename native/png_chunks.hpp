// The chunks of a PNG file: its header and its compressed rows, as far as they are of the common kinds of label image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "compat.hpp"
#include "libdeflate.hpp"

namespace segmetry {

inline std::uint32_t big_endian(const unsigned char *at) {
    return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}

constexpr unsigned char kPngSignature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr std::size_t kPngHeader = 33;      // bytes of the signature and the first chunk
constexpr std::size_t kAroundContent = 12;  // bytes of a chunk: length, kind and checksum

// The header of an image of a common kind: 8 or 16 bits of grey, 8 bits of palette indices or colours, not interlaced.
struct PngHeader {
    enum Colour : unsigned char { kGrey = 0, kColours = 2, kPalette = 3 };

    std::size_t width = 0, height = 0;
    std::size_t bytes_per_pixel = 0;  // 0 if it is of another kind, or none
    std::size_t n_bytes = 0;          // of all rows, each with the byte of its filter in front
    unsigned char colour = 0;

    explicit PngHeader(const std::vector<unsigned char> &content) {
        const unsigned char *const fields = content.data() + 16;
        if (content.size() < kPngHeader || std::memcmp(content.data(), kPngSignature, sizeof(kPngSignature)) != 0 ||
            std::memcmp(fields - 8, "\0\0\0\x0dIHDR", 8) != 0 || fields[10] != 0 || fields[11] != 0 ||
            fields[12] != 0) {
            return;
        }
        width = big_endian(fields);
        height = big_endian(fields + 4);
        colour = fields[9];
        const bool is_common = fields[8] == 8 && (colour == kGrey || colour == kColours || colour == kPalette);
        const std::size_t bytes = is_common ? (colour == kColours ? 3 : 1) : fields[8] == 16 && colour == kGrey ? 2 : 0;
        const bool overflows =
            product_overflows(width, bytes, n_bytes) || ++n_bytes == 0 || product_overflows(n_bytes, height, n_bytes);
        bytes_per_pixel = width == 0 || height == 0 || overflows ? 0 : bytes;
    }
};

// The kind of a chunk, four letters, as a number.
constexpr std::uint32_t chunk_kind(const char (&letters)[5]) {
    std::uint32_t kind = 0;
    for (int i = 0; i < 4; ++i) {
        kind = kind << 8 | static_cast<unsigned char>(letters[i]);
    }
    return kind;
}

// The content of the IDAT chunks, which must follow each other; none where a chunk is cut off, damaged, or one that may
// change the values of pixels.
class PngData {
  public:
    PngData(const std::vector<unsigned char> &content, const PngHeader &header, const Libdeflate &library) {
        std::uint32_t kind = 0, previous = 0;
        bool palette = header.colour != PngHeader::kPalette;
        for (std::size_t at = sizeof(kPngSignature); kind != chunk_kind("IEND"); previous = kind) {
            if (content.size() - at < kAroundContent) {
                return;
            }
            const unsigned char *const chunk = content.data() + at;
            const std::size_t length = big_endian(chunk);
            kind = big_endian(chunk + 4);
            if (length > content.size() - at - kAroundContent || !is_harmless(kind, previous) ||
                library.crc32(0, chunk + 4, length + 4) != big_endian(chunk + 8 + length)) {
                return;
            }
            if (kind == chunk_kind("IDAT")) {
                if (n_parts_ > 0 && previous != kind) {
                    return;
                }
                add(chunk + 8, length);
            }
            palette = palette || kind == chunk_kind("PLTE");
            at += length + kAroundContent;
        }
        is_complete_ = palette && n_parts_ > 0;
    }

    bool is_complete() const { return is_complete_; }
    const unsigned char *data() const { return n_parts_ == 1 ? first_ : joined_.data(); }
    std::size_t size() const { return n_parts_ == 1 ? first_size_ : joined_.size(); }

  private:
    // Whether a chunk has its place and does not change the values of pixels; the header is the first and no other.
    static bool is_harmless(std::uint32_t kind, std::uint32_t previous) {
        switch (kind) {
            case chunk_kind("IHDR"): return previous == 0;
            case chunk_kind("IDAT"):
            case chunk_kind("IEND"):
            case chunk_kind("PLTE"):
            case chunk_kind("bKGD"):
            case chunk_kind("gAMA"):
            case chunk_kind("pHYs"):
            case chunk_kind("sBIT"):
            case chunk_kind("sRGB"):
            case chunk_kind("tEXt"):
            case chunk_kind("tIME"): return previous != 0;
            default: return false;
        }
    }

    // One chunk stays where it is; several are joined.
    void add(const unsigned char *part, std::size_t size) {
        if (n_parts_++ == 0) {
            first_ = part;
            first_size_ = size;
            return;
        }
        if (n_parts_ == 2) {
            joined_.assign(first_, first_ + first_size_);
        }
        joined_.insert(joined_.end(), part, part + size);
    }

    std::size_t n_parts_ = 0;
    const unsigned char *first_ = nullptr;
    std::size_t first_size_ = 0;
    std::vector<unsigned char> joined_;
    bool is_complete_ = false;
};

}  // namespace segmetry

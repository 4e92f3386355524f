// Compares what differs between machines and compilers with plain loops: stretches of equal labels, bits, wide products.
// Needs no Python, so it runs under an emulator at once (tools/portable.py); exits with 1 at the first difference.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "compat.hpp"
#include "joint_ends.hpp"
#include "stretches.hpp"

namespace {

std::mt19937_64 generator(7);

void expect(bool same, const char *what) {
    if (!same) {
        std::fprintf(stderr, "differs: %s\n", what);
        std::exit(1);
    }
}

// Labels in stretches of random lengths, with noise in between; values that differ in one byte only.
std::vector<char> labels(std::size_t n, std::size_t width) {
    std::vector<char> bytes(n * width, 0);
    std::size_t at = 0;
    while (at < n) {
        const std::size_t length = generator() % 4 == 0 ? 1 + generator() % 150 : 1 + generator() % 3;
        const std::size_t byte = generator() % width, value = generator() % 3;
        for (std::size_t k = 0; k < length && at < n; ++k, ++at) {
            bytes[at * width + byte] = static_cast<char>(value);
        }
    }
    return bytes;
}

std::uint64_t label(const std::vector<char> &bytes, std::size_t width, std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at * width, width);
    return segmetry::is_big_endian() ? value >> (64 - 8 * width) : value;
}

void check_stretches(int width_a, int width_b, std::size_t n, int widest_vectors) {
    const auto wide_a = static_cast<std::size_t>(width_a), wide_b = static_cast<std::size_t>(width_b);
    const std::vector<char> a = labels(n, wide_a), b = labels(n, wide_b);
    std::vector<std::uint32_t> ends(n + segmetry::kSpareEnds);
    const segmetry::FindEnds find_ends = segmetry::find_ends_for(width_a, width_b, widest_vectors);
    const std::size_t found = find_ends(a.data(), b.data(), n, ends.data());
    std::size_t expected = 0;
    for (std::size_t at = 0; at < n; ++at) {
        const bool last = at + 1 == n || label(a, wide_a, at) != label(a, wide_a, at + 1) ||
                          label(b, wide_b, at) != label(b, wide_b, at + 1);
        if (last) {
            expect(expected < found && ends[expected] == at, "end of a stretch");
            ++expected;
        }
    }
    expect(expected == found, "number of stretches");
}

template <int Width>
void check_length(std::size_t n) {
    const std::vector<char> x = labels(n, Width);
    for (std::size_t start = 0; start < n; ++start) {
        std::size_t length = 1;
        while (start + length < n && std::memcmp(&x[start * Width], &x[(start + length) * Width], Width) == 0) {
            ++length;
        }
        expect(segmetry::stretch_length<Width>(&x[start * Width], n - start, n - start) == length,
               "length of a stretch");
    }
}

// Long multiplication in 32 bits.
std::uint64_t high_half(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t mask = 0xffffffffu, a0 = a & mask, a1 = a >> 32, b0 = b & mask, b1 = b >> 32;
    const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & mask);
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

void check_bits() {
    for (int bit = 0; bit < 64; ++bit) {
        const std::uint64_t one = std::uint64_t{1} << bit;
        expect(segmetry::trailing_zeros(generator() << bit | one) == bit, "trailing zeros");
        expect(segmetry::count_of_bits(~std::uint64_t{0} << bit) == 64 - bit, "number of bits");
        expect(segmetry::bits_of(one | (generator() & (one - 1))) == bit + 1, "bits of a number");
    }
    expect(segmetry::bits_of(0) == 0, "bits of 0");
    for (int time = 0; time < 1000; ++time) {
        const std::uint64_t a = generator(), b = generator();
        expect(segmetry::folded_product(a, b) == ((a * b) ^ high_half(a, b)), "folded product");
        expect(segmetry::byte_swapped(segmetry::byte_swapped(a)) == a, "bytes swapped twice");
    }
    expect(segmetry::byte_swapped(std::uint32_t{0x01020304}) == 0x04030201u, "four bytes swapped");
    expect(segmetry::byte_swapped(std::uint16_t{0x0102}) == 0x0201u, "two bytes swapped");
    std::size_t product;
    expect(segmetry::product_overflows(~std::size_t{0}, 2, product), "a product that does not fit");
    expect(!segmetry::product_overflows(3, 4, product) && product == 12, "a product that fits");
    void *memory = segmetry::allocate_aligned(4096, 8192);
    expect(memory != nullptr && reinterpret_cast<std::uintptr_t>(memory) % 4096 == 0, "aligned memory");
    segmetry::free_aligned(memory);
}

}  // namespace

int main() {
    check_bits();
    for (std::size_t n : {1, 2, 16, 17, 63, 64, 65, 66, 128, 129, 130, 1000, 5003}) {
        for (int width_a : {1, 2, 4, 8}) {
            for (int width_b : {1, 2, 4, 8}) {
                for (int widest_vectors : {16, 32, 64}) {
                    check_stretches(width_a, width_b, n, widest_vectors);
                }
            }
        }
    }
    for (std::size_t n : {1, 5, 64, 65, 200, 400}) {
        check_length<1>(n), check_length<2>(n), check_length<3>(n), check_length<4>(n), check_length<8>(n);
    }
#if defined(SEGMETRY_SSE2)
    std::puts("equal to plain loops: SSE2");
#elif defined(SEGMETRY_NEON)
    std::puts("equal to plain loops: NEON");
#else
    std::puts("equal to plain loops: plain C++");
#endif
}

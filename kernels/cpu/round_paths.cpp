// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/round_paths.h"

#include <cstring>
#include <type_traits>

#include "kernels/cpu/round_f16c.h"
#include "kernels/cpu/vector_paths.h"

namespace mantissa::cpu {
namespace {

template <typename Format>
constexpr bool kIsF32 = std::is_same_v<Format, F32Format>;
template <typename Format>
constexpr bool kIsF16 = std::is_same_v<Format, F16Format>;

/// Storage: 32-bit containers for fp32 and tf32, 16 bits for fp16 and bf16, a byte for each narrower format.
template <typename Format>
constexpr auto codeType() {
    if constexpr (kIsF32<Format> || std::is_same_v<Format, Tf32Format>) {
        return float{};
    } else if constexpr (kIsF16<Format> || std::is_same_v<Format, Bf16Format>) {
        return std::uint16_t{};
    } else {
        return std::uint8_t{};
    }
}
template <typename Format>
using Code = decltype(codeType<Format>());

/// Whether the processor has conversion instructions for a format.
#if defined(__x86_64__)
template <VectorPath path, typename Format>
constexpr bool kIsByF16c = path != VectorPath::Portable&& kIsF16<Format>;
#else
template <VectorPath path, typename Format>
constexpr bool kIsByF16c = false;
#endif

template <VectorPath path>
struct Loops {
    /// dst[i] = map(src[i], i), with aligned stores. `shortcut` may process elements from there on and returns their number.
    template <typename In, typename Out, typename Map, typename Shortcut>
    static void map(const In* src, Out* dst, std::size_t count, Map map, Shortcut shortcut) {
        const auto body = [src, dst, map](std::size_t i) { dst[i] = map(src[i], i); };
        const std::size_t head = elementsToLine(dst, count);
        VectorLoop<path>::run(0, head, body);
        const std::size_t done = head + shortcut(src + head, dst + head, count - head);
        VectorLoop<path>::run(done, count, body);
    }
    template <typename In, typename Out, typename Map>
    static void map(const In* src, Out* dst, std::size_t count, Map function) {
        map(src, dst, count, function, [](const In*, Out*, std::size_t) { return std::size_t{0}; });
    }

    static void round(Dtype dtype, Rounding rounding, const float* src, float* dst, const std::uint32_t* random, std::size_t count) {
        withFormat(dtype, [=](auto format) {
            withRounding(rounding, [=](auto tag) {
                using Format = decltype(format);
                constexpr Rounding kRounding = decltype(tag)::kValue;
                const auto nearest = [](float x, std::size_t) { return Format::template round<kRounding>(x); };
                if constexpr (kIsF32<Format>) {
                    if (src != dst && count > 0) std::memcpy(dst, src, count * sizeof(float));
                } else if constexpr (kRounding == Rounding::Stochastic) {
                    map(src, dst, count, [random](float x, std::size_t i) { return Format::template round<kRounding>(x, random[i]); });
                } else if constexpr (kIsByF16c<path, Format> && kRounding == Rounding::NearestEven) {
                    map(src, dst, count, nearest, path == VectorPath::Avx512 ? roundF16cWide : roundF16c);
                } else {
                    map(src, dst, count, nearest);
                }
            });
        });
    }

    static void encode(Dtype dtype, const float* src, void* codes, std::size_t count) {
        withFormat(dtype, [=](auto format) {
            using Format = decltype(format);
            auto* out = static_cast<Code<Format>*>(codes);
            const auto nearest = [](float x, std::size_t) { return static_cast<Code<Format>>(Format::template encode<>(x)); };
            if constexpr (std::is_same_v<Code<Format>, float>) {
                round(dtype, Rounding::NearestEven, src, out, nullptr, count);
            } else if constexpr (kIsByF16c<path, Format>) {
                map(src, out, count, nearest, encodeF16c);
            } else {
                map(src, out, count, nearest);
            }
        });
    }

    static void decode(Dtype dtype, const void* codes, float* dst, std::size_t count) {
        withFormat(dtype, [=](auto format) {
            using Format = decltype(format);
            const auto* in = static_cast<const Code<Format>*>(codes);
            if constexpr (std::is_same_v<Code<Format>, float>) {
                round(Dtype::F32, Rounding::NearestEven, in, dst, nullptr, count);
            } else {
                const auto exact = [](Code<Format> code, std::size_t) { return Format::decode(code); };
                if constexpr (kIsByF16c<path, Format>) {
                    map(in, dst, count, exact, decodeF16c);
                } else {
                    map(in, dst, count, exact);
                }
            }
        });
    }

    static void saturate(Dtype dtype, const float* src, float* dst, std::size_t count) {
        const float largest = withFormat(dtype, [](auto format) { return floatFromBits(decltype(format)::kLargest); });
        map(src, dst, count, [largest](float x, std::size_t) { return saturated(x, largest); });
    }

    static void draw(const RoundingMode& mode, std::uint64_t firstBlock, std::uint32_t* random, std::size_t blocks) {
        VectorLoop<path>::run(0, blocks, [=](std::size_t i) {
            const PhiloxCounter four = randomBlock(mode.seed, RandomUse::StochasticRounding, mode.stream, firstBlock + i);
            for (std::size_t j = 0; j < 4; ++j) random[4 * i + j] = four.word[j];
        });
    }

    static constexpr RoundPath table(const char* name) { return {name, round, encode, decode, saturate, draw}; }
};

}  // namespace

const std::vector<RoundPath>& roundPaths() {
    static const std::vector<RoundPath> kPaths = [] {
        std::vector<RoundPath> paths;
        if (canRun(VectorPath::Avx512)) paths.push_back(Loops<VectorPath::Avx512>::table("AVX-512"));
        if (canRun(VectorPath::Avx2)) paths.push_back(Loops<VectorPath::Avx2>::table("AVX2"));
        paths.push_back(Loops<VectorPath::Portable>::table("portable"));
        return paths;
    }();
    return kPaths;
}

}  // namespace mantissa::cpu

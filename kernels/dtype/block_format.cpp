// SPDX-License-Identifier: Apache-2.0
#include "kernels/dtype/block_format.h"

#include <algorithm>

namespace mantissa {
namespace {

constexpr MatrixShape kMxBlock{1, 32}, kNvfp4Block{1, 16}, kFp8Block{1, 128};

constexpr std::array kBlockFormats{
    BlockFormat{"mxfp8_e4m3", "MXFP8 E4M3", Dtype::E4M3, kMxBlock, Dtype::E8M0},
    BlockFormat{"mxfp8_e5m2", "MXFP8 E5M2", Dtype::E5M2, kMxBlock, Dtype::E8M0},
    BlockFormat{"mxfp6_e2m3", "MXFP6 E2M3", Dtype::E2M3, kMxBlock, Dtype::E8M0},
    BlockFormat{"mxfp6_e3m2", "MXFP6 E3M2", Dtype::E3M2, kMxBlock, Dtype::E8M0},
    BlockFormat{"mxfp4", "MXFP4", Dtype::E2M1, kMxBlock, Dtype::E8M0},
    BlockFormat{"nvfp4", "NVFP4", Dtype::E2M1, kNvfp4Block, Dtype::E4M3},
    BlockFormat{"fp8_block_e4m3", "Block FP8 E4M3", Dtype::E4M3, kFp8Block, Dtype::E8M0, ScaleRule::PowerOfTwo},
    BlockFormat{"fp8_block_e5m2", "Block FP8 E5M2", Dtype::E5M2, kFp8Block, Dtype::E8M0, ScaleRule::PowerOfTwo},
};

/// In the order of their enumerators.
constexpr std::array<std::string_view, kAllScaleRules.size()> kRuleNames{"floor", "round-up",     "rceil", "ceil",
                                                                         "even",  "power-of-two", "fp32"};
constexpr std::array<std::string_view, kAllNvfp4Dialects.size()> kDialectNames{"te", "exact", "torchao-inference", "llama.cpp"};

template <typename Enum, std::size_t count>
std::optional<Enum> named(std::string_view name, const std::array<std::string_view, count>& names) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::nullopt : std::optional(static_cast<Enum>(found - names.begin()));
}

std::int64_t piecesOf(std::int64_t count, std::int64_t size) {
    return (count + size - 1) / size;
}

}  // namespace

std::string_view scaleRuleName(ScaleRule rule) {
    return kRuleNames[static_cast<std::size_t>(rule)];
}

std::optional<ScaleRule> scaleRuleFromName(std::string_view name) {
    return named<ScaleRule>(name, kRuleNames);
}

std::string_view nvfp4DialectName(Nvfp4Dialect dialect) {
    return kDialectNames[static_cast<std::size_t>(dialect)];
}

std::optional<Nvfp4Dialect> nvfp4DialectFromName(std::string_view name) {
    return named<Nvfp4Dialect>(name, kDialectNames);
}

MatrixShape BlockFormat::scales(MatrixShape tensor) const {
    return {piecesOf(tensor.rows, block.rows), piecesOf(tensor.cols, block.cols)};
}

double BlockFormat::bitsPerNumber() const {
    return facts(element).storageBits + facts(scale).storageBits / static_cast<double>(block.count());
}

std::int64_t BlockFormat::packedBytes(MatrixShape tensor) const {
    return piecesOf(tensor.count() * facts(element).storageBits, 8);
}

std::int64_t BlockFormat::scaleBytes(MatrixShape tensor) const {
    return scales(tensor).count() * static_cast<std::int64_t>(facts(scale).storageBytes());
}

std::int64_t BlockFormat::storageBytes(MatrixShape tensor) const {
    return packedBytes(tensor) + scaleBytes(tensor) + (hasTensorScale() ? 4 : 0);
}

std::span<const BlockFormat> blockFormats() {
    return kBlockFormats;
}

std::optional<BlockFormat> blockFormatFromName(std::string_view name) {
    const auto found = std::find_if(kBlockFormats.begin(), kBlockFormats.end(), [&](const BlockFormat& f) { return f.name == name; });
    return found == kBlockFormats.end() ? std::nullopt : std::optional(*found);
}

std::span<const ScaleRule> scaleRules(const BlockFormat& format) {
    if (format.isNvfp4()) return {};
    const bool isBlockFp8 = blockFormatFromName(format.name)->rule == ScaleRule::PowerOfTwo;
    static_assert(kAllScaleRules.back() == ScaleRule::Fp32);  // the rule that MX does not have
    return std::span(kAllScaleRules).first(kAllScaleRules.size() - (isBlockFp8 ? 0 : 1));
}

BlockFormat withRule(BlockFormat format, ScaleRule rule) {
    format.rule = rule;
    format.scale = rule == ScaleRule::Fp32 ? Dtype::F32 : Dtype::E8M0;
    return format;
}

std::array<MatrixShape, 3> blockShapes(const BlockFormat& format) {
    const std::int64_t size = format.blockSize();
    return {{{1, size}, {size, 1}, {size, size}}};
}

std::string blockShapeName(MatrixShape block) {
    return std::to_string(block.rows) + "x" + std::to_string(block.cols);
}

std::string refusalOf(const BlockFormat& format, Rounding rounding) {
    if (format.isSearched() && rounding != Rounding::NearestEven)
        return "the dialect llama.cpp takes the nearest element by its own search and has no other rounding";
    return "";
}

}  // namespace mantissa

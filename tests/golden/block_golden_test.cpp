// SPDX-License-Identifier: Apache-2.0
// Codes and scales of block formats, bit for bit against an oracle in numpy and against torchao. make_block_goldens.py wrote the
// references.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "engine/experiment/safetensors.h"
#include "tests/support/blocks.h"
#include "tests/support/non_finite.h"

namespace mantissa {
namespace {

struct BlockReferences {
    std::map<std::string, NamedTensor> tensors;

    BlockReferences() {
        for (NamedTensor& tensor : readSafetensors(std::string(MANTISSA_GOLDEN_DIR) + "/blocks.safetensors")) tensors[tensor.name] = tensor;
    }
};

const std::map<std::string, NamedTensor>& references() {
    static const BlockReferences kReferences;
    return kReferences.tensors;
}

std::vector<std::uint8_t> codesOf(const std::string& key) {
    const std::vector<float>& values = references().at(key).values;
    return {values.begin(), values.end()};
}

/// The stored bytes of scales: codes, or fp32 numbers.
std::vector<std::uint8_t> scalesOf(const BlockFormat& format, const std::string& key) {
    if (!format.hasFp32Scales()) return codesOf(key);
    std::vector<float> values = references().at(key).values;
    for (float& v : values) v = std::isnan(v) ? test::kNan : v;
    std::vector<std::uint8_t> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

/// "torchao.mxfp4.floor.1x32" or without its first part; that part names the matrix.
struct BlockCase {
    std::string key, matrix;
    BlockFormat format;
};

/// The text up to the next dot, which leaves `key`. Dialects have dots in their names: what follows is a block's shape.
std::optional<BlockCase> caseOf(const std::string& key) {
    const auto isEnd = [&](const char* end) {
        return key.size() > std::string(end).size() && key.rfind(end) == key.size() - std::string(end).size();
    };
    if (!isEnd(".codes")) return std::nullopt;
    BlockCase one{key.substr(0, key.size() - 6), "x", {}};
    std::string rest = one.key;
    for (const auto& [prefix, matrix] :
         {std::pair{"torchao.", "finite"}, std::pair{"inf.", "inf"}, std::pair{"wide.", "wide"}, std::pair{"tall.", "tall"}}) {
        if (rest.rfind(prefix, 0) != 0) continue;
        rest = rest.substr(std::string(prefix).size());
        one.matrix = matrix;
    }
    const std::size_t first = rest.find('.'), last = rest.rfind('.');
    one.format = blockFormatFromName(rest.substr(0, first)).value();
    const std::string variant = rest.substr(first + 1, last - first - 1), shape = rest.substr(last + 1);
    if (!one.format.isNvfp4()) {
        one.format = withRule(one.format, scaleRuleFromName(variant).value());
    } else {
        one.format.dialect = nvfp4DialectFromName(variant).value();
    }
    for (const MatrixShape block : blockShapes(one.format))
        if (blockShapeName(block) == shape) one.format.block = block;
    return one;
}

TEST(BlockGolden, CodesAndScalesAreTheOraclesAndTorchaos) {
    std::size_t cases = 0, ofTorchao = 0;
    for (const auto& [key, tensor] : references()) {
        const auto one = caseOf(key);
        if (!one) continue;
        const NamedTensor& x = references().at(one->matrix);
        const test::QuantizedMatrix q = test::quantized(one->format, {x.shape[0], x.shape[1]}, x.values);
        if (one->format.hasTensorScale()) {
            EXPECT_EQ(q.tensorScale, references().at(one->key + ".tensorScale").values[0]) << one->key;
        }
        EXPECT_EQ(q.scales, scalesOf(one->format, one->key + ".scales")) << one->key;
        EXPECT_EQ(q.elements, codesOf(one->key + ".codes")) << one->key;
        ++cases;
        ofTorchao += one->matrix == "finite" ? 1u : 0u;
    }
    // 30 of MX and 4 of NVFP4 along rows, 12 in other shapes, 16 with Inf; 8 of block FP8 by either rule; torchao's 20 and 2.
    EXPECT_EQ(ofTorchao, 22u);
    EXPECT_EQ(cases, 34u + 12u + 16u + 16u + 22u);
}

}  // namespace
}  // namespace mantissa

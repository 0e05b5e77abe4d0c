// SPDX-License-Identifier: Apache-2.0
#include "kernels/dtype/rounding.h"

#include <gtest/gtest.h>

namespace mantissa {
namespace {

TEST(Rounding, EveryCodeDecodesAndReencodes) {
    for (const Dtype dtype : {Dtype::F16, Dtype::BF16, Dtype::TF32}) {
        const DtypeFacts& f = facts(dtype);
        const std::uint32_t codes = 1u << (1 + f.exponentBits + f.mantissaBits);
        const std::uint32_t inf = ((1u << f.exponentBits) - 1) << f.mantissaBits, quiet = 1u << (f.mantissaBits - 1);
        for (std::uint32_t code = 0; code < codes; ++code) {
            const bool isNan = (code & (codes / 2 - 1)) > inf;
            ASSERT_EQ(encodeBits(dtype, decodeBits(dtype, code)), isNan ? code | quiet : code) << f.name << " code " << code;
        }
    }
}

}  // namespace
}  // namespace mantissa

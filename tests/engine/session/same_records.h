// SPDX-License-Identifier: Apache-2.0
// Records of the same step of the same run, trained twice: all but the times, to the last bit.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "engine/telemetry/record.h"

namespace mantissa::test {

inline void expectSameBits(const StepRecord& a, const StepRecord& b) {
    EXPECT_EQ(a.step, b.step);
    EXPECT_TRUE(isSameValue(a.loss, b.loss)) << a.loss << " and " << b.loss << " at step " << a.step;
    EXPECT_TRUE(isSameValue(a.gradNorm, b.gradNorm)) << a.gradNorm << " and " << b.gradNorm << " at step " << a.step;
    EXPECT_EQ(a.lossScale, b.lossScale) << "step " << a.step;
    EXPECT_EQ(a.lr, b.lr) << "step " << a.step;
    EXPECT_EQ(a.flags, b.flags) << "step " << a.step;
    EXPECT_EQ(a.skippedTotal, b.skippedTotal) << "step " << a.step;
    EXPECT_EQ(a.samples, b.samples) << "step " << a.step;
}

inline void expectSameBits(const std::vector<StepRecord>& a, const std::vector<StepRecord>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) expectSameBits(a[i], b[i]);
}

}  // namespace mantissa::test

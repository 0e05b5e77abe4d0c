// SPDX-License-Identifier: Apache-2.0
// Some of the conformance suite's larger cases on the emulated card: those of the full extent that take a kernel another way.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/conformance/runner.h"
#include "kernels/cuda/cuda_backend.h"

namespace mantissa::test {

/// Cases of an operation in fp32, whose shape is one of `shapes`, of normal and of non-finite numbers.
inline void expectAgreementInShapes(std::string_view operation, const std::vector<std::string>& shapes) {
    const auto backend = cuda::createBackend(0);
    std::size_t cases = 0;
    for (const conformance::Check& check : conformance::allChecks()) {
        if (check.operation != operation || check.format != "fp32") continue;
        check.cases(conformance::Extent::Full, [&](const conformance::Case& test) {
            const bool isWanted = test.inputs == conformance::Inputs::Normal || test.inputs == conformance::Inputs::NonFinite;
            if (!isWanted || std::find(shapes.begin(), shapes.end(), test.shape) == shapes.end()) return;
            ++cases;
            for (const conformance::Failure& failure : conformance::runCase(test, *backend).failures)
                ADD_FAILURE() << failure.where << ": " << failure.detail;
        });
    }
    EXPECT_GE(cases, 2 * shapes.size()) << operation;
}

}  // namespace mantissa::test

// SPDX-License-Identifier: Apache-2.0
// The table of rows, one function a family of operations. Here is where a new operation gets its row.
#pragma once

#include <array>

#include "kernels/conformance/suite.h"

namespace mantissa::conformance {

/// What tensors are stored in.
inline constexpr std::array kStorageDtypes{Dtype::F32, Dtype::F16, Dtype::BF16, Dtype::E4M3, Dtype::E5M2};

void addProducts(std::vector<Check>& checks);
void addElementwise(std::vector<Check>& checks);
void addMovement(std::vector<Check>& checks);
void addLooking(std::vector<Check>& checks);
void addQuantizing(std::vector<Check>& checks);
void addLosses(std::vector<Check>& checks);
void addUnscale(std::vector<Check>& checks);
void addOptimizers(std::vector<Check>& checks);
void addAttention(std::vector<Check>& checks);
void addFusedAttention(std::vector<Check>& checks);
void addNorms(std::vector<Check>& checks);
void addCombining(std::vector<Check>& checks);
void addConvolutions(std::vector<Check>& checks);
void addBatchNorms(std::vector<Check>& checks);
void addPools(std::vector<Check>& checks);
void addSteps(std::vector<Check>& checks);

/// What parameters, gradients and moments are stored in.
inline constexpr std::array kParameterDtypes{Dtype::F32, Dtype::F16, Dtype::BF16};

/// Lengths of arrays: one, about a vector's width, primes, about a power of two, more than one block.
std::vector<std::int64_t> lengths(Extent extent);

}  // namespace mantissa::conformance

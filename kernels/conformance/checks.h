// SPDX-License-Identifier: Apache-2.0
// The table of rows, one function per family of operations. A new operation adds its row here.
#pragma once

#include <array>

#include "kernels/conformance/suite.h"

namespace mantissa::conformance {

/// The storage formats of tensors.
inline constexpr std::array kStorageDtypes{Dtype::F32, Dtype::F16, Dtype::BF16, Dtype::E4M3, Dtype::E5M2};

void addProducts(std::vector<Check>& checks);
void addElementwise(std::vector<Check>& checks);
void addMovement(std::vector<Check>& checks);
void addStatistics(std::vector<Check>& checks);
void addQuantizing(std::vector<Check>& checks);
void addBlockFormats(std::vector<Check>& checks);
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
void addFusions(std::vector<Check>& checks);

/// The storage formats of parameters, gradients and moments.
inline constexpr std::array kParameterDtypes{Dtype::F32, Dtype::F16, Dtype::BF16};

/// Lengths of arrays: one, around a vector's width, primes, around a power of two, more than one block.
std::vector<std::int64_t> lengths(Extent extent);

/// A case of an operation on arrays of `count` elements.
Case arrayCase(OperationDesc desc, Inputs inputs, std::int64_t count, std::string layout, std::vector<Operand> operands);

/// Calls use(count, inputs) with each of `lengths` and each kind of input for elementwise operations.
void forElementCases(Extent extent, const std::function<void(std::int64_t count, Inputs inputs)>& use);

}  // namespace mantissa::conformance

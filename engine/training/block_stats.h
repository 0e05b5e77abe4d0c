// SPDX-License-Identifier: Apache-2.0
// Statistics of the operands that a step quantises to block formats, from repeating it. Deterministic. One thread at a time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/diagnosis/block_report.h"
#include "engine/training/trainer.h"

namespace mantissa {

/// Returns the quantised operands of the next step in the order of their quantisation; with micro-batches, those of the last one. Restores
/// the trainer. Throws std::invalid_argument, with a sentence, if the step quantises nothing to blocks.
std::vector<OperandBlocks> readBlocks(Trainer& trainer);

/// The statistics of one quantised matrix, without names and products. `source`: its numbers as fp32; `stored`: what QuantizeBlocksDesc
/// made of them; `factor`: of the tensor.
OperandBlocks blockStatistics(const QuantizeBlocksDesc& desc, std::span<const float> source, std::span<const std::byte> stored,
                              double factor, std::int64_t mostCells = kMostMapCells);

}  // namespace mantissa

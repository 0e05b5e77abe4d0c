// SPDX-License-Identifier: Apache-2.0
#include "kernels/support.h"

#include <algorithm>
#include <initializer_list>
#include <limits>

namespace mantissa {
namespace {

Support no(std::string reason) {
    return {false, std::move(reason)};
}

Support storable(std::initializer_list<Dtype> dtypes) {
    for (const Dtype dtype : dtypes) {
        if (facts(dtype).isStorable) continue;
        const std::string name(facts(dtype).name);
        return no(dtype == Dtype::TF32 ? name + " is a compute dtype, never storage" : name + " is for conversions only, never storage");
    }
    return {};
}

Support positive(std::initializer_list<std::int64_t> sizes) {
    for (const std::int64_t size : sizes) {
        if (size <= 0) return no("every size must be at least 1");
    }
    return {};
}

Support countable(std::int64_t count) {
    return count >= 0 ? Support{} : no("the number of elements is negative");
}

Support both(Support first, Support second) {
    return first.supported ? second : first;
}

/// For a product, batched or not.
template <typename Product>
Support checkSums(const Product& d) {
    if (d.operandRounding == Rounding::Stochastic) return no("operands of a product are not rounded stochastically");
    const std::string problem = whyNoSums(d.accumulator, d.compute, d.promoteEvery);
    if (!problem.empty()) return no(d.promoteEvery > 0 ? "promotion of partial sums: " + problem : problem);
    return d.promoteEvery >= 0 ? Support{} : no("partial sums of a negative number of elements");
}

Support check(const MatmulDesc& d) {
    for (const auto& [blocks, numbers] : {std::pair(&d.aBlocks, d.a), {&d.bBlocks, d.b}}) {
        if (*blocks && (numbers != (*blocks)->numbers() || (d.compute != Dtype::BF16 && !isFp8(d.compute)) || !d.isScaled))
            return no("an operand in blocks is multiplied in bf16 or fp8, with scales");
    }
    return both(both(positive({d.m, d.n, d.k}), storable({d.a, d.b, d.out, d.result})), checkSums(d));
}
Support check(const BatchedMatmulDesc& d) {
    for (const std::int64_t divisor : {d.aDivisor, d.bDivisor, d.outDivisor}) {
        if (divisor < 1 || d.inner % divisor != 0) return no("the heads that share a matrix must divide the heads");
    }
    return both(both(positive({d.outer, d.inner, d.m, d.n, d.k}), storable({d.a, d.b, d.out})), checkSums(d));
}
Support check(const QuantizeDesc& d) {
    if (!isFp8(d.to)) return no(std::string(facts(d.to).name) + " is not a format that tensors are quantised to");
    if (d.transposedRows < 0 || (d.transposedRows > 0 && d.count % d.transposedRows != 0))
        return no("the rows of a matrix must divide its elements");
    return both(countable(d.count), storable({d.from}));
}
Support check(const QuantizeBlocksDesc& d) {
    const std::string refusal = refusalOf(d.format, d.rounding);
    if (!refusal.empty()) return no(refusal);
    if (d.source && (d.source->hasTensorScale() || d.from != d.source->numbers()))
        return no("blocks with a factor of the tensor are not quantised again");
    if (d.format.block.cols > 1024 && d.format.block.cols < d.shape.cols) return no("a block this long must have a whole row");
    return both(positive({d.shape.rows, d.shape.cols, d.format.block.rows, d.format.block.cols}), storable({d.from}));
}
Support check(const UpdateScalesDesc& d) {
    return positive({d.historyLength});
}
Support check(const CastDesc& d) {
    return both(countable(d.count), storable({d.from, d.to}));
}
Support check(const AccumulateDesc& d) {
    return both(countable(d.count), storable({d.from, d.to}));
}
Support check(const ActivationDesc& d) {
    return both(countable(d.count), storable({d.dtype}));
}
Support check(const ActivationGradDesc& d) {
    return both(countable(d.count), storable({d.dtype}));
}
Support check(const BiasGradDesc& d) {
    return both(positive({d.rows, d.cols}), storable({d.dtype, d.out}));
}
template <typename Loss>
Support checkCrossEntropy(const Loss& d) {
    if (!(d.labelSmoothing >= 0 && d.labelSmoothing <= 1)) return no("label smoothing must be a share from 0 to 1");
    if (d.compute != Dtype::F32 && d.compute != d.logits) return no("cross-entropy computes in fp32 or in the format of its logits");
    return both(positive({d.rows, d.classes}), storable({d.logits}));
}
Support check(const SoftmaxCrossEntropyDesc& d) {
    return checkCrossEntropy(d);
}
Support check(const SoftmaxCrossEntropyGradDesc& d) {
    return checkCrossEntropy(d);
}
Support check(const MeanSquaredErrorDesc& d) {
    return positive({d.count});
}
Support check(const MeanSquaredErrorGradDesc& d) {
    return positive({d.count});
}
Support check(const GatherRowsDesc& d) {
    return both(both(countable(d.rows), countable(d.cols)), countable(d.stride));
}
Support check(const CopyColumnsDesc& d) {
    if (d.srcFirst < 0 || d.dstFirst < 0 || d.srcFirst + d.cols > d.srcWidth || d.dstFirst + d.cols > d.dstWidth) {
        return no("the columns must lie within the rows that they come from and go to");
    }
    return both(positive({d.rows, d.cols}), storable({d.dtype}));
}
Support ordered(const Segments& segments) {
    if (segments.empty() || segments.front() < 0) return no("the segments must begin at 0 or later and end with the total");
    if (!std::is_sorted(segments.begin(), segments.end())) return no("the segments must be in order");
    return {};
}
Support check(const UnscaleDesc& d) {
    return both(ordered(d.segments), storable({d.dtype}));
}
Support check(const ParameterStorage& storage) {
    return storable({storage.dtype, storage.ofMoments()});
}
Support check(const AdamWDesc& d) {
    return both(countable(d.count), check(d.storage));
}
Support check(const LionDesc& d) {
    return both(countable(d.count), check(d.storage));
}
Support check(const MuonMomentumDesc& d) {
    return both(countable(d.count), check(d.storage));
}
Support check(const NormalizeDesc& d) {
    return both(countable(d.count), storable({d.to}));
}
Support check(const MuonUpdateDesc& d) {
    return both(both(countable(d.count), check(d.storage)), storable({d.direction}));
}
Support check(const SgdDesc& d) {
    if (d.nesterov && (d.momentum <= 0 || d.dampening != 0)) return no("Nesterov needs a momentum above 0 and no dampening");
    return both(countable(d.count), check(d.storage));
}
Support check(const ClassifyDesc& d) {
    return both(countable(d.count), storable({d.dtype}));
}
template <typename Stats>
Support checkStats(const Stats& d) {
    if (d.count > std::numeric_limits<std::uint32_t>::max()) return no("tensor statistics count fewer than 2^32 elements");
    return both(countable(d.count), storable({d.dtype}));
}
Support check(const StatsDesc& d) {
    return checkStats(d);
}
Support check(const UpdateStatsDesc& d) {
    return both(checkStats(d), storable({d.moment.value_or(d.dtype)}));
}
Support check(const KeepSeenDesc& d) {
    return both(ordered(d.segments), storable({d.dtype}));
}

Support check(const AddDesc& d) {
    return both(both(countable(d.count), countable(d.bCount)), storable({d.a, d.b, d.out}));
}
Support check(const ScaleDesc& d) {
    return both(countable(d.count), storable({d.from, d.to}));
}
Support check(const CausalMaskDesc& d) {
    return both(positive({d.matrices, d.length}), storable({d.dtype}));
}
Support check(const SoftmaxDesc& d) {
    return both(positive({d.rows, d.cols}), storable({d.from, d.to, d.compute}));
}
Support check(const SoftmaxGradDesc& d) {
    return both(positive({d.rows, d.cols}), storable({d.from, d.to}));
}
Support check(const EmbeddingDesc& d) {
    return both(positive({d.rows, d.cols, d.tableRows}), storable({d.table, d.out}));
}
Support check(const EmbeddingGradDesc& d) {
    return both(positive({d.rows, d.cols, d.tableRows}), storable({d.dtype, d.out}));
}

template <typename Norm>
Support checkNorm(const Norm& d) {
    if (d.hasBias && !d.centres) return no("an RMS norm has no bias");
    if (d.compute != Dtype::F32 && d.compute != Dtype::F16 && d.compute != Dtype::BF16) return no("norms compute in fp32, fp16 or bf16");
    return positive({d.rows, d.cols});
}
Support check(const LayerNormDesc& d) {
    return both(checkNorm(d), storable({d.from, d.parameters, d.to}));
}
Support check(const LayerNormGradDesc& d) {
    return both(checkNorm(d), storable({d.gradOutput, d.x, d.parameters, d.gradInput, d.gradParameters}));
}
Support check(const DropoutDesc& d) {
    if (!(d.probability >= 0 && d.probability < 1)) return no("the probability of dropout must be at least 0 and below 1");
    return both(countable(d.count), storable({d.dtype}));
}
template <typename SwiGlu>
Support checkSwiGlu(const SwiGlu& d) {
    if (!d.isFused && isFp8(d.dtype)) return no("silu is not rounded to " + std::string(facts(d.dtype).name));
    return both(countable(d.count), storable({d.dtype}));
}
Support check(const SwiGluDesc& d) {
    return checkSwiGlu(d);
}
Support check(const SwiGluGradDesc& d) {
    return checkSwiGlu(d);
}
Support check(const FusedAttentionDesc& d) {
    if (d.keyHeads < 1 || d.heads % d.keyHeads != 0) return no("the heads that share a matrix must divide the heads");
    if (d.compute != Dtype::F32 && d.compute != Dtype::F16 && d.compute != Dtype::BF16)
        return no("fused attention computes in fp32, fp16 or bf16");
    return both(positive({d.outer, d.heads, d.length, d.headDim}), storable({d.dtype}));
}
Support check(const FusedAttentionGradDesc& d) {
    return check(d.forward);
}
Support check(const RotaryDesc& d) {
    if (d.headDim % 2 != 0) return no("a head that is rotated has an even number of elements");
    if (d.roundsProducts && isFp8(d.to)) return no("products of a rotation are not rounded to " + std::string(facts(d.to).name));
    return both(positive({d.rows, d.length, d.heads, d.headDim}), storable({d.from, d.to}));
}
Support check(const SumHeadsDesc& d) {
    return both(positive({d.rows, d.heads, d.group, d.headDim}), storable({d.from, d.to}));
}

Support check(const Window& w, std::int64_t height, std::int64_t width) {
    if (w.padHeight < 0 || w.padWidth < 0) return no("the padding is negative");
    if (w.height > height + 2 * w.padHeight || w.width > width + 2 * w.padWidth) return no("the window is larger than the padded plane");
    return positive({w.height, w.width, w.strideHeight, w.strideWidth});
}
Support check(const Convolution2dDesc& d) {
    if (d.groups < 1 || d.inChannels % d.groups != 0 || d.outChannels % d.groups != 0) return no("the groups must divide the channels");
    const bool meetsTensorCore = d.accumulator != Accumulator::Fp32 && d.compute != Dtype::F32;
    if (meetsTensorCore) return no("convolutions are summed in fp32, not as " + std::string(accumulatorName(d.accumulator)));
    if (d.operandRounding == Rounding::Stochastic) return no("operands of a product are not rounded stochastically");
    return both(both(positive({d.samples, d.height, d.width, d.inChannels, d.outChannels}), check(d.window, d.height, d.width)),
                storable({d.x, d.weight, d.out}));
}
Support check(const Convolution2dInputGradDesc& d) {
    return both(check(d.forward), storable({d.gradOutput, d.gradInput}));
}
Support check(const Convolution2dWeightGradDesc& d) {
    return both(check(d.forward), storable({d.gradOutput, d.gradWeight, d.result}));
}

Support check(const BatchNormDesc& d) {
    if (d.training && d.rows == 1) return no("batch norm needs more than one value a channel to train on");
    if (!(d.momentum >= 0 && d.momentum <= 1)) return no("the momentum of running statistics must be a share from 0 to 1");
    return both(positive({d.rows, d.channels}), storable({d.from, d.parameters, d.to}));
}
Support check(const BatchNormGradDesc& d) {
    return both(positive({d.rows, d.channels}), storable({d.gradOutput, d.x, d.parameters, d.gradInput, d.gradParameters}));
}

Support check(const PoolDesc& d) {
    if (d.window.padHeight >= d.window.height || d.window.padWidth >= d.window.width)
        return no("the padding must be smaller than the window");
    return both(both(positive({d.samples, d.height, d.width, d.channels}), check(d.window, d.height, d.width)), storable({d.dtype}));
}
Support check(const PoolGradDesc& d) {
    return check(d.forward);
}

Support check(const BeginStepsDesc&) {
    return {};
}
Support check(const AdvanceBatchDesc& d) {
    return positive({d.indices, d.batches});
}
Support check(const JudgeStepDesc&) {
    return {};
}
Support check(const AdvanceStepDesc& d) {
    return positive({d.batch.indices, d.batch.batches, d.microBatches, d.slotCount});
}
Support check(const CopyStateDesc& d) {
    return positive({d.bytes});
}

}  // namespace

Support supportOf(const OperationDesc& desc) {
    return std::visit([](const auto& d) { return check(d); }, desc);
}

}  // namespace mantissa

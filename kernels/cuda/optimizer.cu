// SPDX-License-Identifier: Apache-2.0
// AdamW, Adam, SGD, Lion on flat buffers, in PyTorch's order of operations: one kernel per step, which reads the step number and the skip
// flag on the GPU. Scalars are computed in double, once per block, and rounded to fp32 once, as PyTorch does before it combines them with a
// float tensor. Muon's own parts of a step: momentum, normalisation, update; its products are the plan's.
#include "kernels/cuda/device.h"
#include "kernels/cuda/operations.h"
#include "kernels/dtype/lerp.h"

namespace mantissa::cuda {
namespace {

struct AdamWRule {
    double beta1, beta2, epsilon, weightDecay;
    bool isDecoupled;

    /// Scalars of one step.
    struct Step {
        float decay, joinedDecay, gradientFactor, m, vKeep, vNew, rootCorrection2, epsilon, minusStepSize;

        __device__ void apply(float& w, float gradient, float& m1, float& v) const {
            const float clipped = gradient * gradientFactor;
            // Adam's decay, only if there is some: 0 times an infinite weight would be NaN.
            const float g = joinedDecay == 0 ? clipped : clipped + joinedDecay * w;
            const float decayed = w * decay;
            m1 = m1 + m * (g - m1);
            v = v * vKeep + vNew * g * g;
            w = decayed + minusStepSize * m1 / (sqrtf(v) / rootCorrection2 + epsilon);
        }
    };
    __device__ Step stepOf(const StepScalars& scalars) const {
        const auto t = static_cast<double>(scalars.optimizerStep + 1);
        const double correction1 = 1 - pow(beta1, t), correction2 = 1 - pow(beta2, t);
        return {.decay = isDecoupled ? static_cast<float>(1 - scalars.lr * weightDecay) : 1,
                .joinedDecay = isDecoupled ? 0 : static_cast<float>(weightDecay),
                .gradientFactor = scalars.clipCoefficient,
                .m = static_cast<float>(1 - beta1),
                .vKeep = static_cast<float>(beta2),
                .vNew = static_cast<float>(1 - beta2),
                .rootCorrection2 = static_cast<float>(sqrt(correction2)),
                .epsilon = static_cast<float>(epsilon),
                .minusStepSize = static_cast<float>(-scalars.lr / correction1)};
    }
};

struct LionRule {
    double beta1, beta2, weightDecay;

    struct Step {
        float decay, gradientFactor, keep1, new1, keep2, new2, lr;

        __device__ void apply(float& w, float gradient, float& m, float&) const {
            const float g = gradient * gradientFactor, direction = m * keep1 + g * new1;
            const float update = direction > 0 ? lr : direction < 0 ? -lr : 0.0f;
            w = w * decay - update;
            m = m * keep2 + g * new2;
        }
    };
    __device__ Step stepOf(const StepScalars& scalars) const {
        return {.decay = static_cast<float>(1 - scalars.lr * weightDecay),
                .gradientFactor = scalars.clipCoefficient,
                .keep1 = static_cast<float>(beta1),
                .new1 = static_cast<float>(1 - beta1),
                .keep2 = static_cast<float>(beta2),
                .new2 = static_cast<float>(1 - beta2),
                .lr = static_cast<float>(scalars.lr)};
    }
};

struct SgdRule {
    double momentum, dampening, weightDecay;
    bool nesterov;

    struct Step {
        float gradientFactor, weightDecay, momentum, bufferNew, minusLr;
        bool hasBuffer, fillsBuffer, nesterov;

        __device__ void apply(float& w, float gradient, float& buffer, float&) const {
            const float clipped = gradient * gradientFactor;
            // Only if there is some, as in torch.optim: 0 times an infinite weight would be NaN.
            const float decayed = weightDecay == 0 ? clipped : clipped + weightDecay * w;
            float direction = decayed;
            if (hasBuffer) {
                buffer = fillsBuffer ? decayed : buffer * momentum + bufferNew * decayed;
                direction = nesterov ? decayed + momentum * buffer : buffer;
            }
            w = w + minusLr * direction;
        }
    };
    __device__ Step stepOf(const StepScalars& scalars) const {
        return {.gradientFactor = scalars.clipCoefficient,
                .weightDecay = static_cast<float>(weightDecay),
                .momentum = static_cast<float>(momentum),
                .bufferNew = static_cast<float>(1 - dampening),
                .minusLr = static_cast<float>(-scalars.lr),
                .hasBuffer = momentum != 0,
                .fillsBuffer = scalars.hasMomentum == 0,
                .nesterov = nesterov};
    }
};

/// Random bits of elements `first` to `first` + kChunk - 1 of a stream. At most three blocks of four contain them.
__device__ void drawChunk(std::uint64_t seed, std::uint32_t stream, std::uint64_t first, std::uint32_t (&bits)[kChunk]) {
    constexpr int kBlock = 4;
    std::uint32_t words[kChunk + kBlock] = {};
    const std::uint64_t block = first / kBlock;
    const auto offset = static_cast<int>(first % kBlock);
    for (int b = 0; b < (kChunk + kBlock) / kBlock; ++b) {
        if (b * kBlock >= kChunk + offset) continue;
        const PhiloxCounter drawn = randomBlock(seed, RandomUse::StochasticRounding, stream, block + static_cast<std::uint64_t>(b));
        for (int i = 0; i < kBlock; ++i) words[b * kBlock + i] = drawn.word[i];
    }
    for (int i = 0; i < kChunk; ++i) {  // registers allow no index that is only known at run time
        bits[i] = offset == 0 ? words[i] : offset == 1 ? words[i + 1] : offset == 2 ? words[i + 2] : words[i + 3];
    }
}

/// Stores new fp32 weights.
__device__ void writeWeights(const ParameterStorage& p, std::int64_t step, std::int64_t first, int count, Chunk updated, void* weights,
                             void* compensation) {
    if (p.dtype == Dtype::F32 || p.update == WeightUpdate::NearestEven) return storeChunk(p.dtype, weights, first, count, updated);
    if (p.update == WeightUpdate::Stochastic) {
        std::uint32_t bits[kChunk];
        drawChunk(p.seed, static_cast<std::uint32_t>(step), static_cast<std::uint64_t>(p.firstElement + first), bits);
        withConstant(p.dtype, [&](auto tag) {
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) updated.x[i] =
                storedValue<Rounding::Stochastic>(decltype(tag)::value, updated.x[i], bits[i]);
        });
        return storeChunk(p.dtype, weights, first, count, updated);
    }
    Chunk lost = loadChunk(p.dtype, compensation, first, count);
    withConstant(p.dtype, [&](auto tag) {
        for (int i = 0; i < kChunk; ++i) {
            const float meant = updated.x[i] + lost.x[i];
            updated.x[i] = storedValue(decltype(tag)::value, meant);
            lost.x[i] = meant - updated.x[i];
        }
    });
    storeChunk(p.dtype, weights, first, count, updated);
    storeChunk(p.dtype, compensation, first, count, lost);
}

/// Moments may be null.
template <typename Rule>
__global__ void update(Rule rule, std::int64_t count, ParameterStorage storage, Dtype moments, void* weights, const void* gradients,
                       void* moment1, void* moment2, const StepScalars* scalars, void* compensation) {
    if (scalars->skipped != 0) return;
    __shared__ typename Rule::Step ofBlock;
    if (threadIdx.x == 0) ofBlock = rule.stepOf(*scalars);
    __syncthreads();
    const typename Rule::Step step = ofBlock;
    const std::int64_t stepsBefore = scalars->optimizerStep;
    forChunks(count, [&](std::int64_t first, int n) {
        Chunk w = loadChunk(storage.dtype, weights, first, n), m1{}, m2{};
        const Chunk g = loadChunk(storage.dtype, gradients, first, n);
        if (moment1 != nullptr) m1 = loadChunk(moments, moment1, first, n);
        if (moment2 != nullptr) m2 = loadChunk(moments, moment2, first, n);
        for (int i = 0; i < kChunk; ++i) step.apply(w.x[i], g.x[i], m1.x[i], m2.x[i]);
        if (moment1 != nullptr) storeChunk(moments, moment1, first, n, m1);
        if (moment2 != nullptr) storeChunk(moments, moment2, first, n, m2);
        writeWeights(storage, stepsBefore, first, n, w, weights, compensation);
    });
}

/// A skipped step has the direction 0.
__global__ void muonMomentum(MuonMomentumDesc d, Dtype moments, const void* gradients, void* moment, const StepScalars* scalars,
                             float* direction) {
    const auto newShare = static_cast<float>(1 - d.momentum), momentum = static_cast<float>(d.momentum);
    forChunks(d.count, [&](std::int64_t first, int n) {
        Chunk ahead{};
        if (scalars->skipped == 0) {
            const Chunk gradient = loadChunk(d.storage.dtype, gradients, first, n);
            Chunk m = loadChunk(moments, moment, first, n);
            for (int i = 0; i < kChunk; ++i) {
                const float g = gradient.x[i] * scalars->clipCoefficient;
                m.x[i] = lerp(m.x[i], g, newShare);
                ahead.x[i] = d.nesterov ? lerp(g, m.x[i], momentum) : m.x[i];
            }
            storeChunk(moments, moment, first, n, m);
        }
        storeChunk(Dtype::F32, direction, first, n, ahead);
    });
}

/// One block for the whole matrix, which reads it twice: the sum has a fixed order.
__global__ void normalize(NormalizeDesc d, const float* src, void* dst) {
    __shared__ float norm;
    const auto rounded = [&](std::int64_t first, int n) {
        Chunk chunk = loadChunk(Dtype::F32, src, first, n);
        withConstant(d.to, [&](auto tag) { MANTISSA_UNROLL for (float& x : chunk.x) x = storedValue(decltype(tag)::value, x); });
        return chunk;
    };
    const std::int64_t stride = static_cast<std::int64_t>(blockDim.x) * kChunk;
    const auto forOwn = [&](auto work) {
        for (std::int64_t first = static_cast<std::int64_t>(threadIdx.x) * kChunk; first < d.count; first += stride)
            work(first, static_cast<int>(d.count - first < kChunk ? d.count - first : kChunk));
    };
    double sum = 0;
    forOwn([&](std::int64_t first, int n) {
        const Chunk chunk = rounded(first, n);
        for (const float x : chunk.x) sum += static_cast<double>(x) * static_cast<double>(x);
    });
    sum = sumBlock(sum);
    if (threadIdx.x == 0) {
        withConstant(d.to, [&](auto tag) { norm = storedValue(decltype(tag)::value, static_cast<float>(sqrt(sum))); });
        if (norm < d.epsilon) norm = d.epsilon;  // NaN stays NaN
    }
    __syncthreads();
    forOwn([&](std::int64_t first, int n) {
        Chunk chunk = rounded(first, n);
        for (float& x : chunk.x) x = x / norm;
        storeChunk(d.to, dst, first, n, chunk);
    });
}

__global__ void muonUpdate(MuonUpdateDesc d, void* weights, const void* direction, const StepScalars* scalars, void* compensation) {
    if (scalars->skipped != 0) return;
    const auto decay = static_cast<float>(1 - scalars->lr * d.weightDecay), minusRate = static_cast<float>(-scalars->lr * d.rateFactor);
    const std::int64_t stepsBefore = scalars->optimizerStep;
    forChunks(d.count, [&](std::int64_t first, int n) {
        Chunk w = loadChunk(d.storage.dtype, weights, first, n);
        const Chunk along = loadChunk(d.direction, direction, first, n);
        for (int i = 0; i < kChunk; ++i) w.x[i] = w.x[i] * decay + minusRate * along.x[i];
        writeWeights(d.storage, stepsBefore, first, n, w, weights, compensation);
    });
}

/// An operand of Kahan's update only.
void* compensationOf(const ParameterStorage& p, Operands operands) {
    return p.update == WeightUpdate::Kahan && p.dtype != Dtype::F32 ? operands.back() : nullptr;
}

}  // namespace

std::unique_ptr<Operation> makeAdamW(const AdamWDesc& desc) {
    const AdamWRule rule{desc.beta1, desc.beta2, desc.epsilon, desc.weightDecay, desc.isDecoupled};
    return makeFunction([rule, count = desc.count, storage = desc.storage](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(count), stream, update<AdamWRule>, rule, count, storage, storage.ofMoments(), operands[0], operands[1],
               operands[2], operands[3], static_cast<const StepScalars*>(operands[4]), compensationOf(storage, operands));
    });
}

std::unique_ptr<Operation> makeLion(const LionDesc& desc) {
    const LionRule rule{desc.beta1, desc.beta2, desc.weightDecay};
    return makeFunction([rule, count = desc.count, storage = desc.storage](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(count), stream, update<LionRule>, rule, count, storage, storage.ofMoments(), operands[0], operands[1],
               operands[2], nullptr, static_cast<const StepScalars*>(operands[3]), compensationOf(storage, operands));
    });
}

std::unique_ptr<Operation> makeSgd(const SgdDesc& desc) {
    const SgdRule rule{desc.momentum, desc.dampening, desc.weightDecay, desc.nesterov};
    return makeFunction([rule, count = desc.count, storage = desc.storage](cudaStream_t stream, Operands operands) {
        void* const buffer = rule.momentum != 0 ? operands[2] : nullptr;  // without momentum the buffer stays unchanged
        launch(gridOfChunks(count), stream, update<SgdRule>, rule, count, storage, storage.ofMoments(), operands[0], operands[1], buffer,
               nullptr, static_cast<const StepScalars*>(operands[3]), compensationOf(storage, operands));
    });
}

std::unique_ptr<Operation> makeMuonMomentum(const MuonMomentumDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(desc.count), stream, muonMomentum, desc, desc.storage.ofMoments(), operands[0], operands[1],
               static_cast<const StepScalars*>(operands[2]), static_cast<float*>(operands[3]));
    });
}

std::unique_ptr<Operation> makeNormalize(const NormalizeDesc& desc) {
    constexpr unsigned kNormThreads = 512;
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        launch(Grid{.blocks = 1, .threads = kNormThreads}, stream, normalize, desc, static_cast<const float*>(operands[0]), operands[1]);
    });
}

std::unique_ptr<Operation> makeMuonUpdate(const MuonUpdateDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(desc.count), stream, muonUpdate, desc, operands[0], operands[1], static_cast<const StepScalars*>(operands[2]),
               compensationOf(desc.storage, operands));
    });
}

}  // namespace mantissa::cuda

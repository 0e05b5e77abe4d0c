// SPDX-License-Identifier: Apache-2.0
// AdamW, Adam, Lion, SGD, Muon on flat buffers: fp32 in place, narrower ones in blocks. PyTorch's order of operations; scalars are computed
// in double and rounded to fp32 once, as PyTorch does before it combines them with a float tensor.
#include <cmath>

#include "kernels/cpu/operations.h"
#include "kernels/cpu/vector_math.h"
#include "kernels/dtype/lerp.h"

namespace mantissa::cpu {
namespace {

/// Scalars of one step.
struct AdamWStep {
    float decay, joinedDecay, gradientFactor, m, vKeep, vNew, rootCorrection2, epsilon, minusStepSize;

    /// Adam's decay, only if there is some: 0 times an infinite weight would be NaN.
    float gradient(float stored, float w) const {
        const float clipped = stored * gradientFactor;
        return joinedDecay == 0 ? clipped : clipped + joinedDecay * w;
    }
};

MANTISSA_LOOP void adamw(float* w, const float* gradients, float* m, float* v, std::int64_t count, AdamWStep s) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
        const float g = s.gradient(gradients[i], w[i]);
        const float decayed = w[i] * s.decay;
        m[i] = m[i] + s.m * (g - m[i]);
        v[i] = v[i] * s.vKeep + s.vNew * g * g;
        const float denominator = std::sqrt(v[i]) / s.rootCorrection2 + s.epsilon;
        w[i] = decayed + s.minusStepSize * m[i] / denominator;
    }
}

struct LionStep {
    float decay, gradientFactor, keep1, new1, keep2, new2, lr;
};

MANTISSA_LOOP void lion(float* w, const float* gradients, float* m, std::int64_t count, LionStep s) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
        const float g = gradients[i] * s.gradientFactor;
        const float direction = m[i] * s.keep1 + g * s.new1;
        const float update = direction > 0 ? s.lr : direction < 0 ? -s.lr : 0.0f;
        w[i] = w[i] * s.decay - update;
        m[i] = m[i] * s.keep2 + g * s.new2;
    }
}

struct SgdStep {
    float gradientFactor, weightDecay, momentum, bufferNew, minusLr;

    /// Adds weight decay only if there is some, as torch.optim does: 0 times an infinite weight would be NaN.
    float decayed(float gradient, float w) const {
        const float clipped = gradient * gradientFactor;
        return weightDecay == 0 ? clipped : clipped + weightDecay * w;
    }
};

MANTISSA_LOOP void sgdPlain(float* w, const float* gradients, std::int64_t count, SgdStep s) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) w[i] += s.minusLr * s.decayed(gradients[i], w[i]);
}

MANTISSA_LOOP void sgdFillBuffer(const float* w, const float* gradients, float* buffer, std::int64_t count, SgdStep s) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) buffer[i] = s.decayed(gradients[i], w[i]);
}

MANTISSA_LOOP void sgdUpdateBuffer(const float* w, const float* gradients, float* buffer, std::int64_t count, SgdStep s) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
        buffer[i] = buffer[i] * s.momentum + s.bufferNew * s.decayed(gradients[i], w[i]);
    }
}

MANTISSA_LOOP void sgdFromBuffer(float* w, const float* buffer, std::int64_t count, SgdStep s) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) w[i] += s.minusLr * buffer[i];
}

MANTISSA_LOOP void sgdNesterov(float* w, const float* gradients, const float* buffer, std::int64_t count, SgdStep s) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
        w[i] += s.minusLr * (s.decayed(gradients[i], w[i]) + s.momentum * buffer[i]);
    }
}

struct MuonStep {
    float gradientFactor, newShare, momentum;
    bool nesterov;
};

MANTISSA_LOOP void muonMomentum(const float* gradients, float* m, float* direction, std::int64_t count, MuonStep s) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
        const float g = gradients[i] * s.gradientFactor;
        m[i] = lerp(m[i], g, s.newShare);
        direction[i] = s.nesterov ? lerp(g, m[i], s.momentum) : m[i];
    }
}

MANTISSA_LOOP void muonUpdate(float* w, const float* direction, std::int64_t count, float decay, float minusRate) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) w[i] = w[i] * decay + minusRate * direction[i];
}

/// Adds squares in lanes, so that all instruction sets add in the same order.
constexpr std::int64_t kNormLanes = 16;
MANTISSA_LOOP void addSquares(const float* values, std::int64_t count, double* sums) {
    for (std::int64_t i = 0; i < count; i += kNormLanes) {
        for (std::int64_t lane = 0; lane < kNormLanes; ++lane)
            sums[lane] += static_cast<double>(values[i + lane]) * static_cast<double>(values[i + lane]);
    }
}

MANTISSA_LOOP void divideBlock(float* values, std::int64_t count, float by) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) values[i] = values[i] / by;
}

MANTISSA_LOOP void subtractFrom(const float* values, const float* from, float* differences, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) differences[i] = from[i] - values[i];
}

/// Stores a block of new fp32 weights.
void writeWeights(const ParameterStorage& p, std::int64_t step, std::int64_t first, std::int64_t count, Block& updated, void* weights,
                  void* compensation) {
    const auto n = static_cast<std::size_t>(count);
    std::byte* const to = elementAt(p.dtype, weights, first);
    switch (p.dtype == Dtype::F32 ? WeightUpdate::NearestEven : p.update) {
        case WeightUpdate::NearestEven:
            return encodeArray(p.dtype, updated.data(), to, n);
        case WeightUpdate::Stochastic: {
            const RoundingMode mode{.rounding = Rounding::Stochastic, .stream = static_cast<std::uint32_t>(step), .seed = p.seed};
            return encodeArray(p.dtype, updated.data(), to, n, mode, static_cast<std::uint64_t>(p.firstElement + first));
        }
        case WeightUpdate::Kahan: {
            Block lost, written;
            addInto(updated.data(), loadBlock(p.dtype, compensation, first, count, lost), count);
            roundArray(p.dtype, updated.data(), written.data(), n);
            encodeArray(p.dtype, written.data(), to, n);
            subtractFrom(written.data(), updated.data(), lost.data(), count);
            return storeBlock(p.dtype, compensation, first, count, lost);
        }
    }
}

/// Calls update(weights, gradients, moment1, moment2, count) on fp32 arrays: in place, or on decoded blocks. Moments may be null.
template <typename Update>
void updateStored(WorkPool& pool, const ParameterStorage& p, std::int64_t total, std::int64_t step, void* weights, const void* gradients,
                  void* moment1, void* moment2, void* compensation, Update update) {
    if (p.dtype == Dtype::F32 && p.ofMoments() == Dtype::F32) {
        const auto at = [](void* moment, std::int64_t first) { return moment == nullptr ? nullptr : static_cast<float*>(moment) + first; };
        return pool.runPieces(total, [&](std::int64_t first, std::int64_t count) {
            update(static_cast<float*>(weights) + first, static_cast<const float*>(gradients) + first, at(moment1, first),
                   at(moment2, first), count);
        });
    }
    forBlocks(pool, total, [&](std::int64_t first, std::int64_t count) {
        Block w, g, m1, m2;
        const auto load = [&](Dtype dtype, const void* stored, Block& block) {
            if (stored != nullptr) decodeArray(dtype, elementAt(dtype, stored, first), block.data(), static_cast<std::size_t>(count));
        };
        const auto store = [&](Dtype dtype, void* stored, const Block& block) {
            if (stored != nullptr) encodeArray(dtype, block.data(), elementAt(dtype, stored, first), static_cast<std::size_t>(count));
        };
        load(p.dtype, weights, w), load(p.dtype, gradients, g), load(p.ofMoments(), moment1, m1), load(p.ofMoments(), moment2, m2);
        update(w.data(), g.data(), m1.data(), m2.data(), count);
        store(p.ofMoments(), moment1, m1), store(p.ofMoments(), moment2, m2);
        writeWeights(p, step, first, count, w, weights, compensation);
    });
}

/// An operand of Kahan's update only.
void* compensationOf(const ParameterStorage& p, Operands operands) {
    return p.update == WeightUpdate::Kahan && p.dtype != Dtype::F32 ? operands.back() : nullptr;
}

}  // namespace

std::unique_ptr<Operation> makeAdamW(const AdamWDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        const auto& scalars = *static_cast<const StepScalars*>(operands[4]);
        if (scalars.skipped != 0) return;
        const auto t = static_cast<double>(scalars.optimizerStep + 1);
        const double correction1 = 1 - std::pow(desc.beta1, t), correction2 = 1 - std::pow(desc.beta2, t);
        const AdamWStep step{.decay = desc.isDecoupled ? static_cast<float>(1 - scalars.lr * desc.weightDecay) : 1,
                             .joinedDecay = desc.isDecoupled ? 0 : static_cast<float>(desc.weightDecay),
                             .gradientFactor = scalars.clipCoefficient,
                             .m = static_cast<float>(1 - desc.beta1),
                             .vKeep = static_cast<float>(desc.beta2),
                             .vNew = static_cast<float>(1 - desc.beta2),
                             .rootCorrection2 = static_cast<float>(std::sqrt(correction2)),
                             .epsilon = static_cast<float>(desc.epsilon),
                             .minusStepSize = static_cast<float>(-scalars.lr / correction1)};
        updateStored(pool, desc.storage, desc.count, scalars.optimizerStep, operands[0], operands[1], operands[2], operands[3],
                     compensationOf(desc.storage, operands),
                     [&](float* w, const float* g, float* m, float* v, std::int64_t count) { adamw(w, g, m, v, count, step); });
    });
}

std::unique_ptr<Operation> makeLion(const LionDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        const auto& scalars = *static_cast<const StepScalars*>(operands[3]);
        if (scalars.skipped != 0) return;
        const LionStep step{.decay = static_cast<float>(1 - scalars.lr * desc.weightDecay),
                            .gradientFactor = scalars.clipCoefficient,
                            .keep1 = static_cast<float>(desc.beta1),
                            .new1 = static_cast<float>(1 - desc.beta1),
                            .keep2 = static_cast<float>(desc.beta2),
                            .new2 = static_cast<float>(1 - desc.beta2),
                            .lr = static_cast<float>(scalars.lr)};
        updateStored(pool, desc.storage, desc.count, scalars.optimizerStep, operands[0], operands[1], operands[2], nullptr,
                     compensationOf(desc.storage, operands),
                     [&](float* w, const float* g, float* m, float*, std::int64_t count) { lion(w, g, m, count, step); });
    });
}

std::unique_ptr<Operation> makeSgd(const SgdDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        const auto& scalars = *static_cast<const StepScalars*>(operands[3]);
        if (scalars.skipped != 0) return;
        const SgdStep step{.gradientFactor = scalars.clipCoefficient,
                           .weightDecay = static_cast<float>(desc.weightDecay),
                           .momentum = static_cast<float>(desc.momentum),
                           .bufferNew = static_cast<float>(1 - desc.dampening),
                           .minusLr = static_cast<float>(-scalars.lr)};
        const auto update = [&](float* w, const float* g, float* buffer, float*, std::int64_t count) {
            if (desc.momentum == 0) return sgdPlain(w, g, count, step);
            (scalars.hasMomentum == 0 ? sgdFillBuffer : sgdUpdateBuffer)(w, g, buffer, count, step);
            if (desc.nesterov) return sgdNesterov(w, g, buffer, count, step);
            sgdFromBuffer(w, buffer, count, step);
        };
        updateStored(pool, desc.storage, desc.count, scalars.optimizerStep, operands[0], operands[1], operands[2], nullptr,
                     compensationOf(desc.storage, operands), update);
    });
}

std::unique_ptr<Operation> makeMuonMomentum(const MuonMomentumDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        const auto& scalars = *static_cast<const StepScalars*>(operands[2]);
        auto* const direction = static_cast<float*>(operands[3]);
        if (scalars.skipped != 0) {
            std::fill_n(direction, desc.count, 0.0f);
            return;
        }
        const MuonStep step{scalars.clipCoefficient, static_cast<float>(1 - desc.momentum), static_cast<float>(desc.momentum),
                            desc.nesterov};
        forBlocks(pool, desc.count, [&](std::int64_t first, std::int64_t count) {
            Block g, m;
            const auto n = static_cast<std::size_t>(count);
            const Dtype moments = desc.storage.ofMoments();
            const float* gradients = loadBlock(desc.storage.dtype, operands[0], first, count, g);
            decodeArray(moments, elementAt(moments, operands[1], first), m.data(), n);
            muonMomentum(gradients, m.data(), direction + first, count, step);
            encodeArray(moments, m.data(), elementAt(moments, operands[1], first), n);
        });
    });
}

std::unique_ptr<Operation> makeNormalize(const NormalizeDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        const auto* const src = static_cast<const float*>(operands[0]);
        const auto rounded = [&](std::int64_t first, std::int64_t count, Block& block) {
            roundArray(desc.to, src + first, block.data(), static_cast<std::size_t>(count));
        };
        double sums[kNormLanes] = {};
        forBlocks(desc.count, [&](std::int64_t first, std::int64_t count) {
            Block block{};  // zeros after the last element
            rounded(first, count, block);
            addSquares(block.data(), (count + kNormLanes - 1) / kNormLanes * kNormLanes, sums);
        });
        double sum = 0;
        for (const double lane : sums) sum += lane;
        auto norm = static_cast<float>(std::sqrt(sum));
        roundArray(desc.to, &norm, &norm, 1);
        if (norm < desc.epsilon) norm = desc.epsilon;  // NaN stays NaN
        forBlocks(pool, desc.count, [&](std::int64_t first, std::int64_t count) {
            Block block;
            rounded(first, count, block);
            divideBlock(block.data(), count, norm);
            encodeArray(desc.to, block.data(), elementAt(desc.to, operands[1], first), static_cast<std::size_t>(count));
        });
    });
}

std::unique_ptr<Operation> makeMuonUpdate(const MuonUpdateDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        const auto& scalars = *static_cast<const StepScalars*>(operands[2]);
        if (scalars.skipped != 0) return;
        const auto decay = static_cast<float>(1 - scalars.lr * desc.weightDecay),
                   minusRate = static_cast<float>(-scalars.lr * desc.rateFactor);
        forBlocks(pool, desc.count, [&](std::int64_t first, std::int64_t count) {
            Block w, d;
            decodeArray(desc.storage.dtype, elementAt(desc.storage.dtype, operands[0], first), w.data(), static_cast<std::size_t>(count));
            muonUpdate(w.data(), loadBlock(desc.direction, operands[1], first, count, d), count, decay, minusRate);
            writeWeights(desc.storage, scalars.optimizerStep, first, count, w, operands[0], compensationOf(desc.storage, operands));
        });
    });
}

}  // namespace mantissa::cpu

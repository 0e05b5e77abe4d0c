// SPDX-License-Identifier: Apache-2.0
#include "engine/training/thresholds.h"

#include <algorithm>
#include <cmath>

#include "engine/plan/tensor_statistics.h"
#include "engine/training/provenance.h"

namespace mantissa {
namespace {

constexpr int kHighestPower = 127;  // of a loss scale in fp32
static_assert(kHighestLossScale == 0x1p127);
constexpr int kFarBelow = 6;         // powers of two below the bound at which gradients have lost too many bits to estimate it
constexpr double kClose = 1.0 / 64;  // another rounding may move a number this near the bound over it
constexpr int kHalvings = 4, kStride = 4, kMostPowersDown = 64;  // down from a scale that overflows, as in the examiner

bool isOfGradients(const Buffer& buffer) {
    // FP8 operands have a scale of their own in addition to the loss scale
    return (buffer.role == ValueRole::Gradient || buffer.role == ValueRole::ParameterGradient) && buffer.dtype && !isFp8(*buffer.dtype);
}

/// The bound on larger scales that one pass's gradients give.
struct Bound {
    double scale = std::ldexp(1, kHighestPower + 1);  // the lowest scale at which one of them overflows

    void take(Dtype format, double magnitude, double usedScale) {
        if (magnitude > 0) scale = std::min(scale, usedScale * (facts(format).overflowFrom / magnitude));
    }
    /// The largest power of two below it.
    int power() const { return std::ilogb(scale) - (std::ldexp(1, std::ilogb(scale)) == scale ? 1 : 0); }
};

struct Pass {
    bool isLossFinite = true, foundInf = false;
    double gradientMax = 0;
    Bound all, ofParameters;
    bool hasGaps = false;  // non-finite elements that reached no parameter
};

class StepMeter {
public:
    explicit StepMeter(Trainer& trainer)
        : m_trainer(trainer), m_format(thresholdFormat(trainer.plan())), m_own(trainer.scaler().rulesState().scale) {}
    ~StepMeter() { m_trainer.setLossScale(m_own); }
    StepMeter(const StepMeter&) = delete;
    StepMeter& operator=(const StepMeter&) = delete;

    StepThreshold measure(double before) {
        StepThreshold result{.step = m_trainer.nextStep()};
        const bool isUsable = m_own > 0 && std::isfinite(static_cast<float>(m_own));
        const Pass own = passAt(isUsable ? m_own : before);
        if (!own.isLossFinite) return result;
        if (m_format && !own.foundInf) {
            m_finite = own;
        } else if (isUsable) {
            const int power = std::ilogb(m_own);
            if (std::ldexp(1, power) == m_own) note(power, own);
        }
        search(std::ilogb(before) - 1);
        if (!m_finite) return result;
        const bool isOwnKnown = !own.foundInf && own.gradientMax > 0;  // at too low a scale all are flushed
        result.gradientMax = isOwnKnown ? own.gradientMax : m_finite->gradientMax;
        const int highest = m_format ? m_finite->all.power() : settled();
        result.highest = std::ldexp(1, highest);
        const double from = highest == m_finite->all.power() ? m_finite->all.scale : m_finite->ofParameters.scale;
        result.overflowFrom = std::clamp(from, std::nextafter(result.highest, 2 * result.highest), 2 * result.highest);
        return result;
    }

private:
    Trainer& m_trainer;
    std::optional<Dtype> m_format;
    double m_own;
    // gradients start to overflow between these two powers of two
    std::optional<Pass> m_finite;
    int m_low = 0;                   // of m_finite
    int m_high = kHighestPower + 1;  // overflows, or is not an fp32 number

    Pass passAt(double scale) {
        m_trainer.setLossScale(scale);
        Pass pass;
        const Trainer::Observer observer{.at = [&](Executor&, Queue&, std::int64_t instruction, int buffer, const ElementClasses& classes) {
            if (instruction < m_trainer.plan().backwardEnd) take(pass, instruction, buffer, classes, scale);
        }};
        const Trainer::Tried tried = m_trainer.tryStep(&observer);
        pass.isLossFinite = std::isfinite(tried.loss);
        pass.foundInf = tried.foundInf;
        pass.gradientMax = static_cast<double>(tried.gradAbsMax);
        return pass;
    }

    void take(Pass& pass, std::int64_t instruction, int index, const ElementClasses& classes, double scale) const {
        const Plan& plan = m_trainer.plan();
        const Buffer& buffer = plan.buffers[static_cast<std::size_t>(index)];
        if (!isOfGradients(buffer)) return;
        const Instruction& made = plan.instructions[static_cast<std::size_t>(instruction)];
        const Dtype format = m_format.value_or(resultFormatOf(made.operation, *buffer.dtype));
        pass.all.take(format, classes.absMax, scale);
        // the gradient of the log-probabilities is stored nowhere, and its overflow does not depend on the logits
        const double passed = passedPerScale(plan.policy, made) * scale / static_cast<double>(m_trainer.settings().accumulate);
        pass.all.take(format, passed, scale);
        pass.ofParameters.take(format, passed, scale);
        const bool isWeights = buffer.role == ValueRole::ParameterGradient && index == made.output;
        if (isWeights) pass.ofParameters.take(format, classes.absMax, scale);
        pass.hasGaps = pass.hasGaps || !classes.allFinite();
    }

    bool overflowsAt(int power) {
        m_trainer.setLossScale(std::ldexp(1, power));
        return m_trainer.tryStep().foundInf;
    }

    void note(int power, const Pass& pass) {
        if (pass.foundInf) {
            m_high = power;
        } else {
            m_finite = pass;
            m_low = power;
        }
    }

    bool isDetermined() const { return m_finite && (m_format || m_high - m_low <= 1 || m_finite->all.power() - m_low <= kFarBelow); }

    /// Runs passes at powers of two until one is finite and near enough to the bound to estimate it. `guess`: an estimate.
    void search(int guess) {
        const int lowest = std::min(guess, m_high) - kMostPowersDown;
        const auto isOpen = [&](int power) { return power < m_high && (!m_finite || power > m_low); };
        bool isAbove = false;
        for (int passes = 0; !isDetermined(); ++passes) {
            int power = m_high - (passes <= kHalvings ? 1 : kStride);
            if (passes == 0 && isOpen(guess)) {
                power = guess;
            } else if (m_finite) {
                power = isAbove ? (m_low + m_high) / 2 : std::min(m_finite->all.power(), m_high) - 1;
            }
            if (power < lowest) return;
            const Pass pass = passAt(std::ldexp(1, power));
            note(power, pass);
            isAbove = pass.foundInf;
        }
    }

    /// Runs passes at the scales that the statistics leave undecided.
    int settled() {
        const auto isSurelyFinite = [&](int power) {
            return power <= m_low || (!m_finite->hasGaps && std::ldexp(1 + kClose, power) < m_finite->all.scale);
        };
        const auto surelyOverflows = [&](int power) {
            return power >= m_high || std::ldexp(1 - kClose, power) >= m_finite->ofParameters.scale;
        };
        int highest = std::clamp(m_finite->all.power(), m_low, m_high - 1);
        while (!isSurelyFinite(highest) && overflowsAt(highest)) m_high = highest--;
        while (!surelyOverflows(highest + 1) && !overflowsAt(highest + 1)) ++highest;
        return highest;
    }
};

}  // namespace

std::optional<Dtype> thresholdFormat(const Plan& plan) {
    const bool isOwn = std::any_of(plan.buffers.begin(), plan.buffers.end(),
                                   [](const Buffer& buffer) { return isOfGradients(buffer) && *buffer.dtype == Dtype::F16; });
    return isOwn ? std::nullopt : std::optional(Dtype::F16);
}

std::string asIfStored(const Plan& plan) {
    const auto format = thresholdFormat(plan);
    return format ? std::string(facts(*format).name) : std::string();
}

StepThreshold ThresholdMeter::measure(Trainer& trainer) {
    const StepThreshold threshold = StepMeter(trainer).measure(m_before);
    if (threshold.highest > 0) m_before = threshold.highest;
    return threshold;
}

}  // namespace mantissa

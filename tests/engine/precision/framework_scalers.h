// SPDX-License-Identifier: Apache-2.0
// The loss scalers of the frameworks, written a second time and plainly: each as its own source tells it, none sharing a line with another
// or with the engine. A Python float is a double. Other factors than these powers of two: tests/golden/scaler_golden_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mantissa::framework {

class Scaler {
public:
    virtual ~Scaler() = default;
    virtual void update(bool foundInf) = 0;
    virtual float scale() const = 0;
    bool hasRaised = false;
};

/// torch/amp/grad_scaler.py, _amp_update_scale_
class PyTorch : public Scaler {
    float m_scale = 65536;
    int m_tracker = 0, m_interval;

public:
    explicit PyTorch(int interval = 2000) : m_interval(interval) {}
    float scale() const override { return m_scale; }
    void update(bool foundInf) override {
        if (foundInf) {
            m_scale = static_cast<float>(static_cast<double>(m_scale) * 0.5);
            m_tracker = 0;
            return;
        }
        const int successful = m_tracker + 1;
        if (successful == m_interval) {
            const auto grown = static_cast<float>(static_cast<double>(m_scale) * 2.0);
            if (std::isfinite(grown)) m_scale = grown;
            m_tracker = 0;
        } else {
            m_tracker = successful;
        }
    }
};

/// keras/src/optimizers/loss_scale_optimizer.py
class Keras3 : public Scaler {
    float m_dynamicScale = 32768;
    int m_stepCounter = 0, m_growthSteps;

public:
    explicit Keras3(int interval = 2000) : m_growthSteps(interval) {}
    float scale() const override { return m_dynamicScale; }
    void update(bool foundInf) override {
        if (foundInf) {
            m_stepCounter = 0;
            m_dynamicScale /= 2.0f;
        } else if (m_stepCounter == m_growthSteps - 1) {
            m_stepCounter = 0;
            m_dynamicScale *= 2.0f;
        } else {
            m_stepCounter += 1;
        }
    }
};

/// tf_keras/mixed_precision/loss_scale_optimizer.py, _DynamicLossScaleState
class TfKeras : public Scaler {
    float m_current = 32768, m_multiplier = 2;
    std::int64_t m_counter = 0, m_growthSteps;

public:
    explicit TfKeras(int interval = 2000) : m_growthSteps(interval) {}
    float scale() const override { return m_current; }
    void update(bool foundInf) override {
        if (foundInf) {
            m_counter = 0;
            m_current = std::max(m_current / m_multiplier, 1.0f);
        } else if (m_counter + 1 >= m_growthSteps) {
            if (std::isfinite(m_current * m_multiplier)) m_current *= m_multiplier;
            m_counter = 0;
        } else {
            ++m_counter;
        }
    }
};

/// apex/amp/scaler.py
class Apex : public Scaler {
    double m_lossScale = 65536, m_maxLossScale = 16777216;
    int m_unskipped = 0, m_scaleSeqLen;

public:
    explicit Apex(int interval = 2000) : m_scaleSeqLen(interval) {}
    float scale() const override { return static_cast<float>(m_lossScale); }
    void update(bool foundInf) override {
        if (foundInf) {
            m_lossScale = m_lossScale / 2.0;
            m_unskipped = 0;
        } else {
            m_unskipped += 1;
        }
        if (m_unskipped == m_scaleSeqLen) {
            m_lossScale = std::min(m_maxLossScale, m_lossScale * 2.0);
            m_unskipped = 0;
        }
    }
};

/// megatron/core/optimizer/grad_scaler.py, DynamicGradScaler
class Megatron : public Scaler {
    float m_scale = 4294967296.0f;
    int m_growthTracker = 0, m_hysteresisTracker = 2, m_growthInterval;

public:
    explicit Megatron(int interval = 1000) : m_growthInterval(interval) {}
    float scale() const override { return m_scale; }
    void update(bool foundInf) override {
        if (foundInf) {
            m_growthTracker = 0;
            m_hysteresisTracker -= 1;
            if (m_hysteresisTracker <= 0) m_scale = std::max(m_scale * 0.5f, 1.0f);
        } else {
            m_growthTracker += 1;
            if (m_growthTracker == m_growthInterval) {
                m_growthTracker = 0;
                m_hysteresisTracker = 2;
                m_scale = m_scale * 2.0f;
            }
        }
    }
};

/// deepspeed/runtime/fp16/loss_scaler.py, DynamicLossScaler
class DeepSpeed : public Scaler {
    double m_curScale = 65536, m_minScale = 1;
    long m_curIter = 0, m_lastOverflowIter = -1, m_scaleWindow;
    int m_delayedShift = 2, m_curHysteresis = 2;
    bool m_isConsecutive;

public:
    explicit DeepSpeed(bool isConsecutive, int interval = 1000) : m_scaleWindow(interval), m_isConsecutive(isConsecutive) {}
    float scale() const override { return static_cast<float>(m_curScale); }
    void update(bool foundInf) override {
        if (foundInf) {
            if (m_delayedShift == 1 || m_curHysteresis == 1) {
                if (m_curScale == m_minScale) {
                    hasRaised = true;
                    return;
                }
                m_curScale = std::max(m_curScale / 2.0, m_minScale);
            } else {
                m_curHysteresis -= 1;
            }
            m_lastOverflowIter = m_curIter;
        } else {
            if (m_isConsecutive) m_curHysteresis = m_delayedShift;
            const long stableInterval = (m_curIter - m_lastOverflowIter) - 1;
            if (stableInterval > 0 && stableInterval % m_scaleWindow == 0) {
                if (!m_isConsecutive) m_curHysteresis = m_delayedShift;
                m_curScale *= 2.0;
            }
        }
        m_curIter += 1;
    }
};

/// fairseq/optim/dynamic_loss_scaler.py, tolerance 0 and no threshold
class Fairseq : public Scaler {
    double m_lossScale = 128;
    long m_iter = 0, m_lastOverflowIter = -1, m_lastRescaleIter = -1, m_overflowsSinceRescale = 0, m_scaleWindow;

public:
    explicit Fairseq(int interval = 16384) : m_scaleWindow(interval) {}
    float scale() const override { return static_cast<float>(m_lossScale); }
    void update(bool foundInf) override {
        if (!foundInf) {
            if ((m_iter - m_lastOverflowIter) % m_scaleWindow == 0) {
                m_lossScale *= 2.0;
                m_lastRescaleIter = m_iter;
            }
            m_iter += 1;
            return;
        }
        const double before = m_lossScale;
        long sinceRescale = m_iter - m_lastRescaleIter;
        if (sinceRescale == 0) sinceRescale = 1000;
        m_lastOverflowIter = m_iter;
        m_overflowsSinceRescale += 1;
        if (static_cast<double>(m_overflowsSinceRescale) / static_cast<double>(sinceRescale) >= 0.0) {
            m_lossScale /= 2.0;
            m_lastRescaleIter = m_iter;
            m_overflowsSinceRescale = 0;
        }
        if (m_lossScale <= 1e-4) {
            m_lossScale = before;
            hasRaised = true;
            return;
        }
        m_iter += 1;
    }
};

/// jmp/_src/loss_scale.py, DynamicLossScale
class Jmp : public Scaler {
    float m_lossScale = 32768;
    int m_counter = 0, m_period;

public:
    explicit Jmp(int interval = 2000) : m_period(interval) {}
    float scale() const override { return m_lossScale; }
    void update(bool foundInf) override {
        const float grown = std::isfinite(m_lossScale * 2) ? m_lossScale * 2 : m_lossScale;
        const float whenFinite = m_counter == m_period - 1 ? grown : m_lossScale;
        const float whenNot = std::max(1.0f, m_lossScale / 2);
        m_lossScale = foundInf ? whenNot : whenFinite;
        m_counter = ((m_counter + 1) % m_period) * (foundInf ? 0 : 1);
    }
};

/// flax/training/dynamic_scale.py
class Flax : public Scaler {
    float m_scale = 65536;
    int m_finSteps = 0, m_growthInterval;

public:
    explicit Flax(int interval = 2000) : m_growthInterval(interval) {}
    float scale() const override { return m_scale; }
    void update(bool foundInf) override {
        const bool grow = m_finSteps == m_growthInterval;
        const float finScale = grow && !foundInf ? std::min(m_scale * 2.0f, std::numeric_limits<float>::max()) : m_scale;
        const float infScale = std::max(m_scale * 0.5f, std::numeric_limits<float>::min());
        m_scale = foundInf ? infScale : finScale;
        m_finSteps = grow || foundInf ? 0 : m_finSteps + 1;
    }
};

/// open_seq2seq/optimizers/automatic_loss_scaler.py, LogMaxScaler, in double: what its fp32 variables stand for
class LogMax {
    double m_xHat = 0, m_slowXHat = 0, m_xSquaredHat = 0, m_correction1 = 1, m_correction2 = 1;

public:
    double log2OfProposal(bool foundInf, double absMax) {
        const double x = foundInf ? 65536.0 : std::log2(absMax);
        m_xHat = 0.99 * m_xHat + 0.01 * x;
        m_slowXHat = 0.999 * m_slowXHat + 0.001 * x;
        m_xSquaredHat = 0.999 * m_xSquaredHat + 0.001 * x * x;
        m_correction1 *= 0.99;
        m_correction2 *= 0.999;
        const double mu = m_xHat / (1 - m_correction1), slowMu = m_slowXHat / (1 - m_correction2);
        const double sigma = std::sqrt(std::max(m_xSquaredHat / (1 - m_correction2) - slowMu * slowMu, 0.0));
        return 16 - (sigma * 3.09 + mu);
    }
};

}  // namespace mantissa::framework

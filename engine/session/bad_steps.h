// SPDX-License-Identifier: Apache-2.0
// Choice of a run's non-finite steps that are examined automatically: the 1st, 2nd, 4th, ... in a row, as long as examinations take at most
// a tenth of the training time, or a hundredth after many, since each is recorded. One thread at a time.
#pragma once

#include <cstdint>

namespace mantissa {

/// How a run's non-finite steps are examined automatically. AlongTheWay: within a share of the training time. AtLeisure: thoroughly,
/// without a limit. ForAList: quickly, without remedies, and few in a row of similar steps.
enum class Examining : std::uint8_t { Never, AlongTheWay, AtLeisure, ForAList };

class StepsToExamine {
public:
    static constexpr double kShareOfTime = 0.1, kShareOfTimeOfMany = 0.01;
    static constexpr std::int64_t kMany = 32;
    static constexpr double kFreeSeconds = 0.5;  // allowed before much has been trained

    /// Whether to examine the next step if it is not finite. `isAtLeisure`: without a time limit.
    bool wantsNext(bool isAtLeisure = false) const {
        const std::int64_t next = m_consecutive + 1;
        const bool isPowerOfTwo = (next & (next - 1)) == 0;
        if (isAtLeisure) return isPowerOfTwo;
        const double share = m_examinations < kMany ? kShareOfTime : kShareOfTimeOfMany;
        return isPowerOfTwo && m_examinedSeconds <= kFreeSeconds + share * m_trainedSeconds;
    }
    /// Adds a step. `kind`: flags of what is not finite.
    void add(bool isBad, double trainedSeconds, std::uint32_t kind = 0) {
        m_consecutive = isBad ? m_consecutive + 1 : 0;
        m_isAnotherKind = m_consecutive > 1 && kind != m_kind;
        m_kind = kind;
        m_trainedSeconds += trainedSeconds;
    }
    void addExamination(double seconds) {
        m_examinedSeconds += seconds;
        ++m_examinations;
    }
    /// Whether a list examines the last step: the 1st, 2nd, 4th, ... of a row, and each whose kind differs from that of the step before.
    bool wantsForAList() const { return (m_consecutive & (m_consecutive - 1)) == 0 || m_isAnotherKind; }
    /// Restarts the count after the run was rewound.
    void beginAgain() { m_consecutive = 0; }
    /// Consecutive non-finite steps up to the last step.
    std::int64_t consecutive() const { return m_consecutive; }

private:
    std::int64_t m_consecutive = 0, m_examinations = 0;
    std::uint32_t m_kind = 0;
    bool m_isAnotherKind = false;
    double m_trainedSeconds = 0, m_examinedSeconds = 0;
};

}  // namespace mantissa

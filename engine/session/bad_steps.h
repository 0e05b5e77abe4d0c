// SPDX-License-Identifier: Apache-2.0
// Which of a run's bad steps are examined by themselves: the first ones at once, in a skip storm ever fewer, and never at the price of more
// than a tenth of the time that is trained; of a run that has had many, a hundredth, as each is kept in the recording. One thread at a
// time.
#pragma once

#include <cstdint>

namespace mantissa {

/// Whether a run's bad steps are examined: nobody may be there to hear of it.
/// ForAList: quickly, without remedies, and seldom in a row of steps that are alike.
enum class Examining : std::uint8_t { Never, AlongTheWay, AtLeisure, ForAList };

class BadSteps {
public:
    static constexpr double kShareOfTime = 0.1, kShareOfTimeOfMany = 0.01;
    static constexpr std::int64_t kMany = 32;
    static constexpr double kFreeSeconds = 0.5;  // before anything has been trained to speak of

    /// Whether the next step is to be examined, should it be bad. `isAtLeisure`: whatever it costs.
    bool wantsNext(bool isAtLeisure = false) const {
        const std::int64_t next = m_consecutive + 1;
        const bool isPowerOfTwo = (next & (next - 1)) == 0;
        if (isAtLeisure) return isPowerOfTwo;
        const double share = m_examinations < kMany ? kShareOfTime : kShareOfTimeOfMany;
        return isPowerOfTwo && m_examinedSeconds <= kFreeSeconds + share * m_trainedSeconds;
    }
    /// `kind`: of what is bad in it.
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
    /// Whether the last step belongs to those of a row that a list has examined: the 1st, 2nd, 4th, ..., and one of another kind than the
    /// step before it.
    bool wantsForAList() const { return (m_consecutive & (m_consecutive - 1)) == 0 || m_isAnotherKind; }
    /// The run goes on from somewhere else.
    void beginAnew() { m_consecutive = 0; }
    /// Bad steps in a row, ending with the last one.
    std::int64_t consecutive() const { return m_consecutive; }

private:
    std::int64_t m_consecutive = 0, m_examinations = 0;
    std::uint32_t m_kind = 0;
    bool m_isAnotherKind = false;
    double m_trainedSeconds = 0, m_examinedSeconds = 0;
};

}  // namespace mantissa

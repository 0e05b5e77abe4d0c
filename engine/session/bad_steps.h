// SPDX-License-Identifier: Apache-2.0
// Which of a run's bad steps are examined by themselves: the first ones at once, in a skip storm ever fewer, and never at the price of more
// than a tenth of the time that is trained; of a run that has had many, a hundredth, as each is kept in the recording. One thread at a
// time.
#pragma once

#include <cstdint>

namespace mantissa {

/// Whether a run's bad steps are examined: nobody may be there to hear of it.
enum class Examining : std::uint8_t { Never, AlongTheWay, AtLeisure };

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
    void add(bool isBad, double trainedSeconds) {
        m_consecutive = isBad ? m_consecutive + 1 : 0;
        m_trainedSeconds += trainedSeconds;
    }
    void addExamination(double seconds) {
        m_examinedSeconds += seconds;
        ++m_examinations;
    }
    /// The run goes on from somewhere else.
    void beginAnew() { m_consecutive = 0; }
    /// Bad steps in a row, ending with the last one.
    std::int64_t consecutive() const { return m_consecutive; }

private:
    std::int64_t m_consecutive = 0, m_examinations = 0;
    double m_trainedSeconds = 0, m_examinedSeconds = 0;
};

}  // namespace mantissa

// SPDX-License-Identifier: Apache-2.0
// The clock of a session: the seconds for which any run has trained, without pauses and re-runs. It is monotonic. One thread: the
// session's.
#pragma once

#include <chrono>

namespace mantissa {

class TrainingClock {
public:
    /// Sets the clock to `seconds`, stopped.
    void begin(double seconds) {
        m_seconds = seconds;
        m_isRunning = false;
    }
    void setRunning(bool isRunning) {
        m_seconds = seconds();
        m_since = Clock::now();
        m_isRunning = isRunning;
    }
    double seconds() const { return m_seconds + (m_isRunning ? std::chrono::duration<double>(Clock::now() - m_since).count() : 0); }

private:
    using Clock = std::chrono::steady_clock;
    double m_seconds = 0;
    bool m_isRunning = false;
    Clock::time_point m_since{};
};

}  // namespace mantissa

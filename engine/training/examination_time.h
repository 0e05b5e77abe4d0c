// SPDX-License-Identifier: Apache-2.0
// The time and progress of an examination, and whether it continues. One thread at a time.
#pragma once

#include <chrono>

#include "engine/training/examiner.h"

namespace mantissa {

class ExaminationTime {
public:
    /// `options` must outlive the object.
    explicit ExaminationTime(const ExaminerOptions& options) : m_options(options), m_start(Clock::now()) {}

    /// Sets the present stage.
    void begin(WorkProgress progress) { m_progress = std::move(progress); }

    /// The elapsed time in ms, without the time in `goesOn`, where the examination may pause.
    double ownMs() const { return millisecondsSince(m_start) - m_restedMs; }
    /// Calls `goesOn`; returns whether the examination was stopped.
    bool isStopped() {
        if (m_isStopped || !m_options.goesOn) return m_isStopped;
        const auto start = Clock::now();
        m_isStopped = !m_options.goesOn(m_progress);
        m_restedMs += millisecondsSince(start);
        return m_isStopped;
    }
    /// Whether the examination was stopped or has used up its time.
    bool isLate() { return isStopped() || ownMs() > m_options.trialSeconds * 1e3; }
    /// Returns a callback for work that counts its steps.
    StepsGoOn counting() {
        return [this](std::int64_t done, std::int64_t of) {
            m_progress.done = done;
            m_progress.of = of;
            return !isLate();
        };
    }

private:
    using Clock = std::chrono::steady_clock;
    const ExaminerOptions& m_options;
    Clock::time_point m_start;
    WorkProgress m_progress{.work = QuestionWork::RepeatingStep};
    double m_restedMs = 0;
    bool m_isStopped = false;

    static double millisecondsSince(Clock::time_point start) {
        return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    }
};

}  // namespace mantissa

// SPDX-License-Identifier: Apache-2.0
// Creates the live runs of a session, with the present levels of measuring and examining. One thread: the session's.
#pragma once

#include <memory>
#include <vector>

#include "engine/session/event_outbox.h"
#include "engine/session/training_clock.h"

namespace mantissa {

class RunMaker {
public:
    RunMaker(std::shared_ptr<Backend> backend, EventOutbox& outbox, const TrainingClock& clock)
        : m_backend(std::move(backend)), m_outbox(outbox), m_clock(clock) {}

    Instrumentation instrumentation = Instrumentation::Off;  // of new runs
    Examining examining = Examining::Never;                  // of new runs

    /// Throws like RepeatableRun; an error about the file of its weights is at the key that names it.
    std::unique_ptr<LiveRun> make(RunId id, const RunSettings& settings) const;
    /// Throws like RepeatableRun::recorded.
    std::unique_ptr<LiveRun> recorded(const RunsWay& way, std::vector<RunPoint> points) const;
    const Backend& backend() const { return *m_backend; }

private:
    std::shared_ptr<Backend> m_backend;
    EventOutbox& m_outbox;
    const TrainingClock& m_clock;

    std::unique_ptr<LiveRun> live(RepeatableRun run) const;
};

}  // namespace mantissa

// SPDX-License-Identifier: Apache-2.0
// A run inside a session: its trainer, the changes that the file has scheduled for it, and the records on their way out.
// One thread: the session's.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "engine/experiment/messages.h"
#include "engine/training/trainer.h"

namespace mantissa {

/// A change that failed, in the words for whoever asked for it.
std::string refusalSentence(const std::exception& error);

class LiveRun {
public:
    /// Makes the trainer; reads `init.weights`. Throws InputError, std::invalid_argument.
    LiveRun(RunId id, const RunSettings& settings, std::shared_ptr<Backend> backend, std::function<void(Event&&)> sink);

    RunId id() const { return m_id; }
    const RunSettings& settings() const { return m_settings; }
    /// What the file and the user say, without what the file's events have done since: what a reset starts from, and what is saved.
    const RunSettings& ownSettings() const { return m_ownSettings; }
    const Trainer& trainer() const { return *m_trainer; }
    std::int64_t nextStep() const { return m_trainer->nextStep(); }
    bool canStep() const { return !m_hasStopped && nextStep() < m_settings.training.steps; }
    RunInfo info() const;

    /// Takes those of the changes that are for a run of this name.
    void schedule(const std::vector<ScheduledChange>& changes);
    const std::vector<ScheduledChange>& scheduled() const { return m_scheduled; }

    /// Applies what is scheduled for this step, then trains it. What the trainer throws ends the run, not the session.
    void step();

    /// One live change, holding from `nextStep()`. Throws InputError, std::invalid_argument with everything as it was.
    void change(std::uint64_t commandId, const std::string& pointer, const Json& value);
    void rename(const std::string& name);

    /// Sends the records gathered so far.
    void flush();
    /// The same, when there are many or the last sending is a frame of the window ago: slow steps go out one by one.
    void flushIfDue();

private:
    RunId m_id;
    RunSettings m_settings;
    RunSettings m_ownSettings;
    std::shared_ptr<Backend> m_backend;
    std::shared_ptr<const Dataset> m_dataset;
    std::function<void(Event&&)> m_sink;
    std::unique_ptr<Trainer> m_trainer;
    std::vector<ScheduledChange> m_scheduled;  // by step
    std::vector<StepRecord> m_records;
    std::chrono::steady_clock::time_point m_lastFlush{};
    bool m_hasStopped = false;
    bool m_hasToldNonFinite = false;

    void applyScheduled();
    void sampleText(std::int64_t step);
    void apply(std::uint64_t commandId, const std::string& pointer, const Json& value);
};

}  // namespace mantissa

// SPDX-License-Identifier: Apache-2.0
// The session: holds an experiment's runs, takes commands, emits events, applies commands at step boundaries.
//
// Threads: `post` from any thread. Everything else, and the event sink, on the one thread that calls `advance`.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/experiment/messages.h"
#include "engine/session/bad_steps.h"
#include "engine/training/trainer.h"

namespace mantissa {

class Session {
public:
    using EventSink = std::function<void(Event&&)>;

    Session(std::shared_ptr<Backend> backend, EventSink sink);
    ~Session();

    /// Records the next experiment into this new file. Loading the experiment is refused if the file cannot be written.
    void recordTo(const std::string& file);
    /// Records each following experiment into a new file in this folder, which is created when needed; empty: off. Without `isRecording`
    /// recordings there can be listed, opened and deleted, but none is written.
    void recordInto(const std::string& folder, bool isRecording = true);

    /// Sets how often tensors of new runs are measured, until SetInstrumentation changes it. Default: never.
    void measureTensors(Instrumentation level);
    /// Declares that no command will go back to earlier steps: only the first and the latest state of each run are kept in memory.
    void expectNoWayBack();
    /// Sets whether non-finite steps of new runs are examined automatically. Default: never.
    void examineNonFiniteSteps(Examining examining);

    /// Writes pending entries, emits the final state, and closes the recording.
    void endRecording();

    void post(Command command);
    /// Whether a command waits for the next `advance`. Any thread.
    bool hasCommands() const;

    /// Applies waiting commands, then trains for about `budgetMs`. Without work it sleeps until a command arrives, at most `idleMs`.
    /// Returns false after Quit. Throws only exceptions of the event sink; the session must not be used after one.
    bool advance(double budgetMs = 8, double idleMs = 100);

    /// Measures the device's peak in the format of a run that has trained, once per device and format, while nothing trains. Emits
    /// RunChanged of all runs, without recording it. Takes a few dozen ms. Returns false if there is nothing to measure.
    bool measurePeak();

    /// Measures the tensors of a run's next step, without committing it, and emits its gauges of silent failures as GaugesRead. Takes the
    /// time of a few steps. Returns false if that is impossible, for example for lack of memory.
    bool readGauges(RunId run);

    LabState state() const;

    /// A run's trainer, for the command line; null for an unknown run.
    const Trainer* trainer(RunId run) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace mantissa

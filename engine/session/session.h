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

    /// Records the next experiment into this new file. Loading it is refused when that cannot be.
    void recordTo(const std::string& file);
    /// Records each experiment into a file of its own in this folder, which is made when needed; empty: no more from the next one on. Not
    /// `isRecording`: what is there can be listed, opened and deleted, and nothing is recorded.
    void recordInto(const std::string& folder, bool isRecording = true);

    /// How often the tensors of the runs to come are looked at, until SetInstrumentation says something else. To begin with: never, as
    /// nobody may be there to see it.
    void lookAtTensors(Instrumentation level);
    /// Declares that no command will go back to earlier steps: only the first and the latest state of each run are kept in memory.
    void expectNoWayBack();
    /// Whether bad steps of the runs to come are examined. To begin with: never, as nobody may be there to hear of it.
    void examineBadSteps(Examining examining);

    /// Writes what is waiting, tells of it, and closes the recording.
    void endRecording();

    void post(Command command);
    /// Whether a command waits for the next turn. From any thread.
    bool hasCommands() const;

    /// Applies waiting commands, then trains for at most about `budgetMs`. Returns false after Quit.
    /// With nothing to do it sleeps until a command arrives, at most `idleMs`.
    /// What the event sink throws comes out here, and the session is not to be used any more; nothing else is thrown.
    bool advance(double budgetMs = 8, double idleMs = 100);

    /// Where nothing trains and a run has a speed to hold against it: measures what the device does at most in that run's format, once a
    /// device and format, and tells all runs anew (RunChanged; no recording tells of it). Takes a few dozen ms; false when there is no more
    /// to measure.
    bool measureCeiling();

    /// Looks at the next step's tensors for a run's gauges of silent failures, told as GaugesRead; nothing of it is committed. Takes a few
    /// steps' time. False where the run cannot be looked into, as where there is no memory for it.
    bool readGauges(RunId run);

    LabState state() const;

    /// For the command line: a run's trainer, null when it could not be made.
    const Trainer* trainer(RunId run) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace mantissa

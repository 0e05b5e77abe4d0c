// SPDX-License-Identifier: Apache-2.0
// Handles signals that ask the process to end: SIGINT (Ctrl-C), SIGTERM (clusters, kill), SIGHUP (its terminal has closed) and SIGXFSZ (a
// file would exceed the size limit; the write fails too). One instance at a time.
#pragma once

namespace mantissa {

class EndSignals {
public:
    /// Records the signals from now on, except those that the parent process set to be ignored. `isInterruptible`: includes SIGINT;
    /// otherwise SIGINT is ignored. A SIGINT two seconds or more after the first signal ends the process at once, also after the
    /// destructor.
    explicit EndSignals(bool isInterruptible);
    /// If a signal was received, further ones are ignored, so that what was trained can be written out. Otherwise the default is restored:
    /// the signals end the process, except SIGXFSZ, which is ignored.
    ~EndSignals();
    EndSignals(const EndSignals&) = delete;
    EndSignals& operator=(const EndSignals&) = delete;

    /// The first signal's number; 0: none was received.
    static int received();
    /// The exit code that shells expect after a signal: 128 + its number; 0: none was received.
    static int exitCode();
    /// Prints why training ended to standard error if a file reached its size limit, and returns exitCode().
    static int reportAndGetExitCode();
};

}  // namespace mantissa

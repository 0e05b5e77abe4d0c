// SPDX-License-Identifier: Apache-2.0
// Signals that ask the process to end: SIGINT (Ctrl-C), SIGTERM (clusters, kill), SIGHUP (its terminal has gone) and SIGXFSZ (a file would
// grow beyond the limit; the write fails as well). One of them exists at a time.
#pragma once

namespace mantissa {

class EndSignals {
public:
    /// From now on they are noted, but for those that whoever started the process has it ignore. `isInterruptible`: SIGINT is among them;
    /// otherwise it is ignored.
    explicit EndSignals(bool isInterruptible);
    /// From now on they end the process at once, but for SIGXFSZ, which is ignored.
    ~EndSignals();
    EndSignals(const EndSignals&) = delete;
    EndSignals& operator=(const EndSignals&) = delete;

    /// The number of the first one; 0: none has come.
    static int received();
    /// What shells expect of a process that a signal has ended: 128 + its number; 0: none has come.
    static int exitCode();
};

}  // namespace mantissa

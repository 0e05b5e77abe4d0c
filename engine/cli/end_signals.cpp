// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/end_signals.h"

#include <csignal>

namespace mantissa {
namespace {

volatile std::sig_atomic_t g_received = 0;  // a signal handler can reach nothing else

void note(int signal) {
    if (g_received == 0) g_received = signal;
}

constexpr int kEnding[] = {SIGTERM, SIGHUP, SIGXFSZ};

/// But for one that is ignored, as `nohup` has it: it stays so.
void handle(int signal, void (*handler)(int)) {
    if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace

EndSignals::EndSignals(bool isInterruptible) {
    std::signal(SIGINT, isInterruptible ? note : SIG_IGN);
    for (const int signal : kEnding) handle(signal, note);
}

EndSignals::~EndSignals() {
    std::signal(SIGINT, SIG_DFL);
    for (const int signal : kEnding) handle(signal, signal == SIGXFSZ ? SIG_IGN : SIG_DFL);
}

int EndSignals::received() {
    return g_received;
}

int EndSignals::exitCode() {
    return g_received == 0 ? 0 : 128 + g_received;
}

}  // namespace mantissa

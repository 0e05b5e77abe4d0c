// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/end_signals.h"

#include <signal.h>

#include <csignal>
#include <ctime>
#include <iostream>

namespace mantissa {
namespace {

volatile std::sig_atomic_t g_received = 0, g_second = 0;  // a signal handler may write no other state

/// A shell and a program in between may each pass Ctrl-C on, so a second signal at once is not a user's impatience.
void note(int signal) {
    const auto now = static_cast<std::sig_atomic_t>(std::time(nullptr));
    if (g_received == 0) {
        g_received = signal;
        g_second = now;
    } else if (signal == SIGINT && now - g_second >= 2) {
        std::signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    }
}

constexpr int kEnding[] = {SIGTERM, SIGHUP, SIGXFSZ};

/// Uses the thread's own signal stack if it has one, as training threads do (kernels/cpu/signal_stack.h).
void install(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigaction(signal, &action, nullptr);
}

/// Leaves an ignored signal ignored, as under `nohup`.
void handle(int signal, void (*handler)(int)) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) install(signal, handler);
}

}  // namespace

EndSignals::EndSignals(bool isInterruptible) {
    install(SIGINT, isInterruptible ? note : SIG_IGN);
    for (const int signal : kEnding) handle(signal, note);
}

EndSignals::~EndSignals() {
    for (const int signal : kEnding) install(signal, SIG_IGN);
}

int EndSignals::received() {
    return g_received;
}

int EndSignals::exitCode() {
    return g_received == 0 ? 0 : 128 + g_received;
}

int EndSignals::reportAndGetExitCode() {
    if (g_received == SIGXFSZ) std::cerr << "mantissa: ended early because a file would exceed the size limit (ulimit -f)\n";
    return exitCode();
}

}  // namespace mantissa

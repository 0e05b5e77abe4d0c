// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/end_signals.h"

#include <signal.h>

#include <csignal>
#include <ctime>

#include "engine/cli/commands.h"

namespace mantissa {
namespace {

volatile std::sig_atomic_t g_received = 0, g_receivedAtMs = 0;  // a signal handler may write no other state

std::sig_atomic_t monotonicMs() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::sig_atomic_t>((now.tv_sec % 1'000'000) * 1000 + now.tv_nsec / 1'000'000);
}

/// One Ctrl-C can arrive several times, through the shell and through a parent program.
void note(int signal) {
    constexpr std::sig_atomic_t kSameMs = 2000;
    const std::sig_atomic_t now = monotonicMs();
    if (g_received == 0) {
        g_receivedAtMs = now;
        g_received = signal;
    } else if (signal == SIGINT && now - g_receivedAtMs >= kSameMs) {
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
    if (g_received == 0) install(SIGINT, SIG_DFL);
    for (const int signal : kEnding) handle(signal, signal == SIGXFSZ || g_received != 0 ? SIG_IGN : SIG_DFL);
}

int EndSignals::received() {
    return g_received;
}

int EndSignals::exitCode() {
    return g_received == 0 ? 0 : 128 + g_received;
}

int EndSignals::reportAndGetExitCode() {
    if (g_received == SIGXFSZ) complain("ended early because a file would exceed the size limit (ulimit -f)");
    return exitCode();
}

}  // namespace mantissa

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/end_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace mantissa::gui {
namespace {

constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ};
volatile std::sig_atomic_t g_pipe = -1;

/// A signal handler may only call async-signal-safe functions such as write().
void note(int signal) {
    const int error = errno;
    const auto number = static_cast<unsigned char>(signal);
    [[maybe_unused]] const ssize_t written = write(g_pipe, &number, 1);
    errno = error;
}

}  // namespace

EndSignals::EndSignals(QObject* parent) : QObject(parent) {
    if (pipe2(m_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;  // without the pipe, a signal ends the process at once
    g_pipe = m_pipe[1];
    m_notifier = std::make_unique<QSocketNotifier>(m_pipe[0], QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &EndSignals::read);
    for (const int signal : kEnding)
        if (std::signal(signal, note) == SIG_IGN) std::signal(signal, SIG_IGN);  // keeps a signal ignored, for example under `nohup`
}

EndSignals::~EndSignals() {
    if (!m_notifier) return;
    for (const int signal : kEnding)
        if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
    m_notifier.reset();
    for (const int end : m_pipe) close(end);
}

void EndSignals::read() {
    unsigned char number = 0;
    if (::read(m_pipe[0], &number, 1) != 1 || m_first != 0) return;
    m_first = number;
    emit received();
}

}  // namespace mantissa::gui

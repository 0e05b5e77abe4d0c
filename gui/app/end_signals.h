// SPDX-License-Identifier: GPL-3.0-or-later
// Closes the window when the process receives SIGINT, SIGTERM, SIGHUP or SIGXFSZ. One object per process; GUI thread only.
#pragma once

#include <QObject>
#include <QSocketNotifier>
#include <array>
#include <memory>

namespace mantissa::gui {

class EndSignals : public QObject {
    Q_OBJECT
public:
    explicit EndSignals(QObject* parent);
    ~EndSignals() override;

    /// Returns 128 + the number of the first signal, 0 if none was received.
    int exitCode() const { return m_first == 0 ? 0 : 128 + m_first; }

signals:
    void received();

private:
    void read();
    std::array<int, 2> m_pipe{-1, -1};
    std::unique_ptr<QSocketNotifier> m_notifier;
    int m_first = 0;
};

}  // namespace mantissa::gui

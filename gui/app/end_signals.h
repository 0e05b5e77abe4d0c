// SPDX-License-Identifier: GPL-3.0-or-later
// Ends the window properly when a signal asks for it: SIGINT, SIGTERM, SIGHUP, SIGXFSZ. One object in a process; GUI thread only.
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

    /// 128 + the number of the first one; 0: none has come.
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

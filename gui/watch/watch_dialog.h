// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog "Watch a training": the lines for a PyTorch script, and whether the engine listens. It stays open until a training has
// connected. GUI thread only.
#pragma once

#include <QDialog>

#include "gui/link/engine_client.h"

class QLabel;
class QPushButton;

namespace mantissa::gui {

class CheckBox;

class WatchDialog : public QDialog {
    Q_OBJECT
public:
    WatchDialog(SessionModel* session, EngineClient* engine, QWidget* parent);

    /// Returns the shell command that installs the probe.
    static QString installCommand();
    /// Returns the lines to add to a script.
    static QString scriptLines();

signals:
    void fileRequested();  // open a probe's file

protected:
    void showEvent(QShowEvent* event) override;

private:
    void listen();
    void refresh();
    void fitHeight();

    SessionModel* m_session;
    EngineClient* m_engine;
    CheckBox* m_isBeside;
    QLabel *m_status, *m_problem;
    QPushButton *m_listen, *m_stop;
    std::uint64_t m_asked = 0;
    std::ptrdiff_t m_known = 0;  // number of watched runs so far
};

}  // namespace mantissa::gui

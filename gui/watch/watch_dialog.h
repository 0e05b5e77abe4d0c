// SPDX-License-Identifier: GPL-3.0-or-later
// "Watch a training": the lines that a PyTorch script needs, and whether the engine listens for it. It stays open until a training has
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
    WatchDialog(Lab* lab, EngineClient* engine, QWidget* parent);

    /// What installs the probe, as a command for a terminal.
    static QString installCommand();
    /// The lines that are added to a script.
    static QString scriptLines();

signals:
    void fileRequested();  // a file of a probe is to be opened

protected:
    void showEvent(QShowEvent* event) override;

private:
    void listen();
    void refresh();
    void fitHeight();

    Lab* m_lab;
    EngineClient* m_engine;
    CheckBox* m_isBeside;
    QLabel *m_status, *m_problem;
    QPushButton *m_listen, *m_stop;
    std::uint64_t m_asked = 0;
    std::ptrdiff_t m_known = 0;  // watched runs so far
};

}  // namespace mantissa::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// The status line: the state of the engine, the recording, and data and model of the training.
#pragma once

#include <QWidget>

#include "gui/controls/delay.h"
#include "gui/controls/parts.h"
#include "gui/link/session_model.h"

namespace mantissa::gui {

class StatusLine : public QWidget {
    Q_OBJECT
public:
    StatusLine(SessionModel* session, QWidget* parent);
    void setEngineAlive(bool alive);
    void setFrozen(bool frozen);
    /// In the compact form, beside the event bar, only the engine's state is shown.
    void setCompact(bool compact);
    /// Shows a temporary message ("Saved to ...") for a few seconds.
    void say(const QString& message);
    /// Removes the message before its time.
    void clearMessage();

signals:
    void recordingsRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void refresh();
    void refreshRecording();
    void openRecordingMenu();

    SessionModel* m_session;
    QLabel* m_engine;
    QLabel* m_message;
    QPushButton* m_recording;
    QLabel* m_data;
    QLabel* m_model;
    IconLabel* m_sign;
    Delay m_messageTimer;
    bool m_isAlive = false;
    bool m_hasStarted = false;  // until then a missing engine is not shown as lost
    bool m_isFrozen = false;
    bool m_isCompact = false;
};

}  // namespace mantissa::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// What happens when the engine is lost: a banner, the restart, and another device in place of a failed one. GUI thread only.
#pragma once

#include <QObject>
#include <utility>

#include "gui/app/window_parts.h"

namespace mantissa::gui {

class TrainingController;

class RecoveryController : public QObject, WindowParts {
    Q_OBJECT
public:
    RecoveryController(const WindowParts& parts, TrainingController* training);

private:
    void engineLost(const QString& reason, const QString& lastWords);
    void restart();
    void startAgain(const QString& headline, const QString& lastWords);  // after a device has failed
    void announceTakeover();                                             // announces the device that replaced a failed one
    void setEngineAlive(bool alive);

    TrainingController* m_training;
    QPushButton* m_restart = nullptr;        // in the banner of a lost engine
    std::pair<QString, qint64> m_lastFault;  // experiment of the last device failure, and steps done
    QString m_failedDevice, m_faultText;     // until the next engine reports its device; and the message about it
};

}  // namespace mantissa::gui

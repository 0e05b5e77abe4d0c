// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/recovery_controller.h"

#include "gui/app/training_controller.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {

RecoveryController::RecoveryController(const WindowParts& parts, TrainingController* training) : WindowParts(parts), m_training(training) {
    connect(m_engine, &EngineClient::started, this, [this] {
        m_lostBanner->hide();
        setEngineAlive(true);
        m_training->refresh();
    });
    connect(m_engine, &EngineClient::lost, this, &RecoveryController::engineLost);
    m_restart = m_lostBanner->addButton(tr("Restart from the beginning"), QStringLiteral("restart"));
    connect(m_restart, &QPushButton::clicked, this, [this] {
        m_notice->hide();
        restart();
    });
    connect(m_lostBanner->addButton(tr("Keep looking"), QStringLiteral("eye")), &QPushButton::clicked, m_lostBanner, &QWidget::hide);
    connect(m_notice->addButton(tr("Close"), {}), &QPushButton::clicked, m_notice, &QWidget::hide);
    connect(m_session, &SessionModel::greeted, this, &RecoveryController::announceTakeover);
}

void RecoveryController::setEngineAlive(bool alive) {
    m_topBar->setEngineAlive(alive);
    m_runs->setEngineAlive(alive);
    m_status->setEngineAlive(alive);
}

void RecoveryController::restart() {
    m_engine->restart();
    m_training->experimentAsked();
}

void RecoveryController::engineLost(const QString& reason, const QString& lastWords) {
    setEngineAlive(false);
    m_training->dropRequest();
    const qint64 steps = m_session->stepCount();
    if (m_engine->hasLostDevice() && m_failedDevice.isEmpty() && m_session->device())
        m_failedDevice = QString::fromStdString(m_session->device()->name);
    const QString headline =
        steps > 0 ? tr("The engine stopped at step %1: %2.").arg(groupedText(steps), reason) : tr("The engine stopped: %1.").arg(reason);
    const QString detail =
        steps > 0
            ? tr("Everything up to step %1 is still here: plots, read-out and pictures of them go on working.").arg(groupedText(steps - 1))
            : tr("Nothing has been trained yet, so nothing is lost.");
    m_faultText = headline;
    // Restarts automatically only if steps were trained since the last failure; otherwise it would fail again and again.
    if (m_engine->hasLostDevice()) {
        const auto [title, stepsThen] = std::exchange(m_lastFault, {m_window->windowTitle(), steps});
        if (title != m_window->windowTitle() || steps > stepsThen) return startAgain(headline, lastWords);
    }
    const bool goesOn = !m_engine->resumable().isEmpty();
    // The text names no step: with a full disk the file ends before the last step shown.
    m_restart->setText(goesOn ? tr("Restart and go on from the last recorded step") : tr("Restart from the beginning"));
    m_restart->setAccessibleName(m_restart->text());
    m_lostBanner->announce(headline, detail, lastWords.isEmpty() ? QString() : tr("Last words of the engine"), lastWords);
}

void RecoveryController::startAgain(const QString& headline, const QString& lastWords) {
    const QString detail = m_engine->resumable().isEmpty() ? tr("It was started again, from the beginning.")
                                                           : tr("It was started again and goes on from the last recorded step.");
    m_notice->announce(headline, detail, tr("Last words of the engine"), lastWords);
    m_faultText += u' ' + detail;
    // after all receivers have handled the loss of the engine
    QMetaObject::invokeMethod(this, &RecoveryController::restart, Qt::QueuedConnection);
}

void RecoveryController::announceTakeover() {
    const QString failed = std::exchange(m_failedDevice, {});
    const DeviceInfo* device = m_session->device();
    if (failed.isEmpty() || !device || failed == QString::fromStdString(device->name)) return;
    // The reason of the failed GPU, or that of the first unavailable one.
    QString reason;
    for (const DeviceInfo& each : m_session->hello().devices)
        if (!each.available && (reason.isEmpty() || failed == QString::fromStdString(each.name)))
            reason = QString::fromStdString(each.reason);
    m_notice->announce(tr("%1 takes over from %2: %3.").arg(QString::fromStdString(device->name).toUpper(), failed.toUpper(), reason),
                       m_faultText);
}

}  // namespace mantissa::gui

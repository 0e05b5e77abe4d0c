// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/status_line.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QPainter>

#include "gui/app/theme.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {
constexpr int kMessageMs = 6000;
}

StatusLine::StatusLine(Lab* lab, QWidget* parent) : QWidget(parent), m_lab(lab) {
    setProperty("kind", "footer");
    setAttribute(Qt::WA_StyledBackground);
    setFixedHeight(24);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 0, 12, 0);
    row->setSpacing(18);
    auto* state = new QHBoxLayout;
    state->setSpacing(6);
    m_sign = new IconLabel(this, 12);
    m_engine = makeLabel({}, "secondary", this);
    state->addWidget(m_sign);
    state->addWidget(m_engine);
    row->addLayout(state);
    m_message = makeLabel({}, "secondary", this);
    m_data = makeLabel({}, "secondary", this);
    m_model = makeLabel({}, "secondary", this);
    row->addWidget(m_message, 1);
    row->addWidget(m_data);
    row->addWidget(m_model);
    m_messageTimer.setSingleShot(true);
    m_messageTimer.setInterval(kMessageMs);
    connect(&m_messageTimer, &QTimer::timeout, m_message, &QLabel::clear);
    connect(lab, &Lab::stateChanged, this, &StatusLine::refresh);
    connect(lab, &Lab::experimentLoaded, this, &StatusLine::refresh);
    connect(lab, &Lab::selectionChanged, this, &StatusLine::refresh);
    refresh();
}

void StatusLine::setEngineAlive(bool alive) {
    m_isAlive = alive;
    m_hasStarted = true;
    refresh();
}

void StatusLine::setFrozen(bool frozen) {
    m_isFrozen = frozen;
    refresh();
}

void StatusLine::setCompact(bool compact) {
    m_isCompact = compact;
    setFixedHeight(compact ? 32 : 24);  // as the event bar, or as a line of its own
    m_data->setVisible(!compact);
    m_model->setVisible(!compact);
    refresh();
}

void StatusLine::say(const QString& message) {
    m_message->setText(message);
    m_messageTimer.start();
    QAccessibleEvent alert(m_message, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void StatusLine::refresh() {
    const bool isLost = m_hasStarted && !m_isAlive;
    setStyleProperty(m_engine, "kind", isLost ? "danger" : "secondary");
    if (!m_hasStarted) {
        m_engine->setText(tr("Starting the engine"));
    } else if (isLost) {
        m_sign->setIcon(QStringLiteral("warning"), IconInk::Danger);
        m_engine->setText(m_isCompact ? tr("Engine stopped") : tr("Engine stopped; controls are disabled, nothing is lost"));
    } else {
        const QString step = groupedText(m_lab->stepCount());
        QString text, icon;
        switch (m_lab->state().state) {
            case LabState::Empty:
                text = tr("Engine ready");
                break;
            case LabState::Paused:
                text = tr("Paused at step %1").arg(step);
                icon = QStringLiteral("pause");
                break;
            case LabState::Training:
                text = m_isFrozen && !m_isCompact ? tr("Engine running; training goes on while the view is frozen") : tr("Engine running");
                break;
            case LabState::Finished:
                text = tr("Finished at step %1").arg(step);
                icon = QStringLiteral("check");
                break;
        }
        m_sign->setIcon(icon, IconInk::Ink2);
        m_engine->setText(text);
    }
    const ExperimentLoaded& experiment = m_lab->experiment();
    m_data->setText(experiment.dataName.empty() ? QString()
                                                : tr("%1, %2 train, %3 validation")
                                                      .arg(QString::fromStdString(experiment.dataName), groupedText(experiment.trainCount),
                                                           groupedText(experiment.validationCount)));
    m_data->setToolTip(QString::fromStdString(experiment.dataText + "\n" + experiment.dataCredit));
    if (const RunState* run = m_lab->run(m_lab->selected()))
        m_model->setText(tr("%1, seed %2").arg(QString::fromStdString(run->info.modelText)).arg(run->info.settings.training.init.seed));
    update();
}

void StatusLine::paintEvent(QPaintEvent*) {
    // A running engine is a disc, where other states have a sign.
    if (!m_isAlive || m_lab->state().state == LabState::Paused || m_lab->state().state == LabState::Finished) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::current().ink3);
    painter.drawEllipse(QPointF(m_sign->geometry().center()) + QPointF(0.5, 0.5), 4, 4);
}

}  // namespace mantissa::gui

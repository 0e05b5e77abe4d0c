// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/status_line.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMenu>
#include <QPainter>
#include <QUrl>

#include "gui/app/theme.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {
constexpr int kMessageMs = 6000;
constexpr int kNamePixels = 240, kProblemPixels = 560;
}  // namespace

StatusLine::StatusLine(SessionModel* session, QWidget* parent) : QWidget(parent), m_session(session), m_messageTimer(kMessageMs) {
    paintAs(this, "footer");
    setFixedHeight(24);
    auto* row = makeRow(18, {12, 0, 12, 0}, this);
    auto* state = makeRow(6);
    m_sign = new IconLabel(this, 12);
    m_engine = makeLabel({}, "secondary", this);
    addWidgets(state, {m_sign, m_engine});
    row->addLayout(state);
    m_message = makeLabel({}, "secondary", this);
    m_recording = makeButton({}, QStringLiteral("record"), {}, this);
    m_recording->setProperty("look", "footer");
    m_recording->setIconSize({17, 13});
    m_recording->hide();
    m_data = makeLabel({}, "secondary", this);
    m_model = makeLabel({}, "secondary", this);
    row->addWidget(m_message, 1);
    addWidgets(row, {m_recording, m_data, m_model});
    connect(&m_messageTimer, &QTimer::timeout, this, &StatusLine::clearMessage);
    connectEach(session, this, &StatusLine::refresh, &SessionModel::stateChanged, &SessionModel::experimentLoaded,
                &SessionModel::watchingChanged, &SessionModel::selectionChanged, &SessionModel::rewindingChanged);
    connect(session, &SessionModel::recordingChanged, this, &StatusLine::refreshRecording);
    connect(m_recording, &QPushButton::clicked, this, &StatusLine::openRecordingMenu);
    refresh();
}

void StatusLine::setEngineAlive(bool alive) {
    m_isAlive = alive;
    m_hasStarted = true;
    refresh();
    refreshRecording();
}

void StatusLine::setFrozen(bool frozen) {
    m_isFrozen = frozen;
    refresh();
}

void StatusLine::setCompact(bool compact) {
    m_isCompact = compact;
    setFixedHeight(compact ? 32 : 24);  // as the event bar, or as a separate line
    m_data->setVisible(!compact);
    m_model->setVisible(!compact);
    refresh();
    refreshRecording();
}

void StatusLine::say(const QString& message) {
    m_message->setText(message);
    m_messageTimer.start();
    sayAloud(m_message, message);
}

void StatusLine::clearMessage() {
    m_messageTimer.stop();
    m_message->clear();
    m_message->setAccessibleName({});
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
        const QString step = groupedText(m_session->stepCount());
        QString text, icon;
        const bool isWatching = !m_session->listensAt().isEmpty() && !m_session->hasOwnRuns();
        switch (m_session->state().state) {
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
                // Without own runs, the lab has only read files.
                text = isWatching                ? tr("Watching at %1").arg(m_session->listensAt())
                       : m_session->hasOwnRuns() ? tr("Finished at step %1").arg(step)
                                                 : tr("Engine ready");
                icon = isWatching ? QStringLiteral("eye") : m_session->hasOwnRuns() ? QStringLiteral("check") : QString();
                break;
        }
        if (const auto& rewinding = m_session->rewinding()) {
            const RunState* run = m_session->run(rewinding->run);
            text = tr("Rewinding %1: step %2 of %3. Pause breaks off.")
                       .arg(run ? run->name() : tr("a run"), groupedText(rewinding->step), groupedText(rewinding->target));
            icon = QStringLiteral("rewind");
        }
        m_sign->setIcon(icon, IconInk::Ink2);
        m_engine->setText(text);
    }
    const ExperimentLoaded& experiment = m_session->experiment();
    m_data->setText(experiment.dataName.empty() ? QString()
                                                : tr("%1, %2 train, %3 validation")
                                                      .arg(QString::fromStdString(experiment.dataName), groupedText(experiment.trainCount),
                                                           groupedText(experiment.validationCount)));
    m_data->setToolTip(QString::fromStdString(experiment.dataText + "\n" + experiment.dataCredit));
    if (const RunState* run = m_session->run(m_session->selected())) {
        const QString model = QString::fromStdString(run->info.modelText);
        m_model->setText(run->isOwn() ? tr("%1, seed %2").arg(model).arg(run->info.settings.training.init.seed) : model);
    }
    update();
}

void StatusLine::refreshRecording() {
    const RecordingChanged& recording = m_session->recording();
    const QString path = QString::fromStdString(recording.path), problem = QString::fromStdString(recording.problem);
    m_recording->setVisible(m_isAlive && (!path.isEmpty() || !problem.isEmpty()));
    const QString size = bytesText(recording.bytes);
    const QString name =
        m_isCompact ? QString() : QFontMetrics(font()).elidedText(QFileInfo(path).fileName(), Qt::ElideMiddle, kNamePixels) + u' ';
    m_recording->setText(!problem.isEmpty()      ? QFontMetrics(font()).elidedText(problem, Qt::ElideRight, kProblemPixels)
                         : recording.isRecording ? tr("recording %1· %2").arg(name, size)
                                                 : tr("%1· %2, not recording").arg(name, size));
    setStyleProperty(m_recording, "look", problem.isEmpty() ? "footer" : "amber");
    m_recording->setIcon(problem.isEmpty() ? themedIcon(QStringLiteral("record"), IconInk::Ink2)
                                           : themedIcon(QStringLiteral("warning"), IconInk::Frozen));
    const QString text =
        problem.isEmpty() ? tr("%1\n%2 steps are safe there").arg(path, groupedText(recording.steps)) : problem + u'\n' + path;
    m_recording->setToolTip(text);
    m_recording->setAccessibleName(m_recording->text());
    m_recording->setAccessibleDescription(text);
}

void StatusLine::openRecordingMenu() {
    const QFileInfo file(QString::fromStdString(m_session->recording().path));
    QMenu menu(this);
    // The files of a remote engine are on its machine.
    if (file.dir().exists() && !file.filePath().isEmpty())
        menu.addAction(tr("Show folder"), this, [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file.absolutePath())); });
    menu.addAction(tr("Copy path"), this, [file] { QGuiApplication::clipboard()->setText(file.filePath()); });
    menu.addAction(tr("Recordings…"), this, &StatusLine::recordingsRequested);
    menu.exec(m_recording->mapToGlobal(QPoint(0, -menu.sizeHint().height())));
}

void StatusLine::paintEvent(QPaintEvent*) {
    // A running engine has a disc; other states have a sign.
    if (!m_isAlive || m_session->rewinding() || m_session->state().state == LabState::Paused ||
        m_session->state().state == LabState::Finished)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::current().ink3);
    painter.drawEllipse(QPointF(m_sign->geometry().center()) + QPointF(0.5, 0.5), 4, 4);
}

}  // namespace mantissa::gui

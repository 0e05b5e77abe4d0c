// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/run_note.h"

#include <QFileInfo>
#include <QRegularExpression>

#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

/// "loss 0.123", the last value up to `step`; empty if there is none.
QString valueText(const QString& name, const Series& series, std::int64_t step) {
    const std::int64_t at = series.latestStep(step);
    return at < 0 ? QString() : QStringLiteral("%1 %2").arg(name, numberText(series.exact(at), 3));
}

QString lastValues(const RunState& run) {
    const std::int64_t last = run.stepCount() - 1;
    QStringList parts{QObject::tr("step %1").arg(groupedText(last)), valueText(QObject::tr("loss"), run.loss, last),
                      valueText(QObject::tr("validation"), run.validationLoss, last)};
    const std::int64_t scaled = run.lossScale.latestStep(last);
    if (scaled >= 0 && run.firstScaled >= 0) parts << QObject::tr("scale %1").arg(scaleText(run.lossScale.exact(scaled)));
    parts << valueText(QObject::tr("grad norm"), run.gradNorm, last);
    if (!run.skippedSteps.empty()) parts << QObject::tr("%1 skipped").arg(groupedText(run.skipCount()));
    if (run.isWatched() && run.last.memoryBytes > 0) parts << bytesText(run.last.memoryBytes);
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

/// Progress of a what-if, and its parent's loss at that step.
QString whatIfValues(const RunState& run, const RunState* parent) {
    const std::int64_t done = run.stepCount() - run.info.firstStep, last = run.stepCount() - 1;
    if (done == 0) return QObject::tr("not begun yet");
    QString text = done == 1 ? QObject::tr("1 step") : QObject::tr("%1 steps").arg(groupedText(done));
    text += QStringLiteral(" · ") + valueText(QObject::tr("loss"), run.loss, last);
    if (parent && parent->loss.valueClass(last) != ValueClass::Absent)
        text += QObject::tr(", %1 of %2").arg(numberText(parent->loss.exact(last), 3), parent->name());
    return text;
}

/// Connection of a watched run's process, or of an imported run's log, behind a dot; empty: none.
QString linkText(const RunState& run) {
    const QString dot = QStringLiteral(" · ");
    switch (run.info.watch.link) {
        case WatchLink::Connected:
            return dot + QObject::tr("connected");
        case WatchLink::Followed:
            return dot + QObject::tr("its file is followed while it grows");
        case WatchLink::Lost:
            return dot + (run.isRecorded() ? QObject::tr("nothing new is read") : QObject::tr("its process has gone without a word"));
        case WatchLink::Ended:
            return dot + QObject::tr("ended");
        case WatchLink::None:
            break;
    }
    return {};
}

/// Kind of a watched run, and the connection of its process.
QString watchedText(const RunState& run) {
    const WatchInfo& watch = run.info.watch;
    QString text = QString::fromStdString(run.info.modelText) + linkText(run);
    if (watch.dropped > 0) text += QStringLiteral(" · ") + QObject::tr("%1 messages dropped").arg(groupedText(watch.dropped));
    if (!watch.problems.empty()) text += QStringLiteral(" · ") + QString::fromStdString(watch.problems.back());
    return text;
}

/// Process, origin and interval of tensor statistics of a watched run.
QString watchedDetails(const RunState& run) {
    const WatchInfo& watch = run.info.watch;
    QStringList lines{QString::fromStdString(watch.process), QString::fromStdString(run.info.origin)};
    if (watch.world > 1) lines << QObject::tr("rank %1 of %2").arg(watch.rank).arg(watch.world);
    lines << countedWhenText(watch);
    for (const std::string& problem : watch.problems) lines << QString::fromStdString(problem);
    return lines.join(u'\n');
}

/// "/home/me/runs/a.csv (no steps)" without the folder.
QString withoutFolder(const QString& origin) {
    const qsizetype end = origin.indexOf(QRegularExpression(QStringLiteral(": | \\(")));
    const QString path = origin.left(end);
    return QFileInfo(path).fileName() + origin.mid(path.size());
}

}  // namespace

QString countedWhenText(const WatchInfo& watch) {
    if (watch.statisticsPeriod == 1) return QObject::tr("Tensors are counted in every step.");
    return watch.statisticsPeriod > 0
               ? QObject::tr("Tensors are counted in every step that is a multiple of %1.").arg(groupedText(watch.statisticsPeriod))
               : QObject::tr("Tensors are counted when the probe is asked for them.");
}

RunNote::RunNote(SessionModel* session, EngineClient* engine, QWidget* parent) : QWidget(parent), m_session(session) {
    auto* column = makeColumn(4, {}, this);
    m_origin = makeWrappedLabel({}, "secondary", this);
    m_values = makeWrappedLabel({}, "body2", this);
    addWidgets(column, {m_origin, m_values});
    m_buttons = new QWidget(this);
    auto* row = makeRow(8, {0, 2, 0, 0}, m_buttons);
    m_keep = makeButton(tr("Keep"), QStringLiteral("check"), {}, m_buttons);
    m_drop = makeButton({}, {}, {}, m_buttons);
    addWidgets(row, {m_keep, m_drop});
    row->addStretch(1);
    column->addWidget(m_buttons);
    connect(m_keep, &QPushButton::clicked, this, [this, engine] { engine->send(KeepRun{m_run}); });
    connect(m_drop, &QPushButton::clicked, this, [this, engine] { engine->send(RemoveRun{m_run}); });
}

void RunNote::show(const RunState& run) {
    m_run = run.id;
    const RunState* parent = m_session->parentOf(run);
    const bool isFork = run.info.parent >= 0;
    setVisible(!run.isLive() || isFork);
    m_values->setVisible(!run.isLive());
    m_buttons->setVisible(!run.isLive());
    m_keep->setVisible(run.isWhatIf());
    const QString from = tr("from %1 at step %2").arg(parent ? parent->name() : tr("a run that is gone"), groupedText(run.info.firstStep));
    if (run.isWatched()) {
        m_origin->setText(watchedText(run));
        m_origin->setToolTip(watchedDetails(run));
        m_values->setText(run.hasSteps() ? lastValues(run) : tr("no step yet"));
    } else if (run.isRecorded()) {
        const QString origin = QString::fromStdString(run.info.origin);
        QStringList details{origin};
        for (const std::string& problem : run.info.watch.problems) details << QString::fromStdString(problem);
        m_origin->setText(tr("from %1").arg(withoutFolder(origin)) + linkText(run));
        m_origin->setToolTip(details.join(u'\n'));
        m_values->setText(run.hasSteps() ? lastValues(run) : tr("no step yet"));
    } else {
        m_origin->setText(from);
        m_origin->setToolTip({});
        if (run.isWhatIf()) m_values->setText(whatIfValues(run, parent));
    }
    m_drop->setText(run.isWhatIf() ? tr("Dismiss") : tr("Remove"));
    m_keep->setAccessibleName(tr("Keep %1 as a run like others").arg(run.name()));
    m_keep->setToolTip(m_keep->accessibleName());
    m_drop->setAccessibleName(run.isWhatIf() ? tr("Dismiss %1").arg(run.name()) : tr("Remove %1").arg(run.name()));
}

}  // namespace mantissa::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recordings/replay.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include "gui/controls/number_text.h"

namespace mantissa::gui {

Replay::Replay(const QStringList& engine, QObject* parent) : QObject(parent) {
    const qsizetype verb = engine.indexOf(QStringLiteral("serve"));
    if (verb > 0) m_commandLine = engine.first(verb) << QStringLiteral("replay");
    connect(&m_process, &QProcess::readyReadStandardError, this, &Replay::readProgress);
    connect(&m_process, &QProcess::finished, this, &Replay::showResult);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) emit ended(tr("%1 could not be started").arg(m_commandLine.first()), false);
    });
}

Replay::~Replay() {
    m_process.disconnect(this);
    if (!isRunning()) return;
    m_process.kill();
    m_process.waitForFinished();
}

void Replay::start(const QString& recording) {
    if (isRunning()) return;
    m_isStopped = false;
    m_lastWords.clear();
    const QStringList arguments = m_commandLine.mid(1);
    m_process.start(m_commandLine.first(), arguments + QStringList{QStringLiteral("--json"), QStringLiteral("--progress"), recording});
}

void Replay::stop() {
    m_isStopped = true;
    m_process.kill();
}

void Replay::readProgress() {
    static const QRegularExpression kProgress(QStringLiteral("^(\\d+) of (\\d+)$"));
    for (const QByteArray& line : m_process.readAllStandardError().split('\n')) {
        const QString text = QString::fromUtf8(line).trimmed();
        const QRegularExpressionMatch match = kProgress.match(text);
        if (match.hasMatch()) {
            emit progressed(match.captured(1).toLongLong(), match.captured(2).toLongLong());
        } else if (!text.isEmpty()) {
            m_lastWords = text;
        }
    }
}

void Replay::showResult() {
    if (m_isStopped) {
        emit stopped();
        return;
    }
    readProgress();
    const QJsonObject result = QJsonDocument::fromJson(m_process.readAllStandardOutput()).object();
    const auto number = [&](const char* key) { return groupedText(static_cast<std::int64_t>(result[QLatin1String(key)].toDouble())); };
    if (result.isEmpty()) {
        emit ended(m_lastWords.isEmpty() ? tr("The replay ended without a word.") : m_lastWords, false);
    } else if (result[QLatin1String("identical")].toBool()) {
        QString why = result[QLatin1String("missing")].toString();  // the recording is incomplete
        if (why.isEmpty()) why = result[QLatin1String("why_read_only")].toString();
        emit ended(tr("Bit-identical: %1 steps of %2 runs, with %3 live changes").arg(number("steps"), number("runs"), number("changes")) +
                       (why.isEmpty() ? QStringLiteral(".") : tr(" (%1).").arg(why)),
                   true);
    } else {
        const QJsonObject first = result[QLatin1String("first_difference")].toObject();
        const auto value = [&](const char* key) {  // numbers that JSON cannot represent are strings
            const QJsonValue shown = first[QLatin1String(key)];
            return shown.isString() ? shown.toString() : QString::number(shown.toDouble(), 'g', 17);
        };
        emit ended(tr("The first difference is at step %1 of %2: %3 was %4 and is now %5.")
                       .arg(groupedText(static_cast<std::int64_t>(first[QLatin1String("step")].toDouble())),
                            first[QLatin1String("run")].toString(), first[QLatin1String("column")].toString(), value("recorded"),
                            value("replayed")),
                   false);
    }
}

}  // namespace mantissa::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recordings/recording_words.h"

#include <QDateTime>
#include <QFileInfo>
#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "engine/precision/policy.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {
constexpr qsizetype kMostLosses = 4;

QString formatText(const ListedRun& run) {
    return QString::fromStdString(policyScreenName(run.policy));
}
}  // namespace

std::vector<ListedRecording> latestFirst(std::vector<ListedRecording> recordings) {
    std::stable_sort(recordings.begin(), recordings.end(), [](const auto& a, const auto& b) { return a.started > b.started; });
    return recordings;
}

QString titleText(const ListedRecording& recording) {
    return recording.title.empty() ? QFileInfo(QString::fromStdString(recording.path)).completeBaseName()
                                   : QString::fromStdString(recording.title);
}

QString startedText(const ListedRecording& recording) {
    const QDateTime when = QDateTime::fromString(QString::fromStdString(recording.started), Qt::ISODate).toLocalTime();
    return when.isValid() ? QLocale::c().toString(when, QStringLiteral("d MMM yyyy, HH:mm")) : QString::fromStdString(recording.started);
}

QString formatsText(const ListedRecording& recording) {
    QStringList formats;
    for (const ListedRun& run : recording.runs)
        if (!run.policy.empty() && !formats.contains(formatText(run))) formats << formatText(run);
    return formats.join(QStringLiteral(", "));
}

QString lossesText(const ListedRecording& recording) {
    QStringList losses;
    for (const ListedRun& run : recording.runs)
        if (!run.losses.empty() && losses.size() < kMostLosses)
            losses << QObject::tr("%1 %2", "format, its loss").arg(formatText(run), numberText(run.losses.back(), 3));
    return losses.isEmpty() ? QString() : QObject::tr("Final loss: %1").arg(losses.join(QStringLiteral(", ")));
}

std::optional<double> leastFinalLoss(const ListedRecording& recording) {
    std::optional<double> least;
    for (const ListedRun& run : recording.runs)
        if (!run.losses.empty() && std::isfinite(run.losses.back()) && (!least || run.losses.back() < *least)) least = run.losses.back();
    return least;
}

}  // namespace mantissa::gui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/experiment_words.h"

#include <QFileInfo>

#include <algorithm>

#include "gui/app/language.h"
#include "gui/controls/health_line.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

constexpr std::size_t kLastSteps = 20, kMostRuns = 6;

/// The mean of the latest finite losses; NaN: there is none.
double lastLoss(const Series& loss) {
    double sum = 0;
    int finite = 0;
    for (std::size_t i = loss.count() - std::min(loss.count(), kLastSteps); i < loss.count(); ++i) {
        if (loss.classAt(i) != ValueClass::Finite) continue;
        sum += loss.valueAt(i);
        ++finite;
    }
    return sum / finite;
}

QString findingOf(const RunState& run) {
    QStringList remarks;
    if (const Health health = healthOf(run); health.severity == Severity::Bad) remarks << withinSentence(titleOf(health));
    if (run.skipCount() > 0) remarks << QObject::tr("%1 skipped").arg(groupedText(run.skipCount()));
    const QString found = run.name() + u' ' + numberText(lastLoss(run.loss), 3);
    return remarks.isEmpty() ? found : QStringLiteral("%1 (%2)").arg(found, remarks.join(QStringLiteral(", ")));
}

ShownWords wordsOf(const std::string& name, ExperimentWords own) {
    if (own.title.empty()) own.title = QFileInfo(QString::fromStdString(name)).fileName().toStdString();
    const ExperimentWords words = translatedWords(name, spokenLanguage().toStdString()).value_or(own);
    const auto shown = [](const std::string& text) { return shownText(QString::fromStdString(text)); };
    return {shown(words.title), shown(words.description), shown(words.lookFor)};
}

}  // namespace

ShownWords shownWords(const BundledExperiment& bundled) {
    return wordsOf(bundled.name, {bundled.title, bundled.description, bundled.lookFor});
}

ShownWords shownWords(const ExperimentLoaded& loaded) {
    return wordsOf(loaded.name, {loaded.title, loaded.description, loaded.lookFor});
}

QString findingText(const SessionModel& session) {
    if (session.state().state != LabState::Finished) return {};
    QStringList found;
    for (const auto& run : session.runs())
        if (run->isLive() && !run->isHidden && !run->isWithheld && run->hasSteps() && found.size() < static_cast<qsizetype>(kMostRuns))
            found << findingOf(*run);
    if (found.isEmpty()) return {};
    return QObject::tr("Mean loss of the last %1 steps: %2.").arg(kLastSteps).arg(found.join(QStringLiteral("; ")));
}

}  // namespace mantissa::gui

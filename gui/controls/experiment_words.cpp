// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/experiment_words.h"

#include <QFileInfo>

#include <algorithm>
#include <vector>

#include "gui/app/language.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/health_line.h"
#include "gui/controls/number_text.h"
#include "gui/link/session_model.h"

namespace mantissa::gui {
namespace {

constexpr std::size_t kLastSteps = 20, kMostRuns = 6;

/// The mean of the last `count` losses; not finite if one of them is not.
double lastLoss(const Series& loss, std::size_t count) {
    double sum = 0;
    for (std::size_t i = loss.count() - count; i < loss.count(); ++i) sum += loss.exactAt(i);
    return sum / static_cast<double>(count);
}

QString findingOf(const RunState& run, std::size_t count) {
    QStringList remarks;
    if (const Health health = healthOf(run); health.severity == Severity::Bad) remarks << withinSentence(engineText(health.title));
    if (run.skipCount() > 0) remarks << QObject::tr("%1 skipped").arg(groupedText(run.skipCount()));
    const QString found = run.name() + u' ' + numberText(lastLoss(run.loss, count), 3);
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
    std::vector<const RunState*> runs;
    std::size_t count = kLastSteps;
    for (const auto& run : session.runs()) {
        if (!run->isLive() || run->isHidden || run->isWithheld || run->loss.isEmpty()) continue;
        runs.push_back(run.get());
        count = std::min(count, run->loss.count());
    }
    if (runs.empty()) return {};
    QStringList found;
    for (std::size_t i = 0; i < std::min(runs.size(), kMostRuns); ++i) found << findingOf(*runs[i], count);
    if (runs.size() > kMostRuns) found << QObject::tr("and %1 more runs").arg(runs.size() - kMostRuns);
    return QObject::tr("Mean loss of the last %1 steps: %2.").arg(count).arg(found.join(QStringLiteral("; ")));
}

}  // namespace mantissa::gui

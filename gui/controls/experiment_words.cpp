// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/experiment_words.h"

#include <QFileInfo>
#include <QRegularExpression>

#include "gui/app/language.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

/// "at 2^16" -> "at 2¹⁶"
QString withRaisedPowers(QString text) {
    static const QRegularExpression kPower(QStringLiteral("2\\^(\\d{1,3})"));
    for (QRegularExpressionMatch power = kPower.match(text); power.hasMatch(); power = kPower.match(text))
        text.replace(power.capturedStart(), power.capturedLength(), powerOfTwoText(power.captured(1).toInt()));
    return text;
}

ShownWords wordsOf(const std::string& name, ExperimentWords own) {
    if (own.title.empty()) own.title = QFileInfo(QString::fromStdString(name)).fileName().toStdString();
    const ExperimentWords words = translatedWords(name, spokenLanguage().toStdString()).value_or(own);
    const auto shown = [](const std::string& text) { return withRaisedPowers(QString::fromStdString(text)); };
    return {shown(words.title), shown(words.description), shown(words.lookFor)};
}

}  // namespace

ShownWords shownWords(const BundledExperiment& bundled) {
    return wordsOf(bundled.name, {bundled.title, bundled.description, bundled.lookFor});
}

ShownWords shownWords(const ExperimentLoaded& loaded) {
    return wordsOf(loaded.name, {loaded.title, loaded.description, loaded.lookFor});
}

}  // namespace mantissa::gui

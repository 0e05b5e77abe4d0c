// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/experiment_words.h"

#include <QFileInfo>

#include "gui/app/language.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

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

}  // namespace mantissa::gui

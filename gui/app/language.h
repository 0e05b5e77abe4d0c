// SPDX-License-Identifier: GPL-3.0-or-later
// The language that the window speaks. Widgets take their words when they are made, so a choice holds from the next start on.
// Numbers are written alike in every language (thin spaces, a decimal point): as in the files, in the field's papers and on the projector
// beside them. GUI thread only.
#pragma once

#include <QList>
#include <QString>

class QCoreApplication;

namespace mantissa::gui {

struct Language {
    QString code;  // as in `--language` and in the name of its catalogue: de, zh_CN
    QString name;  // in itself
};

/// Those that there is a catalogue for, English first.
const QList<Language>& languages();
/// The desktop's own language, where there is a catalogue for it.
inline const QString kSystemLanguage = QStringLiteral("system");
bool isLanguage(const QString& code);  // or "system"

/// What was noted in `folder` for the next start; "system" when nothing was.
QString notedLanguage(const QString& folder);
void noteLanguage(const QString& folder, const QString& code);

/// The code of the catalogue in use; empty: English.
QString spokenLanguage();

/// Before the first widget is made. Qt's own words (dialogs, names of keys) come along where the system has them.
void speak(QCoreApplication& application, const QString& code);

}  // namespace mantissa::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// The language of the window. Widgets translate their texts when they are created, so a choice takes effect at the next start. Numbers are
// formatted alike in every language (thin spaces, a decimal point), as in the files and in the field's papers. GUI thread only.
#pragma once

#include <QList>
#include <QString>

class QCoreApplication;

namespace mantissa::gui {

struct Language {
    QString code;  // as in `--language` and in the name of its catalogue: de, zh_CN
    QString name;  // in that language
};

/// Returns the languages that have a catalogue, English first.
const QList<Language>& languages();
/// Stands for the desktop's language, if it has a catalogue.
inline const QString kSystemLanguage = QStringLiteral("system");
bool isLanguage(const QString& code);  // or "system"

/// Returns the language saved in `folder` for the next start, "system" if there is none.
QString notedLanguage(const QString& folder);
void noteLanguage(const QString& folder, const QString& code);

/// Returns the code of the catalogue in use; empty: English.
QString spokenLanguage();

/// Installs the translations of a language, including Qt's (dialogs, names of keys) if the system has them. Call before the first widget is
/// created.
void speak(QCoreApplication& application, const QString& code);

}  // namespace mantissa::gui

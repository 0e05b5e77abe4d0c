// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/language.h"

#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QLocale>
#include <QSettings>
#include <QTranslator>
#include <algorithm>
#include <memory>

// Outside namespaces: the function of the resource compiler is global.
static void initTranslations() {
    Q_INIT_RESOURCE(translations);
}

namespace mantissa::gui {
namespace {

const QString kNote = QStringLiteral("window/language");

QSettings notes(const QString& folder) {
    return QSettings(QDir(folder).filePath(QStringLiteral("window.ini")), QSettings::IniFormat);
}

QString g_catalogue;  // catalogue in use, by its language; set by speak() before the first widget is created

/// Installs a catalogue and returns its language; empty if there is none.
QString install(QCoreApplication& application, const QLocale& locale, const QString& catalogue, const QString& folder) {
    auto translator = std::make_unique<QTranslator>(&application);
    if (!translator->load(locale, catalogue, QStringLiteral("_"), folder)) return {};
    const QString language = translator->language();
    QCoreApplication::installTranslator(translator.release());
    return language;
}

}  // namespace

const QList<Language>& languages() {
    static const QList<Language> all{{QStringLiteral("en"), QStringLiteral("English")},
                                     {QStringLiteral("de"), QStringLiteral("Deutsch")},
                                     {QStringLiteral("zh_CN"), QStringLiteral("中文")}};
    return all;
}

bool isLanguage(const QString& code) {
    return code == kSystemLanguage || std::ranges::any_of(languages(), [&](const Language& each) { return each.code == code; });
}

QString notedLanguage(const QString& folder) {
    const QString code = folder.isEmpty() ? QString() : notes(folder).value(kNote).toString();
    return isLanguage(code) ? code : kSystemLanguage;
}

void noteLanguage(const QString& folder, const QString& code) {
    if (!folder.isEmpty()) notes(folder).setValue(kNote, code);
}

void speak(QCoreApplication& application, const QString& code) {
    initTranslations();
    QLocale::setDefault(QLocale::c());
    const QLocale locale = code == kSystemLanguage ? QLocale::system() : QLocale(code);
    install(application, locale, QStringLiteral("qtbase"), QLibraryInfo::path(QLibraryInfo::TranslationsPath));
    g_catalogue = install(application, locale, QStringLiteral("mantissa"), QStringLiteral(":/translations"));
}

QString spokenLanguage() {
    return g_catalogue;
}

}  // namespace mantissa::gui

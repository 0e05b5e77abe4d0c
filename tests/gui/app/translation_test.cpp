// SPDX-License-Identifier: Apache-2.0
// Every text can be translated, is translated, and finds room in a language that is longer.
#include <gtest/gtest.h>

#include <QDirIterator>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <map>

#include "engine/diagnosis/verdict.h"
#include "engine/experiment/fields.h"
#include "gui/app/language.h"
#include "gui/controls/engine_text.h"
#include "gui/lessons/lesson_parts.h"
#include "tests/gui/support/pseudo_language.h"
#include "tests/gui/support/window_walk.h"

namespace mantissa::gui {
namespace {

struct Message {
    QString source, translation;
    bool isFinished = true;
};
using Catalogue = std::map<std::pair<QString, QString>, Message>;  // by context and, with its comment, source

Catalogue readCatalogue(const QString& path) {
    Catalogue catalogue;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return catalogue;
    QString context, comment;
    Message message;
    QXmlStreamReader xml(&file);
    while (!xml.atEnd()) {
        const auto token = xml.readNext();
        if (token == QXmlStreamReader::EndElement && xml.name() == u"message") {
            catalogue[{context, message.source + u'|' + comment}] = message;
            message = {};
            comment.clear();
        }
        if (token != QXmlStreamReader::StartElement) continue;
        if (xml.name() == u"name") context = xml.readElementText();
        if (xml.name() == u"source") message.source = xml.readElementText();
        if (xml.name() == u"comment") comment = xml.readElementText();
        if (xml.name() == u"translation") {
            message.isFinished = xml.attributes().value(QLatin1String("type")).isEmpty();
            message.translation = xml.readElementText(QXmlStreamReader::IncludeChildElements);
        }
    }
    return catalogue;
}

QStringList placeholders(const QString& text) {
    static const QRegularExpression kPlace(QStringLiteral("%(n|L?\\d+)|<[^>]*>"));
    QStringList found;
    for (auto it = kPlace.globalMatch(text); it.hasNext();) found << it.next().captured();
    found.sort();
    return found;
}

const QStringList kTranslated{QStringLiteral("de"), QStringLiteral("zh_CN")};

TEST(Translations, AreCompleteAndKeepTheirPlaceholders) {
    for (const QString& language : kTranslated) {
        const Catalogue catalogue = readCatalogue(cataloguePath(language));
        ASSERT_GT(catalogue.size(), 900u) << language.toStdString();
        for (const auto& [key, message] : catalogue) {
            const std::string which = language.toStdString() + ", " + key.first.toStdString() + ": " + message.source.toStdString();
            EXPECT_TRUE(message.isFinished && !message.translation.isEmpty()) << which;
            EXPECT_EQ(placeholders(message.translation), placeholders(message.source))
                << which << " = " << message.translation.toStdString();
            // What is joined to something else begins with its space; Chinese signs bring their own.
            const QChar first = message.translation.isEmpty() ? QChar() : message.translation.front();
            EXPECT_TRUE(message.source.front().isSpace() == first.isSpace() || first.unicode() > 0x2000) << which;
            EXPECT_EQ(message.source.count(u'\n'), message.translation.count(u'\n')) << which;
        }
    }
}

TEST(Translations, HoldWhatTheSourcesHold) {
    QTemporaryDir folder;
    const QString fresh = folder.filePath(QStringLiteral("fresh.ts")), patterns = folder.filePath(QStringLiteral("engine_texts.cpp"));
    const QString collect = QStringLiteral(MANTISSA_TRANSLATIONS "/engine_texts.cmake");
    ASSERT_EQ(QProcess::execute(QStringLiteral(MANTISSA_CMAKE), {QStringLiteral("-DSOURCES=" MANTISSA_ROOT "/engine"),
                                                                 QStringLiteral("-DOUTPUT=") + patterns, QStringLiteral("-P"), collect}),
              0);
    QProcess update;
    update.start(QStringLiteral(MANTISSA_LUPDATE), {QStringLiteral("-silent"), QStringLiteral("-I"), QStringLiteral(MANTISSA_ROOT),
                                                    QStringLiteral(MANTISSA_GUI_SOURCES), patterns, QStringLiteral("-ts"), fresh});
    ASSERT_TRUE(update.waitForFinished(kPatienceMs));
    const Catalogue sources = readCatalogue(fresh);
    EXPECT_TRUE(sources.contains({QStringLiteral("engine"), QStringLiteral("The loss scale was too high.|")}));
    for (const QString& language : kTranslated) {
        const Catalogue catalogue = readCatalogue(cataloguePath(language));
        for (const auto& [key, message] : sources)
            EXPECT_TRUE(catalogue.contains(key)) << "new; build the target update_translations: " << language.toStdString() << ", "
                                                 << key.first.toStdString() << ": " << key.second.toStdString();
        for (const auto& [key, message] : catalogue)
            EXPECT_TRUE(sources.contains(key)) << "gone; build the target update_translations: " << key.second.toStdString();
    }
}

TEST(Translations, NoTextGoesToAWidgetUnmarked) {
    // What a reader sees, given as a literal: two letters in a row, outside of tr.
    static const QRegularExpression kCall(QStringLiteral(
        R"re((?:setText|setToolTip|addAction|make(?:Wrapped)?Label|setWindowTitle|setAccessibleName|setAccessibleDescription|)re"
        R"re(addTab|setPlaceholderText|announce|setTitle|addButton)\(\s*QStringLiteral\("([^"]*)"\))re"));
    static const QRegularExpression kWord(QStringLiteral("[A-Za-z]{2}"));
    // Keys of a picture's metadata; rich text around values.
    static const QStringList kAllowed{QStringLiteral("Title"), QStringLiteral("Description"), QStringLiteral("Software"),
                                      QStringLiteral("Experiment")};
    int files = 0;
    for (QDirIterator it(QStringLiteral(MANTISSA_GUI_SOURCES), {QStringLiteral("*.cpp")}, QDir::Files, QDirIterator::Subdirectories);
         it.hasNext();) {
        QFile file(it.next());
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        ++files;
        const QString text = QString::fromUtf8(file.readAll());
        for (auto found = kCall.globalMatch(text); found.hasNext();) {
            QString literal = found.next().captured(1);
            if (kAllowed.contains(literal)) continue;
            literal.remove(QRegularExpression(QStringLiteral("<[^>]*>|\\\\u[0-9A-Fa-f]{4}")));
            EXPECT_FALSE(literal.contains(kWord)) << file.fileName().toStdString() << ": " << literal.toStdString();
        }
    }
    EXPECT_GT(files, 100);
}

/// A language for as long as it lives.
class Spoken {
public:
    explicit Spoken(QTranslator& language) : m_language(language) { qApp->installTranslator(&m_language); }
    ~Spoken() { qApp->removeTranslator(&m_language); }

private:
    QTranslator& m_language;
};

/// Names of formats, runs, presets and settings; numbers with units: the same in every language.
bool isOurs(const QString& text) {
    static const QRegularExpression kWord(QStringLiteral("[A-Za-z]{3}"));
    static const QRegularExpression kNames(QStringLiteral(
        "\\b((block |rowwise "
        ")?FP\\d+|MXFP\\d|NVFP4|TF32|BF16|E4M3|E5M2|fp\\d+|bf16|tf32|wide|narrow|pytorch|keras|PyTorch|Keras|apex|Mantissa|NaN|Inf|ulp|"
        "Adam\\w*|"
        "Ctrl|Shift|PgUp|PgDown|Return|Backspace|Space|Home|Left|Right|Up|Down|Del|Esc|Tab|CPU|GPU|none|jax|layers\\.\\d+|"
        "found_inf|auto|pure|nan|inf|input|forward|backward|optimizer|layers|weight|bias|loss|digits|cross.entropy|PNG|SVG|PDF|CSV|JSON|"
        "TSV|MiB|GiB|KiB|bytes)\\b"));
    if (text.startsWith(u"Forward values of")) return true;  // the forecast's sentences are not translated yet
    QString rest = text;
    rest.remove(kNames);
    return !rest.contains(kWord);
}

void expectTranslated(const std::string& page, QWidget* shown) {
    const auto check = [&](const QWidget* widget, const QString& text) {
        QString plain = text;
        plain.remove(QRegularExpression(QStringLiteral("<[^>]*>")));
        if (plain.contains(u'[') || isOurs(plain)) return;
        ADD_FAILURE() << page << ": \"" << plain.toStdString() << "\" in " << widget->metaObject()->className() << " of "
                      << (widget->parentWidget() ? widget->parentWidget()->metaObject()->className() : "");
    };
    // Qt's own buttons come with Qt's own words; of the engine's sentences only fixed ones are in the catalogues; the experiments' words
    // are in files of their own (Bundled.EachIsTranslated).
    static const QStringList kOthers{QStringLiteral("QDialogButtonBox"),          QStringLiteral("mantissa::gui::VerdictCard"),
                                     QStringLiteral("mantissa::gui::OriginCard"), QStringLiteral("mantissa::gui::StatusLine"),
                                     QStringLiteral("mantissa::gui::DraftForm"),  QStringLiteral("mantissa::gui::ScalerControls"),
                                     QStringLiteral("mantissa::gui::GalleryCard")};
    for (const QWidget* widget : shown->findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->window() != shown || qobject_cast<const GalleryCard*>(widget)) continue;
        if (widget->parentWidget() && kOthers.contains(QLatin1String(widget->parentWidget()->metaObject()->className()))) continue;
        if (const auto* label = qobject_cast<const QLabel*>(widget)) check(label, label->text());
        if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) check(button, button->text());
        if (!widget->toolTip().isEmpty()) check(widget, widget->toolTip());
        if (!widget->accessibleName().isEmpty()) check(widget, widget->accessibleName());
        if (const auto* header = qobject_cast<const QHeaderView*>(widget); header && header->model())
            for (int i = 0; i < header->count(); ++i) check(header, header->model()->headerData(i, header->orientation()).toString());
    }
}

TEST(Translations, ALongerLanguageFindsItsRoomAndIsUsedEverywhere) {
    PseudoLanguage pseudo(cataloguePath(QStringLiteral("de")));
    ASSERT_GT(pseudo.size(), 900u);
    EXPECT_EQ(PseudoLanguage::translated(QStringLiteral("Loss of %1")), QStringLiteral("[Ļöšš öf %1~~]").replace(u'Ļ', u'L'));
    const Spoken spoken(pseudo);
    for (const QSize size : {QSize(1920, 1080), QSize(1280, 720)})
        walkWindow(size, [&](const std::string& page, QWidget* shown) {
            const std::string where = page + " at " + std::to_string(size.width());
            EXPECT_LE(shown->width(), size.width()) << where;
            for (const std::string& cut : cutTexts(shown))
                if (cut.find("QScrollArea") == std::string::npos)
                    ADD_FAILURE() << where << ": " << cut;  // rows of a card are close already
            expectTranslated(where, shown);
        });
    for (const QString& text : pseudo.missing()) ADD_FAILURE() << "in no catalogue: " << text.toStdString();
}

TEST(Translations, EachFindsItsRoom) {
    speak(*qApp, QStringLiteral("en"));  // the catalogues are there from then on
    for (const QString& language : kTranslated) {
        QTranslator translator;
        ASSERT_TRUE(translator.load(QStringLiteral(":/translations/mantissa_") + language));
        const Spoken spoken(translator);
        for (const QSize size : {QSize(1920, 1080), QSize(1280, 720)})
            walkWindow(size, [&](const std::string& page, QWidget* shown) {
                for (const std::string& cut : cutTexts(shown))
                    ADD_FAILURE() << language.toStdString() << ", " << page << " at " << size.width() << ": " << cut;
            });
    }
}

TEST(Translations, RightToLeftKeepsPartsApart) {
    qApp->setLayoutDirection(Qt::RightToLeft);
    walkWindow({1280, 720}, [&](const std::string& page, QWidget* shown) {
        for (const std::string& cut : cutTexts(shown)) ADD_FAILURE() << page << ": " << cut;
    });
    qApp->setLayoutDirection(Qt::LeftToRight);
}

TEST(Translations, TheCompiledOnesAreInTheProgram) {
    const auto speaks = [](const QString& code) {
        QObject owner;
        const auto before = qApp->findChildren<QTranslator*>();
        speak(*qApp, code);
        const QString text = QCoreApplication::translate("mantissa::gui::Actions", "New experiment…");
        const QString verdict = engineText(counted(3, "%1 skip in a row."_text, "%1 skips in a row."_text) + "Not a scale problem."_text);
        for (QTranslator* translator : qApp->findChildren<QTranslator*>())
            if (!before.contains(translator)) delete translator;
        return std::pair(text.toStdString(), verdict.toStdString());
    };
    const auto english = speaks(QStringLiteral("en"));
    EXPECT_EQ(english.first, "New experiment…");
    EXPECT_EQ(english.second, "3 skips in a row. Not a scale problem.");
    for (const QString& language : kTranslated) {
        const auto [text, verdict] = speaks(language);
        EXPECT_NE(text, english.first) << language.toStdString();
        EXPECT_NE(verdict, english.second) << language.toStdString();
        EXPECT_NE(verdict.find('3'), std::string::npos) << verdict;
    }
    EXPECT_EQ(QLocale().decimalPoint(), QStringLiteral(".")) << "numbers are written alike in every language";
}

/// Names that the engine has in tables.
std::vector<std::string> wordsOfDiagnosis() {
    std::vector<std::string> words;
    for (int kind = 0; kind <= static_cast<int>(StepVerdict::NormOverflow); ++kind) {
        if (kind != static_cast<int>(StepVerdict::Sound)) words.emplace_back(verdictName(static_cast<StepVerdict>(kind)));
    }
    for (int kind = 0; kind <= static_cast<int>(GaugeKind::BrokenWeights); ++kind)
        words.emplace_back(gaugeTitle(static_cast<GaugeKind>(kind)));
    return words;
}

TEST(Translations, LessonsComeInTheWindowsLanguage) {
    const auto before = qApp->findChildren<QTranslator*>();
    for (const char* code : {"de", "zh_CN"}) {
        speak(*qApp, QString::fromLatin1(code));
        ASSERT_EQ(spokenLanguage(), QString::fromLatin1(code));
        EXPECT_EQ(shownLessons().front().title, loadLesson("format-anatomy", code).title);
        EXPECT_NE(shownLessons().front().title, loadLesson("format-anatomy").title);
    }
    speak(*qApp, QStringLiteral("en"));
    EXPECT_EQ(shownLessons().front().title, loadLesson("format-anatomy").title);
    for (QTranslator* translator : qApp->findChildren<QTranslator*>())
        if (!before.contains(translator)) delete translator;
}

TEST(Translations, HoldEveryNameOfTheDiagnosis) {
    PseudoLanguage pseudo(cataloguePath(QStringLiteral("de")));
    qApp->installTranslator(&pseudo);
    for (const std::string& words : wordsOfDiagnosis()) EXPECT_NE(engineText(words).toStdString(), words);
    qApp->removeTranslator(&pseudo);
}

TEST(Translations, MnemonicsAreUniqueInTheMenuBar) {
    speak(*qApp, QStringLiteral("en"));
    for (const QString& language : QStringList{QStringLiteral("en")} + kTranslated) {
        QTranslator translator;
        EXPECT_TRUE(language == u"en" || translator.load(QStringLiteral(":/translations/mantissa_") + language));
        const Spoken spoken(translator);
        LiveWindow live;
        live.make();
        std::set<QChar> taken;
        for (const QAction* menu : live.window->menuBar()->actions()) {
            const qsizetype at = menu->text().indexOf(u'&');
            ASSERT_GE(at, 0) << menu->text().toStdString();
            EXPECT_TRUE(taken.insert(menu->text()[at + 1].toUpper()).second)
                << language.toStdString() << ": " << menu->text().toStdString();
        }
    }
}

TEST(Translations, AChoiceHoldsFromTheNextStartOn) {
    QTemporaryDir folder;
    EXPECT_EQ(notedLanguage(folder.path()), kSystemLanguage);
    LiveWindow live;
    live.make(kDefaultExperiment, folder.path());
    QMenu* menu = live.window->actionList().language;
    ASSERT_TRUE(menu->isEnabled());
    ASSERT_EQ(menu->actions().size(), 4);
    EXPECT_TRUE(menu->actions().front()->isChecked());
    menu->actions()[2]->trigger();
    EXPECT_EQ(notedLanguage(folder.path()), QStringLiteral("de"));
    EXPECT_EQ(notedLanguage({}), kSystemLanguage);
}

TEST(Translations, EveryNameOfASettingIsKnown) {
    const Catalogue catalogue = readCatalogue(cataloguePath(QStringLiteral("de")));
    for (const Field& field : fields())
        EXPECT_TRUE(catalogue.contains({QStringLiteral("engine"), QString::fromStdString(field.label) + u'|'})) << field.label;
}

}  // namespace
}  // namespace mantissa::gui

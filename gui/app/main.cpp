// SPDX-License-Identifier: GPL-3.0-or-later
// The program `mantissa-lab`: reads its options, creates model, link and window, and shows the window before the engine is started.
#include <malloc.h>

#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QScreen>
#include <QStandardPaths>
#include <QStyleFactory>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/experiment/messages.h"
#include "gui/app/display_messages.h"
#include "gui/app/end_signals.h"
#include "gui/app/frame_meter.h"
#include "gui/app/key_filters.h"
#include "gui/app/language.h"
#include "gui/app/main_window.h"
#include "gui/app/screenshot.h"
#include "gui/app/text_scale.h"
#include "gui/controls/spin_field.h"
#include "gui/controls/tip_width.h"
#include "gui/plots/plots_meter.h"

namespace {

constexpr int kExitBadUsage = 2, kExitNoPicture = 3;

int complain(const QString& sentence, int exitCode) {
    std::fprintf(stderr, "mantissa-lab: %s\n", qPrintable(sentence));
    return exitCode;
}

int badUsage(const QString& sentence) {
    return complain(sentence, kExitBadUsage);
}

/// Writes a text for the terminal, and returns the program's exit code.
int print(const QString& text) {
    std::fputs(qPrintable(text), stdout);
    return std::fflush(stdout) == 0 ? 0 : complain(QStringLiteral("the text cannot be written: ") + qt_error_string(), kExitNoPicture);
}

/// Whether the program prints a text and ends, for which it needs no display.
bool onlyPrints(int argc, char** argv) {
    return std::any_of(argv + 1, argv + argc, [](std::string_view argument) {
        return argument == "--help" || argument == "-h" || argument == "--help-all" || argument == "--version" || argument == "-v";
    });
}

/// Allocates large series as separate mappings, which are returned to the system; otherwise a growing series leaves holes that nothing else
/// fills. By default the C library soon stops mapping blocks below 32 MiB.
void mapLongSeries() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 18);
#endif
}

}  // namespace

int main(int argc, char** argv) {
    using namespace mantissa::gui;
    mapLongSeries();
    QElapsedTimer sinceStart;
    sinceStart.start();
    const std::vector<char*> arguments(argv, argv + argc + 1);  // Qt removes its own arguments
    if (onlyPrints(argc, argv)) qputenv("QT_QPA_PLATFORM", "offscreen");
    std::optional<DisplayMessages> displayMessages(std::in_place);
    QApplication application(argc, argv);
    displayMessages.reset();
    followSystemText(arguments.data());
    QApplication::setApplicationName(QStringLiteral("mantissa-lab"));
    QApplication::setApplicationDisplayName(QStringLiteral("Mantissa"));
    QApplication::setApplicationVersion(QStringLiteral(MANTISSA_VERSION));
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QApplication::setWindowIcon(windowIcon());
    QApplication::setFont(interfaceFont());

    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("A desktop precision lab: the same network in several number formats, side by side."));
    parser.addPositionalArgument(
        QStringLiteral("experiment"),
        QStringLiteral(
            "A JSON file, a recording (.mantissa), a probe's file (.mprobe), or the name of a bundled experiment (four-formats)."),
        QStringLiteral("[EXPERIMENT]"));
    const QCommandLineOption engineOption(QStringLiteral("engine"),
                                          QStringLiteral("How to start the engine, instead of the one beside this program."),
                                          QStringLiteral("CMD"));
    const QCommandLineOption themeOption(QStringLiteral("theme"), QStringLiteral("light, dark or system."), QStringLiteral("THEME"),
                                         QStringLiteral("system"));
    const QCommandLineOption languageOption(QStringLiteral("language"), QStringLiteral("en, de, zh_CN or system."),
                                            QStringLiteral("LANGUAGE"));
    const QCommandLineOption pausedOption(QStringLiteral("paused"), QStringLiteral("Load the experiment, but do not start training."));
    const QCommandLineOption paceOption(QStringLiteral("pace"), QStringLiteral("Steps a second to begin with; 0: at full speed."),
                                        QStringLiteral("STEPS"));
    const QCommandLineOption measureOption(
        QStringLiteral("measure"), QStringLiteral("Train for so many seconds at full pace, print what drawing cost as JSON, and end."),
        QStringLiteral("SECONDS"));
    const QCommandLineOption lessonOption(QStringLiteral("lesson"), QStringLiteral("Begin with a lesson: a bundled one's name, or a file."),
                                          QStringLiteral("LESSON"));
    const QCommandLineOption measurePlotsOption(
        QStringLiteral("measure-plots"),
        QStringLiteral("Scroll through plots of eight runs with so many values in each series, print what frames cost as JSON, and end."),
        QStringLiteral("VALUES"));
    const QCommandLineOption listenOption(
        QStringLiteral("listen"),
        QStringLiteral("Watch PyTorch trainings instead of an experiment: \"default\", where probes connect by themselves, unix:PATH, "
                       "tcp:127.0.0.1:PORT or a probe's FILE.mprobe."),
        QStringLiteral("ADDRESS"));
    parser.addOptions({listenOption, engineOption, themeOption, languageOption, pausedOption, paceOption, measureOption, measurePlotsOption,
                       lessonOption});
    PictureOptions picture(&parser);
    const QCommandLineOption helpOption = parser.addHelpOption();
    const QCommandLineOption versionOption = parser.addVersionOption();
    if (!parser.parse(application.arguments())) return badUsage(parser.errorText());
    if (parser.isSet(helpOption)) return print(parser.helpText());
    if (parser.isSet(versionOption)) return print(QStringLiteral("mantissa-lab " MANTISSA_VERSION "\n"));
    if (parser.positionalArguments().size() > 1)
        return badUsage(QStringLiteral("one experiment at a time, not %1").arg(parser.positionalArguments().size()));
    const QString themeName = parser.value(themeOption);
    const QStringList themeNames{QStringLiteral("light"), QStringLiteral("dark"), QStringLiteral("system")};
    if (!themeNames.contains(themeName)) return badUsage(QStringLiteral("--theme is light, dark or system, not '%1'").arg(themeName));
    const QString language = parser.value(languageOption);
    if (parser.isSet(languageOption) && !isLanguage(language))
        return badUsage(QStringLiteral("--language is en, de, zh_CN or system, not '%1'").arg(language));
    const QStringList engineCommand =
        parser.isSet(engineOption) ? QProcess::splitCommand(parser.value(engineOption)) : EngineClient::bundledEngine();
    if (engineCommand.isEmpty()) return badUsage(QStringLiteral("--engine needs a command"));

    if (const QString problem = picture.read(parser); !problem.isEmpty()) return badUsage(problem);
    if (picture.isRequested() && parser.isSet(measureOption))
        return badUsage(QStringLiteral("--screenshot and --measure each end the program"));

    installKeyFilters(&application);
    TipWidth tipWidth;
    application.installEventFilter(&tipWidth);
    SpinField spinField;
    application.installEventFilter(&spinField);
    ThemeSwitch theme(&application, nullptr);
    theme.choose(static_cast<ThemeChoice>(themeNames.indexOf(themeName)));

    if (parser.isSet(measurePlotsOption)) {
        const qlonglong values = parser.value(measurePlotsOption).toLongLong();
        if (values < 100 || values > 100'000'000)
            return badUsage(QStringLiteral("--measure-plots takes a number of values, 100 to 100,000,000"));
        std::printf("%s\n", qPrintable(measurePlots(values)));
        return 0;
    }

    StartOptions options;
    if (!parser.positionalArguments().isEmpty()) options.experiment = parser.positionalArguments().first();
    options.lesson = parser.value(lessonOption);
    if (parser.isSet(lessonOption) && !options.experiment.isEmpty())
        return badUsage(QStringLiteral("--lesson brings its own experiment: leave out '%1'").arg(options.experiment));
    if (parser.isSet(listenOption)) {
        if (!options.experiment.isEmpty() || parser.isSet(lessonOption))
            return badUsage(QStringLiteral("--listen begins without an experiment: leave out '%1'")
                                .arg(options.experiment.isEmpty() ? options.lesson : options.experiment));
        const QString place = parser.value(listenOption);
        options.listensAt = place == QStringLiteral("default") ? QString() : place;
    }
    // A custom engine has its own folder (--recordings): the default folder may not exist on its machine.
    if (!parser.isSet(engineOption) && !parser.isSet(measureOption) && !picture.isRequested())
        options.dataFolder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
    speak(application, parser.isSet(languageOption) ? language : notedLanguage(options.dataFolder));
    options.startsPaused = parser.isSet(pausedOption);
    options.hasTheme = parser.isSet(themeOption);
    if (parser.isSet(paceOption)) {
        bool isNumber = false;
        options.pace = parser.value(paceOption).toDouble(&isNumber);
        if (!isNumber || !(options.pace >= 0 && options.pace <= mantissa::SetPace::kMost))
            return badUsage(QStringLiteral("--pace takes steps a second, 0 to %1").arg(mantissa::SetPace::kMost, 0, 'f', 0));
    }
    const double measuredSeconds = parser.value(measureOption).toDouble();
    if (parser.isSet(measureOption)) {
        if (!(measuredSeconds > 0 && measuredSeconds <= 3600))
            return badUsage(QStringLiteral("--measure takes seconds, above 0 and up to 3600"));
        options.pace = 0;
    }
    if (picture.isRequested()) {
        const bool hasLesson = parser.isSet(lessonOption);
        const QString problem = hasLesson ? whyUnreadableLesson(options.lesson) : whyUnreadable(options.experiment);
        if (!problem.isEmpty()) return badUsage(problem);
        if (hasLesson && picture.hasSteps) return badUsage(QStringLiteral("--after-steps: a lesson says itself how far it trains"));
        options.startsPaused = true;
        options.pace = 0;
    }

    SessionModel session;
    std::unique_ptr<FrameMeter> meter;
    if (parser.isSet(measureOption)) meter = std::make_unique<FrameMeter>(&session, sinceStart);
    EngineClient engine(&session, engineCommand);
    MainWindow window(&session, &engine, &theme, options);
    if (picture.hasSize || picture.isRequested()) {
        window.resize(picture.size);
    } else if (const QSize room = window.screen()->availableSize(); !meter && window.size() != window.size().boundedTo(room)) {
        window.resize(window.size().boundedTo(room));
        window.setWindowState(window.windowState() | Qt::WindowMaximized);
    }
    if (picture.hasLayout) {
        const Actions& actions = window.actionList();
        QAction* const kLayouts[] = {actions.layoutExplore, actions.layoutDiagnose, actions.layoutPresent};
        QAction* chosen = kLayouts[static_cast<std::size_t>(picture.layout)];
        if (!chosen->isChecked()) chosen->trigger();  // in Present, its action leads back
    }
    std::unique_ptr<Screenshot> screenshot;
    if (picture.isRequested()) {
        screenshot = std::make_unique<Screenshot>(&session, &engine, &window, picture);
        QObject::connect(screenshot.get(), &Screenshot::noted, &window, [](const QString& sentence) { complain(sentence, 0); });
        QObject::connect(screenshot.get(), &Screenshot::ended, &window,
                         [](const QString& problem) { QCoreApplication::exit(problem.isEmpty() ? 0 : complain(problem, kExitNoPicture)); });
    }
    window.show();
    // The first paint does not wait for the engine's process.
    QTimer::singleShot(0, &window, &MainWindow::begin);
    if (meter) {
        const auto* board = window.findChild<PlotBoard*>();
        QTimer::singleShot(static_cast<int>(500 * measuredSeconds), &window, [&meter, board] { meter->noteHalfway(*board); });
        QTimer::singleShot(static_cast<int>(1000 * measuredSeconds), &window, [&meter, &window, board] {
            std::printf("%s\n", qPrintable(meter->report(*board)));
            window.close();
        });
    }
    EndSignals endSignals(&application);
    QObject::connect(&endSignals, &EndSignals::received, &application, &QApplication::closeAllWindows);
    const int code = QApplication::exec();
    return endSignals.exitCode() != 0 ? endSignals.exitCode() : code;
}

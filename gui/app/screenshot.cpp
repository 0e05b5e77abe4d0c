// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/screenshot.h"

#include <QFileInfo>
#include <QImageWriter>
#include <algorithm>

#include "engine/experiment/experiment.h"
#include "engine/lessons/lesson.h"

namespace mantissa::gui {
namespace {

// Longer than any timer with which the window delays updates.
constexpr int kQuietMs = 500;
constexpr QSize kSmallest{1000, 600}, kLargest{7680, 4320};
constexpr std::int64_t kMostSteps = 1'000'000;

/// Reason why no picture can be written to `path`; empty: it can.
QString whyNoPicture(const QString& path) {
    const QFileInfo file(path), folder(file.absolutePath());
    if (file.suffix().compare(QStringLiteral("png"), Qt::CaseInsensitive) != 0)
        return QObject::tr("--screenshot takes a file that ends in .png, not '%1'").arg(path);
    if (!folder.isDir()) return QObject::tr("--screenshot: there is no folder %1").arg(folder.filePath());
    if (file.isDir() || !(file.exists() ? file : folder).isWritable()) return QObject::tr("--screenshot: %1 cannot be written").arg(path);
    return {};
}

}  // namespace

PictureOptions::PictureOptions(QCommandLineParser* parser)
    : m_screenshot(QStringLiteral("screenshot"),
                   QStringLiteral("Train the experiment for --after-steps, write the window to this PNG file, and end."),
                   QStringLiteral("FILE")),
      m_steps(QStringLiteral("after-steps"), QStringLiteral("Steps of every run before the picture; 200 unless said."), QStringLiteral("N"),
              QStringLiteral("200")),
      m_size(QStringLiteral("size"), QStringLiteral("Size of the window, as 1920x1080."), QStringLiteral("WxH")),
      m_layout(QStringLiteral("layout"), QStringLiteral("explore, diagnose or present."), QStringLiteral("LAYOUT")) {
    parser->addOptions({m_screenshot, m_steps, m_size, m_layout});
}

QString PictureOptions::read(const QCommandLineParser& parser) {
    path = parser.value(m_screenshot);
    if (parser.isSet(m_screenshot))
        if (const QString problem = whyNoPicture(path); !problem.isEmpty()) return problem;
    bool isNumber = false;
    steps = parser.value(m_steps).toLongLong(&isNumber);
    if (!isNumber || steps < 0 || steps > kMostSteps)
        return QObject::tr("--after-steps takes a number of steps from 0 to %1, not '%2'").arg(kMostSteps).arg(parser.value(m_steps));
    hasSteps = parser.isSet(m_steps);
    if (hasSteps && !parser.isSet(m_screenshot)) return QObject::tr("--after-steps goes with --screenshot");
    hasSize = parser.isSet(m_size);
    if (hasSize) {
        const QStringList sides = parser.value(m_size).split(u'x');
        if (sides.size() == 2) size = {sides[0].toInt(), sides[1].toInt()};
        if (sides.size() != 2 || size != size.expandedTo(kSmallest).boundedTo(kLargest))
            return QObject::tr("--size is WIDTHxHEIGHT, from %1x%2 to %3x%4, not '%5'")
                .arg(kSmallest.width())
                .arg(kSmallest.height())
                .arg(kLargest.width())
                .arg(kLargest.height())
                .arg(parser.value(m_size));
    }
    hasLayout = parser.isSet(m_layout);
    if (hasLayout) {
        const auto index =
            QStringList{QStringLiteral("explore"), QStringLiteral("diagnose"), QStringLiteral("present")}.indexOf(parser.value(m_layout));
        if (index < 0) return QObject::tr("--layout is explore, diagnose or present, not '%1'").arg(parser.value(m_layout));
        layout = static_cast<WindowLayout>(index);
    }
    return {};
}

QString whyUnreadable(const QString& experiment) {
    if (experiment.isEmpty() || isBundledExperiment(experiment.toStdString())) return {};
    if (experiment.endsWith(QStringLiteral(".mantissa")))
        return QFileInfo(experiment).isFile() ? QString() : QObject::tr("there is no recording %1").arg(experiment);
    try {
        std::string source;
        std::filesystem::path folder;
        loadExperimentText(experiment.toStdString(), source, folder);
    } catch (const InputError& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

QString whyUnreadableLesson(const QString& lesson) {
    try {
        loadLesson(lesson.toStdString());
    } catch (const InputError& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

Screenshot::Screenshot(SessionModel* session, EngineClient* engine, MainWindow* window, const PictureOptions& options)
    : m_session(session),
      m_engine(engine),
      m_window(window),
      m_player(window->findChild<LessonPlayer*>()),
      m_options(options),
      m_quiet(kQuietMs) {
    // Pointer, focus and window manager must not affect the picture: the window gets its layout and is drawn, but is never on a screen.
    window->setAttribute(Qt::WA_DontShowOnScreen);
    // A request may be pending. Commands are answered in order: after the answer to this one there is none.
    connect(&m_quiet, &QTimer::timeout, this, [this] { m_command = m_engine->send(SetPace{0}); });
    // Each step is requested after the answer to the previous one: training at full pace would stop at a varying step.
    connect(engine, &EngineClient::answered, this, [this](quint64 command) {
        if (!m_isSettling) return command == m_command || m_command == 0 ? goOn() : void();
        if (command == m_command) return take();
        settle();  // that answer may have caused another request
    });
    connect(session, &SessionModel::refused, this, [this](int, const QString& pointer, const QString& sentence, quint64 command) {
        if (m_engine->isAsked(command)) return;
        end(pointer.isEmpty() ? sentence : tr("%1: %2").arg(pointer, sentence));
    });
    connect(m_player, &LessonPlayer::settled, this, &Screenshot::goOn);
    connect(m_player, &LessonPlayer::stateChanged, this, [this] {
        if (!m_player->problem().isEmpty()) end(m_player->problem());
    });
    connect(engine, &EngineClient::lost, this, [this](const QString& reason) { end(tr("the engine stopped: %1").arg(reason)); });
}

void Screenshot::goOn() {
    if (m_hasEnded || m_isSettling || m_session->runs().empty() || m_engine->isOpening()) return;
    if (m_player->isPlaying()) return m_player->isBusy() ? void() : settle();
    bool hasAll = true;
    for (const auto& run : m_session->runs()) {
        if (!run->isLive()) continue;
        const std::int64_t last = run->info.settings.training.steps;
        if (last < m_options.steps && m_note.isEmpty())
            m_note = tr("%1 ends after %2 steps: the picture shows its last step").arg(run->name()).arg(last);
        if (run->stepCount() >= std::min(last, m_options.steps)) continue;
        if (!run->stopReason.isEmpty())
            return end(tr("%1 stopped after %2 of %3 steps: %4")
                           .arg(run->name())
                           .arg(run->stepCount())
                           .arg(std::min(last, m_options.steps))
                           .arg(run->stopReason));
        hasAll = false;
    }
    if (hasAll) return settle();
    if (m_session->state().state == LabState::Finished) return end(tr("training ended before step %1").arg(m_options.steps));
    m_command = m_engine->send(SingleStep{});
}

void Screenshot::settle() {
    m_isSettling = true;
    m_command = 0;
    m_quiet.start();
}

void Screenshot::take() {
    // No part may be behind the others: some wait for a timer, and a message is of an earlier step.
    m_window->findChild<RunsDock*>()->refreshNow();
    m_window->findChild<VerdictPanel*>()->refreshNow();
    m_window->findChild<EventBar*>()->refresh();
    m_window->findChild<StatusLine*>()->clearMessage();
    m_window->findChild<PlotBoard*>()->refreshNow();
    QImageWriter writer(m_options.path, "png");
    end(writer.write(m_window->grab().toImage()) ? QString() : tr("%1 was not written: %2").arg(m_options.path, writer.errorString()));
}

void Screenshot::end(const QString& problem) {
    if (m_hasEnded) return;
    m_hasEnded = true;
    m_quiet.stop();
    if (problem.isEmpty() && !m_note.isEmpty()) emit noted(m_note);
    emit ended(problem);
}

}  // namespace mantissa::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a picture of the whole window for documentation (`--screenshot`): trains step by step until every live run has so many steps or
// is at its end, waits until nothing is pending, and writes a PNG. Of a lesson it shows the first page, with the training that it requires.
// Calls are reproducible except for times: throughput, and marks that fade. GUI thread only.
#pragma once

#include <QCommandLineOption>
#include <QCommandLineParser>
#include <QObject>
#include <QSize>

#include "gui/app/main_window.h"
#include "gui/controls/delay.h"

namespace mantissa::gui {

/// Command-line options for the window's form and a picture of it.
class PictureOptions {
public:
    explicit PictureOptions(QCommandLineParser* parser);
    /// Reads the options. Returns a sentence with the error; empty: none.
    QString read(const QCommandLineParser& parser);

    bool isRequested() const { return !path.isEmpty(); }
    QString path;
    std::int64_t steps = 0;  // for an experiment; a lesson defines its own
    QSize size{1600, 960};   // of the window, in logical pixels
    WindowLayout layout = WindowLayout::Explore;
    bool hasSteps = false, hasSize = false, hasLayout = false;  // else the window's own

private:
    QCommandLineOption m_screenshot, m_steps, m_size, m_layout;
};

/// Returns a sentence with the reason why an experiment's name or file cannot be opened; empty: it can.
QString whyUnreadable(const QString& experiment);

/// Returns a sentence with the reason why a lesson cannot be opened; empty: it can.
QString whyUnreadableLesson(const QString& lesson);

class Screenshot : public QObject {
    Q_OBJECT
public:
    /// Expects a window that opens its experiment paused.
    Screenshot(SessionModel* session, EngineClient* engine, MainWindow* window, const PictureOptions& options);

signals:
    /// Emitted before the end of a call whose picture is not of the step asked for; a sentence.
    void noted(const QString& sentence);
    /// Emitted at the end. `problem`: why there is no picture, in a sentence; empty: it is written.
    void ended(const QString& problem);

private:
    void goOn();
    void settle();
    void take();
    void end(const QString& problem);

    SessionModel* m_session;
    EngineClient* m_engine;
    MainWindow* m_window;
    const LessonPlayer* m_player;
    PictureOptions m_options;
    Delay m_quiet;                // runs while no event arrives
    std::uint64_t m_command = 0;  // whose answer is pending
    QString m_note;               // about a run that ends before the step asked for
    bool m_isSettling = false, m_hasEnded = false;
};

}  // namespace mantissa::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// A picture of the whole window for documentation, `--screenshot`: trains step by step until every live run has so many, waits until
// nothing is under way any more, and writes a PNG. Of a lesson it is the first page, with what that trains. The same call draws the same
// picture but for times: throughput, and marks that fade. GUI thread only.
#pragma once

#include <QCommandLineOption>
#include <QCommandLineParser>
#include <QObject>
#include <QSize>
#include <QTimer>

#include "gui/app/main_window.h"

namespace mantissa::gui {

/// What the command line says of the window's form and of a picture of it.
class PictureOptions {
public:
    explicit PictureOptions(QCommandLineParser* parser);
    /// Returns what is wrong with them, in a sentence; empty: nothing.
    QString read(const QCommandLineParser& parser);

    bool isRequested() const { return !path.isEmpty(); }
    QString path;
    std::int64_t steps = 0;  // of an experiment: a lesson says itself how far it trains
    QSize size{1600, 960};   // of the window, in logical pixels
    WindowLayout layout = WindowLayout::Explore;
    bool hasSteps = false, hasSize = false, hasLayout = false;  // else the window's own

private:
    QCommandLineOption m_screenshot, m_steps, m_size, m_layout;
};

/// What is wrong with the name or file of an experiment that cannot be opened, in a sentence; empty: nothing.
QString whyUnreadable(const QString& experiment);

/// The same of a lesson.
QString whyUnreadableLesson(const QString& lesson);

class Screenshot : public QObject {
    Q_OBJECT
public:
    /// The window must have been told to open its experiment paused.
    Screenshot(Lab* lab, EngineClient* engine, MainWindow* window, const PictureOptions& options);

signals:
    /// `problem`: why there is no picture, in a sentence; empty: it is written.
    void ended(const QString& problem);

private:
    void goOn();
    void settle();
    void take();
    void end(const QString& problem);

    Lab* m_lab;
    EngineClient* m_engine;
    MainWindow* m_window;
    const LessonPlayer* m_player;
    PictureOptions m_options;
    QTimer m_quiet;               // runs while nothing is heard
    std::uint64_t m_command = 0;  // the one whose answer is waited for
    bool m_isSettling = false, m_hasEnded = false;
};

}  // namespace mantissa::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the main window, which the window creates and its controllers connect. GUI thread only.
#pragma once

#include <QMainWindow>
#include <memory>
#include <optional>

#include "gui/app/actions.h"
#include "gui/app/banner.h"
#include "gui/app/layouts.h"
#include "gui/app/look_for_strip.h"
#include "gui/app/message_overlay.h"
#include "gui/app/panel_host.h"
#include "gui/app/present_page.h"
#include "gui/app/status_line.h"
#include "gui/app/theme_switch.h"
#include "gui/app/top_bar.h"
#include "gui/controls/runs_dock.h"
#include "gui/controls/text_panel.h"
#include "gui/controls/verdict_panel.h"
#include "gui/diagnosis/diagnose_dock.h"
#include "gui/lessons/lesson_panel.h"
#include "gui/link/engine_client.h"
#include "gui/plots/event_bar.h"
#include "gui/plots/memory_panel.h"
#include "gui/plots/plot_board.h"
#include "gui/plots/readout_panel.h"
#include "gui/recordings/session_memory.h"
#include "gui/timeline/timeline.h"

class QStackedWidget;
class QUndoStack;

namespace mantissa::gui {

inline const QString kDefaultExperiment = QStringLiteral("four-formats");  // a bundled one

struct StartOptions {
    std::optional<QString> listensAt;  // address for trainings to connect to; empty: the default; nothing: an experiment is opened
    QString experiment;                // a bundled name, or a path; empty: the last session if it did not end properly, else the default
    QString lesson;                    // opened instead: a bundled lesson's name, or a path; empty: none
    QString dataFolder;                // the user's folder for recordings and saved settings; empty: nothing is saved
    bool startsPaused = false;
    double pace = 60;       // steps per second, 0: unlimited
    bool hasTheme = false;  // the theme was given on the command line and overrides the saved one, also in Present
};

/// Base of the window and of its controllers. The window creates the parts first; each controller gets a copy of the pointers and is
/// destroyed before any part.
class WindowParts {
protected:
    WindowParts(QMainWindow* window, SessionModel* session, EngineClient* engine, ThemeSwitch* theme, StartOptions options)
        : m_window(window), m_session(session), m_engine(engine), m_theme(theme), m_options(std::move(options)) {}

    QMainWindow* m_window;  // parent of dialogs
    SessionModel* m_session;
    EngineClient* m_engine;
    ThemeSwitch* m_theme;
    const StartOptions m_options;
    std::shared_ptr<SessionMemory> m_sessionMemory = std::make_shared<SessionMemory>(m_options.dataFolder);
    std::shared_ptr<Actions> m_actions = std::make_shared<Actions>(m_window);
    Timeline* m_timeline = nullptr;
    QUndoStack* m_undo = nullptr;
    Layouts* m_layouts = nullptr;
    CapturedModel* m_captured = nullptr;
    Measurements* m_measurements = nullptr;
    LessonPlayer* m_player = nullptr;
    QStackedWidget* m_desk = nullptr;  // the normal window, or the page for presentations
    PresentPage* m_present = nullptr;
    TopBar* m_topBar = nullptr;
    QHBoxLayout* m_body = nullptr;         // panels and lesson
    LessonPanel* m_lessonPanel = nullptr;  // in the place of the right dock
    EventBar* m_events = nullptr;
    StatusLine* m_status = nullptr;
    // the plots, in the centre of the panels
    QWidget* m_centre = nullptr;
    LookForStrip* m_lookFor = nullptr;  // above the plots
    PlotBoard* m_board = nullptr;
    QWidget* m_lessonMemory = nullptr;     // the memory panel's place while a lesson uses it
    MessageOverlay* m_messages = nullptr;  // the banners
    Banner* m_lostBanner = nullptr;
    Banner* m_notice = nullptr;
    Banner* m_recovered = nullptr;
    Banner* m_readOnly = nullptr;
    Banner* m_putAway = nullptr;  // shows what a lesson has closed
    // the panels; the slots contain what is in the right ones
    PanelHost* m_panels = nullptr;
    RunsDock* m_runs = nullptr;
    DiagnoseDock* m_diagnoseDock = nullptr;
    PanelDock *m_readoutPanel = nullptr, *m_verdictPanel = nullptr, *m_memoryPanel = nullptr, *m_textPanel = nullptr;
    QWidget *m_readoutSlot = nullptr, *m_verdictSlot = nullptr, *m_memorySlot = nullptr, *m_textSlot = nullptr;
    ReadoutPanel* m_readout = nullptr;
    VerdictPanel* m_verdict = nullptr;
    MemoryPanel* m_memory = nullptr;
    QToolButton* m_memoryFold = nullptr;  // beside the memory panel in the slim form
    TextPanel* m_text = nullptr;
};

}  // namespace mantissa::gui

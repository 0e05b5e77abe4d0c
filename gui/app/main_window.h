// SPDX-License-Identifier: GPL-3.0-or-later
// The main window: creates and arranges its parts and turns actions into commands for the engine. GUI thread only.
#pragma once

#include <QGridLayout>
#include <QHash>
#include <QMainWindow>
#include <QPointer>
#include <functional>
#include <map>
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
#include "gui/diagnosis/diagnose_page.h"
#include "gui/exports/data_table.h"
#include "gui/exports/export_dialog.h"
#include "gui/gallery/gallery_page.h"
#include "gui/lessons/lesson_panel.h"
#include "gui/link/engine_client.h"
#include "gui/picker/picker_page.h"
#include "gui/plots/event_bar.h"
#include "gui/plots/memory_panel.h"
#include "gui/plots/plot_board.h"
#include "gui/plots/readout_panel.h"
#include "gui/recordings/recordings_page.h"
#include "gui/recordings/session_memory.h"
#include "gui/timeline/timeline.h"
#include "gui/watch/watch_dialog.h"

class QStackedWidget;
class QUndoStack;

namespace mantissa::gui {

class KeyMap;
class NoteField;
class NumberCard;
class UndoLog;

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

/// Returns the keys of the plots that an earlier window has saved, by key or by the index of a default plot.
std::vector<std::string> keptPlotKeys(const QVariant& noted);

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    MainWindow(SessionModel* session, EngineClient* engine, ThemeSwitch* theme, StartOptions options);
    ~MainWindow() override;

    /// Starts the engine with the experiment of the options.
    void begin();
    /// Opens a bundled experiment or a file, found as on the command line. An error is shown above the plots and the current experiment
    /// stays; without one, the default opens.
    void openExperiment(const QString& nameOrPath);
    /// Opens a recording for continuation, paused.
    void openRecording(const QString& path);
    /// Opens a bundled lesson or a lesson's file. An error is shown above the plots, and the current state stays.
    void openLesson(const QString& nameOrPath);
    /// Opens a file of any kind: an experiment, a lesson or a recording is opened, imported runs are added to the current ones.
    void openFile(const QString& path);

    const Actions& actionList() const { return *m_actions; }
    /// The stack of the user's changes; a new experiment clears it.
    QUndoStack* undoStack() const { return m_undo; }
    KeyMap* keyMap() const { return m_keyMap; }
    Layouts* layouts() const { return m_layouts; }
    PresentPage* presentPage() const { return m_present; }
    /// The window uses its slim form below this size.
    static constexpr QSize kFullSize{1500, 860};
    static constexpr QSize kLeastSize{1000, 600};

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void buildParts();
    void layOut(bool compact);
    void placeStatus();
    void connectFile();
    void connectView();
    void connectAxes();
    void keepAxes();  // saves them between sessions
    void connectRun();
    void connectEngine();
    void connectTimeline();
    void connectRecordings();
    void connectDiagnose();
    DiagnosePage* diagnosePage();
    void connectDiagnosePage();
    void connectLessons();
    void connectUndo();
    void connectCursors();
    void connectNotes();
    void connectAccess();

    void recover();                                                      // opens the last session if it did not end properly
    void startAgain(const QString& headline, const QString& lastWords);  // after a device has failed
    void announceTakeover();                                             // announces the device that replaced a failed one
    void askTraining(CommandBody command, bool wantsTraining);
    /// Returns whether all steps are done and a run could continue.
    bool hasEnded() const;
    void trainMore();
    void syncWithState();
    void engineLost(const QString& reason, const QString& lastWords);
    void refreshRunActions();
    void setFrozen(bool frozen);
    void selectNeighbour(int by);
    void stepScale(int powers);
    void injectInf();  // into the next batch of the chosen run
    // experiments as files (main_window_files.cpp)
    void newExperiment();                   // in a form
    void openBundled(const QString& name);  // one of the engine's own
    void leaveDiagnose();
    void experimentAsked();  // sends pace and lock-step for the experiment that was requested
    void announceUnopened(const QString& headline, const QString& sentence);
    void saveExperiment();
    void showExport();
    // layouts and their panels (main_window_layouts.cpp)
    void buildPanels();
    void connectLayouts();
    void showLayout(WindowLayout layout);
    void enterLayout(WindowLayout layout);
    void placePanels();
    void foldMemory();
    void levelPanels();
    void restorePlace();
    // the Present layout (main_window_present.cpp)
    void connectPresent();
    std::vector<std::string> keptPresentPlots() const;
    void enterPresent();
    void leavePresent();
    void refreshThemes();
    void showOtherRun();
    void showAllRuns();
    // the Diagnose layout (main_window_diagnose.cpp)
    void diagnose(int run, qint64 step);
    // lessons (main_window_lessons.cpp)
    void fillLessonMenu();
    void showLessons();  // to choose from
    void closeLessons();
    void showLessonPanels();
    void showLessonPanel(bool shown);
    void placeLessonPanel();
    void lessonChanged();
    void announceClosedLesson();
    // undo, cursors, notes (main_window_hands.cpp)
    void refreshUndo();
    void writeNote(std::int64_t step);
    void editNote(int id);
    void openNote(const Note& note);
    void addNoteVerbs(QMenu* menu, std::int64_t step);
    // guide, tour, the experiment as text (main_window_first.cpp)
    void connectFirst();
    void pasteExperiment();
    void showGallery();
    void greet();  // once, with the gallery and the tour
    // access and languages (main_window_access.cpp)
    void fillLanguages();
    void showDataTable();
    // timeline and recordings (main_window_timeline.cpp)
    void atCrosshair(const std::function<void(std::int64_t step)>& verb);
    void atHeldStep(const std::function<void(std::int64_t step)>& verb);  // for actions that discard steps
    void showTimelineMenu(qint64 step, const RunState* run, QPoint place, bool isOnPlots);
    void showRecordings();
    void importRuns(const QString& path);
    void showWatching();
    void recordingChanged();
    void recordingOpened();

    SessionModel* m_session;
    EngineClient* m_engine;
    ThemeSwitch* m_theme;
    StartOptions m_options;
    SessionMemory m_sessionMemory;
    Timeline* m_timeline = nullptr;
    QUndoStack* m_undo = nullptr;
    UndoLog* m_undoLog = nullptr;
    KeyMap* m_keyMap = nullptr;
    NoteField* m_noteField = nullptr;
    std::unique_ptr<Actions> m_actions;
    TopBar* m_topBar = nullptr;
    RunsDock* m_runs = nullptr;
    QWidget* m_centre = nullptr;
    Banner* m_lostBanner = nullptr;
    Banner* m_notice = nullptr;
    Banner* m_recovered = nullptr;
    Banner* m_readOnly = nullptr;
    QPushButton* m_restart = nullptr;   // in the banner of a lost engine
    LookForStrip* m_lookFor = nullptr;  // above the plots
    PlotBoard* m_board = nullptr;
    CapturedModel* m_captured = nullptr;
    Measurements* m_measurements = nullptr;
    DiagnosePage* m_diagnose = nullptr;  // in the place of the plots; created on first use, so that the window opens sooner
    DiagnoseDock* m_diagnoseDock = nullptr;
    PauseWatch* m_pauseWatch = nullptr;
    LessonPlayer* m_player = nullptr;
    LessonPanel* m_lessonPanel = nullptr;  // in the place of the right dock
    Banner* m_putAway = nullptr;           // shows what a lesson has closed
    NumberCard* m_lessonNumber = nullptr;  // over the plots
    QWidget* m_lessonMemory = nullptr;     // the memory panel's place while a lesson uses it
    bool m_lessonNeedsMemory = false;
    QString m_putAwayRecording;     // its recording; empty: nothing was recorded
    QHBoxLayout* m_body = nullptr;  // panels and lesson
    WindowLayout m_layout = WindowLayout::Explore;
    QStackedWidget* m_desk = nullptr;  // the normal window, or the page for presentations
    PresentPage* m_present = nullptr;
    MessageOverlay* m_messages = nullptr;  // the banners
    PanelHost* m_panels = nullptr;
    Layouts* m_layouts = nullptr;
    ThemeChoice m_deskTheme = ThemeChoice::System;  // saved while Present uses its own
    Contrast m_deskContrast = Contrast::Normal;
    std::vector<RunId> m_pair;         // the two runs that Before and After switch between; empty: all are shown
    std::vector<RunId> m_shownBefore;  // visible runs before the switch between two
    Instrumentation m_instrumentation = Instrumentation::Sampled;  // the last choice
    /// The latest name that a run received from its format.
    struct Followed {
        std::string name;
        QString format;
        bool isConfirmed = false;  // by the engine
    };
    std::map<RunId, Followed> m_followed;
    void followFormat(const RunState& run, const QString& from, const QString& to);
    PanelDock *m_readoutPanel = nullptr, *m_verdictPanel = nullptr, *m_memoryPanel = nullptr, *m_textPanel = nullptr;
    QWidget* m_readoutSlot = nullptr;
    QWidget* m_verdictSlot = nullptr;
    QWidget* m_textSlot = nullptr;
    QWidget* m_memorySlot = nullptr;
    ReadoutPanel* m_readout = nullptr;
    VerdictPanel* m_verdict = nullptr;
    TextPanel* m_text = nullptr;
    MemoryPanel* m_memory = nullptr;
    QToolButton* m_memoryFold = nullptr;  // beside the memory panel in the slim form
    QGridLayout* m_footer = nullptr;
    EventBar* m_events = nullptr;
    StatusLine* m_status = nullptr;
    QPointer<PickerPage> m_picker;                    // null while it is closed
    QPointer<WatchDialog> m_watching;                 // null while it is closed
    QPointer<GalleryPage> m_gallery;                  // null while it is closed
    QPointer<ExportDialog> m_export;                  // null while it is closed
    bool m_wantsTraining = true;                      // the last request, from the window or elsewhere
    std::uint64_t m_unansweredCommand = 0;            // the latest command about training; 0: the engine has answered
    std::uint64_t m_brokenOff = 0;                    // a command that Pause ended early
    bool m_hasFallenBack = false;                     // to the default experiment
    std::pair<QString, qint64> m_lastFault;           // experiment of the last device failure, and steps done
    QString m_failedDevice, m_faultText;              // until the next engine reports its device; and the message about it
    QPointer<RecordingsPage> m_recordings;            // null while it is closed
    QPointer<DataTable> m_dataTable;                  // null while it is closed
    std::map<RunId, Severity> m_toldSeverity;         // last announced severity of each run
    QString m_recordingProblem;                       // the last problem announced
    bool m_isRecovering = false;                      // until the recording has been opened or refused
    double m_smoothing = 0;                           // the last factor other than none
    static constexpr std::int64_t kMoreSteps = 2000;  // at the end of training
    QHash<quint64, QString> m_headlines;              // headlines for refusals, by pending command
    bool m_isPasting = false;                         // until the pasted experiment has been opened or refused
    bool m_isCompact = false;
    bool m_isMemoryUnfolded = false, m_isMemoryAsked = false;  // by the user; by a lesson
};

}  // namespace mantissa::gui

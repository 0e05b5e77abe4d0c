// SPDX-License-Identifier: GPL-3.0-or-later
// The main window: creates and arranges its parts, and a controller for each feature, which connects them. GUI thread only.
#pragma once

#include <QGridLayout>
#include <memory>

#include "gui/app/window_parts.h"

namespace mantissa::gui {

class DiagnoseController;
class FileController;
class HelpController;
class KeyMap;
class LayoutController;
class LessonController;
class PresentController;
class RecoveryController;
class TimelineController;
class TrainingController;
class UndoController;
class ViewController;

class MainWindow : public QMainWindow, WindowParts {
    Q_OBJECT
public:
    MainWindow(SessionModel* session, EngineClient* engine, ThemeSwitch* theme, StartOptions options);
    ~MainWindow() override;

    /// Starts the engine with the experiment of the options.
    void begin();
    /// Opens an experiment as `FileController::openExperiment` does.
    void openExperiment(const QString& nameOrPath);
    /// Opens a lesson as `LessonController::open` does.
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
    void resizeEvent(QResizeEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void buildMenuBar();
    void buildParts();
    void buildCentre();
    void buildPanels();
    void buildControllers();
    void layOut(bool compact);
    void placeStatus();
    void restorePlace();
    void refreshTitle();

    QGridLayout* m_footer = nullptr;
    KeyMap* m_keyMap = nullptr;
    bool m_isCompact = false;
    // A controller refers only to those above it.
    std::unique_ptr<TrainingController> m_training;
    std::unique_ptr<RecoveryController> m_recovery;
    std::unique_ptr<ViewController> m_view;
    std::unique_ptr<FileController> m_files;
    std::unique_ptr<DiagnoseController> m_diagnosis;
    std::unique_ptr<UndoController> m_changes;
    std::unique_ptr<PresentController> m_presentation;
    std::unique_ptr<LayoutController> m_arrangement;
    std::unique_ptr<LessonController> m_lessons;
    std::unique_ptr<TimelineController> m_steps;
    std::unique_ptr<HelpController> m_help;
};

}  // namespace mantissa::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// The actions of the main window, defined once for menus, toolbar, keys and the list of keys.
#pragma once

#include <QAction>
#include <QActionGroup>
#include <QCoreApplication>

class QMenuBar;
class QMenu;
class QWidget;

namespace mantissa::gui {

/// Each action's `objectName` is its English text, which identifies it in key maps.
struct Actions {
    Q_DECLARE_TR_FUNCTIONS(mantissa::gui::Actions)
public:
    explicit Actions(QWidget* window);
    /// Fills the bar with the menus File, Edit, View, Run, Diagnose, Lessons, Help. `bundled` is filled when the engine has sent its
    /// bundled experiments.
    void fillMenuBar(QMenuBar* bar);

    QAction *create, *gallery, *open, *save, *copyExperiment, *pasteExperiment, *recordings, *openRecording, *importRuns, *importFolder,
        *followLogs, *watch, *record, *exporting, *copyPlot, *quit;
    QAction *undo, *redo, *forkUndone, *note;
    QAction *layoutExplore, *layoutDiagnose, *layoutPresent, *saveLayout, *renameLayout, *deleteLayout, *resetLayout, *movePanels;
    QAction *leavePresent, *otherRun, *allRuns;
    QAction *themeLight, *themeDark, *themeSystem, *highContrast;
    QAction *freeze, *follow, *followAll, *followWindow, *followManual, *fit, *previousView, *nextView, *logScale, *smoothing, *crosshair,
        *architecture, *dataTable, *lookFor;
    QAction *cursorA, *cursorB, *lockCursors, *removeCursors;
    QAction *nextEvent, *previousEvent, *firstNonFinite;
    QAction *rewindAll, *rewindRun, *fork, *whatIf;  // at the crosshair; the first two require that a click holds it
    QAction *keepCheckpoint, *moveRunUp, *moveRunDown;
    QAction *train, *step, *reset, *restore, *lockstep, *add, *rename, *remove, *hide, *previousRun, *nextRun, *scaleUp, *scaleDown,
        *inject;
    QAction *examineLast, *nextCaptured, *previousCaptured, *forkCaptured;
    QAction *lessonList, *lessonFile, *lessonNext, *lessonBack, *lessonReset, *lessonLeave, *lessonVotes;
    QAction *inspector, *symptoms, *guide, *tour, *keys, *about;
    QMenu* bundled = nullptr;
    QMenu* pace = nullptr;
    QMenu* runStyle = nullptr;                // filled as it opens
    QMenu* lessons = nullptr;                 // the window adds the bundled ones
    QMenu *xAxis, *plots, *smoothingFactors;  // filled as they open
    QMenu* ownLayouts = nullptr;
    QMenu* panels = nullptr;
    QMenu* language = nullptr;  // filled by the window, which knows what was chosen
    QActionGroup* layouts;
    QActionGroup* themes;
    QActionGroup* followModes;
};

/// Returns the fixed keys that are not in `Actions` ("1 … 9" select a run), as pairs of key and meaning.
QList<std::pair<QString, QString>> extraKeys();

}  // namespace mantissa::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// Everything the window can be told to do, once: menus, toolbar, keys and the list of keys all read it from here.
#pragma once

#include <QAction>
#include <QActionGroup>
#include <QCoreApplication>
#include <QObject>

class QMenuBar;
class QMenu;
class QWidget;

namespace mantissa::gui {

struct Actions {
    Q_DECLARE_TR_FUNCTIONS(mantissa::gui::Actions)
public:
    explicit Actions(QWidget* window);
    /// Menus "File, View, Run, Diagnose, Help". `bundled` is filled when the engine has said what it brings.
    void fillMenuBar(QMenuBar* bar);

    QAction *create, *open, *save, *recordings, *openRecording, *importRuns, *importFolder, *record, *exporting, *copyPlot, *quit;
    QAction *layoutExplore, *layoutDiagnose;
    QAction *themeLight, *themeDark, *themeSystem, *highContrast;
    QAction *freeze, *follow, *followAll, *followWindow, *followManual, *fit, *previousView, *logLoss, *smoothing, *crosshair,
        *architecture, *dataTable;
    QAction *nextEvent, *previousEvent, *firstNonFinite;
    QAction *rewindAll, *rewindRun, *fork, *whatIf;  // at the crosshair, the first two where a click holds it
    QAction *train, *step, *reset, *lockstep, *add, *rename, *remove, *hide, *previousRun, *nextRun, *scaleUp, *scaleDown, *inject;
    QAction *examineLast, *nextCaptured, *previousCaptured, *forkCaptured;
    QAction *inspector, *keys, *about;
    QMenu* bundled = nullptr;
    QMenu* pace = nullptr;
    QMenu* language = nullptr;  // filled by the window, which knows what was chosen
    QActionGroup* layouts;
    QActionGroup* themes;
    QActionGroup* followModes;
};

/// Keys that the actions above do not carry: "1 … 9" select a run. Pairs of key and meaning, for the list of keys.
QList<std::pair<QString, QString>> extraKeys();

}  // namespace mantissa::gui

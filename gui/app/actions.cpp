// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/actions.h"

#include <QMenu>
#include <QMenuBar>

#include "gui/app/icon.h"

namespace mantissa::gui {
namespace {

QAction* make(QWidget* window, const QString& text, const QKeySequence& key = {}, bool isCheckable = false) {
    auto* action = new QAction(text, window);
    action->setShortcut(key);
    action->setCheckable(isCheckable);
    window->addAction(action);  // the key works although no menu is open
    return action;
}

}  // namespace

Actions::Actions(QWidget* window) {
    create = make(window, tr("New experiment…"), QKeySequence::New);
    open = make(window, tr("Open experiment…"), QKeySequence::Open);
    save = make(window, tr("Save experiment as JSON…"), QKeySequence::Save);
    recordings = make(window, tr("Recordings…"), Qt::CTRL | Qt::SHIFT | Qt::Key_O);
    openRecording = make(window, tr("Open recording…"));
    importRuns = make(window, tr("Import runs…"), Qt::CTRL | Qt::Key_I);
    importFolder = make(window, tr("Import a folder of runs…"));
    record = make(window, tr("Keep a recording"), {}, true);
    exporting = make(window, tr("Export…"), Qt::CTRL | Qt::Key_E);
    copyPlot = make(window, tr("Copy plot as picture and table"), Qt::CTRL | Qt::SHIFT | Qt::Key_C);
    quit = make(window, tr("Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q));

    layoutExplore = make(window, tr("Explore"), Qt::CTRL | Qt::Key_1, true);
    layoutDiagnose = make(window, tr("Diagnose"), Qt::CTRL | Qt::Key_2, true);
    layouts = new QActionGroup(window);
    for (QAction* action : {layoutExplore, layoutDiagnose}) layouts->addAction(action);
    layoutExplore->setChecked(true);

    themeLight = make(window, tr("Light"), {}, true);
    themeDark = make(window, tr("Dark"), {}, true);
    themeSystem = make(window, tr("As the system"), {}, true);
    themes = new QActionGroup(window);
    for (QAction* action : {themeLight, themeDark, themeSystem}) themes->addAction(action);

    highContrast = make(window, tr("High contrast"), {}, true);

    freeze = make(window, tr("Freeze view"), Qt::Key_Space, true);
    follow = make(window, tr("Follow the tail"), Qt::Key_F);
    followAll = make(window, tr("Follow all"), {}, true);
    followWindow = make(window, tr("Follow last 500"), {}, true);
    followManual = make(window, tr("Manual"), {}, true);
    followModes = new QActionGroup(window);
    for (QAction* action : {followAll, followWindow, followManual}) followModes->addAction(action);
    followAll->setChecked(true);
    fit = make(window, tr("Fit all"), Qt::Key_Home);
    previousView = make(window, tr("Previous view"), Qt::Key_Backspace);
    logLoss = make(window, tr("Logarithmic loss"), Qt::Key_L, true);
    logLoss->setChecked(true);
    smoothing = make(window, tr("Smooth the loss"), Qt::Key_S, true);
    smoothing->setChecked(true);
    crosshair = make(window, tr("Next crosshair mode"), Qt::Key_C);
    architecture = make(window, tr("Architecture…"), Qt::Key_A);
    dataTable = make(window, tr("Data table…"), Qt::Key_T);

    nextEvent = make(window, tr("Next event"), Qt::Key_J);
    previousEvent = make(window, tr("Previous event"), Qt::SHIFT | Qt::Key_J);
    firstNonFinite = make(window, tr("First non-finite step"), Qt::SHIFT | Qt::Key_N);

    rewindAll = make(window, tr("Rewind all runs to before the held step"), Qt::Key_R);
    rewindRun = make(window, tr("Rewind run to before the held step"), Qt::SHIFT | Qt::Key_R);
    fork = make(window, tr("Fork run at the crosshair…"), Qt::Key_Y);
    whatIf = make(window, tr("What if, from the crosshair…"), Qt::Key_W);
    train = make(window, tr("Train"), Qt::CTRL | Qt::Key_R);
    step = make(window, tr("Single step"), Qt::Key_Period);
    reset = make(window, tr("Reset to step 0"), Qt::CTRL | Qt::SHIFT | Qt::Key_R);
    lockstep = make(window, tr("In lock-step"), {}, true);
    lockstep->setChecked(true);
    add = make(window, tr("Add a run"), Qt::CTRL | Qt::Key_D);
    rename = make(window, tr("Rename run"), Qt::Key_F2);
    remove = make(window, tr("Remove run"), Qt::CTRL | Qt::Key_Delete);
    hide = make(window, tr("Show or hide run"), Qt::Key_V);
    previousRun = make(window, tr("Previous run"), Qt::Key_PageUp);
    nextRun = make(window, tr("Next run"), Qt::Key_PageDown);
    inject = make(window, tr("Put an Inf into the next batch"), Qt::Key_I);
    scaleUp = make(window, tr("Double the loss scale"), Qt::CTRL | Qt::Key_Up);
    scaleDown = make(window, tr("Halve the loss scale"), Qt::CTRL | Qt::Key_Down);

    examineLast = make(window, tr("Examine the last step"), Qt::Key_E);
    nextCaptured = make(window, tr("Next captured step"), Qt::Key_K);
    previousCaptured = make(window, tr("Previous captured step"), Qt::SHIFT | Qt::Key_K);
    forkCaptured = make(window, tr("Rewind to before the captured step and fork"));

    inspector = make(window, tr("Number inspector…"), Qt::Key_B);
    keys = make(window, tr("Keys"));
    keys->setShortcuts({QKeySequence(Qt::Key_F1), QKeySequence(Qt::Key_Question)});
    about = make(window, tr("About Mantissa"));
}

void Actions::fillMenuBar(QMenuBar* bar) {
    QMenu* file = bar->addMenu(QObject::tr("&File"));
    file->addAction(create);
    file->addAction(open);
    bundled = file->addMenu(QObject::tr("Open bundled experiment"));
    bundled->setEnabled(false);
    file->addAction(save);
    file->addSeparator();
    file->addActions({recordings, openRecording, importRuns, importFolder, record});
    file->addSeparator();
    file->addActions({exporting, copyPlot});
    file->addSeparator();
    file->addAction(quit);

    QMenu* view = bar->addMenu(QObject::tr("&View"));
    view->addActions(layouts->actions());
    view->addSeparator();
    QMenu* theme = view->addMenu(QObject::tr("Theme"));
    theme->addActions(themes->actions());
    theme->addSeparator();
    theme->addAction(highContrast);
    language = view->addMenu(QObject::tr("Language"));
    view->addSeparator();
    view->addAction(freeze);
    view->addAction(follow);
    view->addActions(followModes->actions());
    view->addSeparator();
    view->addActions({fit, previousView});
    view->addSeparator();
    view->addActions({logLoss, smoothing, crosshair});
    view->addSeparator();
    view->addActions({dataTable, architecture});
    view->addSeparator();
    view->addActions({nextEvent, previousEvent});

    QMenu* run = bar->addMenu(QObject::tr("&Run"));
    run->addActions({train, step, reset});
    run->addSeparator();
    run->addActions({rewindAll, rewindRun, fork, whatIf});
    run->addSeparator();
    run->addAction(lockstep);
    pace = run->addMenu(QObject::tr("Pace"));
    run->addSeparator();
    run->addActions({add, rename, hide, remove});
    run->addSeparator();
    run->addActions({previousRun, nextRun});
    run->addSeparator();
    run->addActions({scaleUp, scaleDown});
    run->addSeparator();
    run->addAction(inject);

    QMenu* diagnose = bar->addMenu(QObject::tr("&Diagnose"));
    diagnose->addAction(firstNonFinite);
    diagnose->addActions({nextCaptured, previousCaptured, examineLast});
    diagnose->addSeparator();
    diagnose->addAction(forkCaptured);

    QMenu* help = bar->addMenu(QObject::tr("&Help"));
    help->addAction(inspector);
    help->addSeparator();
    help->addActions({keys, about});
}

QList<std::pair<QString, QString>> extraKeys() {
    return {{QStringLiteral("1 … 9"), QObject::tr("Select a run")},
            {QObject::tr("← →"), QObject::tr("Crosshair, sample by sample (in the plots); the next format (on a card)")},
            {QObject::tr("↑ ↓"), QObject::tr("Double or halve the scale (in its field)")}};
}

}  // namespace mantissa::gui

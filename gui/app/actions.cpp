// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/actions.h"

#include <QMenu>
#include <QMenuBar>

namespace mantissa::gui {
namespace {

/// "New experiment…" in English, and translated.
struct Words {
    const char* source;
    QString shown;
};

QAction* make(QWidget* window, const Words& text, const QKeySequence& key = {}, bool isCheckable = false) {
    auto* action = new QAction(text.shown, window);
    action->setObjectName(QString::fromUtf8(text.source).remove(u'…').toLower().replace(u' ', u'-'));
    action->setShortcut(key);
    action->setCheckable(isCheckable);
    window->addAction(action);  // the shortcut works without an open menu
    return action;
}

}  // namespace

Actions::Actions(QWidget* window) {
    const auto tr = [](const char* text) { return Words{text, Actions::tr(text)}; };
    create = make(window, tr("New experiment…"), QKeySequence::New);
    gallery = make(window, tr("Gallery…"), Qt::CTRL | Qt::Key_G);
    open = make(window, tr("Open experiment…"), QKeySequence::Open);
    save = make(window, tr("Save experiment as JSON…"), QKeySequence::Save);
    copyExperiment = make(window, tr("Copy experiment as text"));
    pasteExperiment = make(window, tr("Paste experiment"), QKeySequence::Paste);
    recordings = make(window, tr("Recordings…"), Qt::CTRL | Qt::SHIFT | Qt::Key_O);
    openRecording = make(window, tr("Open recording…"));
    importRuns = make(window, tr("Import runs…"), Qt::CTRL | Qt::Key_I);
    importFolder = make(window, tr("Import a folder of runs…"));
    followLogs = make(window, tr("Follow imported logs while they grow"), {}, true);
    watch = make(window, tr("Watch a PyTorch training…"), Qt::CTRL | Qt::SHIFT | Qt::Key_W);
    record = make(window, tr("Keep a recording"), {}, true);
    exporting = make(window, tr("Export…"), Qt::CTRL | Qt::Key_E);
    copyPlot = make(window, tr("Copy plot as picture and table"), Qt::CTRL | Qt::SHIFT | Qt::Key_C);
    quit = make(window, tr("Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q));

    undo = make(window, tr("Undo"), Qt::CTRL | Qt::Key_Z);
    redo = make(window, tr("Redo"), Qt::CTRL | Qt::SHIFT | Qt::Key_Z);
    forkUndone = make(window, tr("Fork from before the undone change…"));
    forkUndone->setEnabled(false);
    note = make(window, tr("Note at the crosshair…"), Qt::Key_N);

    layoutExplore = make(window, tr("Explore"), Qt::CTRL | Qt::Key_1, true);
    layoutDiagnose = make(window, tr("Diagnose"), Qt::CTRL | Qt::Key_2, true);
    layoutPresent = make(window, tr("Present"), Qt::CTRL | Qt::Key_3, true);
    layoutPresent->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_3), QKeySequence(Qt::Key_F11)});
    layouts = new QActionGroup(window);
    for (QAction* action : {layoutExplore, layoutDiagnose, layoutPresent}) layouts->addAction(action);
    layoutExplore->setChecked(true);
    saveLayout = make(window, tr("Save layout as…"));
    renameLayout = make(window, tr("Rename layout…"));
    deleteLayout = make(window, tr("Delete layout"));
    resetLayout = make(window, tr("Reset layout"), Qt::CTRL | Qt::Key_0);
    movePanels = make(window, tr("Move panels"), {}, true);
    leavePresent = make(window, tr("Leave Present"), Qt::Key_Escape);
    leavePresent->setEnabled(false);
    otherRun = make(window, tr("Before or after: the other run"), Qt::Key_O);
    allRuns = make(window, tr("Show all runs again"), Qt::SHIFT | Qt::Key_O);

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
    nextView = make(window, tr("Next view"), Qt::SHIFT | Qt::Key_Backspace);
    logScale = make(window, tr("Toggle log y axis"), Qt::Key_L);
    logScale->setObjectName(
        QStringLiteral("logarithmic-or-linear:-the-plot-under-the-pointer,-else-the-loss"));  // stored shortcuts use this name
    smoothing = make(window, tr("Smooth the lines"), Qt::Key_S, true);
    smoothing->setChecked(true);
    crosshair = make(window, tr("Next crosshair mode"), Qt::Key_C);
    architecture = make(window, tr("Architecture…"), Qt::CTRL | Qt::SHIFT | Qt::Key_A);
    dataTable = make(window, tr("Data table…"), Qt::Key_T);
    lookFor = make(window, tr("What to look for"), {}, true);
    lookFor->setChecked(true);
    cursorA = make(window, tr("Cursor A at the crosshair"), Qt::Key_A);
    cursorB = make(window, tr("Cursor B at the crosshair"), Qt::Key_B);
    lockCursors = make(window, tr("Lock the cursors"), Qt::CTRL | Qt::Key_L, true);
    removeCursors = make(window, tr("Remove the cursors"));
    for (QAction* action : {lockCursors, removeCursors}) action->setEnabled(false);  // there are no cursors yet

    nextEvent = make(window, tr("Next event"), Qt::Key_J);
    previousEvent = make(window, tr("Previous event"), Qt::SHIFT | Qt::Key_J);
    firstNonFinite = make(window, tr("First non-finite step"), Qt::SHIFT | Qt::Key_N);

    rewindAll = make(window, tr("Rewind all runs to before the pinned step"), Qt::Key_R);
    rewindRun = make(window, tr("Rewind run to before the pinned step"), Qt::SHIFT | Qt::Key_R);
    fork = make(window, tr("Fork run at the crosshair…"), Qt::Key_Y);
    whatIf = make(window, tr("What if, from the crosshair…"), Qt::Key_W);
    keepCheckpoint = make(window, tr("Keep a checkpoint of the run"), Qt::CTRL | Qt::Key_K);
    moveRunUp = make(window, tr("Move run up"), Qt::CTRL | Qt::SHIFT | Qt::Key_Up);
    moveRunDown = make(window, tr("Move run down"), Qt::CTRL | Qt::SHIFT | Qt::Key_Down);
    train = make(window, tr("Train"), Qt::CTRL | Qt::Key_R);
    step = make(window, tr("Single step"), Qt::Key_Period);
    reset = make(window, tr("Reset to step 0"), Qt::CTRL | Qt::SHIFT | Qt::Key_R);
    restore = make(window, tr("Reset with the original settings"));
    lockstep = make(window, tr("In lock-step"), {}, true);
    lockstep->setChecked(true);
    add = make(window, tr("Add a run"), Qt::CTRL | Qt::Key_D);
    rename = make(window, tr("Rename run"), Qt::Key_F2);
    remove = make(window, tr("Remove run"), Qt::CTRL | Qt::Key_Delete);
    hide = make(window, tr("Show or hide run"), Qt::Key_V);
    previousRun = make(window, tr("Previous run"), Qt::Key_PageUp);
    nextRun = make(window, tr("Next run"), Qt::Key_PageDown);
    inject = make(window, tr("Put an Inf into the next batch"), Qt::SHIFT | Qt::Key_I);  // no undo takes it back
    scaleUp = make(window, tr("Double the loss scale"), Qt::CTRL | Qt::Key_Up);
    scaleDown = make(window, tr("Halve the loss scale"), Qt::CTRL | Qt::Key_Down);

    examineLast = make(window, tr("Examine the last step"), Qt::Key_E);
    nextCaptured = make(window, tr("Next captured step"), Qt::Key_K);
    previousCaptured = make(window, tr("Previous captured step"), Qt::SHIFT | Qt::Key_K);
    forkCaptured = make(window, tr("Rewind to the captured step and fork"));
    forkCaptured->setObjectName(QStringLiteral("rewind-to-before-the-captured-step-and-fork"));  // stored shortcuts use this name

    lessonList = make(window, tr("Choose a lesson…"));
    lessonFile = make(window, tr("Open lesson file…"));
    lessonNext = make(window, tr("Next, or reveal, in the lesson"), Qt::ALT | Qt::Key_Right);
    lessonBack = make(window, tr("Back in the lesson"), Qt::ALT | Qt::Key_Left);
    lessonReset = make(window, tr("This step of the lesson again"));
    lessonLeave = make(window, tr("Close the lesson"));
    lessonVotes = make(window, tr("Count votes in the lesson"), Qt::ALT | Qt::Key_Up, true);
    for (QAction* action : {lessonNext, lessonBack, lessonReset, lessonLeave, lessonVotes}) action->setEnabled(false);

    inspector = make(window, tr("Number inspector…"), Qt::CTRL | Qt::Key_B);
    symptoms = make(window, tr("What is wrong with my training?"));
    guide = make(window, tr("Guide"), Qt::SHIFT | Qt::Key_F1);
    tour = make(window, tr("Tour"));
    keys = make(window, tr("Keys"));
    keys->setShortcuts({QKeySequence(Qt::Key_F1), QKeySequence(Qt::Key_Question)});
    about = make(window, tr("About Mantissa"));
}

void Actions::fillMenuBar(QMenuBar* bar) {
    QMenu* file = bar->addMenu(tr("&File"));
    file->addActions({gallery, create, open});
    bundled = file->addMenu(tr("Open bundled experiment"));
    bundled->setEnabled(false);
    file->addActions({save, copyExperiment, pasteExperiment});
    file->addSeparator();
    file->addActions({recordings, openRecording, importRuns, importFolder, followLogs, watch, record});
    file->addSeparator();
    file->addActions({exporting, copyPlot});
    file->addSeparator();
    file->addAction(quit);

    QMenu* edit = bar->addMenu(tr("&Edit"));
    edit->addActions({undo, redo});
    edit->addAction(forkUndone);
    edit->addSeparator();
    edit->addAction(note);

    QMenu* view = bar->addMenu(tr("&View"));
    ownLayouts = view->addMenu(tr("Layouts"));
    ownLayouts->addActions(layouts->actions());
    ownLayouts->addAction(leavePresent);
    ownLayouts->addSeparator();
    ownLayouts->addActions({saveLayout, renameLayout, deleteLayout});
    panels = view->addMenu(tr("Panels"));
    view->addAction(resetLayout);
    view->addSeparator();
    QMenu* theme = view->addMenu(tr("Theme"));
    theme->addActions(themes->actions());
    theme->addSeparator();
    theme->addAction(highContrast);
    language = view->addMenu(tr("Language"));
    view->addSeparator();
    view->addAction(freeze);
    view->addAction(follow);
    view->addActions(followModes->actions());
    view->addSeparator();
    view->addActions({fit, previousView, nextView});
    view->addSeparator();
    xAxis = view->addMenu(tr("x axis"));
    plots = view->addMenu(tr("Plots"));
    view->addAction(logScale);
    view->addAction(smoothing);
    smoothingFactors = view->addMenu(tr("Smoothing factor"));
    view->addAction(crosshair);
    view->addSeparator();
    view->addActions({cursorA, cursorB, lockCursors, removeCursors});
    view->addSeparator();
    view->addActions({dataTable, architecture, lookFor});
    view->addSeparator();
    view->addActions({nextEvent, previousEvent});

    QMenu* run = bar->addMenu(tr("&Run"));
    run->addActions({train, step, reset, restore});
    run->addSeparator();
    run->addActions({rewindAll, rewindRun, fork, whatIf, keepCheckpoint});
    run->addSeparator();
    run->addAction(lockstep);
    pace = run->addMenu(tr("Pace"));
    run->addSeparator();
    run->addActions({add, rename, hide, remove});
    run->addActions({otherRun, allRuns});
    run->addSeparator();
    run->addActions({moveRunUp, moveRunDown});
    runStyle = run->addMenu(tr("Colour"));
    run->addActions({previousRun, nextRun});
    run->addSeparator();
    run->addActions({scaleUp, scaleDown});
    run->addSeparator();
    run->addAction(inject);

    QMenu* diagnose = bar->addMenu(tr("&Diagnose"));
    diagnose->addAction(firstNonFinite);
    diagnose->addActions({nextCaptured, previousCaptured, examineLast});
    diagnose->addSeparator();
    diagnose->addAction(forkCaptured);

    lessons = bar->addMenu(tr("&Lessons"));
    lessons->addActions({lessonList, lessonFile});
    lessons->addSeparator();
    lessons->addActions({lessonNext, lessonBack, lessonReset, lessonVotes, lessonLeave});
    lessons->addSeparator();

    QMenu* help = bar->addMenu(tr("&Help"));
    help->addAction(inspector);
    help->addSeparator();
    help->addActions({symptoms, guide, tour, keys, about});
}

QList<std::pair<QString, QString>> extraKeys() {
    return {{QStringLiteral("1 … 9"), Actions::tr("Select a run")},
            {Actions::tr("← →"), Actions::tr("Crosshair, sample by sample, with Shift by ten (in the plots); the next format (on a card)")},
            {Actions::tr("↑ ↓"), Actions::tr("Double or halve the scale (in its field)")},
            {Actions::tr("Esc"), Actions::tr("Let go of the crosshair, then remove the cursors (in the plots)")},
            {Actions::tr("Enter"), Actions::tr("Jump to the event (in the list of events)")},
            {Actions::tr("Del"), Actions::tr("Remove the note (in the list of events)")}};
}

}  // namespace mantissa::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// Opens, creates, saves and exports experiments; makes, lists and opens recordings; imports runs and watches trainings; shows why something
// was not opened. GUI thread only.
#pragma once

#include <QHash>
#include <QObject>
#include <QPointer>

#include "gui/app/window_parts.h"
#include "gui/exports/export_dialog.h"
#include "gui/picker/picker_page.h"
#include "gui/recordings/recordings_page.h"
#include "gui/watch/watch_dialog.h"

namespace mantissa::gui {

class TrainingController;

class FileController : public QObject, WindowParts {
    Q_OBJECT
public:
    FileController(const WindowParts& parts, TrainingController* training);

    /// Opens a bundled experiment or a file, found as on the command line. An error is shown above the plots and the current experiment
    /// stays; without one, the default opens.
    void openExperiment(const QString& nameOrPath);
    void openBundled(const QString& name);
    /// Opens a recording for continuation, paused.
    void openRecording(const QString& path);
    /// Opens the recording of the last session, which did not end properly.
    void recover();
    /// Adds a file's or a folder's runs to the current ones.
    void importRuns(const QString& path);
    void showWatching();
    /// Shows the plots of what is opened next: no step of it was captured yet. What the program opens at its start keeps the layout.
    void leaveDiagnose();
    /// Announces what was not opened; an empty window opens the default experiment, once.
    void announceUnopened(const QString& headline, const QString& sentence);

private:
    void connectFiles();
    void connectImports();
    void connectRecordings();
    void connectRefusals();
    void load(const QString& name, const QString& text = {});
    void newExperiment();  // in a form
    void saveExperiment();
    void pasteExperiment();
    void showExport();
    void showRecordings();
    void recordingChanged();
    void recordingOpened();
    void takeRefusal(int run, const QString& pointer, const QString& sentence, quint64 commandId);

    TrainingController* m_training;
    QPointer<PickerPage> m_picker;          // null while it is closed
    QPointer<WatchDialog> m_watching;       // null while it is closed
    QPointer<ExportDialog> m_export;        // null while it is closed
    QPointer<RecordingsPage> m_recordings;  // null while it is closed
    QString m_recordingProblem;             // the last problem announced
    QHash<quint64, QString> m_headlines;    // headlines for refusals, by pending command
    bool m_hasFallenBack = false;           // to the default experiment
    bool m_isRecovering = false;            // until the recording has been opened or refused
    bool m_isPasting = false;               // until the pasted experiment has been opened or refused
};

}  // namespace mantissa::gui

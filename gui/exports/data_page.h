// SPDX-License-Identifier: GPL-3.0-or-later
// Of the export dialog: what is recorded of the runs, and their weights, as files in a folder of their own, written by the engine, with a
// preview of them.
#pragma once

#include <QTimer>
#include <QWidget>

#include "gui/exports/export_preview.h"
#include "gui/link/engine_client.h"

class QLabel;
class QPushButton;

namespace mantissa::gui {

class ComboBox;

class DataPage : public QWidget {
    Q_OBJECT
public:
    DataPage(Lab* lab, EngineClient* engine, QWidget* parent);
    /// Asks the engine for the files of the chosen format. They go into a new folder in `parent`, so that none is replaced.
    void exportInto(const QString& parent);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    bool wantsRecording() const;
    QString whyNot() const;
    void finish();
    void sayExported();
    void say(const QString& outcome, bool isProblem);

    Lab* m_lab;
    EngineClient* m_engine;
    ComboBox* m_format;
    QLabel *m_note, *m_filesTitle, *m_files, *m_said;
    ExportPreview* m_preview;
    QTimer m_timer;  // until the engine is asked for a preview
    QPushButton* m_export;
    QString m_folder;           // of the last export
    QString m_outcome;          // of it, in a sentence; empty: there was none
    std::uint64_t m_asked = 0;  // 0: nothing is on its way
    bool m_isProblem = false;   // the outcome
};

}  // namespace mantissa::gui

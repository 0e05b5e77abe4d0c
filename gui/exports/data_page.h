// SPDX-License-Identifier: GPL-3.0-or-later
// The export dialog's page for data: recorded series and weights of the runs, written by the engine as files into a new folder, with a
// preview.
#pragma once

#include <QWidget>

#include "gui/controls/delay.h"
#include "gui/exports/export_preview.h"
#include "gui/link/engine_client.h"

class QLabel;
class QPushButton;

namespace mantissa::gui {

class ComboBox;

class DataPage : public QWidget {
    Q_OBJECT
public:
    DataPage(SessionModel* session, EngineClient* engine, QWidget* parent);
    /// Requests the files of the chosen format from the engine. They go into a new folder in `parent`, so that none is replaced.
    void exportInto(const QString& parent);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    bool wantsRecording() const;
    QString whyNot() const;
    void sayExported();
    void say(const QString& outcome, bool isProblem);

    SessionModel* m_session;
    EngineClient* m_engine;
    ComboBox* m_format;
    QLabel *m_note, *m_filesTitle, *m_files, *m_said;
    ExportPreview* m_preview;
    Delay m_timer;  // delays the request for a preview
    QPushButton* m_export;
    QString m_folder;           // of the last export
    QString m_outcome;          // its result, in a sentence; empty: there was none
    std::uint64_t m_asked = 0;  // 0: none pending
    bool m_isProblem = false;   // the outcome
};

}  // namespace mantissa::gui

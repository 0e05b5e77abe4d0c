// SPDX-License-Identifier: GPL-3.0-or-later
// The export dialog's page for programs: a run's settings as a program for PyTorch or Keras or as another trainer's file, written by the
// engine, to copy or save.
#pragma once

#include <QWidget>

#include "gui/controls/parts.h"
#include "gui/link/engine_client.h"

class QPlainTextEdit;

namespace mantissa::gui {

class ProgramPage : public QWidget {
    Q_OBJECT
public:
    ProgramPage(SessionModel* session, EngineClient* engine, QWidget* parent);
    /// Makes the engine write the program and the files that it reads.
    void saveTo(const QString& path);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void listRuns();
    void ask();
    void showText(const QString& text, bool isProgram);
    void save();
    void finishSaving(const QString& problem);  // empty: success
    void say(const QString& text, bool isProblem) { showStyled(m_said, text, isProblem ? "danger" : "secondary"); }

    SessionModel* m_session;
    EngineClient* m_engine;
    ComboBox *m_run, *m_framework;
    QPlainTextEdit* m_text;
    QLabel* m_said;
    QPushButton *m_copy, *m_save;
    QString m_path;  // of the program being saved
    std::uint64_t m_asked = 0, m_saving = 0;
};

}  // namespace mantissa::gui

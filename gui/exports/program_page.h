// SPDX-License-Identifier: GPL-3.0-or-later
// Of the export dialog: a run's settings as a program for PyTorch or Keras, written by the engine, to be copied or saved.
#pragma once

#include <QWidget>

#include "gui/link/engine_client.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace mantissa::gui {

class ComboBox;

class ProgramPage : public QWidget {
    Q_OBJECT
public:
    ProgramPage(Lab* lab, EngineClient* engine, QWidget* parent);
    void saveTo(const QString& path);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void listRuns();
    void ask();
    void showText(const QString& text, bool isProgram);
    void save();
    void say(const QString& text, bool isProblem);

    Lab* m_lab;
    EngineClient* m_engine;
    ComboBox *m_run, *m_framework;
    QPlainTextEdit* m_text;
    QLabel* m_said;
    QPushButton *m_copy, *m_save;
    std::uint64_t m_asked = 0;
};

}  // namespace mantissa::gui

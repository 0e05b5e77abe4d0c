// SPDX-License-Identifier: GPL-3.0-or-later
// The Diagnose layout's page, the captured steps beside it, and the pause at a skipped step. GUI thread only.
#pragma once

#include <QObject>

#include "gui/app/window_parts.h"
#include "gui/diagnosis/diagnose_page.h"

namespace mantissa::gui {

class TrainingController;

class DiagnoseController : public QObject, WindowParts {
    Q_OBJECT
public:
    DiagnoseController(const WindowParts& parts, TrainingController* training);

    /// Returns the page in the place of the plots. It is created on first use, so that the window opens sooner.
    DiagnosePage* page();
    bool hasPage() const { return m_page != nullptr; }
    /// Shows the layout and examines a step of a run.
    void ask(int run, qint64 step);

private:
    void connectPage();

    TrainingController* m_training;
    PauseWatch* m_pauseWatch;
    DiagnosePage* m_page = nullptr;
    Instrumentation m_instrumentation = Instrumentation::Sampled;  // the last choice
};

}  // namespace mantissa::gui

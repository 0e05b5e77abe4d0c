// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog "Fork": creates a run from a step of another one, with one change, as a normal run or as a what-if of some steps. It stays
// open until the engine has accepted, and shows a refusal. GUI thread only.
#pragma once

#include <QDialog>

#include "engine/experiment/draft.h"
#include "gui/link/engine_client.h"

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace mantissa::gui {

class CheckBox;
class ComboBox;
class DraftCell;

/// Returns the settings of a run that may change between two steps, with the values before `step`; the most common ones first.
std::vector<DraftRow> forkRows(const SessionModel& session, const RunState& run, std::int64_t step);

class ForkDialog : public QDialog {
    Q_OBJECT
public:
    ForkDialog(SessionModel* session, EngineClient* engine, RunId run, std::int64_t step, bool asWhatIf, QWidget* parent);
    static constexpr int kWhatIfSteps = 200;

private:
    void chooseChange(int index);
    void takeStep();
    void refresh();
    QString suggestedName() const;
    void fork();

    SessionModel* m_session;
    EngineClient* m_engine;
    RunId m_run;
    std::vector<DraftRow> m_rows;
    const DraftRow* m_chosen = nullptr;  // null: nothing is changed
    Json m_value;                        // its value
    QSpinBox *m_step, *m_steps;
    ComboBox* m_change;
    QHBoxLayout* m_changeRow;
    DraftCell* m_cell = nullptr;
    QLineEdit* m_name;
    CheckBox* m_isWhatIf;
    QLabel* m_problem;
    QPushButton* m_fork;
    std::uint64_t m_asked = 0;
    bool m_isRefused = false;
};

}  // namespace mantissa::gui

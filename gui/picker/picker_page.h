// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog "New experiment": a form for data, model, training and formats, their memory, and errors beside their fields. It starts with
// the loaded experiment, which stays unchanged until Create. GUI thread only.
#pragma once

#include <QDialog>

#include "engine/experiment/draft.h"
#include "gui/controls/delay.h"
#include "gui/link/engine_client.h"

class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;

namespace mantissa::gui {

class CheckBox;
class DraftForm;
class LedgerModel;

class PickerPage : public QDialog {
    Q_OBJECT
public:
    PickerPage(SessionModel* session, EngineClient* engine, QWidget* parent);

    const Draft& draft() const { return m_draft; }
    const LedgerModel& ledger() const { return *m_ledger; }
    /// Returns whether Create was pressed and the engine has not answered; refusals without a run then belong to this page.
    bool isWaiting() const { return m_isWaiting; }
    void takeRefusal(const QString& pointer, const QString& sentence);

    static constexpr int kAskDelayMs = 200;  // after the last keystroke
    static constexpr int kSlowMs = 800;      // for large data that have to be read first

signals:
    /// Emitted to load the experiment under that name. The page closes when the engine has loaded it.
    void created(const QString& name, const QString& text);

private:
    /// The validity of the current draft.
    enum class Verdict { Asking, Good, Bad };

    SessionModel* m_session;
    EngineClient* m_engine;
    Draft m_draft;
    DraftForm* m_form;
    LedgerModel* m_ledger;
    QWidget* m_cost;  // everything beside the form
    QTableView* m_table;
    QLineEdit* m_title;
    QLineEdit* m_gpuMemory;
    std::vector<std::pair<std::string, CheckBox*>> m_policies;
    QLabel *m_costNote, *m_foot;
    QPushButton *m_cancel, *m_create;
    Delay m_askTimer{kAskDelayMs};
    Delay m_slowTimer{kSlowMs};  // shows a note when the answer takes long
    std::uint64_t m_asked = 0;   // the latest request; answers to others are stale
    std::string m_lastChanged;
    Verdict m_verdict = Verdict::Asking;
    bool m_wantsCreate = false;  // pressed while a request was pending
    bool m_isWaiting = false;

    QWidget* buildCost();
    QGridLayout* buildPolicies();
    void buildTable();
    void change(const std::string& pointer, const Json& value);
    void askSoon();
    void ask();
    void take(const ExperimentPreviewed& preview);
    void showCost(const ExperimentPreviewed& preview);
    void showProblem(const std::string& pointer, const QString& sentence);
    void setVerdict(Verdict verdict);
    void create();
    std::optional<std::int64_t> gpuBytes() const;
};

}  // namespace mantissa::gui

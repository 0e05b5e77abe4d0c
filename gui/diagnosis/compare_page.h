// SPDX-License-Identifier: GPL-3.0-or-later
// Compares two runs and shows in which layer and at which step they first diverge. Compare starts it; while the page is open, the
// comparison then continues with new steps. GUI thread only.
#pragma once

#include <QButtonGroup>
#include <QElapsedTimer>
#include <QFrame>
#include <QGridLayout>
#include <QTimer>

#include "gui/controls/delay.h"
#include "gui/controls/parts.h"
#include "gui/diagnosis/comparison_plots.h"
#include "gui/diagnosis/comparison_record.h"
#include "gui/link/engine_client.h"

namespace mantissa::gui {

class ComparePage : public QWidget {
    Q_OBJECT
public:
    ComparePage(SessionModel* session, EngineClient* engine, QWidget* parent);
    /// Restarts the comparison with the chosen runs.
    void compare();
    const ComparisonRecord& record() const { return m_record; }
    RunId run() const { return m_run->currentData().toInt(); }
    RunId other() const { return m_other->currentData().toInt(); }
    /// Draws pending changes now.
    void refreshNow();

signals:
    /// Emitted with a message for the status line.
    void said(const QString& sentence);

protected:
    void changeEvent(QEvent* event) override;

private:
    QFrame* makeHead();
    QFrame* makeMap();
    QFrame* makeCurve();
    void connectLab();
    void fillRuns();
    void beginAgain();
    TensorRole role() const;
    ComparisonRange range() const;
    std::int64_t firstStep() const;
    std::int64_t endStep() const;
    bool askNext();
    void follow();
    void answered(quint64 commandId);
    void stop();
    void showWhereTheyPart();
    void refreshButtons();
    QString emptyText() const;
    bool isBySketches() const;
    QString noteText() const;

    SessionModel* m_session;
    EngineClient* m_engine;
    ComparisonRecord m_record;
    std::uint64_t m_asked = 0;   // the pending command; 0: none
    std::int64_t m_wanted = 0;   // its number of points
    std::size_t m_before = 0;    // number of points when it was sent
    QElapsedTimer m_since;       // time since it was sent or answered
    qint64 m_rest = 0;           // ms before the next one, so that training keeps most of the time
    bool m_isByHand = false;     // the user started the pending question, and a button stops it
    bool m_isRequested = false;  // another one is requested after it
    bool m_hasCompared = false, m_isRunChosen = false, m_isRoleChosen = false;
    QString m_layer;  // chosen; empty: the layer of the first divergence
    QString m_problem;
    QTimer m_followTimer;
    Delay m_drawTimer;

    ComboBox *m_run, *m_other, *m_bound;
    QButtonGroup *m_range, *m_role;
    CheckBox* m_follow;
    QPushButton* m_compare;
    QLabel *m_verdict, *m_note, *m_empty;
    QFrame *m_mapCard, *m_curveCard;
    ComparisonMap* m_map;
    ComparisonCurve* m_curve;
    QLabel* m_curveTitle;
};

}  // namespace mantissa::gui

// SPDX-License-Identifier: GPL-3.0-or-later
// Two runs held against each other: in which layer and at which step do they part? Asked when Compare is pressed, and from then on, while
// the page is open, again for the steps that training adds. GUI thread only.
#pragma once

#include <QButtonGroup>
#include <QElapsedTimer>
#include <QFrame>
#include <QGridLayout>
#include <QTimer>
#include <QVBoxLayout>

#include "gui/controls/parts.h"
#include "gui/diagnosis/comparison_plots.h"
#include "gui/diagnosis/comparison_record.h"
#include "gui/link/engine_client.h"

namespace mantissa::gui {

class ComparePage : public QWidget {
    Q_OBJECT
public:
    ComparePage(Lab* lab, EngineClient* engine, QWidget* parent);
    /// Begins anew with the runs that are chosen.
    void compare();
    const ComparisonRecord& record() const { return m_record; }
    RunId run() const { return m_run->currentData().toInt(); }
    RunId other() const { return m_other->currentData().toInt(); }
    /// Draws what is pending now.
    void refreshNow();

signals:
    /// A word for the status line.
    void said(const QString& sentence);

protected:
    void changeEvent(QEvent* event) override;

private:
    QFrame* makeHead();
    QFrame* makeMap();
    QFrame* makeCurve();
    void connectLab();
    void fillRuns();
    void beginAnew();
    void restartIfCompared();
    TensorRole role() const;
    ComparisonRange range() const;
    std::int64_t firstStep() const;
    std::int64_t endStep() const;
    bool askNext();
    void follow();
    void answered(quint64 commandId);
    void stop();
    void chooseLayer(const QString& layer);
    void showWhereTheyPart();
    void refreshButtons();
    QString emptyText() const;
    bool isBySketches() const;
    QString noteText() const;
    void later();

    Lab* m_lab;
    EngineClient* m_engine;
    ComparisonRecord m_record;
    std::uint64_t m_asked = 0;   // a question that is under way
    std::int64_t m_wanted = 0;   // of it: points
    std::size_t m_before = 0;    // points known when it was asked
    QElapsedTimer m_since;       // it was asked, or answered
    qint64 m_rest = 0;           // ms before the next one, so that training keeps most of the time
    bool m_isByHand = false;     // the question under way was: a button stops it
    bool m_isRequested = false;  // another one, as soon as that is answered
    bool m_hasCompared = false, m_isRunChosen = false, m_isRoleChosen = false;
    QString m_layer;  // chosen; empty: where the runs part
    QString m_problem;
    QTimer m_followTimer, m_drawTimer;

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
